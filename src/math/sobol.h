// Sobol' points with Owen's scrambling: they fill a cube more evenly than random points, and each coordinate alone is
// random. Any point can be asked for by its number.
#ifndef MATH_SOBOL_H
#define MATH_SOBOL_H

#include <stdint.h>

#include "base/arena.h"

enum { SOBOL_BITS = 32, SOBOL_DIMENSIONS_MOST = 1000 };

typedef struct sobol {
  int dimensions;
  uint32_t (*directions)[SOBOL_BITS];  // of each dimension, for each bit of the number of a point
} sobol;

sobol sobol_create(arena *memory, int dimensions);
// A coordinate of point `i` (below 2^32) before scrambling, as a binary fraction.
uint32_t sobol_coordinate(const sobol *s, uint64_t i, int dimension);
// The same coordinate scrambled, between 0 and 1 without the ends. Any 2^m points that begin at a multiple of 2^m have
// one in each of 2^m equal parts of every coordinate.
double sobol_scrambled(const sobol *s, uint64_t i, int dimension, uint64_t seed);

#endif
