// Signed distance of two convex shapes: how far they are apart, or the smallest translation that separates them.
#ifndef GEOMETRY_SEPARATION_H
#define GEOMETRY_SEPARATION_H

#include "geometry/convex.h"

// What the two surfaces are like where they are nearest.
typedef struct separation_feature {
  vec3 edges[2];  // straight edges of the core that the point lies on: two for a face
  int edge_count;
  mat3 radii;  // of curvature of the core, see convex_radii
  double layer;
} separation_feature;

typedef struct separation {
  double distance;  // negative: depth of penetration
  vec3 normal;      // unit vector from B to A
  vec3 on_a, on_b;  // points of the two surfaces, `distance` apart along the normal
  separation_feature of_a, of_b;
  int evaluations;  // of support mappings, for statistics
  int iterations;   // of Newton's method
  bool searched;    // Newton's method did not find it, or it was compared with all other directions
} separation;

// In a planar problem the normal lies in the plane of x and y. Always ends.
separation separation_of(const convex *a, pose at_a, const convex *b, pose at_b, bool planar);
// The same, from the normal of a position near this one; a vector that is no unit vector is no start. Of two smooth
// shapes it is found sooner, and differs by rounding alone. What is found from its own normal is the same to the bit.
// Other shapes make no use of a start.
separation separation_from(const convex *a, pose at_a, const convex *b, pose at_b, bool planar, vec3 start);

// How far a plane with the normal n, from B to A, separates them: at most the distance above.
double separation_along(const convex *a, pose at_a, const convex *b, pose at_b, vec3 n);

// The separation from a half space that ends at n · x = offset, with the outward normal n.
separation separation_of_plane(const convex *a, pose at_a, vec3 n, double offset);

// The relative principal curvatures where the surfaces are nearest, the smaller first: of the sum of both, which is how
// fast their distance grows across the normal, ½ (k₀ x² + k₁ y²). Infinite curvature, of corners and edges, is a very
// large number [1/m].
void separation_curvatures(const separation *s, double k[2]);

// How a shape moves: the velocity of the point `at` of its body, and its angular velocity.
typedef struct shape_motion {
  vec3 at, v, w;
} shape_motion;

typedef struct separation_rate {
  double distance;
  vec3 normal;
  vec3 on_a, on_b;  // of the nearest points, with the bodies and over their surfaces
} separation_rate;

// Returns false where the nearest points are not unique (parallel faces, parallel edges) or run away at once.
bool separation_rate_of(const separation *s, shape_motion a, shape_motion b, separation_rate *to);

#endif
