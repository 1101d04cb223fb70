#include "math/linalg.h"

quat quat_exp(vec3 r) {
  double angle = vec3_norm(r);
  // sin(a/2)/a, by its series where the quotient would lose digits; the next term is below 1e-17 there
  double s = angle < 1e-4 ? 0.5 - angle * angle / 48 : sin(0.5 * angle) / angle;
  return (quat){cos(0.5 * angle), s * r.x, s * r.y, s * r.z};
}

quat quat_of_turns(const char axes[3], const double angles[3]) {
  quat all = QUAT_IDENTITY;
  for (int i = 0; i < 3; i++) {
    double s = sin(0.5 * angles[i]);
    all = quat_product(
        all, (quat){cos(0.5 * angles[i]), axes[i] == 'x' ? s : 0, axes[i] == 'y' ? s : 0, axes[i] == 'z' ? s : 0});
  }
  return all;
}

vec3 mat3_xyz(mat3 R) {
  const double *m = R.m;
  // R = X(a) Y(b) Z(c): its last column is (sin b, -sin a cos b, cos a cos b), and the middle row of X(-a) R is (sin c,
  // cos c, 0), also where cos b is zero
  double level = sqrt(m[5] * m[5] + m[8] * m[8]), a = level > 1e-12 ? atan2(-m[5], m[8]) : 0, ca = cos(a), sa = sin(a);
  return (vec3){a, atan2(m[2], level), atan2(ca * m[3] + sa * m[6], ca * m[4] + sa * m[7])};
}

quat quat_from_z(vec3 axis) {
  // 1 + z, below the equator without cancellation: x² + y² = (1 + z)(1 - z)
  double across = axis.x * axis.x + axis.y * axis.y, w = axis.z < 0 ? across / (1 - axis.z) : 1 + axis.z;
  if (!(w > 0)) return (quat){0, 1, 0, 0};
  return quat_normalize((quat){w, -axis.y, axis.x, 0});
}
