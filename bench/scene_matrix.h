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
  return (solve_problem){s->contacts, blocks, scene_sparse(memory, s, problem_build_start(memory, blocks, s->contacts)),
                         s->q};
}

static inline solve_matrix scene_factored(arena *memory, const scene_data *s, const int *start) {
  int *first = ARENA_ARRAY(memory, int, s->contacts + 1), *at = ARENA_ARRAY(memory, int, 2 * s->contacts);
  int *width = ARENA_ARRAY(memory, int, 2 * s->contacts), count = 0;
  size_t *offset = ARENA_ARRAY(memory, size_t, 2 * s->contacts);
  double *J = ARENA_ARRAY(memory, double, 36 * s->contacts), *B = ARENA_ARRAY(memory, double, 36 * s->contacts);
  for (int c = 0; c < s->contacts; c++) {
    for (int side = 0; side < 2; side++) {
      if (s->body[c][side] < 0) continue;
      at[count] = 6 * s->body[c][side], width[count] = 6, offset[count] = 18 * (size_t)count;
      for (int r = 0; r < 3; r++)
        for (int k = 0; k < 6; k++) {
          J[18 * count + 6 * r + k] = s->J[c][side][r][k];
          B[18 * count + 6 * r + k] = s->J[c][side][r][k] * scene_inverse_mass[k];
        }
      count++;
    }
    first[c + 1] = count;
  }
  return matrix_factored(3 * s->contacts, s->contacts, start, 6 * s->bodies,
                         (matrix_pieces){first, at, width, offset, J}, (matrix_pieces){first, at, width, offset, B});
}

#endif
