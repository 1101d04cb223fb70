// What of a convex shape can lie on another one: the face, straight edge or side line that looks most nearly along a
// direction. A round face is a polygon of 24 corners that lie a little inside its rim, so that none of them touches
// while the shape rolls on the rim.
#ifndef GEOMETRY_FACET_H
#define GEOMETRY_FACET_H

#include "geometry/convex.h"
#include "geometry/polytope.h"

enum { FACET_CORNERS = 64, FACET_ROUND = 24 };

#define FACET_INSIDE 0.9986  // of the radius of a rim; a polygon of 24 corners loses 0.86 %: 1 % in all
#define FACET_TILT   0.2     // sine of the angle up to which a face or line counts as one that looks along a direction

typedef struct facet {
  vec3 p[FACET_CORNERS];    // two of a line; of a polygon counter-clockwise as seen from outside
  int name[FACET_CORNERS];  // of each corner, the same wherever the shape is
  int count;                // 0: nothing flat looks along the direction
  vec3 core[2];  // at the ends of a line: the centres of curvature across it, and its radii, 0 on a sharp edge
  double radius[2];
  vec3 normal;    // outwards; of a line the one nearest to the direction
  double offset;  // normal · x = offset
} facet;

// Of a shape at a pose, along the unit vector n. `faces` are those of a box or hull, null of other shapes.
void facet_find(const convex *s, const polytope *faces, pose at, vec3 n, facet *to);
// The face that looks most along n, whatever its tilt.
void facet_of_face(const polytope *p, pose at, vec3 n, facet *to);
// The most corners that a facet of the shape has.
int facet_most_corners(const convex *s, const polytope *faces);

// Cosine and sine of k times 15°: the same numbers in every quarter, on every machine.
void facet_round_corner(int k, double *cosine, double *sine);

// In the axes of the shape.
void facet_of_segment(const convex *s, vec3 n, facet *to);
void facet_of_cylinder(const convex *s, vec3 n, facet *to);
void facet_of_cone(const convex *s, vec3 n, facet *to);

#endif
