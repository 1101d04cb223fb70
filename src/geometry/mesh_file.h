// Triangles from the bytes of STL (binary and ASCII) and OBJ files. Files are untrusted: every count and index is
// checked, and what is wrong is reported with its place.
#ifndef GEOMETRY_MESH_FILE_H
#define GEOMETRY_MESH_FILE_H

#include <stddef.h>

#include "base/lines.h"
#include "geometry/mesh.h"

enum { MESH_BYTES_MAX = 256 << 20, MESH_WHY = LINES_WHY };

// Coordinates are multiplied by `scale`. The kind of the file is found from its content: an STL file in binary has the
// length that its number of triangles says, one in ASCII starts with `solid`, everything else is read as OBJ. Returns
// false and what is wrong in `why`, with the line or the triangle.
bool mesh_read(const char *bytes, size_t length, double scale, arena *memory, mesh_soup *to, char why[MESH_WHY]);

#endif
