// Problems in parts that do not interact. Two blocks interact where their pieces lie on common velocities (matrix.h,
// factored); blocks that are connected by such pairs are an island. Each island is a problem of its own: small ones are
// formed dense, large ones stay in pieces. They are ordered by their first velocity, blocks keep their order in them,
// and none needs another's result, so that solutions do not depend on which is solved first.
#ifndef SOLVE_ISLANDS_H
#define SOLVE_ISLANDS_H

#include "carom/status.h"
#include "solve/solver.h"

typedef struct island_part island_part;

typedef struct island_limits {
  int rows, blocks, velocities, pieces;  // of J and of B, whichever has more
} island_limits;

// Memory that grows with the largest problem that comes; all zero before the first.
typedef struct solve_islands {
  int count;
  int *first, *block;          // island i has the blocks block[first[i]] … block[first[i + 1] − 1]
  int *velocities;             // of each island, how many
  int *place;                  // of each velocity among those of its island
  island_part *part;           // the problem of one island at a time
  island_limits limits;        // of the problems that there is memory for
  char *memory;                // of all these
  solve_workspace *workspace;  // of the solvers
  const crew *crew;            // shares the loops of large islands; may be null
} solve_islands;

// Finds the islands of a problem in pieces, and makes memory for it and for its solvers. False after reporting.
bool islands_find(solve_islands *x, const solve_problem *p, carom_error *error);
// Solves the problem that islands_find was called for last, island by island with the chain; its q may have changed.
// The tally, which may be null, counts each island. The info is that of the worst island, with the iterations of all;
// its status is SOLVE_SOLVED only if all islands are solved. `stop` may be null.
solve_info islands_solve(solve_islands *x, const solve_problem *p, const solve_settings *settings, interrupt *stop,
                         solve_solution *solution, chain_tally *tally);
// The same for unilateral rows, of which few sweeps from zero are enough: so many as the settings have iterations.
// Large islands are swept together as they are, without a residual; small ones are solved. The velocities of large
// islands are not found. Stops where it is interrupted.
void islands_sweep(solve_islands *x, const solve_problem *p, const solve_settings *settings, interrupt *stop,
                   solve_solution *solution);
void islands_free(solve_islands *x);

#endif
