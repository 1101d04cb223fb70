// Rows that nothing can move, and constraint rows that depend on others in contact problems. Solvers of contact
// problems need a W of full rank in the rows of the constraints: rows that depend on others are taken out, and
// afterwards the multipliers are shared.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/marker.h"
#include "mechanics/response_internal.h"

// A row's diagonal this far below that of moving the whole mechanism is no mobility: rounding leaves 1e-16 times the
// ratio of the heaviest body to the lightest, a real row at least the square of a lever of 1e-5.
static const double IMMOBILE = 1e-10;
// A pivot of W on a unit diagonal at or below this belongs to a row that depends on others; see
// response_rank_tolerance.
static const double DEPENDENT = 1e-11, DEPENDENT_AT_MOST = 1e-6;

// --- rows that nothing can move --------------------------------------------------------------------------------------

// The square of a row's size: a turn counts as a motion at the typical length. Modes have any unit, and a row on modes
// acts on their body, too: they do not count.
static double row_size(const mechanism *m, const motion *x, const row *r) {
  double sum = 0, length = m->length;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    vec3 w = block_angular(m, t->J), v = block_linear(m, t->J);
    if (t->node != GROUND) sum += vec3_dot(v, v) + vec3_dot(w, w) / (length * length);
  }
  for (int k = 0; k < r->speed_count; k++) {
    double c = x->row_speeds[r->speed0 + k].c;
    if (x->flexible && flexible_is_modal(m, x->row_speeds[r->speed0 + k].speed)) continue;
    sum += c * c / fmax(1, length * length);
  }
  return sum;
}

// The diagonal of W for a row that had to move the whole mechanism.
double response_least_mobility(const mechanism *m, const motion *x, int i) {
  return row_size(m, x, &x->rows[i]) / m->total_mass;
}

// Whether a row with this diagonal of W can move. It cannot where all its freedoms are driven or the tree has none
// along it: what is left in its diagonal is rounding.
bool response_moves(const mechanism *m, const motion *x, int i, double diagonal) {
  return diagonal * m->total_mass > RESPONSE_MOBILE || diagonal > IMMOBILE * response_least_mobility(m, x, i);
}

static void decouple(int n, double *W, int i, double own) {
  for (int j = 0; j < n; j++) W[(long)i * n + j] = W[(long)j * n + i] = 0;
  W[(long)i * n + i] = own;
}

// Rounding in a row that nothing can move would look like mobility to a solver, which then answers with multipliers of
// 1e15. A constraint keeps a diagonal: its equation has the solution zero. A row of a contact or of friction gets none:
// no force changes its rate, so that it sticks without force where that rate is zero and slips where a drive prescribes
// it.
double response_fixed_diagonal(const mechanism *m, const motion *x, int i) {
  double least = i < m->row_count ? response_least_mobility(m, x, i) : 0;
  return i >= m->row_count || least > 0 ? least : 1;
}

void response_decouple_fixed(const mechanism *m, const motion *x, double *W) {
  int n = x->row_total;
  for (int i = 0; i < n; i++)
    if (!response_moves(m, x, i, W[(long)i * n + i])) decouple(n, W, i, response_fixed_diagonal(m, x, i));
}

// --- redundant rows in contact problems ------------------------------------------------------------------------------

// Redundant rows depend on others only where the constraints hold. At a distance d from there the rows differ by about
// d/L, so that a pivot of (d/L)² tells nothing: taken for an independent row, it would lock the mechanism. Rows that
// move with time are not asked: a time step evaluates them for its end.
double response_rank_tolerance(const mechanism *m, const motion *x, double floor) {
  double distance = 0;
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    double size = sqrt(row_size(m, x, r));
    if (r->phi_t == 0 && size > 0) distance = fmax(distance, fabs(r->phi) / (size * m->length));
  }
  return fmin(fmax(floor, 100 * distance * distance), DEPENDENT_AT_MOST);
}

// Orders the constraint rows, those that depend on others last, from their W in w->dense, which is scaled.
static void find_dependent(const mechanism *m, motion *x) {
  int nc = m->row_count;
  response_work *w = x->response;
  double *W = w->dense, *scale = w->dense_scale, *copy = W + (long)nc * nc;
  for (int i = 0; i < nc; i++) scale[i] = 1 / sqrt(W[i * nc + i]);
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) copy[i * nc + j] = W[i * nc + j] *= scale[i] * scale[j];
  w->rank_tolerance = response_rank_tolerance(m, x, DEPENDENT);
  w->independent = dense_rank(nc, copy, w->rank_tolerance, w->dense_order, x->stop);
  if (w->independent < 0) w->independent = nc;  // interrupted: W is not used
}

void response_decouple(const mechanism *m, motion *x, int n, double *W) {
  int nc = m->row_count;
  response_work *w = x->response;
  w->held_count = 0;
  if (!nc || !w->dense) return;
  for (int i = 0; i < nc; i++) memcpy(w->dense + (long)i * nc, W + (long)i * n, (size_t)nc * sizeof *W);
  find_dependent(m, x);
  for (int k = w->independent; k < nc; k++) decouple(n, W, w->dense_order[k], W[(long)w->dense_order[k] * (n + 1)]);
}

void response_problem(const mechanism *m, motion *x, double *W) {
  response_matrix(m, x, W);
  if (!interrupted(x->stop)) response_decouple(m, x, x->row_total, W);
}

// --- rows that constraints hold --------------------------------------------------------------------------------------

// v := L⁻¹ v with the scaled W of the independent constraint rows, Pᵀ W P = L D Lᵀ. On entry v is in the order of the
// constraints and not scaled, on return in that of the factorisation. D is its diagonal.
static const double *eliminate(const mechanism *m, const motion *x, const double *from, int stride, double *v) {
  const response_work *w = x->response;
  int nc = m->row_count, rank = w->independent;
  const double *A = w->dense + (long)nc * nc;
  for (int k = 0; k < rank; k++) v[k] = w->dense_scale[w->dense_order[k]] * from[(long)w->dense_order[k] * stride];
  for (int j = 0; j < rank; j++) {
    const double share = v[j] / A[j * nc + j];
    if (share == 0) continue;
    for (int k = j + 1; k < rank; k++) v[k] -= share * A[j * nc + k];
  }
  return A;
}

static double fastest_of(const mechanism *m, const motion *x, const row *r, const double *u) {
  double most = 0;
  for (int b = 0; b < r->base_count; b++) {
    int tree = x->row_bases[r->base0 + b];
    for (int k = m->base_speed_start[tree]; k < m->base_speed_start[tree + 1]; k++)
      most = fmax(most, fmax(fabs(u[m->base_speeds[k]]), fabs(x->u[m->base_speeds[k]])));
  }
  return most;
}

// The part of the diagonal and of the rate that the constraints leave:  W_ii - W_ic W_cc⁻¹ W_ci  and  q_i - W_ic W_cc⁻¹
// q_c. Next to the constraints, at a distance that makes pivots as large as the rank tolerance, a row that they hold
// has a rate of up to its root times the speeds. `column`: W_ci, with a stride.
static bool is_held(const mechanism *m, const motion *x, const double *u, double own, const double *column, int stride,
                    const double *q, int i) {
  const response_work *w = x->response;
  int nc = w->dense ? m->row_count : 0;
  double left = own, rate = q[i], terms = fabs(q[i]), tolerance = nc ? w->rank_tolerance : DEPENDENT;
  double *v = x->row_work[1], *z = x->row_work[2];
  if (own > 0) {
    if (!nc) return false;
    const double *D = eliminate(m, x, column, stride, v);
    for (int j = 0; j < w->independent; j++) left -= v[j] * v[j] / D[(long)j * (nc + 1)];
    if (left > tolerance * own) return false;
    eliminate(m, x, q, 1, z);
    for (int j = 0; j < w->independent; j++) {
      double part = v[j] * z[j] / D[(long)j * (nc + 1)];
      rate -= part, terms += fabs(part);
    }
  }
  double size = sqrt(row_size(m, x, &x->rows[i])), speed = fastest_of(m, x, &x->rows[i], u) * fmax(1, m->length);
  return fabs(rate) <= sqrt(tolerance) * (size * speed + terms);
}

static double held_diagonal(const mechanism *m, const motion *x, int i) {
  double least = response_least_mobility(m, x, i);
  return least > 0 ? least : 1;
}

static bool hold(motion *x, double *q, int i) {
  q[i] = 0;
  x->response->held[x->response->held_count++] = i;
  return true;
}

bool response_hold(const mechanism *m, motion *x, const double *u, double *W, double *q, int i) {
  int n = x->row_total;
  if (!is_held(m, x, u, W[(long)i * n + i], W + i, n, q, i)) return false;
  decouple(n, W, i, held_diagonal(m, x, i));
  return hold(x, q, i);
}

bool response_hold_pieces(const mechanism *m, motion *x, const double *u, response_pieces *p, double *q, int i) {
  double *column = x->row_work[3], own = response_product(p, i, i);
  for (int c = 0; own > 0 && x->response->dense && c < m->row_count; c++) column[c] = response_product(p, c, i);
  if (!is_held(m, x, u, own, column, 1, q, i)) return false;
  response_piece_clear(p, i, held_diagonal(m, x, i));
  return hold(x, q, i);
}

void response_decouple_pieces(const mechanism *m, motion *x, response_pieces *p) {
  int nc = m->row_count;
  const response_work *w = x->response;
  if (!nc || !w->dense) return;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j <= i; j++) w->dense[i * nc + j] = w->dense[j * nc + i] = response_product(p, i, j);
  find_dependent(m, x);
  for (int k = w->independent; k < nc; k++) {
    int i = w->dense_order[k];
    response_piece_clear(p, i, p->diagonal[i]);
  }
}

void response_clear(const mechanism *m, const motion *x, double *q) {
  const response_work *w = x->response;
  for (int k = 0; k < w->held_count; k++) q[w->held[k]] = 0;
  if (!m->row_count || !w->dense) return;
  for (int k = w->independent; k < m->row_count; k++) q[w->dense_order[k]] = 0;
}

static void dense_times(int n, const double *A, const double *z, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += A[i * n + j] * z[j];
  }
}

// W λ is kept; the proximal iteration from zero (response_constraints.c) finds the least λ with it.
void response_share(const mechanism *m, motion *x, double *lambda) {
  int nc = m->row_count;
  const response_work *w = x->response;
  if (!w->dense || w->independent == nc) return;
  const double *W = w->dense, *scale = w->dense_scale;
  double *factor = w->dense + (long)nc * nc, *b = x->row_work[1], *r = x->row_work[2], *z = x->row_work[3];
  memcpy(factor, W, (size_t)nc * (size_t)nc * sizeof *W);
  for (int i = 0; i < nc; i++) factor[i * nc + i] += RESPONSE_PROX, z[i] = lambda[i] / scale[i];
  if (!dense_cholesky(nc, factor, nc, 0, x->stop)) return;
  dense_times(nc, W, z, b);
  memset(z, 0, (size_t)nc * sizeof *z);
  for (int turn = 0; turn < 2; turn++) {
    dense_times(nc, W, z, r);
    for (int i = 0; i < nc; i++) r[i] = b[i] - r[i];
    dense_cholesky_solve(nc, factor, nc, r);
    for (int i = 0; i < nc; i++) z[i] += r[i];
  }
  for (int i = 0; i < nc; i++) lambda[i] = scale[i] * z[i];
}
