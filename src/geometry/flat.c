#include "geometry/flat.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

// The face beside an edge that runs from `to` to `from` in it, and the corner of this face at which it begins there.
static const polytope_face *face_beside(const polytope *p, int from, int to, int *begins) {
  for (int i = 0; i < p->face_count; i++) {
    const int *corner = p->corners + p->faces[i].first;
    for (int k = 0, count = p->faces[i].count; k < count; k++) {
      *begins = p->faces[i].first + k;
      if (corner[k] == to && corner[(k + 1) % count] == from) return &p->faces[i];
    }
  }
  return NULL;
}

static void add_edge(flat *to, const polytope_face *face, int k) {
  const polytope *p = &to->hull;
  const int *corner = p->corners + face->first;
  int from = corner[k], next = corner[(k + 1) % face->count], begins = 0;
  const polytope_face *beside = from < next ? face_beside(p, from, next, &begins) : NULL;  // each edge once
  if (!beside) return;
  vec3 way = vec3_sub(p->vertices[next], p->vertices[from]);
  double length = vec3_norm(way);
  to->edge_from[face->first + k] = to->edge_from[begins] = to->edge_count;
  to->edges[to->edge_count++] =
      (flat_edge){p->vertices[from], vec3_scale(1 / length, way), {face->normal, beside->normal}, length};
  to->longest = fmax(to->longest, length);
}

bool flat_build(const vec3 *points, int count, arena *memory, flat *to) {
  *to = (flat){0};
  if (polytope_build(points, count, memory, &to->hull) != POLYTOPE_OK) return false;
  const polytope *p = &to->hull;
  to->edges = ARENA_ARRAY(memory, flat_edge, p->corner_count / 2 + 1);
  to->edge_from = ARENA_ARRAY(memory, int, p->corner_count + 1);
  for (int i = 0; i < p->face_count; i++)
    for (int k = 0; k < p->faces[i].count; k++) add_edge(to, &p->faces[i], k);
  return true;
}

typedef struct sides {
  const flat *a, *b;
  pose at_a, at_b;
} sides;

static double farthest(const polytope *p, pose at, vec3 n) {
  vec3 local = mat3_tmul(at.R, n);
  double most = -DBL_MAX;
  for (int i = 0; i < p->vertex_count; i++) most = fmax(most, vec3_dot(local, p->vertices[i]));
  return most + vec3_dot(n, at.p);
}

// How far a plane with normal n separates them.
static double separated(const sides *s, vec3 n) {
  return -farthest(&s->a->hull, s->at_a, vec3_neg(n)) - farthest(&s->b->hull, s->at_b, n);
}

static void try_face(const sides *s, vec3 n, double more, flat_touch *best, bool face_of_a, int face) {
  double distance = separated(s, n);
  if (!(distance > best->distance + more)) return;
  best->distance = distance, best->normal = n, best->of_face = true, best->face_of_a = face_of_a, best->face = face;
}

// Two edges make a face of the difference A - B only where the arcs of their normals, those of B reversed, cross on the
// unit sphere (the Gauss map). Each edge runs along the cross product of its two normals.
static bool arcs_cross(const flat_edge *a, const flat_edge *b) {
  double b0 = vec3_dot(b->normals[0], a->along), b1 = vec3_dot(b->normals[1], a->along);
  double a0 = vec3_dot(a->normals[0], b->along), a1 = vec3_dot(a->normals[1], b->along);
  return b0 * b1 < 0 && a0 * a1 < 0 && b0 * a1 < 0;
}

// In the axes of B.
static void find_normal_of_edges(const sides *s, double more, flat_touch *best) {
  mat3 turn = mat3_product(mat3_transpose(s->at_b.R), s->at_a.R);
  vec3 between = mat3_tmul(s->at_b.R, vec3_sub(s->at_a.p, s->at_b.p));
  for (int i = 0; i < s->a->edge_count; i++) {
    const flat_edge *e = &s->a->edges[i];
    flat_edge a = {vec3_add(between, mat3_mul(turn, e->at)),
                   mat3_mul(turn, e->along),
                   {mat3_mul(turn, e->normals[0]), mat3_mul(turn, e->normals[1])},
                   e->length};
    for (int j = 0; j < s->b->edge_count; j++) {
      const flat_edge *b = &s->b->edges[j];
      if (!arcs_cross(&a, b)) continue;
      vec3 n = vec3_cross(a.along, b->along);
      double length = vec3_norm(n);
      if (length < 1e-6) continue;  // parallel
      n = vec3_scale((vec3_dot(n, b->normals[0]) + vec3_dot(n, b->normals[1]) < 0 ? -1 : 1) / length, n);
      double distance = vec3_dot(n, vec3_sub(a.at, b->at));
      if (!(distance > best->distance + (best->of_face ? more : 0))) continue;
      best->distance = distance, best->normal = mat3_mul(s->at_b.R, n), best->of_face = best->face_of_a = false;
      best->edges[0] = i, best->edges[1] = j;
      best->edge_a = mat3_mul(s->at_b.R, a.along), best->edge_b = mat3_mul(s->at_b.R, b->along);
    }
  }
}

// Parallel faces and edges give the same distance up to rounding. Of these the face of B counts, then that of A, so
// that the normal does not flicker.
static double tie_of(const sides *s) {
  return 1e-9 * (vec3_norm(s->a->hull.vertices[0]) + vec3_norm(s->b->hull.vertices[0]));
}

static void find_normal(const sides *s, double tie, flat_touch *best) {
  const polytope *a = &s->a->hull, *b = &s->b->hull;
  best->distance = -DBL_MAX;
  for (int i = 0; i < b->face_count; i++) try_face(s, mat3_mul(s->at_b.R, b->faces[i].normal), 0, best, false, i);
  for (int i = 0; i < a->face_count; i++)
    try_face(s, vec3_neg(mat3_mul(s->at_a.R, a->faces[i].normal)), best->face_of_a ? 0 : tie, best, true, i);
  find_normal_of_edges(s, 10 * tie, best);
}

// Faces that lie on each other and are tilted by next to nothing are least deep along the common normal of two of their
// edges. They are faces still: a contact with one point in place of all corners would change its place from step to
// step.
static bool is_along_face(const polytope *p, pose at, vec3 n) {
  vec3 local = mat3_tmul(at.R, n);
  for (int i = 0; i < p->face_count; i++)
    if (vec3_dot(p->faces[i].normal, local) > 0 && vec3_norm(vec3_cross(p->faces[i].normal, local)) <= FACET_TILT)
      return true;
  return false;
}

void flat_find_touch(const flat *a, pose at_a, const flat *b, pose at_b, double horizon, flat_touch *to) {
  sides s = {a, b, at_a, at_b};
  to->of_face = to->face_of_a = false, to->count = 0;
  find_normal(&s, tie_of(&s), to);
  if (!(to->distance <= horizon)) return;
  if (to->of_face || (is_along_face(&a->hull, at_a, vec3_neg(to->normal)) && is_along_face(&b->hull, at_b, to->normal)))
    to->count = manifold_of_faces(&a->hull, at_a, &b->hull, at_b, to->normal, horizon, to->points);
}

void flat_find_distance(const flat *a, pose at_a, const flat *b, pose at_b, flat_touch *to) {
  sides s = {a, b, at_a, at_b};
  to->of_face = to->face_of_a = false, to->count = 0;
  find_normal(&s, 0, to);
}

int flat_face_along(const flat *f, pose at, vec3 n) {
  vec3 local = mat3_tmul(at.R, n);
  int best = 0;
  for (int i = 1; i < f->hull.face_count; i++)
    if (vec3_dot(f->hull.faces[i].normal, local) > vec3_dot(f->hull.faces[best].normal, local)) best = i;
  return best;
}

int flat_farthest_vertex(const flat *f, pose at, vec3 n) {
  vec3 local = mat3_tmul(at.R, n);
  int best = 0;
  for (int i = 1; i < f->hull.vertex_count; i++)
    if (vec3_dot(f->hull.vertices[i], local) > vec3_dot(f->hull.vertices[best], local)) best = i;
  return best;
}
