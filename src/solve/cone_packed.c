#include "solve/cone_packed.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "solve/cone_contact.h"

enum { SPEEDS = 6, PADDED = 8, ROW = 2 * SPEEDS, COLOURS = 64 };

typedef double four __attribute__((vector_size(32)));

// Row i of J is J[i]: four speeds of the first body, four of the second, the last two of the first, the last two of the second. Sums of four
// products each then need no speed alone.
typedef struct packed {
  double J[3][ROW];
  cone_contact alone;
  double q[3], mu;
  double r[3], weight;
  double before[3];      // r before the last sweep
  int body[2];           // the second may be that of none, which has no speeds
  int row;
} packed;

struct packed_sweeps {
  packed *contact;
  int count, bodies;
  double *v, *v_before;  // PADDED speeds of each body, and of none; before the last sweep
  double theta, beta;    // of the momentum
  int circles;           // how often the sweeps were found to run in circles
  bool calm;             // without momentum and on shorter ways for that reason
  double least, most, least_before;  // changes of sweeps, of late and in the time before
  int sweeps;
  uint64_t *used;        // of each body: the colours of its contacts
  uint8_t *colour;       // of each block
};

packed_sweeps *packed_lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t blocks = limits->velocities ? (size_t)limits->blocks : 0, bodies = (size_t)limits->velocities / SPEEDS + 1;
  packed_sweeps *m = TAKE(w, packed_sweeps, 1);
  packed_sweeps of = {.contact = TAKE(w, packed, blocks), .v = TAKE(w, double, PADDED * bodies), .v_before = TAKE(w, double, PADDED * bodies),
                      .used = TAKE(w, uint64_t, bodies),
                      .colour = TAKE(w, uint8_t, blocks)};
  if (m) *m = of;
  return m;
}

// --- packing ------------------------------------------------------------------------------------------------------

// One piece or two of six speeds each, the same in J and B.
static bool is_on_free_bodies(const solve_matrix *W, int b) {
  int count = W->J.first[b + 1] - W->J.first[b];
  if (count < 1 || count > 2 || W->B.first[b + 1] - W->B.first[b] != count) return false;
  for (int k = 0; k < count; k++) {
    int j = W->J.first[b] + k, i = W->B.first[b] + k;
    if (W->J.width[j] != SPEEDS || W->B.width[i] != SPEEDS || W->J.at[j] % SPEEDS || W->J.at[j] != W->B.at[i] || W->J.offset[j] != W->B.offset[i])
      return false;
  }
  return true;
}

static bool suits(const solve_problem *p) {
  const solve_matrix *W = &p->W;
  if (W->velocities == 0 || W->velocities % SPEEDS || W->J.values != W->B.values) return false;
  for (int i = 0; W->own && i < W->rows; i++)
    if (W->own[i] != 0) return false;
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind != BLOCK_SPACE || !is_on_free_bodies(W, b)) return false;
  return true;
}

// Each block takes the first colour that its bodies do not have yet. Returns the colours, the last one of which takes the blocks that find none.
static int choose_colours(packed_sweeps *m, const solve_problem *p) {
  const matrix_pieces *J = &p->W.J;
  int most = 0;
  memset(m->used, 0, (size_t)m->bodies * sizeof *m->used);
  for (int b = 0; b < p->block_count; b++) {
    uint64_t used = 0;
    int colour = 0;
    for (int k = J->first[b]; k < J->first[b + 1]; k++) used |= m->used[J->at[k] / SPEEDS];
    while (colour < COLOURS && used >> colour & 1) colour++;
    for (int k = J->first[b]; colour < COLOURS && k < J->first[b + 1]; k++) m->used[J->at[k] / SPEEDS] |= (uint64_t)1 << colour;
    m->colour[b] = (uint8_t)colour;
    most = colour > most ? colour : most;
  }
  return most + 1;
}

static double product(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < ROW; k++) sum += a[k] * b[k];
  return sum;
}

static void pack(packed_sweeps *m, const solve_problem *p, int b, double weight, packed *c) {
  const matrix_pieces *J = &p->W.J;
  const solve_block *block = &p->blocks[b];
  int from = J->first[b], count = J->first[b + 1] - from;
  *c = (packed){.mu = block->mu, .weight = weight, .row = block->row, .body = {J->at[from] / SPEEDS, m->bodies}};
  memcpy(c->q, p->q + block->row, sizeof c->q);
  for (int k = 0; k < count; k++) {
    const double *values = J->values + J->offset[from + k];
    c->body[k] = J->at[from + k] / SPEEDS;
    for (int i = 0; i < 3; i++, values += SPEEDS) {
      memcpy(c->J[i] + 4 * k, values, 4 * sizeof *values);
      memcpy(c->J[i] + 8 + 2 * k, values + 4, 2 * sizeof *values);
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) c->alone.D[3 * i + j] = c->alone.D[3 * j + i] = product(c->J[i], c->J[j]);
  cone_contact_prepare(&c->alone, 3);
}

bool packed_begin(packed_sweeps *m, const solve_problem *p, const double *weights) {
  if (!weights || !suits(p)) return false;
  m->sweeps = m->circles = 0, m->calm = false, m->least = m->least_before = INFINITY, m->most = 0;
  m->count = p->block_count, m->bodies = p->W.velocities / SPEEDS;
  int colours = choose_colours(m, p), end[COLOURS + 2] = {0};  // of the contacts of each colour, the last one those that share a body with each of the others
  for (int b = 0; b < p->block_count; b++) end[m->colour[b]]++;
  for (int c = 0; c < colours; c++) end[c + 1] += end[c];
  for (int b = p->block_count - 1; b >= 0; b--) pack(m, p, b, weights[p->blocks[b].row], &m->contact[--end[m->colour[b]]]);
  return true;
}

// --- velocities -----------------------------------------------------------------------------------------------------

// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
static inline void load(four *to, const double *x) { memcpy(to, x, sizeof *to); }

static inline void load_speeds(const double *a, const double *b, four to[3]) {
  load(&to[0], a), load(&to[1], b);
  to[2] = (four){a[4], a[5], b[4], b[5]};
}

// u := J v + q
static inline void velocity(const packed *c, const double *a, const double *b, double u[3]) {
  four v[3], J[3];
  load_speeds(a, b, v);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) load(&J[k], c->J[i] + 4 * k);
    four x = J[0] * v[0] + J[1] * v[1] + J[2] * v[2];
    u[i] = c->q[i] + ((x[0] + x[2]) + (x[1] + x[3]));
  }
}

// v := v + Jᵀ r
static inline void move(const packed *c, const double r[3], double *a, double *b, bool second) {
  four v[3], J;
  load_speeds(a, b, v);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      load(&J, c->J[i] + 4 * k);
      v[k] += J * r[i];
    }
  memcpy(a, &v[0], sizeof v[0]);
  a[4] = v[2][0], a[5] = v[2][1];
  if (!second) return;
  memcpy(b, &v[1], sizeof v[1]);
  b[4] = v[2][2], b[5] = v[2][3];
}

static inline double *of_body(const packed_sweeps *m, int body) { return m->v + (long)PADDED * body; }

static void begin_momentum(packed_sweeps *m) { m->theta = 1, m->beta = 0; }

void packed_take(packed_sweeps *m, const double *r) {
  begin_momentum(m);
  memset(m->v, 0, (size_t)(m->bodies + 1) * PADDED * sizeof *m->v);
  for (int k = 0; k < m->count; k++) {
    packed *c = &m->contact[k];
    memcpy(c->r, r + c->row, sizeof c->r);
    memcpy(c->before, c->r, sizeof c->r);
    move(c, c->r, of_body(m, c->body[0]), of_body(m, c->body[1]), c->body[1] < m->bodies);
  }
  memcpy(m->v_before, m->v, (size_t)(m->bodies + 1) * PADDED * sizeof *m->v);
}

void packed_give(const packed_sweeps *m, double *r) {
  for (int k = 0; k < m->count; k++) memcpy(r + m->contact[k].row, m->contact[k].r, sizeof m->contact[k].r);
}

void packed_velocities(const packed_sweeps *m, double *u) {
  for (int k = 0; k < m->count; k++) {
    const packed *c = &m->contact[k];
    velocity(c, of_body(m, c->body[0]), of_body(m, c->body[1]), u + c->row);
  }
}

double packed_scale(const packed_sweeps *m) {
  double all = 0;
  for (int k = 0; k < m->count; k++) {
    const double *q = m->contact[k].q;
    all += (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / m->contact[k].weight;
  }
  return all;
}

// --- sweeps ---------------------------------------------------------------------------------------------------------

typedef struct moves {
  double change, back;  // Σ d |Δr|²; positive: the sweep goes against the momentum that it had
} moves;

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

static void extrapolate_velocities(packed_sweeps *m) {
  int count = PADDED * m->bodies;
  for (int i = 0; i < count; i++) {
    double now = m->v[i];
    m->v[i] = now + m->beta * (now - m->v_before[i]), m->v_before[i] = now;
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
  const double part = !m->calm ? 1 : parts[(m->circles - 1) % PARTS], beta = m->beta;
  moves of = {0};
  extrapolate_velocities(m);
  for (int k = 0; k < m->count; k++) sweep_contact(m, &m->contact[k], beta, part, &of);
  m->sweeps++;
  watch(m, of.change);
  find_momentum(m, of.back);
  return of.change;
}
