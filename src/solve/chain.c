// One solver after the other until the judge is content. Small problems in the plane go through a fixed list of stages;
// all others through a race (chain_race.c).
#include <math.h>
#include <string.h>

#include "solve/active_set.h"
#include "solve/chain.h"
#include "solve/cone.h"
#include "solve/friction_lcp.h"
#include "solve/problem_dump.h"
#include "solve/reduced.h"
#include "solve/residual.h"

typedef struct stage {
  const solver *solver;
  int iterations;  // 0: as the settings say
  bool warm;       // goes on from the best so far; else the first stage starts as the settings say, others from zero
} stage;

// Exact methods first, then those that always get somewhere.
static const stage small_plane[] = {
    {&solver_active_set, 0, false}, {&solver_lemke, 0, false},        {&solver_enumerate, 0, false},
    {&solver_nsgs, 1000, false},    {&solver_alart_curnier, 0, true}, {&solver_newton, 0, false},
    {&solver_interior, 0, false},   {&solver_nsgs, 0, true},
};

// Unknowns up to which pivoting is quicker than sweeping.
enum { PIVOT_MAX = 100 };

static bool is_small(const solve_problem *p) {
  return !solve_has_cones(p) && (3 * p->block_count <= PIVOT_MAX || lcp_unknowns(p) <= PIVOT_MAX);
}

// Whether r = 0 fits the laws of a block exactly. For contacts with friction as the natural map has it at r = 0: a
// normal velocity that rounding hides beside the slip counts as zero.
static bool zero_fits(const solve_block *b, const double *q) {
  double pull, F;
  switch (b->kind) {
    case BLOCK_BILATERAL:
      for (int i = 0; i < b->size; i++)
        if (q[i] != 0) return false;
      return true;
    case BLOCK_UNILATERAL: return !(q[0] < 0);
    case BLOCK_BOX: return natural_map(b, &(double){0}, q, 1, &F), F == 0;
    default:
      pull = b->mu * (block_sliding_rows(b) == 2 ? fabs(q[1]) : sqrt(q[1] * q[1] + q[2] * q[2]));
      return !(pull - (q[0] + pull) > 0);
  }
}

// r = 0: nothing touches, or what touches is about to part.
static bool zero_solves(const solve_problem *p) {
  for (int b = 0; b < p->block_count; b++)
    if (!zero_fits(&p->blocks[b], p->q + p->blocks[b].row)) return false;
  return true;
}

// Stages are told apart by the names of their solvers; a second run of one counts with the first.
void chain_record(chain_tally *tally, const char *name, bool solved) {
  if (!tally) return;
  int i = 0;
  while (i < tally->stage_count && tally->stage[i].name != name && strcmp(tally->stage[i].name, name) != 0) i++;
  if (i == CHAIN_STAGES_MAX) return;
  if (i == tally->stage_count) tally->stage[tally->stage_count++].name = name;
  tally->stage[i].tried++;
  tally->stage[i].solved += solved;
}

static void log_attempt(chain_log *log, const solver *s, const solve_info *info, double work) {
  int i = log->count++;
  if (i >= CHAIN_LOG_MAX) return;
  log->entry[i].name = s->name, log->entry[i].iterations = info->iterations;
  log->entry[i].work = work, log->entry[i].residual = info->residual;
}

solve_info chain_attempt(chain_run *c, const solver *s, const solve_settings *settings, double *r) {
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  solve_info here = {.stage = s->name, .residual = INFINITY};
  solve_solution candidate = {r, c->begun ? c->d.u : c->best->u};  // the first may write to the solution itself
  double before = c->w->work;
  driver_solve(s, c->p, settings, c->w, &c->d, &candidate, &here);
  if (c->w->log) log_attempt(c->w->log, s, &here, c->w->work - before);
  int iterations = c->info->iterations + here.iterations;
  if (!c->begun || here.residual < c->info->residual) {
    if (r != c->best->r) memcpy(c->best->r, r, bytes);
    if (c->begun) memcpy(c->best->u, c->d.u, bytes);
    *c->info = here;
  } else if (here.status == SOLVE_NONE || here.status == SOLVE_INTERRUPTED) {
    c->info->status = here.status;
  }
  c->info->iterations = iterations;
  c->begun = true;
  return here;
}

bool chain_limit(solve_settings *of_stage, const solver *s, const solve_problem *p, int own, int user) {
  int most = own ? own : s->limit(p);
  bool less = user && !s->finite && user < most;
  of_stage->iterations = less ? user : most;
  return less;
}

static void run_stages(chain_run *c, const stage *stages, int count) {
  size_t bytes = (size_t)c->p->W.rows * sizeof(double);
  for (int i = 0; i < count && !chain_done(c); i++) {
    if (!stages[i].solver->suits(c->p)) continue;
    solve_settings own = *c->settings;
    bool limited = chain_limit(&own, stages[i].solver, c->p, stages[i].iterations, c->settings->iterations);
    own.warm_start = stages[i].warm || (!c->begun && own.warm_start);
    double *r = c->begun ? c->d.r : c->best->r;
    if (c->begun && own.warm_start) memcpy(r, c->best->r, bytes);
    else if (c->begun) memset(r, 0, bytes);
    bool first = !c->begun;
    solve_info info = chain_attempt(c, stages[i].solver, &own, r);
    if (limited && info.status == SOLVE_LIMIT) c->cut = stages[i].solver->name;
    if (first && info.status != SOLVE_SOLVED && c->tally) *c->before = *c->tally;
    chain_record(c->tally, stages[i].solver->name, info.status == SOLVE_SOLVED);
  }
}

// Bodies at rest have the percussions of the last step: they are accepted as they are where they fit, before anything
// is swept or factored.
static solve_status keep_start(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                               solve_info *info) {
  (void)p, (void)s, (void)w, (void)r, (void)info;
  return SOLVE_INACCURATE;
}
static const solver starter = {.name = "nsgs", .solve = keep_start};  // sweeps would begin there: it counts as theirs

// Percussions that stay as they are err in the same direction step by step: more is asked of them than of a solution
// that is found anew.
static const double OF_TOLERANCE = 0.1;

static void try_start(chain_run *c) {
  solve_settings own = *c->settings;
  own.polish = false, own.tolerance *= OF_TOLERANCE;
  solve_info here = chain_attempt(c, &starter, &own, c->best->r);
  c->begun = here.status == SOLVE_SOLVED;
  if (c->begun) chain_record(c->tally, starter.name, true);
}

// A tally shows the formula of publications for the problem that was solved worst, and no problem else needs it: on
// small problems it costs as much as the residual. Without a tally every problem is the worst.
static bool is_worst(const chain_tally *tally, const solve_info *info) {
  return !tally || !(info->residual <= tally->worst_residual);
}

static void count(chain_tally *tally, const solve_info *info) {
  tally->problems++, tally->iterations += info->iterations;
  tally->unsolved += info->status != SOLVE_SOLVED;
  tally->impossible += info->status == SOLVE_NONE;
  if (is_worst(tally, info)) tally->worst_residual = info->residual, tally->worst_residual_mixed = info->residual_mixed;
}

static void run_solvers(chain_run *c);

// The problem of the contacts alone, to a tenth of the tolerance because rows of constraints have a part in the
// residual of the whole, which judges what it gives.
static void run_reduced(chain_run *c) {
  size_t mark = c->w->used;
  const double *weights = c->w->weights;
  reduced f = reduced_lay_out(c->w, &c->w->limits);
  if (reduced_make(&f, c->p, c->best->r, c->w->stop)) {
    solve_limits limits = solve_limits_exact(&f.problem);
    solve_settings own = *c->settings;
    solve_info info = {.stage = SOLVE_ZERO_STAGE, .residual = INFINITY, .status = SOLVE_UNSUITABLE};
    chain_tally before = c->tally ? *c->tally : (chain_tally){0};
    *c->before = before;
    own.tolerance *= OF_TOLERANCE;
    chain_run part = {&f.problem,
                      &own,
                      c->w,
                      driver_begin_part(c->w, &f.problem, &limits),
                      &(solve_solution){f.r, f.u},
                      &info,
                      c->tally,
                      c->before,
                      false,
                      NULL};
    run_solvers(&part);
    c->w->weights = weights;
    if (info.status == SOLVE_INTERRUPTED) {
      c->info->status = info.status, c->w->used = mark;
      return;
    }
    const solver restorer = {.name = info.stage, .solve = keep_start};
    own = *c->settings, own.polish = false;
    reduced_restore(&f, c->p, c->d.r);
    chain_attempt(c, &restorer, &own, c->d.r);
    c->info->iterations += info.iterations;
    if (c->info->status != SOLVE_SOLVED && part.cut) c->cut = part.cut;
    else if (c->info->status != SOLVE_SOLVED && c->tally) *c->tally = before;
  }
  c->w->used = mark;
}

static void run_solvers(chain_run *c) {
  if (reduced_suits(c->p, &c->w->limits)) run_reduced(c);
  if (chain_done(c)) return;
  if (is_small(c->p)) {
    run_stages(c, small_plane, sizeof small_plane / sizeof *small_plane);
    return;
  }
  if (c->tally) *c->before = *c->tally;
  chain_race(c, c->settings->warm_start);
}

static void run(const solve_problem *p, const solve_settings *settings, solve_workspace *w, const solve_limits *limits,
                solve_solution *solution, chain_tally *tally, solve_info *info) {
  chain_tally before;
  w->work = 0;  // of this problem alone: what is decided by it must not depend on others
  chain_run c = {p, settings, w, driver_begin(w, p, limits), solution, info, tally, &before, false, NULL};
  if (settings->warm_start) {
    if (tally) before = *tally;
    try_start(&c);
  }
  if (!chain_done(&c)) run_solvers(&c);
  if (c.cut && info->status != SOLVE_SOLVED && info->status != SOLVE_INTERRUPTED)
    info->status = SOLVE_LIMIT, info->cut = c.cut;
  if (tally && info->status == SOLVE_INTERRUPTED) *tally = before;  // the problem comes again, and is counted then
  if (is_worst(tally, info)) info->residual_mixed = solve_residual_mixed(p, solution->r, solution->u, c.d.work);
}

static double mixed_residual_of(const solve_problem *p, const solve_solution *solution) {
  double work[2 * ACTIVE_SET_ROWS];
  return solve_residual_mixed(p, solution->r, solution->u, work);
}

// Most problems of mechanisms have few rows, and the first stage solves them to rounding: there the other stages, their
// limits and their memory cost more than the solution. What is not solved so goes through all stages.
static bool solves_at_once(const solve_problem *p, const solve_settings *settings, solve_solution *to,
                           solve_info *info) {
  double weights[ACTIVE_SET_ROWS], work[ACTIVE_SET_ROWS];
  int iterations = 0;
  if (settings->warm_start || !matrix_is_dense(&p->W) || !active_set_suits(p)) return false;
  if (active_set_find(p, to->r, &iterations) != SOLVE_SOLVED || !solve_weights(p, weights)) return false;
  solve_info here = *info;
  driver_judge(p, weights, fmin(SOLVE_ROUNDING, settings->tolerance), work, to, &here);
  if (here.status != SOLVE_SOLVED) return false;
  *info = here;
  info->stage = solver_active_set.name, info->iterations = iterations;
  return true;
}

solve_info solve_chain(const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                       solve_solution *solution, chain_tally *tally) {
  size_t bytes = (size_t)p->W.rows * sizeof(double);
  solve_info info = {
      .stage = SOLVE_ZERO_STAGE, .residual = INFINITY, .residual_mixed = INFINITY, .status = SOLVE_UNSUITABLE};
  bool valid = solve_problem_valid(p), done = valid && zero_solves(p);
  if (!valid || done) {
    memset(solution->r, 0, bytes);
    memcpy(solution->u, p->q, bytes);
  }
  if (!valid) {
    info.status = SOLVE_INVALID;
  } else if (done) {
    info.status = SOLVE_SOLVED;
    info.residual = info.residual_mixed = 0;
    chain_record(tally, info.stage, true);
  } else if (solves_at_once(p, settings, solution, &info)) {
    chain_record(tally, info.stage, true);
    if (w->log) log_attempt(w->log, &solver_active_set, &info, 0);
    if (is_worst(tally, &info)) info.residual_mixed = mixed_residual_of(p, solution);
  } else {
    solve_limits limits = solve_limits_exact(p);
    info.status = SOLVE_TOO_LARGE;
    if (!settings->warm_start) memset(solution->r, 0, bytes);
    memcpy(solution->u, p->q, bytes);
    if (solve_workspace_fits(w, &limits)) run(p, settings, w, &limits, solution, tally, &info);
  }
  if (tally && info.status != SOLVE_INTERRUPTED) count(tally, &info);
  // an interrupted problem comes again; one that is not finite cannot be read back
  if (settings->dump && info.status != SOLVE_INTERRUPTED && info.status != SOLVE_INVALID)
    problem_dump_take(settings->dump, p, info.status == SOLVE_SOLVED);
  return info;
}
