#include "solve/normal_packed.h"

#include "solve/packed_body.h"

typedef struct normal {
  double J[PACKED_ROW];
  double q, r, own, inverse;  // of W_ii = J Jᵀ + own
  double weight;
  int body[2];  // the second may be that of none, which has no speeds
  int row;
} normal;

struct packed_normals {
  normal *normal;
  int count, bodies;
  double *v;  // PACKED_PADDED speeds of each body, and of none
  uint64_t *used;
  int *place;
  packed_order order;
  int colour;      // that is swept
  double *change;  // Σ d Δr² of each chunk of it
  const crew *crew;
};

packed_normals *normals_lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t blocks = limits->velocities ? (size_t)limits->blocks : 0,
         bodies = (size_t)limits->velocities / PACKED_SPEEDS + 1;
  packed_normals *m = TAKE(w, packed_normals, 1);
  packed_normals of = {.normal = TAKE(w, normal, blocks),
                       .v = TAKE(w, double, (PACKED_PADDED * bodies)),
                       .used = TAKE(w, uint64_t, bodies),
                       .place = TAKE(w, int, blocks),
                       .change = TAKE(w, double, blocks / PACKED_CHUNK + 1)};
  if (m) *m = of;
  return m;
}

typedef struct packing {
  const packed_normals *m;
  const solve_problem *p;
  packed_list list;
  const double *weights;
} packing;

static void pack(const packing *x, int k) {
  const packed_normals *m = x->m;
  const solve_problem *p = x->p;
  int b = packed_listed(x->list, k), row = p->blocks[b].row;
  normal *n = &m->normal[m->place[k]];
  *n = (normal){
      .q = p->q[row], .own = p->W.own ? p->W.own[row] : 0, .weight = x->weights ? x->weights[row] : 1, .row = row};
  packed_bodies(&p->W.J, b, m->bodies, n->body);
  packed_row(&p->W.J, b, 0, n->J);
  double diagonal = n->own;
  for (int i = 0; i < PACKED_ROW; i++) diagonal += n->J[i] * n->J[i];
  n->inverse = diagonal > 0 ? 1 / diagonal : 0;
}

static void pack_blocks(void *context, int from, int to) {
  for (int k = from; k < to; k++) pack(context, k);
}

enum { LEAST = 128 };  // blocks of each thread

void normals_begin(packed_normals *m, const solve_problem *p, packed_list list, const double *weights) {
  m->crew = p->W.crew, m->count = list.count, m->bodies = p->W.velocities / PACKED_SPEEDS;
  m->order = packed_colour(p, list, 1, m->used, m->place);
  memset(m->v, 0, (size_t)(m->bodies + 1) * PACKED_PADDED * sizeof *m->v);
  crew_run(m->crew, m->count, LEAST, pack_blocks, &(packing){m, p, list, weights});
}

static inline double *of_body(const packed_normals *m, int body) { return m->v + (long)PACKED_PADDED * body; }

// v := v + Jᵀ r
static inline void move(const packed_normals *m, const normal *n, double r, four v[3]) {
  for (int k = 0; k < 3; k++) {
    four J;
    packed_load(&J, n->J + 4 * k);
    v[k] += J * r;
  }
  packed_store_speeds(v, of_body(m, n->body[0]), of_body(m, n->body[1]), n->body[1] < m->bodies);
}

void normals_take(packed_normals *m, const double *r) {
  four v[3];
  memset(m->v, 0, (size_t)(m->bodies + 1) * PACKED_PADDED * sizeof *m->v);
  for (int k = 0; k < m->count; k++) {
    normal *n = &m->normal[k];
    n->r = r[n->row];
    packed_load_speeds(of_body(m, n->body[0]), of_body(m, n->body[1]), v);
    move(m, n, n->r, v);
  }
}

void normals_give(const packed_normals *m, double *r) {
  for (int k = 0; k < m->count; k++) r[m->normal[k].row] = m->normal[k].r;
}

typedef struct by_row {
  const packed_normals *m;
  double *to;
} by_row;

static void find_velocities(void *context, int from, int to) {
  const by_row *x = context;
  const packed_normals *m = x->m;
  for (int k = from; k < to; k++) {
    const normal *n = &m->normal[k];
    four v[3];
    packed_load_speeds(of_body(m, n->body[0]), of_body(m, n->body[1]), v);
    x->to[n->row] = n->q + n->own * n->r + packed_product(n->J, v);
  }
}

void normals_velocities(const packed_normals *m, double *u) {
  crew_run(m->crew, m->count, LEAST, find_velocities, &(by_row){m, u});
}

static double sweep(const packed_normals *m, int from, int to) {
  double all = 0;
  for (int k = from; k < to; k++) {
    normal *n = &m->normal[k];
    four v[3];
    packed_load_speeds(of_body(m, n->body[0]), of_body(m, n->body[1]), v);
    double u = n->q + n->own * n->r + packed_product(n->J, v), r = n->r - u * n->inverse, change;
    r = r > 0 ? r : 0 * r;  // keeps a NaN
    change = r - n->r;
    if (change == 0) continue;
    n->r = r, all += n->weight * change * change;
    move(m, n, change, v);
  }
  return all;
}

static void sweep_chunks(void *context, int first, int last) {
  const packed_normals *m = context;
  for (int k = first, from, to; k < last; k++) {
    packed_chunk(&m->order, m->colour, k, &from, &to);
    m->change[k] = sweep(m, from, to);
  }
}

double normals_sweep(packed_normals *m) {
  double all = 0;
  for (m->colour = 0; m->colour < m->order.colours; m->colour++) {
    int chunks = packed_chunks(&m->order, m->colour);
    crew_run(m->crew, chunks, 2, sweep_chunks, m);
    for (int k = 0; k < chunks; k++) all += m->change[k];
  }
  return all;
}
