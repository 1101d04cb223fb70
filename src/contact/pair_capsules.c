// Two capsules: segments with a layer. Where they cross they touch in one point, where they are parallel along a line.
// Five points cover both: the end of each that is nearest to the segment of the other, and the place where the lines
// cross.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/separation.h"

enum { ENDS = 4, CROSSING = ENDS, POINTS };

// In space.
typedef struct segment {
  vec3 middle, axis;  // of unit length
  double half, radius;
} segment;

static segment segment_of(const mechanism *m, const marker_place *at, const double size[3]) {
  return (segment){at->p, mat3_column(at->R, m->planar ? 0 : 2), 0.5 * size[1], size[0]};
}

static vec3 place_on(const segment *s, double along) { return vec3_axpy(s->middle, along, s->axis); }

static double along_of(const segment *s, vec3 p) { return vec3_dot(s->axis, vec3_sub(p, s->middle)); }

// Of a point of each segment; `otherwise` is the normal where they fall together.
static separation between(const segment *a, double along_a, bool inside_a, const segment *b, double along_b,
                          bool inside_b, vec3 otherwise) {
  vec3 core_a = place_on(a, along_a), core_b = place_on(b, along_b), d = vec3_sub(core_a, core_b);
  double length = vec3_norm(d);
  vec3 n = length > 0 ? vec3_scale(1 / length, d) : otherwise;
  separation s = {.distance = length - a->radius - b->radius,
                  .normal = n,
                  .on_a = vec3_axpy(core_a, -a->radius, n),
                  .on_b = vec3_axpy(core_b, b->radius, n),
                  .of_a = {.layer = a->radius},
                  .of_b = {.layer = b->radius}};
  if (inside_a) s.of_a.edges[0] = a->axis, s.of_a.edge_count = 1;
  if (inside_b) s.of_b.edges[0] = b->axis, s.of_b.edge_count = 1;
  return s;
}

static separation at_end(const segment *a, const segment *b, int k, vec3 otherwise) {
  double end = k % 2 ? 1 : -1;
  if (k < 2) {
    double along = along_of(b, place_on(a, end * a->half)), kept = fmin(fmax(along, -b->half), b->half);
    return between(a, end * a->half, false, b, kept, kept == along, otherwise);
  }
  double along = along_of(a, place_on(b, end * b->half)), kept = fmin(fmax(along, -a->half), a->half);
  return between(a, kept, kept == along, b, end * b->half, false, otherwise);
}

// Where the lines are nearest: (x_a - x_b) · a = 0 and · b = 0. Returns false where that is beyond an end, or the lines
// are parallel.
static bool at_crossing(const segment *a, const segment *b, vec3 otherwise, separation *to) {
  vec3 d = vec3_sub(a->middle, b->middle);
  double c = vec3_dot(a->axis, b->axis), sine2 = 1 - c * c;
  if (sine2 < 1e-12) return false;
  double da = vec3_dot(d, a->axis), db = vec3_dot(d, b->axis);
  double along_a = (c * db - da) / sine2, along_b = (db - c * da) / sine2;
  if (fabs(along_a) > a->half || fabs(along_b) > b->half) return false;
  *to = between(a, along_a, true, b, along_b, true, otherwise);
  return true;
}

// Where segments cross exactly their normal is across both.
static vec3 across(const segment *a, const segment *b) {
  vec3 n = vec3_cross(a->axis, b->axis), t[2];
  double length = vec3_norm(n);
  if (length > 1e-6) return vec3_scale(1 / length, n);
  vec3_tangents(a->axis, t);
  return t[0];
}

// Where there is no crossing it is an end instead, so that schemes that follow gaps in time have one. Returns whether
// the place is there.
static bool find(const segment *a, const segment *b, int k, separation *to) {
  vec3 otherwise = across(a, b);
  if (k == CROSSING && at_crossing(a, b, otherwise, to)) return true;
  *to = at_end(a, b, k % ENDS, otherwise);
  return k != CROSSING;
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  segment a = segment_of(m, &first, e->size_first), b = segment_of(m, &second, e->size_second);
  for (int k = 0; k < POINTS; k++) {
    contact_point *p = &points[k];
    separation s;
    bool there = find(&a, &b, k, &s);
    p->gap = there ? s.distance : fmax(s.distance, 0) + e->span;
    p->node_first = first.node, p->node_second = second.node;
    p->at = vec3_scale(0.5, vec3_add(s.on_a, s.on_b));
    p->apart = contact_apart(&first, &second);
    contact_set_frame(m, p, s.normal);
    p->absent = !there;
    if (e->by_curvature) separation_curvatures(&s, p->curvature);
  }
}

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  marker_state first = marker_read(m, x, e->first), second = marker_read(m, x, e->second);
  marker_place at_first = {.R = first.R, .p = first.p}, at_second = {.R = second.R, .p = second.p};
  segment a = segment_of(m, &at_first, e->size_first), b = segment_of(m, &at_second, e->size_second);
  separation s;
  separation_rate rate;
  find(&a, &b, k, &s);
  if (separation_rate_of(&s, (shape_motion){first.p, first.v, first.w}, (shape_motion){second.p, second.v, second.w},
                         &rate))
    return (contact_travel){.at = vec3_scale(0.5, vec3_add(rate.on_a, rate.on_b)), .n = rate.normal};
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, 0);
}

typedef struct pass {
  const mechanism *m;
  const contact_element *e;
  mat3 R;  // of the first
  vec3 turn;
} pass;

static double gap_at(const void *context, vec3 apart, double left) {
  const pass *w = context;
  marker_place seen = {.R = contact_turned_back(w->R, w->turn, left), .p = apart}, fixed = {.R = MAT3_IDENTITY};
  segment a = segment_of(w->m, &seen, w->e->size_first), b = segment_of(w->m, &fixed, w->e->size_second);
  double least = INFINITY;
  separation s;
  for (int k = 0; k < POINTS; k++)
    if (find(&a, &b, k, &s)) least = fmin(least, s.distance);
  return least;
}

// In the axes of the second.
static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double time, double graze) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  pass w = {m, e, mat3_product(mat3_transpose(b.R), a.R), contact_turn_in(m, x, &a, &b, time)};
  return contact_least_gap(gap_at, &w, before, after, contact_swing(e->shape_first, w.turn), graze);
}

static const char *const names[] = {"end -z of the first", "end +z of the first", "end -z of the second",
                                    "end +z of the second", "crossing"};

const contact_type contact_capsule_capsule = {
    .name = "capsule on capsule",
    .point_count = POINTS,
    .curved = true,
    .evaluate = evaluate,
    .travel = travel,
    .nearest = nearest,
    .point_names = names,
    .tell_overlap = contact_tell_surfaces,
};
