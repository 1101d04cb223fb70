// The basis in which a body of finite elements deforms: eigenmodes, and the static deformations under loads at the
// places where something acts on it.
//
// A static load is balanced as it is in the mechanism: where a joint carries the body, by a force and a torque there,
// so that the deformation is that of the body clamped at this place; where nothing carries it, by the inertia forces
// of its rigid motion (inertia relief). A basis that contains this deformation gives the displacement under the load
// exactly, whatever the eigenmodes are.
#ifndef FLEX_REDUCTION_H
#define FLEX_REDUCTION_H

#include "flex/interface.h"
#include "flex/modes.h"

typedef struct reduction {
  const flex_elements *e;
  flexibility eigen;  // with the support of the eigenmodes
  flexibility loads;  // without a support, where the eigenmodes have none or nothing carries the body
  bool is_clamped;    // the eigenmodes have a support
  bool is_carried;    // by a joint
  flex_place frame;   // where the axes of the body are; there a joint carries it
} reduction;

// `held`: a flag per freedom, all those of `frame`, for eigenmodes of the body that is clamped there; null for modes of
// the free body. Returns false if mass or stiffness is not positive definite.
bool reduction_create(arena *memory, const flex_elements *e, const bool *held, const flex_place *frame, bool is_carried,
                      reduction *to);

// The static deformation x under a load, both over all freedoms, seen as the eigenmodes are: zero at their support, or
// without momentum. `scratch` is given back.
void reduction_deform(arena *scratch, const reduction *r, const double *load, double *x);

// Static deformations under pressure on an interface, compressed: pressures p with ∫ p² = 1 that are uncoupled and
// ordered by their compliance, without those whose compliance is below `tolerance` times the largest. `shapes` receives
// rows of freedom_count numbers. Returns how many, or -1 if they cannot be computed.
int reduction_compress(arena *memory, const reduction *r, const flex_interface *of, double tolerance, double **shapes);

// Eigenmodes and further shapes, made orthogonal: see modes.h.
bool reduction_basis(arena *memory, const reduction *r, int eigen_count, int shape_count, const double *shapes,
                     flex_modes *to);

// What a basis makes of a static load: the displacement along the load per unit of the load, and the part of it that
// the basis misses, from 0 to 1.
typedef struct reduction_miss {
  double compliance;
  double part;
} reduction_miss;
reduction_miss reduction_missing(arena *scratch, const reduction *r, const flex_modes *modes, const double *load);

#endif
