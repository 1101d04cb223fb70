#include "scheme/wedge.h"

#include <math.h>

static inline void note(double change, double rate, double *most, double *fastest) {
  if (change > *most) *most = change;
  if (fabs(rate) > *fastest) *fastest = fabs(rate);
}

// Whether a percussion is far beyond what it takes to change the rates: W has fewer independent rows than the problem
// needs, and the solution rests on the rounding of the others.
static bool runs_away(const solve_problem *p, const double *P) {
  static const double FAR_BEYOND = 1e8;
  const double *diagonal = p->W.diagonal;
  double most = 0, fastest = 0;
  if (matrix_is_dense(&p->W)) {
    for (int i = 0; i < p->W.rows; i++)
      note(fabs(P[i]) * p->W.values[(long)i * (p->W.rows + 1)], p->q[i], &most, &fastest);
    return most > FAR_BEYOND * fastest;
  }
  for (int b = 0; b < p->block_count; b++) {
    double D[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
    int first = p->blocks[b].row, size = p->blocks[b].size;
    if (!diagonal) p->W.ops->block(&p->W, b, b, D);
    for (int i = 0; i < size; i++)
      note(fabs(P[first + i]) * (diagonal ? diagonal[first + i] : D[i * size + i]), p->q[first + i], &most, &fastest);
  }
  return most > FAR_BEYOND * fastest;
}

static solve_info solve(const wedge_problem *w, const solve_settings *settings, solve_workspace *workspace,
                        solve_solution *to, chain_tally *tally) {
  if (w->islands) return islands_solve(w->islands, w->problem, settings, w->stop, to, tally);
  return solve_chain(w->problem, settings, workspace, to, tally);
}

solve_info wedge_solve(const wedge_problem *w, const solve_settings *settings, solve_workspace *workspace,
                       const solve_solution *solution, chain_tally *tally, bool *dropped) {
  enum { TURNS = 2 };  // first for the contacts that wedge each other, where the scheme knows them, then for all
  chain_tally before = *tally;
  solve_solution to = *solution;
  solve_info info = solve(w, settings, workspace, &to, tally);
  for (int turn = 0; turn < TURNS && info.status != SOLVE_INTERRUPTED; turn++) {
    bool fits = info.status == SOLVE_SOLVED && !runs_away(w->problem, to.r);
    if ((fits && (!w->fits || w->fits(w->context))) || !w->drop(w->context)) break;
    *tally = before;
    *dropped = true;
    info = solve(w, settings, workspace, &to, tally);
  }
  return info;
}
