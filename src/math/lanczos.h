// The largest eigenvalues of A M x = θ x, with A symmetric and not negative, known by its products alone, and M sparse
// and definite: Lanczos's method with several start vectors and full orthogonalisation.
//
// Every vector of the basis is made orthonormal in M to all others, so that no eigenvalue is found twice, and several
// start vectors find equal eigenvalues, as many as there are start vectors; more come in where the space ends before
// (theory.md, 3.10). Start vectors are always the same, so that the same problem gives the same bits.
#ifndef MATH_LANCZOS_H
#define MATH_LANCZOS_H

#include "math/symmetric.h"

typedef struct lanczos {
  arena *memory;
  const symmetric *M;
  void (*apply)(void *context, const double *f, double *x);  // x = A f
  void *context;
  int rank;  // of A: no basis is larger
  // The basis. A M q of the first `expanded` vectors is known, and lies in the span of all `size`.
  int size, expanded, capacity;
  struct lanczos_direction *basis;
  double *product, *momentum;  // workspace
  unsigned starts;             // random vectors so far
  // Of the last lanczos_find: pairs in the span of the expanded vectors, largest first.
  int pairs;
  double *values;   // θ
  double *weights;  // rows of `pairs` numbers over the basis
} lanczos;

void lanczos_start(arena *memory, const symmetric *M, void (*apply)(void *context, const double *f, double *x),
                   void *context, int rank, lanczos *to);
// Extends the basis until the residual of the first `count` pairs is below 1e-10 θ plus 1e-14 of the largest θ, or
// until the basis spans everything. Returns how many pairs there are, at most `count`; -1 if the eigenvalues of the
// projection do not converge, or if the basis would become larger than `most`.
int lanczos_find(lanczos *l, int count, int most);
// Adds start vectors, where a count of eigenvalues says that some were missed.
void lanczos_add_start(lanczos *l);
// x = the eigenvector of a pair, with xᵀ M x = 1.
void lanczos_vector(const lanczos *l, int pair, double *x);

#endif
