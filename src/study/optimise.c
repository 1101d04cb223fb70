// Values of parameters at which a goal is smallest or largest: trial runs, then Nelder and Mead's method.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/simplex.h"
#include "study/fit.h"

typedef struct optimising {
  carom_fit *f;
  double sign;  // of a goal that is to be large: -1
  const sweep_take *take;
} optimising;

// --- the goal --------------------------------------------------------------------------------------------------------

// `min:max(ball.y)`; of a signal alone its last value.
static bool read_goal(optimising *s, const carom_model *model) {
  carom_fit *f = s->f;
  const char *text = f->options->goal, *what = text ? strchr(text, ':') : NULL;
  const bool smallest = what && strncmp(text, "min:", 4) == 0, largest = what && strncmp(text, "max:", 4) == 0;
  if (!smallest && !largest)
    return error_set(f->error, CAROM_ERROR_USAGE,
                     "the goal is '%s', but must be like min:max(ball.y) or max:last(ball.y)", text ? text : ""),
           false;
  what = sweep_trimmed(&f->memory, what + 1, what + strlen(what));
  if (!strchr(what, '(')) what = arena_print(&f->memory, "last(%s)", what);
  sweep_take *takes;
  const int count = sweep_takes_read(&f->memory, what, model, &takes, f->error);
  if (count < 0) return false;
  if (count != 1) return error_set(f->error, CAROM_ERROR_USAGE, "a goal is one value, not %d", count), false;
  s->sign = smallest ? 1 : -1, s->take = takes;
  taking k = taking_create(&f->memory, takes, 1);
  if (!sweep_takes_reach(takes, 1, model, f->error) || !taking_begin(&k, model, f->error)) return false;
  const char *unit = carom_model_signal_unit(model, k.signals[0]);
  f->summary.goal_name = takes->name;
  f->summary.goal_unit = unit && strcmp(unit, "1") != 0 ? arena_copy_text(&f->memory, unit) : "";
  return true;
}

typedef struct goal_run {
  taking taking;
  trials *runs;
} goal_run;

static void take_row(void *context, double t, const double *signals) {
  taking_row(&((goal_run *)context)->taking, t, signals);
}

static bool go_on(void *context, const carom_progress *progress) {
  (void)progress;
  return trials_go_on(((goal_run *)context)->runs);
}

static carom_status measure(void *context, const carom_model *model, const double *point, double *result,
                            carom_error *error) {
  enum { ROWS_OF_A_RUN = 1000 };  // as a sweep takes them
  const optimising *s = context;
  (void)point;
  int signal;
  double value, sum;
  goal_run r = {.taking = {.takes = s->take, .count = 1, .signals = &signal, .values = &value, .sums = &sum},
                .runs = &s->f->runs};
  if (!fit_is_same_model(s->f, model, error) || !taking_begin(&r.taking, model, error)) return error->status;
  const carom_status status = carom_run(
      model, &(carom_run_options){.row = take_row, .progress = go_on, .context = &r, .even_rows = ROWS_OF_A_RUN}, NULL,
      error);
  *result = s->sign * taking_result(&r.taking, 0);
  return status;
}

// --- the search ------------------------------------------------------------------------------------------------------

static double value_of(const carom_fit *f, const double *result) {
  (void)f;
  return *result;
}

static bool evaluate(void *context, int count, const double *points, double *values) {
  const optimising *s = context;
  bool *good = ARENA_ARRAY(&s->f->memory, bool, count);
  if (!trials_run(&s->f->runs, count, points, values, good)) return false;
  for (int i = 0; i < count; i++)
    if (!good[i]) values[i] = INFINITY;
  return true;
}

// Twice from each start: a second, smaller simplex leaves a place where the first has become flat.
static bool search_from(const optimising *s, double *x, double *value, bool *found) {
  static const double sizes[] = {0.1, 0.01};
  for (int i = 0; i < 2; i++) {
    const simplex_problem p = {.n = s->f->n,
                               .context = (void *)s,
                               .evaluate = evaluate,
                               .size = sizes[i],
                               .tolerance = 1e-7,
                               .most = 200 * s->f->n};
    if (!simplex_search(&s->f->memory, &p, x, value, found)) return false;
  }
  return true;
}

static bool search_all(const optimising *s, int count, double *points, double *values) {
  carom_fit *f = s->f;
  const size_t n = (size_t)f->n;
  bool found = false, best_found = false;
  int best = 0;
  f->runs.now.searches = f->summary.searches = count;
  for (int i = 0; i < count; i++) {
    f->runs.now.search = i + 1;
    if (!search_from(s, points + (size_t)i * n, &values[i], &found)) return fit_ended(f);
    if (i == 0 || values[i] < values[best]) best = i, best_found = found;
    f->runs.now.best = s->sign * values[best];
  }
  f->point = points + (size_t)best * n;
  f->summary.goal = s->sign * values[best];
  for (int i = 0; i < count; i++) f->summary.agreeing += values[i] <= values[best] + 1e-6 * fabs(values[best]);
  if (!best_found) fit_warn(f, "the search ended before it had found the place of the optimum: narrow the ranges");
  if (count > 1 && f->summary.agreeing == 1)
    fit_warn(f, "only one of %d searches has found this result: try more --starts, or narrower ranges", count);
  return true;
}

static bool optimise(carom_fit *f) {
  optimising s = {.f = f};
  if (!fit_read_ranges(f, false)) return false;
  carom_model *model = fit_load_first(f);
  const bool read = model && read_goal(&s, model);
  carom_model_destroy(model);
  if (!read) return false;
  const int most = f->options->searches ? f->options->searches : 4;
  f->runs.n = f->n, f->runs.size = 1, f->runs.measure = measure, f->runs.context = &s;
  double *points = ARENA_ARRAY(&f->memory, double, most * f->n), *values = ARENA_ARRAY(&f->memory, double, most);
  const int count = fit_try_starts(f, value_of, most, points, values);
  if (count < 0 || !search_all(&s, count, points, values)) return false;
  fit_name_result(f);
  f->summary.rms = f->summary.hold_out_rms = f->summary.autocorrelation = NAN;
  return true;
}

carom_fit *carom_optimise(const carom_fit_options *options, carom_error *error) {
  return fit_make(options, optimise, error);
}
