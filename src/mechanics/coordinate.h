// Joint coordinates as quantities of their own, whether the tree has them as freedoms or a loop closes over them:
// value, rate, how they accelerate, and pushing along them.
#ifndef MECHANICS_COORDINATE_H
#define MECHANICS_COORDINATE_H

#include "mechanics/anchor.h"
#include "mechanics/mechanism.h"

// A coordinate as a row on the two bodies of a joint: q̇ = g_w · (ω_b - ω_a) + g_v · (velocity of b relative to a).
typedef struct coordinate_row {
  anchor a, b;  // of the two bodies, at the second marker
  double Ja[6], Jb[6];
  double quad;         // q̈ = Ja·A_a + Jb·A_b + quad, and what modes of flexible bodies add
  vec3 force, torque;  // a unit effort pushes b with this, and a with the opposite
} coordinate_row;

// mechanism.leading, once the state has its layout.
void coordinate_find_leading(mechanism *m);
// Refreshes joint_q and joint_u from positions and velocities: of the tree's joints and of those that are watched.
void coordinate_update(const mechanism *m, motion *x);
// Of the others.
void coordinate_measure(const mechanism *m, motion *x);
// An angle that is measured between markers is known except for whole turns. It is taken nearest to where the speeds
// lead from the last state that a scheme accepted, however often other states are evaluated between. To be called at
// such states, with positions and velocities evaluated: at the end of a step that led far, and after a jump of
// velocities.
void coordinate_accept(const mechanism *m, motion *x);
// A scheme that shows states within a step after it has accepted the end keeps the state that turns are counted from
// before the step, and exchanges the two for the time.
void coordinate_keep_turns(const mechanism *m, motion *x);
void coordinate_exchange_turns(const mechanism *m, motion *x);
bool coordinate_counts_turns(const mechanism *m);             // there are such angles
bool coordinate_is_far(const mechanism *m, const motion *x);  // one of them may have moved by a radian since
// joint_udot of all joints, from x->udot and the bodies' accelerations.
void coordinate_accelerations(const mechanism *m, motion *x);

bool coordinate_slides(const mechanism *m, coordinate c);  // it is a length, not an angle
// The speed of the tree behind a coordinate, or -1 when its joint closes a loop.
int coordinate_speed(const mechanism *m, coordinate c);
coordinate_row coordinate_get_row(const mechanism *m, const motion *x, coordinate c);
// Takes out of a wrench on a joint's second body (at the second marker, in world axes) what acts along its coordinates.
void coordinate_take_efforts(const mechanism *m, const motion *x, int joint_index, vec3 *push, vec3 *torque);
// Its rate at speeds u, for which tree_spread has laid out velocities.
double coordinate_spread_rate(const mechanism *m, const motion *x, coordinate c, const double *u);
// Adds an effort along the coordinate [N or N·m].
void coordinate_push(const mechanism *m, motion *x, coordinate c, double effort);

static inline double coordinate_value(const mechanism *m, const motion *x, coordinate c) {
  return x->joint_q[m->joints[c.joint].q + c.index];
}
static inline double coordinate_rate(const mechanism *m, const motion *x, coordinate c) {
  return x->joint_u[m->joints[c.joint].v + c.index];
}

#endif
