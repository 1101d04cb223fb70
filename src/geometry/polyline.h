// Chains of straight lines through places that move, with material on their left: the boundary of a body that deforms.
#ifndef GEOMETRY_POLYLINE_H
#define GEOMETRY_POLYLINE_H

#include <stdbool.h>

#include "math/vec2.h"

typedef struct polyline {
  int count;                 // vertices
  const int *place;          // of each vertex: its number in the list of places
  const int *next, *before;  // vertices beside it; -1: the chain ends here
  vec2 low, high;            // box around it, undeformed
  double depth;              // what is deeper below it has not come through it
} polyline;

// The place of a chain nearest to a point.
typedef struct polyline_foot {
  double gap;       // negative inside; infinite if the chain has no vertex
  vec2 at, normal;  // outward
  int vertex[2];    // the ends of its line, or twice a vertex
  double part;      // of the way between them
} polyline_foot;

polyline_foot polyline_nearest(const polyline *l, const vec2 *places, vec2 p);
// The foot of a point on the line from a vertex to the next, which may lie beyond its ends. The vertex has a next one.
polyline_foot polyline_foot_on(const polyline *l, const vec2 *places, int vertex, vec2 p);
// The mean of the outward normals beside a vertex; zero of a vertex without lines.
vec2 polyline_normal(const polyline *l, const vec2 *places, int vertex);
// Whether a point is in the range of directions that leave both lines beside a vertex.
bool polyline_faces(const polyline *l, const vec2 *places, int vertex, vec2 p);

#endif
