// Dry friction in ideal joints against closed forms: it stops what moves where it should, and then nothing moves at
// all.
#include "mechanics/dry_friction.h"
#include "runs.h"

static const double g = 9.81;

// --- constant limit --------------------------------------------------------------------------------------------------

static const char rotor[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {dt: 1e-2}\n"
    "bodies: {wheel: {mass: 2, inertia: 0.5}}\n"
    "joints: {hub: {revolute: [ground, wheel], friction_torque: 0.7}}\n"
    "initial: {hub: {u: 3}}\n"
    "method: {moreau: {step: dt}}\n"
    "end: 100 s\n";

// I ω₀/T = 2.142857 s, I ω₀²/2T = 3.214286 rad. The deceleration α is constant, so that the midpoint rule errs in the
// last step alone: it moves on by u Δt/2 instead of u²/2α with u < α Δt, by at most α Δt²/8 too far.
static void rotor_stops_at_its_angle_and_stays(void) {
  const double I = 0.5, T = 0.7, u = 3, alpha = T / I, dt = 1e-2;
  run r;
  if (!run_open_text(&r, rotor, "")) return;
  if (!run_to(&r, 1)) return;
  CHECK_NEAR(run_read(&r, "hub.friction"), -T, 1e-12);
  CHECK_NEAR(run_read(&r, "hub.slip"), 1, 0);
  CHECK_NEAR(run_read(&r, "hub.a"), -alpha, 1e-12);  // accelerations shown are those with friction
  if (!run_to(&r, u / alpha + dt)) return;
  const double angle = run_read(&r, "hub.q");
  CHECK_NEAR(angle, u * u / (2 * alpha), alpha * dt * dt / 8 + 1e-13);
  CHECK_NEAR(run_read(&r, "hub.slip"), 0, 0);
  CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * I * u * u, 1e-12);
  if (!run_to(&r, 100)) return;
  CHECK_NEAR(run_read(&r, "hub.q"), angle, 0);
  CHECK_NEAR(run_read(&r, "hub.u"), 0, 0);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-12);
  run_close(&r);
}

// Half swings of π s about ±F/k, each 2 F/k shorter: -A + 4F/k·k after k periods, here from rest at 12 m with F/k = 1
// m.
static void amplitude_falls_by_four_over_a_period(void) {
  const double pi = 3.14159265358979324, dt = 1e-3;
  run r;
  if (!run_open(&r, "dry-slide", "v0=0")) return;
  for (int k = 1; k <= 2; k++) {
    if (!run_to(&r, 2 * pi * k)) return;
    // Turning points are found to a step; the swing is flat there, and what is lost adds up over 2k of them: with the
    // spring's acceleration of at most 11 m/s², 2k · 11 Δt²/2. The midpoint rule's period errs by Δt²/24 of itself.
    CHECK_NEAR(run_read(&r, "slide.q"), 12 - 4 * k, 2 * k * 6 * dt * dt + 2 * k * 11 * dt * dt);
  }
  run_close(&r);
}

static void oscillator_rests_where_it_should(void) {
  const double rest = 0.682178936724;
  for (int variant = 0; variant < 4; variant++) {
    static const char *const settings[] = {"", "force=0 mu=0.1", "coordinates=absolute",
                                           "force=0 mu=0.1 coordinates=absolute"};
    run r;
    if (!run_open(&r, "dry-slide", settings[variant])) return;
    if (!run_to(&r, 22.43)) return;
    const double where = run_read(&r, "slide.q");
    // Seven turning points, each up to 12 Δt²/2 off and each shift carried along.
    CHECK_NEAR(where, rest, 7 * 6e-6);
    CHECK_NEAR(run_read(&r, "slide.slip"), 0, 0);
    if (!run_to(&r, 30)) return;
    CHECK_NEAR(run_read(&r, "slide.q"), where, 1e-14);
    CHECK_NEAR(run_read(&r, "slide.friction"), where, 1e-9);  // what holds it is the spring's pull, k = 1
    CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
    run_close(&r);
  }
}

// --- limit by load ---------------------------------------------------------------------------------------------------

static const char incline[] =
    "space: planar\n"
    "parameters: {angle: 20 deg, mu: 0.5, dt: 1e-2}\n"
    "bodies: {block: {mass: 3, inertia: 0.1}}\n"
    "joints: {rail: {prismatic: [ground, block], axis: [cos(angle), sin(angle)], friction: mu}}\n"
    "method: {moreau: {step: dt}}\n"
    "end: 100 s\n";

// tan 20° = 0.364: below the friction angle it stays, above it slides with g (sin - μ cos), which the midpoint rule
// integrates exactly.
static void block_on_an_incline_stays_or_slides(void) {
  run r;
  if (!run_open_text(&r, incline, "")) return;
  if (!run_to(&r, 100)) return;
  CHECK_NEAR(run_read(&r, "rail.q"), 0, 1e-14);
  CHECK_NEAR(run_read(&r, "rail.friction"), 3 * g * sin(20 * M_PI / 180), 1e-11);
  run_close(&r);
  if (!run_open_text(&r, incline, "mu=0.3")) return;
  if (!run_to(&r, 2)) return;
  const double angle = 20 * M_PI / 180, a = g * (sin(angle) - 0.3 * cos(angle));
  CHECK_NEAR(run_read(&r, "rail.q"), -a * 2 * 2 / 2, 1e-8);  // friction agrees with its load to 1e-10
  CHECK_NEAR(run_read(&r, "rail.slip"), -1, 0);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-9);
  run_close(&r);
}

// An unbalanced rotor without gravity: the pin carries R = m e √(ω⁴ + ω̇²), and I ω̇ = -μ r R gives ω̇ = -k ω² with
// k = c/√(1 - c²), c = μ r m e/I: 1/ω = 1/ω₀ + k t. In space and in the plane, tree or constraint.
static void unbalanced_rotor_slows_by_its_own_load(void) {
  static const char *const models[] = {
      "space: planar\ngravity: [0, 0]\nparameters: {dt: 1e-3}\n"
      "bodies: {wheel: {mass: 2, inertia: 0.32, com: [0.3, 0]}}\n",
      "gravity: [0, 0, 0]\nparameters: {dt: 1e-3}\n"
      "bodies: {wheel: {mass: 2, inertia: [0.3, 0.3, 0.32], com: [0.3, 0, 0]}}\n"};
  const double I = 0.32 + 2 * 0.09, c = 0.4 * 0.1 * 2 * 0.3 / I, k = c / sqrt(1 - c * c), w0 = 5, t = 2;
  for (int space = 0; space < 2; space++)
    for (int absolute = 0; absolute < 2; absolute++) {
      char text[1024];
      snprintf(text, sizeof text,
               "%sjoints: {hub: {revolute: [ground, wheel], friction: 0.4, radius: 0.1}}\n"
               "initial: {hub: {u: 5}}\nmethod: {moreau: {step: dt}}\ncoordinates: %s\nend: 2 s\n",
               models[space], absolute ? "absolute" : "joint");
      double w[2];
      for (int half = 0; half < 2; half++) {
        run r;
        if (!run_open_text(&r, text, half ? "dt=5e-4" : "")) return;
        if (!run_to(&r, t)) return;
        w[half] = run_read(&r, "hub.u");
        CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
        run_close(&r);
      }
      // The load is that of ω at the start of a step: half a step late on average. ω̇ depends on ω by 2kω, so the error
      // is Δt/2 times 2kω times |ω̇| t at most, and it halves with the step.
      const double exact = 1 / (1 / w0 + k * t), bound = 0.5e-3 * 2 * k * w0 * k * w0 * w0 * t;
      CHECK_NEAR(w[0], exact, bound);
      CHECK_NEAR((w[0] - exact) / (w[1] - exact), 2, 0.1);
    }
}

// A drawer pulled off its middle: with supports ℓ apart the force F at an arm b presses with 2 F b/ℓ. Above b = ℓ/2μ no
// force moves it; below it starts with F (1 - 2 μ b/ℓ)/m.
static void drawer_jams_when_pulled_at_its_side(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\n"
      "parameters: {arm: 0.4, dt: 1e-2}\n"
      "bodies: {drawer: {mass: 2, inertia: 0.1}}\n"
      "joints: {rail: {prismatic: [ground, drawer], axis: x, friction: 0.5, length: 0.3}}\n"
      "markers: {knob: {on: drawer, at: [0.2, arm]}}\n"
      "forces: {pull: {force: knob, components: [7, 0]}}\n"
      "method: {moreau: {step: dt}}\nend: 1 s\n";
  run r;
  if (!run_open_text(&r, text, "arm=0.31")) return;
  if (!run_to(&r, 1)) return;
  CHECK_NEAR(run_read(&r, "rail.q"), 0, 1e-15);
  CHECK_NEAR(run_read(&r, "rail.slip"), 0, 0);
  run_close(&r);
  // 2 μ b/ℓ is also how fast limit and load would come to agree turn by turn, which near jamming is not at all: they
  // are searched for by secants, and agree to 1e-10.
  const double arms[] = {0.2, 0.29, 0.299};
  for (int i = 0; i < 3; i++) {
    char settings[32];
    snprintf(settings, sizeof settings, "arm=%g", arms[i]);
    if (!run_open_text(&r, text, settings)) return;
    if (!run_to(&r, 1)) return;
    CHECK_NEAR(run_read(&r, "rail.q"), 7 * (1 - 2 * 0.5 * arms[i] / 0.3) / 2 / 2, 1e-8);
    CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
    run_close(&r);
  }
}

// A ball dropped on a sliding block: its percussion P = (1 + e) m v presses the joint, whose friction takes μ P at
// once.
static void impact_on_a_slide_rubs(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nparameters: {dt: 1e-3}\n"
      "bodies: {block: {mass: 2, inertia: 0.1}, ball: {mass: 0.5, inertia: 0.001}}\n"
      "joints: {slide: {prismatic: [ground, block], axis: x, friction: 0.4}, fly: {free: [ground, ball], at: [0, "
      "0.3]}}\n"
      "surfaces: {deck: {plane: block, material: hard}, ball: {sphere: ball, radius: 0.1, material: hard}}\n"
      "materials: {hard: {restitution: 0.5}}\n"
      "initial: {slide: {u: 3}, fly: {u: [0, 0, -2]}}\n"
      "method: {moreau: {step: dt}}\nend: 0.2 s\n";
  for (int by_event = 0; by_event < 2; by_event++) {
    run r;
    if (!run_open_text(&r, text, by_event ? "method=event" : "")) return;
    if (!run_to(&r, 0.2)) return;
    CHECK_NEAR(run_read(&r, "fly.u2"), 1, 1e-12);
    CHECK_NEAR(run_read(&r, "slide.u"), 3 - 0.4 * 1.5 * 0.5 * 2 / 2, 1e-9);
    run_close(&r);
  }
}

// The same in space, with friction at the ball too: it takes 0.2 P from the block, which the joint takes 0.4 P from.
// The ball slips throughout: 0.6 m/s and the 1.5 m/s of its spin stay below the 2.55 m/s of the block.
static void impact_on_a_slide_rubs_in_space(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {dt: 1e-3}\n"
      "bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}, ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002]}}\n"
      "joints:\n"
      "  slide: {prismatic: [ground, block], axis: x, friction: 0.4}\n"
      "  fly: {free: [ground, ball], at: [0, 0, 0.3]}\n"
      "surfaces: {deck: {plane: block, material: hard}, ball: {sphere: ball, radius: 0.1, material: hard}}\n"
      "materials: {hard: {restitution: 0.5, friction: 0.2}}\n"
      "initial: {slide: {u: 3}, fly: {u: [0, 0, 0, 0, 0, -2]}}\n"
      "method: {moreau: {step: dt}}\nend: 0.2 s\n";
  static const char *const settings[] = {"", "coordinates=absolute", "method=event",
                                         "method=event coordinates=absolute"};
  for (int i = 0; i < 4; i++) {
    run r;
    if (!run_open_text(&r, text, settings[i])) return;
    if (!run_to(&r, 0.2)) return;
    const double P = 1.5 * 0.5 * 2;
    CHECK_NEAR(run_read(&r, "ball.vz"), 1, 1e-9);
    CHECK_NEAR(run_read(&r, "ball.vx"), 0.2 * P / 0.5, 1e-9);
    CHECK_NEAR(run_read(&r, "slide.u"), 3 - (0.2 + 0.4) * P / 2, 1e-9);
    CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-9);
    run_close(&r);
  }
}

// --- more freedoms ---------------------------------------------------------------------------------------------------

static void sleeve_turns_and_slides_each_by_itself(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {dt: 1e-2}\n"
      "bodies: {sleeve: {mass: 2, inertia: [0.4, 0.4, 0.5]}}\n"
      "joints: {rod: {cylindrical: [ground, sleeve], friction_torque: 0.25, friction_force: 1}}\n"
      "initial: {rod: {u: [1, 2]}}\nmethod: {moreau: {step: dt}}\nend: 10 s\n";
  for (int absolute = 0; absolute < 2; absolute++) {
    run r;
    if (!run_open_text(&r, text, absolute ? "coordinates=absolute" : "")) return;
    if (!run_to(&r, 3)) return;
    CHECK_NEAR(run_read(&r, "rod.slip0"), 0, 0);
    CHECK_NEAR(run_read(&r, "rod.slip1"), 1, 0);
    CHECK_NEAR(run_read(&r, "rod.friction1"), -1, 1e-11);
    if (!run_to(&r, 10)) return;
    CHECK_NEAR(run_read(&r, "rod.q0"), 1, 0.5 * 1e-4 / 8 + 1e-11);
    CHECK_NEAR(run_read(&r, "rod.q1"), 4, 0.5 * 1e-4 / 8 + 1e-11);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.25 + 4, 1e-11);
    run_close(&r);
  }
}

// A drive that swings the hinge has to overcome its friction: I ω̇ + T sgn ω; what it spends on that is T times the
// path, 4 A T a period. A joint that stands still for an instant does not stick, since the drive moves on.
static void drive_overcomes_friction(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nparameters: {dt: 1e-3, T: 0.7}\n"
      "bodies: {wheel: {mass: 2, inertia: 0.5}}\n"
      "joints: {hub: {revolute: [ground, wheel], friction_torque: T}}\n"
      "drives: {motor: {joint: hub, motion: 0.2*sin(3*t)}}\n"
      "method: {moreau: {step: dt}}\nend: 3 s\n";
  static const char *const settings[] = {"", "coordinates=absolute", "method=event",
                                         "method=event coordinates=absolute"};
  for (int i = 0; i < 4; i++) {
    run r;
    const double A = 0.2, w = 3, I = 0.5, T = 0.7, t = 0.4, period = 2 * M_PI / w;
    if (!run_open_text(&r, text, settings[i])) return;
    if (!run_to(&r, t)) return;
    // moreau's is the mean over the last step: Δt/2 late, where the torque changes by I A ω³ at most
    CHECK_NEAR(run_read(&r, "motor.effort"), -I * A * w * w * sin(w * t) + T,
               i < 2 ? 0.51e-3 * I * A * w * w * w : 1e-7);
    CHECK_NEAR(run_read(&r, "hub.slip"), 1, 0);
    if (!run_to(&r, period)) return;
    // in moreau each of two turns is found to a step, with speeds of A ω² Δt/2 there
    CHECK_NEAR(run_read(&r, "energy.friction"), 4 * A * T, i < 2 ? 2 * T * A * w * w * 1e-6 : 1e-7);
    // The kinetic energy is that of the start: all that the drive spent is friction. A drive by a constraint is booked
    // with its speed at the end of each step, which is ½ I (Δu)² more each time, together ½ I Δt ∫ ω̇² dt.
    CHECK_NEAR(run_read(&r, "energy.drive"), 4 * A * T,
               i == 1 ? 1.01 * I * 1e-3 * A * A * w * w * w * w * period / 4 : 1e-5);
    run_close(&r);
  }
}

// --- event by event --------------------------------------------------------------------------------------------------

#define TIGHT "method=event integrator.rtol=1e-12 integrator.atol=1e-14 "

static void rotor_stops_at_its_instant(void) {
  const double I = 0.5, T = 0.7, u = 3, alpha = T / I, when = u / alpha, angle = u * u / (2 * alpha);
  run r;
  if (!run_open_text(&r, rotor, TIGHT)) return;
  if (!run_to(&r, 0.999 * when)) return;
  CHECK_NEAR(run_read(&r, "hub.slip"), 1, 0);
  CHECK_NEAR(run_read(&r, "hub.friction"), -T, 1e-14);
  if (!run_to(&r, when * (1 + 1e-9))) return;
  CHECK_NEAR(run_read(&r, "hub.slip"), 0, 0);
  CHECK_NEAR(run_read(&r, "hub.q"), angle, 1e-9);
  const double stopped = run_read(&r, "hub.q");
  if (!run_to(&r, 100)) return;
  CHECK_NEAR(run_read(&r, "hub.q"), stopped, 0);
  CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * I * u * u, 1e-9);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-9);
  run_close(&r);
}

static void oscillator_rests_where_it_should_event_by_event(void) {
  static const char *const settings[] = {TIGHT, TIGHT "force=0 mu=0.1", TIGHT "coordinates=absolute",
                                         TIGHT "force=0 mu=0.1 coordinates=absolute"};
  for (int variant = 0; variant < 4; variant++) {
    run r;
    if (!run_open(&r, "dry-slide", settings[variant])) return;
    if (!run_to(&r, 22.42355)) return;
    CHECK_NEAR(run_read(&r, "slide.slip"), -1, 0);  // the last half swing goes down, about +F/k
    if (!run_to(&r, 22.42357)) return;
    CHECK_NEAR(run_read(&r, "slide.slip"), 0, 0);
    if (!run_to(&r, 100)) return;
    CHECK_NEAR(run_read(&r, "slide.q"), 0.682178936724, 1e-9);
    CHECK_NEAR(run_read(&r, "slide.u"), 0, 0);
    CHECK_NEAR(run_read(&r, "slide.friction"), run_read(&r, "slide.q"), 1e-9);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-9);
    run_close(&r);
  }
}

// A pull that grows evenly: the block comes loose when it reaches F, at t = 2 s, and then (pull - F)/m = (t - 2)/2
// gives (t - 2)³/12. Pulled back again it stops and goes the other way.
static void slide_comes_loose_when_pulled(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\n"
      "bodies: {block: {mass: 2, inertia: 0.1}}\n"
      "joints: {slide: {prismatic: [ground, block], axis: x, friction_force: 2}}\n"
      "forces: {pull: {along: slide, effort: 1 N/s * t}}\n"
      "method: {moreau: {step: 1e-4}}\nend: 5 s\n";
  run r;
  if (!run_open_text(&r, text, TIGHT)) return;
  if (!run_to(&r, 1.999999)) return;
  CHECK_NEAR(run_read(&r, "slide.q"), 0, 0);
  CHECK_NEAR(run_read(&r, "slide.friction"), -1.999999, 1e-12);
  CHECK_NEAR(run_read(&r, "slide.slip"), 0, 0);
  if (!run_to(&r, 5)) return;
  CHECK_NEAR(run_read(&r, "slide.q"), 27.0 / 12, 1e-9);
  CHECK_NEAR(run_read(&r, "slide.slip"), 1, 0);
  run_close(&r);
  if (!run_open_text(&r, text, "")) return;
  if (!run_to(&r, 5)) return;
  CHECK_NEAR(run_read(&r, "slide.q"), 27.0 / 12, 9.0 / 4 * 1e-4);  // by the slope there for each step of delay
  run_close(&r);
}

static void loads_are_exact_event_by_event(void) {
  run r;
  const double angle = 20 * M_PI / 180, a = g * (sin(angle) - 0.3 * cos(angle));
  if (!run_open_text(&r, incline, TIGHT)) return;
  if (!run_to(&r, 100)) return;
  CHECK_NEAR(run_read(&r, "rail.q"), 0, 0);
  CHECK_NEAR(run_read(&r, "rail.friction"), 3 * g * sin(angle), 1e-12);
  run_close(&r);
  if (!run_open_text(&r, incline, TIGHT "mu=0.3")) return;
  if (!run_to(&r, 2)) return;
  CHECK_NEAR(run_read(&r, "rail.q"), -a * 2 * 2 / 2, 1e-9);
  run_close(&r);
  // the unbalanced rotor of above
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies: {wheel: {mass: 2, inertia: [0.3, 0.3, 0.32], com: [0.3, 0, 0]}}\n"
      "joints: {hub: {revolute: [ground, wheel], friction: 0.4, radius: 0.1}}\n"
      "initial: {hub: {u: 5}}\nmethod: {event: {}}\nend: 2 s\n";
  const double c = 0.4 * 0.1 * 2 * 0.3 / (0.32 + 2 * 0.09), k = c / sqrt(1 - c * c);
  for (int absolute = 0; absolute < 2; absolute++) {
    if (!run_open_text(&r, text, absolute ? TIGHT "coordinates=absolute" : TIGHT)) return;
    if (!run_to(&r, 2)) return;
    CHECK_NEAR(run_read(&r, "hub.u"), 1 / (1 / 5. + k * 2), 1e-9);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-9);
    run_close(&r);
  }
}

// A pendulum with friction in its hinge between elastic stops: what is lost is all friction, and at last it hangs still
// where gravity cannot pull it loose, m g l sin q < T.
static void pendulum_between_stops_comes_to_rest(void) {
  static const char text[] =
      "space: planar\nparameters: {dt: 1e-4}\n"
      "bodies: {bob: {mass: 1, inertia: 0.05, com: [0, -0.5]}}\n"
      "joints: {hinge: {revolute: [ground, bob], friction_torque: 0.3, limits: [-0.4, 0.4], material: hard}}\n"
      "materials: {hard: {restitution: 1}}\n"
      "initial: {hinge: {u: 3}}\nmethod: {moreau: {step: dt}}\nend: 20 s\n";
  double rest[2];
  for (int by_event = 0; by_event < 2; by_event++) {
    run r;
    if (!run_open_text(&r, text, by_event ? TIGHT : "")) return;
    if (!run_to(&r, 20)) return;
    rest[by_event] = run_read(&r, "hinge.q");
    CHECK(fabs(g * 0.5 * sin(rest[by_event])) < 0.3);
    CHECK_NEAR(run_read(&r, "hinge.u"), 0, 1e-14);
    CHECK_NEAR(run_read(&r, "hinge.slip"), 0, 0);
    CHECK_NEAR(run_read(&r, "energy.impact"), 0, by_event ? 1e-12 : 1e-3);
    CHECK(carom_sim_summary(r.sim).contact_episodes > 2);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, by_event ? 1e-9 : 1e-3);
    run_close(&r);
  }
  // moreau finds each of the few impacts to Δt/2, at 3 rad/s and slower
  CHECK_NEAR(rest[0], rest[1], 2e-3);
}

// --- loads that are not unique ---------------------------------------------------------------------------------------

// An arm and a pawl, two freedoms, come to rest on the floor: contact and friction hold them by up to four forces, and
// the load of the hinge, which its friction follows, is one of many. Any of them will do; that none was found would
// not.
static void latch_rests_on_a_load_that_is_not_unique(void) {
  static const char text[] =
      "space: planar\nparameters: {dt: 1e-4, mu: 0.3, drag: 0.01}\n"
      "bodies: {arm: {mass: 1, inertia: 0.02, com: [0.2, 0]}, pawl: {mass: 0.2, inertia: 0.001, com: [0.05, 0]}}\n"
      "joints:\n"
      "  hinge: {revolute: [ground, arm], limits: [-30 deg, 60 deg], material: steel, friction: 0.2, radius: 1 cm}\n"
      "  latch: {revolute: [arm, pawl], at: [0.4, 0], limits: [-20 deg, 20 deg], material: steel, friction_torque: "
      "drag}\n"
      "surfaces:\n"
      "  tip: {sphere: pawl, at: [0.1, 0], radius: 5 mm, material: steel}\n"
      "  floor: {plane: ground, at: [0, -0.15], material: steel}\n"
      "materials: {steel: {restitution: 0.5, friction: mu}}\n"
      "initial: {hinge: {q: 30 deg}, latch: {q: 5 deg}}\n"
      "method: {moreau: {step: dt}}\nend: 2 s\n";
  static const char *const settings[] = {
      "", "drag=0", "mu=1", "method=event", "method=event drag=0", "method=event mu=1"};
  enum { NEARBY = 20 };  // numbers that change the last digits of a load of which five are known
  for (int i = 0; i < 6 + NEARBY; i++) {
    run r;
    char nearby[80];
    snprintf(nearby, sizeof nearby, "method=event mu=%.15g", 0.3 + uniform(-1e-9, 1e-9));
    if (!run_open_text(&r, text, i < 6 ? settings[i] : nearby)) return;
    if (!run_to(&r, 2)) return;
    carom_summary s = carom_sim_summary(r.sim);
    CHECK_EQUAL(s.unsolved + s.friction_unsettled + s.unsettled, 0);
    // at rest, as well as projections of the tip onto the floor let it be
    CHECK_NEAR(run_read(&r, "hinge.u"), 0, 1e-9);
    CHECK_NEAR(run_read(&r, "latch.u"), 0, 1e-9);
    run_close(&r);
  }
}

// Steep friction (μ = 3) wedges the arm between its hinge and the floor: one freedom, held by forces that may be as
// large as they like. Nothing within the cone of friction drives the arm up again, so that it stays where it lands, at
// sin q = 0.145/0.4, whatever the restitution. An impact that cannot return is solved without restitution, which is
// counted.
static void wedged_arm_goes_on(void) {
  static const char text[] =
      "space: planar\nparameters: {dt: 1e-4}\n"
      "bodies: {arm: {mass: 1, inertia: 0.02, com: [0.2, 0]}}\n"
      "joints: {hinge: {revolute: [ground, arm], friction: 0.2, radius: 1 cm}}\n"
      "surfaces:\n  tip: {sphere: arm, at: [0.4, 0], radius: 5 mm, material: s}\n"
      "  floor: {plane: ground, at: [0, -0.15], material: s}\n"
      "materials: {s: {restitution: 0.5, friction: 3}}\ncontacts: {floor: {between: [tip, floor]}}\n"
      "initial: {hinge: {q: 30 deg}}\nmethod: {moreau: {step: dt}}\nend: 1 s\n";
  for (int by_event = 0; by_event < 2; by_event++) {
    run r;
    if (!run_open_text(&r, text, by_event ? "method=event" : "")) return;
    if (!run_to(&r, 1)) return;
    carom_summary s = carom_sim_summary(r.sim);
    CHECK_EQUAL(s.unsolved, 0);
    CHECK_EQUAL(s.friction_unsettled, 0);
    CHECK_LE(1, s.inconsistent);
    CHECK_NEAR(run_read(&r, "hinge.q"), -asin(0.145 / 0.4), by_event ? 1e-9 : 1e-3);
    CHECK_LE(hypot(run_read(&r, "hinge.fx"), run_read(&r, "hinge.fy")), 100);  // ten times the weight
    CHECK_EQUAL(s.unbalanced, 0);
    run_close(&r);
  }
}

// The load falls steeply (slope -5, where turn by turn would run away), or bends so that secants go astray.
static double falls_steeply(double limit, int turn) { return (void)turn, fmax(0, 3 - 5 * limit); }
static double bends(double limit, int turn) { return (void)turn, 4 / (1 + pow(limit, 8)); }
// Two loads fit above 1, and in every third turn the lower one is found.
static double wavers(double limit, int turn) { return limit >= 1 && turn % 3 == 0 ? 0.5 : 1 + 0.001 * (1 - limit); }

static void limits_are_found_between_bounds(void) {
  static double (*const load[])(double, int) = {falls_steeply, bends, wavers};
  for (int i = 0; i < 3; i++) {
    friction_search search;
    double limit = 0.1, found = load[i](limit, 0);
    int turn = 0;
    for (; turn < FRICTION_TURNS && !friction_meets_load(&search, &limit, found, 1e-10, false, turn); turn++)
      found = load[i](limit, turn + 1);
    CHECK_NEAR(limit, load[i](limit, turn), 1e-9 * limit);  // 1e-10 times the slope of the load, at most 7 there
    CHECK(turn < FRICTION_TURNS);
  }
}

// A start that fails leaves the sim as it was, with what rubs.
static void a_failed_restart_keeps_the_friction(void) {
  static const char text[] =
      "space: planar\n"
      "bodies: {upper: {mass: 1, inertia: 0.1, com: [0, -0.5]}, lower: {mass: 1, inertia: 0.1, com: [0, -0.5]}}\n"
      "joints: {hub: {revolute: [ground, upper], friction_torque: 0.7}, knee: {revolute: [upper, lower], at: [0, "
      "-1]}}\n"
      "initial: {hub: {u: 3}, knee: {q: 1}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  run r, other;
  if (!run_open_text(&r, text, "") || !run_open_text(&other, text, "")) return;
  run_to(&r, 0.1), run_to(&other, 0.1);
  const double fast = 1e200;
  CHECK(carom_sim_set_joint(r.sim, "knee", NULL, &fast, &r.error) != CAROM_OK);
  CHECK_NEAR(run_read(&r, "hub.friction"), -0.7, 1e-12);
  CHECK_NEAR(run_read(&r, "hub.slip"), 1, 0);
  CHECK_NEAR(run_read(&r, "hub.a"), run_read(&other, "hub.a"), 0);
  run_close(&r), run_close(&other);
}

int main(void) {
  RUN(rotor_stops_at_its_angle_and_stays);
  RUN(amplitude_falls_by_four_over_a_period);
  RUN(oscillator_rests_where_it_should);
  RUN(block_on_an_incline_stays_or_slides);
  RUN(unbalanced_rotor_slows_by_its_own_load);
  RUN(drawer_jams_when_pulled_at_its_side);
  RUN(impact_on_a_slide_rubs);
  RUN(impact_on_a_slide_rubs_in_space);
  RUN(sleeve_turns_and_slides_each_by_itself);
  RUN(drive_overcomes_friction);
  RUN(rotor_stops_at_its_instant);
  RUN(oscillator_rests_where_it_should_event_by_event);
  RUN(slide_comes_loose_when_pulled);
  RUN(loads_are_exact_event_by_event);
  RUN(pendulum_between_stops_comes_to_rest);
  RUN(latch_rests_on_a_load_that_is_not_unique);
  RUN(wedged_arm_goes_on);
  RUN(limits_are_found_between_bounds);
  RUN(a_failed_restart_keeps_the_friction);
  return check_summary();
}
