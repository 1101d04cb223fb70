// Turns bodies and joints into a tree: which joint carries which body, which ones close loops, where everything stands
// in the state.
#ifndef MECHANICS_SPANNING_H
#define MECHANICS_SPANNING_H

#include "mechanics/mechanism.h"

// On entry planar, absolute, gravity, bodies, markers, joints, constraints (the user's own), forces and drives are
// there. `wanted` (one per joint, may be null) marks joints whose initial coordinates were given: they go into the tree
// before others of the same freedom. Room is made for `temporary` rows (may be null). Reports what cannot be and
// returns false.
bool mechanism_compile(mechanism *m, const bool *wanted, const temporary_rows *temporary, arena *memory, fault *f);
// All there is to move, as a mass: bodies with inertia alone count too.
double mechanism_total_mass(const mechanism *m);

#endif
