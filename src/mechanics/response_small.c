// M written out, for mechanisms of few speeds.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "math/circle.h"
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

// The last two pivots, of speeds 1 and 0, at once: D_0 = (M_11 M_00 - M_10²)/D_1, so that neither division waits for
// the other.
BLOCK int factor_two(const int nv, const double *diagonal, double *M, double *D_inverse) {
  double D = M[nv + 1], b = M[nv], det = D * M[0] - b * b;
  D_inverse[1] = 1 / D, D_inverse[0] = D / det;
  M[nv] = b * D_inverse[1];
  if (!(D > TREE_SINGULAR * diagonal[1])) return 1;
  return det > TREE_SINGULAR * diagonal[0] * D ? -1 : 0;
}

// From the last speed, a leaf's, to the first. The pivot of a speed is the articulated inertia along it, those further
// out having left the matrix before. A driven speed does not answer: as if its inertia were without bound. Returns the
// speed whose pivot is rounding, or -1.
BLOCK int factor(const int nv, const bool *driven, double *M, double *D_inverse) {
  double diagonal[RESPONSE_SMALL];
  for (int k = 0; k < nv; k++) diagonal[k] = M[k * nv + k];
  for (int k = nv - 1; k >= 0; k--) {
    if (k == 1 && !driven[0] && !driven[1]) return factor_two(nv, diagonal, M, D_inverse);
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
// For a planar chain of plain hinges on ground on which nothing but weight acts. In the angular velocities w of the
// bodies no number is carried from body to body. With the arm e_k from the origin of body k to that of the next, both
// in its axes, and b_k the moment of body k and of the mass beyond it at the end of the arm, turned to world axes as E
// and B,
//   M_kk = J_k + Σ_{i>k} m_i |e_k|²,   M_ki = E_i · B_k for i < k,
//   M ẇ = y,   y_k = B_k × g - Σ_{i<k} w_i² E_i × B_k + Σ_{i>k} w_i² E_k × B_i.
// The speeds are u_k = w_k - w_{k-1}, that is w = C u with ones on and below the diagonal: M = Lᵀ D L becomes
// (L C)ᵀ D (L C), the factor over u that rows and responses use.

static void prepare_sweep(const mechanism *m, motion *x) {
  double beyond = 0;
  for (int k = m->nv - 1; k >= 0; beyond += m->nodes[k + 1].mass, k--) {
    const node *n = &m->nodes[k + 1];
    vec3 arm = k + 1 < m->nv ? n[1].inner.p : (vec3){0};
    swept_bodies *b = &x->response->swept[k / FOURS];
    b->ex[k % FOURS] = arm.x, b->ey[k % FOURS] = arm.y;
    b->bx[k % FOURS] = n->moment.x + beyond * arm.x, b->by[k % FOURS] = n->moment.y + beyond * arm.y;
    b->inertia[k % FOURS] = n->inertia[2] + beyond * (arm.x * arm.x + arm.y * arm.y);
  }
}

// What a sweep finds of each body: what turns with it, four at a time, and what is left for rows.
typedef struct swept_motion {
  double c[RESPONSE_SMALL], s[RESPONSE_SMALL], w[RESPONSE_SMALL];
  double Ex[RESPONSE_SMALL], Ey[RESPONSE_SMALL], Bx[RESPONSE_SMALL], By[RESPONSE_SMALL];
  double y[RESPONSE_SMALL];                                            // B × g, then ẇ
  double M[RESPONSE_SMALL * RESPONSE_SMALL], inverse[RESPONSE_SMALL];  // over w: the factor L below the diagonal, D⁻¹
} swept_motion;

BLOCK void put_four(const fours *from, double *to) { memcpy(to, from, sizeof *from); }

BLOCK void turn_four(const swept_bodies *b, const vec3 *gravity, const double *angle, int k, swept_motion *to) {
  fours c, s;
  circle_four(angle[k], angle[k + 1], angle[k + 2], angle[k + 3], &c, &s);
  const fours Ex = c * b->ex - s * b->ey, Ey = s * b->ex + c * b->ey;
  const fours Bx = c * b->bx - s * b->by, By = s * b->bx + c * b->by, y = Bx * gravity->y - By * gravity->x;
  put_four(&c, to->c + k), put_four(&s, to->s + k);
  put_four(&Ex, to->Ex + k), put_four(&Ey, to->Ey + k);
  put_four(&Bx, to->Bx + k), put_four(&By, to->By + k), put_four(&y, to->y + k);
}

// Directions and places of the bodies.
BLOCK void store_places(const int nv, const mechanism *m, const swept_motion *at, motion *x) {
  double px = m->nodes[1].inner.p.x, py = m->nodes[1].inner.p.y, rho_x = 0, rho_y = 0;
#pragma GCC unroll 8
  for (int k = 0; k < nv; rho_x += at->Ex[k], rho_y += at->Ey[k], k++) {
    tree_link *l = &x->links[k + 1];
    l->R.m[0] = at->c[k], l->R.m[1] = -at->s[k], l->R.m[3] = at->s[k], l->R.m[4] = at->c[k];
    l->p.x = px + rho_x, l->p.y = py + rho_y;
  }
}

// Returns the body whose pivot is rounding, or -1. Not inlined: a motion that flies has the same numbers to the bit as
// one that sweeps only if both run the same instructions.
BLOCK int sweep(const int nv, const mechanism *m, motion *x, const double *q, const double *u, double way, double dt,
                double *u_free, swept_motion *restrict at) {
  static const bool driven[RESPONSE_SMALL] = {false};
  const swept_bodies *b = x->response->swept;
  const double *Ex = at->Ex, *Ey = at->Ey, *Bx = at->Bx, *By = at->By;
  double angle[RESPONSE_SMALL] = {0}, *y = at->y, *w = at->w, *M = at->M;
#pragma GCC unroll 8
  for (int k = 0; k < nv; k++) {
    double moved = x->q[k] = q[k] + way * u[k];
    angle[k] = k ? angle[k - 1] + moved : moved, w[k] = k ? w[k - 1] + u[k] : u[k];
  }
#pragma GCC unroll 2
  for (int k = 0; k < nv; k += FOURS) turn_four(&b[k / FOURS], &m->gravity, angle, k, at);
#pragma GCC unroll 8
  for (int k = 0; k < nv; k++) {
    M[k * nv + k] = b[k / FOURS].inertia[k % FOURS];
#pragma GCC unroll 8
    for (int i = 0; i < k; i++) {
      double across = Ex[i] * By[k] - Ey[i] * Bx[k];
      M[k * nv + i] = Ex[i] * Bx[k] + Ey[i] * By[k];
      y[k] -= w[i] * w[i] * across;
      y[i] += w[k] * w[k] * across;
    }
  }
  store_places(nv, m, at, x);
  int singular = factor(nv, driven, M, at->inverse);
  if (singular >= 0) return singular;
  solve_inward(nv, M, y);
  solve_outward(nv, M, at->inverse, y);
  for (int k = 0; k < nv; k++) u_free[k] = u[k] + dt * (k ? y[k] - y[k - 1] : y[k]);
  return -1;
}

// For rows: velocities of the bodies, the columns of their joints referred as above, the factor over u, accelerations.
BLOCK void store_for_rows(const int nv, const double *u, const swept_motion *at, motion *x) {
  double rho_x = 0, rho_y = 0, vx = 0, vy = 0;
#pragma GCC unroll 8
  for (int k = 0; k < nv; k++) {
    tree_link *l = &x->links[k + 1];
    double *S = x->U + 6 * k, *L = x->response->mass + k * nv, sum = 1;
    x->u[k] = u[k];
    l->V[0] = at->w[k], l->V[1] = vx, l->V[2] = vy;
    l->IA[OF_RHO] = rho_x, l->IA[OF_RHO + 1] = rho_y;
    S[0] = 1, S[1] = rho_y, S[2] = -rho_x;
    vx -= at->w[k] * at->Ey[k], vy += at->w[k] * at->Ex[k];
    rho_x += at->Ex[k], rho_y += at->Ey[k];
#pragma GCC unroll 8
    for (int i = k - 1; i >= 0; i--) L[i] = sum += at->M[k * nv + i];
    x->response->inverse[k] = at->inverse[k];
    x->udot[k] = k ? at->y[k] - at->y[k - 1] : at->y[k];
  }
}

// From where a motion was moved to the end of its step. Returns false if a number is not finite.
BLOCK bool end_step(const int nv, const motion *x, double rest, const double *u_end, double *q_end) {
  double zero = 0;  // times each speed; NaN where one is not finite
  for (int k = 0; k < nv; k++) q_end[k] = x->q[k] + rest * u_end[k], zero += 0 * u_end[k];
  return zero == 0;
}

// --- rows over the speeds: each twice, g and L⁻ᵀ g -------------------------------------------------------------------

// g += the image of a block on a body. All speeds take the same way, so that g stays in registers.
BLOCK void add_body(const int w, const int nv, const motion *x, const row_body *t, double *g) {
  double f[6];
  unsigned moved_by = x->response->moved_by[t->node];
  for (int k = 0; k < w; k++) f[k] = t->J[k];
  block_carry_force(w, x->links[t->node].IA + OF_RHO, f);
#pragma GCC unroll 8
  for (int v = 0; v < nv; v++) {
    double along = block_dot(w, x->U + 6 * v, f);
    g[v] += moved_by >> v & 1 ? along : 0;
  }
}

BLOCK void take_row(const int nv, const mechanism *m, motion *x, int i) {
  const row *r = &x->rows[i];
  double g[RESPONSE_SMALL] = {0}, *to = x->response->vectors + 2 * i * nv;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node == GROUND) continue;
    if (m->planar) add_body(3, nv, x, t, g);
    else add_body(6, nv, x, t, g);
  }
  for (int k = 0; k < r->speed_count; k++) g[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
  copy(nv, g, to);
  solve_inward(nv, x->response->mass, g);
  copy(nv, g, to + nv);
}

// Four pairs side by side.
typedef struct four_pairs {
  fours a, b, x, y, dx, dy;
} four_pairs;

#define OF_FOUR(field) ((fours){p[0]->field, p[1]->field, p[2]->field, p[3]->field})
// Of fewer than four the first stands in for those that there are not.
BLOCK void read_four(const response_pair *pairs, int count, four_pairs *to) {
  const response_pair *p[FOURS];
#pragma GCC unroll 4
  for (int i = 0; i < FOURS; i++) p[i] = i < count ? &pairs[i] : pairs;
  *to = (four_pairs){OF_FOUR(a), OF_FOUR(b), OF_FOUR(x), OF_FOUR(y), OF_FOUR(dx), OF_FOUR(dy)};
}

// g of four pairs in a chain of hinges, whose body k is moved by the speeds 0 … k - 1: each turns the place about the
// origin of its body.
BLOCK void take_four(const int nv, const motion *x, const four_pairs *p, fours *g) {
#pragma GCC unroll 8
  for (int v = 0; v < nv; v++) {
    const vec3 *hinge = &x->links[v + 1].p;
    const fours along = (p->x - hinge->x) * p->dy - (p->y - hinge->y) * p->dx;
    g[v] = (fours)((fours_mask)along & ((double)v < p->a)) - (fours)((fours_mask)along & ((double)v < p->b));
  }
}

// Up to so many numbers of four, as far as they are in a row of this length.
BLOCK void put_some(const fours *from, int count, double *to) {
  if (count >= FOURS) memcpy(to, from, sizeof *from);
  else
    for (int k = 0; k < count; k++) to[k] = (*from)[k];
}

// Rates of four pairs, and L⁻ᵀ g; the vectors of each for itself.
BLOCK void finish_four(const int nv, const motion *x, fours *g, int count, const double *u, const double *v,
                       double *rates_u, double *rates_v, double *vectors) {
  fours of_u = g[0] * u[0], of_v = g[0] * v[0];
  const double *L = x->response->mass;
#pragma GCC unroll 8
  for (int k = 1; k < nv; k++) of_u += g[k] * u[k], of_v += g[k] * v[k];
  put_some(&of_u, count, rates_u), put_some(&of_v, count, rates_v);
#pragma GCC unroll 4
  for (int i = 0; i < FOURS; i++)
    for (int k = 0; k < nv && i < count; k++) vectors[2 * i * nv + k] = g[k][i];
#pragma GCC unroll 8
  for (int k = nv - 1; k > 0; k--)
#pragma GCC unroll 8
    for (int i = 0; i < k; i++) g[i] -= L[k * nv + i] * g[k];
#pragma GCC unroll 4
  for (int i = 0; i < FOURS; i++)
    for (int k = 0; k < nv && i < count; k++) vectors[(2 * i + 1) * nv + k] = g[k][i];
}

// Four rows of pairs at a time, one in each lane. W is made of products of D^-1/2 L⁻ᵀ g with itself: symmetric to the
// last digit.
BLOCK void take_pairs(const int nv, motion *x, const response_pair *pairs, int count, const double *u, const double *v,
                      double *rates_u, double *rates_v, double *W) {
  fours half[RESPONSE_PAIRS / FOURS][RESPONSE_SMALL];
  double scale[RESPONSE_SMALL];
  for (int k = 0; k < nv; k++) scale[k] = sqrt(x->response->inverse[k]);
  for (int at = 0; at < count; at += FOURS) {
    four_pairs p;
    fours *g = half[at / FOURS];
    read_four(pairs + at, count - at, &p);
    take_four(nv, x, &p, g);
    finish_four(nv, x, g, count - at, u, v, rates_u + at, rates_v + at, x->response->vectors + 2 * at * nv);
#pragma GCC unroll 8
    for (int k = 0; k < nv; k++) g[k] *= scale[k];
  }
  for (int from = 0; from < count; from += FOURS)
#pragma GCC unroll 4
    for (int i = 0; i < FOURS; i++)
      for (int at = 0; at < count && from + i < count; at += FOURS) {
        const fours *of = half[from / FOURS], *g = half[at / FOURS];
        fours entries = g[0] * of[0][i];
#pragma GCC unroll 8
        for (int k = 1; k < nv; k++) entries += g[k] * of[k][i];
        put_some(&entries, count - at, W + (from + i) * count + at);
      }
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
#define X(n)                                                                                                        \
  static int factor_##n(const bool *driven, double *M, double *inverse) { return factor(n, driven, M, inverse); }   \
  static void accelerate_##n(motion *x) { accelerate(n, x); }                                                       \
  static __attribute__((noinline)) int find_##n(const mechanism *m, motion *x, const double *q, const double *u,    \
                                                double way, double dt, double *u_free, swept_motion *restrict at) { \
    return sweep(n, m, x, q, u, way, dt, u_free, at);                                                               \
  }                                                                                                                 \
  static int sweep_##n(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt,      \
                       double *u_free) {                                                                            \
    swept_motion at;                                                                                                \
    int singular = find_##n(m, x, q, u, way, dt, u_free, &at);                                                      \
    if (singular < 0) store_for_rows(n, u, &at, x);                                                                 \
    return singular;                                                                                                \
  }                                                                                                                 \
  static bool fly_##n(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt,       \
                      double *q_end, double *u_end) {                                                               \
    swept_motion at;                                                                                                \
    return find_##n(m, x, q, u, way, dt, u_end, &at) < 0 && end_step(n, x, dt - way, u_end, q_end);                 \
  }                                                                                                                 \
  static void take_pairs_##n(motion *x, const response_pair *pairs, int count, const double *u, const double *v,    \
                             double *rates_u, double *rates_v, double *W) {                                         \
    take_pairs(n, x, pairs, count, u, v, rates_u, rates_v, W);                                                      \
  }                                                                                                                 \
  static void take_rows_##n(const mechanism *m, motion *x) { take_rows(n, m, x); }                                  \
  static void rates_##n(const motion *x, const double *u, double *out) { rates(n, x, u, out); }                     \
  static void matrix_##n(const motion *x, int rows, double *W) { matrix(n, x, rows, W); }                           \
  static void pattern_##n(const mechanism *m, const motion *x, double *W) { pattern(n, m, x, W); }                  \
  static void add_##n(const motion *x, const double *P, int row_count, const double *u0, double *u) {               \
    add_response(n, x, P, row_count, u0, u);                                                                        \
  }
COUNTS(X)
#undef X

#define X(n)                                                             \
  {factor_##n,    accelerate_##n, sweep_##n, fly_##n,    take_pairs_##n, \
   take_rows_##n, rates_##n,      add_##n,   matrix_##n, pattern_##n},
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

void response_small_create(const mechanism *m, motion *x) {
  response_work *w = x->response;
  w->mass = ARENA_ARRAY(&x->memory, double, m->nv * m->nv);
  w->inverse = ARENA_ARRAY(&x->memory, double, m->nv);
  w->vectors = ARENA_ARRAY(&x->memory, double, 2 * m->nv * (m->row_count + m->extra_rows + 1));
  w->moved_by = ARENA_ARRAY(&x->memory, unsigned, m->node_count);
  for (int i = 1; i < m->node_count; i++)
    for (int v = m->nodes[i].last_speed; v >= 0; v = m->speed_before[v]) w->moved_by[i] |= 1U << v;
  if (!response_sweeps(m)) return;
  w->swept = ARENA_ARRAY(&x->memory, swept_bodies, fours_count(m->nv));
  prepare_sweep(m, x);
}

bool response_sweep(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt,
                    double *u_free) {
  x->written_out = true;
  return end_factor(m, x, m->small->sweep(m, x, q, u, way, dt, u_free));
}

bool response_take_pairs(const mechanism *m, motion *x, const response_pair *pairs, int count, const double *u,
                         const double *v, double *rates_u, double *rates_v, double *W) {
  double least = INFINITY;
  m->small->take_pairs(x, pairs, count, u, v, rates_u, rates_v, W);
  x->rows_taken = x->row_total = count;
  x->response->held_count = 0;
  for (int i = 0; i < count; i++) least = number_smaller(least, W[i * (count + 1)]);
  return least * m->total_mass > RESPONSE_MOBILE;
}

bool response_fly(const mechanism *m, motion *x, const double *q, const double *u, double way, double dt, double *q_end,
                  double *u_end) {
  x->written_out = false;
  return m->small->fly(m, x, q, u, way, dt, q_end, u_end);
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
