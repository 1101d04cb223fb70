// Scheme `event` (paper 001, the piecewise formulation): smooth motion on the integrators while no contact changes its
// mode, events located on their dense output, impulse-momentum balance at impacts, complementarity of accelerations and
// forces wherever modes are to be decided.
#ifndef SCHEME_EVENT_H
#define SCHEME_EVENT_H

#include "scheme/scheme.h"
#include "scheme/flow.h"
#include "solve/problem_dump.h"

typedef enum event_law { EVENT_NEWTON, EVENT_POISSON } event_law;

typedef struct event_settings {
  flow_settings flow;          // with adams, bdf or erk
  event_law law;                   // of restitution
  double accumulation;             // below this speed after an impact the rest of them is summed; 0: from atol [m/s]
  double tolerance;                // of each contact problem's residual [-]
  problem_dump dump;
} event_settings;

extern const scheme_type scheme_event;
extern const scheme_about event_about;
event_settings event_settings_from(const scheme_setup *setup);

#endif
