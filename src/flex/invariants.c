#include "flex/invariants.h"

#include <math.h>
#include <string.h>

static mat3 outer(vec3 a, vec3 b) {
  return (mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}

static mat3 axpy(mat3 A, double s, mat3 B) {
  for (int k = 0; k < 9; k++) A.m[k] += s * B.m[k];
  return A;
}

static double trace(mat3 A) { return A.m[0] + A.m[4] + A.m[8]; }

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

static void drop_axis(flex_inertia *of, int shape, int axis) {
  const int n = of->count;
  double shift[3];
  vec3_store(shift, of->shift[shape]);
  shift[axis] = 0;
  of->shift[shape] = vec3_of(shift);
  for (int a = 0; a < 3; a++) {
    of->moment[shape].m[3 * a + axis] = 0;
    for (int i = 0; i < n; i++)
      of->couple[i * n + shape].m[3 * a + axis] = of->couple[shape * n + i].m[3 * axis + a] = 0;
  }
}

static void drop_products(flex_inertia *of, int alike) {
  static const double ROUNDING = 1e-13;
  const int n = of->count;
  double most = 0;
  for (int i = alike; i < n; i++) most = fmax(most, trace(of->couple[i * (n + 1)]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double size_i = i < alike ? trace(of->couple[i * (n + 1)]) : most,
                   size_j = j < alike ? trace(of->couple[j * (n + 1)]) : most;
      for (int k = 0; k < 9; k++) {
        double *product = &of->couple[i * n + j].m[k];
        if (i != j && fabs(*product) <= ROUNDING * sqrt(size_i * size_j)) *product = 0;
      }
    }
}

void inertia_drop_rounding(flex_inertia *of, int alike) {
  for (int i = 0; i < of->count; i++) {
    const mat3 own = of->couple[i * of->count + i];
    for (int a = 0; a < 3; a++)
      if (own.m[4 * a] <= 1e-24 * trace(own)) drop_axis(of, i, a);
  }
  drop_products(of, alike);
}

static double largest(const mat3 *A) {
  double most = 0;
  for (int k = 0; k < 9; k++) most = fmax(most, fabs(A->m[k]));
  return most;
}

// Eigenmodes are orthogonal to about 1e-13 times the number of them: 2e-11 for 200 modes of a rod.
static bool shapes_are_apart(const flex_inertia *of) {
  static const double ROUNDING = 1e-9;
  const int n = of->count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double own = largest(&of->couple[i * (n + 1)]) * largest(&of->couple[j * (n + 1)]);
      if (largest(&of->couple[i * n + j]) > ROUNDING * sqrt(own)) return false;
    }
  return true;
}

void inertia_part_shapes(flex_inertia *of) {
  const int n = of->count;
  if (!shapes_are_apart(of)) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j) of->couple[i * n + j] = (mat3){{0}};
}

// --- tables ----------------------------------------------------------------------------------------------------------

static void put(lanes *row, int i, double value) { row[i / LANES][i % LANES] = value; }

// A component of ∫ φ_j φ_iᵀ for the shapes i of one group.
static void take_rows(arena *memory, const flex_inertia *of, int component, int group, flex_rows *to) {
  const int n = of->count, begin = group * LANES, end = begin + LANES < n ? begin + LANES : n;
  to->from = ARENA_ARRAY(memory, int, n);
  for (int j = 0; j < n; j++) {
    bool any = false;
    for (int i = begin; i < end; i++) any |= i != j && of->couple[j * n + i].m[component] != 0;
    if (any) to->from[to->count++] = j;
  }
  to->row = ARENA_ARRAY(memory, lanes, to->count);
  for (int r = 0; r < to->count; r++)
    for (int i = begin; i < end; i++)
      if (i != to->from[r]) to->row[r][i - begin] = of->couple[to->from[r] * n + i].m[component];
}

void inertia_tables(arena *memory, const flex_inertia *of, flex_tables *to) {
  const int groups = (of->count + LANES - 1) / LANES;
  *to = (flex_tables){.count = of->count, .groups = groups, of->mass, of->first, of->second};
  to->shift = ARENA_ARRAY(memory, lanes, 3 * groups), to->moment = ARENA_ARRAY(memory, lanes, 9 * groups);
  to->couple = ARENA_ARRAY(memory, flex_rows, 9 * groups), to->own = ARENA_ARRAY(memory, lanes, 9 * groups);
  for (int i = 0; i < of->count; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    for (int k = 0; k < 3; k++) put(to->shift + k * groups, i, shift[k]);
    for (int k = 0; k < 9; k++) {
      put(to->moment + k * groups, i, of->moment[i].m[k]);
      to->own[i / LANES * 9 + k][i % LANES] = of->couple[i * (of->count + 1)].m[k];
    }
  }
  for (int g = 0; g < groups; g++)
    for (int k = 0; k < 9; k++) take_rows(memory, of, k, g, &to->couple[9 * g + k]);
}

void inertia_state_create(arena *memory, const flex_tables *of, flex_state *to) {
  to->turning = ARENA_ARRAY(memory, lanes, 3 * of->groups);
  to->bias = ARENA_ARRAY(memory, lanes, of->groups);
}

// --- evaluation ------------------------------------------------------------------------------------------------------

// H += Σ q_j ∫ φ_j φ_iᵀ and pair += Σ q̇_j ∫ φ_j φ_iᵀ: one of their nine components, of one group. In two sums each, so
// that fewer additions wait for each other.
static inline void add_rows(const flex_rows *r, const double *q, const double *qdot, lanes *H, lanes *pair) {
  lanes sum = *H, rate = *pair, sum_odd = {0}, rate_odd = {0};
  int k = 0;
  for (; k + 1 < r->count; k += 2) {
    const int even = r->from[k], odd = r->from[k + 1];
    const lanes a = r->row[k], b = r->row[k + 1];
    sum += q[even] * a, rate += qdot[even] * a, sum_odd += q[odd] * b, rate_odd += qdot[odd] * b;
  }
  if (k < r->count) sum += q[r->from[k]] * r->row[k], rate += qdot[r->from[k]] * r->row[k];
  *H = sum + sum_odd, *pair = rate + rate_odd;
}

// Sums over the shapes: ∫ ρ ρᵀ without ∫ x xᵀ; its rate times ω, with what is known of q̈; Σ h q̇, Σ C q, Σ C q̇ and
// what is known of Σ C q̈.
enum { SPREAD = 0, TORQUE = 6, TURNING = 9, SHIFT = 12, DRIFT = 15, PUSH = 18, SUMS = 24 };

// Components 3 a + b of the nine: those of ∫ a × b are differences of two, the six of a symmetric matrix sums of two.
static const int plus[3] = {5, 6, 1}, minus[3] = {7, 2, 3};
static const int upper[6] = {0, 4, 8, 1, 2, 5}, lower[6] = {0, 4, 8, 3, 6, 7};

static void add_group(const flex_tables *of, int g, const double *omega, const flex_coordinates *at, flex_state *to,
                      lanes *s) {
  const int n = of->groups;
  const lanes *x = of->moment + g, q = at->q[g], qdot = at->qdot[g], known = at->known[g];
  lanes H[9], pair[9], bias = {0};
  for (int k = 0; k < 9; k++) {
    const flex_rows *rows = &of->couple[9 * g + k];
    H[k] = x[k * n] + of->own[9 * g + k] * q, pair[k] = of->own[9 * g + k] * qdot;
    if (rows->count) add_rows(rows, (const double *)at->q, (const double *)at->qdot, &H[k], &pair[k]);
  }
  const lanes twice = 2 * (H[0] + H[4] + H[8]);  // ω² tr H and the like come from it
  for (int k = 0; k < 3; k++) {
    lanes turned = twice * omega[k];  // (2 tr H 1 - H - Hᵀ) ω
    for (int j = 0; j < 3; j++) turned -= omega[j] * (H[3 * k + j] + H[3 * j + k]);
    const lanes h = H[plus[k]] - H[minus[k]], C = of->shift[k * n + g];
    bias += omega[k] * (2 * (pair[plus[k]] - pair[minus[k]]) - 0.5 * turned);
    to->turning[k * n + g] = h;
    s[TORQUE + k] += turned * qdot + h * known, s[TURNING + k] += h * qdot;
    s[SHIFT + k] += C * q, s[DRIFT + k] += C * qdot, s[PUSH + k] += C * known;
  }
  // ∫ρρᵀ is quadratic in q, so that half the sum of its gradients at q and at 0 gives its change.
  for (int k = 0; k < 6; k++)
    s[SPREAD + k] += 0.5 * q * (H[upper[k]] + x[upper[k] * n] + H[lower[k]] + x[lower[k] * n]);
  to->bias[g] = bias;
}

void inertia_evaluate(const flex_tables *of, vec3 omega, const flex_coordinates *at, flex_state *to) {
  const double turn[3] = {omega.x, omega.y, omega.z};
  lanes s[SUMS] = {0}, total[SUMS / 8];
  for (int g = 0; g < of->groups; g++) add_group(of, g, turn, at, to, s);
  for (int k = 0; k < SUMS / 8; k++) lanes_sum_eight(s + 8 * k, &total[k]);
  const double *sum = (const double *)total;
  mat3 B = of->second;
  for (int k = 0; k < 6; k++) {
    B.m[upper[k]] += sum[SPREAD + k];
    if (k >= 3) B.m[lower[k]] += sum[SPREAD + k];
  }
  to->first = vec3_add(of->first, vec3_of(sum + SHIFT));
  to->rotary = axpy((mat3){{trace(B), 0, 0, 0, trace(B), 0, 0, 0, trace(B)}}, -1, B);
  to->force = vec3_axpy(vec3_centripetal(omega, to->first), 2, vec3_cross(omega, vec3_of(sum + DRIFT)));
  to->force = vec3_add(to->force, vec3_of(sum + PUSH));
  to->torque = vec3_cross(omega, vec3_add(mat3_mul(to->rotary, omega), vec3_of(sum + TURNING)));
  to->torque = vec3_add(to->torque, vec3_of(sum + TORQUE));
}
