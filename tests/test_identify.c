// Fits to measured traces: intervals that cover the truth, parameters that data cannot separate, and what is refused.
#include "check.h"

#include <math.h>
#include <stdint.h>

#include "base/random.h"
#include "carom/carom.h"
#include "long.h"
#include "math/dense.h"
#include "study/fit.h"

// --- coverage --------------------------------------------------------------------------------------------------------

enum { MOST = 6, SAMPLES = 160, CASES = 300 };

// What is fitted in a scene, and where the truth is drawn: within the middle of the ranges, so that intervals end
// inside of them.
typedef struct unknown {
  const char *name;
  double low, high;
  bool log;
} unknown;

typedef struct scene {
  const char *model, *signal;
  const carom_setting *settings;
  int setting_count;
  const unknown *unknowns;
  int count;          // the last is the offset of the times
  double end, noise;  // of the data [s]; of the range of the trace
} scene;

static double gauss(uint64_t seed, uint64_t i) {
  const double a = random_share(random_bits(seed, i, 0)), b = random_share(random_bits(seed, i, 1));
  return sqrt(-2 * log(a)) * cos(2 * M_PI * b);
}

static const char *model_path(const scene *s) {
  static char path[4096];
  return check_source(s->model, path, sizeof path) ? path : s->model;
}

// The trace of a model, sample by sample. Returns false if the run fails.
static bool trace(const scene *s, const double *values, double *y) {
  carom_setting settings[MOST + 4];
  char texts[MOST][32];
  int count = 0;
  for (; count < s->setting_count; count++) settings[count] = s->settings[count];
  for (int i = 0; i + 1 < s->count; i++) {
    snprintf(texts[i], sizeof texts[i], "%.17g", values[i]);
    settings[count++] = (carom_setting){s->unknowns[i].name, texts[i]};
  }
  carom_error error = {0};
  carom_model *model = carom_model_load(model_path(s), settings, count, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  bool good = sim != NULL;
  for (int i = 0; good && i < SAMPLES; i++) {
    good = carom_sim_advance(sim, s->end * i / (SAMPLES - 1) + values[s->count - 1], &error) == CAROM_OK;
    y[i] = good ? carom_sim_read(sim, carom_model_signal(model, s->signal)) : NAN;
  }
  if (!good) printf("%s\n", error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return good;
}

static double range_of(const double *y) {
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < SAMPLES; i++) least = fmin(least, y[i]), most = fmax(most, y[i]);
  return most - least;
}

// Widths of the 95 % intervals that the derivatives at the truth give with the noise as it is, of log parameters in the
// logarithm.
static bool expected_widths(const scene *s, const double *truth, double noise, double *widths) {
  static double J[MOST][SAMPLES], low[SAMPLES], high[SAMPLES];
  const int n = s->count;
  double A[MOST * MOST], x[MOST];
  for (int k = 0; k < n; k++) {
    double values[MOST];
    const double step = 1e-5 * (s->unknowns[k].high - s->unknowns[k].low);
    memcpy(values, truth, sizeof values);
    values[k] = truth[k] - step;
    if (!trace(s, values, low)) return false;
    values[k] = truth[k] + step;
    if (!trace(s, values, high)) return false;
    for (int i = 0; i < SAMPLES; i++) J[k][i] = (high[i] - low[i]) / (2 * step) * (s->unknowns[k].log ? truth[k] : 1);
  }
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      A[k * n + l] = 0;
      for (int i = 0; i < SAMPLES; i++) A[k * n + l] += J[k][i] * J[l][i];
    }
  if (!dense_cholesky(n, A, n, 1e-14, NULL)) return false;
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) x[l] = l == k;
    dense_cholesky_solve(n, A, n, x);
    widths[k] = 2 * 1.959964 * noise * sqrt(x[k]);
  }
  return true;
}

static void write_data(const double *y, const scene *s, double noise, uint64_t seed) {
  FILE *f = fopen(scratch("measured.csv"), "w");
  if (!f) return;
  fprintf(f, "t [ms],y\n");
  for (int i = 0; i < SAMPLES; i++)
    fprintf(f, "%.12g,%.12g\n", 1e3 * s->end * i / (SAMPLES - 1), y[i] + noise * gauss(seed, (uint64_t)i));
  fclose(f);
}

typedef struct tally {
  int covered;
  double ratios[CASES];  // of the widths to those from the truth
} tally;

static bool run_case(const scene *s, uint64_t seed, tally *tallies, int number) {
  double truth[MOST], y[SAMPLES], widths[MOST];
  carom_setting fit[MOST], match = {s->signal, "y"};
  char ranges[MOST][64];
  for (int k = 0; k < s->count; k++) {
    const unknown *u = &s->unknowns[k];
    const double share = 0.1 + 0.8 * random_share(random_bits(seed, (uint64_t)k, 7));
    truth[k] = u->log ? u->low * pow(u->high / u->low, share) : u->low + (u->high - u->low) * share;
    snprintf(ranges[k], sizeof ranges[k], "%.17g:%.17g%s", u->low, u->high, u->log ? ":log" : "");
    fit[k] = (carom_setting){u->name, ranges[k]};
  }
  if (!CHECK(trace(s, truth, y))) return false;
  const double noise = s->noise * range_of(y);
  if (!CHECK(expected_widths(s, truth, noise, widths))) return false;
  write_data(y, s, noise, seed);
  carom_error error = {0};
  carom_fit *f = carom_identify(&(carom_fit_options){.model = model_path(s),
                                                     .settings = s->settings,
                                                     .setting_count = s->setting_count,
                                                     .fit = fit,
                                                     .fit_count = s->count - 1,
                                                     .match = &match,
                                                     .match_count = 1,
                                                     .data = &(carom_fit_data){.file = scratch("measured.csv")},
                                                     .data_count = 1,
                                                     .offset = ranges[s->count - 1],
                                                     .seed = seed,
                                                     .threads = 1},
                                &error);
  if (!CHECK_TEXT(error.text, "")) return false;
  for (int k = 0; k < s->count; k++) {
    const carom_fit_parameter p = carom_fit_get_parameter(f, k);
    const bool covers = p.low <= truth[k] && truth[k] <= p.high;
    tallies[k].covered += covers;
    tallies[k].ratios[number] = (s->unknowns[k].log ? log(p.high / p.low) : p.high - p.low) / widths[k];
    CHECK(p.determined);
    if (!covers && long_form())
      printf("      case %d: %s is %g, fitted %g (%g to %g), %d of %d searches\n", number, p.name, truth[k], p.value,
             p.low, p.high, carom_fit_get_summary(f).agreeing, carom_fit_get_summary(f).searches);
  }
  carom_fit_destroy(f);
  return true;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Of N cases with a coverage of 95 % the number that covers the truth is binomial: three standard deviations about the
// mean are left, 0.95 N ± 3 √(0.95 · 0.05 N). With 300 cases these are 91.2 % to 98.8 %, narrower than 90 to 99 of 100;
// with 100 cases a parameter would be outside of the latter for one seed in 29, in one of seven for one in five. The
// seeds are the first ones, 1 to 300. The short form shows that the truth is found at all. A median width of 1.3 times
// that at the truth is what was asked for.
static void check_scene(const scene *s) {
  const int cases = long_form() ? CASES : 3;
  const double expected = 0.95 * cases, error = 3 * sqrt(0.95 * 0.05 * cases);
  static tally tallies[MOST];
  memset(tallies, 0, sizeof tallies);
  for (int i = 0; i < cases; i++)
    if (!run_case(s, 1 + (uint64_t)i, tallies, i)) return;
  for (int k = 0; k < s->count; k++) {
    qsort(tallies[k].ratios, (size_t)cases, sizeof *tallies[k].ratios, by_value);
    const double median = tallies[k].ratios[cases / 2];
    if (long_form())
      printf("      %s: %d of %d intervals cover the truth (%.1f ± %.1f %%), median width %.3f of that at the truth\n",
             s->unknowns[k].name, tallies[k].covered, cases, 100.0 * tallies[k].covered / cases,
             100 * sqrt(0.95 * 0.05 / cases), median);
    CHECK(tallies[k].covered >= (long_form() ? expected - error : 2));
    if (long_form()) CHECK(tallies[k].covered <= expected + error);
    CHECK(median <= 1.3);
    CHECK(median >= 1 / 1.3);
  }
}

static void a_bouncing_ball_is_identified(void) {
  static const carom_setting settings[] = {{"method", "event"}};
  static const unknown unknowns[] = {{"e", 0.5, 0.95, false}, {"h", 0.5, 2, true}, {"offset", 0, 0.1, false}};
  check_scene(&(scene){"models/bouncing-ball.yaml", "ball.y", settings, 1, unknowns, 3, 2, 0.01});
}

static void a_pendulum_on_a_wall_is_identified(void) {
  static const carom_setting settings[] = {{"method", "event"}};
  static const unknown unknowns[] = {
      {"e", 0.4, 0.95, false}, {"arm", 0.2, 1, true}, {"start", 0.3, 1.2, false}, {"offset", 0, 0.1, false}};
  check_scene(&(scene){"models/pendulum-wall.yaml", "arm.q", settings, 1, unknowns, 4, 3, 0.01});
}

// --- what data can and cannot separate -------------------------------------------------------------------------------

static const char oscillator[] =
    "title: Oscillator\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {m: 2 kg, k: 80 N/m, c: 0.3 N*s/m, k2: 20 N/m, push: 0 N, x0: 0.1 m, v0: 0 m/s, nothing: 1}\n"
    "bodies: {mass: {mass: m, inertia: 1}}\n"
    "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
    "forces:\n"
    "  spring: {along: slide, stiffness: k + k2, damping: c}\n"
    "  push: {along: slide, effort: push*sin(3 rad/s*t)}\n"
    "  idle: {along: slide, effort: 0 N*nothing}\n"
    "initial: {slide: {q: x0, u: v0}}\n"
    "outputs: {x: slide.q}\n"
    "end: 5 s\n";

static const char pendulum[] =
    "space: planar\n"
    "gravity: [0, -g]\n"
    "parameters: {g: 9.81 m/s^2, l: 0.5 m, start: 70 deg}\n"
    "bodies: {bob: {mass: 1, inertia: 0, com: [0, -l]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: start}}\n"
    "outputs: {x: pin.q}\n"
    "end: 3 s\n";

// The trace of output x of a model with settings, with noise of a share of its range.
static void measure(const char *model, const carom_setting *settings, int count, double noise, const char *file) {
  enum { ROWS = 80 };
  carom_error error = {0};
  double y[ROWS], least = INFINITY, most = -INFINITY;
  carom_model *m = carom_model_load(model, settings, count, &error);
  carom_sim *sim = m ? carom_sim_create(m, &error) : NULL;
  CHECK_TEXT(error.text, "");
  for (int i = 0; sim && i < ROWS; i++) {
    CHECK(carom_sim_advance(sim, carom_model_get_info(m).end * i / (ROWS - 1), &error) == CAROM_OK);
    y[i] = carom_sim_read(sim, carom_model_signal(m, "x"));
    least = fmin(least, y[i]), most = fmax(most, y[i]);
  }
  FILE *to = fopen(file, "w");
  fprintf(to, "t,x\n");
  for (int i = 0; sim && i < ROWS; i++)
    fprintf(to, "%.12g,%.12g\n", carom_model_get_info(m).end * i / (ROWS - 1),
            y[i] + noise * (most - least) * gauss(5, (uint64_t)i));
  fclose(to);
  carom_sim_destroy(sim);
  carom_model_destroy(m);
}

typedef struct pair {
  const char *text;  // of the model
  carom_setting settings[2];
  int setting_count;
  carom_setting fit[3];
  int count;
  bool separable;
} pair;

static carom_fit *fit_pair(const pair *p, double noise, carom_error *error) {
  static const carom_setting match = {"x", "x"};
  if (!write_text(scratch("pair.yaml"), p->text)) return NULL;
  measure(scratch("pair.yaml"), p->settings, p->setting_count, noise, scratch("pair.csv"));
  return carom_identify(&(carom_fit_options){.model = scratch("pair.yaml"),
                                             .settings = p->settings,
                                             .setting_count = p->setting_count,
                                             .fit = p->fit,
                                             .fit_count = p->count,
                                             .match = &match,
                                             .match_count = 1,
                                             .data = &(carom_fit_data){.file = scratch("pair.csv")},
                                             .data_count = 1,
                                             .starts = 16,
                                             .searches = 2,
                                             .seed = 3},
                        error);
}

// A free oscillator has one frequency for mass and stiffness, a pendulum one for gravity and length, springs beside
// each other one stiffness, and a mass that slows down one time for mass and damping. A force that is known tells mass
// from stiffness; the decay is not the frequency; a large amplitude is not a length.
static const pair pairs[] = {
    {oscillator, {{"c", "0"}}, 1, {{"m", "1:4"}, {"k", "40:160"}}, 2, false},
    {oscillator, {{"c", "0"}}, 1, {{"k", "40 N/m:160 N/m:log"}, {"k2", "10 N/m:40 N/m:log"}}, 2, false},
    {oscillator, {{"k", "-20"}, {"v0", "1"}}, 2, {{"m", "1:4:log"}, {"c", "0.1:1:log"}}, 2, false},
    {pendulum, {{0}}, 0, {{"g", "9:11"}, {"l", "0.3:0.8"}}, 2, false},
    {oscillator, {{"push", "5 N"}}, 1, {{"m", "1:4"}, {"k", "40:160"}}, 2, true},
    {oscillator, {{0}}, 0, {{"k", "40:160"}, {"c", "0.1:1:log"}}, 2, true},
    {pendulum, {{0}}, 0, {{"start", "30 deg:110 deg"}, {"l", "0.3:0.8"}}, 2, true},
};

static void inseparable_pairs_are_named(void) {
  static const double noises[] = {0.01, 0};
  for (size_t i = 0; i < 2 * sizeof pairs / sizeof *pairs; i++) {
    const pair *p = &pairs[i / 2];
    carom_error error = {0};
    carom_fit *f = fit_pair(p, noises[i % 2], &error);
    if (!CHECK_TEXT(error.text, "")) continue;
    const char *sentence = carom_fit_inseparable(f, 0);
    if (!CHECK_EQUAL(sentence == NULL, p->separable)) printf("      pair %zu: %s\n", i / 2, sentence ? sentence : "");
    for (int k = 0; k < p->count; k++) {
      const carom_fit_parameter about = carom_fit_get_parameter(f, k);
      char quoted[32];
      snprintf(quoted, sizeof quoted, "'%s'", about.name);
      CHECK_EQUAL(about.determined, p->separable);
      if (!p->separable && sentence) CHECK_CONTAINS(sentence, quoted);
      if (!p->separable) CHECK_NEAR(about.low, about.least, 0);
    }
    CHECK(!carom_fit_inseparable(f, 1));
    carom_fit_destroy(f);
  }
}

// Two pairs at once are told apart, a parameter without effect is told alone, and one beside them keeps its interval.
static void combinations_are_simple(void) {
  static const pair both = {oscillator, {{0}}, 0, {{"k", "40:160"}, {"k2", "10:40"}, {"nothing", "0:2"}}, 3, false};
  carom_error error = {0};
  carom_fit *f = fit_pair(&both, 0.01, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  CHECK_CONTAINS(carom_fit_inseparable(f, 0), "do not tell 'nothing'");
  CHECK_CONTAINS(carom_fit_inseparable(f, 1), "cannot separate 'k' and 'k2'");
  CHECK(!carom_fit_inseparable(f, 2));
  carom_fit_destroy(f);
  static const pair third = {oscillator, {{"k2", "20"}}, 1, {{"m", "1:4"}, {"k", "40:160"}, {"x0", "0.05:0.2"}},
                             3,          false};
  f = fit_pair(&third, 0.01, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  const carom_fit_parameter x0 = carom_fit_get_parameter(f, 2);
  CHECK(x0.determined && x0.low < 0.1 && 0.1 < x0.high && x0.high - x0.low < 0.01);
  carom_fit_destroy(f);
}

// The truth is beyond the range: the estimate is at its end, and the interval begins there.
static void an_estimate_at_a_bound_is_one_sided(void) {
  static const pair beyond = {oscillator, {{0}}, 0, {{"k", "81:160"}, {"c", "0.1:1:log"}}, 2, true};
  carom_error error = {0};
  carom_fit *f = fit_pair(&beyond, 0.01, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  const carom_fit_parameter k = carom_fit_get_parameter(f, 0), c = carom_fit_get_parameter(f, 1);
  CHECK_EQUAL(k.bound, CAROM_FIT_AT_LOW);
  CHECK_NEAR(k.value, 81, 0);
  CHECK_NEAR(k.low, 81, 0);
  CHECK(k.high > 81 && k.high < 82);
  CHECK_EQUAL(c.bound, CAROM_FIT_INSIDE);
  CHECK(isnan(carom_fit_correlation(f, 0, 1)));
  carom_fit_destroy(f);
}

// The speed at the start is so small in its whole range that the noise hides it, and the stiffness is beyond its range:
// the one is not told, the other is one-sided and is not named with it, although both move the phase.
static void a_weak_parameter_leaves_the_others_alone(void) {
  static const pair weak = {oscillator, {{"c", "1e-5"}, {"k2", "20"}},
                            2,          {{"k", "81:160"}, {"nothing", "0:1e-3"}, {"v0", "0:1e-7"}},
                            3,          false};
  carom_error error = {0};
  carom_fit *f = fit_pair(&weak, 0.01, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  const carom_fit_parameter k = carom_fit_get_parameter(f, 0), v0 = carom_fit_get_parameter(f, 2);
  CHECK(k.determined && k.bound == CAROM_FIT_AT_LOW && k.low == 81 && k.high < 82);
  CHECK(!v0.determined && v0.low == 0 && v0.high == 1e-7);
  CHECK_CONTAINS(carom_fit_inseparable(f, 0), "do not tell 'nothing'");
  CHECK_CONTAINS(carom_fit_inseparable(f, 1), "do not tell 'v0'");
  carom_fit_destroy(f);
}

// One parameter has no derivative, because every run beside its value has failed; the other one keeps its interval, and
// the first is not called one that the data do not tell.
static void a_missing_derivative_is_said(void) {
  enum { SAMPLES_HERE = 8 };
  jmp_buf out_of_memory;
  if (setjmp(out_of_memory)) return;
  carom_fit f = {
      .memory = arena_create(&out_of_memory),
      .model = "model.yaml",
      .ranges = (sweep_range[]){{.name = "a", .unit = "1", .high = 1}, {.name = "b", .unit = "1", .high = 1}},
      .range_count = 2,
      .n = 2,
      .point = (double[]){0.5, 0.5},
      .channels = &(fit_channel){.scale = 1, .weight = 1, .count = SAMPLES_HERE},
      .channel_count = 1,
      .fitted_channels = 1,
      .m = SAMPLES_HERE,
      .fitted = SAMPLES_HERE,
      .limit = INFINITY,
      .runs.last_message = "the mass is negative"};
  double r[SAMPLES_HERE], J[2 * SAMPLES_HERE], change[2 * SAMPLES_HERE] = {0}, square = 0;
  for (int i = 0; i < SAMPLES_HERE; i++)
    r[i] = 0.01 * gauss(1, (uint64_t)i), J[i] = NAN, J[SAMPLES_HERE + i] = 2, square += r[i] * r[i];
  fit_intervals(&f, r, J, change);
  CHECK_CONTAINS(carom_fit_warning(&f, 0), "'a' is not known: runs beside the result fail on both sides");
  CHECK_CONTAINS(carom_fit_warning(&f, 0), "the mass is negative");
  CHECK(!carom_fit_warning(&f, 1) && !carom_fit_inseparable(&f, 0));
  const carom_fit_parameter a = carom_fit_get_parameter(&f, 0), b = carom_fit_get_parameter(&f, 1);
  CHECK(isnan(a.low) && isnan(a.high) && isnan(a.standard_error) && isnan(carom_fit_correlation(&f, 0, 1)));
  CHECK_NEAR(b.standard_error, sqrt(square / (SAMPLES_HERE - 2) / (4 * SAMPLES_HERE)), 1e-12);
  arena_free(&f.memory);
}

// A program may free what its options point to. Here the texts are replaced by others of the same length.
static void a_result_outlives_its_options(void) {
  enum { MODEL, DATA, TIME, SIGNAL, COLUMN, NAME, RANGE, KEY, VALUE, OFFSET, TEXTS };
  char text[TEXTS][4096] = {[TIME] = "t",         [SIGNAL] = "fall.q2", [COLUMN] = "height", [NAME] = "e",
                            [RANGE] = "0.3:0.95", [KEY] = "method",     [VALUE] = "event",   [OFFSET] = "0:100 ms"};
  char before[8192], after[8192];
  carom_error error = {0};
  if (!CHECK(check_source("models/bouncing-ball.yaml", text[MODEL], sizeof *text)) ||
      !CHECK(check_source("models/dropped-ball.csv", text[DATA], sizeof *text)))
    return;
  carom_fit *f = carom_identify(&(carom_fit_options){.model = text[MODEL],
                                                     .settings = &(carom_setting){text[KEY], text[VALUE]},
                                                     .setting_count = 1,
                                                     .fit = &(carom_setting){text[NAME], text[RANGE]},
                                                     .fit_count = 1,
                                                     .data = &(carom_fit_data){.file = text[DATA], .weight = 1},
                                                     .data_count = 1,
                                                     .match = &(carom_setting){text[SIGNAL], text[COLUMN]},
                                                     .match_count = 1,
                                                     .time = text[TIME],
                                                     .offset = text[OFFSET],
                                                     .starts = 8,
                                                     .searches = 1},
                                &error);
  if (!CHECK_TEXT(error.text, "")) return;
  CHECK(carom_fit_json(f, before, sizeof before) < (int)sizeof before);
  for (int i = 0; i < TEXTS; i++) memset(text[i], '#', strlen(text[i]));
  carom_fit_json(f, after, sizeof after);
  CHECK_TEXT(after, before);
  carom_fit_destroy(f);
}

int main(void) {
  RUN(a_result_outlives_its_options);
  RUN(inseparable_pairs_are_named);
  RUN(combinations_are_simple);
  RUN(an_estimate_at_a_bound_is_one_sided);
  RUN(a_weak_parameter_leaves_the_others_alone);
  RUN(a_missing_derivative_is_said);
  RUN_OPTIMISED(a_bouncing_ball_is_identified);
  RUN_OPTIMISED(a_pendulum_on_a_wall_is_identified);
  RUN_LONG(a_bouncing_ball_is_identified, 900);
  RUN_LONG(a_pendulum_on_a_wall_is_identified, 900);
  return check_summary();
}
