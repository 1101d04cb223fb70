#include "contact/touches.h"

#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"

static bool is_before(const contact_feature *a, const contact_feature *b) {
  for (int i = 0; i < 3; i++)
    if (a->part[i] != b->part[i]) return a->part[i] < b->part[i];
  return false;
}

// The point of each place, -1: none yet; and the place of each point.
typedef struct assignment {
  const contact_touch *touches;
  int count, point_count;
  int point_of[CONTACT_POINTS_MAX];
  bool taken[CONTACT_POINTS_MAX];
} assignment;

static void assign(assignment *a, int touch, int point) { a->point_of[touch] = point, a->taken[point] = true; }

static void keep_same(assignment *a, const contact_feature *held) {
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < a->point_count && a->point_of[i] < 0; k++)
      if (!a->taken[k] && contact_same_feature(&held[k], &a->touches[i].feature)) assign(a, i, k);
}

// The first place that has no point yet, in the order of features; those that continue a vanished one, unless it is null. -1: none.
static int next_place(const assignment *a, const contact_type *type, const contact_feature *vanished) {
  int next = -1;
  for (int i = 0; i < a->count; i++) {
    const contact_feature *f = &a->touches[i].feature;
    if (a->point_of[i] >= 0 || (vanished && !type->continues(vanished, f))) continue;
    if (next < 0 || is_before(f, &a->touches[next].feature)) next = i;
  }
  return next;
}

static void keep_moved(assignment *a, const contact_type *type, const contact_feature *held) {
  for (int k = 0; k < a->point_count; k++) {
    if (a->taken[k] || !contact_is_feature(&held[k])) continue;
    int i = next_place(a, type, &held[k]);
    if (i >= 0) assign(a, i, k);
  }
}

static void take_free(assignment *a, const contact_type *type) {
  int k = 0;
  for (int i = next_place(a, type, NULL); i >= 0; i = next_place(a, type, NULL)) {
    while (a->taken[k]) k++;
    assign(a, i, k);
  }
}

static void set_absent(const mechanism *m, contact_point *p) {
  contact_set_frame(m, p, m->planar ? (vec3){0, 1, 0} : (vec3){0, 0, 1});
  p->gap = INFINITY, p->absent = true;
}

bool contact_place_far(const mechanism *m, const motion *x, const contact_element *e, double reach, double beyond, contact_feature *now, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  double gap = vec3_norm(vec3_sub(first.p, second.p)) - reach;
  if (!(gap > beyond)) return false;
  contact_point absent = {.node_first = first.node, .node_second = second.node, .at = first.p, .apart = contact_apart(&first, &second)};
  set_absent(m, &absent);
  absent.gap = gap;
  for (int k = 0; k < e->point_count; k++) points[k] = absent, now[k] = CONTACT_NO_FEATURE;
  return true;
}

void contact_place_touches(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *held, contact_feature *now,
                           contact_point *points) {
  contact_touch touches[CONTACT_POINTS_MAX];
  assignment a = {.touches = touches, .point_count = e->point_count, .count = e->type->touches(m, x, e, touches)};
  for (int i = 0; i < a.count; i++) a.point_of[i] = -1;
  if (held) keep_same(&a, held);
  if (held && e->type->continues) keep_moved(&a, e->type, held);
  take_free(&a, e->type);
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  for (int k = 0; k < e->point_count; k++) {
    contact_point *p = &points[k];
    p->node_first = first.node, p->node_second = second.node;
    p->at = first.p, p->apart = contact_apart(&first, &second);
    if (!a.taken[k]) set_absent(m, p);
    if (now) now[k] = CONTACT_NO_FEATURE;
  }
  for (int i = 0; i < a.count; i++) {
    int k = a.point_of[i];
    points[k].gap = touches[i].gap, points[k].at = touches[i].at;
    contact_set_frame(m, &points[k], touches[i].n);
    if (now) now[k] = touches[i].feature;
  }
}

// Zero for the place itself, so that units do not matter. A corner may touch twice in one place, with two normals.
int contact_touch_of(const contact_touch *t, int count, const contact_point *p) {
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    double off = vec3_norm(vec3_sub(t[i].at, p->at)) + vec3_norm(vec3_sub(t[i].n, p->n));
    if (off < least) best = i, least = off;
  }
  return best;
}
