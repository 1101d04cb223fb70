// One turn about the common axis: R = Rz(q).
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = mat3_about_z(circle_at(q[0]));
  m->d = VEC3_ZERO;
  m->w[0] = (vec3){0, 0, 1};
  m->v[0] = VEC3_ZERO;
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  (void)p;
  m->turn = circle_at(q[0]);
  m->d[0] = m->d[1] = m->v[0][0] = m->v[0][1] = 0;
  m->w[0] = 1;
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  (void)p, (void)d;
  q[0] = joint_unwrap(atan2(R.m[3] - R.m[1], R.m[0] + R.m[4]), q[0]);
}

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  (void)p, (void)dx, (void)dy;
  q[0] = joint_unwrap(atan2(turn.s, turn.c), q[0]);
}

static const joint_row rows[] = {
    {ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_ALONG, 2, 0}, {ROW_DOT, 0, 2}, {ROW_DOT, 1, 2}};

const joint_type joint_revolute = {
    .name = "revolute",
    .summary = "One turn about a common axis (z of both markers).",
    .spatial = {1, 1, 5, rows},
    .planar = {1, 1, 2, rows},
    .kinds_spatial = "a",
    .kinds_planar = "a",
    .turns_only = true,
    .has_axis = true,
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = -1,
};
