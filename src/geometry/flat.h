// Two polytopes that touch with faces, edges or corners: the direction in which they are least deep in each other, and the points where
// they touch across it.
#ifndef GEOMETRY_FLAT_H
#define GEOMETRY_FLAT_H

#include "geometry/convex.h"
#include "geometry/manifold.h"

// A polytope with the directions of its edges, each once.
typedef struct flat {
  polytope hull;
  vec3 *directions;
  int direction_count;
} flat;

// Returns false where the points lie in a plane.
bool flat_build(const vec3 *points, int count, arena *memory, flat *to);

typedef struct flat_touch {
  double distance;           // largest over the normals of faces and of pairs of edges: the distance where they overlap, a bound where not
  vec3 normal;               // from B to A
  bool of_face, face_of_a;   // it is normal to a face, and of which
  manifold_point points[MANIFOLD_POINTS];
  int count;                 // 0 where no faces lie above each other
} flat_touch;

// Points beyond the first `count` stay as they are.
void flat_find_touch(const flat *a, pose at_a, const flat *b, pose at_b, double horizon, flat_touch *to);

#endif
