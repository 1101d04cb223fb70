// Equilibria against closed forms: bodies in the tree and in loops, springs, contact by laws and rigid, friction,
// states.
#include "runs.h"

// Newton's method ends where corrections are rounding: 1e-13 of a radian or of the size of the model, times what little
// condition these models have.
static const double EXACT = 1e-10;

static bool rest(run *r, carom_equilibrium *e) {
  carom_error error = {0};
  const bool found = CHECK(carom_sim_equilibrium(r->sim, e, &error) == CAROM_OK);
  if (!found) printf("      %s\n", error.text);
  if (found) CHECK_LE(e->residual, 1e-6);
  return found;
}

static bool rest_of(run *r, const char *text, const char *settings, carom_equilibrium *e) {
  if (!run_open_text(r, text, settings)) return false;
  if (rest(r, e)) return true;
  run_close(r);
  return false;
}

static const char *const both[] = {"coordinates=joint", "coordinates=absolute"};

#define PENDULUM                                            \
  "space: planar\n"                                         \
  "gravity: [0, -9.81]\n"                                   \
  "bodies: {arm: {mass: 2, inertia: 0.1, com: [0.5, 0]}}\n" \
  "joints: {hinge: {revolute: [ground, arm]}}\n"            \
  "end: 1\n"

static void a_pendulum_hangs(void) {
  for (int i = 0; i < 2; i++) {
    run r;
    carom_equilibrium e;
    if (!rest_of(&r, PENDULUM "initial: {hinge: {q: 80 deg, u: 3}}\n", both[i], &e)) continue;
    CHECK_NEAR(run_read(&r, "hinge.q"), -M_PI / 2, EXACT);
    CHECK_NEAR(run_read(&r, "hinge.u"), 0, 0);
    CHECK_NEAR(run_read(&r, "hinge.fy"), 2 * 9.81, 1e-7);
    CHECK(e.freedoms == 1 && e.unstable == 0 && e.neutral == 0 && !e.friction);
    CHECK(run_to(&r, 0.5));  // and stays there
    CHECK_NEAR(run_read(&r, "hinge.q"), -M_PI / 2, 1e-7);
    run_close(&r);
  }
}

// Where the forces balance already the position is kept, and told to be unstable.
static void upright_it_is_unstable(void) {
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, PENDULUM "initial: {hinge: {q: 90 deg}}\n", NULL, &e)) return;
  CHECK_NEAR(run_read(&r, "hinge.q"), M_PI / 2, EXACT);
  CHECK_EQUAL(e.unstable, 1);
  run_close(&r);
}

// Nothing acts on it: it is in balance wherever it is.
static void a_free_body_stays(void) {
  const char *text =
      "gravity: [0, 0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 0.1}}\n"
      "joints: {f: {free: [ground, a], at: [1, 2, 3]}}\n"
      "end: 1\n";
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, text, NULL, &e)) return;
  CHECK_NEAR(run_read(&r, "a.z"), 3, 0);
  CHECK(e.freedoms == 6 && e.neutral == 6 && e.unstable == 0);
  run_close(&r);
}

// A flexible disc that stands on a point of its rim: the rate of falling is small beside those of its modes.
static void a_disc_on_one_point_is_unstable(void) {
  const char *text =
      "space: planar\n"
      "bodies: {disc: {solid_2d: {disc: 5 cm, elements: 4, thickness: 1 cm, young: 1 GPa, poisson: 0.3, density: "
      "1200}, "
      "modes: {count: 6}}}\n"
      "markers: {low: {on: disc, at: [0, -5 cm]}}\n"
      "joints: {f: {free: [ground, disc], at: [0, 5 cm]}}\n"
      "surfaces: {d: {point: low, material: m}, g: {plane: ground, material: m}}\n"
      "materials: {m: {friction: 0.3}}\n"
      "method: event\n"
      "end: 1\n";
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, text, NULL, &e)) return;
  CHECK_EQUAL(e.unstable, 1);
  CHECK_EQUAL(e.closed, 1);
  run_close(&r);
}

// A chain of equal rods between two supports: moments about the middle of each rod, and the tension's constant
// horizontal part H, make the slopes an arithmetic series, tan θ_i = (i - (n - 1)/2) w/H.
static void a_chain_hangs_as_a_catenary(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "parameters: {n: 6}\n"
      "bodies:\n"
      "  rod1: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "  rod2: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "  rod3: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "  rod4: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "  rod5: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "  rod6: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
      "markers: {end: {on: ground, at: [4, 0]}, tip: {on: rod6, at: [1, 0]}}\n"
      "joints:\n"
      "  j1: {revolute: [ground, rod1]}\n"
      "  j2: {revolute: [rod1, rod2], at: [1, 0]}\n"
      "  j3: {revolute: [rod2, rod3], at: [1, 0]}\n"
      "  j4: {revolute: [rod3, rod4], at: [1, 0]}\n"
      "  j5: {revolute: [rod4, rod5], at: [1, 0]}\n"
      "  j6: {revolute: [rod5, rod6], at: [1, 0]}\n"
      "  close: {revolute: [end, tip]}\n"
      "initial: {j1: {q: -80 deg}, j2: {q: 30 deg}, j3: {q: 40 deg}}\n"
      "end: 1\n";
  for (int i = 0; i < 2; i++) {
    run r;
    carom_equilibrium e;
    if (!rest_of(&r, text, both[i], &e)) continue;
    double slope[6], angle = 0, span = 0, height = 0;
    for (int k = 0; k < 6; k++) {
      angle += run_read(&r, "j%d.q", k + 1);
      slope[k] = tan(angle), span += cos(angle), height += sin(angle);
    }
    CHECK_NEAR(span, 4, 1e-9);
    CHECK_NEAR(height, 0, 1e-9);
    for (int k = 1; k < 6; k++) CHECK_NEAR(slope[k] - slope[k - 1], slope[1] - slope[0], 1e-8);
    CHECK_NEAR(slope[0], -slope[5], 1e-8);
    CHECK(slope[5] > slope[0]);  // it sags
    CHECK(e.freedoms == 4 && e.unstable == 0 && e.neutral == 0);
    run_close(&r);
  }
}

// Two bodies on springs in a row, and a third that a spring holds along its slide.
static void springs_carry_weights(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -10]\n"
      "bodies: {a: {mass: 2, inertia: 1}, b: {mass: 3, inertia: 1}}\n"
      "joints:\n"
      "  up: {prismatic: [ground, a], axis: y}\n"
      "  down: {prismatic: [a, b], axis: y}\n"
      "forces:\n"
      "  first: {along: up, stiffness: 1000, rest: 0.5, damping: 5}\n"
      "  second: {along: down, stiffness: 300, rest: -0.2}\n"
      "end: 1\n";
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, text, NULL, &e)) return;
  CHECK_NEAR(run_read(&r, "up.q"), 0.5 - 50.0 / 1000, EXACT);
  CHECK_NEAR(run_read(&r, "down.q"), -0.2 - 30.0 / 300, EXACT);
  CHECK_EQUAL(e.freedoms, 2);
  run_close(&r);
}

// Symmetric trapezoid: cranks of length 1 and a coupler of length 1 between supports 1.6 apart hang symmetrically,
// cos α = (1.6 - 1)/2.
static void a_four_bar_hangs(void) {
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
      "initial: {a: {q: -110 deg}, b: {q: 100 deg}, c: {q: -120 deg}}\n"
      "end: 1\n";
  for (int i = 0; i < 2; i++) {
    run r;
    carom_equilibrium e;
    if (!rest_of(&r, text, both[i], &e)) continue;
    CHECK_NEAR(run_read(&r, "a.q"), -acos(0.3), 1e-9);
    CHECK_NEAR(run_read(&r, "coupler.y"), -sin(acos(0.3)), 1e-9);
    CHECK(e.freedoms == 1 && e.unstable == 0);
    run_close(&r);
  }
}

#define BALL(law)                                                                                      \
  "space: planar\n"                                                                                    \
  "gravity: [0, -9.81]\n"                                                                              \
  "bodies: {ball: {mass: 3, inertia: 0.01}}\n"                                                         \
  "joints: {free: {free: [ground, ball]}}\n"                                                           \
  "surfaces: {round: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n" \
  "materials: {m: {restitution: 0.5, " law                                                             \
  "}}\n"                                                                                               \
  "initial: {free: {q: [0, 0.3, 0.4]}}\n"                                                              \
  "end: 1\n"

// A law K δⁿ carries the weight at δ = (m g/K)^(1/n). The penetration is known as well as positions are: to 1e-16 m.
static void a_ball_presses_into_the_floor(void) {
  static const struct {
    const char *text;
    double n;
  } laws[] = {{BALL("law: kelvin-voigt, stiffness: 1e6, damping: 100") "method: compliant\n", 1},
              {BALL("law: hunt-crossley, stiffness: 1e8, exponent: 1.5") "method: compliant\n", 1.5},
              {BALL("law: flores, stiffness: 1e8, exponent: 1.5") "method: compliant\n", 1.5}};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    run r;
    carom_equilibrium e;
    if (!rest_of(&r, laws[i].text, NULL, &e)) continue;
    const double K = laws[i].n == 1 ? 1e6 : 1e8, delta = pow(3 * 9.81 / K, 1 / laws[i].n);
    CHECK_NEAR((0.1 - run_read(&r, "ball.y")) / delta, 1, 1e-8);
    CHECK_NEAR(run_read(&r, "round-floor.fn"), 3 * 9.81, 1e-5);
    CHECK(e.freedoms == 3 && e.neutral == 2 && e.unstable == 0 && e.closed == 1 && !e.friction);
    run_close(&r);
  }
}

#define BOX                                                                                                            \
  "space: planar\n"                                                                                                    \
  "gravity: [0, -9.81]\n"                                                                                              \
  "parameters: {mu: 0, slope: 0}\n"                                                                                    \
  "bodies: {box: {mass: 3, inertia: 0.05}}\n"                                                                          \
  "joints: {free: {free: [ground, box]}}\n"                                                                            \
  "surfaces: {block: {box: box, size: [0.4, 0.2], material: m}, floor: {plane: ground, rotate: slope, material: m}}\n" \
  "materials: {m: {restitution: 0, friction: mu}}\n"                                                                   \
  "initial: {free: {q: [0.2, 0, 0.5]}}\n"                                                                              \
  "end: 1\n"

// Rigid contact: the gap is zero to rounding, and not a penetration that a step has left.
static void a_box_rests_on_its_side(void) {
  static const char *const methods[] = {"method=moreau method.moreau.step=0.001", "method=event",
                                        "coordinates=absolute method=event"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    run r;
    carom_equilibrium e;
    if (!rest_of(&r, BOX, methods[i], &e)) continue;
    CHECK_NEAR(run_read(&r, "box.y"), 0.1, 1e-14);
    CHECK_NEAR(run_read(&r, "free.q0"), 0, 1e-14);
    CHECK_NEAR(run_read(&r, "block-floor.gap"), 0, 1e-14);
    CHECK(e.closed == 2 && e.neutral == 1 && e.unstable == 0 && !e.friction);
    run_close(&r);
  }
}

// On a slope it slides away without friction, and with enough of it stays where the damped motion has brought it.
static void friction_holds_a_box(void) {
  run r;
  carom_equilibrium e;
  carom_error error = {0};
  if (!run_open_text(&r, BOX, "slope=0.3 method=event")) return;
  CHECK(carom_sim_equilibrium(r.sim, &e, &error) == CAROM_ERROR_STUDY);
  CHECK_CONTAINS(error.text, "body 'box' still moves");
  CHECK_NEAR(run_read(&r, "free.q0"), 0.2, 0);  // it is where it was
  CHECK(run_to(&r, 0.01));
  run_close(&r);
  if (!rest_of(&r, BOX, "slope=0.3 mu=0.5 method=event", &e)) return;
  CHECK(e.friction && e.closed == 2);
  CHECK_NEAR(run_read(&r, "free.q0"), 0.3, 1e-12);
  CHECK_NEAR(-sin(0.3) * run_read(&r, "box.x") + cos(0.3) * run_read(&r, "box.y"), 0.1, 1e-13);
  CHECK(run_to(&r, 0.2));
  CHECK_NEAR(run_read(&r, "free.u1"), 0, 1e-9);
  run_close(&r);
}

// Limit analysis: the arch stands above its critical thickness, and four bricks reach beyond the table below the
// harmonic sum. Both start where they rest, which is found in a step or two.
static void masonry_stands(void) {
  static const struct { const char *name, *settings; } cases[] = {{"arch", "factor=1.02"}, {"overhang", "factor=0.99"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    carom_equilibrium e;
    if (!run_open(&r, cases[i].name, cases[i].settings)) continue;
    if (rest(&r, &e)) CHECK(e.friction && e.freedoms == 0 && e.iterations <= 3 && e.closed >= 8);
    run_close(&r);
  }
}

// A PI controller has its equilibrium where the error is zero, and its integral carries the weight.
static void states_come_to_rest(void) {
  static const char text[] = PENDULUM
      "signals: {error: 0.4 - hinge.q, torque: 40*error + 15*sum - 2*hinge.u}\n"
      "states: {sum: {rate: error}}\n"
      "forces: {motor: {motor: hinge, effort: torque, lag: 5 ms}}\n";
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, text, NULL, &e)) return;
  CHECK_NEAR(run_read(&r, "hinge.q"), 0.4, 1e-9);
  CHECK_NEAR(run_read(&r, "sum"), 2 * 9.81 * 0.5 * cos(0.4) / 15, 1e-8);
  run_close(&r);
}

// The static mode at the loaded end makes the deflection of a beam exact: F L³/(3 E I).
static void a_cantilever_bends(void) {
  run r;
  carom_equilibrium e;
  if (!run_open(&r, "cantilever", NULL)) return;
  if (rest(&r, &e)) CHECK_NEAR(run_read(&r, "deflection") / run_read(&r, "static"), 1, 1e-6);
  run_close(&r);
}

// Drives hold their coordinate where it is, and do not carry the mechanism along.
static void drives_hold(void) {
  run r;
  carom_equilibrium e;
  static const char text[] =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {arm: {mass: 2, inertia: 0.1, com: [0.5, 0]}, bob: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
      "joints: {hinge: {revolute: [ground, arm]}, next: {revolute: [arm, bob], at: [1, 0]}}\n"
      "drives: {motor: {joint: hinge, motion: 0.3 + 20*t}}\n"
      "end: 1\n";
  for (int i = 0; i < 2; i++) {
    if (!rest_of(&r, text, both[i], &e)) return;
    CHECK_NEAR(run_read(&r, "hinge.q"), 0.3, EXACT);
    CHECK_NEAR(run_read(&r, "next.q"), -M_PI / 2 - 0.3, EXACT);
    CHECK_EQUAL(e.freedoms, 1);
    run_close(&r);
  }
}

// --- long chains -------------------------------------------------------------------------------------------------------

static const char chain[] =
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {n: 150}\n"
    "bodies: {\"link{i}\": {repeat: {i: [1, n]}, mass: 0.1, inertia: 1e-4, com: [0.05, 0]}}\n"
    "joints:\n"
    "  hinge1: {revolute: [ground, link1]}\n"
    "  hinge{i}: {repeat: {i: [2, n]}, revolute: [\"link{i-1}\", \"link{i}\"], at: [0.1, 0]}\n"
    "end: 1\n";

// Held out horizontally it falls to where all links hang below each other. The number of steps does not grow with that
// of the links: 20 for 80 and for 200, because links turn together.
static void a_long_chain_hangs(void) {
  run r;
  carom_equilibrium e;
  if (!rest_of(&r, chain, NULL, &e)) return;
  CHECK_NEAR(run_read(&r, "hinge1.q"), -M_PI / 2, 1e-9);
  for (int i = 2; i <= 150; i++) CHECK_NEAR(run_read(&r, "hinge%d.q", i), 0, 1e-9);
  CHECK(e.iterations <= 30 && e.unstable == 0 && e.neutral == 0 && e.freedoms == 150);
  run_close(&r);
}

// An interrupted search leaves the sim where it was, and has told how far it is.
typedef struct watcher {
  carom_equilibrium found;
  int asked;
} watcher;

static bool ends_after_a_step(void *context) {
  watcher *w = context;
  w->asked++;
  return w->found.iterations < 1;
}

static void a_search_can_be_interrupted(void) {
  run r;
  watcher w = {0};
  carom_error error = {0};
  if (!run_open_text(&r, chain, "n=400")) return;
  carom_sim_set_interrupt(r.sim, ends_after_a_step, &w);
  CHECK(carom_sim_equilibrium(r.sim, &w.found, &error) == CAROM_INTERRUPTED);
  CHECK(w.found.iterations >= 1 && w.found.step > 0);
  CHECK_NEAR(run_read(&r, "hinge1.q"), 0, 0);
  run_close(&r);
}

int main(void) {
  RUN(a_pendulum_hangs);
  RUN(upright_it_is_unstable);
  RUN(a_free_body_stays);
  RUN(a_disc_on_one_point_is_unstable);
  RUN(a_chain_hangs_as_a_catenary);
  RUN(springs_carry_weights);
  RUN(a_four_bar_hangs);
  RUN(a_ball_presses_into_the_floor);
  RUN(a_box_rests_on_its_side);
  RUN(friction_holds_a_box);
  RUN(masonry_stands);
  RUN(states_come_to_rest);
  RUN(a_cantilever_bends);
  RUN(drives_hold);
  RUN(a_long_chain_hangs);
  RUN(a_search_can_be_interrupted);
  return check_summary();
}
