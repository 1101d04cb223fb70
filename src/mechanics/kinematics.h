// Where the nodes are and how they move, each relative to its parent; the geometry beneath the recursions of tree.c.
#ifndef MECHANICS_KINEMATICS_H
#define MECHANICS_KINEMATICS_H

#include "mechanics/mechanism.h"

// Each fills pose, r, V, c of every link, the joint columns S (six per speed), the inertia at the body's origin and the
// velocity-dependent force.
void kinematics_spatial(const mechanism *m, motion *x);
void kinematics_planar(const mechanism *m, motion *x);

// A revolute joint, not reversed, whose markers have the same axes in their bodies.
bool kinematics_is_hinge(const node *n);
// Which of the parent's axes the z axis of the inner marker is, but for rounding; -1: none.
int kinematics_axis(const node *n);
// Whether a node of a planar tree hangs on a revolute joint in its origin, with markers that are not turned (planar.h).
bool kinematics_is_plain_hinge(const node *n);

#endif
