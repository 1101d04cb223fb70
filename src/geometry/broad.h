// Broad phase: which boxes overlap, found without looking at all pairs. The boxes are kept in a tree with some room
// around each, so that a box that moves a little costs nothing. What is reported depends on the boxes alone: neither on
// the order in which they came nor on the shape of the tree.
#ifndef GEOMETRY_BROAD_H
#define GEOMETRY_BROAD_H

#include <stdbool.h>

#include "base/crew.h"
#include "math/linalg.h"

typedef struct broad_box {
  vec3 low, high;  // may be infinite
} broad_box;

// Two boxes by their numbers, the smaller first.
typedef struct broad_pair {
  int a, b;
} broad_pair;

typedef struct broad broad;

// Whether two boxes are of interest at all. Must not change while the boxes exist.
typedef bool broad_filter(const void *context, int a, int b);

// Boxes with the numbers 0 to count - 1, all empty. Returns NULL if memory runs out.
broad *broad_create(int count, broad_filter *filter, const void *context);
void broad_destroy(broad *b);

// Where a box is now.
void broad_set(broad *b, int i, broad_box box);
// Finds the pairs that overlap now; threads of `c`, which may be null, share that. Returns false if memory runs out;
// the pairs are then as before.
bool broad_update(broad *b, const crew *c);

// All pairs that overlap, in ascending order. Valid until the next update.
const broad_pair *broad_pairs(const broad *b, int *count);

#endif
