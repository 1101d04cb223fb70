// A convex shape that moves straight, without a turn, past a surface of triangles. The space that it sweeps meets a
// triangle where the shape itself, at the start of its way, meets what the triangle sweeps on the way back: the hull of
// its corners at both ends of that.
#include <math.h>

#include "contact/pairs.h"
#include "contact/places.h"
#include "geometry/separation.h"

typedef struct sweep {
  const convex *shape;
  pose a;  // of the shape at the start, in the axes of the surface
  vec3 way;
  contact_nearest_triangle found;
} sweep;

// How far the space that is swept is from the plane of a triangle, or how far at least it reaches through it: they are
// no nearer.
static double distance_from_plane(const sweep *s, const terrain_triangle *t) {
  vec3 n = mat3_tmul(s->a.R, t->normal);
  double at = vec3_dot(t->normal, vec3_sub(s->a.p, t->p[0])), on = vec3_dot(t->normal, s->way);
  double low = at + vec3_dot(n, convex_support(s->shape, vec3_neg(n))) - s->shape->layer + fmin(on, 0);
  double high = at + vec3_dot(n, convex_support(s->shape, n)) + s->shape->layer + fmax(on, 0);
  return fmax(low, -high);
}

static void look_at_triangle(void *context, const terrain_triangle *t) {
  sweep *s = context;
  if (t->normal.x == 0 && t->normal.y == 0 && t->normal.z == 0) return;
  if (distance_from_plane(s, t) >= s->found.distance) return;
  bool moves = s->way.x != 0 || s->way.y != 0 || s->way.z != 0;
  vec3 corners[6];
  for (int k = 0; k < 3; k++) corners[k] = t->p[k], corners[3 + k] = vec3_sub(t->p[k], s->way);
  convex prism = convex_hull(corners, moves ? 6 : 3);
  separation d = separation_of(s->shape, s->a, &prism, (pose){MAT3_IDENTITY, VEC3_ZERO}, false);
  if (d.distance < s->found.distance) s->found = (contact_nearest_triangle){d.distance, d.on_b, d.normal, *t};
}

// Triangles in the box around what is swept, and `reach` beyond it.
static void look_within(const terrain *t, sweep *s, double reach) {
  vec3 low, high, w = s->way;
  contact_box_around(s->shape, s->a, reach, &low, &high);
  low = vec3_add(low, (vec3){fmin(w.x, 0), fmin(w.y, 0), fmin(w.z, 0)});
  high = vec3_add(high, (vec3){fmax(w.x, 0), fmax(w.y, 0), fmax(w.z, 0)});
  t->type->each(t, low, high, look_at_triangle, s);
}

// In boxes that grow until they hold a triangle, and once more if another one may be nearer.
bool contact_find_nearest_triangle(const contact_element *e, pose a, contact_nearest_triangle *to) {
  sweep s = {.shape = e->shape_first, .a = a, .found = {.distance = INFINITY}};
  double size = vec3_norm(vec3_sub(e->terrain->high, e->terrain->low)),
         all = size + vec3_norm(vec3_sub(a.p, e->terrain->low)), reach;
  for (reach = fmax(e->span, 1e-3 * size); isinf(s.found.distance) && reach < 4 * all; reach *= 2)
    look_within(e->terrain, &s, reach);
  if (isinf(s.found.distance)) return false;
  if (s.found.distance > 0.5 * reach) look_within(e->terrain, &s, s.found.distance);
  *to = s.found;
  return true;
}

static double least_on_way(const contact_element *e, pose a, vec3 way) {
  sweep s = {.shape = e->shape_first, .a = a, .way = way, .found = {.distance = 0}};
  look_within(e->terrain, &s, 0);
  return s.found.distance;
}

// A distance changes by no more than the way. What is swept may be outside all triangles though both ends are under the
// surface: then the way there was a passage. As contact_without_turn does, it leaves out what the present turn makes of
// the place before.
double contact_nearest_on_triangles(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *before, const contact_point *after, double time,
                                    double graze) {
  (void)time;
  vec3 way = vec3_sub(after->apart, before->apart);
  double bound = 0.5 * (before->gap + after->gap - vec3_norm(way));
  if (bound > -graze) return bound;
  marker_place body = marker_find(m, x, e->first), ground = marker_find(m, x, e->second);
  pose a = {mat3_product(mat3_transpose(ground.R), body.R), before->apart};
  double least = least_on_way(e, a, way);
  return least >= -graze ? least : least + fmax(0, before->gap - least_on_way(e, a, VEC3_ZERO));
}
