// How thick the material is below the triangles of a mesh: rays from each triangle inwards to the first triangle that
// they meet.
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "geometry/terrain.h"

enum { DEPTH = 64 };

typedef struct ray {
  vec3 from, way;
  int own;        // the triangle from which it starts
  double length;  // to the nearest triangle so far
} ray;

// The part of the ray within a slab.
static bool cut_slab(double from, double way, double low, double high, double *enter, double *leave) {
  if (way == 0) return from >= low && from <= high;
  double a = (low - from) / way, b = (high - from) / way;
  *enter = fmax(*enter, fmin(a, b)), *leave = fmin(*leave, fmax(a, b));
  return *enter <= *leave;
}

static bool meets_box(const ray *r, const terrain_node *n) {
  double enter = 0, leave = r->length;
  return cut_slab(r->from.x, r->way.x, n->low.x, n->high.x, &enter, &leave) &&
         cut_slab(r->from.y, r->way.y, n->low.y, n->high.y, &enter, &leave) &&
         cut_slab(r->from.z, r->way.z, n->low.z, n->high.z, &enter, &leave);
}

// Where the ray meets the plane of a triangle, if that is within the triangle.
static void meet_triangle(ray *r, const mesh *m, int k) {
  const int *v = m->triangles[k];
  vec3 n = m->normals[k], a = m->vertices[v[0]];
  double across = vec3_dot(n, r->way);
  if (k == r->own || across == 0) return;
  double length = vec3_dot(n, vec3_sub(a, r->from)) / across;
  if (!(length > 0 && length < r->length)) return;
  vec3 x = vec3_axpy(r->from, length, r->way);
  for (int i = 0; i < 3; i++) {
    vec3 p = m->vertices[v[i]], side = vec3_cross(n, vec3_sub(m->vertices[v[(i + 1) % 3]], p));
    if (vec3_dot(side, vec3_sub(x, p)) < 0) return;
  }
  r->length = length;
}

static double length_of(const terrain *t, ray r) {
  int stack[DEPTH], count = 0;
  stack[count++] = 0;
  while (count) {
    const terrain_node *n = &t->nodes[stack[--count]];
    if (!meets_box(&r, n)) continue;
    if (!n->count) stack[count++] = n->first + 1, stack[count++] = n->first;
    for (int i = n->first; i < n->first + n->count; i++) meet_triangle(&r, t->triangles, t->list[i]);
  }
  return r.length;
}

// From the middle, and from halfway between it and the corners.
static double thickness_of(const terrain *t, int k) {
  const int *v = t->triangles->triangles[k];
  vec3 p[3] = {t->triangles->vertices[v[0]], t->triangles->vertices[v[1]], t->triangles->vertices[v[2]]};
  vec3 middle = vec3_scale(1.0 / 3, vec3_add(vec3_add(p[0], p[1]), p[2])), n = t->triangles->normals[k];
  if (vec3_dot(n, n) == 0) return INFINITY;
  double least = INFINITY;
  for (int i = 0; i < 4; i++) {
    vec3 from = i < 3 ? vec3_scale(0.5, vec3_add(middle, p[i])) : middle;
    least = fmin(least, length_of(t, (ray){from, vec3_neg(n), k, least}));
  }
  return least;
}

void terrain_measure(terrain *t, arena *memory) {
  double *half = ARENA_ARRAY(memory, double, t->triangles->triangle_count);
  for (int i = 0; i < t->triangles->triangle_count; i++) half[i] = 0.5 * thickness_of(t, i);
  t->half_thickness = half;
}
