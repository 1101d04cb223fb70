// Places of contact that come and go: corners on faces, edges that cross. During a step each point is held to its
// features, so that its gap is smooth. Between steps, and where a closed point leaves its features or the guard of a
// pair shows that a place is missing, the places are found anew. A point keeps its features, its mode and its share of
// the load as long as its place exists. A new place starts open; where a face already lies on another, it touches
// without approach and the modes close it.
#include <math.h>

#include "contact/touches.h"
#include "scheme/event_internal.h"

void event_evaluate_point(event *s, int p) {
  event_point *c = &s->point[p];
  contact_point *to = &s->w.points[p];
  c->within = INFINITY;
  if (!contact_is_feature(&c->feature)) to->gap = INFINITY, to->absent = true;
  else c->within = c->e->type->follow->evaluate(s->w.m, s->w.x, c->e, &c->feature, to);
}

void event_evaluate(event *s) {
  for (int i = 0; i < s->w.contacts->element_count; i++) {
    const contact_element *e = s->w.contacts->elements[i];
    if (!contact_points_change(e)) contact_state_locate(s->w.contacts, s->w.m, s->w.x, e, NULL, s->w.points);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      if (contact_points_change(e)) event_evaluate_point(s, p);
      event_set_frame(s, p);
    }
  }
}

// The places of one element as found, and which of its points stand for them.
typedef struct renewal {
  event *s;
  const contact_element *e;
  contact_touch found[CONTACT_POINTS_MAX];
  bool has_point[CONTACT_POINTS_MAX];
  int count;
  bool was_closed[CONTACT_POINTS_MAX];  // and is free now
  int changed;                          // a point that acted or may act; -1: none
} renewal;

static int find_feature(const renewal *r, const contact_feature *f) {
  for (int i = 0; i < r->count; i++)
    if (contact_same_feature(f, &r->found[i].feature)) return i;
  return -1;
}

// A closed point ends only where it leaves its features. An open one lasts while its place is found.
static void keep_or_release(renewal *r, int p) {
  event *s = r->s;
  event_point *c = &s->point[p];
  if (!contact_is_feature(&c->feature)) return;
  int i = find_feature(r, &c->feature);
  if (i >= 0) r->has_point[i] = true;
  if (event_is_closed(c)) event_evaluate_point(s, p);
  if (i >= 0 || (event_is_closed(c) && c->within > 0)) return;
  if (event_is_closed(c)) r->was_closed[p - r->e->point0] = true, r->changed = p, s->closed_count--;
  event_open_point(&s->w, p);
  s->w.look_again = true;
}

// Whether a closed point is at this place, up to the slack of features: corners of two faces that lie on each other are
// the same place twice. A node that slides on one line towards another is not: their gaps differ.
static bool is_taken(const renewal *r, const contact_touch *t) {
  for (int p = r->e->point0; p < r->e->point0 + r->e->point_count; p++) {
    const contact_point *at = &r->s->w.points[p];
    const double near = 1e-8 * r->e->span;
    if (event_is_closed(&r->s->point[p]) && vec3_norm(vec3_sub(at->at, t->at)) <= near &&
        fabs(at->gap - t->gap) <= near && vec3_dot(at->n, t->n) > 0.5)
      return true;
  }
  return false;
}

// First the points that were closed, so that a contact which slides on from one feature to the next lasts. -1: none.
static int free_point(const renewal *r) {
  const event_point *of = r->s->point + r->e->point0;
  for (int k = 0; k < r->e->point_count; k++)
    if (r->was_closed[k] && !contact_is_feature(&of[k].feature)) return r->e->point0 + k;
  for (int k = 0; k < r->e->point_count; k++)
    if (!contact_is_feature(&of[k].feature)) return r->e->point0 + k;
  return -1;
}

static bool is_before(const contact_feature *a, const contact_feature *b) {
  for (int i = 0; i < 3; i++)
    if (a->part[i] != b->part[i]) return a->part[i] < b->part[i];
  return false;
}

// The guard first, then in the order of features, so that nothing depends on the order in which places are found. -1:
// none is left.
static int next_place(const renewal *r) {
  int next = -1;
  for (int i = 0; i < r->count; i++) {
    if (r->has_point[i]) continue;
    if (contact_is_guard(&r->found[i].feature)) return i;
    if (next < 0 || is_before(&r->found[i].feature, &r->found[next].feature)) next = i;
  }
  return next;
}

static void take_places(renewal *r) {
  event *s = r->s;
  for (int i = next_place(r); i >= 0; i = next_place(r)) {
    r->has_point[i] = true;
    bool guards = contact_is_guard(&r->found[i].feature);
    int p = !guards && is_taken(r, &r->found[i]) ? -1 : free_point(r);
    if (p < 0) continue;
    s->point[p].feature = r->found[i].feature, s->point[p].guards = guards;
    event_evaluate_point(s, p);
    s->w.look_again = true;
    if (!guards && s->w.points[p].gap <= s->w.nearness) r->changed = p;
  }
}

static void tell_guard(const renewal *r) {
  int places = 0;
  for (int p = r->e->point0; p < r->e->point0 + r->e->point_count; p++)
    places += contact_is_feature(&r->s->point[p].feature);
  for (int p = r->e->point0; p < r->e->point0 + r->e->point_count; p++) r->s->point[p].alone = places == 1;
}

int event_renew_places(event *s) {
  int changed = -1;
  for (int i = 0; s->w.contacts->changing_count && i < s->w.contacts->element_count; i++) {
    const contact_element *e = s->w.contacts->elements[i];
    if (!contact_points_change(e)) continue;
    renewal r = {.s = s, .e = e, .changed = -1};
    r.count = e->type->follow->find(s->w.m, s->w.x, e, r.found);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) keep_or_release(&r, p);
    take_places(&r);
    tell_guard(&r);
    if (r.changed >= 0 && changed < 0) changed = r.changed;
  }
  return changed;
}
