#include "geometry/polyline.h"

#include <math.h>

static vec2 at(const polyline *l, const vec2 *places, int vertex) { return places[l->place[vertex]]; }

// Outward, times the length of the line.
static vec2 across(const polyline *l, const vec2 *places, int vertex) {
  return vec2_neg(vec2_left(vec2_sub(at(l, places, l->next[vertex]), at(l, places, vertex))));
}

static vec2 unit_or_zero(vec2 a) {
  double size = vec2_norm(a);
  return size > 0 ? vec2_scale(1 / size, a) : (vec2){0, 0};
}

vec2 polyline_normal(const polyline *l, const vec2 *places, int vertex) {
  vec2 n = {0, 0};
  if (l->next[vertex] >= 0) n = unit_or_zero(across(l, places, vertex));
  if (l->before[vertex] >= 0) n = vec2_add(n, unit_or_zero(across(l, places, l->before[vertex])));
  return unit_or_zero(n);
}

bool polyline_faces(const polyline *l, const vec2 *places, int vertex, vec2 p) {
  vec2 here = at(l, places, vertex), off = vec2_sub(p, here);
  int next = l->next[vertex], before = l->before[vertex];
  if (next >= 0 && vec2_dot(off, vec2_sub(at(l, places, next), here)) > 0) return false;
  return before < 0 || !(vec2_dot(off, vec2_sub(at(l, places, before), here)) > 0);
}

polyline_foot polyline_foot_on(const polyline *l, const vec2 *places, int vertex, vec2 p) {
  vec2 from = at(l, places, vertex), way = vec2_sub(at(l, places, l->next[vertex]), from);
  double length2 = vec2_dot(way, way);
  polyline_foot f = {.vertex = {vertex, l->next[vertex]}, .normal = unit_or_zero(across(l, places, vertex))};
  f.part = length2 > 0 ? vec2_dot(vec2_sub(p, from), way) / length2 : 0;
  f.at = vec2_axpy(from, f.part, way);
  f.gap = vec2_dot(f.normal, vec2_sub(p, from));
  return f;
}

// Seen from outside the normal points to the point, so that gap and normal do not jump where the foot leaves a line.
// Beyond the end of an open chain there is no inside.
static polyline_foot foot_at(const polyline *l, const vec2 *places, int vertex, vec2 p) {
  vec2 n = polyline_normal(l, places, vertex), off = vec2_sub(p, at(l, places, vertex));
  double distance = vec2_norm(off);
  bool outside = l->next[vertex] < 0 || l->before[vertex] < 0 || vec2_dot(n, off) >= 0;
  polyline_foot f = {.gap = outside ? distance : -distance, .at = at(l, places, vertex), .vertex = {vertex, vertex}};
  f.normal = distance > 0 ? vec2_scale((outside ? 1 : -1) / distance, off) : n;
  return f;
}

polyline_foot polyline_nearest(const polyline *l, const vec2 *places, vec2 p) {
  polyline_foot best = {.gap = INFINITY};
  double least = INFINITY;
  int vertex = -1;
  for (int v = 0; v < l->count; v++) {
    vec2 off = vec2_sub(p, at(l, places, v));
    double distance2 = vec2_dot(off, off);
    if (distance2 < least) least = distance2, vertex = v;
    if (l->next[v] < 0) continue;
    vec2 way = vec2_sub(at(l, places, l->next[v]), at(l, places, v));
    double length2 = vec2_dot(way, way), along = vec2_dot(off, way);
    if (!(along > 0 && along < length2)) continue;
    double over = distance2 - along * along / length2;
    if (over < least) least = over, vertex = -1, best = polyline_foot_on(l, places, v, p);
  }
  return vertex < 0 ? best : foot_at(l, places, vertex, p);
}
