// Shapes in which a body of finite elements deforms: eigenmodes, those of Craig and Bampton, and bases of given shapes.
//
// The result of each function is a basis of modes with unit modal mass and no coupling, ordered by frequency. A rule
// makes signs and the basis within equal frequencies (relative difference below 1e-8) unique: the first mode is the one
// that moves most at the freedom where any combination of them can move most, in its positive direction; the others do
// not move there, and follow the same rule among themselves. Turns of nodes count only where no node is displaced. Of
// freedoms that move equally up to 1e-6 the first counts.
#ifndef FLEX_MODES_H
#define FLEX_MODES_H

#include "flex/flexibility.h"

typedef struct flex_modes {
  int count;
  double *phi;    // one row of freedom_count numbers per mode, φᵀ M φ = 1, φᵀ K φ = ω²
  double *omega;  // [rad/s]
} flex_modes;

// The first `count` eigenmodes, without motions that have no strain. Fewer if the body has fewer. Returns false if the
// mass matrix is not positive definite or the eigenvalues do not converge.
bool modes_eigen(arena *memory, const flexibility *a, int count, flex_modes *to);

// The basis that spans the given shapes (rows of freedom_count numbers). Shapes without strain, and those that depend
// on others, are left out: a shape whose strain energy is less than 1e-14 of its own beyond the shapes before it.
// Returns false if the eigenvalues do not converge.
bool modes_of_shapes(arena *memory, const flex_elements *e, int count, const double *shapes, flex_modes *to);

// Craig and Bampton: `interface` (a flag per freedom) says where the body is joined to others. Eigenmodes with these
// held, and one shape per freedom of the interface that moves it by one and holds the others. `a` says what else is
// held, and which motions without strain are removed.
bool modes_craig_bampton(arena *memory, const flexibility *a, const bool *interface, int eigen_count, flex_modes *to);

#endif
