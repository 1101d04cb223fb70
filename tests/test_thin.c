// Long runs in few rows: what is left out is within the bound that is stated, and what matters is kept.
#include "pages.h"

#include "record/thin.h"

// Every row that was left out is within the bound of the line between its kept neighbours.
static void check_level(const synthetic *s, const double *all, const thin_level *level) {
  const row_set *kept = &level->kept;
  double worst = 0;
  long left = 0, missing = 0;
  for (long right = 1; right < s->rows; right++) {
    if (!row_set_has(kept, right)) continue;
    for (long i = left + 1; i < right; i++)
      for (int k = 0; k < COLUMNS; k++) {
        double part = (double)(i - left) / (double)(right - left);
        double line = all[left * COLUMNS + k] + part * (all[right * COLUMNS + k] - all[left * COLUMNS + k]);
        worst = fmax(worst, fabs(line - all[i * COLUMNS + k]) / 2);
        missing += isnan(all[i * COLUMNS + k]);
      }
    left = right;
  }
  CHECK_EQUAL(left, s->rows - 1);
  CHECK_LE(worst, level->bound * (1 + 1e-9));
  CHECK_EQUAL(missing, 0);  // a row without a number is never left out
  for (long i = 50000; i <= 50050; i++) CHECK(row_set_has(kept, i));
}

static void thinning_keeps_its_bound(void) {
  synthetic s = {.rows = 100000, .value = smooth_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  const char *path = scratch("thin.h5");
  if (!write_synthetic(path, &s)) return;
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  row_set_add(&must, 0), row_set_add(&must, s.rows - 1);
  row_set_add_range(&must, 50000, 50050);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = k == 3 ? 0 : 2;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, 20000, &result, &error));
  double *all = ARENA_ARRAY(&memory, double, (s.rows * COLUMNS));
  CHECK(record_read(in, 1, 0, s.rows, all, &error) == CAROM_OK);
  record_close(in);
  CHECK(result.count > 5);
  CHECK_LE(result.levels[0].kept.count, 20000);
  // a chord of h rows of a sine of rate 5/s is (5 h/1000)²/8 off, 1e-3·2 of it after 25 rows; four times the bound:
  // half the rows
  CHECK_LE(result.levels[0].bound, 0.25e-3);
  for (int i = 0; i < result.count; i++) {
    check_level(&s, all, &result.levels[i]);
    if (i > 0)
      CHECK(result.levels[i].bound == 4 * result.levels[i - 1].bound &&
            result.levels[i].kept.count <= result.levels[i - 1].kept.count);
  }
}

// The finest bound is far below what anyone sees.
static void thinning_begins_fine(void) {
  synthetic s = {.rows = 3000, .value = smooth_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("begin.h5"), &s)) return;
  record_reader *in = record_open(scratch("begin.h5"), &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 2;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, s.rows, &result, &error));
  record_close(in);
  CHECK_EQUAL(result.count, THIN_LEVELS);
  CHECK_NEAR(result.levels[0].bound, 1e-3 / 65536, 0);
  CHECK(result.levels[0].kept.count > s.rows * 9 / 10);
}

static double missing_value(long row, int column) {
  return column % 2 && row % 1000 < 900 ? NAN : (double)(row / 1000 % 2);
}

// A number that is missing for long takes the rows at its ends, not all.
static void missing_numbers_take_no_room(void) {
  synthetic s = {.rows = 10000, .value = missing_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("missing.h5"), &s)) return;
  record_reader *in = record_open(scratch("missing.h5"), &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 1;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, s.rows, &result, &error));
  record_close(in);
  for (int i = 0; i < 10; i++)
    for (long row = 1000 * i; row <= 1000 * i + 900; row += 900) CHECK(row_set_has(&result.levels[0].kept, row));
  CHECK_LE(result.levels[0].kept.count, 10 * 4 + 1);  // two rows at each of its ends
}

static void thinning_gives_way_to_the_budget(void) {
  synthetic s = {.rows = 20000, .value = noise_value, .summary = "{}", .step = 1e-3};
  carom_error error = {0};
  const char *path = scratch("noise.h5");
  if (!write_synthetic(path, &s)) return;
  record_reader *in = record_open(path, &error);
  if (!CHECK(in)) return;
  row_set must = row_set_create(&memory, s.rows);
  row_set_add(&must, 0), row_set_add(&must, s.rows - 1);
  double scales[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) scales[k] = 1;
  thin_result result;
  CHECK(thin_table(&memory, in, 1, 0, scales, &must, 1000, &result, &error));
  CHECK_LE(result.levels[0].kept.count, 1000);
  CHECK(result.levels[0].bound > 0.2);  // noise has no line through it
  record_close(in);
}

// Noise in every column and more impacts than a page holds: the worst that can come. What a page of a smooth run keeps
// is within its bound, every impact that is kept is there row by row.
static void long_runs_stay_small(void) {
  synthetic s = {
      .rows = 120000, .value = noise_value, .summary = "{\"status\": \"done\"}", .impacts = 60000, .step = 1e-3};
  carom_error error = {0};
  const char *run = scratch("long.h5"), *html = scratch("long.html");
  if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  struct stat about;
  CHECK(stat(html, &about) == 0);
  CHECK_LE((double)about.st_size, 20e6);
  opened_page p = open_page(html);
  const json_value *report_run = run_of(&p, 0), *axis = axis_of(report_run, table_of(report_run, "joints"));
  const json_value *impacts = json_get(report_run, "impacts");
  CHECK_EQUAL(json_get_number(axis, "rows", 0), s.rows);
  CHECK(json_get_number(axis, "raw", 1) == 0);
  CHECK_EQUAL(json_get_number(impacts, "rows", 0), s.impacts);
  CHECK(json_get_number(impacts, "kept", 0) < (double)s.impacts && json_get_number(impacts, "kept", 0) > 10000);
  long count;
  double *index = read_column(&p, json_get(axis, "index"), &count),
         *t = read_column(&p, json_get(axis, "time"), &count);
  CHECK_EQUAL(count, json_get_number(axis, "kept", 0));
  CHECK(index[0] == 0 && index[count - 1] == (double)(s.rows - 1));
  for (long i = 1; i < count; i++)
    if (!CHECK(index[i] > index[i - 1] && t[i] == 1e-3 * index[i])) break;
}

static void impacts_are_kept_raw(void) {
  synthetic s = {
      .rows = 400000, .value = smooth_value, .summary = "{\"status\": \"done\"}", .impacts = 50, .step = 1e-3};
  carom_error error = {0};
  const char *run = scratch("raw.h5"), *html = scratch("raw.html");
  if (!write_synthetic(run, &s) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  opened_page p = open_page(html);
  const json_value *report_run = run_of(&p, 0), *joints = table_of(report_run, "joints"),
                   *axis = axis_of(report_run, joints);
  CHECK(json_get_number(axis, "raw", 1) == 0);
  CHECK_LE(json_get_number(axis, "bound", 1), 1e-4);
  struct stat about;
  CHECK(stat(html, &about) == 0);
  CHECK(about.st_size > 8000000 && about.st_size < 20000000);  // the next finer level has twice the rows
  long count, impacts;
  double *index = read_column(&p, json_get(axis, "index"), &count);
  double *start = read_column(&p, find_named(json_get(json_get(report_run, "impacts"), "columns"), "start"), &impacts);
  bool *kept = ARENA_ARRAY(&memory, bool, s.rows + 8);
  for (long i = 0; i < count; i++) kept[(long)index[i]] = true;
  CHECK_EQUAL(impacts, s.impacts);
  for (long i = 0; i < impacts; i++)
    for (long row = lround(start[i] / s.step) - 8; row <= lround(start[i] / s.step) + 11; row++) CHECK(kept[row]);
  const json_value *spiked = &json_get(joints, "columns")->items[1];
  CHECK_NEAR(json_get_number(spiked, "max", 0), 5, 0);
  CHECK(kept[77777]);
}

enum { BLOWS = 400, BLOW_PERIOD = 600, BLOW_ROWS = 400 };

// Smooth between impacts, wild within them.
static double struck_value(long row, int column) {
  double slow = sin((1 + 0.1 * column) * 1e-4 * (double)row);
  return row % BLOW_PERIOD < BLOW_ROWS ? slow + noise_value(row, column) : slow;
}

static double blow_speed(long i) { return 1 + noise_value(i, COLUMNS); }

static bool write_struck(const char *path) {
  carom_error error = {0};
  record *r = create_synthetic(path, true, NULL, 0);
  if (!r) return false;
  double row[COLUMNS];
  for (long i = 0; i < BLOWS * BLOW_PERIOD; i++) {
    for (int k = 0; k < COLUMNS; k++) row[k] = struck_value(i, k);
    record_append(r, 0, &(double){1e-3 * (double)i}, &error), record_append(r, 1, row, &error);
  }
  for (long i = 0; i < BLOWS; i++) {
    double start = 1e-3 * (double)(i * BLOW_PERIOD);
    impact hit = {.start = start,
                  .end = start + 1e-3 * BLOW_ROWS,
                  .impulse_normal = 1,
                  .approach_speed = blow_speed(i),
                  .peak_force = 10};
    record_append(r, 2, (const double *)&hit, &error);
  }
  return CHECK(record_finish(r, "{\"status\": \"done\"}", &error) == CAROM_OK);
}

static bool is_whole(const bool *kept, long blow) {
  for (long row = blow * BLOW_PERIOD; row <= blow * BLOW_PERIOD + BLOW_ROWS + 8; row++)
    if (!kept[row]) return false;
  return true;
}

// How far lines between kept rows are from what was recorded, over the scale of each column.
static double worst_line(const opened_page *p, const json_value *columns, const double *index, long count) {
  double worst = 0;
  for (int k = 0; k < columns->count; k++) {
    const json_value *c = &columns->items[k];
    double *x = read_column(p, c, &count), scale = json_get_number(c, "max", 0) - json_get_number(c, "min", 0);
    for (long i = 0; i + 1 < count; i++)
      for (long row = (long)index[i]; row <= (long)index[i + 1]; row++) {
        double part = ((double)row - index[i]) / (index[i + 1] - index[i]);
        worst = fmax(worst, fabs(x[i] + part * (x[i + 1] - x[i]) - struck_value(row, k)) / scale);
      }
  }
  return worst;
}

// More impacts of many rows than fit: the page is filled with the strongest, whole, and what it says of the rest holds.
static void the_strongest_impacts_are_whole(void) {
  carom_error error = {0};
  const char *run = scratch("struck.h5"), *html = scratch("struck.html");
  if (!write_struck(run) || !CHECK(report_on(run, html, &error) == CAROM_OK)) return;
  struct stat about;
  CHECK(stat(html, &about) == 0);
  CHECK(about.st_size > 15000000 && about.st_size < 20000000);
  opened_page p = open_page(html);
  const json_value *report_run = run_of(&p, 0), *joints = table_of(report_run, "joints"),
                   *axis = axis_of(report_run, joints);
  long count, whole = 0;
  double *index = read_column(&p, json_get(axis, "index"), &count), weakest_whole = INFINITY, strongest_broken = 0;
  bool *kept = ARENA_ARRAY(&memory, bool, BLOWS *BLOW_PERIOD + BLOW_PERIOD);
  for (long i = 0; i < count; i++) kept[(long)index[i]] = true;
  for (long i = 0; i < BLOWS; i++) {
    for (long row = i * BLOW_PERIOD; row <= i * BLOW_PERIOD + 8; row++)  // where each begins is there in any case
      CHECK(kept[row] && kept[row + BLOW_ROWS]);
    if (is_whole(kept, i)) weakest_whole = fmin(weakest_whole, blow_speed(i)), whole++;
    else strongest_broken = fmax(strongest_broken, blow_speed(i));
  }
  CHECK(whole > BLOWS / 5 && whole < BLOWS);
  CHECK(weakest_whole > strongest_broken);
  CHECK_LE(worst_line(&p, json_get(joints, "columns"), index, count), json_get_number(axis, "bound", 0));
}

enum { HITS = 40, RESTS = 120000 };

// Few hits among very many contacts that gather far more impulse without any approach: there is no room for all.
static bool write_hits_and_rests(const char *path) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  record_table tables[] = {{"time", t, second, 1, NULL, false},
                           {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT, NULL, false}};
  carom_error error = {0};
  record *r = record_create(path, tables, 2, NULL, 0, NULL, &error);
  if (!CHECK(r)) return false;
  for (long i = 0; i < 1000; i++) record_append(r, 0, &(double){1e-3 * (double)i}, &error);
  for (long i = 0; i < RESTS; i++) {
    double start = (double)i / RESTS;
    bool hits = i % (RESTS / HITS) == 7;
    impact row = {.point = hits,
                  .start = start,
                  .end = start + (hits ? 0 : 0.5),
                  .impulse_normal = hits ? 1e-3 : 5 + noise_value(i, 0),
                  .peak_force = hits ? 0 : 10 + noise_value(i, 1),
                  .approach_speed = hits ? 2 : 1e-7 * noise_value(i, 2)};
    record_append(r, 1, (const double *)&row, &error);
  }
  return CHECK(record_finish(r, "{\"status\": \"done\"}", &error) == CAROM_OK);
}

static void hits_outrank_rest(void) {
  carom_error error = {0};
  if (!write_hits_and_rests(scratch("rests.h5"))) return;
  CHECK(report_on(scratch("rests.h5"), scratch("rests.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("rests.html"));
  const json_value *impacts = json_get(run_of(&p, 0), "impacts");
  CHECK(json_get_number(impacts, "kept", RESTS) < RESTS / 2);
  long count, hits = 0;
  double *point = read_column(&p, find_named(json_get(impacts, "columns"), "point"), &count);
  for (long i = 0; i < count; i++) hits += point[i] == 1;
  CHECK_EQUAL(hits, HITS);
}

int main(void) {
  RUN(thinning_keeps_its_bound);
  RUN(thinning_begins_fine);
  RUN(missing_numbers_take_no_room);
  RUN(thinning_gives_way_to_the_budget);
  RUN(long_runs_stay_small);
  RUN(impacts_are_kept_raw);
  RUN_OPTIMISED(the_strongest_impacts_are_whole);
  RUN(hits_outrank_rest);
  return check_summary();
}
