// Random numbers by counters: each depends on a seed and on what it is for, and not on those drawn before it.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

// Mixes all bits of a number into all others (the end of a step of splitmix64).
static inline uint64_t random_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The bits of draw i for purpose k.
static inline uint64_t random_bits(uint64_t seed, uint64_t i, uint64_t k) {
  uint64_t x = random_mix(seed + 0x9e3779b97f4a7c15u);
  x = random_mix(x ^ (i * 0xd1342543de82ef95u + 1));
  return random_mix(x ^ (k * 0xaef17502108ef2d9u + 1));
}

// 53 bits as a number between 0 and 1, without the ends.
static inline double random_share(uint64_t bits) {
  const double share = ((double)(bits >> 11) + 0.5) * 0x1p-53;  // the largest ones are rounded to 1
  return share < 1 ? share : 0x1.fffffffffffffp-1;
}

#endif
