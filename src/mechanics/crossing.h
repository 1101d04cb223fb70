// Passing a singular position (a parallelogram that lies flat), where constraint rows become dependent and two branches
// of positions cross. There the constraints determine neither the position across the branch nor the constraint forces:
// both are quotients of rounding errors. Along the branch that the motion is on, positions, velocities and constraint
// forces are smooth, so they are interpolated between neighbours before and behind, where the constraints determine
// them well.
#ifndef MECHANICS_CROSSING_H
#define MECHANICS_CROSSING_H

#include "mechanics/mechanism.h"

// Whether the last factorisation of the constraints found a singular position close by. Always false for sparse
// constraints.
bool crossing_is_near(const mechanism *m, const motion *x);
// Call with the multipliers known and not yet applied, x->udot without constraint forces. Adds to x->tau what the
// multipliers lack of the interpolated constraint forces, and interpolates multipliers of rows that move with time.
// Does nothing if neighbours do not show a crossing. Returns false if the forces are not determined.
bool crossing_correct_forces(const mechanism *m, motion *x);
// Moves positions and velocities onto the branch. Returns false, and changes nothing, if neighbours do not show a
// crossing.
bool crossing_project(const mechanism *m, motion *x);
// Prepares a motion at its start: finds how many rows are independent away from singular positions, how independent
// they usually are and, for a start at rest in a singular position, the direction in which the motion leaves it. Leaves
// the state as it was. A motion that was not prepared is taken to have all its rank at each position.
void crossing_begin(const mechanism *m, motion *x);
// Number of entries of x->beside.
long crossing_storage(const mechanism *m, const motion *x);

#endif
