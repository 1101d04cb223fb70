#include "scheme/wedge.h"

#include <math.h>

// Whether a percussion is far beyond what it takes to change the rates: W has fewer independent rows than the problem needs, and
// the solution rests on the rounding of the others.
static bool runs_away(int n, const double *W, const double *q, const double *P) {
  static const double FAR_BEYOND = 1e8;
  double most = 0, fastest = 0;
  for (int i = 0; i < n; i++) {
    double change = fabs(P[i]) * W[(long)i * n + i], rate = fabs(q[i]);
    if (change > most) most = change;
    if (rate > fastest) fastest = rate;
  }
  return most > FAR_BEYOND * fastest;
}

solve_info wedge_solve(const wedge_problem *w, const solve_settings *settings, solve_workspace *workspace,
                       const solve_solution *solution, chain_tally *tally, contact_trouble *trouble) {
  enum { TURNS = 2 };  // first for the contacts that wedge each other, where the scheme knows them, then for all
  chain_tally before = *tally;
  solve_solution to = *solution;
  solve_info info = solve_chain(w->problem, settings, workspace, &to, tally);
  for (int turn = 0; turn < TURNS && info.status != SOLVE_INTERRUPTED; turn++) {
    bool fits = info.status == SOLVE_SOLVED && !runs_away(w->problem->W.rows, w->W, w->problem->q, to.r);
    if ((fits && (!w->fits || w->fits(w->context))) || !w->drop(w->context)) break;
    *tally = before;
    trouble->inconsistent++;
    info = solve_chain(w->problem, settings, workspace, &to, tally);
  }
  return info;
}
