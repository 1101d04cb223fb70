// M written out, for mechanisms of few speeds.
#include <math.h>
#include <stddef.h>

#include "mechanics/kinematics.h"
#include "mechanics/planar.h"
#include "mechanics/response_internal.h"
#include "mechanics/tree.h"

// --- M and h written out ---------------------------------------------------------------------------------------------
// Everything of one tree is referred to one point, the origin of its body next to ground. Then nothing needs to be
// carried from body to body: composite inertias and forces add up as they are, and a force meets the columns S° of all
// joints between its body and ground. What stands where the recursion has its articulated inertias:
enum {
  OF_J = 0,
  OF_MK = 6,
  OF_MASS = 9,
  OF_RHO = 10
};  // inertia of a node and what hangs on it; ρ from that point to it

// In a tree where every node has one speed, the commonest, node i has speed i - 1.
BLOCK int speeds_from(const bool single, const node *n, int i) { return single ? i - 1 : n->v; }
BLOCK int speeds_to(const bool single, const node *n, int i) { return single ? i : n->v + n->nv; }

BLOCK void copy(const int n, const double *from, double *to) {
  for (int k = 0; k < n; k++) to[k] = from[k];
}

// Columns, inertia and the force that leaves the free speeds as they are, of every node by itself. Numbers are worked
// on in places of their own and stored once: the compiler cannot know that links, columns and matrices lie apart.
BLOCK void refer_nodes(const int w, const bool single, const mechanism *m, motion *x) {
  const int turns = w == 3 ? 1 : 6, axes = w == 3 ? 2 : 3;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    const tree_link *parent = &x->links[n->parent];
    double rho[3], A[6], f[6], J[6], mk[3];
    for (int k = 0; k < axes; k++) rho[k] = n->parent == GROUND ? 0 : parent->IA[OF_RHO + k] + l->r[k];
    block_shift_motion(w, l->r, parent->A, A);
    for (int k = 0; k < w; k++) A[k] += l->c[k];
    for (int v = speeds_from(single, n, i); v < speeds_to(single, n, i); v++) {
      double S[6], referred[6];
      copy(w, x->S + 6 * v, S);
      block_refer_motion(w, rho, S, referred);
      if (m->driven[v]) block_axpy(w, x->drive_udot[v], S, A);
      copy(w, referred, x->U + 6 * v);
    }
    block_inertia_mul(w, l->J, l->mk, n->mass, A, f);
    for (int k = 0; k < w; k++) f[k] += l->bias[k] - l->F[k];
    block_carry_force(w, rho, f);
    block_shift_rigid(w, rho, l->J, l->mk, n->mass, J, mk);
    copy(turns, J, l->IA + OF_J);
    copy(axes, mk, l->IA + OF_MK);
    l->IA[OF_MASS] = n->mass;
    copy(axes, rho, l->IA + OF_RHO);
    copy(w, A, l->A);
    copy(w, f, l->pA);
  }
}

// Inward: M_vj = S°_j · I° S°_v for each speed j between v and ground, and what the forces ask of v.
BLOCK void write_out(const int w, const bool single, const mechanism *m, motion *x) {
  const int turns = w == 3 ? 1 : 6, axes = w == 3 ? 2 : 3;
  refer_nodes(w, single, m, x);
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    const tree_link *l = &x->links[i];
    tree_link *parent = &x->links[n->parent];
    double J[6], mk[3], mass = l->IA[OF_MASS], p[6];
    copy(turns, l->IA + OF_J, J);
    copy(axes, l->IA + OF_MK, mk);
    copy(w, l->pA, p);
    for (int v = speeds_from(single, n, i); v < speeds_to(single, n, i); v++) {
      double f[6], S[6], *row = x->response->mass + v * m->nv;
      copy(w, x->U + 6 * v, S);
      block_inertia_mul(w, J, mk, mass, S, f);
      for (int j = v; j >= 0; j = m->speed_before[j]) row[j] = block_dot(w, x->U + 6 * j, f);
      x->udot[v] = block_dot(w, S, p);
    }
    if (n->parent == GROUND) continue;
    for (int k = 0; k < turns; k++) parent->IA[OF_J + k] += J[k];
    for (int k = 0; k < axes; k++) parent->IA[OF_MK + k] += mk[k];
    parent->IA[OF_MASS] += mass;
    for (int k = 0; k < w; k++) parent->pA[k] += p[k];
  }
}

// --- factorisation ---------------------------------------------------------------------------------------------------
// Each function takes the number of speeds as a constant and is compiled for every number a small tree can have.

// From the last speed, a leaf's, to the first. The pivot of a speed is the articulated inertia along it, those further
// out having left the matrix before. A driven speed does not answer: as if its inertia were without bound. Returns the
// speed whose pivot is rounding, or -1.
BLOCK int factor(const int nv, const bool *driven, double *M, double *D_inverse) {
  double diagonal[RESPONSE_SMALL];
  for (int k = 0; k < nv; k++) diagonal[k] = M[k * nv + k];
  for (int k = nv - 1; k >= 0; k--) {
    double *Mk = M + k * nv, inverse = D_inverse[k] = driven[k] ? 0 : 1 / Mk[k];
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
BLOCK void solve_outward(const int nv, const double *L, const double *D_inverse, double *y) {
  for (int k = 0; k < nv; k++) {
    double sum = y[k] * D_inverse[k];
    for (int i = 0; i < k; i++) sum -= L[k * nv + i] * y[i];
    y[k] = sum;
  }
}

// M u̇ = τ - h, where h on entry to u̇ is what it takes to leave the free speeds as they are.
BLOCK void accelerate(const int nv, motion *x) {
  const response_work *w = x->response;
  double y[RESPONSE_SMALL];
  for (int k = 0; k < nv; k++) y[k] = x->tau[k] - x->udot[k];
  solve_inward(nv, w->mass, y);
  solve_outward(nv, w->mass, w->inverse, y);
  for (int k = 0; k < nv; k++) x->udot[k] = y[k] + x->drive_udot[k];
}

// --- kinematics, M and accelerations in one sweep --------------------------------------------------------------------
// For a planar chain of plain hinges on ground on which nothing but weight acts. The numbers of all bodies stay in
// places of their own from the angles to the accelerations; what contacts and rows read is stored. Weight is an
// acceleration of ground by -g.

typedef struct swept_body {
  double c, s, w, px, py, vx, vy, ax, ay;  // direction, place and velocity; acceleration if no speed changed
  double x, y;                             // ρ
  double S[3], J, mk[2], mass, f[3];  // referred as above: column, inertia and force of the body and what hangs on it
} swept_body;

BLOCK void sweep_out(const bool first, const node *n, circle turn, double u, const swept_body *p, swept_body *a,
                     tree_link *l) {
  hinge h = hinge_at(true, n, turn, u, p->c, p->s, p->w);
  double mass = n->mass, w2 = h.w * h.w, mx, my;
  planar_moment(n, h.c, h.s, &mx, &my);
  a->c = h.c, a->s = h.s, a->w = h.w;
  a->px = p->px + h.rx, a->py = p->py + h.ry, a->vx = p->vx + h.vx, a->vy = p->vy + h.vy;
  a->ax = p->ax + h.cx, a->ay = p->ay + h.cy;
  a->x = first ? 0 : p->x + h.rx, a->y = first ? 0 : p->y + h.ry;
  a->S[0] = h.sign, a->S[1] = h.Sx + h.sign * a->y, a->S[2] = h.Sy - h.sign * a->x;
  a->mass = mass, a->mk[0] = mx + mass * a->x, a->mk[1] = my + mass * a->y;
  a->J = n->inertia[2] + a->x * (mx + a->mk[0]) + a->y * (my + a->mk[1]);
  a->f[1] = mass * a->ax - w2 * mx, a->f[2] = mass * a->ay - w2 * my;
  a->f[0] = mx * a->ay - my * a->ax + a->x * a->f[2] - a->y * a->f[1];
  l->R.m[0] = h.c, l->R.m[1] = -h.s, l->R.m[3] = h.s, l->R.m[4] = h.c;
  l->p.x = a->px, l->p.y = a->py;
  l->V[0] = h.w, l->V[1] = a->vx, l->V[2] = a->vy;
  l->IA[OF_RHO] = a->x, l->IA[OF_RHO + 1] = a->y;
}

// As write_out, M into `M` and what the forces ask into `h`.
BLOCK void sweep_in(const int nv, swept_body *at, double *M, double *h) {
#pragma GCC unroll 8
  for (int i = nv - 1; i >= 0; i--) {
    const swept_body *a = &at[i];
    double f[3];
    block_inertia_mul(3, &a->J, a->mk, a->mass, a->S, f);
#pragma GCC unroll 8
    for (int j = i; j >= 0; j--) M[i * nv + j] = block_dot(3, at[j].S, f);
    h[i] = block_dot(3, a->S, a->f);
    if (i == 0) return;
    swept_body *parent = &at[i - 1];
    parent->J += a->J, parent->mass += a->mass;
    parent->mk[0] += a->mk[0], parent->mk[1] += a->mk[1];
    for (int k = 0; k < 3; k++) parent->f[k] += a->f[k];
  }
}

BLOCK int sweep(const int nv, const mechanism *m, motion *x) {
  static const bool driven[RESPONSE_SMALL] = {false};
  double M[RESPONSE_SMALL * RESPONSE_SMALL], inverse[RESPONSE_SMALL], y[RESPONSE_SMALL];
  double angle[RESPONSE_SMALL], c[RESPONSE_SMALL], s[RESPONSE_SMALL];
  swept_body at[RESPONSE_SMALL];
  const swept_body ground = {.c = 1, .ax = -m->gravity.x, .ay = -m->gravity.y};
  for (int i = 0; i < RESPONSE_SMALL; i++) angle[i] = i < nv ? x->q[i] : 0;
  for (int i = 0; i < nv; i += 4) circle_at_four(angle[i], angle[i + 1], angle[i + 2], angle[i + 3], c + i, s + i);
#pragma GCC unroll 8
  for (int i = 0; i < nv; i++)
    sweep_out(i == 0, &m->nodes[i + 1], (circle){c[i], s[i]}, x->u[i], i == 0 ? &ground : &at[i - 1], &at[i],
              &x->links[i + 1]);
  for (int i = 0; i < nv; i++) copy(3, at[i].S, x->U + 6 * i);
  sweep_in(nv, at, M, y);
  int singular = factor(nv, driven, M, inverse);
  if (singular >= 0) return singular;
  for (int k = 0; k < nv; k++) y[k] = -y[k];
  solve_inward(nv, M, y);
  solve_outward(nv, M, inverse, y);
  copy(nv * nv, M, x->response->mass);
  copy(nv, inverse, x->response->inverse);
  copy(nv, y, x->udot);
  return -1;
}

// --- rows over the speeds: each twice, g and L⁻ᵀ g -------------------------------------------------------------------

// g += the image of a block on a body.
BLOCK void add_body(const int w, const mechanism *m, const motion *x, const row_body *t, double *g) {
  double f[6];
  for (int k = 0; k < w; k++) f[k] = t->J[k];
  block_carry_force(w, x->links[t->node].IA + OF_RHO, f);
  for (int v = m->nodes[t->node].last_speed; v >= 0; v = m->speed_before[v]) g[v] += block_dot(w, x->U + 6 * v, f);
}

BLOCK void take_row(const int nv, const mechanism *m, motion *x, int i) {
  const row *r = &x->rows[i];
  double g[RESPONSE_SMALL] = {0}, *to = x->response->vectors + 2 * i * nv;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node == GROUND) continue;
    if (m->planar) add_body(3, m, x, t, g);
    else add_body(6, m, x, t, g);
  }
  for (int k = 0; k < r->speed_count; k++) g[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
  copy(nv, g, to);
  solve_inward(nv, x->response->mass, g);
  copy(nv, g, to + nv);
}

BLOCK void take_rows(const int nv, const mechanism *m, motion *x) {
  for (; x->rows_taken < x->row_total; x->rows_taken++) take_row(nv, m, x, x->rows_taken);
}

BLOCK void rates(const int nv, const motion *x, const double *u, double *out) {
  for (int i = 0; i < x->row_total; i++) out[i] = block_dot(nv, x->response->vectors + 2 * i * nv, u);
}

// a := D⁻¹ L⁻ᵀ g of row j. Returns where the vectors L⁻ᵀ g of all rows are, 2 nv apart.
BLOCK const double *half_response(const int nv, const motion *x, int j, double *a) {
  const double *half = x->response->vectors + nv;
  for (int k = 0; k < nv; k++) a[k] = x->response->inverse[k] * half[2 * j * nv + k];
  return half;
}

BLOCK void matrix(const int nv, const motion *x, int n, double *W) {
  for (int j = 0; j < n; j++) {
    double a[RESPONSE_SMALL];
    const double *half = half_response(nv, x, j, a);
    for (int i = 0; i <= j; i++) W[j * n + i] = W[i * n + j] = block_dot(nv, a, half + 2 * i * nv);
  }
}

BLOCK void pattern(const int nv, const mechanism *m, const motion *x, double *W) {
  for (int j = 0; j < m->row_count; j++) {
    double a[RESPONSE_SMALL];
    const double *half = half_response(nv, x, j, a);
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
      W[k] = block_dot(nv, a, half + 2 * m->pattern_row[k] * nv);
  }
}

BLOCK void add_response(const int nv, const motion *x, const double *P, int row_count, const double *u0, double *u) {
  const response_work *w = x->response;
  double y[RESPONSE_SMALL] = {0};
  for (int i = 0; i < row_count; i++) block_axpy(nv, P[i], w->vectors + (2 * i + 1) * nv, y);
  solve_outward(nv, w->mass, w->inverse, y);
  for (int k = 0; k < nv; k++) u[k] = u0[k] + y[k];
}

#define COUNTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define X(n)                                                                                                      \
  static int factor_##n(const bool *driven, double *M, double *inverse) { return factor(n, driven, M, inverse); } \
  static void accelerate_##n(motion *x) { accelerate(n, x); }                                                     \
  static int sweep_##n(const mechanism *m, motion *x) { return sweep(n, m, x); }                                  \
  static void take_rows_##n(const mechanism *m, motion *x) { take_rows(n, m, x); }                                \
  static void rates_##n(const motion *x, const double *u, double *out) { rates(n, x, u, out); }                   \
  static void matrix_##n(const motion *x, int rows, double *W) { matrix(n, x, rows, W); }                         \
  static void pattern_##n(const mechanism *m, const motion *x, double *W) { pattern(n, m, x, W); }                \
  static void add_##n(const motion *x, const double *P, int row_count, const double *u0, double *u) {             \
    add_response(n, x, P, row_count, u0, u);                                                                      \
  }
COUNTS(X)
#undef X

#define X(n) {factor_##n, accelerate_##n, sweep_##n, take_rows_##n, rates_##n, add_##n, matrix_##n, pattern_##n},
static const response_kernels small_trees[RESPONSE_SMALL] = {COUNTS(X)};
#undef X

const response_kernels *response_choose(int nv) {
  return nv >= 1 && nv <= RESPONSE_SMALL ? &small_trees[nv - 1] : NULL;
}

// --- interface -------------------------------------------------------------------------------------------------------

static bool end_factor(const mechanism *m, motion *x, int singular) {
  x->rows_taken = 0;
  x->singular_node = singular < 0 ? 0 : m->speed_node[singular];
  return singular < 0;
}

bool response_small_accelerate(const mechanism *m, motion *x) {
  if (m->planar && m->single) write_out(3, true, m, x);
  else if (m->planar) write_out(3, false, m, x);
  else write_out(6, false, m, x);
  if (!end_factor(m, x, m->small->factor(m->driven, x->response->mass, x->response->inverse))) return false;
  m->small->accelerate(x);
  return true;
}

bool response_sweeps(const mechanism *m) {
  bool sweeps = m->planar && m->small && m->single && !m->drive_count && !m->force_count && !m->friction_count;
  for (int i = 1; i < m->node_count; i++)
    sweeps &= kinematics_is_plain_hinge(&m->nodes[i]) && m->nodes[i].parent == i - 1;
  return sweeps;
}

bool response_sweep(const mechanism *m, motion *x) {
  x->written_out = true;
  return end_factor(m, x, m->small->sweep(m, x));
}

void response_small_split(const mechanism *m, const motion *x, response_pieces *p) {
  const response_work *w = x->response;
  for (int i = 0; i < p->row_count; i++) {
    const double *g = w->vectors + 2 * i * m->nv;
    double y[RESPONSE_SMALL];
    copy(m->nv, g + m->nv, y);
    solve_outward(m->nv, w->mass, w->inverse, y);
    for (int k = p->first[p->block_of[i]]; k < p->first[p->block_of[i] + 1]; k++) {
      const response_piece of = response_piece_of(p, k, i);
      const int *speeds = m->base_speeds + of.at;
      for (int s = 0; s < of.speed_count; s++) of.J[s] = g[speeds[s]], of.response[s] = y[speeds[s]];
    }
  }
}

// M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ
void response_small_half(const mechanism *m, const motion *x, int j, int stride, double *half) {
  const double *g = x->response->vectors + (2 * j + 1) * m->nv;
  for (int k = 0; k < m->nv; k++) half[(long)k * stride] = sqrt(x->response->inverse[k]) * g[k];
}
