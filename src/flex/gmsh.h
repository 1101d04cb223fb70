// Planar meshes from the text format of gmsh, versions 4.1 and 2.2: triangles with six nodes and quadrilaterals with
// eight, and physical groups of curves and points. Files are untrusted: every count and index is checked, and what is
// wrong is reported with its line.
#ifndef FLEX_GMSH_H
#define FLEX_GMSH_H

#include "base/lines.h"
#include "flex/triangles.h"

enum { GMSH_BYTES_MAX = 64 << 20, GMSH_NODES_MAX = 100000, GMSH_ELEMENTS_MAX = 200000, GMSH_GROUPS_MAX = 1000 };

// A physical group of curves or of points.
typedef struct gmsh_group {
  const char *name;  // its number where the file gives it no name
  int dimension;     // 1: curves; 0: points
  int tag;           // its number in the file
  int *nodes;        // of the mesh, each once, in the order of the file
  int node_count;
  int (*sides)[3];  // of a group of curves: ends and middle; those on the boundary with the body to their left
  int side_count;
} gmsh_group;

typedef struct gmsh_mesh {
  triangle_mesh mesh;  // nodes that no element has are left out
  gmsh_group *groups;
  int group_count;
} gmsh_mesh;

// Coordinates are multiplied by `scale`. Elements that are numbered clockwise are turned round. Returns false and what
// is wrong in `why`.
bool gmsh_read(const char *bytes, size_t length, double scale, arena *memory, gmsh_mesh *to, char why[LINES_WHY]);

#endif
