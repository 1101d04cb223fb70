// Translations only: the markers keep their orientation to each other.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p;
  m->R = MAT3_IDENTITY;
  m->d = vec3_of(q);
  for (int k = 0; k < 3; k++) m->w[k] = VEC3_ZERO, m->v[k] = (vec3){k == 0, k == 1, k == 2};
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  (void)p;
  *m = (joint_motion_planar){.turn = {1, 0}, .d = {q[0], q[1]}, .v = {{1, 0}, {0, 1}}};
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) {
  (void)p, (void)R;
  vec3_store(q, d);
}

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  (void)p, (void)turn;
  q[0] = dx, q[1] = dy;
}

static const joint_row rows[] = {{ROW_DOT, 0, 1}, {ROW_DOT, 1, 2}, {ROW_DOT, 2, 0}};

const joint_type joint_point = {
    .name = "point",
    .summary = "Translations along x, y and z of the first marker, no turn.",
    .spatial = {3, 3, 3, rows},
    .planar = {2, 2, 1, rows},
    .kinds_spatial = "ttt",
    .kinds_planar = "tt",
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = -1,
};
