// Sums over long vectors.
#ifndef MATH_VECTORS_H
#define MATH_VECTORS_H

// In four sums, which the compiler can add at once; their order is always the same.
static inline double vectors_dot(int n, const double *a, const double *b) {
  double sum[4] = {0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int j = 0; j < 4; j++) sum[j] += a[k + j] * b[k + j];
  for (; k < n; k++) sum[0] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y += s a
static inline void vectors_axpy(int n, double s, const double *a, double *y) {
  for (int k = 0; k < n; k++) y[k] += s * a[k];
}

#endif
