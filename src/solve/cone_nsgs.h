// Sweeps that can be stopped and go on: the same as in one run.
#ifndef SOLVE_CONE_NSGS_H
#define SOLVE_CONE_NSGS_H

#include "solve/solver.h"

typedef struct nsgs_sweeps nsgs_sweeps;

// Takes memory of the workspace, for as long as the sweeps are to go on. Sweeps over crowds are in the precision that
// the tolerance needs.
nsgs_sweeps *nsgs_begin(const solve_problem *p, solve_workspace *w, double tolerance);
// At most s->iterations more sweeps, or as many as the solver's limit. From the second call on, r must be what the last
// one has left.
solve_status nsgs_go_on(nsgs_sweeps *m, const solve_settings *s, interrupt *stop, double *r, solve_info *info);
double nsgs_work(const nsgs_sweeps *m);  // of one sweep, in nanoseconds of one machine: only ratios count
void nsgs_measure(solve_workspace *w, const solve_limits *limits);

#endif
