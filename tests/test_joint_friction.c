// Dry friction in ideal joints against closed forms: it stops what moves where it should, and then nothing moves at all.
#include "runs.h"

static const double g = 9.81;

// --- constant limit -----------------------------------------------------------------------------------------------

static const char rotor[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {dt: 1e-2}\n"
    "bodies: {wheel: {mass: 2, inertia: 0.5}}\n"
    "joints: {hub: {revolute: [ground, wheel], friction_torque: 0.7}}\n"
    "initial: {hub: {u: 3}}\n"
    "method: {moreau: {step: dt}}\n"
    "end: 100 s\n";

// I ω₀/T = 2.142857 s, I ω₀²/2T = 3.214286 rad. The deceleration α is constant, so that the midpoint rule errs in the last
// step alone: it moves on by u Δt/2 instead of u²/2α with u < α Δt, by at most α Δt²/8 too far.
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

// Half swings of π s about ±F/k, each 2 F/k shorter: -A + 4F/k·k after k periods, here from rest at 12 m with F/k = 1 m.
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

// --- limit by load ------------------------------------------------------------------------------------------------

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
  if (!run_open_text(&r, text, "arm=0.2")) return;
  if (!run_to(&r, 1)) return;
  // 2 μ b/ℓ = 2/3 is also how fast the turns of limit and load converge: to 1e-10/(1 - 2/3).
  CHECK_NEAR(run_read(&r, "rail.q"), 7 * (1 - 2 * 0.5 * 0.2 / 0.3) / 2 / 2, 1e-8);
  run_close(&r);
}

// A ball dropped on a sliding block: its percussion P = (1 + e) m v presses the joint, whose friction takes μ P at once.
static void impact_on_a_slide_rubs(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nparameters: {dt: 1e-3}\n"
      "bodies: {block: {mass: 2, inertia: 0.1}, ball: {mass: 0.5, inertia: 0.001}}\n"
      "joints: {slide: {prismatic: [ground, block], axis: x, friction: 0.4}, fly: {free: [ground, ball], at: [0, 0.3]}}\n"
      "surfaces: {deck: {plane: block, material: hard}, ball: {sphere: ball, radius: 0.1, material: hard}}\n"
      "materials: {hard: {restitution: 0.5}}\n"
      "initial: {slide: {u: 3}, fly: {u: [0, 0, -2]}}\n"
      "method: {moreau: {step: dt}}\nend: 0.2 s\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  if (!run_to(&r, 0.2)) return;
  CHECK_NEAR(run_read(&r, "fly.u2"), 1, 1e-12);
  CHECK_NEAR(run_read(&r, "slide.u"), 3 - 0.4 * 1.5 * 0.5 * 2 / 2, 1e-9);
  run_close(&r);
}

// --- more freedoms ------------------------------------------------------------------------------------------------

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

int main(void) {
  RUN(rotor_stops_at_its_angle_and_stays);
  RUN(amplitude_falls_by_four_over_a_period);
  RUN(oscillator_rests_where_it_should);
  RUN(block_on_an_incline_stays_or_slides);
  RUN(unbalanced_rotor_slows_by_its_own_load);
  RUN(drawer_jams_when_pulled_at_its_side);
  RUN(impact_on_a_slide_rubs);
  RUN(sleeve_turns_and_slides_each_by_itself);
  return check_summary();
}
