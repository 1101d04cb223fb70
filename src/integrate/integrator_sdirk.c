// A singly diagonally implicit Runge-Kutta pair of order 4(3), for problems that know what is stiff in them (solve) and
// that start again often. After a restart a multistep method begins with order 1 and takes many short steps; this one
// goes on with the step that it had.
//
// Kennedy and Carpenter, Additive Runge-Kutta schemes for convection-diffusion-reaction equations (2003),
// ARK4(3)6L[2]SA, its implicit part: the first stage is explicit, the last one is the end of the step, L-stable. With
// k_i = f(Y_i) each other stage solves
//   Y_i = b_i + h γ k_i,   b_i = y_n + h Σ_{j<i} a_ij k_j
// by Newton's iteration, Y := Y + (1 - h γ J)⁻¹ (b_i + h γ f(Y) - Y). The slope of the last stage serves as the first
// of the next step, which a projection in between changes by less than the tolerance.
#include <stdio.h>  // for the header of ARKODE

#include <arkode/arkode_butcher_dirk.h>
#include <assert.h>
#include <math.h>

#include "integrate/integrator_family.h"

enum { STAGES = 6, ORDER = 4, ORDER_EMBEDDED = 3 };

typedef struct sdirk_member {
  double a[STAGES][STAGES], c[STAGES], gamma;
  double d[STAGES];   // weights of the solution less those of the one of order 3
  double next_step;   // 0: to be estimated [s]
  bool knows_slope;   // k[0], where the next step starts
  double *k[STAGES];  // slopes of the stages
  double *slope_before, *begun, *f, *change;
  double rate;    // at which Newton's iteration last converged
  bool unsolved;  // the last step that was tried has a stage that Newton's iteration does not solve
  long rejected, failures;
} sdirk_member;

static const double USUAL_RATE = 0.1;

// --- creation --------------------------------------------------------------------------------------------------------

static bool load_table(sdirk_member *m) {
  ARKodeButcherTable t = ARKodeButcherTable_LoadDIRK(ARKODE_ARK436L2SA_DIRK_6_3_4);
  if (!t) return false;
  for (int i = 0; i < STAGES; i++) {
    m->c[i] = t->c[i], m->d[i] = t->b[i] - t->d[i];
    for (int j = 0; j < STAGES; j++) m->a[i][j] = t->A[i][j];
  }
  m->gamma = t->A[STAGES - 1][STAGES - 1];
  ARKodeButcherTable_Free(t);
  return true;
}

static bool sdirk_create(integrator *it, carom_error *error) {
  sdirk_member *m = it->member = ARENA_NEW(&it->memory, sdirk_member);
  double **arrays[] = {&m->slope_before, &m->begun, &m->f, &m->change};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = ARENA_ARRAY(&it->memory, double, it->n);
  for (int i = 0; i < STAGES; i++) m->k[i] = ARENA_ARRAY(&it->memory, double, it->n);
  m->next_step = it->settings.step;
  m->rate = USUAL_RATE;
  assert(it->ode->solve);
  if (load_table(m)) return true;
  integrator_fail(it, TROUBLE_MEMORY, NULL, error);
  return false;
}

static void sdirk_destroy(integrator *it) { (void)it; }

// --- a stage ---------------------------------------------------------------------------------------------------------

// In tolerances, of the state where the step starts.
static double norm_of(const integrator *it, const double *x) {
  double sum = 0;
  for (int i = 0; i < it->n; i++) {
    const double part = x[i] / (it->settings.rtol * fabs(it->y_previous[i]) + it->tolerance[i]);
    sum += part * part;
  }
  return sqrt(sum / it->n);
}

// b_i, and a first Y_i from the polynomial through the slopes of the stages before.
static void begin_stage(integrator *it, int i, double h, double *y) {
  sdirk_member *m = it->member;
  double weight[STAGES];
  for (int j = 0; j < i; j++) {
    weight[j] = 1;
    for (int l = 0; l < i; l++)
      if (l != j) weight[j] *= (m->c[i] - m->c[l]) / (m->c[j] - m->c[l]);
  }
  for (int n = 0; n < it->n; n++) {
    double sum = 0, slope = 0;
    for (int j = 0; j < i; j++) sum += m->a[i][j] * m->k[j][n], slope += weight[j] * m->k[j][n];
    m->begun[n] = it->y_previous[n] + h * sum;
    y[n] = m->begun[n] + h * m->gamma * slope;
  }
}

// One of Newton's steps. `size`: of it, in tolerances. Returns as the problem's functions do.
static int improve(integrator *it, double t, double hg, double *y, double *size) {
  const sdirk_member *m = it->member;
  int code = integrator_rhs(it, t, y, m->f);
  if (code) return code;
  for (int n = 0; n < it->n; n++) m->change[n] = m->begun[n] + hg * m->f[n] - y[n];
  code = it->ode->solve(it->ode->context, hg, m->change);
  if (code) return code;
  for (int n = 0; n < it->n; n++) y[n] += m->change[n];
  *size = norm_of(it, m->change);
  return isfinite(*size) ? 0 : 1;
}

// With a change s and the rate q of the iteration, s q/(1 - q) is left. The rate of the stage before, somewhat worse,
// is that of the first change. (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8)
// A change may once be larger than the one before: where a slip turns round within the step, the iteration mostly
// converges all the same.
static int solve_stage(integrator *it, int i, double h, double *y) {
  enum { TURNS = 8, GROWING = 2 };
  static const double ENOUGH = 0.03, LEAST_RATE = 1e-3, WORSE = 0.8, BETTER = 0.3;
  sdirk_member *m = it->member;
  const double hg = h * m->gamma;
  double size = 0;
  int growing = 0;
  begin_stage(it, i, h, y);
  m->rate = fmax(pow(m->rate, WORSE), LEAST_RATE);
  for (int turn = 0; turn < TURNS && growing < GROWING; turn++) {
    const double before = size;
    const int code = improve(it, it->t + m->c[i] * h, hg, y, &size);
    if (code) return code;
    if (turn > 0 && before > 0) m->rate = fmax(BETTER * m->rate, size / before), growing += size >= before;
    if (!(m->rate < 1 && size * m->rate <= ENOUGH * (1 - m->rate))) continue;
    for (int n = 0; n < it->n; n++) m->k[i][n] = (y[n] - m->begun[n]) / hg;
    return 0;
  }
  m->rate = USUAL_RATE;
  m->failures++;
  return 1;
}

// --- a step ----------------------------------------------------------------------------------------------------------

static int solve_stages(integrator *it, double h) {
  int code = 0;
  if (it->ode->steer) it->ode->steer(it->ode->context, true);
  for (int i = 1; i < STAGES && !code; i++) code = solve_stage(it, i, h, it->y);
  if (it->ode->steer) it->ode->steer(it->ode->context, false);
  return code;
}

// The end of the step into it->y. Returns its error in tolerances, without what is stiff, or infinity if a stage cannot
// be solved.
static double try_step(integrator *it, double h, int *code) {
  sdirk_member *m = it->member;
  *code = solve_stages(it, h);
  if (*code) return INFINITY;
  for (int n = 0; n < it->n; n++) {
    double sum = 0;
    for (int i = 0; i < STAGES; i++) sum += m->d[i] * m->k[i][n];
    m->change[n] = h * sum;
  }
  *code = it->ode->solve(it->ode->context, h * m->gamma, m->change);
  return *code ? INFINITY : norm_of(it, m->change);
}

// Steps grow quickly from a first one that is far too short. (Hairer, Nørsett and Wanner, Solving Ordinary Differential
// Equations I, section II.4, with a hundredth of their Euler step)
static double first_step(const integrator *it) {
  const sdirk_member *m = it->member;
  const double size = norm_of(it, it->y), speed = norm_of(it, m->k[0]);
  return size > 1e-5 && speed > 1e-5 ? 1e-4 * size / speed : 1e-6;
}

// A step that was tried, and its error in tolerances.
typedef struct trial {
  double step, error;  // no step: none was
} trial;

// The error of a step grows with this power of its length. Where a slip turns round or its force jumps it is smaller
// than that of a smooth motion: then it is that between two trials from the same start.
static double order_of(const trial *before, double step, double error) {
  const double smooth = ORDER_EMBEDDED + 1;
  if (!(before->step > step) || !isfinite(before->error)) return smooth;
  return fmin(smooth, fmax(1, log(before->error / error) / log(before->step / step)));
}

static double grown(const trial *before, double step, double error) {
  static const double MOST = 5, LEAST = 0.2, SAFETY = 0.8, REFUSED = 0.25;
  if (!isfinite(error)) return REFUSED * step;
  const double factor = SAFETY * pow(fmax(error, 1e-10), -1 / order_of(before, step, error));
  return step * fmin(before->step > 0 ? 1 : MOST, fmax(LEAST, factor));
}

static void end_step(integrator *it, double t, double next_step) {
  sdirk_member *m = it->member;
  double *free = m->slope_before;
  m->slope_before = m->k[0], m->k[0] = m->k[STAGES - 1], m->k[STAGES - 1] = free;
  m->next_step = next_step;
  it->t = t;
}

// Returns as the problem's functions do: > 0 for a step that was refused, after which `step` is shorter. `before`: the
// trial before it from here; the one that is made takes its place.
static int attempt(integrator *it, double *step, double t_stop, trial *before) {
  static const double ALMOST = 0.99;  // no sliver is left before the stop
  sdirk_member *m = it->member;
  const double rest = t_stop - it->t, planned = *step;
  const bool rejected = before->step > 0;
  const bool fits = !(it->settings.step_max > 0) || rest <= it->settings.step_max;
  const bool cut = planned >= rest || (fits && planned >= ALMOST * rest);
  const double h = cut ? rest : planned, t = cut ? t_stop : it->t + h;
  int code = 0;
  const double error = try_step(it, h, &code);
  m->unsolved = !isfinite(error);
  if (code < 0) return code;
  const double proposed = grown(before, h, error);
  *before = (trial){h, error};
  if (error <= 1) {
    code = integrator_project(it, t, it->y, NULL);
    if (code < 0) return code;
    if (code == 0) return end_step(it, t, cut && !rejected ? fmax(proposed, planned) : proposed), 0;
  }
  m->rejected++;
  *step = error <= 1 ? grown(before, h, INFINITY) : proposed;
  return 1;
}

static carom_status sdirk_step(integrator *it, double t_stop, carom_error *error) {
  enum { TRIES = 30 };
  sdirk_member *m = it->member;
  if (!m->knows_slope && integrator_rhs(it, it->t, it->y, m->k[0]))
    return integrator_fail(it, TROUBLE_REFUSED_AT_START, NULL, error);
  m->knows_slope = true;
  double step = m->next_step > 0 ? m->next_step : first_step(it);
  step = fmax(step, it->settings.step_min);
  if (it->settings.step_max > 0) step = fmin(step, it->settings.step_max);
  int code = 1;
  trial before = {0};
  for (int tries = 0; code > 0 && tries < TRIES && it->t + step > it->t && step >= it->settings.step_min; tries++)
    code = attempt(it, &step, t_stop, &before);
  if (code == 0) return CAROM_OK;
  const integrator_trouble trouble = it->refusal.code ? TROUBLE_REFUSED
                                     : m->unsolved    ? TROUBLE_CONVERGENCE
                                                      : TROUBLE_ERROR_TEST;
  return integrator_fail(it, trouble, NULL, error);
}

// The motion after an event is about as smooth as before it: the step stays.
static carom_status sdirk_restart(integrator *it, carom_error *error) {
  (void)error;
  ((sdirk_member *)it->member)->knows_slope = false;
  return CAROM_OK;
}

static void sdirk_suggest(integrator *it, double step) { ((sdirk_member *)it->member)->next_step = step; }

// The cubic with the values and slopes of both ends, wrong by h⁴.
static bool sdirk_interpolate(integrator *it, double t, double *y) {
  const sdirk_member *m = it->member;
  const double h = it->t - it->t_previous, x = (t - it->t_previous) / h, z = 1 - x;
  for (int i = 0; i < it->n; i++)
    y[i] = z * z * (1 + 2 * x) * it->y_previous[i] + x * x * (3 - 2 * x) * it->y[i] +
           h * x * z * (z * m->slope_before[i] - x * m->k[0][i]);
  return true;
}

static void sdirk_count(const integrator *it, integrator_stats *stats) {
  const sdirk_member *m = it->member;
  stats->rejected += m->rejected;
  stats->newton_failures += m->failures;
}

static int sdirk_order(const integrator *it) { return (void)it, ORDER; }

static double sdirk_next_step(const integrator *it) { return ((sdirk_member *)it->member)->next_step; }

const integrator_ops integrator_sdirk_ops = {
    .name = "sdirk",
    .keeps_slope = true,
    .order_min = ORDER,
    .order_highest = ORDER,
    .create = sdirk_create,
    .destroy = sdirk_destroy,
    .step = sdirk_step,
    .restart = sdirk_restart,
    .suggest = sdirk_suggest,
    .interpolate = sdirk_interpolate,
    .count = sdirk_count,
    .order = sdirk_order,
    .next_step = sdirk_next_step,
};
