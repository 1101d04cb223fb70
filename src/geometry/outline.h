// Shapes in the plane, also concave, as closed chains of lines, arcs and cubic curves. The chain is stored as features,
// each with a range of outward normals: a line has one normal; a convex corner is an arc without radius; a curve is cut
// so that it has one sense of curvature and turns by at most 60 degrees, an arc so that it turns by at most 120. For
// each normal in its range a curved feature has one point, so that two features touch along a normal that is the root
// of one equation (geometry/touch.h).
#ifndef GEOMETRY_OUTLINE_H
#define GEOMETRY_OUTLINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/vec2.h"

typedef enum outline_kind { OUTLINE_LINE, OUTLINE_ROUND, OUTLINE_CUBIC } outline_kind;

typedef struct outline_feature {
  outline_kind kind;
  int id;  // lasting; arcs and curves that continue each other smoothly with the same sense share it; lines come last
  int sense;              // 1: bulged, -1: hollow, 0: straight
  bool all_round;         // it has every normal: a full circle, a point
  vec2 n0, n1;            // outward normals at its ends, n1 counter-clockwise from n0; the same for a line
  double sweep;           // angle between them [rad]
  vec2 from;              // of a line: where it starts, counter-clockwise around the material
  double low, high;       // of a line: the range of the length along it, from `from`; infinite for a half-plane
  vec2 centre;            // of an arc or corner
  double radius;          // of an arc: negative where it is hollow; 0: a corner
  vec2 c[4];              // of a cubic: its coefficients over 0 to 1
  double half_thickness;  // half the way through the material below a line or an arc of an outline with straight edges;
                          // infinite: not known
} outline_feature;

typedef struct outline {
  const outline_feature *features;  // in order around the material; a hollow corner is a hollow arc without radius
  int count;
  int curved_count;  // ids that are not those of lines
  int corner_count;  // convex corners
  bool convex;
  bool flat;       // it has straight edges
  bool polygon;    // it has nothing but straight edges and corners
  vec2 low, high;  // box around it; of a half-plane three sides are infinite
  double size;     // length of the box's diagonal, 0 for a half-plane
} outline;

typedef enum outline_status {
  OUTLINE_OK,
  OUTLINE_FEW,       // fewer than three points, or without area
  OUTLINE_REPEATED,  // two points that follow each other are the same
  OUTLINE_TANGLED,   // it crosses itself
  OUTLINE_MANY,      // more than OUTLINE_POINTS_MAX points
  OUTLINE_ARC,       // a radius is less than half the distance of the arc's ends
} outline_status;

enum { OUTLINE_POINTS_MAX = 2000 };  // whether it crosses itself costs the square of their number

// Points in either sense. `at` gets the point that is wrong; may be null.
outline_status outline_polygon(const vec2 *points, int count, arena *memory, outline *to, int *at);
// The same with an arc from each point to the next, of at most half a turn: its radius, positive where it bulges out of
// the material, negative where it is hollow, 0: straight.
outline_status outline_arcs(const vec2 *points, const double *radii, int count, arena *memory, outline *to, int *at);
outline_status outline_hull(const vec2 *points, int count, arena *memory,
                            outline *to);  // the convex hull of points in any order
// Its corners in turn, counter-clockwise from the leftmost. Returns how many.
int outline_hull_corners(const vec2 *points, int count, arena *memory, vec2 **corners);
// A closed cubic spline with continuous curvature through points.
outline_status outline_spline(const vec2 *points, int count, arena *memory, outline *to, int *at);
void outline_circle(double radius, arena *memory, outline *to);  // radius 0: a point
void outline_capsule(double radius, double length, arena *memory,
                     outline *to);                    // along x; length between the centres of its caps
void outline_half_plane(arena *memory, outline *to);  // below the x axis

static inline double outline_width(const outline *o) { return fmin(o->high.x - o->low.x, o->high.y - o->low.y); }

// Points along it for drawing, off by at most `within`. Returns how many.
int outline_sample(const outline *o, double within, arena *memory, vec2 **points);

// The place of an outline nearest to a point.
typedef struct outline_foot {
  double gap;       // negative inside
  vec2 at, normal;  // outward
  const outline_feature *on;
} outline_foot;

outline_foot outline_nearest(const outline *o, vec2 p);

// --- features --------------------------------------------------------------------------------------------------------

// A hollow corner, which nothing can touch. What is free near it is in front of both its lines, so that each of them
// counts beyond it, too.
static inline bool outline_is_inner(const outline_feature *f) {
  return f->kind == OUTLINE_ROUND && f->sense < 0 && f->radius == 0;
}
static inline const outline_feature *outline_beside(const outline *o, int i, int step) {
  return &o->features[(i + step + o->count) % o->count];
}
static inline vec2 outline_along(const outline_feature *f) { return vec2_left(f->n0); }  // of a line
static inline vec2 outline_line_point(const outline_feature *f, double s) {
  return vec2_axpy(f->from, s, outline_along(f));
}
// Whether a unit vector is one of its outward normals, up to a small angle.
bool outline_has_normal(const outline_feature *f, vec2 n, double within);
// The point of a curved feature with that outward normal, and the radius of curvature there, negative where it is
// hollow.
vec2 outline_point(const outline_feature *f, vec2 n, double *radius);

#endif
