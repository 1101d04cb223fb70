// One solver after the other until the judge is content.
#include <math.h>
#include <string.h>

#include "solve/cone.h"
#include "solve/driver.h"
#include "solve/friction_lcp.h"

typedef struct stage {
  const solver *solver;
  int iterations;  // 0: as the settings say
  bool warm;       // goes on from the best so far; else the first stage starts as the settings say, others from zero
} stage;

// Exact methods first where they are quick, then those that always get somewhere.
static const stage small_plane[] = {
    {&solver_active_set, 0, false},   {&solver_lemke, 0, false},        {&solver_enumerate, 0, false},
    {&solver_nsgs, 1000, false},      {&solver_alart_curnier, 0, true}, {&solver_newton, 0, false},
    {&solver_interior, 0, false},
    {&solver_nsgs, 0, true},
};
static const stage large_plane[] = {
    {&solver_nsgs, 500, false}, {&solver_alart_curnier, 0, true}, {&solver_lemke, 0, false},
    {&solver_newton, 0, false}, {&solver_interior, 0, false},     {&solver_nsgs, 0, true},
};
// Where percussions are not unique, Newton may start on a wrong edge and Gauss-Seidel creep: then from the middle, and
// then without the guess.
static const stage space[] = {
    {&solver_nsgs, 300, false}, {&solver_alart_curnier, 0, true}, {&solver_interior, 0, false},
    {&solver_alart_curnier, 0, false}, {&solver_nsgs, 2000, false}, {&solver_nsgs, 0, true},
};

// Unknowns up to which pivoting is quicker than sweeping.
enum { PIVOT_MAX = 300 };

#define STAGES(list) (*count = sizeof(list) / sizeof *(list), (list))
static const stage *stages_for(const solve_problem *p, int *count) {
  if (solve_has(p, BLOCK_SPACE)) return STAGES(space);
  return 3 * p->block_count <= PIVOT_MAX || lcp_unknowns(p) <= PIVOT_MAX ? STAGES(small_plane) : STAGES(large_plane);
}

// r = 0: nothing touches, or what touches is about to part.
static bool zero_solves(const solve_problem *p) {
  static const double none[BLOCK_ROWS_MAX];
  for (int k = 0; k < p->block_count; k++) {
    double F[BLOCK_ROWS_MAX];
    const solve_block *b = &p->blocks[k];
    natural_map(b, none, p->q + b->row, 1, F);
    for (int i = 0; i < b->size; i++)
      if (F[i] != 0) return false;
  }
  return true;
}

// Stages are told apart by the names of their solvers; a second run of one counts with the first.
static void record(chain_tally *tally, const char *name, bool solved) {
  if (!tally) return;
  int i = 0;
  while (i < tally->stage_count && tally->stage[i].name != name && strcmp(tally->stage[i].name, name) != 0) i++;
  if (i == CHAIN_STAGES_MAX) return;
  if (i == tally->stage_count) tally->stage[tally->stage_count++].name = name;
  tally->stage[i].tried++;
  tally->stage[i].solved += solved;
}

static void try_stage(const stage *s, bool first, const solve_problem *p, const solve_settings *settings,
                      solve_workspace *w, const driver *d, solve_solution *best, solve_info *info) {
  size_t bytes = (size_t)p->W.rows * sizeof(double);
  solve_settings own = *settings;
  if (s->iterations && (!own.iterations || s->iterations < own.iterations)) own.iterations = s->iterations;
  own.warm_start = s->warm || (first && settings->warm_start);
  if (own.warm_start) memcpy(d->r, best->r, bytes);
  else memset(d->r, 0, bytes);
  solve_info here = {.stage = s->solver->name, .residual = INFINITY};
  solve_solution candidate = {d->r, d->u};
  driver_solve(s->solver, p, &own, w, d, &candidate, &here);
  here.iterations += info->iterations;
  if (here.status == SOLVE_NONE || here.status == SOLVE_INTERRUPTED) info->status = here.status;
  if (here.residual < info->residual) {
    memcpy(best->r, d->r, bytes);
    memcpy(best->u, d->u, bytes);
    *info = here;
  } else {
    info->iterations = here.iterations;
  }
}

// Another stage would not change it.
static bool is_final(solve_status status) {
  return status == SOLVE_SOLVED || status == SOLVE_NONE || status == SOLVE_INTERRUPTED;
}

static void run_stages(const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                       const solve_limits *limits, solve_solution *solution, chain_tally *tally, solve_info *info) {
  int count;
  const stage *stages = stages_for(p, &count);
  driver d = driver_begin(w, limits);
  for (int i = 0; i < count && !is_final(info->status); i++) {
    if (!stages[i].solver->suits(p)) continue;
    try_stage(&stages[i], i == 0, p, settings, w, &d, solution, info);
    record(tally, stages[i].solver->name, info->status == SOLVE_SOLVED);
  }
}

solve_info solve_chain(const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                       solve_solution *solution, chain_tally *tally) {
  size_t bytes = (size_t)p->W.rows * sizeof(double);
  solve_info info = {.stage = SOLVE_ZERO_STAGE, .residual = INFINITY, .status = SOLVE_UNSUITABLE};
  bool valid = solve_problem_valid(p), done = valid && zero_solves(p);
  if (!valid || done || !settings->warm_start) memset(solution->r, 0, bytes);
  memcpy(solution->u, p->q, bytes);
  if (!valid) {
    info.status = SOLVE_INVALID;
  } else if (done) {
    info.status = SOLVE_SOLVED;
    info.residual = 0;
    record(tally, info.stage, true);
  } else {
    solve_limits limits = solve_limits_of(p);
    info.status = SOLVE_TOO_LARGE;
    if (solve_workspace_fits(w, &limits)) run_stages(p, settings, w, &limits, solution, tally, &info);
  }
  if (tally && info.status != SOLVE_INTERRUPTED) {
    tally->problems++;
    tally->unsolved += info.status != SOLVE_SOLVED;
    tally->impossible += info.status == SOLVE_NONE;
    tally->worst_residual = fmax(tally->worst_residual, info.residual);
  }
  return info;
}
