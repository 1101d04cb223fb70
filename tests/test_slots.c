// Free slots (contact/slots.h).
#include "check.h"

#include "base/random.h"
#include "contact/slots.h"

enum { SLOTS = 300 };

// The first free slot from `home` on if it is in the same word of 64, else one of the next word that has any.
static void near_slots_are_taken(void) {
  slot_set s = {0};
  CHECK(slots_reserve(&s, SLOTS));
  CHECK_EQUAL(s.free, SLOTS);
  CHECK_EQUAL(slots_take(&s, 70), 70);
  CHECK_EQUAL(slots_take(&s, 70), 71);
  slots_give(&s, 70);
  CHECK_EQUAL(slots_take(&s, 70), 70);
  for (int i = 64; i < 128; i++)
    if (i != 70 && i != 71) CHECK_EQUAL(slots_take(&s, i), i);
  CHECK_EQUAL(slots_take(&s, 100), 128);  // its word is full: the next one upwards, then the one below
  for (int i = 129; i < SLOTS; i++) CHECK_EQUAL(slots_take(&s, i), i);
  CHECK_EQUAL(slots_take(&s, SLOTS - 1), 63);
  CHECK_EQUAL(s.free, 63);
  slots_destroy(&s);
}

// No slot is given twice, all are given in the end, and those that were added are free.
static void slots_are_given_once(void) {
  slot_set s = {0};
  bool taken[SLOTS] = {false};
  int count = 0;
  for (int size = 1; size <= SLOTS; size += 13) {
    CHECK(slots_reserve(&s, size));
    CHECK_EQUAL(s.count, size);
    for (int k = 0; s.free > 0; k++) {
      int slot = slots_take(&s, (int)(random_share(random_bits(1, (uint64_t)size, (uint64_t)k)) * size));
      if (!CHECK(slot >= 0 && slot < size && !taken[slot])) break;
      taken[slot] = true, count++;
    }
    CHECK_EQUAL(count, size);
    for (int i = 0; i < size; i += 2) slots_give(&s, i), taken[i] = false, count--;
    CHECK_EQUAL(s.free, size - count);
  }
  slots_destroy(&s);
}

int main(void) {
  RUN(near_slots_are_taken);
  RUN(slots_are_given_once);
  return check_summary();
}
