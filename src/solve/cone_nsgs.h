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
// Sweeps over a crowd, which have momentum (cone_packed.h): they can go on without it, and from another r.
bool nsgs_is_packed(const nsgs_sweeps *m);
void nsgs_be_plain(nsgs_sweeps *m, bool plain);
void nsgs_restart(nsgs_sweeps *m, const double *r);

// Sweeps over a problem in pieces that stay where something moves. The first one is over all blocks; after it a block
// is solved only if one of its velocities was moved in this sweep or in the one before. A change of a block counts from
// Σ d |Δr|² = least on, d of the residual (residual.h), which must be known. With least = 0 all blocks are swept that
// are not solved exactly. At most `most` sweeps, less if nothing moves any more. Returns how many.
// Takes less memory than nsgs_begin.
nsgs_sweeps *nsgs_begin_local(const solve_problem *p, solve_workspace *w);
void nsgs_measure_local(solve_workspace *w, const solve_limits *limits);
int nsgs_go_on_local(nsgs_sweeps *m, int most, double least, interrupt *stop, double *r);
double nsgs_residual(nsgs_sweeps *m, const double *r);  // of the r that these sweeps have left

#endif
