// Two convex surfaces that touch in one point, where their normals are opposite: the common normal (Flores and
// Ambrósio, eq. 1 to 6). The geometry finds it as the direction that separates the shapes by most, and how the nearest
// points and the normal move with the bodies and over the surfaces.
#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/separation.h"

static separation find(const mechanism *m, const contact_element *e, const marker_place *a, const marker_place *b,
                       vec3 start) {
  pose at_a = {a->R, a->p}, at_b = {b->R, b->p};
  if (e->shape_second) return separation_from(e->shape_first, at_a, e->shape_second, at_b, m->planar, start);
  vec3 n = contact_plane_normal(m, b);
  return separation_of_plane(e->shape_first, at_a, n, vec3_dot(n, b->p));
}

// Threads that share the search for points count together.
static void count_search(contact_searches *c, const separation *s) {
  __atomic_fetch_add(&c->count, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&c->iterations, s->iterations, __ATOMIC_RELAXED);
  __atomic_fetch_add(&c->fallbacks, s->searched, __ATOMIC_RELAXED);
}

static void evaluate_from(const mechanism *m, const motion *x, const contact_element *e, vec3 start,
                          contact_searches *count, contact_point *p) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  separation s = find(m, e, &a, &b, start);
  if (count) count_search(count, &s);
  p->gap = s.distance;
  p->node_first = a.node, p->node_second = b.node;
  p->at = vec3_scale(0.5, vec3_add(s.on_a, s.on_b));
  p->apart = contact_apart(&a, &b);
  contact_set_frame(m, p, s.normal);
  if (e->by_curvature) separation_curvatures(&s, p->curvature);
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  evaluate_from(m, x, e, VEC3_ZERO, NULL, p);
}

// Where the nearest points are not unique, they are taken to move with the bodies, and the normal with the second.
static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  (void)k;
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  marker_place at_a = {.R = a.R, .p = a.p}, at_b = {.R = b.R, .p = b.p};
  separation s = find(m, e, &at_a, &at_b, p->n);
  separation_rate rate;
  if (separation_rate_of(&s, (shape_motion){a.p, a.v, a.w}, (shape_motion){b.p, b.v, b.w}, &rate))
    return (contact_travel){.at = vec3_scale(0.5, vec3_add(rate.on_a, rate.on_b)), .n = rate.normal};
  return (contact_travel){
      .at = vec3_scale(0.5, vec3_add(contact_velocity_at(&a, p->at), contact_velocity_at(&b, p->at))),
      .n = vec3_cross(b.w, p->n)};
}

typedef struct pass {
  const mechanism *m;
  const contact_element *e;
  mat3 R;  // of the first, in the axes of the second
  vec3 turn, start;
} pass;

static double gap_at(const void *context, vec3 apart, double left) {
  const pass *w = context;
  marker_place a = {.R = contact_turned_back(w->R, w->turn, left), .p = apart}, b = {.R = MAT3_IDENTITY};
  return find(w->m, w->e, &a, &b, w->start).distance;
}

static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double time, double graze) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  pass w = {m, e, mat3_product(mat3_transpose(b.R), a.R), contact_turn_in(m, x, &a, &b, time),
            mat3_tmul(b.R, after->n)};
  return contact_least_gap(gap_at, &w, before, after, contact_swing(e->shape_first, w.turn), graze);
}

const contact_type contact_smooth_pair = {
    .name = "smooth surfaces",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = evaluate,
    .evaluate_from = evaluate_from,
    .travel = travel,
    .nearest = nearest,
    .curved = true,
    .tell_overlap = contact_tell_surfaces,
};
const contact_type contact_smooth_plane = {
    .name = "smooth surface on plane",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = evaluate,
    .travel = travel,
    .curved = true,
    .tell_overlap = contact_tell_surfaces,
};
