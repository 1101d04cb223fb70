// Joints. A joint relates two markers: the second relative to the first. Its coordinates q and speeds u give the
// relative pose and velocity; where a joint closes a loop, its constraint rows hold the markers together instead.
//
// With R, d the orientation and position of the second marker in the first's axes,
//   ω_rel = Σ w_k u_k,  ḋ = Σ v_k u_k   and the bias  β = Σ ẇ_k u_k,  η = Σ v̇_k u_k,
// all in the axes of the first marker. The joint's own axis is the marker's z in space and x in the plane.
#ifndef MECHANICS_JOINT_H
#define MECHANICS_JOINT_H

#include <stdbool.h>
#include "math/circle.h"
#include "math/linalg.h"

enum { JOINT_MAX_FREEDOM = 6, JOINT_MAX_COORDINATES = 7, JOINT_MAX_ROWS = 6 };

typedef struct joint_parameters {
  double pitch;  // of a screw: advance per radian [m/rad]
} joint_parameters;

// Relative motion in space: columns w, v belong to the speeds.
typedef struct joint_motion {
  mat3 R;
  vec3 d;
  vec3 w[JOINT_MAX_FREEDOM], v[JOINT_MAX_FREEDOM];
} joint_motion;

// The same in the plane: the relative turn, the offset, the columns.
typedef struct joint_motion_planar {
  circle turn;
  double d[2];
  double w[3], v[3][2];
} joint_motion_planar;

// One scalar condition between two markers a and b (see constraint.c for their derivatives).
typedef struct joint_row {
  enum { ROW_ALONG, ROW_DOT, ROW_SCREW } kind;
  int i, j;  // ALONG: a_i · (p_b - p_a) = 0.  DOT: a_i · b_j = 0.  SCREW: a_z · (p_b - p_a) = pitch · angle
} joint_row;

static inline mat3 mat3_about_z(circle turn) { return (mat3){{turn.c, -turn.s, 0, turn.s, turn.c, 0, 0, 0, 1}}; }

typedef struct joint_space {
  int nq, nv;  // coordinates and speeds; nv is -1 if there is no such joint in this space
  int row_count;
  const joint_row *rows;
} joint_space;

typedef struct joint_type {
  const char *name, *summary;
  joint_space spatial, planar;
  // Which coordinate kinds the speeds have: 'a' angle [rad], 't' translation [m], one letter per coordinate; "qqqq"
  // quaternion.
  const char *kinds_spatial, *kinds_planar;
  bool turns_only;  // every v is zero: the markers' points coincide
  bool has_axis;    // the marker's axis means something to it
  void (*motion)(const joint_parameters *p, const double *q, joint_motion *m);
  void (*bias)(const joint_parameters *p, const double *q, const double *u, vec3 *beta, vec3 *eta);  // NULL if zero
  void (*motion_planar)(const joint_parameters *p, const double *q, joint_motion_planar *m);
  // Coordinates from a relative pose. On entry q holds values nearby: angles come out as their nearest equivalents.
  void (*measure)(const joint_parameters *p, mat3 R, vec3 d, double *q);
  void (*measure_planar)(const joint_parameters *p, circle turn, double dx, double dy, double *q);
  // Joints with a quaternion: where it stands in q and which speeds are its angular velocity (in the second marker's
  // axes). Both are -1 for joints without one, where q' = u.
  int quaternion_q, quaternion_v;
} joint_type;

extern const joint_type joint_revolute, joint_prismatic, joint_cylindrical, joint_universal, joint_spherical,
    joint_planar, joint_screw, joint_point, joint_free, joint_fixed;

// All of them, in the order of the reference page.
const joint_type *const *joint_types(int *count);
// Their words in a model file, in the same order, over carom_joint_def.
const struct option_table *const *joint_tables(int *count);

// q' = N(q) u, and q ⊕ Δ: the coordinates after moving with constant speeds Δ for a unit of time.
void joint_rates(const joint_type *type, bool planar, const double *q, const double *u, double *qdot);
void joint_move(const joint_type *type, bool planar, double *q, const double *delta);
// Coordinates of the reference position: zero, or the quaternion 1.
void joint_reset(const joint_type *type, bool planar, double *q);
void joint_normalize(const joint_type *type, bool planar, double *q);

// The angle equivalent to `angle` that is nearest to `near`.
static inline double joint_unwrap(double angle, double near) {
  return angle + 6.283185307179586476925 * round((near - angle) / 6.283185307179586476925);
}

// One coordinate, a length; one coordinate, a turn about a common axis.
bool joint_is_slider(const joint_type *type, bool planar);
bool joint_is_hinge(const joint_type *type, bool planar);

static inline const joint_space *joint_in(const joint_type *type, bool planar) {
  return planar ? &type->planar : &type->spatial;
}

static inline void joint_measure(const joint_type *type, bool planar, const joint_parameters *p, mat3 R, vec3 d,
                                 double *q) {
  if (planar) type->measure_planar(p, (circle){R.m[0], R.m[3]}, d.x, d.y, q);
  else type->measure(p, R, d, q);
}

#endif
