// Contact of outlines in the plane: polygons, curves and chains of arcs, with each other and with circles, boxes,
// points and planes.
//
// Two convex outlines of which one has no straight edge are nearest in one place: their element has one point. A
// polygon on a plane has its corners as points. Other pairs touch in any number of places. Each place belongs to a
// feature of one outline, which gives it a point of the element: a corner keeps its point while it slides over the
// other outline, and a flat face has the points of the two corners that end it.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/touch.h"

enum { POINTS_MOST = 16 };  // of an element

// --- places and points -----------------------------------------------------------------------------------------------

static pose2 pose_of(const marker_place *p) { return pose2_of((pose){p->R, p->p}); }

static bool is_line(double radius) { return isinf(radius); }

// The feature that a place belongs to, numbered over both outlines: not the line; a corner rather than a curve; a curve
// of the outline that has more of them.
static int owner_of(const contact_element *e, const touch *t) {
  const outline *a = e->outline_first, *b = e->outline_second;
  bool second = is_line(t->radius[0]);
  if (!second && !is_line(t->radius[1]))
    second = t->radius[0] == 0 ? false : t->radius[1] == 0 ? true : b->curved_count > a->curved_count;
  return second ? a->curved_count + t->id[1] : t->id[0];
}

static int other_of(const contact_element *e, const touch *t, int owner) {
  return owner < e->outline_first->curved_count ? t->id[1] : t->id[0];
}

static contact_feature feature_of(const contact_element *e, const touch *t) {
  int owner = owner_of(e, t);
  return (contact_feature){{owner, other_of(e, t, owner), 0}};
}

// What it belongs to is the same: it slides on to the next feature of the other outline.
static bool continues(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == place->part[0];
}

static void order_by_gap(touch *t, int count) {
  for (int i = 1; i < count; i++) {
    touch moved = t[i];
    int k = i;
    for (; k > 0 && moved.gap < t[k - 1].gap; k--) t[k] = t[k - 1];
    t[k] = moved;
  }
}

// Where there are more places than points, the nearest count.
static int find_places(const contact_element *e, pose2 first, pose2 second, touch to[TOUCHES_MAX]) {
  int count = touches_of(e->outline_first, first, e->outline_second, second, INFINITY, to);
  if (count <= e->point_count) return count;
  order_by_gap(to, count);
  return e->point_count;
}

// --- points ----------------------------------------------------------------------------------------------------------

static bool is_plane(const outline *o) { return isinf(o->high.x); }

// Where the percussion acts: on the body that touches a plane, else midway. Also for rates.
static vec3 place_between(const contact_element *e, vec2 on_a, vec2 on_b) {
  return vec2_in_space(is_plane(e->outline_second) ? on_a : vec2_scale(0.5, vec2_add(on_a, on_b)));
}

static void list_touches(const contact_element *e, const touch *t, int count, contact_touch *to) {
  for (int i = 0; i < count; i++)
    to[i] = (contact_touch){.feature = feature_of(e, &t[i]),
                            .gap = t[i].gap,
                            .at = place_between(e, t[i].on_a, t[i].on_b),
                            .n = vec2_in_space(t[i].normal)};
}

static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  touch t[TOUCHES_MAX];
  int count = find_places(e, pose_of(&first), pose_of(&second), t);
  list_touches(e, t, count, to);
  return count;
}

// Of two convex outlines that are nearest in one place.
static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  contact_touch at;
  if (find_touches(m, x, e, &at) == 0) at = (contact_touch){.gap = INFINITY, .at = first.p, .n = {0, 1, 0}};
  points->gap = at.gap, points->at = at.at, points->apart = contact_apart(&first, &second);
  points->node_first = first.node, points->node_second = second.node;
  contact_set_frame(m, points, at.n);
}

static outline_motion motion_of(const marker_state *s) {
  return (outline_motion){vec2_of(s->p), vec2_of(s->v), s->w.z};
}

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  (void)k;
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  touch t[TOUCHES_MAX];
  contact_touch all[CONTACT_POINTS_MAX];
  int count = find_places(e, pose_of(&first), pose_of(&second), t);
  list_touches(e, t, count, all);
  int i = contact_touch_of(all, count, p);
  touch_rate r;
  if (i < 0 || !touch_rate_of(&t[i], motion_of(&a), motion_of(&b), &r)) return (contact_travel){0};
  return (contact_travel){.at = place_between(e, r.on_a, r.on_b),
                          .n = vec2_in_space(vec2_scale(r.turn, vec2_left(t[i].normal)))};
}

// --- corners on a plane ----------------------------------------------------------------------------------------------

static bool is_corner(const outline_feature *f) { return f->kind == OUTLINE_ROUND && f->radius == 0 && f->sense > 0; }

static void evaluate_corners(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  pose2 at = pose_of(&body);
  vec3 n = mat3_column(plane.R, 1);
  int k = 0;
  for (int i = 0; i < e->outline_first->count; i++) {
    const outline_feature *f = &e->outline_first->features[i];
    if (!is_corner(f)) continue;
    contact_point *p = &points[k++];
    p->at = vec2_in_space(pose2_point(at, f->centre));
    p->gap = vec3_dot(n, vec3_sub(p->at, plane.p));
    p->node_first = body.node, p->node_second = plane.node;
    contact_set_frame(m, p, n);
  }
}

static contact_travel travel_of_corner(const mechanism *m, const motion *x, const contact_element *e,
                                       const contact_point *p, int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, 0);
}

// --- a point with one place ------------------------------------------------------------------------------------------

// The signed distance from the outline: continuous, and its gradient is the normal, so that a force that depends on it
// has a potential.
static void evaluate_nearest(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place point = marker_find(m, x, e->first), body = marker_find(m, x, e->second);
  pose2 at = pose_of(&body);
  p->apart = contact_apart(&point, &body);
  outline_foot foot = outline_nearest(e->outline_second, vec2_of(p->apart));
  p->gap = foot.gap, p->at = point.p;
  p->node_first = point.node, p->node_second = body.node;
  contact_set_frame(m, p, vec2_in_space(pose2_turn(at, foot.normal)));
}

// --- passages --------------------------------------------------------------------------------------------------------

typedef struct pass {
  const contact_element *e;
  pose2 turned;  // the first outline in the axes of the second, at the end of the way
  double turn;   // on the way [rad]
} pass;

// The least of all places; two edges that face each other have two.
static double gap_at(const void *context, vec3 apart, double left) {
  const pass *w = context;
  touch t[TOUCHES_MAX];
  circle back = circle_at(-left * w->turn);
  pose2 at = {vec2_of(apart), w->turned.c * back.c - w->turned.s * back.s, w->turned.s * back.c + w->turned.c * back.s};
  int count = touches_of(w->e->outline_first, at, w->e->outline_second, (pose2){{0, 0}, 1, 0}, INFINITY, t);
  double least = INFINITY;
  for (int i = 0; i < count; i++) least = fmin(least, t[i].gap);
  return least;
}

// The gap of a concave outline, or of one that turns far, has several minima on a way. Outlines that are apart cannot
// meet before they have come as far as their gap; where they are near or overlap, every sixteenth of the thinner body
// is looked at. `swing` is the way of the farthest point in the turn.
static double search(const pass *w, const contact_point *before, const contact_point *after, double swing,
                     double graze) {
  enum { LOOKS = 16, LOOKS_MOST = 1000 };
  vec3 way = vec3_sub(after->apart, before->apart);
  double length = vec3_norm(way) + swing, least = 0.5 * (before->gap + after->gap - length);
  if (least > -graze) return least;
  double part = fmax(fmax(w->e->span / LOOKS, graze), length / LOOKS_MOST);
  least = INFINITY;
  for (double at = fmax(before->gap, part); at < length && least >= -graze;) {
    double gap = gap_at(w, vec3_axpy(before->apart, at / length, way), 1 - at / length);
    least = fmin(least, gap), at += fmax(gap, part);
  }
  return least;
}

static double swing_of(const outline *o, double turn) {
  double reach = hypot(fmax(fabs(o->low.x), fabs(o->high.x)), fmax(fabs(o->low.y), fabs(o->high.y)));
  return fabs(turn) > 1e-7 && isfinite(reach) ? fabs(turn) * reach : 0;
}

static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double time, double graze) {
  const double far = 0.3;  // turns by less have one minimum on the way of convex outlines [rad]
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pass w = {e, pose2_between(pose_of(&first), pose_of(&second)), contact_turn_in(m, x, &first, &second, time).z};
  bool convex = e->outline_first->convex && e->outline_second->convex;
  double swing = swing_of(e->outline_first, w.turn);
  if (convex && fabs(w.turn) < far) return contact_least_gap(gap_at, &w, before, after, swing, graze);
  return contact_without_turn(gap_at, &w, before, search(&w, before, after, swing, graze), graze);
}

// --- types -----------------------------------------------------------------------------------------------------------

// Of a circle its own, flat edges of a polygon, none of a curve, whose radius varies.
static double radius_of(const outline *o) {
  if (o->features[0].all_round) return o->features[0].radius;
  return o->polygon ? CONTACT_FLAT : CONTACT_SHARP;
}

static void curvatures(const contact_element *e, double radius[2]) {
  radius[0] = radius_of(e->outline_first), radius[1] = radius_of(e->outline_second);
}

static const char *const corners[POINTS_MOST] = {
    "corner 1", "corner 2",  "corner 3",  "corner 4",  "corner 5",  "corner 6",  "corner 7",  "corner 8",
    "corner 9", "corner 10", "corner 11", "corner 12", "corner 13", "corner 14", "corner 15", "corner 16"};

static bool is_flat(const contact_element *e) { return e->outline_first->flat && e->outline_second->flat; }

const contact_type contact_outlines = {
    .name = "outline on outline",
    .point_count_planar = 1,
    .evaluate = evaluate,
    .travel = travel,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
static const contact_type contact_outlines_many = {
    .name = "outline on outline",
    .point_count_planar = POINTS_MOST,
    .is_flat = is_flat,
    .touches = find_touches,
    .continues = continues,
    .travel = travel,
    .follow = &contact_follow_outlines,
    .point_names_planar = contact_point_numbers,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
// Of splines, whose places cannot be followed.
static const contact_type contact_curves_many = {
    .name = "outline on outline",
    .point_count_planar = POINTS_MOST,
    .is_flat = is_flat,
    .touches = find_touches,
    .continues = continues,
    .travel = travel,
    .point_names_planar = contact_point_numbers,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
static const contact_type contact_outline_plane = {
    .name = "polygon on plane",
    .point_count_planar = POINTS_MOST,
    .is_flat = is_flat,
    .evaluate = evaluate_corners,
    .travel = travel_of_corner,
    .point_names_planar = corners,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};

static const contact_type contact_point_outline = {
    .name = "point in outline",
    .point_count_planar = 1,
    .evaluate = evaluate_nearest,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};

bool contact_set_nearest(contact_element *e) {
  if (!e->outline_first || e->outline_first->size > 0 || e->outline_second->convex) return false;
  e->type = &contact_point_outline, e->point_count = 1, e->point_names = NULL;
  return true;
}

static bool has_cubics(const outline *o) {
  for (int i = 0; i < o->count; i++)
    if (o->features[i].kind == OUTLINE_CUBIC) return true;
  return false;
}

static bool has_a_point_for_each_corner(const outline *o) { return o->polygon && o->corner_count <= POINTS_MOST; }

int contact_outline_sort(const outline *o) {
  return is_plane(o) | has_a_point_for_each_corner(o) << 1 | o->convex << 2 | o->flat << 3 | has_cubics(o) << 4;
}

void contact_set_outlines(contact_element *e, const outline *first, const outline *second) {
  e->outline_first = first, e->outline_second = second;
  if (is_plane(second) && has_a_point_for_each_corner(first)) {
    e->type = &contact_outline_plane, e->point_count = first->corner_count;
    return;
  }
  bool one = first->convex && second->convex && !(first->flat && second->flat);
  int curved = first->curved_count + second->curved_count + 1;  // and a guard (contact_follow)
  e->type = one                                       ? &contact_outlines
            : has_cubics(first) || has_cubics(second) ? &contact_curves_many
                                                      : &contact_outlines_many;
  e->point_count = one ? 1 : curved < POINTS_MOST ? curved : POINTS_MOST;
}

void contact_outline_include(outline_bounds *b, const outline *o) {
  if (o->curved_count > b->curved) b->curved = o->curved_count;
  if (has_a_point_for_each_corner(o) && o->corner_count > b->corners) b->corners = o->corner_count;
  b->concave |= !o->convex, b->flat |= o->flat, b->plane |= is_plane(o);
}

// The points of a pair are not the sum of what each has alone: the bound follows the cases of contact_set_outlines.
int contact_outlines_most(const outline_bounds *a, const outline_bounds *b) {
  bool one = !a->concave && !b->concave && !(a->flat && b->flat);
  int curved = a->curved + b->curved + 1, most = one ? 1 : curved < POINTS_MOST ? curved : POINTS_MOST;
  if (b->plane && a->corners > most) most = a->corners;
  if (a->plane && b->corners > most) most = b->corners;
  return most;
}
