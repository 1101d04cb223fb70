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

// ∫ a × b dm from ∫ a bᵀ dm.
static vec3 across(const mat3 *A) { return (vec3){A->m[5] - A->m[7], A->m[6] - A->m[2], A->m[1] - A->m[3]}; }

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

static bool moves_along(const flex_inertia *of, int axis, int begin, int end) {
  for (int i = begin; i < end; i++)
    if (of->couple[i * (of->count + 1)].m[4 * axis] != 0) return true;
  return false;
}

// The first axis along which shapes of a group move; x of those that do not move.
static int first_axis(const flex_inertia *of, int begin, int end) {
  for (int axis = 0; axis < 3; axis++)
    if (moves_along(of, axis, begin, end)) return axis;
  return 0;
}

// The shapes of a group.
typedef struct flex_span {
  int begin, end;
} flex_span;

static int smaller(int a, int b) { return a < b ? a : b; }

static flex_span group_from(const flex_inertia *of, int part, int begin) {
  return (flex_span){begin, smaller(begin + FOURS, begin < part ? part : of->count)};
}

static void take_column(const flex_inertia *of, int part, int axis, flex_span s, flex_column *to) {
  to->group = flex_coordinate(part, s.begin) / FOURS, to->begins = axis == first_axis(of, s.begin, s.end);
  for (int i = s.begin; i < s.end; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    to->shift[i - s.begin] = shift[axis];
    for (int a = 0; a < 3; a++) {
      to->moment[a][i - s.begin] = of->moment[i].m[3 * a + axis];
      to->own[a][i - s.begin] = of->couple[i * (of->count + 1)].m[3 * a + axis];
    }
  }
}

// Component (a, b) of ∫ φ_j φ_iᵀ for the shapes i of a bundle.
static void take_rows(arena *memory, const flex_inertia *of, int part, int component, int columns,
                      const flex_span *spans, struct flex_rows *to) {
  const int n = of->count, width = columns == 1 ? 1 : FLEX_BUNDLE;
  to->row = ARENA_ARRAY(memory, fours, (long)width * n), to->from = ARENA_ARRAY(memory, long, n);
  for (int j = 0; j < n; j++) {
    bool any = false;
    for (int c = 0; c < columns; c++)
      for (int i = spans[c].begin; i < spans[c].end; i++) {
        if (i == j || of->couple[j * n + i].m[component] == 0) continue;
        to->row[width * to->count + c][i - spans[c].begin] = of->couple[j * n + i].m[component], any = true;
      }
    if (any) to->from[to->count++] = flex_coordinate(part, j);
  }
}

// A bundle of the groups from `begin` on that move along an axis, and no further than `end`. Returns where the next
// begins.
static int take_bundle(arena *memory, const flex_inertia *of, int part, int axis, int begin, int end, flex_bundle *to) {
  flex_span spans[FLEX_BUNDLE];
  *to = (flex_bundle){.known = begin >= part};
  while (begin < end && to->count < FLEX_BUNDLE) {
    const flex_span s = group_from(of, part, begin);
    if (axis == first_axis(of, s.begin, s.end) || moves_along(of, axis, s.begin, s.end)) {
      take_column(of, part, axis, s, &to->column[to->count]);
      spans[to->count++] = s;
    }
    begin = s.end;
  }
  for (int a = 0; a < 3; a++) take_rows(memory, of, part, 3 * a + axis, to->count, spans, &to->couple[a]);
  return begin;
}

// Modes and fields do not share a bundle.
static void take_axis(arena *memory, const flex_inertia *of, int part, int axis, int groups, flex_axis *to) {
  to->bundles = ARENA_ARRAY(memory, flex_bundle, groups);
  for (int begin = 0; begin < of->count;) {
    begin = take_bundle(memory, of, part, axis, begin, begin < part ? part : of->count, &to->bundles[to->count]);
    if (to->bundles[to->count].count) to->count++;
  }
}

void inertia_tables(arena *memory, const flex_inertia *of, int part, flex_tables *to) {
  const int known_from = fours_count(part), groups = known_from + fours_count(of->count - part);
  *to =
      (flex_tables){groups, known_from, of->mass, of->first, of->second, ARENA_ARRAY(memory, fours, 3 * groups), {{0}}};
  for (int i = 0; i < of->count; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    for (int k = 0; k < 3; k++) fours_put(to->shift + k * groups, flex_coordinate(part, i), shift[k]);
  }
  for (int a = 0; a < 3; a++) take_axis(memory, of, part, a, groups, &to->axis[a]);
}

void inertia_state_create(arena *memory, const flex_tables *of, flex_state *to) {
  to->turning = ARENA_ARRAY(memory, fours, 3 * of->groups);
  to->bias = ARENA_ARRAY(memory, fours, of->groups);
}

// --- evaluation ------------------------------------------------------------------------------------------------------

// H of the columns of a bundle, and its rate without that of the shapes themselves: H_a along each axis a.
typedef struct column_sums {
  fours H[3][FLEX_BUNDLE], rate[3][FLEX_BUNDLE];
} column_sums;

// H_a = ∫ x_a φ_ib dm + Σ q_j ∫ φ_ja φ_ib dm, and its rate Σ q̇_j ∫ φ_ja φ_ib dm, of `width` columns: each coordinate is
// loaded once for all.
FOURS_INLINE void add_rows(const int width, const flex_bundle *b, int a, const flex_coordinates *at, column_sums *to) {
  const struct flex_rows *r = &b->couple[a];
  const double *q = (const double *)at->q, *qdot = (const double *)at->qdot;
  const fours *row = r->row;
  fours H[FLEX_BUNDLE], rate[FLEX_BUNDLE];
  for (int c = 0; c < width; c++) H[c] = b->column[c].moment[a], rate[c] = (fours){0};
  for (int k = 0; k < r->count; k++, row += width) {
    const double by = q[r->from[k]], at_rate = qdot[r->from[k]];
    for (int c = 0; c < width; c++) H[c] += by * row[c], rate[c] += at_rate * row[c];
  }
  for (int c = 0; c < width; c++) to->H[a][c] = H[c], to->rate[a][c] = rate[c];
}

// Sums over the shapes of what they displace along one axis b, over all components a: ∫ ρ_a ρ_b dm without ∫ x_a x_b dm
// and twice, Σ H_ab q̇, Σ C_b q and Σ C_b q̇; and of q̈ that is known Σ H_ab q̈ and Σ C_b q̈.
enum { SPREAD = 0, RATE = 3, SHIFT = 6, DRIFT = 7, KNOWN = 8, PUSH = 11, SUMS = 12 };

FOURS_INLINE void add_component(const int a, const bool known, const flex_column *c, const flex_coordinates *at,
                                const fours *H, fours *s) {
  // ∫ρρᵀ is quadratic in q, so that half the sum of its gradients at q and at 0 gives its change.
  s[SPREAD + a] += at->q[c->group] * (*H + c->moment[a]), s[RATE + a] += at->qdot[c->group] * *H;
  if (known) s[KNOWN + a] += at->known[c->group] * *H;
}

// One column: each shape has a row of H along each axis b on which it moves. With its rate,
//   bias = H·(ω_b ω - ω² e_b) + 2 Ḣ·(e_b × ω),   h = H × e_b.
// Axes are b, `next` and `last`, in turn.
FOURS_INLINE void add_column(const int b, const bool known, const flex_tables *of, const flex_column *c, int index,
                             const column_sums *sums, const double *omega, const flex_coordinates *at, flex_state *to,
                             fours *s) {
  const int next = (b + 1) % 3, last = (b + 2) % 3, n = of->groups, g = c->group;
  const fours q = at->q[g], qdot = at->qdot[g], H_b = sums->H[b][index] + c->own[b] * q,
              H_next = sums->H[next][index] + c->own[next] * q, H_last = sums->H[last][index] + c->own[last] * q,
              rate_next = sums->rate[next][index] + c->own[next] * qdot,
              rate_last = sums->rate[last][index] + c->own[last] * qdot;
  add_component(b, known, c, at, &H_b, s);
  add_component(next, known, c, at, &H_next, s), add_component(last, known, c, at, &H_last, s);
  s[SHIFT] += c->shift * q, s[DRIFT] += c->shift * qdot;
  if (known) s[PUSH] += c->shift * at->known[g];
  const double w = omega[b], over_next = omega[next], over_last = omega[last];
  fours bias = (w * over_next) * H_next + (2 * over_next) * rate_last;
  bias += (w * over_last) * H_last - (2 * over_last) * rate_next;
  bias -= (over_next * over_next + over_last * over_last) * H_b;
  fours *turning = to->turning + g;
  if (c->begins) {
    to->bias[g] = bias;
    turning[b * n] = (fours){0}, turning[next * n] = H_last, turning[last * n] = -H_next;
  } else {
    to->bias[g] += bias;
    turning[next * n] += H_last, turning[last * n] -= H_next;
  }
}

FOURS_INLINE void add_axis(const int b, const flex_tables *of, const double *omega, const flex_coordinates *at,
                           flex_state *to, double *sums) {
  const flex_axis *axis = &of->axis[b];
  const fours zero = {0};
  fours s[SUMS] = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  for (int k = 0; k < axis->count; k++) {
    const flex_bundle *bundle = &axis->bundles[k];
    column_sums found;
    if (bundle->count == 1) {
      for (int a = 0; a < 3; a++) add_rows(1, bundle, a, at, &found);
    } else {
      for (int a = 0; a < 3; a++) add_rows(FLEX_BUNDLE, bundle, a, at, &found);
    }
    for (int c = 0; c < bundle->count; c++) {
      if (bundle->known) add_column(b, true, of, &bundle->column[c], c, &found, omega, at, to, s);
      else add_column(b, false, of, &bundle->column[c], c, &found, omega, at, to, s);
    }
  }
  for (int i = 0; i < SUMS / FOURS; i++) fours_sum(s + FOURS * i, (fours *)sums + i);
}

void inertia_evaluate(const flex_tables *of, vec3 omega, const flex_coordinates *at, flex_state *to) {
  const double turn[3] = {omega.x, omega.y, omega.z};
  fours total[3 * SUMS / FOURS];
  double(*sum)[SUMS] = (double(*)[SUMS])total;
  add_axis(0, of, turn, at, to, sum[0]), add_axis(1, of, turn, at, to, sum[1]), add_axis(2, of, turn, at, to, sum[2]);
  mat3 B = of->second, N, K;  // ∫ρρᵀ dm, Σ H q̇ and what is known of Σ H q̈
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      B.m[3 * a + b] += 0.5 * (sum[b][SPREAD + a] + sum[a][SPREAD + b]);
      N.m[3 * a + b] = sum[b][RATE + a], K.m[3 * a + b] = sum[b][KNOWN + a];
    }
  const vec3 drift = {sum[0][DRIFT], sum[1][DRIFT], sum[2][DRIFT]}, push = {sum[0][PUSH], sum[1][PUSH], sum[2][PUSH]};
  to->first = vec3_add(of->first, (vec3){sum[0][SHIFT], sum[1][SHIFT], sum[2][SHIFT]});
  to->rotary = axpy((mat3){{trace(B), 0, 0, 0, trace(B), 0, 0, 0, trace(B)}}, -1, B);
  to->force = vec3_axpy(vec3_centripetal(omega, to->first), 2, vec3_cross(omega, drift));
  to->force = vec3_add(to->force, push);
  to->torque = vec3_cross(omega, vec3_add(mat3_mul(to->rotary, omega), across(&N)));
  to->torque = vec3_add(to->torque, vec3_axpy(across(&K), 2 * trace(N), omega));
  to->torque = vec3_sub(to->torque, vec3_add(mat3_mul(N, omega), mat3_tmul(N, omega)));
}
