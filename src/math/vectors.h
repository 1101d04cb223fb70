// Sums over long vectors.
#ifndef MATH_VECTORS_H
#define MATH_VECTORS_H

#include "math/fours.h"

// In four sums, which the compiler can add at once; their order is always the same.
static inline double vectors_dot(int n, const double *a, const double *b) {
  double sum[4] = {0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int j = 0; j < 4; j++) sum[j] += a[k + j] * b[k + j];
  for (; k < n; k++) sum[0] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The same for hundreds of numbers: in sixteen sums, four vectors of four, so that no sum waits for the one before it.
static inline double vectors_long_dot(int n, const double *a, const double *b) {
  typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));  // anywhere
  fours sum[4] = {{0}};
  int k = 0;
  for (; k + 16 <= n; k += 16)
    for (int j = 0; j < 4; j++) sum[j] += *(const loose *)(a + k + 4 * j) * *(const loose *)(b + k + 4 * j);
  for (; k + 4 <= n; k += 4) sum[0] += *(const loose *)(a + k) * *(const loose *)(b + k);
  const fours all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = (all[0] + all[1]) + (all[2] + all[3]);
  for (; k < n; k++) total += a[k] * b[k];
  return total;
}

// y += s a
static inline void vectors_axpy(int n, double s, const double *a, double *y) {
  for (int k = 0; k < n; k++) y[k] += s * a[k];
}

#endif
