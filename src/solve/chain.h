// What the chain and its race for large problems share: one attempt after the other, the best of all kept.
#ifndef SOLVE_CHAIN_H
#define SOLVE_CHAIN_H

#include "solve/driver.h"

typedef struct chain_run {
  const solve_problem *p;
  const solve_settings *settings;
  solve_workspace *w;
  driver d;
  solve_solution *best;
  solve_info *info;     // of the best, with the iterations of all
  chain_tally *tally;   // may be null
  chain_tally *before;  // the tally before the first stage that did not solve the problem
  bool begun;           // `best` holds something that was judged
  const char *cut;      // the stage that the limit of the settings has ended; may be null
} chain_run;

// Another stage would not change it, or is not allowed: what the limit of the settings has ended would have gone on
// without it, and stages after that are not to make up for it. So a limit never adds to the work.
static inline bool chain_done(const chain_run *c) {
  solve_status status = c->info->status;
  return status == SOLVE_SOLVED || status == SOLVE_NONE || status == SOLVE_INTERRUPTED || c->cut;
}

// One solver from r, which it changes; the result is kept if it is the best so far. Returns what it did.
solve_info chain_attempt(chain_run *c, const solver *s, const solve_settings *settings, double *r);

void chain_record(chain_tally *tally, const char *name, bool solved);

// Sets the iterations of the settings for a stage: its own limit (0: the solver's) or the user's (0: none), whichever
// is less. Solvers that end by themselves have no limit of the user. Returns whether the user's is the one.
bool chain_limit(solve_settings *of_stage, const solver *s, const solve_problem *p, int own, int user);

// Sweeps, and the other solvers in between when sweeping alone would take longer. They start from the best so far if
// `warm`, else from zero.
void chain_race(chain_run *c, bool warm);
void chain_race_measure(solve_workspace *w, const solve_limits *limits);  // its memory, beside that of the solvers

#endif
