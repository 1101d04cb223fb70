// Every combination of states: open or closed, stick or slip either way, at a bound or between. Each makes linear
// equations whose solution either obeys all inequalities or does not. For few contacts; it finds a solution whenever
// there is one, and can count them.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "solve/residual.h"
#include "solve/solver.h"

typedef enum state { OPEN, CLOSED, SLIP_FORWARD, SLIP_BACKWARD, AT_LO, AT_HI } state;

enum { COMBINATIONS_MAX = 1 << 16, ROWS_MAX = 128, COUNTED_MAX = 64, REFINEMENTS = 3 };

// A residual that cannot be rounding of a solution.
static const double PROOF = 1e-6;
// What a contradiction leaves of singular equations: with a little stiffness rounding leaves 1e-6.
static const double CONTRADICTION = 1e-3;

typedef struct enumeration {
  double *W, *A, *x, *rest;  // W dense; the equations; their solution; what is left of them
  int *equation, *pivot;     // row of each unknown
  double *follow;            // of a slipping contact: r_T over r_N, else 0
  double *r, *u, *best, *work;
  int *state;     // which of its states each block is in
  double *found;  // solutions met so far
  int unknowns;
  bool singular;  // the equations of this combination: they have many solutions, or none
  bool open;      // one of many solutions was looked at, and another may fit: nothing is proved
} enumeration;

static enumeration lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)(limits->dense < ROWS_MAX ? limits->dense : ROWS_MAX);
  enumeration e = {0};
  e.W = TAKE(w, double, (n * n));
  e.A = TAKE(w, double, (n * n));
  e.x = TAKE(w, double, n);
  e.rest = TAKE(w, double, n);
  e.equation = TAKE(w, int, n);
  e.pivot = TAKE(w, int, n);
  e.follow = TAKE(w, double, n);
  e.r = TAKE(w, double, n);
  e.u = TAKE(w, double, n);
  e.best = TAKE(w, double, n);
  e.work = TAKE(w, double, limits->rows + limits->velocities);
  e.state = TAKE(w, int, limits->blocks);
  e.found = TAKE(w, double, (n * COUNTED_MAX));
  return e;
}

static void measure(solve_workspace *w, const solve_limits *limits) { lay_out(w, limits); }

static int states_of(const solve_block *b, state list[4]) {
  int count = 0;
  switch (b->kind) {
    case BLOCK_BILATERAL: list[count++] = CLOSED; break;
    case BLOCK_UNILATERAL: list[count++] = OPEN, list[count++] = CLOSED; break;
    case BLOCK_PLANE:
      list[count++] = OPEN;
      if (b->mu > 0) list[count++] = CLOSED;
      list[count++] = SLIP_FORWARD;
      if (b->mu > 0) list[count++] = SLIP_BACKWARD;
      break;
    case BLOCK_BOX:
      list[count++] = CLOSED;
      if (!isinf(b->lo)) list[count++] = AT_LO;
      if (!isinf(b->hi)) list[count++] = AT_HI;
      break;
    case BLOCK_SPACE:
    case BLOCK_POLYGON:
    case BLOCK_ROLLING_PLANE:
    case BLOCK_ROLLING_SPACE: break;
  }
  return count;
}

static bool suits(const solve_problem *p) {
  if (p->W.rows > ROWS_MAX) return false;
  long combinations = 1;
  state list[4];
  for (int b = 0; b < p->block_count && combinations <= COMBINATIONS_MAX; b++) {
    int count = states_of(&p->blocks[b], list);
    if (count == 0) return false;
    combinations *= count;
  }
  return combinations <= COMBINATIONS_MAX;
}

static void add_unknown(enumeration *e, int row, double follow) {
  e->equation[e->unknowns] = row;
  e->follow[e->unknowns++] = follow;
}

// Which rows are unknown in this combination; r holds what is known.
static void list_unknowns(enumeration *e, const solve_problem *p) {
  e->unknowns = 0;
  memset(e->r, 0, (size_t)p->W.rows * sizeof *e->r);
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    state list[4];
    states_of(b, list);
    switch (list[e->state[k]]) {
      case OPEN: break;
      case CLOSED:
        for (int i = 0; i < b->size; i++) add_unknown(e, b->row + i, 0);
        break;
      case SLIP_FORWARD: add_unknown(e, b->row, -b->mu); break;
      case SLIP_BACKWARD: add_unknown(e, b->row, b->mu); break;
      case AT_LO: e->r[b->row] = b->lo; break;
      case AT_HI: e->r[b->row] = b->hi; break;
    }
  }
}

static void write_equations(const enumeration *e, const solve_problem *p, double *A, double lift) {
  int m = e->unknowns, n = p->W.rows;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *W = e->W + (long)e->equation[i] * n + e->equation[j];
      A[i * m + j] = W[0] + (e->follow[j] != 0 ? e->follow[j] * W[1] : 0) + (i == j ? lift * W[0] : 0);
    }
}

static void spread(const enumeration *e) {
  for (int i = 0; i < e->unknowns; i++) {
    e->r[e->equation[i]] = e->x[i];
    if (e->follow[i] != 0) e->r[e->equation[i] + 1] = e->follow[i] * e->x[i];
  }
}

static void velocities(const enumeration *e, const solve_problem *p) {
  p->W.ops->apply(&p->W, e->r, e->u, e->work);
  for (int i = 0; i < p->W.rows; i++) e->u[i] += p->q[i];
}

// Closed contacts that share a load make singular but consistent equations. A little stiffness picks one share, and
// refinement then removes its error, because x enters only through what is left of the equations.
static void solve_equations(enumeration *e, const solve_problem *p) {
  int m = e->unknowns;
  memset(e->x, 0, (size_t)m * sizeof *e->x);
  write_equations(e, p, e->A, 0);
  e->singular = lu_factor(m, e->A, m, e->pivot, NULL) < 1e-11;
  if (e->singular) {
    write_equations(e, p, e->A, 1e-10);
    if (lu_factor(m, e->A, m, e->pivot, NULL) == 0) return;
  }
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    spread(e);
    velocities(e, p);
    for (int i = 0; i < m; i++) e->rest[i] = -e->u[e->equation[i]];
    lu_solve(m, e->A, m, e->pivot, e->rest);
    for (int i = 0; i < m; i++) e->x[i] += e->rest[i];
  }
  spread(e);
}

// Singular equations that contradict each other: what is left of them is not small beside q.
static bool contradicts(const enumeration *e, const solve_problem *p) {
  double left = 0, size = 0;
  for (int i = 0; i < e->unknowns; i++) left = fmax(left, fabs(e->u[e->equation[i]]));
  for (int i = 0; i < e->unknowns; i++) size = fmax(size, fabs(p->q[e->equation[i]]));
  return left > CONTRADICTION * size;
}

static bool next_combination(enumeration *e, const solve_problem *p) {
  state list[4];
  for (int b = 0; b < p->block_count; b++) {
    if (++e->state[b] < states_of(&p->blocks[b], list)) return true;
    e->state[b] = 0;
  }
  return false;
}

// Degenerate solutions belong to several combinations and count once.
static void count_solution(enumeration *e, int rows, int *solutions) {
  double size = 0;
  for (int i = 0; i < rows; i++) size = fmax(size, fabs(e->r[i]));
  for (int k = 0; k < *solutions && k < COUNTED_MAX; k++) {
    double apart = 0;
    for (int i = 0; i < rows; i++) apart = fmax(apart, fabs(e->found[(long)k * rows + i] - e->r[i]));
    if (apart <= 1e-8 * size) return;
  }
  if (*solutions < COUNTED_MAX) memcpy(e->found + (long)*solutions * rows, e->r, (size_t)rows * sizeof *e->r);
  ++*solutions;
}

static int limit(const solve_problem *p) {
  (void)p;
  return COMBINATIONS_MAX;
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  enumeration e = lay_out(w, &limits);
  double best = INFINITY;
  e.open = false;
  memset(e.state, 0, (size_t)p->block_count * sizeof *e.state);
  p->W.ops->dense(&p->W, e.W);
  do {
    if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
    info->iterations++;
    list_unknowns(&e, p);
    solve_equations(&e, p);
    double residual = solve_residual_known(p, w->weights, e.r, e.u, e.work);
    if (residual < best) best = residual, memcpy(r, e.r, (size_t)p->W.rows * sizeof *r);
    if (residual > s->tolerance && e.singular && !contradicts(&e, p)) e.open = true;
    if (residual > s->tolerance) continue;
    if (!s->count_solutions) return SOLVE_SOLVED;
    count_solution(&e, p->W.rows, &info->solutions);
  } while (next_combination(&e, p));
  if (best <= s->tolerance) return SOLVE_SOLVED;
  return !e.open && best > PROOF ? SOLVE_NONE : SOLVE_STALLED;
}

const solver solver_enumerate = {
    "enumerate",   "Every combination of open, stick and slip: few contacts, never misses.",
    suits,         limit,
    measure,       solve,
    .finite = true};
