#include "solve/problem_build.h"

#include <math.h>

const solve_block *problem_build_blocks(arena *memory, block_kind kind, int size, int count, const double *mu) {
  solve_block *blocks = ARENA_ARRAY(memory, solve_block, count);
  for (int b = 0; b < count; b++)
    blocks[b] = (solve_block){
        .kind = kind, .row = b * size, .size = size, .mu = mu ? mu[b] : 0, .lo = -INFINITY, .hi = INFINITY};
  return blocks;
}

const int *problem_build_start(arena *memory, const solve_block *blocks, int block_count) {
  int *start = ARENA_ARRAY(memory, int, block_count + 1);
  for (int b = 0; b < block_count; b++) start[b + 1] = start[b] + blocks[b].size;
  return start;
}

// Entries sorted by block row, by counting.
typedef struct sorted {
  size_t *first;  // of each block row in `order`
  size_t *order;
} sorted;

static sorted sort_by_block_row(arena *memory, int block_count, const int *block_of, const matrix_entry *entries,
                                size_t count) {
  sorted s = {ARENA_ARRAY(memory, size_t, (size_t)block_count + 2), ARENA_ARRAY(memory, size_t, count)};
  for (size_t k = 0; k < count; k++) s.first[block_of[entries[k].row] + 2]++;
  for (int b = 0; b < block_count; b++) s.first[b + 2] += s.first[b + 1];
  for (size_t k = 0; k < count; k++) s.order[s.first[block_of[entries[k].row] + 1]++] = k;
  return s;
}

static void sort_columns(int *column, int count) {
  for (int i = 1; i < count; i++) {
    int c = column[i], j = i;
    for (; j > 0 && column[j - 1] > c; j--) column[j] = column[j - 1];
    column[j] = c;
  }
}

solve_matrix problem_build_sparse(arena *memory, int rows, int block_count, const int *start,
                                  const matrix_entry *entries, size_t entry_count) {
  int *block_of = ARENA_ARRAY(memory, int, rows), *slot = ARENA_ARRAY(memory, int, block_count);
  for (int b = 0; b < block_count; b++) {
    slot[b] = -1;
    for (int i = start[b]; i < start[b + 1]; i++) block_of[i] = b;
  }
  sorted s = sort_by_block_row(memory, block_count, block_of, entries, entry_count);
  int *first = ARENA_ARRAY(memory, int, block_count + 1), *column = ARENA_ARRAY(memory, int, entry_count);
  size_t *offset = ARENA_ARRAY(memory, size_t, entry_count + 1);
  int used = 0;
  // the columns of each block row; `slot` says for which row a column was met last
  for (int b = 0; b < block_count; b++) {
    for (size_t k = s.first[b]; k < s.first[b + 1]; k++) {
      int c = block_of[entries[s.order[k]].column];
      if (slot[c] != b) slot[c] = b, column[used++] = c;
    }
    first[b + 1] = used;
    sort_columns(column + first[b], used - first[b]);
    for (int k = first[b]; k < used; k++)
      offset[k + 1] = offset[k] + (size_t)(start[b + 1] - start[b]) * (size_t)(start[column[k] + 1] - start[column[k]]);
  }
  double *values = ARENA_ARRAY(memory, double, offset[used]);
  for (int b = 0; b < block_count; b++) {
    for (int k = first[b]; k < first[b + 1]; k++) slot[column[k]] = k;
    for (size_t k = s.first[b]; k < s.first[b + 1]; k++) {
      const matrix_entry *e = &entries[s.order[k]];
      int c = block_of[e->column], width = start[c + 1] - start[c];
      values[offset[slot[c]] + (size_t)((e->row - start[b]) * width + e->column - start[c])] += e->value;
    }
  }
  return matrix_sparse(rows, block_count, start, first, column, offset, values);
}
