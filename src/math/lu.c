#include "math/lu.h"

#include <math.h>

// Contact problems of a mechanism stay below this and are solved by our own loops, whose bits do not depend on where the
// numbers lie or on what other threads do; a tuned BLAS does not promise that.
enum { LAPACK_FROM = 128 };

extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *columns, const double *a, const int *lda,
                    const int *pivot, double *b, const int *ldb, int *info);

static void swap_rows(int n, double *restrict a, double *restrict b) {
  for (int k = 0; k < n; k++) {
    double t = a[k];
    a[k] = b[k], b[k] = t;
  }
}

static bool small_factor(int n, double *A, int stride, int *pivot) {
  for (int j = 0; j < n; j++) {
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(A[i * stride + j]) > fabs(A[best * stride + j])) best = i;
    pivot[j] = best;
    if (best != j) swap_rows(n, A + j * stride, A + best * stride);
    const double *Uj = A + j * stride;
    if (!(fabs(Uj[j]) > 0)) return false;
    double inverse = 1 / Uj[j];
    for (int i = j + 1; i < n; i++) {
      double *restrict Ai = A + i * stride, factor = Ai[j] *= inverse;
      if (factor == 0) continue;
      for (int k = j + 1; k < n; k++) Ai[k] -= factor * Uj[k];
    }
  }
  return true;
}

double lu_factor(int n, double *A, int stride, int *pivot) {
  if (n == 0) return 1;
  if (n < LAPACK_FROM) {
    if (!small_factor(n, A, stride, pivot)) return 0;
  } else {
    int info;
    dgetrf_(&n, &n, A, &stride, pivot, &info);  // of the transposed matrix: LAPACK reads columns where we have rows
    if (info != 0) return 0;
  }
  double least = INFINITY, most = 0;
  for (int i = 0; i < n; i++) {
    double p = fabs(A[(long)i * stride + i]);
    least = fmin(least, p), most = fmax(most, p);
    if (!isfinite(p)) return 0;
  }
  return least / most;
}

void lu_solve(int n, const double *A, int stride, const int *pivot, double *x) {
  if (n >= LAPACK_FROM) {
    int one = 1, info;
    dgetrs_("T", &n, &one, A, &stride, pivot, x, &n, &info);
    return;
  }
  for (int i = 0; i < n; i++) {
    double t = x[pivot[i]];
    x[pivot[i]] = x[i], x[i] = t;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) x[i] -= A[i * stride + k] * x[k];
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= A[i * stride + k] * x[k];
    x[i] /= A[i * stride + i];
  }
}
