// Numbers: those that may have gone wrong, and those in a text.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

// Extremes of numbers that are reported: a NaN stays, where fmax and fmin would drop it and hide that something went
// wrong. Of equal numbers the first: the largest of what began at 0 is never -0.
static inline double number_larger(double a, double b) { return a >= b || a != a ? a : b; }
static inline double number_smaller(double a, double b) { return a < b || a != a ? a : b; }

// 0 x is zero only for finite x. Four sums, so that this runs in vectors, and short for few numbers.
static inline bool number_all_finite(const double *x, size_t count) {
  double zero[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) zero[k] += 0 * x[i + k];
  for (; i < count; i++) zero[0] += 0 * x[i];
  return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

// strtod with a decimal point, whatever the locale of the process. `end` may be NULL. Where there is no memory, `*end`
// is `text`.
double number_read(const char *text, char **end);

#endif
