// How fast the modes of flexible bodies oscillate in the mechanism, and how far bodies are bent.
#ifndef MECHANICS_FLEXIBLE_RATE_H
#define MECHANICS_FLEXIBLE_RATE_H

#include <math.h>

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

// How far a body is deformed by its modal coordinates, where it is most. The theory is for small deformations: turns
// and strains above the limits are a warning.
typedef struct flexible_deformation {
  double turn;    // [rad]
  double strain;  // principal strain; of a beam at the outer fibre of a rectangular section [-]
} flexible_deformation;
#define FLEXIBLE_TURN_LIMIT   (10 * M_PI / 180)
#define FLEXIBLE_STRAIN_LIMIT 0.02
flexible_deformation flexible_largest_deformation(const node *n, const double *q);

#endif
