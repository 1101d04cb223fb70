// Dense problems in groups of blocks that do not interact: W is zero between any two of them. Each group is a problem
// of its own. (islands.h has the same for problems in pieces.)
#ifndef SOLVE_GROUPS_H
#define SOLVE_GROUPS_H

#include "solve/blocks.h"

typedef struct solve_groups {
  int count;
  int *of;           // the group of each block
  int *row;          // of the group at hand, the rows in the whole problem
  block_list list;   // of the group at hand
  double *W, *q;     // likewise
  double *r, *u;     // and its solution
  int rows, blocks;  // that there is room for
} solve_groups;

solve_groups groups_create(arena *memory, int rows, int blocks);
// Finds the groups of a dense problem, in the order of their first blocks. Returns how many.
int groups_find(solve_groups *g, const solve_problem *p);
// The problem of group k of that problem. Room for its solution is in g->r and g->u.
solve_problem groups_take(solve_groups *g, const solve_problem *p, int k);
// Its solution into that of the whole problem.
void groups_put(const solve_groups *g, solve_solution *whole);

#endif
