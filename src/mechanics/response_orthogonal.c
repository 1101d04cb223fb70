// W = A Aᵀ with the rows A = G Eᵀ, M⁻¹ = Eᵀ E, which half of the solution with M gives. With Aᵀ P = Q R, Rᵀ R λ = r has
// the singular values σ of A where a factor of W has σ², and the forces Gᵀ λ are accurate to rounding over σ. Rows
// below the tolerance depend on those before them, R = [R₁ R₁T]. The nearest right-hand side that all rows can satisfy
// is used, and of all multipliers with the same effect those of least norm are taken, both by the small matrix 1 + TᵀT.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/response_internal.h"

// Closer to a singular position than 1e-5 the positions, accurate to ε over that distance, do not determine the
// direction of the row that vanishes there.
static const double SINGULAR = 1e-10;

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// The rows A as columns, scaled to unit length, and which ones they are. Rows that nothing can move are left out and
// get the scale 0. Of a planar loop in space these are three of five.
bool response_form_halves(const mechanism *m, motion *x) {
  int nc = m->row_count, count = 0;
  response_work *w = x->response;
  double *E = w->halves;
  x->nearness = 1;
  memset(E, 0, (size_t)nc * (size_t)m->nv * sizeof *E);
  for (int j = 0; j < nc; j++) {
    double *column = E + count, size = 0;
    response_half(m, x, j, nc, column);
    for (int k = 0; k < m->nv; k++) size += column[(long)k * nc] * column[(long)k * nc];
    w->scale[j] = response_moves(m, x, j, size) ? 1 / sqrt(size) : 0;
    if (!isfinite(size) || !isfinite(w->scale[j])) return false;
    for (int k = 0; k < m->nv; k++) column[(long)k * nc] *= w->scale[j];
    if (w->scale[j] == 0) continue;
    x->nearness = fmin(x->nearness, sqrt(size / response_least_mobility(m, x, j)));
    w->moving[count++] = j;
  }
  w->moving_count = count;
  return true;
}

// T = R₁⁻¹ R₂ in place of R₂, and the factor of 1 + TᵀT in x->response->W.
static bool factor_dependent(const mechanism *m, motion *x) {
  int nc = m->row_count, rank = x->rank, n = x->response->moving_count, count = n - rank;
  double *R = x->response->factor, *K = x->response->W, *column = x->row_work[1];
  for (int j = rank; j < n; j++) {
    for (int i = 0; i < rank; i++) column[i] = R[i * nc + j];
    dense_upper_solve(rank, R, nc, column);
    for (int i = 0; i < rank; i++) R[i * nc + j] = column[i];
  }
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++) {
      double sum = a == b;
      for (int i = 0; i < rank; i++) sum += R[i * nc + rank + a] * R[i * nc + rank + b];
      K[a * count + b] = sum;
    }
  return count == 0 || dense_cholesky(count, K, count, 0, x->stop);
}

bool response_factor_orthogonal(const mechanism *m, motion *x) {
  int nc = m->row_count;
  response_work *w = x->response;
  double tolerance = response_rank_tolerance(m, x, SINGULAR);
  if (!response_form_halves(m, x)) return false;
  x->rank = dense_gram_schmidt(w->moving_count, m->nv, w->halves, nc, sqrt(tolerance), w->factor, w->order, x->stop);
  if (x->rank < 0) return x->rank = 0, false;
  for (int k = 0; k < w->moving_count; k++) w->order[k] = w->moving[w->order[k]];
  if (x->rank > 0) x->nearness = fmin(x->nearness, w->factor[(long)(x->rank - 1) * (nc + 1)]);
  if (x->rank < x->most_rank) x->nearness = 0;
  return factor_dependent(m, x);
}

// out += sign T y for y over the dependent rows; the other way out -= Tᵀ y for y over the independent ones.
static void add_dependent(const mechanism *m, const motion *x, double sign, const double *y, double *out) {
  for (int i = 0; i < x->rank; i++)
    out[i] +=
        sign * product(x->response->moving_count - x->rank, x->response->factor + (long)i * m->row_count + x->rank, y);
}
static void subtract_independent(const mechanism *m, const motion *x, const double *y, double *out) {
  for (int i = 0; i < x->rank; i++)
    for (int k = x->rank; k < x->response->moving_count; k++)
      out[k - x->rank] -= x->response->factor[(long)i * m->row_count + k] * y[i];
}

void response_solve_orthogonal(const mechanism *m, const motion *x, const double *b, double *y, double *z) {
  int nc = m->row_count, rank = x->rank, n = x->response->moving_count, count = n - rank;
  for (int i = 0; i < n; i++) y[i] = b[x->response->order[i]];
  if (count) {  // c = b₁ + T (1 + TᵀT)⁻¹ (b₂ - Tᵀ b₁), the nearest that all rows can meet
    subtract_independent(m, x, y, y + rank);
    dense_cholesky_solve(count, x->response->W, count, y + rank);
    add_dependent(m, x, 1, y + rank, y);
  }
  dense_upper_transposed_solve(rank, x->response->factor, nc, y);
  dense_upper_solve(rank, x->response->factor, nc, y);
  if (count) {  // of all with the same effect the least: z₂ = (1 + TᵀT)⁻¹ Tᵀ y, z₁ = y - T z₂
    memset(y + rank, 0, (size_t)count * sizeof *y);
    subtract_independent(m, x, y, y + rank);
    dense_cholesky_solve(count, x->response->W, count, y + rank);
    for (int k = rank; k < n; k++) y[k] = -y[k];
    add_dependent(m, x, -1, y + rank, y);
  }
  memset(z, 0, (size_t)nc * sizeof *z);
  for (int i = 0; i < n; i++) z[x->response->order[i]] = y[i];
}
