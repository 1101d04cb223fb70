#include "solve/driver.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "solve/chain.h"
#include "solve/condensed.h"
#include "solve/cone.h"
#include "solve/cone_alart_curnier.h"
#include "solve/cone_patch.h"
#include "solve/reduced.h"
#include "solve/residual.h"

static const solver *const solvers[] = {&solver_active_set, &solver_lemke, &solver_enumerate,     &solver_newton,
                                        &solver_pgs,        &solver_nsgs,  &solver_alart_curnier, &solver_interior};

const solver *const *solver_list(int *count) {
  *count = sizeof solvers / sizeof *solvers;
  return solvers;
}

const solver *solver_find(const char *name) {
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    if (strcmp(solvers[i]->name, name) == 0) return solvers[i];
  return NULL;
}

// One piece of memory for all: on small problems each more would cost as much as a row.
driver driver_begin_part(solve_workspace *w, const solve_problem *p, const solve_limits *limits) {
  size_t rows = (size_t)limits->rows;
  double *all = TAKE(w, double, 6 * rows + (size_t)limits->velocities);
  if (!all) return (driver){0};
  condensed_forget(w->condensed);
  double *weights = all + 3 * rows;
  w->weights = solve_weights(p, weights) ? weights : NULL;
  return (driver){.r = all, .u = all + rows, .swept = all + 2 * rows, .ended = all + 4 * rows, .work = all + 5 * rows};
}

driver driver_begin(solve_workspace *w, const solve_problem *p, const solve_limits *limits) {
  w->used = 0;
  return driver_begin_part(w, p, limits);
}

// Beside the sweeps of the chain, which keep theirs while another solver runs, and of a problem that is reduced.
static size_t memory_of(void (*measure)(solve_workspace *, const solve_limits *), const solve_limits *limits) {
  solve_workspace empty = {0};
  driver_begin(&empty, NULL, limits);
  if (reduced_room(limits)) {
    reduced_lay_out(&empty, limits);
    driver_begin_part(&empty, NULL, limits);
  }
  chain_race_measure(&empty, limits);
  measure(&empty, limits);
  return empty.used;
}

size_t solver_memory_all(const solve_limits *limits) {
  size_t most = memory_of(alart_curnier_measure, limits);
  if (limits->velocities && limits->blocks > PATCHED_LEAST && memory_of(patches_measure, limits) > most)
    most = memory_of(patches_measure, limits);
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    size_t size = memory_of(solvers[i]->measure, limits);
    if (size > most) most = size;
  }
  return most;
}

double driver_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What a solver says is kept, but for whether it has solved the problem.
static void accept(double tolerance, solve_info *info) {
  if (info->residual <= tolerance) info->status = SOLVE_SOLVED;
  else if (info->status == SOLVE_SOLVED) info->status = SOLVE_INACCURATE;
}

void driver_judge(const solve_problem *p, const double *weights, double tolerance, double *work,
                  solve_solution *solution, solve_info *info) {
  put_all_inside(p, solution->r);
  info->residual = solve_residual_known(p, weights, solution->r, solution->u, work);
  if (info->status != SOLVE_INTERRUPTED) accept(tolerance, info);
}

void driver_solve(const solver *s, const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                  const driver *d, solve_solution *solution, solve_info *info) {
  size_t mark = w->used;
  info->status = s->solve(p, settings, w, solution->r, info);
  w->used = mark;
  driver_judge(p, w->weights, settings->tolerance, d->work, solution, info);
  if (info->status == SOLVE_INTERRUPTED) return;
  bool polishes = settings->polish && (!s->resumes || info->residual <= settings->tolerance);
  if (polishes && info->residual > SOLVE_ROUNDING && info->residual < INFINITY) {
    double before = info->residual;
    info->residual = alart_curnier_polish(p, w, solution->r, solution->u, before);
    info->polished = info->residual < before;
    w->used = mark;
    accept(settings->tolerance, info);
  }
}

static solve_status admit(const solver *s, const solve_problem *p, const solve_workspace *w,
                          const solve_limits *limits) {
  if (!solve_problem_valid(p)) return SOLVE_INVALID;
  if (!s->suits(p)) return SOLVE_UNSUITABLE;
  return solve_workspace_fits(w, limits) ? SOLVE_SOLVED : SOLVE_TOO_LARGE;
}

solve_info solver_run(const solver *s, const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                      solve_solution *solution) {
  double began = driver_now();
  solve_limits limits = solve_limits_exact(p);
  size_t bytes = (size_t)p->W.rows * sizeof(double);
  solve_info info = {
      .stage = s->name, .residual = INFINITY, .residual_mixed = INFINITY, .status = admit(s, p, w, &limits)};
  bool admitted = info.status == SOLVE_SOLVED;
  if (!admitted || !settings->warm_start) memset(solution->r, 0, bytes);
  if (admitted) {
    driver d = driver_begin(w, p, &limits);
    driver_solve(s, p, settings, w, &d, solution, &info);
    if (info.status == SOLVE_LIMIT && settings->iterations) info.cut = s->name;
    info.residual_mixed = solve_residual_mixed(p, solution->r, solution->u, d.work);
  } else {
    memcpy(solution->u, p->q, bytes);  // as of r = 0
  }
  info.seconds = driver_now() - began;
  return info;
}
