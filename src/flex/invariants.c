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

void inertia_drop_rounding(flex_inertia *of) {
  for (int i = 0; i < of->count; i++) {
    const mat3 own = of->couple[i * of->count + i];
    for (int a = 0; a < 3; a++)
      if (own.m[4 * a] <= 1e-24 * trace(own)) drop_axis(of, i, a);
  }
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

static void take_rows(arena *memory, const flex_inertia *of, int component, int groups, flex_rows *to) {
  const int n = of->count;
  to->from = ARENA_ARRAY(memory, int, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (of->couple[j * n + i].m[component] != 0) {
        to->from[to->count++] = j;
        break;
      }
  to->row = ARENA_ARRAY(memory, lanes, (long)to->count * groups);
  for (int r = 0; r < to->count; r++)
    for (int i = 0; i < n; i++) put(to->row + r * groups, i, of->couple[to->from[r] * n + i].m[component]);
}

void inertia_tables(arena *memory, const flex_inertia *of, flex_tables *to) {
  const int groups = (of->count + LANES - 1) / LANES;
  *to = (flex_tables){.count = of->count, .groups = groups, of->mass, of->first, of->second};
  to->shift = ARENA_ARRAY(memory, lanes, 3 * groups), to->moment = ARENA_ARRAY(memory, lanes, 9 * groups);
  for (int i = 0; i < of->count; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    for (int k = 0; k < 3; k++) put(to->shift + k * groups, i, shift[k]);
    for (int k = 0; k < 9; k++) put(to->moment + k * groups, i, of->moment[i].m[k]);
  }
  for (int k = 0; k < 9; k++) take_rows(memory, of, k, groups, &to->couple[k]);
}

void inertia_state_create(arena *memory, const flex_tables *of, flex_state *to) {
  to->turning = ARENA_ARRAY(memory, lanes, 3 * of->groups);
  to->bias = ARENA_ARRAY(memory, lanes, of->groups);
  to->moment = ARENA_ARRAY(memory, lanes, 9 * of->groups);
  to->pair = ARENA_ARRAY(memory, lanes, 9 * of->groups);
}

// --- evaluation ------------------------------------------------------------------------------------------------------

// H = ∫ x φ_iᵀ + Σ q_j ∫ φ_j φ_iᵀ and Σ q̇_j ∫ φ_j φ_iᵀ, one of their nine components.
static void add_rows(const flex_rows *r, int groups, const double *q, const double *qdot, const lanes *from, lanes *H,
                     lanes *pair) {
  for (int g = 0; g < groups; g++) {
    const lanes *row = r->row + g;
    lanes sum = from[g], rate = {0};
    for (int k = 0; k < r->count; k++, row += groups) sum += q[r->from[k]] * *row, rate += qdot[r->from[k]] * *row;
    H[g] = sum, pair[g] = rate;
  }
}

// Sums over the shapes: ∫ ρ ρᵀ without ∫ x xᵀ, its rate times ω, Σ h q̇, Σ C q, Σ C q̇.
typedef struct sums {
  lanes spread[6], rate[3], turning[3], shift[3], drift[3];
} sums;

// Components 3 a + b of the nine: those of ∫ a × b are differences of two, the six of a symmetric matrix sums of two.
static const int plus[3] = {5, 6, 1}, minus[3] = {7, 2, 3};
static const int upper[6] = {0, 4, 8, 1, 2, 5}, lower[6] = {0, 4, 8, 3, 6, 7};

static void add_group(const flex_tables *of, int g, const double *omega, const lanes *q, const lanes *qdot,
                      flex_state *to, sums *s) {
  const int n = of->groups;
  const lanes *H = to->moment + g, *pair = to->pair + g, *x = of->moment + g;
  const lanes twice = 2 * (H[0] + H[4 * n] + H[8 * n]);  // ω² tr H and the like come from it
  lanes bias = {0};
  for (int k = 0; k < 3; k++) {
    lanes turned = twice * omega[k];  // (2 tr H 1 - H - Hᵀ) ω
    for (int j = 0; j < 3; j++) turned -= omega[j] * (H[(3 * k + j) * n] + H[(3 * j + k) * n]);
    const lanes h = H[plus[k] * n] - H[minus[k] * n], C = of->shift[k * n + g];
    bias += omega[k] * (2 * (pair[plus[k] * n] - pair[minus[k] * n]) - 0.5 * turned);
    to->turning[k * n + g] = h;
    s->rate[k] += turned * qdot[g], s->turning[k] += h * qdot[g];
    s->shift[k] += C * q[g], s->drift[k] += C * qdot[g];
  }
  // ∫ρρᵀ is quadratic in q, so that half the sum of its gradients at q and at 0 gives its change.
  for (int k = 0; k < 6; k++)
    s->spread[k] += 0.5 * q[g] * (H[upper[k] * n] + x[upper[k] * n] + H[lower[k] * n] + x[lower[k] * n]);
  to->bias[g] = bias;
}

static vec3 sum_of(const lanes of[3]) {
  return (vec3){lanes_sum_halves(&of[0]), lanes_sum_halves(&of[1]), lanes_sum_halves(&of[2])};
}

void inertia_evaluate(const flex_tables *of, vec3 omega, const lanes *q, const lanes *qdot, flex_state *to) {
  const double turn[3] = {omega.x, omega.y, omega.z};
  sums s = {0};
  for (int k = 0; k < 9; k++) {
    const int at = k * of->groups;
    add_rows(&of->couple[k], of->groups, (const double *)q, (const double *)qdot, of->moment + at, to->moment + at,
             to->pair + at);
  }
  for (int g = 0; g < of->groups; g++) add_group(of, g, turn, q, qdot, to, &s);
  mat3 B = of->second;
  for (int k = 0; k < 6; k++) {
    const double change = lanes_sum_halves(&s.spread[k]);
    B.m[upper[k]] += change;
    if (k >= 3) B.m[lower[k]] += change;
  }
  to->first = vec3_add(of->first, sum_of(s.shift));
  to->rotary = axpy((mat3){{trace(B), 0, 0, 0, trace(B), 0, 0, 0, trace(B)}}, -1, B);
  to->force = vec3_axpy(vec3_centripetal(omega, to->first), 2, vec3_cross(omega, sum_of(s.drift)));
  to->torque = vec3_cross(omega, vec3_add(mat3_mul(to->rotary, omega), sum_of(s.turning)));
  to->torque = vec3_add(to->torque, sum_of(s.rate));
}
