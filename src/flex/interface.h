// Named parts of the boundary of a body of finite elements, where it touches other bodies or is joined to them: sides
// of a shape that carom meshes, groups of a mesh file, sets of nodes beside imported matrices. Whoever makes the
// elements lists them; the reduction finds them by name.
#ifndef FLEX_INTERFACE_H
#define FLEX_INTERFACE_H

#include "flex/elements.h"
#include "math/vec2.h"

typedef struct flex_interface {
  const char *name;
  int count;            // of nodes
  const int *nodes;     // indices into flex_elements.nodes, each once
  const vec3 *normals;  // outward unit normal at each node; null if it is not known: loads then act along every axis
  const double *sizes;  // length or area of the boundary that belongs to each node [m], [m²]; null if they are equal
} flex_interface;

typedef struct flex_interfaces {
  flex_interface *items;
  int count, capacity;
} flex_interfaces;

void interfaces_add(arena *memory, flex_interfaces *list, flex_interface one);
// Null if there is none of this name.
const flex_interface *interfaces_find(const flex_interfaces *list, const char *name);

// Of sides with three nodes in the plane (ends and middle, the body to their left), with normals and lengths. A node
// between two sides has the mean of their normals.
flex_interface interface_of_sides(arena *memory, const char *name, const vec2 *nodes, int side_count,
                                  const int (*sides)[3]);
// The outward normal where a point is on one of the sides, up to `within`. Returns false if it is on none.
bool interface_normal(const vec2 *nodes, int side_count, const int (*sides)[3], vec2 at, double within, vec3 *normal);
// The nodes of an interface that `inside` keeps. It may have none.
flex_interface interface_part(arena *memory, const char *name, const flex_interface *of, const vec3 *nodes,
                              bool (*inside)(const void *context, vec3 at), const void *context);

// The mean place of an interface in the plane, by the sizes of its nodes.
vec3 interface_middle(const flex_elements *e, const flex_interface *of);
// A place that follows an interface in the plane as a whole: the rigid motion that is nearest to that of its nodes, by
// their sizes. A load there is a traction that is linear along the interface, whatever the mesh is. Returns false if
// the interface has no length.
bool interface_place(arena *memory, const flex_elements *e, const flex_interface *of, vec3 at, flex_place *to);

// Unit loads on an interface, rows of freedom_count numbers: a force along the normal at each node, or along every axis
// where the normal is not known, each times the root of the node's size. So a sum of them with the factors z is a
// pressure p with ∫ p² = Σ z², whatever the mesh is. Returns how many; `loads` may be null.
int interface_loads(const flex_elements *e, const flex_interface *of, double *loads);

#endif
