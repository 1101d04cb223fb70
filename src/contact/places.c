#include "contact/places.h"

#include "contact/pairs.h"

#include <math.h>

#define CLOSE 1e-3  // of the thickness: places with a smaller gap count alike where there are too many

void contact_begin_places(contact_places *l, double span, double horizon, double deepest) {
  l->span = span, l->horizon = horizon, l->deepest = deepest, l->count = 0;
}

void contact_add_place(contact_places *l, contact_place p) {
  if (!(p.gap <= l->horizon && p.gap >= -l->deepest)) return;
  for (int i = 0; i < l->count; i++)
    if (vec3_norm(vec3_sub(l->items[i].at, p.at)) <= CONTACT_SAME_PLACE * l->span &&
        vec3_dot(l->items[i].n, p.n) > 1 - 1e-9)
      return;
  if (l->count == CONTACT_PLACES) contact_choose_places(l, CONTACT_PLACES / 2);
  l->items[l->count++] = p;
}

// How different two places are: by where they are and by their normals.
static double apart(const contact_places *l, int i, int k) {
  vec3 at = vec3_sub(l->items[i].at, l->items[k].at), n = vec3_scale(l->span, vec3_sub(l->items[i].n, l->items[k].n));
  return vec3_dot(at, at) + vec3_dot(n, n);
}

static void swap_places(contact_places *l, int i, int k) {
  contact_place moved = l->items[i];
  l->items[i] = l->items[k], l->items[k] = moved;
}

static int nearest_from(const contact_places *l, int first) {
  int best = first;
  for (int i = first + 1; i < l->count; i++)
    if (l->items[i].gap < l->items[best].gap) best = i;
  return best;
}

// Moves places to the front that are spread over all of the first `count`: the deepest of them, then each time the one
// that is farthest from those before. So what holds the body is as wide as what it lies on.
static void spread(contact_places *l, int count, int most) {
  double off[CONTACT_PLACES];
  swap_places(l, 0, nearest_from(l, 0));
  for (int i = 1; i < count; i++) off[i] = apart(l, i, 0);
  for (int chosen = 1; chosen < most; chosen++) {
    int far = chosen;
    for (int i = chosen + 1; i < count; i++)
      if (off[i] > (1 + 1e-6) * off[far]) far = i;
    swap_places(l, chosen, far);
    off[far] = off[chosen];
    for (int i = chosen + 1; i < count; i++) off[i] = fmin(off[i], apart(l, i, chosen));
  }
}

void contact_choose_places(contact_places *l, int most) {
  if (l->count <= most) return;
  double least = l->items[nearest_from(l, 0)].gap, close = fmax(least, 0) + CLOSE * l->span;
  int count = 0;
  for (int i = 0; i < l->count; i++)
    if (l->items[i].gap <= close) swap_places(l, count++, i);
  if (count > most) spread(l, count, most);
  for (; count < most; count++) swap_places(l, count, nearest_from(l, count));
  l->count = most;
}

void contact_box_around(const convex *shape, pose a, double more, vec3 *low, vec3 *high) {
  double least[3], most[3], at[3];
  vec3_store(at, a.p);
  more += shape->layer;
  for (int k = 0; k < 3; k++) {
    vec3 n = {a.R.m[3 * k], a.R.m[3 * k + 1], a.R.m[3 * k + 2]};  // an axis of the surface in those of the shape
    least[k] = at[k] + vec3_dot(n, convex_support(shape, vec3_neg(n))) - more;
    most[k] = at[k] + vec3_dot(n, convex_support(shape, n)) + more;
  }
  *low = vec3_of(least), *high = vec3_of(most);
}

pose contact_place_on(const mechanism *m, const motion *x, const contact_element *e, marker_place *second) {
  marker_place first = marker_find(m, x, e->first);
  *second = marker_find(m, x, e->second);
  return (pose){mat3_product(mat3_transpose(second->R), first.R), contact_apart(&first, second)};
}

int contact_take_places(const contact_places *l, const marker_place *surface, contact_touch *to) {
  for (int i = 0; i < l->count; i++) {
    const contact_place *p = &l->items[i];
    to[i] = (contact_touch){.feature = p->feature,
                            .gap = p->gap,
                            .n = mat3_mul(surface->R, p->n),
                            .at = vec3_add(surface->p, mat3_mul(surface->R, vec3_axpy(p->at, 0.5 * p->gap, p->n)))};
  }
  return l->count;
}
