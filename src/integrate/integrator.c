#include "integrate/integrator.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/integrator_family.h"

static const integrator_ops *find_ops(integrator_kind kind) {
  switch (kind) {
    case INTEGRATOR_BDF: return &integrator_bdf_ops;
    case INTEGRATOR_ADAMS: return &integrator_adams_ops;
    case INTEGRATOR_ERK: return &integrator_erk_ops;
    case INTEGRATOR_RK4: return &integrator_rk4_ops;
    case INTEGRATOR_IDA: return &integrator_ida_ops;
    case INTEGRATOR_RK3: return &integrator_rk3_ops;
    case INTEGRATOR_MIDPOINT: return &integrator_midpoint_ops;
    case INTEGRATOR_SEMI_IMPLICIT: return &integrator_semi_implicit_ops;
    case INTEGRATOR_SDIRK: return &integrator_sdirk_ops;
  }
  return NULL;
}

integrator_kind integrator_kind_of(const carom_integrator_def *d) {
  static const integrator_kind kinds[] = {[CAROM_ADAMS] = INTEGRATOR_ADAMS,
                                          [CAROM_BDF] = INTEGRATOR_BDF,
                                          [CAROM_ERK] = INTEGRATOR_ERK,
                                          [CAROM_RK4] = INTEGRATOR_RK4,
                                          [CAROM_IDA] = INTEGRATOR_IDA};
  return kinds[d->type];
}

integrator_settings integrator_settings_of(const carom_integrator_def *d) {
  return (integrator_settings){.rtol = d->rtol,
                               .atol = d->atol,
                               .step = d->step,
                               .step_min = d->step_min,
                               .step_max = d->step_max,
                               .order_max = d->order};
}

// ---- calling the problem ------------------------------------------------------------------------------------------

static bool all_finite(const double *x, int n) {
  // A sum of products with zero is zero unless one factor is inf or NaN; no branch in the loop.
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

static int judge(integrator *it, int code, double t, const double *result) {
  const bool not_finite = code == 0 && !all_finite(result, it->n);
  if (not_finite) code = 1;
  if (code) it->refusal = (integrator_refusal){.code = code, .t = t, .not_finite = not_finite};
  return code;
}

// A function that asked to stop is not called again in this step, though CVODE's functional iteration would.
static bool has_stopped(const integrator *it) { return it->refusal.code < 0; }

int integrator_rhs(integrator *it, double t, const double *y, double *ydot) {
  if (has_stopped(it)) return it->refusal.code;
  it->stats.rhs_evaluations++;
  return judge(it, it->ode->rhs(it->ode->context, t, y, ydot), t, ydot);
}

int integrator_rhs_again(integrator *it, double t, const double *y, double *ydot) {
  if (!it->ode->rhs_again || has_stopped(it)) return integrator_rhs(it, t, y, ydot);
  it->stats.rhs_evaluations++;
  return judge(it, it->ode->rhs_again(it->ode->context, t, y, ydot), t, ydot);
}

int integrator_residual(integrator *it, double t, const double *y, const double *ydot, double *r) {
  if (has_stopped(it)) return it->refusal.code;
  it->stats.rhs_evaluations++;
  return judge(it, it->dae->residual(it->dae->context, t, y, ydot, r), t, r);
}

int integrator_project(integrator *it, double t, double *y, double *error) {
  if (!it->ode || !it->ode->project) return 0;
  if (has_stopped(it)) return it->refusal.code;
  it->stats.projections++;
  return judge(it, it->ode->project(it->ode->context, t, y, error), t, y);
}

// ---- telling what went wrong --------------------------------------------------------------------------------------

static carom_status fail_stopped(const integrator *it, const char *function, carom_error *error) {
  if (error && error->status != CAROM_OK) return error->status;  // the function has said why
  return error_set(error, CAROM_ERROR_USER, "%s: the %s asked to stop at t = %.10g", it->ops->name, function,
                   it->refusal.t);
}

// What a function that refuses a state does. Where its result is not finite, the message says that instead.
#define REFUSED "cannot be evaluated"

static const char *explain(const integrator *it, integrator_trouble trouble) {
  const bool can_lock = it->dae ? it->dae->can_lock : it->ode->can_lock;
  switch (trouble) {
    case TROUBLE_ERROR_TEST:
      if (can_lock)
        return "the error test fails even with the smallest step: the mechanism may lock up or pass a singular "
               "position here, a force "
               "or motion may jump, or the tolerances are too tight; check whether the constraints let it move on, "
               "loosen rtol and "
               "atol, or replace a jump by a smooth function such as blend";
      return "the error test fails even with the smallest step: a force or motion jumps here, or the tolerances are "
             "too tight; "
             "loosen rtol and atol, or replace the jump by a smooth function such as blend";
    case TROUBLE_CONVERGENCE:
      return it->ops == &integrator_adams_ops
                 ? "the corrector does not converge, even with the smallest step: the problem is stiff here; use bdf, "
                   "or loosen rtol"
                 : "Newton's iteration does not converge, even with the smallest step: the equations are singular or "
                   "jump here, "
                   "or the state is inconsistent; loosen rtol and atol, or give a smaller first step";
    case TROUBLE_PRECISION:
      return "the tolerances are too tight close to a singular position, where rounding decides, or the mechanism may "
             "lock up; loosen "
             "rtol and atol, or check whether the constraints let it move on";
    case TROUBLE_TOLERANCE: return "rtol and atol are below the rounding error; loosen them";
    case TROUBLE_REFUSED:
      return can_lock ? REFUSED
                 ", even with the smallest step: the mechanism may lock up or pass a singular position here; "
                 "check whether the constraints let it move on"
                      : REFUSED ", even with the smallest step; " NOT_FINITE_ADVICE;
    case TROUBLE_REFUSED_AT_START: return REFUSED " at the initial state; check the initial values";
    case TROUBLE_REFUSED_FIXED_STEP:
      return REFUSED
          " within the fixed step; use a smaller step, or an integrator with "
          "variable steps";
    case TROUBLE_PROJECTION:
      return it->ops->fixed_step ? "the state cannot be projected onto the constraints; use a smaller step, "
                                   "or check whether this is a singular position"
                                 : "the state cannot be projected onto the constraints, even with the "
                                   "smallest step; tighten rtol, or check "
                                   "whether this is a singular position";
    case TROUBLE_SINGULAR: return "the iteration matrix is singular; check for a component that no equation determines";
    case TROUBLE_MEMORY: return "out of memory";
    case TROUBLE_OTHER: break;
  }
  return "could not continue";
}

carom_status integrator_fail(const integrator *it, integrator_trouble trouble, const char *detail, carom_error *error) {
  const char *function = it->dae ? "residual" : "right-hand side";
  if (has_stopped(it)) return fail_stopped(it, function, error);
  const bool refused =
      trouble == TROUBLE_REFUSED || trouble == TROUBLE_REFUSED_AT_START || trouble == TROUBLE_REFUSED_FIXED_STEP;
  const carom_status status = trouble == TROUBLE_MEMORY ? CAROM_ERROR_MEMORY : CAROM_ERROR_INTEGRATOR;
  const char *why = explain(it, trouble);
  const bool not_finite = refused && it->refusal.not_finite && strncmp(why, REFUSED, sizeof REFUSED - 1) == 0;
  return error_set(error, status, "%s: at t = %.10g s %s%s%s%s%s%s%s%s", it->ops->name, it->t, refused ? "the " : "",
                   refused ? function : "", refused ? " " : "", not_finite ? "is not finite" : "",
                   not_finite ? why + sizeof REFUSED - 1 : why, detail && *detail ? " (" : "", detail ? detail : "",
                   detail && *detail ? ")" : "");
}

// ---- creation -----------------------------------------------------------------------------------------------------

static bool check_settings(const integrator_ops *ops, const integrator_settings *s, const double *scale, int n,
                           carom_error *error) {
  const double limits[] = {s->rtol, s->atol, s->step, s->step_min, s->step_max};
  static const char *const names[] = {"rtol", "atol", "step", "step_min", "step_max"};
  for (int i = 0; i < 5; i++)
    if (!(limits[i] >= 0 && isfinite(limits[i]))) {
      error_set(error, CAROM_ERROR_USAGE, "%s: %s is %g, but must be zero or a positive number", ops->name, names[i],
                limits[i]);
      return false;
    }
  const bool fixed_step = ops->fixed_step;
  if (fixed_step && n > 0 && s->step == 0) {
    error_set(error, CAROM_ERROR_USAGE, "%s: a method with fixed steps needs a step", ops->name);
    return false;
  }
  if (!fixed_step && s->atol == 0) {
    error_set(error, CAROM_ERROR_USAGE, "%s: atol must be positive", ops->name);
    return false;
  }
  if (s->step_max > 0 && s->step_min > s->step_max) {
    error_set(error, CAROM_ERROR_USAGE, "%s: step_min %g is above step_max %g", ops->name, s->step_min, s->step_max);
    return false;
  }
  if (s->order_max && (s->order_max < ops->order_min || s->order_max > ops->order_highest)) {
    error_set(error, CAROM_ERROR_USAGE, "%s: order_max is %d, but must be between %d and %d", ops->name, s->order_max,
              ops->order_min, ops->order_highest);
    return false;
  }
  for (int i = 0; scale && i < n; i++)
    if (!(scale[i] > 0 && isfinite(scale[i]))) {
      error_set(error, CAROM_ERROR_USAGE, "%s: the scale of component %d is %g, but must be positive", ops->name, i,
                scale[i]);
      return false;
    }
  return true;
}

typedef struct blueprint {
  const integrator_ops *ops;
  const ode_problem *ode;
  const dae_problem *dae;
  const integrator_settings *settings;
  int n;
  const double *abs_scale;
  double t;
  const double *y, *ydot;
} blueprint;

// The arena is the caller's, so that running out of memory leaves nothing indeterminate here.
static integrator *allocate(arena *memory, const blueprint *plan) {
  integrator *it = ARENA_NEW(memory, integrator);
  it->ops = plan->ops;
  it->ode = plan->ode;
  it->dae = plan->dae;
  it->settings = *plan->settings;
  it->n = plan->n;
  it->t = it->t_previous = it->t_stop = plan->t;
  it->y = ARENA_ARRAY(memory, double, plan->n);
  it->y_previous = ARENA_ARRAY(memory, double, plan->n);
  it->tolerance = ARENA_ARRAY(memory, double, plan->n);
  if (plan->ydot) it->ydot = ARENA_ARRAY(memory, double, plan->n);
  for (int i = 0; i < plan->n; i++) {
    it->y[i] = it->y_previous[i] = plan->y[i];
    if (plan->ydot) it->ydot[i] = plan->ydot[i];
    it->tolerance[i] = plan->settings->atol * (plan->abs_scale ? plan->abs_scale[i] : 1);
  }
  return it;
}

static integrator *build(arena *memory, integrator **partial, const blueprint *plan, carom_error *error) {
  jmp_buf out_of_memory;
  memory->out_of_memory = &out_of_memory;
  if (setjmp(out_of_memory)) {
    error_set(error, CAROM_ERROR_MEMORY, "%s: out of memory", plan->ops->name);
    return NULL;
  }
  integrator *it = *partial = allocate(memory, plan);
  it->memory = *memory;
  const bool ok = plan->ops->create(it, error);
  *memory = it->memory;
  it->memory.out_of_memory = NULL;  // nothing is allocated from here on
  return ok ? it : NULL;
}

static integrator *create(const blueprint *plan, carom_error *error) {
  if (!check_settings(plan->ops, plan->settings, plan->abs_scale, plan->n, error)) return NULL;
  arena memory = arena_create(NULL);
  integrator *partial = NULL;
  integrator *it = build(&memory, &partial, plan, error);
  if (it) return it;
  if (partial) plan->ops->destroy(partial);
  arena_free(&memory);
  return NULL;
}

integrator *integrator_create_ode(integrator_kind kind, const ode_problem *problem, const integrator_settings *settings,
                                  double t, const double *y, carom_error *error) {
  assert(kind != INTEGRATOR_IDA);
  // Nothing to integrate is no error, but most methods divide by the number of components.
  const integrator_ops *ops = problem->n > 0 ? find_ops(kind) : &integrator_rk4_ops;
  integrator_settings chosen = *settings;
  if (problem->n == 0) {
    chosen.order_max = 0;
    if (kind != INTEGRATOR_RK4) chosen.step = settings->step_max;
  }
  return create(&(blueprint){.ops = ops,
                             .ode = problem,
                             .settings = &chosen,
                             .n = problem->n,
                             .abs_scale = problem->abs_scale,
                             .t = t,
                             .y = y},
                error);
}

integrator *integrator_create_dae(const dae_problem *problem, const integrator_settings *settings, double t,
                                  const double *y, const double *ydot, carom_error *error) {
  assert(problem->n > 0);
  return create(&(blueprint){.ops = find_ops(INTEGRATOR_IDA),
                             .dae = problem,
                             .settings = settings,
                             .n = problem->n,
                             .abs_scale = problem->abs_scale,
                             .t = t,
                             .y = y,
                             .ydot = ydot},
                error);
}

void integrator_destroy(integrator *it) {
  if (!it) return;
  it->ops->destroy(it);
  arena memory = it->memory;
  arena_free(&memory);
}

// ---- moving -------------------------------------------------------------------------------------------------------

static void copy(double *to, const double *from, int n) {
  if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static carom_status check_stop(integrator *it, double t_stop, carom_error *error) {
  if (!(t_stop >= it->t))
    return error_set(error, CAROM_ERROR_USAGE, "%s: the current time %.17g is after the end time %.17g", it->ops->name,
                     it->t, t_stop);
  if (t_stop != it->t_stop) it->steps_to_stop = 0;
  it->t_stop = t_stop;
  if (it->settings.max_steps > 0 && it->steps_to_stop >= it->settings.max_steps)
    return error_set(error, CAROM_ERROR_INTEGRATOR,
                     "%s: after %ld steps still at t = %.10g on the way to t = %.10g, with steps of %.3g s; %s "
                     "or raise max_steps",
                     it->ops->name, it->steps_to_stop, it->t, t_stop, it->t - it->t_previous,
                     it->ops->fixed_step ? "use a larger step" : "loosen rtol");
  return CAROM_OK;
}

// Closer than times can be told apart: the state there is the state here.
static bool is_rounding(double from, double to) { return to - from <= 4 * DBL_EPSILON * fmax(fabs(from), fabs(to)); }

carom_status integrator_step(integrator *it, double t_stop, carom_error *error) {
  carom_status status = check_stop(it, t_stop, error);
  if (status != CAROM_OK) return status;
  if (is_rounding(it->t, t_stop)) {
    it->t_previous = it->t;
    it->t = t_stop;
    copy(it->y_previous, it->y, it->n);
    return CAROM_OK;
  }
  const double t_start = it->t;
  copy(it->y_previous, it->y, it->n);
  it->refusal = (integrator_refusal){0};
  status = it->ops->step(it, t_stop, error);
  // Steps that shrink towards a point they cannot pass end where t + h rounds to t.
  if (status == CAROM_OK && !(it->t > t_start))
    status = integrator_fail(it, it->refusal.code ? TROUBLE_REFUSED : TROUBLE_ERROR_TEST, NULL, error);
  if (status != CAROM_OK) {
    it->t = it->t_previous = t_start;
    copy(it->y, it->y_previous, it->n);
    return status;
  }
  it->t_previous = t_start;
  it->stats.steps++;
  it->steps_to_stop++;
  return CAROM_OK;
}

static carom_status restart(integrator *it, double t, const double *y, const double *ydot, carom_error *error) {
  it->t = it->t_previous = t;
  it->steps_to_stop = 0;
  if (y != it->y) copy(it->y, y, it->n);
  if (ydot && ydot != it->ydot) copy(it->ydot, ydot, it->n);
  it->refusal = (integrator_refusal){0};
  return it->ops->restart(it, error);
}

carom_status integrator_restart(integrator *it, double t, const double *y, carom_error *error) {
  return restart(it, t, y, NULL, error);
}

carom_status integrator_restart_dae(integrator *it, double t, const double *y, const double *ydot, carom_error *error) {
  assert(it->dae);
  return restart(it, t, y, ydot, error);
}

void integrator_suggest_step(integrator *it, double step) {
  if (it->ops->suggest) it->ops->suggest(it, step);
}

void integrator_renew_jacobian(integrator *it) {
  if (it->ops->renew_jacobian) it->ops->renew_jacobian(it);
}

carom_status integrator_interpolate(integrator *it, double t, double *y) {
  if (!(t >= it->t_previous && t <= it->t)) return CAROM_ERROR_USAGE;
  if (t == it->t || t == it->t_previous) {
    copy(y, t == it->t ? it->y : it->y_previous, it->n);
    return CAROM_OK;
  }
  if (is_rounding(it->t_previous, it->t)) {  // the member has not made this step
    copy(y, it->y, it->n);
    return CAROM_OK;
  }
  if (!it->ops->interpolate(it, t, y) || integrator_project(it, t, y, NULL) != 0) return CAROM_ERROR_INTEGRATOR;
  return CAROM_OK;
}

// ---- asking -------------------------------------------------------------------------------------------------------

double integrator_time(const integrator *it) { return it->t; }

const double *integrator_state(const integrator *it) { return it->y; }

const double *integrator_derivative(const integrator *it) { return it->ydot; }

void integrator_bank_counts(integrator *it) { it->ops->count(it, &it->stats); }

integrator_stats integrator_get_stats(const integrator *it) {
  integrator_stats stats = it->stats;
  it->ops->count(it, &stats);
  stats.last_step = it->t - it->t_previous;
  stats.last_order = it->ops->order(it);
  return stats;
}

bool integrator_is_one_step(const integrator *it) { return it->ops->one_step; }
bool integrator_keeps_slope(const integrator *it) { return it->ops->one_step || it->ops->keeps_slope; }

double integrator_next_step(const integrator *it) { return it->ops->next_step(it); }
