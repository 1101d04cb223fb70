// What is near in one sim. Every live element has a slot, and so has each of its points: what a scheme or a ledger
// remembers of them is in arrays by slot. The permanent elements of the world have the first slots, as long as the sim
// lives. A pair of a crowd is live while its surfaces are near; its slots are given to other pairs afterwards. Elements
// are visited in the order of their keys (the permanent ones as listed, then pairs by their surfaces), so that nothing
// depends on the slots or on when a pair was found.
#ifndef CONTACT_STATE_H
#define CONTACT_STATE_H

#include "base/fetch.h"
#include "carom/status.h"
#include "contact/contact.h"
#include "contact/touches.h"

typedef struct contact_pool contact_pool;

// Two surfaces by number, the smaller first.
typedef struct contact_key {
  int a, b;
} contact_key;

typedef struct contact_state {
  const contact_world *world;
  const contact_element **elements;  // all that are live, in the order of their keys
  int element_count;
  int *points;  // the slots of their points, in the same order
  int point_count;
  int row_count;                       // of all live points together
  const contact_element **element_of;  // by the slot of a point; null if it is free
  int element_slots, point_slots;      // the lengths of arrays by slot; they grow, at least by half
  // Which features points stand for, by slot, where that changes: in the last step that was completed, if its element
  // touched there, and as last found. What does not touch is not remembered, so that nothing depends on how long a pair
  // has been in the list.
  contact_feature *held, *found;
  contact_memo *memo;           // by the slot of an element: its places of contact as last found,
  contact_touch *memo_touches;  // which are here by the slots of its points
  int changing_count;           // elements whose places of contact come and go
  // By the slot of a point: the normal at the end of the last step, if it touched there, from which the next is found
  // (contact_type.evaluate_from); else zero. Schemes set it from what their checkpoints hold.
  vec3 *start;
  int starting_count;          // elements that make use of it
  contact_searches *searches;  // all that the steps of this sim have made
  double activation;           // of the world [m]
  // What the last refresh has changed. The slots of ended elements are not given to others before the next one.
  const contact_element **ended, **fresh;
  int ended_count, fresh_count;
  contact_pool *pool;  // null if all elements are permanent
  bool straight;  // of a scheme that moves bodies at their velocities alone: pairs that then stay apart are left out,
                  // also if boxes overlap
  const crew *crew;  // shares the search for what is near; may be null
  double shift;      // how far it may have moved a surface beside that on the way behind [m]
  // Storage of whoever has arrays by slot, reserved before pairs become live: `rows` is the most rows of all points.
  // Returns false if memory ran out; then nothing becomes live. May be null.
  bool (*reserve)(void *owner, int rows);
  void *owner;
} contact_state;

// Only permanent elements are live. Returns null after reporting.
contact_state *contact_state_create(const contact_world *world, const mechanism *m, carom_error *error);
void contact_state_destroy(contact_state *s);  // accepts null

// Finds the pairs whose surfaces are near, now or on the way that they have come in the time `behind` and go in the
// time `ahead` at their present velocities. Positions and velocities must be known. What was live still is if it fails:
// memory ran out, or a pair has more points than its class allows.
carom_status contact_refresh(contact_state *s, const mechanism *m, const motion *x, double behind, double ahead,
                             carom_error *error);
// The same, and no pair ends.
carom_status contact_widen(contact_state *s, const mechanism *m, const motion *x, double behind, double ahead,
                           carom_error *error);
// The same with the pairs given, in ascending order. Those that cannot exist are left out.
carom_status contact_state_set(contact_state *s, const mechanism *m, const contact_key *pairs, int count,
                               carom_error *error);

// The slot of the element of a point, by the point's slot; also of a slot that is free. At least one slot for pairs
// exists in a crowd.
int contact_state_element_slot(const contact_state *s, int point);

// For loops over all live elements that are at the i-th one: what such a loop reads of those to come. Elements are
// fetched first, then, by a loop that knows their slots from contact_state_coming, what it has of them by slot.
enum { CONTACT_COMING = 6, CONTACT_EVERY_STEP = 160 };  // elements ahead; bytes that every step reads of one
_Static_assert(offsetof(contact_element, material) <= CONTACT_EVERY_STEP, "what every step reads comes first");
static inline const contact_element *contact_state_coming(const contact_state *s, int i) {
  if (i + 2 * CONTACT_COMING < s->element_count) fetch(s->elements[i + 2 * CONTACT_COMING], CONTACT_EVERY_STEP);
  return i + CONTACT_COMING < s->element_count ? s->elements[i + CONTACT_COMING] : NULL;
}

// Visits the points of all live elements in order: p is the slot of each.
#define CONTACT_EACH_POINT(state, p) \
  for (int p##_index = 0, p; p##_index < (state)->point_count && ((p = (state)->points[p##_index]), true); p##_index++)

// Where every live point is now, by slot. Positions must be known.
void contact_state_evaluate(const contact_state *s, const mechanism *m, const motion *x, contact_point *points);
// The same of one element. Its points stand for the places they are held to; `found` gets their features by slot where
// they change; may be null.
static inline void contact_state_locate(const contact_state *s, const mechanism *m, const motion *x,
                                        const contact_element *e, contact_feature *found, contact_point *points) {
  int p = e->point0;
  if (e->type->evaluate_from) e->type->evaluate_from(m, x, e, s->start[p], s->searches, points + p);
  else if (!contact_points_change(e)) e->type->evaluate(m, x, e, points + p);
  else contact_place_touches(m, x, e, s->held + p, &s->memo[e->slot], found ? found + p : NULL, points + p);
}
// Whether a point was found in another place than it is held to: what was known of it was known of another.
static inline bool contact_state_is_new(const contact_state *s, int p) {
  return !contact_same_feature(&s->held[p], &s->found[p]);
}
// Holds the points of an element to where they were found, or to nothing if it does not touch.
void contact_state_hold(contact_state *s, const contact_element *e, bool touches);
// What the search of the next step begins with: a point that touches; null: nothing. By slot.
static inline void contact_state_start_from(contact_state *s, int p, const contact_point *at) {
  s->start[p] = at ? at->n : VEC3_ZERO;
}

#endif
