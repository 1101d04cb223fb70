// Which slots are free. A pair takes one near the place that it has in the order of all pairs, so that a loop over the
// pairs in their order meets what is kept by slot nearly in the order of memory.
#ifndef CONTACT_SLOTS_H
#define CONTACT_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slot_set {
  uint64_t *words;  // a bit for each slot: it is free
  int count, free;  // slots, and how many of them are free
} slot_set;

// Has at least so many slots; those that are new are free. Returns false if memory runs out.
bool slots_reserve(slot_set *s, int count);
void slots_destroy(slot_set *s);

// Takes the free slot that is nearest to `home`, or nearly so. There must be a free one.
int slots_take(slot_set *s, int home);
void slots_give(slot_set *s, int slot);

#endif
