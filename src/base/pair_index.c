#include "base/pair_index.h"

pairs pairs_create(arena *memory) { return (pairs){.memory = memory}; }

// The larger number first: two different ones are never 0 together.
static uint64_t key_of(int a, int b) {
  uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
  return high << 32 | low;
}

// Multiplication by the golden ratio mixes into the upper bits.
static int first_slot(const pairs *p, uint64_t key) {
  return (int)((key * 0x9e3779b97f4a7c15u >> 32) & (uint64_t)(p->capacity - 1));
}

// The slot of a key, or the free one where it would go.
static int slot_of(const pairs *p, uint64_t key) {
  int i = first_slot(p, key);
  while (p->keys[i] && p->keys[i] != key) i = (i + 1) & (p->capacity - 1);
  return i;
}

int pairs_find(const pairs *p, int a, int b) {
  if (!p->capacity) return -1;
  int i = slot_of(p, key_of(a, b));
  return p->keys[i] ? p->values[i] : -1;
}

static void put(pairs *p, uint64_t key, int value) {
  int i = slot_of(p, key);
  p->keys[i] = key;
  p->values[i] = value;
  p->count++;
}

static void grow(pairs *p) {
  pairs larger = {.memory = p->memory, .capacity = p->capacity ? 2 * p->capacity : 32};
  larger.keys = ARENA_ARRAY(p->memory, uint64_t, larger.capacity);
  larger.values = ARENA_ARRAY(p->memory, int, larger.capacity);
  for (int i = 0; i < p->capacity; i++)
    if (p->keys[i]) put(&larger, p->keys[i], p->values[i]);
  *p = larger;
}

void pairs_add(pairs *p, int a, int b, int value) {
  if (2 * (p->count + 1) > p->capacity) grow(p);
  put(p, key_of(a, b), value);
}
