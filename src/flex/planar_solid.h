// Planar solids of triangles with six nodes and quadrilaterals with eight, in plane stress or plane strain. Mass and
// stiffness are integrated in full; frequencies converge from above with order four.
#ifndef FLEX_PLANAR_SOLID_H
#define FLEX_PLANAR_SOLID_H

#include "flex/elements.h"
#include "flex/triangles.h"

typedef struct planar_solid {
  triangle_mesh mesh;
  double thickness;  // [m]
  double young;      // [Pa]
  double poisson;    // [-]
  double density;    // [kg/m³]
  bool plane_strain;
} planar_solid;

// The first element that is folded or has no area, triangles before quadrilaterals; -1 if there is none.
int planar_solid_folded(const triangle_mesh *m);
// Nodes are those of the mesh.
void planar_solid_elements(arena *memory, const planar_solid *b, flex_elements *e);
// The place at a point; it turns as the material does there, ½ (∂v/∂x - ∂u/∂y). Returns false if it is outside the body
// by more than 0.5 % of the element next to it, which is what a point on an arc can be outside of its curved side.
bool planar_solid_place(const planar_solid *b, const flex_elements *e, vec2 at, flex_place *to);

// σx, σy and τ at every node where the freedoms have the values x: the mean over the elements there [Pa].
void planar_solid_stress(arena *scratch, const planar_solid *b, const flex_elements *e, const double *x,
                         double (*stress)[3]);
// The geometric stiffness of shapes under the stress of each of `count` deformations, ∫ σ : ∇φ_iᵀ ∇φ_j dV: modes²
// numbers each. Deformations and shapes are rows of freedom_count numbers.
void planar_solid_geometric(arena *scratch, const planar_solid *b, const flex_elements *e, int count,
                            const double *deformations, int modes, const double *phi, double *to);
// How many elements there are, triangles before quadrilaterals, and the strain in the middle of one of them where the
// freedoms have the values x: mean (εx + εy)/2, (εx - εy)/2 and γ/2. The principal strains are the mean ± the root of
// the sum of the squares of the others.
int planar_solid_cells(const planar_solid *b);
vec3 planar_solid_strain(const planar_solid *b, const flex_elements *e, int index, const double *x);

#endif
