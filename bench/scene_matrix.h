// Scenes of contact_problems.h as problems of carom's solvers.
#ifndef BENCH_SCENE_MATRIX_H
#define BENCH_SCENE_MATRIX_H

#include "contact_problems.h"
#include "solve/problem_build.h"

static inline solve_matrix scene_sparse(arena *memory, const scene_data *s, const int *start) {
  matrix_entry *entries = NULL;
  int count = 0, capacity = 0;
  double W[9];
  for (int a = 0; a < s->contacts; a++)
    for (int b = 0; b < s->contacts; b++)
      if (scene_block(s, a, b, W))
        for (int k = 0; k < 9; k++)
          *ARENA_PUSH(memory, entries, count, capacity) = (matrix_entry){3 * a + k / 3, 3 * b + k % 3, W[k]};
  return problem_build_sparse(memory, 3 * s->contacts, s->contacts, start, entries, (size_t)count);
}

static inline solve_problem scene_problem(arena *memory, const scene_data *s) {
  const solve_block *blocks = problem_build_blocks(memory, BLOCK_SPACE, 3, s->contacts, s->mu);
  return (solve_problem){s->contacts, blocks, scene_sparse(memory, s, problem_build_start(memory, blocks, s->contacts)), s->q};
}

#endif
