// What the files that build contacts share.
#ifndef BUILD_CONTACT_BUILDER_H
#define BUILD_CONTACT_BUILDER_H

#include "base/names.h"
#include "base/pair_index.h"
#include "build/builder.h"

// One side of a contact entry: a surface, or all of a group.
typedef struct contact_side {
  int surface, group;  // the other is -1
} contact_side;

// The joints that restrict motion, by body: those of body b are joints[start[b]] to joints[start[b + 1] - 1].
typedef struct neighbour_list {
  int *start, *joints;
} neighbour_list;

// Pairs that may touch but whose contact does not exist.
typedef struct nonexistent_pairs {
  long count;
  int moving, first[2];  // those with a body that moves, and the surfaces of the first of them
} nonexistent_pairs;

typedef struct contact_builder {
  builder *b;
  const mechanism *m;
  contact_element *elements;
  int count, capacity;
  place *places;  // one per element
  int place_count, place_capacity;
  names materials, surfaces, groups;
  pairs pairs;                       // two surfaces → the entry of `contacts` by which they touch
  const contact_material *material;  // one per name
  contact_surface *surface;          // one per surface
  int *surface_group;                // one per surface; -1 if it has none
  contact_side (*sides)[2];          // one pair per entry of `contacts`
  neighbour_list neighbours;
  const bool *is_still;  // one per body: fixed joints alone connect it to ground
  nonexistent_pairs nonexistent;
} contact_builder;

const part *contacts_surface(const contact_builder *c, int i);
int contacts_body(const contact_builder *c, int surface);
bool contacts_exists(const contact_builder *c, int i, int j);
bool contacts_are_points(const contact_builder *c, int i, int j);
// Of an entry of `contacts`.
bool contacts_is_about(const contact_builder *c, int entry, int i, int j);
bool contacts_excludes(const contact_builder *c, int entry);
bool contacts_is_by_name(const contact_builder *c, int entry);
// Whether two surfaces that no entry names may touch.
bool contacts_may_touch(const contact_builder *c, int i, int j);
char *contacts_pair_name(contact_builder *c, int i, int j);
// The material of an entry (may be null), or that of the two surfaces. Returns false after reporting.
bool contacts_choose_material(contact_builder *c, int i, int j, const char *name, const char *material, place at,
                              contact_material *to);
void contacts_note_nonexistent(contact_builder *c, int i, int j);

// Where surfaces have more possible pairs than are listed, and the method finds pairs: a crowd, in which only pairs
// that entries name one by one are permanent. `any`: only pairs of entries touch. Returns false after reporting;
// `crowd` stays null where all pairs are to be listed.
bool builder_crowd(contact_builder *c, bool any, contact_crowd **crowd);

#endif
