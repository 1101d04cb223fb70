// Newton's steps and sweeps in turns, for problems in pieces.
//
// A Newton step on the active set removes errors that are smooth over many contacts, which sweeps reduce slowly. It
// goes wrong where the active set is wrong. In a large problem that is mostly in a few places: where contacts that all
// stick jam, their percussions have to grow until one of them opens, and Newton's step on the way there is as long as
// the stiffness allows. Sweeps find the end, in some hundred turns, but only the contacts near such a place take part.
// So
//
//   a few sweeps over all contacts; then in turns
//     full Newton steps, as long as each reduces the residual to a tenth, and
//     sweeps where something moves (cone_nsgs.h), twice as many each time.
//
// A step is kept although it may raise the residual: elsewhere it has solved the problem, and the sweeps that follow
// stay where it has not. The stiffness is proportional to the residual (Levenberg and Marquardt), which keeps steps
// short where contacts jam and still converges quadratically.
#include "solve/cone_local.h"

#include <math.h>
#include <string.h>

#include "solve/condensed.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_nsgs.h"

enum { FIRST_SWEEPS = 25, SWEEPS = 100 };  // over all; where something moves, the first time

// Changes count from this part of the residual on, as if all contacts had the same share of it; where nothing moves by
// that much, from a tenth of it on.
static const double PART = 0.1, LESS = 0.1;

bool local_suits(const solve_problem *p, const solve_workspace *w) {
  return condensed_suits(p) && w->weights && !solve_has_rolling(p);
}

// Σ q²/d of a block, on average: what its share of the residual is relative to.
static double mean_size(const solve_problem *p, const double *weights) {
  double sum = 0;
  for (int i = 0; i < p->W.rows; i++) sum += p->q[i] * p->q[i] / weights[i];
  return sum / p->block_count;
}

// Where something moves, until nothing does by a part of the tolerance.
static int sweep(nsgs_sweeps *m, int most, double size, double residual, double tolerance, interrupt *stop, double *r) {
  int sweeps = 0;
  for (double part = PART * residual; sweeps < most && part > PART * tolerance && !interrupted(stop); part *= LESS)
    sweeps += nsgs_go_on_local(m, most - sweeps, part * part * size, stop, r);
  return sweeps;
}

struct local_path {
  double *at, *best;  // where it is, and the best so far
  double residual;    // of that
  int sweeps;         // of the next turn; 0: before the first one
};

static void compare(local_path *path, int n, double residual) {
  if (residual < path->residual) path->residual = residual, memcpy(path->best, path->at, (size_t)n * sizeof(double));
}

// Turns, at most `limit` iterations in all.
static solve_status take_turns(local_path *path, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                               int limit, nsgs_sweeps *m, solve_info *info) {
  int n = p->W.rows;
  double size = mean_size(p, w->weights);
  for (;;) {
    double residual = alart_curnier_leap(p, w, s->tolerance, limit, path->at, &info->iterations);
    compare(path, n, residual);
    if (residual <= s->tolerance) return SOLVE_SOLVED;
    if (interrupted(w->stop)) return SOLVE_INTERRUPTED;
    if (info->iterations >= limit) return SOLVE_LIMIT;
    if (!(residual < INFINITY)) return SOLVE_STALLED;
    int left = limit - info->iterations;
    info->iterations +=
        sweep(m, path->sweeps < left ? path->sweeps : left, size, residual, s->tolerance, w->stop, path->at);
    compare(path, n, nsgs_residual(m, path->at));
    if (path->sweeps < LOCAL_LIMIT) path->sweeps *= 2;
    if (info->iterations >= limit) return SOLVE_LIMIT;
  }
}

static local_path lay_out(solve_workspace *w, const solve_limits *limits) {
  return (local_path){.at = TAKE(w, double, limits->rows), .best = TAKE(w, double, limits->rows)};
}

local_path *local_path_take(solve_workspace *w, const solve_limits *limits) {
  local_path *path = TAKE(w, local_path, 1), made = lay_out(w, limits);
  if (path) *path = made;
  return path;
}

void local_path_begin(local_path *path, const solve_problem *p, const double *r) {
  path->residual = INFINITY, path->sweeps = 0;
  memcpy(path->at, r, (size_t)p->W.rows * sizeof *r);
}

int local_path_turn(const local_path *path) { return path->sweeps ? path->sweeps : FIRST_SWEEPS + SWEEPS; }

solve_status local_path_go_on(local_path *path, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                              double *r, solve_info *info) {
  int n = p->W.rows, limit = s->iterations ? s->iterations : LOCAL_LIMIT;
  nsgs_sweeps *m = nsgs_begin_local(p, w);
  if (path->sweeps == 0) {
    info->iterations = nsgs_go_on_local(m, limit < FIRST_SWEEPS ? limit : FIRST_SWEEPS, 0, w->stop, path->at);
    compare(path, n, nsgs_residual(m, path->at));
    path->sweeps = SWEEPS;
  }
  solve_status status = take_turns(path, p, s, w, limit, m, info);
  if (path->residual < INFINITY) memcpy(r, path->best, (size_t)n * sizeof *r);
  return status;
}

solve_status local_solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                         solve_info *info) {
  solve_limits limits = solve_limits_exact(p);
  local_path path = lay_out(w, &limits);
  local_path_begin(&path, p, r);
  return local_path_go_on(&path, p, s, w, r, info);
}

void local_measure(solve_workspace *w, const solve_limits *limits) {
  lay_out(w, limits);
  nsgs_measure_local(w, limits);
}
