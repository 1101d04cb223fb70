// Eigenvalues and eigenvectors of dense matrices, by LAPACK. For some hundred rows: memory and time grow with
// n² and n³.
#ifndef MATH_EIGEN_H
#define MATH_EIGEN_H

#include <stdbool.h>

#include "base/arena.h"

// A = Σ λ v vᵀ. `A` (n x n, symmetric, destroyed) receives the eigenvectors as rows, orthonormal, and `values` the
// eigenvalues from the smallest on. Returns false if the iteration does not converge or A is not finite. Allocates from
// the arena; the caller releases it.
bool eigen_symmetric(arena *memory, int n, double *A, double *values);

// A v = λ v of a matrix without symmetry (n x n row-major, destroyed), which is balanced first. `real` and `imaginary`
// receive the eigenvalues; of a complex pair the one with the positive imaginary part comes first. `vectors` receives a
// row for each: that of a real eigenvalue is its eigenvector; of a pair the first row is the real part of that of the
// first eigenvalue, and the second its imaginary part. Returns false as above.
bool eigen_general(arena *memory, int n, double *A, double *real, double *imaginary, double *vectors);

#endif
