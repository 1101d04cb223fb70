// Vectors, rotations and quaternions in three dimensions. Everything by value and inline: the compiler sees through.
#ifndef MATH_LINALG_H
#define MATH_LINALG_H

#include <math.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

// Row-major; as an orientation its columns are the axes of the turned frame.
typedef struct mat3 {
  double m[9];
} mat3;

// (w, x, y, z), from body to world.
typedef struct quat {
  double w, x, y, z;
} quat;

// A frame: where it is and how it is turned.
typedef struct pose {
  mat3 R;
  vec3 p;
} pose;

#define VEC3_ZERO     ((vec3){0, 0, 0})
#define MAT3_IDENTITY ((mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}})
#define QUAT_IDENTITY ((quat){1, 0, 0, 0})
#define POSE_IDENTITY ((pose){MAT3_IDENTITY, VEC3_ZERO})

static inline vec3 vec3_of(const double *a) { return (vec3){a[0], a[1], a[2]}; }
static inline void vec3_store(double *a, vec3 v) { a[0] = v.x, a[1] = v.y, a[2] = v.z; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline vec3 vec3_neg(vec3 a) { return (vec3){-a.x, -a.y, -a.z}; }
// a + s b
static inline vec3 vec3_axpy(vec3 a, double s, vec3 b) { return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline double vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_norm(vec3 a) { return sqrt(vec3_dot(a, a)); }
// Two unit vectors normal to the unit vector n and to each other: the first is normal to the axis least along n, too.
// Of axes that are equally so up to 1e-6 the first counts, so that rounding of a normal along an axis does not turn
// them.
static inline void vec3_tangents(vec3 n, vec3 t[2]) {
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z) + 1e-6;
  vec3 axis = x <= y + 1e-6 && x <= z ? (vec3){1, 0, 0} : y <= z ? (vec3){0, 1, 0} : (vec3){0, 0, 1};
  t[0] = vec3_cross(axis, n);
  t[0] = vec3_scale(1 / vec3_norm(t[0]), t[0]);
  t[1] = vec3_cross(n, t[0]);
}
// w x (w x r): the centripetal part of a point's acceleration
static inline vec3 vec3_centripetal(vec3 w, vec3 r) { return vec3_cross(w, vec3_cross(w, r)); }

static inline vec3 mat3_mul(mat3 A, vec3 v) {
  const double *m = A.m;
  return (vec3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
// Aᵀ v
static inline vec3 mat3_tmul(mat3 A, vec3 v) {
  const double *m = A.m;
  return (vec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
static inline mat3 mat3_product(mat3 A, mat3 B) {
  mat3 C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.m[3 * i + j] = A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
  return C;
}
static inline mat3 mat3_transpose(mat3 A) {
  const double *m = A.m;
  return (mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline vec3 mat3_column(mat3 A, int j) { return (vec3){A.m[j], A.m[3 + j], A.m[6 + j]}; }

static inline quat quat_product(quat a, quat b) {
  return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double quat_norm(quat a) { return sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z); }
static inline quat quat_normalize(quat a) {
  double s = 1 / quat_norm(a);
  return (quat){s * a.w, s * a.x, s * a.y, s * a.z};
}
static inline mat3 quat_matrix(quat a) {
  double xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
  double xy = a.x * a.y, xz = a.x * a.z, yz = a.y * a.z, wx = a.w * a.x, wy = a.w * a.y, wz = a.w * a.z;
  return (mat3){{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),
                 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}
// Four times the largest of the four numbers, times all of them: its square is at least 1/4. Inline: a matrix that is
// passed in memory is waited for.
static inline quat quat_of_matrix(mat3 R) {
  const double *m = R.m;
  double trace = m[0] + m[4] + m[8];
  if (trace >= m[0] && trace >= m[4] && trace >= m[8])
    return quat_normalize((quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]});
  if (m[0] >= m[4] && m[0] >= m[8])
    return quat_normalize((quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]});
  if (m[4] >= m[8]) return quat_normalize((quat){m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]});
  return quat_normalize((quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]});
}
// The turn by a rotation vector.
quat quat_exp(vec3 r);
// Body-fixed angles x, y, z (Euler 1-2-3): turns about x, the new y and the new z. The second angle is between -π/2 and
// π/2. At these two only the sum or the difference of the others is determined; the first is then 0.
vec3 mat3_xyz(mat3 R);
// Three turns, each about an axis ('x', 'y' or 'z') of the frame that the turns before have reached.
quat quat_of_turns(const char axes[3], const double angles[3]);
// The shortest turn that takes z (in a planar model x) to the unit vector.
quat quat_from_z(vec3 axis);

static inline vec3 pose_point(pose f, vec3 local) { return vec3_add(f.p, mat3_mul(f.R, local)); }
static inline pose pose_product(pose a, pose b) { return (pose){mat3_product(a.R, b.R), pose_point(a, b.p)}; }
static inline pose pose_inverse(pose a) { return (pose){mat3_transpose(a.R), vec3_neg(mat3_tmul(a.R, a.p))}; }

#endif
