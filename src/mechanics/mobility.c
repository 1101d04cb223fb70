#include "mechanics/mobility.h"

#include <string.h>

#include "mechanics/block.h"
#include "mechanics/delassus.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"

// --- the mass matrix written out ----------------------------------------------------------------------------------

// One speed leaves the matrix: its pivot is the articulated inertia along it, those below it having left before.
static bool eliminate(const mechanism *m, motion *x, int k, double diagonal) {
  int nv = m->nv;
  double *Mk = x->mass + (long)k * nv;
  if (!(Mk[k] > TREE_SINGULAR * diagonal)) return false;
  double inverse = x->mobility[k] = 1 / Mk[k];
  for (int i = k - 1; i >= 0; i--) {
    double *Mi = x->mass + (long)i * nv, factor = Mk[i] * inverse;
    for (int j = 0; j <= i; j++) Mi[j] -= factor * Mk[j];
    Mk[i] = factor;
  }
  return true;
}

// A driven speed does not answer: its inertia is without bound, and nothing of it reaches the others.
static void hold(const mechanism *m, motion *x, int k) {
  x->mobility[k] = 0;
  memset(x->mass + (long)k * m->nv, 0, (size_t)k * sizeof *x->mass);
}

static bool is_free(const node *n, int k) {
  for (int a = 0; a < n->free_count; a++)
    if (n->free[a] == k) return true;
  return false;
}

static bool factor(const mechanism *m, motion *x) {
  tree_mass_matrix(m, x, x->mass);
  double *diagonal = x->reduced;
  for (int k = 0; k < m->nv; k++) diagonal[k] = x->mass[(long)k * (m->nv + 1)];
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    for (int k = n->nv - 1; k >= 0; k--) {
      if (n->free_count < n->nv && !is_free(n, k)) {
        hold(m, x, n->v + k);
      } else if (!eliminate(m, x, n->v + k, diagonal[n->v + k])) {
        x->singular_node = i;
        return false;
      }
    }
  }
  return true;
}

// y := L⁻ᵀ y
static void solve_inward(int nv, const double *L, double *y) {
  for (int k = nv - 1; k > 0; k--) {
    const double *Lk = L + (long)k * nv;
    for (int i = 0; i < k; i++) y[i] -= Lk[i] * y[k];
  }
}

// y := L⁻¹ y
static void solve_outward(int nv, const double *L, double *y) {
  for (int k = 1; k < nv; k++) {
    const double *Lk = L + (long)k * nv;
    double sum = y[k];
    for (int i = 0; i < k; i++) sum -= Lk[i] * y[i];
    y[k] = sum;
  }
}

// M u̇ = τ - h, where h is what it takes to leave the free speeds as they are.
static bool accelerate(const mechanism *m, motion *x) {
  int nv = m->nv;
  x->singular_node = 0;
  if (!factor(m, x)) return false;
  tree_inverse(m, x, x->drive_udot, x->udot);
  for (int k = 0; k < nv; k++) x->udot[k] = x->tau[k] - x->udot[k];
  solve_inward(nv, x->mass, x->udot);
  for (int k = 0; k < nv; k++) x->udot[k] *= x->mobility[k];
  solve_outward(nv, x->mass, x->udot);
  for (int k = 0; k < nv; k++) x->udot[k] += x->drive_udot[k];
  return true;
}

// --- rows over the speeds -----------------------------------------------------------------------------------------

// g += Jᵀ-image of a block on a body: carried inward it meets the columns of each joint on its way to ground.
BLOCK void add_body(const int w, const mechanism *m, const motion *x, const row_body *t, double *g) {
  double f[6];
  for (int k = 0; k < w; k++) f[k] = t->J[k];
  for (int i = t->node; i != GROUND; i = m->nodes[i].parent) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nv; k++) g[n->v + k] += block_dot(w, x->S + 6 * (n->v + k), f);
    block_carry_force(w, x->links[i].r, f);
  }
}

// Each row twice: g, and L⁻ᵀ g.
static void take_rows(const mechanism *m, motion *x) {
  int nv = m->nv;
  for (int i = 0; i < x->row_total; i++) {
    const row *r = &x->rows[i];
    double *g = x->dense_rows + (long)(2 * i) * nv, *y = g + nv;
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

static const double *row_over_speeds(const mechanism *m, const motion *x, int i) {
  return x->dense_rows + (long)(2 * i) * m->nv;
}

static void rates(const mechanism *m, const motion *x, const double *u, double *out) {
  for (int i = 0; i < x->row_total; i++) {
    const double *g = row_over_speeds(m, x, i);
    double sum = 0;
    for (int k = 0; k < m->nv; k++) sum += g[k] * u[k];
    out[i] = sum;
  }
}

static void delassus(const mechanism *m, const motion *x, double *W) {
  int n = x->row_total, nv = m->nv;
  for (int i = 0; i < n; i++) {
    const double *a = row_over_speeds(m, x, i) + nv;
    for (int j = 0; j <= i; j++) {
      const double *b = row_over_speeds(m, x, j) + nv;
      double sum = 0;
      for (int k = 0; k < nv; k++) sum += a[k] * b[k] * x->mobility[k];
      W[i * n + j] = W[j * n + i] = sum;
    }
  }
}

static void respond(const mechanism *m, motion *x, const double *P, const double *u0, double *u) {
  int nv = m->nv;
  double *y = x->speed_work[0];
  for (int k = 0; k < nv; k++) y[k] = 0;
  for (int i = 0; i < x->row_total; i++) {
    const double *a = row_over_speeds(m, x, i) + nv;
    for (int k = 0; k < nv; k++) y[k] += P[i] * a[k];
  }
  for (int k = 0; k < nv; k++) y[k] *= x->mobility[k];
  solve_outward(nv, x->mass, y);
  for (int k = 0; k < nv; k++) u[k] = u0[k] + y[k];
}

// --- either way ---------------------------------------------------------------------------------------------------

bool mobility_accelerate(const mechanism *m, motion *x) {
  if (m->small) return accelerate(m, x);
  if (!tree_factor(m, x)) return false;
  tree_forward(m, x);
  return true;
}

void mobility_take_rows(const mechanism *m, motion *x) {
  if (m->small) take_rows(m, x);
}

void mobility_rates(const mechanism *m, motion *x, const double *u, double *out) {
  if (m->small) rates(m, x, u, out);
  else rows_rates_of(m, x, u, out);
}

void mobility_delassus(const mechanism *m, motion *x, double *W) {
  if (m->small) delassus(m, x, W);
  else rows_delassus(m, x, W);
}

void mobility_respond(const mechanism *m, motion *x, const double *P, const double *u0, double *u) {
  if (m->small) {
    respond(m, x, P, u0, u);
    return;
  }
  const double *change = delassus_response(m, x, P, x->row_total);
  for (int k = 0; k < m->nv; k++) u[k] = u0[k] + change[k];
}
