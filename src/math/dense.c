#include "math/dense.h"

#include <math.h>
#include <string.h>

// Four partial sums: the compiler may use vectors, and the order of the additions never depends on where the numbers
// lie, so that results are the same to the bit on every run. (A tuned BLAS does not promise that.)
static double dot(int n, const double *a, const double *b) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 += a[k] * b[k], s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2], s3 += a[k + 3] * b[k + 3];
  }
  for (; k < n; k++) s0 += a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

// Whether to ask again: after so many operations, counted in `*since`.
static bool due(long *since, long operations) {
  enum { BETWEEN = 1 << 22 };
  *since += operations;
  if (*since < BETWEEN) return false;
  *since = 0;
  return true;
}

bool dense_cholesky(int n, double *A, int stride, double floor, interrupt *stop) {
  long since = 0;
  for (int j = 0; j < n; j++) {
    if (due(&since, (long)(n - j) * j) && interrupted(stop)) return false;
    double *Lj = A + (long)j * stride, pivot = Lj[j] - dot(j, Lj, Lj);
    if (!(pivot > floor * Lj[j]) || !(pivot > 0)) return false;
    Lj[j] = sqrt(pivot);
    double inverse = 1 / Lj[j];
    for (int i = j + 1; i < n; i++) {
      double *Li = A + (long)i * stride;
      Li[j] = (Li[j] - dot(j, Li, Lj)) * inverse;
    }
  }
  return true;
}

void dense_cholesky_solve(int n, const double *L, int stride, double *x) {
  for (int i = 0; i < n; i++) {
    const double *Li = L + (long)i * stride;
    x[i] = (x[i] - dot(i, Li, x)) / Li[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *Li = L + (long)i * stride;
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

int dense_rank(int n, double *A, double tolerance, int *order, interrupt *stop) {
  double largest = 0;
  long since = 0;
  for (int i = 0; i < n; i++) order[i] = i, largest = fmax(largest, A[i * n + i]);
  for (int j = 0; j < n; j++) {
    if (due(&since, (long)(n - j) * (n - j)) && interrupted(stop)) return -1;
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (A[i * n + i] > A[best * n + best]) best = i;
    if (!(A[best * n + best] > tolerance * largest)) return j;
    if (best != j) swap_symmetric(n, A, j, best);
    int o = order[j];
    order[j] = order[best], order[best] = o;
    double inverse = 1 / A[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double factor = A[i * n + j] * inverse;
      if (factor == 0) continue;
      for (int k = j + 1; k < n; k++) A[i * n + k] -= factor * A[j * n + k];
    }
  }
  return n;
}

static void swap_columns(int count, int stride, double *A, int i, int j) {
  for (int k = 0; k < count; k++) {
    double t = A[(long)k * stride + i];
    A[(long)k * stride + i] = A[(long)k * stride + j], A[(long)k * stride + j] = t;
  }
}

// The longest column from j on, and the square of its length. `square` has room for those of all columns.
static int longest_column(int n, int height, const double *A, int stride, int j, double *square, double *most) {
  int best = j;
  memset(square + j, 0, (size_t)(n - j) * sizeof *square);
  for (int k = 0; k < height; k++)
    for (int i = j; i < n; i++) square[i] += A[(long)k * stride + i] * A[(long)k * stride + i];
  *most = -1;
  for (int i = j; i < n; i++)
    if (square[i] > *most) *most = square[i], best = i;
  return best;
}

int dense_gram_schmidt(int n, int height, double *A, int stride, double tolerance, double *R, int *order,
                       interrupt *stop) {
  long since = 0;
  for (int i = 0; i < n; i++) order[i] = i;
  for (int j = 0; j < n; j++) {
    if (due(&since, 3L * (n - j) * height) && interrupted(stop)) return -1;
    double *Rj = R + (long)j * stride, most;
    int best = longest_column(n, height, A, stride, j, Rj, &most);
    double norm = sqrt(most), inverse = 1 / norm;
    if (!(norm > tolerance)) return j;
    if (best != j) {
      swap_columns(height, stride, A, j, best);
      swap_columns(j, stride, R, j, best);
      int o = order[j];
      order[j] = order[best], order[best] = o;
    }
    memset(Rj + j, 0, (size_t)(n - j) * sizeof *Rj);
    for (int k = 0; k < height; k++) {
      double *row = A + (long)k * stride, a = row[j] *= inverse;
      if (a != 0)
        for (int i = j + 1; i < n; i++) Rj[i] += a * row[i];
    }
    Rj[j] = norm;
    for (int k = 0; k < height; k++) {
      double *row = A + (long)k * stride, a = row[j];
      if (a != 0)
        for (int i = j + 1; i < n; i++) row[i] -= a * Rj[i];
    }
  }
  return n;
}

void dense_upper_transposed_solve(int rank, const double *R, int stride, double *x) {
  for (int i = 0; i < rank; i++) {
    const double *Ri = R + (long)i * stride;
    x[i] /= Ri[i];
    for (int k = i + 1; k < rank; k++) x[k] -= Ri[k] * x[i];
  }
}

void dense_upper_solve(int rank, const double *R, int stride, double *x) {
  for (int i = rank - 1; i >= 0; i--) {
    const double *Ri = R + (long)i * stride;
    x[i] = (x[i] - dot(rank - i - 1, Ri + i + 1, x + i + 1)) / Ri[i];
  }
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
