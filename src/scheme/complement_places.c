// Places of contact that come and go, in schemes that predict gaps. The forces of an interval belong to the places that
// were found at the end of the free step, and act there over the whole interval. A point follows its place while the
// features exist that make it, or while it moves on to the next ones. Where they make no place, as before two surfaces
// face each other, the point is carried: it stays on the material of both bodies, and its normal turns with the second.
#include <string.h>

#include "contact/frame.h"
#include "mechanics/flexible_boundary.h"
#include "mechanics/marker.h"
#include "scheme/complement_internal.h"

// Where the material of one side is now, in the world.
static vec3 place_of(const complement *s, const contact_element *e, const complement_place *c, int side) {
  const polyline *boundary = side ? e->boundary_second : e->boundary_first;
  marker_place at = marker_find(s->w.m, s->w.x, side ? e->second : e->first);
  if (boundary) return flexible_spot_frame(s->w.m, s->w.x, at.node, &c->spot[side], 0, NULL).p;
  return vec3_add(at.p, mat3_mul(at.R, c->material[side]));
}

static vec3 apart_of(const complement *s, const contact_element *e, const complement_place *c) {
  return vec3_sub(place_of(s, e, c, 0), place_of(s, e, c, 1));
}

static void keep_place(complement *s, int p) {
  const contact_element *e = s->w.entry[p].e;
  const contact_point *at = &s->w.points[p];
  marker_place side[2] = {marker_find(s->w.m, s->w.x, e->first), marker_find(s->w.m, s->w.x, e->second)};
  complement_place *c = &s->place[p];
  *c = (complement_place){.n = mat3_mul(mat3_transpose(side[1].R), at->n)};
  if (e->boundary_first) memcpy(c->spot, at->spot, sizeof c->spot);
  for (int k = 0; k < 2; k++) c->material[k] = mat3_mul(mat3_transpose(side[k].R), vec3_sub(at->at, side[k].p));
  c->gap = at->gap - vec3_dot(at->n, apart_of(s, e, c));
  c->beside = mat3_mul(mat3_transpose(side[1].R), vec3_sub(at->at, place_of(s, e, c, 1)));
}

static void carry(complement *s, int p) {
  const contact_element *e = s->w.entry[p].e;
  const complement_place *c = &s->place[p];
  contact_point *at = &s->w.points[p];
  marker_place second = marker_find(s->w.m, s->w.x, e->second);
  contact_set_frame(s->w.m, at, mat3_mul(second.R, c->n));
  at->gap = c->gap + vec3_dot(at->n, apart_of(s, e, c));
  at->at = vec3_add(place_of(s, e, c, 1), mat3_mul(second.R, c->beside));
  if (e->boundary_first) memcpy(at->spot, c->spot, sizeof at->spot);
}

static bool goes_on(const contact_element *e, const contact_feature *held, const contact_feature *found) {
  if (!contact_is_feature(held) || !contact_is_feature(found)) return false;
  return contact_same_feature(held, found) || (e->type->continues && e->type->continues(held, found));
}

// The points that act keep their places.
void complement_locate(complement *s, const contact_element *e) {
  contact_state *c = s->w.contacts;
  contact_state_locate(c, s->w.m, s->w.x, e, c->found, s->w.points);
  if (!contact_points_change(e)) return;
  for (int p = e->point0; p < e->point0 + e->point_count; p++)
    if (s->place[p].acts && !goes_on(e, &c->held[p], &c->found[p])) carry(s, p);
}

// What was known of a point that stands for another place now was known of that one.
static void forget(complement *s, int p) {
  s->force[p] = (complement_force){0};
  s->miss[p] = (complement_miss){0};
  memset(complement_past(s, p), 0, (size_t)s->options.average * sizeof *s->past);
  impact_separate(s->w.impacts, p);
}

void complement_find_places(complement *s) {
  contact_state *c = s->w.contacts;
  for (int i = 0; i < c->element_count; i++) {
    const contact_element *e = c->elements[i];
    bool presses = false;
    contact_state_locate(c, s->w.m, s->w.x, e, c->found, s->w.points);
    for (int p = e->point0; contact_points_change(e) && p < e->point0 + e->point_count; p++) {
      s->place[p].acts = false;
      if (contact_is_feature(&c->held[p]) && !goes_on(e, &c->held[p], &c->found[p])) forget(s, p);
      presses |= s->w.points[p].gap <= 0 || complement_pressed(s, p);
    }
    if (contact_points_change(e)) contact_state_hold(c, e, presses);
  }
}

void complement_keep_place(complement *s, int p) {
  if (!contact_points_change(s->w.entry[p].e)) return;
  s->w.contacts->held[p] = s->w.contacts->found[p];
  keep_place(s, p);
  s->place[p].acts = true;
}

// A file may hold anything: nodes that a boundary does not have are its first.
static void spot_fields(flexible_spot *spot, int nodes, fields *f) {
  for (int k = 0; k < 2; k++) fields_choice(f, k ? "to" : "from", nodes > 0 ? nodes - 1 : 0, &spot->node[k]);
  fields_finite(f, "part", &spot->part);
}

static int nodes_of(const complement *s, const contact_element *e, int side) {
  if (!(side ? e->boundary_second : e->boundary_first)) return 0;
  const int body = s->w.m->markers[side ? e->second : e->first].body;
  return s->w.m->nodes[s->w.m->bodies[body].node].flex->boundary->count;
}

void complement_place_fields(complement *s, int p, fields *f) {
  complement_place *c = &s->place[p];
  scheme_feature_fields(s->w.contacts, p, f);
  fields_flag(f, "acts", &c->acts);
  scheme_vector_field(&c->n, "carried_n", f);
  scheme_vector_field(&c->beside, "beside", f);
  fields_finite(f, "carried_gap", &c->gap);
  for (int k = 0; k < 2; k++) {
    scheme_vector_field(&c->material[k], k ? "second" : "first", f);
    spot_fields(&c->spot[k], nodes_of(s, s->w.entry[p].e, k), f);
  }
}
