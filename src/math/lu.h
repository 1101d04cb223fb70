// Dense square systems without symmetry: LU with row exchanges. Small ones by our own loops, larger ones by LAPACK.
// Those that take long ask an interrupt (may be null) now and then and end early when it says so.
#ifndef MATH_LU_H
#define MATH_LU_H

#include "base/interrupt.h"

// P A = L U in place (row-major n x n, row stride `stride`). `pivot` has n entries. Returns the smallest pivot over the
// largest, 0 for a matrix that is singular or not finite, and 0 when it was interrupted.
double lu_factor(int n, double *A, int stride, int *pivot, interrupt *stop);
// x := A⁻¹ x with the factors above, whose ratio of pivots was not 0.
void lu_solve(int n, const double *A, int stride, const int *pivot, double *x);

#endif
