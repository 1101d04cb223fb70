// Newton's steps and sweeps in turns, for problems in pieces.
#ifndef SOLVE_CONE_LOCAL_H
#define SOLVE_CONE_LOCAL_H

#include "solve/solver.h"

enum { LOCAL_LIMIT = 20000 };  // iterations without a limit in the settings

bool local_suits(const solve_problem *p, const solve_workspace *w);
// As the solver of Alart and Curnier, whose steps it takes. Steps and sweeps count as iterations.
solve_status local_solve(const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                         solve_info *info);
void local_measure(solve_workspace *w, const solve_limits *limits);  // without the memory of the steps

// A run of it that can be stopped and goes on.
typedef struct local_path local_path;
// Takes memory of the workspace, for as long as the run is to go on. Null while measuring.
local_path *local_path_take(solve_workspace *w, const solve_limits *limits);
void local_path_begin(local_path *path, const solve_problem *p, const double *r);
int local_path_turn(const local_path *path);  // iterations of the next turn, without its steps
// At most s->iterations more. r becomes the best that was met on the whole path.
solve_status local_path_go_on(local_path *path, const solve_problem *p, const solve_settings *s, solve_workspace *w,
                              double *r, solve_info *info);

#endif
