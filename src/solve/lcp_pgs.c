// Projected Gauss–Seidel, row by row: each row is solved for itself with the others held, and cut to its bounds. The
// bounds of a tangential row in the plane are ±μ times the normal percussion of the moment.
#include <math.h>
#include <string.h>

#include "solve/cone.h"
#include "solve/residual.h"
#include "solve/solver.h"

typedef struct memory {
  double *u, *work, *v;
} memory;

static memory lay_out(solve_workspace *w, const solve_limits *limits) {
  return (memory){TAKE(w, double, limits->rows), TAKE(w, double, limits->rows + limits->velocities),
                  TAKE(w, double, limits->velocities)};
}

static void measure(solve_workspace *w, const solve_limits *limits) { lay_out(w, limits); }
static bool suits(const solve_problem *p) { return !solve_has_cones(p) && !solve_has_polygons(p); }

static double cut(const solve_block *b, int k, const double *r, double x) {
  switch (b->kind) {
    case BLOCK_BILATERAL: return x;
    case BLOCK_BOX: return clamp(x, b->lo, b->hi);
    case BLOCK_PLANE: return k == 1 ? clamp(x, -b->mu * r[0], b->mu * r[0]) : clamp(x, 0, INFINITY);
    default: return clamp(x, 0, INFINITY);
  }
}

// u is kept as it changes with the rows of the block.
static void relax(const solve_block *b, const double *D, double *u, double *r) {
  for (int k = 0; k < b->size; k++) {
    double diagonal = D[k * b->size + k];
    double next = diagonal > 0 ? cut(b, k, r, r[k] - u[k] / diagonal) : r[k], change = next - r[k];
    r[k] = next;
    for (int i = 0; i < b->size; i++) u[i] += D[i * b->size + k] * change;
  }
}

static void sweep(const solve_problem *p, const memory *m, double *r) {
  const solve_matrix *W = &p->W;
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double D[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX], u[BLOCK_ROWS_MAX], change[BLOCK_ROWS_MAX], *rb = r + b->row;
    W->ops->block(W, k, k, D);
    W->ops->row(W, k, r, m->v, u);
    for (int i = 0; i < b->size; i++) u[i] += p->q[b->row + i], change[i] = -rb[i];
    relax(b, D, u, rb);
    for (int i = 0; i < b->size; i++) change[i] += rb[i];
    W->ops->moved(W, k, change, m->v);
  }
}

static int limit(const solve_problem *p) {
  (void)p;
  return 20000;
}

static solve_status solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                          solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  memory m = lay_out(w, &limits);
  int most = s->iterations ? s->iterations : limit(p);
  p->W.ops->start(&p->W, r, m.v);
  while (info->iterations < most) {
    if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
    sweep(p, &m, r);
    if (++info->iterations % s->check_every == 0 && solve_residual_known(p, w->weights, r, m.u, m.work) <= s->tolerance)
      return SOLVE_SOLVED;
  }
  return SOLVE_LIMIT;
}

const solver solver_pgs = {
    "pgs",          "Projected Gauss-Seidel, row by row: rough solutions at little cost.", suits, limit, measure, solve,
    .finite = false};
