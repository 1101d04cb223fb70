// The models of models/: every family member occurs in one, all run in both coordinates, and the small ones do what
// their comments say.
#include "models.h"
#include "runs.h"

#include "build/definition.h"
#include "build/model_internal.h"

static bool uses(const part_list *list, const char *kind) {
  for (int i = 0; i < list->count; i++)
    if (list->items[i].kind && strcmp(list->items[i].kind, kind) == 0) return true;
  return false;
}

static void every_joint_constraint_and_force_occurs(void) {
  static const char *const families[] = {"joints", "constraints", "forces"};
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  bool seen[3][32] = {0};
  CHECK_LE(12, count);
  for (int i = 0; i < count; i++) {
    carom_model *model = example_load(names[i], NULL);
    if (!model) continue;
    CHECK(carom_model_get_info(model).title);
    const part_list *const lists[] = {&model->def->joints, &model->def->constraints, &model->def->forces};
    for (int f = 0; f < 3; f++) {
      const char *kind;
      for (int k = 0; k < 32 && (kind = carom_family_member(families[f], k, NULL)); k++)
        seen[f][k] |= uses(lists[f], kind);
    }
    carom_model_destroy(model);
  }
  for (int f = 0; f < 3; f++) {
    const char *kind;
    for (int k = 0; k < 32 && (kind = carom_family_member(families[f], k, NULL)); k++)
      if (strcmp(kind, "user") != 0 && !CHECK(seen[f][k]))  // a user force is C, not a word of a file
        printf("      no model has a %s\n", kind);
  }
}

// A tenth of each model's time (a tenth of a second at most), in both coordinates: same freedom, same positions,
// constraints met.
static void both_coordinates_run_alike(void) {
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  for (int i = 0; i < count; i++) {
    run joint, absolute;
    if (!run_open(&joint, names[i], "coordinates=joint")) continue;
    const carom_model_info a = carom_model_get_info(joint.model);
    // impacts in a stiff clearance multiply differences by five or ten each: few of them
    double end = fmin(strcmp(joint.model->scheme->name, "compliant") == 0 ? 0.03 : 0.1, a.end / 10);
    if (a.redundant_rows > 30)
      end = fmin(end, 0.01);  // in absolute coordinates hundreds of rows: a step takes a hundred times as long
    if (run_open(&absolute, names[i], "coordinates=absolute") && run_to(&joint, end) && run_to(&absolute, end)) {
      const carom_model_info b = carom_model_get_info(absolute.model);
      CHECK_EQUAL(a.freedom, b.freedom);
      CHECK_EQUAL(a.redundant_rows, b.redundant_rows);
      // positions to what the integrators promise: the file's tolerance over some hundred steps
      double tolerance = 1e3 * joint.model->integrator.rtol * fmax(1, joint.model->m.length);
      // Moreau's midpoint is another one in other coordinates: they agree to its order, a step at the 23 m/s of a crank
      if (strcmp(joint.model->scheme->name, "moreau") == 0)
        tolerance = fmax(tolerance, 23 * ((const carom_moreau_def *)&joint.model->options)->step);
      for (int k = 1; k <= a.bodies; k++) {
        const char *body = carom_model_body_name(joint.model, k);
        CHECK_NEAR(run_read(&joint, "%s.x", body), run_read(&absolute, "%s.x", body), tolerance);
        CHECK_NEAR(run_read(&joint, "%s.y", body), run_read(&absolute, "%s.y", body), tolerance);
        CHECK_NEAR(run_read(&joint, "%s.z", body), run_read(&absolute, "%s.z", body), tolerance);
      }
      CHECK_LE(carom_sim_summary(joint.sim).constraint_violation, 1e-10);
      CHECK_LE(carom_sim_summary(absolute.sim).constraint_violation, 1e-10);
    }
    run_close(&joint);
    run_close(&absolute);
  }
}

// --- closed forms ----------------------------------------------------------------------------------------------------

static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};

// (J + (m1 + m2) h²) u' = torque + (m1 + m2) g h, constant.
static void screw_press_winds_down(void) {
  const double h = 0.02 / (2 * acos(-1)), mass = 160, rate = (50 + mass * 9.81 * h) / (1.5 + mass * h * h);
  for (int c = 0; c < 2; c++) {
    run e;
    if (!run_open(&e, "screw-press", coordinates[c])) return;
    CHECK_EQUAL(carom_model_get_info(e.model).freedom, 1);
    CHECK_EQUAL(carom_model_get_info(e.model).redundant_rows, 4);
    if (run_to(&e, 1)) {
      // rtol = atol = 1e-8 a step, of 17 rad, over up to 200 steps
      CHECK_NEAR(run_read(&e, "thread.q"), rate / 2, 200 * 1e-8 * rate / 2);
      CHECK_NEAR(run_read(&e, "collar.q"), run_read(&e, "thread.q"),
                 1e-9);  // turns are counted, though one step takes it round twice
      CHECK_NEAR(run_read(&e, "thread.u"), rate, 200 * 1e-8 * rate);
      CHECK_NEAR(run_read(&e, "guide.q"), h * rate / 2, 200 * 1e-8 * h * rate);
      CHECK_NEAR(run_read(&e, "ram.qw"), 1, 1e-10);  // it does not turn
    }
    run_close(&e);
  }
}

// tan(output) = cos(bend) tan(input), whose rate is cos(bend)/(cos² + cos²(bend) sin²) of the input's.
static void universal_shaft_turns_unevenly(void) {
  const double bend = acos(-1) / 6, speed = 10 * acos(-1);
  for (int c = 0; c < 2; c++) {
    run e;
    if (!run_open(&e, "universal-shaft", coordinates[c])) return;
    CHECK_EQUAL(carom_model_get_info(e.model).redundant_rows, 2);
    for (double t = 0.013; t < 0.5 && run_to(&e, t); t += 0.013) {
      const double in = speed * t, turn = remainder(run_read(&e, "output.q0"), 2 * acos(-1));
      const double angle = atan2(cos(bend) * sin(in), cos(in));
      CHECK_NEAR(remainder(turn - angle, 2 * acos(-1)), 0, 1e-11);  // no dynamics: as closed as the loop is
      CHECK_NEAR(run_read(&e, "ratio"), cos(bend) / (pow(cos(in), 2) + pow(cos(bend) * sin(in), 2)), 1e-10);
    }
    run_close(&e);
  }
}

// x = x0 cos(w t), w² = k/(m + (J2 + (z2/z1)² J1)/r²)
static void rack_swings_as_one_mass(void) {
  const double mass = 1.5 + (1e-3 + 9 * 2e-5) / (0.03 * 0.03), w = sqrt(800 / mass);
  for (int c = 0; c < 2; c++) {
    run e;
    if (!run_open(&e, "rack-pinion", coordinates[c])) return;
    CHECK(!carom_model_get_info(e.model).moved_joint);  // the given start was kept
    for (double t = 0; t <= 1 && run_to(&e, t); t += 0.1) {
      const double x = 0.05 * cos(w * t);
      // rtol = atol = 1e-10 a step over 500 steps, in the pinion's angle x/r
      CHECK_NEAR(run_read(&e, "rack.q"), x, 500 * 1e-10 * 3);
      CHECK_NEAR(run_read(&e, "motor.q"), -3 * x / 0.03, 500 * 1e-10 * 3 * 3 / 0.03);
    }
    run_close(&e);
  }
}

// With both wheels free, each gets T/2 and the cage's own inertia counts: (Jc + 2 J) a = T. With one in the mud, it
// creeps at T/2/mud in the end, and the torque on the other stays T/2 while the cage's inertia is small: checked by the
// balance.
static void differential_shares_its_torque(void) {
  run e;
  if (!run_open(&e, "differential", "mud=0")) return;
  if (run_to(&e, 2)) {
    CHECK_NEAR(run_read(&e, "left.u"), 2 * 40 / (0.3 + 1.6), 1e-7);
    CHECK_NEAR(run_read(&e, "right.u"), 2 * 40 / (0.3 + 1.6), 1e-7);
  }
  run_close(&e);
  for (int c = 0; c < 2; c++) {
    if (!run_open(&e, "differential", coordinates[c])) return;
    for (double t = 0.25; t <= 2 && run_to(&e, t); t += 0.25) {
      const double l = run_read(&e, "left.a"), r = run_read(&e, "right.a"), cage = run_read(&e, "cage.a");
      const double share = (40 - 0.3 * cage) / 2;
      CHECK_NEAR(cage, (l + r) / 2, 1e-9);
      CHECK_NEAR(0.8 * r, share, 1e-9);
      CHECK_NEAR(0.8 * l + 5 * run_read(&e, "left.u"), share, 1e-9);
    }
    run_close(&e);
  }
}

// A zero of cos(w t) at a quarter of the period 2π sqrt(I L/(m g d²)); an amplitude of 2° changes it by some
// (0.035)²/16.
static void bifilar_pendulum_keeps_time(void) {
  const double quarter = acos(-1) / 2 * sqrt(0.06 * 1 / (2 * 9.81 * 0.2 * 0.2)), twist = acos(-1) / 90;
  run e;
  if (!run_open(&e, "bifilar-pendulum", NULL)) return;
  CHECK_EQUAL(carom_model_get_info(e.model).freedom, 4);
  CHECK_NEAR(run_read(&e, "twist"), twist, 1e-12);
  if (run_to(&e, 2 * quarter)) CHECK_NEAR(run_read(&e, "twist"), -twist, twist * twist * twist);
  if (run_to(&e, 3 * quarter)) CHECK_NEAR(run_read(&e, "twist"), 0, twist * twist * twist);
  run_close(&e);
}

static void trammel_draws_an_ellipse(void) {
  run e;
  if (!run_open(&e, "trammel", NULL)) return;
  for (double t = 0.1; t <= 2 && run_to(&e, t); t += 0.1) {
    CHECK_NEAR(run_read(&e, "ellipse"), 1, 1e-10);
    // com in the middle between the shoes moves on a circle: the bar turns evenly
    CHECK_NEAR(run_read(&e, "bar.u0"), 5, 200 * 1e-10 * 5);
  }
  run_close(&e);
}

// s = g sin(slope) t²/2 down the slope, while it turns as it began.
static void sled_slides_down(void) {
  const double slope = acos(-1) / 9;
  run e;
  if (!run_open(&e, "sled", NULL)) return;
  CHECK_EQUAL(carom_model_get_info(e.model).freedom, 3);
  if (run_to(&e, 2)) {
    CHECK_NEAR(run_read(&e, "sled.q4"), 9.81 * sin(slope) * 2, 1e-8);
    CHECK_NEAR(run_read(&e, "sled.q6"), 0, 1e-11);
    CHECK_NEAR(run_read(&e, "sled.u2"), 1, 1e-9);
  }
  run_close(&e);
}

// Wheels that have turned two hundred thousand radians: their condition is a difference of numbers of that size times
// the teeth, and its rounding must not be taken for an open mesh.
static void gears_turn_for_a_long_time(void) {
  static const char *const text =
      "gravity: [0, 0, 0]\n"
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {a: {revolute: [ground, a]}, b: {revolute: [ground, b], at: [1, 0, 0]}}\n"
      "constraints: {mesh: {gear: [a, b], teeth: [23, 37]}}\n"
      "forces: {wave: {torque: a, components: [0, 0, 10*sin(t)]}}\n"
      "initial: {a: {u: 3000 rpm}}\n";
  carom_error error = {0};
  run e = {.model = carom_model_parse(text, "gears.yaml", &error)};
  if (e.model) e.sim = carom_sim_create(e.model, &error);
  if (CHECK(e.sim) && run_to(&e, 1000)) {
    CHECK_LE(2e5, fabs(run_read(&e, "a.q")));
    CHECK_NEAR(run_read(&e, "b.q") / run_read(&e, "a.q"), -23.0 / 37, 1e-14);
    CHECK_EQUAL(carom_sim_summary(e.sim).projection_failures, 0);
  }
  run_close(&e);
}

int main(void) {
  RUN(every_joint_constraint_and_force_occurs);
  RUN(both_coordinates_run_alike);
  RUN(screw_press_winds_down);
  RUN(universal_shaft_turns_unevenly);
  RUN(rack_swings_as_one_mass);
  RUN(differential_shares_its_torque);
  RUN(bifilar_pendulum_keeps_time);
  RUN(trammel_draws_an_ellipse);
  RUN(sled_slides_down);
  RUN(gears_turn_for_a_long_time);
  return check_summary();
}
