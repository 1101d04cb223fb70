#include "flex/reduction.h"

#include <string.h>

#include "math/eigen.h"
#include "math/vectors.h"

bool reduction_create(arena *memory, const flex_elements *e, const bool *held, const flex_place *frame, bool is_carried,
                      reduction *to) {
  *to = (reduction){.e = e, .is_clamped = held != NULL, .is_carried = is_carried, .frame = *frame};
  if (!flexibility_create(memory, e, held, &to->eigen)) return false;
  if (!held) to->loads = to->eigen;
  // a clamped body that a joint carries has its loads balanced by its support
  return !held || is_carried || flexibility_create(memory, e, NULL, &to->loads);
}

// The load with what balances it.
static void balance(const reduction *r, const double *load, double *to) {
  memcpy(to, load, (size_t)r->e->freedom_count * sizeof *to);
  if (r->is_carried) elements_balance(r->e, &r->frame, to);
  else flexibility_balance(&r->loads, to);
}

void reduction_deform(arena *scratch, const reduction *r, const double *load, double *x) {
  const arena_mark mark = arena_get_mark(scratch);
  if (r->is_clamped && r->is_carried) flexibility_apply(scratch, &r->eigen, load, x);
  else {
    double *balanced = ARENA_ARRAY(scratch, double, r->e->freedom_count);
    balance(r, load, balanced);
    flexibility_apply(scratch, &r->loads, balanced, x);
    if (r->is_clamped) elements_see_from(r->e, &r->frame, 1, x);
  }
  arena_release(scratch, mark);
}

// Rows of `to`: combinations of the rows of `from` by the eigenvectors, the last one first.
static void combine(int count, int all, int n, const double *vectors, const double *from, double *to) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < all; j++) {
      const double part = vectors[(long)(all - 1 - i) * all + j];
      for (int k = 0; k < n; k++) to[(long)i * n + k] += part * from[(long)j * n + k];
    }
}

int reduction_compress(arena *memory, const reduction *r, const flex_interface *of, double tolerance, double **shapes) {
  const int n = r->e->freedom_count, all = interface_loads(r->e, of, NULL);
  double *loads = ARENA_ARRAY(memory, double, (long)all *n), *x = ARENA_ARRAY(memory, double, (long)all *n);
  double *C = ARENA_ARRAY(memory, double, (long)all *all), *values = ARENA_ARRAY(memory, double, all);
  double *balanced = ARENA_ARRAY(memory, double, n);
  int kept = 0;
  interface_loads(r->e, of, loads);
  for (int i = 0; i < all; i++) reduction_deform(memory, r, loads + (long)i * n, x + (long)i * n);
  for (int i = 0; i < all; i++) {
    balance(r, loads + (long)i * n, balanced);
    for (int j = 0; j <= i; j++)
      C[(long)i * all + j] = C[(long)j * all + i] = vectors_dot(n, balanced, x + (long)j * n);
  }
  if (!eigen_symmetric(memory, all, C, values)) return -1;
  while (kept < all && values[all - 1 - kept] > tolerance * values[all - 1]) kept++;
  *shapes = ARENA_ARRAY(memory, double, (long)kept *n);
  combine(kept, all, n, C, x, *shapes);
  return kept;
}

bool reduction_basis(arena *memory, const reduction *r, int eigen_count, int shape_count, const double *shapes,
                     flex_modes *to) {
  const int n = r->e->freedom_count;
  flex_modes eigen;
  if (!modes_eigen(memory, &r->eigen, eigen_count, &eigen)) return false;
  double *all = ARENA_ARRAY(memory, double, (long)(eigen.count + shape_count) * n);
  memcpy(all, eigen.phi, (size_t)eigen.count * (size_t)n * sizeof *all);
  if (shape_count) memcpy(all + (long)eigen.count * n, shapes, (size_t)shape_count * (size_t)n * sizeof *all);
  return modes_of_shapes(memory, r->e, eigen.count + shape_count, all, to);
}

reduction_miss reduction_missing(arena *scratch, const reduction *r, const flex_modes *modes, const double *load) {
  const arena_mark mark = arena_get_mark(scratch);
  const int n = r->e->freedom_count;
  double *x = ARENA_ARRAY(scratch, double, n), *balanced = ARENA_ARRAY(scratch, double, n), have = 0;
  reduction_deform(scratch, r, load, x);
  balance(r, load, balanced);
  const double all = vectors_dot(n, balanced, x);
  for (int i = 0; i < modes->count; i++) {
    const double part = vectors_dot(n, balanced, modes->phi + (long)i * n) / modes->omega[i];
    have += part * part;
  }
  arena_release(scratch, mark);
  return (reduction_miss){all, all > 0 ? (all - have) / all : 0};
}
