// Sweeps: the values of their rows, what rows keep, failures, interruptions, shards.
#include "sweeps.h"

#include <signal.h>
#include <sys/wait.h>

// Free fall for a second: known at all times. `bad` makes a row fail.
static const char *const fall =
    "space: planar\n"
    "gravity: [0, -10]\n"
    "parameters: {h: 1 m, v: 0 m/s, bad: 0}\n"
    "bodies: {ball: {mass: 2 - bad, inertia: 1}}\n"
    "joints: {free: {free: [ground, ball]}}\n"
    "initial: {free: {q: [0, 0, h], u: [0, 0, v]}}\n"
    "outputs: {y: ball.y, clock: t}\n"
    "method: smooth\n"
    "record: {every: 10 ms}\n"
    "end: 1\n";

static const char *write_model(void) {
  const char *path = scratch("fall.yaml");
  CHECK(write_text(path, fall));
  return path;
}

static carom_sweep_options options_of(const carom_setting *vary, int count, const char *record) {
  return (carom_sweep_options){.model = write_model(), .vary = vary, .vary_count = count, .record = record};
}

static carom_status sweep(const carom_sweep_options *o, carom_sweep_result *result) {
  carom_error error = {0};
  carom_status status = carom_sweep(o, result, &error);
  if (status != CAROM_OK && status != CAROM_INTERRUPTED) printf("      %s\n", error.text);
  return status;
}

// --- values and what is kept -----------------------------------------------------------------------------------------

static void rows_are_all_combinations(void) {
  static const carom_setting vary[] = {{"h", "1 m:3 m:3"}, {"v", "0, 200 cm/s"}};
  const char *path = scratch("grid.h5");
  carom_sweep_options o = options_of(vary, 2, path);
  o.take = "last(ball.y), min(ball.y), max(ball.y), mean(ball.y), rms(clock), at(ball.vy, 505 ms)";
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_ERROR_USAGE);  // one of the speeds has a unit, the other has none
  static const carom_setting units[] = {{"h", "1 m:3 m:3"}, {"v", "0 m/s, 200 cm/s"}};
  o.vary = units;
  if (!CHECK(sweep(&o, &result) == CAROM_OK)) return;
  CHECK(result.rows == 6 && result.failed == 0 && result.first_failed == -1);
  rows r = read_rows(path);
  for (long i = 0; i < r.count; i++) {
    double h = 1 + (double)(i / 2), v = 2 * (double)(i % 2), top = v * v / 20;
    CHECK_NEAR(value(&r, i, "row"), (double)i, 0);
    CHECK_NEAR(value(&r, i, "h"), h, 0);
    CHECK_NEAR(value(&r, i, "v"), v, 0);
    CHECK_NEAR(value(&r, i, "last(ball.y)"), h + v - 5, 1e-7);
    CHECK_NEAR(value(&r, i, "min(ball.y)"), h + v - 5, 1e-7);
    CHECK_NEAR(value(&r, i, "max(ball.y)"), h + top, 1e-7);  // at 0 and 0.2 s, which are rows
    // the trapezoidal rule leaves half a step squared times a sixth of the acceleration
    CHECK_NEAR(value(&r, i, "mean(ball.y)"), h + v / 2 - 5.0 / 3 - 10 * 1e-4 / 12, 1e-7);
    CHECK_NEAR(value(&r, i, "rms(clock)"), sqrt(1.0 / 3), 1e-12);
    CHECK_NEAR(value(&r, i, "at(ball.vy, 505 ms)"), v - 5.05, 1e-7);
    CHECK_NEAR(value(&r, i, "status"), CAROM_OK, 0);
    CHECK_NEAR(value(&r, i, "t"), 1, 0);
  }
  CHECK_TEXT(carom_record_get_column(r.record, 0, 1).unit, "m");
  CHECK_TEXT(carom_record_get_column(r.record, 0, 2).unit, "m/s");
  close_rows(&r);
}

static void outputs_are_taken_if_nothing_is_named(void) {
  static const carom_setting vary[] = {{"h", "1 m:16 m:5:log"}};
  const char *path = scratch("outputs.h5");
  carom_sweep_options o = options_of(vary, 1, path);
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows r = read_rows(path);
  for (long i = 0; i < r.count; i++) {
    CHECK_NEAR(value(&r, i, "h"), pow(2, (double)i), 1e-14 * pow(2, (double)i));
    CHECK_NEAR(value(&r, i, "max(y)"), pow(2, (double)i), 1e-12);
    CHECK_NEAR(value(&r, i, "last(clock)"), 1, 0);
  }
  CHECK(value(&r, 4, "h") == 16);  // the ends are exact
  close_rows(&r);
}

static void samples_depend_on_seed_and_row_alone(void) {
  static const carom_setting vary[] = {
      {"h", "1 m:3 m"}, {"v", "1 m/s:100 m/s:log"}, {"coordinates", "joint, absolute"}};
  carom_sweep_options o = options_of(vary, 3, scratch("a.h5"));
  o.sample = 400, o.seed = 7, o.take = "last(ball.y)";
  static const carom_setting brief[] = {{"end", "10 ms"}};
  o.settings = brief, o.setting_count = 1;
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows a = read_rows(o.record);
  o.sample = 50, o.record = scratch("b.h5"), o.threads = 2;
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows b = read_rows(o.record);
  CHECK_EQUAL(b.count, 50);
  double h = 0, v = 0, words = 0;
  for (long i = 0; i < a.count; i++) {
    CHECK(value(&a, i, "h") > 1 && value(&a, i, "h") < 3);
    h += value(&a, i, "h") / 400, v += log10(value(&a, i, "v")) / 400, words += value(&a, i, "coordinates") / 400;
    if (i < 50) CHECK(value(&a, i, "h") == value(&b, i, "h") && value(&a, i, "v") == value(&b, i, "v"));
  }
  CHECK_NEAR(h, 2, 4 * 2 / sqrt(12 * 400));  // four standard errors
  CHECK_NEAR(v, 1, 4 * 2 / sqrt(12 * 400));
  CHECK_NEAR(words, 1.5, 4 * 0.5 / sqrt(400));
  o.seed = 8, o.record = scratch("c.h5");
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows c = read_rows(o.record);
  CHECK(value(&c, 0, "h") != value(&b, 0, "h"));
  close_rows(&a), close_rows(&b), close_rows(&c);
}

static void failed_rows_hold_their_message(void) {
  static const carom_setting vary[] = {{"bad", "0, 1, 2, 3"}};
  carom_sweep_options o = options_of(vary, 1, scratch("failed.h5"));
  carom_sweep_result result;
  if (!CHECK(sweep(&o, &result) == CAROM_OK)) return;
  CHECK(result.rows == 4 && result.failed == 2 && result.first_failed == 2);
  CHECK_CONTAINS(result.first_message, "mass");
  rows r = read_rows(o.record);
  CHECK(isnan(value(&r, 3, "last(y)")) && value(&r, 3, "status") == CAROM_ERROR_MODEL);
  CHECK_CONTAINS(carom_record_text(r.record, "messages"), "\"3\"");
  close_rows(&r);
}

// An integrator takes few steps here; extremes and means need more rows.
// A time after the end of a run is not silently without a value.
static void values_after_the_end_are_refused(void) {
  static const carom_setting vary[] = {{"end", "0.5 s, 1 s, 2 s"}};
  carom_sweep_options o = options_of(vary, 1, scratch("late.h5"));
  o.take = "at(ball.vy, 1000 ms)";
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_OK);
  CHECK(result.failed == 1 && result.first_failed == 0);
  CHECK_CONTAINS(result.first_message, "at(ball.vy, 1000 ms): the run ends at 0.5 s");
  rows r = read_rows(o.record);
  for (long i = 1; i < r.count; i++) CHECK_NEAR(value(&r, i, "at(ball.vy, 1000 ms)"), -10, 1e-7);
  close_rows(&r);
}

static void takes_do_not_depend_on_steps(void) {
  static const carom_setting vary[] = {{"v", "3 m/s, 5 m/s"}}, settings[] = {{"record.every", "0"}};
  carom_sweep_options o = options_of(vary, 1, scratch("steps.h5"));
  o.settings = settings, o.setting_count = 1, o.take = "max(ball.y), mean(ball.y), at(ball.y, 0.3 s)";
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows r = read_rows(o.record);
  for (long i = 0; i < r.count; i++) {
    double v = 3 + 2 * (double)i, h = 1e-3;  // of a row
    CHECK_NEAR(value(&r, i, "max(ball.y)"), 1 + v * v / 20, 10 * h * h / 8);
    CHECK_NEAR(value(&r, i, "mean(ball.y)"), 1 + v / 2 - 5.0 / 3, 10 * h * h / 12 + 1e-7);
    CHECK_NEAR(value(&r, i, "at(ball.y, 0.3 s)"), 1 + 0.3 * v - 0.45, 10 * h * h / 8 + 1e-7);
  }
  close_rows(&r);
}

// Also where `record.every` and `end` vary.
static void every_row_has_an_interval_of_its_own(void) {
  static const carom_setting vary[] = {{"record.every", "0 ms, 10 ms"}, {"end", "1 s, 2 s"}};
  carom_sweep_options o = options_of(vary, 2, scratch("intervals.h5"));
  o.take = "mean(ball.y)";
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows r = read_rows(o.record);
  for (long i = 0; i < r.count; i++) {
    double end = i % 2 ? 2 : 1, h = i < 2 ? end / 1000 : 0.01;
    // what the trapezoidal rule leaves
    CHECK_NEAR(value(&r, i, "mean(ball.y)"), 1 - 5 * end * end / 3 - 10 * h * h / 12, 1e-7);
  }
  close_rows(&r);
}

static void a_model_may_say_what_is_taken(void) {
  static const carom_setting vary[] = {{"h", "1 m, 2 m"}};
  carom_sweep_options o = options_of(vary, 1, scratch("taken.h5"));
  char text[1000];
  snprintf(text, sizeof text, "%stake: max(ball.y), at(ball.y, 0.2 s)\n", fall);
  o.model = scratch("takes.yaml");
  CHECK(write_text(o.model, text));
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows r = read_rows(o.record);
  CHECK_NEAR(value(&r, 1, "at(ball.y, 0.2 s)"), 1.8, 1e-7);
  CHECK_TEXT(carom_record_get_column(r.record, 0, 4).name, "t");  // behind row, h and two values
  close_rows(&r);
  o.take = "min(ball.y)", o.record = scratch("instead.h5");
  CHECK(sweep(&o, NULL) == CAROM_OK);
  r = read_rows(o.record);
  CHECK_NEAR(value(&r, 1, "min(ball.y)"), -3, 1e-7);
  close_rows(&r);
}

// Words and messages stand in the CSV file.
static void csv_has_words_and_messages(void) {
  static const carom_setting vary[] = {{"coordinates", "joint, absolute"}, {"bad", "0, 3"}};
  carom_sweep_options o = options_of(vary, 2, scratch("words.h5"));
  o.take = "last(ball.y)";
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  const char *csv = scratch("words.csv");
  CHECK(carom_export_csv(o.record, csv, &(carom_export_options){.table = "rows"}, NULL) == CAROM_OK);
  char *text = read_file(csv, NULL);
  CHECK_CONTAINS(text, "wall_s,message\n0,joint,0,");
  CHECK_CONTAINS(text, "\n2,absolute,0,");
  CHECK_CONTAINS(text, "\n3,absolute,3,nan,");
  const char *last = strstr(text, "\n3,");
  if (last) CHECK_CONTAINS(last, "'mass' must not be negative");
  free(text);
}

// A CSV file of one table of a sweep may be replaced by that of another, whatever messages it has.
static void csv_files_of_all_tables_are_known(void) {
  static const carom_setting vary[] = {{"bad", "0:3"}, {"h", "1 m:2 m"}};
  carom_sweep_options o = options_of(vary, 2, scratch("messages.h5"));
  o.take = "last(ball.y)", o.sample = 8, o.sensitivity = true;
  carom_sweep_result result;
  if (!CHECK(sweep(&o, &result) == CAROM_OK && result.failed > 0)) return;
  const char *csv = scratch("messages.csv");
  static const char *const tables[] = {"rows", "sensitivity", "rows"};
  for (int i = 0; i < 3; i++)
    CHECK(carom_export_csv(o.record, csv, &(carom_export_options){.table = tables[i]}, NULL) == CAROM_OK);
}

// The chosen rows leave records; what is taken stays the same.
static void chosen_rows_are_recorded(void) {
  static const carom_setting vary[] = {{"h", "1 m:6 m:6"}};
  carom_sweep_options o = options_of(vary, 1, scratch("plain.h5"));
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows plain = read_rows(o.record);
  o.record = scratch("kept.h5"), o.keep = "1, 3:4", o.threads = 2;
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows kept = read_rows(o.record);
  check_same(&plain, &kept);
  for (int i = 0; i < 6; i++) {
    char name[32];
    snprintf(name, sizeof name, "kept-%d.h5", i);
    bool chosen = i == 1 || i == 3 || i == 4;
    CHECK((access(scratch(name), F_OK) == 0) == chosen);
    carom_record *run = chosen ? carom_record_open(scratch(name), NULL) : NULL;
    if (chosen && CHECK(run)) CHECK(carom_record_get_table(run, 0).rows == 101);
    carom_record_close(run);
  }
  close_rows(&plain), close_rows(&kept);
}

// A sweep has a page of its own.
static void a_sweep_has_a_page(void) {
  static const carom_setting vary[] = {{"h", "1 m:6 m:6"}};
  carom_sweep_options o = options_of(vary, 1, scratch("page.h5"));
  CHECK(sweep(&o, NULL) == CAROM_OK);
  const char *files[] = {o.record, o.record}, *page = scratch("page.html");
  carom_error error = {0};
  CHECK(carom_report(files, 2, NULL, page, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "is a sweep");
  CHECK(carom_report(files, 1, NULL, page, &error) == CAROM_OK);
  char *text = read_file(page, NULL);
  CHECK_CONTAINS(text, "\"vary\": [{\"name\": \"h\", \"range\": \"1 m:6 m:6\"}]");
  CHECK_CONTAINS(text, "\"rows\": 6, \"kept\": 6, \"step\": 1");
  free(text);
}

// A row that cannot be loaded is one that failed, also the first; units are those of the ranges.
static void the_first_row_may_fail(void) {
  static const carom_setting bad[] = {{"bad", "3, 0"}}, wrong[] = {{"h", "1 kg, 2 kg"}},
                             whole[] = {{"h", "1 m:50 m:50"}};
  carom_sweep_options o = options_of(bad, 1, scratch("first.h5"));
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_OK && result.rows == 2 && result.failed == 1 && result.first_failed == 0);
  o.vary = wrong, o.record = scratch("wrong.h5");
  CHECK(sweep(&o, &result) == CAROM_ERROR_MODEL);
  o.vary = whole, o.record = scratch("round.h5"), o.take = "last(clock)";
  CHECK(sweep(&o, &result) == CAROM_OK);
  rows r = read_rows(o.record);
  for (long i = 0; i < r.count; i++) CHECK(value(&r, i, "h") == 1 + (double)i);
  close_rows(&r);
}

// Only files that a sweep wrote are replaced, the unfinished one among them.
static void other_files_are_spared(void) {
  static const carom_setting vary[] = {{"v", "3 m/s, 5 m/s"}};
  carom_sweep_options o = options_of(vary, 1, scratch("spared.h5"));
  const char *part = scratch("spared.h5.part");
  write_text(part, "mine");
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_ERROR_USAGE);
  char *text = read_file(part, NULL);
  CHECK_TEXT(text, "mine");
  free(text);
  o.record = check_scratch_dir();
  CHECK(carom_sweep(&o, NULL, NULL) != CAROM_OK);
}

// The sweep that the guide shows: a looser slider hits harder.
static void forces_grow_with_the_clearance(void) {
  static const carom_setting vary[] = {{"clearance", "0.1 mm:1 mm:4"}};
  carom_sweep_options o = {.model = CHECK_SOURCE_DIR "/models/slider-crank.yaml",
                           .vary = vary,
                           .vary_count = 1,
                           .take = "max(guide.fn), rms(guide.fn)",
                           .record = scratch("crank.h5")};
  if (!CHECK(sweep(&o, NULL) == CAROM_OK)) return;
  rows r = read_rows(o.record);
  for (long i = 1; i < r.count; i++) {
    CHECK(value(&r, i, "max(guide.fn)") > value(&r, i - 1, "max(guide.fn)"));
    CHECK(value(&r, i, "impacts") < value(&r, i - 1, "impacts"));
  }
  close_rows(&r);
}

// Rows of a run by a list of signals: every row of the one with all signals, the same bits.
typedef struct row_list {
  double *values;
  int signals[8], count;
  long rows;
  double last_kinetic;
} row_list;

static void keep_values(void *context, double t, const double *signals) {
  row_list *l = context;
  enum { ROWS_MOST = 4000 };
  if (l->rows == ROWS_MOST) return;
  if (!l->values) l->values = calloc((size_t)(ROWS_MOST * (l->count + 1)), sizeof *l->values);
  double *row = l->values + l->rows++ * (l->count + 1);
  row[0] = t;
  for (int i = 0; i < l->count; i++) row[1 + i] = signals[l->signals[i]];
  l->last_kinetic = signals[l->signals[7]];
}

static row_list rows_of_run(const carom_model *model, int count, bool all) {
  static const char *const names[8] = {"guide.fn", "guide.ft",  "guide.mode", "slider.x",
                                       "crank.u",  "guide.gap", "slider.ay",  "energy.kinetic"};
  row_list l = {.count = count};
  carom_error error = {0};
  for (int i = 0; i < 8; i++) l.signals[i] = carom_model_signal(model, names[i]);
  carom_run_options o = {.row = keep_values,
                         .context = &l,
                         .even_rows = 300,
                         .row_signals = all ? NULL : l.signals,
                         .row_signal_count = count};
  CHECK(carom_run(model, &o, NULL, &error) == CAROM_OK);
  return l;
}

static void chosen_signals_are_those_of_all(void) {
  static const char *const methods[] = {"moreau", "compliant", "event"};
  for (int k = 0; k < 3; k++) {
    const carom_setting settings[] = {{"method", methods[k]}, {"end", "0.02"}, {"omega3", "-75"}};
    carom_error error = {0};
    carom_model *model = carom_model_load(CHECK_SOURCE_DIR "/models/slider-crank.yaml", settings, 3, &error);
    if (!CHECK(model)) printf("      %s\n", error.text);
    for (int count = 0; model && count <= 7; count++) {
      row_list all = rows_of_run(model, count, true), some = rows_of_run(model, count, false);
      const size_t row = (size_t)(count + 1);
      if (count) {
        CHECK(some.rows == all.rows + 1 && all.rows > 200);  // the last comes once more
        CHECK(memcmp(all.values, some.values, (size_t)all.rows * row * sizeof(double)) == 0);
        CHECK(memcmp(all.values + (size_t)(all.rows - 1) * row, some.values + (size_t)all.rows * row,
                     row * sizeof(double)) == 0);
      }
      CHECK(all.last_kinetic > 0 && all.last_kinetic == some.last_kinetic);
      free(all.values), free(some.values);
    }
    carom_model_destroy(model);
  }
}

// --- threads, interruptions, shards ----------------------------------------------------------------------------------

static const carom_setting many[] = {{"h", "1 m:2 m:20"}, {"v", "0 m/s:1 m/s:10"}, {"bad", "0, 3"}};

static void threads_do_not_matter(void) {
  carom_sweep_options o = options_of(many, 3, scratch("one.h5"));
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows a = read_rows(o.record);
  o.record = scratch("two.h5"), o.threads = 2;
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows b = read_rows(o.record);
  check_same(&a, &b);
  CHECK(a.count == 400);
  close_rows(&a), close_rows(&b);
}

static bool ends_soon(void *context, const carom_sweep_progress *p) { return p->done < *(const long *)context; }

static void an_interrupted_sweep_goes_on(void) {
  carom_sweep_options o = options_of(many, 3, scratch("whole.h5"));
  static const carom_setting longer[] = {{"end", "100"}, {"record.every", "1 s"}};
  o.settings = longer, o.setting_count = 2;
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows whole = read_rows(o.record);
  o.record = scratch("parts.h5");
  long most = 0, stops = 0;
  o.progress = ends_soon, o.context = &most, o.threads = 2;
  carom_sweep_result result = {0};
  carom_status status;
  while ((most += 1 + result.rows) < 4000 && (status = sweep(&o, &result)) == CAROM_INTERRUPTED) stops++;
  CHECK(status == CAROM_OK && result.rows == 400);
  rows parts = read_rows(o.record);
  check_same(&whole, &parts);
  CHECK(access(scratch("parts.h5.part"), F_OK) != 0);
  printf("      %ld interruptions\n", stops);
  close_rows(&whole), close_rows(&parts);
}

// A process that is killed leaves rows that the next one takes over.
static void a_killed_sweep_goes_on(void) {
  carom_sweep_options o = options_of(many, 3, scratch("killed.h5"));
  static const carom_setting longer[] = {{"end", "1000"}, {"record.every", "1 s"}};
  o.settings = longer, o.setting_count = 2;
  pid_t child = fork();
  if (child == 0) _exit(carom_sweep(&o, NULL, NULL));
  for (int k = 0; k < 100 && access(scratch("killed.h5.part"), F_OK) != 0; k++) usleep(20000);
  usleep(1500000);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_OK);
  CHECK(result.rows == 400);
  rows parts = read_rows(o.record);
  o.record = scratch("unharmed.h5");
  CHECK(sweep(&o, &result) == CAROM_OK && result.found == 0);
  rows whole = read_rows(o.record);
  check_same(&whole, &parts);
  close_rows(&whole), close_rows(&parts);
}

// Rows that an interrupted sweep did not record are run again for their records.
static void rows_are_recorded_later(void) {
  static const carom_setting vary[] = {{"h", "1 m:2 m:40"}}, longer[] = {{"end", "1000"}, {"record.every", "1 s"}};
  carom_sweep_options o = options_of(vary, 1, scratch("later.h5"));
  o.settings = longer, o.setting_count = 2;
  long most = 1;
  o.progress = ends_soon, o.context = &most;
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_INTERRUPTED && result.rows > 0);
  o.progress = NULL, o.keep = "all";
  CHECK(sweep(&o, &result) == CAROM_OK && result.found == 0);
  CHECK(access(scratch("later-0.h5"), F_OK) == 0 && access(scratch("later-39.h5"), F_OK) == 0);
}

// Another process would get rows and bring them back as this thread does.
typedef struct helper {
  const carom_sweep_options *options;
  carom_sweep_desk *desk;
  long rows;
  bool strange;  // works on another sweep
} helper;

static long fetch(void *context) { return carom_sweep_desk_take(((helper *)context)->desk); }

static bool bring(void *context, const double *row, int columns, const char *message) {
  helper *h = context;
  CHECK_EQUAL(columns, carom_sweep_desk_columns(h->desk));
  h->rows++;
  carom_sweep_desk_give(h->desk, row, message);
  return true;
}

static void help(void *context, carom_sweep_desk *desk) {
  helper *h = context;
  h->desk = desk;
  carom_sweep_options o = *h->options;
  if (h->strange) o.take = "last(clock)";
  carom_sweep_source source = {carom_sweep_desk_identity(desk), fetch, bring, h};
  carom_status status = carom_sweep_work(&o, &source, NULL);
  CHECK(status == (h->strange ? CAROM_ERROR_USAGE : CAROM_OK));
  if (status != CAROM_OK) carom_sweep_desk_stop(desk);
}

static void other_processes_may_run_rows(void) {
  carom_sweep_options o = options_of(many, 3, scratch("alone.h5"));
  static const carom_setting longer[] = {{"end", "100"}, {"record.every", "1 s"}};
  o.settings = longer, o.setting_count = 2;
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows alone = read_rows(o.record);
  o.record = scratch("helped.h5");
  helper h = {.options = &o, .strange = true};
  o.serve = help, o.context = &h;
  CHECK(sweep(&o, NULL) == CAROM_INTERRUPTED && h.rows == 0);
  h.strange = false;
  carom_sweep_result result;
  CHECK(sweep(&o, &result) == CAROM_OK && result.failed == 200 && h.rows > 50);
  CHECK_CONTAINS(result.first_message, "mass");
  rows helped = read_rows(o.record);
  check_same(&alone, &helped);
  close_rows(&alone), close_rows(&helped);
}

static void rows_of_another_sweep_are_refused(void) {
  carom_sweep_options o = options_of(many, 3, scratch("mine.h5"));
  long none = 0;
  o.progress = ends_soon, o.context = &none;
  static const carom_setting longer[] = {{"end", "1e5"}};
  o.settings = longer, o.setting_count = 1;
  CHECK(sweep(&o, NULL) == CAROM_INTERRUPTED);
  o.setting_count = 0, o.progress = NULL;
  carom_error error = {0};
  CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "another sweep");
}

static void shards_are_joined(void) {
  carom_sweep_options o = options_of(many, 3, scratch("all.h5"));
  CHECK(sweep(&o, NULL) == CAROM_OK);
  rows all = read_rows(o.record);
  const char *files[4];
  carom_sweep_result result;
  for (int k = 0; k < 4; k++) {
    char name[32];
    snprintf(name, sizeof name, "shard%d.h5", k);
    static char paths[4][4400];
    snprintf(paths[k], sizeof paths[k], "%s", scratch(name));
    o.record = files[k] = paths[k], o.shard = k + 1, o.shards = 4;
    CHECK(sweep(&o, &result) == CAROM_OK && result.rows == 100);
  }
  carom_error error = {0};
  const char *joined = scratch("joined.h5");
  CHECK(carom_sweep_join(files, 3, joined, false, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "100 of 400 rows are missing, row 3 first");
  CHECK(carom_sweep_join(files, 4, files[0], true, NULL, &error) == CAROM_ERROR_USAGE);  // an input
  CHECK(carom_sweep_join(files, 4, joined, false, &result, &error) == CAROM_OK);
  CHECK(result.rows == 400 && result.failed == 200 && result.first_failed == 1);
  CHECK_CONTAINS(result.first_message, "mass");
  rows together = read_rows(joined);
  check_same(&all, &together);
  close_rows(&all), close_rows(&together);
}

// --- what is refused -------------------------------------------------------------------------------------------------

static void bad_sweeps_are_refused(void) {
  static const struct {
    carom_setting vary;
    long sample;
    const char *take, *says;
  } bad[] = {{{"h", "1:2"}, 0, NULL, "another number of parts"},
             {{"h", "1:2:0"}, 0, NULL, "not a number of values"},
             {{"h", "1:2:3:lin"}, 0, NULL, "'log'"},
             {{"h", "-1:2:3:log"}, 0, NULL, "positive"},
             {{"h", "1 m:2 kg:3"}, 0, NULL, "different units"},
             {{"h", "1:2:2000000000"}, 0, NULL, "not a number of values"},
             {{"h", "1:2:1"}, 0, NULL, "two ends"},
             {{"h", "one:2:3"}, 0, NULL, "not a number"},
             {{"h", "1,,2"}, 0, NULL, "empty"},
             {{"h", "1,two"}, 0, NULL, "others are not"},
             {{"h", ""}, 0, NULL, "empty"},
             {{"h", "1:1"}, 5, NULL, "empty"},
             {{"h", "1:2:3"}, 5, NULL, "'log'"},
             {{"height", "1:2:3"}, 0, NULL, "height"},
             {{"h", "1:2:3"}, 0, "largest(y)", "not 'largest'"},
             {{"h", "1:2:3"}, 0, "max(z)", "no signal 'z'"},
             {{"h", "1:2:3"}, 0, "at(y)", "needs a time"},
             {{"h", "1:2:3"}, 0, "at(y, 3 kg)", "not a time"},
             {{"h", "1:2:3"}, 0, "max(y, 2)", "comma"},
             {{"h", "1:2:3"}, 0, "y", "max(SIGNAL)"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    carom_sweep_options o = options_of(&bad[i].vary, 1, scratch("refused.h5"));
    o.sample = bad[i].sample, o.take = bad[i].take;
    carom_error error = {0};
    CHECK(carom_sweep(&o, NULL, &error) != CAROM_OK);
    CHECK_CONTAINS(error.text, bad[i].says);
    CHECK(access(o.record, F_OK) != 0);
  }
  static const carom_setting twice[] = {{"h", "1,2"}, {"h", "3,4"}};
  carom_sweep_options o = options_of(twice, 2, scratch("refused.h5"));
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_ERROR_USAGE);
  static const carom_setting set[] = {{"v", "1 m/s"}};
  o = options_of(many, 3, scratch("refused.h5")), o.settings = set, o.setting_count = 1;
  carom_error error = {0};
  CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "'v' varies, and is also set to '1 m/s'");
  static const char *const keeps[] = {"400", "-1", "3:2", "1:2:3", "some", ""};
  for (int i = 0; i < 6; i++) {
    o = options_of(many, 3, scratch("refused.h5")), o.keep = keeps[i];
    CHECK(carom_sweep(&o, NULL, &error) == CAROM_ERROR_USAGE);
    CHECK_CONTAINS(error.text, "--keep");
  }
  o = options_of(many, 3, NULL);
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_ERROR_USAGE);
  o = options_of(many, 3, write_model());  // the model itself
  o.force = true;
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_ERROR_USAGE);
  o = options_of(many, 3, scratch("x.h5"));
  o.shard = 3, o.shards = 2;
  CHECK(carom_sweep(&o, NULL, NULL) == CAROM_ERROR_USAGE);
}

int main(void) {
  RUN(rows_are_all_combinations);
  RUN(outputs_are_taken_if_nothing_is_named);
  RUN(samples_depend_on_seed_and_row_alone);
  RUN(failed_rows_hold_their_message);
  RUN(values_after_the_end_are_refused);
  RUN(takes_do_not_depend_on_steps);
  RUN(every_row_has_an_interval_of_its_own);
  RUN(a_model_may_say_what_is_taken);
  RUN(csv_has_words_and_messages);
  RUN(csv_files_of_all_tables_are_known);
  RUN(chosen_rows_are_recorded);
  RUN(a_sweep_has_a_page);
  RUN(the_first_row_may_fail);
  RUN(other_files_are_spared);
  RUN(forces_grow_with_the_clearance);
  RUN(chosen_signals_are_those_of_all);
  RUN(threads_do_not_matter);
  RUN(an_interrupted_sweep_goes_on);
  RUN(a_killed_sweep_goes_on);
  RUN(rows_are_recorded_later);
  RUN(other_processes_may_run_rows);
  RUN(rows_of_another_sweep_are_refused);
  RUN(shards_are_joined);
  RUN(bad_sweeps_are_refused);
  return check_summary();
}
