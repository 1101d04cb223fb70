// The basis of the fields of second-order displacements (floating.h). Any orthogonal basis of fields of unit mass gives
// the same displacements. Fields that all move along one axis, as those of a beam do, are turned so that as few of them
// as possible couple with the rigid motion and the modes: those behind them add to the kinetic energy by their own
// coordinates alone. A beam that bends along two axes in ten modes has fourteen fields, of which seven couple: with
// displacements along the beam, turns, and as many shapes as there are along one axis.
#ifndef FLEX_FIELD_BASIS_H
#define FLEX_FIELD_BASIS_H

#include "flex/invariants.h"

typedef struct field_basis {
  int fields;
  int coupled;   // the first fields; each of the others has an integral with itself alone
  int axis;      // along which all fields move; -1: there is none, and fields are not turned
  double *row;   // fields²: each as a sum of the given ones; zero for a field without mass
  double *size;  // √∫ψ² dm of those
} field_basis;

// `of` has the integrals of modes and of the given fields, which are orthogonal in the mass.
field_basis field_basis_find(arena *memory, const flex_inertia *of, int modes);
// Integrals become those in this basis.
void field_basis_turn(arena *scratch, const field_basis *to, int modes, flex_inertia *of);
// Likewise vectors of `width` numbers, one for each field: displacements at a place.
void field_basis_sum(const field_basis *to, int width, const double *given, double *sums);
// S_k, modes² numbers for each field.
double *field_basis_squares(arena *memory, const field_basis *to, int modes, const double *given);

#endif
