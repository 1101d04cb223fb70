// Eigenvalues and eigenvectors of dense symmetric matrices, by LAPACK. For some hundred rows: memory and time grow with
// n² and n³.
#ifndef MATH_EIGEN_H
#define MATH_EIGEN_H

#include <stdbool.h>

#include "base/arena.h"

// A = Σ λ v vᵀ. `A` (n x n, symmetric, destroyed) receives the eigenvectors as rows, orthonormal, and `values` the
// eigenvalues from the smallest on. Returns false if the iteration does not converge or A is not finite. Allocates from
// the arena; the caller releases it.
bool eigen_symmetric(arena *memory, int n, double *A, double *values);

#endif
