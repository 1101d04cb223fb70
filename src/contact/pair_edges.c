// Two convex shapes with flat faces or straight lines, at least one of them round: capsules, cylinders and cones on
// boxes, hulls and each other. They touch at the corners of the region where a face or line of one lies above one of
// the other, and at their nearest points where none of these corners is as near: where edges or rims cross, or a rim
// rolls on a face.
#include <math.h>

#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

#define HORIZON 0.1   // points with a larger gap than this part of the thinner body are not looked for
#define AS_NEAR 1e-9  // of the thinner body: corners that are as near as the nearest points stand for them

typedef struct touching {
  separation s;
  vec3 n;
  manifold_point points[MANIFOLD_POINTS];
  int count;
  bool by_nearest;  // the nearest points are a point of contact
} touching;

static const polytope *faces_of(const flat *f) { return f ? &f->hull : NULL; }

// Of the normals of faces that separate the shapes as far as the nearest points, that of B counts, then that of A, so
// that the normal does not flicker where faces lie on each other.
static vec3 choose_normal(const contact_element *e, pose at_a, pose at_b, const separation *s, const facet *a,
                          const facet *b) {
  vec3 n[2] = {b->normal, vec3_neg(a->normal)};
  bool has[2] = {b->count > 2, a->count > 2};
  for (int i = 0; i < 2; i++)
    if (has[i] &&
        separation_along(e->shape_first, at_a, e->shape_second, at_b, n[i]) >= s->distance - AS_NEAR * e->span)
      return n[i];
  return s->normal;
}

// A round line that lies on a face touches it where the face's normal says.
static void find_facets(const contact_element *e, pose at_a, pose at_b, vec3 n, facet *a, facet *b) {
  const polytope *faces_a = faces_of(e->faces_first), *faces_b = faces_of(e->faces_second);
  facet_find(e->shape_first, faces_a, at_a, vec3_neg(n), a);
  facet_find(e->shape_second, faces_b, at_b, n, b);
  if (a->count == 2 && b->count > 2) facet_find(e->shape_first, faces_a, at_a, vec3_neg(b->normal), a);
  if (b->count == 2 && a->count > 2) facet_find(e->shape_second, faces_b, at_b, vec3_neg(a->normal), b);
}

// Of a direction across n, that of the line above or below it in the plane of a facet.
static vec3 laid_on(const facet *f, vec3 n, vec3 across) {
  return vec3_axpy(across, -vec3_dot(across, f->normal) / vec3_dot(n, f->normal), n);
}

// Of a line that is as round at both ends. The side of a cone counts as a sharp line: its normal is not across its
// axis.
static double radius_of(const facet *f) { return f->count == 2 && f->radius[0] == f->radius[1] ? f->radius[0] : 0; }

static vec3 core_of(const facet *f, double radius, vec3 on) {
  return radius > 0 ? vec3_sub(on, vec3_sub(f->p[0], f->core[0])) : on;
}

// The nearest points of two edges that cross. Round ones are around the lines through their centres of curvature.
// Parallel edges keep what they have.
static void cross_edges(const facet *a, const facet *b, vec3 n, manifold_point *p) {
  vec3 along_a = laid_on(a, n, p->edge_a), along_b = laid_on(b, n, p->edge_b), normal = vec3_cross(along_a, along_b);
  double length = vec3_norm(normal), r_a = radius_of(a), r_b = radius_of(b);
  if (!(length > 1e-6 * vec3_norm(along_a) * vec3_norm(along_b))) return;
  normal = vec3_scale((vec3_dot(normal, n) < 0 ? -1 : 1) / length, normal);
  vec3 core_a = core_of(a, r_a, p->on_a), core_b = core_of(b, r_b, p->on_b), d = vec3_sub(core_a, core_b);
  vec3 across = vec3_cross(along_b, normal);
  core_a = vec3_axpy(core_a, -vec3_dot(d, across) / vec3_dot(along_a, across), along_a);
  p->normal = normal, p->gap = vec3_dot(d, normal) - r_a - r_b;
  p->on_a = vec3_axpy(core_a, -r_a, normal), p->on_b = vec3_axpy(p->on_a, -p->gap, normal);
}

// A corner has the normal of the face that it touches, a crossing that of both edges: so the rate of its gap is that of
// the bodies at the point, however the faces are tilted.
static void turn_normal(const facet *a, const facet *b, vec3 n, manifold_point *p) {
  if (p->of_a >= 0 && p->of_b >= 0) {
    cross_edges(a, b, n, p);
    return;
  }
  p->normal = p->of_b < 0 ? b->normal : vec3_neg(a->normal);
  p->gap *= vec3_dot(n, p->normal);
  if (p->of_b < 0) p->on_b = vec3_axpy(p->on_a, -p->gap, p->normal);
  else p->on_a = vec3_axpy(p->on_b, p->gap, p->normal);
}

// Edges that are nearly parallel, or lie nearly along the normal, cross far from where they end, and what their lines
// say of the gap there is not true of the shapes. No two places of convex shapes are nearer than the nearest ones, and
// both places lie on the shapes.
static void drop_unreal(const contact_element *e, vec3 a, vec3 b, touching *w) {
  double slack = 1e-6 * e->span, least = (w->s.distance < 0 ? 2 : 1) * w->s.distance - slack;
  double reach_a = convex_reach(e->shape_first, 3) + slack, reach_b = convex_reach(e->shape_second, 3) + slack;
  int kept = 0;
  for (int i = 0; i < w->count; i++) {
    const manifold_point *p = &w->points[i];
    bool real =
        p->gap >= least && vec3_norm(vec3_sub(p->on_a, a)) <= reach_a && vec3_norm(vec3_sub(p->on_b, b)) <= reach_b;
    if (real) w->points[kept++] = *p;
  }
  w->count = kept;
}

static void look(const contact_element *e, marker_place a, marker_place b, touching *w) {
  pose at_a = {a.R, a.p}, at_b = {b.R, b.p};
  facet of_a, of_b;
  w->count = 0;
  w->s = separation_of(e->shape_first, at_a, e->shape_second, at_b, false);
  w->n = w->s.normal;
  double horizon = HORIZON * e->span, least = INFINITY;
  if (w->s.distance <= horizon) {
    find_facets(e, at_a, at_b, w->n, &of_a, &of_b);
    w->n = choose_normal(e, at_a, at_b, &w->s, &of_a, &of_b);
    w->count = manifold_of_facets(&of_a, &of_b, w->n, horizon, w->points);
    for (int i = 0; i < w->count && (of_a.count > 2 || of_b.count > 2); i++)
      turn_normal(&of_a, &of_b, w->n, &w->points[i]);
    drop_unreal(e, a.p, b.p, w);
  }
  for (int i = 0; i < w->count; i++) least = fmin(least, w->points[i].gap);
  w->by_nearest = !(least <= w->s.distance + AS_NEAR * e->span);
  w->count = manifold_reduce(w->points, w->count, e->point_count - 1);
}

static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  touching w;
  look(e, marker_find(m, x, e->first), marker_find(m, x, e->second), &w);
  for (int i = 0; i < w.count; i++) to[i] = contact_touch_at_corner(&w.points[i], w.points[i].normal);
  if (w.by_nearest) to[w.count++] = contact_touch_at_nearest(&w.s, w.n);
  return w.count;
}

// A region has no more corners than its two facets together; round lines that lie beside each other have four ends.
void contact_set_facets(contact_element *e, const flat *first, const flat *second) {
  e->faces_first = first, e->faces_second = second;
  int corners =
      1 + facet_most_corners(e->shape_first, faces_of(first)) + facet_most_corners(e->shape_second, faces_of(second));
  e->point_count = corners < CONTACT_POINTS_MAX ? corners : CONTACT_POINTS_MAX;
}

const contact_type contact_edge_pair = {
    .name = "faces and lines",
    .point_count = CONTACT_POINTS_MAX,
    .is_flat = contact_is_flat,
    .touches = find_touches,
    .continues = contact_crossing_continues,
    .point_names = contact_point_numbers,
    .curvatures = contact_corner_curvatures,
    .nearest = contact_nearest_of_shapes,
    .tell_overlap = contact_tell_surfaces,
};
