// Rows in pieces on the trees that they touch.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mechanics/block.h"
#include "mechanics/response_internal.h"
#include "mechanics/tree.h"

static int count_speeds(const mechanism *m, int tree) {
  return m->base_speed_start[tree + 1] - m->base_speed_start[tree];
}

// --- memory ----------------------------------------------------------------------------------------------------------

static bool renew(void *array, size_t count, size_t size) {
  void **a = array;
  free(*a);
  return (*a = malloc((count + 1) * size)) != NULL;
}

// What was there is lost: the pieces are made anew for every problem.
static bool reserve(response_pieces *p, int rows, int blocks, int pieces, size_t values) {
  bool made = true;
  if (!p->start || blocks > p->most_blocks) {
    p->most_blocks = blocks + blocks / 2;
    made &= renew(&p->start, (size_t)p->most_blocks + 1, sizeof *p->start) &&
            renew(&p->first, (size_t)p->most_blocks + 1, sizeof *p->first);
  }
  if (!p->own || rows > p->most_rows) {
    p->most_rows = rows + rows / 2;
    size_t count = (size_t)p->most_rows;
    made &= renew(&p->own, count, sizeof *p->own) && renew(&p->diagonal, count, sizeof *p->diagonal) &&
            renew(&p->block_of, count, sizeof *p->block_of);
  }
  if (!p->at || pieces > p->most_pieces) {
    p->most_pieces = pieces + pieces / 2;
    size_t count = (size_t)p->most_pieces;
    made &= renew(&p->at, count, sizeof *p->at) && renew(&p->width, count, sizeof *p->width) &&
            renew(&p->offset, count, sizeof *p->offset);
  }
  if (!p->values[0] || values > p->most_values) {
    p->most_values = values + values / 2;
    made &= renew(&p->values[0], p->most_values, sizeof *p->J) && renew(&p->values[1], p->most_values, sizeof *p->J);
  }
  if (!made) response_pieces_free(p);
  return made;
}

void response_pieces_free(response_pieces *p) {
  void *const arrays[] = {p->start,  p->block_of,  p->first,     p->at,  p->width,
                          p->offset, p->values[0], p->values[1], p->own, p->diagonal};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  *p = (response_pieces){0};
}

// --- layout ----------------------------------------------------------------------------------------------------------

// Asserted only; inline, so that a build without assertions does not call it unused.
static inline bool same_trees(const motion *x, const row *a, const row *b) {
  return a->base_count == b->base_count &&
         memcmp(x->row_bases + a->base0, x->row_bases + b->base0, (size_t)a->base_count * sizeof *x->row_bases) == 0;
}

static bool lay_out(const mechanism *m, const motion *x, const int *start, int block_count, response_pieces *p) {
  int pieces = 0;
  size_t values = 0;
  bool free_bodies = !x->written_out;  // and nothing else
  for (int b = 0; b < block_count; b++) {
    const row *r = &x->rows[start[b]];
    pieces += r->base_count;
    for (int k = 0; k < r->base_count; k++) {
      int tree = x->row_bases[r->base0 + k];
      values += (size_t)(start[b + 1] - start[b]) * (size_t)count_speeds(m, tree);
      free_bodies = free_bodies && m->base_is_body[tree];
    }
    for (int i = start[b] + 1; i < start[b + 1]; i++) assert(same_trees(x, r, &x->rows[i]));
  }
  if (!reserve(p, x->row_total, block_count, pieces, values)) return false;
  p->J = p->values[0], p->response = p->values[free_bodies ? 0 : 1];
  memcpy(p->start, start, (size_t)(block_count + 1) * sizeof *start);
  p->row_count = x->row_total, p->block_count = block_count, p->velocity_count = m->base_speed_start[m->base_count];
  pieces = 0, values = 0;
  for (int b = 0; b < block_count; b++) {
    const row *r = &x->rows[start[b]];
    p->first[b] = pieces;
    for (int k = 0; k < r->base_count; k++) {
      int tree = x->row_bases[r->base0 + k], speeds = count_speeds(m, tree);
      p->at[pieces] = m->base_speed_start[tree], p->width[pieces] = speeds, p->offset[pieces++] = values;
      values += (size_t)(start[b + 1] - start[b]) * (size_t)speeds;
    }
    for (int i = start[b]; i < start[b + 1]; i++) p->block_of[i] = b, p->own[i] = 0;
  }
  p->first[block_count] = pieces;
  return true;
}

static void find_diagonal(response_pieces *p, int b) {
  for (int i = p->start[b]; i < p->start[b + 1]; i++) p->diagonal[i] = 0;
  for (int k = p->first[b]; k < p->first[b + 1]; k++) {
    const double *J = p->J + p->offset[k], *R = p->response + p->offset[k];
    for (int i = p->start[b], width = p->width[k]; i < p->start[b + 1]; i++, J += width, R += width) {
      double sum = 0;
      for (int s = 0; s < width; s++) sum += J[s] * R[s];
      p->diagonal[i] += sum;
    }
  }
}

static void find_diagonals(void *context, int from, int to) {
  for (int b = from; b < to; b++) find_diagonal(context, b);
}

bool response_split(const mechanism *m, motion *x, const int *start, int block_count, response_pieces *p) {
  if (!lay_out(m, x, start, block_count, p)) return false;
  x->response->held_count = 0;
  if (response_is_written_out(m, x)) response_small_split(m, x, p);
  else response_tree_split(m, x, p);
  if (interrupted(x->stop)) return true;
  crew_run(x->crew, block_count, TREE_SHARE, find_diagonals, p);
  for (int i = 0; i < p->row_count; i++)
    if (!response_moves(m, x, i, p->diagonal[i])) response_piece_clear(p, i, response_fixed_diagonal(m, x, i));
  return true;
}

static size_t place_of(const response_pieces *p, int k, int row_index) {
  return p->offset[k] + (size_t)(row_index - p->start[p->block_of[row_index]]) * (size_t)p->width[k];
}

response_piece response_piece_of(const response_pieces *p, int k, int row_index) {
  size_t at = place_of(p, k, row_index);
  return (response_piece){p->width[k], p->at[k], p->J + at, p->response + at};
}

double response_product(const response_pieces *p, int i, int j) {
  double sum = i == j ? p->own[i] : 0;
  int bi = p->block_of[i], bj = p->block_of[j];
  for (int a = p->first[bi]; a < p->first[bi + 1]; a++)
    for (int b = p->first[bj]; b < p->first[bj + 1]; b++) {
      if (p->at[a] != p->at[b]) continue;
      const double *J = p->J + place_of(p, a, i), *R = p->response + place_of(p, b, j);
      for (int s = 0; s < p->width[a] && s < p->width[b]; s++) sum += J[s] * R[s];
    }
  return sum;
}

void response_piece_clear(response_pieces *p, int i, double own) {
  for (int k = p->first[p->block_of[i]]; k < p->first[p->block_of[i] + 1]; k++) {
    size_t bytes = (size_t)p->width[k] * sizeof(double);
    memset(p->J + place_of(p, k, i), 0, bytes);
    memset(p->response + place_of(p, k, i), 0, bytes);
  }
  p->own[i] = p->diagonal[i] = own;
}

// --- from percussions to speeds and rates ----------------------------------------------------------------------------

// h += Jᵀ P of the pieces of a block on the speeds from … to - 1, and the rates J h.
BLOCK void push_block(const int w, const response_pieces *p, int b, const double *P, int from, int to, double *h) {
  for (int k = p->first[b]; k < p->first[b + 1]; k++) {
    const double *J = p->J + p->offset[k];
    if (p->at[k] < from || p->at[k] >= to) continue;
    for (int i = p->start[b]; i < p->start[b + 1]; i++, J += w)
      if (P[i] != 0) block_axpy(w, P[i], J, h + p->at[k]);
  }
}

BLOCK void find_block_rates(const int w, const response_pieces *p, int b, const double *h, double *rates) {
  for (int k = p->first[b]; k < p->first[b + 1]; k++) {
    const double *J = p->J + p->offset[k];
    for (int i = p->start[b]; i < p->start[b + 1]; i++, J += w) rates[i] += block_dot(w, J, h + p->at[k]);
  }
}

// u += L⁻ᵀ h of a free body.
BLOCK void add_speeds(const int w, const motion *x, const node *n, const double *h, double *u) {
  double e[6];
  if (w == 6 && n->steady) tree_steady_back(n, h, e);
  else
    for (int v = 0; v < w; v++) e[v] = block_dot(w, tree_free_half(w, n, x) + w * v, h);
  for (int v = 0; v < w; v++) u[n->v + v] += e[v];
}

typedef struct rates_job {
  const mechanism *m;
  const response_pieces *p;
  const double *h, *rates0;
  double *rates;
} rates_job;

static void find_rates(void *context, int from, int to) {
  const rates_job *j = context;
  const response_pieces *p = j->p;
  memcpy(j->rates + p->start[from], j->rates0 + p->start[from],
         (size_t)(p->start[to] - p->start[from]) * sizeof *j->rates);
  for (int b = from; b < to; b++) {
    if (j->m->planar) find_block_rates(3, p, b, j->h, j->rates);
    else find_block_rates(6, p, b, j->h, j->rates);
  }
}

typedef struct push_job {
  const mechanism *m;
  motion *x;
  const response_pieces *p;
  const double *P;
  double *h, *u;
  int parts;
} push_job;

// Each part of the trees goes through all blocks in their order: sums do not depend on how many parts there are.
static void push_part(const push_job *j, int part) {
  const mechanism *m = j->m;
  const response_pieces *p = j->p;
  int first = (int)((long)m->base_count * part / j->parts), last = (int)((long)m->base_count * (part + 1) / j->parts);
  int from = m->base_speed_start[first], to = m->base_speed_start[last];
  memset(j->h + from, 0, (size_t)(to - from) * sizeof *j->h);
  for (int b = 0; b < p->block_count; b++) {
    if (m->planar) push_block(3, p, b, j->P, from, to, j->h);
    else push_block(6, p, b, j->P, from, to, j->h);
  }
  for (int tree = first; tree < last; tree++) {
    if (!m->base_is_body[tree]) continue;  // no row touches it
    const node *n = &m->nodes[m->base_nodes[m->base_start[tree]]];
    if (m->planar) add_speeds(3, j->x, n, j->h + m->base_speed_start[tree], j->u);
    else add_speeds(6, j->x, n, j->h + m->base_speed_start[tree], j->u);
  }
}

static void push_parts(void *context, int from, int to) {
  for (int part = from; part < to; part++) push_part(context, part);
}

// u += M⁻¹ Jᵀ P. Returns Lᵀ of what it adds.
static const double *add_responses(const mechanism *m, motion *x, const response_pieces *p, const double *P,
                                   double *u) {
  int most = p->block_count / TREE_SHARE, parts = crew_count(x->crew) < most ? crew_count(x->crew) : most;
  push_job j = {m, x, p, P, x->speed_work[1], u, parts > 1 ? parts : 1};
  crew_run(x->crew, j.parts, 1, push_parts, &j);
  return j.h;
}

void response_pieces_to(const mechanism *m, motion *x, const response_pieces *p, const double *P, double *u) {
  memset(u, 0, (size_t)m->nv * sizeof *u);
  (void)add_responses(m, x, p, P, u);
}

void response_pieces_add(const mechanism *m, motion *x, const response_pieces *p, const double *P, const double *u0,
                         double *u, const double *rates0, double *rates) {
  memcpy(u, u0, (size_t)m->nv * sizeof *u);
  const double *h = add_responses(m, x, p, P, u);
  crew_run(x->crew, p->block_count, TREE_SHARE, find_rates, &(rates_job){m, p, h, rates0, rates});
}
