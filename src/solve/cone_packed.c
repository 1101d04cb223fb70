// Compiled twice: as it is, and by cone_packed_single.c with lanes of single precision.
#include "solve/cone_packed.h"

#include <math.h>

#include "solve/cone_lanes.h"
#include "solve/packed_body.h"
#include "solve/residual.h"

// Contacts of one colour, LANES of them. A lane without a contact is on no body.
typedef struct packed {
  lanes J[3][PACKED_ROW];  // six speeds of the first body, six of the second
  cone_lanes alone;
  lanes q[3], r[3], weight;
  lanes before[3];     // r before the last sweep
  int body[2][LANES];  // the second may be that of none, which has no speeds
  int to[2][LANES];    // where changed speeds go: those of none to a place that nobody reads
  int row[LANES];      // -1: no contact
} packed;

typedef struct moves {
  double change, back;  // Σ d |Δr|²; positive: the sweep goes against the momentum that it had
} moves;

struct packed_sweeps {
  packed *group;
  int count, bodies;          // groups
  lanes_eight *v, *v_before;  // speeds of each body, padded; of none; and what groups write for none. Before the last
                              // sweep
  double of_J, of_q, of_r;    // J, q and r are multiplied by these
  double scale;               // Σ q²/d
  double theta, beta;         // of the momentum
  int circles;                // how often the sweeps were found to run in circles
  bool calm;                  // without momentum and on shorter ways for that reason
  bool plain;                 // without momentum, as asked for
  double least, most, least_before;  // changes of sweeps, of late and in the time before
  int sweeps;
  uint64_t *used;
  int *place,
      *block;  // of each block in the order of colours, which have whole groups, and which block is where; -1: none
  packed_order order;
  const crew *crew;
  // of the sweep under way
  int colour;
  double part;          // of the way to the solution of a contact alone
  struct moves *moves;  // of each chunk of the colour
  residual_sums *sums;  // of each part of the groups
};

enum { PART = 16 };  // groups whose residuals are summed up together

// Each colour may end with a group that is not full.
static size_t most_groups(size_t blocks) {
  return blocks / LANES + (blocks < PACKED_COLOURS + 1 ? blocks : PACKED_COLOURS + 1);
}

static packed_sweeps *lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t blocks = limits->velocities ? (size_t)limits->blocks : 0, bodies = (size_t)limits->velocities / PACKED_SPEEDS;
  size_t groups = most_groups(blocks);
  packed_sweeps *m = TAKE(w, packed_sweeps, 1);
  packed_sweeps of = {.group = TAKE(w, packed, groups),
                      .v = TAKE(w, lanes_eight, bodies + 1 + groups),
                      .v_before = TAKE(w, lanes_eight, bodies),
                      .used = TAKE(w, uint64_t, bodies + 1),
                      .place = TAKE(w, int, blocks),
                      .block = TAKE(w, int, (LANES * groups)),
                      .moves = TAKE(w, moves, groups + 1),
                      .sums = TAKE(w, residual_sums, groups / PART + 1)};
  if (m) *m = of;
  return m;
}

// --- packing ---------------------------------------------------------------------------------------------------------

// Nothing beside J on the diagonal.
static bool suits(const solve_problem *p) {
  for (int i = 0; p->W.own && i < p->W.rows; i++)
    if (p->W.own[i] != 0) return false;
  return packed_suits(p, BLOCK_SPACE);
}

typedef struct packing {
  const packed_sweeps *m;
  const solve_problem *p;
  const double *weights;
} packing;

// Numbers of single precision have a short range: those of a problem are brought near one, by powers of two, which
// round nothing. W is multiplied by of_J², and so r by of_q/of_J².
static void choose_units(packed_sweeps *m, const solve_problem *p, const double *weights) {
  double response = 0, velocity = 0;
  for (int i = 0; i < p->W.rows; i++) response = fmax(response, weights[i]), velocity = fmax(velocity, fabs(p->q[i]));
  m->of_J = isnormal(response) ? ldexp(1, -ilogb(response) / 2) : 1;
  m->of_q = isnormal(velocity) ? ldexp(1, -ilogb(velocity)) : 1;
  m->of_r = m->of_q / (m->of_J * m->of_J);
}

// The values of row i on the first or the second body of each contact.
static void pack_row(const double *piece[LANES], int i, double factor, lanes to[PACKED_SPEEDS]) {
  typedef double eight __attribute__((vector_size(64)));
  typedef double two __attribute__((vector_size(16)));
  lanes_eight rows[LANES];
  const lanes_eight *row[LANES];
  lanes all[8];
  for (int k = 0; k < LANES; k++) {
    four first;
    two last, none = {0};
    memcpy(&first, piece[k] + PACKED_SPEEDS * i, sizeof first);
    memcpy(&last, piece[k] + PACKED_SPEEDS * i + 4, sizeof last);
    const four padded = __builtin_shufflevector(last, none, 0, 1, 2, 3);
    const eight values = __builtin_shufflevector(first, padded, 0, 1, 2, 3, 4, 5, 6, 7);
    rows[k] = __builtin_convertvector(factor * values, lanes_eight), row[k] = &rows[k];
  }
  lanes_from_rows(row, all);
  memcpy(to, all, PACKED_SPEEDS * sizeof *to);
}

static void pack_matrix(packed *c, const double *piece[2][LANES], double factor) {
  for (int i = 0; i < 3; i++)
    for (int side = 0; side < 2; side++) pack_row(piece[side], i, factor, c->J[i] + PACKED_SPEEDS * side);
  for (int i = 0, at = 0; i < 3; i++)
    for (int j = i; j < 3; j++, at++) {
      lanes sum = c->J[i][0] * c->J[j][0];
      for (int s = 1; s < PACKED_ROW; s++) sum += c->J[i][s] * c->J[j][s];
      c->alone.D[at] = sum;
    }
}

// What is written for none has a place of its own in each group.
static void pack_group(const packing *x, int g) {
  static const double none[3 * PACKED_SPEEDS] = {0};
  const packed_sweeps *m = x->m;
  const matrix_pieces *J = &x->p->W.J;
  const double *piece[2][LANES];
  packed *c = &m->group[g];
  for (int k = 0; k < LANES; k++) {
    int b = m->block[LANES * g + k], body[2] = {m->bodies, m->bodies};
    const solve_block *block = &x->p->blocks[b < 0 ? 0 : b];
    if (b >= 0) packed_bodies(J, b, m->bodies, body);
    for (int i = 0; i < 2; i++) {
      bool some = body[i] < m->bodies;
      c->body[i][k] = body[i], c->to[i][k] = some ? body[i] : m->bodies + 1 + g;
      piece[i][k] = some ? J->values + J->offset[J->first[b] + i] : none;
    }
    for (int i = 0; i < 3; i++) c->q[i][k] = b < 0 ? 0 : (lanes_number)(m->of_q * x->p->q[block->row + i]);
    c->alone.mu[k] = b < 0 ? 0 : (lanes_number)block->mu;
    c->weight[k] = b < 0 ? 1 : (lanes_number)(m->of_J * m->of_J * x->weights[block->row]);
    c->row[k] = b < 0 ? -1 : block->row;
  }
  pack_matrix(c, piece, m->of_J);
  cone_lanes_prepare(&c->alone);
}

static void pack_groups(void *context, int from, int to) {
  for (int g = from; g < to; g++) pack_group(context, g);
}

enum { LEAST_GROUPS = 8, LEAST_BODIES = 256 };  // of each thread

static double find_scale(const packed_sweeps *m) {
  lanes all = {0};
  for (int g = 0; g < m->count; g++) {
    const lanes *q = m->group[g].q;
    all += (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) / m->group[g].weight;
  }
  return lanes_sum(&all);
}

static bool begin(packed_sweeps *m, const solve_problem *p, const double *weights) {
  if (!weights || !suits(p)) return false;
  m->sweeps = m->circles = 0, m->calm = m->plain = false, m->least = m->least_before = INFINITY, m->most = 0;
  m->crew = p->W.crew, m->bodies = p->W.velocities / PACKED_SPEEDS;
  m->order = packed_colour(p, (packed_list){NULL, p->block_count}, LANES, m->used, m->place);
  m->count = m->order.start[m->order.colours] / LANES;
  for (int i = 0; i < LANES * m->count; i++) m->block[i] = -1;
  for (int b = 0; b < p->block_count; b++) m->block[m->place[b]] = b;
  choose_units(m, p, weights);
  crew_run(m->crew, m->count, LEAST_GROUPS, pack_groups, &(packing){m, p, weights});
  m->scale = find_scale(m);
  return true;
}

// --- velocities ------------------------------------------------------------------------------------------------------

// Speeds of the bodies of a group, one by one.
static inline void load_speeds(const packed_sweeps *m, const packed *c, lanes v[PACKED_ROW]) {
  for (int side = 0; side < 2; side++) {
    const lanes_eight *row[LANES];
    lanes all[8];
    for (int k = 0; k < LANES; k++) row[k] = &m->v[c->body[side][k]];
    lanes_from_rows(row, all);
    for (int i = 0; i < PACKED_SPEEDS; i++) v[PACKED_SPEEDS * side + i] = all[i];
  }
}

static inline void store_speeds(const packed_sweeps *m, const packed *c, const lanes v[PACKED_ROW]) {
  for (int side = 0; side < 2; side++) {
    lanes_eight *row[LANES];
    lanes all[8] = {{0}};
    for (int k = 0; k < LANES; k++) row[k] = &m->v[c->to[side][k]];
    for (int i = 0; i < PACKED_SPEEDS; i++) all[i] = v[PACKED_SPEEDS * side + i];
    lanes_to_rows(all, row);
  }
}

// u := J v + q
static inline void velocity(const packed *c, const lanes v[PACKED_ROW], lanes u[3]) {
  for (int i = 0; i < 3; i++) {
    lanes of_second = c->J[i][PACKED_SPEEDS] * v[PACKED_SPEEDS];
    u[i] = c->q[i] + c->J[i][0] * v[0];
    for (int s = 1; s < PACKED_SPEEDS; s++)
      u[i] += c->J[i][s] * v[s], of_second += c->J[i][PACKED_SPEEDS + s] * v[PACKED_SPEEDS + s];
    u[i] += of_second;
  }
}

// v := v + Jᵀ r
static inline void move(const packed *c, const lanes r[3], lanes v[PACKED_ROW]) {
  for (int s = 0; s < PACKED_ROW; s++)
    for (int i = 0; i < 3; i++) v[s] += c->J[i][s] * r[i];
}

// Contacts without a colour may share bodies: of such a group one lane at a time, the others on no body.
static packed alone_in_group(const packed_sweeps *m, const packed *c, int k) {
  packed one = *c;
  for (int i = 0; i < LANES; i++)
    for (int side = 0; side < 2 && i != k; side++)
      one.body[side][i] = m->bodies, one.to[side][i] = m->bodies + 1 + (int)(c - m->group), one.weight[i] = 0;
  return one;
}

static void begin_momentum(packed_sweeps *m) { m->theta = 1, m->beta = 0; }

static void start_group(const packed_sweeps *m, const packed *c) {
  lanes v[PACKED_ROW];
  load_speeds(m, c, v);
  move(c, c->r, v);
  store_speeds(m, c, v);
}

typedef struct start {
  const packed_sweeps *m;
  const double *r;
} start;

static void take_group(const start *x, packed *c) {
  const packed_sweeps *m = x->m;
  bool shares = m->colour == PACKED_COLOURS;
  for (int k = 0; k < LANES; k++)
    for (int i = 0; i < 3; i++)
      c->before[i][k] = c->r[i][k] = c->row[k] < 0 ? 0 : (lanes_number)(m->of_r * x->r[c->row[k] + i]);
  for (int k = 0; shares && k < LANES; k++) {
    packed one = alone_in_group(m, c, k);
    start_group(m, &one);
  }
  if (!shares) start_group(m, c);
}

static void take_chunks(void *context, int first, int last) {
  const start *x = context;
  for (int k = first, from, to; k < last; k++) {
    packed_chunk(&x->m->order, x->m->colour, k, &from, &to);
    for (int g = from / LANES; g < to / LANES; g++) take_group(x, &x->m->group[g]);
  }
}

static void take(packed_sweeps *m, const double *r) {
  begin_momentum(m);
  memset(m->v, 0, (size_t)(m->bodies + 1) * sizeof *m->v);
  for (m->colour = 0; m->colour < m->order.colours; m->colour++)
    crew_run(m->crew, packed_chunks(&m->order, m->colour), 2, take_chunks, &(start){m, r});
  memcpy(m->v_before, m->v, (size_t)m->bodies * sizeof *m->v);
}

typedef struct by_row {
  const packed_sweeps *m;
  double *to;
} by_row;

static void give_groups(void *context, int from, int to) {
  const by_row *x = context;
  const double factor = 1 / x->m->of_r;
  for (int g = from; g < to; g++) {
    const packed *c = &x->m->group[g];
    for (int k = 0; k < LANES; k++)
      for (int i = 0; i < 3 && c->row[k] >= 0; i++) x->to[c->row[k] + i] = factor * (double)c->r[i][k];
  }
}

static void give(const packed_sweeps *m, double *r) {
  crew_run(m->crew, m->count, LEAST_GROUPS, give_groups, &(by_row){m, r});
}

// Sums over parts do not depend on the number of threads.
static int part_count(int groups) { return (groups + PART - 1) / PART; }

static void sum_part(const packed_sweeps *m, int part) {
  lanes error = {0}, of_r = {0}, of_u = {0};
  for (int g = PART * part; g < PART * (part + 1) && g < m->count; g++) {
    const packed *c = &m->group[g];
    const lanes rho = 1 / c->weight, *r = c->r;
    lanes v[PACKED_ROW], u[3], F[3];
    load_speeds(m, c, v);
    velocity(c, v, u);
    cone_lanes_natural(&c->alone.mu, r, u, &rho, F);
    error += c->weight * (F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    of_r += c->weight * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    of_u += rho * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  m->sums[part] = (residual_sums){.error = lanes_sum(&error), .of_r = lanes_sum(&of_r), .of_u = lanes_sum(&of_u)};
}

static void sum_parts(void *context, int from, int to) {
  for (int k = from; k < to; k++) sum_part(context, k);
}

static void be_plain(packed_sweeps *m, bool plain) { m->plain = plain; }
static double scale(const packed_sweeps *m) { return m->scale; }
static int groups(const packed_sweeps *m) { return m->count; }

static double residual(packed_sweeps *m) {
  residual_sums all = {.of_q = m->scale};
  crew_run(m->crew, part_count(m->count), 1, sum_parts, m);
  for (int k = 0; k < part_count(m->count); k++)
    all.error += m->sums[k].error, all.of_r += m->sums[k].of_r, all.of_u += m->sums[k].of_u;
  return solve_residual_from(&all);
}

// --- sweeps ----------------------------------------------------------------------------------------------------------

typedef struct lane_moves {
  lanes change, back;
} lane_moves;

// From r + β Δr a part of the way to the solution of each contact alone.
static inline void sweep_group(const packed_sweeps *m, packed *c, lane_moves *of) {
  const lanes_number beta = (lanes_number)m->beta, part = (lanes_number)m->part;
  lanes v[PACKED_ROW], u[3], q[3], r[3], way[3], from[3], change = {0}, back = {0};
  for (int i = 0; i < 3; i++) from[i] = c->r[i] + beta * (c->r[i] - c->before[i]);
  load_speeds(m, c, v);
  velocity(c, v, u);
  cone_lanes_apply(&c->alone, from, q);
  for (int i = 0; i < 3; i++) q[i] = u[i] - q[i];
  cone_lanes_solve(&c->alone, q, r);
  for (int i = 0; i < 3; i++) {
    way[i] = r[i] - from[i];
    change += way[i] * way[i];
    way[i] *= part;
    c->before[i] = c->r[i];
    c->r[i] = part == 1 ? r[i] : from[i] + way[i];
    back -= way[i] * (c->r[i] - c->before[i]);
  }
  of->change += c->weight * change, of->back += c->weight * back;
  move(c, way, v);
  store_speeds(m, c, v);
}

// Those of one colour that share bodies, one after the other.
static void sweep_one_by_one(const packed_sweeps *m, packed *c, lane_moves *of) {
  for (int k = 0; k < LANES; k++) {
    packed one = alone_in_group(m, c, k);
    sweep_group(m, &one, of);
    for (int i = 0; i < 3; i++) c->r[i][k] = one.r[i][k], c->before[i][k] = one.before[i][k];
    c->alone.alpha[k] = one.alone.alpha[k];
  }
}

static void extrapolate_velocities(void *context, int from, int to) {
  const packed_sweeps *m = context;
  const lanes_number beta = (lanes_number)m->beta;
  for (int i = from; i < to; i++) {
    const lanes_eight now = m->v[i];
    m->v[i] = now + beta * (now - m->v_before[i]), m->v_before[i] = now;
  }
}

static void sweep_chunks(void *context, int first, int last) {
  const packed_sweeps *m = context;
  for (int k = first, from, to; k < last; k++) {
    lane_moves of = {{0}, {0}};
    packed_chunk(&m->order, m->colour, k, &from, &to);
    for (int g = from / LANES; g < to / LANES; g++) {
      if (m->colour == PACKED_COLOURS) sweep_one_by_one(m, &m->group[g], &of);
      else sweep_group(m, &m->group[g], &of);
    }
    m->moves[k] = (moves){lanes_sum(&of.change), lanes_sum(&of.back)};
  }
}

static const double BETA_MOST = 0.8;
static void find_momentum(packed_sweeps *m, double back) {
  if (back > 0 || m->calm || m->plain) {
    begin_momentum(m);
    return;
  }
  double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta));
  m->beta = fmin((m->theta - 1) / next, BETA_MOST), m->theta = next;
}

// Sweeps that change as much as long before drift if they change by the same again and again (cone_drift.h), and
// momentum is of use. Else they run in circles, and go on without it and on shorter ways; if they do so still, on other
// ones.
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

static double sweep(packed_sweeps *m) {
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

// Single precision leaves about 1e-7 of the residual, times how much larger the percussions of a crowd are than the sum
// of what they do to its bodies. Its least tolerance is far above that.
#ifdef LANES_SINGLE
const packed_type packed_single = {5e-5, 2e-6,     48,    lay_out,  begin, take,
                                   give, residual, sweep, be_plain, scale, groups};
#else
const packed_type packed_double = {0, 0, 44, lay_out, begin, take, give, residual, sweep, be_plain, scale, groups};
#endif
