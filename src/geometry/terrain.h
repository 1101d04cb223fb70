// Where a sphere touches a surface of triangles: a mesh, or a height field. Triangles that lie within one plane, or
// meet in a hollow edge, have no edge that the sphere could catch on.
#ifndef GEOMETRY_TERRAIN_H
#define GEOMETRY_TERRAIN_H

#include <math.h>

#include "geometry/mesh.h"

typedef struct terrain terrain;

typedef struct terrain_triangle {
  int number;
  int corners[3];  // numbers of vertices
  vec3 p[3];       // counter-clockwise as seen from outside
  vec3 normal;     // outwards
} terrain_triangle;

typedef void terrain_visit(void *context, const terrain_triangle *t);

typedef struct terrain_type {
  // Visits the triangles that come near a box, in the order of their numbers or not; none twice.
  void (*each)(const terrain *t, vec3 low, vec3 high, terrain_visit *visit, void *context);
} terrain_type;

typedef struct terrain_node {
  vec3 low, high;
  int first, count;  // of a leaf: its triangles in the list; else count is 0, and `first` and the next are its halves
} terrain_node;

struct terrain {
  const terrain_type *type;
  vec3 low, high;
  // a mesh with a tree of boxes
  const mesh *triangles;
  const terrain_node *nodes;
  const int *list;
  const int *owner;  // of each vertex: the first triangle that has it
  const double
      *half_thickness;  // of the material below each triangle, infinite where it has no end; null: not measured
  // heights over a grid in x and y: row after row along x, from `low`
  const double *heights;
  int nx, ny;
  double dx, dy;
};

// The mesh is borrowed.
terrain terrain_of_mesh(const mesh *m, arena *memory);
// nx times ny heights over a grid with its first point at (x, y), borrowed. The material lies below, within the grid: a
// centre beside the grid is never inside. Each cell has two triangles that meet in the diagonal from its first to its
// last point.
terrain terrain_of_heights(const double *heights, int nx, int ny, double x, double y, double dx, double dy);

// Finds how thick the material of a mesh is below each triangle.
void terrain_measure(terrain *t, arena *memory);
// Half of that; infinite if it is not known, and of a height field.
static inline double terrain_half_thickness(const terrain *t, int triangle) {
  return t->half_thickness ? t->half_thickness[triangle] : INFINITY;
}

// The triangle across the side from corner k to the next: its normal, and its corner that is not on this side. Returns
// false if there is none.
bool terrain_beside(const terrain *t, const terrain_triangle *of, int k, vec3 *normal, vec3 *corner);
// The vertex of a mesh with the least n · x, the first that was found if there are several.
int terrain_lowest(const terrain *t, vec3 n);
// Visits the triangles of a mesh of which a part may be where n · x < offset.
void terrain_each_below(const terrain *t, vec3 n, double offset, terrain_visit *visit, void *context);

enum { TERRAIN_TOUCHES = 8 };

typedef struct terrain_touch {
  double gap;      // negative: penetration
  vec3 normal;     // out of the surface
  vec3 at;         // on the surface
  int corners[3];  // the feature: vertices of a face, an edge (the last is -1) or a vertex (the last two are -1)
  vec3 edge;       // direction of an edge; else zero
} terrain_touch;

// All local minima of the gap of at most `horizon` below the sphere, everything in the axes of the surface. If the
// centre is under the surface, the nearest way out. Of more than TERRAIN_TOUCHES the nearest count. Returns how many.
int terrain_touches(const terrain *t, vec3 centre, double radius, double horizon, terrain_touch to[TERRAIN_TOUCHES]);
// The same, and none where nothing is within `horizon` of the sphere and its centre is no deeper than `deepest` under
// the surface, or above it.
int terrain_touches_within(const terrain *t, vec3 centre, double radius, double horizon, double deepest,
                           terrain_touch to[TERRAIN_TOUCHES]);

#endif
