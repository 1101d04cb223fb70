// The response to rows by recursion. A row acts on the bodies and speeds of a few trees; other trees do not feel it.
#include <string.h>

#include "mechanics/block.h"
#include "mechanics/dca.h"
#include "mechanics/flexible.h"
#include "mechanics/response_internal.h"
#include "mechanics/tree.h"

// Adds the wrenches and efforts of one row with multiplier 1 to links[].pA and tau.
static void push_along(const mechanism *m, motion *x, const row *r, double *tau) {
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node != GROUND) block_axpy(m->n, -1, t->J, x->links[t->node].pA);
  }
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
}

// The same on zeros in the trees that the row touches.
static void apply_row(const mechanism *m, motion *x, const row *r, double *tau) {
  const int *bases = x->row_bases + r->base0;
  for (int b = 0; b < r->base_count; b++)
    for (int k = m->base_start[bases[b]]; k < m->base_start[bases[b] + 1]; k++)
      memset(x->links[m->base_nodes[k]].pA, 0, sizeof x->links[0].pA);
  push_along(m, x, r, tau);
}

static void take_efforts_back(const motion *x, const row *r, double *tau) {
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] = 0;
}

// M⁻¹ times one row: accelerations of the bodies (links[].A) and speeds (out) in the trees it touches. tau is zero
// before and after. By divide and conquer, of those that `begin` has named.
static void respond_to_row(const mechanism *m, motion *x, const row *r, double *tau, double *out) {
  if (m->dca) {
    dca_respond(m, x, r, tau, out);
    return;
  }
  apply_row(m, x, r, tau);
  for (int b = 0; b < r->base_count; b++) tree_solve_base(m, x, x->row_bases[r->base0 + b], tau, out);
  take_efforts_back(x, r, tau);
}

static bool touches(const motion *x, const row *r, int base) {
  for (int b = 0; b < r->base_count; b++)
    if (x->row_bases[r->base0 + b] == base) return true;
  return false;
}

// Another row's rate under that response; bodies and speeds of trees that `mover` does not touch do not move.
static double rate_under_response(const mechanism *m, const motion *x, const row *mover, const row *r,
                                  const double *out) {
  double sum = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node != GROUND && touches(x, mover, m->nodes[t->node].base))
      sum += block_dot(m->n, t->J, x->links[t->node].A);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    if (touches(x, mover, m->nodes[m->speed_node[t->speed]].base)) sum += t->c * out[t->speed];
  }
  return sum;
}

// Responses between the rows from … to - 1. Driven speeds do not respond: they stay zero.
static void begin(const mechanism *m, motion *x, int from, int to) {
  if (m->dca) dca_focus(m, x, from, to);
  memset(x->speed_work[0], 0, (size_t)m->nv * sizeof *x->speed_work[0]);
  memset(x->speed_work[1], 0, (size_t)m->nv * sizeof *x->speed_work[1]);
}

static void list_row(const motion *x, int j) {
  const row *r = &x->rows[j];
  response_work *w = x->response;
  for (int slot = r->base0; slot < r->base0 + r->base_count; slot++) {
    int *first = &w->tree_slot[x->row_bases[slot]];
    w->slot_row[slot] = j, w->slot_next[slot] = *first;
    *first = slot;
  }
}

// From the last row to the first: each meets those from itself on that touch one of its trees. In a crowd of bodies
// most rows have no tree in common.
static void matrix_by_responses(const mechanism *m, motion *x, int n, double *W) {
  const response_work *w = x->response;
  double *speeds = x->speed_work[1];
  begin(m, x, 0, n);
  memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
  for (int b = 0; b < m->base_count; b++) w->tree_slot[b] = -1;
  for (int j = n - 1; j >= 0 && !interrupted(x->stop); j--) {
    const row *mover = &x->rows[j];
    respond_to_row(m, x, mover, x->speed_work[0], speeds);
    list_row(x, j);
    for (int b = 0; b < mover->base_count; b++)
      for (int slot = w->tree_slot[x->row_bases[mover->base0 + b]]; slot >= 0; slot = w->slot_next[slot]) {
        int i = w->slot_row[slot];
        W[(long)i * n + j] = W[(long)j * n + i] = rate_under_response(m, x, mover, &x->rows[i], speeds);
      }
  }
}

void response_own(const mechanism *m, motion *x, int row, int count, double *rates) {
  const struct row *mover = &x->rows[row];
  begin(m, x, row, row + count);
  respond_to_row(m, x, mover, x->speed_work[0], x->speed_work[1]);
  for (int i = 0; i < count; i++) rates[i] = rate_under_response(m, x, mover, &x->rows[row + i], x->speed_work[1]);
}

void response_tree_pattern(const mechanism *m, motion *x, double *W) {
  double *speeds = x->speed_work[1];
  begin(m, x, 0, m->row_count);
  for (int j = 0; j < m->row_count && !interrupted(x->stop); j++) {
    const row *mover = &x->rows[j];
    respond_to_row(m, x, mover, x->speed_work[0], speeds);
    for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
      W[k] = rate_under_response(m, x, mover, &x->rows[m->pattern_row[k]], speeds);
  }
}

// J over the speeds of a tree: a wrench on a body works on every speed between it and ground.
static void project_row(const mechanism *m, const motion *x, const row *r, int tree, const response_piece *of) {
  for (int s = 0; s < of->speed_count; s++) of->J[s] = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node == GROUND || m->nodes[t->node].base != tree) continue;
    double f[6];
    memcpy(f, t->J, sizeof f);
    for (int i = t->node; i != GROUND; i = m->nodes[i].parent) {
      const node *n = &m->nodes[i];
      for (int v = n->v; v < n->v + n->nv; v++) of->J[m->speed_place[v]] += block_dot(m->n, x->S + 6 * v, f);
      for (int a = 0; a < flexible_carriers(m, x, i); a++)
        of->J[m->speed_place[m->nodes[n->parent].modal_v + a]] += flexible_carried_effort(m, x, i, a, f);
      if (m->planar) block_carry_force(3, x->links[i].r, f);
      else block_carry_force(6, x->links[i].r, f);
    }
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    if (m->nodes[m->speed_node[t->speed]].base == tree) of->J[m->speed_place[t->speed]] += t->c;
  }
}

bool response_of_free_bodies(const mechanism *m) {
  for (int tree = 0; tree < m->base_count; tree++)
    if (!m->base_is_body[tree]) return false;
  return true;
}

// L⁻¹ Sᵀ f of a row on the free body of a node, which stands for J and for M⁻¹ Jᵀ alike. No recursion is needed.
BLOCK void split_free_body(const int w, const mechanism *m, const motion *x, const row *r, int index, double *to) {
  const node *n = &m->nodes[index];
  double f[6] = {0}, J[6];
  bool steady = w == 6 && n->steady;
  for (int k = 0; k < r->body_count; k++)
    if (x->row_bodies[r->body0 + k].node == index) block_axpy(w, 1, x->row_bodies[r->body0 + k].J, f);
  if (steady) tree_steady_efforts(x->S + 6 * n->v, f, J);
  else
    for (int v = 0; v < w; v++) J[v] = block_dot(w, x->S + 6 * (n->v + v), f);
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    if (m->speed_node[t->speed] == index) J[t->speed - n->v] += t->c;
  }
  if (steady) tree_steady_half(n, J, to);
  else block_mul_transposed(w, tree_free_half(w, n, x), J, to);
}

static int free_node(const mechanism *m, int tree) { return m->base_nodes[m->base_start[tree]]; }

// Of a row that has trees of several bodies among its own.
static void split_row(const mechanism *m, motion *x, int i, const response_pieces *p) {
  const row *r = &x->rows[i];
  double *speeds = x->speed_work[1];
  bool responded = false;
  for (int b = 0, k = p->first[p->block_of[i]]; b < r->base_count; b++, k++) {
    int tree = x->row_bases[r->base0 + b];
    const response_piece of = response_piece_of(p, k, i);
    if (m->base_is_body[tree]) {
      if (m->planar) split_free_body(3, m, x, r, free_node(m, tree), of.J);
      else split_free_body(6, m, x, r, free_node(m, tree), of.J);
      memcpy(of.response, of.J, (size_t)of.speed_count * sizeof *of.J);
      continue;
    }
    if (!responded) respond_to_row(m, x, r, x->speed_work[0], speeds);
    responded = true;
    project_row(m, x, r, tree, &of);
    for (int s = 0; s < of.speed_count; s++) of.response[s] = speeds[m->base_speeds[of.at + s]];
  }
}

typedef struct split_job {
  const mechanism *m;
  motion *x;
  const response_pieces *p;
} split_job;

// Blocks on free bodies alone: all rows of one body, then those of the next.
BLOCK void split_free_blocks(const int w, const split_job *j, int from, int to) {
  const mechanism *m = j->m;
  const motion *x = j->x;
  const response_pieces *p = j->p;
  for (int b = from; b < to; b++) {
    const int *trees = x->row_bases + x->rows[p->start[b]].base0;
    for (int k = p->first[b]; k < p->first[b + 1]; k++) {
      double *J = p->J + p->offset[k];
      for (int i = p->start[b], node = free_node(m, trees[k - p->first[b]]); i < p->start[b + 1]; i++, J += w)
        split_free_body(w, m, x, &x->rows[i], node, J);
    }
  }
}

static void split_blocks(void *context, int from, int to) {
  const split_job *j = context;
  if (j->m->planar) split_free_blocks(3, j, from, to);
  else split_free_blocks(6, j, from, to);
}

void response_tree_split(const mechanism *m, motion *x, response_pieces *p) {
  begin(m, x, 0, 0);
  if (m->dca) dca_focus_all(m, x);
  tree_form_halves(m, x);
  if (p->J == p->response) {  // free bodies alone: no block needs the workspace of another
    crew_run(x->crew, p->block_count, TREE_SHARE, split_blocks, &(split_job){m, x, p});
    return;
  }
  for (int i = 0; i < p->row_count && !interrupted(x->stop); i++) split_row(m, x, i, p);
}

// --- half of the response --------------------------------------------------------------------------------------------

// Adds a node and those below it to a list without repetition, from the outermost to the innermost.
static int add_to_path(const mechanism *m, int node, int *path, int count) {
  for (int at = 0; node != GROUND; node = m->nodes[node].parent) {
    while (at < count && path[at] > node) at++;
    if (at < count && path[at] == node) break;  // and so are those below it
    memmove(path + at + 1, path + at, (size_t)(count - at) * sizeof *path);
    path[at] = node, count++;
  }
  return count;
}

static int list_path(const mechanism *m, const motion *x, const row *r) {
  int *path = x->response->path, count = 0;
  for (int k = 0; k < r->body_count; k++) count = add_to_path(m, x->row_bodies[r->body0 + k].node, path, count);
  for (int k = 0; k < r->speed_count; k++)
    count = add_to_path(m, m->speed_node[x->row_speeds[r->speed0 + k].speed], path, count);
  return count;
}

void response_tree_half(const mechanism *m, motion *x, int j, int stride, double *half) {
  if (m->dca) dca_add_recursion(m, x);
  const row *r = &x->rows[j];
  const int *path = x->response->path, count = list_path(m, x, r);
  double *tau = x->speed_work[0], *e = x->speed_work[1];
  for (int k = 0; k < count; k++) {
    const node *n = &m->nodes[path[k]];
    memset(x->links[path[k]].pA, 0, sizeof x->links[0].pA);
    for (int v = n->v; v < n->v + n->nv; v++) tau[v] = 0;
    for (int v = n->modal_v; v < n->modal_v + n->modes; v++) tau[v] = 0;
  }
  push_along(m, x, r, tau);
  tree_reduce_nodes(m, x, path, count, tau, e);
  for (int k = 0; k < count; k++) {
    const node *n = &m->nodes[path[k]];
    for (int a = 0; a < n->free_count; a++) half[(long)(n->v + n->free[a]) * stride] = e[n->v + n->free[a]];
    for (int v = n->modal_v; v < n->modal_v + n->modes; v++) half[(long)v * stride] = e[v];
  }
}

// W_ij = e_i · e_j, summed over the speeds that row i has.
static void matrix_by_halves(const mechanism *m, motion *x, int n, double *W) {
  double *E = x->response->halves;
  memset(E, 0, (size_t)n * (size_t)m->nv * sizeof *E);
  memset(W, 0, (size_t)n * (size_t)n * sizeof *W);
  for (int j = 0; j < n; j++) response_tree_half(m, x, j, n, E + j);
  for (int i = 0; i < n && !interrupted(x->stop); i++) {
    double *Wi = W + (long)i * n;
    for (int v = 0; v < m->nv; v++) {
      const double *Ev = E + (long)v * n, e = Ev[i];
      if (e == 0) continue;
      for (int j = i; j < n; j++) Wi[j] += e * Ev[j];
    }
    for (int j = i + 1; j < n; j++) W[(long)j * n + i] = Wi[j];
  }
}

void response_tree_matrix(const mechanism *m, motion *x, int n, double *W) {
  if (x->response->by_halves) matrix_by_halves(m, x, n, W);
  else matrix_by_responses(m, x, n, W);
}

// --- rates -----------------------------------------------------------------------------------------------------------

BLOCK void find_rates(const int w, const motion *x, const double *u, double *rates, int from, int to) {
  for (int i = from; i < to; i++) {
    const row *r = &x->rows[i];
    double sum = 0;
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      sum += block_dot(w, t->J, x->links[t->node].A);
    }
    for (int k = 0; k < r->speed_count; k++)
      sum += x->row_speeds[r->speed0 + k].c * u[x->row_speeds[r->speed0 + k].speed];
    rates[i] = sum;
  }
}

static void rates_of_rows(void *context, int from, int to) {
  const tree_job *j = context;
  if (j->m->planar) find_rates(3, j->x, j->in, j->out, from, to);
  else find_rates(6, j->x, j->in, j->out, from, to);
}

void response_tree_rates(const mechanism *m, motion *x, const double *u, double *rates) {
  tree_spread(m, x, u);
  crew_run(x->crew, x->row_total, TREE_SHARE, rates_of_rows, &(tree_job){m, x, u, rates});
}

void response_tree_solve(const mechanism *m, motion *x, const double *P, int row_count, double *out) {
  double *tau = x->speed_work[0];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  for (int i = 0; i < row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (t->node != GROUND) block_axpy(m->n, -P[i], t->J, x->links[t->node].pA);
    }
    for (int k = 0; k < r->speed_count; k++)
      tau[x->row_speeds[r->speed0 + k].speed] += P[i] * x->row_speeds[r->speed0 + k].c;
  }
  if (m->dca) dca_solve(m, x, tau, out);
  else tree_solve(m, x, tau, out);
}
