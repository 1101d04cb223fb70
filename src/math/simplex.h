// Nelder and Mead's method between bounds: the smallest value of a function without derivatives.
#ifndef MATH_SIMPLEX_H
#define MATH_SIMPLEX_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct simplex_problem {
  int n;  // variables, each between 0 and 1
  void *context;
  // The values of some points, one after the other; infinite where there is none. Returns false to end the work.
  bool (*evaluate)(void *context, int count, const double *points, double *values);
  double size;       // edge of the first simplex
  double tolerance;  // ends when the simplex is smaller than this
  int most;          // evaluations
} simplex_problem;

// Goes from x with its value to a minimum; both are replaced. `found`: the simplex became small before the evaluations
// were used up. Returns false where `evaluate` ends the work.
bool simplex_search(arena *memory, const simplex_problem *p, double *x, double *value, bool *found);

#endif
