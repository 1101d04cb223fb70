// Four numbers at once: of four shapes of a flexible body. They are one register of AVX2, which most processors have.
// Vectors of eight (lanes.h) are one of AVX-512; without it GCC 12 keeps them in memory between any two operations.
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

// Number i of a row of vectors.
static inline void fours_put(fours *row, int i, double value) { row[i / FOURS][i % FOURS] = value; }

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

// Number k of x in all places, without a way through the memory where k is a constant.
FOURS_INLINE void fours_spread(const fours *x, int k, fours *to) {
#ifdef __clang__
  *to = (*x)[k] + (fours){0};
#else
  *to = __builtin_shuffle(*x, (fours_mask){0} + (int64_t)k);
#endif
}

// Rows `first` to `first` + 3 of the matrix below, of which `width` vectors from `from` on.
FOURS_INLINE void fours_add_rows(const int width, int groups, int first, int from, int count, const fours *left,
                                 const fours *right, const fours *start, fours *to) {
  fours sum[4][3];
  for (int r = 0; r < 4; r++)
    for (int g = 0; g < width; g++) sum[r][g] = start[(first + r) * groups + from + g];
  const double *factor = (const double *)left + first;
  right += from;
  for (int k = 0; k < count; k++, factor += FOURS * groups, right += groups)
    for (int g = 0; g < width; g++)
      for (int r = 0; r < 4; r++) sum[r][g] += factor[r] * right[g];
  for (int r = 0; r < 4; r++)
    for (int g = 0; g < width; g++) to[(first + r) * groups + from + g] = sum[r][g];
}

// The last two blocks of four rows, of the last of which `height` rows are not zero.
FOURS_INLINE void fours_add_last_rows(const int height, int groups, int count, const fours *left, const fours *right,
                                      const fours *start, fours *to) {
  const int first = FOURS * (groups - 2), at = first * groups + groups - 2, behind = at + FOURS * groups + 1;
  fours sum[4][2], last[4];
  for (int r = 0; r < 4; r++) sum[r][0] = start[at + r * groups], sum[r][1] = start[at + r * groups + 1];
  for (int r = 0; r < height; r++) last[r] = start[behind + r * groups];
  const double *factor = (const double *)left + first;
  right += groups - 2;
  for (int k = 0; k < count; k++, factor += FOURS * groups, right += groups) {
    for (int r = 0; r < 4; r++) sum[r][0] += factor[r] * right[0], sum[r][1] += factor[r] * right[1];
    for (int r = 0; r < height; r++) last[r] += factor[FOURS + r] * right[1];
  }
  for (int r = 0; r < 4; r++) to[at + r * groups] = sum[r][0], to[at + r * groups + 1] = sum[r][1];
  for (int r = 0; r < height; r++) to[behind + r * groups] = last[r];
}

// A symmetric matrix of `groups` vectors per row, and `size` rows:  to := start + Σ left_k right_kᵀ  over `count` pairs
// of rows. Of each row the vectors from that of its diagonal on are read and written. Up to twelve sums stay in
// registers, so that each number is loaded once for three or four products.
FOURS_INLINE void fours_add_products(const int groups, int size, int count, const fours *left, const fours *right,
                                     const fours *start, fours *to) {
  for (int i = 0; i < groups - 2; i++) {
    int g = i;
    for (; g + 3 <= groups; g += 3) fours_add_rows(3, groups, FOURS * i, g, count, left, right, start, to);
    if (g + 2 == groups) fours_add_rows(2, groups, FOURS * i, g, count, left, right, start, to);
    else if (g + 1 == groups) fours_add_rows(1, groups, FOURS * i, g, count, left, right, start, to);
  }
  if (groups == 1) fours_add_rows(1, 1, 0, 0, count, left, right, start, to);
  else if (size <= FOURS * groups - 2) fours_add_last_rows(2, groups, count, left, right, start, to);
  else fours_add_last_rows(4, groups, count, left, right, start, to);
}

#endif
