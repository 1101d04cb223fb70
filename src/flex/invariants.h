// Inertia of a flexible body in its floating frame. A point of the body is at ρ = x + Σ φ_i q_i in the body's axes. All
// integrals over the mass are constant, and with these the mass matrix for (ω, v, q̇) is known as a function of q
// without approximation. The equations of motion follow from this kinetic energy (Lagrange's equations in body axes),
// so that they keep energy and momentum.
#ifndef FLEX_INVARIANTS_H
#define FLEX_INVARIANTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/packs.h"
#include "math/linalg.h"

// As they are summed up.
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

// Displacements along an axis that are below 1e-12 of a shape's own are rounding, and become zero. So do products of
// two shapes that are below 1e-13 of both; shapes from `alike` on, whose coordinates are of one size, are compared with
// the largest of them.
void inertia_drop_rounding(flex_inertia *of, int alike);
// Shapes that do not couple up to rounding, as those of a rod in its own modes, do not at all afterwards: the modal
// mass matrix is diagonal.
void inertia_part_shapes(flex_inertia *of);

// The same integrals as an evaluation reads them: the numbers of neighbouring shapes i, a group (math/packs.h), side by
// side, and by the axes along which shapes move. What is zero in four such groups is left out. Of a beam that bends
// this is most: its shapes move along one axis each, and are orthogonal to others. Groups that have numbers for
// different axes are not taken together.

enum { FLEX_BUNDLE = 4 };

// What the shapes i of up to four groups, which follow each other, displace along one axis b.
typedef struct flex_bundle {
  int first, count;         // groups
  bool known;               // q̈ of these shapes may be known beforehand
  pack shift[FLEX_BUNDLE];  // ∫ φ_ib dm
  struct flex_along {
    bool any;                  // for another axis than b: whether any of these is not zero, or a shift is not
    pack moment[FLEX_BUNDLE];  // ∫ x_a φ_ib dm
    pack own[FLEX_BUNDLE];     // ∫ φ_ia φ_ib dm
    int count;                 // rows
    long *from;                // the coordinate of the shape j of each row
    pack *row;                 // ∫ φ_ja φ_ib dm, j ≠ i, over the shapes i of all groups
  } along[3];                  // along each axis a
} flex_bundle;

typedef struct flex_axis {
  int count;
  flex_bundle *bundles;
} flex_axis;

typedef struct flex_tables {
  int groups, known_from;  // groups of shapes, and the first of those from `part` on
  double mass;
  vec3 first;
  mat3 second;
  pack *shift;  // 3 rows: ∫ φ_i dm
  flex_axis axis[3];
} flex_tables;

// Coordinates of shapes from `part` on begin a new group.
static inline int flex_coordinate(int part, int shape) {
  return shape < part ? shape : PACK * pack_count(part) + shape - part;
}
void inertia_tables(arena *memory, const flex_inertia *of, int part, flex_tables *to);

// What depends on coordinates and speeds, in the body's axes. The mass matrix for (ω, v, q̇), where v is the velocity of
// the frame's origin, is  [Θ, c×, h; -c×, m, C; hᵀ, Cᵀ, ∫φᵀφ],  C_i = ∫ φ_i dm.  With the acceleration a of the origin
//   M (ω̇, a, q̈) + (torque, force, bias) = (torque, force, forces on the shapes):
//   torque  ω × Θω + Θ̇ω + ω × Σ h_i q̇_i,  Θ̇ = Σ q̇_i (2 tr H_i 1 - H_i - H_iᵀ)
//   force   ω × (ω × c) + 2 ω × Σ C_i q̇_i
//   bias i  2 Σ q̇_j ω·∫ φ_j × φ_i dm + ωᵀ H_i ω - ω² tr H_i,   H_i = ∫ ρ φ_iᵀ dm.
// What is known beforehand of q̈ of the shapes from `part` on adds Σ h_i q̈_i and Σ C_i q̈_i to torque and force; its part
// of the bias is left to floating.h, which knows ∫φᵀφ.
typedef struct flex_state {
  vec3 first;          // c = ∫ ρ dm
  mat3 rotary;         // Θ = ∫ (ρ² 1 - ρ ρᵀ) dm, about the frame's origin
  pack *turning;       // 3 rows: h_i = ∫ ρ × φ_i dm
  vec3 torque, force;  //
  pack *bias;          // of each shape, behind these rows
} flex_state;

// Of all shapes, with zeros up to the end of the group before `part` and of the last.
typedef struct flex_coordinates {
  pack *q, *qdot;
  pack *known;  // of q̈
} flex_coordinates;

void inertia_state_create(arena *memory, const flex_tables *of, flex_state *to);
void inertia_evaluate(const flex_tables *of, vec3 omega, const flex_coordinates *at, flex_state *to);

#endif
