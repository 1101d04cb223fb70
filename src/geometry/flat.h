// Two polytopes that touch with faces, edges or corners: the direction in which they are least deep in each other, and
// the points where they touch across it.
#ifndef GEOMETRY_FLAT_H
#define GEOMETRY_FLAT_H

#include "geometry/convex.h"
#include "geometry/manifold.h"

typedef struct flat_edge {
  vec3 at, along;   // one end, and the unit vector to the other
  vec3 normals[2];  // of its faces: `along` is in the direction of their cross product
  double length;
} flat_edge;

// A polytope with its edges, each once.
typedef struct flat {
  polytope hull;
  flat_edge *edges;
  int edge_count;
  int *edge_from;  // of each corner of a face (as in hull.corners), the edge from there to the next corner
  double longest;  // edge
} flat;

// Returns false where the points lie in a plane.
bool flat_build(const vec3 *points, int count, arena *memory, flat *to);

typedef struct flat_touch {
  double distance;          // largest over the faces of A - B: the distance where they overlap, a bound where not
  vec3 normal;              // from B to A
  bool of_face, face_of_a;  // it is normal to a face, and of which
  int face;                 // the number of this face
  vec3 edge_a, edge_b;      // else to these two edges, unit vectors
  int edges[2];             // and their numbers
  manifold_point points[MANIFOLD_POINTS];
  int count;  // 0 where no faces lie above each other
} flat_touch;

// Points beyond the first `count` stay as they are.
void flat_find_touch(const flat *a, pose at_a, const flat *b, pose at_b, double horizon, flat_touch *to);
// The same without points, and where parallel faces and edges give nearly the same distance, the largest: a continuous
// function of the poses.
void flat_find_distance(const flat *a, pose at_a, const flat *b, pose at_b, flat_touch *to);
// The number of the face that looks most along n, the one that manifold_of_faces takes.
int flat_face_along(const flat *f, pose at, vec3 n);
// The vertex that is farthest along n.
int flat_farthest_vertex(const flat *f, pose at, vec3 n);

#endif
