// Vector operations for SUNDIALS on states of a few to a few hundred numbers. The library's own serial vectors sort out
// special factors, go through several calls and are compiled for any processor; on so short vectors that is most of an
// integrator's cost, as Adams' prediction alone takes q(q+1)/2 sums. What is not here stays the library's.
#include <math.h>

#include "integrate/sundials_glue.h"

// A result may be one of the operands, element by element.
#ifdef __clang__
#define APART  // clang looks for itself
#else
#define APART _Pragma("GCC ivdep")
#endif
#define EACH(i, n) APART for (sunindextype i = 0; i < (n); i++)

static void sum(double *z, double a, const double *x, double b, const double *y, sunindextype n) {
  EACH(i, n) z[i] = a * x[i] + b * y[i];
}

static void linear_sum(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z) {
  sum(NV_DATA_S(z), a, NV_DATA_S(x), b, NV_DATA_S(y), NV_LENGTH_S(z));
}

static void scale(realtype c, N_Vector x, N_Vector z) {
  const double *from = NV_DATA_S(x);
  double *to = NV_DATA_S(z);
  EACH(i, NV_LENGTH_S(z)) to[i] = c * from[i];
}

static realtype weighted_norm(N_Vector x, N_Vector w) {
  const double *value = NV_DATA_S(x), *weight = NV_DATA_S(w);
  sunindextype n = NV_LENGTH_S(x);
  double squares = 0;
  for (sunindextype i = 0; i < n; i++) squares += value[i] * weight[i] * (value[i] * weight[i]);
  return sqrt(squares / (double)n);
}

static int linear_combination(int count, realtype *c, N_Vector *X, N_Vector z) {
  double *to = NV_DATA_S(z);
  sunindextype n = NV_LENGTH_S(z);
  if (count == 1) return scale(c[0], X[0], z), 0;
  sum(to, c[0], NV_DATA_S(X[0]), c[1], NV_DATA_S(X[1]), n);
  for (int k = 2; k < count; k++) {
    const double *x = NV_DATA_S(X[k]);
    EACH(i, n) to[i] += c[k] * x[i];
  }
  return 0;
}

static int scale_add_multi(int count, realtype *a, N_Vector x, N_Vector *Y, N_Vector *Z) {
  for (int k = 0; k < count; k++) linear_sum(a[k], x, 1, Y[k], Z[k]);
  return 0;
}

static int scale_array(int count, realtype *c, N_Vector *X, N_Vector *Z) {
  for (int k = 0; k < count; k++) scale(c[k], X[k], Z[k]);
  return 0;
}

void glue_use_own_operations(N_Vector v) {
  v->ops->nvlinearsum = linear_sum;
  v->ops->nvscale = scale;
  v->ops->nvwrmsnorm = weighted_norm;
  v->ops->nvlinearcombination = linear_combination;
  v->ops->nvscaleaddmulti = scale_add_multi;
  v->ops->nvscalevectorarray = scale_array;
}
