// The boundary of a flexible body in the plane as it is now, for contact types: vertices, spots, how lines turn, and
// the list of places. Types for schemes that follow places in time describe each by a boundary_place.
#ifndef CONTACT_BOUNDARY_H
#define CONTACT_BOUNDARY_H

#include "contact/contact.h"
#include "mechanics/marker.h"

typedef struct boundary {
  const polyline *line;
  const vec2 *places;  // of its nodes, in the axes of the body
  pose2 at;
} boundary;

static inline boundary boundary_of(const motion *x, const marker_place *at, const polyline *line) {
  return (boundary){line, x->flexible[at->node].boundary, pose2_of((pose){at->R, at->p})};
}

static inline vec2 boundary_local(const boundary *s, int v) { return s->places[s->line->place[v]]; }
static inline vec2 boundary_vertex(const boundary *s, int v) { return pose2_point(s->at, boundary_local(s, v)); }
static inline double boundary_length(const boundary *s, int v) {  // of the line from a vertex to the next
  return vec2_norm(vec2_sub(boundary_local(s, s->line->next[v]), boundary_local(s, v)));
}
static inline double boundary_size(const polyline *l) { return vec2_norm(vec2_sub(l->high, l->low)); }  // undeformed

static inline bool boundary_is_vertex(const polyline_foot *f) { return f->vertex[0] == f->vertex[1]; }
static inline bool boundary_is_node(const flexible_spot *s) { return s->node[0] == s->node[1]; }

static inline flexible_spot boundary_spot_at(const boundary *s, int v) {
  return (flexible_spot){{s->line->place[v], s->line->place[v]}, 0};
}
static inline flexible_spot boundary_spot_on(const boundary *s, const polyline_foot *f) {
  return (flexible_spot){{s->line->place[f->vertex[0]], s->line->place[f->vertex[1]]}, f->part};
}

// Whether a node touches a line or arc with the outward normal n, in the world: not where a line beside it leads deeper
// by more than 60 degrees, as the side of a box whose corner goes by. The end of a side has one line beside it.
bool boundary_faces(const boundary *s, int v, vec2 n);

// --- the list of places ----------------------------------------------------------------------------------------------

typedef struct boundary_list {
  contact_touch *to;
  int count, most;
} boundary_list;

// Of more places than there is room for, those with the largest gaps are left out.
void boundary_add(boundary_list *s, contact_touch t);

// --- places that are followed ------------------------------------------------------------------------------------------

#define BOUNDARY_SLACK 2e-9  // of the size of both: so far beyond the end of its features a place is still found

typedef struct boundary_place {
  double gap, within;  // beyond the end of its features `within` is negative [m]
  vec2 n, at;
  flexible_spot spot[2];
} boundary_place;

typedef void boundary_visit(void *to, const contact_feature *f, const boundary_place *p);

// To begin with, and where there is none.
boundary_place boundary_no_place(const boundary *a, const boundary *b);
boundary_visit boundary_take_nearest;  // to a boundary_place: the one with the least gap, without an end

// The guard, and behind it those nearer than `within` in the order of gaps. Of more places than there is room for,
// those with the largest gaps are left out.
typedef struct boundary_search {
  contact_touch *to;
  int count, most;
  double within;
} boundary_search;

boundary_search boundary_begin_search(const contact_element *e, const boundary *a, contact_touch *to);
boundary_visit boundary_insert;  // to a boundary_search

// Sets the point of an element from its place.
void boundary_set_point(const mechanism *m, const motion *x, const contact_element *e, const boundary_place *from,
                        contact_point *p);

// --- travel ----------------------------------------------------------------------------------------------------------

vec3 boundary_turned(double turn, vec3 n);  // the rate of a normal that turns
// How fast the line between two places of a body turns [rad/s].
double boundary_line_turn(const mechanism *m, const motion *x, int index, const flexible_spot *s);
// The normal belongs to the line of the spot on side k, and the place to what has the velocity v on the other side.
contact_travel boundary_travel_on_line(const mechanism *m, const motion *x, const contact_point *p, int k, vec3 v);

// The same node, or corner, has moved on to the next line.
bool boundary_continues(const contact_feature *vanished, const contact_feature *place);

#endif
