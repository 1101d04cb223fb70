// ARKODE's explicit Runge-Kutta pairs with variable step, Dormand-Prince 5(4) unless another order is asked for.
//
// A step is a function of t, y, the step proposed and the stop, of nothing else, so that a run resumed from these
// continues bit by bit. To that end the controller is the one without memory (I: the next step from the last error
// alone), growth is bounded alike on first and later steps, and steps cut short at a stop are our business, not
// ARKODE's: it would stretch the next step by a rounded ratio. Where its own idea of the next step is not ours, it is
// reset, which costs one evaluation of the right-hand side.
//
// ARKStep rather than ERKStep: in SUNDIALS 6.4.1 the latter takes any table with c_s = 1 for one whose last stage is
// the first of the next step, and loses its order where that is not so. ARKStep does this only for the interpolant;
// giving it a function to call after each step makes it evaluate the slope there. That slope is kept: it is the first
// stage of the next step, and again of each try after a rejection, for which ARKStep would ask anew.
//
// The first step is our own, since ARKODE's is as if for a method of order 1: then it is far too short, and steps are
// wasted on its growth after every restart.
//
// The dense output is our own. ARKODE's of a degree above 3 evaluates the right-hand side again at every call; here the
// one or three evaluations it takes are made once a step, when the inside of the step is first asked for.
#include <arkode/arkode_arkstep.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/sundials_glue.h"

typedef struct arkode_member {
  sundials_glue glue;
  void *arkode;
  int order;
  double next_step;  // 0: to be estimated
  double reached;    // ARKODE stands here and intends next_step; NaN: it has to be reset
  bool knows_slope;  // y' where the next step starts, at it->t and it->y
  double *slope;
  bool step_is_over, knows_next_slope;
  double *next_slope;  // where the step under way ends
  // the polynomial over the last step, which ended with `slope`
  bool is_drawn;
  double *slope_before;        // where it started
  double *quartic, *quintic;   // its coefficients beyond the cubic
  double *inside, *excess[2];  // a place within it, and what the slopes there are beyond the cubic's
} arkode_member;

typedef struct table {
  int order;
  ARKODE_ERKTableID id;
} table;

static const table tables[] = {
    {2, ARKODE_HEUN_EULER_2_1_2},     {3, ARKODE_BOGACKI_SHAMPINE_4_2_3}, {4, ARKODE_ZONNEVELD_5_3_4},
    {5, ARKODE_DORMAND_PRINCE_7_4_5}, {6, ARKODE_VERNER_8_5_6},           {8, ARKODE_FEHLBERG_13_7_8},
};

// The highest order not above the one asked for.
static const table *choose_table(int order_max) {
  const table *best = &tables[0];
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].order <= (order_max ? order_max : 5)) best = &tables[i];
  return best;
}

static integrator_trouble name_trouble(const integrator *it, int flag) {
  switch (flag) {
    case ARK_TOO_MUCH_ACC: return TROUBLE_TOLERANCE;
    case ARK_ERR_FAILURE: return TROUBLE_ERROR_TEST;
    case ARK_RHSFUNC_FAIL:
    case ARK_FIRST_RHSFUNC_ERR:
    case ARK_REPTD_RHSFUNC_ERR:
    case ARK_UNREC_RHSFUNC_ERR: return it->refusal.t == it->t ? TROUBLE_REFUSED_AT_START : TROUBLE_REFUSED;
    case ARK_POSTPROCESS_STEP_FAIL: return TROUBLE_PROJECTION;
    case ARK_MEM_FAIL: return TROUBLE_MEMORY;
    default: return TROUBLE_OTHER;
  }
}

static carom_status fail(const integrator *it, int flag, carom_error *error) {
  const arkode_member *m = it->member;
  return integrator_fail(it, name_trouble(it, flag), m->glue.message, error);
}

static int right_hand_side(realtype t, N_Vector y, N_Vector ydot, void *data) {
  integrator *it = data;
  arkode_member *m = it->member;
  const double *at = N_VGetArrayPointer(y);
  const size_t bytes = (size_t)it->n * sizeof *at;
  const bool starts = t == it->t && memcmp(at, it->y_previous, bytes) == 0, ends = m->step_is_over;
  m->step_is_over = false;
  if (starts && m->knows_slope) {
    memcpy(N_VGetArrayPointer(ydot), m->slope, bytes);
    return 0;
  }
  const int code = integrator_rhs(it, t, at, N_VGetArrayPointer(ydot));
  if (code || !(starts || ends)) return code;
  memcpy(starts ? m->slope : m->next_slope, N_VGetArrayPointer(ydot), bytes);
  *(starts ? &m->knows_slope : &m->knows_next_slope) = true;
  return 0;
}

static int after_step(realtype t, N_Vector y, void *data) {
  integrator *it = data;
  ((arkode_member *)it->member)->step_is_over = true;  // it asks for the slope there next
  return integrator_project(it, t, N_VGetArrayPointer(y), NULL);
}

// After a step h with error e (1: just acceptable) the next is h (1.5 e)^(-1/q), at most this many times h; q is the
// order of the method, whose error estimate is of the local order q.
static const double MOST_GROWTH = 10;
enum { MOST_ERROR_FAILURES = 20, MOST_REFUSALS = 25 };

static int configure(integrator *it) {
  arkode_member *m = it->member;
  const integrator_settings *s = &it->settings;
  const table *chosen = choose_table(s->order_max);
  m->order = chosen->order;
  int flag = ARKStepSetErrHandlerFn(m->arkode, glue_hear, &m->glue);
  if (!flag) flag = ARKStepSetUserData(m->arkode, it);
  if (!flag) flag = ARKStepSetTableNum(m->arkode, ARKODE_DIRK_NONE, chosen->id);
  if (!flag) flag = ARKStepSVtolerances(m->arkode, s->rtol, m->glue.tolerance);
  if (!flag) flag = ARKStepSetMaxStep(m->arkode, s->step_max);
  const int from_method_order = 1, defaults = 1;
  if (!flag) flag = ARKStepSetAdaptivityMethod(m->arkode, ARK_ADAPT_I, defaults, from_method_order, NULL);
  if (!flag) flag = ARKStepSetMaxGrowth(m->arkode, MOST_GROWTH);
  if (!flag) flag = ARKStepSetMaxFirstGrowth(m->arkode, MOST_GROWTH);
  if (!flag) flag = ARKStepSetFixedStepBounds(m->arkode, 1, 1);
  if (!flag) flag = ARKStepSetMaxErrTestFails(m->arkode, MOST_ERROR_FAILURES);
  if (!flag) flag = ARKStepSetPostprocessStepFn(m->arkode, after_step);
  return flag;
}

static bool erk_create(integrator *it, carom_error *error) {
  arkode_member *m = it->member = ARENA_NEW(&it->memory, arkode_member);
  m->next_step = it->settings.step;
  m->reached = NAN;
  double **arrays[] = {&m->slope,   &m->next_slope, &m->slope_before, &m->quartic,
                       &m->quintic, &m->inside,     &m->excess[0],    &m->excess[1]};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = ARENA_ARRAY(&it->memory, double, it->n);
  it->settings.step_max *= 1 + 1e-9;  // so that rounding leaves no sliver where a stop is a multiple of step_max away
  int flag = ARK_MEM_FAIL;
  if (glue_open(&m->glue, it)) m->arkode = ARKStepCreate(right_hand_side, NULL, it->t, m->glue.y, m->glue.context);
  if (m->arkode) flag = configure(it);
  if (flag) fail(it, flag, error);
  return flag == 0;
}

static void erk_destroy(integrator *it) {
  arkode_member *m = it->member;
  if (!m) return;
  if (m->arkode) ARKStepFree(&m->arkode);
  glue_close(&m->glue);
}

// The step from t to the stop, less what keeps rounding from putting a stage beyond it.
static double just_before(double t, double t_stop) { return (t_stop - t) * (1 - 4 * DBL_EPSILON); }

static int reset(integrator *it, double step, double t_stop) {
  arkode_member *m = it->member;
  // A step down to the stop may be below step_min.
  int flag = ARKStepSetMinStep(m->arkode, fmin(it->settings.step_min, just_before(it->t, t_stop)));
  if (!flag) flag = ARKStepSetInitStep(m->arkode, step);
  if (!flag) flag = ARKStepReset(m->arkode, it->t, m->glue.y);
  return flag;
}

static int evolve(integrator *it, double step, double t_stop) {
  arkode_member *m = it->member;
  m->glue.message[0] = 0;
  int flag = 0;
  if (m->reached != it->t || m->next_step != step) flag = reset(it, step, t_stop);
  m->reached = NAN;
  double t = it->t;
  return flag ? flag : ARKStepEvolve(m->arkode, t_stop, m->glue.y, &t, ARK_ONE_STEP);
}

static bool may_try_again(const integrator *it, int flag, double step) {
  const bool refused = it->refusal.code > 0 && it->refusal.t != it->t &&
                       (flag == ARK_UNREC_RHSFUNC_ERR || flag == ARK_RHSFUNC_FAIL || flag == ARK_POSTPROCESS_STEP_FAIL);
  return refused && step > it->settings.step_min && step > 16 * DBL_EPSILON * fabs(it->t);
}

// To ARKODE a refusal is the end, so the step is tried again from here.
static int evolve_with_patience(integrator *it, double *step, double t_stop) {
  arkode_member *m = it->member;
  int flag = evolve(it, *step, t_stop);
  for (int tries = 1; flag < 0 && tries < MOST_REFUSALS; tries++) {
    double tried = *step;
    ARKStepGetCurrentStep(m->arkode, &tried);
    if (!may_try_again(it, flag, tried)) break;
    for (int i = 0; i < it->n; i++) it->y[i] = it->y_previous[i];
    it->stats.rejected++;
    *step = fmax(tried / 4, it->settings.step_min);
    flag = evolve(it, *step, t_stop);
  }
  return flag;
}

static double within_bounds(const integrator_settings *s, double step) {
  if (step == 0) return 0;
  step = fmax(step, s->step_min);
  return s->step_max > 0 ? fmin(step, s->step_max) : step;
}

// Whether the step planned would reach the stop, or leave no more than a sliver of a hundredth for the one after.
static bool reaches_stop(const integrator *it, double planned, double rest) {
  const double step_max = it->settings.step_max;
  return planned > 0 && rest <= 1.01 * planned && !(step_max > 0 && rest > step_max);
}

static double norm_of(const integrator *it, const double *x, const double *minus) {
  double sum = 0;
  for (int i = 0; i < it->n; i++) {
    const double part = (x[i] - (minus ? minus[i] : 0)) / (it->settings.rtol * fabs(it->y[i]) + it->tolerance[i]);
    sum += part * part;
  }
  return sqrt(sum / it->n);
}

// Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.4: from the sizes of y' and, by a
// little step of Euler's, of y'', the step whose error is a hundredth of the tolerance if the derivatives of the
// method's order are as large as these. 0, ARKODE's own choice: it cannot be evaluated.
static double first_step(integrator *it) {
  arkode_member *m = it->member;
  double *beyond = m->inside, *slope = m->excess[0];
  if (!m->knows_slope) m->knows_slope = integrator_rhs(it, it->t, it->y, m->slope) == 0;
  if (!m->knows_slope) return 0;
  const double size = norm_of(it, it->y, NULL), speed = norm_of(it, m->slope, NULL);
  const double little = size > 1e-5 && speed > 1e-5 ? 0.01 * size / speed : 1e-6;
  for (int i = 0; i < it->n; i++) beyond[i] = it->y[i] + little * m->slope[i];
  if (integrator_rhs(it, it->t + little, beyond, slope)) return 0;
  const double most = fmax(speed, norm_of(it, slope, m->slope) / little);
  return fmin(100 * little, most > 1e-15 ? pow(0.01 / most, 1.0 / (m->order + 1)) : fmax(1e-6, 1e-3 * little));
}

// Where the stop was reached, ARKODE stands a little before it, and the slope there is good enough to draw by, but not
// to go on from: a run resumed there would not have it.
static void take_over_slopes(arkode_member *m, bool landed) {
  double *free = m->slope_before;
  m->slope_before = m->slope, m->slope = m->next_slope, m->next_slope = free;
  m->knows_slope = m->knows_next_slope && !landed;
  m->knows_next_slope = m->step_is_over = m->is_drawn = false;
}

static carom_status erk_step(integrator *it, double t_stop, carom_error *error) {
  arkode_member *m = it->member;
  if (m->next_step == 0) m->next_step = first_step(it);
  const double planned = within_bounds(&it->settings, m->next_step), to_stop = just_before(it->t, t_stop);
  const bool cut = reaches_stop(it, planned, t_stop - it->t);
  const long rejected_before = it->stats.rejected;
  double step = cut ? to_stop : planned;
  const int flag = evolve_with_patience(it, &step, t_stop);
  if (flag < 0) return fail(it, flag, error);

  double taken = 0, proposed = 0;
  ARKStepGetLastStep(m->arkode, &taken);
  ARKStepGetCurrentStep(m->arkode, &proposed);
  const bool landed = taken == to_stop, refused = it->stats.rejected > rejected_before;
  if (refused) proposed = fmin(proposed, taken);               // not straight back into the refusal
  else if (cut && landed) proposed = fmax(proposed, planned);  // the stop was near, the motion as smooth as before
  it->t = landed ? t_stop : it->t + taken;
  take_over_slopes(m, landed);
  m->next_step = proposed;
  if (!cut && !landed && !refused && it->settings.step_min < to_stop) m->reached = it->t;
  return CAROM_OK;
}

static carom_status erk_restart(integrator *it, carom_error *error) {
  (void)error;
  arkode_member *m = it->member;
  m->next_step = it->settings.step;
  m->reached = NAN;
  m->knows_slope = false;
  return CAROM_OK;
}

static void erk_suggest(integrator *it, double step) { ((arkode_member *)it->member)->next_step = step; }

// --- dense output ----------------------------------------------------------------------------------------------------
// With x from 0 to 1 over the step and z = 1 - x:  y = cubic(x) + x² z² (a + b x), where the cubic has the values and
// slopes of both ends. Slopes inside are evaluated on the polynomial found so far, and it is bent until it has them:
//   order 5 and above   the slope at 1/3 on the cubic gives a, with b = 0: wrong by h⁵
//   order 6 and above   the slopes at 1/3 and 2/3 on that quartic give a and b: wrong by h⁶

static void draw_at(const integrator *it, double x, double *y) {
  const arkode_member *m = it->member;
  const double h = it->t - it->t_previous, z = 1 - x;
  for (int i = 0; i < it->n; i++)
    y[i] = z * z * (1 + 2 * x) * it->y_previous[i] + x * x * (3 - 2 * x) * it->y[i] +
           h * x * z * (z * m->slope_before[i] - x * m->slope[i]) + x * x * z * z * (m->quartic[i] + x * m->quintic[i]);
}

// What the slope there has that the cubic's has not, times h.
static bool find_excess(integrator *it, double x, double *excess) {
  const arkode_member *m = it->member;
  const double h = it->t - it->t_previous, z = 1 - x;
  draw_at(it, x, m->inside);
  if (integrator_rhs(it, it->t_previous + x * h, m->inside, excess)) return false;
  for (int i = 0; i < it->n; i++)
    excess[i] = h * excess[i] - 6 * x * z * (it->y[i] - it->y_previous[i]) -
                h * (z * (1 - 3 * x) * m->slope_before[i] - x * (2 - 3 * x) * m->slope[i]);
  return true;
}

// (x² z²)' is 4/27 at 1/3 and -4/27 at 2/3, (x³ z²)' 8/81 and -4/81.
static bool bend(integrator *it) {
  arkode_member *m = it->member;
  const double third = 1.0 / 3;
  double *first = m->excess[0], *second = m->excess[1];
  if (m->order < 5) return true;
  if (!find_excess(it, third, first)) return false;
  for (int i = 0; i < it->n; i++) m->quartic[i] = 27.0 / 4 * first[i];
  if (m->order < 6) return true;
  if (!find_excess(it, third, first) || !find_excess(it, 2 * third, second)) return false;
  for (int i = 0; i < it->n; i++) {
    m->quartic[i] = -27.0 / 4 * (first[i] + 2 * second[i]);
    m->quintic[i] = 81.0 / 4 * (first[i] + second[i]);
  }
  return true;
}

static bool erk_interpolate(integrator *it, double t, double *y) {
  arkode_member *m = it->member;
  if (!m->is_drawn) {
    memset(m->quartic, 0, (size_t)it->n * sizeof *m->quartic);
    memset(m->quintic, 0, (size_t)it->n * sizeof *m->quintic);
    if (!bend(it)) return false;
    m->is_drawn = true;
  }
  draw_at(it, (t - it->t_previous) / (it->t - it->t_previous), y);
  return true;
}

static void erk_count(const integrator *it, integrator_stats *stats) {
  const arkode_member *m = it->member;
  long failures = 0;
  ARKStepGetNumErrTestFails(m->arkode, &failures);
  stats->rejected += failures;
}

static int erk_order(const integrator *it) { return ((arkode_member *)it->member)->order; }

static double erk_next_step(const integrator *it) { return ((arkode_member *)it->member)->next_step; }

const integrator_ops integrator_erk_ops = {
    .name = "erk",
    .one_step = true,
    .order_min = 2,
    .order_highest = 8,
    .create = erk_create,
    .destroy = erk_destroy,
    .step = erk_step,
    .restart = erk_restart,
    .suggest = erk_suggest,
    .interpolate = erk_interpolate,
    .count = erk_count,
    .order = erk_order,
    .next_step = erk_next_step,
};
