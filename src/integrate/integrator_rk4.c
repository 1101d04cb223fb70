// The classical Runge-Kutta method of order 4 with a fixed step.
//
// Steps end on the grid step_origin + k step, computed by that product, so that no rounding adds up and a resumed run
// meets the same times. A stop between two points of the grid cuts a step short; the next one goes on to the grid.
#include <math.h>
#include <string.h>

#include "integrate/integrator_family.h"

typedef struct rk4 {
  double *k1, *k2, *k3, *k4, *stage;
  double *slope_start, *slope_end;  // y' at both ends of the last step, for the interpolant
  bool end_is_known;
} rk4;

static bool rk4_create(integrator *it, carom_error *error) {
  (void)error;
  rk4 *m = it->member = ARENA_NEW(&it->memory, rk4);
  double **arrays[] = {&m->k1, &m->k2, &m->k3, &m->k4, &m->stage, &m->slope_start, &m->slope_end};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = ARENA_ARRAY(&it->memory, double, it->n);
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

static int take_step(integrator *it, double end) {
  rk4 *m = it->member;
  const double t = it->t, h = end - t, middle = t + h / 2;
  int code = 0;
  if (m->end_is_known) memcpy(m->k1, m->slope_end, (size_t)it->n * sizeof *m->k1);
  else code = integrator_rhs(it, t, it->y, m->k1);
  m->end_is_known = false;
  if (!code) code = next_stage(it, middle, h / 2, m->k1, m->k2);
  if (!code) code = next_stage(it, middle, h / 2, m->k2, m->k3);
  if (!code) code = next_stage(it, end, h, m->k3, m->k4);
  if (code) return code;
  for (int i = 0; i < it->n; i++) it->y[i] += h / 6 * (m->k1[i] + 2 * (m->k2[i] + m->k3[i]) + m->k4[i]);
  return 0;
}

static carom_status rk4_step(integrator *it, double t_stop, carom_error *error) {
  rk4 *m = it->member;
  const double end = end_of_step(it, t_stop);
  if (it->n > 0 && take_step(it, end)) return integrator_fail(it, TROUBLE_REFUSED_FIXED_STEP, NULL, error);
  if (integrator_project(it, end, it->y, NULL)) return integrator_fail(it, TROUBLE_PROJECTION, NULL, error);
  double *start = m->slope_start;
  m->slope_start = m->k1;
  m->k1 = start;
  it->t = end;
  return CAROM_OK;
}

static carom_status rk4_restart(integrator *it, carom_error *error) {
  (void)error;
  ((rk4 *)it->member)->end_is_known = false;
  return CAROM_OK;
}

// The cubic through values and slopes at both ends: off by h^4/384 y'''', no more than the method itself. The slope at
// the end is evaluated when first asked for and serves as the first stage of the next step.
static bool rk4_interpolate(integrator *it, double t, double *y) {
  rk4 *m = it->member;
  if (it->n == 0) return true;
  if (!m->end_is_known && integrator_rhs(it, it->t, it->y, m->slope_end)) return false;
  m->end_is_known = true;
  const double h = it->t - it->t_previous, x = (t - it->t_previous) / h, z = 1 - x;
  for (int i = 0; i < it->n; i++)
    y[i] = z * z * (1 + 2 * x) * it->y_previous[i] + x * x * (3 - 2 * x) * it->y[i] +
           h * x * z * (z * m->slope_start[i] - x * m->slope_end[i]);
  return true;
}

static void rk4_count(const integrator *it, integrator_stats *stats) {
  (void)it;
  (void)stats;
}

static int rk4_order(const integrator *it) {
  (void)it;
  return 4;
}

static double rk4_next_step(const integrator *it) { return it->settings.step; }

const integrator_ops integrator_rk4_ops = {
    .name = "rk4",
    .one_step = true,
    .order_min = 4,
    .order_highest = 4,
    .create = rk4_create,
    .destroy = rk4_destroy,
    .step = rk4_step,
    .restart = rk4_restart,
    .interpolate = rk4_interpolate,
    .count = rk4_count,
    .order = rk4_order,
    .next_step = rk4_next_step,
};
