// Mistakes that once went unnoticed: each of these looked fine and was wrong.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "check.h"

static double value(carom_sim *sim, const carom_model *model, const char *name) {
  return carom_sim_read(sim, carom_model_signal(model, name));
}

static void the_space_may_be_a_parameter(void) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(
      "parameters: {sp: planar}\nspace: sp\n"
      "bodies: {bob: {mass: 1, com: [1, 0]}}\n"
      "joints: {hinge: {revolute: [ground, bob]}}\n",
      "sp", &error);
  if (!CHECK_TEXT(error.text, "")) return;
  carom_sim *sim = carom_sim_create(model, &error);
  CHECK_NEAR(value(sim, model, "hinge.a"), -9.81, 1e-13);  // a point mass on a rod of 1 m, falling from the horizontal
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static carom_status run_with(const char *name, const carom_setting *settings, int count, carom_summary *summary) {
  char path[1024];
  carom_error error = {0};
  check_source(name, path, sizeof path);
  carom_model *model = carom_model_load(path, settings, count, &error);
  if (!CHECK(model != NULL)) return printf("%s\n", error.text), error.status;
  carom_run_options options = {0};
  carom_status status = carom_run(model, &options, summary, &error);
  if (status != CAROM_OK) printf("%s\n", error.text);
  carom_model_destroy(model);
  return status;
}

// An angle of 66000 π is known to 3e-11, which is more than a loop is otherwise held to.
static void a_loop_closes_after_many_turns(void) {
  const carom_setting settings[] = {
      {"drives.motor.motion", "66000*pi + speed*t"}, {"initial.coupler.guess", "60 deg - 66000*pi"}, {"end", "0.5 s"}};
  carom_summary s;
  CHECK_EQUAL(run_with("models/four-bar.yaml", settings, 3, &s), CAROM_OK);
  CHECK_EQUAL(s.projection_failures, 0);
  CHECK_EQUAL(s.unbalanced, 0);
  CHECK_LE(s.constraint_violation, 1e-9);
}

static void energy_that_does_not_balance_is_told(void) {
  const carom_setting coarse[] = {{"integrator", "{type: rk4, step: 1 s}"}, {"end", "100 s"}};
  const carom_setting fine[] = {{"end", "5 s"}};
  carom_summary s;
  CHECK_EQUAL(run_with("models/pendulum.yaml", coarse, 2, &s), CAROM_OK);
  CHECK_EQUAL(s.unbalanced, 1);
  CHECK_EQUAL(run_with("models/pendulum.yaml", fine, 1, &s), CAROM_OK);
  CHECK_EQUAL(s.unbalanced, 0);
}

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

static void an_included_file_is_part_of_the_model(void) {
  char main_path[5000], part_path[5000], record_path[5000];
  const char *folder = check_scratch_dir();
  snprintf(main_path, sizeof main_path, "%s/main.yaml", folder);
  snprintf(part_path, sizeof part_path, "%s/part.yaml", folder);
  snprintf(record_path, sizeof record_path, "%s/run.h5", folder);
  put(main_path, "include: part.yaml\nspace: planar\njoints: {j: {revolute: [ground, a]}}\nend: 0.1\n");
  put(part_path, "bodies: {a: {mass: 1, inertia: 1}}\n");
  carom_error error = {0};
  carom_model *model = carom_model_load(main_path, NULL, 0, &error);
  if (!CHECK_TEXT(error.text, "")) return;

  carom_run_options over = {.record = part_path}, good = {.record = record_path};
  CHECK_EQUAL(carom_run(model, &over, NULL, &error), CAROM_ERROR_USAGE);  // would be written over
  CHECK_EQUAL(carom_run(model, &good, NULL, &error), CAROM_OK);
  carom_model_destroy(model);

  put(part_path, "bodies: {a: {mass: 2, inertia: 1}}\n");
  model = carom_model_load(main_path, NULL, 0, &error);
  if (!CHECK(model != NULL)) return;
  carom_run_options resume = {.resume = record_path, .end = 0.2};
  CHECK_EQUAL(carom_run(model, &resume, NULL, &error), CAROM_ERROR_USAGE);  // another model
  carom_model_destroy(model);
}

static void code_is_checked_like_text(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[2] = 1;
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "a";
  const double stiffness = -3;
  carom_force_def force = carom_force_default();
  force.joint = "j", force.stiffness = (carom_numbers){&stiffness, 1};
  carom_def_body(def, "a", &body);
  carom_def_joint(def, "j", "revolute", &joint);
  carom_def_force(def, "f", "along", &force);
  carom_error error = {0};
  CHECK(carom_model_compile(def, &error) == NULL);
  CHECK_CONTAINS(error.message, "stiffness");
  carom_def_destroy(def);
}

// Each part of a definition in code, through the public functions alone: a driven arm with a spring-loaded weight.
static void every_part_can_be_written_in_code(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  about.end = 0.2;
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[2] = 0.1;
  carom_def_body(def, "arm", &body);
  carom_def_body(def, "weight", &body);
  carom_marker_def tip = carom_marker_default();
  tip.on = "arm", tip.at[0] = 1;
  carom_def_marker(def, "tip", &tip);
  carom_joint_def hinge = carom_joint_default(), slide = carom_joint_default();
  hinge.between[0] = "ground", hinge.between[1] = "arm";
  slide.between[0] = "tip", slide.between[1] = "weight", slide.axis[0] = 1;
  carom_def_joint(def, "hinge", "revolute", &hinge);
  carom_def_joint(def, "slide", "prismatic", &slide);
  carom_drive_def motor = {.joint = "hinge", .motion = CAROM_EXPRESSION("2*t")};
  carom_def_drive(def, "motor", &motor);
  const double stiffness = 100;
  carom_force_def spring = carom_force_default();
  spring.joint = "slide", spring.stiffness = (carom_numbers){&stiffness, 1};
  carom_def_force(def, "spring", "along", &spring);
  carom_def_output(def, "twice", CAROM_EXPRESSION("2*slide.q"));
  carom_integrator_def integrator = carom_integrator_default();
  integrator.rtol = integrator.atol = 1e-10;
  carom_def_integrator(def, &integrator);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  carom_def_destroy(def);
  if (!CHECK_TEXT(error.text, "")) return;
  carom_sim *sim = carom_sim_create(model, &error);
  CHECK_EQUAL(carom_sim_advance(sim, 0.2, &error), CAROM_OK);
  CHECK_NEAR(value(sim, model, "hinge.q"), 0.4, 1e-15);
  CHECK_NEAR(value(sim, model, "twice"), 2 * value(sim, model, "slide.q"), 0);
  // along the arm: s'' = ω² (1 + s) - k s - g sin(2 t), with m = 1
  double s = value(sim, model, "slide.q");
  CHECK_NEAR(value(sim, model, "slide.a"), 4 * (1 + s) - 100 * s - 9.81 * sin(0.4), 1e-12 * 100);
  CHECK(carom_sim_accelerations(sim) != NULL);
  const double nothing = NAN;
  CHECK_EQUAL(carom_sim_set_joint(sim, "slide", &nothing, NULL, &error), CAROM_ERROR_USAGE);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

int main(void) {
  RUN(the_space_may_be_a_parameter);
  RUN(a_loop_closes_after_many_turns);
  RUN(energy_that_does_not_balance_is_told);
  RUN(an_included_file_is_part_of_the_model);
  RUN(code_is_checked_like_text);
  RUN(every_part_can_be_written_in_code);
  return check_summary();
}
