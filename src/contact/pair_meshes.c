// Two meshes. Three kinds of places touch, in the axes of the second:
//   a vertex of the first on a triangle, edge or vertex of the second,
//   a vertex of the second on the first,
//   two edges that cross, both where their surfaces bulge.
// What a vertex touches is what a point touches there (geometry/terrain), so that edges between triangles of one plane
// catch nothing.
#include <math.h>

#include "contact/pairs.h"
#include "contact/places.h"
#include "geometry/terrain.h"

#define HORIZON 0.1   // points with a larger gap than this part of the thinner body are not looked for
#define DEEPEST 0.5   // likewise: what is deeper under a triangle is on another side
#define BEHIND  1e-6  // of a length: what is farther before a plane is not behind it
#define ACROSS  1e-6  // sine of the least angle at which edges cross
#define WAY_OUT 0.2   // of the depth of two edges: where the first is less deep in the second mesh, they do not hold it

enum { POINTS = 32 };
enum { VERTEX_OF_FIRST, VERTEX_OF_SECOND, EDGES, NEAREST };

// An edge with its triangles.
typedef struct bulge {
  vec3 p[2];       // its ends
  vec3 beside[2];  // the other corners of its triangles
  int count;       // of triangles
} bulge;

typedef struct search {
  const terrain *first, *second;
  pose a;          // of the first in the axes of the second
  bool of_second;  // vertices of the second are looked at
  bulge edge;      // of the first that is looked at, in the axes of the second
  int edge_number;
  contact_places found;
} search;

static pose inverse(pose a) {
  mat3 R = mat3_transpose(a.R);
  return (pose){R, vec3_neg(mat3_mul(R, a.p))};
}

// The box of a box that is somewhere else, and `more` around it.
static void box_at(pose a, vec3 low, vec3 high, double more, vec3 *to_low, vec3 *to_high) {
  vec3 half = vec3_scale(0.5, vec3_sub(high, low)), middle = pose_point(a, vec3_scale(0.5, vec3_add(low, high)));
  double extent[3];
  for (int k = 0; k < 3; k++)
    extent[k] = fabs(a.R.m[3 * k]) * half.x + fabs(a.R.m[3 * k + 1]) * half.y + fabs(a.R.m[3 * k + 2]) * half.z + more;
  *to_low = vec3_sub(middle, vec3_of(extent)), *to_high = vec3_add(middle, vec3_of(extent));
}

// --- vertices --------------------------------------------------------------------------------------------------------

// Every vertex counts with the first triangle that has it.
static void look_at_vertices(void *context, const terrain_triangle *t) {
  search *s = context;
  const terrain *of = s->of_second ? s->second : s->first, *on = s->of_second ? s->first : s->second;
  pose there = s->of_second ? inverse(s->a) : s->a;
  for (int k = 0; k < 3; k++) {
    if (of->owner[t->corners[k]] != t->number) continue;
    terrain_touch touch[TERRAIN_TOUCHES];
    int count = terrain_touches_within(on, pose_point(there, t->p[k]), 0, s->found.horizon, s->found.deepest, touch);
    for (int i = 0; i < count; i++) {
      vec3 at = touch[i].at, n = touch[i].normal;
      if (s->of_second) at = t->p[k], n = vec3_neg(mat3_mul(s->a.R, n));
      contact_add_place(
          &s->found, (contact_place){
                         at, n, touch[i].gap, {{s->of_second ? VERTEX_OF_SECOND : VERTEX_OF_FIRST, t->corners[k], 0}}});
    }
  }
}

// --- edges -----------------------------------------------------------------------------------------------------------

// Every edge counts with the first of its triangles, where the surface bulges or ends.
static bool find_bulge(const terrain *of, const terrain_triangle *t, int side, bulge *to) {
  const mesh *m = of->triangles;
  const mesh_edge *e = &m->edges[m->sides[t->number][side]];
  if (e->triangles[0] != t->number) return false;
  *to = (bulge){{t->p[side], t->p[(side + 1) % 3]}, {t->p[(side + 2) % 3]}, 1};
  if (e->triangles[1] < 0) return true;
  const int *v = m->triangles[e->triangles[1]];
  for (int k = 0; k < 3 && to->count < 2; k++)
    if (v[k] != e->ends[0] && v[k] != e->ends[1]) to->beside[to->count++] = m->vertices[v[k]];
  if (to->count != 2) return false;
  vec3 way = vec3_sub(to->beside[1], to->p[0]);
  return vec3_dot(t->normal, way) < -BEHIND * vec3_norm(way);
}

static bool is_behind(const bulge *b, vec3 n) {
  for (int i = 0; i < b->count; i++) {
    vec3 way = vec3_sub(b->beside[i], b->p[0]);
    if (vec3_dot(n, way) > BEHIND * vec3_norm(way)) return false;
  }
  return true;
}

// Where two lines are nearest: x_a = p + s d, x_b = q + t e with (x_a - x_b) · d = (x_a - x_b) · e = 0. Returns false
// if that is not within both.
static bool find_crossing(const bulge *a, const bulge *b, vec3 *on_a, vec3 *on_b, vec3 *n) {
  vec3 d = vec3_sub(a->p[1], a->p[0]), e = vec3_sub(b->p[1], b->p[0]), r = vec3_sub(a->p[0], b->p[0]);
  double dd = vec3_dot(d, d), ee = vec3_dot(e, e), de = vec3_dot(d, e), det = dd * ee - de * de;
  if (!(det > ACROSS * ACROSS * dd * ee)) return false;
  double dr = vec3_dot(d, r), er = vec3_dot(e, r), s = (de * er - ee * dr) / det, t = (dd * er - de * dr) / det;
  if (!(s > 1e-9 && s < 1 - 1e-9 && t > 1e-9 && t < 1 - 1e-9)) return false;
  vec3 c = vec3_cross(d, e);
  *n = vec3_scale(1 / vec3_norm(c), c);
  *on_a = vec3_axpy(a->p[0], s, d), *on_b = vec3_axpy(b->p[0], t, e);
  return true;
}

// How deep a point is in the second mesh, at most as deep as counts.
static double depth_of(const search *s, vec3 p) {
  terrain_touch t[TERRAIN_TOUCHES];
  return terrain_touches_within(s->second, p, 0, 0, s->found.deepest, t) == 1 ? -t[0].gap : 0;
}

// Of two boxes on each other an upright edge of one and a lying edge of the other cross, too, and overlap by far more
// than the boxes do. Where edges hold the meshes apart, that of the first is about as deep in the second as they
// overlap: there, or beside it by as much as that.
static bool holds(const search *s, const bulge *a, vec3 on_a, double gap) {
  if (gap >= -CONTACT_SAME_PLACE * s->found.span) return true;
  double most = depth_of(s, on_a);
  for (int i = 0; i < 2; i++) {
    vec3 way = vec3_sub(a->p[i], on_a);
    double length = vec3_norm(way);
    most = fmax(most, depth_of(s, vec3_axpy(on_a, fmin(1, -gap / length), way)));
  }
  return most >= WAY_OUT * -gap;
}

static void look_at_edges(void *context, const terrain_triangle *t) {
  search *s = context;
  const bulge *a = &s->edge;
  bulge b;
  for (int k = 0; k < 3; k++) {
    vec3 on_a, on_b, n;
    if (!find_bulge(s->second, t, k, &b) || !find_crossing(a, &b, &on_a, &on_b, &n)) continue;
    if (!is_behind(&b, n)) n = vec3_neg(n);
    if (!is_behind(&b, n) || !is_behind(a, vec3_neg(n))) continue;
    double gap = vec3_dot(n, vec3_sub(on_a, on_b));
    if (gap <= s->found.horizon && gap >= -s->found.deepest && holds(s, a, on_a, gap))
      contact_add_place(
          &s->found,
          (contact_place){on_b, n, gap, {{EDGES, s->edge_number, s->second->triangles->sides[t->number][k]}}});
  }
}

static void look_at_triangle(void *context, const terrain_triangle *t) {
  search *s = context;
  look_at_vertices(s, t);
  for (int k = 0; k < 3; k++) {
    bulge *a = &s->edge;
    if (!find_bulge(s->first, t, k, a)) continue;
    for (int i = 0; i < 2; i++) a->p[i] = pose_point(s->a, a->p[i]), a->beside[i] = pose_point(s->a, a->beside[i]);
    vec3 p = a->p[0], q = a->p[1], more = {s->found.deepest, s->found.deepest, s->found.deepest};
    vec3 low = {fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)},
         high = {fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z)};
    s->edge_number = s->first->triangles->sides[t->number][k];
    s->second->type->each(s->second, vec3_sub(low, more), vec3_add(high, more), look_at_edges, s);
  }
}

// --- points ----------------------------------------------------------------------------------------------------------

// Where nothing is near: a bound of the distance, by the boxes of both.
static void add_bound(search *s, vec3 low, vec3 high) {
  vec3 l = s->second->low, h = s->second->high;
  vec3 off = {fmax(0, fmax(low.x - h.x, l.x - high.x)), fmax(0, fmax(low.y - h.y, l.y - high.y)),
              fmax(0, fmax(low.z - h.z, l.z - high.z))};
  vec3 way = vec3_sub(vec3_add(low, high), vec3_add(l, h));
  double gap = fmax(vec3_norm(off), s->found.horizon), length = vec3_norm(way);
  vec3 n = length > 0 ? vec3_scale(1 / length, way) : (vec3){0, 0, 1};
  s->found.items[s->found.count++] = (contact_place){vec3_scale(0.5, vec3_add(l, h)), n, gap, {{NEAREST, 0, 0}}};
}

static void look(const contact_element *e, pose a, search *s) {
  s->first = e->terrain_first, s->second = e->terrain, s->a = a, s->of_second = false;
  contact_begin_places(&s->found, e->span, HORIZON * e->span, DEEPEST * e->span);
  vec3 low, high;
  box_at(inverse(a), s->second->low, s->second->high, s->found.horizon, &low, &high);
  s->first->type->each(s->first, low, high, look_at_triangle, s);
  box_at(a, s->first->low, s->first->high, s->found.horizon, &low, &high);
  s->of_second = true;
  s->second->type->each(s->second, low, high, look_at_vertices, s);
  if (!s->found.count) box_at(a, s->first->low, s->first->high, 0, &low, &high), add_bound(s, low, high);
  contact_choose_places(&s->found, e->point_count);
}

static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place ground;
  search s;
  look(e, contact_place_on(m, x, e, &ground), &s);
  return contact_take_places(&s.found, &ground, to);
}

// The least gap on a way that is straight and turns evenly: looked for in steps of the gap, which is never more than
// the distance, or of half the horizon.
static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double time, double graze) {
  enum { MOST = 400 };
  marker_place body = marker_find(m, x, e->first), ground = marker_find(m, x, e->second);
  vec3 way = vec3_sub(after->apart, before->apart), turn = contact_turn_in(m, x, &body, &ground, time),
       low = e->terrain_first->low, high = e->terrain_first->high;
  double reach = vec3_norm(
      (vec3){fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)), fmax(fabs(low.z), fabs(high.z))});
  double length = vec3_norm(way) + vec3_norm(turn) * reach, bound = 0.5 * (before->gap + after->gap - length),
         least = INFINITY;
  if (bound > -graze) return bound;
  mat3 R = mat3_product(mat3_transpose(ground.R), body.R);
  double shortest = fmax(0.5 * HORIZON * e->span, length / MOST);
  for (double at = 0; at < length && least >= -graze;) {
    search s;
    look(e, (pose){contact_turned_back(R, turn, 1 - at / length), vec3_axpy(before->apart, at / length, way)}, &s);
    double gap = INFINITY;
    for (int i = 0; i < s.found.count; i++) gap = fmin(gap, s.found.items[i].gap);
    least = fmin(least, gap);
    at += fmax(gap, shortest);
  }
  return least;
}

// An edge goes on to the next one of the other mesh.
static bool continues(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == EDGES && place->part[0] == EDGES &&
         (vanished->part[1] == place->part[1] || vanished->part[2] == place->part[2]);
}

// The least edge of the box around a mesh that is not flat there.
double contact_mesh_thickness(const terrain *t) {
  vec3 size = vec3_sub(t->high, t->low);
  double edge[3], largest = fmax(size.x, fmax(size.y, size.z)), least = largest;
  vec3_store(edge, size);
  for (int k = 0; k < 3; k++)
    if (edge[k] > 1e-6 * largest) least = fmin(least, edge[k]);
  return least;
}

void contact_set_meshes(contact_element *e, const terrain *first, const terrain *second) {
  e->terrain_first = first, e->terrain = second;
  e->span = fmin(contact_mesh_thickness(first), contact_mesh_thickness(second));
}

const contact_type contact_mesh_mesh = {
    .name = "mesh on mesh",
    .point_count = POINTS,
    .is_flat = contact_is_flat,
    .touches = find_touches,
    .continues = continues,
    .point_names = contact_point_numbers,
    .curvatures = contact_corner_curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
