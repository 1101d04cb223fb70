// Memory refused at every single allocation of ours, one after the other: each time a clear answer, no crash, no leak
// (the leak sanitizer looks).
#include "example.h"
#include "wrapped_malloc.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "record/record.h"

enum { MOST = 2000 };

// What is tried: returns its status. The error must say the same.
typedef carom_status attempt(carom_error *error);

static char model_path[4200], record_path[4200], csv_path[4200];
static carom_setting setting;
static long rows_of_all;  // of a record that was not disturbed
static carom_model *ready;
static carom_fit *ready_fit;

static carom_status load_and_create(carom_error *error) {
  carom_model *model = carom_model_load(model_path, &setting, setting.name != NULL, error);
  carom_sim *sim = model ? carom_sim_create(model, error) : NULL;
  const carom_status status = sim ? CAROM_OK : error->status;
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return status;
}

static carom_status define_and_compile(carom_error *error) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  carom_def *def = carom_def_create(&about);
  if (!def) return error->status = CAROM_ERROR_MEMORY;
  carom_body_def body = carom_body_default();
  body.mass = 1;
  for (int k = 0; k < 3; k++) body.inertia[k] = 1;
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "bar";
  carom_status status = carom_def_body(def, "bar", &body);
  if (status == CAROM_OK) status = carom_def_joint(def, "hinge", "revolute", &joint);
  error->status = status;
  carom_model *model = status == CAROM_OK ? carom_model_compile(def, error) : NULL;
  if (!model) status = error->status;
  carom_model_destroy(model);
  carom_def_destroy(def);
  return status;
}

static carom_status run_and_record(carom_error *error) {
  carom_summary summary;
  carom_run_options options = {.record = record_path, .csv = csv_path, .end = 0.01};
  carom_status status = carom_run(ready, &options, &summary, error);
  CHECK(summary.status == status);
  return status;
}

static long rows_recorded(void) {
  carom_error error = {0};
  record_reader *in = record_open(record_path, &error);
  long rows = in ? record_rows(in, record_find_table(in, "time")) : -1;
  record_close(in);
  return rows;
}

// A record that a program makes: the first status that is not OK, and in any case a summary at the end.
static carom_status record_a_sim(carom_error *error) {
  carom_sim *sim = carom_sim_create(ready, error);
  carom_record_options options = {.record = record_path, .csv = csv_path};
  carom_summary summary = {.steps = -1};
  carom_status status = sim ? carom_sim_record(sim, &options, error) : error->status;
  if (status == CAROM_OK) {
    status = carom_sim_advance(sim, 0.01, error);
    carom_error at_end = {0};
    carom_status ended = carom_sim_end_record(sim, &summary, &at_end);
    CHECK_EQUAL(summary.steps, carom_sim_summary(sim).steps);
    CHECK_EQUAL(summary.status, status);
    if (status == CAROM_OK) status = ended, *error = at_end;
  }
  carom_sim_destroy(sim);
  return status;
}

static bool is_recorded_whole(void) { return CHECK_EQUAL(rows_recorded(), rows_of_all); }

static carom_status set_a_joint(carom_error *error) {
  const double q = 0.1, u = 0;
  carom_sim *sim = carom_sim_create(ready, error);
  carom_status status = sim ? carom_sim_set_joint(sim, "a", &q, &u, error) : error->status;
  carom_sim_destroy(sim);
  return status;
}

static carom_status run_a_batch(carom_error *error) {
  carom_summary summaries[2];
  carom_status status =
      carom_batch_run(ready, &(carom_batch){.count = 2, .threads = 1, .t_end = 0.01}, summaries, error);
  for (int i = 0; i < 2 && status == CAROM_OK; i++) error->status = status = summaries[i].status;
  return status;
}

// HDF5 opens a file a second time if it cannot at first: then nothing is lost. `survives` says that this is so; may be
// null. Of long subjects every `stride`th allocation is refused.
static void refuse_some(const char *what, attempt *try, bool (*survives)(void), long stride) {
  long n = 1;
  for (; n < MOST * stride; n += stride) {
    carom_error error = {0};
    memory_calls.count = 0, memory_calls.fail_at = n, memory_calls.refused = false;
    const carom_status status = try(&error);
    memory_calls.fail_at = 0;
    if (!memory_calls.refused) {
      CHECK(status == CAROM_OK);
      break;
    }
    // inside HDF5, which asks us to open its file, it is the file that cannot be written
    const bool within_file = status == CAROM_ERROR_FILE && strstr(error.text, strerror(ENOMEM));
    const bool told = error.status == status && (status == CAROM_ERROR_MEMORY || within_file);
    if (status == CAROM_OK && survives && survives()) continue;
    if (!CHECK(told)) printf("      %s: allocation %ld refused, status %d: %s\n", what, n, (int)status, error.text);
  }
  printf("    %s: %ld allocations\n", what, n - 1);
  CHECK_LE(2, n - 1);
  CHECK_LE(n, MOST * stride - 1);
}

static void refuse_each(const char *what, attempt *try, bool (*survives)(void)) { refuse_some(what, try, survives, 1); }

static void loading(void) {
  static const struct {
    const char *model;
    carom_setting setting;
  } subjects[] = {{"bricard", {0}},
                  {"bricard", {"coordinates", "absolute"}},
                  {"bricard", {"integrator.type", "bdf"}},
                  {"bricard", {"integrator.type", "erk"}},
                  {"chain", {"n", "300"}},
                  {"chain", {"coordinates", "absolute"}},
                  {"puck", {0}},
                  {"universal-shaft", {0}},
                  {"bifilar-pendulum", {0}},
                  {"sled", {0}},
                  {"slider-crank", {0}},
                  {"slider-crank", {"method", "event"}}};
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    char relative[256];
    snprintf(relative, sizeof relative, "models/%s.yaml", subjects[i].model);
    if (!CHECK(check_source(relative, model_path, sizeof model_path))) continue;
    setting = subjects[i].setting;
    refuse_each(subjects[i].model, load_and_create, NULL);
  }
}

static void building_in_code(void) { refuse_each("a definition in code", define_and_compile, NULL); }

static void recording(void) {
  snprintf(record_path, sizeof record_path, "%s/run.h5", check_scratch_dir());
  snprintf(csv_path, sizeof csv_path, "%s/run.csv", check_scratch_dir());
  ready = example_load("bricard", NULL);
  if (ready) refuse_each("a recorded run", run_and_record, NULL);
  carom_error error = {0};
  if (ready && CHECK_EQUAL(record_a_sim(&error), CAROM_OK)) {
    rows_of_all = rows_recorded();
    refuse_each("a recorded sim", record_a_sim, is_recorded_whole);
  }
  carom_model_destroy(ready);
}

// Balls that reach a floor while the run goes on, more than there are slots at first: arrays grow in a step, and the
// last row is read from them.
static void a_crowd(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\nparameters: {n: 300}\n"
      "bodies: {\"b{i}\": {repeat: {i: [1, n]}, mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {\"b{i}\": {repeat: {i: [1, n]}, free: [ground, \"b{i}\"], at: [\"0.2*i\", 0, 0.06]}}\n"
      "surfaces:\n  floor: {plane: ground, material: m}\n"
      "  s{i}: {repeat: {i: [1, n]}, sphere: \"b{i}\", radius: 0.05, material: m}\n"
      "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n"
      "initial: {\"b{i}\": {repeat: {i: [1, n]}, velocity: [0, 0, -2]}}\n";
  carom_error error = {0};
  snprintf(model_path, sizeof model_path, "%s/crowd.yaml", check_scratch_dir());
  snprintf(record_path, sizeof record_path, "%s/crowd.h5", check_scratch_dir());
  snprintf(csv_path, sizeof csv_path, "%s/crowd.csv", check_scratch_dir());
  FILE *f = fopen(model_path, "w");
  if (!CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0)) return;
  ready = carom_model_load(model_path, NULL, 0, &error);
  if (CHECK(ready)) refuse_each("a crowd", run_and_record, NULL);
  else printf("      %s\n", error.text);
  carom_model_destroy(ready);
}

static void other_starts(void) {
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int i = 0; i < 2; i++) {
    ready = example_load("bricard", coordinates[i]);
    if (ready) refuse_each("set_joint", set_a_joint, NULL);
    if (ready) refuse_each("a batch", run_a_batch, NULL);
    carom_model_destroy(ready);
  }
}

// --- studies: what is written must not be left behind in part ---

static const char oscillator[] =
    "space: planar\nparameters: {k: 9 N/m}\nbodies: {mass: {mass: 1, inertia: 1}}\n"
    "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
    "forces: {spring: {along: slide.q, stiffness: k, damping: 0.6}, drive: {motor: slide, effort: cos(t)}}\n"
    "initial: {slide: {q: 0.3}}\nmethod: smooth\nend: 5\n";

// Files of the folder of results.
static int results(void) {
  char folder[4200];
  snprintf(folder, sizeof folder, "%s/results", check_scratch_dir());
  DIR *open = opendir(folder);
  int count = 0;
  for (struct dirent *e; open && (e = readdir(open));) count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
  if (open) closedir(open);
  return count;
}

static carom_fit *fit(carom_error *error) {
  return carom_identify(&(carom_fit_options){.model = model_path,
                                             .fit = &(carom_setting){"k", "8:10"},
                                             .fit_count = 1,
                                             .match = &(carom_setting){"slide.q", "x"},
                                             .match_count = 1,
                                             .data = &(carom_fit_data){.file = csv_path},
                                             .data_count = 1,
                                             .starts = 1,
                                             .searches = 1},
                        error);
}

static carom_status fit_and_forget(carom_error *error) {
  carom_fit *f = fit(error);
  const carom_status status = f ? CAROM_OK : error->status;
  carom_fit_destroy(f);
  return status;
}

static carom_status write_fit(carom_error *error) {
  remove(record_path);
  const carom_status status = carom_fit_record(ready_fit, record_path, false, error);
  CHECK_EQUAL(results(), status == CAROM_OK);
  return status;
}

static carom_status write_fitted_model(carom_error *error) {
  remove(record_path);
  const carom_status status = carom_fit_write_model(ready_fit, record_path, false, error);
  CHECK_EQUAL(results(), status == CAROM_OK);
  return status;
}

static carom_status draw_diagram(carom_error *error) {
  remove(record_path);
  carom_bifurcation_result result;
  const carom_status status = carom_bifurcation(&(carom_bifurcation_options){.model = model_path,
                                                                             .vary = {"k", "8, 9"},
                                                                             .period = "2*pi",
                                                                             .cut = 1,
                                                                             .points = 2,
                                                                             .halvings = CAROM_BIFURCATION_NONE,
                                                                             .one_way = true,
                                                                             .record = record_path},
                                                &result, error);
  CHECK_EQUAL(results(), status == CAROM_OK);
  // a value whose run has no memory fails as any other, and says so
  if (status == CAROM_OK && result.failed) {
    CHECK_CONTAINS(result.first_message, "memory");
    return error->status = CAROM_ERROR_MEMORY;
  }
  return status;
}

static bool is_written(void) {
  carom_error error = {0};
  record_reader *in = record_open(record_path, &error);
  record_close(in);
  return in != NULL;
}

static void studies(void) {
  char folder[4200];
  snprintf(folder, sizeof folder, "%s/results", check_scratch_dir());
  snprintf(model_path, sizeof model_path, "%s/oscillator.yaml", check_scratch_dir());
  snprintf(csv_path, sizeof csv_path, "%s/measured.csv", check_scratch_dir());
  snprintf(record_path, sizeof record_path, "%s/result.h5", folder);
  if (!CHECK(mkdir(folder, 0700) == 0 && write_text(model_path, oscillator) &&
             write_text(csv_path, "t,x\n0,0.3\n0.2,0.27\n0.4,0.2\n")))
    return;
  carom_error error = {0};
  ready_fit = fit(&error);
  if (!CHECK_TEXT(error.text, "")) return;
  refuse_some("a fit", fit_and_forget, NULL, 41);
  refuse_each("a fit that is written", write_fit, is_written);
  remove(record_path);
  snprintf(record_path, sizeof record_path, "%s/fitted.yaml", folder);
  refuse_each("a model that is fitted", write_fitted_model, NULL);
  remove(record_path);
  snprintf(record_path, sizeof record_path, "%s/diagram.h5", folder);
  refuse_some("a bifurcation diagram", draw_diagram, is_written, 3);
  carom_fit_destroy(ready_fit);
}

int main(void) {
  record_skip_exit_handler();
  RUN(building_in_code);
  RUN(loading);
  RUN(other_starts);
  RUN(a_crowd);
  RUN(recording);
  RUN(studies);
  return check_summary();
}
