// What the members of the integrator family share: the operations table each one fills, the state they all have,
// and the way the problem's functions are called and failures told. Private to the integrator files.
#ifndef INTEGRATE_INTEGRATOR_FAMILY_H
#define INTEGRATE_INTEGRATOR_FAMILY_H

#include "integrate/integrator.h"

typedef struct integrator_ops {
  const char *name;
  bool one_step;     // t, y and the next step are all it knows
  bool keeps_slope;  // a step begins with the derivative that ended the last one; so do those of one_step
  bool fixed_step;
  int order_min, order_highest;
  // Allocates from it->memory and reports by itself when it returns false; destroy is called in any case.
  bool (*create)(integrator *it, carom_error *error);
  void (*destroy)(integrator *it);
  // Moves it->t and it->y on by one step. On failure it may leave both as they are: the caller restores them.
  carom_status (*step)(integrator *it, double t_stop, carom_error *error);
  // it->t, it->y (and it->ydot) hold the state to start from.
  carom_status (*restart)(integrator *it, carom_error *error);
  void (*suggest)(integrator *it, double step);  // the first step after a restart; NULL if it begins in its own way
  void (*renew_jacobian)(integrator *it);        // in the next step; null if it has none, or renews it by its own rules
  // The time is strictly inside of the last step. Returns false if the state there cannot be computed.
  bool (*interpolate)(integrator *it, double t, double *y);
  // Adds what the member itself counts: rejected steps, Jacobians, Newton failures.
  void (*count)(const integrator *it, integrator_stats *stats);
  int (*order)(const integrator *it);  // of the last step
  double (*next_step)(const integrator *it);
} integrator_ops;

extern const integrator_ops integrator_bdf_ops, integrator_adams_ops, integrator_erk_ops, integrator_rk4_ops,
    integrator_ida_ops, integrator_rk3_ops, integrator_midpoint_ops, integrator_semi_implicit_ops, integrator_sdirk_ops;

// The last time a function of the problem did not do as asked.
typedef struct integrator_refusal {
  int code;  // as returned; 0: it never happened in this step
  double t;
  bool not_finite;  // it returned 0, but with a value that is no number
} integrator_refusal;

struct integrator {
  arena memory;
  const integrator_ops *ops;
  const ode_problem *ode;  // one of the two is null
  const dae_problem *dae;
  integrator_settings settings;
  int n;
  double t, t_previous;  // end and start of the last step
  double *y, *y_previous;
  double *ydot;       // of a DAE
  double *tolerance;  // absolute, of each component
  double t_stop;      // the stop we are heading for, and the steps made on the way
  long steps_to_stop;
  integrator_stats stats;  // steps, calls of the functions, and what the member counted before it last forgot
  integrator_refusal refusal;
  void *member;
};

// The problem's functions, counted, with a result that is not finite turned into a refusal (1).
int integrator_rhs(integrator *it, double t, const double *y, double *ydot);
int integrator_rhs_again(integrator *it, double t, const double *y, double *ydot);  // rhs where it is null
int integrator_residual(integrator *it, double t, const double *y, const double *ydot, double *r);
int integrator_project(integrator *it, double t, double *y, double *error);  // 0 when there is nothing to project

// To be called before the member's own counters start from zero again.
void integrator_bank_counts(integrator *it);

typedef enum integrator_trouble {
  TROUBLE_ERROR_TEST,
  TROUBLE_CONVERGENCE,
  TROUBLE_TOLERANCE,
  TROUBLE_PRECISION,  // rounding of the projection is larger than the tolerance
  TROUBLE_REFUSED,
  TROUBLE_REFUSED_AT_START,
  TROUBLE_REFUSED_FIXED_STEP,
  TROUBLE_PROJECTION,
  TROUBLE_SINGULAR,
  TROUBLE_MEMORY,
  TROUBLE_OTHER,
} integrator_trouble;

// Says in plain words what happened and what to change. `detail` (may be null) is what the library underneath said.
carom_status integrator_fail(const integrator *it, integrator_trouble trouble, const char *detail, carom_error *error);

#endif
