// Two shapes with flat faces: boxes and hulls. They touch at the corners of the region where two faces lie above each other, each a contact
// point of its own, or where two edges cross. The name of its feature says which slot a point wants; where two want the same one, the later
// takes the next that is free. A point keeps its slot while the same features touch, and nothing need be remembered; it can move to
// another slot when a feature that wants its slot comes or goes.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

// Points with a larger gap than this part of the thinner body are not looked for.
#define HORIZON 0.1

enum { SLOTS_LEAST = 16 };  // twice what two boxes need, so that few features want the same slot

typedef struct touching {
  marker_place a, b;
  flat_touch t;
  separation s;       // where no face has a point near
  bool by_face;
} touching;

static void look(const contact_element *e, marker_place a, marker_place b, touching *w) {
  w->a = a, w->b = b;
  pose at_a = {a.R, a.p}, at_b = {b.R, b.p};
  flat_find_touch(e->faces_first, at_a, e->faces_second, at_b, HORIZON * e->span, &w->t);
  double least = INFINITY;
  for (int i = 0; i < w->t.count; i++) least = fmin(least, w->t.points[i].gap);
  // the nearest point is at a corner of the region, or else beside it, where faces say nothing
  w->by_face = w->t.count > 0 && least <= w->t.distance + 1e-6 * e->span;
  if (!w->by_face) w->s = separation_of(e->shape_first, at_a, e->shape_second, at_b, false);
  w->t.count = manifold_reduce(w->t.points, w->t.count, e->point_count);
}

static void set_point(const mechanism *m, const touching *w, vec3 n, vec3 at, double gap, contact_point *p) {
  p->gap = gap, p->at = at;
  p->node_first = w->a.node, p->node_second = w->b.node;
  p->apart = contact_apart(&w->a, &w->b);
  contact_set_frame(m, p, n);
}

// Corners of the first shape have the lower half of the slots, those of the second the upper half; crossings of edges what is left.
static int wanted_slot(const manifold_point *p, int slots) {
  int half = slots / 2;
  if (p->of_b < 0) return p->of_a % half;
  if (p->of_a < 0) return half + p->of_b % half;
  return (7 * p->of_a + 3 * p->of_b) % slots;
}

// The slot of each point; there are no more points than slots. Corners come first, so that edges give way to them.
static void assign_slots(const flat_touch *t, int slots, int slot_of[MANIFOLD_POINTS]) {
  bool taken[CONTACT_POINTS_MAX] = {false};
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < t->count; i++) {
      bool crossing = t->points[i].of_a >= 0 && t->points[i].of_b >= 0;
      if (crossing != (pass == 1)) continue;
      int slot = wanted_slot(&t->points[i], slots);
      while (taken[slot]) slot = (slot + 1) % slots;
      slot_of[i] = slot, taken[slot] = true;
    }
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  touching w;
  look(e, marker_find(m, x, e->first), marker_find(m, x, e->second), &w);
  vec3 n = w.by_face ? w.t.normal : w.s.normal;
  vec3 middle = w.by_face ? w.t.points[0].on_b : vec3_scale(0.5, vec3_add(w.s.on_a, w.s.on_b));
  double distance = w.by_face ? w.t.distance : w.s.distance, apart = fmax(distance, 0) + e->span;
  for (int k = 0; k < e->point_count; k++) set_point(m, &w, n, middle, apart, &points[k]);  // none there
  if (!w.by_face) {
    points[0].gap = distance;
    return;
  }
  int slot_of[MANIFOLD_POINTS];
  assign_slots(&w.t, e->point_count, slot_of);
  for (int i = 0; i < w.t.count; i++) {
    const manifold_point *p = &w.t.points[i];
    set_point(m, &w, n, vec3_scale(0.5, vec3_add(p->on_a, p->on_b)), p->gap, &points[slot_of[i]]);
  }
}

// A corner moves with its body. Where edges cross, the point stays on both: across each edge it has the velocity of that body.
static vec3 velocity_of(const manifold_point *p, vec3 at, vec3 n, const marker_state *a, const marker_state *b) {
  vec3 v_a = contact_velocity_at(a, at), v_b = contact_velocity_at(b, at);
  if (p->of_b < 0) return v_a;
  if (p->of_a < 0) return v_b;
  vec3 across = vec3_cross(n, p->edge_b);
  double along = vec3_dot(across, p->edge_a);
  return along != 0 ? vec3_axpy(v_a, vec3_dot(across, vec3_sub(v_b, v_a)) / along, p->edge_a) : v_a;
}

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p, int k) {
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  touching w;
  look(e, (marker_place){.R = a.R, .p = a.p}, (marker_place){.R = b.R, .p = b.p}, &w);
  if (!w.by_face) {
    separation_rate rate;
    if (separation_rate_of(&w.s, (shape_motion){a.p, a.v, a.w}, (shape_motion){b.p, b.v, b.w}, &rate))
      return (contact_travel){.at = vec3_scale(0.5, vec3_add(rate.on_a, rate.on_b)), .n = rate.normal};
    return (contact_travel){.at = contact_velocity_at(&a, p->at), .n = vec3_cross(b.w, p->n)};
  }
  vec3 turn = vec3_cross(w.t.face_of_a ? a.w : b.w, p->n);
  int slot_of[MANIFOLD_POINTS];
  assign_slots(&w.t, e->point_count, slot_of);
  for (int i = 0; i < w.t.count; i++)
    if (slot_of[i] == k) return (contact_travel){.at = velocity_of(&w.t.points[i], p->at, p->n, &a, &b), .n = turn};
  return (contact_travel){.at = contact_velocity_at(&a, p->at), .n = turn};
}

typedef struct pass {
  const contact_element *e;
  pose a;
} pass;

static double gap_at(const void *context, vec3 apart) {
  const pass *w = context;
  pose a = {w->a.R, apart}, b = {MAT3_IDENTITY, VEC3_ZERO};
  return separation_of(w->e->shape_first, a, w->e->shape_second, b, false).distance;
}

static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double graze) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  pass w = {e, {mat3_product(mat3_transpose(b.R), a.R), VEC3_ZERO}};
  return contact_least_gap(gap_at, &w, before, after, graze);
}

int contact_most_corners(const flat *f) {
  int most = 0;
  for (int i = 0; i < f->hull.face_count; i++) most = f->hull.faces[i].count > most ? f->hull.faces[i].count : most;
  return most;
}

// A region has no more corners than its two faces together. Beyond 64 the flattest are left out: of a circle of 128 corners 0.12 % is lost.
void contact_set_faces(contact_element *e, const flat *first, const flat *second) {
  e->faces_first = first, e->faces_second = second;
  int corners = contact_most_corners(first) + contact_most_corners(second);
  e->point_count = corners < SLOTS_LEAST ? SLOTS_LEAST : corners > CONTACT_POINTS_MAX ? CONTACT_POINTS_MAX : corners;
}

const contact_type contact_flat_pair = {
    .name = "flat faces", .point_count = SLOTS_LEAST, .points_change = true, .is_flat = contact_is_flat, .evaluate = evaluate, .travel = travel,
    .point_names = contact_point_numbers, .curvatures = contact_corner_curvatures, .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
