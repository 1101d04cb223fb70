// Straight beams of finite elements along the x axis, from x = 0 to their length. In space they bend along y and z,
// stretch and twist; in the plane they bend along y and stretch. A rod stretches alone.
//
// Elements have two nodes. Displacements across the beam are cubic, and with shear (Timoshenko) they depend on the
// ratio of bending to shear stiffness so that nodes under loads at nodes are exact where the section is constant.
// Stretch and twist are linear. Frequencies converge from above with order four in bending without shear
// (Euler–Bernoulli), and with order two in stretch, in twist, and in bending with shear once elements are shorter than
// the beam is deep.
#ifndef FLEX_BEAM_H
#define FLEX_BEAM_H

#include "flex/elements.h"

// Of one cross section. What a planar beam does not need may be 0: second_y, torsion, shear_z.
typedef struct beam_section {
  double area;                // [m²]
  double second_z, second_y;  // second moments ∫y² dA, which resists bending along y, and ∫z² dA [m⁴]
  double torsion;             // torsion constant [m⁴]
  double shear_y, shear_z;    // areas that carry shear along y and z [m²]
} beam_section;

typedef struct beam {
  double length;        // [m]
  double young, shear;  // moduli [Pa]
  double density;       // [kg/m³]
  bool planar;
  bool timoshenko;  // shear deforms it, and sections have rotary inertia in bending
  bool rod;         // it stretches alone: nodes have one freedom
  int elements;
  const double *nodes;  // elements + 1 places from 0 to the length, increasing; null for elements of equal length [m]
  beam_section (*section)(const void *context, double x);
  const void *context;
} beam;

// The place of a node, from 0 to the number of elements.
static inline double beam_node(const beam *b, int k) { return b->nodes ? b->nodes[k] : b->length * k / b->elements; }
void beam_elements(arena *memory, const beam *b, flex_elements *e);
// The place on the axis at x, between 0 and the length.
flex_place beam_place(const beam *b, const flex_elements *e, double x);

// The points that carry the mass of a piece of the beam, whose section is at a place of the axis: with rotary inertia
// two in the plane and four in space, else one. Without shear, sections of a beam in space have rotary inertia in
// twist, and in rigid motion.
int beam_section_points(const beam *b);
void beam_fill_section(const beam *b, const flex_place *axis, double length, mass_point *points);

// Second-order displacement of the axis by foreshortening. With the modes φ (rows of freedom_count numbers) and their
// coordinates q, the place x moves by ½ Σ g_ij(x) q_i q_j along the axis beside what the modes say,
//   g_ij(x) = -∫ (v_i' v_j' + w_i' w_j') dx  from `from` to x,
// so that the axis keeps its length under bending to second order. `g` receives modes² numbers.
void beam_foreshortening(arena *scratch, const beam *b, const flex_elements *e, int modes, const double *phi,
                         double from, double x, double *g);

#endif
