// Evaluating numbers that depend on time and state.
#ifndef MECHANICS_FUNCTION_H
#define MECHANICS_FUNCTION_H

#include "mechanics/mechanism.h"
#include "text/expr.h"

// At the present time and state of the motion.
double function_value(const mechanism *m, motion *x, const function *f);
// Value and first two time derivatives of a function of time alone.
jet function_jet(const function *f, double t);
bool function_needs_state(const function *f);
bool function_is_constant(const function *f);

#endif
