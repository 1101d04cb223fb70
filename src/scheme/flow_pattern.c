#include "scheme/flow_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "mechanics/force.h"

bool flow_pattern_is_sparse(const mechanism *m, const motion *x) {
  bool sparse = m->sparse && !x->push && !x->inner_count && !m->friction_count && !m->called_count;
  for (int i = 1; i < m->node_count; i++) sparse &= m->nodes[i].parent == GROUND && !m->nodes[i].flex;
  for (int i = 0; i < m->force_count; i++) sparse &= !force_needs_state(&m->forces[i]);
  return sparse;
}

// --- who meets whom --------------------------------------------------------------------------------------------------

// Pairs of numbers, sorted and without repetition, with the first of each number.
typedef struct relation {
  int (*pair)[2];
  long count, room;
  long *start;
} relation;

static bool relate(relation *r, int a, int b) {
  if (r->count == r->room) {
    long room = r->room ? 2 * r->room : 1024;
    void *larger = realloc(r->pair, (size_t)room * sizeof *r->pair);
    if (!larger) return false;
    r->pair = larger, r->room = room;
  }
  r->pair[r->count][0] = a, r->pair[r->count++][1] = b;
  return true;
}

static int by_numbers(const void *a, const void *b) {
  const int *p = a, *q = b;
  return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// `n`: the first numbers are below it.
static bool sort(relation *r, int n) {
  long kept = 0;
  r->start = calloc((size_t)n + 1, sizeof *r->start);
  if (!r->start) return false;
  qsort(r->pair, (size_t)r->count, sizeof *r->pair, by_numbers);
  for (long k = 0; k < r->count; k++)
    if (!k || by_numbers(r->pair[k], r->pair[kept - 1])) memmove(r->pair[kept++], r->pair[k], sizeof *r->pair);
  r->count = kept;
  for (long k = 0; k < kept; k++) r->start[r->pair[k][0] + 1]++;
  for (int i = 0; i < n; i++) r->start[i + 1] += r->start[i];
  return true;
}

typedef struct meetings {
  relation rows_of, nodes_of;  // by node, by row
  relation neighbours;         // by node, with itself
} meetings;

static void forget(meetings *w) {
  relation *all[] = {&w->rows_of, &w->nodes_of, &w->neighbours};
  for (int i = 0; i < 3; i++) free(all[i]->pair), free(all[i]->start);
}

static bool relate_row(meetings *w, int r, int node) {
  return node == GROUND || (relate(&w->rows_of, node, r) && relate(&w->nodes_of, r, node));
}

static bool find_rows(const mechanism *m, const motion *x, meetings *w) {
  bool done = true;
  for (int r = 0; r < m->row_count && done; r++) {
    const row *at = &x->rows[r];
    for (int k = 0; k < at->body_count && done; k++) done = relate_row(w, r, x->row_bodies[at->body0 + k].node);
    for (int k = 0; k < at->speed_count && done; k++)
      done = relate_row(w, r, m->speed_node[x->row_speeds[at->speed0 + k].speed]);
  }
  return done && sort(&w->rows_of, m->node_count) && sort(&w->nodes_of, m->row_count);
}

static bool relate_nodes(meetings *w, int a, int b) {
  if (a == GROUND || b == GROUND) return true;
  return relate(&w->neighbours, a, b) && relate(&w->neighbours, b, a);
}

static int node_of(const mechanism *m, int marker) {
  return marker < 0 ? GROUND : m->bodies[m->markers[marker].body].node;
}

static bool find_neighbours(const mechanism *m, meetings *w) {
  bool done = true;
  for (int i = 1; i < m->node_count && done; i++) done = relate_nodes(w, i, i);
  for (int r = 0; r < m->row_count && done; r++)
    for (long a = w->nodes_of.start[r]; a < w->nodes_of.start[r + 1] && done; a++)
      for (long b = w->nodes_of.start[r]; b < a && done; b++)
        done = relate_nodes(w, w->nodes_of.pair[a][1], w->nodes_of.pair[b][1]);
  for (int i = 0; i < m->force_count && done; i++) {
    const force *f = &m->forces[i];
    const joint *along = f->type->acts == FORCE_ALONG_COORDINATE ? &m->joints[f->of.joint] : NULL;
    done = relate_nodes(w, node_of(m, along ? along->first : f->first), node_of(m, along ? along->second : f->second));
  }
  return done && sort(&w->neighbours, m->node_count);
}

// --- columns ---------------------------------------------------------------------------------------------------------

// Where the parts of y and of F begin.
typedef struct layout {
  const mechanism *m;
  int u, accounts, lambda, mu, n;
} layout;

// Entries of the column being written; only counted while `row` is null.
typedef struct writer {
  int *row;
  long count;
} writer;

static void write_range(writer *w, int first, int count) {
  for (int k = 0; k < count; k++, w->count++)
    if (w->row) w->row[w->count] = first + k;
}

static void write_positions(const layout *l, writer *w, int node) {
  write_range(w, l->m->nodes[node].q, l->m->nodes[node].nq);
}

static void write_speeds(const layout *l, writer *w, int node) {
  write_range(w, l->u + l->m->nodes[node].v, l->m->nodes[node].nv);
}

static void write_rows(const meetings *of, writer *w, int first, int node) {
  for (long k = of->rows_of.start[node]; k < of->rows_of.start[node + 1]; k++)
    write_range(w, first + of->rows_of.pair[k][1], 1);
}

// Of a position of this node: its own rate, those of bodies that Gᵀμ moves with it, all forces, and rows.
static void write_position_column(const layout *l, const meetings *of, writer *w, int node) {
  const relation *r = &of->neighbours;
  for (long k = r->start[node]; k < r->start[node + 1]; k++) write_positions(l, w, r->pair[k][1]);
  for (long k = r->start[node]; k < r->start[node + 1]; k++) write_speeds(l, w, r->pair[k][1]);
  write_rows(of, w, l->lambda, node);
  write_rows(of, w, l->mu, node);
}

static void write_speed_column(const layout *l, const meetings *of, writer *w, int node) {
  const relation *r = &of->neighbours;
  write_positions(l, w, node);
  for (long k = r->start[node]; k < r->start[node + 1]; k++) write_speeds(l, w, r->pair[k][1]);
  write_rows(of, w, l->mu, node);
}

// Column of component j.
static void write_column(const layout *l, const meetings *of, writer *w, int j, const int *node_of_q) {
  const relation *r = &of->nodes_of;
  if (j < l->u) write_position_column(l, of, w, node_of_q[j]);
  else if (j < l->accounts) write_speed_column(l, of, w, l->m->speed_node[j - l->u]);
  else if (j < l->lambda) write_range(w, j, 1);
  else {
    int at = j < l->mu ? j - l->lambda : j - l->mu;
    for (long k = r->start[at]; k < r->start[at + 1]; k++)
      (j < l->mu ? write_speeds : write_positions)(l, w, r->pair[k][1]);
  }
}

// Once to count the entries, then to write them.
static bool write_columns(const layout *l, const meetings *of, dae_pattern *p) {
  int *node_of_q = calloc((size_t)l->m->nq + 1, sizeof *node_of_q);
  p->start = calloc((size_t)l->n + 1, sizeof *p->start);
  bool done = node_of_q && p->start;
  for (int i = 1; i < l->m->node_count && done; i++)
    for (int k = 0; k < l->m->nodes[i].nq; k++) node_of_q[l->m->nodes[i].q + k] = i;
  for (int pass = 0; pass < 2 && done; pass++) {
    writer w = {.row = p->row};
    for (int j = 0; j < l->n; j++) {
      write_column(l, of, &w, j, node_of_q);
      p->start[j + 1] = (int)w.count;
    }
    if (!p->row) done = (p->row = calloc((size_t)w.count + 1, sizeof *p->row)) != NULL;
  }
  free(node_of_q);
  return done;
}

bool flow_pattern_create(dae_pattern *p, const mechanism *m, const motion *x, int accounts) {
  layout l = {.m = m, .u = m->nq, .accounts = m->nq + m->nv};
  l.lambda = l.accounts + accounts, l.mu = l.lambda + m->row_count, l.n = l.mu + m->row_count;
  meetings of = {0};
  bool done = find_rows(m, x, &of) && find_neighbours(m, &of) && write_columns(&l, &of, p);
  forget(&of);
  return done;
}

void flow_pattern_destroy(dae_pattern *p) {
  free(p->start);
  free(p->row);
}
