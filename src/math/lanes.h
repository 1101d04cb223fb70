// Several numbers at once, of contacts that do not share a body. They are eight, which a processor with shorter vectors
// takes in parts, unless a source defines LANES_BYTES, how long vectors are. Comparisons and shuffles of vectors that
// the processor does not have are made number by number: sources that need these ask for 32 bytes. A source that
// defines LANES_SINGLE has numbers of single precision.
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

#ifndef LANES_BYTES
#define LANES_BYTES 64
#endif

enum { LANES = LANES_BYTES / sizeof(lanes_number) };
typedef lanes_number lanes __attribute__((vector_size(LANES_BYTES)));
typedef lanes_bits lanes_mask __attribute__((vector_size(LANES_BYTES)));  // what comparisons give: 0 or -1
typedef lanes_number lanes_eight __attribute__((vector_size(8 * sizeof(lanes_number))));  // that stand side by side

// x := mask ? a : x
static inline void lanes_set(lanes *x, const lanes_mask *mask, const lanes *a) {
  *x = (lanes)(((lanes_mask)*a & *mask) | ((lanes_mask)*x & ~*mask));
}

static inline bool lanes_any(const lanes_mask *mask) {
  int64_t x[LANES_BYTES / sizeof(int64_t)], any = 0;
  memcpy(x, mask, sizeof x);
  for (size_t k = 0; k < sizeof x / sizeof *x; k++) any |= x[k];
  return any != 0;
}

static inline void lanes_root(lanes *x) {
  for (int k = 0; k < LANES; k++) (*x)[k] = LANES_SQRT((*x)[k]);
}

static inline double lanes_sum(const lanes *x) {
  double sum = 0;
  for (int k = 0; k < LANES; k++) sum += (*x)[k];
  return sum;
}

#if LANES_BYTES == 32
// x[i][k] := x[k][i], in steps of neighbours, pairs and halves, by shuffles that processors have.
#ifdef LANES_SINGLE
static inline void lanes_transpose(lanes x[8]) {
  lanes a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + 2 * k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + 2 * k + 1] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    x[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
#else
static inline void lanes_transpose(lanes x[4]) {
  lanes a[4];
  for (int i = 0; i < 4; i += 2) {
    a[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 4, 2, 6);
    a[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 5, 3, 7);
  }
  for (int i = 0; i < 2; i++) {
    x[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 4, 5);
    x[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 6, 7);
  }
}
#endif

// to[i][k] := number i of row k, and back. Rows longer than there are lanes are taken part by part.
enum { LANES_PARTS = 8 / LANES };
static inline void lanes_from_rows(const lanes_eight *const row[LANES], lanes to[8]) {
  for (int part = 0; part < LANES_PARTS; part++, to += LANES) {
    for (int k = 0; k < LANES; k++) memcpy(&to[k], (const lanes *)row[k] + part, sizeof *to);
    lanes_transpose(to);
  }
}
static inline void lanes_to_rows(lanes from[8], lanes_eight *const row[LANES]) {
  for (int part = 0; part < LANES_PARTS; part++, from += LANES) {
    lanes_transpose(from);
    for (int k = 0; k < LANES; k++) memcpy((lanes *)row[k] + part, &from[k], sizeof *from);
  }
}
#endif

#endif
