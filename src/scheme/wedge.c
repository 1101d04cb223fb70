#include "scheme/wedge.h"

#include <math.h>

// Whether a percussion is far beyond what it takes to change the rates: W has fewer independent rows than the problem
// needs, and the solution rests on the rounding of the others.
static bool runs_away(const solve_problem *p, const double *P) {
  static const double FAR_BEYOND = 1e8;
  const double *W = matrix_is_dense(&p->W) ? p->W.values : NULL, *diagonal = p->W.diagonal;
  double most = 0, fastest = 0;
  for (int b = 0; b < p->block_count; b++) {
    double D[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
    int first = p->blocks[b].row, size = p->blocks[b].size;
    if (!W && !diagonal) p->W.ops->block(&p->W, b, b, D);
    for (int i = 0; i < size; i++) {
      double own = W ? W[(long)(first + i) * (p->W.rows + 1)] : diagonal ? diagonal[first + i] : D[i * size + i];
      double change = fabs(P[first + i]) * own, rate = fabs(p->q[first + i]);
      if (change > most) most = change;
      if (rate > fastest) fastest = rate;
    }
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
