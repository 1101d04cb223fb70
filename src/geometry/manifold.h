// The points where two shapes with flat faces or straight lines touch: the corners of the region in which two of these
// lie above each other, each with a name that lasts while the features exist that make it.
#ifndef GEOMETRY_MANIFOLD_H
#define GEOMETRY_MANIFOLD_H

#include "geometry/facet.h"

enum { MANIFOLD_POINTS = 128 };  // two faces of 64 corners each

typedef struct manifold_point {
  vec3 on_a, on_b;      // on the two faces, above each other along the normal
  vec3 normal;          // from B to A; that of the faces, but beside each other two round lines have their own
  double gap;           // along the normal, negative: penetration
  vec3 edge_a, edge_b;  // where two edges cross: their directions across the normal
  int of_a, of_b;  // what makes it: a vertex of one (-1 for the other), or an edge of each, named by its first corner
} manifold_point;

// Points with a gap of at most `horizon`, n from B to A. Returns how many; 0: the facets are not above each other.
int manifold_of_facets(const facet *a, const facet *b, vec3 n, double horizon, manifold_point to[MANIFOLD_POINTS]);
// The same for the faces of two polytopes that look most along n and against it.
int manifold_of_faces(const polytope *a, pose at_a, const polytope *b, pose at_b, vec3 n, double horizon,
                      manifold_point to[MANIFOLD_POINTS]);

// Leaves out points, in turn around the region, until at most `most` are left. Each time the one goes that stands out
// least over the line through its neighbours: what is lost is small in every direction, also of long and of lopsided
// regions. Of points that stand out alike the first one goes, so that rounding does not choose. Returns how many are
// left.
int manifold_reduce(manifold_point *points, int count, int most);

#endif
