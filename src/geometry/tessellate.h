// A polytope in place of a round shape, for integrals over what of the shape is pressed in. Its corners lie a little
// off the surface, so that its cross-sections have the area of the round ones. They lie close together where the shape
// looks along a direction, within a cap of a given depth, and farther apart elsewhere; they move continuously with
// both. A disc has its area exactly and its second moments to 1e-5, a cap of a side has its volume to 1e-4 of itself, a
// cap of a round end to 1e-2.
#ifndef GEOMETRY_TESSELLATE_H
#define GEOMETRY_TESSELLATE_H

#include "geometry/convex.h"
#include "geometry/polytope.h"

enum {
  TESSELLATE_RIM = 32,    // corners of a rim
  TESSELLATE_RINGS = 16,  // strips of the half sphere at an end of a capsule
  TESSELLATE_ROUND = 24,  // corners of each of its rings
  TESSELLATE_VERTICES = 2 * (TESSELLATE_RINGS + 1) * TESSELLATE_ROUND,
  TESSELLATE_FACES = (2 * TESSELLATE_RINGS + 1) * TESSELLATE_ROUND,
  TESSELLATE_CORNERS = 4 * TESSELLATE_FACES,
};

typedef struct tessellation {
  polytope hull;  // of the arrays below: a tessellation must not be copied
  vec3 vertices[TESSELLATE_VERTICES];
  polytope_face faces[TESSELLATE_FACES];
  int corners[TESSELLATE_CORNERS];
} tessellation;

// Of a cylinder, cone, capsule, ellipsoid or superellipsoid in its own axes; n is the direction in which it looks at
// what it is pressed into.
void tessellate(const convex *s, vec3 n, double depth, tessellation *to);

// For the shapes themselves, see convex_type.
void tessellate_cylinder(const convex *s, vec3 n, double depth, tessellation *to);
void tessellate_cone(const convex *s, vec3 n, double depth, tessellation *to);
void tessellate_ellipsoid(const convex *s, vec3 n, double depth, tessellation *to);
void tessellate_superellipsoid(const convex *s, vec3 n, double depth, tessellation *to);
void tessellate_capsule(const convex *s, vec3 n, double depth, tessellation *to);

#endif
