// Rows in pieces on the trees that they touch.
#include <string.h>

#include "mechanics/response_internal.h"

static int count_speeds(const mechanism *m, int tree) { return m->base_speed_start[tree + 1] - m->base_speed_start[tree]; }

// A row that comes and goes touches two trees at most.
response_pieces response_pieces_create(const mechanism *m, const motion *x, int extra_rows, arena *memory) {
  long pieces = 2 * (long)extra_rows, speeds = 0, most = 0;
  for (int b = 0; b < m->base_count; b++)
    if (count_speeds(m, b) > most) most = count_speeds(m, b);
  speeds = pieces * most;
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    pieces += r->base_count;
    for (int b = 0; b < r->base_count; b++) speeds += count_speeds(m, x->row_bases[r->base0 + b]);
  }
  return (response_pieces){
      .start = ARENA_ARRAY(memory, int, m->row_count + extra_rows + 1),
      .piece = ARENA_ARRAY(memory, response_piece, pieces + 1),
      .own = ARENA_ARRAY(memory, double, m->row_count + extra_rows + 1),
      .values = ARENA_ARRAY(memory, double, 2 * speeds + 1),
  };
}

static void lay_out(const mechanism *m, const motion *x, response_pieces *p) {
  double *values = p->values;
  int count = 0;
  p->row_count = x->row_total;
  p->start[0] = 0;
  for (int i = 0; i < x->row_total; i++) {
    const row *r = &x->rows[i];
    for (int b = 0; b < r->base_count; b++) {
      int tree = x->row_bases[r->base0 + b], speeds = count_speeds(m, tree);
      p->piece[count++] = (response_piece){.tree = tree, .speed_count = speeds, .speeds = m->base_speeds + m->base_speed_start[tree],
                                           .J = values, .response = values + speeds};
      values += 2 * speeds;
    }
    p->start[i + 1] = count;
    p->own[i] = 0;
  }
}

void response_split(const mechanism *m, motion *x, response_pieces *p) {
  lay_out(m, x, p);
  if (response_is_written_out(m, x)) response_small_split(m, x, p);
  else response_tree_split(m, x, p);
  for (int i = 0; i < p->row_count; i++)
    if (!response_moves(m, x, i, response_product(p, i, i))) response_piece_clear(p, i, response_fixed_diagonal(m, x, i));
}

double response_product(const response_pieces *p, int i, int j) {
  double sum = i == j ? p->own[i] : 0;
  for (int a = p->start[i]; a < p->start[i + 1]; a++)
    for (int b = p->start[j]; b < p->start[j + 1]; b++) {
      const response_piece *J = &p->piece[a], *R = &p->piece[b];
      if (J->tree != R->tree) continue;
      for (int s = 0; s < J->speed_count; s++) sum += J->J[s] * R->response[s];
    }
  return sum;
}

void response_piece_clear(response_pieces *p, int i, double own) {
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    const response_piece *of = &p->piece[k];
    memset(of->J, 0, (size_t)of->speed_count * sizeof *of->J);
    memset(of->response, 0, (size_t)of->speed_count * sizeof *of->response);
  }
  p->own[i] = own;
}
