// The convex hull of points, with its faces and edges. Triangles that lie in one plane are one face.
#ifndef GEOMETRY_POLYTOPE_H
#define GEOMETRY_POLYTOPE_H

#include "geometry/moments.h"

typedef struct polytope_face {
  vec3 normal;       // outwards
  double offset;     // normal · x = offset
  int first, count;  // of its corners in `corners`, counter-clockwise as seen from outside
} polytope_face;

typedef struct polytope {
  vec3 *vertices;  // the points that are corners of the hull, in the order in which they were given
  int vertex_count;
  polytope_face *faces;
  int face_count;
  int *corners;  // vertices of all faces, one face after the other
  int corner_count;
} polytope;

typedef enum polytope_fault { POLYTOPE_OK, POLYTOPE_FLAT, POLYTOPE_NOT_FINITE, POLYTOPE_ROUNDED } polytope_fault;

// FLAT: all points lie in one plane, up to rounding, or there are fewer than four. ROUNDED: points are so near each
// other, or so nearly in one plane, that rounding does not tell inside from outside; what `to` holds then is no hull.
polytope_fault polytope_build(const vec3 *points, int count, arena *memory, polytope *to);

moments polytope_moments(const polytope *p);

#endif
