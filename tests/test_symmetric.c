// Sparse symmetric matrices: pattern, products, factors, and the eigenvalues that Lanczos's method finds.
#include "check.h"

#include <float.h>

#include "math/eigen.h"
#include "math/lanczos.h"
#include "math/vectors.h"

// A grid of side x side springs and masses, its edge held, as sets of two neighbours. Eigenvalues of K are
// 4 sin²(πi/2(side+1)) + 4 sin²(πj/2(side+1)): those with i ≠ j are pairs.
typedef struct grid {
  arena memory;
  int side, n;
  symmetric K, M;
} grid;

static grid grid_of(int side) {
  grid g = {.memory = arena_create(NULL), .side = side, .n = side * side};
  int *start = ARENA_ARRAY(&g.memory, int, 2 * g.n + 1), *item = ARENA_ARRAY(&g.memory, int, 4 * g.n), sets = 0;
  for (int i = 0; i < g.n; i++)
    for (int k = 0; k < 2; k++) {
      if (k ? i + side >= g.n : (i + 1) % side == 0) continue;
      item[2 * sets] = i, item[2 * sets + 1] = i + (k ? side : 1);
      sets++;
      start[sets] = 2 * sets;
    }
  g.K = symmetric_create(&g.memory, g.n, sets, start, item);
  g.M = symmetric_create(&g.memory, g.n, 0, start, item);
  for (int i = 0; i < g.n; i++) *symmetric_entry(&g.K, i, i) = 4, *symmetric_entry(&g.M, i, i) = 1;
  for (int s = 0; s < sets; s++)
    for (int k = 0; k < 2; k++) *symmetric_entry(&g.K, item[2 * s + k], item[2 * s + 1 - k]) = -1;
  return g;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double *exact_values(grid *g) {
  double *values = ARENA_ARRAY(&g->memory, double, g->n);
  for (int i = 0; i < g->n; i++) {
    const double a = sin(M_PI * (i % g->side + 1) / (2. * (g->side + 1)));
    const double b = sin(M_PI * (i / g->side + 1) / (2. * (g->side + 1)));
    values[i] = 4 * a * a + 4 * b * b;
  }
  qsort(values, (size_t)g->n, sizeof *values, by_size);
  return values;
}

static void pattern_holds_what_is_joined(void) {
  grid g = grid_of(4);
  CHECK_EQUAL(g.K.start[16], 16 + 2 * 24);
  for (int i = 0; i < 16; i++)
    for (int k = g.K.start[i]; k + 1 < g.K.start[i + 1]; k++) CHECK(g.K.column[k] < g.K.column[k + 1]);
  CHECK(symmetric_entry(&g.K, 3, 4) == NULL && symmetric_value(&g.K, 3, 4) == 0);
  CHECK_EQUAL(symmetric_value(&g.K, 2, 6), -1);
  double x[16], y[16];
  for (int i = 0; i < 16; i++) x[i] = i;
  symmetric_multiply(&g.K, x, y);
  CHECK_EQUAL(y[5], 4 * 5 - 1 - 4 - 6 - 9);
  const int list[] = {1, 2, 6};
  const symmetric part = symmetric_part(&g.memory, &g.K, 3, &g.M, 3, list);
  CHECK_EQUAL(symmetric_value(&part, 0, 0), 1);
  CHECK_EQUAL(symmetric_value(&part, 1, 2), -1);
  CHECK(symmetric_entry(&part, 0, 2) == NULL);
  arena_free(&g.memory);
}

// Cholesky factors without exchanges are backward stable: the residual is below a few rows' rounding of |K||x|, 8 here.
static void factor_solves(void) {
  grid g = grid_of(23);
  symmetric_factor f;
  CHECK(symmetric_factorize(&g.memory, &g.K, &f));
  CHECK(f.negative == 0 && f.least > 0.1);
  double *b = ARENA_ARRAY(&g.memory, double, g.n), *x = ARENA_ARRAY(&g.memory, double, g.n);
  double *work = ARENA_ARRAY(&g.memory, double, g.n), size = 0;
  for (int i = 0; i < g.n; i++) b[i] = x[i] = sin(i * i);
  symmetric_solve(&f, x, work);
  for (int i = 0; i < g.n; i++) size = fmax(size, fabs(x[i]));
  symmetric_multiply(&g.K, x, work);
  for (int i = 0; i < g.n; i++) CHECK_NEAR(work[i], b[i], 8 * 30 * DBL_EPSILON * size);
  arena_free(&g.memory);
}

// Sylvester: pivots below zero count the eigenvalues below the shift.
static void pivots_count_eigenvalues(void) {
  grid g = grid_of(13);
  const double *exact = exact_values(&g);
  int *all = ARENA_ARRAY(&g.memory, int, g.n);
  for (int i = 0; i < g.n; i++) all[i] = i;
  for (double sigma = 0.05; sigma < 8; sigma += 0.37) {
    const symmetric shifted = symmetric_part(&g.memory, &g.K, sigma, &g.M, g.n, all);
    symmetric_factor f;
    int below = 0;
    while (below < g.n && exact[below] < sigma) below++;
    CHECK(symmetric_factorize(&g.memory, &shifted, &f));
    CHECK_EQUAL(f.negative, below);
  }
  const symmetric nothing = symmetric_part(&g.memory, &g.M, 1, &g.M, g.n, all);
  symmetric_factor f;
  CHECK(!symmetric_factorize(&g.memory, &nothing, &f));
  arena_free(&g.memory);
}

// --- Lanczos ---------------------------------------------------------------------------------------------------------

typedef struct inverse {
  symmetric_factor f;
  double *work;
} inverse;

static void apply_inverse(void *context, const double *f, double *x) {
  inverse *c = context;
  memcpy(x, f, (size_t)c->f.n * sizeof *x);
  symmetric_solve(&c->f, x, c->work);
}

// Pairs, and with them the order of eigenvalues, are complete. Values have the accuracy of the squared residual, 1e-20,
// beside rounding.
static void lanczos_finds_pairs(void) {
  grid g = grid_of(30);
  const double *exact = exact_values(&g);
  inverse c = {.work = ARENA_ARRAY(&g.memory, double, g.n)};
  CHECK(symmetric_factorize(&g.memory, &g.K, &c.f));
  for (int k = 0; k < g.n; k++) *symmetric_entry(&g.M, k, k) = 2;
  lanczos l;
  lanczos_start(&g.memory, &g.M, apply_inverse, &c, g.n, &l);
  CHECK_EQUAL(lanczos_find(&l, 40, 600), 40);
  double *x = ARENA_ARRAY(&g.memory, double, g.n), *Kx = ARENA_ARRAY(&g.memory, double, g.n);
  for (int i = 0; i < 40; i++) {
    CHECK_NEAR(l.values[i] * exact[i] / 2, 1, 1e-12);
    lanczos_vector(&l, i, x);
    symmetric_multiply(&g.K, x, Kx);
    CHECK_NEAR(vectors_dot(g.n, x, x) * 2, 1, 1e-12);
    for (int k = 0; k < g.n; k++) CHECK_NEAR(Kx[k], exact[i] * x[k], 1e-8);
  }
  CHECK_EQUAL(lanczos_find(&l, 60, 600), 60);  // goes on where it was
  CHECK_NEAR(l.values[59] * exact[59] / 2, 1, 1e-12);
  CHECK_EQUAL(lanczos_find(&l, 400, 100), -1);
  arena_free(&g.memory);
}

// All eigenvalues of a small matrix: the space is exhausted, and eigenvalues of higher multiplicity than there are
// start vectors are found, since more come in.
static void lanczos_exhausts_the_space(void) {
  grid g = grid_of(6);
  for (int k = 0; k < g.n; k++)
    for (int j = g.K.start[k]; j < g.K.start[k + 1]; j++) g.K.value[j] = g.K.column[j] == k ? (k < 20 ? 1 : k) : 0;
  inverse c = {.work = ARENA_ARRAY(&g.memory, double, g.n)};
  CHECK(symmetric_factorize(&g.memory, &g.K, &c.f));
  lanczos l;
  lanczos_start(&g.memory, &g.M, apply_inverse, &c, g.n, &l);
  CHECK_EQUAL(lanczos_find(&l, 100, 600), 36);
  for (int i = 0; i < 36; i++) CHECK_NEAR(l.values[i], i < 20 ? 1 : 1. / i, 1e-13);
  arena_free(&g.memory);
}

int main(void) {
  RUN(pattern_holds_what_is_joined);
  RUN(factor_solves);
  RUN(pivots_count_eigenvalues);
  RUN(lanczos_finds_pairs);
  RUN(lanczos_exhausts_the_space);
  return check_summary();
}
