// Projections onto the sets of the blocks, and the natural map built on them.
//
// With de Saxcé's correction û = u + (μ|u_T|, 0, 0) Coulomb's law reads K* ∋ û ⊥ r ∈ K, K the friction cone; so r is
// a solution where r = P_K(r − û), for any positive factor before û. The other blocks have û = u and sets of their
// own.
#ifndef SOLVE_CONE_H
#define SOLVE_CONE_H

#include <math.h>

#include "solve/polygon.h"
#include "solve/problem.h"

static inline double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

// The least t > from with |(x, y) + t (dx, dy)| = μ (n + t e): where a percussion meets the edge of its cone on a
// straight way. Infinite if it does not.
static inline double cone_edge(double mu, const double *r, const double *d, int size, double from) {
  double y = size == 3 ? r[2] : 0, dy = size == 3 ? d[2] : 0;
  double a = d[1] * d[1] + dy * dy - mu * mu * d[0] * d[0], b = r[1] * d[1] + y * dy - mu * mu * r[0] * d[0];
  double inside = mu * mu * r[0] * r[0] - r[1] * r[1] - y * y, root = b * b + a * inside;  // a t² + 2 b t = inside
  if (root < 0) return INFINITY;
  double s = inside / (b + sqrt(root)), t = inside / (b - sqrt(root));
  return fmin(s > from ? s : INFINITY, t > from ? t : INFINITY);
}

// F := r − P_K(x) with x = r − ρ û, size 2 or 3. With x inside the cone this is ρ û, and with x beyond the edge ρ û
// plus the way from the foot on the edge to x. It is never written as a difference of r and P_K(x): where r is large,
// rounding makes these equal whatever the velocity is.
static inline void natural_friction(int size, double mu, const double *r, const double *u, double rho, double *F) {
  double slip = size == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  double v = rho * (u[0] + mu * slip), v1 = rho * u[1], v2 = size == 3 ? rho * u[2] : 0;
  double x = r[0] - v, x1 = r[1] - v1, x2 = size == 3 ? r[2] - v2 : 0;
  double t = size == 2 ? fabs(x1) : sqrt(x1 * x1 + x2 * x2);
  if (t > mu * x) {
    if (!(x + mu * t > 0)) {  // in the polar cone: the foot is the apex
      for (int k = 0; k < size; k++) F[k] = r[k];
      return;
    }
    double beyond = (t - mu * x) / (1 + mu * mu), scale = beyond / t;
    v -= mu * beyond, v1 += scale * x1, v2 += scale * x2;
  }
  F[0] = v, F[1] = v1;
  if (size == 3) F[2] = v2;
}

// F := r − P(r − ρ u) with P onto a disc, size 1 or 2, written as above.
static inline void natural_disc(int size, double radius, const double *r, const double *u, double rho, double *F) {
  double x[2] = {r[0] - rho * u[0], size == 2 ? r[1] - rho * u[1] : 0},
         length = size == 2 ? sqrt(x[0] * x[0] + x[1] * x[1]) : fabs(x[0]);
  double beyond = length > radius ? (length - radius) / length : 0;
  for (int k = 0; k < size; k++) F[k] = rho * u[k] + beyond * x[k];
}

// Rolling blocks: the contact, and the discs that its normal percussion gives. Each group of rows has its own factor ρ.
static inline void natural_rolling(const solve_block *b, const double *r, const double *u, const double *rho,
                                   double *F) {
  block_turn turn[BLOCK_TURNS_MAX];
  natural_friction(block_sliding_rows(b), b->mu, r, u, rho[0], F);
  for (int k = 0, count = block_turns(b, turn); k < count; k++) {
    int i = turn[k].row;
    natural_disc(turn[k].size, turn[k].length * (r[0] > 0 ? r[0] : 0), r + i, u + i, rho[i], F + i);
  }
}

// Polygons: the normal row as of a unilateral one, and the polygon that its percussion gives.
static inline void natural_polygon(const solve_block *b, const double *r, const double *u, double rho, double *F) {
  double radius = b->mu * (r[0] > 0 ? r[0] : 0), x[2] = {r[1] - rho * u[1], r[2] - rho * u[2]}, beyond[2];
  polygon_beyond((int)b->directions, radius, x, beyond);
  F[0] = r[0] < rho * u[0] ? r[0] : rho * u[0];
  for (int k = 0; k < 2; k++) F[k + 1] = rho * u[k + 1] + beyond[k];
}

// F := r − P(r − ρ u) with P onto [lo, hi], as a bound of ρ u: r − lo and r − hi are exact where they matter. A NaN in
// r goes into F.
static inline double natural_box(double lo, double hi, double r, double v) {
  if (!(v >= r - hi)) v = r - hi;
  return v <= r - lo ? v : r - lo;
}

// F := r − P(r − ρ û): zero where the rows of a block are solved.
static inline void natural_map(const solve_block *b, const double *r, const double *u, double rho, double *F) {
  switch (b->kind) {
    case BLOCK_BILATERAL:
      for (int k = 0; k < b->size; k++) F[k] = rho * u[k];
      return;
    case BLOCK_UNILATERAL: F[0] = r[0] < rho * u[0] ? r[0] : rho * u[0]; return;
    case BLOCK_BOX: F[0] = natural_box(b->lo, b->hi, r[0], rho * u[0]); return;
    case BLOCK_PLANE: natural_friction(2, b->mu, r, u, rho, F); return;
    case BLOCK_SPACE: natural_friction(3, b->mu, r, u, rho, F); return;
    case BLOCK_POLYGON: natural_polygon(b, r, u, rho, F); return;
    case BLOCK_ROLLING_PLANE:
    case BLOCK_ROLLING_SPACE: natural_rolling(b, r, u, (const double[]){rho, rho, rho, rho, rho, rho}, F); return;
  }
}

// --- percussions within their sets -----------------------------------------------------------------------------------

// Sweeps find the edge of a cone to about this part of the friction there, and are left as they are.
#define CONE_EDGE 1e-12

static inline bool shorten_to(double most, int size, double *r) {
  double t = size == 1 ? fabs(r[0]) : sqrt(r[0] * r[0] + r[1] * r[1]);
  if (!(t > (1 + CONE_EDGE) * most)) return false;
  for (int k = 0; k < size; k++) r[k] *= most / t;
  return true;
}

static inline bool shorten_to_polygon(const solve_block *b, double *r) {
  double most = b->mu * r[0], reach = polygon_reach((int)b->directions, r + 1);
  if (!(reach > (1 + CONE_EDGE) * most)) return false;
  for (int k = 1; k < 3; k++) r[k] *= most / reach;
  return true;
}

static inline bool shorten(const solve_block *b, double *r) {
  if (b->kind == BLOCK_POLYGON) return shorten_to_polygon(b, r);
  bool changed = shorten_to(b->mu * r[0], block_sliding_rows(b) - 1, r + 1);
  if (!block_rolls(b)) return changed;
  block_turn turn[BLOCK_TURNS_MAX];
  for (int k = 0, count = block_turns(b, turn); k < count; k++)
    changed |= shorten_to(turn[k].length * r[0], turn[k].size, r + turn[k].row);
  return changed;
}

// Moves the percussions of a block into their set if they are outside: those that pull become zero, friction beyond its
// limit by more than CONE_EDGE is shortened to it. Returns whether it has changed them.
static inline bool put_inside(const solve_block *b, double *r) {
  if (b->kind == BLOCK_BILATERAL) return false;
  if (b->kind == BLOCK_BOX) {
    double before = r[0];
    r[0] = clamp(r[0], b->lo, b->hi);
    return r[0] != before;
  }
  if (r[0] < 0) {
    for (int k = 0; k < b->size; k++) r[k] = 0;
    return true;
  }
  return b->kind != BLOCK_UNILATERAL && shorten(b, r);
}

// Methods that pivot or take Newton's steps meet their inequalities only to the tolerance. A scheme applies what it is
// given, so the judge sees what is inside. Returns whether anything has changed.
static inline bool put_all_inside(const solve_problem *p, double *r) {
  bool changed = false;
  for (int b = 0; b < p->block_count; b++) changed |= put_inside(&p->blocks[b], r + p->blocks[b].row);
  return changed;
}

#endif
