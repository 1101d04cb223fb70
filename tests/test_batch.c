// Many sims on one model over threads. Runs once more under the thread sanitizer.
#include "runs.h"

#include <stdatomic.h>

enum { COUNT = 40 };

typedef struct results {
  int hinge, calls[COUNT];
  double start[COUNT], end[COUNT], energy[COUNT];
  carom_status set[COUNT];
  atomic_int before, after;
} results;

static double angle_of(int index) { return 0.05 * index - 1; }

static void set_angle(void *context, int index, carom_sim *sim) {
  results *r = context;
  const double q = angle_of(index), u = 0;
  atomic_fetch_add(&r->before, 1);
  r->set[index] = carom_sim_set_joint(sim, "hinge", &q, &u, NULL);
  r->start[index] = carom_sim_read(sim, r->hinge);
}

static void take_angle(void *context, int index, carom_sim *sim) {
  results *r = context;
  atomic_fetch_add(&r->after, 1);
  r->calls[index]++;
  r->end[index] = carom_sim_read(sim, r->hinge);
}

// Each sim of a batch does what a sim of its own would do, to the last bit, and is called back once.
static void each_sim_is_as_if_alone(void) {
  static const char *const settings[] = {"coordinates=joint", "coordinates=absolute"};
  for (int s = 0; s < 2; s++) {
    carom_model *model = example_load("pendulum-revolute", settings[s]);
    if (!model) return;
    results r = {.hinge = carom_model_signal(model, "hinge.q")};
    carom_summary summaries[COUNT];
    carom_batch batch = {
        .count = COUNT, .threads = 4, .t_end = 0.5, .context = &r, .before = set_angle, .after = take_angle};
    carom_error error = {0};
    CHECK(carom_batch_run(model, &batch, summaries, &error) == CAROM_OK);
    CHECK_EQUAL(atomic_load(&r.before), COUNT);
    CHECK_EQUAL(atomic_load(&r.after), COUNT);
    for (int i = 0; i < COUNT; i++) {
      CHECK_EQUAL(r.calls[i], 1);
      CHECK(r.set[i] == CAROM_OK);
      CHECK_NEAR(r.start[i], angle_of(i), 1e-15);
      CHECK(summaries[i].status == CAROM_OK);
      CHECK_NEAR(summaries[i].t, 0.5, 0);
      CHECK_LE(1, summaries[i].steps);
      carom_sim *alone = carom_sim_create(model, &error);
      const double q = angle_of(i), u = 0;
      if (!CHECK(alone)) continue;
      CHECK(carom_sim_set_joint(alone, "hinge", &q, &u, &error) == CAROM_OK);
      CHECK(carom_sim_advance(alone, 0.5, &error) == CAROM_OK);
      CHECK_NEAR(carom_sim_read(alone, r.hinge), r.end[i], 0);
      CHECK_EQUAL(carom_sim_summary(alone).steps, summaries[i].steps);
      carom_sim_destroy(alone);
    }
    carom_model_destroy(model);
  }
}

// Setting one joint of a loop: it stays where it is put, the others follow, in both coordinates alike.
static void a_set_joint_stays_and_the_loop_follows(void) {
  double q[2][6];
  for (int s = 0; s < 2; s++) {
    run e;
    if (!run_open(&e, "bricard", s ? "coordinates=absolute" : "coordinates=joint")) return;
    const double angle = 0.2, rate = -0.7;
    CHECK(carom_sim_set_joint(e.sim, "a", &angle, &rate, &e.error) == CAROM_OK);
    CHECK_NEAR(run_read(&e, "a.q"), angle, 1e-12);
    CHECK_NEAR(run_read(&e, "a.u"), rate, 1e-12);
    for (int k = 0; k < 6; k++) q[s][k] = run_read(&e, "%c.q", 'a' + k);
    // threefold symmetry: every other joint turns alike
    CHECK_NEAR(fabs(q[s][2]), angle, 1e-9);
    CHECK_NEAR(fabs(q[s][4]), angle, 1e-9);
    CHECK_LE(0.1, fabs(q[s][1]));
    run_to(&e, 0.2);
    CHECK_LE(carom_sim_summary(e.sim).constraint_violation, 1e-10);
    run_close(&e);
  }
  for (int k = 0; k < 6; k++) CHECK_NEAR(q[0][k], q[1][k], 1e-9);
}

static void set_joint_refuses_what_it_cannot_do(void) {
  run e;
  const double zero = 0, far = 40;
  if (!run_open(&e, "universal-shaft", "coordinates=joint")) return;
  CHECK(carom_sim_set_joint(e.sim, "inptu", &zero, NULL, &e.error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(e.error.text, "inptu");
  CHECK(carom_sim_set_joint(e.sim, "input", &zero, NULL, &e.error) == CAROM_ERROR_USAGE);  // driven
  run_close(&e);
  if (!run_open(&e, "rack-pinion", "")) return;
  double before = run_read(&e, "energy.kinetic") + run_read(&e, "energy.spring");
  CHECK(carom_sim_set_joint(e.sim, "rack", &far, NULL, NULL) == CAROM_OK);  // closes, and a null error is no trouble
  CHECK_NEAR(run_read(&e, "pinion.q"), far / 0.03, 1e-9);
  CHECK(run_read(&e, "energy.spring") > before);
  run_close(&e);
}

// A sim that cannot go on is told in its summary; the others do not mind.
static void push_to_the_edge(void *context, int index, carom_sim *sim) {
  (void)context;
  const double u = index == 1 ? 1e200 : 1;
  carom_sim_set_joint(sim, "hinge", NULL, &u, NULL);
}

static void one_failure_is_its_own(void) {
  carom_model *model = example_load("pendulum-revolute", NULL);
  if (!model) return;
  carom_summary summaries[3];
  carom_error errors[3];
  carom_batch batch = {.count = 3, .threads = 2, .t_end = 0.1, .before = push_to_the_edge, .errors = errors};
  CHECK(carom_batch_run(model, &batch, summaries, NULL) == CAROM_OK);
  CHECK(summaries[0].status == CAROM_OK);
  CHECK(summaries[1].status != CAROM_OK);
  CHECK_EQUAL(errors[1].status, summaries[1].status);
  CHECK(errors[1].message[0] && !errors[0].message[0]);
  CHECK(summaries[2].status == CAROM_OK);
  carom_model_destroy(model);
}

// Starts of a double pendulum: both joints set, the first not, neither, the first only at the second try, a name that
// is none.
static void set_both(void *context, int index, carom_sim *sim) {
  (void)context;
  const double far = INFINITY, near = 0.1;
  carom_sim_set_joint(sim, "upper", index == 0 ? &near : &far, NULL, NULL);
  carom_sim_set_joint(sim, "lower", index == 2 ? &far : &near, NULL, NULL);
  if (index == 3) carom_sim_set_joint(sim, "upper", &near, NULL, NULL);
  if (index == 4) carom_sim_set_joint(sim, "uper", &near, NULL, NULL);
}

static void every_joint_that_was_not_set_is_named(void) {
  static const char text[] =
      "space: planar\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
      "joints: {upper: {revolute: [ground, a]}, lower: {revolute: [a, b], at: [1, 0]}}\n";
  run e;
  if (!run_open_text(&e, text, NULL)) return;
  carom_summary summaries[5];
  carom_error errors[5];
  carom_batch batch = {.count = 5, .threads = 2, .t_end = 0.1, .before = set_both, .errors = errors};
  CHECK(carom_batch_run(e.model, &batch, summaries, NULL) == CAROM_OK);
  for (int i = 0; i < 5; i++) {
    CHECK_EQUAL(summaries[i].status, i == 0 || i == 3 ? CAROM_OK : CAROM_ERROR_USAGE);
    CHECK_EQUAL(errors[i].status, summaries[i].status);
    CHECK_NEAR(summaries[i].t, i == 0 || i == 3 ? 0.1 : 0, 0);
  }
  CHECK(strcmp(errors[1].message, "joint 'upper' was given a value that is not finite") == 0);
  CHECK_CONTAINS(errors[2].message,
                 "joint 'upper' was given a value that is not finite; nor could these joints be set: 'lower'");
  CHECK_CONTAINS(errors[4].message, "'upper'");
  CHECK_CONTAINS(errors[4].message, "unknown name");
  run_close(&e);
}

static void odd_sizes(void) {
  carom_model *model = example_load("pendulum-revolute", NULL);
  if (!model) return;
  carom_summary one;
  carom_error error = {0};
  CHECK(carom_batch_run(model, &(carom_batch){.count = 1, .threads = 8, .t_end = 0.1}, &one, &error) == CAROM_OK);
  CHECK_NEAR(one.t, 0.1, 0);
  CHECK(carom_batch_run(model, &(carom_batch){.count = 0, .threads = 2, .t_end = 0.1}, NULL, &error) == CAROM_OK);
  CHECK(carom_batch_run(model, &(carom_batch){.count = 1, .threads = 0, .t_end = 0.1}, &one, &error) ==
        CAROM_ERROR_USAGE);
  CHECK(carom_batch_run(model, &(carom_batch){.count = -1, .threads = 1, .t_end = 0.1}, &one, &error) ==
        CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "threads");
  carom_model_destroy(model);
}

static bool counts_down(void *context) { return atomic_fetch_sub((atomic_int *)context, 1) > 0; }

// One that is told to end ends the others, and none begins after it.
static void an_interrupted_batch_ends(void) {
  enum { MANY = 200 };
  carom_model *model = example_load("pendulum-revolute", "coordinates=joint");
  if (!model) return;
  atomic_int left = 3;
  carom_summary summaries[MANY];
  carom_error error = {0};
  carom_batch batch = {.count = MANY, .threads = 2, .t_end = 1e6, .context = &left, .go_on = counts_down};
  CHECK(carom_batch_run(model, &batch, summaries, &error) == CAROM_INTERRUPTED);
  CHECK_CONTAINS(error.text, "interrupted");
  for (int i = 0; i < MANY; i++) CHECK(summaries[i].status == CAROM_INTERRUPTED);
  CHECK(summaries[0].t > 0 && summaries[0].t < 1e6 && summaries[MANY - 1].t == 0);
  carom_model_destroy(model);
}

int main(void) {
  RUN(each_sim_is_as_if_alone);
  RUN(a_set_joint_stays_and_the_loop_follows);
  RUN(set_joint_refuses_what_it_cannot_do);
  RUN(one_failure_is_its_own);
  RUN(every_joint_that_was_not_set_is_named);
  RUN(odd_sizes);
  RUN(an_interrupted_batch_ends);
  return check_summary();
}
