// Memory for dense contact problems and their solvers, which grows with the largest problem that comes.
#ifndef SOLVE_ROOM_H
#define SOLVE_ROOM_H

#include "carom/status.h"
#include "solve/workspace.h"

typedef struct solve_room {
  double *W;                    // row by row
  solve_workspace *workspace;
} solve_room;

// Room for problems within the limits; what was there is released. False after reporting, and then it is still there.
bool solve_room_make(solve_room *r, const solve_limits *limits, carom_error *error);
// Room for this problem, whose W is not looked at; half as much again where there is too little.
bool solve_room_grow(solve_room *r, const solve_problem *p, carom_error *error);
void solve_room_free(solve_room *r);

#endif
