// Eight numbers at once: of eight contacts that do not share a body, of eight shapes of a flexible body. A processor
// with shorter vectors takes several for each. A source that defines LANES_SINGLE has sixteen of single precision, in
// the same memory.
//
// No function takes or gives a vector: how it would be passed depends on the processor that is compiled for.
#ifndef MATH_LANES_H
#define MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef LANES_SINGLE
typedef float lanes_number;
typedef int32_t lanes_bits;
#define LANES_MAGNITUDE INT32_MAX  // all bits of a number but its sign
#define LANES_SQRT      sqrtf
#else
typedef double lanes_number;
typedef int64_t lanes_bits;
#define LANES_MAGNITUDE INT64_MAX
#define LANES_SQRT      sqrt
#endif

enum { LANES = 64 / sizeof(lanes_number) };
typedef lanes_number lanes __attribute__((vector_size(64)));
typedef lanes_bits lanes_mask __attribute__((vector_size(64)));  // what comparisons give: 0 or -1
typedef lanes_number lanes_eight __attribute__((vector_size(8 * sizeof(lanes_number))));  // that stand side by side

// x := mask ? a : x
static inline void lanes_set(lanes *x, const lanes_mask *mask, const lanes *a) {
  *x = (lanes)(((lanes_mask)*a & *mask) | ((lanes_mask)*x & ~*mask));
}

static inline bool lanes_any(const lanes_mask *mask) {
  typedef int64_t whole __attribute__((vector_size(64)));
  typedef int64_t quarter __attribute__((vector_size(16)));
  const whole x = (whole)*mask;
  const quarter any = (__builtin_shufflevector(x, x, 0, 1) | __builtin_shufflevector(x, x, 2, 3)) |
                      (__builtin_shufflevector(x, x, 4, 5) | __builtin_shufflevector(x, x, 6, 7));
  return (any[0] | any[1]) != 0;
}

static inline void lanes_root(lanes *x) {
  for (int k = 0; k < LANES; k++) (*x)[k] = LANES_SQRT((*x)[k]);
}

static inline double lanes_sum(const lanes *x) {
  double sum = 0;
  for (int k = 0; k < LANES; k++) sum += (*x)[k];
  return sum;
}

#ifndef LANES_SINGLE
// The sums of eight vectors, side by side: in three steps of neighbours, pairs and halves, a fifth of the additions
// that eight sums by themselves take.
static inline void lanes_sum_eight(const lanes x[8], lanes *to) {
  lanes a[4], b[2];
  for (int i = 0; i < 4; i++)
    a[i] = __builtin_shufflevector(x[2 * i], x[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(x[2 * i], x[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  for (int i = 0; i < 2; i++)
    b[i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a[2 * i], a[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  *to = __builtin_shufflevector(b[0], b[1], 0, 1, 2, 3, 8, 9, 10, 11) +
        __builtin_shufflevector(b[0], b[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

// Number k of x in all lanes, without a way through the memory where the compiler can.
static inline __attribute__((always_inline)) void lanes_spread(const lanes *x, int k, lanes *to) {
#ifdef __clang__
  *to = (*x)[k] + (lanes){0};
#else
  *to = __builtin_shuffle(*x, (lanes_mask){0} + (int64_t)k);
#endif
}

// A symmetric matrix of n rows, `groups` vectors each, += Σ left_k right_kᵀ over `count` pairs of rows that are zero
// behind n. Of each row the groups from that of its diagonal on are read and written. It has a multiple of four rows:
// four at a time, so that a vector of `right` is loaded once for four products.
static inline __attribute__((always_inline)) void lanes_add_products(int n, const int groups, const int count,
                                                                     const lanes *left, const lanes *right, lanes *to) {
  for (int i = 0; i < n; i += 4)
    for (int g = i / LANES; g < groups; g++) {
      lanes *row = to + i * groups + g, a = row[0], b = row[groups], c = row[2 * groups], d = row[3 * groups];
      const double *factor = (const double *)left + i;
      for (int k = 0; k < count; k++, factor += LANES * groups) {
        const lanes with = right[k * groups + g];
        a += factor[0] * with, b += factor[1] * with, c += factor[2] * with, d += factor[3] * with;
      }
      row[0] = a, row[groups] = b, row[2 * groups] = c, row[3 * groups] = d;
    }
}
#endif

// Eight lanes of x and y, of those that stand side by side: 0 … 7 are of x, 8 … 15 of y. With sixteen lanes the same of
// the first eight and of the last eight.
#ifdef LANES_SINGLE
#define LANES_FROM(i) ((i) < 8 ? (i) : (i) + 8)
#define LANES_SHUFFLE(x, y, a, b, c, d, e, f, g, h)                                                          \
  __builtin_shufflevector(x, y, LANES_FROM(a), LANES_FROM(b), LANES_FROM(c), LANES_FROM(d), LANES_FROM(e),   \
                          LANES_FROM(f), LANES_FROM(g), LANES_FROM(h), LANES_FROM(a) + 8, LANES_FROM(b) + 8, \
                          LANES_FROM(c) + 8, LANES_FROM(d) + 8, LANES_FROM(e) + 8, LANES_FROM(f) + 8,        \
                          LANES_FROM(g) + 8, LANES_FROM(h) + 8)
#else
#define LANES_SHUFFLE __builtin_shufflevector
#endif

// x[i][k] := x[k][i], in three steps of neighbours, pairs and halves; with sixteen lanes of both halves alike.
static inline void lanes_transpose(lanes x[8]) {
  lanes a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = LANES_SHUFFLE(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = LANES_SHUFFLE(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + k] = LANES_SHUFFLE(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = LANES_SHUFFLE(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    x[i] = LANES_SHUFFLE(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[i + 4] = LANES_SHUFFLE(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// to[i][k] := number i of row k, and back. With sixteen lanes rows k and k + 8 stand in one vector.
#ifdef LANES_SINGLE
static inline void lanes_from_rows(const lanes_eight *const row[LANES], lanes to[8]) {
  for (int k = 0; k < 8; k++)
    to[k] = __builtin_shufflevector(*row[k], *row[k + 8], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  lanes_transpose(to);
}
static inline void lanes_to_rows(lanes from[8], lanes_eight *const row[LANES]) {
  lanes_transpose(from);
  for (int k = 0; k < 8; k++) {
    *row[k] = __builtin_shufflevector(from[k], from[k], 0, 1, 2, 3, 4, 5, 6, 7);
    *row[k + 8] = __builtin_shufflevector(from[k], from[k], 8, 9, 10, 11, 12, 13, 14, 15);
  }
}
#else
static inline void lanes_from_rows(const lanes_eight *const row[LANES], lanes to[8]) {
  for (int k = 0; k < 8; k++) to[k] = *row[k];
  lanes_transpose(to);
}
static inline void lanes_to_rows(lanes from[8], lanes_eight *const row[LANES]) {
  lanes_transpose(from);
  for (int k = 0; k < 8; k++) *row[k] = from[k];
}
#endif

#endif
