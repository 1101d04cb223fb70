#include "math/lu.h"

#include <math.h>
#include <stdbool.h>

#include "math/vectors.h"

// Contact problems of a mechanism stay below this and are solved by our own loops, whose bits do not depend on where
// the numbers lie or on what other threads do; a tuned BLAS does not promise that.
enum { LAPACK_FROM = 128 };

// Rows from which a factorisation takes tenths of a second, and is done by panels of so many columns. The columns to
// their right follow in chunks, each a few hundredths of a second at the most.
enum { PANELS_FROM = 768, PANEL = 64, CHUNK = 256 };

extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *columns, const double *a, const int *lda,
                    const int *pivot, double *b, const int *ldb, int *info);

extern void dlaswp_(const int *n, double *a, const int *lda, const int *k1, const int *k2, const int *pivot,
                    const int *inc);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                   const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
extern void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                   const double *beta, double *c, const int *ldc);

// [L U] of the panel of `width` columns from k on is known: brings `count` columns from c on to the same stage.
static void follow_panel(int n, double *a, int lda, int k, int width, const int *pivot, int c, int count) {
  int first = k + 1, last = k + width, below = n - k - width, one = 1;
  double *panel = a + k + (long)k * lda, *top = a + k + (long)c * lda, plus = 1, minus = -1;
  dlaswp_(&count, a + (long)c * lda, &lda, &first, &last, pivot, &one);
  dtrsm_("L", "L", "N", "U", &width, &count, &plus, panel, &lda, top, &lda);
  if (below > 0)
    dgemm_("N", "N", &below, &count, &width, &minus, panel + width, &lda, top, &lda, &plus, top + width, &lda);
}

// What dgetrf does, column-major, with an interrupt between its parts. Returns false if it was interrupted or is
// singular.
static bool factor_panels(int n, double *a, int lda, int *pivot, interrupt *stop) {
  for (int k = 0; k < n; k += PANEL) {
    int width = n - k < PANEL ? n - k : PANEL, rows = n - k, first = k + 1, last = k + width, one = 1, info;
    dgetrf_(&rows, &width, a + k + (long)k * lda, &lda, pivot + k, &info);
    if (info != 0) return false;
    for (int i = k; i < last; i++) pivot[i] += k;
    dlaswp_(&k, a, &lda, &first, &last, pivot, &one);
    for (int c = last; c < n; c += CHUNK) {
      if (interrupted(stop)) return false;
      follow_panel(n, a, lda, k, width, pivot, c, n - c < CHUNK ? n - c : CHUNK);
    }
  }
  return true;
}

// Of the transposed matrix: LAPACK reads columns where we have rows.
static bool large_factor(int n, double *A, int stride, int *pivot, interrupt *stop) {
  if (n >= PANELS_FROM) return factor_panels(n, A, stride, pivot, stop);
  int info;
  dgetrf_(&n, &n, A, &stride, pivot, &info);
  return info == 0;
}

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

double lu_factor(int n, double *A, int stride, int *pivot, interrupt *stop) {
  if (n == 0) return 1;
  if (!(n < LAPACK_FROM ? small_factor(n, A, stride, pivot) : large_factor(n, A, stride, pivot, stop))) return 0;
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
  for (int i = 0; i < n; i++) x[i] -= vectors_dot(i, A + (long)i * stride, x);
  for (int i = n - 1; i >= 0; i--)
    x[i] = (x[i] - vectors_dot(n - 1 - i, A + (long)i * stride + i + 1, x + i + 1)) / A[(long)i * stride + i];
}
