// Whole runs with their files: what is in them, while the run goes on, after its end and after an interruption.
#include "runs.h"

#include <sys/wait.h>

#include "record/record.h"

// A column of a table of a record, by name. Null after a failed check; to be freed.
static double *read_column(record_reader *in, const char *table, const char *column, long *rows) {
  const int t = record_find_table(in, table);
  if (!CHECK(t >= 0)) return NULL;
  record_table about = record_get_table(in, t);
  int k = 0;
  while (k < about.column_count && strcmp(about.columns[k], column) != 0) k++;
  if (!CHECK(k < about.column_count)) return NULL;
  *rows = record_rows(in, t);
  const long count = *rows > 0 ? *rows : 0;
  double *all = calloc((size_t)(count * about.column_count + 1), sizeof *all),
         *out = calloc((size_t)count + 1, sizeof *out);
  carom_error error = {0};
  if (all && out && CHECK(record_read(in, t, 0, count, all, &error) == CAROM_OK))
    for (long i = 0; i < count; i++) out[i] = all[i * about.column_count + k];
  free(all);
  return out;
}

static bool ascends(const double *t, long rows) {
  for (long i = 1; i < rows; i++)
    if (!(t[i] > t[i - 1])) return false;
  return rows > 0;
}

// --- a complete run --------------------------------------------------------------------------------------------------

static const char *const swing =
    "title: swing\n"
    "bodies: {bob: {mass: 2, inertia: [1, 1, 1], com: [0, 0, -1]}}\n"
    "joints: {hinge: {revolute: [ground, bob], axis: y}}\n"
    "initial: {hinge: {q: 1, u: 0.5}}\n"
    "outputs: {double: 2*hinge.q, speed: 'hypot(hinge.u, 0)', clock: t}\n"
    "integrator: {type: rk4, step: 0.01}\n"
    "end: 1.005\n";

static void outputs_are_recorded(void) {
  carom_error error = {0};
  const char *path = scratch("outputs.h5");
  carom_model *model = carom_model_parse(swing, "swing.yaml", &error);
  if (!CHECK(model)) return;
  carom_summary summary;
  CHECK(carom_run(model, &(carom_run_options){.record = path}, &summary, &error) == CAROM_OK);
  record_reader *in = record_open(path, &error);
  if (CHECK(in)) {
    CHECK(!record_is_running(in));
    long rows = 0;
    double *t = read_column(in, "time", "t", &rows), *q = read_column(in, "joints", "hinge.q", &rows),
           *u = read_column(in, "joints", "hinge.u", &rows), *twice = read_column(in, "outputs", "double", &rows),
           *speed = read_column(in, "outputs", "speed", &rows), *clock = read_column(in, "outputs", "clock", &rows);
    CHECK_EQUAL(rows, 102);  // the start, 100 whole steps and half a one
    for (long i = 0; t && q && u && twice && speed && clock && i < rows; i++) {
      CHECK_NEAR(twice[i], 2 * q[i], 0);
      CHECK_NEAR(speed[i], fabs(u[i]), 1e-15);
      CHECK_NEAR(clock[i], t[i], 0);
    }
    CHECK(t && ascends(t, rows) && t[0] == 0 && t[rows - 1] == 1.005);
    CHECK(q && q[0] == 1);
    CHECK_CONTAINS(record_get_text(in, "model"), "title: swing");
    CHECK_CONTAINS(record_get_text(in, "summary"), "\"status\": \"done\"");
    free(t), free(q), free(u), free(twice), free(speed), free(clock);
  }
  record_close(in);
  carom_model_destroy(model);
}

// Outputs know what only a simulation knows: accounts of energy, forces of contacts.
static void outputs_know_energies_and_contacts(void) {
  carom_error error = {0};
  run r;
  static const char settings[] =
      "end=0.02 outputs.lost=energy.impact+energy.friction outputs.force=2*guide.fn "
      "outputs.open=energy.imbalance*energy.kinetic";
  if (!run_open(&r, "slider-crank", settings)) return;
  run_to(&r, 0.02);
  const double lost = run_read(&r, "energy.impact") + run_read(&r, "energy.friction");
  CHECK(lost > 0);
  CHECK_NEAR(run_read(&r, "lost"), lost, 0);
  CHECK_NEAR(run_read(&r, "open"), run_read(&r, "energy.imbalance") * run_read(&r, "energy.kinetic"), 0);
  const char *path = scratch("known.h5");
  CHECK(carom_run(r.model, &(carom_run_options){.record = path}, NULL, &error) == CAROM_OK);
  record_reader *in = record_open(path, &error);
  long rows = 0, pressed = 0;
  if (CHECK(in)) {
    double *force = read_column(in, "outputs", "force", &rows), *fn = read_column(in, "contacts", "guide.fn", &rows),
           *sum = read_column(in, "outputs", "lost", &rows),
           *impact = read_column(in, "energy", "energy.impact", &rows),
           *friction = read_column(in, "energy", "energy.friction", &rows);
    for (long i = 0; force && fn && sum && impact && friction && i < rows; i++) {
      pressed += fn[i] > 0;
      CHECK_NEAR(force[i], 2 * fn[i], 0);
      CHECK_NEAR(sum[i], impact[i] + friction[i], 0);
    }
    CHECK(pressed > 0);
    CHECK(sum && sum[rows - 1] == lost);
    free(force), free(fn), free(sum), free(impact), free(friction);
  }
  record_close(in);
  run_close(&r);
}

// --- CSV -------------------------------------------------------------------------------------------------------------

// The file's lines; their first fields as numbers.
static long read_csv(const char *path, char *header, size_t size, double *t, long most) {
  FILE *file = fopen(path, "r");
  char line[8192];
  long rows = 0;
  if (!CHECK(file)) return 0;
  CHECK(fgets(header, (int)size, file));
  while (rows < most && fgets(line, sizeof line, file)) t[rows++] = strtod(line, NULL);
  fclose(file);
  return rows;
}

static void csv_has_header_and_exact_ends(void) {
  static const char *const settings[] = {"integrator.type=adams", "integrator.type=erk", "integrator.type=bdf",
                                         "coordinates=absolute", "integrator.type=rk4 integrator.step=7e-3"};
  enum { MOST = 20000 };
  static double t[MOST];
  for (int i = 0; i < 5; i++) {
    char header[8192] = "", words[256];
    const char *path = scratch("run.csv");
    snprintf(words, sizeof words, "%s record.every=0", settings[i]);
    carom_model *model = example_load("pendulum-revolute", words);
    if (!model) continue;
    carom_summary summary;
    carom_error error = {0};
    CHECK(carom_run(model, &(carom_run_options){.csv = path, .end = 0.777}, &summary, &error) == CAROM_OK);
    long rows = read_csv(path, header, sizeof header, t, MOST);
    CHECK_EQUAL(strncmp(header, "t,hinge.q,hinge.u,bar.x,bar.y,bar.z,bar.qw,bar.qx,bar.qy,bar.qz,energy.kinetic,", 79),
                0);
    CHECK_EQUAL(rows, summary.steps + 1);
    CHECK(ascends(t, rows) && t[0] == 0 && t[rows - 1] == 0.777);
    carom_model_destroy(model);
  }
}

static void every_sets_the_rows(void) {
  static const struct {
    const char *settings;
    double end;
    long rows;
  } cases[] = {
      {"integrator.type=adams record.every=0.01", 0.5, 51},
      {"integrator.type=adams record.every=0.1", 0.55, 7},  // 0, 0.1 ... 0.5 and the end
      {"integrator.type=rk4 integrator.step=0.003 record.every=0.01", 0.1, 11},
      {"integrator.type=erk record.every=0.02", 1, 51},
      {"coordinates=absolute record.every=0.01", 0.3, 31},
      {"integrator.type=adams record.every=10", 0.5, 2},  // the ends are always there
  };
  enum { MOST = 1000 };
  static double t[MOST];
  for (int i = 0; i < 6; i++) {
    char header[8192] = "";
    const char *path = scratch("every.csv");
    carom_model *model = example_load("pendulum-revolute", cases[i].settings);
    if (!model) continue;
    carom_error error = {0};
    CHECK(carom_run(model, &(carom_run_options){.csv = path, .end = cases[i].end}, NULL, &error) == CAROM_OK);
    long rows = read_csv(path, header, sizeof header, t, MOST);
    if (!CHECK_EQUAL(rows, cases[i].rows)) printf("      %s\n", cases[i].settings);
    CHECK(ascends(t, rows) && t[0] == 0 && t[rows - 1] == cases[i].end);
    double every = strtod(strstr(cases[i].settings, "every=") + 6, NULL);
    for (long k = 0; k + 1 < rows; k++) CHECK_NEAR(t[k], (double)k * every, 1e-15);
    carom_model_destroy(model);
  }
}

// A row between steps is as good as one at a step: dense output on the same motion, to its tolerance.
static void rows_between_steps_are_accurate(void) {
  run fine;
  const char *path = scratch("dense.h5");
  carom_model *model = example_load("pendulum-revolute", "record.every=0.01");
  if (!model) return;
  carom_error error = {0};
  CHECK(carom_run(model, &(carom_run_options){.record = path, .end = 1}, NULL, &error) == CAROM_OK);
  record_reader *in = record_open(path, &error);
  if (CHECK(in) && run_open(&fine, "pendulum-revolute", "integrator.rtol=1e-12 integrator.atol=1e-12")) {
    long rows = 0;
    double *t = read_column(in, "time", "t", &rows), *q = read_column(in, "joints", "hinge.q", &rows), worst = 0;
    for (long i = 0; t && q && i < rows && run_to(&fine, t[i]); i++)
      worst = fmax(worst, fabs(q[i] - run_read(&fine, "hinge.q")));
    CHECK_LE(worst, 1e-8);  // 50 steps at rtol = atol = 1e-10
    printf("    dense output to %.2g rad\n", worst);
    free(t), free(q);
    run_close(&fine);
  }
  record_close(in);
  carom_model_destroy(model);
}

// --- while it runs ---------------------------------------------------------------------------------------------------

typedef struct onlooker {
  const char *path;
  int calls;
  long rows[64];
  bool running;
} onlooker;

// Another process opens the file now and counts its rows.
static long rows_seen_by_a_child(const char *path, bool *running) {
  int pipe_ends[2];
  long seen[2] = {-1, 0};
  if (pipe(pipe_ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    carom_error error = {0};
    record_reader *in = record_open(path, &error);
    const int table = in ? record_find_table(in, "joints") : -1;
    if (table >= 0) seen[0] = record_rows(in, table), seen[1] = record_is_running(in);
    if (write(pipe_ends[1], seen, sizeof seen) != sizeof seen) _exit(1);
    _exit(0);
  }
  close(pipe_ends[1]);
  if (child < 0 || read(pipe_ends[0], seen, sizeof seen) != sizeof seen) seen[0] = -1;
  close(pipe_ends[0]);
  if (child > 0) waitpid(child, NULL, 0);
  *running = seen[1] != 0;
  return seen[0];
}

static bool look_on(void *context, const carom_progress *progress) {
  onlooker *o = context;
  if (o->calls < 64) o->rows[o->calls] = rows_seen_by_a_child(o->path, &o->running);
  o->calls++;
  return progress->wall_s < 3;  // by then rows of the first second are on the disk
}

// Interrupted by its progress function after three seconds of wall time, with a reader beside it all the while.
static void a_record_can_be_read_while_it_grows(void) {
  const char *path = scratch("growing.h5");
  carom_model *model = example_load("chain", "n=12 integrator.type=rk4 integrator.step=1e-4");
  if (!model) return;
  onlooker o = {.path = path};
  carom_error error = {0};
  carom_summary summary;
  carom_run_options options = {.record = path, .end = 1e4, .progress = look_on, .context = &o};
  CHECK(carom_run(model, &options, &summary, &error) == CAROM_INTERRUPTED);
  CHECK(summary.status == CAROM_INTERRUPTED);
  CHECK(error.status == CAROM_INTERRUPTED);
  CHECK_EQUAL(carom_status_exit_code(summary.status), 130);
  CHECK(summary.t > 0 && summary.t < 1e4);
  CHECK_LE(5, o.calls);
  const int last = (o.calls < 64 ? o.calls : 64) - 1;
  CHECK(o.running);
  CHECK_LE(0, o.rows[0]);
  CHECK_LE(100, o.rows[last]);
  for (int i = 1; i <= last; i++) CHECK(o.rows[i] >= o.rows[i - 1]);
  printf("    a reader saw %ld, %ld, ... %ld rows\n", o.rows[0], o.rows[1], o.rows[last]);

  // and afterwards: complete, closed, with the reason in the summary
  record_reader *in = record_open(path, &error);
  if (CHECK(in)) {
    long rows = 0;
    double *t = read_column(in, "time", "t", &rows);
    CHECK(!record_is_running(in));
    CHECK_EQUAL(rows, summary.steps + 1);
    CHECK(t && ascends(t, rows) && t[0] == 0 && t[rows - 1] == summary.t);
    CHECK_CONTAINS(record_get_text(in, "summary"), "\"status\": \"interrupted\"");
    free(t);
  }
  record_close(in);
  carom_model_destroy(model);
}

// --- trouble ---------------------------------------------------------------------------------------------------------

static void a_failed_run_keeps_what_it_has(void) {
  static const char *const text =
      "bodies: {bob: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {slide: {prismatic: [ground, bob], axis: x}}\n"
      "forces: {pull: {along: slide, effort: 'if(t < 0.5, 1, sqrt(-1 - 1*slide.q^2))'}}\n"
      "end: 1\n";
  const char *path = scratch("failed.h5");
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "failing.yaml", &error);
  if (!CHECK(model)) {
    printf("%s\n", error.text);
    return;
  }
  carom_summary summary;
  carom_status status = carom_run(model, &(carom_run_options){.record = path}, &summary, &error);
  CHECK_EQUAL(carom_status_exit_code(status), 1);
  CHECK(error.text[0]);
  CHECK_NEAR(summary.t, 0.5, 1e-3);
  record_reader *in = record_open(path, &error);
  if (CHECK(in)) {
    long rows = 0;
    double *t = read_column(in, "time", "t", &rows), *q = read_column(in, "joints", "slide.q", &rows);
    CHECK(t && ascends(t, rows));
    for (long i = 0; t && q && i < rows; i++) CHECK_NEAR(q[i], t[i] * t[i] / 2, 1e-7);
    CHECK_CONTAINS(record_get_text(in, "summary"), "\"status\": \"failed\"");
    free(t), free(q);
  }
  record_close(in);
  carom_model_destroy(model);
}

static void files_that_cannot_be_written(void) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(swing, "swing.yaml", &error);
  if (!CHECK(model)) return;
  carom_summary summary;
  CHECK(carom_run(model, &(carom_run_options){.record = "/nowhere/run.h5"}, &summary, &error) == CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.text, "/nowhere/run.h5");
  CHECK(carom_run(model, &(carom_run_options){.csv = "/nowhere/run.csv"}, &summary, &error) == CAROM_ERROR_FILE);
  CHECK_EQUAL(carom_status_exit_code(summary.status), 3);
  CHECK(carom_run(model, &(carom_run_options){.resume = "/nowhere/run.h5"}, &summary, &error) == CAROM_ERROR_FILE);
  carom_model_destroy(model);
}

typedef struct said {
  int count;
  char text[512];
} said;

static bool give_up(void *context, const carom_progress *p) { return (void)context, (void)p, false; }

static void note(void *context, const char *sentence) {
  said *s = context;
  s->count++;
  snprintf(s->text, sizeof s->text, "%s", sentence);
}

// Half a million million rows: more than ten terabytes, however well they are compressed.
static void files_that_cannot_fit_are_announced(void) {
  const char *record = scratch("huge.h5"), *text = scratch("huge.csv");
  carom_error error = {0};
  said heard = {0};
  carom_model *model = example_load("pendulum-revolute", "record.every=2e-6 end=1e6");
  if (!CHECK(model)) return;
  carom_run_options options = {.record = record, .progress = give_up, .warn = note, .context = &heard};
  CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_INTERRUPTED);
  CHECK_CONTAINS(heard.text, "GB left; give record.every a longer interval");
  options.record = NULL, options.csv = text;
  CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_INTERRUPTED);
  CHECK_CONTAINS(heard.text, "huge.csv' would take");
  CHECK_EQUAL(heard.count, 2);
  options.csv = "/dev/null";
  CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_INTERRUPTED);
  options.csv = NULL;
  CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_INTERRUPTED);
  options.record = record, options.end = 1e-3, options.progress = NULL;  // its end counts
  CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_OK);
  CHECK_EQUAL(heard.count, 2);
  carom_model_destroy(model);
}

static void large_records_are_announced(void) {
  static const struct {
    const char *settings;
    int count;
  } cases[] = {{"record.every=1e-3 end=1.5e5", 1}, {"record.every=1 end=1.5e5", 0}};
  for (int i = 0; i < 2; i++) {
    said heard = {0};
    carom_error error = {0};
    carom_model *model = example_load("pendulum-revolute", cases[i].settings);
    if (!CHECK(model)) return;
    carom_run_options options = {.record = scratch("large.h5"), .progress = give_up, .warn = note, .context = &heard};
    CHECK_EQUAL(carom_run(model, &options, NULL, &error), CAROM_INTERRUPTED);
    CHECK_EQUAL(heard.count, cases[i].count);
    if (heard.count) CHECK_CONTAINS(heard.text, "a longer interval for record.every makes it smaller");
    carom_model_destroy(model);
  }
}

// A resume goes on with the same model only, and not into the past.
static void resume_is_careful(void) {
  const char *path = scratch("first.h5");
  carom_error error = {0};
  carom_model *model = carom_model_parse(swing, "swing.yaml", &error), *other = example_load("pendulum-revolute", NULL);
  if (!CHECK(model && other)) return;
  CHECK(carom_run(model, &(carom_run_options){.record = path}, NULL, &error) == CAROM_OK);
  CHECK(carom_run(other, &(carom_run_options){.resume = path, .end = 2}, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "another model");
  CHECK(carom_run(model, &(carom_run_options){.resume = path, .end = 0.5}, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK(carom_run(model, &(carom_run_options){.resume = path, .end = 2}, NULL, &error) == CAROM_OK);
  carom_model_destroy(model);
  carom_model_destroy(other);
}

int main(void) {
  record_skip_exit_handler();
  RUN(outputs_are_recorded);
  RUN(outputs_know_energies_and_contacts);
  RUN(csv_has_header_and_exact_ends);
  RUN(every_sets_the_rows);
  RUN(rows_between_steps_are_accurate);
  RUN(a_record_can_be_read_while_it_grows);
  RUN(a_failed_run_keeps_what_it_has);
  RUN(files_that_cannot_be_written);
  RUN(files_that_cannot_fit_are_announced);
  RUN(large_records_are_announced);
  RUN(resume_is_careful);
  return check_summary();
}
