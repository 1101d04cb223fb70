// Two runs held against each other: their coordinates on one grid, their impacts matched.
#include "pages.h"

#include "report/compare.h"

static double parabola(long row, int column) {
  double t = 1e-3 * (double)row;
  return (column + 1) * t * t;
}
static double coarse_parabola(long row, int column) { return parabola(4 * row, column); }

static void runs_are_compared(void) {
  synthetic a = {.rows = 1001,
                 .value = parabola,
                 .summary = "{\"status\": \"done\", \"steps\": 1000}",
                 .impacts = 20,
                 .step = 1e-3};
  synthetic b = {.rows = 301,
                 .value = coarse_parabola,
                 .summary = "{\"status\": \"done\", \"steps\": 300}",
                 .impacts = 20,
                 .offset = 0.01,
                 .shift = 2e-4,
                 .step = 4e-3};
  carom_error error = {0};
  if (!write_synthetic(scratch("a.h5"), &a) || !write_synthetic(scratch("b.h5"), &b)) return;
  record_reader *first = record_open(scratch("a.h5"), &error), *second = record_open(scratch("b.h5"), &error);
  static const char *const points[] = {"p", "q", "r"}, *const others[] = {"p", "q", "x"};
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{first, points, 3, json_read(&memory, "{\"steps\": 1000}")}, {second, others, 3, NULL}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 0, &c, &error));
  CHECK_NEAR(c.t1, 1, 1e-12);
  CHECK_NEAR(c.window, 0.01, 1e-12);
  CHECK_EQUAL(c.column_count, COLUMNS);
  // both have a row at every grid time, so that the offset is all there is
  CHECK_NEAR(c.columns[0].max, 0.01, 1e-14);
  CHECK_NEAR(c.columns[0].rms, 0.01, 1e-14);
  CHECK_NEAR(c.columns[5].range, 6, 1e-12);
  CHECK_NEAR(c.costs[0].first, 1000, 0);
  CHECK(isnan(c.costs[0].second));
  record_close(first), record_close(second);
}

// Twenty impacts in a second against sixteen of the other run that begin in it, a little later; every third is of a
// point that has another name there.
static void impacts_are_matched(void) {
  synthetic a = {.rows = 1001, .value = parabola, .summary = "{}", .impacts = 20, .step = 1e-3};
  synthetic b = a;
  b.shift = 2e-4;
  carom_error error = {0};
  if (!write_synthetic(scratch("c.h5"), &a) || !write_synthetic(scratch("d.h5"), &b)) return;
  record_reader *first = record_open(scratch("c.h5"), &error), *second = record_open(scratch("d.h5"), &error);
  static const char *const points[] = {"p", "q", "r"}, *const others[] = {"p", "q", "x"};
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{first, points, 3, NULL}, {second, others, 3, NULL}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 1e-3, &c, &error));
  CHECK_EQUAL(c.matched_count, 14);  // of 20, those of points 0 and 1
  CHECK_EQUAL(c.only_first_count, 6);
  CHECK_EQUAL(c.only_second_count, 6);
  CHECK_NEAR(c.time_max, 2e-4, 1e-12);
  CHECK_NEAR(c.impulse_max, 0, 0);
  for (int i = 0; i < c.matched_count; i++) CHECK_EQUAL(c.matched[i].first, c.matched[i].second);
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 1e-4, &c, &error));
  CHECK_EQUAL(c.matched_count, 0);  // too narrow a window
  record_close(first), record_close(second);
}

// Between its rows a coordinate with a known rate is a parabola, also where the rate jumps at a row.
static void rates_make_trajectories_smooth(void) {
  carom_error error = {0};
  const char *runs[2] = {scratch("fine-ball.h5"), scratch("coarse-ball.h5")};
  for (int i = 0; i < 2; i++) {
    carom_model *model = example_load(
        "bouncing-ball", i ? "method=event end=1 record.every=0.05" : "method=event end=1 record.every=0.001");
    if (!CHECK(model)) return;
    CHECK(carom_run(model, &(carom_run_options){.record = runs[i]}, NULL, &error) == CAROM_OK);
    carom_model_destroy(model);
  }
  record_reader *first = record_open(runs[0], &error), *second = record_open(runs[1], &error);
  if (!CHECK(first && second)) return;
  compare_side sides[] = {{.in = first}, {.in = second}};
  comparison c;
  CHECK(compare_runs(&memory, &sides[0], &sides[1], 0, &c, &error));
  for (int k = 0; k < c.column_count; k++)
    CHECK_LE(c.columns[k].max, 1e-9);  // flight is a parabola; the grid is the coarse run's
  CHECK(carom_report(runs, 2, &page, scratch("two.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("two.html"));
  CHECK_EQUAL(json_get(p.json, "runs")->count, 2);
  CHECK_EQUAL(json_get(p.json, "compare")->count, 1);
  CHECK_EQUAL(json_get_number(&json_get(p.json, "compare")->items[0], "run", 0), 1);
  record_close(first), record_close(second);
}

int main(void) {
  RUN(runs_are_compared);
  RUN(impacts_are_matched);
  RUN(rates_make_trajectories_smooth);
  return check_summary();
}
