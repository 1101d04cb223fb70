// Methods with a fixed step: the classical Runge-Kutta method of order 4, and for schemes that ask for them Kutta's of
// order 3, the explicit midpoint rule of order 2 and semi-implicit Euler of order 1.
//
// Steps end on the grid step_origin + k step, computed by that product, so that no rounding adds up and a resumed run
// meets the same times. A stop between two points of the grid cuts a step short; the next one goes on to the grid. A
// step may be taken in equal substeps, which nothing outside sees: it is projected and interpolated as one.
#include <math.h>
#include <string.h>

#include "integrate/integrator_family.h"

typedef struct rk4 {
  double *k1, *k2, *k3, *k4, *stage;
  double *slope_start, *slope_end;  // y' at both ends of the last step, for the interpolant
  double *knot, *knot_slope;        // y and y' between its substeps
  bool end_is_known;
  int (*take)(integrator *it, double end);  // a step
} rk4;

static int take_rk4(integrator *it, double end);
static int take_rk3(integrator *it, double end);
static int take_midpoint(integrator *it, double end);
static int take_semi_implicit(integrator *it, double end);

static int substeps_of(const integrator *it) { return it->settings.substeps > 1 ? it->settings.substeps : 1; }

static bool rk4_create(integrator *it, carom_error *error) {
  (void)error;
  rk4 *m = it->member = ARENA_NEW(&it->memory, rk4);
  double **arrays[] = {&m->k1, &m->k2, &m->k3, &m->k4, &m->stage, &m->slope_start, &m->slope_end};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = ARENA_ARRAY(&it->memory, double, it->n);
  m->knot = ARENA_ARRAY(&it->memory, double, (long)substeps_of(it) * it->n);
  m->knot_slope = ARENA_ARRAY(&it->memory, double, (long)substeps_of(it) * it->n);
  m->take = it->ops == &integrator_rk3_ops             ? take_rk3
            : it->ops == &integrator_midpoint_ops      ? take_midpoint
            : it->ops == &integrator_semi_implicit_ops ? take_semi_implicit
                                                       : take_rk4;
  return true;
}

static void rk4_destroy(integrator *it) { (void)it; }

// A stop this close to the grid, in steps, counts as on it: far more than rounding in t, far less than matters.
static const double on_grid = 1e-9;

static double end_of_step(const integrator *it, double t_stop) {
  const double h = it->settings.step, origin = it->settings.step_origin;
  if (h == 0) return t_stop;
  const double k = floor((it->t - origin) / h + on_grid) + 1;
  const double end = origin + k * h;
  return end >= t_stop - on_grid * h ? t_stop : end;
}

// stage = y + h a k, then its slope
static int next_stage(integrator *it, double t, double ha, const double *k, double *slope) {
  rk4 *m = it->member;
  for (int i = 0; i < it->n; i++) m->stage[i] = it->y[i] + ha * k[i];
  return integrator_rhs(it, t, m->stage, slope);
}

// The slope at the start: at the end of the last step, if it is known.
static int first_stage(integrator *it) {
  rk4 *m = it->member;
  int code = 0;
  if (m->end_is_known) memcpy(m->k1, m->slope_end, (size_t)it->n * sizeof *m->k1);
  else code = integrator_rhs(it, it->t, it->y, m->k1);
  m->end_is_known = false;
  return code;
}

static int take_rk4(integrator *it, double end) {
  rk4 *m = it->member;
  const double t = it->t, h = end - t, middle = t + h / 2;
  int code = first_stage(it);
  if (!code) code = next_stage(it, middle, h / 2, m->k1, m->k2);
  if (!code) code = next_stage(it, middle, h / 2, m->k2, m->k3);
  if (!code) code = next_stage(it, end, h, m->k3, m->k4);
  if (code) return code;
  for (int i = 0; i < it->n; i++) it->y[i] += h / 6 * (m->k1[i] + 2 * (m->k2[i] + m->k3[i]) + m->k4[i]);
  return 0;
}

static int take_rk3(integrator *it, double end) {
  rk4 *m = it->member;
  const double t = it->t, h = end - t;
  int code = first_stage(it);
  if (!code) code = next_stage(it, t + h / 2, h / 2, m->k1, m->k2);
  for (int i = 0; i < it->n; i++) m->k4[i] = 2 * m->k2[i] - m->k1[i];
  if (!code) code = next_stage(it, end, h, m->k4, m->k3);
  if (code) return code;
  for (int i = 0; i < it->n; i++) it->y[i] += h / 6 * (m->k1[i] + 4 * m->k2[i] + m->k3[i]);
  return 0;
}

static int take_midpoint(integrator *it, double end) {
  rk4 *m = it->member;
  const double t = it->t, h = end - t;
  int code = first_stage(it);
  if (!code) code = next_stage(it, t + h / 2, h / 2, m->k1, m->k2);
  if (code) return code;
  for (int i = 0; i < it->n; i++) it->y[i] += h * m->k2[i];
  return 0;
}

static bool is(const integrator *it, int i, ode_part part) {
  return it->ode->structure && it->ode->structure->part[i] == part;
}

// Speeds first; positions follow the new ones. Accounts of work take the mean of both: a force does work on the mean
// speed.
static int take_semi_implicit(integrator *it, double end) {
  rk4 *m = it->member;
  const double h = end - it->t;
  int code = first_stage(it);
  for (int i = 0; i < it->n; i++) m->k3[i] = is(it, i, ODE_POSITION) ? 0 : m->k1[i];
  if (!code) code = next_stage(it, it->t, h, m->k3, m->k2);
  if (code) return code;
  for (int i = 0; i < it->n; i++) {
    const double slope = is(it, i, ODE_ACCOUNT) ? 0.5 * (m->k1[i] + m->k2[i]) : m->k1[i];
    it->y[i] += h * (is(it, i, ODE_POSITION) ? m->k2[i] : slope);
  }
  return 0;
}

static void keep_first_slope(rk4 *m) {
  double *start = m->slope_start;
  m->slope_start = m->k1;
  m->k1 = start;
}

// The substeps of a step to `end`. Where each but the first starts is kept.
static int take_all(integrator *it, double end) {
  rk4 *m = it->member;
  const int count = substeps_of(it);
  const double start = it->t;
  const size_t size = (size_t)it->n * sizeof *it->y;
  int code = 0;
  for (int j = 0; j < count && !code; j++) {
    it->t = start + j * (end - start) / count;
    if (j) memcpy(m->knot + (long)j * it->n, it->y, size);
    code = m->take(it, j == count - 1 ? end : start + (j + 1) * (end - start) / count);
    if (j) memcpy(m->knot_slope + (long)j * it->n, m->k1, size);
    else keep_first_slope(m);
  }
  it->t = start;
  return code;
}

static carom_status rk4_step(integrator *it, double t_stop, carom_error *error) {
  const double end = end_of_step(it, t_stop);
  if (it->n > 0 && take_all(it, end)) return integrator_fail(it, TROUBLE_REFUSED_FIXED_STEP, NULL, error);
  if (integrator_project(it, end, it->y, NULL)) return integrator_fail(it, TROUBLE_PROJECTION, NULL, error);
  it->t = end;
  return CAROM_OK;
}

static carom_status rk4_restart(integrator *it, carom_error *error) {
  (void)error;
  ((rk4 *)it->member)->end_is_known = false;
  return CAROM_OK;
}

// The cubic through values and slopes at both ends of a substep: off by h^4/384 y'''', no more than the method itself.
// The slope at the end of a step is evaluated when first asked for and serves as the first stage of the next step.
static bool rk4_interpolate(integrator *it, double t, double *y) {
  rk4 *m = it->member;
  if (it->n == 0) return true;
  if (!m->end_is_known && integrator_rhs(it, it->t, it->y, m->slope_end)) return false;
  m->end_is_known = true;
  const int count = substeps_of(it);
  const double h = (it->t - it->t_previous) / count, way = (t - it->t_previous) / h;
  const int j = (int)fmin(way, count - 1), last = j == count - 1;
  const long at = (long)j * it->n, next = at + it->n;
  const double *a = j ? m->knot + at : it->y_previous, *slope_a = j ? m->knot_slope + at : m->slope_start,
               *b = last ? it->y : m->knot + next, *slope_b = last ? m->slope_end : m->knot_slope + next;
  const double x = way - j, z = 1 - x;
  for (int i = 0; i < it->n; i++)
    y[i] = z * z * (1 + 2 * x) * a[i] + x * x * (3 - 2 * x) * b[i] + h * x * z * (z * slope_a[i] - x * slope_b[i]);
  return true;
}

static void rk4_count(const integrator *it, integrator_stats *stats) {
  (void)it;
  (void)stats;
}

static int rk4_order(const integrator *it) { return it->ops->order_highest; }

static double rk4_next_step(const integrator *it) { return it->settings.step; }

#define FIXED_STEP(name_, order_)                                                                            \
  {                                                                                                          \
    .name = (name_), .one_step = true, .fixed_step = true, .order_min = (order_), .order_highest = (order_), \
    .create = rk4_create, .destroy = rk4_destroy, .step = rk4_step, .restart = rk4_restart,                  \
    .interpolate = rk4_interpolate, .count = rk4_count, .order = rk4_order, .next_step = rk4_next_step       \
  }

const integrator_ops integrator_rk4_ops = FIXED_STEP("rk4", 4);
const integrator_ops integrator_rk3_ops = FIXED_STEP("rk3", 3);
const integrator_ops integrator_midpoint_ops = FIXED_STEP("midpoint", 2);
const integrator_ops integrator_semi_implicit_ops = FIXED_STEP("semi-implicit Euler", 1);
