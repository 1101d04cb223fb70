// Scheme `smooth`: motion without contact on the integrators. The integrated state is (q, u, work accounts), so that
// the energy ledger is as accurate as the motion; for IDA also the multipliers of both levels.
#ifndef SCHEME_SMOOTH_H
#define SCHEME_SMOOTH_H

#include "scheme/integrator.h"
#include "scheme/scheme.h"

typedef enum smooth_constraints { SMOOTH_PROJECT, SMOOTH_BAUMGARTE, SMOOTH_GGL } smooth_constraints;

typedef struct smooth_settings {
  integrator_kind kind;
  integrator_settings integrator;
  smooth_constraints constraints;
  double alpha, beta;         // Baumgarte [1/s]
  double length;              // a typical size, for the absolute tolerances [m]
} smooth_settings;

#endif
