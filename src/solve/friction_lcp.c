#include "solve/friction_lcp.h"

#include <math.h>
#include <string.h>

#include "solve/polygon.h"

// A box open on both sides is bilateral; friction without a coefficient is none.
static bool is_bilateral(const solve_block *b) {
  return b->kind == BLOCK_BILATERAL || (b->kind == BLOCK_BOX && isinf(b->lo) && isinf(b->hi));
}

static int block_unknowns(const solve_block *b) {
  if (is_bilateral(b) || b->kind == BLOCK_SPACE || block_rolls(b)) return 0;
  if (b->kind == BLOCK_PLANE) return b->mu > 0 ? 3 : 1;
  if (b->kind == BLOCK_POLYGON) return b->mu > 0 ? (int)b->directions + 2 : 1;
  if (b->kind == BLOCK_BOX) return isinf(b->lo) || isinf(b->hi) ? 1 : 2;
  return 1;
}

int lcp_unknowns(const solve_problem *p) {
  int count = 0;
  for (int b = 0; b < p->block_count; b++) count += block_unknowns(&p->blocks[b]);
  return count;
}

bool lcp_suits(const solve_problem *p) {
  return !solve_has_cones(p) && p->W.rows <= SOLVE_DENSE_MAX && lcp_unknowns(p) <= SOLVE_DENSE_MAX;
}

lcp_reduction lcp_lay_out(solve_workspace *w, const solve_limits *limits) {
  lcp_reduction l = {.stop = w->stop};
  size_t n = (size_t)limits->dense;
  l.W = TAKE(w, double, (n * n));
  l.q = TAKE(w, double, n);
  l.eliminated = TAKE(w, int, n);
  l.gone = TAKE(w, bool, n);
  return l;
}

// --- elimination -----------------------------------------------------------------------------------------------------

// A pivot this small beside its first value is rounding: the row repeats others.
static const double REDUNDANT = 1e-12;

static void eliminate_row(lcp_reduction *l, int n, int k) {
  double *Wk = l->W + (long)k * n, inverse = 1 / Wk[k];
  for (int i = 0; i < n; i++) {
    double *Wi = l->W + (long)i * n, factor = Wi[k] * inverse;
    if (factor == 0 || l->gone[i]) continue;
    for (int j = 0; j < n; j++) Wi[j] -= factor * Wk[j];
    l->q[i] -= factor * l->q[k];
    Wi[k] = 0;
  }
}

// Gaussian elimination of u_k = 0 for r_k, largest pivots first; what is left is the Schur complement on the other
// rows. `gone` marks rows as done while it goes on, and in the end every bilateral row.
static void eliminate_bilateral(lcp_reduction *l, const solve_problem *p) {
  enum { LONG_FROM = 256 };  // rows, of which many take seconds to eliminate
  int n = p->W.rows;
  for (;;) {
    int best = -1;
    if (n >= LONG_FROM && interrupted(l->stop)) return;
    for (int b = 0; b < p->block_count; b++)
      for (int k = p->blocks[b].row; is_bilateral(&p->blocks[b]) && k < p->blocks[b].row + p->blocks[b].size; k++)
        if (!l->gone[k] && (best < 0 || fabs(l->W[(long)k * n + k]) > fabs(l->W[(long)best * n + best]))) best = k;
    if (best < 0) return;
    l->gone[best] = true;
    if (fabs(l->W[(long)best * n + best]) <= REDUNDANT * l->impulse) continue;  // repeats others: r = 0 there
    l->eliminated[l->eliminated_count++] = best;
    eliminate_row(l, n, best);
  }
}

// --- to the LCP and back ---------------------------------------------------------------------------------------------

// r of a block = Σ its own z / impulse, by columns: P_N drives r_N and −μ r_T, P_R drives r_T, r of a box upwards
// from lo or downwards from hi.
typedef struct unknowns {
  int first;      // of z
  int normal;     // row
  int tangent;    // row, or −1
  double sign;    // of r over z: −1 for a box that has only an upper bound
  double offset;  // r = offset + sign z / impulse
  double slack;   // hi − lo of a box with two bounds, else 0
} unknowns;

static unknowns unknowns_of(const solve_block *b, int first) {
  unknowns x = {first, b->row, -1, 1, 0, 0};
  if (b->kind == BLOCK_PLANE && b->mu > 0) x.tangent = b->row + 1;
  if (b->kind != BLOCK_BOX) return x;
  if (isinf(b->lo)) x.sign = -1, x.offset = b->hi;
  else x.offset = b->lo, x.slack = isinf(b->hi) ? 0 : b->hi - b->lo;
  return x;
}

// --- polygons of friction: z = P_N, β_i, λ

static bool is_polygon(const solve_block *b) { return b->kind == BLOCK_POLYGON && b->mu > 0; }

static void write_polygon_columns(const solve_block *b, const double *W, double scale, double *M) {
  int count = (int)b->directions;
  for (int i = 0; i < count; i++) {
    double d[2];
    polygon_direction(count, i, d);
    M[1 + i] = scale * (d[0] * W[b->row + 1] + d[1] * W[b->row + 2]);
  }
  M[1 + count] = 0;
}

// Row i of W times what the unknowns of each block are in r.
static void write_row(const lcp_reduction *l, const solve_problem *p, int row, double sign, double *M) {
  const double *W = l->W + (long)row * p->W.rows;
  double scale = sign / l->impulse;
  for (int b = 0, z = 0; b < p->block_count; z += block_unknowns(&p->blocks[b]), b++) {
    const solve_block *block = &p->blocks[b];
    if (is_bilateral(block)) continue;
    unknowns x = unknowns_of(block, z);
    M[z] = x.sign * scale * W[x.normal];
    if (is_polygon(block)) {
      write_polygon_columns(block, W, scale, M + z);
    } else if (x.tangent >= 0) {
      M[z] -= block->mu * scale * W[x.tangent];
      M[z + 1] = scale * W[x.tangent];
      M[z + 2] = 0;
    } else if (block->kind == BLOCK_BOX && block_unknowns(block) == 2) {
      M[z + 1] = 0;
    }
  }
}

static double row_offset(const lcp_reduction *l, const solve_problem *p, int row) {
  const double *W = l->W + (long)row * p->W.rows;
  double sum = l->q[row];
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind == BLOCK_BOX && !is_bilateral(&p->blocks[b]))
      sum += W[p->blocks[b].row] * unknowns_of(&p->blocks[b], 0).offset;
  return sum;
}

static void write_slack_row(int count, double *M, int z, double below, int z2, double at) {
  memset(M, 0, (size_t)count * sizeof *M);
  M[z] = below, M[z2] = at;
}

// Rows of λ + d_i · ξ_T and of μP_N − Σβ_i, behind that of ξ_N. The last two of them are first those of ξ_T.
static void write_polygon_rows(const lcp_reduction *l, const solve_problem *p, const solve_block *b, int z, double *M,
                               int stride, double *q) {
  int count = (int)b->directions, n = l->unknowns;
  double *t1 = M + (long)count * stride, *t2 = t1 + stride, o1 = row_offset(l, p, b->row + 1),
         o2 = row_offset(l, p, b->row + 2);
  write_row(l, p, b->row + 1, 1, t1);
  write_row(l, p, b->row + 2, 1, t2);
  for (int i = 0; i < count; i++) {
    double d[2], *row = M + (long)(1 + i) * stride;
    polygon_direction(count, i, d);
    q[z + 1 + i] = d[0] * o1 + d[1] * o2;
    for (int j = 0; j < n; j++) row[j] = d[0] * t1[j] + d[1] * t2[j];  // the last direction over t1 itself
    row[z + 1 + count] = 1;
  }
  memset(t2, 0, (size_t)n * sizeof *t2);
  t2[z] = b->mu;
  for (int i = 0; i < count; i++) t2[z + 1 + i] = -1;
  q[z + 1 + count] = 0;
}

static void write_block(const lcp_reduction *l, const solve_problem *p, const solve_block *block, int z, double *M,
                        int stride, double *q) {
  unknowns x = unknowns_of(block, z);
  double *row = M + (long)z * stride;
  write_row(l, p, x.normal, x.sign, row);
  q[z] = x.sign * row_offset(l, p, x.normal);
  if (is_polygon(block)) {
    write_polygon_rows(l, p, block, z, row, stride, q);
  } else if (x.tangent >= 0) {
    write_row(l, p, x.tangent, 1, row + stride);
    row[stride + z + 2] += 1;  // ξ_R = … + ξ_L
    q[z + 1] = row_offset(l, p, x.tangent);
    write_slack_row(l->unknowns, row + 2 * (long)stride, z, 2 * block->mu, z + 1, -1);  // P_L = 2μP_N − P_R
    q[z + 2] = 0;
  } else if (block_unknowns(block) == 2) {
    row[z + 1] += 1;  // w = u + ν
    memset(row + stride, 0, (size_t)l->unknowns * sizeof *row);
    row[stride + z] = -1;  // hi − r
    q[z + 1] = l->impulse * x.slack;
  }
}

// The commonest case, unilateral rows alone, is a scaled copy.
static bool reduce_unilateral(lcp_reduction *l, const solve_problem *p, double *M, int stride, double *q) {
  int n = p->W.rows;
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind != BLOCK_UNILATERAL) return false;
  double scale = 1 / l->impulse;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) M[(long)i * stride + j] = scale * l->W[(long)i * n + j];
    q[i] = p->q[i];
  }
  return true;
}

// The power of two above the largest diagonal: a scale that rounds nothing, so that entries which cancel still do.
static double impulse_scale(int n, const double *W) {
  double largest = 0;
  int exponent;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(W[(long)i * n + i]));
  frexp(largest, &exponent);
  return largest > 0 ? ldexp(1, exponent) : 1;
}

void lcp_reduce(lcp_reduction *l, const solve_problem *p, double *M, int stride, double *q) {
  int n = p->W.rows;
  p->W.ops->dense(&p->W, l->W);
  l->unknowns = lcp_unknowns(p);
  l->eliminated_count = 0;
  l->impulse = impulse_scale(n, l->W);
  if (reduce_unilateral(l, p, M, stride, q)) return;
  memcpy(l->q, p->q, (size_t)n * sizeof *l->q);
  memset(l->gone, 0, (size_t)n * sizeof *l->gone);
  eliminate_bilateral(l, p);
  for (int b = 0, z = 0; b < p->block_count; z += block_unknowns(&p->blocks[b]), b++)
    if (!is_bilateral(&p->blocks[b])) write_block(l, p, &p->blocks[b], z, M, stride, q);
}

static void restore_polygon(const solve_block *b, double scale, const double *z, double *r) {
  int count = (int)b->directions;
  for (int i = 0; i < count; i++) {
    double d[2];
    polygon_direction(count, i, d);
    for (int k = 0; k < 2; k++) r[b->row + 1 + k] += scale * z[1 + i] * d[k];
  }
}

// P_T by the two directions beside it, and the largest slip against a direction.
static void guess_polygon(const solve_block *b, double impulse, const double *r, const double *u, double *z) {
  int count = (int)b->directions;
  double least = 0, x = r[b->row + 1], y = r[b->row + 2];
  for (int i = 0; i < count; i++) z[1 + i] = 0;
  for (int i = 0; i < count; i++) {
    double d[2], e[2];
    polygon_direction(count, i, d);
    polygon_direction(count, i + 1, e);
    least = fmin(least, d[0] * u[b->row + 1] + d[1] * u[b->row + 2]);
    double det = d[0] * e[1] - d[1] * e[0], first = (x * e[1] - y * e[0]) / det, second = (d[0] * y - d[1] * x) / det;
    if (first > 0 && second >= 0) z[1 + i] = impulse * first, z[1 + (i + 1) % count] = impulse * second;
  }
  z[1 + count] = -least;
}

void lcp_restore(const lcp_reduction *l, const solve_problem *p, const double *z, double *r) {
  int n = p->W.rows;
  double scale = 1 / l->impulse;
  memset(r, 0, (size_t)n * sizeof *r);
  for (int b = 0, at = 0; b < p->block_count; at += block_unknowns(&p->blocks[b]), b++) {
    const solve_block *block = &p->blocks[b];
    if (is_bilateral(block)) continue;
    unknowns x = unknowns_of(block, at);
    r[x.normal] = x.offset + x.sign * scale * z[at];
    if (x.tangent >= 0) r[x.tangent] = scale * (z[at + 1] - block->mu * z[at]);
    if (is_polygon(block)) restore_polygon(block, scale, z + at, r);
    if (block->kind == BLOCK_BOX) r[x.normal] = fmin(fmax(r[x.normal], block->lo), block->hi);
  }
  for (int e = l->eliminated_count - 1; e >= 0; e--) {
    int k = l->eliminated[e];
    const double *W = l->W + (long)k * n;
    double sum = l->q[k];
    for (int j = 0; j < n; j++) sum += j == k ? 0 : W[j] * r[j];
    r[k] = -sum / W[k];
  }
}

void lcp_guess(const lcp_reduction *l, const solve_problem *p, const double *r, const double *u, double *z) {
  for (int b = 0, at = 0; b < p->block_count; at += block_unknowns(&p->blocks[b]), b++) {
    const solve_block *block = &p->blocks[b];
    if (is_bilateral(block)) continue;
    unknowns x = unknowns_of(block, at);
    z[at] = fmax(0, x.sign * (r[x.normal] - x.offset)) * l->impulse;
    if (is_polygon(block)) {
      guess_polygon(block, l->impulse, r, u, z + at);
    } else if (x.tangent >= 0) {
      z[at + 1] = fmax(0, r[x.tangent] * l->impulse + block->mu * z[at]);
      z[at + 2] = fmax(0, -u[x.tangent]);
    } else if (block_unknowns(block) == 2) {
      z[at + 1] = fmax(0, -u[x.normal]);
    }
  }
}
