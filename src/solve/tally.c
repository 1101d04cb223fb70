// A tally as numbers, to be kept and taken up again.
#include <string.h>

#include "solve/solver.h"

// A stage by a number that does not depend on addresses: 0 none, 1 the zero solution, then the list of solvers.
static int stage_number(const char *name) {
  int count, i = 0;
  const solver *const *list = solver_list(&count);
  while (i < count && strcmp(list[i]->name, name) != 0) i++;
  return i < count ? i + 2 : 1;
}

static const char *stage_name(long number) {
  int count;
  const solver *const *list = solver_list(&count);
  return number >= 2 && number - 2 < count ? list[number - 2]->name : SOLVE_ZERO_STAGE;
}

void chain_tally_pack(const chain_tally *t, double numbers[CHAIN_TALLY_NUMBERS]) {
  memset(numbers, 0, CHAIN_TALLY_NUMBERS * sizeof *numbers);
  numbers[0] = (double)t->problems, numbers[1] = (double)t->unsolved, numbers[2] = (double)t->impossible;
  numbers[3] = t->worst_residual, numbers[4] = t->worst_residual_mixed, numbers[5] = (double)t->iterations;
  for (int i = 0; i < t->stage_count; i++) {
    double *to = numbers + 6 + 3 * i;
    to[0] = stage_number(t->stage[i].name), to[1] = (double)t->stage[i].tried, to[2] = (double)t->stage[i].solved;
  }
}

// A file may hold anything.
static long count_in(double x) { return x >= 0 && x <= 0x1p53 ? (long)x : 0; }

chain_tally chain_tally_unpack(const double numbers[CHAIN_TALLY_NUMBERS]) {
  chain_tally t = {.problems = count_in(numbers[0]),
                   .unsolved = count_in(numbers[1]),
                   .impossible = count_in(numbers[2]),
                   .worst_residual = numbers[3],
                   .worst_residual_mixed = numbers[4],
                   .iterations = count_in(numbers[5])};
  for (int i = 0; i < CHAIN_STAGES_MAX && numbers[6 + 3 * i] > 0; i++) {
    const double *from = numbers + 6 + 3 * i;
    t.stage[t.stage_count].name = stage_name(count_in(from[0]));
    t.stage[t.stage_count].tried = count_in(from[1]), t.stage[t.stage_count++].solved = count_in(from[2]);
  }
  return t;
}
