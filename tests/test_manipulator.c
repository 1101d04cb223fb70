// The flexible manipulator against a program for this one mechanism (bench/hand_manipulator.c), and against integrators
// that choose their step.
#include "long.h"
#include "runs.h"

#include "hand_manipulator.h"

static const char *const names[HAND_MODES] = {"link1.mode1", "link1.mode2", "link2.mode1", "link2.mode2"};

// Both by Runge–Kutta steps of the same length, which end where the plan changes: at the end of each step they differ
// by rounding alone.
static void fixed_steps_agree_with_the_program_by_hand(void) {
  run r;
  if (!run_open(&r, "manipulator", "integrator.type=rk4 integrator.step=1e-5")) return;
  const hand_manipulator m = hand_manipulator_default();
  hand_manipulator_state s = {0};
  double largest[HAND_MODES] = {0}, worst[HAND_MODES] = {0};
  int signals[HAND_MODES];
  for (int k = 0; k < HAND_MODES; k++) signals[k] = carom_model_signal(r.model, names[k]);
  while (s.t < 2 - 1e-9) {
    if (!CHECK(carom_sim_step(r.sim, 2, &r.error) == CAROM_OK)) break;
    hand_manipulator_step(&m, 1e-5, &s);
    if (fabs(s.t - carom_sim_time(r.sim)) > 1e-9) break;
    for (int k = 0; k < HAND_MODES; k++) {
      const double q = carom_sim_coordinates(r.sim)[k < 2 ? 1 + k : 2 + k];  // behind the angle of each joint
      largest[k] = fmax(largest[k], fabs(s.q[k])), worst[k] = fmax(worst[k], fabs(q - s.q[k]));
    }
  }
  CHECK_NEAR(carom_sim_time(r.sim), 2, 1e-9);
  CHECK_NEAR(s.t, 2, 1e-9);
  for (int k = 0; k < HAND_MODES; k++) {
    CHECK_NEAR(carom_sim_read(r.sim, signals[k]), s.q[k], 1e-8 * largest[k]);
    printf("    %s: at most %.3e m, relative difference %.1e\n", names[k], largest[k], worst[k] / largest[k]);
    CHECK_LE(worst[k], 1e-8 * largest[k]);
  }
  run_close(&r);
}

// adams at 1e-12 against fixed steps: these shift the phase of the axial oscillations, by the fourth power of the step.
// After `end`, the largest differences of the axial and the transverse coordinates over the largest of each.
static void compare_steps(run *fine, double step, double end, double *axial, double *transverse) {
  const hand_manipulator m = hand_manipulator_default();
  hand_manipulator_state s = {0};
  double largest[HAND_MODES] = {0}, worst[HAND_MODES] = {0};
  for (int n = 1; n <= 100; n++) {
    const double t = end * n / 100;
    while (s.t < t - 0.5 * step) hand_manipulator_step(&m, step, &s);
    if (!run_to(fine, t)) return;
    for (int k = 0; k < HAND_MODES; k++) {
      const double q = carom_sim_coordinates(fine->sim)[k < 2 ? 1 + k : 2 + k];
      largest[k] = fmax(largest[k], fabs(q)), worst[k] = fmax(worst[k], fabs(q - s.q[k]));
    }
  }
  *axial = fmax(worst[0] / largest[0], worst[2] / largest[2]);
  *transverse = fmax(worst[1] / largest[1], worst[3] / largest[3]);
}

static void variable_steps_agree_with_fixed_ones(void) {
  static const double steps[2] = {1e-5, 5e-6};
  double axial[2], transverse[2];
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open(&r, "manipulator", "integrator.rtol=1e-12 integrator.atol=1e-15")) return;
    compare_steps(&r, steps[i], 2, &axial[i], &transverse[i]);
    printf("    step %g s: axial %.2e, transverse %.2e\n", steps[i], axial[i], transverse[i]);
    CHECK_EQUAL(carom_sim_summary(r.sim).large_deformations, 1);  // link 2 bends by 18 degrees
    run_close(&r);
  }
  CHECK_LE(transverse[0], 1e-5);
  CHECK_LE(axial[0], 3e-2);
  CHECK_NEAR(log2(axial[0] / axial[1]), 4, 0.1);
}

// The variant whose joints are let go at 0.5 s: until then servos hold them near the plan, from then on no force but
// weight acts, and the energy stays while the links turn over.
static void released_joints_turn_freely(void) {
  run r;
  if (!run_open(&r, "manipulator-released", "end=1.2")) return;
  run_to(&r, 0.5);
  CHECK_NEAR(run_read(&r, "shoulder.q"), M_PI / 4, 0.01);
  CHECK_NEAR(run_read(&r, "elbow.q"), -M_PI / 4, 0.01);
  const char *const stored[] = {"energy.kinetic", "energy.gravity", "energy.strain"};
  double energy[2] = {0};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) energy[i] += run_read(&r, "%s", stored[k]);
    run_to(&r, 1.2);
  }
  printf("    shoulder at %.2f rad, energy changes by %.1e of %.1f J\n", run_read(&r, "shoulder.q"),
         energy[1] / energy[0] - 1, energy[0]);
  CHECK_LE(run_read(&r, "shoulder.q"), -M_PI / 2);
  CHECK_NEAR(energy[1] / energy[0], 1, 1e-6);
  run_close(&r);
}

// Each link as several beams, one fixed to the next: turns within each are small. A little damping lets bdf pass over
// the fast modes of short parts.
#define PART(letter, length, area, second)                                                                 \
  "  " letter "{i}: {repeat: {i: [1, n]}, beam: {length: " length "/n, elements: 4, section: {area: " area \
  ", second_moment: " second                                                                               \
  "}, young: 7.3e10, density: 2700}, modes: {transverse: [(x/L)^2, (x/L)^3]}, "                            \
  "damping: {stiffness: 1e-6}}\n"

static bool open_split(run *r, int parts) {
  char text[4000];
  snprintf(text, sizeof text,
           "space: planar\nparameters: {n: %d}\n"
           "tables: {plan: {type: clamped, points: [[0, -45 deg], [1/6, -30 deg], [1/3, 30 deg], [1/2, 45 deg]]}}\n"
           "bodies:\n" PART("a", "0.545", "9e-4", "1.69e-8") PART("b", "0.675", "4e-4", "3.33e-9")
           "  motor: {mass: 1}\n  payload: {mass: 3}\n"
           "markers: {end1: {on: a%d, at: [0.545/n, 0]}, P: {on: b%d, at: [0.675/n, 0]}}\n"
           "joints:\n"
           "  shoulder: {revolute: [ground, a1]}\n"
           "  elbow: {revolute: [end1, b1]}\n"
           "  stator: {fixed: [end1, motor]}\n"
           "  grip: {fixed: [P, payload]}\n"
           "  seam_a{i}: {repeat: {i: [2, n]}, fixed: [\"a{i-1}\", \"a{i}\"], at: [0.545/n, 0]}\n"
           "  seam_b{i}: {repeat: {i: [2, n]}, fixed: [\"b{i-1}\", \"b{i}\"], at: [0.675/n, 0]}\n"
           "drives: {swing1: {joint: shoulder, motion: plan(t)}, swing2: {joint: elbow, motion: -plan(t)}}\n"
           "method: smooth\nintegrator: {type: bdf, rtol: 1e-5, atol: 1e-5}\n",
           parts, parts, parts);
  return run_open_text(r, text, NULL);
}

// The tip within 1 % of its largest deflection, 0.15 m, and no turn beyond the theory.
static void links_can_be_split(void) {
  const int parts[2] = {4, long_form() ? 16 : 8};
  const double end = long_form() ? 0.6 : 0.2;
  run r[2];
  double apart = 0;
  if (!open_split(&r[0], parts[0])) return;
  if (open_split(&r[1], parts[1])) {
    for (int n = 1; n <= 30; n++) {
      if (!run_to(&r[0], end * n / 30) || !run_to(&r[1], end * n / 30)) break;
      apart = fmax(apart, hypot(run_read(&r[0], "P.x") - run_read(&r[1], "P.x"),
                                run_read(&r[0], "P.y") - run_read(&r[1], "P.y")));
    }
    printf("    %d parts against %d: tips at most %.2e m apart\n", parts[0], parts[1], apart);
    CHECK_LE(apart, 1.5e-3);
    CHECK_EQUAL(carom_sim_summary(r[0].sim).large_deformations, 0);
    CHECK_EQUAL(carom_sim_summary(r[1].sim).large_deformations, 0);
    run_close(&r[1]);
  }
  run_close(&r[0]);
}

int main(void) {
  RUN(fixed_steps_agree_with_the_program_by_hand);
  RUN(variable_steps_agree_with_fixed_ones);
  RUN(released_joints_turn_freely);
  RUN(links_can_be_split);
  RUN_LONG(links_can_be_split, 200);
  return check_summary();
}
