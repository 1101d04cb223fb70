// Newton's steps and sweeps in turns, for problems in pieces.
#ifndef SOLVE_CONE_LOCAL_H
#define SOLVE_CONE_LOCAL_H

#include "solve/solver.h"

enum { LOCAL_LIMIT = 20000 };  // iterations without a limit in the settings

bool local_suits(const solve_problem *p, const solve_workspace *w);
// As the solver of Alart and Curnier, whose steps it takes. Steps and sweeps count as iterations. It has the
// memory that is there for the sweeps and the path of the chain (solver.c), and cannot run while these go on.
solve_status local_solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                         solve_info *info);

#endif
