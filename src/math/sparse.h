// Sparse square systems with a fixed pattern, on KLU: analysed once, factorised often, no allocation of ours after
// creation. (KLU itself allocates when it pivots anew.)
#ifndef MATH_SPARSE_H
#define MATH_SPARSE_H

#include <stdbool.h>

typedef struct sparse_factor sparse_factor;

// The pattern is compressed by columns and must outlive the factor. Null when out of memory.
sparse_factor *sparse_factor_create(int n, const int *column_start, const int *row);
void sparse_factor_destroy(sparse_factor *f);
// Both return false if the matrix is singular. The first keeps the pivots of the last call: for matrices that need
// none, being symmetric and positive definite.
bool sparse_factorize(sparse_factor *f, const double *values);
bool sparse_factorize_anew(sparse_factor *f, const double *values);
void sparse_solve(sparse_factor *f, double *x);  // x := A⁻¹ x

#endif
