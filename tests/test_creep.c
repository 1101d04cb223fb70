// Creep: friction laws of continuous contact hold a load by sliding slower than v0. The ledger measures how far, and
// the run says so.
#include "runs.h"

#include "build/definition.h"
#include "build/model_internal.h"
#include "checkpoint.h"

static const double v0 = 1e-3;

// What the verdict says of creep, in `said`. Returns false if it says nothing.
static bool creep_is_told(const run *r, char *said, size_t size) {
  carom_error error = {0};
  carom_summary s = carom_sim_summary(r->sim);
  carom_verdict *verdict = carom_judge(r->model, &s, &error);
  bool told = false;
  if (!CHECK(verdict != NULL)) return false;
  for (int i = 0; carom_verdict_check(verdict, i).key; i++) {
    carom_check c = carom_verdict_check(verdict, i);
    if (strcmp(c.key, "creep") != 0) continue;
    CHECK_EQUAL(c.level, CAROM_DOUBTFUL);
    CHECK(!told);
    told = true;
    snprintf(said, size, "%s", c.sentence);
  }
  carom_verdict_destroy(verdict);
  return told;
}

static void check_silent(const run *r) {
  char said[1024] = "", json[4096];
  carom_summary s = carom_sim_summary(r->sim);
  CHECK_EQUAL(s.creeps, 0);
  CHECK_NEAR(s.creep, 0, 0);
  if (!CHECK(!creep_is_told(r, said, sizeof said))) printf("      %s\n", said);
  carom_summary_json(&s, json, sizeof json);
  CHECK_CONTAINS(json, "\"creep\": 0");
  CHECK(!strstr(json, "\"creep\": {"));
}

// --- a box on a slope ------------------------------------------------------------------------------------------------

// Brown and McPhee's friction μ tanh(4 v/v0) holds m g sin where it is tan of the slope.
static double creep_speed(double tangent, double mu) { return v0 / 4 * atanh(tangent / mu); }

// How far it creeps in two seconds, after one in which the normal force settles. The two corners are one pair: their
// ways do not add up. The speed is good to the tolerances of the integrator, 1e-6, over the slope of the friction law,
// at 26 degrees 0.05 of that at rest: 2e-5 of v0 at most.
static void a_box_on_a_slope_creeps(void) {
  static const double angles[] = {5, 20, 26};
  for (int i = 0; i < 3; i++) {
    run r;
    char settings[96], json[4096], said[1024] = "", expected[128];
    snprintf(settings, sizeof settings, "method=compliant slope=%g*pi/180", angles[i]);
    if (!run_open(&r, "incline-box", settings)) return;
    double speed = creep_speed(tan(angles[i] * M_PI / 180), 0.5);
    run_to(&r, 1);
    double before = carom_sim_summary(r.sim).creep, x = run_read(&r, "box.x");
    run_to(&r, 3);
    carom_summary s = carom_sim_summary(r.sim);
    printf("    at %g degrees %.9g m, closed form %.9g m\n", angles[i], s.creep - before, 2 * speed);
    CHECK_EQUAL(s.creeps, 1);
    CHECK_NEAR(s.creep - before, 2 * speed, 2e-5 * 2 * v0);
    CHECK_NEAR(s.creep - before, run_read(&r, "box.x") - x, 2e-5 * 2 * v0);
    CHECK_NEAR(s.creep, 3 * speed, 3e-3 * 3 * speed);
    CHECK_NEAR(s.creep_v0, v0, 0);
    CHECK_TEXT(s.creep_pair, "box-incline");
    carom_summary_json(&s, json, sizeof json);
    snprintf(expected, sizeof expected, "\"creep\": {\"pair\": \"box-incline\", \"distance\": %.9g", s.creep);
    CHECK_CONTAINS(json, expected);
    CHECK_CONTAINS(json, "\"creep\": 1");
    CHECK(creep_is_told(&r, said, sizeof said));
    CHECK_CONTAINS(said, "'box-incline' crept ");
    CHECK_CONTAINS(said, "v0 = 1 mm/s");
    run_close(&r);
  }
}

// A tenth of v0 creeps a tenth as far.
static void creep_goes_with_v0(void) {
  run r;
  if (!run_open(&r, "incline-box", "method=compliant materials.wood.v0=1e-4")) return;
  run_to(&r, 3);
  CHECK_NEAR(carom_sim_summary(r.sim).creep, 0.3 * creep_speed(tan(M_PI / 9), 0.5), 1e-2 * 0.1 * v0);
  run_close(&r);
}

static void rigid_methods_do_not_creep(void) {
  static const char *const methods[] = {"method=moreau method.moreau.step=1e-3", "method=event"};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open(&r, "incline-box", methods[i])) return;
    run_to(&r, 3);
    check_silent(&r);
    run_close(&r);
  }
}

// Bristles bend and hold: they move by less than a bristle is long and creep no more.
static void bristles_do_not_creep(void) {
  run r;
  if (!run_open(&r, "incline-box", "method=compliant materials.wood.friction_law=lugre")) return;
  run_to(&r, 1);
  check_silent(&r);
  run_close(&r);
}

// --- bodies that settle ----------------------------------------------------------------------------------------------

#define BALL                                                                                          \
  "space: planar\n"                                                                                   \
  "parameters: {v: 0, w: 0, mu: 0.3}\n"                                                               \
  "bodies: {ball: {mass: 1, inertia: 4e-3}}\n"                                                        \
  "joints: {free: {free: [ground, ball], at: [0, 0.3]}}\n"                                            \
  "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n" \
  "materials: {m: {stiffness: 1e6, restitution: 0.5, friction: mu}}\n"                                \
  "initial: {free: {u: [w, v, 0]}}\nmethod: compliant\nend: 5\n"

// A ball bounces and rests, straight down and with spin; thrown along it rolls on.
static void a_ball_that_rests_is_silent(void) {
  static const char *const starts[] = {"", "w=5", "v=1", "v=1 mu=0.05"};
  for (int i = 0; i < 4; i++) {
    run r;
    if (!run_open_text(&r, BALL, starts[i])) return;
    run_to(&r, 5);
    check_silent(&r);
    run_close(&r);
  }
}

// A box that is 3 mm long slides to a stop. From v0 it takes some 1e-7 m, as Coulomb's friction would, and 1e-6 of its
// size is less than that.
static void stops_are_no_creep(void) {
  run r;
  if (!run_open(
          &r, "incline-box",
          "method=compliant slope=0 l=0.003 b=0.002 m=1e-3 materials.wood.stiffness=1e5 initial.rest.u=[0,0.05,0]"))
    return;
  run_to(&r, 1);
  CHECK_LE(fabs(run_read(&r, "box.vx")), 1e-6);
  check_silent(&r);
  run_close(&r);
}

// --- pairs that come and go ------------------------------------------------------------------------------------------

// A ball that rolls down needs friction 2/7 m g sin, and slips for it. In a crowd its pair has no place of its own in
// the model and is named by its surfaces.
static void a_ball_of_a_crowd_creeps(void) {
  static const char *const text =
      "gravity: [9.81*sin(0.2), 0, -9.81*cos(0.2)]\n"
      "bodies: {one: {mass: 1, inertia: [4e-3, 4e-3, 4e-3]}, two: {mass: 1, inertia: [4e-3, 4e-3, 4e-3]}}\n"
      "joints: {a: {free: [ground, one], at: [0, 0, 0.1]}, b: {free: [ground, two], at: [0, 1, 0.15]}}\n"
      "surfaces: {one: {sphere: one, radius: 0.1, material: m}, two: {sphere: two, radius: 0.1, material: m}, floor: "
      "{plane: ground, material: m}}\n"
      "materials: {m: {stiffness: 1e6, restitution: 0.1, friction: 0.3}}\nmethod: compliant\nend: 2\n";
  run listed, crowd = {0};
  if (!run_open_text(&listed, text, "")) return;
  listed.model->def->listed_pairs = 1;
  crowd.model = carom_model_compile(listed.model->def, &crowd.error);
  crowd.sim = crowd.model ? carom_sim_create(crowd.model, &crowd.error) : NULL;
  if (CHECK(crowd.sim && crowd.model->contacts.crowd)) {
    run_to(&crowd, 1), run_to(&listed, 1);
    carom_summary a = carom_sim_summary(crowd.sim), b = carom_sim_summary(listed.sim);
    printf("    %s %.6g m, listed %s %.6g m\n", a.creep_pair, a.creep, b.creep_pair, b.creep);
    CHECK_NEAR(a.creep, creep_speed(2.0 / 7 * tan(0.2), 0.3), 1e-2 * v0);
    CHECK_NEAR(b.creep, a.creep, 1e-3 * v0);
    CHECK_TEXT(a.creep_pair, b.creep_pair);
    CHECK(strstr(a.creep_pair, "floor") != NULL);
  }
  run_close(&crowd), run_close(&listed);
}

// --- resume ----------------------------------------------------------------------------------------------------------

// A stretch goes on that had not yet counted at the checkpoint (1 ms), and one that had.
static void creep_goes_on_after_a_resume(void) {
  static const double times[] = {1e-3, 0.06};
  for (int i = 0; i < 2; i++) {
    run whole, cut, resumed;
    static const char *const settings =
        "method=compliant integrator=rk4 integrator.step=1e-5 materials.wood.stiffness=1e6 materials.wood.v0=1e-2";
    if (!run_open(&whole, "incline-box", settings)) return;
    if (!run_open(&cut, "incline-box", settings) || !run_open(&resumed, "incline-box", settings)) return;
    double *row = calloc((size_t)sim_checkpoint_size(cut.sim), sizeof *row);
    run_to(&cut, times[i]);
    if (i == 0) check_silent(&cut);
    sim_checkpoint(cut.sim, row);
    CHECK(sim_resume(resumed.sim, row, &resumed.error) == CAROM_OK);
    CHECK_NEAR(carom_sim_summary(resumed.sim).creep, carom_sim_summary(cut.sim).creep, 0);
    run_to(&whole, times[i]), run_to(&whole, 0.1), run_to(&resumed, 0.1);
    carom_summary a = carom_sim_summary(whole.sim), b = carom_sim_summary(resumed.sim);
    CHECK(a.creep > 0);
    CHECK_NEAR(b.creep, a.creep, 0);
    CHECK_NEAR(b.creep_v0, a.creep_v0, 0);
    CHECK_TEXT(b.creep_pair, a.creep_pair);
    free(row);
    run_close(&whole), run_close(&cut), run_close(&resumed);
  }
}

int main(void) {
  RUN(a_box_on_a_slope_creeps);
  RUN(creep_goes_with_v0);
  RUN(rigid_methods_do_not_creep);
  RUN(bristles_do_not_creep);
  RUN(a_ball_that_rests_is_silent);
  RUN(stops_are_no_creep);
  RUN(a_ball_of_a_crowd_creeps);
  RUN(creep_goes_on_after_a_resume);
  return check_summary();
}
