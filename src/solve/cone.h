// Projections onto the sets of the blocks, and the natural map built on them.
//
// With de Saxcé's correction û = u + (μ|u_T|, 0, 0) Coulomb's law reads K* ∋ û ⊥ r ∈ K, K the friction cone; so r is
// a solution where r = P_K(r − û), for any positive factor before û. The other blocks have û = u and sets of their
// own.
#ifndef SOLVE_CONE_H
#define SOLVE_CONE_H

#include <math.h>

#include "solve/problem.h"

static inline double clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

// x := the nearest point of {|x_T| ≤ μ x_N}, size 2 or 3.
static inline void cone_project(int size, double mu, double *x) {
  double t = size == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
  if (t <= mu * x[0]) return;                       // inside
  double along = (x[0] + mu * t) / (1 + mu * mu);   // normal part of the foot on the edge
  if (!(along > 0)) along = 0;                      // in the polar cone: the apex
  x[0] = along;
  if (size == 2) {
    x[1] = copysign(mu * along, x[1]);
  } else {
    double scale = t > 0 ? mu * along / t : 0;
    x[1] *= scale, x[2] *= scale;
  }
}

static inline void natural_friction(int size, double mu, const double *r, const double *u, double rho, double *F) {
  double slip = size == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  double x[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], size == 3 ? r[2] - rho * u[2] : 0};
  cone_project(size, mu, x);
  for (int k = 0; k < size; k++) F[k] = r[k] - x[k];
}

// F := r − P(r − ρ û): zero where the rows of a block are solved.
static inline void natural_map(const solve_block *b, const double *r, const double *u, double rho, double *F) {
  switch (b->kind) {
    case BLOCK_BILATERAL:
      for (int k = 0; k < b->size; k++) F[k] = rho * u[k];
      return;
    case BLOCK_UNILATERAL: F[0] = r[0] < rho * u[0] ? r[0] : rho * u[0]; return;
    case BLOCK_BOX: F[0] = r[0] - clamp(r[0] - rho * u[0], b->lo, b->hi); return;
    case BLOCK_PLANE: natural_friction(2, b->mu, r, u, rho, F); return;
    case BLOCK_SPACE: natural_friction(3, b->mu, r, u, rho, F); return;
  }
}

#endif
