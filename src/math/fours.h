// Four numbers at once. They are one register of AVX2, which most processors have.
//
// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
#ifndef MATH_FOURS_H
#define MATH_FOURS_H

#include <stdint.h>

enum { FOURS = 4 };
typedef double fours __attribute__((vector_size(32)));
typedef int64_t fours_mask __attribute__((vector_size(32)));  // what comparisons give: 0 or -1

#define FOURS_INLINE static inline __attribute__((always_inline))

// How many vectors hold n numbers.
static inline int fours_count(int n) { return (n + FOURS - 1) / FOURS; }

// x[i][k] := x[k][i], in two steps of neighbours and halves.
FOURS_INLINE void fours_transpose(fours x[4]) {
  const fours a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const fours c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// The sums of four vectors, side by side.
FOURS_INLINE void fours_sum(const fours x[4], fours *to) {
  const fours a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6) + __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const fours b = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6) + __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  *to = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

#endif
