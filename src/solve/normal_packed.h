// Sweeps over the normal rows of a crowd: unilateral rows between free bodies, each with all that a sweep needs in one
// place (packed_body.h).
#ifndef SOLVE_NORMAL_PACKED_H
#define SOLVE_NORMAL_PACKED_H

#include "solve/packed_body.h"
#include "solve/workspace.h"

typedef struct packed_normals packed_normals;

// Takes memory of the workspace. Null while measuring.
packed_normals *normals_lay_out(solve_workspace *w, const solve_limits *limits);
// Packs blocks of a problem for which packed_suits, with percussions of zero. `weights`: of its residual; may be null,
// then all are one.
void normals_begin(packed_normals *m, const solve_problem *p, packed_list list, const double *weights);
void normals_take(packed_normals *m, const double *r);  // the percussions of all rows, from which the sweeps go on
void normals_give(const packed_normals *m, double *r);
void normals_velocities(const packed_normals *m, double *u);  // u := W r + q
double normals_sweep(packed_normals *m);                      // Σ d Δr²

#endif
