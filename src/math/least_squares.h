// Least squares between bounds: Levenberg and Marquardt's method with differences for derivatives.
#ifndef MATH_LEAST_SQUARES_H
#define MATH_LEAST_SQUARES_H

#include <stdbool.h>

#include "base/arena.h"

// A variable that changes the residuals by less than this on average, over its whole range, is left where it is:
// rounding errors would move it.
#define LEAST_SQUARES_FLAT 1e-9

// m residuals, of order 1 or less, of n variables, each between 0 and 1.
typedef struct least_squares {
  int n, m;
  void *context;
  // The residuals of some points, one after the other. good[i] becomes false where they do not exist. Returns false to
  // end the work.
  bool (*evaluate)(void *context, int count, const double *points, double *residuals, bool *good);
  // Huber's loss: a residual beyond this limit counts by its magnitude instead of its square. Infinite for squares.
  double limit;
  double *steps;  // of the differences, one per variable
} least_squares;

typedef enum least_squares_end {
  LEAST_SQUARES_FOUND,    // a minimum
  LEAST_SQUARES_STOPPED,  // not yet, after the largest number of steps, or where derivatives do not exist
  LEAST_SQUARES_ENDED,    // by `evaluate`
} least_squares_end;

// Half the sum of squares, or of Huber's loss.
double least_squares_cost(const least_squares *p, const double *residuals);
// Goes from x, whose residuals are given, to a minimum. Both are replaced.
least_squares_end least_squares_search(arena *memory, const least_squares *p, double *x, double *residuals);
// The derivatives of the residuals, J[k*m + i] = ∂rᵢ/∂xₖ, by differences of the steps of the problem: central ones, or
// one-sided ones at a bound or beside points without residuals. Returns false where `evaluate` ends the work; a column
// that does not exist is NaN.
bool least_squares_jacobian(arena *memory, const least_squares *p, const double *x, const double *residuals, double *J);
// Chooses the step of each variable from a ladder: the one at which the derivative changes least from step to step.
// `J` receives the derivatives, `change` by how much each column differs from that of the next smaller step. Returns
// false as above.
bool least_squares_choose_steps(arena *memory, const least_squares *p, const double *x, const double *residuals,
                                double *J, double *change);

#endif
