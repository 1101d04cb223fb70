#include "solve/cone_packed.h"

#include <math.h>

#include "solve/cone_contact.h"
#include "solve/packed_body.h"

typedef struct packed {
  double J[3][PACKED_ROW];
  cone_contact alone;
  double q[3], mu;
  double r[3], weight;
  double before[3];      // r before the last sweep
  int body[2];           // the second may be that of none, which has no speeds
  int row;
} packed;

typedef struct moves {
  double change, back;   // Σ d |Δr|²; positive: the sweep goes against the momentum that it had
} moves;

struct packed_sweeps {
  packed *contact;
  int count, bodies;
  double *v, *v_before;  // PACKED_PADDED speeds of each body, and of none; before the last sweep
  double theta, beta;    // of the momentum
  int circles;           // how often the sweeps were found to run in circles
  bool calm;             // without momentum and on shorter ways for that reason
  double least, most, least_before;  // changes of sweeps, of late and in the time before
  int sweeps;
  uint64_t *used;
  int *place;            // of each block, in the order of colours
  packed_order order;
  const crew *crew;
  // of the sweep under way
  int colour;
  double part;           // of the way to the solution of a contact alone
  struct moves *moves;   // of each chunk of the colour
};

packed_sweeps *packed_lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t blocks = limits->velocities ? (size_t)limits->blocks : 0, bodies = (size_t)limits->velocities / PACKED_SPEEDS + 1;
  packed_sweeps *m = TAKE(w, packed_sweeps, 1);
  packed_sweeps of = {.contact = TAKE(w, packed, blocks), .v = TAKE(w, double, PACKED_PADDED * bodies), .v_before = TAKE(w, double, PACKED_PADDED * bodies),
                      .used = TAKE(w, uint64_t, bodies), .place = TAKE(w, int, blocks),
                      .moves = TAKE(w, moves, blocks / PACKED_CHUNK + 1)};
  if (m) *m = of;
  return m;
}

// --- packing ------------------------------------------------------------------------------------------------------

static double product(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < PACKED_ROW; k++) sum += a[k] * b[k];
  return sum;
}

// Nothing beside J on the diagonal.
static bool suits(const solve_problem *p) {
  for (int i = 0; p->W.own && i < p->W.rows; i++)
    if (p->W.own[i] != 0) return false;
  return packed_suits(p, BLOCK_SPACE);
}

static void pack(const packed_sweeps *m, const solve_problem *p, int b, double weight, packed *c) {
  const solve_block *block = &p->blocks[b];
  *c = (packed){.mu = block->mu, .weight = weight, .row = block->row};
  packed_bodies(&p->W.J, b, m->bodies, c->body);
  memcpy(c->q, p->q + block->row, sizeof c->q);
  for (int i = 0; i < 3; i++) packed_row(&p->W.J, b, i, c->J[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) c->alone.D[3 * i + j] = c->alone.D[3 * j + i] = product(c->J[i], c->J[j]);
  cone_contact_prepare(&c->alone, 3);
}

typedef struct packing {
  const packed_sweeps *m;
  const solve_problem *p;
  const double *weights;
} packing;

static void pack_blocks(void *context, int from, int to) {
  const packing *x = context;
  for (int b = from; b < to; b++) pack(x->m, x->p, b, x->weights[x->p->blocks[b].row], &x->m->contact[x->m->place[b]]);
}

enum { LEAST_BLOCKS = 64, LEAST_BODIES = 256 };  // of each thread

bool packed_begin(packed_sweeps *m, const solve_problem *p, const double *weights) {
  if (!weights || !suits(p)) return false;
  m->sweeps = m->circles = 0, m->calm = false, m->least = m->least_before = INFINITY, m->most = 0;
  m->crew = p->W.crew, m->count = p->block_count, m->bodies = p->W.velocities / PACKED_SPEEDS;
  m->order = packed_colour(p, m->used, m->place);
  crew_run(m->crew, p->block_count, LEAST_BLOCKS, pack_blocks, &(packing){m, p, weights});
  return true;
}

// --- velocities -----------------------------------------------------------------------------------------------------

// u := J v + q
static inline void velocity(const packed *c, const double *a, const double *b, double u[3]) {
  four v[3];
  packed_load_speeds(a, b, v);
  for (int i = 0; i < 3; i++) u[i] = c->q[i] + packed_product(c->J[i], v);
}

// v := v + Jᵀ r
static inline void move(const packed *c, const double r[3], double *a, double *b, bool second) {
  four v[3], J;
  packed_load_speeds(a, b, v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      packed_load(&J, c->J[i] + 4 * k);
      v[k] += J * r[i];
    }
  packed_store_speeds(v, a, b, second);
}

static inline double *of_body(const packed_sweeps *m, int body) { return m->v + (long)PACKED_PADDED * body; }

static void begin_momentum(packed_sweeps *m) { m->theta = 1, m->beta = 0; }

void packed_take(packed_sweeps *m, const double *r) {
  begin_momentum(m);
  memset(m->v, 0, (size_t)(m->bodies + 1) * PACKED_PADDED * sizeof *m->v);
  for (int k = 0; k < m->count; k++) {
    packed *c = &m->contact[k];
    memcpy(c->r, r + c->row, sizeof c->r);
    memcpy(c->before, c->r, sizeof c->r);
    move(c, c->r, of_body(m, c->body[0]), of_body(m, c->body[1]), c->body[1] < m->bodies);
  }
  memcpy(m->v_before, m->v, (size_t)(m->bodies + 1) * PACKED_PADDED * sizeof *m->v);
}

void packed_give(const packed_sweeps *m, double *r) {
  for (int k = 0; k < m->count; k++) memcpy(r + m->contact[k].row, m->contact[k].r, sizeof m->contact[k].r);
}

typedef struct velocities {
  const packed_sweeps *m;
  double *u;
} velocities;

static void find_velocities(void *context, int from, int to) {
  const velocities *x = context;
  for (int k = from; k < to; k++) {
    const packed *c = &x->m->contact[k];
    velocity(c, of_body(x->m, c->body[0]), of_body(x->m, c->body[1]), x->u + c->row);
  }
}

void packed_velocities(const packed_sweeps *m, double *u) { crew_run(m->crew, m->count, LEAST_BLOCKS, find_velocities, &(velocities){m, u}); }

double packed_scale(const packed_sweeps *m) {
  double all = 0;
  for (int k = 0; k < m->count; k++) {
    const double *q = m->contact[k].q;
    all += (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / m->contact[k].weight;
  }
  return all;
}

// --- sweeps ---------------------------------------------------------------------------------------------------------

// From r + β Δr a part of the way to the solution of the contact alone.
static inline void sweep_contact(const packed_sweeps *m, packed *c, double beta, double part, moves *of) {
  double *a = of_body(m, c->body[0]), *b = of_body(m, c->body[1]), u[3], q[3], r[3], way[3], from[3], change = 0, back = 0;
  const double *D = c->alone.D;
  for (int i = 0; i < 3; i++) from[i] = c->r[i] + beta * (c->r[i] - c->before[i]), c->before[i] = c->r[i];
  velocity(c, a, b, u);
  for (int i = 0; i < 3; i++) q[i] = u[i] - (D[3 * i] * from[0] + D[3 * i + 1] * from[1] + D[3 * i + 2] * from[2]);
  cone_contact_solve(&c->alone, c->mu, q, r);
  for (int i = 0; i < 3; i++) {
    way[i] = r[i] - from[i];
    change += way[i] * way[i];
    way[i] *= part;
    c->r[i] = part == 1 ? r[i] : from[i] + way[i];
    back -= way[i] * (c->r[i] - c->before[i]);
  }
  of->change += c->weight * change, of->back += c->weight * back;
  if (change > 0) move(c, way, a, b, c->body[1] < m->bodies);
}

static void extrapolate_velocities(void *context, int from, int to) {
  const packed_sweeps *m = context;
  for (int i = PACKED_PADDED * from; i < PACKED_PADDED * to; i++) {
    double now = m->v[i];
    m->v[i] = now + m->beta * (now - m->v_before[i]), m->v_before[i] = now;
  }
}

static void sweep_chunks(void *context, int first, int last) {
  const packed_sweeps *m = context;
  for (int k = first, from, to; k < last; k++) {
    moves of = {0};
    packed_chunk(&m->order, m->colour, k, &from, &to);
    for (int i = from; i < to; i++) sweep_contact(m, &m->contact[i], m->beta, m->part, &of);
    m->moves[k] = of;
  }
}

static const double BETA_MOST = 0.8;
static void find_momentum(packed_sweeps *m, double back) {
  if (back > 0 || m->calm) {
    begin_momentum(m);
    return;
  }
  double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta));
  m->beta = fmin((m->theta - 1) / next, BETA_MOST), m->theta = next;
}

// Sweeps that change as much as long before drift if they change by the same again and again (cone_drift.h), and momentum is of use. Else they run
// in circles, and go on without it and on shorter ways; if they do so still, on other ones.
static void watch(packed_sweeps *m, double change) {
  enum { TIME = 100 };
  m->least = fmin(m->least, change), m->most = fmax(m->most, change);
  if (m->sweeps % TIME) return;
  bool stands = m->least > 0.8 * m->least_before, drifts = stands && m->most < 1.1 * m->least;
  m->circles += stands && !drifts;
  m->calm = m->circles && !drifts;
  m->least_before = stands ? INFINITY : m->least;
  m->least = INFINITY, m->most = 0;
}

double packed_sweep(packed_sweeps *m) {
  static const double parts[] = {0.7, 0.4, 1};
  enum { PARTS = sizeof parts / sizeof *parts };
  moves of = {0};
  m->part = !m->calm ? 1 : parts[(m->circles - 1) % PARTS];
  crew_run(m->crew, m->bodies, LEAST_BODIES, extrapolate_velocities, m);
  for (m->colour = 0; m->colour < m->order.colours; m->colour++) {
    int chunks = packed_chunks(&m->order, m->colour);
    crew_run(m->crew, chunks, 2, sweep_chunks, m);
    for (int k = 0; k < chunks; k++) of.change += m->moves[k].change, of.back += m->moves[k].back;
  }
  m->sweeps++;
  watch(m, of.change);
  find_momentum(m, of.back);
  return of.change;
}
