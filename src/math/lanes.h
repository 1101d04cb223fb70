// Eight numbers at once: of eight contacts that do not share a body, of eight shapes of a flexible body. A processor
// with shorter vectors takes several for each.
//
// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
#ifndef MATH_LANES_H
#define MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(64)));
typedef int64_t lanes_mask __attribute__((vector_size(64)));  // what comparisons give: 0 or -1

// x := mask ? a : x
static inline void lanes_set(lanes *x, const lanes_mask *mask, const lanes *a) {
  *x = (lanes)(((lanes_mask)*a & *mask) | ((lanes_mask)*x & ~*mask));
}

static inline bool lanes_any(const lanes_mask *mask) {
  typedef int64_t quarter __attribute__((vector_size(16)));
  const quarter any = (__builtin_shufflevector(*mask, *mask, 0, 1) | __builtin_shufflevector(*mask, *mask, 2, 3)) |
                      (__builtin_shufflevector(*mask, *mask, 4, 5) | __builtin_shufflevector(*mask, *mask, 6, 7));
  return (any[0] | any[1]) != 0;
}

static inline void lanes_root(lanes *x) {
  for (int k = 0; k < LANES; k++) (*x)[k] = sqrt((*x)[k]);
}

static inline double lanes_sum(const lanes *x) {
  double sum = 0;
  for (int k = 0; k < LANES; k++) sum += (*x)[k];
  return sum;
}

// The same by halves: additions that do not wait for each other.
static inline double lanes_sum_halves(const lanes *x) {
  typedef double half __attribute__((vector_size(32)));
  typedef double quarter __attribute__((vector_size(16)));
  const half a = __builtin_shufflevector(*x, *x, 0, 1, 2, 3) + __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
  const quarter b = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
  return b[0] + b[1];
}

// x[i][k] := x[k][i], in three steps of neighbours, pairs and halves.
static inline void lanes_transpose(lanes x[LANES]) {
  lanes a[LANES], b[LANES];
  for (int i = 0; i < LANES; i += 2) {
    a[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < LANES; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    x[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

#endif
