// Modes of vibration against closed forms: pendulums, an oscillator with a damper, loops in both coordinates, beams,
// contact, a controller.
#include "runs.h"

// Stiffness comes from differences of fourth order: 1e-12 of rounding, and about as much of the next order.
static const double EXACT = 1e-9;

static carom_modes *modes_of(run *r) {
  carom_error error = {0};
  carom_modes *m = carom_sim_modes(r->sim, &error);
  if (!CHECK(m)) printf("      %s\n", error.text);
  return m;
}

static double shape_of(const carom_modes *m, int mode, const char *name) {
  for (int i = 0; carom_modes_name(m, i); i++)
    if (strcmp(carom_modes_name(m, i), name) == 0) return carom_modes_shape(m, mode, i, NULL);
  CHECK(!"a row of this name");
  return NAN;
}

static const char *const both[] = {"coordinates=joint", "coordinates=absolute"};

#define DOUBLE                                                                                 \
  "space: planar\n"                                                                            \
  "gravity: [0, -9.81]\n"                                                                      \
  "parameters: {l: 0.7, J: 0}\n"                                                               \
  "bodies: {a: {mass: 2, inertia: J, com: [0, -l]}, b: {mass: 2, inertia: J, com: [0, -l]}}\n" \
  "joints: {first: {revolute: [ground, a]}, second: {revolute: [a, b], at: [0, -l]}}\n"        \
  "end: 1\n"

// Two equal points on massless rods: ω² = (2 ∓ √2) g/l, and the absolute angles of the two are as 1 to ±√2, so that the
// relative one of the second is ±√2 - 1. Absolute coordinates need an inertia: 1e-11 of that of the points changes as
// little.
static void a_double_pendulum_has_its_ratio(void) {
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, DOUBLE, i ? "coordinates=absolute J=1e-11" : NULL)) continue;
    carom_modes *m = modes_of(&r);
    if (m && CHECK_EQUAL(carom_modes_count(m), 2)) {
      const double low = sqrt((2 - M_SQRT2) * 9.81 / 0.7), high = sqrt((2 + M_SQRT2) * 9.81 / 0.7);
      CHECK_NEAR(carom_modes_get(m, 0).omega, low, EXACT * low);
      CHECK_NEAR(carom_modes_get(m, 1).omega, high, EXACT * high);
      CHECK_NEAR(carom_modes_get(m, 0).frequency, low / (2 * M_PI), EXACT);
      for (int k = 0; k < 2; k++) {
        CHECK_NEAR(carom_modes_get(m, k).damping, 0, 1e-9);
        CHECK_NEAR(shape_of(m, k, "second.q") / shape_of(m, k, "first.q"), (k ? -1 : 1) * M_SQRT2 - 1, 1e-8);
      }
      CHECK_NEAR(carom_modes_imbalance(m), 0, 1e-12);
    }
    carom_modes_destroy(m);
    CHECK(run_to(&r, 0.01));  // the sim goes on as it was
    CHECK_NEAR(run_read(&r, "first.q"), 0, 1e-12);
    run_close(&r);
  }
}

// Upright it has the eigenvalues ±√(m g h/J).
static void an_inverted_pendulum_falls(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {arm: {mass: 2, inertia: 0.1, com: [0, 0.5]}}\n"
      "joints: {hinge: {revolute: [ground, arm]}}\n"
      "end: 1\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  carom_modes *m = modes_of(&r);
  const double rate = sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25));
  if (m && CHECK_EQUAL(carom_modes_count(m), 2)) {
    for (int k = 0; k < 2; k++) CHECK_NEAR(fabs(carom_modes_get(m, k).real), rate, EXACT * rate);
    CHECK_NEAR(carom_modes_get(m, 0).real + carom_modes_get(m, 1).real, 0, EXACT);
    CHECK_NEAR(carom_modes_get(m, 0).imaginary, 0, 0);
  }
  carom_modes_destroy(m);
  run_close(&r);
}

// m ẍ + c ẋ + k x = 0, below and above critical damping.
static void an_oscillator_is_damped(void) {
  static const double damping[] = {3, 40};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 2, inertia: 1}}\n"
             "joints: {slide: {prismatic: [ground, a], axis: x}}\n"
             "forces: {spring: {along: slide, stiffness: 50, damping: %g}}\nend: 1\n",
             damping[i]);
    run r;
    if (!run_open_text(&r, text, NULL)) continue;
    carom_modes *m = modes_of(&r);
    const double delta = damping[i] / 4, square = 25 - delta * delta;
    if (i == 0 && m && CHECK_EQUAL(carom_modes_count(m), 1)) {
      const carom_mode mode = carom_modes_get(m, 0);
      CHECK_NEAR(mode.real, -delta, EXACT);
      CHECK_NEAR(mode.imaginary, sqrt(square), EXACT);
      CHECK_NEAR(mode.omega, 5, EXACT);
      CHECK_NEAR(mode.damping, delta / 5, EXACT);
    } else if (m && CHECK_EQUAL(carom_modes_count(m), 2)) {
      CHECK_NEAR(carom_modes_get(m, 0).real, -delta + sqrt(-square), EXACT * 20);
      CHECK_NEAR(carom_modes_get(m, 1).real, -delta - sqrt(-square), EXACT * 20);
      CHECK_NEAR(carom_modes_get(m, 1).damping, 1, 0);
    }
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// A four-bar has one freedom. The numbers of both coordinates agree, and a run after a small push stands still after a
// quarter of the period; its amplitude of 1e-4/ω changes the period by the square of that.
static void loops_agree_in_both_coordinates(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies:\n"
      "  left: {mass: 1, inertia: 0.1, com: [0.5, 0]}\n"
      "  coupler: {mass: 2, inertia: 0.2, com: [0.5, 0]}\n"
      "  right: {mass: 1, inertia: 0.1, com: [0.5, 0]}\n"
      "markers: {support: {on: ground, at: [1.6, 0]}, end: {on: coupler, at: [1, 0]}, tip: {on: right, at: [1, 0]}}\n"
      "joints:\n"
      "  a: {revolute: [ground, left]}\n"
      "  b: {revolute: [left, coupler], at: [1, 0]}\n"
      "  c: {revolute: [support, right]}\n"
      "  d: {revolute: [end, tip]}\n"
      "initial: {a: {q: -75 deg}, b: {q: 72 deg}, c: {q: -110 deg}}\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n"
      "end: 10\n";
  double omega[2] = {0}, turn[2] = {0};
  for (int i = 0; i < 2; i++) {
    run r;
    carom_error error = {0};
    if (!run_open_text(&r, text, both[i])) continue;
    CHECK(carom_sim_equilibrium(r.sim, NULL, &error) == CAROM_OK);
    carom_modes *m = modes_of(&r);
    if (m && CHECK_EQUAL(carom_modes_count(m), 1))
      omega[i] = carom_modes_get(m, 0).omega, turn[i] = shape_of(m, 0, "b.q") / shape_of(m, 0, "a.q");
    carom_modes_destroy(m);
    if (i == 0) {  // a small push: a quarter of the period later the joint stands still
      const double rest = run_read(&r, "a.q"), push = 1e-4;
      CHECK(carom_sim_set_joint(r.sim, "a", NULL, &push, &error) == CAROM_OK);
      CHECK(run_to(&r, M_PI / 2 / omega[0]));
      CHECK_NEAR(run_read(&r, "a.q") - rest, push / omega[0], 1e-4 * push);
      CHECK_NEAR(run_read(&r, "a.u"), 0, 1e-4 * push);
    }
    run_close(&r);
  }
  CHECK_NEAR(omega[0], omega[1], EXACT * omega[0]);
  CHECK_NEAR(turn[0], turn[1], 1e-8);
  CHECK(omega[0] > 1);
}

// A clamped beam, its own eigenmodes: (β L)² √(E I/(ρ A L⁴)), and the damping that was given.
static void a_cantilever_has_its_frequencies(void) {
  run r;
  if (!run_open(&r, "cantilever", NULL)) return;
  carom_error error = {0};
  CHECK(carom_sim_equilibrium(r.sim, NULL, &error) == CAROM_OK);
  carom_modes *m = modes_of(&r);
  const double unit = sqrt(210e9 * 1e-8 / (7800 * 4e-4)), exact[] = {1.8751040687, 4.6940911330};
  if (m && CHECK(carom_modes_count(m) >= 2))
    for (int k = 0; k < 2; k++) {
      const double omega = exact[k] * exact[k] * unit;
      CHECK_NEAR(carom_modes_get(m, k).omega / omega, 1, 1e-4);
      CHECK_NEAR(carom_modes_get(m, k).damping, 0.05, 1e-3);
    }
  carom_modes_destroy(m);
  run_close(&r);
}

// A ball on a contact without friction or damping: ω² = K/m; and two motions without a restoring force.
static void a_ball_bounces_on_its_contact(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {ball: {mass: 3, inertia: 0.01}}\n"
      "joints: {free: {free: [ground, ball]}}\n"
      "surfaces: {round: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 1, law: hertz, stiffness: 1e8, exponent: 1.5}}\n"
      "initial: {free: {q: [0, 0, 0.11]}}\n"
      "method: compliant\n"
      "end: 1\n";
  run r;
  carom_error error = {0};
  if (!run_open_text(&r, text, NULL)) return;
  CHECK(carom_sim_equilibrium(r.sim, NULL, &error) == CAROM_OK);
  carom_modes *m = modes_of(&r);
  const double delta = pow(3 * 9.81 / 1e8, 2.0 / 3), omega = sqrt(1.5 * 1e8 * sqrt(delta) / 3);
  if (m && CHECK_EQUAL(carom_modes_count(m), 3)) {
    CHECK_NEAR(carom_modes_get(m, 0).omega, 0, 0);
    CHECK_NEAR(carom_modes_get(m, 1).omega, 0, 0);
    CHECK_NEAR(carom_modes_get(m, 2).omega / omega, 1, 1e-6);
  }
  carom_modes_destroy(m);
  run_close(&r);
}

// A half disc that rolls on a floor, rigid: with friction it sticks and rolls.
static void a_rocking_body_rolls_or_slides(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "parameters: {mu: 0}\n"
      "bodies: {rocker: {mass: 3, inertia: 0.02, com: [0, -0.04]}}\n"
      "joints: {free: {free: [ground, rocker]}}\n"
      "surfaces: {round: {sphere: rocker, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0, friction: mu}}\n"
      "initial: {free: {q: [0, 0, 0.1]}}\n"
      "method: event\n"
      "end: 1\n";
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, i ? "mu=0.5" : NULL)) continue;
    carom_modes *m = modes_of(&r);
    // about the mass centre, which moves straight up and down, or about the point of contact
    const double inertia = 0.02 + (i ? 3 * 0.06 * 0.06 : 0), omega = sqrt(3 * 9.81 * 0.04 / inertia);
    const int last = m ? carom_modes_count(m) - 1 : 0;
    if (m && CHECK_EQUAL(last, i ? 0 : 1)) CHECK_NEAR(carom_modes_get(m, last).omega, omega, 1e-7 * omega);
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// A motor with a lag T on a free rotor, effort -k q - d u: T J s³ + J s² + d s + k = 0.
static void states_take_part(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {rotor: {mass: 1, inertia: 0.5}}\n"
      "joints: {hinge: {revolute: [ground, rotor]}}\n"
      "forces: {motor: {motor: hinge, effort: -8*hinge.q - 3*hinge.u, lag: 0.1}}\n"
      "end: 1\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  carom_modes *m = modes_of(&r);
  if (m && CHECK_EQUAL(carom_modes_count(m), 2))
    for (int k = 0; k < 2; k++) {
      const carom_mode s = carom_modes_get(m, k);
      const double re = s.real, im = s.imaginary, re2 = re * re - im * im, im2 = 2 * re * im;
      const double re3 = re2 * re - im2 * im, im3 = re2 * im + im2 * re;
      CHECK_NEAR(0.05 * re3 + 0.5 * re2 + 3 * re + 8, 0, 1e-7);
      CHECK_NEAR(0.05 * im3 + 0.5 * im2 + 3 * im, 0, 1e-7);
    }
  carom_modes_destroy(m);
  run_close(&r);
}

// In space a rigid body on a spherical joint, an isotropic pendulum: the same frequency twice, and a turn about the
// vertical without a restoring force.
static void a_spherical_pendulum_swings_both_ways(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.05], com: [0, 0, -0.5]}}\n"
      "joints: {ball: {spherical: [ground, bob]}}\n"
      "end: 1\n";
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, both[i])) continue;
    carom_modes *m = modes_of(&r);
    const double omega = sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25));
    if (m && CHECK_EQUAL(carom_modes_count(m), 3)) {
      CHECK_NEAR(carom_modes_get(m, 0).omega, 0, 0);
      for (int k = 1; k < 3; k++) CHECK_NEAR(carom_modes_get(m, k).omega, omega, EXACT * omega);
      CHECK_NEAR(fabs(shape_of(m, 0, "ball.u2")), 1, 1e-6);
    }
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// --- steady motions ----------------------------------------------------------------------------------------------------

static void check_omega(const carom_modes *m, int mode, double omega) {
  CHECK_NEAR(carom_modes_get(m, mode).omega, omega, EXACT * omega);
  CHECK_NEAR(carom_modes_get(m, mode).damping, 0, 1e-9);
}

static void check_steady(const carom_modes *m, double speed) {
  CHECK_NEAR(carom_modes_speed(m), speed, 1e-12 * speed);
  CHECK_NEAR(carom_modes_imbalance(m), 0, 1e-9 * speed * speed);
  CHECK(carom_modes_change(m) < 1e-9);
}

// A mass on two springs on a turntable: Coriolis' and centrifugal forces. With a = k1/m - W², b = k2/m - W² it is
// s⁴ + (a + b + 4 W²) s² + a b = 0; above the first of the two critical speeds one root is real.
static void a_turntable_has_coriolis_forces(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {W: 3}\n"
      "bodies: {table: {mass: 5, inertia: 1}, slide: {mass: 0.5, inertia: 1e-3}, rider: {mass: 1.5, inertia: 0.01}}\n"
      "joints:\n"
      "  turn: {revolute: [ground, table]}\n"
      "  out: {prismatic: [table, slide], axis: x}\n"
      "  side: {prismatic: [slide, rider], axis: y}\n"
      "forces: {first: {along: out, stiffness: 50}, second: {along: side, stiffness: 60}}\n"
      "drives: {motor: {joint: turn, motion: W*t}}\n"
      "end: 1\n";
  static const double speeds[] = {3, 5.5};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, i ? "W=5.5" : "W=3")) continue;
    carom_modes *m = modes_of(&r);
    // the slide moves along x alone, with both masses: 2 ẍ - 2·1.5 W ẏ + (50 - 2 W²) x = 0, 1.5 ÿ + 2·1.5 W ẋ + (60
    // - 1.5 W²) y = 0
    const double W = speeds[i], a = 25 - W * W, b = 40 - W * W, sum = a + b + 4 * 0.75 * W * W;
    const double root = sqrt(sum * sum - 4 * a * b), low = (sum - root) / 2, high = (sum + root) / 2;
    if (m) {
      check_steady(m, W);
      const int last = carom_modes_count(m) - 1;
      CHECK_NEAR(carom_modes_get(m, last).omega, sqrt(high), EXACT * sqrt(high));
      if (i == 0 && CHECK_EQUAL(last, 1)) check_omega(m, 0, sqrt(low));
      if (i == 1 && CHECK_EQUAL(last, 2))
        CHECK_NEAR(fmax(carom_modes_get(m, 0).real, carom_modes_get(m, 1).real), sqrt(-low), EXACT * 10);
    }
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// A point mass on a rod that hangs from a turning shaft: upright at rest relative to it at cos θ = g/(l W²), where
// ω = W sin θ; straight down ω² = g/l - W², unstable above W² = g/l.
static void a_governor_swings_about_its_angle(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {W: 8, start: 0}\n"
      "bodies: {shaft: {mass: 1, inertia: [0.1, 0.1, 0.1]}, bob: {mass: 2, inertia: [0, 0, 0], com: [0, 0, -0.4]}}\n"
      "joints: {turn: {revolute: [ground, shaft], axis: z}, hinge: {revolute: [shaft, bob], axis: y}}\n"
      "drives: {motor: {joint: turn, motion: W*t}}\n"
      "initial: {hinge: {q: start}}\n"
      "end: 1\n";
  for (int i = 0; i < 3; i++) {
    run r;
    char settings[64];
    const double W = i ? 8 : 3, theta = i == 2 ? acos(9.81 / (0.4 * W * W)) : 0;
    snprintf(settings, sizeof settings, "W=%g start=%.17g", W, theta);
    if (!run_open_text(&r, text, settings)) continue;
    carom_modes *m = modes_of(&r);
    const double square = i == 2 ? W * W * sin(theta) * sin(theta) : 9.81 / 0.4 - W * W;
    if (m) check_steady(m, W);
    if (m && i != 1 && CHECK_EQUAL(carom_modes_count(m), 1)) check_omega(m, 0, sqrt(square));
    if (m && i == 1 && CHECK_EQUAL(carom_modes_count(m), 2))
      CHECK_NEAR(fabs(carom_modes_get(m, 0).real), sqrt(-square), EXACT * sqrt(-square));
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// A sleeping top, A ω² - C n ω + m g h = 0 in the axes that do not turn: in gimbals, whose frame has an inertia of its
// own, and on a ball joint, where frequencies are seen from the top itself: less by its spin.
// C = 0.2 of the top about its axis, m g h of 2 kg at 0.5 m; A about the pivot.
static double nods(double A, double n, bool fast) {
  const double Cn = 0.2 * n, root = sqrt(Cn * Cn - 4 * A * 9.81);
  return (Cn + (fast ? root : -root)) / (2 * A);
}

static void a_sleeping_top_nods(void) {
  static const char gimbals[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {n: 40, uneven: 0}\n"
      "bodies:\n"
      "  frame: {mass: 1e-3, inertia: [0.05, 0.05, 0.01]}\n"
      "  top: {mass: 2, inertia: [0.1 + uneven, 0.1, 0.2], com: [0, 0, 0.5]}\n"
      "  ring: {mass: 0, inertia: [0, 0, 0]}\n"
      "joints:\n"
      "  outer: {revolute: [ground, ring], axis: x}\n"
      "  inner: {revolute: [ring, frame], axis: y}\n"
      "  spin: {revolute: [frame, top], axis: z}\n"
      "initial: {spin: {u: n}}\n"
      "end: 1\n";
  static const char ball[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {n: 40}\n"
      "bodies: {top: {mass: 2, inertia: [0.1, 0.1, 0.2], com: [0, 0, 0.5]}}\n"
      "joints: {pivot: {spherical: [ground, top]}}\n"
      "initial: {pivot: {u: [0, 0, n]}}\n"
      "end: 1\n";
  const double n = 40, with_frame = 0.65, alone = 0.6;
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, i ? ball : gimbals, NULL)) continue;
    carom_modes *m = modes_of(&r);
    if (m) check_steady(m, n);
    if (m && CHECK_EQUAL(carom_modes_count(m), 3)) {
      CHECK_NEAR(carom_modes_get(m, 0).omega, 0, 0);
      check_omega(m, 1, i ? n - nods(alone, n, true) : nods(with_frame, n, false));
      check_omega(m, 2, i ? n - nods(alone, n, false) : nods(with_frame, n, true));
    }
    carom_modes_destroy(m);
    run_close(&r);
  }
  run r;  // too slow: C² n² < 4 A m g h
  if (run_open_text(&r, gimbals, "n=20")) {
    carom_modes *m = modes_of(&r);
    double most = 0;
    for (int k = 0; m && k < carom_modes_count(m); k++) most = fmax(most, carom_modes_get(m, k).real);
    const double rate = sqrt(4 * with_frame * 9.81 - 16) / (2 * with_frame);
    CHECK_NEAR(most, rate, EXACT * 10 * rate);
    carom_modes_destroy(m);
    run_close(&r);
  }
  if (run_open_text(&r, gimbals, "uneven=0.02")) {  // its equations change with the turn
    carom_modes *m = modes_of(&r);
    if (m) CHECK(carom_modes_change(m) > 1e-4);
    carom_modes_destroy(m);
    run_close(&r);
  }
}

// A pendulum that swings through has no balance; at rest its modes are those of the position.
static void motions_that_are_not_steady_are_told(void) {
  run r;
  if (!run_open_text(&r, DOUBLE "initial: {second: {u: 2}}\n", NULL)) return;
  carom_modes *m = modes_of(&r);
  carom_error error = {0};
  if (m) CHECK(carom_modes_imbalance(m) > 0.1 || carom_modes_change(m) > 1e-3);
  carom_modes_destroy(m);
  m = carom_sim_modes_at_rest(r.sim, &error);
  const double low = sqrt((2 - M_SQRT2) * 9.81 / 0.7);
  if (CHECK(m)) {
    CHECK_NEAR(carom_modes_get(m, 0).omega, low, EXACT * low);
    CHECK(carom_modes_speed(m) == 0 && carom_modes_change(m) == 0);
  }
  carom_modes_destroy(m);
  CHECK_NEAR(run_read(&r, "second.u"), 2, 0);
  run_close(&r);
}

int main(void) {
  RUN(a_double_pendulum_has_its_ratio);
  RUN(an_inverted_pendulum_falls);
  RUN(an_oscillator_is_damped);
  RUN(loops_agree_in_both_coordinates);
  RUN(a_cantilever_has_its_frequencies);
  RUN(a_ball_bounces_on_its_contact);
  RUN(a_rocking_body_rolls_or_slides);
  RUN(states_take_part);
  RUN(a_spherical_pendulum_swings_both_ways);
  RUN(a_turntable_has_coriolis_forces);
  RUN(a_governor_swings_about_its_angle);
  RUN(a_sleeping_top_nods);
  RUN(motions_that_are_not_steady_are_told);
  return check_summary();
}
