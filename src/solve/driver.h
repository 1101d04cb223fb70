// What solver_run and the chain share: one solver on one problem that is known to be valid.
#ifndef SOLVE_DRIVER_H
#define SOLVE_DRIVER_H

#include "solve/solver.h"

// Memory of the driver, below that of the solver.
typedef struct driver {
  double *work;   // for the judge
  double *r, *u;  // a candidate beside the caller's solution
  double *swept;  // where the sweeps of the chain are, whatever was tried between them
  double *ended;  // where its interior points have ended
} driver;

// Below this the residual is rounding, and an exact solve would only exchange one rounding for another.
#define SOLVE_ROUNDING 1e-14

// Takes the whole workspace, which must fit the limits of the problem, and computes the weights of its residual. `p` is
// null while measuring.
driver driver_begin(solve_workspace *w, const solve_problem *p, const solve_limits *limits);
// The same behind what is taken, for a problem that is a part of another one. The weights of the other are then to be
// put back.
driver driver_begin_part(solve_workspace *w, const solve_problem *p, const solve_limits *limits);
// Solves from solution->r as it is, polishes, moves percussions into their sets, judges.
void driver_solve(const solver *s, const solve_problem *p, const solve_settings *settings, solve_workspace *w,
                  const driver *d, solve_solution *solution, solve_info *info);
// Moves percussions into their sets and finds their velocities, their residual and whether that is a solution: the one
// place that judges. `weights` are those of the residual, `work` is as long as the problem has rows and velocities.
void driver_judge(const solve_problem *p, const double *weights, double tolerance, double *work,
                  solve_solution *solution, solve_info *info);
double driver_now(void);  // [s]

#endif
