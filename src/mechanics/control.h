// Quantities that a model adds to the mechanics: signals computed from time and state, and states with a rate of their own.
//
// The states are the first of motion.inner. Every scheme integrates them with the motion; motion.inner_rate has their rates wherever forces are
// applied. A state with limits rests at one of them while its rate points outwards: an integrator keeps that as a mode
// (motion.held) from instant to instant, a time stepper cuts the state off at the end of a step.
#ifndef MECHANICS_CONTROL_H
#define MECHANICS_CONTROL_H

#include "mechanics/mechanism.h"

// The signals in the order in which they need each other, then the rates of the states, at the present positions and velocities.
void control_update(const mechanism *m, motion *x);
// The rate that a state would have without its limits, after control_update.
double control_free_rate(const mechanism *m, motion *x, int state);
// Puts states beyond a limit onto it.
void control_limit(const mechanism *m, double *states);
bool control_has_limits(const mechanism *m);

// The first reset of a state behind t; infinite if there is none. A scheme ends a step there.
double control_next_reset(const mechanism *m, double t);
// Sets the states that are reset at t.
void control_reset(const mechanism *m, double t, double *states);

#endif
