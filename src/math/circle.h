// Cosine and sine of one angle together, by our own arithmetic: the same bits whatever the C library, a fraction of the
// cost of two calls.
//
// The angle is taken to [-π/4, π/4] by whole quarter turns, with π/2 in three parts of which the first two have 33 bits,
// so that their products with fewer than 2²⁰ quarter turns are exact. There Taylor's series to x¹⁷ and x¹⁶ are good to
// 2e-18: what is left is rounding.
#ifndef MATH_CIRCLE_H
#define MATH_CIRCLE_H

#include <math.h>

typedef struct circle {
  double c, s;  // cosine and sine
} circle;

static inline circle circle_at(double angle) {
  const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
  const double quarters_per_radian = 0x1.45f306dc9c883p-1, shift = 0x1.8p52, most = 0x1p20;
  if (!(fabs(angle) < most)) return (circle){cos(angle), sin(angle)};
  double whole = (angle * quarters_per_radian + shift) - shift;  // rounded to the nearest integer
  double x = ((angle - whole * part1) - whole * part2) - whole * part3, z = x * x;
  double s = 1 / 355687428096000.0;                              // 1/17!
  s = s * z - 1 / 1307674368000.0, s = s * z + 1 / 6227020800.0, s = s * z - 1 / 39916800.0;
  s = s * z + 1 / 362880.0, s = s * z - 1 / 5040.0, s = s * z + 1 / 120.0, s = s * z - 1 / 6.0;
  s = x + x * z * s;
  double c = 1 / 20922789888000.0;                               // 1/16!
  c = c * z - 1 / 87178291200.0, c = c * z + 1 / 479001600.0, c = c * z - 1 / 3628800.0;
  c = c * z + 1 / 40320.0, c = c * z - 1 / 720.0, c = c * z + 1 / 24.0;
  c = (1 - 0.5 * z) + z * z * c;
  int quarter = (int)whole;
  double along = quarter & 1 ? s : c, up = quarter & 1 ? c : s;
  return (circle){(quarter + 1) & 2 ? -along : along, quarter & 2 ? -up : up};
}

#endif
