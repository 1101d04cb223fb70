// A turn about and a translation along the common axis: R = Rz(q0), d = q1 z.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = mat3_about_z(circle_at(q[0]));
  m->d = (vec3){0, 0, q[1]};
  m->w[0] = m->v[1] = (vec3){0, 0, 1};
  m->v[0] = m->w[1] = VEC3_ZERO;
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  joint_revolute.measure(p, R, d, q);
  q[1] = d.z;
}

static const joint_row rows[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_DOT, 0, 2}, {ROW_DOT, 1, 2}};

const joint_type joint_cylindrical = {
    .name = "cylindrical",
    .summary = "A turn about and a translation along a common axis (z of both markers).",
    .spatial = {2, 2, 4, rows},
    .planar = {.nv = -1},
    .kinds_spatial = "at",
    .has_axis = true,
    .motion = motion,
    .measure = measure,
    .quaternion_q = -1,
};
