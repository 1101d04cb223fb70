// Ordinary and differential-algebraic integrators behind one interface. An integrator sees vectors and functions,
// never a body. Variable-step ones advance by whole internal steps; nothing of ours allocates after creation.
#ifndef INTEGRATE_INTEGRATOR_H
#define INTEGRATE_INTEGRATOR_H

#include <stdbool.h>
#include "base/arena.h"
#include "carom/define.h"
#include "carom/status.h"

// What is known of ∂rhs/∂y, so that Newton's matrix holds the states alone.
typedef enum ode_part {
  ODE_STATE,
  ODE_POSITION,  // its rate is a sum over the rates of others, N(y) y, which are states or given
  ODE_ACCOUNT,   // nothing depends on it
  ODE_GIVEN      // its rate depends on t alone, and nothing depends on its value but positions
} ode_part;

typedef struct ode_structure {
  void *context;
  const ode_part *part;             // of each component
  const int *rate_start, *rate_of;  // of each position: which components its rate is a sum over
  void (*rates)(void *context, const double *y, double *N);  // their factors, in the same order
} ode_structure;

// P near 1 - γ J, for a Krylov iteration on Newton's equations. Both return as the right-hand side does.
typedef struct ode_preconditioner {
  void *context;
  int (*prepare)(void *context, double t, const double *y, double gamma);
  int (*solve)(void *context, double *x);  // x := P⁻¹ x, as it was prepared last
} ode_preconditioner;

// y' = rhs(t, y), and if `project` is there, y is to stay on a manifold.
typedef struct ode_problem {
  int n;
  void *context;
  // Returns 0 when done, a positive number if the state cannot be evaluated (a smaller step may help), a negative
  // number to stop (the context then knows why). A result that is not finite counts as > 0.
  int (*rhs)(void *context, double t, const double *y, double *ydot);
  // The same at the time and the positions of the last call of rhs. May be null.
  int (*rhs_again)(void *context, double t, const double *y, double *ydot);
  const ode_structure *structure;            // may be null: all components are states
  const ode_preconditioner *preconditioner;  // of a large problem: BDF forms no matrix; may be null
  // Moves y back onto the manifold (in place) and returns as rhs does. May be null if there is no manifold. `error`
  // (may be null) is an estimate of the local error from which the part across the manifold is to be removed.
  int (*project)(void *context, double t, double *y, double *error);
  // x := (1 - γ J)⁻¹ x with J near ∂rhs/∂y where rhs was evaluated last; Newton's iteration then needs no matrix.
  // Returns as rhs does. May be null, but not of SDIRK: J is found by differences.
  int (*solve)(void *context, double gamma, double *x);
  // Of a problem with unknowns of its own, as directions, that its right-hand side takes from the state. Between
  // steer(true) and steer(false) they are unknowns of Newton's iteration beside the state: `solve` is given what is
  // missing in the equations of the state and corrects both, and `rhs` uses them as they are. Elsewhere `solve` leaves
  // them alone. May be null.
  void (*steer)(void *context, bool on);
  const double *abs_scale;  // of each component: the absolute tolerance is atol * abs_scale[i]; NULL if all are 1
  bool can_lock;            // of a mechanism with constraints: there may be positions that it cannot go beyond
} ode_problem;

// Which components of F depend on each component of y or y', column by column: `row` from `start` of a column on.
typedef struct dae_pattern {
  int *start, *row;
} dae_pattern;

// F(t, y, y') = 0 with y = (differential, algebraic). For IDA.
typedef struct dae_problem {
  int n;
  void *context;
  int (*residual)(void *context, double t, const double *y, const double *ydot, double *r);
  const bool *differential;  // of each component; algebraic ones are left out of the error test, and weigh less in
                             // Newton's iteration the shorter the step, as multipliers of an index-2 problem must
  const double *abs_scale;
  const dae_pattern *pattern;  // of a large problem, for Newton's matrix; what is left out of it slows convergence,
                               // nothing else. May be null: the matrix is full
  bool can_lock;               // as of an ode_problem
} dae_problem;

typedef struct integrator_settings {
  double rtol, atol;
  double step;         // fixed step of fixed-step methods; first step of variable ones, 0: automatic [s]
  double step_origin;  // fixed steps end at step_origin + k * step: the start of the run, also after a resume [s]
  int substeps;        // of fixed-step methods: equal parts in which each step is taken; 0: one
  double step_min, step_max;  // 0 for no limit [s]
  int order_max;  // 0: the method's own; BDF and IDA 1 … 5, Adams 1 … 12, ERK 2 … 8, those of fixed steps their own
  long max_steps;  // on the way to one t_stop; 0 for no limit
} integrator_settings;

// Since creation, restarts included.
typedef struct integrator_stats {
  long steps, rejected, rhs_evaluations, jacobian_evaluations, newton_failures, projections;
  double last_step;  // [s]
  int last_order;
} integrator_stats;

typedef struct integrator integrator;

typedef enum integrator_kind {
  INTEGRATOR_BDF,
  INTEGRATOR_ADAMS,
  INTEGRATOR_ERK,
  INTEGRATOR_RK4,
  INTEGRATOR_IDA,
  // with fixed steps, for schemes
  INTEGRATOR_RK3,
  INTEGRATOR_MIDPOINT,
  INTEGRATOR_SEMI_IMPLICIT,
  INTEGRATOR_SDIRK  // with variable steps, where the problem has `solve`
} integrator_kind;

// As a model names them; its type is no longer CAROM_AUTO.
integrator_kind integrator_kind_of(const carom_integrator_def *d);
integrator_settings integrator_settings_of(const carom_integrator_def *d);

// Both return null after reporting. The problem must outlive the integrator.
integrator *integrator_create_ode(integrator_kind kind, const ode_problem *problem, const integrator_settings *settings,
                                  double t, const double *y, carom_error *error);
integrator *integrator_create_dae(const dae_problem *problem, const integrator_settings *settings, double t,
                                  const double *y, const double *ydot, carom_error *error);
void integrator_destroy(integrator *it);

// Advances by one internal step, never beyond t_stop, and lands on it exactly when it gets there. After a failure
// time and state are those before the step.
carom_status integrator_step(integrator *it, double t_stop, carom_error *error);
// Forgets the history: the state was changed from outside.
carom_status integrator_restart(integrator *it, double t, const double *y, carom_error *error);
// The same for IDA, which needs consistent derivatives too; integrator_restart would start from the last ones.
carom_status integrator_restart_dae(integrator *it, double t, const double *y, const double *ydot, carom_error *error);
// How long to make the first step after a restart, where the caller has seen the like before. For one-step methods of
// variable step; the others begin with a low order, and choose by themselves.
void integrator_suggest_step(integrator *it, double step);
// The next step begins with a new Jacobian. Newton's iteration with an old one that is too large takes small
// corrections for convergence. No effect on methods without a Jacobian, and on IDA.
void integrator_renew_jacobian(integrator *it);
// The state anywhere within the last step (dense output), on the manifold. CAROM_ERROR_USAGE outside of the step.
carom_status integrator_interpolate(integrator *it, double t, double *y);

double integrator_time(const integrator *it);
const double *integrator_state(const integrator *it);
const double *integrator_derivative(const integrator *it);  // y' of a DAE; null for an ODE
integrator_stats integrator_get_stats(const integrator *it);
// True when a restart from a saved state continues bit by bit (one-step methods with a fixed rule for the next step).
bool integrator_is_one_step(const integrator *it);
// Whether a step begins with the derivative that ended the last one: to be restarted where the right-hand side changes.
bool integrator_keeps_slope(const integrator *it);
// What a one-step method needs beside t and y to go on bit by bit: its next step.
double integrator_next_step(const integrator *it);

#endif
