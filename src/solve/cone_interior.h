// The second part of interior points by itself, for the chain.
#ifndef SOLVE_CONE_INTERIOR_H
#define SOLVE_CONE_INTERIOR_H

#include "solve/solver.h"

// What solver_interior does where slips that follow have failed: it goes on as if that part had been run. r is not
// read.
solve_status interior_hold(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info);

#endif
