// The markers coincide.
#include "mechanics/joint.h"

static void motion(const joint_parameters *p, const double *q, joint_motion *m) {
  (void)p, (void)q;
  m->R = MAT3_IDENTITY;
  m->d = VEC3_ZERO;
}

static void motion_planar(const joint_parameters *p, const double *q, joint_motion_planar *m) {
  (void)p, (void)q;
  *m = (joint_motion_planar){.turn = {1, 0}};
}

static void measure(const joint_parameters *p, mat3 R, vec3 d, double *q) { (void)p, (void)R, (void)d, (void)q; }

static void measure_planar(const joint_parameters *p, circle turn, double dx, double dy, double *q) {
  (void)p, (void)turn, (void)dx, (void)dy, (void)q;
}

static const joint_row rows[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_ALONG, 2, 0},
                                 {ROW_DOT, 0, 1},   {ROW_DOT, 1, 2},   {ROW_DOT, 2, 0}};
static const joint_row rows_planar[] = {{ROW_ALONG, 0, 0}, {ROW_ALONG, 1, 0}, {ROW_DOT, 0, 1}};

const joint_type joint_fixed = {
    .name = "fixed",
    .summary = "The markers coincide; nothing moves.",
    .spatial = {0, 0, 6, rows},
    .planar = {0, 0, 3, rows_planar},
    .kinds_spatial = "",
    .kinds_planar = "",
    .motion = motion,
    .motion_planar = motion_planar,
    .measure = measure,
    .measure_planar = measure_planar,
    .quaternion_q = -1,
};
