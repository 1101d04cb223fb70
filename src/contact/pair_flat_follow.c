// Boxes and hulls, followed from one change of features to the next. Polytopes touch in places of three kinds: a corner
// of the first on a face of the second, a corner of the second on a face of the first, and two edges that cross. Where
// faces lie on each other, the corners of the region that they share are such places. A corner has the normal of the
// face, two edges have their common normal, so that the gap is a smooth function of the poses and its rate is that of
// the bodies at the point.
#include <math.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/flat.h"
#include "geometry/separation.h"

#define HORIZON 0.1   // places with a larger gap than this part of the thinner body are not looked for
#define CLOSE   1e-6  // of the thinner body: shapes that are nearer have no direction of their distance
#define SLACK \
  1e-9  // of the longest edge: so far beyond the end of its features a place is still found; it ends at twice this
#define PARALLEL \
  1e-3  // sine of the angle between edges below which they cross in no place: their common normal turns too fast
#define UPRIGHT    0.5  // the common normal of edges is at least so much along the direction in which the shapes are apart
#define ON_A_PLACE 1e-12  // of the longest edge: rounding of gaps

// Corner of the first and face of the second; corner of the second and face of the first; edges of both.
enum { CORNER_OF_FIRST, CORNER_OF_SECOND, EDGES };

static double slack_of(const contact_element *e) {
  return SLACK * fmax(e->faces_first->longest, e->faces_second->longest);
}

// --- places ----------------------------------------------------------------------------------------------------------

// How far a point in the plane of a face is inside its outline, in the axes of the shape.
static double depth_in_face(const flat *f, const polytope_face *face, vec3 p) {
  const polytope *hull = &f->hull;
  double least = INFINITY;
  for (int k = 0; k < face->count; k++) {
    vec3 from = hull->vertices[hull->corners[face->first + k]],
         to = hull->vertices[hull->corners[face->first + (k + 1) % face->count]];
    vec3 inwards = vec3_cross(face->normal, vec3_sub(to, from));
    least = fmin(least, vec3_dot(inwards, vec3_sub(p, from)) / vec3_norm(inwards));
  }
  return least;
}

// Sets gap, place and normal of a corner on a face. Returns how far it is within the outline of the face. The normal
// points out of the face.
static double set_corner(const flat *of_corner, pose at_corner, int vertex, const flat *of_face, pose at_face,
                         int number, contact_point *p, vec3 *n) {
  const polytope_face *face = &of_face->hull.faces[number];
  p->at = pose_point(at_corner, of_corner->hull.vertices[vertex]);
  vec3 local = mat3_tmul(at_face.R, vec3_sub(p->at, at_face.p));
  p->gap = vec3_dot(face->normal, local) - face->offset;
  *n = mat3_mul(at_face.R, face->normal);
  return depth_in_face(of_face, face, local);
}

// Two edges and their common normal: on_a - on_b = gap n.
typedef struct crossing {
  vec3 along_a, along_b, n, on_a, on_b;
  double gap, sine;
  double within;  // distance from the ends of both edges
} crossing;

static crossing cross(const flat_edge *a, pose at_a, const flat_edge *b, pose at_b) {
  crossing c = {.along_a = mat3_mul(at_a.R, a->along), .along_b = mat3_mul(at_b.R, b->along)};
  vec3 from_a = pose_point(at_a, a->at), from_b = pose_point(at_b, b->at), d = vec3_sub(from_a, from_b);
  vec3 n = vec3_cross(c.along_a, c.along_b), out = mat3_mul(at_b.R, vec3_add(b->normals[0], b->normals[1]));
  c.sine = vec3_norm(n);
  c.n = c.sine > 0 ? vec3_scale((vec3_dot(n, out) < 0 ? -1 : 1) / c.sine, n) : vec3_scale(1 / vec3_norm(out), out);
  vec3 across_a = vec3_cross(c.along_a, c.n), across_b = vec3_cross(c.along_b, c.n);
  double s = c.sine > 0 ? -vec3_dot(d, across_b) / vec3_dot(c.along_a, across_b) : 0;
  double t = c.sine > 0 ? vec3_dot(d, across_a) / vec3_dot(c.along_b, across_a) : 0;
  c.gap = vec3_dot(c.n, d);
  c.on_a = vec3_axpy(from_a, s, c.along_a), c.on_b = vec3_axpy(from_b, t, c.along_b);
  c.within = fmin(fmin(s, a->length - s), fmin(t, b->length - t));
  return c;
}

static crossing crossing_of(const contact_element *e, const contact_feature *f, pose at_a, pose at_b) {
  return cross(&e->faces_first->edges[f->part[1]], at_a, &e->faces_second->edges[f->part[2]], at_b);
}

// Edges that become parallel end their place as well.
static double set_crossing(const contact_element *e, const contact_feature *f, pose at_a, pose at_b, contact_point *p,
                           vec3 *n) {
  crossing c = crossing_of(e, f, at_a, at_b);
  double length = fmin(e->faces_first->edges[f->part[1]].length, e->faces_second->edges[f->part[2]].length);
  p->at = vec3_scale(0.5, vec3_add(c.on_a, c.on_b)), p->gap = c.gap;
  *n = c.n;
  return fmin(c.within, (c.sine - 0.5 * PARALLEL) * length);
}

// The features that the largest separating distance belongs to.
static contact_feature nearest_feature(const contact_element *e, pose at_a, pose at_b, const flat_touch *t) {
  if (!t->of_face) return (contact_feature){{EDGES, t->edges[0], t->edges[1]}};
  if (t->face_of_a)
    return (contact_feature){{CORNER_OF_SECOND, flat_farthest_vertex(e->faces_second, at_b, t->normal), t->face}};
  return (contact_feature){{CORNER_OF_FIRST, flat_farthest_vertex(e->faces_first, at_a, vec3_neg(t->normal)), t->face}};
}

static double set_place(const contact_element *e, const contact_feature *f, pose at_a, pose at_b, contact_point *p,
                        vec3 *n) {
  if (f->part[0] == EDGES) return set_crossing(e, f, at_a, at_b, p, n);
  if (f->part[0] == CORNER_OF_FIRST)
    return set_corner(e->faces_first, at_a, f->part[1], e->faces_second, at_b, f->part[2], p, n);
  double within = set_corner(e->faces_second, at_b, f->part[1], e->faces_first, at_a, f->part[2], p, n);
  *n = vec3_neg(*n);
  return within;
}

// The distance, as of any pair. Where they touch its direction is not defined, and the largest separating distance
// takes its place, which is zero there as well.
static void set_guard(const contact_element *e, pose at_a, pose at_b, contact_point *p, vec3 *n) {
  flat_touch t;
  flat_find_distance(e->faces_first, at_a, e->faces_second, at_b, &t);
  if (t.distance <= CLOSE * e->span) {
    contact_feature f = nearest_feature(e, at_a, at_b, &t);
    (void)set_place(e, &f, at_a, at_b, p, n);
    return;
  }
  separation s = separation_of(e->shape_first, at_a, e->shape_second, at_b, false);
  p->gap = s.distance, p->at = vec3_scale(0.5, vec3_add(s.on_a, s.on_b)), *n = s.normal;
}

// A damaged checkpoint may name features that do not exist.
static bool exists(const contact_element *e, const contact_feature *f) {
  const flat *of[2] = {e->faces_first, e->faces_second};
  int second = f->part[0] == CORNER_OF_SECOND, i = f->part[1], j = f->part[2];
  if (contact_is_guard(f)) return true;
  if (f->part[0] < 0 || f->part[0] > EDGES || i < 0 || j < 0) return false;
  if (f->part[0] == EDGES) return i < of[0]->edge_count && j < of[1]->edge_count;
  return i < of[second]->hull.vertex_count && j < of[!second]->hull.face_count;
}

static pose pose_at(const marker_place *p) { return (pose){p->R, p->p}; }

static double evaluate(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                       contact_point *p) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  vec3 n = {0, 0, 1};
  double within = INFINITY;
  p->node_first = a.node, p->node_second = b.node, p->apart = contact_apart(&a, &b);
  if (!exists(e, f)) p->gap = INFINITY, p->at = a.p, within = -INFINITY;
  else if (contact_is_guard(f)) set_guard(e, pose_at(&a), pose_at(&b), p, &n);
  else within = set_place(e, f, pose_at(&a), pose_at(&b), p, &n) + 2 * slack_of(e);
  contact_set_frame(m, p, n);
  return within;
}

// --- finding ---------------------------------------------------------------------------------------------------------

typedef struct search {
  const contact_element *e;
  pose at_a, at_b;
  int face_a, face_b;  // that lie above each other
  vec3 n;
  contact_touch *to;
  int count, most;
  double least;  // gap
} search;

// The edge of a face at a corner of this name: to the next corner, or from the one before.
static int edge_at(const flat *f, int number, int name, bool backwards) {
  const polytope_face *face = &f->hull.faces[number];
  int k = 0;
  while (k + 1 < face->count && f->hull.corners[face->first + k] != name) k++;
  return f->edge_from[face->first + (backwards ? (k + face->count - 1) % face->count : k)];
}

// The corners of a face of the first shape are taken backwards, so that faces turn alike as seen along the normal (see
// manifold.c).
static contact_feature feature_of(const search *s, const manifold_point *p) {
  if (p->of_b < 0) return (contact_feature){{CORNER_OF_FIRST, p->of_a, s->face_b}};
  if (p->of_a < 0) return (contact_feature){{CORNER_OF_SECOND, p->of_b, s->face_a}};
  return (contact_feature){{EDGES, edge_at(s->e->faces_first, s->face_a, p->of_a, true),
                            edge_at(s->e->faces_second, s->face_b, p->of_b, false)}};
}

static void list(search *s, contact_feature f, const contact_point *p, vec3 n) {
  if (s->count < s->most) s->to[s->count++] = (contact_touch){.feature = f, .gap = p->gap, .at = p->at, .n = n};
  s->least = fmin(s->least, p->gap);
}

// Seen along the normal features may be above each other and still be off each other's ends, if the faces are tilted.
static void try_place(search *s, contact_feature f) {
  contact_point p;
  vec3 n;
  double within = set_place(s->e, &f, s->at_a, s->at_b, &p, &n);
  if (f.part[0] == EDGES) {
    crossing c = crossing_of(s->e, &f, s->at_a, s->at_b);
    if (c.sine < PARALLEL) return;
  }
  if (within >= -slack_of(s->e) && vec3_dot(n, s->n) >= UPRIGHT) list(s, f, &p, n);
}

static int find(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  search s = {.e = e,
              .at_a = pose_at(&a),
              .at_b = pose_at(&b),
              .to = to,
              .count = 1,
              .most = e->point_count,
              .least = INFINITY};
  flat_touch nearest, t;
  to[0] = (contact_touch){.feature = CONTACT_GUARD_FEATURE, .gap = INFINITY, .at = a.p, .n = {0, 0, 1}};
  flat_find_distance(e->faces_first, s.at_a, e->faces_second, s.at_b, &nearest);
  if (!(nearest.distance <= HORIZON * e->span)) return 1;
  flat_find_touch(e->faces_first, s.at_a, e->faces_second, s.at_b, HORIZON * e->span, &t);
  s.n = t.normal, s.face_a = flat_face_along(e->faces_first, s.at_a, vec3_neg(s.n)),
  s.face_b = flat_face_along(e->faces_second, s.at_b, s.n);
  t.count = manifold_reduce(t.points, t.count, e->point_count - 1);
  for (int i = 0; i < t.count; i++) try_place(&s, feature_of(&s, &t.points[i]));
  if (s.least <= nearest.distance + ON_A_PLACE * fmax(e->faces_first->longest, e->faces_second->longest))
    return s.count;
  contact_feature f = nearest_feature(e, s.at_a, s.at_b, &nearest);
  contact_point p;
  vec3 n;
  double within = set_place(e, &f, s.at_a, s.at_b, &p, &n);
  if (s.count == s.most) s.count--;
  if (within >= -slack_of(e)) list(&s, f, &p, n);
  return s.count;
}

// --- travel ----------------------------------------------------------------------------------------------------------

// How fast the common normal n = ±a × b/|a × b| of two edges turns.
static vec3 turn_of_normal(const crossing *c, const marker_state *a, const marker_state *b) {
  vec3 across = vec3_cross(c->along_a, c->along_b);
  vec3 rate = vec3_add(vec3_cross(vec3_cross(a->w, c->along_a), c->along_b),
                       vec3_cross(c->along_a, vec3_cross(b->w, c->along_b)));
  rate = vec3_scale(1 / vec3_dot(across, c->n), rate);
  return vec3_axpy(rate, -vec3_dot(rate, c->n), c->n);
}

// The foot of the common normal on an edge moves with its body and along the edge. With on_a - on_b = g n and q = b × n
// its speed ṡ along a follows from the derivative of (on_a - on_b)·q = 0:  (v_a + ṡ a - v_b)·q + g n·(b × ṅ) = 0.
static contact_travel travel_of_crossing(const crossing *c, const marker_state *a, const marker_state *b) {
  vec3 turn = turn_of_normal(c, a, b), q = vec3_cross(c->along_b, c->n);
  vec3 v_a = contact_velocity_at(a, c->on_a), v_b = contact_velocity_at(b, c->on_b);
  double speed = -(vec3_dot(vec3_sub(v_a, v_b), q) + c->gap * vec3_dot(c->n, vec3_cross(c->along_b, turn))) /
                 vec3_dot(c->along_a, q);
  vec3 foot = vec3_axpy(v_a, speed, c->along_a);
  double gap_rate = vec3_dot(c->n, vec3_sub(v_a, v_b));
  return (contact_travel){.at = vec3_axpy(vec3_axpy(foot, -0.5 * gap_rate, c->n), -0.5 * c->gap, turn), .n = turn};
}

static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_feature *f,
                             const contact_point *p) {
  bool second = f->part[0] == CORNER_OF_SECOND;
  if (f->part[0] != EDGES) return contact_travel_on_wall(m, x, e, p, second ? CONTACT_FIRST : CONTACT_SECOND, 0);
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  crossing c = crossing_of(e, f, (pose){a.R, a.p}, (pose){b.R, b.p});
  return travel_of_crossing(&c, &a, &b);
}

const contact_follow contact_follow_flat = {.find = find, .evaluate = evaluate, .travel = travel};
