// Numbers: those that may have gone wrong, and those in a text.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Extremes of numbers that are reported: a NaN stays, where fmax and fmin would drop it and hide that something went
// wrong. Of equal numbers the first: the largest of what began at 0 is never -0.
static inline double number_larger(double a, double b) { return a >= b || a != a ? a : b; }
static inline double number_smaller(double a, double b) { return a < b || a != a ? a : b; }

// A number that is not finite has all bits of its exponent set: one more carries into the sign. Compilers may form
// these sums of integers in any order, and do so in vectors.
static inline bool number_all_finite(const double *x, size_t count) {
  const uint64_t exponent = 0x7ff0000000000000, one = 0x0010000000000000;
  uint64_t carried = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    carried |= (bits & exponent) + one;
  }
  return !(carried >> 63);
}

// strtod with a decimal point, whatever the locale of the process. `end` may be NULL. Where there is no memory, `*end`
// is `text`.
double number_read(const char *text, char **end);

#endif
