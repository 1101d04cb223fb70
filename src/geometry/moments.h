// Volume, centre and second moments of solids of unit density: exact for each of them.
#ifndef GEOMETRY_MOMENTS_H
#define GEOMETRY_MOMENTS_H

#include "geometry/mesh.h"

typedef struct moments {
  double volume;
  vec3 centre;
  mat3 spread;  // about the centre: ∫ (x - centre)(x - centre)ᵀ dV
} moments;

// Each in its own axes as in geometry/convex.h, the middle at the origin; the axis of a cylinder, capsule or cone is z.
moments moments_box(vec3 edges);
moments moments_cylinder(double radius, double length);
moments moments_capsule(double radius, double length);  // length between the centres of its caps
moments moments_cone(double radius, double height);     // tip at +z
moments moments_ellipsoid(vec3 radii);
moments moments_superellipsoid(vec3 radii, double e1, double e2);
// Plates of a thickness along z, whose middle is the plane z = 0: a bar with round ends along x, `length` between their
// centres; a polygon with its corners in turn, in either sense.
moments moments_stadium(double radius, double length, double thickness);
moments moments_polygon(const double (*corners)[3], int count, double thickness);
// What the triangles enclose. Meaningful where the mesh is closed.
moments moments_mesh(const mesh *m);

// A sum over the tetrahedra between `base` and triangles. Start from {.base = …}; a base near the solid keeps rounding
// small.
typedef struct moments_sum {
  vec3 base;
  double volume;
  vec3 first;
  mat3 second;
} moments_sum;
void moments_sum_add(moments_sum *s, vec3 a, vec3 b, vec3 c);  // counter-clockwise as seen from outside
moments moments_sum_of(const moments_sum *s);

moments moments_moved(moments m, pose at);
moments moments_scaled(moments m, double factor);  // of another density
moments moments_joined(moments a, moments b);
// About the centre: xx yy zz xy xz yz.
void moments_inertia(moments m, double inertia[6]);

// What a triangle takes of the view from the origin, its corners counter-clockwise as seen from outside: its solid
// angle over 4π. All triangles of a closed mesh together have 1 from inside it, 0 from outside.
double moments_share_of_view(const vec3 corners[3]);

#endif
