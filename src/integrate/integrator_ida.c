// IDA: BDF for F(t, y, y') = 0 with a Newton matrix by differences, dense or with a pattern.
//
// Algebraic components are taken for the multipliers of a problem of index 2. Their error is that of the speeds divided
// by the step, so they are left out of the error test, and where Newton's iteration ends they count as what they do to
// the speeds in one step: h lambda. Otherwise rounding, eps/h in lambda, stops the iteration where steps are short,
// and shortening the step makes it worse.
#include <ida/ida.h>
#include <math.h>
#include <string.h>

#include "integrate/dae_matrix.h"

typedef struct ida_member {
  sundials_glue glue;
  void *ida;
  N_Vector ydot, differential;
  double *ydot_start;  // as given, should the first step fail
  bool at_start;       // no step made since creation or restart
  bool lenient;        // algebraic components hardly count
} ida_member;

enum { MOST_FAILURES = 25 };

static integrator_trouble name_trouble(int flag) {
  switch (flag) {
    case IDA_TOO_MUCH_ACC: return TROUBLE_TOLERANCE;
    case IDA_ERR_FAIL: return TROUBLE_ERROR_TEST;
    case IDA_CONV_FAIL: return TROUBLE_CONVERGENCE;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: return TROUBLE_SINGULAR;
    case IDA_FIRST_RES_FAIL: return TROUBLE_REFUSED_AT_START;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR: return TROUBLE_REFUSED;
    case IDA_MEM_FAIL: return TROUBLE_MEMORY;
    default: return TROUBLE_OTHER;
  }
}

static carom_status fail(const integrator *it, int flag, carom_error *error) {
  const ida_member *m = it->member;
  return integrator_fail(it, name_trouble(flag), m->glue.message, error);
}

static int residual(realtype t, N_Vector y, N_Vector ydot, N_Vector r, void *it) {
  return integrator_residual(it, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), N_VGetArrayPointer(r));
}

static int weigh(N_Vector y, N_Vector weight, void *data) {
  const integrator *it = data;
  const ida_member *m = it->member;
  const double *value = N_VGetArrayPointer(y);
  double *w = N_VGetArrayPointer(weight), h = 0;
  IDAGetCurrentStep(m->ida, &h);
  // No less than sqrt(eps), lest they do not count at all. On the first step they count in full, so that a state which
  // is not consistent shows; in a large problem they would be asked for more digits than rounding leaves.
  const bool strict = m->at_start && !m->lenient && !it->dae->pattern;
  const double least = strict ? 1 : 1.5e-8, algebraic = fmax(least, fmin(h, 1));
  for (int i = 0; i < it->n; i++) {
    w[i] = 1 / (it->settings.rtol * fabs(value[i]) + it->tolerance[i]);
    if (!it->dae->differential[i]) w[i] *= algebraic;
  }
  return 0;
}

static int differentiate(realtype t, realtype c, N_Vector y, N_Vector ydot, N_Vector r, SUNMatrix J, void *data,
                         N_Vector weight, N_Vector work, N_Vector unused) {
  integrator *it = data;
  const ida_member *m = it->member;
  (void)unused;
  dae_point at = {.t = t, .c = c, .y = y, .ydot = ydot, .residual = r, .weight = weight};
  IDAGetCurrentStep(m->ida, &at.step);
  IDAGetErrWeights(m->ida, weight);
  return dae_matrix_differentiate(it, &at, J, work);
}

static int configure(integrator *it) {
  ida_member *m = it->member;
  const integrator_settings *s = &it->settings;
  int flag = IDASetErrHandlerFn(m->ida, glue_hear, &m->glue);
  if (!flag) flag = IDAInit(m->ida, residual, it->t, m->glue.y, m->ydot);
  if (!flag) flag = IDASetUserData(m->ida, it);
  if (!flag) flag = IDAWFtolerances(m->ida, weigh);
  if (!flag) flag = IDASetLinearSolver(m->ida, m->glue.linear, m->glue.matrix);
  if (!flag && it->dae->pattern) flag = IDASetJacFn(m->ida, differentiate);
  if (!flag) flag = IDASetId(m->ida, m->differential);
  if (!flag) flag = IDASetSuppressAlg(m->ida, SUNTRUE);
  if (!flag && s->order_max) flag = IDASetMaxOrd(m->ida, s->order_max);
  if (!flag) flag = IDASetInitStep(m->ida, s->step);
  if (!flag) flag = IDASetMaxStep(m->ida, s->step_max);
  if (!flag) flag = IDASetMinStep(m->ida, s->step_min);
  if (!flag) flag = IDASetMaxConvFails(m->ida, MOST_FAILURES);
  return flag;
}

static bool open_vectors(integrator *it) {
  ida_member *m = it->member;
  double *differential = ARENA_ARRAY(&it->memory, double, it->n);
  m->ydot_start = ARENA_ARRAY(&it->memory, double, it->n);
  for (int i = 0; i < it->n; i++) differential[i] = it->dae->differential[i];
  if (!glue_open(&m->glue, it)) return false;
  if (!(it->dae->pattern ? dae_matrix_create(&m->glue, it) : glue_add_dense_solver(&m->glue, it))) return false;
  m->ydot = glue_vector(&m->glue, it, it->ydot);
  m->differential = glue_vector(&m->glue, it, differential);
  return m->ydot && m->differential;
}

static bool ida_create(integrator *it, carom_error *error) {
  ida_member *m = it->member = ARENA_NEW(&it->memory, ida_member);
  m->at_start = true;
  int flag = IDA_MEM_FAIL;
  if (open_vectors(it)) m->ida = IDACreate(m->glue.context);
  if (m->ida) flag = configure(it);
  if (flag) fail(it, flag, error);
  return flag == 0;
}

static void ida_destroy(integrator *it) {
  ida_member *m = it->member;
  if (!m) return;
  if (m->ida) IDAFree(&m->ida);
  if (m->ydot) N_VDestroy(m->ydot);
  if (m->differential) N_VDestroy(m->differential);
  glue_close(&m->glue);
}

static int one_step(integrator *it, double t_stop) {
  ida_member *m = it->member;
  int flag = IDASetStopTime(m->ida, t_stop);
  if (flag) return flag;
  double reached = it->t;
  flag = IDASolve(m->ida, t_stop, &reached, m->glue.y, m->ydot, IDA_ONE_STEP);
  if (flag >= 0) it->t = reached;
  return flag;
}

static int start_again(integrator *it) {
  ida_member *m = it->member;
  for (int i = 0; i < it->n; i++) {
    it->y[i] = it->y_previous[i];
    it->ydot[i] = m->ydot_start[i];
  }
  integrator_bank_counts(it);
  return IDAReInit(m->ida, it->t, m->glue.y, m->ydot);
}

static int step_from_consistent(integrator *it, double t_stop) {
  ida_member *m = it->member;
  int flag = start_again(it);
  if (!flag) flag = IDACalcIC(m->ida, IDA_YA_YDP_INIT, t_stop);
  if (!flag) flag = IDAGetConsistentIC(m->ida, m->glue.y, m->ydot);
  return flag ? flag : one_step(it, t_stop);
}

static int step_leniently(integrator *it, double t_stop) {
  ida_member *m = it->member;
  m->lenient = true;
  int flag = start_again(it);
  if (!flag) flag = one_step(it, t_stop);
  m->lenient = false;
  return flag;
}

// The first step. When it fails, algebraic components and derivatives may have been given roughly: IDA can make them
// consistent where F alone determines them, up to index 1. Beyond, it may be rounding that did it.
static int first_step(integrator *it, double t_stop) {
  ida_member *m = it->member;
  const int flag = one_step(it, t_stop);
  if (flag >= 0 || it->refusal.code < 0) return flag;
  char first_words[sizeof m->glue.message];  // what was wrong with the state as given says more than the rest
  memcpy(first_words, m->glue.message, sizeof first_words);
  if (step_from_consistent(it, t_stop) >= 0 || step_leniently(it, t_stop) >= 0) return 0;
  memcpy(m->glue.message, first_words, sizeof first_words);
  start_again(it);
  return flag;
}

static carom_status ida_step(integrator *it, double t_stop, carom_error *error) {
  ida_member *m = it->member;
  m->glue.message[0] = 0;
  for (int i = 0; i < it->n; i++) m->ydot_start[i] = it->ydot[i];
  const int flag = m->at_start ? first_step(it, t_stop) : one_step(it, t_stop);
  if (flag < 0) {
    for (int i = 0; i < it->n; i++) it->ydot[i] = m->ydot_start[i];
    return fail(it, flag, error);
  }
  m->at_start = false;
  return CAROM_OK;
}

static carom_status ida_restart(integrator *it, carom_error *error) {
  ida_member *m = it->member;
  integrator_bank_counts(it);
  m->at_start = true;
  const int flag = IDAReInit(m->ida, it->t, m->glue.y, m->ydot);
  return flag < 0 ? fail(it, flag, error) : CAROM_OK;
}

static bool ida_interpolate(integrator *it, double t, double *y) {
  ida_member *m = it->member;
  double *own = N_VGetArrayPointer(m->glue.y);
  N_VSetArrayPointer(y, m->glue.y);
  const int flag = IDAGetDky(m->ida, t, 0, m->glue.y);
  N_VSetArrayPointer(own, m->glue.y);
  return flag == IDA_SUCCESS;
}

static void ida_count(const integrator *it, integrator_stats *stats) {
  const ida_member *m = it->member;
  long error_failures = 0, solver_failures = 0, newton_failures = 0, jacobians = 0;
  IDAGetNumErrTestFails(m->ida, &error_failures);
  IDAGetNumStepSolveFails(m->ida, &solver_failures);
  IDAGetNumNonlinSolvConvFails(m->ida, &newton_failures);
  IDAGetNumJacEvals(m->ida, &jacobians);
  stats->rejected += error_failures + solver_failures;
  stats->newton_failures += newton_failures;
  stats->jacobian_evaluations += jacobians;
}

static int ida_order(const integrator *it) {
  int order = 0;
  IDAGetLastOrder(((ida_member *)it->member)->ida, &order);
  return order;
}

static double ida_next_step(const integrator *it) {
  double step = 0;
  IDAGetCurrentStep(((ida_member *)it->member)->ida, &step);
  return step;
}

const integrator_ops integrator_ida_ops = {
    .name = "ida",
    .order_min = 1,
    .order_highest = 5,
    .create = ida_create,
    .destroy = ida_destroy,
    .step = ida_step,
    .restart = ida_restart,
    .interpolate = ida_interpolate,
    .count = ida_count,
    .order = ida_order,
    .next_step = ida_next_step,
};
