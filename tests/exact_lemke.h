// Lemke's method in exact arithmetic, to hold the one in floating point against: the same dictionary, the same covering
// vector of ones and the same lexicographic rule, in integers that cannot overflow unseen.
//
// The dictionary is N/D with a common denominator D, the last pivot. With p = N_rc the exchange of row r and column c
// is
//   N'_ij = (p N_ij − N_ic N_rj)/D,  N'_rj = −N_rj,  N'_ic = N_ic,  N'_rc = D,  D' = p,
// and the division leaves no remainder (Edmonds, Bareiss): every N_ij is a minor of the matrix at the start. So none
// exceeds Hadamard's bound, which is compared with the width of the integers before anything is computed.
#ifndef CAROM_TESTS_EXACT_LEMKE_H
#define CAROM_TESTS_EXACT_LEMKE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LIMBS = 12, WIDE_BITS = 64 * LIMBS };

__extension__ typedef unsigned __int128 limb_product;  // not in ISO C

// Two's complement, lowest limb first.
typedef struct wide {
  uint64_t limb[LIMBS];
} wide;

static inline wide wide_of(int64_t x) {
  wide w;
  w.limb[0] = (uint64_t)x;
  for (int i = 1; i < LIMBS; i++) w.limb[i] = x < 0 ? UINT64_MAX : 0;
  return w;
}

static inline int wide_sign(const wide *a) {
  if (a->limb[LIMBS - 1] >> 63) return -1;
  for (int i = 0; i < LIMBS; i++)
    if (a->limb[i]) return 1;
  return 0;
}

static inline wide wide_subtract(const wide *a, const wide *b) {
  wide c;
  limb_product borrow = 0;
  for (int i = 0; i < LIMBS; i++) {
    limb_product t = (limb_product)a->limb[i] - b->limb[i] - borrow;
    c.limb[i] = (uint64_t)t, borrow = (t >> 64) & 1;
  }
  return c;
}

static inline wide wide_negate(const wide *a) {
  wide zero = wide_of(0);
  return wide_subtract(&zero, a);
}

// Modulo 2^WIDE_BITS: exact where the product fits.
static inline wide wide_multiply(const wide *a, const wide *b) {
  wide c = {{0}};
  for (int i = 0; i < LIMBS; i++) {
    limb_product carry = 0;
    for (int j = 0; a->limb[i] && i + j < LIMBS; j++) {
      carry += (limb_product)a->limb[i] * b->limb[j] + c.limb[i + j];
      c.limb[i + j] = (uint64_t)carry, carry >>= 64;
    }
  }
  return c;
}

static inline int wide_trailing_zeros(const wide *a) {
  int i = 0;
  while (i < LIMBS - 1 && !a->limb[i]) i++;
  return 64 * i + (a->limb[i] ? __builtin_ctzll(a->limb[i]) : 0);
}

// With the sign kept.
static inline wide wide_shift_right(const wide *a, int bits) {
  wide c;
  uint64_t fill = a->limb[LIMBS - 1] >> 63 ? UINT64_MAX : 0;
  int words = bits / 64, rest = bits % 64;
  for (int i = 0; i < LIMBS; i++) {
    uint64_t low = i + words < LIMBS ? a->limb[i + words] : fill,
             high = i + words + 1 < LIMBS ? a->limb[i + words + 1] : fill;
    c.limb[i] = rest ? low >> rest | high << (64 - rest) : low;
  }
  return c;
}

// Division without a remainder: by the power of two in the divisor, then by the inverse of its odd part.
typedef struct wide_divisor {
  int shift;
  wide inverse;
} wide_divisor;

static inline wide_divisor wide_divide_by(const wide *d) {
  wide_divisor by = {wide_trailing_zeros(d), wide_of(1)};
  wide odd = wide_shift_right(d, by.shift), two = wide_of(2);
  for (int bits = 1; bits < WIDE_BITS; bits *= 2) {  // Newton: x := x (2 − d x), each time twice as many bits
    wide product = wide_multiply(&odd, &by.inverse), rest = wide_subtract(&two, &product);
    by.inverse = wide_multiply(&by.inverse, &rest);
  }
  return by;
}

static inline wide wide_divide(const wide *a, const wide_divisor *by) {
  wide shifted = wide_shift_right(a, by->shift);
  return wide_multiply(&shifted, &by->inverse);
}

// --- the method ------------------------------------------------------------------------------------------------------

typedef enum exact_end { EXACT_SOLVED, EXACT_RAY, EXACT_TOO_WIDE, EXACT_LIMIT } exact_end;

typedef struct exact_lemke {
  int n, stride, pivots;
  wide *N, D;                     // columns 0 … n for the variables that are not basic, n + 1 for b
  int *basic, *nonbasic, *where;  // as in solve/lcp_lemke.c
} exact_lemke;

static inline wide *exact_at(const exact_lemke *x, int row, int column) {
  return x->N + (long)row * x->stride + column;
}

// A power of two that makes every entry an integer; 0 when there is none below 2^40.
static inline double exact_scale(long count, const double *values, double scale) {
  for (long i = 0; i < count; i++)
    while (scale && values[i] * scale != nearbyint(values[i] * scale)) scale = scale < 0x1p40 ? 2 * scale : 0;
  return scale;
}

// Bits of the largest minor (Hadamard), and of what one exchange makes of two of them.
static inline double exact_bits(int n, const double *M, const double *q, double scale) {
  double bits = 0;
  for (int i = 0; i < n; i++) {
    double sum = 1 + q[i] * q[i];
    for (int j = 0; j < n; j++) sum += M[(long)i * n + j] * M[(long)i * n + j];
    bits += fmax(0, 0.5 * log2(sum * scale * scale + 1));
  }
  return 2 * bits + 3;
}

static inline void exact_exchange(exact_lemke *x, int row, int column) {
  wide p = *exact_at(x, row, column);
  wide_divisor by = wide_divide_by(&x->D);
  for (int i = 0; i < x->n; i++)
    for (int j = 0; i != row && j <= x->n + 1; j++) {
      if (j == column) continue;
      wide a = wide_multiply(exact_at(x, i, j), &p), b = wide_multiply(exact_at(x, i, column), exact_at(x, row, j));
      a = wide_subtract(&a, &b);
      *exact_at(x, i, j) = wide_divide(&a, &by);
    }
  for (int j = 0; j <= x->n + 1; j++) *exact_at(x, row, j) = wide_negate(exact_at(x, row, j));
  *exact_at(x, row, column) = x->D;
  x->D = p;
  if (wide_sign(&p) < 0) {  // a positive denominator, so that signs are those of the numerators
    x->D = wide_negate(&p);
    for (long k = 0; k < (long)x->n * x->stride; k++) x->N[k] = wide_negate(&x->N[k]);
  }
  int out = x->basic[row], in = x->nonbasic[column];
  x->basic[row] = in, x->where[in] = row;
  x->nonbasic[column] = out, x->where[out] = -1 - column;
  x->pivots++;
}

// D (B⁻¹)_ik
static inline wide exact_inverse(const exact_lemke *x, int row, int k) {
  int at = x->where[k];
  if (at >= 0) return at == row ? x->D : wide_of(0);
  return wide_negate(exact_at(x, row, -1 - at));
}

// Sign of a_i/p_i − a_k/p_k with positive p.
static inline int exact_compare(const wide *ai, const wide *pi, const wide *ak, const wide *pk) {
  wide left = wide_multiply(ai, pk), right = wide_multiply(ak, pi), difference = wide_subtract(&left, &right);
  return wide_sign(&difference);
}

// Whether row i leaves before row k when the variable of a column grows.
static inline bool exact_before(const exact_lemke *x, int i, int k, int column) {
  wide pi = wide_negate(exact_at(x, i, column)), pk = wide_negate(exact_at(x, k, column));
  int sign = exact_compare(exact_at(x, i, x->n + 1), &pi, exact_at(x, k, x->n + 1), &pk), z0 = x->where[2 * x->n];
  if (sign == 0 && (i == z0 || k == z0)) return i == z0;
  for (int j = 0; sign == 0 && j < x->n; j++) {
    wide a = exact_inverse(x, i, j), b = exact_inverse(x, k, j);
    sign = exact_compare(&a, &pi, &b, &pk);
  }
  return sign < 0;
}

static inline int exact_leaving(const exact_lemke *x, int column) {
  int best = -1;
  for (int i = 0; i < x->n; i++)
    if (wide_sign(exact_at(x, i, column)) < 0 && (best < 0 || exact_before(x, i, best, column))) best = i;
  return best;
}

static inline exact_end exact_pivot(exact_lemke *x, int row, int limit) {
  int n = x->n, column = n;
  while (x->pivots < limit) {
    int left = x->basic[row];
    exact_exchange(x, row, column);
    if (left == 2 * n) return EXACT_SOLVED;
    column = -1 - x->where[left < n ? left + n : left - n];
    row = exact_leaving(x, column);
    if (row < 0) return EXACT_RAY;
  }
  return EXACT_LIMIT;
}

// 0 ≤ w = M z + q ⊥ z ≥ 0; M row by row. `pivots` may be null.
static inline exact_end exact_lemke_solve(int n, const double *M, const double *q, int *pivots) {
  double scale = exact_scale(n, q, exact_scale((long)n * n, M, 1));
  if (scale == 0 || exact_bits(n, M, q, scale) > WIDE_BITS - 1) return EXACT_TOO_WIDE;
  exact_lemke x = {n,
                   n + 2,
                   0,
                   calloc((size_t)n * (size_t)(n + 2), sizeof(wide)),
                   wide_of(1),
                   calloc((size_t)n, sizeof(int)),
                   calloc((size_t)n + 1, sizeof(int)),
                   calloc(2 * (size_t)n + 1, sizeof(int))};
  int row = -1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) *exact_at(&x, i, j) = wide_of((int64_t)(scale * M[(long)i * n + j]));
    *exact_at(&x, i, n) = wide_of((int64_t)scale);
    *exact_at(&x, i, n + 1) = wide_of((int64_t)(scale * q[i]));
    x.basic[i] = x.where[i] = i;
    x.nonbasic[i] = n + i, x.where[n + i] = -1 - i;
    if (q[i] < 0 && (row < 0 || q[i] <= q[row])) row = i;
  }
  x.nonbasic[n] = 2 * n, x.where[2 * n] = -1 - n;
  exact_end end = row < 0 ? EXACT_SOLVED : exact_pivot(&x, row, 50 * n);
  if (pivots) *pivots = x.pivots;
  free(x.N), free(x.basic), free(x.nonbasic), free(x.where);
  return end;
}

#endif
