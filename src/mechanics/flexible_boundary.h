// Nodes of the boundary of a flexible body in the plane, which surfaces touch at their deformed places. How they move
// with the modes is kept once per body. A spot is a place on the straight line between two of them.
#ifndef MECHANICS_FLEXIBLE_BOUNDARY_H
#define MECHANICS_FLEXIBLE_BOUNDARY_H

#include "math/vec2.h"
#include "mechanics/flexible.h"
#include "mechanics/mechanism.h"

// Const, in the body's axes.
struct flexible_boundary {
  int count;
  const vec2 *at;     // undeformed [m]
  const vec2 *shift;  // displacement per modal coordinate, modes for each node
  // Of a body with fields of second-order displacements (floating.h): displacement in each of them, as many as there
  // are for each node; and of a beam how its sections turn, modes for each node, else null.
  const vec2 *field;
  const double *turn;
};

// Of a body with such fields, what their coordinates s are now.
typedef struct flexible_fields {
  double *s, *rate, *curved;  // s, ṡ and what of s̈ does not depend on q̈
  double *by_mode;            // ∂s/∂q: a row over the fields for each mode
} flexible_fields;

typedef struct flexible_spot {
  int node[2];
  double part;  // of the way from the first to the second; a node itself: both are the same, and 0 [-]
} flexible_spot;

// Workspace of a body with a boundary.
void flexible_boundary_allocate(arena *memory, const node *n, flexible_link *f);
// Deformed places of all nodes of a body, in its axes. Called with the kinematics of its node.
void flexible_boundary_place(const mechanism *m, motion *x, int index);

// The frame of a spot, which moves with the material there and turns with the body's axes alone. `slide` is the rate of
// its part [1/s]: the place of contact goes along the line, and the frame's bias has what follows. `columns` has room
// for six numbers per mode, or is null where only velocities are asked for.
flexible_marker flexible_spot_frame(const mechanism *m, const motion *x, int index, const flexible_spot *s,
                                    double slide, double *columns);
// Velocity of a node in the world.
vec3 flexible_boundary_velocity(const mechanism *m, const motion *x, int index, int node);

#endif
