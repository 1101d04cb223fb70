// The parts of interior points by themselves, for the chain.
#ifndef SOLVE_CONE_INTERIOR_H
#define SOLVE_CONE_INTERIOR_H

#include "solve/solver.h"

// The first part of solver_interior: slips follow. From the middle of all cones, or for problems in pieces from r if
// the settings have a warm start. Where W is formed, the second part as well.
solve_status interior_follow(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                             solve_info *info);
// The second part, for where the first has failed: slips are held, in pieces beginning with those at r.
solve_status interior_hold(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info);

#endif
