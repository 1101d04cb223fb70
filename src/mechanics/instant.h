// Instants at which something that is given over time changes its course: points of tables, conditions of expressions,
// resets of states. Integrators end a step there and start again behind it; in between, functions of time are smooth as
// far as their expressions tell.
#ifndef MECHANICS_INSTANT_H
#define MECHANICS_INSTANT_H

#include <float.h>
#include <math.h>

#include "mechanics/mechanism.h"

// The rounding of a time at which something changes: this much before and behind it, functions are on one side.
static inline double instant_rounding(double t) { return 8 * DBL_EPSILON * fabs(t); }

// The first instant behind t; infinite if there is none.
double instant_next(const mechanism *m, double t);

// What moves by a function of time: drives, then constraints whose length or sum is given.
typedef struct driven {
  const char *what, *name;  // "drive" or "constraint"
  const function *f;
} driven;
int driven_count(const mechanism *m);
driven driven_get(const mechanism *m, int i);

// A motion that jumps at t, in position or speed: no finite force follows it. `before` and `after` have value and rate.
typedef struct motion_jump {
  driven of;
  double t, before[2], after[2];
} motion_jump;
// Whether one function does. `of` may be any that a mechanism has.
bool driven_jumps_at(driven of, double t, motion_jump *found);
// Whether it does between two times, where its expression does not tell when. Misses one that another one takes back.
bool driven_jumps_within(driven of, double from, double to, motion_jump *found);
// Whether such a jump may be there: of a C function, or where an expression is not a function of straight lines.
bool driven_is_opaque(driven of, double t);
// In words, and what to do.
void motion_jump_explain(const motion_jump *jump, const char *method, char *text, int size);
extern const char *const motion_jump_hint;

#endif
