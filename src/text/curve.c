#include "text/curve.h"

#include <math.h>

// A cubic between two points by the slopes at both.
static void set_piece(double *c, double h, double y0, double y1, double d0, double d1) {
  double slope = (y1 - y0) / h;
  c[0] = y0, c[1] = d0, c[2] = (3 * slope - 2 * d0 - d1) / h, c[3] = (d0 + d1 - 2 * slope) / (h * h);
}

static double slope_of(const double *x, const double *y, int i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); }

// Slopes at inner points: none where the chords turn round, else their weighted harmonic mean, which is at most three
// times the smaller one, so that the cubics are monotone (Fritsch and Butland 1984).
static void monotone_slopes(int n, const double *x, const double *y, double *d) {
  d[0] = d[n - 1] = 0;
  for (int i = 1; i < n - 1; i++) {
    double a = slope_of(x, y, i - 1), b = slope_of(x, y, i), h = x[i] - x[i - 1], k = x[i + 1] - x[i];
    d[i] = a * b <= 0 ? 0 : 3 * (h + k) / ((2 * k + h) / a + (k + 2 * h) / b);
  }
}

// Continuous curvature at the inner points: with the slopes d, the chords m and the distances h,
//   h_i d_{i-1} + 2 (h_{i-1} + h_i) d_i + h_{i-1} d_{i+1} = 3 (h_i m_{i-1} + h_{i-1} m_i);
// at a natural end 2 d_0 + d_1 = 3 m_0. A tridiagonal system, diagonally dominant: eliminated without pivoting.
static void spline_slopes(int n, const double *x, const double *y, const double *ends, double *d, double *upper) {
  double first = ends ? 1 : 2;
  upper[0] = ends ? 0 : 1 / first;
  d[0] = ends ? ends[0] : 3 * slope_of(x, y, 0) / first;
  for (int i = 1; i < n; i++) {
    bool last = i == n - 1;
    double h = x[i] - x[i - 1], k = last ? 0 : x[i + 1] - x[i];
    double below = last ? (ends ? 0 : 1) : k, diagonal = last ? (ends ? 1 : 2) : 2 * (h + k), above = last ? 0 : h;
    double right =
        last ? (ends ? ends[1] : 3 * slope_of(x, y, i - 1)) : 3 * (k * slope_of(x, y, i - 1) + h * slope_of(x, y, i));
    double pivot = diagonal - below * upper[i - 1];
    upper[i] = above / pivot;
    d[i] = (right - below * d[i - 1]) / pivot;
  }
  for (int i = n - 2; i >= 0; i--) d[i] -= upper[i] * d[i + 1];
}

const curve *curve_create(arena *memory, curve_kind kind, int count, const double *x, const double *y,
                          const double slopes[2]) {
  curve *to = ARENA_NEW(memory, curve);
  double *own = ARENA_ARRAY(memory, double, count), *c = ARENA_ARRAY(memory, double, 4 * (count - 1) + 1);
  double *d = ARENA_ARRAY(memory, double, count), *work = ARENA_ARRAY(memory, double, count);
  for (int i = 0; i < count; i++) own[i] = x[i];
  if (kind == CURVE_MONOTONE) monotone_slopes(count, x, y, d);
  else if (kind != CURVE_LINEAR) spline_slopes(count, x, y, kind == CURVE_CLAMPED ? slopes : NULL, d, work);
  for (int i = 0; i < count - 1; i++) {
    if (kind == CURVE_LINEAR) c[4 * i] = y[i], c[4 * i + 1] = slope_of(x, y, i);
    else set_piece(c + 4 * i, x[i + 1] - x[i], y[i], y[i + 1], d[i], d[i + 1]);
  }
  c[4 * (count - 1)] = y[count - 1];
  *to = (curve){count, own, c};
  return to;
}

int curve_piece(const curve *c, double x, double going) {
  int low = 0, high = c->count - 1;
  if (x < c->x[0] || (x == c->x[0] && going < 0)) return -1;
  if (x > c->x[high] || (x == c->x[high] && going >= 0)) return high;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (c->x[middle] <= x) low = middle;
    else high = middle;
  }
  return x == c->x[low] && going < 0 ? low - 1 : low;
}

static double beyond(const curve *c, int piece) { return c->c[piece < 0 ? 0 : 4 * piece]; }

double curve_value(const curve *c, double x) {
  int piece = curve_piece(c, x, 0);
  if (piece < 0 || piece == c->count - 1) return beyond(c, piece);
  const double *k = c->c + 4 * piece, s = x - c->x[piece];
  return k[0] + s * (k[1] + s * (k[2] + s * k[3]));
}

jet curve_jet(const curve *c, jet x) {
  int piece = curve_piece(c, x.v, x.d != 0 ? x.d : x.dd);
  if (piece < 0 || piece == c->count - 1) return (jet){beyond(c, piece), 0, 0};
  const double *k = c->c + 4 * piece, s = x.v - c->x[piece];
  double f = k[0] + s * (k[1] + s * (k[2] + s * k[3])), f1 = k[1] + s * (2 * k[2] + 3 * s * k[3]),
         f2 = 2 * k[2] + 6 * s * k[3];
  return (jet){f, f1 * x.d, f2 * x.d * x.d + f1 * x.dd};
}
