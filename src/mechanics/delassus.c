// W = G M⁻¹ Gᵀ is singular where constraints are redundant and nearly so next to a singular position. Rows are scaled to a unit
// diagonal of W. Two ways:
//
// Well conditioned or sparse: the proximal iteration  (W + μ) δ = r - W λ,  λ += δ  from λ = 0. λ stays in the range of W, so it
// converges to the multipliers of least norm, and an eigenvalue σ² of W multiplies its error by μ/(σ² + μ) each time.
//
// Dense and ill conditioned: W = A Aᵀ with the rows A = G Eᵀ, M⁻¹ = Eᵀ E, which the inward half of the tree's recursion gives. With
// Aᵀ P = Q R, Rᵀ R λ = r has the singular values σ of A where a factor of W has σ², and the forces Gᵀ λ are accurate to rounding over
// σ. Rows below the tolerance depend on those before them, R = [R₁ R₁T]. The nearest right-hand side that all rows can satisfy is
// used, and of all multipliers with the same effect those of least norm are taken, both by the small matrix 1 + TᵀT.
#include "mechanics/delassus.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"

// Far above rounding (1e-16) and far below the eigenvalues of a regular mechanism: ten turns then resolve eigenvalues
// down to 1e-9 of the diagonal.
static const double PROX = 1e-10;
enum { PROX_TURNS = 12 };
// A row's diagonal this far below that of moving the whole mechanism is no mobility: rounding leaves 1e-16 times the
// ratio of the heaviest body to the lightest, a real row at least the square of a lever of 1e-5.
static const double IMMOBILE = 1e-10;
// A row with more than this part of the mobility of one that pushes the whole mechanism along can move, whatever its levers:
// rounding reaches that only with levers of 1e3 times the size of the mechanism and masses of 1e6 times the lightest.
static const double MOBILE = 1e-4;
// Closer to a singular position than 1e-5 the positions, accurate to ε over that distance, do not determine the direction of the row
// that vanishes there.
static const double SINGULAR = 1e-10;
// With pivots and diagonals of W above this, W itself is good enough: λ has ten digits, and no singular position is near (crossing.c).
static const double WELL_CONDITIONED = 1e-5;
// A pivot of W on a unit diagonal at or below this belongs to a row that depends on others; see rank_tolerance.
static const double DEPENDENT = 1e-11, DEPENDENT_AT_MOST = 1e-6;

// The wrenches and efforts of one row with multiplier 1, in links[].pA and tau, on the bases it touches.
static void apply_row(const mechanism *m, motion *x, const row *r, double *tau) {
  const int *bases = x->row_bases + r->base0;
  for (int b = 0; b < r->base_count; b++)
    for (int k = m->base_start[bases[b]]; k < m->base_start[bases[b] + 1]; k++)
      memset(x->links[m->base_nodes[k]].pA, 0, sizeof x->links[0].pA);
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node != GROUND) block_axpy(m->n, -1, t->J, x->links[t->node].pA);
  }
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
}

static void take_efforts_back(const motion *x, const row *r, double *tau) {
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] = 0;
}

// M⁻¹ times one row: accelerations of the bodies (links[].A) and speeds (out) in the bases the row touches.
static void respond_to_row(const mechanism *m, motion *x, const row *r, double *tau, double *out) {
  apply_row(m, x, r, tau);
  for (int b = 0; b < r->base_count; b++) tree_solve_base(m, x, x->row_bases[r->base0 + b], tau, out);
  take_efforts_back(x, r, tau);
}

// Another row's rate under that response; bodies and speeds outside the bases of `mover` do not move.
static double rate_under_response(const mechanism *m, const motion *x, const row *mover, const row *r,
                                  const double *out) {
  const int *bases = x->row_bases + mover->base0;
  double sum = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node == GROUND) continue;
    for (int b = 0; b < mover->base_count; b++)
      if (bases[b] == m->nodes[t->node].base) sum += block_dot(m->n, t->J, x->links[t->node].A);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    sum += t->c * out[t->speed];
  }
  return sum;
}

// Rows with speed terms read `out` anywhere, so what one row moved must not be there for the next.
static void forget_response(const mechanism *m, const motion *x, const row *mover, double *out) {
  for (int b = 0; b < mover->base_count; b++) {
    int base = x->row_bases[mover->base0 + b];
    for (int k = m->base_start[base]; k < m->base_start[base + 1]; k++) {
      const node *n = &m->nodes[m->base_nodes[k]];
      memset(out + n->v, 0, (size_t)n->nv * sizeof *out);
    }
  }
}

// The square of a row's size: a turn counts as a motion at the typical length.
static double row_size(const mechanism *m, const motion *x, const row *r) {
  double sum = 0, length = m->length;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    vec3 w = block_angular(m, t->J), v = block_linear(m, t->J);
    if (t->node != GROUND) sum += vec3_dot(v, v) + vec3_dot(w, w) / (length * length);
  }
  for (int k = 0; k < r->speed_count; k++) {
    double c = x->row_speeds[r->speed0 + k].c;
    sum += c * c / fmax(1, length * length);
  }
  return sum;
}

// The diagonal of W for a row that had to move the whole mechanism.
static double least_mobility(const mechanism *m, const motion *x, int i) {
  return row_size(m, x, &x->rows[i]) / m->total_mass;
}

// Whether a row with this diagonal of W can move. It cannot where all its freedoms are driven or the tree has none along it: what
// is left in its diagonal is rounding.
static bool row_moves(const mechanism *m, const motion *x, int i, double diagonal) {
  return diagonal * m->total_mass > MOBILE || diagonal > IMMOBILE * least_mobility(m, x, i);
}

static void decouple(int n, double *W, int i, double own) {
  for (int j = 0; j < n; j++) W[(long)i * n + j] = W[(long)j * n + i] = 0;
  W[(long)i * n + i] = own;
}

// Rounding in a row that nothing can move would look like mobility to a solver, which then answers with multipliers of
// 1e15. A constraint keeps a diagonal: its equation has the solution zero. A row of a contact or of friction gets none: no
// force changes its rate, so that it sticks without force where that rate is zero and slips where a drive prescribes it.
void delassus_decouple_fixed(const mechanism *m, const motion *x, double *W) {
  int n = x->row_total;
  for (int i = 0; i < n; i++) {
    if (row_moves(m, x, i, W[(long)i * n + i])) continue;
    double least = least_mobility(m, x, i);
    decouple(n, W, i, i >= m->row_count ? 0 : least > 0 ? least : 1);
  }
}

// --- redundant rows in contact problems ---------------------------------------------------------------------------

// Redundant rows depend on others only where the constraints hold. At a distance d from there the rows differ by about d/L, so
// that a pivot of (d/L)² tells nothing: taken for an independent row, it would lock the mechanism. Rows that move with time are
// not asked: a time step evaluates them for its end.
static double rank_tolerance(const mechanism *m, const motion *x, double floor) {
  double distance = 0;
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    double size = sqrt(row_size(m, x, r));
    if (r->phi_t == 0 && size > 0) distance = fmax(distance, fabs(r->phi) / (size * m->length));
  }
  return fmin(fmax(floor, 100 * distance * distance), DEPENDENT_AT_MOST);
}

void delassus_decouple_dependent(const mechanism *m, motion *x, int n, double *W) {
  int nc = m->row_count;
  if (!nc || !x->dense_delassus) return;
  double *scaled = x->dense_delassus, *copy = scaled + (long)nc * nc;
  for (int i = 0; i < nc; i++) x->scale[i] = 1 / sqrt(W[(long)i * n + i]);
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) scaled[i * nc + j] = copy[i * nc + j] = x->scale[i] * x->scale[j] * W[(long)i * n + j];
  x->independent = dense_rank(nc, copy, rank_tolerance(m, x, DEPENDENT), x->row_order, x->stop);
  if (x->independent < 0) x->independent = nc;  // interrupted: W is not used
  for (int k = x->independent; k < nc; k++) {
    int i = x->row_order[k];
    decouple(n, W, i, W[(long)i * n + i]);
  }
}

void delassus_clear_dependent(const mechanism *m, const motion *x, double *q) {
  if (!m->row_count || !x->dense_delassus) return;
  for (int k = x->independent; k < m->row_count; k++) q[x->row_order[k]] = 0;
}

void delassus_form(const mechanism *m, motion *x) {
  int nc = m->row_count;
  double *tau = x->speed_work[0], *out = x->speed_work[1];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int j = 0; j < nc; j++) {
    const row *mover = &x->rows[j];
    respond_to_row(m, x, mover, tau, out);
    if (m->sparse) {
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
        x->delassus[k] = rate_under_response(m, x, mover, &x->rows[m->pattern_row[k]], out);
    } else {
      for (int i = j; i < nc; i++)
        x->delassus[i * nc + j] = x->delassus[j * nc + i] = rate_under_response(m, x, mover, &x->rows[i], out);
    }
    if (m->row_speed_count) forget_response(m, x, mover, out);
  }
}

void rows_delassus(const mechanism *m, motion *x, double *W) {
  int n = x->row_total;
  double *tau = x->speed_work[0], *out = x->speed_work[1];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int j = 0; j < n; j++) {
    const row *mover = &x->rows[j];
    respond_to_row(m, x, mover, tau, out);
    for (int i = j; i < n; i++) W[i * n + j] = W[j * n + i] = rate_under_response(m, x, mover, &x->rows[i], out);
    forget_response(m, x, mover, out);
  }
  delassus_decouple_fixed(m, x, W);
}

// --- ill conditioned ----------------------------------------------------------------------------------------------

static double product(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// The rows A, scaled to unit length. Rows that nothing can move get the scale 0.
static void form_half_rows(const mechanism *m, motion *x) {
  x->nearness = 1;
  double *tau = x->speed_work[0];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  memset(x->half_rows, 0, (size_t)m->row_count * (size_t)m->nv * sizeof *x->half_rows);
  for (int j = 0; j < m->row_count; j++) {
    const row *r = &x->rows[j];
    double *a = x->half_rows + (long)j * m->nv;
    apply_row(m, x, r, tau);
    for (int b = 0; b < r->base_count; b++) tree_reduce_base(m, x, x->row_bases[r->base0 + b], tau, a);
    take_efforts_back(x, r, tau);
    double size = product(m->nv, a, a);
    x->scale[j] = row_moves(m, x, j, size) ? 1 / sqrt(size) : 0;
    if (x->scale[j] > 0) x->nearness = fmin(x->nearness, sqrt(size / least_mobility(m, x, j)));
    for (int k = 0; k < m->nv; k++) a[k] *= x->scale[j];
  }
}

// T = R₁⁻¹ R₂ in place of R₂, and the factor of 1 + TᵀT in x->delassus.
static bool factor_dependent(const mechanism *m, motion *x) {
  int nc = m->row_count, rank = x->rank, count = nc - rank;
  double *R = x->delassus_factor, *K = x->delassus, *column = x->row_work[1];
  for (int j = rank; j < nc; j++) {
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

static bool factor_by_rank(const mechanism *m, motion *x) {
  int nc = m->row_count;
  double tolerance = rank_tolerance(m, x, SINGULAR);
  form_half_rows(m, x);
  for (int i = 0; i < nc; i++)
    if (!isfinite(x->scale[i])) return false;
  x->rank = dense_gram_schmidt(nc, m->nv, x->half_rows, sqrt(tolerance), x->delassus_factor, x->qr_order, x->stop);
  if (x->rank < 0) return x->rank = 0, false;
  if (x->rank > 0) x->nearness = fmin(x->nearness, x->delassus_factor[(long)(x->rank - 1) * (nc + 1)]);
  if (x->rank < x->most_rank) x->nearness = 0;
  return factor_dependent(m, x);
}

// out += sign T y for y over the dependent rows; the other way out -= Tᵀ y for y over the independent ones.
static void add_dependent(const mechanism *m, const motion *x, double sign, const double *y, double *out) {
  for (int i = 0; i < x->rank; i++)
    out[i] += sign * product(m->row_count - x->rank, x->delassus_factor + (long)i * m->row_count + x->rank, y);
}
static void subtract_independent(const mechanism *m, const motion *x, const double *y, double *out) {
  for (int i = 0; i < x->rank; i++)
    for (int k = x->rank; k < m->row_count; k++) out[k - x->rank] -= x->delassus_factor[(long)i * m->row_count + k] * y[i];
}

static void solve_by_rank(const mechanism *m, const motion *x, const double *b, double *y, double *z) {
  int nc = m->row_count, rank = x->rank, count = nc - rank;
  for (int i = 0; i < nc; i++) y[i] = b[x->qr_order[i]];
  if (count) {  // c = b₁ + T (1 + TᵀT)⁻¹ (b₂ - Tᵀ b₁), the nearest that all rows can meet
    subtract_independent(m, x, y, y + rank);
    dense_cholesky_solve(count, x->delassus, count, y + rank);
    add_dependent(m, x, 1, y + rank, y);
  }
  dense_upper_transposed_solve(rank, x->delassus_factor, nc, y);
  dense_upper_solve(rank, x->delassus_factor, nc, y);
  if (count) {  // of all with the same effect the least: z₂ = (1 + TᵀT)⁻¹ Tᵀ y, z₁ = y - T z₂
    memset(y + rank, 0, (size_t)count * sizeof *y);
    subtract_independent(m, x, y, y + rank);
    dense_cholesky_solve(count, x->delassus, count, y + rank);
    for (int k = rank; k < nc; k++) y[k] = -y[k];
    add_dependent(m, x, -1, y + rank, y);
  }
  for (int i = 0; i < nc; i++) z[x->qr_order[i]] = y[i];
}

// --- either way ---------------------------------------------------------------------------------------------------

static double diagonal(const mechanism *m, const motion *x, int j) {
  if (!m->sparse) return x->delassus[j * m->row_count + j];
  for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
    if (m->pattern_row[k] == j) return x->delassus[k];
  return 0;
}

// Scales W to a unit diagonal in place. Returns whether no row is close to one that nothing can move.
static bool scale_rows(const mechanism *m, motion *x) {
  int nc = m->row_count;
  bool all_long = true;
  for (int j = 0; j < nc; j++) {
    double d = diagonal(m, x, j), least = least_mobility(m, x, j);
    x->scale[j] = d > IMMOBILE * least ? 1 / sqrt(d) : 0;  // 0: left alone
    all_long &= d > WELL_CONDITIONED * least;
  }
  if (m->sparse) {
    for (int j = 0; j < nc; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
        x->delassus[k] *= x->scale[m->pattern_row[k]] * x->scale[j];
  } else {
    for (int i = 0; i < nc; i++)
      for (int j = 0; j < nc; j++) x->delassus[i * nc + j] *= x->scale[i] * x->scale[j];
  }
  return all_long;
}

static bool factor_sparse(const mechanism *m, motion *x) {
  for (int j = 0; j < m->row_count; j++)
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
      x->delassus_factor[k] = x->delassus[k] + (m->pattern_row[k] == j ? PROX : 0);
  return sparse_factorize(x->sparse, x->delassus_factor);
}

bool delassus_factor(const mechanism *m, motion *x) {
  int nc = m->row_count;
  bool all_long = scale_rows(m, x);
  if (m->sparse) return factor_sparse(m, x);
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) x->delassus_factor[i * nc + j] = x->delassus[i * nc + j] + (i == j ? PROX : 0);
  x->well_conditioned = all_long && dense_cholesky(nc, x->delassus_factor, nc, WELL_CONDITIONED, x->stop);
  if (!x->well_conditioned) return factor_by_rank(m, x);
  x->rank = nc;
  x->nearness = 1;
  return true;
}

static void delassus_residual(const mechanism *m, const motion *x, const double *rhs, const double *z, double *r) {
  int nc = m->row_count;
  for (int i = 0; i < nc; i++) r[i] = rhs[i];
  if (m->sparse) {
    for (int j = 0; j < nc; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) r[m->pattern_row[k]] -= x->delassus[k] * z[j];
    return;
  }
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) r[i] -= x->delassus[i * nc + j] * z[j];
}

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// Stops at rounding of the residual's own terms, or when an iteration no longer halves it: the rest lies in directions the
// constraints do not have.
static void solve_by_proximal(const mechanism *m, const motion *x, const double *b, double *r, double *z) {
  int nc = m->row_count;
  double target = 1e-15 * largest(b, nc), before = INFINITY;
  memcpy(r, b, (size_t)nc * sizeof *r);
  memset(z, 0, (size_t)nc * sizeof *z);
  for (int turn = 0; turn < PROX_TURNS; turn++) {
    double size = largest(r, nc);
    if (!(size > target) || !(size < 0.5 * before)) break;
    before = size;
    if (m->sparse)
      sparse_solve(x->sparse, r);
    else
      dense_cholesky_solve(nc, x->delassus_factor, nc, r);
    for (int i = 0; i < nc; i++) z[i] += r[i];
    delassus_residual(m, x, b, z, r);
  }
}

void delassus_solve(const mechanism *m, motion *x, const double *rhs, double *lambda) {
  int nc = m->row_count;
  double *b = x->row_work[1], *work = x->row_work[2], *z = x->row_work[3];
  for (int i = 0; i < nc; i++) b[i] = x->scale[i] * rhs[i];
  if (m->sparse || x->well_conditioned) solve_by_proximal(m, x, b, work, z);
  else solve_by_rank(m, x, b, work, z);
  for (int i = 0; i < nc; i++) lambda[i] = x->scale[i] * z[i];
}

void delassus_write(const mechanism *m, motion *x, double *W) {
  int nc = m->row_count;
  scale_rows(m, x);
  if (!m->sparse) {
    memcpy(W, x->delassus, (size_t)nc * (size_t)nc * sizeof *W);
    return;
  }
  memset(W, 0, (size_t)nc * (size_t)nc * sizeof *W);
  for (int j = 0; j < nc; j++)
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) W[(long)m->pattern_row[k] * nc + j] = x->delassus[k];
}

// The part of row j that the rows before it in the factor leave, on W's own scale.
double delassus_independence(const mechanism *m, const motion *x) {
  int nc = m->row_count, count = x->well_conditioned ? nc : x->rank;
  double least = INFINITY;
  if (m->sparse) return least;
  for (int k = 0; k < count; k++) {
    int row_index = x->well_conditioned ? k : x->qr_order[k];
    double part = fabs(x->delassus_factor[(long)k * (nc + 1)]) / x->scale[row_index];
    least = fmin(least, part / sqrt(least_mobility(m, x, row_index)));
  }
  return least;
}

static void dense_times(int n, const double *A, const double *z, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += A[i * n + j] * z[j];
  }
}

// W λ is kept; the proximal iteration from zero finds the least λ with it.
void delassus_share(const mechanism *m, motion *x, double *lambda) {
  int nc = m->row_count;
  if (!x->dense_delassus || x->independent == nc) return;
  const double *W = x->dense_delassus;
  double *factor = x->dense_delassus + (long)nc * nc, *b = x->row_work[1], *r = x->row_work[2], *z = x->row_work[3];
  memcpy(factor, W, (size_t)nc * (size_t)nc * sizeof *W);
  for (int i = 0; i < nc; i++) factor[i * nc + i] += PROX, z[i] = lambda[i] / x->scale[i];
  if (!dense_cholesky(nc, factor, nc, 0, x->stop)) return;
  dense_times(nc, W, z, b);
  memset(z, 0, (size_t)nc * sizeof *z);
  for (int turn = 0; turn < 2; turn++) {
    dense_times(nc, W, z, r);
    for (int i = 0; i < nc; i++) r[i] = b[i] - r[i];
    dense_cholesky_solve(nc, factor, nc, r);
    for (int i = 0; i < nc; i++) z[i] += r[i];
  }
  for (int i = 0; i < nc; i++) lambda[i] = x->scale[i] * z[i];
}

// x->speed_work[1] := M⁻¹ Gᵀ λ
const double *delassus_response(const mechanism *m, motion *x, const double *lambda, int row_count) {
  double *tau = x->speed_work[0], *out = x->speed_work[1];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  for (int i = 0; i < row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (t->node != GROUND) block_axpy(m->n, -lambda[i], t->J, x->links[t->node].pA);
    }
    for (int k = 0; k < r->speed_count; k++)
      tau[x->row_speeds[r->speed0 + k].speed] += lambda[i] * x->row_speeds[r->speed0 + k].c;
  }
  tree_solve(m, x, tau, out);
  return out;
}
