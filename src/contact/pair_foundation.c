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
#include "geometry/tessellate.h"
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

// --- shapes in space ------------------------------------------------------------------------------------------------------

// A box or hull as it is, another shape tessellated where it looks along n, as deep as it is pressed in.
static const polytope *skin_of(const convex *shape, const flat *faces, pose at, vec3 n, double depth, tessellation *room) {
  if (faces) return &faces->hull;
  tessellate(shape, mat3_tmul(at.R, n), depth, room);
  return &room->hull;
}

// --- on a plane -----------------------------------------------------------------------------------------------------------

static void overlap_of_plane(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  vec3 n = contact_plane_normal(m, &plane), down = mat3_tmul(body.R, vec3_neg(n));
  vec3 lowest = vec3_axpy(pose_point(pose_at(&body), convex_support(e->shape_first, down)), -e->shape_first->layer, n);
  *to = (contact_overlap){.gap = vec3_dot(n, vec3_sub(lowest, plane.p)), .nearest = lowest, .n = n, .apart = n};
}

static void visit_on_plane(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o, contact_visit *each,
                           void *context) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  foundation f = foundation_of_plane(o->n, vec3_dot(o->n, plane.p));
  tessellation room;
  const polytope *skin = skin_of(e->shape_first, e->faces_first, pose_at(&body), vec3_neg(o->n), -o->gap, &room);
  foundation_press(&f, skin, pose_at(&body), each, context);
}

// --- two shapes -----------------------------------------------------------------------------------------------------------

// Their least distance, or the depth of their overlap and the direction of least depth.
static void find_apart(const contact_element *e, pose a, pose b, contact_overlap *to) {
  if (e->faces_first && e->faces_second) {
    flat_touch t;
    flat_find_touch(e->faces_first, a, e->faces_second, b, -INFINITY, &t);
    *to = (contact_overlap){.gap = t.distance, .apart = t.normal};
    if (t.distance < 0) return;
  }
  separation s = separation_of(e->shape_first, a, e->shape_second, b, false);
  *to = (contact_overlap){.gap = s.distance, .apart = s.normal, .nearest = vec3_scale(0.5, vec3_add(s.on_a, s.on_b))};
}

typedef struct skins {
  tessellation room_a, room_b;
  foundation_side a, b;
} skins;

static void find_skins(const contact_element *e, pose a, pose b, const contact_overlap *o, skins *to) {
  to->a = (foundation_side){skin_of(e->shape_first, e->faces_first, a, vec3_neg(o->apart), -o->gap, &to->room_a), e->shape_first, a};
  to->b = (foundation_side){skin_of(e->shape_second, e->faces_second, b, o->apart, -o->gap, &to->room_b), e->shape_second, b};
}

static vec3 lowest_of(const convex *shape, pose at, vec3 n) {
  return vec3_axpy(pose_point(at, convex_support(shape, mat3_tmul(at.R, vec3_neg(n)))), -shape->layer, n);
}

static void overlap_of_pair(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose a = pose_at(&first), b = pose_at(&second);
  find_apart(e, a, b, to);
  to->n = to->apart;
  if (!(to->gap < 0)) return;
  skins s;
  find_skins(e, a, b, to, &s);
  to->n = foundation_normal(&s.a, &s.b, -to->gap, to->apart);
  to->nearest = lowest_of(e->shape_first, a, to->apart);
}

static void visit_pair(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o, contact_visit *each,
                       void *context) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  skins s;
  find_skins(e, pose_at(&first), pose_at(&second), o, &s);
  foundation_press_pair(o->n, s.a.hull, s.a.at, s.b.hull, s.b.at, each, context);
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

// The normals of the edges of one that lie in the other, as foundation_normal.
static vec3 sum_of_edges(const outline *of, pose2 at, const outline *in, pose2 at_in, double depth) {
  vec3 sum = VEC3_ZERO;
  for (int i = 0; i < of->count; i++) {
    if (of->features[i].kind != OUTLINE_LINE) continue;
    edge f = edge_at(&of->features[i], at);
    double below = vec3_dot(f.normal, vec3_sub(f.from, lowest_corner(in, at_in, f.normal))) / depth;
    vec3 ends[2] = {f.from, f.to};
    bool inside = below > 0;
    for (int k = 0; k < in->count && inside; k++) {
      edge by = edge_at(&in->features[k], at_in);
      if (in->features[k].kind == OUTLINE_LINE) inside = foundation_cut_segment(ends, by.normal, vec3_dot(by.normal, by.from));
    }
    if (inside) sum = vec3_axpy(sum, vec3_norm(vec3_sub(ends[1], ends[0])) * foundation_weight(below), f.normal);
  }
  return sum;
}

static vec3 normal_of_polygons(const contact_element *e, pose2 a, pose2 b, double depth, vec3 otherwise) {
  vec3 sum = vec3_sub(sum_of_edges(e->outline_second, b, e->outline_first, a, depth), sum_of_edges(e->outline_first, a, e->outline_second, b, depth));
  double length = vec3_norm(sum);
  return length > 0 ? vec3_scale(1 / length, sum) : otherwise;
}

// Where they are apart, the nearest places. Of edges that are parallel up to rounding that of the second counts, so that the normal does not
// flicker.
static void overlap_of_polygons(const contact_element *e, pose2 a, pose2 b, contact_overlap *to) {
  *to = (contact_overlap){.gap = -INFINITY};
  try_edges(e->outline_second, b, e->outline_first, a, 1, 0, to);
  try_edges(e->outline_first, a, e->outline_second, b, -1, 1e-9 * (e->outline_first->size + e->outline_second->size), to);
  if (to->gap < 0) {
    to->n = normal_of_polygons(e, a, b, -to->gap, to->apart);
    return;
  }
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

// It has flat faces or straight lines, and no more of them than there is room for.
static bool presses_flat(const contact_surface *s) { return s->faces || (s->form && s->form->type->tessellate); }

bool contact_set_foundation(const mechanism *m, const contact_surface *a, const contact_surface *b, contact_element *e) {
  const contact_surface *first = e->first == a->marker ? a : b, *second = first == a ? b : a;
  if (m->planar) {
    if (!is_area_of_polygons(first->outline, second->outline)) return false;
    e->outline_first = first->outline, e->outline_second = second->outline;
    return set_type(e, &contact_area_outlines);
  }
  if (contact_is_half_space(second)) {
    if (!presses_flat(first) || e->type == &contact_capsule_plane) return false;
    e->faces_first = first->faces;
    return set_type(e, &contact_area_plane);
  }
  if (!presses_flat(first) || !presses_flat(second) || e->type == &contact_capsule_capsule) return false;
  e->faces_first = first->faces, e->faces_second = second->faces;
  return set_type(e, &contact_area_pair);
}
