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

static bool moves_along(const flex_inertia *of, int axis, int begin, int end) {
  for (int i = begin; i < end; i++)
    if (of->couple[i * (of->count + 1)].m[4 * axis] != 0) return true;
  return false;
}

// The shapes of a group.
typedef struct flex_span {
  int begin, end;
} flex_span;

static int smaller(int a, int b) { return a < b ? a : b; }

static flex_span group_from(const flex_inertia *of, int part, int begin) {
  return (flex_span){begin, smaller(begin + PACK, begin < part ? part : of->count)};
}

// Whether a shape of the group has an integral with 1, x_a or a shape along a.
static bool has_along(const flex_inertia *of, int axis, flex_span s, int a) {
  for (int i = s.begin; i < s.end; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    if (shift[axis] != 0 || of->moment[i].m[3 * a + axis] != 0) return true;
    for (int j = 0; j < of->count; j++)
      if (of->couple[j * of->count + i].m[3 * a + axis] != 0) return true;
  }
  return false;
}

static bool is_alike(const flex_inertia *of, int axis, flex_span s, const flex_bundle *b) {
  for (int a = 0; a < 3; a++)
    if (a != axis && has_along(of, axis, s, a) != b->along[a].any) return false;
  return true;
}

static void take_group(const flex_inertia *of, int axis, flex_span s, int index, flex_bundle *to) {
  for (int i = s.begin; i < s.end; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    to->shift[index][i - s.begin] = shift[axis];
    for (int a = 0; a < 3; a++) {
      to->along[a].moment[index][i - s.begin] = of->moment[i].m[3 * a + axis];
      to->along[a].own[index][i - s.begin] = of->couple[i * (of->count + 1)].m[3 * a + axis];
    }
  }
}

// Component (a, b) of ∫ φ_j φ_iᵀ for the shapes i of `groups` groups.
static void take_rows(arena *memory, const flex_inertia *of, int part, int component, int groups,
                      const flex_span *spans, struct flex_along *to) {
  const int n = of->count;
  to->row = ARENA_ARRAY(memory, pack, (long)groups * n), to->from = ARENA_ARRAY(memory, long, n);
  for (int j = 0; j < n; j++) {
    bool any = false;
    for (int g = 0; g < groups; g++)
      for (int i = spans[g].begin; i < spans[g].end; i++) {
        if (i == j || of->couple[j * n + i].m[component] == 0) continue;
        to->row[groups * to->count + g][i - spans[g].begin] = of->couple[j * n + i].m[component], any = true;
      }
    if (any) to->from[to->count++] = flex_coordinate(part, j);
  }
}

// The groups from `begin` on that move along an axis, up to the first that does not or is not like them, and no further
// than `end`. Returns where the next bundle may begin.
static int take_bundle(arena *memory, const flex_inertia *of, int part, int axis, int begin, int end, flex_bundle *to) {
  flex_span spans[FLEX_BUNDLE];
  *to = (flex_bundle){.first = flex_coordinate(part, begin) / PACK, .known = begin >= part};
  while (begin < end && to->count < FLEX_BUNDLE) {
    const flex_span s = group_from(of, part, begin);
    if (!moves_along(of, axis, s.begin, s.end)) {
      begin = s.end;
      if (to->count) break;
      to->first++;
      continue;
    }
    for (int a = 0; a < 3 && !to->count; a++) to->along[a].any = has_along(of, axis, s, a);
    if (!is_alike(of, axis, s, to)) break;
    take_group(of, axis, s, to->count, to);
    spans[to->count++] = s, begin = s.end;
  }
  for (int a = 0; a < 3; a++) take_rows(memory, of, part, 3 * a + axis, to->count, spans, &to->along[a]);
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
  const int known_from = pack_count(part), groups = known_from + pack_count(of->count - part);
  *to =
      (flex_tables){groups, known_from, of->mass, of->first, of->second, ARENA_ARRAY(memory, pack, 3 * groups), {{0}}};
  for (int i = 0; i < of->count; i++) {
    double shift[3];
    vec3_store(shift, of->shift[i]);
    for (int k = 0; k < 3; k++) pack_put(to->shift + k * groups, flex_coordinate(part, i), shift[k]);
  }
  for (int a = 0; a < 3; a++) take_axis(memory, of, part, a, groups, &to->axis[a]);
}

void inertia_state_create(arena *memory, const flex_tables *of, flex_state *to) {
  to->turning = ARENA_ARRAY(memory, pack, 4 * of->groups);
  to->bias = to->turning + 3 * of->groups;
}

// --- evaluation ------------------------------------------------------------------------------------------------------

// What H_a of the shapes of an axis b becomes, where a is b and then the two others: bias += bias_a H_a, for others
// also rate_a Ḣ_a; and to h, less H of the first and H of the second of these.
typedef struct flex_use {
  int axis[3];
  double bias[3], rate[3];
  pack *less, *more;
  fours *sums[3];
} flex_use;

// Sums over the shapes that move along one axis b, for each axis a: ∫ ρ_a ρ_b dm without ∫ x_a x_b dm and twice, and
// Σ H_ab q̇; then for a = b Σ C_b q and Σ C_b q̇, and for others Σ H_ab q̈ and Σ C_b q̈ of q̈ that is known.
enum { SPREAD = 0, RATE = 1, SHIFT = 2, DRIFT = 3, KNOWN = 2, PUSH = 3, SUMS = 4 };

// Of the rows of a bundle, along one axis: H += Σ q_j row_j and, for other axes than the bundle's, rate += Σ q̇_j row_j.
// Each coordinate is loaded once for all groups.
PACK_INLINE void add_rows(const int width, const bool is_own, const struct flex_along *along,
                          const flex_coordinates *at, pack *H, pack *rate) {
  const double *q = (const double *)at->q, *qdot = (const double *)at->qdot;
  const pack *row = along->row;
  for (const long *from = along->from, *end = from + along->count; from < end; from++, row += width) {
    for (int g = 0; g < width; g++) H[g] += q[*from] * row[g];
    for (int g = 0; g < width && !is_own; g++) rate[g] += qdot[*from] * row[g];
  }
}

// sum += x; of the first group there is no sum yet.
PACK_INLINE void add_group(int group, const pack *x, pack *sum) { *sum = group ? *sum + *x : *x; }

// Of a bundle of `width` groups:  H_a = ∫ x_a φ_ib dm + Σ q_j ∫ φ_ja φ_ib dm,  and its rate Σ q̇_j ∫ φ_ja φ_ib dm. ∫ρρᵀ
// is quadratic in q, so that half the sum of its gradients at q and at 0 gives its change.
PACK_INLINE void add_bundle(const int width, const flex_use *use, const flex_bundle *b, const flex_coordinates *at,
                            pack *bias) {
  const pack *q = at->q + b->first, *qdot = at->qdot + b->first, *known = at->known + b->first;
  pack H[FLEX_BUNDLE], rate[FLEX_BUNDLE], sum[FLEX_BUNDLE];
#pragma GCC unroll 3
  for (int a = 0; a < 3; a++) {
    const struct flex_along *along = &b->along[use->axis[a]];
    const bool is_own = a == 0;
    pack s[SUMS];
    if (!is_own && !along->any) continue;
    for (int g = 0; g < width; g++) H[g] = along->moment[g] + along->own[g] * q[g], rate[g] = along->own[g] * qdot[g];
    add_rows(width, is_own, along, at, H, rate);
    for (int g = 0; g < width; g++) {
      const pack spread = q[g] * (H[g] + along->moment[g]), drift = qdot[g] * H[g];
      add_group(g, &spread, &s[SPREAD]), add_group(g, &drift, &s[RATE]);
      if (is_own) {
        const pack shift = b->shift[g] * q[g], shift_rate = b->shift[g] * qdot[g];
        add_group(g, &shift, &s[SHIFT]), add_group(g, &shift_rate, &s[DRIFT]);
        sum[g] = use->bias[0] * H[g];
        continue;
      }
      sum[g] += use->bias[a] * H[g] + use->rate[a] * rate[g];
      if (a == 1) use->less[b->first + g] -= H[g];
      else use->more[b->first + g] += H[g];
    }
    if (!is_own) s[KNOWN] = s[PUSH] = (pack){0};
    for (int g = 0; !is_own && b->known && g < width; g++)
      s[KNOWN] += known[g] * H[g], s[PUSH] += b->shift[g] * known[g];
    fours sums;
    pack_sum(s, &sums);
    *use->sums[a] += sums;
  }
  for (int g = 0; g < width; g++) bias[b->first + g] += sum[g];
}

// Apart, so that the registers of each are its own.
static __attribute__((noinline)) void add_one(const flex_use *use, const flex_bundle *b, const flex_coordinates *at,
                                              pack *bias) {
  add_bundle(1, use, b, at, bias);
}
static __attribute__((noinline)) void add_two(const flex_use *use, const flex_bundle *b, const flex_coordinates *at,
                                              pack *bias) {
  add_bundle(2, use, b, at, bias);
}
static __attribute__((noinline)) void add_three(const flex_use *use, const flex_bundle *b, const flex_coordinates *at,
                                                pack *bias) {
  add_bundle(3, use, b, at, bias);
}
static __attribute__((noinline)) void add_four(const flex_use *use, const flex_bundle *b, const flex_coordinates *at,
                                               pack *bias) {
  add_bundle(4, use, b, at, bias);
}

// Each shape has a row of H along each axis b on which it moves. With its rate,
//   bias = H·(ω_b ω - ω² e_b) + 2 Ḣ·(e_b × ω),   h = H × e_b.
// Axes are b, `next` and `last`, in turn. The sums for axis a stand in number a of `sums`.
PACK_INLINE void add_axis(const int b, const flex_tables *of, const double *omega, const flex_coordinates *at,
                          flex_state *to, fours *sums) {
  const int next = (b + 1) % 3, last = (b + 2) % 3, n = of->groups;
  const double w = omega[b], over_next = omega[next], over_last = omega[last];
  const flex_use use = {.axis = {b, next, last},
                        .bias = {-(over_next * over_next + over_last * over_last), w * over_next, w * over_last},
                        .rate = {0, -2 * over_last, 2 * over_next},
                        .less = to->turning + last * n,
                        .more = to->turning + next * n,
                        .sums = {&sums[b], &sums[next], &sums[last]}};
  for (int a = 0; a < 3; a++) sums[a] = (fours){0};
  for (const flex_bundle *i = of->axis[b].bundles, *end = i + of->axis[b].count; i < end; i++) {
    if (i->count == 1) add_one(&use, i, at, to->bias);
    else if (i->count == 2) add_two(&use, i, at, to->bias);
    else if (i->count == 3) add_three(&use, i, at, to->bias);
    else add_four(&use, i, at, to->bias);
  }
}

void inertia_evaluate(const flex_tables *of, vec3 omega, const flex_coordinates *at, flex_state *to) {
  enum { X = 0, Y = 1, Z = 2 };
  const double w[3] = {omega.x, omega.y, omega.z};
  fours s[3][3];  // [b][a]
  memset(to->turning, 0, 4 * (size_t)of->groups * sizeof(pack));
  add_axis(X, of, w, at, to, s[X]), add_axis(Y, of, w, at, to, s[Y]), add_axis(Z, of, w, at, to, s[Z]);
  const vec3 drift = {s[X][X][DRIFT], s[Y][Y][DRIFT], s[Z][Z][DRIFT]};
  const vec3 push = {s[X][Y][PUSH], s[Y][Z][PUSH], s[Z][X][PUSH]};
  to->first = vec3_add(of->first, (vec3){s[X][X][SHIFT], s[Y][Y][SHIFT], s[Z][Z][SHIFT]});
  to->force = vec3_add(vec3_axpy(vec3_centripetal(omega, to->first), 2, vec3_cross(omega, drift)), push);

  const double *B = of->second.m;  // ∫ρρᵀ dm
  const double xx = B[0] + s[X][X][SPREAD], yy = B[4] + s[Y][Y][SPREAD], zz = B[8] + s[Z][Z][SPREAD];
  const double xy = B[1] + 0.5 * (s[X][Y][SPREAD] + s[Y][X][SPREAD]);
  const double xz = B[2] + 0.5 * (s[X][Z][SPREAD] + s[Z][X][SPREAD]);
  const double yz = B[5] + 0.5 * (s[Y][Z][SPREAD] + s[Z][Y][SPREAD]);
  to->rotary = (mat3){{yy + zz, -xy, -xz, -xy, zz + xx, -yz, -xz, -yz, xx + yy}};

  // Angular momentum Θ ω + Σ h q̇, and Θ̇ ω with N = Σ H q̇, which stands as s[b][a].
  const double Nxx = s[X][X][RATE], Nyy = s[Y][Y][RATE], Nzz = s[Z][Z][RATE];
  const double Nxy = s[Y][X][RATE], Nyx = s[X][Y][RATE], Nxz = s[Z][X][RATE], Nzx = s[X][Z][RATE];
  const double Nyz = s[Z][Y][RATE], Nzy = s[Y][Z][RATE];
  const vec3 momentum = {(yy + zz) * w[X] - xy * w[Y] - xz * w[Z] + (Nyz - Nzy),
                         (zz + xx) * w[Y] - xy * w[X] - yz * w[Z] + (Nzx - Nxz),
                         (xx + yy) * w[Z] - xz * w[X] - yz * w[Y] + (Nxy - Nyx)};
  const vec3 rate = {2 * (Nyy + Nzz) * w[X] - (Nxy + Nyx) * w[Y] - (Nxz + Nzx) * w[Z],
                     2 * (Nzz + Nxx) * w[Y] - (Nxy + Nyx) * w[X] - (Nyz + Nzy) * w[Z],
                     2 * (Nxx + Nyy) * w[Z] - (Nxz + Nzx) * w[X] - (Nyz + Nzy) * w[Y]};
  const vec3 known = {s[Z][Y][KNOWN] - s[Y][Z][KNOWN], s[X][Z][KNOWN] - s[Z][X][KNOWN],
                      s[Y][X][KNOWN] - s[X][Y][KNOWN]};
  to->torque = vec3_add(vec3_cross(omega, momentum), vec3_add(rate, known));
}
