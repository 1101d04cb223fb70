// Three turns about a common point: q a quaternion, u the angular velocity in the second marker's axes. The columns
// turn with the second marker, so that Σ ẇ_k u_k = ω × ω = 0.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = quat_matrix(quat_normalize((quat){q[0], q[1], q[2], q[3]}));
  m->d = VEC3_ZERO;
  for (int k = 0; k < 3; k++) m->w[k] = mat3_column(m->R, k), m->v[k] = VEC3_ZERO;
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  (void)p, (void)d;
  quat e = quat_of_matrix(R);
  double sign = e.w * q[0] + e.x * q[1] + e.y * q[2] + e.z * q[3] < 0 ? -1 : 1;  // e and -e are the same turn
  q[0] = sign * e.w, q[1] = sign * e.x, q[2] = sign * e.y, q[3] = sign * e.z;
}

static const joint_row rows[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_ALONG, 2, 0}};

const joint_type joint_spherical = {
    .name = "spherical",
    .summary =
        "Any turn about a common point; q is the quaternion (w, x, y, z), u the angular velocity in the second "
        "marker's axes.",
    .spatial = {4, 3, 3, rows},
    .planar = {.nv = -1},
    .kinds_spatial = "qqqq",
    .turns_only = true,
    .motion = motion,
    .measure = measure,
    .quaternion_q = 0,
    .quaternion_v = 0,
};
