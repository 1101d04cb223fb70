// A map from pairs of numbers, in either order, to numbers.
#ifndef BASE_PAIR_INDEX_H
#define BASE_PAIR_INDEX_H

#include <stdint.h>

#include "base/arena.h"

typedef struct pairs {
  arena *memory;
  uint64_t *keys;  // 0: a free slot
  int *values;
  int count, capacity;  // capacity is a power of two
} pairs;

pairs pairs_create(arena *memory);
// The value of a pair of two different numbers, which are not negative, or -1.
int pairs_find(const pairs *p, int a, int b);
// Adds a pair that must not be there yet.
void pairs_add(pairs *p, int a, int b, int value);

#endif
