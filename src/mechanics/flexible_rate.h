// How fast the modes of flexible bodies oscillate in the mechanism, and how far bodies are bent.
#ifndef MECHANICS_FLEXIBLE_RATE_H
#define MECHANICS_FLEXIBLE_RATE_H

#include "mechanics/mechanism.h"

// The fastest motion of the modes, and the modal coordinate that has most of it.
typedef struct flexible_fastest {
  double omega;    // frequency without damping; 0: no body is flexible [rad/s]
  double rate;     // largest |λ| of λ² + 2 ζ ω λ + ω² = 0, with the damping ratio ζ of this motion [1/s]
  int body, mode;  // the mode from 0 on
} flexible_fastest;

// At the present position, with joints free and drives held. Constraints are left out: they make no motion faster.
// Returns false if the mass matrix is singular.
bool flexible_find_fastest(const mechanism *m, motion *x, arena *scratch, flexible_fastest *to);

// The largest turn of a place of the node's body by its modal coordinates [rad].
double flexible_largest_turn(const node *n, const double *q);

#endif
