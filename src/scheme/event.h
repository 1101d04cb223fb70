// Scheme `event` (paper 001, the piecewise formulation): smooth motion on the integrators while no contact changes its
// mode, events located on their dense output, impulse-momentum balance at impacts, complementarity of accelerations and
// forces wherever modes are to be decided.
#ifndef SCHEME_EVENT_H
#define SCHEME_EVENT_H

#include "scheme/scheme.h"

extern const scheme_type scheme_event;
extern const scheme_about event_about;
// Whether it can run a model under a law of impact (carom_impact_law), or a scheme can that moves in the same modes;
// `who` is its name for messages. Returns false and says why not.
bool event_accepts_model(const scheme_request *request, const char *who, int impact, scheme_refusal *why);

#endif
