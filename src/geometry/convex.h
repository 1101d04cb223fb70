// Convex shapes, known by their support mapping alone: the farthest point of the shape in a direction. A shape is a
// core with a layer of even thickness around it: a sphere is a point with a layer, a capsule a segment. The layers
// shift the distance of two shapes and change nothing else.
#ifndef GEOMETRY_CONVEX_H
#define GEOMETRY_CONVEX_H

#include <stdbool.h>

#include "math/linalg.h"

enum { CONVEX_SIZES = 5 };

struct facet;
struct tessellation;

typedef struct convex convex;

enum { CONVEX_SIDES = 3 };

typedef struct convex_side {
  vec3 normal;   // outwards, minus the gradient of the depth
  double depth;  // of the point below it
  bool round;
} convex_side;

typedef struct convex_type {
  bool of_points;
  bool has_edges;                            // straight ones, or flat faces
  vec3 (*support)(const convex *s, vec3 n);  // of the core, n need not be a unit vector
  // How the support point `at` of a unit vector moves with it: symmetric, n is in its kernel, and its other eigenvalues
  // are the principal radii of curvature. Zero at corners; along an edge or on a face it says nothing. NULL if it is
  // zero everywhere.
  mat3 (*radii)(const convex *s, vec3 n, vec3 at);
  // The round face or side line that looks along a unit vector, see facet.h. NULL if it has none, or if its faces are
  // those of a polytope.
  void (*facet)(const convex *s, vec3 n, struct facet *to);
  // A polytope in its place, see tessellate.h. NULL of a sphere and of polytopes.
  void (*tessellate)(const convex *s, vec3 n, double depth, struct tessellation *to);
  // Its flat and round sides, as a point x within it sees them. Returns how many. NULL if it has no flat faces or
  // straight lines, or is a polytope.
  int (*sides)(const convex *s, vec3 x, struct convex_side *to);
} convex_type;

struct convex {
  const convex_type *type;
  double size[CONVEX_SIZES];  // of the core, in the order of the constructors below
  double layer;               // thickness of the layer
  double rolls;  // a ball of this radius rolls along the inside of the core and touches it everywhere; zero where it
                 // has corners or edges
  const vec3 *points;  // of a hull; borrowed
  int point_count;
};

// Each in its own axes, the middle at the origin; the axis of a capsule, cylinder or cone is z.
convex convex_sphere(double radius);
convex convex_capsule(double radius, double length);  // length between the centres of its caps
convex convex_box(double x, double y, double z);      // edges
convex convex_cylinder(double radius, double length);
convex convex_cone(double radius, double height);  // tip at +z, origin halfway
convex convex_ellipsoid(double a, double b, double c);
// (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1, with both exponents between 0 and 2
convex convex_superellipsoid(double a, double b, double c, double e1, double e2);
convex convex_hull(const vec3 *points, int count);  // of points; in the plane a polygon

static inline vec3 convex_support(const convex *s, vec3 n) { return s->type->support(s, n); }
// The radius of a ball around the origin that holds it, from its extent along the first `axes` axes; it may be larger
// than needed.
double convex_reach(const convex *s, int axes);
static inline mat3 convex_radii(const convex *s, vec3 n, vec3 at) {
  return s->type->radii ? s->type->radii(s, n, at) : (mat3){{0}};
}

#endif
