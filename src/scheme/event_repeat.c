// Normal rows that repeat others. Four discs fill the width between two walls: five gaps, whose sum is the room that is left. While the
// discs lie level the sum of the five rows vanishes. With one disc higher by d it is a row of its own of relative size d/L, which says
// that the disc cannot move down against any force between the walls. Where the room that d leaves is within the accuracy of positions
// this row is an error: problems have no solution, or percussions a million times too large. Such a row is replaced by the
// combination of rows that it repeats, in W, on the right-hand side and in what its force does. The forces are then those of level discs.
//
// W = L Lᵀ: the square of what is left of a row's diagonal is the distance of the row, in the norm of the kinetic energy, to the
// combination of the rows before it. A very heavy body on a light one looks the same, and there the combination is not what the
// row does: its rate, acceleration or gap must be that of the combination too.
#include <math.h>
#include <string.h>

#include "scheme/event_internal.h"

// A body that is off by d between others at a distance l leaves room of d²/2l, and l is a part of the size of the model. (d/l)² may be
// this many times the accuracy of positions, relative to that size.
static const double WITHIN = 8;
// Rounding leaves less in the diagonal of a row that repeats others exactly.
static const double ROUNDING = 1e-14;

void event_repeat_create(event *s) {
  int points = s->w.contacts->point_count + 1;
  arena *a = &s->w.memory;
  s->repeat = (event_repeat){.row = ARENA_ARRAY(a, int, points), .point = ARENA_ARRAY(a, int, points),
                             .is_base = ARENA_ARRAY(a, bool, points), .is_repeated = ARENA_ARRAY(a, bool, points), .L = ARENA_ARRAY(a, double, (long)points * points),
                             .spread = ARENA_ARRAY(a, double, s->w.m->row_count + s->w.m->extra_rows + 1)};
}

// Row k of L over the base rows before it. Returns the square of what is left of the row.
static double eliminate(event_repeat *f, const double *W, int n, int k) {
  double *l = f->L + (long)k * f->count, left = W[(long)f->row[k] * n + f->row[k]];
  memset(l, 0, (size_t)f->count * sizeof *l);
  for (int i = 0; i < k; i++) {
    const double *li = f->L + (long)i * f->count;
    if (!f->is_base[i]) continue;
    double sum = W[(long)f->row[k] * n + f->row[i]];
    for (int j = 0; j < i; j++) sum -= f->is_base[j] ? li[j] * l[j] : 0;
    l[i] = sum / li[i];
    left -= l[i] * l[i];
  }
  return left;
}

// Row k of L becomes the parts c of the base rows in it: Lᵀ c = l.
static void find_parts(event_repeat *f, int k) {
  double *c = f->L + (long)k * f->count;
  for (int i = k - 1; i >= 0; i--) {
    const double *li = f->L + (long)i * f->count;
    if (!f->is_base[i]) continue;
    c[i] /= li[i];
    for (int j = 0; j < i; j++) c[j] -= f->is_base[j] ? li[j] * c[i] : 0;
  }
}

static double combine(const event_repeat *f, int k, const double *v, int stride) {
  const double *c = f->L + (long)k * f->count;
  double sum = 0;
  for (int i = 0; i < k; i++) sum += f->is_base[i] ? c[i] * v[(long)f->row[i] * stride] : 0;
  return sum;
}

static void replace_in_matrix(const event_repeat *f, int k, double *W, int n) {
  for (int j = 0; j < n; j++) W[(long)f->row[k] * n + j] = combine(f, k, W + j, n);
  for (int i = 0; i < n; i++) W[(long)i * n + f->row[k]] = combine(f, k, W + (long)i * n, 1);
}

void event_repeat_find(event *s, const double *v, double enough) {
  event_repeat *f = &s->repeat;
  int n = s->w.x->row_total;
  double least = fmax(ROUNDING, WITHIN * s->w.nearness / s->settings.smooth.length), largest = 0;
  f->count = 0, f->any = false;
  for (int p = 0; p < s->w.contacts->point_count; p++)
    if (s->point[p].takes_part) f->point[f->count] = p, f->row[f->count++] = s->point[p].row;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
  enough = fmax(enough, sqrt(least) * largest);
  for (int k = 0; k < f->count; k++) {
    double left = eliminate(f, s->W, n, k), own = s->W[(long)f->row[k] * n + f->row[k]];
    f->is_base[k] = left > least * own;
    f->is_repeated[k] = false;
    if (f->is_base[k]) f->L[(long)k * f->count + k] = sqrt(left);
    if (f->is_base[k] || !(own > 0)) continue;
    find_parts(f, k);
    f->is_repeated[k] = fabs(v[f->row[k]] - combine(f, k, v, 1)) <= enough;
    f->any |= f->is_repeated[k];
  }
  for (int k = 0; f->any && k < f->count; k++)
    if (f->is_repeated[k]) replace_in_matrix(f, k, s->W, n);
}

void event_repeat_apply(const event *s, double *v) {
  const event_repeat *f = &s->repeat;
  for (int k = 0; f->any && k < f->count; k++)
    if (f->is_repeated[k]) v[f->row[k]] = combine(f, k, v, 1);
}

const double *event_repeat_spread(event *s, const double *lambda) {
  event_repeat *f = &s->repeat;
  if (!f->any) return lambda;
  memcpy(f->spread, lambda, (size_t)s->w.x->row_total * sizeof *lambda);
  for (int k = 0; k < f->count; k++) {
    const double *c = f->L + (long)k * f->count;
    if (!f->is_repeated[k]) continue;
    for (int i = 0; i < k; i++)
      if (f->is_base[i]) f->spread[f->row[i]] += c[i] * lambda[f->row[k]];
    f->spread[f->row[k]] = 0;
  }
  return f->spread;
}

static const double SOFTNESS = 1e-9;

double event_repeat_softness(const event *s, int row) {
  const event_repeat *f = &s->repeat;
  for (int k = 0; f->any && k < f->count; k++)
    if (f->row[k] == row && f->is_repeated[k]) return SOFTNESS * s->W[(long)row * s->w.x->row_total + row];
  return 0;
}

bool event_repeat_is_wedged(event *s, const double *P, bool drop) {
  const event_repeat *f = &s->repeat;
  bool any = false;
  for (int k = 0; f->any && k < f->count; k++) {
    const double *c = f->L + (long)k * f->count;
    int row = f->row[k];
    if (!f->is_repeated[k] || !(SOFTNESS * s->W[(long)row * s->w.x->row_total + row] * P[row] > s->still)) continue;
    any = true;
    for (int i = 0; drop && i <= k; i++)
      if (i == k || (f->is_base[i] && c[i] != 0)) s->point[f->point[i]].returns = false;
  }
  return any;
}
