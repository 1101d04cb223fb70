// Pairs of surfaces that are not listed one by one: in a crowd of bodies most of them never meet. A filter says which
// may touch, a table of classes by which material; a sim makes elements of those that come near (state.h).
#ifndef CONTACT_CROWD_H
#define CONTACT_CROWD_H

#include "base/pair_index.h"
#include "contact/contact.h"
#include "mechanics/fault.h"

struct contact_crowd {
  const int *class_of;  // one per surface of the world
  int class_count;
  const contact_material *const *material;  // of two classes, class_count by class_count; null: they do not touch
  const int *joined_start,
      *joined;      // the bodies that a joint connects with body b, from joined_start[b] to joined_start[b + 1]
  pairs apart;      // surfaces that are excluded one by one, or are permanent elements
  bool by_laws;     // forces come from laws: surfaces with a foundation touch with areas
  bool resolves;    // laws take stiffnesses from the surfaces of a pair: contact_resolve
  int points_most;  // the most points that an element may have
  long possible;    // pairs that may touch, but for permanent ones
  long neighbours;  // pairs that could touch, but a joint connects their bodies
};

// Whether a joint that restricts motion connects two bodies.
bool contact_crowd_joined(const contact_crowd *c, int a, int b);
// Whether two surfaces may touch, and are no permanent element.
bool contact_crowd_meets(const contact_world *w, const mechanism *m, int a, int b);
// Their element. It has no name: see contact_name.
contact_element contact_crowd_element(const contact_world *w, const mechanism *m, int a, int b);
// The element of the first two surfaces of two classes. Returns false if there are no two, or if they do not touch.
bool contact_crowd_sample(const contact_world *w, const mechanism *m, int p, int q, contact_element *e);
// The law of an element from its surfaces, where forces come from laws. Returns false after reporting.
bool contact_resolve(const mechanism *m, contact_element *e, const char *name, fault *f);
// Finds an element of the world that a test holds for: of the permanent ones, or of any two classes of a crowd, by
// their first two surfaces; so the test must ask for what is the same for all of two classes. `index`: of a permanent
// element, else -1. Returns false if there is none.
typedef bool contact_test(const mechanism *m, const contact_element *e);
bool contact_find(const contact_world *w, const mechanism *m, contact_test *test, contact_element *found, int *index);
// Counts them likewise: permanent elements, and pairs of surfaces of two classes, those on bodies that cannot meet
// included unless they are more than all that can. `first` is the first one; may be null.
long contact_count(const contact_world *w, const mechanism *m, contact_test *test, contact_element *first);
// Tests for what a law of a contact is remarked by, see contact_material.remarks.
bool contact_restitution_differs(const mechanism *m, const contact_element *e);
bool contact_is_conformal(const mechanism *m, const contact_element *e);

#endif
