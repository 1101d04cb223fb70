// The family of solvers, the driver that runs and judges one, and the chain that falls back from one to the next.
#ifndef SOLVE_SOLVER_H
#define SOLVE_SOLVER_H

#include "solve/problem.h"
#include "solve/workspace.h"

typedef struct solver {
  const char *name, *summary;
  bool (*suits)(const solve_problem *p);
  int (*limit)(const solve_problem *p);  // iterations after which it gives up, if the settings have no limit
  // Lays out its memory; on an empty workspace it measures.
  void (*measure)(solve_workspace *w, const solve_limits *limits);
  // Improves r and says how it ended; whether r is a solution is for others to judge.
  solve_status (*solve)(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                        solve_info *info);
  bool finite;   // ends by itself after a number of steps that the problem gives
  bool resumes;  // is left and gone on with: only a solution is polished
} solver;

extern const solver solver_active_set, solver_lemke, solver_pgs, solver_newton, solver_enumerate, solver_nsgs,
    solver_alart_curnier, solver_interior;

const solver *const *solver_list(int *count);
const solver *solver_find(const char *name);  // null when there is none
size_t solver_memory_all(const solve_limits *limits);

// Runs one solver: checks the problem, starts from zero or from the solution given, times, polishes, judges. The
// solution holds the best that was found whatever the status.
solve_info solver_run(const solver *s, const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                      solve_solution *solution);

// --- the chain -------------------------------------------------------------------------------------------------------

enum { CHAIN_STAGES_MAX = 8 };

// What the stages of a chain did over many problems.
typedef struct chain_tally {
  struct {
    const char *name;
    long tried, solved;
  } stage[CHAIN_STAGES_MAX];
  int stage_count;
  long problems, unsolved;
  long iterations;              // of all problems; sweeps, where sweeps solve
  long impossible;              // of the unsolved: proved to have no solution
  double worst_residual;        // of all problems, the unsolved ones too
  double worst_residual_mixed;  // of the same problem, by the formula of publications
} chain_tally;

enum { CHAIN_TALLY_NUMBERS = 6 + 3 * CHAIN_STAGES_MAX };
void chain_tally_pack(const chain_tally *t, double numbers[CHAIN_TALLY_NUMBERS]);
chain_tally chain_tally_unpack(const double numbers[CHAIN_TALLY_NUMBERS]);

// What the chain tried on one problem, in its order; `count` goes on beyond CHAIN_LOG_MAX. Set to zero by the caller.
enum { CHAIN_LOG_MAX = 256 };
typedef struct chain_log {
  int count;
  struct {
    const char *name;
    int iterations;
    double work, residual;  // of this attempt alone; of the percussions that it has left
  } entry[CHAIN_LOG_MAX];
} chain_log;

#define SOLVE_ZERO_STAGE "zero"
// r = 0 is tried first, then the start if it is warm, then one solver after the other until the judge is content. What
// none solved ends with the best of all. The tally may be null. Leaves the time to its caller: it runs in every step,
// and reading a clock costs as much as a small problem.
solve_info solve_chain(const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                       solve_solution *solution, chain_tally *tally);

#endif
