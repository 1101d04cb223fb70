#include "flex/invariants.h"

#include <string.h>

static mat3 outer(vec3 a, vec3 b) {
  return (mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}

static mat3 axpy(mat3 A, double s, mat3 B) {
  for (int k = 0; k < 9; k++) A.m[k] += s * B.m[k];
  return A;
}

static double trace(mat3 A) { return A.m[0] + A.m[4] + A.m[8]; }

// ∫ a × b of ∫ a bᵀ
static vec3 cross_of(mat3 A) { return (vec3){A.m[5] - A.m[7], A.m[6] - A.m[2], A.m[1] - A.m[3]}; }

void inertia_create(arena *memory, flex_inertia *to, int count) {
  *to = (flex_inertia){.count = count};
  to->shift = ARENA_ARRAY(memory, vec3, count);
  to->moment = ARENA_ARRAY(memory, mat3, count);
  to->couple = ARENA_ARRAY(memory, mat3, (long)count * count);
}

void inertia_add(flex_inertia *to, double mass, vec3 x, const vec3 *phi) {
  const int n = to->count;
  to->mass += mass;
  to->first = vec3_axpy(to->first, mass, x);
  to->second = axpy(to->second, mass, outer(x, x));
  for (int i = 0; i < n; i++) {
    to->shift[i] = vec3_axpy(to->shift[i], mass, phi[i]);
    to->moment[i] = axpy(to->moment[i], mass, outer(x, phi[i]));
    for (int j = 0; j < n; j++) to->couple[i * n + j] = axpy(to->couple[i * n + j], mass, outer(phi[i], phi[j]));
  }
}

void inertia_state_create(arena *memory, const flex_inertia *of, flex_state *to) {
  to->turning = ARENA_ARRAY(memory, vec3, of->count);
  to->moment = ARENA_ARRAY(memory, mat3, of->count);
}

// ∫ρρᵀ is quadratic in q, so that half the sum of its gradients at q and at 0 gives its change.
void inertia_state(const flex_inertia *of, const double *q, flex_state *to) {
  const int n = of->count;
  vec3 c = of->first;
  mat3 B = of->second;
  for (int i = 0; i < n; i++) {
    mat3 H = of->moment[i];
    for (int j = 0; j < n; j++) H = axpy(H, q[j], of->couple[j * n + i]);
    to->moment[i] = H, to->turning[i] = cross_of(H);
    c = vec3_axpy(c, q[i], of->shift[i]);
    const mat3 sum = axpy(of->moment[i], 1, H);
    B = axpy(axpy(B, q[i] / 2, sum), q[i] / 2, mat3_transpose(sum));
  }
  to->first = c;
  to->rotary = axpy((mat3){{trace(B), 0, 0, 0, trace(B), 0, 0, 0, trace(B)}}, -1, B);
}

void inertia_matrix(const flex_inertia *of, const flex_state *s, double *M) {
  const int n = 6 + of->count;
  const vec3 c = s->first;
  const double tilde[9] = {0, -c.z, c.y, c.z, 0, -c.x, -c.y, c.x, 0};
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = 0; i < 3; i++) {
    M[(3 + i) * n + 3 + i] = of->mass;
    for (int j = 0; j < 3; j++) {
      M[i * n + j] = s->rotary.m[3 * i + j];
      M[i * n + 3 + j] = M[(3 + j) * n + i] = tilde[3 * i + j];
    }
  }
  for (int k = 0; k < of->count; k++) {
    double column[6];
    vec3_store(column, s->turning[k]), vec3_store(column + 3, of->shift[k]);
    for (int i = 0; i < 6; i++) M[i * n + 6 + k] = M[(6 + k) * n + i] = column[i];
    for (int j = 0; j < of->count; j++) M[(6 + k) * n + 6 + j] = trace(of->couple[k * of->count + j]);
  }
}

void inertia_bias(const flex_inertia *of, const flex_state *s, vec3 omega, const double *qdot, double *bias) {
  const int n = of->count;
  vec3 drift = VEC3_ZERO, turning = VEC3_ZERO;
  mat3 moment = {{0}};
  for (int i = 0; i < n; i++) {
    drift = vec3_axpy(drift, qdot[i], of->shift[i]);
    turning = vec3_axpy(turning, qdot[i], s->turning[i]);
    moment = axpy(moment, qdot[i], s->moment[i]);
    vec3 pairs = VEC3_ZERO;
    for (int j = 0; j < n; j++) pairs = vec3_axpy(pairs, qdot[j], cross_of(of->couple[j * n + i]));
    bias[6 + i] = 2 * vec3_dot(omega, pairs) + vec3_dot(omega, mat3_mul(s->moment[i], omega)) -
                  vec3_dot(omega, omega) * trace(s->moment[i]);
  }
  const vec3 force = vec3_axpy(vec3_centripetal(omega, s->first), 2, vec3_cross(omega, drift));
  vec3 torque = vec3_cross(omega, vec3_add(mat3_mul(s->rotary, omega), turning));
  torque = vec3_axpy(torque, 2 * trace(moment), omega);
  torque = vec3_sub(torque, vec3_add(mat3_mul(moment, omega), mat3_tmul(moment, omega)));
  vec3_store(bias, torque), vec3_store(bias + 3, force);
}
