// Surfaces that touch with an area: flat faces on planes and on each other, in space and in the plane. They press along the direction in which
// they are least deep in each other, with a pressure that is linear in the depth of the overlap along it. An element has one point: the
// centre of pressure. Its gap is minus the depth of penetration, as for other shapes.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/flat.h"
#include "geometry/foundation.h"
#include "geometry/separation.h"
#include "geometry/touch.h"

static pose pose_at(const marker_place *p) { return (pose){p->R, p->p}; }

// --- the point ----------------------------------------------------------------------------------------------------------

typedef struct balance {
  double volume;      // of the overlap
  vec3 moment;
} balance;

static void add_to_balance(void *context, const foundation_node *node) {
  balance *b = context;
  double volume = node->depth * node->area;
  b->volume += volume;
  b->moment = vec3_axpy(b->moment, volume, node->at);
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  contact_overlap o;
  e->type->overlap(m, x, e, &o);
  p->gap = o.gap, p->at = o.nearest, p->apart = contact_apart(&first, &second);
  p->node_first = first.node, p->node_second = second.node;
  contact_set_frame(m, p, o.gap < 0 ? o.n : o.apart);
  if (!(o.gap < 0)) return;
  balance b = {0};
  e->type->visit(m, x, e, &o, add_to_balance, &b);
  if (b.volume > 0) p->at = vec3_scale(1 / b.volume, b.moment);
}

// --- a polytope on a plane ----------------------------------------------------------------------------------------------

static void overlap_of_plane(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  const polytope *p = &e->faces_first->hull;
  vec3 n = contact_plane_normal(m, &plane);
  *to = (contact_overlap){.gap = INFINITY, .n = n, .apart = n};
  for (int i = 0; i < p->vertex_count; i++) {
    vec3 corner = vec3_add(body.p, mat3_mul(body.R, p->vertices[i]));
    double gap = vec3_dot(n, vec3_sub(corner, plane.p));
    if (gap < to->gap) to->gap = gap, to->nearest = corner;
  }
}

static void visit_on_plane(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o, contact_visit *each,
                           void *context) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  foundation f = foundation_of_plane(o->n, vec3_dot(o->n, plane.p));
  foundation_press(&f, &e->faces_first->hull, pose_at(&body), each, context);
}

// --- two polytopes ------------------------------------------------------------------------------------------------------

// Where they overlap: the corner of A that is deepest behind the plane that separates them best.
static vec3 deepest_corner(const polytope *p, pose at, vec3 n) {
  vec3 down = mat3_tmul(at.R, n);
  int best = 0;
  for (int i = 1; i < p->vertex_count; i++)
    if (vec3_dot(down, p->vertices[i]) < vec3_dot(down, p->vertices[best])) best = i;
  return pose_point(at, p->vertices[best]);
}

static void overlap_of_pair(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose a = pose_at(&first), b = pose_at(&second);
  flat_touch t;
  flat_find_touch(e->faces_first, a, e->faces_second, b, INFINITY, &t);
  vec3 near = deepest_corner(&e->faces_first->hull, a, t.normal);
  if (t.of_face && t.face_of_a) near = deepest_corner(&e->faces_second->hull, b, vec3_neg(t.normal));
  *to = (contact_overlap){.gap = t.distance, .nearest = near, .apart = t.normal, .n = t.normal};
  double least = INFINITY;
  for (int i = 0; i < t.count; i++) least = fmin(least, t.points[i].gap);
  if (t.distance < 0 || least <= t.distance + 1e-6 * e->span) return;
  separation s = separation_of(e->shape_first, a, e->shape_second, b, false);
  to->gap = s.distance, to->apart = s.normal, to->nearest = vec3_scale(0.5, vec3_add(s.on_a, s.on_b));
}

static void visit_pair(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o, contact_visit *each,
                       void *context) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  foundation_press_pair(o->n, &e->faces_first->hull, pose_at(&first), &e->faces_second->hull, pose_at(&second), each, context);
}

// --- polygons in the plane ----------------------------------------------------------------------------------------------

// A straight edge of an outline, in the world.
typedef struct edge {
  vec3 from, to, normal;
} edge;

static edge edge_at(const outline_feature *f, pose2 at) {
  return (edge){vec2_in_space(pose2_point(at, outline_line_point(f, f->low))), vec2_in_space(pose2_point(at, outline_line_point(f, f->high))),
                vec2_in_space(pose2_turn(at, f->n0))};
}

static bool is_half_plane(const outline *o) { return isinf(o->high.x); }

// The corner of a polygon that is lowest along n; a half-plane has none.
static vec3 lowest_corner(const outline *o, pose2 at, vec3 n) {
  vec3 best = VEC3_ZERO;
  double least = INFINITY;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].kind != OUTLINE_LINE) continue;
    vec3 corner = edge_at(&o->features[i], at).from;
    double height = vec3_dot(n, corner);
    if (height < least) least = height, best = corner;
  }
  return best;
}

static void overlap_of_half_plane(const contact_element *e, pose2 body, const marker_place *plane, contact_overlap *to) {
  vec3 n = mat3_column(plane->R, 1), lowest = lowest_corner(e->outline_first, body, n);
  *to = (contact_overlap){.gap = vec3_dot(n, vec3_sub(lowest, plane->p)), .nearest = lowest, .apart = n, .n = n};
}

// Which edge of one separates it best from the other: the largest gap, or the least depth. It counts if its gap is larger than that of `to` by
// `more`. `side`: 1 of the second polygon, -1 of the first.
static void try_edges(const outline *o, pose2 at, const outline *other, pose2 at_other, double side, double more, contact_overlap *to) {
  double least = to->gap + more;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].kind != OUTLINE_LINE) continue;
    edge f = edge_at(&o->features[i], at);
    vec3 lowest = lowest_corner(other, at_other, f.normal), n = vec3_scale(side, f.normal);
    double gap = vec3_dot(f.normal, vec3_sub(lowest, f.from));
    if (gap > least) least = gap, *to = (contact_overlap){.gap = gap, .nearest = lowest, .apart = n, .n = n};
  }
}

// Where they are apart, the nearest places. Of edges that are parallel up to rounding that of the second counts, so that the normal does not
// flicker.
static void overlap_of_polygons(const contact_element *e, pose2 a, pose2 b, contact_overlap *to) {
  *to = (contact_overlap){.gap = -INFINITY};
  try_edges(e->outline_second, b, e->outline_first, a, 1, 0, to);
  try_edges(e->outline_first, a, e->outline_second, b, -1, 1e-9 * (e->outline_first->size + e->outline_second->size), to);
  if (to->gap < 0) return;
  touch t[TOUCHES_MAX];
  int count = touches_of(e->outline_first, a, e->outline_second, b, INFINITY, t), best = 0;
  for (int i = 1; i < count; i++)
    if (t[i].gap < t[best].gap) best = i;
  if (!count) return;
  to->gap = t[best].gap, to->apart = vec2_in_space(t[best].normal);
  to->nearest = vec2_in_space(vec2_scale(0.5, vec2_add(t[best].on_a, t[best].on_b)));
}

static void overlap_of_outlines(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose2 a = pose2_of(pose_at(&first)), b = pose2_of(pose_at(&second));
  if (is_half_plane(e->outline_second)) overlap_of_half_plane(e, a, &second, to);
  else overlap_of_polygons(e, a, b, to);
}

// Of a straight edge of the second outline; the boundary of a half-plane has no ends.
static foundation foundation_of(const contact_element *e, const outline_feature *f, pose2 at, vec3 n) {
  if (is_half_plane(e->outline_second)) return foundation_of_plane(n, vec3_dot(n, vec2_in_space(at.p)));
  edge b = edge_at(f, at);
  return foundation_of_segment(b.from, b.to, b.normal, n);
}

static void visit_outlines(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o, contact_visit *each,
                           void *context) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose2 at_a = pose2_of(pose_at(&first)), at_b = pose2_of(pose_at(&second));
  for (int j = 0; j < e->outline_second->count; j++) {
    const outline_feature *on = &e->outline_second->features[j];
    if (on->kind != OUTLINE_LINE || fabs(vec3_dot(vec2_in_space(pose2_turn(at_b, on->n0)), o->n)) <= FOUNDATION_UPRIGHT) continue;
    foundation f = foundation_of(e, on, at_b, o->n);
    for (int i = 0; i < e->outline_first->count; i++) {
      const outline_feature *by = &e->outline_first->features[i];
      edge a = edge_at(by, at_a);
      if (by->kind == OUTLINE_LINE) foundation_press_segment(&f, a.from, a.to, a.normal, each, context);
    }
  }
}

// --- types --------------------------------------------------------------------------------------------------------------

#define FOUNDATION_POINT                                                                                                          \
  .point_count = 1, .point_count_planar = 1, .evaluate = evaluate, .tell_overlap = contact_tell_surfaces

static const contact_type contact_area_plane = {
    .name = "faces on plane", .overlap = overlap_of_plane, .visit = visit_on_plane, FOUNDATION_POINT,
};
static const contact_type contact_area_pair = {
    .name = "faces on faces", .overlap = overlap_of_pair, .visit = visit_pair, FOUNDATION_POINT,
};
static const contact_type contact_area_outlines = {
    .name = "edges on edges", .overlap = overlap_of_outlines, .visit = visit_outlines, FOUNDATION_POINT,
};

static bool set_type(contact_element *e, const contact_type *type) {
  e->type = type;
  e->point_count = 1, e->point_names = NULL;
  return true;
}

// A concave polygon may overlap another one in several places with several normals.
static bool is_area_of_polygons(const outline *a, const outline *b) {
  if (!a || !b || !a->flat || !b->flat) return false;
  return is_half_plane(b) ? a->polygon : a->polygon && b->polygon && a->convex && b->convex;
}

bool contact_set_foundation(const mechanism *m, const contact_surface *a, const contact_surface *b, contact_element *e) {
  const contact_surface *first = e->first == a->marker ? a : b, *second = first == a ? b : a;
  if (m->planar) {
    if (!is_area_of_polygons(first->outline, second->outline)) return false;
    e->outline_first = first->outline, e->outline_second = second->outline;
    return set_type(e, &contact_area_outlines);
  }
  if (!first->faces || (!second->faces && !contact_is_half_space(second))) return false;
  e->faces_first = first->faces, e->faces_second = second->faces;
  return set_type(e, second->faces ? &contact_area_pair : &contact_area_plane);
}
