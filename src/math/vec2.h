// Vectors and frames in the plane, by value and inline.
#ifndef MATH_VEC2_H
#define MATH_VEC2_H

#include <math.h>

#include "math/linalg.h"

typedef struct vec2 {
  double x, y;
} vec2;

// A frame in the plane: where it is, and the cosine and sine of its angle.
typedef struct pose2 {
  vec2 p;
  double c, s;
} pose2;

static inline vec2 vec2_add(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y}; }
static inline vec2 vec2_sub(vec2 a, vec2 b) { return (vec2){a.x - b.x, a.y - b.y}; }
static inline vec2 vec2_scale(double s, vec2 a) { return (vec2){s * a.x, s * a.y}; }
static inline vec2 vec2_neg(vec2 a) { return (vec2){-a.x, -a.y}; }
// a + s b
static inline vec2 vec2_axpy(vec2 a, double s, vec2 b) { return (vec2){a.x + s * b.x, a.y + s * b.y}; }
static inline double vec2_dot(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double vec2_cross(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
static inline double vec2_norm(vec2 a) { return sqrt(a.x * a.x + a.y * a.y); }
static inline vec2 vec2_unit(vec2 a) { return vec2_scale(1 / vec2_norm(a), a); }
// Turned by a right angle, counter-clockwise.
static inline vec2 vec2_left(vec2 a) { return (vec2){-a.y, a.x}; }
static inline vec2 vec2_turn(vec2 a, double c, double s) { return (vec2){c * a.x - s * a.y, s * a.x + c * a.y}; }
// The angle from a to b, in (-π, π].
static inline double vec2_angle(vec2 a, vec2 b) { return atan2(vec2_cross(a, b), vec2_dot(a, b)); }

static inline vec2 vec2_of(vec3 a) { return (vec2){a.x, a.y}; }
static inline vec3 vec2_in_space(vec2 a) { return (vec3){a.x, a.y, 0}; }
static inline pose2 pose2_of(pose f) { return (pose2){vec2_of(f.p), f.R.m[0], f.R.m[3]}; }
static inline vec2 pose2_turn(pose2 f, vec2 a) { return vec2_turn(a, f.c, f.s); }
static inline vec2 pose2_point(pose2 f, vec2 a) { return vec2_add(f.p, pose2_turn(f, a)); }
static inline vec2 pose2_into(pose2 f, vec2 p) { return vec2_turn(vec2_sub(p, f.p), f.c, -f.s); }  // back again
// Pose a relative to pose b.
static inline pose2 pose2_between(pose2 a, pose2 b) {
  return (pose2){vec2_turn(vec2_sub(a.p, b.p), b.c, -b.s), a.c * b.c + a.s * b.s, a.s * b.c - a.c * b.s};
}

#endif
