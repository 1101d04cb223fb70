// A flexible body in its floating frame, ready for the equations of motion. With modal coordinates q, a point is at
//   ρ = x + Σ φ_i q_i + ½ Σ g_ij q_i q_j
// where g are second-order displacements, such as the foreshortening of a beam that bends; they may be absent. From
// them come the stiffness of a body that rotates fast and the effect of axial loads on bending.
//
// The functions g_ij span few independent fields ψ_k: ½ Σ g_ij q_i q_j = Σ ψ_k s_k with s_k = ½ qᵀ S_k q. Modes and
// fields together are shapes of a body with linear displacements (invariants.h) whose last coordinates depend on q. So
// the kinetic energy is exact for this ρ, and the mass matrix is definite however large q is. A form that is truncated
// at second order in q is not: a free body with modes of a clamped one loses it at deflections of a few per cent.
#ifndef FLEX_FLOATING_H
#define FLEX_FLOATING_H

#include "flex/elements.h"
#include "flex/field_basis.h"
#include "flex/invariants.h"

typedef struct floating_body {
  int modes, fields;
  flex_inertia inertia;  // of modes + fields shapes
  double *square;        // S_k: fields x modes², symmetric
  // What an evaluation reads; inertia and squares have this basis, too.
  field_basis basis;  // of the fields, orthogonal and of unit mass
  flex_tables tables;
  pack *mass;  // ∫ φ_i·φ_j dm, modes x modes
  int coupling_count;
  struct floating_coupling {
    int mode, field;
    double mass;  // ∫ φ·ψ dm
  } * couplings;  // those that are not zero
  struct floating_partners {
    int behind, count;  // how many do not stand before the mode, itself among them, and in all
    int *mode;
    pack *weight;  // S_k of both, a row over the fields for each
  } * partners;    // of each mode: itself, those behind it, those before it for which not all S_k are zero; or none
} floating_body;

// What one evaluation computes, for one body. Rows over the modes have zeros up to the end of their last group.
typedef struct floating_state {
  flex_coordinates all;  // coordinates of all shapes
  pack *s, *sdot;        // of these the coordinates of the fields,
  pack *curved;          // and q̇ᵀ S_k q̇
  pack *by_mode;         // ∂s_k/∂q_i = S_k q: a row over the fields for each mode,
  pack *rate;            // and a row over the modes for each field
  flex_state inertia;
  pack *rows;  // what the mass matrix has of (ω, v): 6 rows over the modes, in the body's axes
  // Results over the modes.
  pack *ff;  // modes x modes; of each row the groups from that of its diagonal on
  pack *bias;
} floating_state;

// The fields of second-order displacements: ψ at a place of the body, and S_k.
typedef struct floating_fields {
  int count;
  double *square;  // count x modes², symmetric
  void (*at)(const void *context, const flex_place *place, vec3 *psi);
  const void *context;
} floating_fields;

// Second-order displacements by pairs: fills g_ij at the undeformed place x, as many as modes squared, symmetric.
typedef struct second_order {
  void (*at)(const void *context, vec3 x, vec3 *g);
  const void *context;
} second_order;

// The fields that g_ij span over the points that carry the mass, orthogonal in it. Those that make less than 1e-7 of
// the largest second-order displacement are left out. `second` is used by the result. Returns false if they cannot be
// computed.
bool floating_fields_of_pairs(arena *memory, const flex_elements *e, int modes, const second_order *second,
                              floating_fields *to);

// Of a body of finite elements, whose modes are rows of freedom_count numbers. `fields` may be null, and are orthogonal
// in the mass.
void floating_create(arena *memory, const flex_elements *e, int modes, const double *phi, const floating_fields *fields,
                     floating_body *to);
// What an evaluation reads, of a body whose modes, fields, inertia and squares are known. The fields are those given to
// it, orthogonal in the mass, and take the basis of the body.
void floating_prepare(arena *memory, floating_body *b);
// Whether two bodies have the same inertia and squares, bit for bit.
bool floating_is_same(const floating_body *a, const floating_body *b);
// Bodies with as many modes and fields may share all but the results: `with` is the state of such a body, or null.
void floating_state_create(arena *memory, const floating_body *b, const floating_state *with, floating_state *to);

// Mass matrix and velocity-dependent forces for (ω, v, q̇) in body axes, as invariants.h has them for all shapes.
// Elastic forces are not among them.
void floating_evaluate(const floating_body *b, vec3 omega, const double *q, const double *qdot, floating_state *s);
// The same as one matrix of 6 + modes rows, and one vector.
void floating_write(const floating_body *b, const floating_state *s, double *M, double *bias);

#endif
