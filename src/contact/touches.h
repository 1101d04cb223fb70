// Places of contact that come and go, and the points of an element that stand for them. A place keeps its point while
// its features touch, or while it moves on from one feature to the next (contact_type.continues). New places take the
// first points that are free, in the order of their features. So which point stands for a place depends on what was
// remembered and on the features, not on the order in which places are found.
#ifndef CONTACT_TOUCHES_H
#define CONTACT_TOUCHES_H

#include <string.h>

#include "contact/contact.h"

#define CONTACT_NO_FEATURE ((contact_feature){{-1, -1, -1}})

// The guard of a pair that is followed.
enum { CONTACT_GUARD = 1 << 20 };
#define CONTACT_GUARD_FEATURE ((contact_feature){{CONTACT_GUARD, 0, 0}})
static inline bool contact_is_guard(const contact_feature *f) { return f->part[0] == CONTACT_GUARD; }

static inline bool contact_is_feature(const contact_feature *f) { return f->part[0] >= 0; }
static inline bool contact_same_feature(const contact_feature *a, const contact_feature *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

// The places of contact of an element whose type has `touches_at`, as they were found last. They follow from the pose
// alone, so that nothing depends on whether they are found anew. Bodies that stand on each other keep their pose, and
// finding its places takes long.
typedef struct contact_memo {
  pose at;    // of the first surface in the axes of the second
  int count;  // of places; -1: nothing is known
  contact_touch *touches;
} contact_memo;

// The `touches` of types with `touches_at`.
int contact_touches_by_pose(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to);

// Sets the points of an element whose places come and go. `held` says what its points stood for before; may be null:
// for nothing. `now` gets what they stand for; may be null. Points without a place are absent. `memo` may be null.
void contact_place_touches(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *held,
                           contact_memo *memo, contact_feature *now, contact_point *points);

// The same of an element whose surfaces, by the places of their markers, are farther apart than `reach` and `beyond`:
// all points are absent, and the gap of the first is what they are farther apart than `reach`. Returns false if they
// may be nearer; then nothing is set.
bool contact_place_far(const mechanism *m, const motion *x, const contact_element *e, double reach, double beyond,
                       contact_feature *now, contact_point *points);

// Which of `count` places a point stands for that was evaluated in the same position: for rates. -1: there is none.
int contact_touch_of(const contact_touch *t, int count, const contact_point *p);

#endif
