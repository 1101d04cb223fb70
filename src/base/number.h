// Extremes of numbers that are reported: a NaN stays, where fmax and fmin would drop it and hide that something went wrong.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

static inline double number_larger(double a, double b) { return a > b || a != a ? a : b; }
static inline double number_smaller(double a, double b) { return a < b || a != a ? a : b; }

#endif
