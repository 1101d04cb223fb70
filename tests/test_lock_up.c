// A mechanism that locks up: every method and integrator ends with an error that names the constraint.
#include "runs.h"
#include "tool.h"

// A crank that is longer than its rod: the loop cannot close beyond asin(40/50).
static void errors_name_a_lock_up(void) {
  write_text(scratch("lock.yaml"),
             "space: planar\n"
             "bodies:\n"
             "  crank: {mass: 0.1, inertia: 2e-5, com: [25 mm, 0]}\n"
             "  rod: {mass: 0.4, inertia: 1.3e-3, com: [20 mm, 0]}\n"
             "  ram: {mass: 1.5}\n"
             "joints:\n"
             "  crank: {revolute: [ground, crank]}\n"
             "  rod: {revolute: [crank, rod], at: [50 mm, 0]}\n"
             "  pin: {revolute: [rod, ram], at: [40 mm, 0]}\n"
             "  guide: {prismatic: [ground, ram], axis: x}\n"
             "drives: {motor: {joint: crank, motion: 300 rpm * t}}\n"
             "end: 0.1 s\n");
  static const char *const settings[] = {"method=smooth",  "method=event",   "method=compliant",
                                         "integrator=bdf", "integrator=erk", "integrator=ida"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    char command[200];
    snprintf(command, sizeof command, "run lock.yaml --no-record --set %s", settings[i]);
    CHECK_EQUAL(carom("%s", command), 1);
    CHECK_CONTAINS(err, "may lock up");
    CHECK_CONTAINS(err, "'pin'");
  }
  CHECK_EQUAL(carom("run lock.yaml --no-record --set 'integrator={type: rk4, step: 1e-4}'"), 1);
  CHECK_CONTAINS(err, "'pin'");
  CHECK(!strstr(err, "rtol"));
  CHECK_EQUAL(carom("run lock.yaml --no-record --set 'method={moreau: {step: 1e-4}}'"), 1);
  CHECK_CONTAINS(err, "'pin'");
}

// --- steps that go over the lock-up ----------------------------------------------------------------------------------

// The loop closes up to the crank angle asin(rod/crank). With a rod that is too short by d the crank passes positions
// that cannot be closed within 2 sqrt(2 d/crank) rad, which a step may go over. Its ends can be closed.
static const char slider_crank[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {rod: 50 mm}\n"
    "bodies:\n"
    "  crank: {mass: 0.1, inertia: 2e-5, com: [25 mm, 0]}\n"
    "  rod: {mass: 0.4, inertia: 1.3e-3, com: [rod/2, 0]}\n"
    "  ram: {mass: 1.5, inertia: 1e-3}\n"
    "joints:\n"
    "  crank: {revolute: [ground, crank]}\n"
    "  rod: {revolute: [crank, rod], at: [50 mm, 0]}\n"
    "  pin: {revolute: [rod, ram], at: [rod, 0]}\n"
    "  guide: {prismatic: [ground, ram], axis: x}\n"
    "method: {moreau: {step: 1 ms}}\n";
static const char with_drive[] = "drives: {motor: {joint: crank, motion: 300 rpm * t}}\n";
static const char pushed[] = "initial: {crank: {q: 0, u: 30}}\n";
static const char *const steps[] = {"11e-3", "7e-3", "3e-3", "1e-3", "1e-4"};
enum { STEPS = sizeof steps / sizeof *steps };

// Where a run to t ends, and how.
static double end_of(const char *rest, const char *coordinates, const char *step, const char *rod, double t,
                     carom_status *status) {
  char text[2048], settings[160];
  run r;
  snprintf(text, sizeof text, "%s%s", slider_crank, rest);
  snprintf(settings, sizeof settings, "coordinates=%s method.moreau.step=%s rod=%s", coordinates, step, rod);
  if (!run_open_text(&r, text, settings)) return NAN;
  *status = carom_sim_advance(r.sim, t, &r.error);
  if (*status != CAROM_OK) CHECK(strstr(r.error.text, "locks up") != NULL);
  double end = carom_sim_time(r.sim);
  run_close(&r);
  return end;
}

// The message comes with the step that goes over the lock-up, within two of them where rows turn with it.
static void a_short_rod_locks_up(void) {
  static const char *const coordinates[] = {"joint", "absolute"}, *const rods[] = {"40e-3", "49e-3", "49.99e-3",
                                                                                   "49.9999e-3"};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < STEPS; i++) {
        carom_status status = CAROM_OK;
        double end = end_of(with_drive, coordinates[c], steps[i], rods[k], 0.12, &status);
        double lock = asin(atof(rods[k]) / 50e-3) / (2 * acos(-1) * 5);
        if (!CHECK(status == CAROM_ERROR_INTEGRATOR) || !CHECK(end >= lock - 1e-9) ||
            !CHECK(end <= lock + 2 * atof(steps[i])))
          printf("      %s coordinates, step %s, rod %s: ended at %g, locks up at %g\n", coordinates[c], steps[i],
                 rods[k], end, lock);
      }
}

// A rod that is long enough turns back from the singular position, however close; without a drive a short one turns the
// crank back.
static void a_long_rod_and_a_free_crank_do_not(void) {
  static const char *const coordinates[] = {"joint", "absolute"}, *const rods[] = {"50e-3", "50.0001e-3", "50.01e-3",
                                                                                   "51e-3"};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < STEPS; i++) {
        carom_status driven = CAROM_OK, free = CAROM_OK;
        CHECK_NEAR(end_of(with_drive, coordinates[c], steps[i], rods[k], 0.3, &driven), 0.3, 0);
        CHECK_NEAR(end_of(pushed, coordinates[c], steps[i], k % 2 ? "45e-3" : "49.99e-3", 0.3, &free), 0.3, 0);
        if (!CHECK(driven == CAROM_OK && free == CAROM_OK))
          printf("      %s coordinates, step %s, rod %s\n", coordinates[c], steps[i], rods[k]);
      }
}

// A model and its copy of another size with equal angles in time have the same outcome.
static void size_does_not_matter(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {scale: 1, ratio: 1, l: scale*50 mm}\n"
      "bodies:\n"
      "  crank: {mass: 0.1, inertia: 2e-5*scale^2, com: [l/2, 0]}\n"
      "  rod: {mass: 0.4, inertia: 1.3e-3*scale^2, com: [ratio*l/2, 0]}\n"
      "  ram: {mass: 1.5, inertia: 1e-3*scale^2}\n"
      "joints:\n"
      "  crank: {revolute: [ground, crank]}\n"
      "  rod: {revolute: [crank, rod], at: [l, 0]}\n"
      "  pin: {revolute: [rod, ram], at: [ratio*l, 0]}\n"
      "  guide: {prismatic: [ground, ram], axis: x}\n"
      "drives: {motor: {joint: crank, motion: 300 rpm * t}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  static const char *const coordinates[] = {"joint", "absolute"}, *const ratios[] = {"0.99999", "0.999", "1.00001"};
  static const char *const scales[] = {"1e-4", "1e-3", "1e-2", "1", "30", "1e3"};
  for (int k = 0; k < 2 * 3 * 6 * 2; k++) {
    const char *ratio = ratios[k / 2 % 3], *scale = scales[k / 6 % 6], *step = k / 36 ? "1e-3" : "7e-3";
    char settings[160];
    run r;
    snprintf(settings, sizeof settings, "coordinates=%s method.moreau.step=%s ratio=%s scale=%s", coordinates[k % 2],
             step, ratio, scale);
    if (!run_open_text(&r, text, settings)) return;
    carom_status status = carom_sim_advance(r.sim, 0.12, &r.error);
    double end = carom_sim_time(r.sim), lock = asin(fmin(1, atof(ratio))) / (2 * acos(-1) * 5);
    bool fine = atof(ratio) > 1 ? CHECK(status == CAROM_OK)
                                : CHECK(status == CAROM_ERROR_INTEGRATOR) && CHECK(end >= lock - 1e-9) &&
                                      CHECK(end <= lock + 2 * atof(step));
    if (!fine) printf("      %s: ended at %g s\n", settings, end);
    run_close(&r);
  }
}

int main(void) {
  RUN(errors_name_a_lock_up);
  RUN(a_short_rod_locks_up);
  RUN(a_long_rod_and_a_free_crank_do_not);
  RUN(size_does_not_matter);
  return check_summary();
}
