#include "geometry/flat.h"

#include <float.h>
#include <math.h>

static void add_direction(flat *f, vec3 e) {
  double length = vec3_norm(e);
  e = vec3_scale(1 / length, e);
  for (int i = 0; i < f->direction_count; i++)
    if (vec3_norm(vec3_cross(f->directions[i], e)) < 1e-9) return;
  f->directions[f->direction_count++] = e;
}

bool flat_build(const vec3 *points, int count, arena *memory, flat *to) {
  *to = (flat){0};
  if (polytope_build(points, count, memory, &to->hull) != POLYTOPE_OK) return false;
  const polytope *p = &to->hull;
  to->directions = ARENA_ARRAY(memory, vec3, p->corner_count + 1);
  for (int i = 0; i < p->face_count; i++)
    for (int k = 0; k < p->faces[i].count; k++) {
      const int *corner = p->corners + p->faces[i].first;
      add_direction(to, vec3_sub(p->vertices[corner[(k + 1) % p->faces[i].count]], p->vertices[corner[k]]));
    }
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

static void try_normal(const sides *s, vec3 n, double more, flat_touch *best, bool of_face, bool face_of_a) {
  double distance = separated(s, n);
  if (!(distance > best->distance + more)) return;
  best->distance = distance, best->normal = n, best->of_face = of_face, best->face_of_a = face_of_a;
}

// Parallel faces and edges give the same distance up to rounding. Of these the face of B counts, then that of A, so that the normal does not
// flicker.
static void find_normal(const sides *s, flat_touch *best) {
  const polytope *a = &s->a->hull, *b = &s->b->hull;
  double size = vec3_norm(a->vertices[0]) + vec3_norm(b->vertices[0]), tie = 1e-9 * size;
  best->distance = -DBL_MAX;
  for (int i = 0; i < b->face_count; i++)
    try_normal(s, mat3_mul(s->at_b.R, b->faces[i].normal), 0, best, true, false);
  for (int i = 0; i < a->face_count; i++)
    try_normal(s, vec3_neg(mat3_mul(s->at_a.R, a->faces[i].normal)), best->face_of_a ? 0 : tie, best, true, true);
  for (int i = 0; i < s->a->direction_count; i++)
    for (int j = 0; j < s->b->direction_count; j++) {
      vec3 n = vec3_cross(mat3_mul(s->at_a.R, s->a->directions[i]), mat3_mul(s->at_b.R, s->b->directions[j]));
      double length = vec3_norm(n);
      if (length < 1e-6) continue;  // parallel
      for (int side = 0; side < 2; side++)
        try_normal(s, vec3_scale((side ? -1 : 1) / length, n), best->of_face ? 10 * tie : 0, best, false, false);
    }
}

void flat_find_touch(const flat *a, pose at_a, const flat *b, pose at_b, double horizon, flat_touch *to) {
  sides s = {a, b, at_a, at_b};
  to->of_face = to->face_of_a = false, to->count = 0;
  find_normal(&s, to);
  if (to->of_face && to->distance <= horizon)
    to->count = manifold_of_faces(&a->hull, at_a, &b->hull, at_b, to->normal, horizon, to->points);
}
