// Meshes of triangles with six nodes in the plane: corners and middles of sides. A side on an arc has its middle there.
// Meshes that are read from a file may have quadrilaterals with eight nodes too.
#ifndef FLEX_TRIANGLES_H
#define FLEX_TRIANGLES_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/vec2.h"

typedef struct triangle_mesh {
  vec2 *nodes;  // of meshes made here corners first, then middles
  int node_count;
  int (*triangles)[6];  // corners counter-clockwise, then the middles of their sides 01, 12, 20
  int triangle_count;
  int (*quads)[8];  // corners counter-clockwise, then the middles of their sides 01, 12, 23, 30
  int quad_count;
  int (*boundary)[3];  // sides of one element alone: ends and middle, the body to their left
  int boundary_count;
} triangle_mesh;

// A disc about the origin, of rings of triangles with sides of about radius / rings.
triangle_mesh triangles_disc(arena *memory, double radius, int rings);
// A rectangle about the origin, in columns x rows cells of two triangles each.
triangle_mesh triangles_rectangle(arena *memory, double width, double height, int columns, int rows);
// A polygon with its corners in turn, in either sense; no side of a triangle is longer than `longest`. Returns false if
// the outline crosses or touches itself or has no area, or there would be more triangles than TRIANGLES_MOST.
bool triangles_polygon(arena *memory, const vec2 *corners, int count, double longest, triangle_mesh *to);

// Triangles that a mesh may have: more are not made.
enum { TRIANGLES_MOST = 20000 };

// Where a mesh is finer: near some places no side is longer than `size`, and at the distance d from the nearest of them
// none than `growth` d, until the mesh is as coarse as it was.
typedef struct mesh_refinement {
  const vec2 *at;
  int count;
  double size;    // [m]
  double growth;  // [-]
} mesh_refinement;

// Divides longest sides, with the triangles on both of their sides, so that no angle becomes less than half of the
// smallest before. `radius`: that of a disc about the origin, whose new nodes on the boundary lie on the arc; 0 where
// the boundary is straight. Returns false if there would be more triangles than TRIANGLES_MOST.
bool triangles_refine(arena *memory, const mesh_refinement *r, double radius, triangle_mesh *m);

// Shape functions of the six nodes at the area coordinates (1 - r - s, r, s), and their derivatives along r and s.
void triangles_shape(double r, double s, double shape[6], double along_r[6], double along_s[6]);

// The same of the eight nodes of a quadrilateral, at r and s between -1 and 1.
void quads_shape(double r, double s, double shape[8], double along_r[8], double along_s[8]);

#endif
