// Rows that are held, redundant or not:  A λ = rhs,  where A is W of these rows, or W with friction that follows a
// normal force and so without symmetry. Redundant rows (a block on two corners) make A singular but not inconsistent.
// The proximal iteration of response_constraints.c finds a solution next to where it starts.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "math/vectors.h"
#include "mechanics/response_internal.h"

// Each turn divides the rounding of what is left, ε of the whole, by the regularisation along what is redundant.
const double RESPONSE_HELD_NOISE = RESPONSE_PROX_TURNS * DBL_EPSILON / RESPONSE_PROX_HELD;

response_held response_held_create(int most, arena *memory) {
  response_held h = {0};
  double **vectors[] = {&h.scale, &h.b, &h.z, &h.r};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = ARENA_ARRAY(memory, double, most);
  h.A = ARENA_ARRAY(memory, double, ((long)most * most));
  h.factor = ARENA_ARRAY(memory, double, ((long)most * most));
  h.row = ARENA_ARRAY(memory, int, most);
  h.pivot = ARENA_ARRAY(memory, int, most);
  return h;
}

static void scale_rows(response_held *h, int row_total, const double *W) {
  int n = h->n;
  for (int i = 0; i < n; i++) {
    double own = W[(long)h->row[i] * (row_total + 1)];
    h->scale[i] = own > 0 ? 1 / sqrt(own) : 0;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) h->A[i * n + j] *= h->scale[i] * h->scale[j];
  for (int i = 0; i < n; i++)
    if (h->scale[i] == 0) h->A[i * n + i] = 1;  // nothing moves this row, and it takes no force: it is not redundant
}

bool response_held_is_redundant(response_held *h, int row_total, const double *W, interrupt *stop) {
  scale_rows(h, row_total, W);
  return h->n && lu_factor(h->n, h->A, h->n, h->pivot, stop) < 1e-8;
}

static double find_residual(const response_held *h) {
  double most = 0;
  for (int i = 0; i < h->n; i++) {
    h->r[i] = h->b[i] - vectors_long_dot(h->n, h->A + (long)i * h->n, h->z);
    most = fmax(most, fabs(h->r[i]));
  }
  return most;
}

// (A + ρ) δ = b - A z,  z += δ
static bool iterate(const response_held *h, interrupt *stop) {
  int n = h->n;
  double *factor = h->factor, before = INFINITY;
  memcpy(factor, h->A, (size_t)n * (size_t)n * sizeof *factor);
  for (int i = 0; i < n; i++) factor[i * n + i] += RESPONSE_PROX_HELD;
  if (interrupted(stop) || lu_factor(n, factor, n, h->pivot, stop) == 0) return false;
  double size = find_residual(h);
  for (int turn = 0; turn < RESPONSE_PROX_TURNS && size > 0 && size < 0.5 * before; turn++) {
    before = size;
    lu_solve(n, factor, n, h->pivot, h->r);
    for (int i = 0; i < n; i++) h->z[i] += h->r[i];
    size = find_residual(h);
  }
  return true;
}

bool response_held_solve(response_held *h, int row_total, const double *W, const double *rhs, double *lambda,
                         interrupt *stop) {
  scale_rows(h, row_total, W);
  for (int i = 0; i < h->n; i++) {
    h->b[i] = h->scale[i] * rhs[h->row[i]];
    h->z[i] = h->scale[i] > 0 ? lambda[h->row[i]] / h->scale[i] : 0;
  }
  if (h->n && !iterate(h, stop)) return false;
  memset(lambda, 0, (size_t)row_total * sizeof *lambda);
  for (int i = 0; i < h->n; i++) lambda[h->row[i]] = h->scale[i] * h->z[i];
  return true;
}
