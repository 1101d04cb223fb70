// Impacts that cannot return. Steep friction wedges a body between a contact and its joints, and bodies that just fit
// between two walls wedge each other: no percussion drives them apart again, and with restitution the problem has no
// solution. Because W then has fewer independent rows than the contacts, its rounding may look like one, with
// percussions of 1e7 times the momentum. Without restitution there is a solution.
#ifndef SCHEME_WEDGE_H
#define SCHEME_WEDGE_H

#include "scheme/scheme.h"
#include "solve/islands.h"

typedef struct wedge_problem {
  const solve_problem *problem;
  solve_islands *islands;  // of a problem in pieces, which islands_find was called for; null if it is dense
  interrupt *stop;         // of these; may be null
  // Removes the restitution of contacts from the problem's q. Returns false if there was none.
  bool (*drop)(void *context);
  // Whether a solution that was found is acceptable to the scheme as well; may be null.
  bool (*fits)(void *context);
  void *context;
} wedge_problem;

// Solves the problem by the chain, or by its islands; the workspace is for the chain. Where it has no solution, or only
// one that rests on rounding, restitution is removed; the problem is solved again, and the tally counts the last
// attempt only. Sets *dropped then, and else leaves it as it is.
solve_info wedge_solve(const wedge_problem *w, const solve_settings *settings, solve_workspace *workspace,
                       const solve_solution *solution, chain_tally *tally, bool *dropped);

#endif
