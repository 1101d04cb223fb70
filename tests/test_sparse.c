// Sparse factors: solve, refactor with new values on the same pattern, notice singularity.
#include "mechanisms.h"

#include <float.h>

#include "math/sparse.h"

enum { N = 120, BAND = 3 };

static int start[N + 1], rows[N * (2 * BAND + 1)];
static double values[N * (2 * BAND + 1)];

// A band matrix, diagonally dominant, so that its condition is small.
static void fill(uint64_t *seed) {
  int used = 0;
  for (int j = 0; j < N; j++) {
    for (int i = j - BAND < 0 ? 0 : j - BAND; i <= j + BAND && i < N; i++) {
      rows[used] = i;
      values[used++] = i == j ? 8 + random_between(seed, 0, 1) : random_between(seed, -1, 1);
    }
    start[j + 1] = used;
  }
}

static double worst_residual(const double *x, const double *b) {
  double r[N];
  for (int i = 0; i < N; i++) r[i] = -b[i];
  for (int j = 0; j < N; j++)
    for (int k = start[j]; k < start[j + 1]; k++) r[rows[k]] += values[k] * x[j];
  return largest_of(r, N);
}

static void factor_solves_and_refactors(void) {
  uint64_t seed = 31;
  fill(&seed);
  sparse_factor *f = sparse_factor_create(N, start, rows);
  if (!CHECK(f)) return;
  for (int turn = 0; turn < 5; turn++) {
    fill(&seed);
    double b[N], x[N];
    for (int i = 0; i < N; i++) b[i] = x[i] = random_between(&seed, -1, 1);
    CHECK(sparse_factorize(f, values));
    sparse_solve(f, x);
    CHECK_LE(worst_residual(x, b), 100 * DBL_EPSILON);  // |A||x| is below 15 · 1, with a handful of operations a row
  }
  sparse_factor_destroy(f);
}

// A singular matrix is told, also when the one before was regular, and a regular one after it works again.
static void singular_is_told(void) {
  uint64_t seed = 32;
  fill(&seed);
  sparse_factor *f = sparse_factor_create(N, start, rows);
  if (!CHECK(f)) return;
  CHECK(sparse_factorize(f, values));
  double kept[N * (2 * BAND + 1)];
  memcpy(kept, values, sizeof kept);
  for (int k = start[50]; k < start[51]; k++) values[k] = 0;
  CHECK(!sparse_factorize(f, values));
  memcpy(values, kept, sizeof kept);
  CHECK(sparse_factorize(f, values));
  double b[N], x[N];
  for (int i = 0; i < N; i++) b[i] = x[i] = 1;
  sparse_solve(f, x);
  CHECK_LE(worst_residual(x, b), 100 * DBL_EPSILON);
  sparse_factor_destroy(f);
  sparse_factor_destroy(NULL);
}

int main(void) {
  RUN(factor_solves_and_refactors);
  RUN(singular_is_told);
  return check_summary();
}
