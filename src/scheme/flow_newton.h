// What the integrators' Newton iteration is told of the equations of motion: which components need no equation of
// their own, and for large trees a preconditioner.
#ifndef SCHEME_FLOW_NEWTON_H
#define SCHEME_FLOW_NEWTON_H

#include "integrate/integrator.h"
#include "mechanics/mechanism.h"

typedef struct flow_newton {
  const mechanism *m;
  int n, powers;  // of the state y = (q, u, powers, inner): all its components, and its work accounts
  ode_structure structure;
  ode_part *part;
  int *rate_start, *rate_of;
  // Of a large tree:
  ode_preconditioner preconditioner;
  motion *beside;               // M at the state of the last preparation, with the pivots of springs and dampers
  double *stiffness, *damping;  // along each speed
  double *work;
  double gamma;  // of the last preparation
} flow_newton;

// Returns false if memory runs out; destroy in any case.
bool flow_newton_create(flow_newton *f, const mechanism *m, int n, int powers);
void flow_newton_destroy(flow_newton *f);
// Adds the preconditioner to a large tree on which nothing acts that may be stiff but springs and dampers along its
// joints; f->beside tells whether it has one. `x`: the motion of these equations. Returns false after reporting.
bool flow_newton_precondition(flow_newton *f, const motion *x, carom_error *error);

#endif
