// Quantities that a model adds to the mechanics: signals computed from time and state, and states with a rate of their
// own.
//
// The states are the first of motion.inner. Every scheme integrates them with the motion; motion.inner_rate has their
// rates wherever forces are applied. A state with limits rests at one of them while its rate points outwards: an
// integrator keeps that as a mode (motion.held) from instant to instant, a time stepper cuts the state off at the end
// of a step.
#ifndef MECHANICS_CONTROL_H
#define MECHANICS_CONTROL_H

#include "mechanics/mechanism.h"

// What a sim has bound to a callback of its model. A call that returns false, or leaves an output that is not finite,
// has failed.
typedef struct callback_binding {
  bool (*call)(void *context, double t, const double *inputs, double *outputs);  // null: nothing is bound
  void *context;
} callback_binding;

// The signals in the order in which they need each other, then the rates of the states, at the present positions and
// velocities.
void control_update(const mechanism *m, motion *x);
// The rate that a state would have without its limits, after control_update.
double control_free_rate(const mechanism *m, motion *x, int state);
// Puts states beyond a limit onto it.
void control_limit(const mechanism *m, double *states);
bool control_has_limits(const mechanism *m);

// The first reset of a state or call at a fixed rate behind t; infinite if there is none. A scheme ends a step there.
double control_next_instant(const mechanism *m, double t);
// Calls what is called at a fixed rate and is due at t, the motion's time, at its positions and velocities, which are
// up to date: in the order of the model, each with the outputs of those before. Returns whether anything was called. A
// call that fails leaves motion.bad_callback and is the last one.
bool control_sample(const mechanism *m, motion *x);
// Sets the states that are reset at t.
void control_reset(const mechanism *m, double t, double *states);

#endif
