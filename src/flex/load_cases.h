// Second-order displacements of a body of finite elements, from load cases.
//
// A body that deforms by Σ φ_i q_i also moves by ½ Σ g_ij q_i q_j, as a bent beam becomes shorter: otherwise its
// material would stretch. A load F does work along g, and so changes how the body bends. With the stress σ under F,
//   F·g_ij = -∫ σ : ∇φ_iᵀ ∇φ_j dV = -K_G,ij,
// the geometric stiffness of this load. Of g no more is computed than its part in the static deformations a of some
// loads, the nearest in elastic energy:
//   g_ij = -Σ a_c (A⁻¹)_cd K_G,ij of d,   A_cd = a_c·K a_d.
// So the work of each of these loads is exact. Loads are inertia forces and those where something attaches.
#ifndef FLEX_LOAD_CASES_H
#define FLEX_LOAD_CASES_H

#include "flex/floating.h"

typedef struct load_cases {
  int count;
  double *deformation;  // one row of freedom_count numbers each, zero where the frame of the body is
  double *stiffness;    // K_G of each: modes²
} load_cases;

// Loads of the body's inertia, over all freedoms: of an acceleration along each axis, and of one that grows along each
// axis from the origin, as rotation makes them. Six of them in the plane, twelve in space. Returns how many.
int load_cases_inertia(arena *memory, const flex_elements *e, double **loads);

// The fields that the cases span, orthogonal in the mass. Cases that depend on others, and fields that no modes move,
// are left out. Returns false if they cannot be computed.
bool load_cases_fields(arena *memory, const flex_elements *e, int modes, const load_cases *of, floating_fields *to);

#endif
