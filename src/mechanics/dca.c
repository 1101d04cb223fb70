// Assembly and disassembly. The joint of a node, with columns S and the relative acceleration c, is between an assembly
// L on its inner and R on its outer side. The force f on R and its acceleration satisfy
//   A = X_L A₁ + α + G y,   f = I_R A + p_R - X_Rᵀ F₂,   α = a_L + c,   G = [S Q_L],   y = (u̇, z)
//   Sᵀ f = τ,   z = -Q_Lᵀ f   (what L yields to the force -f on its outer handle)
// so that  K y = (τ, 0) - Gᵀ(I_R (X_L A₁ + α) + p_R - X_Rᵀ F₂)  with  K = Gᵀ I_R G + diag(0, 1) = C Cᵀ.  K is definite
// wherever Sᵀ I_R S is, which is the pivot of the recursion, and all sums below are of definite matrices: rounding
// stays what it is in the recursion. With  Ĝ = G C⁻ᵀ,  Û = I_R Ĝ,  H = the columns of C⁻¹ that belong to τ,  ŷ = Cᵀ y:
//   ŷ = H τ - Ûᵀ (X_L A₁ + α) - Ĝᵀ (p_R - X_Rᵀ F₂),   u̇ = Hᵀ ŷ
//   I = I_L + X_Lᵀ (I_R - Û Ûᵀ) X_L,   X = X_R (1 - Ĝ Ûᵀ) X_L,   Q Qᵀ = Q_R Q_Rᵀ + X_R Ĝ Ĝᵀ X_Rᵀ.
// Q has at most as many columns as the block is wide: more are reduced by an orthogonal transformation.
#include "mechanics/dca.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/flexible.h"
#include "mechanics/tree.h"

enum { SHARE = 256 };                   // the fewest steps that threads share
enum { MOST = JOINT_MAX_FREEDOM + 6 };  // columns of G

// Rows of matrices are padded with zeros to a width that vectors of the processor have: eight numbers in space, four in
// the plane. Loops over all of them are one or two instructions.
#define ROW(w) ((w) == 6 ? 8 : 4)

// --- memory ----------------------------------------------------------------------------------------------------------

// Columns of Q before they are reduced.
static int columns_of(const mechanism *m, const dca_plan *p, const dca_step *s) {
  return s->kind == DCA_LEAF ? m->nodes[s->node].modes : s->kind == DCA_JOIN ? p->steps[s->right].rank + s->freedom : 0;
}

void dca_create(const mechanism *m, motion *x) {
  const dca_plan *p = x->dca_plan = m->dca;
  if (!p) return;
  arena *memory = &x->memory;
  const int n = m->n, row = ROW(n);
  dca_work *w = x->dca = ARENA_NEW(memory, dca_work);
  w->cells = ARENA_ARRAY(memory, dca_cell, p->step_count + 1);
  w->singular = ARENA_ARRAY(memory, int, p->task_count + 1);
  w->active = ARENA_ARRAY(memory, bool, p->step_count + 1);
  w->list = ARENA_ARRAY(memory, int, p->step_count + 1);
  w->marked = ARENA_ARRAY(memory, bool, p->step_count + 1);
  w->begin = ARENA_ARRAY(memory, int, m->base_count + 1);
  w->udot = ARENA_ARRAY(memory, double, m->nv + 1);
  w->flexible = x->flexible ? ARENA_ARRAY(memory, flexible_link, m->node_count) : NULL;
  for (int i = 1; x->flexible && i < m->node_count; i++) {
    flexible_link *f = &w->flexible[i];
    *f = x->flexible[i];
    flexible_allocate_factor(memory, m->nodes[i].modes, f);
  }
  long size = 0;
  for (int pass = 0; pass < 2; pass++) {
    double *values = pass ? ARENA_ARRAY(memory, double, size + 1) : NULL;
    size = 0;
    for (int i = 0; i < p->step_count; i++) {
      const dca_step *s = &p->steps[i];
      const bool assembly = s->kind == DCA_LEAF || s->kind == DCA_JOIN, open = assembly && s->outer >= 0 && !s->rigid;
      const int k = s->freedom, all = columns_of(m, p, s);
      dca_cell *c = &w->cells[i];
      double **const arrays[] = {&c->I, &c->X, &c->Q, &c->V, &c->z, &c->G, &c->U, &c->H, &c->y};
      const int square = n * row, counts[] = {assembly ? square : 0,
                                              open ? square : 0,
                                              open ? row * s->rank : 0,
                                              open && all > n ? n * (all + 1) : 0,
                                              s->rank,
                                              row * k,
                                              row * k,
                                              k * k,
                                              k};
      for (int a = 0; a < 9; a++) {
        if (pass) *arrays[a] = values + size;
        size += (counts[a] + 7) / 8 * 8;
      }
    }
  }
}

// --- blocks ----------------------------------------------------------------------------------------------------------

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

BLOCK void add_row(const int w, double s, const double *a, double *y) {
  if (w == 6) *(eight *)y += s * *(const eight *)a;
  else *(four *)y += s * *(const four *)a;
}

BLOCK void scale_row(const int w, double s, double *y) {
  if (w == 6) *(eight *)y *= s;
  else *(four *)y *= s;
}

BLOCK void copy_row(const int w, const double *from, double *to) {
  if (w == 6) *(eight *)to = *(const eight *)from;
  else *(four *)to = *(const four *)from;
}

BLOCK void clear_row(const int w, double *row) {
  if (w == 6) *(eight *)row = (eight){0};
  else *(four *)row = (four){0};
}

// to = Σ x_j (row j of A): Aᵀ x.
BLOCK void combine(const int w, const double *A, const double *x, double *to) {
  if (w == 6) {
    const eight *row = (const eight *)A;
    *(eight *)to = (x[0] * row[0] + x[1] * row[1] + x[2] * row[2]) + (x[3] * row[3] + x[4] * row[4] + x[5] * row[5]);
  } else {
    const four *row = (const four *)A;
    *(four *)to = x[0] * row[0] + x[1] * row[1] + x[2] * row[2];
  }
}

BLOCK void mirror(const int w, double *A) {
  for (int i = 0; i < w; i++)
    for (int j = 0; j < i; j++) A[i * ROW(w) + j] = A[j * ROW(w) + i];
}

// From rows of w numbers, of which the upper triangle counts. Rows are copied whole: of a triangle a compiler may make
// copies of any length, which are slow.
BLOCK void pad_symmetric(const int w, const double *from, double *to) {
  for (int i = 0; i < w; i++)
    for (int j = 0; j < w; j++) to[i * ROW(w) + j] = from[i * w + j];
  mirror(w, to);
}

// A := T A and A := Tᵀ A with the shift T by r: rows are added to others.
BLOCK void shift_rows(const int w, const double *r, double *A) {
  enum { N = ROW(6) };
  if (w == 3) {
    add_row(w, -r[1], A, A + ROW(w)), add_row(w, r[0], A, A + 2 * ROW(w));
    return;
  }
  add_row(w, r[2], A + N, A + 3 * N), add_row(w, -r[1], A + 2 * N, A + 3 * N);
  add_row(w, r[0], A + 2 * N, A + 4 * N), add_row(w, -r[2], A, A + 4 * N);
  add_row(w, r[1], A, A + 5 * N), add_row(w, -r[0], A + N, A + 5 * N);
}
BLOCK void carry_rows(const int w, const double *r, double *A) {
  enum { N = ROW(6) };
  if (w == 3) {
    add_row(w, r[0], A + 2 * ROW(w), A), add_row(w, -r[1], A + ROW(w), A);
    return;
  }
  add_row(w, r[1], A + 5 * N, A), add_row(w, -r[2], A + 4 * N, A);
  add_row(w, r[2], A + 3 * N, A + N), add_row(w, -r[0], A + 5 * N, A + N);
  add_row(w, r[0], A + 4 * N, A + 2 * N), add_row(w, -r[1], A + 3 * N, A + 2 * N);
}
// A := A T.
BLOCK void shift_columns(const int w, const double *r, double *A) {
  for (int i = 0; i < w; i++) block_carry_force(w, r, A + i * ROW(w));
}

// X a and Xᵀ f of the assembly of a step.
BLOCK void outward(const int w, const motion *x, const dca_step *s, const dca_cell *c, const double *a, double *to) {
  if (s->rigid) block_shift_motion(w, x->links[s->outer].r, a, to);
  else
    for (int i = 0; i < w; i++) to[i] = block_dot(w, c->X + i * ROW(w), a);
}
BLOCK void inward(const int w, const motion *x, const dca_step *s, const dca_cell *c, const double *f, double *to) {
  if (s->rigid) {
    for (int i = 0; i < w; i++) to[i] = f[i];
    block_carry_force(w, x->links[s->outer].r, to);
  } else {
    combine(w, c->X, f, to);
  }
}

// The rows of A, `count` vectors, replaced by w vectors with the same sum of products, by reflections 1 - β v vᵀ. These
// stand in V: v, and β behind it. Below its diagonal A is rounding then.
BLOCK void reduce_columns(const int w, int count, double *A, double *V) {
  for (int j = 0; j < w; j++, V += count + 1) {
    double dots[8] = {0};
    for (int i = j; i < count; i++) add_row(w, V[i] = A[i * ROW(w) + j], A + i * ROW(w), dots);
    const double size = dots[j], first = V[j], length = first > 0 ? -sqrt(size) : sqrt(size);
    V[count] = size > 0 ? 1 / (size - first * length) : 0;
    V[j] -= length;
    add_row(w, -length, A + j * ROW(w), dots);  // vᵀ A
    scale_row(w, V[count], dots);
    for (int i = j; i < count; i++) add_row(w, -V[i], dots, A + i * ROW(w));
  }
}

// The products of the vectors that there were with a force, from those of the w vectors.
BLOCK void expand_columns(const int w, int count, const double *V, const double *z, double *all) {
  for (int i = 0; i < count; i++) all[i] = i < w ? z[i] : 0;
  for (int j = w - 1; j >= 0; j--) {
    const double *v = V + j * (count + 1);
    double dot = 0;
    for (int i = j; i < count; i++) dot += v[i] * all[i];
    dot *= v[count];
    for (int i = j; i < count; i++) all[i] -= dot * v[i];
  }
}

// --- matrices --------------------------------------------------------------------------------------------------------

// G, U and H of an elimination. Returns false if the joint's pivot is rounding.
BLOCK bool eliminate(const int w, const mechanism *m, motion *x, const dca_step *s, dca_cell *c) {
  const node *n = &m->nodes[s->node];
  const dca_cell *cells = x->dca->cells, *right = &cells[s->right];
  const int f = n->free_count, k = s->freedom;
  for (int a = 0; a < k; a++) {
    double *G = c->G + a * ROW(w), *U = c->U + a * ROW(w), *H = c->H + a * k, first[8] = {0};
    if (a < f) memcpy(first, x->S + 6 * (n->v + n->free[a]), (size_t)w * sizeof *first);
    else memcpy(first, cells[s->left].Q + (a - f) * ROW(w), sizeof first / (w == 6 ? 1 : 2));
    memcpy(G, first, sizeof first / (w == 6 ? 1 : 2));
    combine(w, right->I, first, U);
    double D = block_dot(w, first, U) + (a < f ? 0 : 1), size = a < f ? 0 : D;
    for (int i = 0; a < f && i < w; i++) size += first[i] * first[i] * right->I[i * (ROW(w) + 1)];
    for (int b = 0; b <= a; b++) H[b] = a == b;
    for (int b = 0; b < a; b++) {
      const double part = block_dot(w, first, c->U + b * ROW(w));
      add_row(w, -part, c->G + b * ROW(w), G);
      add_row(w, -part, c->U + b * ROW(w), U);
      for (int i = 0; i <= b; i++) H[i] -= part * c->H[b * k + i];
      D -= part * part;
    }
    if (!(D > TREE_SINGULAR * size)) return false;
    const double scale = 1 / sqrt(D);
    scale_row(w, scale, G), scale_row(w, scale, U);
    for (int b = 0; b <= a; b++) H[b] *= scale;
  }
  return true;
}

// What is left of I_R for L.
BLOCK void pass_inertia(const int w, int freedom, const dca_cell *c, const double *I, double *passed) {
  for (int i = 0; i < w * ROW(w); i++) passed[i] = I[i];
  for (int a = 0; a < freedom; a++)
    for (int i = 0; i < w; i++) add_row(w, -c->U[a * ROW(w) + i], c->U + a * ROW(w), passed + i * ROW(w));
}

BLOCK void join_inertia(const int w, const motion *x, const dca_step *s, dca_cell *c) {
  const dca_step *l = &x->dca_plan->steps[s->left];
  const dca_cell *left = &x->dca->cells[s->left];
  double passed[48], half[48];
  pass_inertia(w, s->freedom, c, x->dca->cells[s->right].I, passed);
  if (l->rigid) {
    carry_rows(w, x->links[l->outer].r, passed);
    shift_columns(w, x->links[l->outer].r, passed);
    for (int i = 0; i < w * ROW(w); i++) c->I[i] = left->I[i] + passed[i];
  } else {
    for (int i = 0; i < w; i++) combine(w, left->X, passed + i * ROW(w), half + i * ROW(w));
    for (int i = 0; i < w; i++) {
      double column[6];
      for (int j = 0; j < w; j++) column[j] = left->X[j * ROW(w) + i];
      combine(w, half, column, passed + i * ROW(w));
      for (int k = 0; k < ROW(w); k++) c->I[i * ROW(w) + k] = left->I[i * ROW(w) + k] + passed[i * ROW(w) + k];
    }
  }
  mirror(w, c->I);
}

// X = X_R N X_L with N = 1 - Ĝ Ûᵀ, and Q.
BLOCK void join_outer(const int w, const motion *x, const dca_step *s, dca_cell *c) {
  const dca_step *steps = x->dca_plan->steps, *l = &steps[s->left], *r = &steps[s->right];
  const dca_cell *left = &x->dca->cells[s->left], *right = &x->dca->cells[s->right];
  const int count = r->rank + s->freedom;
  double N[48] = {0}, half[48], columns[18 * 8];
  for (int i = 0; i < w; i++) N[i * (ROW(w) + 1)] = 1;
  for (int a = 0; a < s->freedom; a++)
    for (int i = 0; i < w; i++) add_row(w, -c->G[a * ROW(w) + i], c->U + a * ROW(w), N + i * ROW(w));
  double *product = l->rigid ? N : half;
  if (l->rigid) shift_columns(w, x->links[l->outer].r, N);
  else
    for (int i = 0; i < w; i++) combine(w, left->X, N + i * ROW(w), half + i * ROW(w));
  if (r->rigid) {
    shift_rows(w, x->links[r->outer].r, product);
    memcpy(c->X, product, (size_t)(w * ROW(w)) * sizeof *product);
  } else {
    for (int i = 0; i < w; i++) combine(w, product, right->X + i * ROW(w), c->X + i * ROW(w));
  }
  for (int i = 0; i < r->rank; i++) copy_row(w, right->Q + i * ROW(w), columns + i * ROW(w));
  for (int i = r->rank; i < count; i++) {
    clear_row(w, columns + i * ROW(w));
    outward(w, x, r, right, c->G + (i - r->rank) * ROW(w), columns + i * ROW(w));
  }
  if (count > w) reduce_columns(w, count, columns, c->V);
  for (int i = 0; i < s->rank; i++) copy_row(w, columns + i * ROW(w), c->Q + i * ROW(w));
}

// X -= Φ I_ff⁻¹ I_fr
BLOCK void take_bending(const int w, const node *n, const pack *shapes, const pack *by, double *X) {
  const int groups = flexible_groups(n);
  for (int i = 0; i < w; i++) {
    pack products[8] = {0};
    fours sums[2];
    for (int g = 0; g < groups; g++)
      for (int j = 0; j < w; j++) products[j] += shapes[i * groups + g] * by[j * groups + g];
    pack_sum(products, &sums[0]);
    if (w == 6) pack_sum(products + FOURS, &sums[1]);
    for (int j = 0; j < w; j++) X[i * ROW(w) + j] -= ((const double *)sums)[j];
  }
}

// Of a flexible body, with the shapes Φ of its outer handle:  X = T - Φ I_ff⁻¹ I_fr,  Q = Φ L⁻ᵀ,  I_ff = L Lᵀ.
BLOCK void bend_outer(const int w, const mechanism *m, const motion *x, const dca_step *s, dca_cell *c) {
  const node *n = &m->nodes[s->node];
  const flexible_link *f = &x->dca->flexible[s->node];
  const double *shapes = x->carried[s->outer];
  double columns[8 * (FLEXIBLE_MODES_MAX + 6)];
  memset(columns, 0, (size_t)((n->modes + w) * ROW(w)) * sizeof *columns);
  memset(c->X, 0, (size_t)(w * ROW(w)) * sizeof *c->X);
  for (int i = 0; i < w; i++) c->X[i * (ROW(w) + 1)] = 1;
  shift_rows(w, x->links[s->outer].r, c->X);
  memset(c->Q, 0, (size_t)(s->rank * ROW(w)) * sizeof *c->Q);
  const bool bends = shapes && !n->modes_held;
  if (bends) take_bending(w, n, (const pack *)shapes, f->X, c->X);
  if (!bends) return;
  for (int k = 0; k < n->modes; k++) flexible_column(m, n, shapes, k, columns + k * ROW(w));
  for (int k = 0; k < n->modes; k++) {
    const double *row = (const double *)f->ff + k * flexible_across(n);
    for (int b = k + 1; b < n->modes && !f->diagonal; b++)
      add_row(w, -row[b], columns + k * ROW(w), columns + b * ROW(w));
    scale_row(w, sqrt(f->inverse[k]), columns + k * ROW(w));
  }
  if (n->modes > w) reduce_columns(w, n->modes, columns, c->V);
  memcpy(c->Q, columns, (size_t)(s->rank * ROW(w)) * sizeof *columns);
}

BLOCK bool assemble_leaf(const int w, const mechanism *m, motion *x, const dca_step *s, dca_cell *c) {
  const dca_plan *plan = x->dca_plan;
  const node *n = &m->nodes[s->node];
  const tree_link *l = &x->links[s->node];
  double I[36] = {0};
  block_inertia(w, l->J, l->mk, n->mass, I);
  if (n->flex) flexible_fill(&x->dca->flexible[s->node]);
  for (int j = plan->first_side[s->node]; j >= 0; j = plan->next_side[j]) {
    const dca_step *side = &plan->steps[plan->joint[j]];
    double passed[48], narrow[36];
    pass_inertia(w, side->freedom, &x->dca->cells[plan->joint[j]], x->dca->cells[side->right].I, passed);
    for (int i = 0; i < w * w; i++) narrow[i] = passed[i / w * ROW(w) + i % w];
    block_shift_inertia(w, x->links[j].r, narrow, I);
    if (x->carried && x->carried[j])
      flexible_take_inertia(w, n, &x->dca->flexible[s->node], x->links[j].r, x->carried[j], narrow);
  }
  if (n->flex && !flexible_condense(w, n, &x->dca->flexible[s->node], I, NULL)) return false;
  pad_symmetric(w, I, c->I);
  if (s->outer >= 0 && !s->rigid) bend_outer(w, m, x, s, c);
  return true;
}

BLOCK bool assemble(const int w, const mechanism *m, motion *x, int index) {
  const dca_step *s = &x->dca_plan->steps[index];
  dca_cell *c = &x->dca->cells[index];
  if (s->kind == DCA_LEAF) return assemble_leaf(w, m, x, s, c);
  if (!eliminate(w, m, x, s, c)) return false;
  if (s->kind != DCA_JOIN) return true;
  join_inertia(w, x, s, c);
  if (s->outer >= 0) join_outer(w, x, s, c);
  return true;
}

// --- vectors ---------------------------------------------------------------------------------------------------------

typedef struct forces {
  const mechanism *m;
  motion *x;
  const double *tau;  // may be null for zero
  bool moving;        // with what joints accelerate by that no free speed stands for
  double *out;        // accelerations along speeds; may be null
} forces;

// What a joint accelerates by that no free speed stands for: velocity terms and driven speeds.
BLOCK void add_given(const int w, const forces *g, const node *n, const tree_link *l, double *alpha) {
  for (int i = 0; i < w; i++) alpha[i] += l->c[i];
  for (int k = 0; n->free_count < n->nv && k < n->nv; k++)
    if (g->m->driven[n->v + k]) block_axpy(w, g->x->drive_udot[n->v + k], g->x->S + 6 * (n->v + k), alpha);
}

// ŷ without A₁ and F₂, and what L is pushed by then: I_R α + p_R + Û ŷ.
BLOCK void reduce(const int w, const forces *g, const dca_step *s, dca_cell *c, double *push) {
  const node *n = &g->m->nodes[s->node];
  const dca_cell *right = &g->x->dca->cells[s->right];
  const int f = n->free_count;
  for (int i = 0; i < w; i++) c->alpha[i] = s->left >= 0 ? g->x->dca->cells[s->left].a[i] : 0;
  if (g->moving) add_given(w, g, n, &g->x->links[s->node], c->alpha);
  combine(w, right->I, c->alpha, push);
  for (int i = 0; i < w; i++) push[i] += right->p[i];
  for (int a = 0; a < s->freedom; a++) {
    double y = -block_dot(w, c->U + a * ROW(w), c->alpha) - block_dot(w, c->G + a * ROW(w), right->p);
    for (int b = 0; g->tau && b < f && b <= a; b++) y += c->H[a * s->freedom + b] * g->tau[n->v + n->free[b]];
    block_axpy(w, c->y[a] = y, c->U + a * ROW(w), push);
  }
}

// p of a body, and a where it bends.
BLOCK void reduce_leaf(const int w, const forces *g, const dca_step *s, dca_cell *c) {
  const dca_plan *plan = g->x->dca_plan;
  const node *n = &g->m->nodes[s->node];
  motion *x = g->x;
  for (int i = 0; i < w; i++) c->p[i] = x->links[s->node].pA[i], c->a[i] = 0;
  for (int j = plan->first_side[s->node]; j >= 0; j = plan->next_side[j]) {
    const double *push = x->dca->cells[plan->joint[j]].p;
    block_shift_force(w, x->links[j].r, push, c->p);
    if (x->carried && x->carried[j]) flexible_take_force(w, n, &x->dca->flexible[s->node], x->carried[j], push);
  }
  if (!n->flex) return;
  flexible_link *of = &x->dca->flexible[s->node];
  flexible_reduce(w, n, of, g->tau, c->p);
  if (s->outer >= 0 && x->carried[s->outer]) flexible_add_motion(w, n, x->carried[s->outer], of->e, c->a);
}

BLOCK void gather(const int w, const forces *g, int index) {
  const dca_step *steps = g->x->dca_plan->steps, *s = &steps[index];
  dca_cell *cells = g->x->dca->cells, *c = &cells[index];
  if (s->kind == DCA_LEAF) {
    reduce_leaf(w, g, s, c);
    return;
  }
  double push[8];
  reduce(w, g, s, c, push);
  if (s->kind != DCA_JOIN) {
    for (int i = 0; i < w; i++) c->p[i] = push[i];
    return;
  }
  inward(w, g->x, &steps[s->left], &cells[s->left], push, c->p);
  for (int i = 0; i < w; i++) c->p[i] += cells[s->left].p[i];
  if (s->outer < 0) return;
  double at[8];
  for (int i = 0; i < w; i++) at[i] = c->alpha[i];
  for (int a = 0; a < s->freedom; a++) block_axpy(w, c->y[a], c->G + a * ROW(w), at);
  outward(w, g->x, &steps[s->right], &cells[s->right], at, c->a);
  for (int i = 0; i < w; i++) c->a[i] += cells[s->right].a[i];
}

// The acceleration of a body and of its modes. With z = Qᵀ F₂ from outside, I_ff⁻¹ Φᵀ F₂ = L⁻ᵀ z before columns were
// reduced.
BLOCK void expand_leaf(const int w, const forces *g, const dca_step *s, const dca_cell *c) {
  const node *n = &g->m->nodes[s->node];
  motion *x = g->x;
  for (int i = 0; i < w; i++) x->links[s->node].A[i] = c->A[i];
  if (!n->flex) return;
  flexible_link *of = &x->dca->flexible[s->node];
  flexible_expand(w, n, of, c->A, g->out);
  if (s->outer < 0 || !x->carried[s->outer] || n->modes_held) return;
  double bent[FLEXIBLE_MODES_MAX];
  if (n->modes > w) expand_columns(w, n->modes, c->V, c->z, bent);
  else memcpy(bent, c->z, (size_t)n->modes * sizeof *bent);
  flexible_solve_transposed(n, of, bent);
  for (int k = 0; k < n->modes; k++) {
    of->rate[k] += bent[k];
    if (g->out) g->out[n->modal_v + k] = of->rate[k];
  }
}

// X_L A₁ of an elimination.
BLOCK void come_from(const int w, const forces *g, const dca_step *s, const dca_cell *c, double *to) {
  const motion *x = g->x;
  const int parent = g->m->nodes[s->node].parent;
  if (s->kind == DCA_JOIN) {
    outward(w, x, &x->dca_plan->steps[s->left], &x->dca->cells[s->left], c->A, to);
    return;
  }
  for (int i = 0; i < w; i++) to[i] = 0;
  if (s->kind == DCA_GROUND) return;
  block_shift_motion(w, x->links[s->node].r, x->links[parent].A, to);
  if (x->carried && x->carried[s->node])
    flexible_add_motion(w, &g->m->nodes[parent], x->carried[s->node], x->dca->flexible[parent].rate, to);
}

// F₂ is not needed: z = Qᵀ F₂ is what an assembly yields to it. It is as accurate as accelerations are, while F₂ of a
// light body is rounded like the forces of heavy ones that pass through it.
BLOCK void spread(const int w, const forces *g, int index) {
  const dca_step *steps = g->x->dca_plan->steps, *s = &steps[index];
  dca_cell *cells = g->x->dca->cells, *c = &cells[index];
  if (s->kind == DCA_LEAF) {
    expand_leaf(w, g, s, c);
    return;
  }
  const node *n = &g->m->nodes[s->node];
  const int f = n->free_count, k = s->freedom;
  dca_cell *right = &cells[s->right];
  double from[8], y[MOST], all[MOST + 6];
  come_from(w, g, s, c, from);
  for (int a = 0; a < k; a++) y[a] = c->y[a] - block_dot(w, c->U + a * ROW(w), from);
  if (s->outer >= 0) {
    const int rank = steps[s->right].rank, count = rank + k;
    if (count > w) expand_columns(w, count, c->V, c->z, all);
    else memcpy(all, c->z, (size_t)count * sizeof *all);
    for (int a = 0; a < rank; a++) right->z[a] = all[a];
    for (int a = 0; a < k; a++) y[a] += all[rank + a];
  }
  for (int i = 0; i < w; i++) right->A[i] = from[i] + c->alpha[i];
  for (int a = 0; a < k; a++) block_axpy(w, y[a], c->G + a * ROW(w), right->A);
  for (int b = 0; b < k; b++) {
    double sum = 0;
    for (int a = b; a < k; a++) sum += c->H[a * k + b] * y[a];
    if (b >= f) cells[s->left].z[b - f] = sum;
    else if (g->out) g->out[n->v + n->free[b]] = sum;
  }
  for (int i = 0; s->kind == DCA_JOIN && i < w; i++) cells[s->left].A[i] = c->A[i];
}

// What joints transmit, from the accelerations of assemblies.
BLOCK void transmit(const int w, motion *x, int index) {
  const dca_step *steps = x->dca_plan->steps, *s = &steps[index];
  dca_cell *cells = x->dca->cells, *c = &cells[index];
  if (s->kind == DCA_LEAF) return;
  dca_cell *right = &cells[s->right];
  double *to = x->links[s->node].pA, f[8], back[8] = {0};
  if (s->outer >= 0) inward(w, x, &steps[s->right], right, c->F, back);
  combine(w, right->I, right->A, f);
  for (int i = 0; i < w; i++) to[i] = f[i] += right->p[i] - back[i], right->F[i] = c->F[i];
  for (int i = 0; s->kind == DCA_JOIN && i < w; i++) cells[s->left].F[i] = -f[i];
}

// --- passes ----------------------------------------------------------------------------------------------------------

static bool assemble_step(const mechanism *m, motion *x, int i) {
  return m->planar ? assemble(3, m, x, i) : assemble(6, m, x, i);
}
static void gather_step(const forces *g, int i) {
  if (g->m->planar) gather(3, g, i);
  else gather(6, g, i);
}
static void spread_step(const forces *g, int i) {
  if (g->m->planar) spread(3, g, i);
  else spread(6, g, i);
}

static const crew *share(const motion *x) { return x->dca_plan->step_count >= SHARE ? x->crew : NULL; }

// What a pass inward does with a step: with `out` (else null) forces are gathered while its matrices are still at hand.
static bool go_inward(const forces *g, int i) {
  if (!assemble_step(g->m, g->x, i)) return false;
  if (g->out) gather_step(g, i);
  return true;
}

static void assemble_tasks(void *context, int from, int to) {
  const forces *g = context;
  const dca_plan *p = g->x->dca_plan;
  for (int t = from; t < to; t++) {
    int *singular = &g->x->dca->singular[t];
    *singular = 0;
    for (int i = p->task_begin[t]; i < p->task_end[t] && !*singular; i++)
      if (!go_inward(g, i)) *singular = p->steps[i].node;
  }
}

static bool assemble_all(forces *g) {
  const mechanism *m = g->m;
  motion *x = g->x;
  const dca_plan *p = x->dca_plan;
  x->dca->recursion = x->dca->known = false;
  x->singular_node = 0;
  for (int i = 1; x->flexible && i < m->node_count; i++) x->dca->flexible[i].relaxed = x->flexible[i].relaxed;
  crew_run(share(x), p->task_count, 1, assemble_tasks, g);
  for (int t = 0; t < p->task_count; t++)
    if (x->dca->singular[t] > x->singular_node) x->singular_node = x->dca->singular[t];
  for (int k = 0; k < p->top_count && !x->singular_node; k++)
    if (!go_inward(g, p->top[k])) x->singular_node = p->steps[p->top[k]].node;
  for (int k = 0; k < p->alone_count && !x->singular_node; k++)
    if (!tree_factor_alone(m, x, p->alone[k])) x->singular_node = p->alone[k];
  return !x->singular_node;
}

bool dca_factor(const mechanism *m, motion *x) { return assemble_all(&(forces){.m = m, .x = x}); }

void dca_add_recursion(const mechanism *m, motion *x) {
  if (x->dca->recursion) return;
  x->dca->recursion = true;
  (void)tree_factor(m, x);
}

static void gather_tasks(void *context, int from, int to) {
  const forces *g = context;
  const dca_plan *p = g->x->dca_plan;
  for (int t = from; t < to; t++)
    for (int i = p->task_begin[t]; i < p->task_end[t]; i++) gather_step(g, i);
}

static void spread_tasks(void *context, int from, int to) {
  const forces *g = context;
  const dca_plan *p = g->x->dca_plan;
  for (int t = from; t < to; t++)
    for (int i = p->task_end[t] - 1; i >= p->task_begin[t]; i--) spread_step(g, i);
}

static void gather_all(forces *g) {
  const dca_plan *p = g->x->dca_plan;
  crew_run(share(g->x), p->task_count, 1, gather_tasks, g);
  for (int k = 0; k < p->top_count; k++) gather_step(g, p->top[k]);
}

static void spread_all(forces *g) {
  const dca_plan *p = g->x->dca_plan;
  for (int k = p->top_count - 1; k >= 0; k--) spread_step(g, p->top[k]);
  crew_run(share(g->x), p->task_count, 1, spread_tasks, g);
}

// Biases and applied forces of the bodies.
static void load_nodes(void *context, int from, int to) {
  const forces *g = context;
  const mechanism *m = g->m;
  motion *x = g->x;
  for (int i = from + 1; i <= to; i++) {
    tree_link *l = &x->links[i];
    for (int k = 0; k < m->n; k++) l->pA[k] = l->bias[k] - l->F[k];
    if (m->nodes[i].flex) flexible_begin(&m->nodes[i], NULL, &x->dca->flexible[i]);
  }
}

static forces load(const mechanism *m, motion *x) {
  forces g = {m, x, x->tau, true, x->udot};
  crew_run(share(x), m->node_count - 1, SHARE, load_nodes, &g);
  memcpy(x->udot, x->drive_udot, (size_t)m->nv * sizeof *x->udot);
  return g;
}

static void finish(forces *g) {
  motion *x = g->x;
  spread_all(g);
  for (int k = 0; k < x->dca_plan->alone_count; k++) tree_forward_alone(g->m, x, x->dca_plan->alone[k]);
  memcpy(x->dca->udot, x->udot, (size_t)g->m->nv * sizeof *x->udot);
  x->dca->known = true;
}

void dca_forward(const mechanism *m, motion *x) {
  forces g = load(m, x);
  gather_all(&g);
  finish(&g);
}

bool dca_accelerate(const mechanism *m, motion *x) {
  forces g = load(m, x);
  if (!assemble_all(&g)) {
    for (int i = 1; i < m->node_count; i++)
      if (m->nodes[i].flex) memset(x->dca->flexible[i].p, 0, (size_t)m->nodes[i].modes * sizeof(double));
    return false;
  }
  finish(&g);
  return true;
}

void dca_transmit(const mechanism *m, motion *x) {
  const dca_plan *p = x->dca_plan;
  if (!x->dca->known || memcmp(x->dca->udot, x->udot, (size_t)m->nv * sizeof *x->udot) != 0) return;
  for (int i = p->step_count - 1; i >= 0; i--) {
    if (p->steps[i].kind == DCA_LEAF) memcpy(x->links[p->steps[i].node].A, x->dca->cells[i].A, 6 * sizeof(double));
    else if (m->planar) transmit(3, x, i);
    else transmit(6, x, i);
  }
}

void dca_solve(const mechanism *m, motion *x, const double *tau, double *out) {
  memset(out, 0, (size_t)m->nv * sizeof *out);
  x->dca->known = false;
  forces g = {m, x, tau, false, out};
  gather_all(&g), spread_all(&g);
  for (int k = 0; k < x->dca_plan->alone_count; k++) tree_solve_alone(m, x, x->dca_plan->alone[k], tau, out);
}

// --- rows ------------------------------------------------------------------------------------------------------------

// The steps that know the terms of a row: leaves of its bodies and modes, joints of its speeds.
static int step_of_speed(const mechanism *m, const motion *x, int speed) {
  const node *n = &m->nodes[m->speed_node[speed]];
  const bool modal = n->modes && speed >= n->modal_v;
  return modal ? x->dca_plan->leaf[m->speed_node[speed]] : x->dca_plan->joint[m->speed_node[speed]];
}
static int step_of_term(const mechanism *m, const motion *x, const row *r, int k) {
  if (k >= r->body_count) return step_of_speed(m, x, x->row_speeds[r->speed0 + k - r->body_count].speed);
  const int index = x->row_bodies[r->body0 + k].node;
  return index == GROUND ? -1 : x->dca_plan->leaf[index];
}

// What a response has left in a step.
static void clear_step(const mechanism *m, motion *x, int i) {
  const dca_step *s = &x->dca_plan->steps[i];
  dca_cell *c = &x->dca->cells[i];
  memset(c->p, 0, sizeof c->p), memset(c->a, 0, sizeof c->a), memset(c->alpha, 0, sizeof c->alpha);
  memset(c->y, 0, (size_t)s->freedom * sizeof *c->y);
  if (s->kind != DCA_LEAF) return;
  memset(x->links[s->node].pA, 0, sizeof x->links[s->node].pA);
  for (int k = 0; k < m->nodes[s->node].modes; k++) x->dca->flexible[s->node].e[k] = x->dca->flexible[s->node].p[k] = 0;
}

static void mark_way(const mechanism *m, const motion *x, const row *r, bool *marked) {
  for (int k = 0; k < r->body_count + r->speed_count; k++)
    for (int at = step_of_term(m, x, r, k); at >= 0 && !marked[at]; at = x->dca_plan->steps[at].up) marked[at] = true;
}

// Adds the active steps up to step i to a list, in their order, and clears these and what they are made of. Returns the
// length of the list.
static int list_below(const mechanism *m, motion *x, int i, int count) {
  const dca_plan *p = x->dca_plan;
  const dca_step *s = &p->steps[i];
  clear_step(m, x, i);
  if (!x->dca->active[i]) return count;
  if (s->left >= 0) count = list_below(m, x, s->left, count);
  if (s->right >= 0) count = list_below(m, x, s->right, count);
  for (int j = s->kind == DCA_LEAF ? p->first_side[s->node] : -1; j >= 0; j = p->next_side[j])
    count = list_below(m, x, p->joint[j], count);
  x->dca->list[count] = i;
  return count + 1;
}

static void list_active(const mechanism *m, motion *x) {
  const dca_plan *p = x->dca_plan;
  dca_work *w = x->dca;
  int count = 0;
  for (int b = 0; b < m->base_count; b++) {
    w->begin[b] = count;
    if (p->base_begin[b] < p->base_end[b]) count = list_below(m, x, p->base_end[b] - 1, count);
  }
  w->begin[m->base_count] = count;
  w->known = false;
  for (int k = 0; k < p->alone_count; k++) memset(x->links[p->alone[k]].pA, 0, sizeof x->links[0].pA);
}

// What is neither on the way of a row nor next to it is not looked at.
void dca_focus(const mechanism *m, motion *x, int from, int to) {
  dca_work *w = x->dca;
  for (int k = 0; k < w->begin[m->base_count]; k++) w->active[w->list[k]] = false;
  for (int i = from; i < to; i++) mark_way(m, x, &x->rows[i], w->active);
  list_active(m, x);
}

void dca_focus_all(const mechanism *m, motion *x) {
  for (int i = 0; i < x->dca_plan->step_count; i++) x->dca->active[i] = true;
  list_active(m, x);
}

static void push_along(const mechanism *m, motion *x, const row *r, double *tau) {
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node != GROUND) block_axpy(m->n, -1, t->J, x->links[t->node].pA);
  }
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
}

// A tree of one body, whose modes leave a force on it.
static void respond_alone(const mechanism *m, motion *x, int base, double *tau, double *out) {
  tree_solve_base(m, x, base, tau, out);
  for (int k = m->base_start[base]; k < m->base_start[base + 1]; k++)
    memset(x->links[m->base_nodes[k]].pA, 0, sizeof x->links[0].pA);
}

void dca_respond(const mechanism *m, motion *x, const row *r, double *tau, double *out) {
  dca_work *w = x->dca;
  const forces g = {m, x, tau, false, out};
  push_along(m, x, r, tau);
  mark_way(m, x, r, w->marked);
  for (int b = 0; b < r->base_count; b++) {
    const int base = x->row_bases[r->base0 + b], begin = w->begin[base], end = w->begin[base + 1];
    if (begin == end) respond_alone(m, x, base, tau, out);
    for (int k = begin; k < end; k++)
      if (w->marked[w->list[k]]) gather_step(&g, w->list[k]), w->visited++;
    w->visited += end - begin;
    for (int k = end - 1; k >= begin; k--) spread_step(&g, w->list[k]);
    for (int k = begin; k < end; k++)
      if (w->marked[w->list[k]]) clear_step(m, x, w->list[k]), w->marked[w->list[k]] = false;
  }
  for (int k = 0; k < r->body_count; k++)
    memset(x->links[x->row_bodies[r->body0 + k].node].pA, 0, sizeof x->links[0].pA);
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] = 0;
}
