// A convex shape on a surface of triangles. Three kinds of places touch, each in the axes of the surface:
//   a corner, end or lowest point of the shape on a triangle,
//   a vertex of the surface on the shape,
//   an edge of the surface that crosses an edge or side line of the shape.
// Vertices and edges count only where the surface bulges: what lies around them must be behind the plane of contact. So
// edges between triangles of one plane, and hollow ones, catch nothing.
#include <float.h>
#include <math.h>

#include "contact/pairs.h"
#include "contact/places.h"
#include "contact/touches.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

#define HORIZON 0.1   // points with a larger gap than this part of the shape's thickness are not looked for
#define DEEPEST 0.5   // of the thickness: what is deeper under a triangle is on another side
#define BEHIND  1e-6  // of a length: what is farther before a plane is not behind it

enum { POINTS = 32, NEAR = 512, CHAINS = 1024, DEPTH = 24 };

// Triangles near the shape are looked at in boxes with at most NEAR of them: what has more is halved. A vertex, edge or
// triangle counts in the box that has the low corner of its own box, as far as that lies within the whole; all
// triangles with that vertex or edge come near that box.
typedef struct search {
  const contact_element *e;
  pose a;  // of the shape, in the axes of the surface
  double horizon;
  vec3 low, high;  // the box around the shape
  vec3 from, to;   // the part of it that is looked at: a box with its low sides and without its high ones, unless these
                   // are the last
  terrain_triangle near[NEAR];
  int near_count;
  bool too_many, last;  // there are more; they cannot be parted further, and the lowest under the shape count
  bool begun;           // some triangle was near: the corners of the shape are found
  int chain[CHAINS],
      next[3 * NEAR];  // corners of the triangles by their vertices: 3 times the triangle and the corner, -1 at the end
  contact_places found;  // on the surface
} search;

static const polytope *faces_of(const contact_element *e) { return e->faces_first ? &e->faces_first->hull : NULL; }

// What makes a place: a corner, end or lowest point of the shape, a vertex of the surface, or an edge of it and one of
// the shape.
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
    s->too_many = true;
    if (!s->last) return;
    at = 0;
    for (int i = 1; i < NEAR; i++)
      if (height_over(s, &s->near[i]) > height_over(s, &s->near[at])) at = i;
    if (height_over(s, &s->near[at]) <= height) return;
  } else s->near_count++;
  s->near[at] = *t;
}

// Vertices of a mesh or grid have numbers that follow each other.
static unsigned chain_of(int vertex) { return (unsigned)vertex % CHAINS; }

// Triangles of a chain are in the order of the list.
static void link_corners(search *s) {
  for (int i = 0; i < CHAINS; i++) s->chain[i] = -1;
  for (int i = s->near_count - 1; i >= 0; i--)
    for (int k = 2; k >= 0; k--) {
      int *chain = &s->chain[chain_of(s->near[i].corners[k])];
      s->next[3 * i + k] = *chain, *chain = 3 * i + k;
    }
}

// The next triangle of a chain that has the vertex, from corner c of the list on; -1: none.
static int next_with(const search *s, int vertex, int c) {
  while (c >= 0 && s->near[c / 3].corners[c % 3] != vertex) c = s->next[c];
  return c;
}

static int first_with(const search *s, int vertex) { return next_with(s, vertex, s->chain[chain_of(vertex)]); }

#define EACH_TRIANGLE_WITH(t, s, vertex)                                                  \
  for (int c_ = first_with(s, vertex); c_ >= 0; c_ = next_with(s, vertex, (s)->next[c_])) \
    for (const terrain_triangle *t = &(s)->near[c_ / 3]; t; t = NULL)

static vec3 least_of(vec3 a, vec3 b) { return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
static vec3 most_of(vec3 a, vec3 b) { return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }

static bool is_between(double from, double x, double to, double end) { return x >= from && (x < to || to == end); }

// Whether what has this box is looked at now.
static bool is_here(const search *s, vec3 low, vec3 high) {
  vec3 p = most_of(low, s->low);
  if (p.x > high.x || p.y > high.y || p.z > high.z || p.x > s->high.x || p.y > s->high.y || p.z > s->high.z)
    return false;
  return is_between(s->from.x, p.x, s->to.x, s->high.x) && is_between(s->from.y, p.y, s->to.y, s->high.y) &&
         is_between(s->from.z, p.z, s->to.z, s->high.z);
}

// --- places of the shape on triangles --------------------------------------------------------------------------------

static void add_ball(search *s, vec3 centre, double radius, int name) {
  terrain_touch t[TERRAIN_TOUCHES];
  int count = terrain_touches_within(s->e->terrain, centre, radius, s->horizon, s->found.deepest, t);
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

// Corners of a hull and ends of a capsule; other shapes have none.
static void find_corners(search *s) {
  const polytope *faces = faces_of(s->e);
  const convex *shape = s->e->shape_first;
  for (int i = 0; faces && i < faces->vertex_count; i++) add_ball(s, pose_point(s->a, faces->vertices[i]), 0, i);
  for (int i = 0; !faces && shape->layer > 0 && i < 2; i++)
    add_ball(s, pose_point(s->a, (vec3){0, 0, (i ? 1 : -1) * shape->size[0]}), shape->layer, i);
}

static void find_on_triangles(search *s) {
  if (faces_of(s->e) || s->e->shape_first->layer > 0) return;
  for (int i = 0; i < s->near_count; i++) {
    const vec3 *p = s->near[i].p;
    if (is_here(s, least_of(p[0], least_of(p[1], p[2])), most_of(p[0], most_of(p[1], p[2]))))
      add_lowest(s, &s->near[i]);
  }
}

// --- vertices and edges of the surface on the shape ------------------------------------------------------------------

static bool has_corner(const terrain_triangle *t, int vertex) {
  return t->corners[0] == vertex || t->corners[1] == vertex || t->corners[2] == vertex;
}

// All triangles with these vertices are behind the plane through p. Returns how many there are, or -1.
static int count_behind(const search *s, const int *vertices, int count, vec3 p, vec3 n) {
  int found = 0;
  EACH_TRIANGLE_WITH(t, s, vertices[0]) {
    if (count > 1 && !has_corner(t, vertices[1])) continue;
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
  bool next_edge = vanished->part[1] == place->part[1] || vanished->part[1] == place->part[2] ||
                   vanished->part[2] == place->part[1] || vanished->part[2] == place->part[2];
  return same_edge || (next_edge && vanished->part[0] == place->part[0]);
}

// Triangles of one plane all around it.
static bool is_flat_inside(const search *s, int vertex, vec3 p, vec3 n) {
  double angle = 0;
  EACH_TRIANGLE_WITH(t, s, vertex) {
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
  if (d.distance <= s->horizon && count_behind(s, &vertex, 1, p, d.normal) > 0)
    add_place(s, p, d.normal, d.distance, (contact_feature){{OF_SURFACE, vertex, 0}});
}

// The surface bulges at the edge by more than rounding: the other triangle falls away. The border of an open surface
// counts too.
static bool bulges(const search *s, const terrain_triangle *t, int from, int to) {
  EACH_TRIANGLE_WITH(other, s, from) {
    if (other == t || !has_corner(other, to)) continue;
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
  EACH_TRIANGLE_WITH(t, s, a)
  if (has_corner(t, b)) return t == &s->near[triangle];
  return true;
}

static void find_on_shape(search *s) {
  for (int i = 0; i < s->near_count; i++) {
    const terrain_triangle *t = &s->near[i];
    for (int k = 0; k < 3; k++) {
      int from = t->corners[k], to = t->corners[(k + 1) % 3];
      vec3 p = t->p[k], q = t->p[(k + 1) % 3];
      if (is_here(s, p, p) && is_first_with(s, i, from, from) && !is_flat_inside(s, from, p, t->normal))
        find_vertex(s, from, p);
      if (is_here(s, least_of(p, q), most_of(p, q)) && is_first_with(s, i, from, to) && bulges(s, t, from, to))
        find_edge(s, t, k);
    }
  }
}

// --- points ----------------------------------------------------------------------------------------------------------

// Where nothing is within the horizon: the nearest place alone, so that the gap is the distance at any time. A shape
// that is so deep in a triangle that no place counts is pushed out where that is the shortest way.
static void add_nearest(search *s) {
  contact_nearest_triangle t;
  if (!contact_find_nearest_triangle(s->e, s->a, &t)) return;
  bool overlaps = t.distance <= 0;
  if (overlaps) t.n = t.triangle.normal, t.distance = fmin(0, height_over(s, &t.triangle));
  s->found.items[s->found.count++] = (contact_place){t.at, t.n, t.distance, of_shape(NAME_NEAREST)};
}

// Looks at a part of the box around the shape, in halves across its longest edge where too many triangles are near.
static void look_at_part(search *s, vec3 from, vec3 to, int depth) {
  s->from = from, s->to = to, s->near_count = 0, s->too_many = false, s->last = depth == 0;
  s->e->terrain->type->each(s->e->terrain, from, to, collect, s);
  if (!s->too_many || s->last) {
    if (!s->near_count) return;
    if (!s->begun) find_corners(s);
    s->begun = true;
    link_corners(s);
    find_on_triangles(s), find_on_shape(s);
    return;
  }
  vec3 size = vec3_sub(to, from), first_end = to, second_start = from;
  if (size.x >= size.y && size.x >= size.z) first_end.x = second_start.x = 0.5 * (from.x + to.x);
  else if (size.y >= size.z) first_end.y = second_start.y = 0.5 * (from.y + to.y);
  else first_end.z = second_start.z = 0.5 * (from.z + to.z);
  look_at_part(s, from, first_end, depth - 1);
  look_at_part(s, second_start, to, depth - 1);
}

static void look(const contact_element *e, pose a, search *s) {
  s->e = e, s->a = a, s->horizon = HORIZON * e->span;
  contact_begin_places(&s->found, e->span, s->horizon, DEEPEST * e->span);
  contact_box_around(e->shape_first, a, s->horizon, &s->low, &s->high);
  s->begun = false;
  look_at_part(s, s->low, s->high, DEPTH);
  if (!s->found.count) add_nearest(s);
  contact_choose_places(&s->found, e->point_count);
}

static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place ground;
  search s;
  look(e, contact_place_on(m, x, e, &ground), &s);
  return contact_take_places(&s.found, &ground, to);
}

const contact_type contact_shape_terrain = {
    .name = "shape on triangles",
    .point_count = POINTS,
    .is_flat = contact_is_flat,
    .touches = find_touches,
    .continues = continues,
    .point_names = contact_point_numbers,
    .curvatures = contact_corner_curvatures,
    .nearest = contact_nearest_on_triangles,
    .tell_overlap = contact_tell_surfaces,
};
