// Sparse systems of blocks with a symmetric pattern: A = L U without exchanges between blocks, in an order of least
// degree. For matrices that are nearly symmetric and positive definite. The storage grows with the largest pattern that
// comes; nothing else is allocated.
#ifndef MATH_BLOCK_LU_H
#define MATH_BLOCK_LU_H

#include <stdbool.h>

typedef struct block_lu block_lu;

block_lu *block_lu_create(void);     // Null when out of memory
void block_lu_destroy(block_lu *f);  // accepts null

enum { BLOCK_LU_NODES_MAX = 8192 };

// The pattern of a matrix: `count` nodes of size[i] rows each, then the pairs (a, b) of nodes whose blocks (a, b) and
// (b, a) may not be zero, in any order; blocks on the diagonal are always there. The end of it finds order and fill.
// Both return false when out of memory, the first also if there are too many nodes.
bool block_lu_begin(block_lu *f, int count, const int *size);
void block_lu_join(block_lu *f, int a, int b);
bool block_lu_end(block_lu *f);
double block_lu_work(const block_lu *f);  // operations of a factorisation

void block_lu_clear(block_lu *f);  // A := 0
// Where the block of row a and column b begins, row by row, which stays until the next analysis; `a` and `b` are a pair
// of the pattern.
double *block_lu_at(block_lu *f, int a, int b);

bool block_lu_factor(block_lu *f);                  // Returns false if A is singular or not finite
void block_lu_solve(const block_lu *f, double *x);  // x := A⁻¹ x, node after node

#endif
