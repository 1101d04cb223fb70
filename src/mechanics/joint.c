#include "mechanics/joint.h"

#include <stddef.h>
#include <string.h>

static const joint_type *const types[] = {
    &joint_revolute, &joint_prismatic, &joint_cylindrical, &joint_universal, &joint_spherical,
    &joint_planar,   &joint_screw,     &joint_point,       &joint_free,      &joint_fixed,
};

const joint_type *const *joint_types(int *count) {
  *count = (int)(sizeof types / sizeof *types);
  return types;
}

static bool has_quaternion(const joint_type *type, bool planar) { return !planar && type->quaternion_q >= 0; }

static quat read_quaternion(const double *q) { return (quat){q[0], q[1], q[2], q[3]}; }

// The speeds beside the quaternion's three are rates of the coordinates beside its four, in the same order.
void joint_rates(const joint_type *type, bool planar, const double *q, const double *u, double *qdot) {
  const joint_space *space = joint_in(type, planar);
  if (!has_quaternion(type, planar)) {
    for (int i = 0; i < space->nv; i++) qdot[i] = u[i];
    return;
  }
  const double *w = u + type->quaternion_v;
  quat e = read_quaternion(q + type->quaternion_q);
  quat rate = quat_product(e, (quat){0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]});
  double *out = qdot + type->quaternion_q;
  out[0] = rate.w, out[1] = rate.x, out[2] = rate.y, out[3] = rate.z;
  for (int i = 4, k = 3; i < space->nq; i++, k++) qdot[i] = u[k];
}

void joint_move(const joint_type *type, bool planar, double *q, const double *delta) {
  const joint_space *space = joint_in(type, planar);
  if (!has_quaternion(type, planar)) {
    for (int i = 0; i < space->nv; i++) q[i] += delta[i];
    return;
  }
  double *e = q + type->quaternion_q;
  quat turned = quat_normalize(quat_product(read_quaternion(e), quat_exp(vec3_of(delta + type->quaternion_v))));
  e[0] = turned.w, e[1] = turned.x, e[2] = turned.y, e[3] = turned.z;
  for (int i = 4, k = 3; i < space->nq; i++, k++) q[i] += delta[k];
}

void joint_reset(const joint_type *type, bool planar, double *q) {
  memset(q, 0, (size_t)joint_in(type, planar)->nq * sizeof *q);
  if (has_quaternion(type, planar)) q[type->quaternion_q] = 1;
}

void joint_normalize(const joint_type *type, bool planar, double *q) {
  if (!has_quaternion(type, planar)) return;
  double *e = q + type->quaternion_q;
  quat unit = quat_normalize(read_quaternion(e));
  e[0] = unit.w, e[1] = unit.x, e[2] = unit.y, e[3] = unit.z;
}
