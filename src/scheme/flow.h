// The core of schemes on the integrators: motion between contacts. The integrated state is (q, u, those work accounts
// that can change, inner states of forces), so that the energy ledger is as accurate as the motion; for IDA also the
// multipliers of both levels.
//
// Schemes add forces of their own (motion.push, flow_settings.accelerate) and stop now and then. Scheme `smooth` is
// this core alone.
#ifndef SCHEME_FLOW_H
#define SCHEME_FLOW_H

#include "integrate/integrator.h"
#include "scheme/scheme.h"

typedef enum flow_constraints { FLOW_PROJECT, FLOW_BAUMGARTE, FLOW_GGL } flow_constraints;

typedef struct flow_settings {
  integrator_kind kind;
  integrator_settings integrator;
  flow_constraints constraints;
  double alpha, beta;       // Baumgarte [1/s]
  double length;            // a typical size, for the absolute tolerances [m]
  bool loses[POWER_COUNT];  // which losses a scheme's own forces may have; the others are not integrated
  // Of a scheme that holds more than the constraints: accelerations of the motion's state, and a state back onto what
  // is held. Return false if that is not possible here. NULL for those of the mechanism alone.
  bool (*accelerate)(void *context);
  bool (*project)(void *context, double t, double *y);
  // Of a scheme that knows what is stiff in them: u := (1 - γ ∂u̇/∂u)⁻¹ u where accelerations were found last; see
  // ode_problem.solve. May be null.
  bool (*relax)(void *context, double gamma, double *u);
  void (*steer)(void *context, bool on);  // see ode_problem.steer. May be null.
  // Of a scheme that finds its forces by trial steps, all from the same state. Called after each, `failed` if there was
  // no motion to its end. Returns whether the step is taken again, then up to `until` at most, and from y, which it may
  // change by impulses. May be null.
  bool (*again)(void *context, bool failed, double *until, double *y);
  void *context;
} flow_settings;

// Of a scheme on these integrators, from its options.
flow_settings flow_settings_from(const scheme_setup *setup, int constraints, double alpha, double beta);
// What the integrators can run; see scheme_about.
bool flow_accepts_settings(const scheme_request *request, int constraints, scheme_refusal *why);
bool flow_accepts_model(const scheme_request *request, scheme_refusal *why);

typedef struct flow flow;

// Null after reporting.
flow *flow_create(const scheme_setup *setup, const flow_settings *settings, const scheme_start *start,
                  carom_error *error);
void flow_destroy(flow *s);
carom_status flow_step(flow *s, double t_stop, carom_error *error);
// Goes on from a state that is not where the last step ended, or with forces that are no longer the same. Its
// multipliers need not be known.
carom_status flow_restart(flow *s, double t, const double *y, carom_error *error);
void flow_suggest_step(flow *s, double step);  // the first one after a restart; for one-step methods
void flow_renew_jacobian(flow *s);             // in the next step; see integrator_renew_jacobian
// The whole state at a time within the last step.
carom_status flow_interpolate(flow *s, double t, double *y);
void flow_show(flow *s, double t, const double *y);  // into the motion
// Whether the motion is as the last right-hand side left it, and that was of this very state: accelerations are known
// then.
bool flow_is_evaluated(const flow *s, double t, const double *y);
double flow_time(const flow *s);
const double *flow_state(const flow *s);  // at the end of the last step
int flow_size(const flow *s);             // of the state
double flow_next_step(const flow *s);
bool flow_resumes_exactly(const flow *s);
bool flow_keeps_slope(const flow *s);                                  // see integrator_keeps_slope
const double *flow_accounts(const flow *s);                            // of the state shown
double flow_account(const flow *s, const double *y, power which);      // of a whole state
void flow_book(const flow *s, double *y, power which, double amount);  // adds to an account that is integrated
double *flow_inner(const flow *s, double *y);                          // its inner states
scheme_stats flow_stats(const flow *s);
// The memory of a scheme that is at t with the whole state y: these, the next step, counts. After a load the integrator
// goes on from there.
void flow_fields(flow *s, double *t, double *y, fields *f);
carom_status flow_restored(flow *s, double t, const double *y, carom_error *error);

// Of a scheme that is this core alone: the motion at the end of the last step, and at a time within it; what acts
// there; its memory.
void flow_show_end(flow *s);
carom_status flow_show_within(flow *s, double t, carom_error *error);
bool flow_result(flow *s);
void flow_end_fields(flow *s, fields *f);
carom_status flow_end_restored(flow *s, carom_error *error);

// Drives work on the model, and so does a constraint whose length or sum is given over time.
bool flow_is_driven(const mechanism *m);

#endif
