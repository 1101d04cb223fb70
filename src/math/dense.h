// Dense symmetric systems, by our own loops: the same bits on every run.
#ifndef MATH_DENSE_H
#define MATH_DENSE_H

#include <stdbool.h>

#include "base/interrupt.h"

// Factorisations of thousands of rows take minutes. Those that take an interrupt (may be null) ask it after every few
// million operations and end early when it says so.

// A = L Lᵀ in place (lower triangle of a row-major n x n matrix with row stride `stride`). False when a pivot is not
// above `floor` times its original diagonal: A is singular to working accuracy. False too when it was interrupted.
bool dense_cholesky(int n, double *A, int stride, double floor, interrupt *stop);
// x := A⁻¹ x with the factor above.
void dense_cholesky_solve(int n, const double *L, int stride, double *x);
// Rank of a symmetric positive semidefinite matrix (row-major, destroyed), by pivoted Cholesky: pivots below
// tolerance times the largest diagonal count as zero. `order` (n) receives the pivoting order: its first `rank`
// entries are independent rows. -1 when it was interrupted.
int dense_rank(int n, double *A, double tolerance, int *order, interrupt *stop);
// A P = Q R for a matrix A of n columns (height x n, row-major, destroyed), longest columns first: modified
// Gram–Schmidt. R goes to the upper triangle of an n x n array, columns in the order found; both have the row stride
// `stride`. Ends where no column is left above `tolerance` and returns the rank; Q is not kept. -1 when it was
// interrupted. Unlike a Cholesky factor of AᵀA, R carries the singular values of A and not their squares.
int dense_gram_schmidt(int n, int height, double *A, int stride, double tolerance, double *R, int *order,
                       interrupt *stop);
// x := R⁻ᵀ x and x := R⁻¹ x over the first `rank` rows, R with row stride `stride`.
void dense_upper_transposed_solve(int rank, const double *R, int stride, double *x);
void dense_upper_solve(int rank, const double *R, int stride, double *x);
// The x of least norm with A x = b, A of m rows (m x n row-major, destroyed). A row that depends on those before it, or
// is zero to rounding beside the largest, is left out, so the first rows win where they contradict. `work` has
// m * n + m entries. Returns the number of rows kept.
int dense_least_norm(int m, int n, double *A, const double *b, double tolerance, double *x, double *work);

#endif
