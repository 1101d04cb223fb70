// Cholesky, rank, least norm.
#include "mechanisms.h"

#include <float.h>

#include "math/dense.h"

enum { MOST = 60 };

static double random_matrix[MOST * MOST];

static void fill(uint64_t *seed, int rows, int columns) {
  for (int i = 0; i < rows * columns; i++) random_matrix[i] = random_between(seed, -1, 1);
}

// A = B Bᵀ + shift, B n x k: rank k without the shift
static void gram(int n, int k, double shift, int stride, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? shift : 0;
      for (int c = 0; c < k; c++) sum += random_matrix[i * k + c] * random_matrix[j * k + c];
      A[i * stride + j] = sum;
    }
}

static void cholesky_solves(void) {
  uint64_t seed = 21;
  for (int n = 1; n <= MOST; n += n < 30 ? 1 : 10) {
    int stride = n + n % 3;
    static double A[MOST * (MOST + 2)], L[MOST * (MOST + 2)];
    double x[MOST], b[MOST];
    fill(&seed, n, n);
    gram(n, n, 0.5, stride, A);
    memcpy(L, A, sizeof L);
    for (int i = 0; i < n; i++) b[i] = x[i] = random_between(&seed, -1, 1);
    CHECK(dense_cholesky(n, L, stride, 1e-13, NULL));
    dense_cholesky_solve(n, L, stride, x);
    for (int i = 0; i < n; i++) {
      // The backward error of Cholesky is below (n + 1) ε |L||Lᵀ||x|, and |L||Lᵀ| has rows up to n times the
      // diagonal.
      double r = -b[i], size = fabs(b[i]);
      for (int j = 0; j < n; j++)
        r += A[i * stride + j] * x[j], size += fabs(x[j]) * sqrt(A[i * stride + i] * A[j * stride + j]);
      CHECK_LE(fabs(r), 4 * (n + 1) * DBL_EPSILON * size);
    }
  }
}

static void cholesky_refuses_what_is_singular(void) {
  uint64_t seed = 22;
  const int sizes[] = {2, 6, 23, 24, 40};
  for (int k = 0; k < 5; k++) {
    int n = sizes[k];
    static double A[MOST * MOST];
    fill(&seed, n, n);
    gram(n, n - 1, 0, n, A);  // one rank short: the last pivot is rounding, far below 1e-10 of its diagonal
    CHECK(!dense_cholesky(n, A, n, 1e-10, NULL));
    gram(n, n - 1, 1e-12, n, A);  // and positive, but small
    CHECK(!dense_cholesky(n, A, n, 1e-10, NULL));
    gram(n, n - 1, 1e-12, n, A);
    CHECK(dense_cholesky(n, A, n, 0, NULL));
    gram(n, n, 0, n, A);
    A[(n - 1) * n + n - 1] = -1;
    CHECK(!dense_cholesky(n, A, n, 0, NULL));
    gram(n, n, 1, n, A);
    A[(n - 1) * n] = NAN;
    CHECK(!dense_cholesky(n, A, n, 0, NULL));
  }
}

static void rank_is_found(void) {
  uint64_t seed = 23;
  for (int n = 1; n <= 40; n += 3)
    for (int k = 0; k <= n; k += 2) {
      static double A[MOST * MOST], kept[MOST * MOST];
      int order[MOST];
      fill(&seed, n, n);
      gram(n, k, 0, n, A);
      memcpy(kept, A, sizeof kept);
      // k random directions: pivots of rounding are n ε, those of rank far above 1e-11 of the largest diagonal
      int rank = dense_rank(n, A, 1e-11, order, NULL);
      CHECK_EQUAL(rank, k);
      bool seen[MOST] = {false};
      for (int i = 0; i < n; i++) seen[order[i]] = true;
      for (int i = 0; i < n; i++) CHECK(seen[i]);
      static double block[MOST * MOST];  // the rows named first are independent
      for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++) block[i * rank + j] = kept[order[i] * n + order[j]];
      CHECK(rank == 0 || dense_cholesky(rank, block, rank, 1e-13, NULL));
    }
}

static void least_norm_is_least_and_first_rows_win(void) {
  uint64_t seed = 24;
  for (int trial = 0; trial < 50; trial++) {
    int n = 2 + random_below(&seed, 20), m = 1 + random_below(&seed, n);
    static double A[MOST * MOST], kept[MOST * MOST], work[MOST * MOST + MOST];
    double b[MOST], x[MOST];
    fill(&seed, m, n);
    memcpy(A, random_matrix, sizeof A);
    for (int i = 0; i < m; i++) b[i] = random_between(&seed, -1, 1);
    int copy = m > 1 ? m - 1 : -1;  // the last row repeats the first one's direction and contradicts it
    if (copy > 0)
      for (int k = 0; k < n; k++) A[copy * n + k] = 2 * A[k];
    memcpy(kept, A, sizeof kept);
    int rank = dense_least_norm(m, n, A, b, 1e-9, x, work);
    CHECK_EQUAL(rank, copy > 0 ? m - 1 : m);
    // Gram–Schmidt twice: errors of n ε times the condition of the rows, here below 1e4 (square random ones the
    // worst)
    double tolerance = 1e4 * n * DBL_EPSILON * (1 + largest_of(x, n));
    for (int i = 0; i < rank; i++) {
      double r = -b[i];
      for (int k = 0; k < n; k++) r += kept[i * n + k] * x[k];
      CHECK_NEAR(r, 0, tolerance);
    }
    // least norm: x is a combination of the rows, so solving again with x itself as a row adds nothing new
    memcpy(A, kept, sizeof A);
    memcpy(A + m * n, x, (size_t)n * sizeof *x);
    b[m] = 0;
    double y[MOST];
    CHECK_EQUAL(dense_least_norm(m + 1, n, A, b, 1e-7, y, work), rank);
  }
}

// A row of rounding says nothing, whatever its right-hand side.
static void least_norm_leaves_zero_rows_out(void) {
  double A[] = {1, 2, 0, 1e-17, -2e-17, 3e-17, 0, 0, 0, 0, 1, 1}, b[] = {3, 5, 7, 1}, x[3], work[16];
  CHECK_EQUAL(dense_least_norm(4, 3, A, b, 1e-9, x, work), 2);
  CHECK_NEAR(x[0] + 2 * x[1], 3, 1e-15 * 10);
  CHECK_NEAR(x[1] + x[2], 1, 1e-15 * 10);
}

int main(void) {
  RUN(least_norm_leaves_zero_rows_out);
  RUN(cholesky_solves);
  RUN(cholesky_refuses_what_is_singular);
  RUN(rank_is_found);
  RUN(least_norm_is_least_and_first_rows_win);
  return check_summary();
}
