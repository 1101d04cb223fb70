// How a body of finite elements deforms under static loads. Some freedoms may be held. If the body can still move
// without strain, each load is balanced by inertia forces of that motion (inertia relief), and the deformation has no
// part of it: rᵀ M x = 0 for every motion r without strain.
//
//   x = A f,  A = Pᵀ K⁺ P,  P = 1 - Σ M r rᵀ  with rᵀ M r = 1
//
// K⁺ is the inverse over what remains when a few freedoms more are held, just enough to support the body; the balanced
// load makes no reaction there.
#ifndef FLEX_FLEXIBILITY_H
#define FLEX_FLEXIBILITY_H

#include "flex/elements.h"

// Up to so many freedoms matrices are dense, unless they are imported: their mass matrix may be singular.
enum { FLEXIBILITY_DENSE = 300 };

typedef struct flexibility {
  const flex_elements *e;
  int free_count;  // freedoms that are not held, and which
  int *free;
  int *place;        // of each freedom in `free`; -1 if it is held
  int rigid_count;   // motions without strain that are left
  double *rigid;     // one row of free_count numbers each, rᵀ M r' = 0 or 1
  double *momentum;  // M r, likewise
  int solved_count;  // free freedoms that are not needed as support, and which of `free` they are
  int *solved;
  double *factor;           // K = L Lᵀ over these, of small bodies; null of larger ones
  symmetric_factor sparse;  // of larger bodies
} flexibility;

// `held` has a flag per freedom; null if none is held. Returns false if mass or stiffness is not positive definite: an
// element without a size, a modulus that is not positive, or parts that are not joined.
bool flexibility_create(arena *memory, const flex_elements *e, const bool *held, flexibility *to);
// The dense factor of K, whatever the size; not of imported bodies. Returns false if K is not positive definite.
bool flexibility_make_dense(arena *memory, flexibility *a);
// x = A f, both over all freedoms; x is 0 where they are held. `scratch` is given back.
void flexibility_apply(arena *scratch, const flexibility *a, const double *f, double *x);

// f := f - Σ M r rᵀ f: balanced by inertia forces; over all freedoms.
void flexibility_balance(const flexibility *a, double *f);
// x := x - Σ r rᵀ M x, over all freedoms.
void flexibility_remove_rigid(const flexibility *a, double *x);

#endif
