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
  solve_info *info;      // of the best, with the iterations of all
  chain_tally *tally;    // may be null
  chain_tally *before;   // the tally before the first stage that did not solve the problem
  bool begun;            // `best` holds something that was judged
} chain_run;

// Another stage would not change it.
static inline bool chain_done(const chain_run *c) {
  solve_status status = c->info->status;
  return status == SOLVE_SOLVED || status == SOLVE_NONE || status == SOLVE_INTERRUPTED;
}

// One solver from r, which it changes; the result is kept if it is the best so far. Returns what it did.
solve_info chain_attempt(chain_run *c, const solver *s, const solve_settings *settings, double *r);

void chain_record(chain_tally *tally, const char *name, bool solved);

// Iterations for a stage: its own limit (0: the solver's) and the user's (0: none). A user's limit shortens a stage and
// never lengthens it; only sweeps may go on for longer.
int chain_limit(const solver *s, const solve_problem *p, int own, int user);

// Sweeps, and the other solvers in between when sweeping alone would take longer.
void chain_race(chain_run *c);

#endif
