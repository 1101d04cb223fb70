// Where two outlines are nearest: every local minimum of their signed gap, with what is needed for its rate.
#ifndef GEOMETRY_TOUCH_H
#define GEOMETRY_TOUCH_H

#include "geometry/outline.h"

enum { TOUCHES_MAX = 64 };

typedef struct touch {
  double gap;        // negative: penetration
  vec2 normal;       // unit vector from B to A
  vec2 on_a, on_b;   // `gap` apart along the normal
  double radius[2];  // of curvature of A and B: 0 at a corner, negative where hollow, infinite on a line
  int id[2];         // of the features that touch
  bool flat;         // an end of the range in which two nearly parallel lines face each other
} touch;

// Local minima with a gap of at most `horizon`. Two convex outlines have one, or the ends of the range in which two
// lines within TOUCH_FLAT of parallel face each other; where they overlap its gap is the smallest translation that
// separates them. Others have any number, and where they overlap a minimum is left out if the translation that resolves
// a shallower one frees its point. Where there are more than TOUCHES_MAX, those with the largest gaps are left out.
// Returns how many.
int touches_of(const outline *a, pose2 at_a, const outline *b, pose2 at_b, double horizon, touch to[TOUCHES_MAX]);
#define TOUCH_FLAT 0.1  // [rad]

// How an outline moves: the velocity of the point `at` of its body, and its angular velocity.
typedef struct outline_motion {
  vec2 at, v;
  double w;
} outline_motion;

typedef struct touch_rate {
  double gap;
  double turn;      // angular velocity of the normal
  vec2 on_a, on_b;  // of the nearest points, with the bodies and over their surfaces
} touch_rate;

// Returns false where the nearest points run away at once.
bool touch_rate_of(const touch *t, outline_motion a, outline_motion b, touch_rate *to);

// Whether a point is in the material.
bool outline_holds(const outline *o, vec2 p);

#endif
