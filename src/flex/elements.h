// A body of finite elements: nodes with freedoms, mass and stiffness matrix, and the points that carry its mass.
//
// The mass is a sum over points (quadrature points of the elements), each with a displacement that is linear in the
// freedoms. The mass matrix and all integrals of inertia (invariants.h) are sums over the same points, so that they
// agree with each other to rounding. The elastic energy is half a sum of squares of strains, likewise: a product with
// the stiffness matrix would lose in cancellation what a product with strains keeps, four digits for a beam of 64
// elements.
#ifndef FLEX_ELEMENTS_H
#define FLEX_ELEMENTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/linalg.h"
#include "math/symmetric.h"

enum { PLACE_FREEDOMS = 16 };  // of one element, at most

// Freedoms of many nodes, which a place follows that is joined to all of them.
typedef struct flex_wide {
  int count;
  const int *freedom;
  const vec3 *shape, *turn;
} flex_wide;

// A place of the body: displacement and turn are Σ shape[k] x[freedom[k]] and Σ turn[k] x[freedom[k]], over its own
// freedoms and those of `wide`.
typedef struct flex_place {
  vec3 at;  // undeformed [m]
  int count;
  int freedom[PLACE_FREEDOMS];
  vec3 shape[PLACE_FREEDOMS], turn[PLACE_FREEDOMS];
  flex_wide wide;  // of imported bodies alone
} flex_place;

typedef struct mass_point {
  double mass;  // [kg]
  flex_place place;
} mass_point;

// One strain at one point of integration, times the root of its stiffness: Σ row[k] x[freedom[k]] [√J].
typedef struct flex_strain {
  int count;
  int freedom[PLACE_FREEDOMS];
  double row[PLACE_FREEDOMS];
} flex_strain;

typedef struct flex_elements {
  bool planar;
  vec3 *nodes;  // undeformed [m]
  int node_count;
  int (*freedoms)[6];  // of each node: displacement x y z, turn x y z; -1 where it has none
  int freedom_count;
  symmetric mass, stiffness;  // freedom_count rows
  mass_point *points;
  int point_count;
  flex_strain *strains;
  int strain_count, strain_capacity;
  // Of imported matrices, which have neither points nor strains: the mass between nodes, alike in every direction.
  const symmetric *node_mass;
} flex_elements;

// Rows of every node for the freedoms that `has` says, numbered node by node. The places of the nodes and the points
// are the caller's to fill.
void elements_create(arena *memory, flex_elements *e, int node_count, const bool has[6], int point_count);
// Adds a strain Σ row[k] x[freedom[k]] with its stiffness, which is not negative.
void elements_add_strain(arena *memory, flex_elements *e, int count, const int *freedom, const double *row,
                         double stiffness);
// Mass and stiffness matrix, from all points and strains.
void elements_assemble(arena *memory, flex_elements *e);

// What the elastic energy needs of the values x of the freedoms: strains, or K x where there are none. So many numbers:
int elements_image_size(const flex_elements *e);
void elements_image(const flex_elements *e, const double *x, double *image);
// x·K y of both images; `x` itself may be needed too.
double elements_product(const flex_elements *e, const double *x, const double *x_image, const double *y_image);
// x·K x below this share of Σ K_kk x_k² is rounding.
double elements_rounding(const flex_elements *e);
// f = K x, from the strains if there are any.
void elements_forces(const flex_elements *e, const double *x, double *f);

// A node as a place.
flex_place elements_node(const flex_elements *e, int node);
// The load of a force and a torque at a place: adds shapeᵀ force + turnᵀ torque.
void elements_load(const flex_place *p, vec3 force, vec3 torque, double *load);
// Adds the force and the torque at a place that balance a load.
void elements_balance(const flex_elements *e, const flex_place *p, double *load);
// Displacement and turn of a place where the freedoms have the values x.
vec3 elements_displacement(const flex_place *p, const double *x);
vec3 elements_turn(const flex_place *p, const double *x);

// Motions without strain: along and about x, y, z through the origin; in the plane along x, y and about z. One row of
// freedom_count numbers each. Those that move no freedom are left out, as turns of a rod. Returns how many.
int elements_rigid(const flex_elements *e, double *rigid);
// Shapes as seen from a frame that moves with a place: takes from each row the motion without strain that the place has
// in it.
void elements_see_from(const flex_elements *e, const flex_place *p, int count, double *shapes);

#endif
