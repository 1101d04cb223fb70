// Triangle meshes: welded vertices, triangles with their neighbours, edges with both triangles, and what is wrong with
// them.
#ifndef GEOMETRY_MESH_H
#define GEOMETRY_MESH_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/linalg.h"

// Triangles as a file has them: nothing is welded or checked but the indices.
typedef struct mesh_soup {
  vec3 *points;
  int point_count;
  int (*triangles)[3];
  int *places;  // of each triangle: its line in a text, its number from 1 in a binary file; may be null
  bool places_are_lines;
  int triangle_count;
} mesh_soup;

typedef struct mesh_edge {
  int ends[2];       // vertices, in the order in which the first triangle passes them
  int triangles[2];  // the second is -1 where the mesh is open or where more than two triangles meet
} mesh_edge;

// Faults that a mesh may have. Each is counted, and the first triangle that has it is named.
typedef enum mesh_fault {
  MESH_OPEN,         // an edge of one triangle alone
  MESH_BRANCHED,     // an edge of more than two triangles
  MESH_TWISTED,      // an edge that both its triangles pass in the same direction: their outsides differ
  MESH_DEGENERATE,   // a triangle without an area. One with two equal corners is left out
  MESH_INSIDE_OUT,   // a closed part whose triangles face inwards and that is no cavity of another part
  MESH_OVERLAPPING,  // a closed part with a corner inside others: what they have in common counts twice in a volume
  MESH_FAULTS
} mesh_fault;

typedef struct mesh_found {
  int count;
  int triangle;  // the first, as numbered in the soup; -1 if there is none
} mesh_found;

typedef struct mesh {
  vec3 *vertices;
  int vertex_count;
  int (*triangles)[3];  // vertices, counter-clockwise as seen from outside
  vec3 *normals;        // outwards; zero for a triangle without an area
  int (*sides)[3];      // of each triangle the edges from corner k to corner k + 1
  int *origins;         // of each triangle, its number in the soup
  int *parts;           // of each triangle: parts are connected across edges and numbered from 0
  int triangle_count, part_count;
  mesh_edge *edges;
  int edge_count;
  vec3 low, high;  // the box around it
  mesh_found found[MESH_FAULTS];
} mesh;

enum { MESH_TRIANGLES_MAX = 1000000 };
#define MESH_COORDINATE_MAX 1e50  // so that no moment overflows [m]

// Points closer than `weld` become one. Returns false if a coordinate is not finite or larger than the above, or if no
// triangle has an area.
// `scratch` may be released afterwards.
bool mesh_build(const mesh_soup *from, double weld, arena *memory, arena *scratch, mesh *to);

// The distance within which points of a file are the same: the rounding of single precision, in which many files store
// them.
double mesh_weld_default(const mesh_soup *from);

// The triangle across side k of triangle t, or -1.
static inline int mesh_beside(const mesh *m, int t, int k) {
  const mesh_edge *e = &m->edges[m->sides[t][k]];
  return e->triangles[0] == t ? e->triangles[1] : e->triangles[0];
}

static inline bool mesh_is_closed(const mesh *m) {
  return !m->found[MESH_OPEN].count && !m->found[MESH_BRANCHED].count && !m->found[MESH_TWISTED].count;
}

// All vertices lie in one plane.
bool mesh_is_flat(const mesh *m);

#endif
