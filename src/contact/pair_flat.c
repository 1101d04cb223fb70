// Two shapes with flat faces: boxes and hulls. They touch at the corners of the region where two faces lie above each
// other, each a contact point of its own, or where two edges cross.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

// Points with a larger gap than this part of the thinner body are not looked for.
#define HORIZON 0.1

typedef struct touching {
  flat_touch t;
  separation s;  // where no face has a point near
  bool by_face;
} touching;

static void look(const contact_element *e, pose at_a, pose at_b, touching *w) {
  flat_find_touch(e->faces_first, at_a, e->faces_second, at_b, HORIZON * e->span, &w->t);
  double least = INFINITY;
  for (int i = 0; i < w->t.count; i++) least = fmin(least, w->t.points[i].gap);
  // the nearest point is at a corner of the region, or else beside it, where faces say nothing
  w->by_face = w->t.count > 0 && least <= w->t.distance + 1e-6 * e->span;
  if (!w->by_face) w->s = separation_of(e->shape_first, at_a, e->shape_second, at_b, false);
  w->t.count = manifold_reduce(w->t.points, w->t.count, e->point_count);
}

// A corner of the first or the second shape, two edges that cross, or the nearest points where faces say nothing. The
// order is that in which they take points.
enum { CORNER_OF_FIRST, CORNER_OF_SECOND, CROSSING, NEAREST };

contact_touch contact_touch_at_corner(const manifold_point *p, vec3 n) {
  contact_feature f = {{CROSSING, p->of_a, p->of_b}};
  if (p->of_b < 0) f = (contact_feature){{CORNER_OF_FIRST, p->of_a, 0}};
  if (p->of_a < 0) f = (contact_feature){{CORNER_OF_SECOND, p->of_b, 0}};
  return (contact_touch){.feature = f, .gap = p->gap, .at = vec3_scale(0.5, vec3_add(p->on_a, p->on_b)), .n = n};
}

contact_touch contact_touch_at_nearest(const separation *s, vec3 n) {
  return (contact_touch){
      .feature = {{NEAREST}}, .gap = s->distance, .at = vec3_scale(0.5, vec3_add(s->on_a, s->on_b)), .n = n};
}

bool contact_crossing_continues(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == CROSSING && place->part[0] == CROSSING &&
         (vanished->part[1] == place->part[1] || vanished->part[2] == place->part[2]);
}

static int list_touches(const touching *w, contact_touch *to) {
  if (!w->by_face) {
    *to = contact_touch_at_nearest(&w->s, w->s.normal);
    return 1;
  }
  for (int i = 0; i < w->t.count; i++) to[i] = contact_touch_at_corner(&w->t.points[i], w->t.normal);
  return w->t.count;
}

static int find_touches(const contact_element *e, pose first, contact_touch *to) {
  touching w;
  look(e, first, POSE_IDENTITY, &w);
  return list_touches(&w, to);
}

// A corner moves with its body. Where edges cross, the point stays on both: across each edge it has the velocity of
// that body.
static vec3 velocity_of(const manifold_point *p, vec3 at, vec3 n, const marker_state *a, const marker_state *b) {
  vec3 v_a = contact_velocity_at(a, at), v_b = contact_velocity_at(b, at);
  if (p->of_b < 0) return v_a;
  if (p->of_a < 0) return v_b;
  vec3 across = vec3_cross(n, p->edge_b);
  double along = vec3_dot(across, p->edge_a);
  return along != 0 ? vec3_axpy(v_a, vec3_dot(across, vec3_sub(v_b, v_a)) / along, p->edge_a) : v_a;
}

// How fast the normal turns: with a face, or with the two edges that it is normal to.
static vec3 turn_of_normal(const flat_touch *t, const marker_state *a, const marker_state *b) {
  if (t->of_face) return vec3_cross(t->face_of_a ? a->w : b->w, t->normal);
  vec3 across = vec3_cross(t->edge_a, t->edge_b);
  vec3 rate =
      vec3_add(vec3_cross(vec3_cross(a->w, t->edge_a), t->edge_b), vec3_cross(t->edge_a, vec3_cross(b->w, t->edge_b)));
  rate = vec3_scale(1 / vec3_dot(across, t->normal), rate);
  return vec3_axpy(rate, -vec3_dot(rate, t->normal), t->normal);
}

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  (void)k;
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  touching w;
  look(e, (pose){a.R, a.p}, (pose){b.R, b.p}, &w);
  if (!w.by_face) {
    separation_rate rate;
    if (separation_rate_of(&w.s, (shape_motion){a.p, a.v, a.w}, (shape_motion){b.p, b.v, b.w}, &rate))
      return (contact_travel){.at = vec3_scale(0.5, vec3_add(rate.on_a, rate.on_b)), .n = rate.normal};
    return (contact_travel){.at = contact_velocity_at(&a, p->at), .n = vec3_cross(b.w, p->n)};
  }
  contact_touch all[CONTACT_POINTS_MAX];
  int i = contact_touch_of(all, list_touches(&w, all), p);
  return (contact_travel){.at = velocity_of(&w.t.points[i], p->at, p->n, &a, &b), .n = turn_of_normal(&w.t, &a, &b)};
}

int contact_most_corners(const flat *f) {
  int most = 0;
  for (int i = 0; i < f->hull.face_count; i++) most = f->hull.faces[i].count > most ? f->hull.faces[i].count : most;
  return most;
}

// A region has no more corners than its two faces together; a guard may come with them (contact_follow). Beyond 64
// points the flattest are left out: of a circle of 128 corners 0.12 % is lost.
void contact_set_faces(contact_element *e, const flat *first, const flat *second) {
  e->faces_first = first, e->faces_second = second;
  int corners = contact_most_corners(first) + contact_most_corners(second) + 1;
  e->point_count = corners < CONTACT_POINTS_MAX ? corners : CONTACT_POINTS_MAX;
}

const contact_type contact_flat_pair = {
    .name = "flat faces",
    .point_count = CONTACT_POINTS_MAX,
    .is_flat = contact_is_flat,
    .touches = contact_touches_by_pose,
    .touches_at = find_touches,
    .continues = contact_crossing_continues,
    .travel = travel,
    .follow = &contact_follow_flat,
    .point_names = contact_point_numbers,
    .curvatures = contact_corner_curvatures,
    .nearest = contact_nearest_of_shapes,
    .tell_overlap = contact_tell_surfaces,
};
