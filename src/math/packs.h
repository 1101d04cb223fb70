// As many numbers at once as a register of the processor holds, four or eight: of shapes of a flexible body, or of the
// right-hand sides of its modes. Eight are one register of AVX-512. Without it GCC 12 keeps vectors of eight in memory
// between any two operations, and packs have four.
//
// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
#ifndef MATH_PACKS_H
#define MATH_PACKS_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "math/fours.h"

#ifdef __AVX512F__
enum { PACK = 8 };
#define PACK_NUMBERS \
  { 0, 1, 2, 3, 4, 5, 6, 7 }
#else
enum { PACK = 4 };
#define PACK_NUMBERS \
  { 0, 1, 2, 3 }
#endif
typedef double pack __attribute__((vector_size(PACK * sizeof(double))));
typedef double loose_pack __attribute__((vector_size(PACK * sizeof(double)), aligned(8), may_alias));  // anywhere
typedef int64_t pack_mask __attribute__((vector_size(PACK * sizeof(double))));  // what comparisons give: 0 or -1

#define PACK_INLINE FOURS_INLINE

// How many vectors hold n numbers.
static inline int pack_count(int n) { return (n + PACK - 1) / PACK; }

// Number i of a row of vectors.
static inline void pack_put(pack *row, int i, double value) { row[i / PACK][i % PACK] = value; }

// The first `count` numbers from a place on, with zeros behind them; and back. Nothing behind them is touched.
PACK_INLINE void pack_load(const double *from, int count, pack *to) {
#if defined __AVX512F__
  *to = _mm512_maskz_loadu_pd((__mmask8)(count < PACK ? (1 << count) - 1 : 255), from);
#elif defined __AVX2__
  static const pack_mask index = PACK_NUMBERS;
  *to = _mm256_maskload_pd(from, (__m256i)(index < (int64_t)count));
#else
  *to = (pack){0};
  for (int k = 0; k < count && k < PACK; k++) (*to)[k] = from[k];
#endif
}
PACK_INLINE void pack_store(const pack *x, int count, double *to) {
#if defined __AVX512F__
  _mm512_mask_storeu_pd(to, (__mmask8)(count < PACK ? (1 << count) - 1 : 255), *x);
#elif defined __AVX2__
  static const pack_mask index = PACK_NUMBERS;
  _mm256_maskstore_pd(to, (__m256i)(index < (int64_t)count), *x);
#else
  for (int k = 0; k < count && k < PACK; k++) to[k] = (*x)[k];
#endif
}

// The same of `count` numbers in as many vectors as hold them.
PACK_INLINE void pack_load_row(const double *from, int count, pack *to) {
  for (; count >= PACK; count -= PACK, from += PACK, to++) *to = *(const loose_pack *)from;
  if (count > 0) pack_load(from, count, to);
}
PACK_INLINE void pack_store_row(const pack *x, int count, double *to) {
  for (; count >= PACK; count -= PACK, to += PACK, x++) *(loose_pack *)to = *x;
  if (count > 0) pack_store(x, count, to);
}

#if defined __AVX512F__

// x[i][k] := x[k][i], in three steps of neighbours, pairs and halves.
PACK_INLINE void pack_transpose(pack x[PACK]) {
  pack a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    x[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// The sums of four vectors, side by side.
PACK_INLINE void pack_sum(const pack x[4], fours *to) {
  fours half[4];
  for (int i = 0; i < 4; i++)
    half[i] = __builtin_shufflevector(x[i], x[i], 0, 1, 2, 3) + __builtin_shufflevector(x[i], x[i], 4, 5, 6, 7);
  fours_sum(half, to);
}

#else

PACK_INLINE void pack_transpose(pack x[PACK]) { fours_transpose(x); }
PACK_INLINE void pack_sum(const pack x[4], fours *to) { fours_sum(x, to); }

#endif

// Number k of x in all places, without a way through the memory where k is a constant.
PACK_INLINE void pack_spread(const pack *x, int k, pack *to) {
#ifdef __clang__
  *to = (*x)[k] + (pack){0};
#else
  *to = __builtin_shuffle(*x, (pack_mask){0} + (int64_t)k);
#endif
}

// Block of rows `first` to `first` + PACK - 1 of the matrix below, of which `width` vectors from `from` on.
PACK_INLINE void pack_add_rows(const int width, int groups, int first, int from, int count, const pack *left,
                               const pack *right, const pack *start, pack *to) {
  pack sum[PACK][3];
  for (int r = 0; r < PACK; r++)
    for (int g = 0; g < width; g++) sum[r][g] = start[(first + r) * groups + from + g];
  const double *factor = (const double *)left + first;
  right += from;
  for (int k = 0; k < count; k++, factor += PACK * groups, right += groups)
    for (int g = 0; g < width; g++)
      for (int r = 0; r < PACK; r++) sum[r][g] += factor[r] * right[g];
  for (int r = 0; r < PACK; r++)
    for (int g = 0; g < width; g++) to[(first + r) * groups + from + g] = sum[r][g];
}

// The last two blocks of rows, of the last of which `height` rows are not zero.
PACK_INLINE void pack_add_last_rows(const int height, int groups, int count, const pack *left, const pack *right,
                                    const pack *start, pack *to) {
  const int first = PACK * (groups - 2), at = first * groups + groups - 2, behind = at + PACK * groups + 1;
  pack sum[PACK][2], last[PACK];
  for (int r = 0; r < PACK; r++) sum[r][0] = start[at + r * groups], sum[r][1] = start[at + r * groups + 1];
  for (int r = 0; r < height; r++) last[r] = start[behind + r * groups];
  const double *factor = (const double *)left + first;
  right += groups - 2;
  for (int k = 0; k < count; k++, factor += PACK * groups, right += groups) {
    for (int r = 0; r < PACK; r++) sum[r][0] += factor[r] * right[0], sum[r][1] += factor[r] * right[1];
    for (int r = 0; r < height; r++) last[r] += factor[PACK + r] * right[1];
  }
  for (int r = 0; r < PACK; r++) to[at + r * groups] = sum[r][0], to[at + r * groups + 1] = sum[r][1];
  for (int r = 0; r < height; r++) to[behind + r * groups] = last[r];
}

// A symmetric matrix of `groups` vectors per row, and `size` rows:  to := start + Σ left_k right_kᵀ  over `count` pairs
// of rows. Of each row the vectors from that of its diagonal on are read and written. As many sums as possible stay in
// registers, so that each number is loaded once for several products.
PACK_INLINE void pack_add_products(const int groups, int size, int count, const pack *left, const pack *right,
                                   const pack *start, pack *to) {
  for (int i = 0; i < groups - 2; i++) {
    int g = i;
    for (; g + 3 <= groups; g += 3) pack_add_rows(3, groups, PACK * i, g, count, left, right, start, to);
    if (g + 2 == groups) pack_add_rows(2, groups, PACK * i, g, count, left, right, start, to);
    else if (g + 1 == groups) pack_add_rows(1, groups, PACK * i, g, count, left, right, start, to);
  }
  if (groups == 1) pack_add_rows(1, 1, 0, 0, count, left, right, start, to);
  else if (size <= PACK * groups - PACK + 2) pack_add_last_rows(2, groups, count, left, right, start, to);
  else if (size <= PACK * groups - PACK + 4) pack_add_last_rows(4, groups, count, left, right, start, to);
  else pack_add_last_rows(PACK, groups, count, left, right, start, to);
}

#endif
