// Small problems by guessing which rows hold. A block is open (no percussion), slips one way or the other
// (r_T = ∓μ r_N), or holds (u = 0 in all its rows); for boxes: at one bound, at the other, or between. Each guess is
// one small linear system; where its solution breaks a law, that block's state is changed and the system solved again.
// Contacts of mechanisms mostly do what the velocities without percussion suggest, so that one or two systems do. No
// promise to end: what cycles, or has a singular system, is left to pivoting.
#include "solve/active_set.h"

#include <math.h>

#include "solve/solver.h"

enum { ROWS_MAX = ACTIVE_SET_ROWS, ROUNDS = 6 };

// A pivot this small beside the largest entry its column began with is rounding: rows repeat others.
static const double SINGULAR = 1e-12;

typedef enum block_state { OPEN, FORWARD, BACKWARD, HELD } block_state;

// One unknown for each row that holds. A slipping contact's drags its tangential percussion along, by `pull`.
typedef struct system {
  int n;
  int row[ROWS_MAX], tangent[ROWS_MAX];  // tangent -1: nothing dragged along
  double pull[ROWS_MAX];
  double A[ROWS_MAX][ROWS_MAX + 1];  // and the right-hand side
  double least[ROWS_MAX];            // pivot of a column that is not rounding
} system;

bool active_set_suits(const solve_problem *p) {
  return p->W.rows <= ROWS_MAX && !solve_has_cones(p) && !solve_has_polygons(p);
}

static void measure(solve_workspace *w, const solve_limits *limits) { (void)w, (void)limits; }

static double slip_pull(const solve_block *b, block_state state) { return state == FORWARD ? -b->mu : b->mu; }

// What r = 0, or the bound of a box next to it, and its velocities suggest.
static block_state first_guess(const solve_block *b, const double *q) {
  switch (b->kind) {
    case BLOCK_UNILATERAL: return q[0] < 0 ? HELD : OPEN;
    case BLOCK_PLANE: return !(q[0] < 0) ? OPEN : q[1] > 0 ? FORWARD : BACKWARD;
    case BLOCK_BOX: return q[0] > 0 && isfinite(b->lo) ? FORWARD : q[0] < 0 && isfinite(b->hi) ? BACKWARD : HELD;
    default: return HELD;
  }
}

// The block's state after a solution: the same where its laws hold.
static block_state next_state(const solve_block *b, block_state state, const double *r, const double *u) {
  switch (b->kind) {
    case BLOCK_UNILATERAL:
      if (state == OPEN) return u[0] < 0 ? HELD : OPEN;
      return r[0] < 0 ? OPEN : HELD;
    case BLOCK_PLANE:
      if (state == OPEN) return !(u[0] < 0) ? OPEN : u[1] > 0 ? FORWARD : BACKWARD;
      if (r[0] < 0) return OPEN;
      if (state == HELD) return r[1] > b->mu * r[0] ? BACKWARD : r[1] < -b->mu * r[0] ? FORWARD : HELD;
      return (state == FORWARD ? u[1] < 0 : u[1] > 0) ? HELD : state;
    case BLOCK_BOX:
      if (state == HELD) return r[0] < b->lo ? FORWARD : r[0] > b->hi ? BACKWARD : HELD;
      return (state == FORWARD ? u[0] < 0 : u[0] > 0) ? HELD : state;
    default: return HELD;
  }
}

static void add_unknown(system *s, int row, int tangent, double pull) {
  s->row[s->n] = row, s->tangent[s->n] = tangent, s->pull[s->n++] = pull;
}

// Unknowns of a block; percussions that are known, at the bounds of boxes, go to r.
static void add_block(system *s, const solve_block *b, block_state state, double *r) {
  if (b->kind == BLOCK_BOX && state != HELD) {
    r[b->row] = state == FORWARD ? b->lo : b->hi;
  } else if (state == HELD) {
    for (int k = 0; k < b->size; k++) add_unknown(s, b->row + k, -1, 0);
  } else if (state != OPEN) {
    add_unknown(s, b->row, b->row + 1, slip_pull(b, state));
  }
}

static void fill(system *s, const solve_problem *p, const double *W, const double *r, bool known) {
  int rows = p->W.rows;
  for (int j = 0; j < s->n; j++) s->least[j] = 0;
  for (int i = 0; i < s->n; i++) {
    const double *Wi = W + (long)s->row[i] * rows;
    for (int j = 0; j < s->n; j++) {
      double entry = Wi[s->row[j]] + (s->tangent[j] >= 0 ? s->pull[j] * Wi[s->tangent[j]] : 0);
      s->A[i][j] = entry;
      if (SINGULAR * fabs(entry) > s->least[j]) s->least[j] = SINGULAR * fabs(entry);
    }
    double sum = -p->q[s->row[i]];
    for (int j = 0; known && j < rows; j++) sum -= Wi[j] * r[j];
    s->A[i][s->n] = sum;
  }
}

// Gauss with partial pivoting; the solution ends in the last column.
static bool eliminate(system *s) {
  int n = s->n;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(s->A[i][k]) > fabs(s->A[best][k])) best = i;
    if (!(fabs(s->A[best][k]) > s->least[k])) return false;
    for (int j = k; best != k && j <= n; j++) {
      double t = s->A[k][j];
      s->A[k][j] = s->A[best][j], s->A[best][j] = t;
    }
    double inverse = 1 / s->A[k][k];
    for (int j = k + 1; j <= n; j++) s->A[k][j] *= inverse;
    for (int i = 0; i < n; i++) {
      double factor = s->A[i][k];
      if (i == k || factor == 0) continue;
      for (int j = k + 1; j <= n; j++) s->A[i][j] -= factor * s->A[k][j];
    }
  }
  return true;
}

static void spread(const system *s, double *r) {
  for (int i = 0; i < s->n; i++) {
    double value = s->A[i][s->n];
    r[s->row[i]] = value;
    if (s->tangent[i] >= 0) r[s->tangent[i]] = s->pull[i] * value;
  }
}

// One system. Returns false if it is singular.
static bool solve_states(const solve_problem *p, const double *W, const block_state *state, double *r, double *u) {
  int rows = p->W.rows;
  bool known = false;
  system s;
  s.n = 0;
  for (int i = 0; i < rows; i++) r[i] = 0;
  for (int b = 0; b < p->block_count; b++) {
    add_block(&s, &p->blocks[b], state[b], r);
    known |= p->blocks[b].kind == BLOCK_BOX && state[b] != HELD;
  }
  fill(&s, p, W, r, known);
  if (!eliminate(&s)) return false;
  spread(&s, r);
  for (int i = 0; i < rows; i++) {
    double sum = p->q[i];
    for (int j = 0; j < rows; j++) sum += W[i * rows + j] * r[j];
    u[i] = sum;
  }
  return true;
}

static int limit(const solve_problem *p) {
  (void)p;
  return ROUNDS;
}

// One or two contacts in the plane that slip as they do without percussions, most problems of small mechanisms: by
// Cramer's rule, with r_T = pull r_N. An open one has the equation r_N = 0. Returns false if a law is broken, or if the
// determinant is rounding.
static inline bool slip_on(const int count, const solve_problem *p, const double *W, double *r) {
  double A[2][2] = {{1, 0}, {0, 1}}, b[2] = {0}, pull[2];
  bool open[2], forward[2];
  for (int i = 0; i < count; i++) {
    open[i] = !(p->q[2 * i] < 0), forward[i] = p->q[2 * i + 1] > 0;
    pull[i] = slip_pull(&p->blocks[i], forward[i] ? FORWARD : BACKWARD);
  }
  for (int i = 0; i < count; i++) {
    const double *Wi = W + 4 * i * count;
    if (open[i]) continue;
    for (int j = 0; j < count; j++) A[i][j] = Wi[2 * j] + pull[j] * Wi[2 * j + 1];
    b[i] = -p->q[2 * i];
  }
  double main = A[0][0] * A[1][1], other = A[0][1] * A[1][0], inverse = 1 / (main - other);
  if (!(fabs(main - other) > SINGULAR * (fabs(main) + fabs(other)))) return false;
  r[0] = (A[1][1] * b[0] - A[0][1] * b[1]) * inverse, r[1] = pull[0] * r[0];
  if (count == 2) r[2] = (A[0][0] * b[1] - A[1][0] * b[0]) * inverse, r[3] = pull[1] * r[2];
  for (int i = 0; i < count; i++) {
    int row = 2 * i + !open[i];  // the normal velocity of an open one is not negative, and others slip on
    double u = p->q[row];
    for (int j = 0; j < 2 * count; j++) u += W[2 * row * count + j] * r[j];
    if (r[2 * i] < 0 || (open[i] || forward[i] ? u < 0 : u > 0)) return false;
  }
  return true;
}

static bool all_slip_on(const solve_problem *p, const double *W, double *r) {
  if (p->block_count < 1 || p->block_count > 2 || p->W.rows != 2 * p->block_count || p->blocks[0].kind != BLOCK_PLANE)
    return false;
  if (p->block_count == 1) return slip_on(1, p, W, r);
  return p->blocks[1].kind == BLOCK_PLANE && slip_on(2, p, W, r);
}

static solve_status find(const solve_problem *p, int rounds, double *r, int *iterations) {
  double own[ROWS_MAX * ROWS_MAX], u[ROWS_MAX];
  block_state state[ROWS_MAX];
  const double *W = matrix_values(&p->W, own);
  if (all_slip_on(p, W, r)) {
    ++*iterations;
    return SOLVE_SOLVED;
  }
  for (int b = 0; b < p->block_count; b++) state[b] = first_guess(&p->blocks[b], p->q + p->blocks[b].row);
  while ((*iterations)++ < rounds) {
    if (!solve_states(p, W, state, r, u)) return SOLVE_STALLED;
    bool holds = true;
    for (int b = 0; b < p->block_count; b++) {
      const solve_block *block = &p->blocks[b];
      block_state next = next_state(block, state[b], r + block->row, u + block->row);
      holds &= next == state[b];
      state[b] = next;
    }
    if (holds) return SOLVE_SOLVED;
  }
  return SOLVE_LIMIT;
}

static solve_status solve(const solve_problem *p, const solve_settings *settings, solve_workspace *w, double *r,
                          solve_info *info) {
  (void)w;
  return find(p, settings->iterations ? settings->iterations : limit(p), r, &info->iterations);
}

solve_status active_set_find(const solve_problem *p, double *r, int *iterations) {
  return find(p, limit(p), r, iterations);
}

const solver solver_active_set = {
    "active-set",     "Guesses which rows hold and corrects the guess: exact, for up to 12 rows.",
    active_set_suits, limit,
    measure,          solve,
    .finite = true};
