// Friction in space with a polygonal cone (paper 002, (20) to (23)): r_T is in the regular polygon with the corners μ
// r_N d_i,
//
//   d_i = (cos 2πi/k, sin 2πi/k),   i = 0 … k − 1,   k even,
//
// at the place where r_T · u_T is least: at the corner against the slip, anywhere on a side that is perpendicular to
// it, and anywhere if nothing slips. With r_T = Σ β_i d_i this is linear complementarity (friction_lcp.h).
#ifndef SOLVE_POLYGON_H
#define SOLVE_POLYGON_H

#include <math.h>
#include <stdbool.h>

#include "math/circle.h"
#include "solve/cone_contact.h"

enum { POLYGON_LEAST = 4, POLYGON_MOST = 64 };

static inline bool polygon_valid(double directions) {
  return directions >= POLYGON_LEAST && directions <= POLYGON_MOST && directions == 2 * floor(directions / 2);
}

// Direction i of so many.
static inline void polygon_direction(int count, int i, double d[2]) {
  circle at = circle_at(2 * M_PI * i / count);
  d[0] = at.c, d[1] = at.s;
}

// The inner radius of a polygon whose corners are at radius one.
static inline double polygon_inner(int count) { return cos(M_PI / count); }

// The outward normal of the side that a ray along x meets, and how far x is along it: by symmetry the point of the
// polygon nearest to x is on this side. The angle of x names it or, by rounding, one beside it; of sides that are
// equally far the first counts. Numbers that are not finite have no angle.
static inline double polygon_side(int count, const double x[2], double n[2]) {
  bool finite = isfinite(x[0] + x[1]);
  int first = finite ? (int)floor(count * atan2(x[1], x[0]) / (2 * M_PI)) - 1 + count : 0, best = 0;
  double most = -INFINITY;
  for (int k = 0; k < (finite ? 3 : count); k++) {
    int i = (first + k) % count;
    double d[2];
    polygon_direction(2 * count, 2 * i + 1, d);
    double along = d[0] * x[0] + d[1] * x[1];
    if (along > most || (along == most && i < best)) most = along, best = i, n[0] = d[0], n[1] = d[1];
  }
  return most;
}

// The radius of the polygon on whose border x is.
static inline double polygon_reach(int count, const double x[2]) {
  double n[2];
  return polygon_side(count, x, n) / polygon_inner(count);
}

// The place of a polygon nearest to x: x itself inside, else a corner or a point of a side.
typedef struct polygon_place {
  bool inside, corner;
  double n[2];          // normal of the side,
  double inner;         // and its distance over the radius
  double direction[2];  // of the corner
  double out, over;     // how far x is from the side along n, and past its end along the side
} polygon_place;

static inline polygon_place polygon_nearest(int count, double radius, const double x[2]) {
  polygon_place at = {.n = {1, 0}, .inner = polygon_inner(count)};
  at.out = polygon_side(count, x, at.n) - radius * at.inner;
  double along = at.n[0] * x[1] - at.n[1] * x[0], part = sin(M_PI / count), half = radius * part,
         end = along > 0 ? part : -part;
  at.inside = at.out <= 0;
  at.corner = fabs(along) > half;
  at.over = at.corner ? along - radius * end : 0;
  at.direction[0] = at.inner * at.n[0] - end * at.n[1], at.direction[1] = at.inner * at.n[1] + end * at.n[0];
  return at;
}

// x less the nearest point of the polygon; zero inside. A number that is not finite goes into it.
static inline void polygon_beyond(int count, double radius, const double x[2], double beyond[2]) {
  polygon_place at = polygon_nearest(count, radius, x);
  double out = isfinite(x[0] + x[1]) ? at.out : NAN;
  beyond[0] = at.inside ? 0 : out * at.n[0] - at.over * at.n[1];
  beyond[1] = at.inside ? 0 : out * at.n[1] + at.over * at.n[0];
}

// --- one contact alone -----------------------------------------------------------------------------------------------

// How much a percussion at a corner, or on the side behind it, is against what it has to fulfil; r is written.
static inline double polygon_try_corner(const cone_contact *c, int count, int i, double mu, const double *q,
                                        double *r) {
  double d[2], before[2], behind[2], u[2];
  polygon_direction(count, i, d);
  double response = c->D[0] + mu * (c->D[1] * d[0] + c->D[2] * d[1]);
  if (!(response > 0)) return INFINITY;
  r[0] = -q[0] / response, r[1] = mu * r[0] * d[0], r[2] = mu * r[0] * d[1];
  for (int k = 0; k < 2; k++)
    u[k] = q[k + 1] + c->D[3 * k + 3] * r[0] + c->D[3 * k + 4] * r[1] + c->D[3 * k + 5] * r[2];
  polygon_direction(count, i - 1, before);
  polygon_direction(count, i + 1, behind);
  double own = u[0] * d[0] + u[1] * d[1];
  return fmax(0, fmax(own - u[0] * before[0] - u[1] * before[1], own - u[0] * behind[0] - u[1] * behind[1]));
}

// r_T = μ r_N m + p e with m the middle of the side and e along it: u_N = 0 and e · u_T = 0 are two equations for r_N
// and p.
static inline double polygon_try_side(const cone_contact *c, int count, int i, double mu, const double *q, double *r) {
  double a[2], b[2], u[2];
  const double *D = c->D;
  polygon_direction(count, i, a);
  polygon_direction(count, i + 1, b);
  double m[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])}, e[2] = {0.5 * (b[0] - a[0]), 0.5 * (b[1] - a[1])};
  double N0 = D[0] + mu * (D[1] * m[0] + D[2] * m[1]), N1 = D[1] * e[0] + D[2] * e[1];
  double T0 = e[0] * (D[3] + mu * (D[4] * m[0] + D[5] * m[1])) + e[1] * (D[6] + mu * (D[7] * m[0] + D[8] * m[1]));
  double T1 = e[0] * (D[4] * e[0] + D[5] * e[1]) + e[1] * (D[7] * e[0] + D[8] * e[1]);
  double det = N0 * T1 - N1 * T0, qT = e[0] * q[1] + e[1] * q[2];
  if (!(det > 0)) return INFINITY;
  double normal = (-q[0] * T1 + N1 * qT) / det, p = (-N0 * qT + T0 * q[0]) / det;
  if (!(normal > 0)) return INFINITY;
  r[0] = normal;
  for (int k = 0; k < 2; k++) r[k + 1] = mu * normal * m[k] + p * e[k];
  for (int k = 0; k < 2; k++) u[k] = q[k + 1] + D[3 * k + 3] * r[0] + D[3 * k + 4] * r[1] + D[3 * k + 5] * r[2];
  double outside = fmax(0, fabs(p) - mu * normal) * T1, pushed = fmax(0, u[0] * m[0] + u[1] * m[1]);
  return fmax(outside, pushed);
}

// u = D r + q of one contact, r in its polygon: sticking, else the corner or the side that fits, or fits best by
// rounding.
static inline void polygon_contact_solve(const cone_contact *c, int count, double mu, const double *q, double *r) {
  r[0] = r[1] = r[2] = 0;
  if (q[0] >= 0 || c->inverse == 0) return;
  if (mu == 0) {
    r[0] = -q[0] * c->inverse;
    return;
  }
  double b[2] = {q[1] - c->D[3] * q[0] * c->inverse, q[2] - c->D[6] * q[0] * c->inverse}, trial[3], least = INFINITY;
  cone_contact_at(c, q, b, 0, trial);
  bool fits = trial[0] > 0 && polygon_reach(count, trial + 1) <= mu * trial[0];
  if (fits) least = 0;
  for (int k = 0; k < 3 && fits; k++) r[k] = trial[k];
  for (int i = 0; i < 2 * count && least > 0; i++) {
    double wrong =
        i < count ? polygon_try_corner(c, count, i, mu, q, trial) : polygon_try_side(c, count, i - count, mu, q, trial);
    if (!(wrong < least)) continue;
    least = wrong;
    for (int k = 0; k < 3; k++) r[k] = trial[k];
  }
}

#endif
