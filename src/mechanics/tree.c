#include "mechanics/tree.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/anchor.h"
#include "mechanics/block.h"
#include "mechanics/flexible.h"
#include "mechanics/kinematics.h"

void tree_kinematics(const mechanism *m, motion *x) {
  x->written_out = false;  // it was at another position
  if (m->planar) kinematics_planar(m, x);
  else kinematics_spatial(m, x);
}

void tree_kinematics_again(const mechanism *m, motion *x) {
  bool written_out = x->written_out;
  tree_kinematics(m, x);
  x->written_out = written_out;
}

// --- factorisation ---------------------------------------------------------------------------------------------------

// Whether the node hangs on a flexible one.
BLOCK bool is_carried(const motion *x, int i) { return x->carried && x->carried[i]; }

BLOCK void fill_inertia(const int w, const mechanism *m, motion *x, int i) {
  tree_link *l = &x->links[i];
  if (!m->nodes[i].steady) block_inertia(w, l->J, l->mk, m->nodes[i].mass, l->IA);
  if (m->nodes[i].flex) flexible_fill(&x->flexible[i]);
}

BLOCK void fill_inertias(const int w, const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) fill_inertia(w, m, x, i);
}

// S · f, and y += s S, of a column S of a node.
BLOCK double along(const int w, const node *n, const double *S, const double *f) {
  return w == 6 && n->pivots ? block_dot(3, S, f) : block_dot(w, S, f);
}
BLOCK void add_column(const int w, const node *n, double s, const double *S, double *y) {
  if (w == 6 && n->pivots) block_axpy(3, s, S, y);
  else block_axpy(w, s, S, y);
}

// U = IA S,  D = Sᵀ U = L Lᵀ over the free speeds; the parent receives  Tᵀ (IA - U D⁻¹ Uᵀ) T. Of a free body
// L⁻ᵀ has its place behind L, where tree_free_half finds it. `added` (may be null) is added to the diagonal of D.
BLOCK bool factor_single(const int w, const node *n, motion *x, tree_link *l, const double *added) {
  int v = n->v + n->free[0];
  const double *S = x->S + 6 * v;
  double *U = x->U + 6 * v;
  if (w == 6 && n->pivots) block_mul_turn(l->IA, S, U);
  else block_mul(w, l->IA, S, U);
  double D = along(w, n, S, U), size = 0;
  for (int k = 0; k < (w == 6 && n->pivots ? 3 : w); k++) size += S[k] * S[k] * l->IA[k * w + k];
  if (added) D += added[v];
  if (!(D > TREE_SINGULAR * size)) return false;
  double inverse = 1 / D;
  x->factor[n->factor] = inverse;
  if (n->parent == GROUND) return true;
  block_take_product(w, inverse, U, l->IA);
  return true;
}

// One number at a time: they were written so a moment ago, and a wide load would wait until they are in the cache.
BLOCK bool are_same(const int n, const double *a, const double *b) {
  for (int i = 0; i < n; i++) {
    uint64_t bits[2];
    memcpy(&bits[0], &a[i], sizeof *bits), memcpy(&bits[1], &b[i], sizeof *bits);
    if (bits[0] != bits[1]) return false;
  }
  return true;
}

// Whether a free body has the columns and the articulated inertia that its factor was found for; they are kept behind
// it. Bodies at rest have.
BLOCK bool is_factored(const int w, const node *n, motion *x, const tree_link *l) {
  double *S = x->factor + n->factor + 2 * w * w, *IA = S + 6 * w;
  const double *now = x->S + 6 * n->v;
  size_t size_S = 6 * (size_t)w * sizeof *S, size_IA = (size_t)(w * w) * sizeof *IA;
  if (w == 3 ? are_same(6 * w, S, now) && are_same(w * w, IA, l->IA)
             : memcmp(S, now, size_S) == 0 && memcmp(IA, l->IA, size_IA) == 0)
    return true;
  memcpy(S, now, size_S), memcpy(IA, l->IA, size_IA);
  return false;
}

// The same of a centred body in the plane, of which only moment of inertia and mass can differ.
static inline bool is_centred_factored(const double *factor, const tree_link *l) {
  const double *S = factor + 18, *IA = S + 18;
  return S[0] == 1 && IA[0] == l->IA[0] && IA[4] == l->IA[4];
}

// L⁻ᵀ. A free body responds to many contacts in a step, each time by products with it.
BLOCK void invert_factor(const int w, const double *L, double *Y) {
  for (int j = 0; j < w; j++) Y[j * w + j] = 1 / L[j * w + j];
  for (int j = 0; j < w; j++) {
    for (int i = 0; i < j; i++) Y[j * w + i] = 0;
    for (int i = j + 1; i < w; i++) {
      double sum = 0;
      for (int b = j; b < i; b++) sum += L[i * w + b] * Y[j * w + b];
      Y[j * w + i] = -sum * Y[i * w + i];
    }
  }
}

// In space accelerations are products with it, too. In the plane they need its diagonal, and the rest is formed where a
// response is asked for (tree_form_halves): Y_10, which is zero then, is not before.
BLOCK void begin_inverse(const int w, const double *L, double *Y) {
  if (w == 6) {
    invert_factor(w, L, Y);
  } else {
    for (int j = 0; j < w; j++) Y[j * w + j] = 1 / L[j * w + j];
    Y[w] = 1;
  }
}

BLOCK bool factor_several(const int w, const node *n, motion *x, tree_link *l, const double *added) {
  int k = n->free_count;
  double *D = x->factor + n->factor;
  if (w == 3 && n->centred && is_centred_factored(D, l)) return true;
  if (tree_is_free_body(w, n) && is_factored(w, n, x, l)) return true;
  for (int a = 0; a < k; a++) block_mul(w, l->IA, x->S + 6 * (n->v + n->free[a]), x->U + 6 * (n->v + n->free[a]));
  for (int a = 0; a < k; a++)
    for (int b = 0; b <= a; b++)
      D[a * k + b] = block_dot(w, x->S + 6 * (n->v + n->free[a]), x->U + 6 * (n->v + n->free[b]));
  for (int a = 0; added && a < k; a++) D[a * k + a] += added[n->v + n->free[a]];
  if (!dense_cholesky(k, D, k, TREE_SINGULAR, NULL)) {
    if (tree_is_free_body(w, n)) D[2 * w * w] = NAN;  // there is no factor
    return false;
  }
  if (tree_is_free_body(w, n)) begin_inverse(w, D, D + w * w);
  if (n->parent == GROUND) return true;
  double Z[JOINT_MAX_FREEDOM * 6];  // L Z = Uᵀ
  for (int a = 0; a < k; a++) {
    const double *U = x->U + 6 * (n->v + n->free[a]);
    for (int i = 0; i < w; i++) Z[6 * a + i] = U[i];
    for (int b = 0; b < a; b++) block_axpy(w, -D[a * k + b], Z + 6 * b, Z + 6 * a);
    double inverse = 1 / D[a * k + a];
    for (int i = 0; i < w; i++) Z[6 * a + i] *= inverse;
  }
  for (int a = 0; a < k; a++) block_take_product(w, 1, Z + 6 * a, l->IA);
  return true;
}

// With `reduces` modes are reduced, too, as by reduce_node.
BLOCK bool factor_node(const int w, const bool reduces, const mechanism *m, motion *x, int i, const double *added) {
  const node *n = &m->nodes[i];
  tree_link *l = &x->links[i];
  bool regular = !n->flex || flexible_condense(w, n, &x->flexible[i], l->IA, reduces ? l->pA : NULL);
  if (n->free_count == 1) regular = regular && factor_single(w, n, x, l, added);
  else if (n->free_count > 1 && !n->steady) regular = regular && factor_several(w, n, x, l, added);
  if (!regular) {
    x->singular_node = i;
    return false;
  }
  if (n->parent == GROUND) return true;
  block_shift_inertia(w, l->r, l->IA, x->links[n->parent].IA);
  if (is_carried(x, i))
    flexible_take_inertia(w, &m->nodes[n->parent], &x->flexible[n->parent], l->r, x->carried[i], l->IA);
  return true;
}

BLOCK bool factor_tree(const int w, const mechanism *m, motion *x, const double *added) {
  fill_inertias(w, m, x);
  for (int i = m->node_count - 1; i > 0; i--)
    if (!factor_node(w, false, m, x, i, added)) return false;
  return true;
}

bool tree_factor(const mechanism *m, motion *x) {
  x->singular_node = 0;
  return m->planar ? factor_tree(3, m, x, NULL) : factor_tree(6, m, x, NULL);
}

bool tree_factor_held(const mechanism *m, motion *x, const double *added) {
  x->singular_node = 0;
  return m->planar ? factor_tree(3, m, x, added) : factor_tree(6, m, x, added);
}

void tree_form_halves(const mechanism *m, motion *x) {
  for (int i = 1; m->planar && i < m->node_count; i++) {
    double *L = x->factor + m->nodes[i].factor, *Y = L + 9;
    if (tree_is_free_body(3, &m->nodes[i]) && Y[3] != 0) invert_factor(3, L, Y);
  }
}

// --- accelerations ---------------------------------------------------------------------------------------------------

// e := L⁻ᵀ L⁻¹ e of a free body, with Y = L⁻ᵀ
BLOCK void solve_free_body(const int w, const double *Y, double *e) {
  double half[6];
  block_mul_transposed(w, Y, e, half);
  for (int i = 0; i < w; i++) e[i] = block_dot(w, Y + i * w, half);
}

// The same in the plane, by the diagonal of Y
BLOCK void solve_planar_body(const double *L, const double *Y, double *e) {
  double a = e[0] * Y[0], b = (e[1] - L[3] * a) * Y[4], c = (e[2] - L[6] * a - L[7] * b) * Y[8];
  e[2] = c * Y[8];
  e[1] = (b - L[7] * e[2]) * Y[4];
  e[0] = (a - L[6] * e[2] - L[3] * e[1]) * Y[0];
}

// e := D⁻¹ e over the free speeds of a node
BLOCK void solve_block(const int w, const node *n, const motion *x, double *e) {
  if (n->free_count == 1) e[0] *= x->factor[n->factor];
  else if (w == 6 && tree_is_free_body(w, n)) solve_free_body(w, tree_free_half(w, n, x), e);
  else if (w == 3 && tree_is_free_body(w, n)) solve_planar_body(x->factor + n->factor, tree_free_half(w, n, x), e);
  else dense_cholesky_solve(n->free_count, x->factor + n->factor, n->free_count, e);
}

// The two steps below for a steady node: nothing is carried, and what no speed stands for is zero.
static inline void reduce_steady(const node *n, motion *x, const tree_link *l, const double *tau) {
  double e[6], half[6];
  tree_steady_efforts(x->S + 6 * n->v, l->pA, e);
  for (int k = 0; k < 6; k++) e[k] = (tau ? tau[n->v + k] : 0) - e[k];
  tree_steady_half(n, e, half);
  tree_steady_back(n, half, x->reduced + n->v);
}

static inline void expand_steady(const node *n, const motion *x, tree_link *l, double *out) {
  const double *e = x->reduced + n->v;
  if (out) memcpy(out + n->v, e, 6 * sizeof *out);
  tree_steady_motion(x->S + 6 * n->v, e, l->A);
}

// And for a centred node in the plane, as solve_planar_body does with a diagonal L.
static inline void reduce_centred(const node *n, motion *x, const tree_link *l, const double *tau) {
  const double *Y = tree_free_half(3, n, x);
  double *e = x->reduced + n->v;
  for (int k = 0; k < 3; k++) e[k] = ((tau ? tau[n->v + k] : 0) - l->pA[k]) * Y[4 * k] * Y[4 * k];
}

static inline void expand_centred(const node *n, const motion *x, tree_link *l, double *out) {
  const double *e = x->reduced + n->v;
  for (int k = 0; k < 3; k++) l->A[k] = e[k];
  for (int k = 0; out && k < 3; k++) out[n->v + k] = e[k];
}

// The force p at a node's origin goes to its parent, and to the modes that carry the node.
BLOCK void hand_down(const int w, const mechanism *m, motion *x, int i, const double *p) {
  const int parent = m->nodes[i].parent;
  block_shift_force(w, x->links[i].r, p, x->links[parent].pA);
  if (is_carried(x, i)) flexible_take_force(w, &m->nodes[parent], &x->flexible[parent], x->carried[i], p);
}

// What the modes that carry a node add to its acceleration, or velocity.
BLOCK void add_carried(const int w, const mechanism *m, const motion *x, int i, double *A) {
  const int parent = m->nodes[i].parent;
  if (is_carried(x, i)) flexible_add_motion(w, &m->nodes[parent], x->carried[i], x->flexible[parent].rate, A);
}

// Inward step of one node: from its bias pA, efforts tau and relative acceleration c (may be null for zero) the reduced
// effort e = D⁻¹ (tau - Sᵀ pA), and the parent's share  Tᵀ (pA + Ia c + U e). `modes_are`: modes are reduced already.
BLOCK void reduce_node(const int w, const bool modes_are, const mechanism *m, motion *x, int i, const double *tau,
                       const double *c) {
  const node *n = &m->nodes[i];
  tree_link *l = &x->links[i];
  double *e = x->reduced + n->v;
  if (w == 6 && n->steady) {
    reduce_steady(n, x, l, tau);
    return;
  }
  if (w == 3 && n->centred) {
    reduce_centred(n, x, l, tau);
    return;
  }
  if (n->flex && !modes_are) flexible_reduce(w, n, &x->flexible[i], tau, l->pA);
  for (int a = 0; a < n->free_count; a++) {
    int v = n->v + n->free[a];
    e[a] = (tau ? tau[v] : 0) - along(w, n, x->S + 6 * v, l->pA);
  }
  if (n->free_count) solve_block(w, n, x, e);
  if (n->parent == GROUND) return;
  double p[6];
  if (c) {
    block_mul(w, l->IA, c, p);
    for (int k = 0; k < w; k++) p[k] += l->pA[k];
  } else {
    for (int k = 0; k < w; k++) p[k] = l->pA[k];
  }
  for (int a = 0; a < n->free_count; a++) block_axpy(w, e[a], x->U + 6 * (n->v + n->free[a]), p);
  hand_down(w, m, x, i, p);
}

BLOCK bool is_zero(const int w, const double *c) {
  for (int k = 0; k < w; k++)
    if (c[k] != 0) return false;
  return true;
}

// Outward step: a' = T a_parent + c,  u̇ = e - D⁻¹ Uᵀ a',  a = a' + S u̇. Ground does not accelerate.
BLOCK void expand_node(const int w, const mechanism *m, motion *x, int i, const double *c, double *out) {
  const node *n = &m->nodes[i];
  tree_link *l = &x->links[i];
  if (w == 6 && n->steady) {
    expand_steady(n, x, l, out);
    return;
  }
  if (w == 3 && n->centred) {
    expand_centred(n, x, l, out);
    return;
  }
  bool rests = n->parent == GROUND && (!c || is_zero(w, c));  // a' = 0
  double g[JOINT_MAX_FREEDOM] = {0};
  block_shift_motion(w, l->r, x->links[n->parent].A, l->A);
  add_carried(w, m, x, i, l->A);
  if (c)
    for (int k = 0; k < w; k++) l->A[k] += c[k];
  if (!rests) {
    for (int a = 0; a < n->free_count; a++) g[a] = block_dot(w, x->U + 6 * (n->v + n->free[a]), l->A);
    if (n->free_count) solve_block(w, n, x, g);
  }
  for (int a = 0; a < n->free_count; a++) {
    int v = n->v + n->free[a];
    double udot = x->reduced[n->v + a] - g[a];
    if (out) out[v] = udot;
    add_column(w, n, udot, x->S + 6 * v, l->A);
  }
  if (n->flex) flexible_expand(w, n, &x->flexible[i], l->A, out);
}

// What a node accelerates by that no free speed stands for: velocity terms and, in `sum`, driven speeds.
BLOCK const double *given_acceleration(const int w, const node *n, const motion *x, const tree_link *l, double *sum) {
  if (n->free_count == n->nv) return l->c;
  bool is_free[JOINT_MAX_FREEDOM] = {0};
  for (int k = 0; k < w; k++) sum[k] = l->c[k];
  for (int a = 0; a < n->free_count; a++) is_free[n->free[a]] = true;
  for (int k = 0; k < n->nv; k++)
    if (!is_free[k]) block_axpy(w, x->drive_udot[n->v + k], x->S + 6 * (n->v + k), sum);
  return sum;
}

// With `factors` each node is factorised just before its step inward: neither waits for the other.
BLOCK bool forward_tree(const int w, const bool factors, const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    tree_link *l = &x->links[i];
    for (int k = 0; k < w; k++) l->pA[k] = l->bias[k] - l->F[k];
    if (m->nodes[i].flex) flexible_begin(&m->nodes[i], factors ? x->tau : NULL, &x->flexible[i]);
    if (factors) fill_inertia(w, m, x, i);
  }
  double sum[6];
  for (int i = m->node_count - 1; i > 0; i--) {
    if (factors && !factor_node(w, true, m, x, i, NULL)) return false;
    reduce_node(w, factors, m, x, i, x->tau, given_acceleration(w, &m->nodes[i], x, &x->links[i], sum));
  }
  memcpy(x->udot, x->drive_udot, (size_t)m->nv * sizeof *x->udot);
  for (int i = 1; i < m->node_count; i++)
    expand_node(w, m, x, i, given_acceleration(w, &m->nodes[i], x, &x->links[i], sum), x->udot);
  return true;
}

// Nodes that hang on ground, each by itself.
BLOCK void forward_alone(const int w, const mechanism *m, motion *x, int i) {
  const node *n = &m->nodes[i];
  tree_link *l = &x->links[i];
  double sum[6];
  for (int k = 0; k < w; k++) l->pA[k] = l->bias[k] - l->F[k];
  if (n->flex) flexible_begin(n, NULL, &x->flexible[i]);
  const double *c = given_acceleration(w, n, x, l, sum);
  reduce_node(w, false, m, x, i, x->tau, c);
  memcpy(x->udot + n->v, x->drive_udot + n->v, (size_t)n->nv * sizeof *x->udot);
  expand_node(w, m, x, i, c, x->udot);
}

static void forward_nodes(void *context, int from, int to) {
  const tree_job *j = context;
  for (int i = from + 1; i <= to; i++) forward_alone(6, j->m, j->x, i);
}

bool tree_factor_alone(const mechanism *m, motion *x, int node) {
  if (m->planar) {
    fill_inertia(3, m, x, node);
    return factor_node(3, false, m, x, node, NULL);
  }
  fill_inertia(6, m, x, node);
  return factor_node(6, false, m, x, node, NULL);
}

void tree_forward_alone(const mechanism *m, motion *x, int node) {
  if (m->planar) forward_alone(3, m, x, node);
  else forward_alone(6, m, x, node);
}

void tree_forward(const mechanism *m, motion *x) {
  if (tree_crew(m, x) && !m->planar)
    crew_run(x->crew, m->node_count - 1, TREE_SHARE, forward_nodes, &(tree_job){m, x, NULL, NULL});
  else if (m->planar) (void)forward_tree(3, false, m, x);
  else (void)forward_tree(6, false, m, x);
}

bool tree_accelerate(const mechanism *m, motion *x) {
  x->singular_node = 0;
  if (!tree_crew(m, x) || m->planar) return m->planar ? forward_tree(3, true, m, x) : forward_tree(6, true, m, x);
  if (!tree_factor(m, x)) return false;
  tree_forward(m, x);
  return true;
}

BLOCK void solve_tree(const int w, const mechanism *m, motion *x, const double *tau, double *out) {
  for (int i = m->node_count - 1; i > 0; i--) reduce_node(w, false, m, x, i, tau, NULL);
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int i = 1; i < m->node_count; i++) expand_node(w, m, x, i, NULL, out);
}

BLOCK void solve_alone(const int w, const mechanism *m, motion *x, int i, const double *tau, double *out) {
  const node *n = &m->nodes[i];
  reduce_node(w, false, m, x, i, tau, NULL);
  memset(out + n->v, 0, (size_t)n->nv * sizeof *out);
  expand_node(w, m, x, i, NULL, out);
}

static void solve_nodes(void *context, int from, int to) {
  const tree_job *j = context;
  for (int i = from + 1; i <= to; i++) solve_alone(6, j->m, j->x, i, j->in, j->out);
}

void tree_solve_alone(const mechanism *m, motion *x, int node, const double *tau, double *out) {
  if (m->planar) solve_alone(3, m, x, node, tau, out);
  else solve_alone(6, m, x, node, tau, out);
}

void tree_solve(const mechanism *m, motion *x, const double *tau, double *out) {
  if (tree_crew(m, x) && !m->planar)
    crew_run(x->crew, m->node_count - 1, TREE_SHARE, solve_nodes, &(tree_job){m, x, tau, out});
  else if (m->planar) solve_tree(3, m, x, tau, out);
  else solve_tree(6, m, x, tau, out);
}

BLOCK void solve_base(const int w, const mechanism *m, motion *x, int base, const double *tau, double *out) {
  int first = m->base_start[base], last = m->base_start[base + 1] - 1;
  for (int k = last; k >= first; k--) reduce_node(w, false, m, x, m->base_nodes[k], tau, NULL);
  for (int k = first; k <= last; k++) expand_node(w, m, x, m->base_nodes[k], NULL, out);
}

void tree_solve_base(const mechanism *m, motion *x, int base, const double *tau, double *out) {
  if (m->planar) solve_base(3, m, x, base, tau, out);
  else solve_base(6, m, x, base, tau, out);
}

// As reduce_node, and keeps L⁻¹ (tau - Sᵀ pA) with D = L Lᵀ.
BLOCK void reduce_by_half(const int w, const mechanism *m, motion *x, int i, const double *tau, double *half) {
  const node *n = &m->nodes[i];
  tree_link *l = &x->links[i];
  int k = n->free_count;
  double e[JOINT_MAX_FREEDOM];
  const double *L = x->factor + n->factor;
  if (n->flex) flexible_reduce_by_half(w, n, &x->flexible[i], tau, l->pA, half);
  for (int a = 0; a < k; a++) {
    int v = n->v + n->free[a];
    e[a] = tau[v] - block_dot(w, x->S + 6 * v, l->pA);
  }
  if (k == 1) {
    half[n->v + n->free[0]] = e[0] * sqrt(L[0]);
    e[0] *= L[0];
  } else if (n->steady) {
    tree_steady_half(n, e, half + n->v);
    return;
  } else if (k > 1) {
    double y[JOINT_MAX_FREEDOM];
    for (int a = 0; a < k; a++) {
      y[a] = e[a];
      for (int b = 0; b < a; b++) y[a] -= L[a * k + b] * y[b];
      y[a] /= L[a * k + a];
      half[n->v + n->free[a]] = y[a];
    }
    if (n->parent != GROUND) dense_cholesky_solve(k, L, k, e);
  }
  if (n->parent == GROUND) return;
  double p[6];
  for (int c = 0; c < w; c++) p[c] = l->pA[c];
  for (int a = 0; a < k; a++) block_axpy(w, e[a], x->U + 6 * (n->v + n->free[a]), p);
  hand_down(w, m, x, i, p);
}

void tree_reduce_nodes(const mechanism *m, motion *x, const int *nodes, int count, const double *tau, double *e) {
  for (int k = 0; k < count; k++) {
    if (m->planar) reduce_by_half(3, m, x, nodes[k], tau, e);
    else reduce_by_half(6, m, x, nodes[k], tau, e);
  }
}

BLOCK void spread_nodes(const int w, const mechanism *m, motion *x, const double *u, int from, int to) {
  for (int i = from; i < to; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    block_shift_motion(w, l->r, x->links[n->parent].A, l->A);
    add_carried(w, m, x, i, l->A);
    for (int k = 0; k < n->nv; k++) block_axpy(w, u[n->v + k], x->S + 6 * (n->v + k), l->A);
    for (int k = 0; k < n->modes; k++) x->flexible[i].rate[k] = u[n->modal_v + k];
  }
}

static void spread_range(void *context, int from, int to) {
  const tree_job *j = context;
  if (j->m->planar) spread_nodes(3, j->m, j->x, j->in, from + 1, to + 1);
  else spread_nodes(6, j->m, j->x, j->in, from + 1, to + 1);
}

void tree_spread(const mechanism *m, motion *x, const double *u) {
  crew_run(tree_crew(m, x), m->node_count - 1, TREE_SHARE, spread_range, &(tree_job){m, x, u, NULL});
}

// --- inverse dynamics, mass matrix -----------------------------------------------------------------------------------

BLOCK void inverse_tree(const int w, const mechanism *m, motion *x, const double *udot, double *tau) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    block_shift_motion(w, l->r, x->links[n->parent].A, l->A);
    add_carried(w, m, x, i, l->A);
    for (int k = 0; k < w; k++) l->A[k] += l->c[k];
    if (n->nv) block_axpy(w, udot[n->v], x->S + 6 * n->v, l->A);
    for (int v = n->v + 1; v < n->v + n->nv; v++) block_axpy(w, udot[v], x->S + 6 * v, l->A);
    if (n->flex) flexible_inverse(w, n, l, &x->flexible[i], udot, l->pA);
    else block_inertia_mul(w, l->J, l->mk, n->mass, l->A, l->pA);
    for (int k = 0; k < w; k++) l->pA[k] += l->bias[k] - l->F[k];
  }
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    if (n->nv) tau[n->v] = block_dot(w, x->S + 6 * n->v, l->pA);
    for (int v = n->v + 1; v < n->v + n->nv; v++) tau[v] = block_dot(w, x->S + 6 * v, l->pA);
    for (int k = 0; k < n->modes; k++) tau[n->modal_v + k] = x->flexible[i].p[k], x->flexible[i].p[k] = 0;
    if (n->parent != GROUND) hand_down(w, m, x, i, l->pA);
  }
}

void tree_inverse(const mechanism *m, motion *x, const double *udot, double *tau) {
  if (m->planar) inverse_tree(3, m, x, udot, tau);
  else inverse_tree(6, m, x, udot, tau);
}

// Where the composite inertia of a node and all that hangs on it stands in IA: J, mk and the mass.
enum { COMPOSITE_J = 0, COMPOSITE_MK = 6, COMPOSITE_MASS = 9 };

BLOCK void fill_composites(const int w, const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    tree_link *l = &x->links[i];
    for (int k = 0; k < (w == 3 ? 1 : 6); k++) l->IA[COMPOSITE_J + k] = l->J[k];
    for (int k = 0; k < (w == 3 ? 2 : 3); k++) l->IA[COMPOSITE_MK + k] = l->mk[k];
    l->IA[COMPOSITE_MASS] = m->nodes[i].mass;
  }
}

// Column v of M in the rows of one node, and with it the same row. Most nodes have one speed.
BLOCK void meet_columns(const int w, const mechanism *m, const motion *x, const node *a, const double *f, int v,
                        double *M) {
  if (a->nv) M[a->v * m->nv + v] = M[v * m->nv + a->v] = block_dot(w, x->S + 6 * a->v, f);
  for (int b = a->v + 1; b < a->v + a->nv; b++) M[b * m->nv + v] = M[v * m->nv + b] = block_dot(w, x->S + 6 * b, f);
}

// Composite inertias inward; a column's force I_c S_k, carried to each ancestor, meets that ancestor's columns.
BLOCK void mass_matrix(const int w, const mechanism *m, motion *x, double *M) {
  memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
  fill_composites(w, m, x);
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    const double *J = x->links[i].IA + COMPOSITE_J, *mk = x->links[i].IA + COMPOSITE_MK;
    double mass = x->links[i].IA[COMPOSITE_MASS];
    if (n->parent != GROUND) {
      double *parent = x->links[n->parent].IA, moved_J[6], moved_mk[3];
      block_shift_rigid(w, x->links[i].r, J, mk, mass, moved_J, moved_mk);
      for (int k = 0; k < (w == 3 ? 1 : 6); k++) parent[COMPOSITE_J + k] += moved_J[k];
      for (int k = 0; k < (w == 3 ? 2 : 3); k++) parent[COMPOSITE_MK + k] += moved_mk[k];
      parent[COMPOSITE_MASS] += mass;
    }
    for (int v = n->v; v < n->v + n->nv; v++) {
      double f[6];
      block_inertia_mul(w, J, mk, mass, x->S + 6 * v, f);
      for (int j = i; j != GROUND; j = m->nodes[j].parent) {
        meet_columns(w, m, x, &m->nodes[j], f, v, M);
        block_carry_force(w, x->links[j].r, f);
      }
    }
  }
}

void tree_mass_matrix(const mechanism *m, motion *x, double *M) {
  if (x->flexible) flexible_mass_matrix(m, x, M);
  else if (m->planar) mass_matrix(3, m, x, M);
  else mass_matrix(6, m, x, M);
}

// --- energy and momentum ---------------------------------------------------------------------------------------------

double tree_kinetic_energy(const mechanism *m, const motion *x) {
  double sum = 0, IV[6];
  for (int i = 1; i < m->node_count; i++) {
    const tree_link *l = &x->links[i];
    if (m->nodes[i].flex) {
      sum += flexible_kinetic_energy(m, x, i);
    } else if (m->planar) {
      block_inertia_mul(3, l->J, l->mk, m->nodes[i].mass, l->V, IV);
      sum += 0.5 * block_dot(3, l->V, IV);
    } else {
      block_inertia_mul(6, l->J, l->mk, m->nodes[i].mass, l->V, IV);
      sum += 0.5 * block_dot(6, l->V, IV);
    }
  }
  return sum;
}

double tree_gravity_energy(const mechanism *m, const motion *x) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    vec3 centre = vec3_add(
        x->links[i].p, n->flex ? vec3_scale(1 / n->mass, vec3_of(x->links[i].mk)) : mat3_mul(x->links[i].R, n->com));
    sum -= n->mass * vec3_dot(m->gravity, centre);
  }
  return sum;
}

// The columns of the way do not turn: they are right wherever the body is.
bool tree_steady_lift(const mechanism *m, const motion *x, const double *displacement, double *energy) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (!n->steady) return false;
    double by[6];
    tree_steady_motion(x->S + 6 * n->v, displacement + n->v, by);
    sum -= n->mass * vec3_dot(m->gravity, vec3_of(by + 3));
  }
  *energy = sum;
  return true;
}

double tree_gravity_size(const mechanism *m, const motion *x) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    vec3 centre = vec3_add(x->links[i].p, mat3_mul(x->links[i].R, n->com));
    sum += n->mass * (vec3_norm(centre) + m->length);
  }
  return vec3_norm(m->gravity) * sum;
}

void tree_momentum(const mechanism *m, const motion *x, vec3 *linear, vec3 *angular) {
  *linear = *angular = VEC3_ZERO;
  for (int i = 1; i < m->node_count; i++) {
    const tree_link *l = &x->links[i];
    double h[6 + FLEXIBLE_MODES_MAX];
    vec3 L, P;
    if (m->nodes[i].flex) {
      flexible_momentum(m, x, i, h);
      L = block_angular(m, h), P = block_linear(m, h);
    } else if (m->planar) {
      block_inertia_mul(3, l->J, l->mk, m->nodes[i].mass, l->V, h);
      L = (vec3){0, 0, h[0]}, P = (vec3){h[1], h[2], 0};
    } else {
      block_inertia_mul(6, l->J, l->mk, m->nodes[i].mass, l->V, h);
      L = vec3_of(h), P = vec3_of(h + 3);
    }
    *linear = vec3_add(*linear, P);
    *angular = vec3_add(*angular, vec3_add(L, vec3_cross(l->p, P)));
  }
}
