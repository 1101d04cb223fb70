// No run ends well with a number that is not finite: a warning names its column and its time.
#include "runs.h"

#include "base/number.h"
#include "ledger/energy.h"
#include "ledger/impact.h"
#include "mechanics/constraint.h"

static const char ball[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 1}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.1]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.05, material: m}, floor: {plane: ground, material: m}}\n"
    "materials: {m: {restitution: 0.5}}\n"
    "initial: {fall: {q: [0, 0, 1]}}\n"
    "parameters: {dt: 1e-3}\n"
    "method: {moreau: {step: dt}}\n"
    "end: 100*dt\n";

static carom_summary run_text(const char *more, bool recorded, carom_model **model) {
  char text[4096];
  carom_summary s = {0};
  carom_error error = {0};
  snprintf(text, sizeof text, "%s%s", ball, more);
  *model = carom_model_parse(text, "ball.yaml", &error);
  if (!CHECK(*model != NULL)) return printf("%s\n", error.text), s;
  carom_run_options options = {.record = recorded ? scratch("ball.h5") : NULL};
  CHECK_EQUAL(carom_run(*model, &options, &s, &error), CAROM_OK);
  return s;
}

// The verdict names the column and the time, and the JSON object does.
static void is_told(const carom_model *model, const carom_summary *s, const char *column, const char *time) {
  char text[4096], expected[256];
  carom_verdict *v = carom_judge(model, s, NULL);
  carom_check c;
  bool found = false;
  for (int i = 0; (c = carom_verdict_check(v, i)).key; i++) {
    if (strcmp(c.key, "non_finite") != 0) continue;
    found = true;
    CHECK_EQUAL(c.level, CAROM_BAD);
    snprintf(expected, sizeof expected, "Column '%s' is not a finite number at t = %s s", column, time);
    CHECK_CONTAINS(c.sentence, expected);
  }
  CHECK(found);
  carom_verdict_destroy(v);
  CHECK(carom_summary_json(s, text, sizeof text) < (int)sizeof text);
  snprintf(expected, sizeof expected, "\"non_finite\": {\"column\": \"%s\", \"t\": %s}", column, time);
  CHECK_CONTAINS(text, expected);
}

static void an_energy_that_overflows_is_told(void) {
  for (int recorded = 0; recorded < 2; recorded++) {
    carom_model *model;
    carom_summary s = run_text("gravity: [1e300, 1]\n", recorded, &model);
    CHECK(!isfinite(s.energy_imbalance));
    CHECK_EQUAL(s.unbalanced, 1);
    CHECK_LE(1, s.non_finite);
    is_told(model, &s, "energy.kinetic", "0.001");
    carom_model_destroy(model);
  }
}

static void an_output_without_a_value_is_told(void) {
  carom_model *model;
  carom_summary s = run_text("outputs: {o: log(t - 0.0505)}\n", true, &model);
  CHECK_EQUAL(s.non_finite, 51);  // from 0 to 50 ms
  is_told(model, &s, "o", "0");
  CHECK_EQUAL(s.unbalanced, 0);
  carom_model_destroy(model);
  s = run_text("outputs: {o: 1/(0.1 - t)}\n", false, &model);
  CHECK_EQUAL(s.non_finite, 1);
  is_told(model, &s, "o", "0.1");
  carom_model_destroy(model);
}

// A run that writes nothing finds what the same run finds with a record, also between its first and last row.
static void a_run_without_files_tells_the_same(void) {
  static const struct {
    const char *more, *column, *time;
    long rows;
  } cases[] = {
      {"outputs: {o: log(t - 0.0505)}\n", "o", "0", 51},
      {"outputs: {o: sqrt(abs(t - 0.05) - 0.0004)}\n", "o", "0.05", 1},
      {"outputs: {o: sqrt(abs(t - 0.05) - 0.0034)}\nrecord: {every: 2 ms}\n", "o", "0.048", 3},
      {"outputs: {o: sqrt(abs(t - 0.05) - 0.0004)}\nrecord: {every: 3 ms}\n", NULL, NULL, 0},
      {"gravity: [1e300, 1]\n", "energy.kinetic", "0.001", 100},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int recorded = 0; recorded < 2; recorded++) {
      carom_model *model;
      carom_summary s = run_text(cases[i].more, recorded, &model);
      CHECK_EQUAL(s.non_finite, cases[i].rows);
      if (cases[i].column) is_told(model, &s, cases[i].column, cases[i].time);
      carom_model_destroy(model);
    }
}

// Where each step makes a row and nothing is written, rows are read where energies are, late in a run at every 32nd
// step.
static void late_rows_are_told_without_files(void) {
  char text[4096];
  snprintf(text, sizeof text, "%sforces: {blow: {force: ball, components: [exp(1500*(t - 0.28)), 0]}}\n", ball);
  double first[2] = {0};
  for (int recorded = 0; recorded < 2; recorded++) {
    carom_error error = {0};
    carom_model *model = carom_model_parse(text, "ball.yaml", &error);
    if (!CHECK(model)) {
      printf("%s\n", error.text);
      return;
    }
    carom_run_options options = {.record = recorded ? scratch("ball.h5") : NULL, .end = 0.6};
    carom_summary s = {0};
    CHECK_EQUAL(carom_run(model, &options, &s, &error), CAROM_OK);
    CHECK_LE(1, s.non_finite);
    CHECK(s.non_finite_column && strncmp(s.non_finite_column, "energy.", 7) == 0);
    first[recorded] = s.non_finite_t;
    carom_model_destroy(model);
  }
  CHECK_LE(0.3, first[1]);
  CHECK_LE(first[1], first[0]);
  CHECK_LE(first[0], first[1] + 0.032 + 1e-9);
}

static void a_sim_tells_too(void) {
  run r;
  char text[4096];
  snprintf(text, sizeof text, "%sgravity: [1e300, 1]\n", ball);
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.01);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.non_finite, 1);
  CHECK_TEXT(s.non_finite_column, "energy.imbalance");
  run_close(&r);
}

static void finite_runs_have_no_such_warning(void) {
  static const char *const names[] = {"bouncing-ball", "slider-crank", "four-bar", "stick-slip-oscillator"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    run r;
    if (!run_open(&r, names[i], NULL)) return;
    carom_summary s;
    carom_run_options options = {.record = scratch("model.h5"), .end = 0.02};
    CHECK_EQUAL(carom_run(r.model, &options, &s, &r.error), CAROM_OK);
    CHECK_EQUAL(s.non_finite, 0);
    CHECK(s.non_finite_column == NULL);
    run_close(&r);
  }
}

// A run that goes on keeps the warnings of its first part, in the same file and in another one.
static void a_resumed_run_tells_what_came_before(void) {
  static const struct {
    const char *more, *column, *time;
  } cases[] = {{"outputs: {o: log(t - 0.0105)}\n", "o", "0"},
               {"gravity: [1e300, 1]\nrecord: {every: 1}\n", "energy.imbalance", "0.001"}};
  for (int i = 0; i < 4; i++) {
    char first[4400], second[4400], text[4096];
    snprintf(first, sizeof first, "%s", scratch("first.h5")),
        snprintf(second, sizeof second, "%s", scratch("second.h5"));
    remove(first), remove(second);
    snprintf(text, sizeof text, "%s%s", ball, cases[i / 2].more);
    carom_error error = {0};
    carom_model *model = carom_model_parse(text, "ball.yaml", &error);
    if (!CHECK(model != NULL)) return;
    carom_summary part = {0}, rest = {0};
    CHECK_EQUAL(carom_run(model, &(carom_run_options){.record = first, .end = 0.05}, &part, &error), CAROM_OK);
    CHECK_LE(1, part.non_finite);
    carom_run_options options = {.resume = first, .record = i % 2 ? second : first};
    if (!CHECK_EQUAL(carom_run(model, &options, &rest, &error), CAROM_OK)) printf("%s\n", error.text);
    CHECK_LE(part.non_finite, rest.non_finite);
    if (i < 2) CHECK_EQUAL(rest.non_finite, 11);  // from 0 to 10 ms
    is_told(model, &rest, cases[i / 2].column, cases[i / 2].time);
    carom_model_destroy(model);
  }
}

// --- extremes --------------------------------------------------------------------------------------------------------

static void extremes_keep_what_is_no_number(void) {
  CHECK_EQUAL(number_larger(1, 2), 2);
  CHECK_EQUAL(number_larger(2, 1), 2);
  CHECK_EQUAL(number_smaller(1, 2), 1);
  CHECK_EQUAL(number_smaller(2, 1), 1);
  CHECK(isinf(number_larger(1, INFINITY)));
  CHECK(!signbit(number_larger(0, -0.0)));  // a surface that just touches has no penetration, not one of -0
  CHECK(isnan(number_larger(NAN, 1)) && isnan(number_larger(1, NAN)));
  CHECK(isnan(number_smaller(NAN, 1)) && isnan(number_smaller(1, NAN)));
}

static void ledgers_keep_what_is_no_number(void) {
  impact open = {0};
  bool touches = false, is_open = false, strikes = false;
  impact_place place = {0};
  impact_pair pair = {0};
  int touching = 0, parted = 0;
  impact_ledger l = {.open = &open,
                     .touches = &touches,
                     .is_open = &is_open,
                     .strikes = &strikes,
                     .place = &place,
                     .slot_count = 1,
                     .pairs = &pair,
                     .touching = &touching,
                     .parted = &parted,
                     .pair_count = 1};
  impact_touch(&l, 0, &(impact_step){.t_end = 1, .gap = NAN, .speed_before = NAN, .impulse_normal = NAN});
  impact_touch(&l, 0, &(impact_step){.t_start = 1, .t_end = 2, .gap = -1, .impulse_normal = 1});
  CHECK(isnan(open.penetration) && isnan(open.approach_speed) && isnan(open.deepest) && isnan(open.peak_force));
  CHECK(isnan(l.worst_penetration) && isnan(l.deepest));
  CHECK(isnan(pair.row.deepest) && isnan(pair.row.peak_force) && isnan(pair.row.impulse_normal));

  energy_ledger e;
  energy_open(&e, &(energy_balance){0}, (energy_size){0});
  energy_update(&e, &(energy_balance){.kinetic = NAN});
  CHECK(isnan(energy_relative_imbalance(&e, 0)));
}

static void constraints_keep_what_is_no_number(void) {
  mechanism m = {.row_count = 3};
  row rows[3] = {{.phi = 1}, {.phi = NAN}, {.phi = 2}};
  motion x = {.rows = rows};
  CHECK(isnan(constraints_violation(&m, &x)));
}

int main(void) {
  RUN(extremes_keep_what_is_no_number);
  RUN(ledgers_keep_what_is_no_number);
  RUN(constraints_keep_what_is_no_number);
  RUN(an_energy_that_overflows_is_told);
  RUN(an_output_without_a_value_is_told);
  RUN(a_run_without_files_tells_the_same);
  RUN(late_rows_are_told_without_files);
  RUN(a_sim_tells_too);
  RUN(finite_runs_have_no_such_warning);
  RUN(a_resumed_run_tells_what_came_before);
  return check_summary();
}
