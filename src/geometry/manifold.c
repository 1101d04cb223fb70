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

// A corner this near to the edge of another face, relative to the edge's length, is on it.
static const double ON_EDGE = 1e-9;

typedef struct view {
  vec3 n, t[2];
} view;

static view view_along(vec3 n) {
  view v = {.n = n};
  vec3_tangents(n, v.t);
  return v;
}

// Counter-clockwise as seen against n. The face of A looks against n, so that its corners are taken backwards.
static void set_outline(const facet *f, const view *v, bool of_b, outline *o) {
  o->count = f->count;
  for (int i = 0; i < o->count; i++) {
    int k = of_b ? i : o->count - 1 - i;
    o->spots[i] = (spot){vec3_dot(v->t[0], f->p[k]), vec3_dot(v->t[1], f->p[k]), f->name[k], of_b};
  }
}

// How far a spot is to the left of the line from p to q, times its length.
static double left_of(const spot *p, const spot *q, const spot *s) {
  return (q->x - p->x) * (s->y - p->y) - (q->y - p->y) * (s->x - p->x);
}

// A cut of a convex polygon adds one corner at most, so that there is room for all. Rounding might make a polygon of
// the thinnest kind not quite convex: only then a corner can be too many.
static void add_spot(outline *o, spot s) {
  if (o->count < MANIFOLD_POINTS) o->spots[o->count++] = s;
}

// Which side of an edge a corner is on: 1 left, -1 right, 0 on it up to rounding.
static int side_of(double left, double tolerance) { return left > tolerance ? 1 : left < -tolerance ? -1 : 0; }

// Keeps what is to the left of the edge from p to q. Corners on the edge stay as they are: faces of the same size that
// lie on each other have the corners of one of them, whichever way these are rounded.
static void cut(const outline *o, const spot *p, const spot *q, outline *rest) {
  double tolerance = ON_EDGE * ((q->x - p->x) * (q->x - p->x) + (q->y - p->y) * (q->y - p->y));
  double here = left_of(p, q, &o->spots[0]), there;
  rest->count = 0;
  for (int i = 0; i < o->count; i++, here = there) {
    const spot *from = &o->spots[i], *to = &o->spots[i + 1 < o->count ? i + 1 : 0];
    there = left_of(p, q, to);
    int from_side = side_of(here, tolerance), to_side = side_of(there, tolerance);
    if (from_side >= 0) add_spot(rest, *from);
    if (from_side == 0 && to_side < 0)
      rest->spots[rest->count - 1].edge = p->edge, rest->spots[rest->count - 1].of_b = p->of_b;
    if (from_side * to_side >= 0) continue;
    double share = here / (here - there);
    spot crossing = {from->x + share * (to->x - from->x), from->y + share * (to->y - from->y), from->edge, from->of_b};
    if (from_side > 0) crossing.edge = p->edge, crossing.of_b = p->of_b;  // the cut begins here
    add_spot(rest, crossing);
  }
}

// The height along n at which the plane of a face passes over a place of the view.
static double height_of(const facet *f, const view *v, const spot *s) {
  return (f->offset - s->x * vec3_dot(f->normal, v->t[0]) - s->y * vec3_dot(f->normal, v->t[1])) /
         vec3_dot(f->normal, v->n);
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

static int overlap_of_polygons(const facet *a, const facet *b, const view *v, double horizon,
                               manifold_point to[MANIFOLD_POINTS]) {
  outline edge, parts[2], *common = &parts[0], *rest = &parts[1];
  set_outline(a, v, false, common);
  set_outline(b, v, true, &edge);
  for (int i = 0; i < edge.count; i++) {
    cut(common, &edge.spots[i], &edge.spots[(i + 1) % edge.count], rest);
    outline *before = common;
    common = rest, rest = before;
  }
  int count = 0;
  for (int i = 0; i < common->count; i++) {
    const spot *s = &common->spots[i];
    double z_a = height_of(a, v, s), z_b = height_of(b, v, s);
    if (!(z_a - z_b <= horizon)) continue;
    manifold_point *p = &to[count++];
    *p = (manifold_point){.on_a = place_of(v, s, z_a), .on_b = place_of(v, s, z_b), .normal = v->n, .gap = z_a - z_b};
    const spot *before = &common->spots[(i + common->count - 1) % common->count];
    name_point(before, s, p);
    if (p->of_a >= 0 && p->of_b >= 0) set_edges(v, before, s, &common->spots[(i + 1) % common->count], p);
  }
  return count;
}

// --- lines -----------------------------------------------------------------------------------------------------------

// One end of what of a line is above a polygon: at its own end, or where it crosses an edge.
typedef struct line_end {
  double share;      // of the way along the line
  const spot *edge;  // that it crosses, and the next corner; null at its own end
  const spot *next;
} line_end;

// Cuts the line from ends[0] to ends[1] by the edges of a polygon. Returns false if nothing is left.
static bool cut_line(const outline *line, const outline *polygon, line_end ends[2]) {
  ends[0] = (line_end){.share = 0}, ends[1] = (line_end){.share = 1};
  for (int i = 0; i < polygon->count; i++) {
    const spot *p = &polygon->spots[i], *q = &polygon->spots[(i + 1) % polygon->count];
    double from = left_of(p, q, &line->spots[0]), to = left_of(p, q, &line->spots[1]);
    if (from < 0 && to < 0) return false;
    if (from >= 0 && to >= 0) continue;
    double share = from / (from - to);
    if (from < 0 && share > ends[0].share) ends[0] = (line_end){share, p, q};
    if (to < 0 && share < ends[1].share) ends[1] = (line_end){share, p, q};
  }
  return ends[0].share <= ends[1].share;
}

static vec3 way_of(const view *v, const spot *from, const spot *to) {
  return vec3_add(vec3_scale(to->x - from->x, v->t[0]), vec3_scale(to->y - from->y, v->t[1]));
}

static int overlap_with_line(const facet *a, const facet *b, const view *v, double horizon, manifold_point *to) {
  bool line_is_a = a->count == 2;
  outline line, polygon;
  line_end ends[2];
  set_outline(line_is_a ? a : b, v, true, &line);
  set_outline(line_is_a ? b : a, v, line_is_a, &polygon);
  if (!cut_line(&line, &polygon, ends)) return 0;
  int count = 0;
  for (int i = 0; i < 2; i++) {
    const spot *from = &line.spots[0], *end = &line.spots[1];
    spot s = {from->x + ends[i].share * (end->x - from->x), from->y + ends[i].share * (end->y - from->y), 0, false};
    double z_a = height_of(a, v, &s), z_b = height_of(b, v, &s);
    if (!(z_a - z_b <= horizon)) continue;
    manifold_point *p = &to[count++];
    *p = (manifold_point){.on_a = place_of(v, &s, z_a),
                          .on_b = place_of(v, &s, z_b),
                          .normal = v->n,
                          .gap = z_a - z_b,
                          .of_a = -1,
                          .of_b = -1};
    int *of_line = line_is_a ? &p->of_a : &p->of_b, *of_polygon = line_is_a ? &p->of_b : &p->of_a;
    *of_line = line.spots[ends[i].edge ? 0 : i].edge;
    if (!ends[i].edge) continue;
    *of_polygon = ends[i].edge->edge;
    vec3 along = way_of(v, from, end), across = way_of(v, ends[i].edge, ends[i].next);
    p->edge_a = line_is_a ? along : across, p->edge_b = line_is_a ? across : along;
  }
  return count;
}

// Two lines touch along each other only where both are round about nearly the same direction, and the ends of each lie
// beside the other. The distance there is that of the centres of curvature, so that lines that cross are as far apart
// as the shapes are.
static void add_end(const facet *a, const facet *b, bool of_a, int i, vec3 n, double horizon, manifold_point *to,
                    int *count) {
  const facet *own = of_a ? a : b, *other = of_a ? b : a;
  double inwards = of_a ? 1 : -1;
  vec3 c = own->core[i], along = vec3_sub(other->core[1], other->core[0]);
  double share = vec3_dot(vec3_sub(c, other->core[0]), along) / vec3_dot(along, along);
  if (!(share >= 0 && share <= 1)) return;
  double r_own = own->radius[i], r_other = other->radius[0] + share * (other->radius[1] - other->radius[0]);
  vec3 d = vec3_scale(inwards, vec3_sub(c, vec3_axpy(other->core[0], share, along)));
  double length = vec3_norm(d), gap = length - r_own - r_other;
  if (!(length > 0 && gap <= horizon && vec3_dot(d, n) > 0)) return;
  vec3 normal = vec3_scale(1 / length, d), on_own = vec3_axpy(c, -inwards * r_own, normal);
  manifold_point *p = &to[(*count)++];
  *p = (manifold_point){
      .normal = normal, .gap = gap, .of_a = of_a ? own->name[i] : -1, .of_b = of_a ? -1 : own->name[i]};
  p->on_a = of_a ? on_own : vec3_axpy(on_own, gap, normal), p->on_b = of_a ? vec3_axpy(on_own, -gap, normal) : on_own;
}

static int overlap_of_lines(const facet *a, const facet *b, vec3 n, double horizon, manifold_point *to) {
  vec3 p = vec3_sub(a->p[1], a->p[0]), q = vec3_sub(b->p[1], b->p[0]);
  int count = 0;
  if (vec3_norm(vec3_cross(p, q)) > FACET_TILT * vec3_norm(p) * vec3_norm(q)) return 0;
  for (int i = 0; i < 2; i++) add_end(a, b, true, i, n, horizon, to, &count);
  for (int i = 0; i < 2; i++) add_end(a, b, false, i, n, horizon, to, &count);
  return count;
}

int manifold_of_facets(const facet *a, const facet *b, vec3 n, double horizon, manifold_point to[MANIFOLD_POINTS]) {
  view v = view_along(n);
  if (a->count < 2 || b->count < 2) return 0;
  if (a->count == 2 && b->count == 2) return overlap_of_lines(a, b, n, horizon, to);
  return a->count == 2 || b->count == 2 ? overlap_with_line(a, b, &v, horizon, to)
                                        : overlap_of_polygons(a, b, &v, horizon, to);
}

int manifold_of_faces(const polytope *a, pose at_a, const polytope *b, pose at_b, vec3 n, double horizon,
                      manifold_point to[MANIFOLD_POINTS]) {
  facet face_a, face_b;
  facet_of_face(a, at_a, vec3_neg(n), &face_a);
  facet_of_face(b, at_b, n, &face_b);
  return manifold_of_facets(&face_a, &face_b, n, horizon, to);
}

// How far a point stands out over the line through its neighbours.
static double height_over_neighbours(const manifold_point *points, int count, int i) {
  vec3 before = points[(i + count - 1) % count].on_b, after = points[(i + 1) % count].on_b,
       along = vec3_sub(after, before);
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
