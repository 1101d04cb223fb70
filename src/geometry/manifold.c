#include "geometry/manifold.h"

#include <math.h>
#include <stdbool.h>

// A polygon seen along the normal. Each corner remembers the edge that starts at it: `edge` is the corner of the face
// where that edge began, and `of_b` tells whose face it was.
typedef struct spot {
  double x, y;
  int edge;
  bool of_b;
} spot;

typedef struct outline {
  spot spots[MANIFOLD_POINTS];
  int count;
} outline;

typedef struct view {
  vec3 n, t[2];
} view;

static view view_along(vec3 n) {
  view v = {.n = n};
  vec3_tangents(n, v.t);
  return v;
}

// The face that looks most along a direction of the polytope's axes.
static const polytope_face *face_along(const polytope *p, vec3 n) {
  const polytope_face *best = p->faces;
  for (int i = 1; i < p->face_count; i++)
    if (vec3_dot(p->faces[i].normal, n) > vec3_dot(best->normal, n)) best = &p->faces[i];
  return best;
}

// Counter-clockwise as seen against n. The face of A looks against n, so that its corners are taken backwards.
static void set_outline(const polytope *p, const polytope_face *f, pose at, const view *v, bool of_b, outline *o) {
  o->count = f->count;
  for (int i = 0; i < o->count; i++) {
    int vertex = p->corners[f->first + (of_b ? i : o->count - 1 - i)];
    vec3 x = pose_point(at, p->vertices[vertex]);
    o->spots[i] = (spot){vec3_dot(v->t[0], x), vec3_dot(v->t[1], x), vertex, of_b};
  }
}

// How far a spot is to the left of the line from p to q, times its length.
static double left_of(const spot *p, const spot *q, const spot *s) {
  return (q->x - p->x) * (s->y - p->y) - (q->y - p->y) * (s->x - p->x);
}

// A cut of a convex polygon adds one corner at most, so that there is room for all. Rounding might make a polygon of the thinnest kind
// not quite convex: only then a corner can be too many.
static void add_spot(outline *o, spot s) {
  if (o->count < MANIFOLD_POINTS) o->spots[o->count++] = s;
}

// Keeps what is to the left of the edge from p to q.
static void cut(const outline *o, const spot *p, const spot *q, outline *rest) {
  rest->count = 0;
  for (int i = 0; i < o->count; i++) {
    const spot *from = &o->spots[i], *to = &o->spots[(i + 1) % o->count];
    double here = left_of(p, q, from), there = left_of(p, q, to), share = here / (here - there);
    if (here >= 0) add_spot(rest, *from);
    if ((here >= 0) == (there >= 0)) continue;
    spot crossing = {from->x + share * (to->x - from->x), from->y + share * (to->y - from->y), from->edge, from->of_b};
    if (here >= 0) crossing.edge = p->edge, crossing.of_b = p->of_b;  // the cut begins here
    add_spot(rest, crossing);
  }
}

// The height along n at which the plane of a face passes over a place of the view.
static double height_of(const polytope_face *f, pose at, const view *v, const spot *s) {
  vec3 normal = mat3_mul(at.R, f->normal);
  double offset = f->offset + vec3_dot(normal, at.p);
  return (offset - s->x * vec3_dot(normal, v->t[0]) - s->y * vec3_dot(normal, v->t[1])) / vec3_dot(normal, v->n);
}

static vec3 place_of(const view *v, const spot *s, double height) {
  return vec3_add(vec3_add(vec3_scale(s->x, v->t[0]), vec3_scale(s->y, v->t[1])), vec3_scale(height, v->n));
}

// Where two edges of one face meet there is a vertex of it, elsewhere an edge of A crosses one of B.
static void name_point(const spot *before, const spot *s, manifold_point *p) {
  p->of_a = p->of_b = -1;
  if (!s->of_b || !before->of_b) p->of_a = s->of_b ? before->edge : s->edge;
  if (s->of_b || before->of_b) p->of_b = s->of_b ? s->edge : before->edge;
}

// Where an edge of A crosses one of B, the way in is along one of them and the way out along the other.
static void set_edges(const view *v, const spot *before, const spot *s, const spot *after, manifold_point *p) {
  vec3 in = vec3_add(vec3_scale(s->x - before->x, v->t[0]), vec3_scale(s->y - before->y, v->t[1]));
  vec3 out = vec3_add(vec3_scale(after->x - s->x, v->t[0]), vec3_scale(after->y - s->y, v->t[1]));
  p->edge_a = s->of_b ? in : out, p->edge_b = s->of_b ? out : in;
}

int manifold_of_faces(const polytope *a, pose at_a, const polytope *b, pose at_b, vec3 n, double horizon,
                      manifold_point to[MANIFOLD_POINTS]) {
  view v = view_along(n);
  const polytope_face *face_a = face_along(a, mat3_tmul(at_a.R, vec3_neg(n))), *face_b = face_along(b, mat3_tmul(at_b.R, n));
  outline edge, parts[2], *common = &parts[0], *rest = &parts[1];
  set_outline(a, face_a, at_a, &v, false, common);
  set_outline(b, face_b, at_b, &v, true, &edge);
  for (int i = 0; i < edge.count; i++) {
    cut(common, &edge.spots[i], &edge.spots[(i + 1) % edge.count], rest);
    outline *before = common;
    common = rest, rest = before;
  }
  int count = 0;
  for (int i = 0; i < common->count; i++) {
    const spot *s = &common->spots[i];
    double z_a = height_of(face_a, at_a, &v, s), z_b = height_of(face_b, at_b, &v, s);
    if (!(z_a - z_b <= horizon)) continue;
    manifold_point *p = &to[count++];
    *p = (manifold_point){.on_a = place_of(&v, s, z_a), .on_b = place_of(&v, s, z_b), .gap = z_a - z_b};
    const spot *before = &common->spots[(i + common->count - 1) % common->count];
    name_point(before, s, p);
    if (p->of_a >= 0 && p->of_b >= 0) set_edges(&v, before, s, &common->spots[(i + 1) % common->count], p);
  }
  return count;
}

// How far a point stands out over the line through its neighbours.
static double height_over_neighbours(const manifold_point *points, int count, int i) {
  vec3 before = points[(i + count - 1) % count].on_b, after = points[(i + 1) % count].on_b, along = vec3_sub(after, before);
  double length = vec3_norm(along);
  return length > 0 ? vec3_norm(vec3_cross(along, vec3_sub(points[i].on_b, before))) / length : 0;
}

int manifold_reduce(manifold_point *points, int count, int most) {
  while (count > most) {
    int flattest = 0;
    double least = height_over_neighbours(points, count, 0);
    for (int i = 1; i < count; i++) {
      double height = height_over_neighbours(points, count, i);
      if (height < (1 - 1e-6) * least) flattest = i, least = height;
    }
    count--;
    for (int i = flattest; i < count; i++) points[i] = points[i + 1];
  }
  return count;
}
