// Problems in memory of their own, built from entries.
#ifndef SOLVE_PROBLEM_BUILD_H
#define SOLVE_PROBLEM_BUILD_H

#include "base/arena.h"
#include "solve/problem.h"

typedef struct matrix_entry {
  int row, column;
  double value;
} matrix_entry;

// start[b] of each block and of the end.
const int *problem_build_start(arena *memory, const solve_block *blocks, int block_count);
// Block-sparse from entries in any order, those at the same place added up. Rows and columns must be in range.
solve_matrix problem_build_sparse(arena *memory, int rows, int block_count, const int *start,
                                  const matrix_entry *entries, size_t entry_count);
// `count` blocks of one kind and size, mu taken from `mu` if not null.
const solve_block *problem_build_blocks(arena *memory, block_kind kind, int size, int count, const double *mu);

#endif
