#include "contact/slots.h"

#include <stdlib.h>

enum { BITS = 64 };

bool slots_reserve(slot_set *s, int count) {
  if (count <= s->count) return true;
  int words = (count + BITS - 1) / BITS, had = (s->count + BITS - 1) / BITS;
  uint64_t *grown = realloc(s->words, (size_t)words * sizeof *grown);
  if (!grown) return false;
  for (int i = had; i < words; i++) grown[i] = 0;
  s->words = grown;
  for (int slot = s->count; slot < count; slot++) slots_give(s, slot);
  s->count = count;
  return true;
}

void slots_destroy(slot_set *s) {
  free(s->words);
  *s = (slot_set){0};
}

void slots_give(slot_set *s, int slot) {
  s->words[slot / BITS] |= (uint64_t)1 << slot % BITS;
  s->free++;
}

// The free slot of a word that is not zero: the first from `bit` on, else the last before it.
static int choose(uint64_t word, int bit) {
  uint64_t above = word >> bit;
  return above ? bit + __builtin_ctzll(above) : BITS - 1 - __builtin_clzll(word);
}

int slots_take(slot_set *s, int home) {
  int words = (s->count + BITS - 1) / BITS, at = home / BITS, slot = -1;
  for (int away = 0; slot < 0; away++) {
    int up = at + away, down = at - away;
    if (up < words && s->words[up]) slot = BITS * up + choose(s->words[up], away ? 0 : home % BITS);
    else if (down >= 0 && s->words[down]) slot = BITS * down + choose(s->words[down], BITS - 1);
  }
  s->words[slot / BITS] &= ~((uint64_t)1 << slot % BITS);
  s->free--;
  return slot;
}
