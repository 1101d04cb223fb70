// A map from names to indices, for building models with many parts.
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/arena.h"

typedef struct names {
  arena *memory;
  const char **keys;
  int *values;
  int count, capacity;  // capacity is a power of two
} names;

names names_create(arena *memory);
// The value of a name, or -1.
int names_find(const names *n, const char *name);
// Adds a name that must not be there yet; the text is kept by reference.
void names_add(names *n, const char *name, int value);

#endif
