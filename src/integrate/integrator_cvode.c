// CVODE: BDF with Newton's iteration for stiff problems, Adams with functional iteration for the others.
//
// Projection onto the manifold. BDF has a hook in CVODE, which can project the error estimate too. Adams has none, but
// needs none: its history is made of slopes, so y_n alone is moved, in place, after each step. (To evaluate the slope
// at the projected state instead would leave y off the manifold. If the manifold is curved, the speed at distance d
// from it is wrong by the factor d times curvature.)
#include <cvode/cvode.h>
#include <math.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "integrate/newton_matrix.h"
#include "integrate/sundials_glue.h"

enum { RECENT = 16 };  // projections that are remembered

typedef struct cvode_member {
  sundials_glue glue;
  void *cvode;
  SUNNonlinearSolver fixed_point;  // Adams
  double *projected;               // Adams
  bool renews_jacobian;            // BDF, in the next step
  double moved[RECENT];            // BDF: by how many tolerances the last projections moved the state
  int projections;
} cvode_member;

// How often a step may fail before we give up; each refusal quarters it, so this spans 1e-15.
enum { MOST_FAILURES = 25 };

static integrator_trouble name_trouble(const integrator *it, int flag) {
  switch (flag) {
    case CV_TOO_MUCH_ACC: return TROUBLE_TOLERANCE;
    case CV_ERR_FAILURE: return TROUBLE_ERROR_TEST;
    case CV_CONV_FAILURE:  // functional iteration calls every refusal so
      return it->ops == &integrator_adams_ops && it->refusal.code ? TROUBLE_REFUSED : TROUBLE_CONVERGENCE;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return TROUBLE_SINGULAR;
    case CV_FIRST_RHSFUNC_ERR: return TROUBLE_REFUSED_AT_START;
    case CV_RHSFUNC_FAIL:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return TROUBLE_REFUSED;
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return TROUBLE_PROJECTION;
    case CV_MEM_FAIL: return TROUBLE_MEMORY;
    default: return TROUBLE_OTHER;
  }
}

// After several attempts the step is so short that projections move the state by rounding alone, or towards where a
// mechanism locks up. Rounding reaches 1e-11 close to a singular position. Zero: it is not what fails.
static double rounding_of_projection(const integrator *it) {
  const cvode_member *m = it->member;
  const double largest = 1e-10;
  double most = 0;
  for (int i = 0; i < RECENT; i++) most = fmax(most, m->moved[i]);
  return most > 0.1 && most * it->settings.rtol < largest ? most : 0;
}

static carom_status fail(const integrator *it, int flag, carom_error *error) {
  const cvode_member *m = it->member;
  double rounding = rounding_of_projection(it);
  if (flag != CV_ERR_FAILURE || rounding == 0)
    return integrator_fail(it, name_trouble(it, flag), m->glue.message, error);
  char detail[160];
  snprintf(
      detail, sizeof detail,
      "rounding in the projection onto the constraints is %.1g times the tolerance; rtol and atol of %.0e work here",
      rounding, pow(10, ceil(log10(1.5 * rounding * it->settings.rtol))));
  return integrator_fail(it, TROUBLE_PRECISION, detail, error);
}

static void measure_projection(integrator *it, const double *y, const double *moved) {
  cvode_member *m = it->member;
  double sum = 0;
  for (int i = 0; i < it->n; i++) {
    double part = moved[i] / (it->settings.rtol * fabs(y[i]) + it->tolerance[i]);
    sum += part * part / it->n;
  }
  m->moved[m->projections++ % RECENT] = sqrt(sum);
}

// CVODE wants the way to the manifold, not the point on it.
static int project_bdf(realtype t, N_Vector current, N_Vector correction, realtype tolerance, N_Vector local_error,
                       void *data) {
  (void)tolerance;
  integrator *it = data;
  const double *y = N_VGetArrayPointer(current);
  double *c = N_VGetArrayPointer(correction);
  for (int i = 0; i < it->n; i++) c[i] = y[i];
  const int code = integrator_project(it, t, c, local_error ? N_VGetArrayPointer(local_error) : NULL);
  for (int i = 0; i < it->n; i++) c[i] -= y[i];
  measure_projection(it, y, c);
  return code;
}

static int configure(integrator *it) {
  cvode_member *m = it->member;
  const integrator_settings *s = &it->settings;
  int flag = CVodeSetErrHandlerFn(m->cvode, glue_hear, &m->glue);
  if (!flag) flag = CVodeInit(m->cvode, glue_rhs, it->t, m->glue.y);
  if (!flag) flag = CVodeSetUserData(m->cvode, it);
  if (!flag) flag = CVodeWFtolerances(m->cvode, glue_weigh);
  if (!flag && s->order_max) flag = CVodeSetMaxOrd(m->cvode, s->order_max);
  if (!flag) flag = CVodeSetInitStep(m->cvode, s->step);
  if (!flag) flag = CVodeSetMaxStep(m->cvode, s->step_max);
  if (!flag) flag = CVodeSetMinStep(m->cvode, s->step_min);
  if (!flag) flag = CVodeSetMaxConvFails(m->cvode, MOST_FAILURES);
  return flag;
}

// --- Newton's iteration by the problem's own solver ------------------------------------------------------------------

static SUNLinearSolver_Type own_type(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_MATRIX_EMBEDDED;
}

static int own_solve(SUNLinearSolver s, SUNMatrix none, N_Vector x, N_Vector b, realtype tolerance) {
  (void)none, (void)tolerance;
  integrator *it = s->content;
  const cvode_member *m = it->member;
  const double *from = N_VGetArrayPointer(b);
  double gamma = 0, *to = N_VGetArrayPointer(x);
  CVodeGetCurrentGamma(m->cvode, &gamma);
  for (int i = 0; i < it->n; i++) to[i] = from[i];
  int failed = it->ode->solve(it->ode->context, gamma, to);
  return failed == 0  ? SUNLS_SUCCESS
         : failed > 0 ? SUNLS_PACKAGE_FAIL_REC
                      : SUNLS_PACKAGE_FAIL_UNREC;  // others count as success
}

static int own_free(SUNLinearSolver s) {
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

static int attach_own_solver(integrator *it) {
  cvode_member *m = it->member;
  SUNLinearSolver own = m->glue.linear = SUNLinSolNewEmpty(m->glue.context);
  if (!own) return CV_MEM_FAIL;
  own->content = it;
  own->ops->gettype = own_type, own->ops->solve = own_solve, own->ops->free = own_free;
  return CVodeSetLinearSolver(m->cvode, own, NULL);
}

// --- Newton's iteration by a Krylov iteration ------------------------------------------------------------------------

// SPGMR multiplies by J through differences of the right-hand side, an evaluation each.
static int prepare(realtype t, N_Vector y, N_Vector ydot, booleantype old_jacobian, booleantype *renewed,
                   realtype gamma, void *data) {
  (void)ydot, (void)old_jacobian;
  const ode_preconditioner *p = ((integrator *)data)->ode->preconditioner;
  *renewed = SUNTRUE;
  return p->prepare(p->context, t, N_VGetArrayPointer(y), gamma);
}

static int precondition(realtype t, N_Vector y, N_Vector ydot, N_Vector b, N_Vector x, realtype gamma,
                        realtype tolerance, int side, void *data) {
  (void)t, (void)y, (void)ydot, (void)gamma, (void)tolerance, (void)side;
  const ode_preconditioner *p = ((integrator *)data)->ode->preconditioner;
  N_VScale(1, b, x);
  return p->solve(p->context, N_VGetArrayPointer(x));
}

static int attach_krylov(integrator *it) {
  enum { VECTORS = 12 };  // a few are enough where the preconditioner has all that is stiff
  cvode_member *m = it->member;
  m->glue.linear = SUNLinSol_SPGMR(m->glue.y, SUN_PREC_LEFT, VECTORS, m->glue.context);
  if (!m->glue.linear) return CV_MEM_FAIL;
  int flag = CVodeSetLinearSolver(m->cvode, m->glue.linear, NULL);
  return flag ? flag : CVodeSetPreconditioner(m->cvode, prepare, precondition);
}

// --- Newton's iteration by a matrix ----------------------------------------------------------------------------------

static int jacobian(realtype t, N_Vector y, N_Vector ydot, SUNMatrix J, void *data, N_Vector a, N_Vector b,
                    N_Vector c) {
  (void)c;
  integrator *it = data;
  double gamma = 0;
  CVodeGetCurrentGamma(((cvode_member *)it->member)->cvode, &gamma);
  return newton_matrix_differentiate(it, fabs(gamma), t, y, ydot, J, (N_Vector[]){a, b});
}

static int attach_matrix(integrator *it) {
  cvode_member *m = it->member;
  if (!newton_matrix_create(&m->glue, it)) return CV_MEM_FAIL;
  int flag = CVodeSetLinearSolver(m->cvode, m->glue.linear, m->glue.matrix);
  return flag ? flag : CVodeSetJacFn(m->cvode, jacobian);
}

static int attach_newton(integrator *it) {
  cvode_member *m = it->member;
  int flag = it->ode->solve ? attach_own_solver(it) : it->ode->preconditioner ? attach_krylov(it) : attach_matrix(it);
  if (!flag && it->ode->project) {
    flag = CVodeSetProjFn(m->cvode, project_bdf);
    if (!flag) flag = CVodeSetMaxNumProjFails(m->cvode, MOST_FAILURES);
  }
  return flag;
}

static int attach_functional_iteration(integrator *it) {
  cvode_member *m = it->member;
  m->projected = ARENA_ARRAY(&it->memory, double, it->n);
  m->fixed_point = SUNNonlinSol_FixedPoint(m->glue.y, 0, m->glue.context);
  return m->fixed_point ? CVodeSetNonlinearSolver(m->cvode, m->fixed_point) : CV_MEM_FAIL;
}

static bool cvode_create(integrator *it, carom_error *error) {
  const bool bdf = it->ops == &integrator_bdf_ops;
  cvode_member *m = it->member = ARENA_NEW(&it->memory, cvode_member);
  int flag = CV_MEM_FAIL;
  if (glue_open(&m->glue, it)) m->cvode = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, m->glue.context);
  if (m->cvode) flag = configure(it);
  if (!flag) flag = bdf ? attach_newton(it) : attach_functional_iteration(it);
  if (flag) fail(it, flag, error);
  return flag == 0;
}

static void cvode_destroy(integrator *it) {
  cvode_member *m = it->member;
  if (!m) return;
  if (m->cvode) CVodeFree(&m->cvode);
  if (m->fixed_point) SUNNonlinSolFree(m->fixed_point);
  glue_close(&m->glue);
}

static int one_step(integrator *it, double t_stop) {
  cvode_member *m = it->member;
  m->glue.message[0] = 0;
  int flag = CVodeSetStopTime(m->cvode, t_stop);
  if (flag) return flag;
  double reached = it->t;
  flag = CVode(m->cvode, t_stop, m->glue.y, &reached, CV_ONE_STEP);
  if (flag >= 0) it->t = reached;
  return flag;
}

// CVODE keeps a Jacobian for up to 51 steps, and the factors of its iteration matrix for up to 20. Zero is its own
// choice.
static void set_jacobian_age(integrator *it, long steps) {
  cvode_member *m = it->member;
  CVodeSetJacEvalFrequency(m->cvode, steps);
  CVodeSetLSetupFrequency(m->cvode, steps);
  m->renews_jacobian = steps > 0;
}

static void bdf_renew_jacobian(integrator *it) { set_jacobian_age(it, 1); }

static carom_status bdf_step(integrator *it, double t_stop, carom_error *error) {
  const double t_start = it->t;
  int flag = one_step(it, t_stop);
  if (((cvode_member *)it->member)->renews_jacobian) set_jacobian_age(it, 0);
  if (flag >= 0 && it->t == t_start && !it->refusal.code) flag = CV_ERR_FAILURE;  // so short that t + h rounds to t
  return flag < 0 ? fail(it, flag, error) : CAROM_OK;
}

// Moves the state CVODE goes on from by as much as the projection moves y.
static int project_adams(integrator *it) {
  cvode_member *m = it->member;
  for (int i = 0; i < it->n; i++) m->projected[i] = it->y[i];
  const int code = integrator_project(it, it->t, m->projected, NULL);
  if (code) return code;
  double t, gamma, rl1;
  N_Vector state, y, f, slope;
  void *data;
  CVodeGetNonlinearSystemData(m->cvode, &t, &state, &y, &f, &gamma, &rl1, &slope, &data);
  double *z = N_VGetArrayPointer(state);
  for (int i = 0; i < it->n; i++) {
    z[i] += m->projected[i] - it->y[i];
    it->y[i] = m->projected[i];
  }
  return 0;
}

// Back to the start of the step, to try a quarter of it without history.
static int go_back(integrator *it, double t_start) {
  cvode_member *m = it->member;
  const double tried = it->t - t_start;
  for (int i = 0; i < it->n; i++) it->y[i] = it->y_previous[i];
  it->t = t_start;
  it->stats.rejected++;
  integrator_bank_counts(it);
  const int flag = CVodeReInit(m->cvode, t_start, m->glue.y);
  return flag ? flag : CVodeSetInitStep(m->cvode, tried / 4);
}

static carom_status adams_step(integrator *it, double t_stop, carom_error *error) {
  cvode_member *m = it->member;
  const double t_start = it->t;
  int flag = one_step(it, t_stop);
  if (!it->ode->project) return flag < 0 ? fail(it, flag, error) : CAROM_OK;
  for (int tries = 1; flag >= 0; tries++) {
    const int code = project_adams(it);
    if (code == 0) break;
    if (code < 0 || tries == MOST_FAILURES) return integrator_fail(it, TROUBLE_PROJECTION, NULL, error);
    flag = go_back(it, t_start);
    if (!flag) flag = one_step(it, t_stop);
  }
  CVodeSetInitStep(m->cvode, it->settings.step);
  return flag < 0 ? fail(it, flag, error) : CAROM_OK;
}

static carom_status cvode_restart(integrator *it, carom_error *error) {
  cvode_member *m = it->member;
  integrator_bank_counts(it);
  const int flag = CVodeReInit(m->cvode, it->t, m->glue.y);
  return flag < 0 ? fail(it, flag, error) : CAROM_OK;
}

static bool cvode_interpolate(integrator *it, double t, double *y) {
  cvode_member *m = it->member;
  double *own = N_VGetArrayPointer(m->glue.y);
  N_VSetArrayPointer(y, m->glue.y);
  const int flag = CVodeGetDky(m->cvode, t, 0, m->glue.y);
  N_VSetArrayPointer(own, m->glue.y);
  return flag == CV_SUCCESS;
}

static void cvode_count(const integrator *it, integrator_stats *stats) {
  const cvode_member *m = it->member;
  long error_failures = 0, solver_failures = 0, newton_failures = 0, jacobians = 0;
  CVodeGetNumErrTestFails(m->cvode, &error_failures);
  CVodeGetNumStepSolveFails(m->cvode, &solver_failures);
  CVodeGetNumNonlinSolvConvFails(m->cvode, &newton_failures);
  if (m->glue.matrix) CVodeGetNumJacEvals(m->cvode, &jacobians);
  else if (m->glue.linear) CVodeGetNumPrecEvals(m->cvode, &jacobians);
  stats->rejected += error_failures + solver_failures;
  stats->newton_failures += newton_failures;
  stats->jacobian_evaluations += jacobians;
}

static int cvode_order(const integrator *it) {
  int order = 0;
  CVodeGetLastOrder(((cvode_member *)it->member)->cvode, &order);
  return order;
}

static double cvode_next_step(const integrator *it) {
  double step = 0;
  CVodeGetCurrentStep(((cvode_member *)it->member)->cvode, &step);
  return step;
}

const integrator_ops integrator_bdf_ops = {
    .name = "bdf",
    .order_min = 1,
    .order_highest = 5,
    .create = cvode_create,
    .destroy = cvode_destroy,
    .step = bdf_step,
    .restart = cvode_restart,
    .renew_jacobian = bdf_renew_jacobian,
    .interpolate = cvode_interpolate,
    .count = cvode_count,
    .order = cvode_order,
    .next_step = cvode_next_step,
};

const integrator_ops integrator_adams_ops = {
    .name = "adams",
    .order_min = 1,
    .order_highest = 12,
    .create = cvode_create,
    .destroy = cvode_destroy,
    .step = adams_step,
    .restart = cvode_restart,
    .interpolate = cvode_interpolate,
    .count = cvode_count,
    .order = cvode_order,
    .next_step = cvode_next_step,
};
