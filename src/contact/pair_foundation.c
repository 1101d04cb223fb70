// Surfaces that touch with an area: flat faces on planes and on each other, in space and in the plane. On a plane they
// press along its normal, with a pressure that is linear in the depth; on each other by the energy of their overlap
// (geometry/overlap.h). An element has one point: the centre of pressure. Its gap is minus the depth of penetration, as
// for other shapes.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/flat.h"
#include "geometry/foundation.h"
#include "geometry/overlap.h"
#include "geometry/separation.h"
#include "geometry/tessellate.h"
#include "geometry/touch.h"

static pose pose_at(const marker_place *p) { return (pose){p->R, p->p}; }

// --- the point -------------------------------------------------------------------------------------------------------

void contact_evaluate_area(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  contact_overlap o;
  e->type->overlap(m, x, e, &o);
  p->gap = o.gap, p->at = o.gap < 0 ? o.at : o.nearest, p->apart = contact_apart(&first, &second);
  p->node_first = first.node, p->node_second = second.node;
  contact_set_frame(m, p, o.gap < 0 ? o.n : o.apart);
}

static void add_part(void *context, const foundation_node *node) {
  contact_overlap *o = context;
  double load = node->depth * node->area;
  o->energy += 0.5 * load * node->depth;
  o->force = vec3_axpy(o->force, load, node->n);
  o->moment = vec3_axpy(o->moment, load, node->at);
}

// Of a pressure along one direction: the sum of its parts, at their centre.
static void sum_parts(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  to->n = to->apart, to->at = to->nearest, to->share = 1;
  if (!(to->gap < 0)) return;
  e->type->visit(m, x, e, to, add_part, to);
  double load = vec3_dot(to->n, to->force);
  if (load > 0) to->at = vec3_scale(1 / load, to->moment);
  to->moment = VEC3_ZERO;
}

// Of the energy of an overlap; its parts sum up to its volume.
static void set_force(const overlap_force *f, contact_overlap *to) {
  double size = vec3_norm(f->force);
  if (!(size > 0)) return;
  to->energy = f->energy, to->force = f->force, to->at = f->at, to->moment = f->moment;
  to->n = vec3_scale(1 / size, f->force), to->share = size / f->volume;
}

// --- shapes in space -------------------------------------------------------------------------------------------------

// A box or hull as it is, another shape tessellated where it looks along n, as deep as it is pressed in.
static const polytope *skin_of(const convex *shape, const flat *faces, pose at, vec3 n, double depth,
                               tessellation *room) {
  if (faces) return &faces->hull;
  tessellate(shape, mat3_tmul(at.R, n), depth, room);
  return &room->hull;
}

// --- on a plane ------------------------------------------------------------------------------------------------------

static void overlap_of_plane(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  vec3 n = contact_plane_normal(m, &plane), down = mat3_tmul(body.R, vec3_neg(n));
  vec3 lowest = vec3_axpy(pose_point(pose_at(&body), convex_support(e->shape_first, down)), -e->shape_first->layer, n);
  *to = (contact_overlap){.gap = vec3_dot(n, vec3_sub(lowest, plane.p)), .nearest = lowest, .apart = n};
  sum_parts(m, x, e, to);
}

static void visit_on_plane(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                           contact_visit *each, void *context) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  foundation f = foundation_of_plane(o->n, vec3_dot(o->n, plane.p));
  tessellation room;
  const polytope *skin = skin_of(e->shape_first, e->faces_first, pose_at(&body), vec3_neg(o->n), -o->gap, &room);
  foundation_press(&f, skin, pose_at(&body), each, context);
}

// --- two shapes ------------------------------------------------------------------------------------------------------

static vec3 lowest_of(const convex *shape, pose at, vec3 n) {
  return vec3_axpy(pose_point(at, convex_support(shape, mat3_tmul(at.R, vec3_neg(n)))), -shape->layer, n);
}

// Halfway between two lines where they are nearest to each other.
static vec3 between_lines(vec3 p, vec3 along_p, vec3 q, vec3 along_q) {
  vec3 way = vec3_sub(q, p);
  double cosine = vec3_dot(along_p, along_q), square = 1 - cosine * cosine, by_p = vec3_dot(way, along_p),
         by_q = vec3_dot(way, along_q);
  if (!(square > 0)) return p;
  vec3 on_p = vec3_axpy(p, (by_p - cosine * by_q) / square, along_p),
       on_q = vec3_axpy(q, (cosine * by_p - by_q) / square, along_q);
  return vec3_scale(0.5, vec3_add(on_p, on_q));
}

// Where two polytopes are deepest in each other: the deepest corner below a face, or where two edges cross. The rate of
// their depth is that of the bodies there.
static vec3 deepest_of(const contact_element *e, pose a, pose b, const flat_touch *t) {
  if (t->of_face && t->face_of_a) return lowest_of(e->shape_second, b, vec3_neg(t->normal));
  if (t->of_face) return lowest_of(e->shape_first, a, t->normal);
  const flat_edge *on_a = &e->faces_first->edges[t->edges[0]], *on_b = &e->faces_second->edges[t->edges[1]];
  return between_lines(pose_point(a, on_a->at), mat3_mul(a.R, on_a->along), pose_point(b, on_b->at),
                       mat3_mul(b.R, on_b->along));
}

// Their least distance, or the depth of their overlap and the direction of least depth.
static void find_apart(const contact_element *e, pose a, pose b, contact_overlap *to) {
  if (e->faces_first && e->faces_second) {
    flat_touch t;
    flat_find_touch(e->faces_first, a, e->faces_second, b, -INFINITY, &t);
    *to = (contact_overlap){.gap = t.distance, .apart = t.normal};
    if (t.distance < 0) {
      to->nearest = deepest_of(e, a, b, &t);
      return;
    }
  }
  separation s = separation_of(e->shape_first, a, e->shape_second, b, false);
  *to = (contact_overlap){.gap = s.distance, .apart = s.normal, .nearest = vec3_scale(0.5, vec3_add(s.on_a, s.on_b))};
}

typedef struct skins {
  tessellation room_a, room_b;
  overlap_body a, b;
} skins;

static void find_skins(const contact_element *e, pose a, pose b, const contact_overlap *o, skins *to) {
  double size = convex_reach(e->shape_first, 3), other = convex_reach(e->shape_second, 3);
  to->a = (overlap_body){e->shape_first,
                         skin_of(e->shape_first, e->faces_first, a, vec3_neg(o->apart), -o->gap, &to->room_a),
                         e->faces_first, overlap_share(size, other), a};
  to->b = (overlap_body){e->shape_second, skin_of(e->shape_second, e->faces_second, b, o->apart, -o->gap, &to->room_b),
                         e->faces_second, overlap_share(other, size), b};
}

static void overlap_of_pair(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose a = pose_at(&first), b = pose_at(&second);
  find_apart(e, a, b, to);
  to->n = to->apart, to->at = to->nearest;
  if (!(to->gap < 0)) return;
  skins s;
  find_skins(e, a, b, to, &s);
  overlap_force f;
  if (overlap_of_bodies(&s.a, &s.b, to->nearest, -to->gap, &f)) set_force(&f, to);
}

static void visit_pair(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                       contact_visit *each, void *context) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  skins s;
  find_skins(e, pose_at(&first), pose_at(&second), o, &s);
  foundation_press_pair(o->n, s.a.hull, s.a.at, s.b.hull, s.b.at, each, context);
}

// --- polygons in the plane -------------------------------------------------------------------------------------------

// A straight edge of an outline, in the world.
typedef struct edge {
  vec3 from, to, normal;
} edge;

static edge edge_at(const outline_feature *f, pose2 at) {
  return (edge){vec2_in_space(pose2_point(at, outline_line_point(f, f->low))),
                vec2_in_space(pose2_point(at, outline_line_point(f, f->high))), vec2_in_space(pose2_turn(at, f->n0))};
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

static void overlap_of_half_plane(const contact_element *e, pose2 body, const marker_place *plane,
                                  contact_overlap *to) {
  vec3 n = mat3_column(plane->R, 1), lowest = lowest_corner(e->outline_first, body, n);
  *to = (contact_overlap){.gap = vec3_dot(n, vec3_sub(lowest, plane->p)), .nearest = lowest, .apart = n};
}

// Which edge of one separates it best from the other: the largest gap, or the least depth. It counts if its gap is
// larger than that of `to` by `more`. `side`: 1 of the second polygon, -1 of the first.
static void try_edges(const outline *o, pose2 at, const outline *other, pose2 at_other, double side, double more,
                      contact_overlap *to) {
  double least = to->gap + more;
  for (int i = 0; i < o->count; i++) {
    if (o->features[i].kind != OUTLINE_LINE) continue;
    edge f = edge_at(&o->features[i], at);
    vec3 lowest = lowest_corner(other, at_other, f.normal), n = vec3_scale(side, f.normal);
    double gap = vec3_dot(f.normal, vec3_sub(lowest, f.from));
    if (gap > least) least = gap, *to = (contact_overlap){.gap = gap, .nearest = lowest, .apart = n};
  }
}

// The edges of one that lie in the other. Edges of both that lie on one line bound the overlap together: that of the
// first polygon counts.
static void add_edges(overlap *o, bool of_first, const outline *of, pose2 at, const outline *in, pose2 at_in) {
  static const double place[2] = {0.2113248654051871, 0.7886751345948129};  // Gauss and Legendre
  for (int i = 0; i < of->count; i++) {
    if (of->features[i].kind != OUTLINE_LINE) continue;
    edge f = edge_at(&of->features[i], at);
    vec3 ends[2] = {f.from, f.to}, first = VEC3_ZERO;
    double flush = 1e-10 * vec3_norm(vec3_sub(f.to, f.from));
    bool inside = true;
    for (int k = 0; k < in->count && inside; k++) {
      if (in->features[k].kind != OUTLINE_LINE) continue;
      edge by = edge_at(&in->features[k], at_in);
      double offset = vec3_dot(by.normal, by.from),
             over[2] = {vec3_dot(by.normal, ends[0]) - offset, vec3_dot(by.normal, ends[1]) - offset};
      bool on_line = vec3_dot(by.normal, f.normal) > 0.5 && fabs(over[0]) <= flush && fabs(over[1]) <= flush;
      inside = on_line ? of_first : foundation_cut_segment(ends, by.normal, offset);
    }
    double length = vec3_norm(vec3_sub(ends[1], ends[0]));
    if (!inside || !(length > 0)) continue;
    mat3 second = {{0}};
    for (int k = 0; k < 2; k++) {
      vec3 x = vec3_sub(vec3_axpy(ends[0], place[k], vec3_sub(ends[1], ends[0])), o->origin);
      first = vec3_axpy(first, 0.5 * length, x);
      double c[3] = {x.x, x.y, x.z};
      for (int j = 0; j < 9; j++) second.m[j] += 0.5 * length * c[j / 3] * c[j % 3];
    }
    overlap_add_boundary(o, true, of_first, f.normal, vec3_sub(ends[0], o->origin), length, first, &second);
  }
}

static void add_faces(overlap *o, bool of_first, const outline *of, pose2 at, const outline *other, pose2 at_other) {
  vec3 centre = overlap_centre(o);
  for (int i = 0; i < of->count; i++) {
    if (of->features[i].kind != OUTLINE_LINE) continue;
    edge f = edge_at(&of->features[i], at);
    overlap_face face = overlap_face_of(f.normal, f.from, vec3_dot(f.normal, vec3_sub(f.from, centre)),
                                        overlap_share(of->size, other->size));
    for (int k = 0; k < other->count; k++)
      if (other->features[k].kind == OUTLINE_LINE)
        overlap_face_over(o, &face, edge_at(&other->features[k], at_other).from);
    overlap_add_face(o, of_first, &face);
  }
}

static void press_polygons(const contact_element *e, pose2 a, pose2 b, contact_overlap *to) {
  overlap o;
  overlap_force f;
  overlap_begin(&o, to->nearest, -to->gap);
  add_edges(&o, true, e->outline_first, a, e->outline_second, b),
      add_edges(&o, false, e->outline_second, b, e->outline_first, a);
  if (!(o.volume > 0)) return;
  add_faces(&o, true, e->outline_first, a, e->outline_second, b),
      add_faces(&o, false, e->outline_second, b, e->outline_first, a);
  if (overlap_end(&o, &f)) set_force(&f, to);
}

void contact_nearest_outlines(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  *to = (contact_overlap){.gap = INFINITY, .nearest = second.p, .apart = {0, 1, 0}};
  touch t[TOUCHES_MAX];
  int count = touches_of(e->outline_first, pose2_of(pose_at(&first)), e->outline_second, pose2_of(pose_at(&second)),
                         INFINITY, t),
      best = 0;
  for (int i = 1; i < count; i++)
    if (t[i].gap < t[best].gap) best = i;
  if (!count) return;
  to->gap = t[best].gap, to->apart = vec2_in_space(t[best].normal);
  to->nearest = vec2_in_space(vec2_scale(0.5, vec2_add(t[best].on_a, t[best].on_b)));
}

// Where they are apart, the nearest places. Of edges that are parallel up to rounding that of the second counts, so
// that the normal does not flicker.
static void overlap_of_polygons(const mechanism *m, const motion *x, const contact_element *e, pose2 a, pose2 b,
                                contact_overlap *to) {
  *to = (contact_overlap){.gap = -INFINITY};
  try_edges(e->outline_second, b, e->outline_first, a, 1, 0, to);
  try_edges(e->outline_first, a, e->outline_second, b, -1, 1e-9 * (e->outline_first->size + e->outline_second->size),
            to);
  to->n = to->apart, to->at = to->nearest;
  if (to->gap < 0) {
    press_polygons(e, a, b, to);
    return;
  }
  contact_nearest_outlines(m, x, e, to);
  to->n = to->apart, to->at = to->nearest;
}

static void overlap_of_outlines(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose2 a = pose2_of(pose_at(&first)), b = pose2_of(pose_at(&second));
  if (is_half_plane(e->outline_second)) overlap_of_half_plane(e, a, &second, to), sum_parts(m, x, e, to);
  else overlap_of_polygons(m, x, e, a, b, to);
}

// Of a straight edge of the second outline; the boundary of a half-plane has no ends.
static foundation foundation_of(const contact_element *e, const outline_feature *f, pose2 at, vec3 n) {
  if (is_half_plane(e->outline_second)) return foundation_of_plane(n, vec3_dot(n, vec2_in_space(at.p)));
  edge b = edge_at(f, at);
  return foundation_of_segment(b.from, b.to, b.normal, n);
}

static void visit_outlines(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                           contact_visit *each, void *context) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  pose2 at_a = pose2_of(pose_at(&first)), at_b = pose2_of(pose_at(&second));
  for (int j = 0; j < e->outline_second->count; j++) {
    const outline_feature *on = &e->outline_second->features[j];
    if (on->kind != OUTLINE_LINE || fabs(vec3_dot(vec2_in_space(pose2_turn(at_b, on->n0)), o->n)) <= FOUNDATION_UPRIGHT)
      continue;
    foundation f = foundation_of(e, on, at_b, o->n);
    for (int i = 0; i < e->outline_first->count; i++) {
      const outline_feature *by = &e->outline_first->features[i];
      edge a = edge_at(by, at_a);
      if (by->kind == OUTLINE_LINE) foundation_press_segment(&f, a.from, a.to, a.normal, each, context);
    }
  }
}

// --- types -----------------------------------------------------------------------------------------------------------

#define FOUNDATION_POINT \
  .point_count = 1, .point_count_planar = 1, .evaluate = contact_evaluate_area, .tell_overlap = contact_tell_surfaces

static const contact_type contact_area_plane = {
    .name = "faces on plane",
    .overlap = overlap_of_plane,
    .visit = visit_on_plane,
    FOUNDATION_POINT,
};
static const contact_type contact_area_pair = {
    .name = "faces on faces",
    .overlap = overlap_of_pair,
    .visit = visit_pair,
    FOUNDATION_POINT,
};
static const contact_type contact_area_outlines = {
    .name = "edges on edges",
    .overlap = overlap_of_outlines,
    .visit = visit_outlines,
    FOUNDATION_POINT,
};

static void set_type(contact_element *e, const contact_type *type) {
  e->type = type;
  e->point_count = 1, e->point_names = NULL;
}

// A concave polygon may overlap another one in several places with several normals.
static bool is_area_of_polygons(const outline *a, const outline *b) {
  if (!a || !b || !a->flat || !b->flat) return false;
  return is_half_plane(b) ? a->polygon : a->polygon && b->polygon && a->convex && b->convex;
}

// It has flat faces or straight lines, and no more of them than there is room for.
static bool presses_flat(const contact_surface *s) { return s->faces || (s->form && s->form->type->sides); }

// A capsule on a plane or a capsule has the law of a point as well. It counts if the material has a stiffness for it.
static bool has_law_of_a_point(const contact_element *e) {
  const contact_material *m = &e->material;
  bool has_stiffness =
      m->normal.stiffness > 0 || m->has_solids || (m->normal.type && m->normal.type->contact == LAW_OWN);
  return has_stiffness && (e->type == &contact_capsule_plane || e->type == &contact_capsule_capsule);
}

static const contact_type *area_type(const mechanism *m, const contact_surface *first, const contact_surface *second,
                                     contact_element *e) {
  if (m->planar && is_area_of_polygons(first->outline, second->outline)) {
    e->outline_first = first->outline, e->outline_second = second->outline;
    return &contact_area_outlines;
  }
  if (m->planar || first->terrain || second->terrain) return contact_depth_type(m, first, second, e);
  if (!presses_flat(first) || !(contact_is_half_space(second) || presses_flat(second))) return NULL;
  e->faces_first = first->faces, e->faces_second = second->faces;
  return contact_is_half_space(second) ? &contact_area_plane : &contact_area_pair;
}

// With a foundation surfaces that have flat faces touch with an area, if such a type exists for them.
static void set_foundation(const mechanism *m, const contact_surface *a, const contact_surface *b, contact_element *e) {
  const contact_surface *first = e->first == a->marker ? a : b, *second = first == a ? b : a;
  if (has_law_of_a_point(e)) return;
  const contact_type *type = area_type(m, first, second, e);
  if (type) set_type(e, type);
}

void contact_set_law_type(const mechanism *m, const contact_surface *a, const contact_surface *b, contact_element *e) {
  if (!e->boundary_first && !contact_set_nearest(e) && e->material.foundation > 0) set_foundation(m, a, b, e);
}
