// W of the constraint rows is singular where constraints are redundant and nearly so next to a singular position. Rows
// are scaled to a unit diagonal of W. Two ways:
//
// Well conditioned or sparse: the proximal iteration  (W + μ) δ = r - W λ,  λ += δ  from λ = 0. λ stays in the range of
// W, so it converges to the multipliers of least norm, and an eigenvalue σ² of W multiplies its error by μ/(σ² + μ)
// each time. In a mechanism of many loops W has only the rows that something can move.
//
// Dense and ill conditioned: by an orthogonal factorisation of half of W (response_orthogonal.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/response_internal.h"

// With pivots and diagonals of W above this, W itself is good enough: λ has ten digits, and no singular position is
// near (crossing.c).
static const double WELL_CONDITIONED = 1e-5;
// A pivot below this, on a unit diagonal, is a redundant row: the square of the rounding of a Jacobian (1e-8)² would
// be 1e-16; real mechanisms near a singular position stay above 1e-10.
static const double RANK_TOLERANCE = 1e-11;

static double diagonal(const mechanism *m, const response_work *w, int j) {
  if (!m->sparse) return w->W[j * m->row_count + j];
  for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
    if (m->pattern_row[k] == j) return w->W[k];
  return 0;
}

// W scaled to a unit diagonal. Returns the smallest diagonal over that of moving the whole mechanism, at most 1.
static double form_scaled(const mechanism *m, motion *x) {
  int nc = m->row_count;
  response_work *w = x->response;
  double shortest = 1;
  response_form_constraints(m, x);
  for (int j = 0; j < nc; j++) {
    double d = diagonal(m, w, j);
    w->scale[j] = response_moves(m, x, j, d) ? 1 / sqrt(d) : 0;  // 0: left alone
    double least = response_least_mobility(m, x, j);
    if (!(d >= shortest * least)) shortest = d / least;
  }
  if (m->sparse) {
    for (int j = 0; j < nc; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
        w->W[k] *= w->scale[m->pattern_row[k]] * w->scale[j];
  } else {
    for (int i = 0; i < nc; i++)
      for (int j = 0; j < nc; j++) w->W[i * nc + j] *= w->scale[i] * w->scale[j];
  }
  return shortest;
}

static bool factor_sparse(const mechanism *m, response_work *w) {
  for (int j = 0; j < m->row_count; j++)
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
      w->factor[k] = w->W[k] + (m->pattern_row[k] == j ? RESPONSE_PROX : 0);
  return sparse_factorize(w->sparse, w->factor);
}

// W of the rows that something can move, from their halves. In a mechanism of many loops the others are most, and two
// rows have few speeds in common. Returns as form_scaled.
static double form_from_halves(const mechanism *m, motion *x) {
  const response_work *w = x->response;
  int nc = m->row_count;
  if (!response_form_halves(m, x)) return 0;
  int n = w->moving_count;
  for (int i = 0; i < n; i++) {
    double *Wi = w->W + (long)i * nc;
    memset(Wi + i, 0, (size_t)(n - i) * sizeof *Wi);
    for (int v = 0; v < m->nv; v++) {
      const double *Ev = w->halves + (long)v * nc, e = Ev[i];
      if (e == 0) continue;
      for (int j = i; j < n; j++) Wi[j] += e * Ev[j];
    }
    for (int j = i + 1; j < n; j++) w->W[(long)j * nc + i] = Wi[j];
  }
  return x->nearness * x->nearness;
}

static double form_all(const mechanism *m, motion *x) {
  response_work *w = x->response;
  double shortest = form_scaled(m, x);
  for (int i = 0; i < m->row_count; i++) w->moving[i] = i;
  w->moving_count = m->row_count;
  return shortest;
}

static bool factor_regular(const mechanism *m, motion *x, double shortest) {
  response_work *w = x->response;
  int nc = m->row_count, n = w->moving_count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) w->factor[(long)i * nc + j] = w->W[(long)i * nc + j] + (i == j ? RESPONSE_PROX : 0);
  if (!(shortest > WELL_CONDITIONED) || !dense_cholesky(n, w->factor, nc, WELL_CONDITIONED, x->stop)) return false;
  x->rank = n;
  x->nearness = n < x->most_rank ? 0 : sqrt(shortest);
  for (int j = 0; j < n; j++) x->nearness = fmin(x->nearness, w->factor[(long)j * (nc + 1)]);
  memcpy(w->order, w->moving, (size_t)n * sizeof *w->order);
  return true;
}

bool response_factor_constraints(const mechanism *m, motion *x) {
  response_work *w = x->response;
  w->well_conditioned = false;
  if (m->sparse) return form_scaled(m, x), factor_sparse(m, w);
  double shortest = response_has_many_loops(m) ? form_from_halves(m, x) : form_all(m, x);
  w->well_conditioned = factor_regular(m, x, shortest);
  return w->well_conditioned || response_factor_orthogonal(m, x);
}

const double *response_scales(const motion *x) { return x->response->scale; }

// r := b - W z, over the rows that W has.
static void find_residual(const mechanism *m, const motion *x, int n, const double *b, const double *z, double *r) {
  const response_work *w = x->response;
  for (int i = 0; i < n; i++) r[i] = b[i];
  if (m->sparse) {
    for (int j = 0; j < n; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) r[m->pattern_row[k]] -= w->W[k] * z[j];
    return;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) r[i] -= w->W[(long)i * m->row_count + j] * z[j];
}

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// Stops at rounding of the residual's own terms, or when an iteration no longer halves it: the rest lies in directions
// the constraints do not have.
static void solve_by_proximal(const mechanism *m, const motion *x, int n, const double *b, double *r, double *z) {
  double target = 1e-15 * largest(b, n), before = INFINITY;
  memcpy(r, b, (size_t)n * sizeof *r);
  memset(z, 0, (size_t)n * sizeof *z);
  for (int turn = 0; turn < RESPONSE_PROX_TURNS; turn++) {
    double size = largest(r, n);
    if (!(size > target) || !(size < 0.5 * before)) break;
    before = size;
    if (m->sparse) sparse_solve(x->response->sparse, r);
    else dense_cholesky_solve(n, x->response->factor, m->row_count, r);
    for (int i = 0; i < n; i++) z[i] += r[i];
    find_residual(m, x, n, b, z, r);
  }
}

// Over the rows that something can move; the others have no multiplier.
static void solve_regular(const mechanism *m, motion *x, const double *rhs, double *lambda) {
  const response_work *w = x->response;
  int n = w->moving_count;
  double *b = x->row_work[1], *work = x->row_work[2], *z = x->row_work[3];
  for (int i = 0; i < n; i++) b[i] = w->scale[w->moving[i]] * rhs[w->moving[i]];
  solve_by_proximal(m, x, n, b, work, z);
  memset(lambda, 0, (size_t)m->row_count * sizeof *lambda);
  for (int i = 0; i < n; i++) lambda[w->moving[i]] = w->scale[w->moving[i]] * z[i];
}

void response_solve_constraints(const mechanism *m, motion *x, const double *rhs, double *lambda) {
  int nc = m->row_count;
  const double *scale = x->response->scale;
  double *b = x->row_work[1], *work = x->row_work[2], *z = x->row_work[3];
  if (x->response->well_conditioned) {
    solve_regular(m, x, rhs, lambda);
    return;
  }
  for (int i = 0; i < nc; i++) b[i] = scale[i] * rhs[i];
  if (m->sparse) solve_by_proximal(m, x, nc, b, work, z);
  else response_solve_orthogonal(m, x, b, work, z);
  for (int i = 0; i < nc; i++) lambda[i] = scale[i] * z[i];
}

// The part of row j that the rows before it in the factor leave, on W's own scale.
double response_independence(const mechanism *m, const motion *x) {
  const response_work *w = x->response;
  double least = INFINITY;
  if (m->sparse) return least;
  for (int k = 0; k < x->rank; k++) {
    int j = w->order[k];
    double part = fabs(w->factor[(long)k * (m->row_count + 1)]) / w->scale[j];
    least = fmin(least, part / sqrt(response_least_mobility(m, x, j)));
  }
  return least;
}

static void write_dense(const mechanism *m, const response_work *w, double *W) {
  int nc = m->row_count;
  if (!m->sparse) {
    memcpy(W, w->W, (size_t)nc * (size_t)nc * sizeof *W);
    return;
  }
  for (int j = 0; j < nc; j++)
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) W[(long)m->pattern_row[k] * nc + j] = w->W[k];
}

int response_rank(const mechanism *m, motion *x) {
  int nc = m->row_count;
  if (!nc) return 0;
  double *W = calloc((size_t)nc * (size_t)nc, sizeof *W);
  int *order = calloc((size_t)nc, sizeof *order), rank = -1;
  if (W && order) {
    form_scaled(m, x);
    write_dense(m, x->response, W);
    rank = dense_rank(nc, W, RANK_TOLERANCE, order, x->stop);
  }
  free(W);
  free(order);
  return rank;
}
