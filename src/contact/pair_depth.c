// Surfaces that press into the field of depth of another body (geometry/depth.h): convex shapes and meshes on meshes
// and height fields, meshes on planes, and outlines in the plane of which one is concave or has arcs. An element has
// one point, the centre of pressure. Its gap is minus the largest depth.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/places.h"
#include "geometry/depth.h"
#include "geometry/flat.h"
#include "geometry/foundation.h"
#include "geometry/tessellate.h"
#include "geometry/touch.h"

// --- sums ------------------------------------------------------------------------------------------------------------

// What presses is in the axes of `at`: the body that presses in space, the field in the plane.
typedef struct pressing {
  const contact_element *e;
  pose at;
  double side;  // 1: the first surface presses into the second, -1: the second into the first
  depth_sum sum;
  bool sums;    // the sum is asked for, or else the parts
  double load;  // the sum of depth times area as seen along the normals of the field, and the same times places
  vec3 place;
  contact_visit *each;
  void *context;
} pressing;

static void add_part(void *context, const depth_cell *c, const depth_node *node) {
  pressing *p = context;
  double area = -vec3_dot(node->n, node->surface);
  if (p->sums) {
    depth_add(&p->sum, c, node);
    p->load += node->depth * area, p->place = vec3_axpy(p->place, node->depth * area, node->at);
    return;
  }
  foundation_node part = {pose_point(p->at, node->at), vec3_scale(p->side, mat3_mul(p->at.R, node->n)), node->depth,
                          area};
  if (area != 0) p->each(p->context, &part);
}

static depth_sum *deepest_of(pressing *p) { return p->sums ? &p->sum : NULL; }

// The force acts next to the centre of its parts; a moment that asks for a place farther than a few depths away stays a
// moment.
static void set_force(const pressing *p, contact_overlap *to) {
  const depth_sum *s = &p->sum;
  vec3 centre = p->load > 0 ? vec3_scale(1 / p->load, p->place) : s->at,
       moment = vec3_sub(s->moment, vec3_cross(centre, s->force));
  double square = vec3_dot(s->force, s->force), size = sqrt(square);
  vec3 arm = square > 0 ? vec3_scale(1 / square, vec3_cross(s->force, moment)) : VEC3_ZERO;
  double length = vec3_norm(arm), most = 10 * s->deepest;
  if (length > most) arm = vec3_scale(most / length, arm);
  moment = vec3_sub(moment, vec3_cross(arm, s->force));
  to->gap = -s->deepest, to->share = 1, to->energy = s->energy;
  to->nearest = pose_point(p->at, s->at), to->apart = vec3_scale(-p->side, mat3_mul(p->at.R, s->rate));
  to->at = pose_point(p->at, vec3_add(centre, arm));
  to->force = vec3_scale(p->side, mat3_mul(p->at.R, s->force)),
  to->moment = vec3_scale(p->side, mat3_mul(p->at.R, moment));
  to->n = size > 0 ? vec3_scale(1 / size, to->force) : vec3_scale(1 / vec3_norm(to->apart), to->apart);
}

static pose pose_at(const marker_place *p) { return (pose){p->R, p->p}; }

// --- in space --------------------------------------------------------------------------------------------------------

typedef struct search {
  pressing p;
  const terrain *field, *mesh;  // the mesh presses; null: a convex shape does
  const convex *shape;
  const flat *faces;
  pose field_at;    // in the axes of what presses
  double reach;     // deeper places are not looked for in a mesh
  depth_cell cell;  // in the axes of what presses
  tessellation room;
} search;

static void press_polytope(search *s, const polytope *hull) {
  vec3 corner[FACET_CORNERS];
  for (int i = 0; i < hull->face_count; i++) {
    const polytope_face *f = &hull->faces[i];
    double least = INFINITY;
    for (int k = 0; k < f->count; k++) {
      corner[k] = hull->vertices[hull->corners[f->first + k]];
      least = fmin(least, vec3_dot(s->cell.n, corner[k]));
    }
    if (least < s->cell.offset)
      depth_press_face(&s->cell, corner, f->count, f->normal, deepest_of(&s->p), add_part, &s->p);
  }
}

static void press_triangle(void *context, const terrain_triangle *t) {
  search *s = context;
  if (vec3_dot(t->normal, t->normal) > 0)
    depth_press_face(&s->cell, t->p, 3, t->normal, deepest_of(&s->p), add_part, &s->p);
}

// The triangles near those of the field, and below them.
static void press_mesh(search *s, const terrain_triangle *t) {
  vec3 low = {INFINITY, INFINITY, INFINITY}, high = vec3_neg(low);
  double reach = fmin(s->cell.most, s->reach);
  for (int k = 0; k < 3; k++) {
    vec3 p = pose_point(s->field_at, t->p[k]);
    low = (vec3){fmin(low.x, p.x - reach), fmin(low.y, p.y - reach), fmin(low.z, p.z - reach)};
    high = (vec3){fmax(high.x, p.x + reach), fmax(high.y, p.y + reach), fmax(high.z, p.z + reach)};
  }
  s->mesh->type->each(s->mesh, low, high, press_triangle, s);
}

static void press_shape(search *s) {
  vec3 down = vec3_neg(s->cell.n);
  double depth = s->cell.offset + vec3_dot(down, convex_support(s->shape, down)) + s->shape->layer;
  if (!(depth > 0)) return;
  if (!s->faces) tessellate(s->shape, down, fmin(depth, s->cell.most), &s->room);
  press_polytope(s, s->faces ? &s->faces->hull : &s->room.hull);
}

static void press_on_triangle(void *context, const terrain_triangle *t) {
  search *s = context;
  depth_cell below;
  if (!depth_of_triangle(s->field, t, &below)) return;
  s->cell = depth_seen_at(&below, s->field_at);
  if (s->mesh) press_mesh(s, t);
  else press_shape(s);
}
#define NEAR 0.1  // of the thickness: a shape that is pressed in deeper may miss triangles beside it

// The box of a box that is somewhere else, and `more` around it.
static void box_at(pose a, vec3 low, vec3 high, double more, vec3 *to_low, vec3 *to_high) {
  vec3 half = vec3_scale(0.5, vec3_sub(high, low)), middle = pose_point(a, vec3_scale(0.5, vec3_add(low, high)));
  double extent[3];
  for (int k = 0; k < 3; k++)
    extent[k] = fabs(a.R.m[3 * k]) * half.x + fabs(a.R.m[3 * k + 1]) * half.y + fabs(a.R.m[3 * k + 2]) * half.z + more;
  *to_low = vec3_sub(middle, vec3_of(extent)), *to_high = vec3_add(middle, vec3_of(extent));
}

static bool is_open(const terrain *t) { return t->heights || !mesh_is_closed(t->triangles); }

// Of two meshes the field is that of the open or larger one.
static bool presses_first(const contact_element *e) {
  if (!e->terrain_first || is_open(e->terrain)) return true;
  double first = vec3_norm(vec3_sub(e->terrain_first->high, e->terrain_first->low)),
         second = vec3_norm(vec3_sub(e->terrain->high, e->terrain->low));
  return !is_open(e->terrain_first) && first <= second;
}

static void press_on_terrain(const mechanism *m, const motion *x, const contact_element *e, search *s) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  bool forward = presses_first(e);
  pose a = pose_at(forward ? &first : &second), b = pose_at(forward ? &second : &first);
  s->p.e = e, s->p.at = a, s->p.side = forward ? 1 : -1;
  s->field = forward ? e->terrain : e->terrain_first, s->mesh = forward ? e->terrain_first : e->terrain;
  s->shape = e->shape_first, s->faces = e->faces_first;
  if (!e->terrain_first) s->mesh = NULL;
  s->field_at = pose_product(pose_inverse(a), b), s->reach = 0.5 * e->span;
  pose on = pose_inverse(s->field_at);
  vec3 low, high;
  if (s->mesh) box_at(on, s->mesh->low, s->mesh->high, NEAR * e->span, &low, &high);
  else contact_box_around(s->shape, on, NEAR * e->span, &low, &high);
  s->field->type->each(s->field, low, high, press_on_triangle, s);
}

static void begin(pressing *p, bool sums, contact_visit *each, void *context) {
  *p = (pressing){.sums = sums, .each = each, .context = context};
}

// Nothing presses: the least distance.
static void find_distance(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  marker_place ground;
  pose a = contact_place_on(m, x, e, &ground);
  contact_nearest_triangle t;
  *to = (contact_overlap){.gap = INFINITY, .nearest = ground.p, .apart = {0, 0, 1}};
  if (!contact_find_nearest_triangle(e, a, &t)) return;
  if (!(t.distance > 0)) t.n = t.triangle.normal;
  to->gap = fmax(t.distance, 0), to->apart = mat3_mul(ground.R, t.n);
  to->nearest = pose_point(pose_at(&ground), t.at);
}

static void find_distance_of_meshes(const mechanism *m, const motion *x, const contact_element *e,
                                    contact_overlap *to) {
  contact_element many = *e;
  contact_touch t[CONTACT_POINTS_MAX];
  many.type = &contact_mesh_mesh, many.point_count = contact_mesh_mesh.point_count;
  int count = contact_mesh_mesh.touches(m, x, &many, t), best = 0;
  for (int i = 1; i < count; i++)
    if (t[i].gap < t[best].gap) best = i;
  *to = (contact_overlap){.gap = count ? fmax(t[best].gap, 0) : INFINITY, .nearest = t[best].at, .apart = t[best].n};
}

static void overlap_of_terrain(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  search s;
  begin(&s.p, true, NULL, NULL);
  press_on_terrain(m, x, e, &s);
  *to = (contact_overlap){0};
  if (s.p.sum.deepest > 0) {
    set_force(&s.p, to);
    return;
  }
  if (e->terrain_first) find_distance_of_meshes(m, x, e, to);
  else find_distance(m, x, e, to);
  to->n = to->apart, to->at = to->nearest;
}

static void visit_on_terrain(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                             contact_visit *each, void *context) {
  (void)o;
  search s;
  begin(&s.p, false, each, context);
  press_on_terrain(m, x, e, &s);
}

// --- a mesh on a plane -----------------------------------------------------------------------------------------------

static void press_on_plane(const mechanism *m, const motion *x, const contact_element *e, search *s) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  vec3 n = contact_plane_normal(m, &plane);
  depth_cell c = depth_of_plane(n, vec3_dot(n, plane.p), false);
  s->p.e = e, s->p.at = pose_at(&body), s->p.side = 1;
  s->cell = depth_seen_at(&c, pose_inverse(s->p.at));
  terrain_each_below(e->terrain_first, s->cell.n, s->cell.offset, press_triangle, s);
}

static void overlap_of_plane(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  search s;
  begin(&s.p, true, NULL, NULL);
  press_on_plane(m, x, e, &s);
  *to = (contact_overlap){0};
  if (s.p.sum.deepest > 0) {
    set_force(&s.p, to);
    return;
  }
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  vec3 n = contact_plane_normal(m, &plane);
  vec3 lowest = pose_point(
      pose_at(&body), e->terrain_first->triangles->vertices[terrain_lowest(e->terrain_first, mat3_tmul(body.R, n))]);
  *to = (contact_overlap){
      .gap = fmax(0, vec3_dot(n, vec3_sub(lowest, plane.p))), .nearest = lowest, .apart = n, .n = n, .at = lowest};
}

static void visit_on_plane(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                           contact_visit *each, void *context) {
  (void)o;
  search s;
  begin(&s.p, false, each, context);
  press_on_plane(m, x, e, &s);
}

// --- in the plane ----------------------------------------------------------------------------------------------------

static bool apart(vec2 low, vec2 high, vec2 low2, vec2 high2) {
  return low.x > high2.x || low2.x > high.x || low.y > high2.y || low2.y > high.y;
}

// The box of an outline at a pose.
static void box_of(const outline *o, pose2 at, vec2 *low, vec2 *high) {
  vec2 half = vec2_scale(0.5, vec2_sub(o->high, o->low)),
       middle = pose2_point(at, vec2_scale(0.5, vec2_add(o->low, o->high)));
  vec2 extent = {fabs(at.c) * half.x + fabs(at.s) * half.y, fabs(at.s) * half.x + fabs(at.c) * half.y};
  *low = vec2_sub(middle, extent), *high = vec2_add(middle, extent);
}

// Of two outlines the field is that of the larger one; a half-plane is the second.
static void press_outlines(const mechanism *m, const motion *x, const contact_element *e, pressing *p) {
  marker_place first = marker_find(m, x, e->first), second = marker_find(m, x, e->second);
  bool plane = isinf(e->outline_second->high.x), forward = plane || e->outline_first->size <= e->outline_second->size;
  const outline *a = forward ? e->outline_first : e->outline_second,
                *b = forward ? e->outline_second : e->outline_first;
  p->e = e, p->at = pose_at(forward ? &second : &first), p->side = forward ? 1 : -1;
  pose2 at = pose2_between(pose2_of(pose_at(forward ? &first : &second)), pose2_of(p->at));
  vec2 low, high;
  box_of(a, at, &low, &high);
  if (!plane && apart(low, high, b->low, b->high)) return;
  for (int i = 0; i < b->count; i++) {
    depth_cell c;
    if (!depth_of_feature(b, i, &c)) continue;
    for (int k = 0; k < a->count; k++) depth_press_feature(&c, &a->features[k], at, deepest_of(p), add_part, p);
  }
}

static void overlap_of_outlines(const mechanism *m, const motion *x, const contact_element *e, contact_overlap *to) {
  pressing p;
  begin(&p, true, NULL, NULL);
  press_outlines(m, x, e, &p);
  *to = (contact_overlap){0};
  if (p.sum.deepest > 0) {
    set_force(&p, to);
    return;
  }
  contact_nearest_outlines(m, x, e, to);
  to->gap = fmax(0, to->gap), to->n = to->apart, to->at = to->nearest;
}

static void visit_outlines(const mechanism *m, const motion *x, const contact_element *e, const contact_overlap *o,
                           contact_visit *each, void *context) {
  (void)o;
  pressing p;
  begin(&p, false, each, context);
  press_outlines(m, x, e, &p);
}

// --- types -----------------------------------------------------------------------------------------------------------

#define DEPTH_POINT \
  .point_count = 1, .point_count_planar = 1, .evaluate = contact_evaluate_area, .tell_overlap = contact_tell_surfaces

static const contact_type contact_depth_terrain = {
    .name = "shape in triangles",
    .overlap = overlap_of_terrain,
    .visit = visit_on_terrain,
    .nearest = contact_nearest_on_triangles,
    DEPTH_POINT,
};
static const contact_type contact_depth_meshes = {
    .name = "mesh in mesh",
    .overlap = overlap_of_terrain,
    .visit = visit_on_terrain,
    DEPTH_POINT,
};
static const contact_type contact_depth_plane = {
    .name = "mesh in plane",
    .overlap = overlap_of_plane,
    .visit = visit_on_plane,
    DEPTH_POINT,
};
static const contact_type contact_depth_outlines = {
    .name = "outline in outline",
    .overlap = overlap_of_outlines,
    .visit = visit_outlines,
    DEPTH_POINT,
};

static bool has_field(const outline *o) {
  for (int i = 0; i < o->count; i++)
    if (o->features[i].kind == OUTLINE_CUBIC) return false;
  return true;
}

const contact_type *contact_depth_type(const mechanism *m, const contact_surface *first, const contact_surface *second,
                                       contact_element *e) {
  if (m->planar) {
    if (!first->outline || !second->outline || !first->outline->flat || !second->outline->flat) return NULL;
    if (!has_field(first->outline) || !has_field(second->outline)) return NULL;
    e->outline_first = first->outline, e->outline_second = second->outline;
    return &contact_depth_outlines;
  }
  if (first->terrain && contact_is_half_space(second)) {
    if (mesh_is_flat(first->terrain->triangles)) return NULL;
    e->terrain_first = first->terrain;
    return &contact_depth_plane;
  }
  if (e->type == &contact_mesh_mesh)
    return is_open(first->terrain) && is_open(second->terrain) ? NULL : &contact_depth_meshes;
  if (e->type != &contact_shape_terrain || !(first->faces || first->form->type->tessellate)) return NULL;
  e->faces_first = first->faces;
  return &contact_depth_terrain;
}
