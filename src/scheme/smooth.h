// Scheme `smooth`: motion without contact on the integrators. The integrated state is (q, u, those work accounts that can
// change, inner states of forces), so that the energy ledger is as accurate as the motion; for IDA also the multipliers of both levels.
//
// What it does is offered to schemes that add forces of their own (motion.push, smooth_settings.accelerate) and stop now and then.
#ifndef SCHEME_SMOOTH_H
#define SCHEME_SMOOTH_H

#include "integrate/integrator.h"
#include "scheme/scheme.h"

typedef enum smooth_constraints { SMOOTH_PROJECT, SMOOTH_BAUMGARTE, SMOOTH_GGL } smooth_constraints;

typedef struct smooth_settings {
  integrator_kind kind;
  integrator_settings integrator;
  smooth_constraints constraints;
  double alpha, beta;         // Baumgarte [1/s]
  double length;              // a typical size, for the absolute tolerances [m]
  bool loses[POWER_COUNT];    // which losses a scheme's own forces may have; the others are not integrated
  // Of a scheme that holds more than the constraints: accelerations of the motion's state, and a state back onto what is held. Return
  // false if that is not possible here. NULL for those of the mechanism alone.
  bool (*accelerate)(void *context);
  bool (*project)(void *context, double t, double *y);
  void *context;
} smooth_settings;

extern const scheme_type scheme_smooth;
extern const scheme_about smooth_about;

// Of a scheme on these integrators, from its options.
smooth_settings smooth_settings_from(const scheme_setup *setup, int constraints, double alpha, double beta);
// What the integrators can run; see scheme_about.
bool smooth_accepts_settings(const scheme_request *request, int constraints, scheme_refusal *why);
bool smooth_accepts_rows(const scheme_request *request, scheme_refusal *why);

typedef struct smooth smooth;

// Null after reporting.
smooth *smooth_create(const scheme_setup *setup, const smooth_settings *settings, const scheme_start *start,
                      carom_error *error);
void smooth_destroy(smooth *s);
carom_status smooth_step(smooth *s, double t_stop, carom_error *error);
// Goes on from a state that is not where the last step ended, or with forces that are no longer the same. Its multipliers
// need not be known.
carom_status smooth_restart(smooth *s, double t, const double *y, carom_error *error);
void smooth_suggest_step(smooth *s, double step);  // the first one after a restart; for one-step methods
void smooth_renew_jacobian(smooth *s);             // in the next step; see integrator_renew_jacobian
// The whole state at a time within the last step.
carom_status smooth_interpolate(smooth *s, double t, double *y);
void smooth_show(smooth *s, double t, const double *y);   // into the motion
// Whether the motion is as the last right-hand side left it, and that was of this very state: accelerations are known then.
bool smooth_is_evaluated(const smooth *s, double t, const double *y);
double smooth_time(const smooth *s);
const double *smooth_state(const smooth *s);              // at the end of the last step
int smooth_size(const smooth *s);                         // of the state
double smooth_next_step(const smooth *s);
bool smooth_resumes_exactly(const smooth *s);
const double *smooth_accounts(const smooth *s);           // of the state shown
double smooth_account(const smooth *s, const double *y, power which);  // of a whole state
void smooth_book(const smooth *s, double *y, power which, double amount);  // adds to an account that is integrated
double *smooth_inner(const smooth *s, double *y);         // its inner states
scheme_stats smooth_stats(const smooth *s);
// The memory of a scheme that is at t with the whole state y: these, the next step, counts. After a load the integrator goes on from there.
void smooth_fields(smooth *s, double *t, double *y, fields *f);
carom_status smooth_restored(smooth *s, double t, const double *y, carom_error *error);

#endif
