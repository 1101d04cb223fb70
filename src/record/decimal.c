// Digits by 128 bits of a power of ten. For x = m 2^e, the number v = x 10^k between 10^16 and 10^17 is found to 2^-63
// or better: its integer part has 17 digits, and fewer digits are these rounded. A number of fewer digits brings back x
// if it lies less than half the distance of neighbours from x. Where rounding of v matters (close to a tie, or to the
// middle between two neighbours) printf and strtod decide.
#include "record/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

// --- scaling ---------------------------------------------------------------------------------------------------------

enum { STEP = 16, FIRST = -19, COUNT = 42 };

// The highest 128 bits of 10^(16 i), i = FIRST, FIRST + 1, ...
static const uint64_t powers[COUNT][2] = {
    {0x8c71dcd9ba0b4925, 0x9ff0c08b7f1d0b14},  // 1e-304
    {0x9becce62836ac577, 0x4ee367f9430aec32},  // 1e-288
    {0xad1c8eab5ee43b66, 0xda3243650005eecf},  // 1e-272
    {0xc0314325637a1939, 0xfa911155fefb5308},  // 1e-256
    {0xd5605fcdcf32e1d6, 0xfb1e4a9a90880a64},  // 1e-240
    {0xece53cec4a314ebd, 0xa4f8bf5635246428},  // 1e-224
    {0x8380dea93da4bc60, 0x4247cb9e59f71e6d},  // 1e-208
    {0x91ff83775423cc06, 0x7b6306a34627ddcf},  // 1e-192
    {0xa21727db38cb002f, 0xb8ada00e5a506a7c},  // 1e-176
    {0xb3f4e093db73a093, 0x59ed216765690f56},  // 1e-160
    {0xc7caba6e7c5382c8, 0xfe64a52ee96b8fc0},  // 1e-144
    {0xddd0467c64bce4a0, 0xac7cb3f6d05ddbde},  // 1e-128
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5},  // 1e-112
    {0x88b402f7fd75539b, 0x11dbcb0218ebb414},  // 1e-96
    {0x97c560ba6b0919a5, 0xdccd879fc967d41a},  // 1e-80
    {0xa87fea27a539e9a5, 0x3f2398d747b36224},  // 1e-64
    {0xbb127c53b17ec159, 0x5560c018580d5d52},  // 1e-48
    {0xcfb11ead453994ba, 0x67de18eda5814af2},  // 1e-32
    {0xe69594bec44de15b, 0x4c2ebe687989a9b3},  // 1e-16
    {0x8000000000000000, 0x0000000000000000},  // 1e0
    {0x8e1bc9bf04000000, 0x0000000000000000},  // 1e16
    {0x9dc5ada82b70b59d, 0xf020000000000000},  // 1e32
    {0xaf298d050e4395d6, 0x9670b12b7f410000},  // 1e48
    {0xc2781f49ffcfa6d5, 0x3cbf6b71c76b25fb},  // 1e64
    {0xd7e77a8f87daf7fb, 0xdc33745ec97be906},  // 1e80
    {0xefb3ab16c59b14a2, 0xc5cfe94ef3ea101e},  // 1e96
    {0x850fadc09923329e, 0x03e2cf6bc604ddb0},  // 1e112
    {0x93ba47c980e98cdf, 0xc66f336c36b10137},  // 1e128
    {0xa402b9c5a8d3a6e7, 0x5f16206c9c6209a6},  // 1e144
    {0xb616a12b7fe617aa, 0x577b986b314d6009},  // 1e160
    {0xca28a291859bbf93, 0x7d7b8f7503cfdcfe},  // 1e176
    {0xe070f78d3927556a, 0x85bbe253f47b1417},  // 1e192
    {0xf92e0c3537826145, 0xa7709a56ccdf8a82},  // 1e208
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f},  // 1e224
    {0x9991a6f3d6bf1765, 0xacca6da1e0a8ef29},  // 1e240
    {0xaa7eebfb9df9de8d, 0xddbb901b98feeab7},  // 1e256
    {0xbd49d14aa79dbc82, 0x4b2d8644d8a74e18},  // 1e272
    {0xd226fc195c6a2f8c, 0x73832eec6fff3111},  // 1e288
    {0xe950df20247c83fd, 0x47c6b82ef32a2069},  // 1e304
    {0x81842f29f2cce375, 0xe6a1158300d46640},  // 1e320
    {0x8fcac257558ee4e6, 0x213a4f0aa5e8a7b1},  // 1e336
    {0x9fa42700db900ad2, 0x5ebf18b6d27795ff},  // 1e352
};

// The highest 128 bits of a product.
static wide multiply(wide a, uint64_t b) { return (wide)(uint64_t)(a >> 64) * b + ((wide)(uint64_t)a * b >> 64); }

// 10^k = P 2^(returned - 127), with P from 2^127 on, too small by at most four units.
static int power_of_ten(int k, wide *P) {
  int i = (k - FIRST * STEP) / STEP, rest = (k - FIRST * STEP) % STEP;
  uint64_t ten = 1;
  while (rest-- > 0) ten *= 10;
  *P = multiply((wide)powers[i][0] << 64 | powers[i][1], ten << __builtin_clzll(ten));
  if (!(*P >> 127)) *P <<= 1;
  return (k * 1741647) >> 19;  // log2 10^k, rounded down: right for |k| < 340
}

// x = v 10^-k, v = digits + fraction/2^64.
typedef struct scaled {
  uint64_t digits, fraction;
  int k;
  bool exact;
} scaled;

static const uint64_t LEAST = 10000000000000000;  // 10^16
static const uint64_t UNSURE = 1 << 10;           // of a fraction that is not exact

static scaled scale(uint64_t m, int e) {
  int zeros = __builtin_clzll(m), top = e + 63 - zeros;  // 2^top ≤ x
  scaled v = {.k = 16 - ((top * 315653) >> 20)};         // by log10 2^top: right, or one off
  for (;;) {
    wide P;
    int shift = 126 - top - power_of_ten(v.k, &P);
    wide product = multiply(P, m << zeros);
    v.digits = (uint64_t)(product >> shift), v.fraction = (uint64_t)(product << (128 - shift) >> 64);
    if (v.digits == LEAST - 1 && v.fraction > UINT64_MAX - UNSURE)
      v.digits = LEAST, v.fraction = 0;  // a power of ten, rounded down
    if (v.digits >= LEAST && v.digits < 10 * LEAST) break;
    v.k += v.digits < LEAST ? 1 : -1;
  }
  v.exact = v.k >= 0 && v.k <= 32;  // 5^32 has 75 bits, and m has 53
  return v;
}

// --- fewer digits ----------------------------------------------------------------------------------------------------

typedef enum outcome { NO, YES, UNDECIDED } outcome;

// Rounds v to a multiple of `unit` (1, 10, 100, ...), ties to even. Returns false if a tie is too close to tell.
static bool round_to(const scaled *v, uint64_t unit, uint64_t *rounded) {
  uint64_t count = v->digits / unit, rest = v->digits % unit, half = unit / 2;
  bool above = rest > half || (rest == half && v->fraction > 0), tie = rest == half && v->fraction == 0;
  bool close = (rest == half && v->fraction < UNSURE) || (rest + 1 == half && v->fraction > UINT64_MAX - UNSURE);
  if (unit == 1) {
    const uint64_t middle = (uint64_t)1 << 63;
    above = v->fraction > middle, tie = v->fraction == middle;
    close = v->fraction > middle - UNSURE && v->fraction < middle + UNSURE;
  }
  if (close && !v->exact) return false;
  *rounded = (count + (above || (tie && count % 2))) * unit;
  return true;
}

// Whether a multiple near v is read as x: its distance from v against half the distance of x from its neighbours, in
// units of v.
static outcome comes_back(const scaled *v, uint64_t rounded, double below, double above) {
  double from = (double)(int64_t)(rounded - v->digits) - 0x1p-64 * (double)v->fraction;
  double share = fabs(from) / (from > 0 ? above : below);
  return share < 1 - 1e-9 ? YES : share > 1 + 1e-9 ? NO : UNDECIDED;
}

// --- text ------------------------------------------------------------------------------------------------------------

// As "%.*g" prints `digits` digits of a number d.ddd 10^exponent: `number` holds them all.
static size_t lay_out(char *text, bool negative, uint64_t number, int digits, int exponent) {
  char d[20], *to = text;
  int count = digits;
  uint32_t low = (uint32_t)(number % 100000000), high = (uint32_t)(number / 100000000);  // divided the quick way
  for (int i = digits - 1; i >= digits - 8 && i >= 0; i--) d[i] = (char)('0' + low % 10), low /= 10;
  for (int i = digits - 9; i >= 0; i--) d[i] = (char)('0' + high % 10), high /= 10;
  while (count > 1 && d[count - 1] == '0') count--;
  if (negative) *to++ = '-';
  if (exponent < -4 || exponent >= digits) {
    *to++ = d[0];
    if (count > 1) *to++ = '.', memcpy(to, d + 1, (size_t)count - 1), to += count - 1;
    int size = exponent < 0 ? -exponent : exponent;
    *to++ = 'e', *to++ = exponent < 0 ? '-' : '+';
    if (size >= 100) *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10), *to++ = (char)('0' + size % 10);
  } else if (exponent < 0) {
    *to++ = '0', *to++ = '.';
    for (int i = -1; i > exponent; i--) *to++ = '0';
    memcpy(to, d, (size_t)count), to += count;
  } else {
    int whole = exponent + 1;
    memcpy(to, d, (size_t)(count < whole ? count : whole)), to += count < whole ? count : whole;
    for (int i = count; i < whole; i++) *to++ = '0';
    if (count > whole) *to++ = '.', memcpy(to, d + whole, (size_t)(count - whole)), to += count - whole;
  }
  return (size_t)(to - text);
}

static size_t print_slowly(char *text, double x, bool single) {
  int length = 0, most = single ? 9 : 17;
  for (int digits = single ? 6 : 15; digits <= most; digits++) {
    length = snprintf(text, DECIMAL_SIZE, "%.*g", digits, x);
    if (digits < most && (single ? (double)strtof(text, NULL) : strtod(text, NULL)) == x) break;
  }
  return (size_t)length;
}

// A finite number |x| = m 2^e, and the exponent of the last bit that it has in its precision.
typedef struct binary {
  uint64_t m;
  int e, last;
  bool is_power;  // of two, with neighbours below that are half as far as those above
} binary;

static binary take_apart(double x, bool single) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52 & 2047);
  uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  binary b = {.m = fraction | (uint64_t)(exponent > 0) << 52, .e = (exponent > 0 ? exponent : 1) - 1075};
  int least = single ? FLT_MIN_EXP - FLT_MANT_DIG : DBL_MIN_EXP - DBL_MANT_DIG;
  b.last = single ? b.e + 63 - __builtin_clzll(b.m) - (FLT_MANT_DIG - 1) : b.e;
  if (b.last < least) b.last = least;
  b.is_power = fraction == 0 && b.last > least;
  return b;
}

size_t decimal_print(char text[DECIMAL_SIZE], double x, bool single) {
  if (x == 0) return signbit(x) ? (memcpy(text, "-0", 2), 2) : (text[0] = '0', 1);
  int most = single ? 9 : 17;
  bool is_known = !single || (double)(float)x == x;  // in this precision
  const binary b = take_apart(x, single);
  const scaled v = scale(b.m, b.e);
  double above = 0.5 * (double)v.digits / (double)b.m;  // half a unit of the last bit in units of v
  if (b.last != b.e) above = ldexp(above, b.last - b.e);
  double below = b.is_power ? 0.5 * above : above;
  uint64_t unit = single ? 100000000000 : 100, rounded;  // for 6 and 15 digits
  for (int digits = single ? 6 : 15; digits <= most; digits++, unit /= 10) {
    if (!round_to(&v, unit, &rounded)) return print_slowly(text, x, single);
    outcome back = digits == most ? YES : is_known ? comes_back(&v, rounded, below, above) : NO;
    if (back == UNDECIDED) return print_slowly(text, x, single);
    if (back == NO) continue;
    bool carried = rounded == 10 * LEAST;
    return lay_out(text, x < 0, carried ? rounded / unit / 10 : rounded / unit, digits, 16 - v.k + carried);
  }
  return 0;
}
