// Evaluating numbers that depend on time and state.
#ifndef MECHANICS_FUNCTION_H
#define MECHANICS_FUNCTION_H

#include "mechanics/mechanism.h"
#include "text/expr.h"

// At the present time and state of the motion.
double function_value(const mechanism *m, motion *x, const function *f);
// Value and first two time derivatives of a function of time alone.
jet function_jet(const function *f, double t);
// The time for these: the motion's, on its side of the instants at which functions change.
static inline double function_time(const motion *x) {
  return x->t > x->to_t ? x->to_t : x->t < x->from_t && x->t > x->last_t ? x->from_t : x->t;
}
bool function_needs_state(const function *f);
bool function_is_constant(const function *f);

#endif
