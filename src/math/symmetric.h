// Sparse symmetric matrices by rows, both triangles stored: products, and factors L D Lᵀ.
//
// The factors need no row exchanges where the matrix is definite. Without exchanges the signs of D are those of the
// eigenvalues (Sylvester's law of inertia), so that the factors of K - σ M count the eigenvalues below σ. All memory is
// the arena's, which KLU's would not be: creation may be left by a jump.
#ifndef MATH_SYMMETRIC_H
#define MATH_SYMMETRIC_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct symmetric {
  int n;
  int *start;   // n + 1: the entries of row i are start[i] to start[i + 1]
  int *column;  // increasing in each row
  double *value;
} symmetric;

// Rows and columns that are not zero, as sets of indices that are all joined with each other: set k is item[start[k]]
// up to start[k + 1]. The diagonal is always there. Values are zero.
symmetric symmetric_create(arena *memory, int n, int set_count, const int *start, const int *item);
// From entries in any order: one triangle, or all of the matrix if `both`. Zeros are left out but for the diagonal.
// Returns false where an entry occurs twice, or where both triangles differ by more than 1e-8 of the root of both
// diagonals: `wrong` says where, and `twice` which of the two.
typedef struct symmetric_item {
  int row, column;
  double value;
} symmetric_item;
bool symmetric_of_items(arena *memory, int n, int count, const symmetric_item *items, bool both, symmetric *to,
                        symmetric_item *wrong, bool *twice);
// The entry of a row and a column; null where the pattern has none.
double *symmetric_entry(const symmetric *A, int row, int column);
// Its value; zero where the pattern has none.
double symmetric_value(const symmetric *A, int row, int column);
// y = A x
void symmetric_multiply(const symmetric *A, const double *x, double *y);
// A - σ B over the listed rows and columns (increasing). `B` may be null.
symmetric symmetric_part(arena *memory, const symmetric *A, double sigma, const symmetric *B, int count,
                         const int *list);

typedef struct symmetric_factor {
  int n;
  int *order;        // row k of the factor is row order[k] of the matrix
  int *start, *row;  // L by columns without its diagonal of ones
  double *L, *D;
  double least;  // of all pivots |D| over the diagonal of the matrix: rounding below about 1e-14
  int negative;  // pivots below zero
} symmetric_factor;

// P A Pᵀ = L D Lᵀ with the order of least fill that AMD finds. Returns false where a pivot is zero or not finite.
bool symmetric_factorize(arena *memory, const symmetric *A, symmetric_factor *to);
// x := A⁻¹ x. `work` has n numbers.
void symmetric_solve(const symmetric_factor *f, double *x, double *work);

#endif
