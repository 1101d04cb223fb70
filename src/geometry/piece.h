// Convex polygons in space that are cut by planes.
#ifndef GEOMETRY_PIECE_H
#define GEOMETRY_PIECE_H

#include "geometry/facet.h"
#include "math/linalg.h"

enum { PIECE_CORNERS = 2 * FACET_CORNERS + 2 };

typedef struct piece {
  vec3 p[PIECE_CORNERS];
  int count;
} piece;

// Cuts the piece parts[now] to where n · x ≤ offset, if the plane goes through it. Returns which of the parts holds the
// result; it has no corners if nothing is left.
int piece_cut(piece parts[2], int now, vec3 n, double offset);

// A part of a piece: a place, and the unit normal of the piece times area.
typedef void piece_node(void *context, vec3 at, vec3 surface);
// Visits nodes for integrals over a piece with the normal n, exact up to the fourth degree, which move smoothly while
// corners come and go.
void piece_visit(const piece *of, vec3 n, piece_node *visit, void *context);

#endif
