// Functions of one variable from points: straight lines, or cubics between the points. Held beyond the ends. Const and
// thread-safe.
#ifndef TEXT_CURVE_H
#define TEXT_CURVE_H

#include "base/arena.h"
#include "text/expr.h"

typedef enum curve_kind {
  CURVE_LINEAR,    // straight lines
  CURVE_MONOTONE,  // cubics that rise and fall only where the points do; no jump in slope, and level at both ends
  CURVE_NATURAL,   // cubic spline without curvature at both ends: no jump in slope and curvature between the ends
  CURVE_CLAMPED,   // cubic spline with given slopes at both ends
} curve_kind;

typedef struct curve {
  int count;        // of points, two or more
  const double *x;  // ascending
  const double *c;  // four per piece: y = c0 + c1 s + c2 s² + c3 s³ with s = x - x[i]; behind them the last y
} curve;

// From `count` points with ascending x; `slopes` at both ends are those of a clamped one, else not read. Allocates from
// the arena.
const curve *curve_create(arena *memory, curve_kind kind, int count, const double *x, const double *y,
                          const double slopes[2]);
double curve_value(const curve *c, double x);
// On the side where x is going.
jet curve_jet(const curve *c, jet x);
// The piece around x on the side where x is going: -1 before the first point, count - 1 behind the last.
int curve_piece(const curve *c, double x, double going);

#endif
