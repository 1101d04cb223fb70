// The active set of a small problem without the driver: no workspace, no settings.
#ifndef SOLVE_ACTIVE_SET_H
#define SOLVE_ACTIVE_SET_H

#include "solve/problem.h"

enum { ACTIVE_SET_ROWS = 12 };

// Few rows, no round cones and no polygons.
bool active_set_suits(const solve_problem *p);
// Finds r from zero. Adds its rounds to *iterations. What it finds is not judged.
solve_status active_set_find(const solve_problem *p, double *r, int *iterations);

#endif
