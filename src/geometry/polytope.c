// The hull grows by one point at a time: the triangles that see the point are replaced by a fan from their outline to
// it.
#include "geometry/polytope.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct triangle {
  int v[3];       // counter-clockwise from outside
  int beside[3];  // the triangle across the edge from v[i] to v[i + 1]
  vec3 normal;
  double offset;
  bool alive, seen;
  int face;  // at the end
} triangle;

typedef struct hull {
  const vec3 *points;
  int point_count;
  double size;
  vec3 inside;
  double rounding;  // heights below this are zero
  triangle *triangles;
  int count, capacity;
  arena *memory;
  int *fan;  // by point: the new triangle whose outline edge starts there
} hull;

static vec3 cross_of(const vec3 *p, int a, int b, int c) {
  return vec3_cross(vec3_sub(p[b], p[a]), vec3_sub(p[c], p[a]));
}

static int add_triangle(hull *h, int a, int b, int c) {
  triangle *t = ARENA_PUSH(h->memory, h->triangles, h->count, h->capacity);
  vec3 n = cross_of(h->points, a, b, c);
  double length = vec3_norm(n);
  *t = (triangle){.v = {a, b, c}, .alive = true};
  t->normal = length > 0 ? vec3_scale(1 / length, n) : VEC3_ZERO;
  t->offset = vec3_dot(t->normal, h->points[a]);
  return h->count - 1;
}

static double height(const hull *h, const triangle *t, int point) {
  return vec3_dot(t->normal, h->points[point]) - t->offset;
}

// --- start -----------------------------------------------------------------------------------------------------------

static int farthest(const hull *h, double (*measure)(const hull *h, const int *known, int i), const int *known,
                    double *most) {
  int best = 0;
  *most = -1;
  for (int i = 0; i < h->point_count; i++) {
    double here = measure(h, known, i);
    if (here > *most) *most = here, best = i;
  }
  return best;
}

static double from_point(const hull *h, const int *k, int i) {
  return vec3_norm(vec3_sub(h->points[i], h->points[k[0]]));
}
static double from_line(const hull *h, const int *k, int i) { return vec3_norm(cross_of(h->points, k[0], k[1], i)); }
static double from_plane(const hull *h, const int *k, int i) {
  return fabs(vec3_dot(cross_of(h->points, k[0], k[1], k[2]), vec3_sub(h->points[i], h->points[k[0]])));
}

static void join(hull *h, int t, int u) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (h->triangles[t].v[i] == h->triangles[u].v[(j + 1) % 3] &&
          h->triangles[t].v[(i + 1) % 3] == h->triangles[u].v[j])
        h->triangles[t].beside[i] = u, h->triangles[u].beside[j] = t;
}

static bool start(hull *h, double rounding) {
  int k[4];
  double size, width, depth;
  k[0] = 0;
  k[0] = farthest(h, from_point, k, &size);
  k[1] = farthest(h, from_point, k, &size);
  k[2] = farthest(h, from_line, k, &width);
  k[3] = farthest(h, from_plane, k, &depth);
  double largest = 0;
  for (int i = 0; i < h->point_count; i++) largest = fmax(largest, vec3_norm(h->points[i]));
  h->size = fmax(size, 1e-3 * largest);
  h->rounding = rounding * h->size;
  if (!(size > 0) || width <= size * h->rounding || depth <= width * h->rounding) return false;
  if (vec3_dot(cross_of(h->points, k[0], k[1], k[2]), vec3_sub(h->points[k[3]], h->points[k[0]])) > 0) {
    int other = k[1];
    k[1] = k[2], k[2] = other;
  }
  h->inside = VEC3_ZERO;
  for (int i = 0; i < 4; i++) h->inside = vec3_axpy(h->inside, 0.25, h->points[k[i]]);
  int t[4] = {add_triangle(h, k[0], k[1], k[2]), add_triangle(h, k[0], k[3], k[1]), add_triangle(h, k[1], k[3], k[2]),
              add_triangle(h, k[2], k[3], k[0])};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) join(h, t[i], t[j]);
  return true;
}

// --- growth ----------------------------------------------------------------------------------------------------------

static int seeing(const hull *h, int point) {
  int best = -1;
  double most = h->rounding;
  for (int i = 0; i < h->count; i++)
    if (h->triangles[i].alive && height(h, &h->triangles[i], point) > most)
      most = height(h, &h->triangles[i], point), best = i;
  return best;
}

// Marks the triangles that see the point, spreading from one that does, so that they are one patch.
static void mark_seen(hull *h, int from, int point, int *stack) {
  int top = 0;
  stack[top++] = from;
  h->triangles[from].seen = true;
  while (top) {
    const triangle *t = &h->triangles[stack[--top]];
    for (int i = 0; i < 3; i++) {
      triangle *u = &h->triangles[t->beside[i]];
      if (u->seen || height(h, u, point) <= h->rounding) continue;
      u->seen = true;
      stack[top++] = t->beside[i];
    }
  }
}

// Links the triangles of a fan with each other. Returns false unless they are one round: where rounding leaves a
// triangle unseen within the patch, its outline has several, and the hull would come apart.
static bool close_fan(hull *h, int first) {
  int t = first, linked = 0;
  do {
    int next = h->fan[h->triangles[t].v[1]];
    if (next < first || h->triangles[next].v[0] != h->triangles[t].v[1]) return false;
    join(h, t, next);
    t = next, linked++;
  } while (t != first && linked < h->count - first);
  return t == first && linked == h->count - first;
}

// Returns false if rounding has spoilt the hull.
static bool add_point(hull *h, int point, int *stack) {
  int from = seeing(h, point), old = h->count;
  if (from < 0) return true;
  mark_seen(h, from, point, stack);
  for (int i = 0; i < old; i++) {
    if (!h->triangles[i].alive || !h->triangles[i].seen) continue;
    for (int k = 0; k < 3; k++) {
      int other = h->triangles[i].beside[k];
      if (h->triangles[other].seen) continue;
      int a = h->triangles[i].v[k], b = h->triangles[i].v[(k + 1) % 3], t = add_triangle(h, a, b, point);
      join(h, t, other);
      h->fan[a] = t;
    }
    h->triangles[i].alive = false;
  }
  return h->count > old && close_fan(h, old);
}

// --- faces -----------------------------------------------------------------------------------------------------------

static bool coplanar(const hull *h, const triangle *t, const triangle *u) {
  if (vec3_dot(t->normal, u->normal) <= 0) return false;
  for (int i = 0; i < 3; i++)
    if (fabs(height(h, t, u->v[i])) > 10 * h->rounding) return false;
  return true;
}

static double area_of(const hull *h, const triangle *t) {
  return vec3_norm(cross_of(h->points, t->v[0], t->v[1], t->v[2]));
}

typedef struct ranked {
  double area;
  int triangle;
} ranked;

static int by_area(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->area != y->area) return x->area > y->area ? -1 : 1;
  return x->triangle - y->triangle;
}

// The largest triangle that has no face yet names the plane of the next face; it takes the coplanar ones around it.
static int name_faces(hull *h, int *stack, int *largest) {
  int faces = 0, count = 0;
  ranked *order = ARENA_ARRAY(h->memory, ranked, h->count);
  for (int i = 0; i < h->count; i++) {
    h->triangles[i].face = -1;
    if (h->triangles[i].alive) order[count++] = (ranked){area_of(h, &h->triangles[i]), i};
  }
  qsort(order, (size_t)count, sizeof *order, by_area);
  for (int i = 0; i < count; i++) {
    int first = order[i].triangle, top = 0;
    if (h->triangles[first].face >= 0) continue;
    largest[faces] = first;
    stack[top++] = first;
    h->triangles[first].face = faces;
    while (top) {
      const triangle *t = &h->triangles[stack[--top]];
      for (int k = 0; k < 3; k++) {
        triangle *u = &h->triangles[t->beside[k]];
        if (u->face >= 0 || !coplanar(h, &h->triangles[first], u)) continue;
        u->face = faces;
        stack[top++] = t->beside[k];
      }
    }
    faces++;
  }
  return faces;
}

// Whether an edge is between two faces.
static bool is_edge(const hull *h, int t, int k) {
  return h->triangles[h->triangles[t].beside[k]].face != h->triangles[t].face;
}

// The edge of the same face that follows edge k of triangle t around the face.
static void next_edge(const hull *h, int *t, int *k) {
  *k = (*k + 1) % 3;
  for (int turns = 0; turns < h->count && !is_edge(h, *t, *k); turns++) {
    int from = *t;
    *t = h->triangles[from].beside[*k];
    for (int i = 0; i < 3; i++)
      if (h->triangles[*t].beside[i] == from && h->triangles[*t].v[(i + 1) % 3] == h->triangles[from].v[*k]) {
        *k = (i + 1) % 3;
        break;
      }
  }
}

// `start`: three times a triangle of the face, plus a side of it that is an edge. Returns false if that way does not
// lead back.
static bool trace_face(const hull *h, int face, int first, int start, const int *number, polytope *to) {
  polytope_face *f = &to->faces[face];
  f->normal = h->triangles[first].normal, f->offset = h->triangles[first].offset, f->first = to->corner_count;
  int t = start / 3, k = start % 3, start_t = t, start_k = k, sides = 3 * h->count, passed = 0;
  do {
    if (++passed > sides || to->corner_count == sides) return false;
    int vertex = number[h->triangles[t].v[k]];
    if (vertex >= 0) to->corners[to->corner_count++] = vertex, f->count++;
    next_edge(h, &t, &k);
  } while (t != start_t || k != start_k);
  return true;
}

static bool write_faces(hull *h, polytope *to, int *stack, arena *memory) {
  int *largest = ARENA_ARRAY(h->memory, int, h->count + 1), *number = ARENA_ARRAY(h->memory, int, h->point_count);
  int *faces_at = ARENA_ARRAY(h->memory, int, h->point_count);
  to->face_count = name_faces(h, stack, largest);
  for (int i = 0; i < h->count; i++)
    for (int k = 0; k < 3 && h->triangles[i].alive; k++) faces_at[h->triangles[i].v[k]] += is_edge(h, i, k);
  to->vertices = ARENA_ARRAY(memory, vec3, h->point_count);
  for (int i = 0; i < h->point_count; i++) {  // a point where two faces meet is on an edge, but no corner
    number[i] = faces_at[i] > 2 ? to->vertex_count : -1;
    if (number[i] >= 0) to->vertices[to->vertex_count++] = h->points[i];
  }
  to->faces = ARENA_ARRAY(memory, polytope_face, to->face_count);
  to->corners = ARENA_ARRAY(memory, int, 3 * h->count);
  int *starts = ARENA_ARRAY(h->memory, int, to->face_count);
  for (int i = 3 * h->count - 1; i >= 0; i--)
    if (h->triangles[i / 3].alive && is_edge(h, i / 3, i % 3)) starts[h->triangles[i / 3].face] = i;
  for (int i = 0; i < to->face_count; i++)
    if (!trace_face(h, i, largest[i], starts[i], number, to)) return false;
  return to->vertex_count >= 4 &&
         to->vertex_count + to->face_count - to->corner_count / 2 == 2;  // Euler: no face has a hole
}

// The normals of slivers may be so wrong that the hull folds over itself, or that a face does not have all points
// behind it.
static bool holds_points(const hull *h, const polytope *p) {
  static const double NOTICEABLE = 1e-6;
  for (int i = 0; i < p->face_count; i++)
    for (int k = 0; k < h->point_count; k++)
      if (!(vec3_dot(p->faces[i].normal, h->points[k]) - p->faces[i].offset <= NOTICEABLE * h->size)) return false;
  return true;
}

// The angle that a triangle takes as seen from inside, over 4π (van Oosterom and Strackee).
static double share_of_view(const hull *h, const triangle *t) {
  vec3 to[3];
  for (int i = 0; i < 3; i++) to[i] = vec3_sub(h->points[t->v[i]], h->inside);
  return moments_share_of_view(to);
}

// A hull that has folded at a sliver may go around its inside twice.
static bool goes_around_once(const hull *h) {
  double share = 0;
  for (int i = 0; i < h->count; i++)
    if (h->triangles[i].alive) share += share_of_view(h, &h->triangles[i]);
  return fabs(share - 1) < 0.1;
}

// `rounding` is relative to the size of the hull.
static polytope_fault build(hull *h, double rounding, int *stack, arena *memory, polytope *to) {
  *to = (polytope){0};
  h->count = 0;
  memset(h->fan, 0, (size_t)h->point_count * sizeof *h->fan);
  if (!start(h, rounding)) return POLYTOPE_FLAT;
  for (int i = 0; i < h->point_count; i++)
    if (!add_point(h, i, stack)) return POLYTOPE_ROUNDED;
  return write_faces(h, to, stack, memory) && holds_points(h, to) && goes_around_once(h) ? POLYTOPE_OK
                                                                                         : POLYTOPE_ROUNDED;
}

// Points that differ by little more than the rounding give triangles whose normals are wrong; taken for one point, they
// give none.
polytope_fault polytope_build(const vec3 *points, int count, arena *memory, polytope *to) {
  static const double LEAST = 1e-12, MOST = 1.5e-8;
  *to = (polytope){0};
  for (int i = 0; i < count; i++)
    if (!isfinite(points[i].x + points[i].y + points[i].z)) return POLYTOPE_NOT_FINITE;
  if (count < 4) return POLYTOPE_FLAT;
  hull h = {.points = points, .point_count = count, .memory = memory};
  h.fan = ARENA_ARRAY(memory, int, count);
  int *stack = ARENA_ARRAY(memory, int, 8 * count + 16);
  polytope_fault fault = build(&h, LEAST, stack, memory, to);
  for (double rounding = 10 * LEAST; fault == POLYTOPE_ROUNDED && rounding < MOST; rounding *= 10) {
    fault = build(&h, rounding, stack, memory, to);
    if (fault == POLYTOPE_FLAT) return POLYTOPE_ROUNDED;
  }
  return fault;
}

// --- moments ---------------------------------------------------------------------------------------------------------

moments polytope_moments(const polytope *p) {
  moments_sum s = {.base = p->vertices[0]};
  for (int i = 0; i < p->face_count; i++) {
    const int *c = p->corners + p->faces[i].first;
    for (int k = 2; k < p->faces[i].count; k++)
      moments_sum_add(&s, p->vertices[c[0]], p->vertices[c[k - 1]], p->vertices[c[k]]);
  }
  return moments_sum_of(&s);
}
