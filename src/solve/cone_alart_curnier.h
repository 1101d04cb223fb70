// Newton's steps on the active set, for the solver of that name and to polish what others found.
#ifndef SOLVE_CONE_ALART_CURNIER_H
#define SOLVE_CONE_ALART_CURNIER_H

#include "solve/solver.h"

// Exact solve on the active set that (r, u) shows: a few full Newton steps, kept only while the judge finds each
// better than the last, with percussions within their sets. `residual` is that of (r, u); the new one is returned, and
// r and u hold what belongs to it.
double alart_curnier_polish(const solve_problem *p, solve_workspace *w, double *r, double *u, double residual);
// The same from r alone with less patience, ended at a residual of `enough`. Returns whether r has become better.
bool alart_curnier_probe(const solve_problem *p, solve_workspace *w, double enough, double *r);
// The solver without sweeps in between: steps with a line search. At most ALART_CURNIER_STEPS without a limit in the
// settings.
enum { ALART_CURNIER_STEPS = 200 };
solve_status alart_curnier_walk(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                                solve_info *info);
// Full steps from r, none if its residual is within the tolerance, else at least one, and as long as each reduces the
// residual to a tenth. Their stiffness is proportional to the residual. r becomes where they end, within its sets, even
// if its residual, which is returned, is larger than before. Steps are added to `iterations`, up to `most`.
double alart_curnier_leap(const solve_problem *p, solve_workspace *w, double tolerance, int most, double *r,
                          int *iterations);
void alart_curnier_measure(solve_workspace *w, const solve_limits *limits);

// A run of the solver that can be stopped and goes on: the same as in one run.
typedef struct newton_path newton_path;
// Takes memory of the workspace, for as long as the path is to go on. Null while measuring.
newton_path *newton_path_take(solve_workspace *w, const solve_limits *limits);
// At most `most` steps in all, and `patience` of them in which the least residual is not halved.
void newton_path_begin(newton_path *path, const solve_problem *p, int most, int patience, const double *r);
// At most s->iterations more of them. r becomes the best that was met on the whole path, within its sets.
solve_status newton_path_go_on(newton_path *path, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                               double *r, solve_info *info);
int newton_path_steps(const newton_path *path);  // in all

#endif
