// How deep places in a body lie below its surface, as a field that is fixed in the body. It is made of cells, one below
// each part of the surface (a triangle, a straight edge, an arc): the depth s below this part, between walls. Where the
// surface bulges, a wall halves the angle to the next part; elsewhere it is upright, so that cells lie below their
// parts. What is behind a hollow edge belongs to none in space, and in the plane to a cell of its own, where s is the
// distance from the corner. Another body that reaches into the field has the energy
//   U/k = ∫ s dV   over what of it lies in the field,   force/k = -∫ s n dS   over its surface there, with the outward
//   normal n,
// and the second is the gradient of the first whatever the field is: no energy is made. Where flat faces overlap by d
// over the area A, U is ½ k A d².
//
// By the divergence theorem U is an integral over the same surface. In a cell rays to the place where its walls meet do
// not cross these. With y(τ) = x - τ D(x) on the ray through x, which is on the surface of the field at τ₀, and D(x) =
// apex - w x,
//   div G = s,   G(x) = D ∫ s(y) (1 + w τ)^(axes - 1) dτ   from 0 to τ₀,   U/k = ∫ G·n dS.
#ifndef GEOMETRY_DEPTH_H
#define GEOMETRY_DEPTH_H

#include <stdbool.h>

#include "geometry/outline.h"
#include "geometry/terrain.h"
#include "math/linalg.h"

enum { DEPTH_WALLS = 4 };

typedef struct depth_cell {
  bool planar;
  int sense;                // 0: flat; of an arc 1 where it bulges, -1 where it is hollow
  vec3 n;                   // of a flat part: outwards
  double offset;            // n · x = offset
  vec3 centre;              // of an arc
  double radius;            // positive; 0: a hollow corner
  vec3 walls[DEPTH_WALLS];  // outwards
  double wall_offsets[DEPTH_WALLS];
  int wall_count;
  double most;  // what is deeper is nearer to another side of the body
  vec3 apex;
  double w;
} depth_cell;

// A part of the surface that presses.
typedef struct depth_node {
  vec3 at;
  vec3 surface;  // outward normal of what presses times area; in the plane times length
  double depth;
  vec3 n;  // out of the field
} depth_node;

// What presses in a field, per stiffness; about the origin of the field's axes.
typedef struct depth_sum {
  double energy;
  vec3 force, moment;  // on what presses
  double deepest;      // largest depth, 0: nothing presses
  vec3 at, rate;       // where it is, and its rate is `rate` times the velocity of what presses there
} depth_sum;

typedef void depth_visit(void *context, const depth_cell *c, const depth_node *node);

double depth_at(const depth_cell *c, vec3 x);
vec3 depth_normal(const depth_cell *c, vec3 x);
// The same cell in the axes in which its own are at this pose.
depth_cell depth_seen_at(const depth_cell *c, pose at);
void depth_add(depth_sum *s, const depth_cell *c, const depth_node *node);

// --- in space --------------------------------------------------------------------------------------------------------

depth_cell depth_of_plane(vec3 n, double offset, bool planar);
// Below triangle t of a terrain. Returns false if it has no area.
bool depth_of_triangle(const terrain *on, const terrain_triangle *t, depth_cell *to);
// A convex polygon with the outward normal n that presses into a cell. `sum` gets the deepest place, `visit` the parts;
// each may be null.
void depth_press_face(const depth_cell *c, const vec3 *corners, int count, vec3 n, depth_sum *sum, depth_visit *visit,
                      void *context);

// --- in the plane ----------------------------------------------------------------------------------------------------

// Below feature i of an outline without cubics. Returns false if nothing is below it: a corner that bulges.
bool depth_of_feature(const outline *o, int i, depth_cell *to);
// The same of a feature of another outline that presses, at a pose in the axes of the field.
void depth_press_feature(const depth_cell *c, const outline_feature *f, pose2 at, depth_sum *sum, depth_visit *visit,
                         void *context);

#endif
