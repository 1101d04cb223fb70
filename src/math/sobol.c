#include "math/sobol.h"

#include <stdbool.h>

#include "base/random.h"

// The first direction numbers of dimensions 2 to 21, by S. Joe and F. Y. Kuo, "Constructing Sobol' sequences with
// better two-dimensional projections", SIAM Journal on Scientific Computing 30 (2008).
enum { LISTED = 20 };
static const uint32_t listed[LISTED][7] = {{1},
                                           {1, 3},
                                           {1, 3, 1},
                                           {1, 1, 1},
                                           {1, 1, 3, 3},
                                           {1, 3, 5, 13},
                                           {1, 1, 5, 5, 17},
                                           {1, 1, 5, 5, 5},
                                           {1, 1, 7, 11, 19},
                                           {1, 1, 5, 1, 1},
                                           {1, 1, 1, 3, 11},
                                           {1, 3, 5, 5, 31},
                                           {1, 3, 3, 9, 7, 49},
                                           {1, 1, 1, 15, 21, 21},
                                           {1, 3, 1, 13, 27, 49},
                                           {1, 1, 1, 15, 7, 5},
                                           {1, 3, 1, 15, 13, 25},
                                           {1, 1, 5, 5, 19, 61},
                                           {1, 3, 7, 11, 23, 15, 103},
                                           {1, 3, 7, 13, 13, 15, 69}};

static int degree_of(uint32_t polynomial) {
  int degree = 0;
  while (polynomial >> (degree + 1)) degree++;
  return degree;
}

// Whether x runs through all 2^degree - 1 residues before it comes back to 1. Bit k of the polynomial is that of x^k.
static bool is_primitive(uint32_t polynomial) {
  int degree = degree_of(polynomial);
  uint32_t order = 0, power = 1, all = (1u << degree) - 1;
  do {
    power <<= 1, order++;
    if (power >> degree) power ^= polynomial;
  } while (power != 1 && order < all);
  return power == 1 && order == all;
}

static uint32_t next_primitive(uint32_t polynomial) {
  do polynomial += 2;
  while (!is_primitive(polynomial));
  return polynomial;
}

// m_i: odd and below 2^i, listed or drawn; any such numbers make a Sobol' sequence.
static void begin(uint32_t *m, int degree, int dimension) {
  for (int i = 0; i < degree; i++)
    m[i] = dimension - 1 < LISTED ? listed[dimension - 1][i]
                                  : ((uint32_t)random_bits(0, (uint64_t)dimension, (uint64_t)i) & ((2u << i) - 1)) | 1;
}

// m_i = 2 a_1 m_(i-1) ^ ... ^ 2^(s-1) a_(s-1) m_(i-s+1) ^ 2^s m_(i-s) ^ m_(i-s), of the polynomial
// x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1. The direction is m_i 2^-i.
static void fill_directions(uint32_t *to, uint32_t polynomial, int dimension) {
  int degree = degree_of(polynomial);
  uint32_t m[SOBOL_BITS];
  begin(m, degree, dimension);
  for (int i = degree; i < SOBOL_BITS; i++) {
    m[i] = m[i - degree];
    for (int k = 1; k <= degree; k++)
      if (polynomial >> (degree - k) & 1) m[i] ^= m[i - k] << k;
  }
  for (int i = 0; i < SOBOL_BITS; i++) to[i] = m[i] << (SOBOL_BITS - 1 - i);
}

sobol sobol_create(arena *memory, int dimensions) {
  sobol s = {dimensions, arena_alloc(memory, (size_t)dimensions, sizeof *s.directions)};
  for (int i = 0; i < SOBOL_BITS; i++) s.directions[0][i] = 1u << (SOBOL_BITS - 1 - i);
  uint32_t polynomial = 3;  // x + 1
  for (int d = 1; d < dimensions; d++, polynomial = next_primitive(polynomial))
    fill_directions(s.directions[d], polynomial, d);
  return s;
}

uint32_t sobol_coordinate(const sobol *s, uint64_t i, int dimension) {
  uint32_t x = 0;
  for (int bit = 0; i; bit++, i >>= 1)
    if (i & 1) x ^= s->directions[dimension][bit];
  return x;
}

// Each digit is flipped or not by a draw of its own for every value of the digits before it. The digits behind the last
// one are such draws themselves.
double sobol_scrambled(const sobol *s, uint64_t i, int dimension, uint64_t seed) {
  uint64_t x = sobol_coordinate(s, i, dimension), key = random_bits(seed, (uint64_t)dimension, 1), y = 0;
  for (int digit = 0; digit < SOBOL_BITS; digit++) {
    uint64_t before = (1ull << digit) | (x >> (SOBOL_BITS - digit)), flip = random_bits(key, before, 2) >> 63;
    y = y << 1 | ((x >> (SOBOL_BITS - 1 - digit) & 1) ^ flip);
  }
  uint64_t rest = random_bits(key, (1ull << SOBOL_BITS) | x, 2) >> SOBOL_BITS;
  return random_share(y << SOBOL_BITS | rest);
}
