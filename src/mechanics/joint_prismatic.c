// One translation along the common axis: d = q z (in the plane q x), no turn.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = MAT3_IDENTITY;
  m->d = (vec3){0, 0, q[0]};
  m->w[0] = VEC3_ZERO;
  m->v[0] = (vec3){0, 0, 1};
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  (void)p;
  m->turn = (circle){1, 0};
  m->d[0] = q[0], m->d[1] = 0;
  m->v[0][0] = 1, m->v[0][1] = m->w[0] = 0;
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  (void)p, (void)R;
  q[0] = d.z;
}

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  (void)p, (void)turn, (void)dy;
  q[0] = dx;
}

static const joint_row rows[] = {
    {ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_DOT, 0, 1}, {ROW_DOT, 1, 2}, {ROW_DOT, 2, 0}};
static const joint_row rows_planar[] = {{ROW_ALONG, 1, 0}, {ROW_DOT, 0, 1}};

const joint_type joint_prismatic = {
    .name = "prismatic",
    .summary = "One translation along a common axis (z of both markers, x in a planar model), no turn.",
    .spatial = {1, 1, 5, rows},
    .planar = {1, 1, 2, rows_planar},
    .kinds_spatial = "t",
    .kinds_planar = "t",
    .has_axis = true,
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = -1,
};
