// A convex shape on a surface of triangles. Three kinds of places touch, each in the axes of the surface:
//   a corner, end or lowest point of the shape on a triangle,
//   a vertex of the surface on the shape,
//   an edge of the surface that crosses an edge or side line of the shape.
// Vertices and edges count only where the surface bulges: what lies around them must be behind the plane of contact. So edges between
// triangles of one plane, and hollow ones, catch nothing.
#include <float.h>
#include <math.h>

#include "contact/pairs.h"
#include "contact/places.h"
#include "contact/touches.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

#define HORIZON 0.1     // points with a larger gap than this part of the shape's thickness are not looked for
#define DEEPEST 0.5     // of the thickness: what is deeper under a triangle is on another side
#define BEHIND 1e-6     // of a length: what is farther before a plane is not behind it

enum { POINTS = 32, NEAR = 1024 };

typedef struct search {
  const contact_element *e;
  pose a;               // of the shape, in the axes of the surface
  double horizon;
  terrain_triangle near[NEAR];  // of more the lowest under the shape count
  double height[NEAR];
  int near_count;
  contact_places found; // on the surface
} search;

static const polytope *faces_of(const contact_element *e) { return e->faces_first ? &e->faces_first->hull : NULL; }

// What makes a place: a corner, end or lowest point of the shape, a vertex of the surface, or an edge of it and one of the shape.
enum { OF_SHAPE, OF_SURFACE, CROSSING };

static contact_feature of_shape(int name) { return (contact_feature){{OF_SHAPE, name, 0}}; }

static void add_place(search *s, vec3 at, vec3 n, double gap, contact_feature feature) {
  contact_add_place(&s->found, (contact_place){at, n, gap, feature});
}

// How far the shape is from the plane of a triangle.
static double height_over(const search *s, const terrain_triangle *t) {
  vec3 low = convex_support(s->e->shape_first, mat3_tmul(s->a.R, vec3_neg(t->normal)));
  return vec3_dot(t->normal, vec3_sub(pose_point(s->a, low), t->p[0])) - s->e->shape_first->layer;
}

static void collect(void *context, const terrain_triangle *t) {
  search *s = context;
  if (t->normal.x == 0 && t->normal.y == 0 && t->normal.z == 0) return;
  double height = height_over(s, t);
  if (!(height <= s->horizon)) return;
  int at = s->near_count;
  if (at == NEAR) {
    at = 0;
    for (int i = 1; i < NEAR; i++)
      if (s->height[i] > s->height[at]) at = i;
    if (s->height[at] <= height) return;
  } else s->near_count++;
  s->near[at] = *t, s->height[at] = height;
}

static void find_near(search *s) {
  double low[3], high[3], at[3];
  vec3_store(at, s->a.p);
  for (int k = 0; k < 3; k++) {
    vec3 n = {s->a.R.m[3 * k], s->a.R.m[3 * k + 1], s->a.R.m[3 * k + 2]};  // an axis of the surface in those of the shape
    double more = s->e->shape_first->layer + s->horizon;
    low[k] = at[k] + vec3_dot(n, convex_support(s->e->shape_first, vec3_neg(n))) - more;
    high[k] = at[k] + vec3_dot(n, convex_support(s->e->shape_first, n)) + more;
  }
  s->near_count = 0;
  s->e->terrain->type->each(s->e->terrain, vec3_of(low), vec3_of(high), collect, s);
}

// --- places of the shape on triangles -----------------------------------------------------------------------------------

static void add_ball(search *s, vec3 centre, double radius, int name) {
  terrain_touch t[TERRAIN_TOUCHES];
  int count = terrain_touches(s->e->terrain, centre, radius, s->horizon, t);
  for (int i = 0; i < count; i++) add_place(s, t[i].at, t[i].normal, t[i].gap, of_shape(name));
}

static bool is_over(const terrain_triangle *t, vec3 p) {
  for (int k = 0; k < 3; k++) {
    vec3 way = vec3_sub(t->p[(k + 1) % 3], t->p[k]);
    if (vec3_dot(vec3_cross(t->normal, way), vec3_sub(p, t->p[k])) < 0) return false;
  }
  return true;
}

static void add_over(search *s, const terrain_triangle *t, vec3 p, int name) {
  double gap = vec3_dot(t->normal, vec3_sub(p, t->p[0]));
  if (is_over(t, p)) add_place(s, vec3_axpy(p, -gap, t->normal), t->normal, gap, of_shape(name));
}

enum { NAME_LOWEST = 2 * FACET_ROUND + 2, NAME_NEAREST };

// What of a round shape is lowest over a triangle: its face or side line, and its lowest point where that is lower.
static void add_lowest(search *s, const terrain_triangle *t) {
  const convex *shape = s->e->shape_first;
  facet f;
  vec3 down = vec3_neg(t->normal);
  facet_find(shape, NULL, s->a, down, &f);
  double least = DBL_MAX;
  for (int i = 0; i < f.count; i++) {
    add_over(s, t, f.p[i], f.name[i]);
    least = fmin(least, vec3_dot(t->normal, f.p[i]));
  }
  vec3 low = vec3_axpy(pose_point(s->a, convex_support(shape, mat3_tmul(s->a.R, down))), shape->layer, down);
  if (vec3_dot(t->normal, low) < least - CONTACT_SAME_PLACE * s->e->span) add_over(s, t, low, NAME_LOWEST);
}

static void find_on_triangles(search *s) {
  const polytope *faces = faces_of(s->e);
  const convex *shape = s->e->shape_first;
  for (int i = 0; faces && i < faces->vertex_count; i++) add_ball(s, pose_point(s->a, faces->vertices[i]), 0, i);
  if (faces) return;
  if (shape->layer > 0) {  // a capsule
    for (int i = 0; i < 2; i++) add_ball(s, pose_point(s->a, (vec3){0, 0, (i ? 1 : -1) * shape->size[0]}), shape->layer, i);
    return;
  }
  for (int i = 0; i < s->near_count; i++) add_lowest(s, &s->near[i]);
}

// --- vertices and edges of the surface on the shape ------------------------------------------------------------------------

static bool has_corner(const terrain_triangle *t, int vertex) { return t->corners[0] == vertex || t->corners[1] == vertex || t->corners[2] == vertex; }

// All triangles with these vertices are behind the plane through p. Returns how many there are, or -1.
static int count_behind(const search *s, const int *vertices, int count, vec3 p, vec3 n) {
  int found = 0;
  for (int i = 0; i < s->near_count; i++) {
    const terrain_triangle *t = &s->near[i];
    if (!has_corner(t, vertices[0]) || (count > 1 && !has_corner(t, vertices[1]))) continue;
    found++;
    for (int k = 0; k < 3; k++) {
      vec3 way = vec3_sub(t->p[k], p);
      if (vec3_dot(n, way) > BEHIND * vec3_norm(way)) return -1;
    }
  }
  return found;
}

static contact_feature crossing(const int ends[2], int of_shape) {
  int low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] < ends[1] ? ends[1] : ends[0];
  return (contact_feature){{CROSSING + of_shape, low, high}};
}

// An edge of the shape goes on to the next edge of the surface, or one of the surface to the next of the shape.
static bool continues(const contact_feature *vanished, const contact_feature *place) {
  if (vanished->part[0] < CROSSING || place->part[0] < CROSSING) return false;
  bool same_edge = vanished->part[1] == place->part[1] && vanished->part[2] == place->part[2];
  bool next_edge = vanished->part[1] == place->part[1] || vanished->part[1] == place->part[2] || vanished->part[2] == place->part[1] ||
                   vanished->part[2] == place->part[2];
  return same_edge || (next_edge && vanished->part[0] == place->part[0]);
}

// Triangles of one plane all around it.
static bool is_flat_inside(const search *s, int vertex, vec3 p, vec3 n) {
  double angle = 0;
  for (int i = 0; i < s->near_count; i++) {
    const terrain_triangle *t = &s->near[i];
    if (!has_corner(t, vertex)) continue;
    if (vec3_dot(t->normal, n) < 1 - BEHIND * BEHIND) return false;
    int k = t->corners[0] == vertex ? 0 : t->corners[1] == vertex ? 1 : 2;
    vec3 e = vec3_sub(t->p[(k + 1) % 3], p), f = vec3_sub(t->p[(k + 2) % 3], p);
    angle += atan2(vec3_norm(vec3_cross(e, f)), vec3_dot(e, f));
  }
  return angle > 2 * M_PI - 1e-6;
}

static void find_vertex(search *s, int vertex, vec3 p) {
  convex point = convex_sphere(0);
  separation d = separation_of(s->e->shape_first, s->a, &point, (pose){MAT3_IDENTITY, p}, false);
  if (d.distance <= s->horizon && count_behind(s, &vertex, 1, p, d.normal) > 0) add_place(s, p, d.normal, d.distance, (contact_feature){{OF_SURFACE, vertex, 0}});
}

// The surface bulges at the edge by more than rounding: the other triangle falls away. The border of an open surface counts too.
static bool bulges(const search *s, const terrain_triangle *t, int from, int to) {
  for (int i = 0; i < s->near_count; i++) {
    const terrain_triangle *other = &s->near[i];
    if (other == t || !has_corner(other, from) || !has_corner(other, to)) continue;
    for (int k = 0; k < 3; k++) {
      if (other->corners[k] == from || other->corners[k] == to) continue;
      vec3 way = vec3_sub(other->p[k], t->p[0]);
      return vec3_dot(t->normal, way) < -BEHIND * vec3_norm(way);
    }
  }
  return true;
}

// Its ends are vertices, which are found by themselves.
static void find_edge(search *s, const terrain_triangle *t, int k) {
  int ends[2] = {t->corners[k], t->corners[(k + 1) % 3]};
  vec3 p[2] = {t->p[k], t->p[(k + 1) % 3]}, along = vec3_sub(p[1], p[0]);
  const convex *shape = s->e->shape_first;
  convex line = convex_hull(p, 2);
  pose fixed = {MAT3_IDENTITY, VEC3_ZERO};
  separation d = separation_of(shape, s->a, &line, fixed, false);
  if (!(d.distance <= s->horizon) || count_behind(s, ends, 2, p[0], d.normal) < 1) return;
  facet of_shape, of_line = {.p = {p[0], p[1]}, .name = {ends[0], ends[1]}, .count = 2, .core = {p[0], p[1]}};
  vec3 across = vec3_axpy(d.normal, -vec3_dot(d.normal, along) / vec3_dot(along, along), along);
  of_line.normal = vec3_scale(1 / vec3_norm(across), across), of_line.offset = vec3_dot(of_line.normal, p[0]);
  facet_find(shape, faces_of(s->e), s->a, vec3_neg(d.normal), &of_shape);
  manifold_point found[MANIFOLD_POINTS];
  int count = manifold_of_facets(&of_shape, &of_line, d.normal, s->horizon, found);
  double least = DBL_MAX;
  for (int i = 0; i < count; i++) {
    least = fmin(least, found[i].gap);
    if (found[i].of_a >= 0) add_place(s, found[i].on_b, found[i].normal, found[i].gap, crossing(ends, found[i].of_a));
  }
  double share = vec3_dot(vec3_sub(d.on_b, p[0]), along) / vec3_dot(along, along);
  if (share > 1e-9 && share < 1 - 1e-9 && d.distance < least - CONTACT_SAME_PLACE * s->e->span)
    add_place(s, d.on_b, d.normal, d.distance, crossing(ends, NAME_LOWEST));
}

// Every vertex and edge once, with the first triangle that has it.
static bool is_first_with(const search *s, int triangle, int a, int b) {
  for (int i = 0; i < triangle; i++)
    if (has_corner(&s->near[i], a) && has_corner(&s->near[i], b)) return false;
  return true;
}

static void find_on_shape(search *s) {
  for (int i = 0; i < s->near_count; i++) {
    const terrain_triangle *t = &s->near[i];
    for (int k = 0; k < 3; k++) {
      int from = t->corners[k], to = t->corners[(k + 1) % 3];
      if (is_first_with(s, i, from, from) && !is_flat_inside(s, from, t->p[k], t->normal)) find_vertex(s, from, t->p[k]);
      if (is_first_with(s, i, from, to) && bulges(s, t, from, to)) find_edge(s, t, k);
    }
  }
}

// --- points -----------------------------------------------------------------------------------------------------------------

// Where nothing is within the horizon: the nearest place alone, so that the gap is the distance at any time. A shape that is so deep in a
// triangle that no place counts is pushed out where that is the shortest way.
static void add_nearest(search *s) {
  contact_nearest_triangle t;
  if (!contact_find_nearest_triangle(s->e, s->a, &t)) return;
  bool overlaps = t.distance <= 0;
  if (overlaps) t.n = t.triangle.normal, t.distance = fmin(0, height_over(s, &t.triangle));
  s->found.items[s->found.count++] = (contact_place){t.at, t.n, t.distance, of_shape(NAME_NEAREST)};
}

static void look(const contact_element *e, pose a, search *s) {
  s->e = e, s->a = a, s->horizon = HORIZON * e->span;
  contact_begin_places(&s->found, e->span, s->horizon, DEEPEST * e->span);
  find_near(s);
  if (s->near_count) find_on_triangles(s), find_on_shape(s);
  if (!s->found.count) add_nearest(s);
  contact_choose_places(&s->found, e->point_count);
}

static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place body = marker_find(m, x, e->first), ground = marker_find(m, x, e->second);
  search s;
  look(e, (pose){mat3_product(mat3_transpose(ground.R), body.R), contact_apart(&body, &ground)}, &s);
  return contact_take_places(&s.found, &ground, to);
}

const contact_type contact_shape_terrain = {
    .name = "shape on triangles", .point_count = POINTS, .is_flat = contact_is_flat, .touches = find_touches, .continues = continues,
    .point_names = contact_point_numbers, .curvatures = contact_corner_curvatures, .nearest = contact_nearest_on_triangles, .tell_overlap = contact_tell_surfaces,
};
