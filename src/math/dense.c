#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { LAPACK_FROM = 24 };

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

static bool small_cholesky(int n, double *A, int stride, double floor) {
  for (int j = 0; j < n; j++) {
    double *Lj = A + j * stride;
    double pivot = Lj[j], limit = floor * Lj[j];
    for (int k = 0; k < j; k++) pivot -= Lj[k] * Lj[k];
    if (!(pivot > limit) || !(pivot > 0)) return false;
    Lj[j] = sqrt(pivot);
    double inverse = 1 / Lj[j];
    for (int i = j + 1; i < n; i++) {
      double *Li = A + i * stride, sum = Li[j];
      for (int k = 0; k < j; k++) sum -= Li[k] * Lj[k];
      Li[j] = sum * inverse;
    }
  }
  return true;
}

bool dense_cholesky(int n, double *A, int stride, double floor) {
  if (n < LAPACK_FROM) return small_cholesky(n, A, stride, floor);
  int info;
  // our lower triangle, row by row, is LAPACK's upper one, column by column
  dpotrf_("U", &n, A, &stride, &info);
  if (info != 0) return false;
  for (int j = 0; j < n; j++) {
    const double *Lj = A + j * stride;
    double original = 0;  // A_jj = Σ L_jk²
    for (int k = 0; k <= j; k++) original += Lj[k] * Lj[k];
    if (!(Lj[j] * Lj[j] > floor * original)) return false;
  }
  return true;
}

void dense_cholesky_solve(int n, const double *L, int stride, double *x) {
  for (int i = 0; i < n; i++) {
    const double *Li = L + i * stride;
    double sum = x[i];
    for (int k = 0; k < i; k++) sum -= Li[k] * x[k];
    x[i] = sum / Li[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *Li = L + i * stride;
    x[i] /= Li[i];
    for (int k = 0; k < i; k++) x[k] -= Li[k] * x[i];
  }
}

static void swap_symmetric(int n, double *A, int i, int j) {
  for (int k = 0; k < n; k++) {
    double t = A[i * n + k];
    A[i * n + k] = A[j * n + k], A[j * n + k] = t;
  }
  for (int k = 0; k < n; k++) {
    double t = A[k * n + i];
    A[k * n + i] = A[k * n + j], A[k * n + j] = t;
  }
}

int dense_rank(int n, double *A, double tolerance, int *order) {
  double largest = 0;
  for (int i = 0; i < n; i++) order[i] = i, largest = fmax(largest, A[i * n + i]);
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (A[i * n + i] > A[best * n + best]) best = i;
    if (!(A[best * n + best] > tolerance * largest)) return j;
    swap_symmetric(n, A, j, best);
    int o = order[j];
    order[j] = order[best], order[best] = o;
    double inverse = 1 / A[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double factor = A[i * n + j] * inverse;
      for (int k = j + 1; k < n; k++) A[i * n + k] -= factor * A[j * n + k];
    }
  }
  return n;
}

// A row this small beside the largest is rounding of a zero row.
static const double NOTHING = 1e-13;

// Modified Gram–Schmidt on the rows, each swept twice so that the basis is orthogonal to rounding.
int dense_least_norm(int m, int n, double *A, const double *b, double tolerance, double *x, double *work) {
  double *basis = work;                // rows kept, orthonormal, n entries each
  double *value = work + (long)m * n;  // right-hand side in that basis
  int rank = 0;
  double largest = 0;
  for (int i = 0; i < m; i++) {
    double size = 0;
    for (int k = 0; k < n; k++) size += A[(long)i * n + k] * A[(long)i * n + k];
    largest = fmax(largest, size);
  }
  for (int i = 0; i < m; i++) {
    double *a = A + (long)i * n, beta = b[i], before = 0, norm = 0;
    for (int k = 0; k < n; k++) before += a[k] * a[k];
    for (int pass = 0; pass < 2; pass++)
      for (int r = 0; r < rank; r++) {
        const double *e = basis + (long)r * n;
        double c = 0;
        for (int k = 0; k < n; k++) c += a[k] * e[k];
        for (int k = 0; k < n; k++) a[k] -= c * e[k];
        beta -= c * value[r];
      }
    for (int k = 0; k < n; k++) norm += a[k] * a[k];
    if (!(norm > tolerance * tolerance * before) || !(norm > NOTHING * NOTHING * largest) || rank == n) continue;
    norm = sqrt(norm);
    for (int k = 0; k < n; k++) basis[(long)rank * n + k] = a[k] / norm;
    value[rank++] = beta / norm;
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int r = 0; r < rank; r++)
    for (int k = 0; k < n; k++) x[k] += value[r] * basis[(long)r * n + k];
  return rank;
}
