#include "solve/blocks.h"

block_list block_list_create(arena *memory, int most) {
  return (block_list){.block = ARENA_ARRAY(memory, solve_block, most + 1), .start = ARENA_ARRAY(memory, int, most + 2)};
}

solve_problem block_list_problem(block_list *l, int rows, const double *W, const double *q) {
  l->start[l->count] = rows;
  return (solve_problem){
      .block_count = l->count, .blocks = l->block, .q = q, .W = matrix_dense(rows, l->count, l->start, W)};
}

void block_list_update(block_list *l, int rows, const double *q, solve_problem *p) {
  l->start[l->count] = rows;
  p->block_count = l->count, p->q = q;
  matrix_set_blocks(&p->W, rows, l->count);
}
