// Scheme `smooth`: motion without contact on the integrators. The integrated state is (q, u, work accounts), so that
// the energy ledger is as accurate as the motion; for IDA also the multipliers of both levels.
#ifndef SCHEME_SMOOTH_H
#define SCHEME_SMOOTH_H

#include "mechanics/mechanism.h"
#include "scheme/integrator.h"

typedef enum smooth_constraints { SMOOTH_PROJECT, SMOOTH_BAUMGARTE, SMOOTH_GGL } smooth_constraints;

typedef struct smooth_settings {
  integrator_kind kind;
  integrator_settings integrator;
  smooth_constraints constraints;
  double alpha, beta;         // Baumgarte [1/s]
  double length;              // a typical size, for the absolute tolerances [m]
} smooth_settings;

typedef struct smooth smooth;

// Work and losses since the start, integrated with the motion.
typedef struct smooth_start {
  double t;
  const double *q, *u;
  double accounts[POWER_COUNT];
} smooth_start;

smooth *smooth_create(const mechanism *m, motion *x, const smooth_settings *settings, const smooth_start *start,
                      carom_error *error);
void smooth_destroy(smooth *s);

// One internal step, not beyond t_stop. Afterwards the motion holds the new state.
carom_status smooth_step(smooth *s, double t_stop, carom_error *error);
// Puts the state at a time within the last step into the motion.
carom_status smooth_show(smooth *s, double t, carom_error *error);
void smooth_show_end(smooth *s);   // the state at the end of the last step
carom_status smooth_restart(smooth *s, const smooth_start *start, carom_error *error);

double smooth_time(const smooth *s);
// The integrator's own state at that time: q, u, accounts. What is shown has its quaternions made unit once more.
const double *smooth_state(const smooth *s);
const double *smooth_accounts(const smooth *s);   // of the state the motion holds, one a power
integrator_stats smooth_stats(const smooth *s);
bool smooth_resumes_exactly(const smooth *s);
double smooth_next_step(const smooth *s);
long smooth_projection_failures(const smooth *s);

#endif
