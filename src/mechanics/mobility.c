#include "mechanics/mobility.h"

#include <stddef.h>

#include "mechanics/block.h"
#include "mechanics/delassus.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"

// --- the mass matrix written out ----------------------------------------------------------------------------------
// Each function takes the number of speeds as a constant and is compiled for every number a small tree can have.

// From the last speed, a leaf's, to the first. The pivot of a speed is the articulated inertia along it, those further
// out having left the matrix before. A driven speed does not answer: as if its inertia were without bound. Returns the
// speed whose pivot is rounding, or -1.
BLOCK int factor(const int nv, const bool *driven, double *M, double *mobility) {
  double diagonal[MOBILITY_SMALL];
  for (int k = 0; k < nv; k++) diagonal[k] = M[k * nv + k];
  for (int k = nv - 1; k >= 0; k--) {
    double *Mk = M + k * nv, inverse = mobility[k] = driven[k] ? 0 : 1 / Mk[k];
    if (!driven[k] && !(Mk[k] > TREE_SINGULAR * diagonal[k])) return k;
    for (int i = k - 1; i >= 0; i--) {
      double *Mi = M + i * nv, share = Mk[i] * inverse;
      for (int j = 0; j <= i; j++) Mi[j] -= share * Mk[j];
      Mk[i] = share;
    }
  }
  return -1;
}

// y := L⁻ᵀ y
BLOCK void solve_inward(const int nv, const double *L, double *y) {
  for (int k = nv - 1; k > 0; k--)
    for (int i = 0; i < k; i++) y[i] -= L[k * nv + i] * y[k];
}

// y := L⁻¹ D⁻¹ y
BLOCK void solve_outward(const int nv, const double *L, const double *mobility, double *y) {
  for (int k = 0; k < nv; k++) {
    double sum = y[k] * mobility[k];
    for (int i = 0; i < k; i++) sum -= L[k * nv + i] * y[i];
    y[k] = sum;
  }
}

// M u̇ = τ - h, where h on entry to u̇ is what it takes to leave the free speeds as they are.
BLOCK void accelerate(const int nv, motion *x) {
  double y[MOBILITY_SMALL];
  for (int k = 0; k < nv; k++) y[k] = x->tau[k] - x->udot[k];
  solve_inward(nv, x->mass, y);
  solve_outward(nv, x->mass, x->mobility, y);
  for (int k = 0; k < nv; k++) x->udot[k] = y[k] + x->drive_udot[k];
}

// --- rows over the speeds: each twice, g and L⁻ᵀ g ----------------------------------------------------------------

// g += the image of a block on a body: carried inward it meets the columns of each joint on its way to ground.
BLOCK void add_body(const int w, const mechanism *m, const motion *x, const row_body *t, double *g) {
  double f[6];
  for (int k = 0; k < w; k++) f[k] = t->J[k];
  for (int i = t->node; i != GROUND; i = m->nodes[i].parent) {
    const node *n = &m->nodes[i];
    if (n->nv) g[n->v] += block_dot(w, x->S + 6 * n->v, f);
    for (int v = n->v + 1; v < n->v + n->nv; v++) g[v] += block_dot(w, x->S + 6 * v, f);
    block_carry_force(w, x->links[i].r, f);
  }
}

BLOCK void take_rows(const int nv, const mechanism *m, motion *x) {
  for (int i = 0; i < x->row_total; i++) {
    const row *r = &x->rows[i];
    double *g = x->dense_rows + 2 * i * nv, *y = g + nv;
    for (int k = 0; k < nv; k++) g[k] = 0;
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (m->planar) add_body(3, m, x, t, g);
      else add_body(6, m, x, t, g);
    }
    for (int k = 0; k < r->speed_count; k++) g[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
    for (int k = 0; k < nv; k++) y[k] = g[k];
    solve_inward(nv, x->mass, y);
  }
}

BLOCK void rates(const int nv, const motion *x, const double *u, double *out) {
  for (int i = 0; i < x->row_total; i++) out[i] = block_dot(nv, x->dense_rows + 2 * i * nv, u);
}

BLOCK void delassus(const int nv, const motion *x, double *W) {
  int n = x->row_total;
  for (int i = 0; i < n; i++) {
    double a[MOBILITY_SMALL];
    for (int k = 0; k < nv; k++) a[k] = x->mobility[k] * x->dense_rows[(2 * i + 1) * nv + k];
    for (int j = 0; j <= i; j++) W[i * n + j] = W[j * n + i] = block_dot(nv, a, x->dense_rows + (2 * j + 1) * nv);
  }
}

BLOCK void respond(const int nv, const motion *x, const double *P, const double *u0, double *u) {
  double y[MOBILITY_SMALL] = {0};
  for (int i = 0; i < x->row_total; i++) block_axpy(nv, P[i], x->dense_rows + (2 * i + 1) * nv, y);
  solve_outward(nv, x->mass, x->mobility, y);
  for (int k = 0; k < nv; k++) u[k] = u0[k] + y[k];
}

struct mobility_kernels {
  int (*factor)(const bool *driven, double *M, double *mobility);
  void (*accelerate)(motion *x);
  void (*take_rows)(const mechanism *m, motion *x);
  void (*rates)(const motion *x, const double *u, double *out);
  void (*delassus)(const motion *x, double *W);
  void (*respond)(const motion *x, const double *P, const double *u0, double *u);
};

#define COUNTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define X(n)                                                                                                      \
  static int factor_##n(const bool *driven, double *M, double *mobility) { return factor(n, driven, M, mobility); } \
  static void accelerate_##n(motion *x) { accelerate(n, x); }                                                     \
  static void take_rows_##n(const mechanism *m, motion *x) { take_rows(n, m, x); }                                \
  static void rates_##n(const motion *x, const double *u, double *out) { rates(n, x, u, out); }                   \
  static void delassus_##n(const motion *x, double *W) { delassus(n, x, W); }                                     \
  static void respond_##n(const motion *x, const double *P, const double *u0, double *u) { respond(n, x, P, u0, u); }
COUNTS(X)
#undef X

#define X(n) {factor_##n, accelerate_##n, take_rows_##n, rates_##n, delassus_##n, respond_##n},
static const mobility_kernels small_trees[MOBILITY_SMALL] = {COUNTS(X)};
#undef X

const mobility_kernels *mobility_choose(int nv) {
  return nv >= 1 && nv <= MOBILITY_SMALL ? &small_trees[nv - 1] : NULL;
}

// --- either way ---------------------------------------------------------------------------------------------------

static bool accelerate_small(const mechanism *m, motion *x) {
  tree_mass_matrix(m, x, x->mass);
  int singular = m->small->factor(m->driven, x->mass, x->mobility);
  x->singular_node = singular < 0 ? 0 : m->speed_node[singular];
  if (singular >= 0) return false;
  tree_inverse(m, x, x->drive_udot, x->udot);
  m->small->accelerate(x);
  return true;
}

bool mobility_accelerate(const mechanism *m, motion *x) {
  if (m->small) return accelerate_small(m, x);
  if (!tree_factor(m, x)) return false;
  tree_forward(m, x);
  return true;
}

void mobility_take_rows(const mechanism *m, motion *x) {
  if (m->small) m->small->take_rows(m, x);
}

void mobility_rates(const mechanism *m, motion *x, const double *u, double *out) {
  if (m->small) m->small->rates(x, u, out);
  else rows_rates_of(m, x, u, out);
}

void mobility_delassus(const mechanism *m, motion *x, double *W) {
  if (m->small) m->small->delassus(x, W);
  else rows_delassus(m, x, W);
}

void mobility_respond(const mechanism *m, motion *x, const double *P, const double *u0, double *u) {
  if (m->small) {
    m->small->respond(x, P, u0, u);
    return;
  }
  const double *change = delassus_response(m, x, P, x->row_total);
  for (int k = 0; k < m->nv; k++) u[k] = u0[k] + change[k];
}
