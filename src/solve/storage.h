// Memory for dense contact problems and their solvers, which grows with the largest problem that comes.
#ifndef SOLVE_STORAGE_H
#define SOLVE_STORAGE_H

#include "carom/status.h"
#include "solve/workspace.h"

typedef struct solve_storage {
  double *W;  // row by row
  solve_workspace *workspace;
} solve_storage;

// Storage for problems within the limits; what was there is released. False after reporting, and then it is still
// there.
bool solve_storage_make(solve_storage *r, const solve_limits *limits, carom_error *error);
// Storage for this problem, whose W is not looked at; half as much again where there is too little.
bool solve_storage_grow(solve_storage *r, const solve_problem *p, carom_error *error);
void solve_storage_free(solve_storage *r);

#endif
