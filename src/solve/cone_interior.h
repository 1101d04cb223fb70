// The parts of interior points by themselves, for the chain.
#ifndef SOLVE_CONE_INTERIOR_H
#define SOLVE_CONE_INTERIOR_H

#include "solve/solver.h"

// The second part of solver_interior, for where the first has failed: slips are held, in pieces beginning with those at
// r.
solve_status interior_hold(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info);

// The first part, in which slips follow, for problems in pieces: a run that can be stopped and goes on, the same as in
// one run.
typedef struct interior_path interior_path;
// Takes memory of the workspace, for as long as the run is to go on. Null while measuring.
interior_path *interior_path_take(solve_workspace *w, const solve_limits *limits);
// From r, or from the middle of all cones where it is null. Returns false if the problem has other rows than contacts
// in pieces.
bool interior_path_begin(interior_path *path, const solve_problem *p, solve_workspace *w, const double *r);
// At most s->iterations more steps. r becomes where it is, or a better point that was met.
solve_status interior_path_go_on(interior_path *path, const solve_problem *p, const solve_settings *s,
                                 solve_workspace *w, double *r, solve_info *info);

#endif
