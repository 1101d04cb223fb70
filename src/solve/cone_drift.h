// Sweeps that drift. Where percussions are not unique, Gauss–Seidel may add the same Δr in every sweep for many
// thousand sweeps: contacts press harder and harder against each other, velocities and residual stay as they are, until
// one of them reaches the edge of its cone. As long as none changes its state the sweeps are an affine map, and t times
// as many of them add t Δr. That is done in one jump here.
#ifndef SOLVE_CONE_DRIFT_H
#define SOLVE_CONE_DRIFT_H

#include "solve/problem.h"

enum { DRIFT_SWEEPS = 50 };  // between two looks

typedef struct drift {
  double *at, *change;  // r at the last look, and by how much it had changed since the one before
  int looks;
} drift;

// To be called every DRIFT_SWEEPS. Returns by how many times the last change r may go on, 0 if it does not drift or if
// that is less than `least`; the direction is then in d->change. Infinite: no contact ever changes its state on this
// way.
double drift_look(drift *d, const solve_problem *p, const double *r, double least);

#endif
