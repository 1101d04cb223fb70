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

#include "math/fours.h"

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

// The arithmetic for one angle or for several at once, by the type of the numbers: the number of quarter turns in the
// last bits of `shifted`, and the two series of what is left of the angle, in pairs, then pairs of pairs: half as many
// operations wait for each other as in Horner's order.
#define CIRCLE_SERIES(number, angle, shifted, of_c, of_s)                                                        \
  const double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;                 \
  const double quarters_per_radian = 0x1.45f306dc9c883p-1, shift = 0x1.8p52;                                     \
  number shifted = angle * quarters_per_radian + shift, whole = shifted - shift; /* the nearest integer */       \
  number x = ((angle - whole * part1) - whole * part2) - whole * part3, z = x * x, z2 = z * z, z4 = z2 * z2;     \
  number s01 = z * (1 / 120.0) - 1 / 6.0, s23 = z * (1 / 362880.0) - 1 / 5040.0;                                 \
  number s45 = z * (1 / 6227020800.0) - 1 / 39916800.0, s67 = z * (1 / 355687428096000.0) - 1 / 1307674368000.0; \
  number c01 = 1 / 24.0 - z * (1 / 720.0), c23 = 1 / 40320.0 - z * (1 / 3628800.0);                              \
  number c45 = 1 / 479001600.0 - z * (1 / 87178291200.0), c67 = (1 / 20922789888000.0) * z2 + c45;               \
  number of_s = x + x * z * ((s67 * z2 + s45) * z4 + (s23 * z2 + s01));                                          \
  number of_c = (1 - 0.5 * z) + z2 * (c67 * z4 + (c23 * z2 + c01));

// Without a branch.
static inline __attribute__((always_inline)) circle circle_within(double angle) {
  CIRCLE_SERIES(double, angle, shifted, c, s)
  uint64_t quarter = circle_bits(shifted), odd = -(quarter & 1), of_c = circle_bits(c), of_s = circle_bits(s);
  uint64_t exchange = (of_c ^ of_s) & odd;
  return (circle){circle_from_bits(of_c ^ exchange ^ ((quarter + 1) & 2) << 62),
                  circle_from_bits(of_s ^ exchange ^ (quarter & 2) << 62)};
}

static inline circle circle_at(double angle) {
  return fabs(angle) < CIRCLE_MOST ? circle_within(angle) : (circle){cos(angle), sin(angle)};
}

// Four angles one after the other.
void circle_one_by_one(const fours *angle, fours *c, fours *s);

// The same numbers for four angles at once. They are handed over in registers: a vector that is read from memory just
// after its numbers were written there one by one has to wait.
FOURS_INLINE void circle_four(double a0, double a1, double a2, double a3, fours *c, fours *s) {
  const fours angle = {a0, a1, a2, a3};
  if (!(fabs(a0) + fabs(a1) + fabs(a2) + fabs(a3) < CIRCLE_MOST)) {
    circle_one_by_one(&angle, c, s);
    return;
  }
  CIRCLE_SERIES(fours, angle, shifted, to_c, to_s)
  fours_mask quarter = (fours_mask)shifted, odd = -(quarter & 1), of_c = (fours_mask)to_c, of_s = (fours_mask)to_s;
  fours_mask exchange = (of_c ^ of_s) & odd;
  *c = (fours)(of_c ^ exchange ^ ((quarter + 1) & 2) << 62);
  *s = (fours)(of_s ^ exchange ^ (quarter & 2) << 62);
}

#endif
