// Normal rows that repeat others. Four discs fill the width between two walls: five gaps, whose sum is the room that is
// left. While the discs lie level the sum of the five rows vanishes. With one disc higher by d it is a row of its own
// of relative size d/L, which says that the disc cannot move down against any force between the walls. Where the room
// that d leaves is within the accuracy of positions this row is an error: problems have no solution, or percussions a
// million times too large. Such a row is replaced by the combination of rows that it repeats, in W, on the right-hand
// side and in what its force does. The forces are then those of level discs.
//
// W = L Lᵀ: the square of what is left of a row's diagonal is the distance of the row, in the norm of the kinetic
// energy, to the combination of the rows before it. A very heavy body on a light one looks the same, and there the
// combination is not what the row does: its rate, acceleration or gap must be that of the combination too. Two points
// beside each other, as on the rim of a can, look the same as well. Both are kept: as one they would let the can tip
// and hold it at once.
#include <math.h>
#include <string.h>

#include "math/vectors.h"
#include "mechanics/response.h"

// A body that is off by d between others at a distance l leaves room of d²/2l, and l is a part of the size of the
// model. (d/l)² may be this many times the accuracy of positions, relative to that size.
static const double WITHIN = 8;
// Rounding leaves less in the diagonal of a row that repeats others exactly.
static const double ROUNDING = 1e-14;
// Of the diagonal of a repeated row.
static const double SOFTNESS = 1e-9;

response_repeat response_repeat_create(int most, int row_total, arena *a) {
  most++;
  return (response_repeat){.row = ARENA_ARRAY(a, int, most),
                           .is_base = ARENA_ARRAY(a, bool, most),
                           .is_repeated = ARENA_ARRAY(a, bool, most),
                           .L = ARENA_ARRAY(a, double, ((long)most * most)),
                           .spread = ARENA_ARRAY(a, double, row_total + 1)};
}

// Row k of L over the base rows before it. Returns the square of what is left of the row. Base rows are zero in the
// columns of the others.
static double eliminate(response_repeat *f, const double *W, int n, int k) {
  double *l = f->L + (long)k * f->count, left = W[(long)f->row[k] * n + f->row[k]];
  memset(l, 0, (size_t)f->count * sizeof *l);
  for (int i = 0; i < k; i++) {
    const double *li = f->L + (long)i * f->count;
    if (!f->is_base[i]) continue;
    l[i] = (W[(long)f->row[k] * n + f->row[i]] - vectors_long_dot(i, li, l)) / li[i];
    left -= l[i] * l[i];
  }
  return left;
}

// Row k of L becomes the parts c of the base rows in it: Lᵀ c = l.
static void find_parts(response_repeat *f, int k) {
  double *c = f->L + (long)k * f->count;
  for (int i = k - 1; i >= 0; i--) {
    const double *li = f->L + (long)i * f->count;
    if (!f->is_base[i]) continue;
    c[i] /= li[i];
    for (int j = 0; j < i; j++) c[j] -= f->is_base[j] ? li[j] * c[i] : 0;
  }
}

static double combine(const response_repeat *f, int k, const double *v, int stride) {
  const double *c = f->L + (long)k * f->count;
  double sum = 0;
  for (int i = 0; i < k; i++) sum += f->is_base[i] ? c[i] * v[(long)f->row[i] * stride] : 0;
  return sum;
}

static void replace_in_matrix(const response_repeat *f, int k, double *W, int n) {
  for (int j = 0; j < n; j++) W[(long)f->row[k] * n + j] = combine(f, k, W + j, n);
  for (int i = 0; i < n; i++) W[(long)i * n + f->row[k]] = combine(f, k, W + (long)i * n, 1);
}

// Whether the force of row k presses against that of another, as in a row of bodies between two walls. Forces that
// press alike, as those of two points beside each other, share a load and cannot grow beyond it.
static bool opposes(const response_repeat *f, int k, const double *W, int n) {
  static const double CLEARLY = 1e-3;
  const double *c = f->L + (long)k * f->count, own = W[(long)f->row[k] * n + f->row[k]];
  for (int i = 0; i < k; i++)
    if (f->is_base[i] && c[i] < 0 && c[i] * c[i] * W[(long)f->row[i] * n + f->row[i]] > CLEARLY * CLEARLY * own)
      return true;
  return false;
}

void response_repeat_find(response_repeat *f, int n, double *W, const double *v, double accuracy, double enough) {
  double least = fmax(ROUNDING, WITHIN * accuracy), largest = 0;
  f->any = false;
  f->n = n, f->W = W;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  enough = fmax(enough, sqrt(least) * largest);
  for (int k = 0; k < f->count; k++) {
    double left = eliminate(f, W, n, k), own = W[(long)f->row[k] * n + f->row[k]];
    f->is_base[k] = left > least * own;
    f->is_repeated[k] = false;
    if (f->is_base[k]) f->L[(long)k * f->count + k] = sqrt(left);
    if (f->is_base[k] || !(own > 0)) continue;
    find_parts(f, k);
    if (left > ROUNDING * own && !opposes(f, k, W, n)) continue;
    f->is_repeated[k] = fabs(v[f->row[k]] - combine(f, k, v, 1)) <= enough;
    f->any |= f->is_repeated[k];
  }
  for (int k = 0; f->any && k < f->count; k++)
    if (f->is_repeated[k]) replace_in_matrix(f, k, W, n);
}

void response_repeat_apply(const response_repeat *f, double *v) {
  for (int k = 0; f->any && k < f->count; k++)
    if (f->is_repeated[k]) v[f->row[k]] = combine(f, k, v, 1);
}

const double *response_repeat_spread(const response_repeat *f, const double *lambda) {
  if (!f->any) return lambda;
  memcpy(f->spread, lambda, (size_t)f->n * sizeof *lambda);
  for (int k = 0; k < f->count; k++) {
    const double *c = f->L + (long)k * f->count;
    if (!f->is_repeated[k]) continue;
    for (int i = 0; i < k; i++)
      if (f->is_base[i]) f->spread[f->row[i]] += c[i] * lambda[f->row[k]];
    f->spread[f->row[k]] = 0;
  }
  return f->spread;
}

double response_repeat_softness(const response_repeat *f, int row) {
  for (int k = 0; f->any && k < f->count; k++)
    if (f->row[k] == row && f->is_repeated[k]) return SOFTNESS * f->W[(long)row * f->n + row];
  return 0;
}

bool response_repeat_is_wedged(const response_repeat *f, const double *P, double still, bool *taking_part) {
  bool any = false;
  for (int k = 0; k < f->count; k++) taking_part[k] = false;
  for (int k = 0; f->any && k < f->count; k++) {
    const double *c = f->L + (long)k * f->count;
    int row = f->row[k];
    if (!f->is_repeated[k] || !(SOFTNESS * f->W[(long)row * f->n + row] * P[row] > still)) continue;
    any = taking_part[k] = true;
    for (int i = 0; i < k; i++) taking_part[i] |= f->is_base[i] && c[i] != 0;
  }
  return any;
}
