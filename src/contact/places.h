// Places where something touches a surface of triangles: collected in the axes of the surface, and chosen where there
// are more than an element has points.
#ifndef CONTACT_PLACES_H
#define CONTACT_PLACES_H

#include "contact/contact.h"
#include "mechanics/marker.h"

typedef struct contact_place {
  vec3 at, n;  // on the surface, and out of it
  double gap;
  contact_feature feature;
} contact_place;

enum { CONTACT_PLACES = 512 };   // of more the spread ones are kept, again and again
#define CONTACT_SAME_PLACE 1e-9  // of the thickness: places that are nearer are one

typedef struct contact_places {
  double span;              // the thickness of the thinner body [m]
  double horizon, deepest;  // places with a gap between -deepest and horizon count
  int count;
  contact_place items[CONTACT_PLACES];
} contact_places;

void contact_begin_places(contact_places *l, double span, double horizon, double deepest);
// Adds a place, unless it is there already. If there are too many, half of them are left, chosen as below.
void contact_add_place(contact_places *l, contact_place p);
// Leaves at most so many: those that touch or nearly do, spread out if they are still too many, then the nearest of the
// others.
void contact_choose_places(contact_places *l, int most);
// The box around a convex shape at a, and `more` beyond it.
void contact_box_around(const convex *shape, pose a, double more, vec3 *low, vec3 *high);
// Where the first surface of an element is in the axes of the second, and where that is.
pose contact_place_on(const mechanism *m, const motion *x, const contact_element *e, marker_place *second);
// As places in the world, halfway between the two bodies. Returns how many.
int contact_take_places(const contact_places *l, const marker_place *surface, contact_touch *to);

#endif
