// Fewer triangles for drawing.
#ifndef GEOMETRY_MESH_DECIMATE_H
#define GEOMETRY_MESH_DECIMATE_H

#include "geometry/mesh.h"

// Vertices in one cell of a grid become one, at their mean; triangles that vanish are left out, and so are copies. The
// grid is as fine as `most` triangles allow. Only vertices and triangles are filled; a mesh that is small enough is
// borrowed as it is.
void mesh_decimate(const mesh *from, int most, arena *memory, mesh *to);

#endif
