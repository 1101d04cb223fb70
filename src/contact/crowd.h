// Pairs of surfaces that are not listed one by one: in a crowd of bodies most of them never meet. A filter says which may touch, a table of
// classes by which material; a sim makes elements of those that come near (state.h).
#ifndef CONTACT_CROWD_H
#define CONTACT_CROWD_H

#include "base/pairs.h"
#include "contact/contact.h"

struct contact_crowd {
  const int *class_of;                      // one per surface of the world
  int class_count;
  const contact_material *const *material;  // of two classes, class_count by class_count; null: they do not touch
  const int *joined_start, *joined;         // the bodies that a joint connects with body b, from joined_start[b] to joined_start[b + 1]
  pairs apart;                              // surfaces that are excluded one by one, or are permanent elements
  int points_most;                          // the most points that an element may have
  long possible;                            // pairs that may touch, but for permanent ones
  long neighbours;                          // pairs that could touch, but a joint connects their bodies
};

// Whether a joint that restricts motion connects two bodies.
bool contact_crowd_joined(const contact_crowd *c, int a, int b);
// Whether two surfaces may touch, and are no permanent element.
bool contact_crowd_meets(const contact_world *w, const mechanism *m, int a, int b);
// Their element. It has no name: see contact_name.
contact_element contact_crowd_element(const contact_world *w, const mechanism *m, int a, int b);

#endif
