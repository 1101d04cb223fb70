#include "base/names.h"

#include <stdint.h>
#include <string.h>

names names_create(arena *memory) { return (names){.memory = memory}; }

// FNV-1a
static uint32_t hash(const char *text) {
  uint32_t h = 2166136261u;
  for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
  return h;
}

// The slot of a name, or the free one where it would go.
static int slot_of(const names *n, const char *name) {
  int mask = n->capacity - 1, i = (int)(hash(name) & (uint32_t)mask);
  while (n->keys[i] && strcmp(n->keys[i], name) != 0) i = (i + 1) & mask;
  return i;
}

int names_find(const names *n, const char *name) {
  if (!n->capacity) return -1;
  int i = slot_of(n, name);
  return n->keys[i] ? n->values[i] : -1;
}

static void grow(names *n) {
  names larger = {.memory = n->memory, .capacity = n->capacity ? 2 * n->capacity : 32};
  larger.keys = ARENA_ARRAY(n->memory, const char *, larger.capacity);
  larger.values = ARENA_ARRAY(n->memory, int, larger.capacity);
  for (int i = 0; i < n->capacity; i++)
    if (n->keys[i]) names_add(&larger, n->keys[i], n->values[i]);
  *n = larger;
}

void names_add(names *n, const char *name, int value) {
  if (2 * (n->count + 1) > n->capacity) grow(n);
  int i = slot_of(n, name);
  n->keys[i] = name;
  n->values[i] = value;
  n->count++;
}
