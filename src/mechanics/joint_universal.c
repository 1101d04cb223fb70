// Two turns about crossing axes: R = Rz(q0) Rx(q1), the first about z of the first marker, the second about x of the
// second. x_b = (cos q0, sin q0, 0) turns with q0, hence the bias ẇ_1 u_1 = u0 u1 (-sin q0, cos q0, 0).
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  circle a = circle_at(q[0]), b = circle_at(q[1]);
  m->R = (mat3){{a.c, -a.s * b.c, a.s * b.s, a.s, a.c * b.c, -a.c * b.s, 0, b.s, b.c}};
  m->d = VEC3_ZERO;
  m->w[0] = (vec3){0, 0, 1};
  m->w[1] = (vec3){a.c, a.s, 0};
  m->v[0] = m->v[1] = VEC3_ZERO;
}

static void bias(const joint_parameters *p, const double *q, const double *u, vec3 *beta, vec3 *eta) {
  (void)p;
  circle a = circle_at(q[0]);
  *beta = (vec3){-u[0] * u[1] * a.s, u[0] * u[1] * a.c, 0};
  *eta = VEC3_ZERO;
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  (void)p, (void)d;
  q[0] = joint_unwrap(atan2(R.m[3], R.m[0]), q[0]);
  q[1] = joint_unwrap(atan2(R.m[7], R.m[8]), q[1]);
}

static const joint_row rows[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_ALONG, 2, 0}, {ROW_DOT, 2, 0}};

const joint_type joint_universal = {
    .name = "universal",
    .summary = "Two turns about crossing axes: z of the first marker, then x of the second.",
    .spatial = {2, 2, 4, rows},
    .planar = {.nv = -1},
    .kinds_spatial = "aa",
    .turns_only = true,
    .has_axis = true,
    .motion = motion,
    .bias = bias,
    .measure = measure,
    .quaternion_q = -1,
};
