// The overconstrained loop: its redundancy is found, and it moves, closed, for a long time.
#include "runs.h"

static void one_freedom_is_found(void) {
  carom_model *joint = example_load("bricard", "coordinates=joint"),
              *absolute = example_load("bricard", "coordinates=absolute");
  if (joint && absolute) {
    carom_model_info a = carom_model_get_info(joint), b = carom_model_get_info(absolute);
    CHECK_EQUAL(a.bodies, 5);
    CHECK_EQUAL(a.joints, 6);
    CHECK_EQUAL(a.loop_joints, 1);
    CHECK_EQUAL(a.freedom, 1);
    CHECK_EQUAL(a.constraint_rows, 5);  // of the closing revolute; 5 speeds - 5 rows would leave nothing
    CHECK_EQUAL(a.redundant_rows, 1);
    CHECK_EQUAL(b.loop_joints, 1);  // of the thirty rows of all joints, as counted from the tree
    CHECK_EQUAL(b.freedom, 1);
    CHECK_EQUAL(b.constraint_rows, 30);
    CHECK_EQUAL(b.redundant_rows, 1);
  }
  carom_model_destroy(joint);
  carom_model_destroy(absolute);
}

// A loop of six revolutes at other angles is rigid, and that must be seen too: nothing is redundant there.
static void a_general_loop_is_rigid(void) {
  static const char *const text =
      "bodies:\n"
      "  rod{i}: {repeat: {i: [1, 5]}, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "joints:\n"
      "  a: {revolute: [ground, rod1], axis: [0, 0.2, 1]}\n"
      "  b: {revolute: [rod1, rod2], at: [1, 0, 0], axis: [0.1, 1, 0]}\n"
      "  c: {revolute: [rod2, rod3], at: [0, 0, 1], axis: [1, 0, 0.3]}\n"
      "  d: {revolute: [rod3, rod4], at: [0, 1, 0], axis: [-0.2, 0, 1]}\n"
      "  e: {revolute: [rod4, rod5], at: [-1, 0, 0], axis: [0, 1, 0.4]}\n"
      "  f: {revolute: [rod5, ground], at: [0, 0, -1], to: [0, 1, 0], axis: [1, 0.1, 0]}\n";
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "rigid", &error);
  if (!CHECK(model)) {
    printf("%s\n", error.text);
    return;
  }
  carom_model_info info = carom_model_get_info(model);
  CHECK_EQUAL(info.freedom, 0);
  CHECK_EQUAL(info.redundant_rows, 0);
  carom_model_destroy(model);
}

// Where rod k (1 to 5) ends, given the end in its axes; through the signals of bodies and not through the constraints.
static void end_of(run *e, int k, const double *end, double *out) {
  double w = run_read(e, "rod%d.qw", k), x = run_read(e, "rod%d.qx", k), y = run_read(e, "rod%d.qy", k),
         z = run_read(e, "rod%d.qz", k);
  const double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  static const char axes[] = "xyz";
  for (int i = 0; i < 3; i++)
    out[i] = run_read(e, "rod%d.%c", k, axes[i]) + R[i][0] * end[0] + R[i][1] * end[1] + R[i][2] * end[2];
}

// The widest gap at the six corners.
static double widest_gap(run *e) {
  static const double ends[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {-1, 0, 0}, {0, 0, -1}}, zero[3] = {0};
  double worst = 0;
  for (int k = 0; k < 6; k++) {  // from the end of rod k to the origin of the next; the ground is rod 0 and rod 6
    double a[3] = {0, 0, 0}, b[3] = {0, 1, 0};
    if (k > 0) end_of(e, k, ends[k], a);
    if (k < 5) end_of(e, k + 1, zero, b);
    worst = fmax(worst, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
  }
  return worst;
}

static double total_energy(run *e) { return run_read(e, "energy.kinetic") + run_read(e, "energy.gravity"); }

// 100 s at rtol 1e-10. Energy errs by the tolerance of a step times the steps (about 16 000), in the worst case all of
// one sign; kinetic energy reaches 50 J.
static void runs_closed_for_100_seconds(const char *settings) {
  run e;
  if (!run_open(&e, "bricard", settings)) return;
  double start = total_energy(&e), worst_gap = 0, worst_energy = 0, most_kinetic = 0;
  for (double t = 0.5; t <= 100 && run_to(&e, t); t += 0.5) {
    worst_gap = fmax(worst_gap, widest_gap(&e));
    worst_energy = fmax(worst_energy, fabs(total_energy(&e) - start));
    most_kinetic = fmax(most_kinetic, run_read(&e, "energy.kinetic"));
  }
  carom_summary s = carom_sim_summary(e.sim);
  CHECK_NEAR(s.t, 100, 0);
  CHECK_LE(worst_gap, 1e-10);
  CHECK_LE(s.constraint_violation, 1e-10);
  CHECK_LE(worst_energy, 1e-10 * (double)s.steps * most_kinetic);
  CHECK_LE(10, most_kinetic);
  CHECK_EQUAL(s.projection_failures, 0);
  printf("    %s: gap %.2g m, violation %.2g, energy %.2g of %.3g J, %ld steps\n", settings, worst_gap,
         s.constraint_violation, worst_energy, most_kinetic, s.steps);
  run_close(&e);
}

#define TIGHT "integrator.rtol=1e-10 integrator.atol=1e-10 "

static void holds_in_joint_coordinates(void) { runs_closed_for_100_seconds(TIGHT "coordinates=joint"); }
static void holds_in_absolute_coordinates(void) { runs_closed_for_100_seconds(TIGHT "coordinates=absolute"); }

// Two formulations with nothing in common but the file agree to what their integrators promise: 1e-11 for each step of
// both (some 500 each), and the motion stretches a difference at most tenfold in this time.
static void both_coordinates_agree(void) {
  run a, b;
  if (!run_open(&a, "bricard", "coordinates=joint integrator.rtol=1e-11 integrator.atol=1e-11")) return;
  if (run_open(&b, "bricard", "coordinates=absolute integrator.rtol=1e-11 integrator.atol=1e-11")) {
    static const char *const signals[] = {"a.q", "b.q", "c.q",      "d.q",      "e.q",
                                          "f.q", "f.u", "corner.x", "corner.y", "corner.z"};
    double worst = 0;
    for (double t = 0.25; t <= 3 && run_to(&a, t) && run_to(&b, t); t += 0.25)
      for (int k = 0; k < 10; k++) {
        double difference = run_read(&a, "%s", signals[k]) - run_read(&b, "%s", signals[k]);
        worst = fmax(worst, fabs(difference));
      }
    const double steps = (double)(carom_sim_summary(a.sim).steps + carom_sim_summary(b.sim).steps);
    CHECK_LE(worst, 10 * steps * 1e-11);
    printf("    agree to %.2g over 3 s in %.0f steps\n", worst, steps);
    run_close(&b);
  }
  run_close(&a);
}

int main(void) {
  RUN(one_freedom_is_found);
  RUN(a_general_loop_is_rigid);
  RUN(both_coordinates_agree);
  RUN(holds_in_joint_coordinates);
  RUN(holds_in_absolute_coordinates);
  return check_summary();
}
