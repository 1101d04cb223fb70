// Cosine and sine of one angle together, by our own arithmetic: the same bits whatever the C library, a fraction of the
// cost of two calls.
//
// The angle is taken to [-π/4, π/4] by whole quarter turns, with π/2 in three parts of which the first two have 33
// bits, so that their products with fewer than 2²⁰ quarter turns are exact. There Taylor's series to x¹⁷ and x¹⁶ are
// good to 2e-18: what is left is rounding.
#ifndef MATH_CIRCLE_H
#define MATH_CIRCLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct circle {
  double c, s;  // cosine and sine
} circle;

#define CIRCLE_MOST 0x1p20  // angles below

static inline double circle_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline uint64_t circle_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Without a branch, so that compilers work on several angles at once. The number of quarter turns is in the last bits
// of `shifted`.
static inline __attribute__((always_inline)) circle circle_within(double angle) {
  const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
  const double quarters_per_radian = 0x1.45f306dc9c883p-1, shift = 0x1.8p52;
  double shifted = angle * quarters_per_radian + shift, whole = shifted - shift;  // rounded to the nearest integer
  double x = ((angle - whole * part1) - whole * part2) - whole * part3, z = x * x;
  // the series in pairs, then pairs of pairs: half as many operations wait for each other as in Horner's order
  double z2 = z * z, z4 = z2 * z2;
  double s01 = z * (1 / 120.0) - 1 / 6.0, s23 = z * (1 / 362880.0) - 1 / 5040.0;
  double s45 = z * (1 / 6227020800.0) - 1 / 39916800.0, s67 = z * (1 / 355687428096000.0) - 1 / 1307674368000.0;
  double c01 = 1 / 24.0 - z * (1 / 720.0), c23 = 1 / 40320.0 - z * (1 / 3628800.0);
  double c45 = 1 / 479001600.0 - z * (1 / 87178291200.0), c6 = 1 / 20922789888000.0;
  double s = x + x * z * ((s67 * z2 + s45) * z4 + (s23 * z2 + s01));
  double c = (1 - 0.5 * z) + z2 * ((c6 * z2 + c45) * z4 + (c23 * z2 + c01));
  uint64_t quarter = circle_bits(shifted), odd = -(quarter & 1), of_c = circle_bits(c), of_s = circle_bits(s);
  uint64_t exchange = (of_c ^ of_s) & odd;
  return (circle){circle_from_bits(of_c ^ exchange ^ ((quarter + 1) & 2) << 62),
                  circle_from_bits(of_s ^ exchange ^ (quarter & 2) << 62)};
}

static inline circle circle_at(double angle) {
  return fabs(angle) < CIRCLE_MOST ? circle_within(angle) : (circle){cos(angle), sin(angle)};
}

// The same numbers for four angles at once. They are handed over in registers: a vector that is read from memory just
// after its numbers were written there one by one has to wait.
void circle_at_four(double a0, double a1, double a2, double a3, double c[4], double s[4]);

#endif
