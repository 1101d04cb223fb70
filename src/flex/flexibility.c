#include "flex/flexibility.h"

#include <string.h>

#include "math/dense.h"
#include "math/vectors.h"

// Pivots of a factorisation below this share of their diagonal are rounding: a freedom that nothing holds.
#define SINGULAR 1e-14

static void list_free(arena *memory, const flex_elements *e, const bool *held, flexibility *to) {
  to->free = ARENA_ARRAY(memory, int, e->freedom_count), to->place = ARENA_ARRAY(memory, int, e->freedom_count);
  for (int i = 0; i < e->freedom_count; i++) {
    to->place[i] = held && held[i] ? -1 : to->free_count;
    if (to->place[i] >= 0) to->free[to->free_count++] = i;
  }
}

// Reduces `count` rows of motions so that the freedom `pivot` moves in the last of them alone.
static void eliminate(int count, int n, double *rows, int row, int pivot) {
  double *p = rows + (long)row * n, *last = rows + (long)(count - 1) * n;
  for (int k = 0; row != count - 1 && k < n; k++) {
    const double t = p[k];
    p[k] = last[k], last[k] = t;
  }
  for (int i = 0; i < count - 1; i++) {
    double *r = rows + (long)i * n, factor = r[pivot] / last[pivot];
    for (int k = 0; k < n; k++) r[k] -= factor * last[k];
    r[pivot] = 0;
  }
}

// The row and the freedom with the largest motion among those that `use` allows. Of equal ones the first, beyond
// rounding. Returns the size of that motion.
static double largest(int count, int n, const double *rows, const bool *use, int *row, int *pivot) {
  double most = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++)
      if (use[k] && fabs(rows[(long)i * n + k]) > most * (1 + 1e-9))
        most = fabs(rows[(long)i * n + k]), *row = i, *pivot = k;
  return most;
}

// Turns are measured by how far they move the farthest node, so that their rows compare with those of shifts.
static double size_of(const flex_elements *e) {
  double size = 0;
  for (int i = 0; i < e->node_count; i++) size = fmax(size, vec3_norm(e->nodes[i]));
  return size > 0 ? size : 1;
}

// Motions without strain that the held freedoms allow, as rows over all freedoms. Returns their number.
static int free_motions(const flex_elements *e, const bool *held, double *rows) {
  const int n = e->freedom_count;
  int count = elements_rigid(e, rows), shifts = e->planar ? 2 : 3, row, pivot;
  const double size = size_of(e);
  for (long k = (long)shifts * n; k < (long)count * n; k++) rows[k] /= size;
  while (held && count > 0 && largest(count, n, rows, held, &row, &pivot) > 1e-9)
    eliminate(count--, n, rows, row, pivot);
  return count;
}

// The free freedoms that are to be held, one per motion: each moves most in what those before it allow.
static void choose_support(arena *scratch, const flexibility *a, const double *motions, bool *support) {
  const int n = a->free_count;
  double *rows = ARENA_ARRAY(scratch, double, (long)a->rigid_count *n);
  bool *use = ARENA_ARRAY(scratch, bool, n);
  for (int k = 0; k < n; k++) use[k] = true;
  memcpy(rows, motions, (size_t)a->rigid_count * (size_t)n * sizeof *rows);
  for (int count = a->rigid_count; count > 0; count--) {
    int row = 0, pivot = 0;
    largest(count, n, rows, use, &row, &pivot);
    support[pivot] = true, use[pivot] = false;
    eliminate(count, n, rows, row, pivot);
  }
}

// y = M x over the free freedoms.
static void multiply(const flexibility *a, const double *x, double *y) {
  const symmetric *M = &a->e->mass;
  for (int i = 0; i < a->free_count; i++) {
    double sum = 0;
    for (int k = M->start[a->free[i]]; k < M->start[a->free[i] + 1]; k++)
      if (a->place[M->column[k]] >= 0) sum += M->value[k] * x[a->place[M->column[k]]];
    y[i] = sum;
  }
}

// Gram–Schmidt in the mass matrix. Returns false if a motion has no mass.
static bool make_orthonormal(flexibility *a) {
  const int n = a->free_count;
  for (int i = 0; i < a->rigid_count; i++) {
    double *r = a->rigid + (long)i * n, *p = a->momentum + (long)i * n;
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < i; j++)
        vectors_axpy(n, -vectors_dot(n, a->momentum + (long)j * n, r), a->rigid + (long)j * n, r);
    multiply(a, r, p);
    const double mass = vectors_dot(n, r, p);
    if (!(mass > 0)) return false;
    for (int k = 0; k < n; k++) r[k] /= sqrt(mass), p[k] /= sqrt(mass);
  }
  return true;
}

bool flexibility_make_dense(arena *memory, flexibility *a) {
  const int n = a->solved_count;
  a->factor = ARENA_ARRAY(memory, double, (long)n *n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a->factor[(long)i * n + j] = symmetric_value(&a->e->stiffness, a->free[a->solved[i]], a->free[a->solved[j]]);
  return dense_cholesky(n, a->factor, n, SINGULAR, NULL);
}

static bool factor_sparse(arena *memory, flexibility *a) {
  int *list = ARENA_ARRAY(memory, int, a->solved_count);
  for (int k = 0; k < a->solved_count; k++) list[k] = a->free[a->solved[k]];
  const symmetric K = symmetric_part(memory, &a->e->stiffness, 0, NULL, a->solved_count, list);
  return symmetric_factorize(memory, &K, &a->sparse) && a->sparse.negative == 0 && a->sparse.least > SINGULAR;
}

static bool factor_stiffness(arena *memory, const bool *support, flexibility *a) {
  a->solved = ARENA_ARRAY(memory, int, a->free_count);
  for (int k = 0; k < a->free_count; k++)
    if (!support[k]) a->solved[a->solved_count++] = k;
  const bool dense = a->solved_count <= FLEXIBILITY_DENSE && !a->e->node_mass;
  return dense ? flexibility_make_dense(memory, a) : factor_sparse(memory, a);
}

bool flexibility_create(arena *memory, const flex_elements *e, const bool *held, flexibility *to) {
  *to = (flexibility){.e = e};
  list_free(memory, e, held, to);
  const int n = to->free_count;
  double *motions = ARENA_ARRAY(memory, double, 6L * e->freedom_count);
  to->rigid_count = free_motions(e, held, motions);
  to->rigid = ARENA_ARRAY(memory, double, (long)to->rigid_count *n);
  to->momentum = ARENA_ARRAY(memory, double, (long)to->rigid_count *n);
  for (int i = 0; i < to->rigid_count; i++)
    for (int k = 0; k < n; k++) to->rigid[(long)i * n + k] = motions[(long)i * e->freedom_count + to->free[k]];
  bool *support = ARENA_ARRAY(memory, bool, n);
  choose_support(memory, to, to->rigid, support);
  return make_orthonormal(to) && factor_stiffness(memory, support, to);
}

// x += K⁺ (load - K x): with the residual from the strains a second time removes most of the rounding of the first.
static void solve_once(arena *scratch, const flexibility *a, const double *load, double *x) {
  double *forces = ARENA_ARRAY(scratch, double, a->e->freedom_count),
         *y = ARENA_ARRAY(scratch, double, a->solved_count);
  elements_forces(a->e, x, forces);
  for (int k = 0; k < a->solved_count; k++) y[k] = load[a->solved[k]] - forces[a->free[a->solved[k]]];
  if (a->factor) dense_cholesky_solve(a->solved_count, a->factor, a->solved_count, y);
  else symmetric_solve(&a->sparse, y, ARENA_ARRAY(scratch, double, a->solved_count));
  for (int k = 0; k < a->solved_count; k++) x[a->free[a->solved[k]]] += y[k];
}

void flexibility_balance(const flexibility *a, double *f) {
  for (int i = 0; i < a->rigid_count; i++) {
    const double *r = a->rigid + (long)i * a->free_count, *p = a->momentum + (long)i * a->free_count;
    double part = 0;
    for (int k = 0; k < a->free_count; k++) part += r[k] * f[a->free[k]];
    for (int k = 0; k < a->free_count; k++) f[a->free[k]] -= part * p[k];
  }
}

void flexibility_apply(arena *scratch, const flexibility *a, const double *f, double *x) {
  const arena_mark mark = arena_get_mark(scratch);
  const int n = a->free_count;
  double *balanced = ARENA_ARRAY(scratch, double, a->e->freedom_count), *load = ARENA_ARRAY(scratch, double, n);
  memcpy(balanced, f, (size_t)a->e->freedom_count * sizeof *balanced);
  flexibility_balance(a, balanced);
  for (int k = 0; k < n; k++) load[k] = balanced[a->free[k]];
  memset(x, 0, (size_t)a->e->freedom_count * sizeof *x);
  for (int i = 0; i < 2; i++) solve_once(scratch, a, load, x);
  flexibility_remove_rigid(a, x);
  arena_release(scratch, mark);
}

void flexibility_remove_rigid(const flexibility *a, double *x) {
  for (int i = 0; i < a->rigid_count; i++) {
    const double *r = a->rigid + (long)i * a->free_count, *p = a->momentum + (long)i * a->free_count;
    double part = 0;
    for (int k = 0; k < a->free_count; k++) part += p[k] * x[a->free[k]];
    for (int k = 0; k < a->free_count; k++) x[a->free[k]] -= part * r[k];
  }
}
