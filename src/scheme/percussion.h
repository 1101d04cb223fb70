// What a percussion does at one contact, for the books of every scheme with rigid contact: ½ (γ⁺ + γ⁻)ᵀ P is what it
// takes from the motion, normal to the surface and along it.
#ifndef SCHEME_PERCUSSION_H
#define SCHEME_PERCUSSION_H

#include <math.h>

#include "ledger/impact.h"

typedef struct percussion {
  double tangential;  // |P_T| [N·s]
  double slip;        // after it [m/s]
  double loss_normal, loss_tangential;
} percussion;

static inline double percussion_length(int n, const double *v) {
  return n == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]);
}

// Of a contact with `rows` rows: P, and their rates before and after.
static inline percussion percussion_of(int rows, const double *P, const double *before, const double *after) {
  percussion c = {.loss_normal = -0.5 * (before[0] + after[0]) * P[0]};
  for (int i = 1; i < rows; i++) c.loss_tangential -= 0.5 * (before[i] + after[i]) * P[i];
  if (rows > 1) c.slip = percussion_length(rows - 1, after + 1), c.tangential = percussion_length(rows - 1, P + 1);
  return c;
}

// In its row of the ledger, in which the scheme fills in times, gap, restitution and which slip is none.
static inline void percussion_write(const percussion *c, const double *P, const double *before, const double *after,
                                    impact_step *step) {
  step->speed_before = before[0], step->speed_after = after[0];
  step->impulse_normal = P[0], step->impulse_tangential = c->tangential;
  step->loss_normal = c->loss_normal, step->loss_tangential = c->loss_tangential;
  step->slip = c->slip;
}

#endif
