// A turn that advances along its axis: R = Rz(q), d = pitch q z.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  m->R = mat3_about_z(circle_at(q[0]));
  m->d = (vec3){0, 0, p->pitch * q[0]};
  m->w[0] = (vec3){0, 0, 1};
  m->v[0] = (vec3){0, 0, p->pitch};
}

static const joint_row rows[] = {
    {ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_DOT, 0, 2}, {ROW_DOT, 1, 2}, {ROW_SCREW, 2, 2}};

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) { joint_revolute.measure(p, R, d, q); }

const joint_type joint_screw = {
    .name = "screw",
    .summary = "A turn about z that advances along it by `pitch` per radian.",
    .spatial = {1, 1, 5, rows},
    .planar = {.nv = -1},
    .kinds_spatial = "a",
    .has_axis = true,
    .motion = motion,
    .measure = measure,
    .quaternion_q = -1,
};
