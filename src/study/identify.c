// Parameters of a model from measured traces: trial runs over the ranges, then least squares from the best of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/fit.h"

typedef struct identifying {
  carom_fit *f;
  least_squares problem;
  double *traces;  // of the points that are evaluated together
  int most;
  bool found;  // the last search has ended at a minimum
} identifying;

// --- residuals -------------------------------------------------------------------------------------------------------

static bool evaluate(void *context, int count, const double *points, double *residuals, bool *good) {
  const identifying *s = context;
  carom_fit *f = s->f;
  const size_t size = (size_t)f->runs.size;
  bool going = true;
  for (int first = 0; first < count && going; first += s->most) {
    const int some = count - first < s->most ? count - first : s->most;
    going = trials_run(&f->runs, some, points + (size_t)first * (size_t)f->n, s->traces, good + first);
    for (int i = 0; going && i < some; i++)
      if (good[first + i])
        fit_residuals(f, s->traces + (size_t)i * size, residuals + (size_t)(first + i) * (size_t)f->fitted);
  }
  return going;
}

// What starts are compared by: the rms, or where outliers are to count less, the mean of the magnitudes.
static double mean_of(const carom_fit *f, const double *residuals) {
  double sum = 0;
  for (long i = 0; i < f->fitted; i++) sum += f->robust ? fabs(residuals[i]) : residuals[i] * residuals[i];
  sum /= (double)f->fitted;
  return f->robust ? sum : sqrt(sum);
}

static double cost_of_start(const carom_fit *f, const double *traces) {
  fit_residuals(f, traces, f->residuals);
  return mean_of(f, f->residuals);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Huber's limit for 95 % efficiency: 1.345 standard deviations, estimated by the median of the magnitudes.
static double robust_limit(carom_fit *f, const double *residuals) {
  const arena_mark mark = arena_get_mark(&f->memory);
  double *sorted = ARENA_ARRAY(&f->memory, double, f->fitted);
  for (long i = 0; i < f->fitted; i++) sorted[i] = fabs(residuals[i]);
  qsort(sorted, (size_t)f->fitted, sizeof *sorted, by_value);
  const double median = sorted[f->fitted / 2];
  arena_release(&f->memory, mark);
  return 1.345 * 1.4826 * fmax(median, 1e-12);
}

// --- the search ------------------------------------------------------------------------------------------------------

// With a robust loss the limit follows the residuals, which follow the limit.
static bool search_from(identifying *s, double *x, double *residuals) {
  enum { ROUNDS = 3 };
  least_squares_end end = LEAST_SQUARES_FOUND;
  for (int i = 0; i < (s->f->robust ? ROUNDS : 1); i++) {
    s->problem.limit = s->f->robust ? robust_limit(s->f, residuals) : INFINITY;
    end = least_squares_search(&s->f->memory, &s->problem, x, residuals);
    if (end == LEAST_SQUARES_ENDED) return fit_ended(s->f);
  }
  s->found = end == LEAST_SQUARES_FOUND;
  return true;
}

// Searches from all starts, and keeps the best. Counts those that fit as well, to a thousandth.
static bool search_all(identifying *s, int count, const double *points, const double *traces, double *best_r) {
  carom_fit *f = s->f;
  const size_t n = (size_t)f->n, m = (size_t)f->fitted;
  double *x = ARENA_ARRAY(&f->memory, double, n *(size_t)count), *r = ARENA_ARRAY(&f->memory, double, m);
  double *costs = ARENA_ARRAY(&f->memory, double, count);
  int best = 0;
  f->runs.now.searches = count;
  for (int i = 0; i < count; i++) {
    f->runs.now.search = i + 1;
    memcpy(x + (size_t)i * n, points + (size_t)i * n, n * sizeof *x);
    fit_residuals(f, traces + (size_t)i * (size_t)f->runs.size, r);
    if (!search_from(s, x + (size_t)i * n, r)) return false;
    costs[i] = mean_of(f, r);
    if (i && !(costs[i] < costs[best])) continue;
    best = i, f->runs.now.best = costs[i];
    memcpy(best_r, r, m * sizeof *r);
  }
  memcpy(f->point, x + (size_t)best * n, n * sizeof *x);
  f->summary.searches = count;
  for (int i = 0; i < count; i++) f->summary.agreeing += costs[i] <= 1.001 * costs[best] + 1e-6;
  return true;
}

// Steps of the differences are chosen at the best start, and again at the result, where the derivatives are taken.
static bool fit_from(identifying *s, int count, const double *points, const double *traces, double *residuals) {
  carom_fit *f = s->f;
  const size_t size = (size_t)f->n * (size_t)f->fitted;
  double *J = ARENA_ARRAY(&f->memory, double, size), *change = ARENA_ARRAY(&f->memory, double, size);
  const least_squares *p = &s->problem;
  fit_residuals(f, traces, residuals);
  if (!least_squares_choose_steps(&f->memory, p, points, residuals, J, change)) return fit_ended(f);
  if (!search_all(s, count, points, traces, residuals)) return false;
  if (!least_squares_choose_steps(&f->memory, p, f->point, residuals, J, change)) return fit_ended(f);
  if (!search_from(s, f->point, residuals)) return false;
  if (!s->found)
    fit_warn(f, "the search ended before it had found a minimum: values and intervals are rough; narrow the ranges");
  if (!least_squares_choose_steps(&f->memory, p, f->point, residuals, J, change)) return fit_ended(f);
  f->limit = p->limit;
  fit_intervals(f, residuals, J, change);
  return true;
}

// --- files that are held out -----------------------------------------------------------------------------------------

static double rms_of_file(const carom_fit *f, int file, const double *traces) {
  double sum = 0;
  long count = 0;
  for (int i = 0; i < f->channel_count; i++) {
    const fit_channel *c = &f->channels[i];
    if (c->file != file) continue;
    for (long k = 0; k < c->count; k++) sum += pow((traces[c->first + k] - c->y[k]) / c->scale, 2);
    count += c->count;
  }
  return sqrt(sum / (double)(count ? count : 1));
}

// The offset of such a file belongs to it alone: it is fitted with all parameters held, on a grid that shrinks.
static bool place_file(carom_fit *f, int file) {
  enum { GRID = 17 };
  const size_t n = (size_t)f->runs.n, size = (size_t)f->runs.size;
  double *points = ARENA_ARRAY(&f->memory, double, GRID *n), *all = ARENA_ARRAY(&f->memory, double, GRID *size);
  const int at = f->files[file].offset;
  double low = 0, high = 1, least = INFINITY;
  bool good[GRID];
  for (int round = 0; round < 5; round++) {
    double best = f->point[at];
    for (int i = 0; i < GRID; i++) {
      memcpy(points + (size_t)i * n, f->point, n * sizeof *points);
      points[(size_t)i * n + (size_t)at] = low + (high - low) * i / (GRID - 1);
    }
    if (!trials_run(&f->runs, GRID, points, all, good)) return fit_ended(f);
    for (int i = 0; i < GRID; i++) {
      const double rms = good[i] ? rms_of_file(f, file, all + (size_t)i * size) : INFINITY;
      if (rms < least) least = rms, best = points[(size_t)i * n + (size_t)at];
    }
    const double half = (high - low) / (GRID - 1);
    low = fmax(best - half, 0), high = fmin(best + half, 1), f->point[at] = best;
  }
  return true;
}

// One run over the file alone, at the result. If it fails, the file is not compared.
static bool compare_file(carom_fit *f, int file) {
  double *traces = ARENA_ARRAY(&f->memory, double, f->m);
  bool good;
  f->compared = file;
  if (f->files[file].offset >= 0 && !place_file(f, file)) return false;
  if (!trials_run(&f->runs, 1, f->point, traces, &good)) return fit_ended(f);
  if (!good)
    fit_warn(f, "'%s' is not compared: the run over it failed at the result: %s", f->files[file].name,
             f->runs.last_message);
  for (int i = f->fitted_channels; i < f->channel_count; i++) {
    const fit_channel *c = &f->channels[i];
    for (long k = c->first; c->file == file && k < c->first + c->count; k++) f->traces[k] = good ? traces[k] : NAN;
  }
  return true;
}

static bool compare_held_out(carom_fit *f) {
  double sum = 0;
  long count = 0;
  f->runs.n = f->options->offset ? f->range_count + f->file_count : f->n, f->runs.size = (int)f->m;
  for (int i = 0; i < f->file_count; i++)
    if (f->files[i].hold_out && !compare_file(f, i)) return false;
  for (int i = f->fitted_channels; i < f->channel_count; i++) {
    const fit_channel *c = &f->channels[i];
    for (long k = 0; k < c->count; k++) {
      const double residual = (f->traces[c->first + k] - c->y[k]) / c->scale;
      if (!isnan(residual)) sum += residual * residual, count++;
    }
  }
  f->summary.hold_out_rms = count ? sqrt(sum / (double)count) : NAN;
  return true;
}

static bool trace_result(carom_fit *f) {
  bool good;
  if (!trials_run(&f->runs, 1, f->point, f->traces, &good)) return fit_ended(f);
  if (!good)
    return error_set(f->error, CAROM_ERROR_STUDY, "the run at the result failed: %s", f->runs.last_message), false;
  return compare_held_out(f);
}

// --- the study -------------------------------------------------------------------------------------------------------

// How a residual goes with the next one of its channel.
static double autocorrelation_of(const carom_fit *f, const double *r) {
  double product = 0, square = 0;
  for (int i = 0; i < f->fitted_channels; i++) {
    const fit_channel *c = &f->channels[i];
    for (long k = 0; k < c->count; k++) {
      square += r[c->first + k] * r[c->first + k];
      if (k) product += r[c->first + k] * r[c->first + k - 1];
    }
  }
  return square > 0 ? product / square : 0;
}

static void summarise(carom_fit *f, const double *residuals) {
  double sum = 0;
  for (int i = 0; i < f->fitted_channels; i++) {
    const fit_channel *c = &f->channels[i];
    for (long k = 0; k < c->count; k++) {
      const double r = residuals[c->first + k];
      sum += pow(r / c->weight / c->scale, 2);
      f->summary.outliers += f->robust && fabs(r) > f->limit;
    }
  }
  f->summary.samples = f->fitted;
  f->summary.rms = sqrt(sum / (double)f->fitted);
  f->summary.autocorrelation = autocorrelation_of(f, residuals);
  f->summary.goal = NAN;
  // Independent residuals have a correlation of 0 with a standard deviation of 1/√samples.
  if (f->summary.autocorrelation > 0.2 && f->summary.autocorrelation * sqrt((double)f->fitted) > 5)
    fit_warn(f,
             "residuals follow each other (correlation %.2f from one to the next): the model does not explain the data "
             "to its noise, and the intervals are too narrow",
             f->summary.autocorrelation);
  if (f->summary.searches > 1 && f->summary.agreeing < 2)
    fit_warn(f, "only one of %d searches has found this result: try more --starts, or narrower ranges",
             f->summary.searches);
}

// The same samples must not count twice.
static bool matches_differ(const carom_fit *f) {
  const carom_setting *m = f->options->match;
  for (int i = 0; i < f->options->match_count; i++)
    for (int k = 0; k < i; k++)
      if (strcmp(m[i].name, m[k].name) == 0 && strcmp(m[i].value, m[k].value) == 0)
        return error_set(f->error, CAROM_ERROR_USAGE, "'%s' is matched with '%s' twice", m[i].name, m[i].value), false;
  return true;
}

static bool check_options(const carom_fit *f) {
  const carom_fit_options *o = f->options;
  const char *why = NULL;
  int fitted = 0;
  for (int i = 0; i < o->data_count; i++) {
    fitted += !o->data[i].hold_out;
    if (!(o->data[i].weight >= 0 && isfinite(o->data[i].weight))) why = "the weight of a file must be positive";
  }
  if (o->match_count < 1) why = "nothing is matched: name a signal and its column";
  else if (!fitted) why = "there are no data to fit";
  else if (o->loss && strcmp(o->loss, "squares") != 0 && strcmp(o->loss, "huber") != 0)
    why = "the loss is 'squares' or 'huber'";
  if (why) error_set(f->error, CAROM_ERROR_USAGE, "%s", why);
  return !why && matches_differ(f);
}

static bool begin(carom_fit *f) {
  if (!check_options(f) || !fit_read_ranges(f, true)) return false;
  carom_model *model = fit_load_first(f);
  if (!model) return false;
  f->robust = f->options->loss && strcmp(f->options->loss, "huber") == 0;
  const bool read = fit_read_data(f, model);
  carom_model_destroy(model);
  f->compared = -1;
  f->runs.n = f->n, f->runs.size = (int)f->fitted, f->runs.measure = fit_trace;
  return read;
}

static bool identify(carom_fit *f) {
  if (!begin(f)) return false;
  enum { TOGETHER = 64 };
  const int most = f->options->searches ? f->options->searches : 4;
  const size_t n = (size_t)f->n, size = (size_t)f->fitted;
  double *points = ARENA_ARRAY(&f->memory, double, (size_t)most *n),
         *traces = ARENA_ARRAY(&f->memory, double, (size_t)most *size);
  f->point = ARENA_ARRAY(&f->memory, double, f->range_count + f->file_count);
  f->traces = ARENA_ARRAY(&f->memory, double, f->m);
  double *residuals = f->residuals = ARENA_ARRAY(&f->memory, double, f->fitted);
  const int count = fit_try_starts(f, cost_of_start, most, points, traces);
  if (count < 0) return false;
  identifying s = {.f = f, .most = TOGETHER, .traces = ARENA_ARRAY(&f->memory, double, TOGETHER *size)};
  s.problem = (least_squares){.n = f->n,
                              .m = (int)f->fitted,
                              .context = &s,
                              .evaluate = evaluate,
                              .limit = INFINITY,
                              .steps = ARENA_ARRAY(&f->memory, double, n)};
  if (!fit_from(&s, count, points, traces, residuals) || !trace_result(f)) return false;
  summarise(f, residuals);
  f->summary.runs = f->runs.now.runs, f->summary.failed = f->runs.now.failed;
  return true;
}

carom_fit *carom_identify(const carom_fit_options *options, carom_error *error) {
  return fit_make(options, identify, error);
}
