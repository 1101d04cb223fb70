// What the data say about each parameter: covariances, intervals, and combinations that they do not tell (theory.md,
// section 17). Variables are shares of the ranges, y = c x in units of the lengths c of the columns of J.
#include <math.h>
#include <string.h>

#include "math/eigen.h"
#include "math/student.h"
#include "study/fit.h"

typedef struct spread {
  carom_fit *f;
  const double *r, *J, *change;
  double *length;            // of each column of J
  const bool *taken;         // columns that take part
  double *A, *B;             // Σ ψ' JᵀJ and Σ ψ² JᵀJ, in y; entries of columns that do not take part are 0
  double *vectors, *values;  // of A
  bool *lost;                // directions along which traces do not change
  double *covariance;        // of x
  double *weak;              // directions of x of which the data tell too little, one after the other
  int weak_count;
} spread;

// --- sums over samples -----------------------------------------------------------------------------------------------

static const double *column_of(const carom_fit *f, const double *J, int k) { return J + (size_t)k * (size_t)f->fitted; }

static double dot(const fit_channel *c, const double *a, const double *b) {
  double sum = 0;
  for (long i = 0; i < c->count; i++) sum += a[c->first + i] * b[c->first + i];
  return sum;
}

// Each channel has noise of its own, and the loss bounds some of its residuals: mean of ψ', and of ψ² with the freedoms
// that parameters take.
static void noise_of(const carom_fit *f, const fit_channel *c, const double *r, double *slope, double *square) {
  long inside = 0;
  double sum = 0;
  for (long i = 0; i < c->count; i++) {
    const double a = fabs(r[c->first + i]);
    inside += a <= f->limit;
    sum += fmin(a, f->limit) * fmin(a, f->limit);
  }
  const double count = (double)c->count, share = 1 - (double)f->n / (double)f->fitted;
  *slope = fmax((double)inside, 1) / count;
  *square = sum / (count * share);
}

static void add_channel(spread *s, const fit_channel *c) {
  const carom_fit *f = s->f;
  double slope, square;
  if (!c->count) return;
  noise_of(f, c, s->r, &slope, &square);
  for (int k = 0; k < f->n; k++)
    for (int l = 0; l < f->n; l++) {
      if (!s->taken[k] || !s->taken[l]) continue;
      const double product = dot(c, column_of(f, s->J, k), column_of(f, s->J, l)) / (s->length[k] * s->length[l]);
      s->A[k * f->n + l] += slope * product, s->B[k * f->n + l] += square * product;
    }
}

// --- directions that the data do not tell ----------------------------------------------------------------------------

// A step along the direction changes the residuals by no more than the derivatives are uncertain.
static bool is_within_differences(const spread *s, const double *v, double size) {
  static const double LEAST = 1e-6, MOST = 1e-3, SAFETY = 10;
  const carom_fit *f = s->f;
  double sum = 0;
  if (size > MOST) return false;
  for (long i = 0; i < f->fitted; i++) {
    double change = 0;
    for (int k = 0; k < f->n; k++)
      if (s->taken[k]) change += v[k] * column_of(f, s->change, k)[i] / s->length[k];
    sum += change * change;
  }
  return size <= fmax(LEAST, SAFETY * sqrt(sum));
}

static bool find_lost(spread *s) {
  const carom_fit *f = s->f;
  const int n = f->n;
  memcpy(s->vectors, s->A, (size_t)(n * n) * sizeof *s->A);
  for (int k = 0; k < n; k++)
    if (!s->taken[k]) s->vectors[k * n + k] = 1;
  if (!eigen_symmetric(&s->f->memory, n, s->vectors, s->values)) return false;
  for (int j = 0; j < n; j++) {
    const double *v = s->vectors + j * n;
    s->lost[j] = !(s->values[j] > 0) || is_within_differences(s, v, sqrt(s->values[j]));
  }
  return true;
}

// --- covariance ------------------------------------------------------------------------------------------------------

// A⁻¹ B A⁻¹ over the directions that the data tell, in x.
static void form_covariance(spread *s) {
  const int n = s->f->n;
  double *inverse = ARENA_ARRAY(&s->f->memory, double, n *n), *half = ARENA_ARRAY(&s->f->memory, double, n *n);
  for (int j = 0; j < n; j++)
    for (int k = 0; !s->lost[j] && k < n; k++)
      for (int l = 0; l < n; l++) inverse[k * n + l] += s->vectors[j * n + k] * s->vectors[j * n + l] / s->values[j];
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++)
      for (int i = 0; i < n; i++) half[k * n + l] += inverse[k * n + i] * s->B[i * n + l];
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += half[k * n + i] * inverse[i * n + l];
      s->covariance[k * n + l] = s->taken[k] && s->taken[l] ? sum / (s->length[k] * s->length[l]) : 0;
    }
}

// Where the noise lets a parameter move over its whole range within two standard deviations, the data tell too little.
// It moves no further, because the range is known; other parameters move with it, and no further either.
static bool bound_covariance(spread *s) {
  const int n = s->f->n;
  double *vectors = ARENA_ARRAY(&s->f->memory, double, n *n), *values = ARENA_ARRAY(&s->f->memory, double, n);
  s->weak = ARENA_ARRAY(&s->f->memory, double, n *n);
  memcpy(vectors, s->covariance, (size_t)(n * n) * sizeof *vectors);
  if (!eigen_symmetric(&s->f->memory, n, vectors, values)) return false;
  for (int j = 0; j < n; j++) {
    const double *v = vectors + j * n;
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
    const double bound = 0.25 / (most * most);
    if (!(values[j] > bound)) continue;
    memcpy(s->weak + n * s->weak_count++, v, (size_t)n * sizeof *v);
    for (int k = 0; k < n * n; k++) s->covariance[k] -= (values[j] - bound) * v[k / n] * v[k % n];
  }
  return true;
}

static bool spread_of(spread *s, const bool *taken) {
  const int n = s->f->n;
  const size_t size = (size_t)(n * n);
  s->taken = taken;
  s->A = ARENA_ARRAY(&s->f->memory, double, size), s->B = ARENA_ARRAY(&s->f->memory, double, size);
  s->vectors = ARENA_ARRAY(&s->f->memory, double, size), s->values = ARENA_ARRAY(&s->f->memory, double, n);
  s->covariance = ARENA_ARRAY(&s->f->memory, double, size), s->lost = ARENA_ARRAY(&s->f->memory, bool, n);
  for (int i = 0; i < s->f->fitted_channels; i++) add_channel(s, &s->f->channels[i]);
  if (!find_lost(s)) return false;
  form_covariance(s);
  return bound_covariance(s);
}

// --- names -----------------------------------------------------------------------------------------------------------

// Makes directions simple: each has a parameter that no other one has.
static void reduce(int n, int count, double *rows) {
  for (int i = 0; i < count; i++) {
    int pivot = 0;
    for (int k = 1; k < n; k++)
      if (fabs(rows[i * n + k]) > fabs(rows[i * n + pivot])) pivot = k;
    const double p = rows[i * n + pivot];
    for (int k = 0; k < n; k++) rows[i * n + k] /= p;
    for (int l = 0; l < count; l++) {
      const double share = l == i ? 0 : rows[l * n + pivot];
      for (int k = 0; k < n; k++) rows[l * n + k] -= share * rows[i * n + k];
    }
  }
}

// `part` of the largest, which is 1, is what a parameter must have to be named.
static void name_direction(carom_fit *f, const double *row, double part) {
  arena_text names = {0};
  int count = 0, left = 0;
  for (int k = 0; k < f->n; k++) left += fabs(row[k]) > part;
  for (int k = 0; k < f->n; k++) {
    if (!(fabs(row[k]) > part)) continue;
    f->parameters[k].determined = false;
    left--;
    arena_append(&f->memory, &names, "%s'%s'", !count++ ? "" : left ? ", " : " and ", f->parameters[k].name);
  }
  *ARENA_PUSH(&f->memory, f->inseparable, f->inseparable_count, f->inseparable_capacity) =
      count == 1 ? arena_print(&f->memory, "the data do not tell %s: its interval is its range", names.text)
                 : arena_print(&f->memory,
                               "the data cannot separate %s: other values of them together give the same traces; hold "
                               "one of them by --set",
                               names.text);
}

// Where traces do not change, every parameter that takes part is named: smaller parts than 2 % come from errors of the
// derivatives. Where the noise is too large, those that move over half of their range or more; the others are told.
static void name_lost(const spread *s) {
  const int n = s->f->n;
  double *rows = ARENA_ARRAY(&s->f->memory, double, n *n);
  int count = 0;
  for (int j = 0; j < n; j++)
    if (s->lost[j]) memcpy(rows + n * count++, s->vectors + j * n, (size_t)n * sizeof *rows);
  reduce(n, count, rows), reduce(n, s->weak_count, s->weak);
  for (int i = 0; i < count; i++) name_direction(s->f, rows + i * n, 0.02);
  for (int i = 0; i < s->weak_count; i++) name_direction(s->f, s->weak + i * n, 0.5);
}

// --- intervals -------------------------------------------------------------------------------------------------------

// Between shares of a range.
static void set_interval(carom_fit *f, int k, double low, double high) {
  f->parameters[k].low = sweep_range_between(&f->ranges[k], low);
  f->parameters[k].high = sweep_range_between(&f->ranges[k], high);
}

// The distance from a bound at which the profile of the cost has risen as much as at the end of a one-sided interval:
// the minimum is δ beyond the bound, (d + δ)² - δ² = t² σ².
static double one_sided(const spread *all, int k, double t) {
  const int n = all->f->n;
  double beyond = 0;
  for (int j = 0; j < n; j++) {
    double along = 0;
    for (int l = 0; !all->lost[j] && l < n; l++) {
      double g = 0;
      for (int i = 0; all->taken[l] && i < all->f->fitted_channels; i++)
        g += dot(&all->f->channels[i], column_of(all->f, all->J, l), all->r) / all->length[l];
      along += all->vectors[j * n + l] * g;
    }
    if (!all->lost[j]) beyond += all->vectors[j * n + k] * along / all->values[j] / all->length[k];
  }
  const double delta = fabs(beyond), sigma = sqrt(all->covariance[k * n + k]);
  return sqrt(delta * delta + t * t * sigma * sigma) - delta;
}

static void set_intervals(carom_fit *f, const spread *all, const spread *free) {
  const int n = f->n, freedoms = f->summary.freedoms;
  const double t = student_quantile(0.975, freedoms), t_one = student_quantile(0.95, freedoms);
  for (int k = 0; k < n; k++) {
    carom_fit_parameter *p = &f->parameters[k];
    const double at = f->point[k];
    if (!p->determined) set_interval(f, k, 0, 1);
    if (!p->determined || !all->taken[k]) continue;
    const bool inside = p->bound == CAROM_FIT_INSIDE;
    const double error = sqrt((inside ? free : all)->covariance[k * n + k]);
    if (inside) set_interval(f, k, fmax(at - t * error, 0), fmin(at + t * error, 1));
    else if (p->bound == CAROM_FIT_AT_LOW) set_interval(f, k, 0, fmin(one_sided(all, k, t_one), 1));
    else set_interval(f, k, fmax(1 - one_sided(all, k, t_one), 0), 1);
    p->standard_error = error * (p->log ? log(p->most / p->least) : p->most - p->least);
  }
  for (int k = 0; k < n * n; k++) {
    const int a = k / n, b = k % n;
    const double both = free->covariance[a * n + a] * free->covariance[b * n + b];
    const bool known = f->parameters[a].determined && f->parameters[b].determined && both > 0;
    f->correlation[k] = known ? free->covariance[k] / sqrt(both) : NAN;
  }
}

// A time stepper sees an impact at the end of a step: its traces jump where a parameter moves an impact to another
// step.
static void warn_of_jumps(carom_fit *f, const double *change, const double *length) {
  static const double MOST = 0.1;
  for (int k = 0; k < f->n; k++) {
    double square = 0;
    for (int i = 0; i < f->fitted_channels; i++)
      square += dot(&f->channels[i], column_of(f, change, k), column_of(f, change, k));
    if (f->parameters[k].determined && isfinite(length[k]) && sqrt(square) > MOST * length[k])
      fit_warn(f,
               "traces are not smooth in '%s': its derivatives are uncertain by %.0f %%, and so is its interval; give "
               "the method a smaller step, or use one that locates impacts",
               f->parameters[k].name, 100 * sqrt(square) / length[k]);
  }
}

// Length of each column of the derivatives, and which columns take part. Where every run beside the result has failed
// there is no derivative; a column of length zero belongs to a parameter without effect.
static void choose_columns(carom_fit *f, const double *J, double *length, bool *every) {
  double *alone = ARENA_ARRAY(&f->memory, double, f->n);
  for (int k = 0; k < f->n; k++) {
    double square = 0;
    for (int i = 0; i < f->fitted_channels; i++) square += dot(&f->channels[i], column_of(f, J, k), column_of(f, J, k));
    length[k] = sqrt(square);
    every[k] = isfinite(square) && length[k] > LEAST_SQUARES_FLAT * sqrt((double)f->fitted);
    memset(alone, 0, (size_t)f->n * sizeof *alone);
    alone[k] = 1;
    if (!isfinite(square))
      fit_warn(f,
               "the interval of '%s' is not known: runs beside the result fail on both sides of its value (%s); the "
               "other intervals hold it at its value",
               f->parameters[k].name, f->runs.last_message);
    else if (!every[k]) name_direction(f, alone, 0.5);
  }
}

void fit_intervals(carom_fit *f, const double *residuals, const double *J, const double *change) {
  const int n = f->n;
  bool *every = ARENA_ARRAY(&f->memory, bool, n), *inner = ARENA_ARRAY(&f->memory, bool, n);
  double *length = ARENA_ARRAY(&f->memory, double, n);
  fit_name_result(f);
  choose_columns(f, J, length, every);
  for (int k = 0; k < n; k++) inner[k] = every[k] && f->parameters[k].bound == CAROM_FIT_INSIDE;
  spread all = {.f = f, .r = residuals, .J = J, .change = change, .length = length}, free = all;
  if (!spread_of(&all, every) || !spread_of(&free, inner)) {
    fit_warn(f, "derivatives of the traces are not finite at the result: there are no intervals");
    return;
  }
  name_lost(&all);
  int used = 0;
  for (int k = 0; k < n; k++) used += f->parameters[k].determined && f->parameters[k].bound == CAROM_FIT_INSIDE;
  f->summary.freedoms = (int)f->fitted - used;
  set_intervals(f, &all, &free);
  warn_of_jumps(f, change, length);
}
