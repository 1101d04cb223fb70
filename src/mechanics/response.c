#include "mechanics/response.h"

#include <string.h>

#include "mechanics/dca.h"
#include "mechanics/response_internal.h"
#include "mechanics/tree.h"

// In a mechanism of many loops most rows have few bodies between them and ground, and few speeds in common: W from
// their halves takes less than the recursions through the whole tree. Not in crowds, whose rows have no end.
static void make_halves(const mechanism *m, motion *x, int extra_rows) {
  enum { MOST_ENTRIES = 1 << 20 };
  response_work *w = x->response;
  long all = (long)(m->row_count + extra_rows) * m->nv;
  if (m->sparse) return;
  w->by_halves = !m->small && response_has_many_loops(m) && all <= MOST_ENTRIES;
  w->halves = ARENA_ARRAY(&x->memory, double, (w->by_halves ? all : (long)m->row_count * m->nv) + 1);
}

void response_create(const mechanism *m, motion *x) {
  arena *a = &x->memory;
  response_work *w = x->response = ARENA_NEW(a, response_work);
  int nc = m->row_count ? m->row_count : 1;
  long entries = m->sparse ? m->pattern_start[m->row_count] : (long)m->row_count * m->row_count;
  if (m->small) response_small_create(m, x);
  int slots = m->row_body_count + m->row_speed_count + 2 * m->extra_rows + 1;
  w->tree_slot = ARENA_ARRAY(a, int, m->base_count + 1);
  w->slot_next = ARENA_ARRAY(a, int, slots);
  w->slot_row = ARENA_ARRAY(a, int, slots);
  w->W = ARENA_ARRAY(a, double, entries + 1);
  w->factor = ARENA_ARRAY(a, double, entries + 1);
  w->scale = ARENA_ARRAY(a, double, nc);
  w->order = ARENA_ARRAY(a, int, nc);
  w->moving = ARENA_ARRAY(a, int, nc);
  make_halves(m, x, m->extra_rows);
  w->path = ARENA_ARRAY(a, int, m->node_count + 1);
  w->held = ARENA_ARRAY(a, int, m->extra_rows + 1);
  w->unit = ARENA_ARRAY(a, double, m->row_count + m->extra_rows + 1);
  if (!m->redundant && m->sparse) return;
  w->dense = ARENA_ARRAY(a, double, 2 * (long)nc * nc);
  w->dense_scale = ARENA_ARRAY(a, double, nc);
  w->dense_order = ARENA_ARRAY(a, int, nc);
}

// Lists of rows and vectors are made anew when rows are taken; held rows are kept.
void response_enlarge(const mechanism *m, motion *x, int extra_rows) {
  arena *a = &x->memory;
  response_work *w = x->response;
  int slots = m->row_body_count + m->row_speed_count + 2 * extra_rows + 1, *held = ARENA_ARRAY(a, int, extra_rows + 1);
  if (m->small) w->vectors = ARENA_ARRAY(a, double, 2 * (size_t)m->nv * (size_t)(m->row_count + extra_rows + 1));
  w->slot_next = ARENA_ARRAY(a, int, slots);
  w->slot_row = ARENA_ARRAY(a, int, slots);
  make_halves(m, x, extra_rows);
  memcpy(held, w->held, (size_t)w->held_count * sizeof *held);
  w->held = held;
  x->rows_taken = 0;
}

bool response_open(const mechanism *m, motion *x) {
  if (!m->sparse) return true;
  x->response->sparse = sparse_factor_create(m->row_count, m->pattern_start, m->pattern_row);
  return x->response->sparse != NULL;
}

void response_close(motion *x) {
  if (x->response) sparse_factor_destroy(x->response->sparse);
}

// --- M ---------------------------------------------------------------------------------------------------------------

bool response_factor(const mechanism *m, motion *x) {
  x->written_out = false;
  return m->dca ? dca_factor(m, x) : tree_factor(m, x);
}

void response_forward(const mechanism *m, motion *x) {
  if (m->dca) dca_forward(m, x);
  else tree_forward(m, x);
}

bool response_factor_forward(const mechanism *m, motion *x) {
  x->written_out = false;
  return m->dca ? dca_accelerate(m, x) : tree_accelerate(m, x);
}

bool response_accelerate(const mechanism *m, motion *x) {
  if (!m->small) return response_factor_forward(m, x);
  x->written_out = true;
  return response_small_accelerate(m, x);
}

static inline bool is_written_out(const mechanism *m, motion *x) {
  if (!x->written_out) return false;
  if (x->rows_taken < x->row_total) m->small->take_rows(m, x);
  return true;
}

bool response_is_written_out(const mechanism *m, motion *x) { return is_written_out(m, x); }

// --- impulses and speeds ---------------------------------------------------------------------------------------------

void response_rates(const mechanism *m, motion *x, const double *u, double *rates) {
  if (is_written_out(m, x)) m->small->rates(x, u, rates);
  else response_tree_rates(m, x, u, rates);
}

const double *response_to(const mechanism *m, motion *x, const double *P, int row_count) {
  double *out = x->speed_work[1];
  if (is_written_out(m, x)) {
    memset(out, 0, (size_t)m->nv * sizeof *out);
    m->small->add(x, P, row_count, out, out);
  } else {
    response_tree_solve(m, x, P, row_count, out);
  }
  return out;
}

void response_add(const mechanism *m, motion *x, const double *P, const double *u0, double *u) {
  if (is_written_out(m, x)) {
    m->small->add(x, P, x->row_total, u0, u);
    return;
  }
  const double *change = response_to(m, x, P, x->row_total);
  for (int k = 0; k < m->nv; k++) u[k] = u0[k] + change[k];
}

// --- W ---------------------------------------------------------------------------------------------------------------

// W_ij = J_i M⁻¹ J_jᵀ is the rate of row i under the response to row j.

static void form_dense(const mechanism *m, motion *x, int n, double *W) {
  if (is_written_out(m, x)) m->small->matrix(x, n, W);
  else response_tree_matrix(m, x, n, W);
}

static void form_sparse(const mechanism *m, motion *x, double *W) {
  if (is_written_out(m, x)) m->small->pattern(m, x, W);
  else response_tree_pattern(m, x, W);
}

void response_matrix(const mechanism *m, motion *x, double *W) {
  form_dense(m, x, x->row_total, W);
  if (!interrupted(x->stop)) response_decouple_fixed(m, x, W);
}

void response_form_constraints(const mechanism *m, motion *x) {
  if (m->sparse) form_sparse(m, x, x->response->W);
  else form_dense(m, x, m->row_count, x->response->W);
}

void response_half(const mechanism *m, motion *x, int j, int stride, double *half) {
  if (is_written_out(m, x)) response_small_half(m, x, j, stride, half);
  else response_tree_half(m, x, j, stride, half);
}

// n M⁻¹ (nᵀ + Gᵀ λ), with G M⁻¹ (nᵀ + Gᵀ λ) = 0.
double response_mobility(const mechanism *m, motion *x, int row) {
  double *rows = x->response->unit;
  memset(rows, 0, (size_t)x->row_total * sizeof *rows);
  rows[row] = 1;
  response_rates(m, x, response_to(m, x, rows, x->row_total), rows);
  if (!m->row_count) return rows[row];
  for (int i = 0; i < x->row_total; i++) rows[i] = i < m->row_count ? -rows[i] : i == row;
  if (!response_factor_constraints(m, x)) return 0;
  response_solve_constraints(m, x, rows, rows);
  response_rates(m, x, response_to(m, x, rows, x->row_total), rows);
  return rows[row];
}
