// Bodies of finite elements that another program made: mass and stiffness matrix and the places of the nodes, each with
// three displacements. There are no elements: strains are not known, and the mass is a matrix over the nodes.
//
// A mass matrix of solid elements moves every direction alike: it is m_ab 1 between the nodes a and b. With this matrix
// m all integrals of inertia are known: ∫ u vᵀ dm = Σ m_ab u_a v_bᵀ, which holds for the place itself too where
// elements are isoparametric.
#ifndef FLEX_IMPORTED_H
#define FLEX_IMPORTED_H

#include "base/lines.h"
#include "flex/interface.h"

enum { IMPORTED_NODES_MAX = 100000, IMPORTED_ITEMS_MAX = 40000000, IMPORTED_FREEDOMS_MAX = 40000 };

typedef struct imported_matrix {
  int rows;
  symmetric_item *items;  // from 0
  int count, capacity;
  bool both;  // both triangles are there
} imported_matrix;

typedef struct imported_set {
  const char *name;
  int *nodes;  // their numbers
  int count, capacity;
} imported_set;

typedef struct imported_node {
  int number;
  vec3 at;
} imported_node;

typedef struct imported_nodes {
  imported_node *items;  // by their numbers once they are sorted
  int count, capacity;
  imported_set *sets;
  int set_count, set_capacity;
} imported_nodes;

// Which node and direction (0, 1, 2) each row of the matrices is.
typedef struct imported_row {
  int number, direction;
} imported_row;

// The stiffness matrix under a load, and the forces of this load, those of its supports among them.
typedef struct imported_case {
  const char *name;
  imported_matrix stiffness;
  imported_node *forces;  // numbers of nodes, and the force on each in the place of `at`
  int force_count, force_capacity;
} imported_case;

typedef struct imported_body {
  imported_nodes nodes;
  imported_row *rows;
  int row_count, row_capacity;
  imported_matrix mass, stiffness;
  imported_case *cases;
  int case_count;
} imported_body;

// Of a load case, over all freedoms.
typedef struct imported_load {
  double *forces;
  symmetric geometric;  // what the load adds to the stiffness matrix
} imported_load;

typedef struct imported_result {
  flex_elements e;
  flex_interfaces interfaces;
  imported_load *loads;  // one for each case
} imported_result;

// Adds a node. Returns false after reporting that there are too many.
bool imported_add_node(lines *l, arena *memory, imported_nodes *to, int number, vec3 at);
// The set of a name, which is added if it is new.
imported_set *imported_set_of(arena *memory, imported_nodes *of, const char *name, size_t length);
void imported_add_to_set(arena *memory, imported_set *to, int number);
// The forces of a load: a line for each node with its number and three components; what follows a # is a comment.
bool imported_forces_read(const char *bytes, size_t length, arena *memory, imported_case *to, char why[LINES_WHY]);
// Adds an entry. Returns false after reporting that there are too many.
bool imported_add_item(lines *l, arena *memory, imported_matrix *to, int row, int column, double value);

// Elements of the body: nodes with rows, matrices, and interfaces from the sets. Lengths are multiplied by `length`,
// matrices by `mass`. Checks that every node has three directions, that matrices have as many rows and are symmetric,
// that the mass is that of solid elements and definite, and that rigid motions make no force; of load cases that forces
// are balanced and fit what they add to the stiffness, which resists no shift. Returns false and what is wrong in
// `why`.
bool imported_elements(arena *memory, imported_body *from, double length, double mass, imported_result *to,
                       char why[LINES_WHY]);

// The place at a point: it moves and turns as the nodes of the set do on average, in the sense of least squares;
// without a set those of the node next to it and of all nodes that share an element with that. Returns false where
// these nodes lie on a line, so that their turn is not known.
bool imported_place(arena *memory, const flex_elements *e, const flex_interface *set, vec3 at, flex_place *to);
// The node next to a point.
int imported_nearest(const flex_elements *e, vec3 at);

#endif
