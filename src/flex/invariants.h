// Inertia of a flexible body in its floating frame. A point of the body is at ρ = x + Σ φ_i q_i in the body's axes. All
// integrals over the mass are constant, and with these the mass matrix for (ω, v, q̇) is known as a function of q
// without approximation. The equations of motion follow from this kinetic energy (Lagrange's equations in body axes),
// so that they keep energy and momentum.
#ifndef FLEX_INVARIANTS_H
#define FLEX_INVARIANTS_H

#include "base/arena.h"
#include "math/linalg.h"

typedef struct flex_inertia {
  int count;     // shapes
  double mass;   // ∫ dm [kg]
  vec3 first;    // ∫ x dm
  mat3 second;   // ∫ x xᵀ dm
  vec3 *shift;   // of each shape ∫ φ_i dm
  mat3 *moment;  // of each shape ∫ x φ_iᵀ dm
  mat3 *couple;  // count²: ∫ φ_i φ_jᵀ dm
} flex_inertia;

void inertia_create(arena *memory, flex_inertia *to, int count);
// Adds a point of the body, with the shape functions φ_i there.
void inertia_add(flex_inertia *to, double mass, vec3 x, const vec3 *phi);

// What depends on the coordinates, in the body's axes.
typedef struct flex_state {
  vec3 first;     // c = ∫ ρ dm
  mat3 rotary;    // Θ = ∫ (ρ² 1 - ρ ρᵀ) dm, about the frame's origin
  vec3 *turning;  // of each shape h_i = ∫ ρ × φ_i dm
  mat3 *moment;   // of each shape H_i = ∫ ρ φ_iᵀ dm
} flex_state;

void inertia_state_create(arena *memory, const flex_inertia *of, flex_state *to);
void inertia_state(const flex_inertia *of, const double *q, flex_state *to);

// Mass matrix for (ω, v, q̇) in body axes, 6 + count rows; v is the velocity of the frame's origin.
//   [Θ, c×, h; -c×, m, C; hᵀ, Cᵀ, ∫φᵀφ],  C_i = ∫ φ_i dm
void inertia_matrix(const flex_inertia *of, const flex_state *s, double *M);
// The forces that depend on velocities, so that  M (ω̇, a, q̈) + bias = (torque, force, forces on the shapes)  with the
// acceleration a of the frame's origin. In body axes, 6 + count numbers.
//   torque:  ω × Θω + Θ̇ω + ω × Σ h_i q̇_i,  Θ̇ = Σ q̇_i (2 tr H_i 1 - H_i - H_iᵀ)
//   force:   ω × (ω × c) + 2 ω × Σ C_i q̇_i
//   shape i: 2 Σ q̇_j ω·∫ φ_j × φ_i dm + ωᵀ H_i ω - ω² tr H_i
void inertia_bias(const flex_inertia *of, const flex_state *s, vec3 omega, const double *qdot, double *bias);

#endif
