// A turn about z and two translations in the plane of the first marker: q = (angle, x, y). In a planar model this is
// a free body.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = mat3_about_z(circle_at(q[0]));
  m->d = (vec3){q[1], q[2], 0};
  m->w[0] = (vec3){0, 0, 1};
  m->v[1] = (vec3){1, 0, 0};
  m->v[2] = (vec3){0, 1, 0};
  m->v[0] = m->w[1] = m->w[2] = VEC3_ZERO;
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  (void)p;
  *m = (joint_motion_planar){.turn = circle_at(q[0]), .d = {q[1], q[2]}, .w = {1}, .v = {{0}, {1, 0}, {0, 1}}};
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  joint_revolute.measure(p, R, d, q);
  q[1] = d.x, q[2] = d.y;
}

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  joint_revolute.measure_planar(p, turn, dx, dy, q);
  q[1] = dx, q[2] = dy;
}

static const joint_row rows[] = {{ROW_ALONG, 2, 0}, {ROW_DOT, 0, 2}, {ROW_DOT, 1, 2}};

const joint_type joint_planar = {
    .name = "planar",
    .summary = "A turn about z and translations along x and y of the first marker: q = (angle, x, y).",
    .spatial = {3, 3, 3, rows},
    .planar = {3, 3, 0, rows},
    .kinds_spatial = "att",
    .kinds_planar = "att",
    .has_axis = true,
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = -1,
};
