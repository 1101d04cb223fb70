// What is near in one sim. Every live element has a slot, and so has each of its points: what a scheme or a ledger remembers of them is
// in arrays by slot. The permanent elements of the world have the first slots, as long as the sim lives.
#ifndef CONTACT_STATE_H
#define CONTACT_STATE_H

#include "contact/contact.h"

typedef struct contact_state {
  const contact_world *world;
  const contact_element **elements;    // all that are live, in the order of their keys
  int element_count;
  int *points;                         // the slots of their points, in the same order
  int point_count;
  const contact_element **element_of;  // by the slot of a point; null if it is free
  int element_slots, point_slots;      // the lengths of arrays by slot
  double activation;                   // of the world [m]
} contact_state;

// Returns null after reporting.
contact_state *contact_state_create(const contact_world *world, carom_error *error);
void contact_state_destroy(contact_state *s);  // accepts null

// Visits the points of all live elements in order: p is the slot of each.
#define CONTACT_EACH_POINT(state, p)                                                                                     \
  for (int p##_index = 0, p; p##_index < (state)->point_count && ((p = (state)->points[p##_index]), true); p##_index++)

// Where every live point is now, by slot. Positions must be known.
void contact_state_evaluate(const contact_state *s, const mechanism *m, const motion *x, contact_point *points);

#endif
