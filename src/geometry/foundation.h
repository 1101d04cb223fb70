// An elastic foundation (Winkler's): springs along one direction between two shapes, each pressed by as much as the
// shapes overlap there, so that the pressure over the area of contact is linear in the depth. Integrals over that area
// are sums over nodes, exact for polynomials of the third degree over each pair of faces: for force, torque and energy
// of the pressure, and for damping by the velocities of rigid bodies.
#ifndef GEOMETRY_FOUNDATION_H
#define GEOMETRY_FOUNDATION_H

#include <math.h>

#include "geometry/flat.h"

enum { FOUNDATION_WALLS = FACET_CORNERS };

// A face that is pressed: what lies below it along n, the direction of the springs, and within its outline.
typedef struct foundation {
  pose frame;   // in whose axes the rest is
  vec3 n;       // unit vector from what is pressed to what presses
  double sign;  // 1 of a face that looks along n, -1 of one on the far side
  vec3 slope;   // depth of x below the face along n: offset - slope · x
  double offset;
  vec3 walls[FOUNDATION_WALLS];  // outwards, across n; with their offsets
  double wall_offsets[FOUNDATION_WALLS];
  int wall_count;
} foundation;

// A part of the area of contact.
typedef struct foundation_node {
  vec3 at;       // on the face that presses
  vec3 n;        // along which it presses
  double depth;  // along n, positive [m]
  double area;  // as seen along n; negative of the far sides of both shapes, so that the sum of depth times area is the
                // volume of the overlap [m²]
} foundation_node;

#define FOUNDATION_UPRIGHT 1e-9  // faces that are as nearly parallel to n have no area as seen along it

typedef void foundation_visit(void *context, const foundation_node *node);

// A half space with the outward normal n.
foundation foundation_of_plane(vec3 n, double offset);
// A segment in the plane of x and y with the outward normal m, pressed along n; m · n must not be zero.
foundation foundation_of_segment(vec3 from, vec3 to, vec3 m, vec3 n);

// Visits what a polytope presses in.
void foundation_press(const foundation *f, const polytope *p, pose at, foundation_visit *visit, void *context);
// The same of a segment in the plane with the outward normal m, 1 m wide.
void foundation_press_segment(const foundation *f, vec3 from, vec3 to, vec3 m, foundation_visit *visit, void *context);
// The same of polytope A on polytope B, all faces of both, along n from B to A.
void foundation_press_pair(vec3 n, const polytope *a, pose at_a, const polytope *b, pose at_b, foundation_visit *visit,
                           void *context);

// What of a segment is where n · x ≤ offset. Returns false if nothing is.
bool foundation_cut_segment(vec3 p[2], vec3 n, double offset);

#endif
