// No restriction. In space q = (quaternion, position), u = (angular velocity in the second marker's axes, velocity in
// the first's); in the plane q = (angle, x, y).
#include "mechanics/joint.h"

#include <stddef.h>

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  joint_spherical.motion(p, q, m);
  m->d = vec3_of(q + 4);
  for (int k = 0; k < 3; k++) m->w[3 + k] = VEC3_ZERO, m->v[3 + k] = (vec3){k == 0, k == 1, k == 2};
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  joint_planar.motion_planar(p, q, m);
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  joint_spherical.measure(p, R, d, q);
  vec3_store(q + 4, d);
}

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  joint_planar.measure_planar(p, turn, dx, dy, q);
}

const joint_type joint_free = {
    .name = "free",
    .summary = "No restriction: q is (quaternion, position), in a planar model (angle, x, y).",
    .spatial = {7, 6, 0, NULL},
    .planar = {3, 3, 0, NULL},
    .kinds_spatial = "qqqqttt",
    .kinds_planar = "att",
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = 0,
    .quaternion_v = 0,
};
