// With h the support functions, the signed distance of A and B is the largest value over unit vectors n of
//   f(n) = -h_A(-n) - h_B(n) = n · w(n),   w(n) = s_A(-n) - s_B(n),
// since a plane with normal n separates the shapes by f(n). Where f is positive there is one maximum: it belongs to the
// nearest points and is found by walking through simplices of points w (Gilbert, Johnson, Keerthi). Where the shapes
// overlap there may be many maxima. Each is found as the limit of distances of shapes moved apart along the last
// normal,
//   n ← argmax f(n') + σ n · n',
// which never decreases f; the largest is found by dividing the directions into cells with a bound of f in each.
//
// Of two smooth shapes Newton's method finds where w is parallel to n, which is the common normal: d × n = 0 and n_A ×
// n_B = 0 (Flores and Ambrósio, eq. 1 to 6). Where f is not negative there, this is the maximum. Where the shapes
// overlap, let balls of radii ρ_A and ρ_B roll inside them. A ball of radius ρ = ρ_A + ρ_B then lies within A - B and
// touches its surface at w, at the distance -f from the origin, with the normal n. If -f ≤ ρ it holds the ball of
// radius -f about the origin: no direction separates the shapes by a shorter way. Else all directions are searched.
#include "geometry/separation.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "math/linalg.h"
#include "math/lu.h"

typedef struct pair {
  const convex *a, *b;
  mat3 turn_a, turn_b;
  vec3 between;  // from the middle of B to the middle of A
  double size;   // of the two shapes together
  bool planar;
  int evaluations, iterations;
} pair;

// A point of A - B.
typedef struct corner {
  vec3 a, b;  // the points of the shapes, from their middles
  vec3 w;     // from b to a
} corner;

typedef struct simplex {
  corner corners[4];
  double weights[4];  // of the point nearest to the origin
  int count;
} simplex;

static vec3 unit(vec3 v) { return vec3_scale(1 / vec3_norm(v), v); }

// The corner of A - B farthest against n, with A moved by `shift`.
static corner support(pair *p, vec3 n, vec3 shift) {
  p->evaluations++;
  corner c = {.a = mat3_mul(p->turn_a, convex_support(p->a, mat3_tmul(p->turn_a, vec3_neg(n)))),
              .b = mat3_mul(p->turn_b, convex_support(p->b, mat3_tmul(p->turn_b, n)))};
  c.w = vec3_add(vec3_add(p->between, shift), vec3_sub(c.a, c.b));
  return c;
}

static double value(pair *p, vec3 n) { return vec3_dot(n, support(p, n, VEC3_ZERO).w); }

// --- nearest point of a simplex --------------------------------------------------------------------------------------

static double square_of_difference(vec3 a, vec3 b) {
  vec3 d = vec3_sub(a, b);
  return vec3_dot(d, d);
}

// Weights of the point nearest to the origin on the line or plane through the corners; false where it is outside them.
// A thin triangle is seen from the corner opposite its longest edge, where least is lost to rounding.
static bool project(const simplex *s, double *weight) {
  if (s->count == 1) return weight[0] = 1, true;
  int at = 0;
  for (int i = 1; s->count == 3 && i < 3; i++)
    if (square_of_difference(s->corners[(i + 1) % 3].w, s->corners[(i + 2) % 3].w) >
        square_of_difference(s->corners[(at + 1) % 3].w, s->corners[(at + 2) % 3].w))
      at = i;
  int next = (at + 1) % s->count, last = (at + 2) % s->count;
  vec3 p = s->corners[at].w, e = vec3_sub(s->corners[next].w, p);
  if (s->count == 2) {
    weight[next] = -vec3_dot(p, e) / vec3_dot(e, e);
    weight[at] = 1 - weight[next];
    return weight[0] >= 0 && weight[1] >= 0;
  }
  vec3 g = vec3_sub(s->corners[last].w, p), across = vec3_cross(e, g);
  double area = vec3_dot(across, across);
  weight[next] = vec3_dot(vec3_cross(g, p), across) / area;
  weight[last] = vec3_dot(vec3_cross(p, e), across) / area;
  weight[at] = 1 - weight[next] - weight[last];
  return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

static vec3 blend(const simplex *s) {
  vec3 v = VEC3_ZERO;
  for (int i = 0; i < s->count; i++) v = vec3_axpy(v, s->weights[i], s->corners[i].w);
  return v;
}

// Whether the origin is inside four corners.
static bool holds_origin(const simplex *s) {
  for (int i = 0; i < 4; i++) {
    vec3 p = s->corners[(i + 1) % 4].w, q = s->corners[(i + 2) % 4].w, r = s->corners[(i + 3) % 4].w;
    vec3 n = vec3_cross(vec3_sub(q, p), vec3_sub(r, p));
    double far = vec3_dot(n, vec3_sub(s->corners[i].w, p)), origin = -vec3_dot(n, p);
    if (!(far * origin > 0)) return false;
  }
  return true;
}

// Reduces a simplex to the corners around its point nearest to the origin; gives that point.
static vec3 nearest(simplex *s) {
  simplex best = {0};
  double least = DBL_MAX;
  for (int set = 1; set < 1 << s->count; set++) {
    simplex part = {0};
    for (int i = 0; i < s->count; i++)
      if (set >> i & 1) part.corners[part.count++] = s->corners[i];
    if (part.count > 3 || !project(&part, part.weights)) continue;
    vec3 v = blend(&part);
    double length = vec3_dot(v, v);
    if (length < least) least = length, best = part;
  }
  *s = best;
  return blend(s);
}

static bool has_corner(const simplex *s, corner c) {
  for (int i = 0; i < s->count; i++) {
    vec3 d = vec3_sub(s->corners[i].w, c.w);
    if (d.x == 0 && d.y == 0 && d.z == 0) return true;
  }
  return false;
}

// The shortest vector from B to A, A moved by `shift`, from a simplex of earlier corners. False where they overlap.
static bool approach(pair *p, vec3 shift, simplex *s, vec3 *shortest) {
  for (int i = 0; i < s->count; i++) {
    corner *c = &s->corners[i];
    c->w = vec3_add(vec3_add(p->between, shift), vec3_sub(c->a, c->b));
  }
  if (!s->count) s->corners[s->count++] = support(p, vec3_norm(p->between) > 0 ? p->between : (vec3){1, 0, 0}, shift);
  vec3 v = nearest(s);
  bool apart = false;
  for (int i = 0; i < 200; i++) {
    double length = vec3_norm(v);
    if (length < 1e-14 * p->size) return false;
    vec3 n = vec3_scale(1 / length, v);
    corner c = support(p, n, shift);
    double least = vec3_dot(n, c.w);
    apart = apart || least > 0;
    if (length - least <= 1e-16 * p->size || has_corner(s, c)) break;
    simplex next = *s;
    next.corners[next.count++] = c;
    if (!apart && next.count == 4 && holds_origin(&next)) return false;
    vec3 closer = nearest(&next);
    if (vec3_norm(closer) >= length) break;
    *s = next;
    v = closer;
  }
  *shortest = v;
  return true;
}

// --- a local maximum -------------------------------------------------------------------------------------------------

typedef struct maximum {
  vec3 n;
  double f;
  vec3 a, b;  // the points of the cores, from their middles
  separation_feature of_a, of_b;
  bool settled;  // w is parallel to n
} maximum;

// The steps n → m of the climb are those of a symmetric map once the features that touch are found. Combines the last
// of them so that what is left of the steps cancels (Anderson); gives the last n where that would not rise.
typedef struct history {
  vec3 from[3], step[3];  // the newest first
  int count;
} history;

static vec3 extrapolate(pair *p, history *h, vec3 from, vec3 to, double f) {
  for (int i = 2; i > 0; i--) h->from[i] = h->from[i - 1], h->step[i] = h->step[i - 1];
  h->from[0] = from, h->step[0] = vec3_sub(to, from);
  if (h->count < 3) h->count++;
  vec3 r = h->step[0], best = to;
  vec3 d1 = vec3_sub(h->step[1], r), d2 = vec3_sub(h->step[2], r);
  vec3 m1 = vec3_add(vec3_sub(h->from[1], from), d1), m2 = vec3_add(vec3_sub(h->from[2], from), d2);
  double a11 = vec3_dot(d1, d1), a12 = vec3_dot(d1, d2), a22 = vec3_dot(d2, d2), b1 = vec3_dot(d1, r),
         b2 = vec3_dot(d2, r);
  double det = a11 * a22 - a12 * a12, most = f;
  for (int depth = 1; depth < h->count; depth++) {
    double x1 = depth == 1 ? -b1 / a11 : -(a22 * b1 - a12 * b2) / det,
           x2 = depth == 1 ? 0 : -(a11 * b2 - a12 * b1) / det;
    vec3 guess = vec3_add(to, vec3_add(vec3_scale(x1, m1), vec3_scale(x2, m2)));
    if (!(vec3_norm(vec3_sub(guess, to)) < 0.3)) continue;
    guess = unit(guess);
    double there = value(p, guess);
    if (there > most) most = there, best = guess;
  }
  return best;
}

static void take_points(const simplex *s, maximum *m) {
  m->a = m->b = VEC3_ZERO;
  for (int k = 0; k < s->count; k++) {
    m->a = vec3_axpy(m->a, s->weights[k], s->corners[k].a);
    m->b = vec3_axpy(m->b, s->weights[k], s->corners[k].b);
  }
}

static void tangents(const pair *p, vec3 n, vec3 t[2]) {
  if (p->planar) t[0] = (vec3){-n.y, n.x, 0}, t[1] = (vec3){0, 0, 1};
  else vec3_tangents(n, t);
}

enum { PROBES = 4, SAMPLES = 4 + PROBES };

// The straight edges of a shape that some of its support points lie on. Points close to each other belong to a curved
// surface, not to an edge.
static int find_edges(const convex *shape, const vec3 *samples, int count, double least, vec3 edges[2]) {
  int found = 0;
  for (int i = 0; i < count && shape->type->has_edges; i++)
    for (int j = 0; j < i && found < 2; j++) {
      vec3 e = vec3_sub(samples[i], samples[j]), across = e;
      if (found == 1) across = vec3_axpy(e, -vec3_dot(e, edges[0]), edges[0]);
      if (vec3_norm(across) > least) edges[found++] = unit(e);
    }
  return found;
}

static mat3 radii_at(const convex *shape, mat3 turn, vec3 n, vec3 at) {
  mat3 r = convex_radii(shape, mat3_tmul(turn, n), mat3_tmul(turn, at));
  return mat3_product(turn, mat3_product(r, mat3_transpose(turn)));
}

// Radii at a point between corners are between theirs: on the side of a cone they grow from the tip to the rim.
static mat3 blend_radii(const simplex *s, const vec3 *points, const convex *shape, mat3 turn, vec3 n) {
  mat3 sum = {{0}};
  if (!shape->type->radii) return sum;
  for (int i = 0; i < s->count; i++) {
    mat3 world = radii_at(shape, turn, n, points[i]);
    for (int k = 0; k < 9; k++) sum.m[k] += s->weights[i] * world.m[k];
  }
  return sum;
}

// The features of both shapes. The corners of the simplex may be too few to span a face: with `probe`, the shapes are
// also asked for their support points a little beside n.
static void find_features(pair *p, const simplex *s, bool probe, maximum *m) {
  vec3 a[SAMPLES], b[SAMPLES], t[2];
  int count = s->count;
  for (int i = 0; i < count; i++) a[i] = s->corners[i].a, b[i] = s->corners[i].b;
  m->of_a = (separation_feature){.radii = blend_radii(s, a, p->a, p->turn_a, vec3_neg(m->n)), .layer = p->a->layer};
  m->of_b = (separation_feature){.radii = blend_radii(s, b, p->b, p->turn_b, m->n), .layer = p->b->layer};
  tangents(p, m->n, t);
  for (int i = 0; i < (p->planar ? 2 : PROBES) && probe && (p->a->type->has_edges || p->b->type->has_edges); i++) {
    corner c = support(p, vec3_axpy(m->n, i % 2 ? 1e-6 : -1e-6, t[i / 2]), VEC3_ZERO);
    a[count] = c.a, b[count++] = c.b;
  }
  m->of_a.edge_count = find_edges(p->a, a, count, 1e-3 * p->size, m->of_a.edges);
  m->of_b.edge_count = find_edges(p->b, b, count, 1e-3 * p->size, m->of_b.edges);
}

// The edges of both shapes, as far as they have different directions.
static int edges_of_both(const maximum *m, vec3 edges[2]) {
  vec3 all[4];
  int count = 0, found = 0;
  for (int i = 0; i < m->of_a.edge_count; i++) all[count++] = m->of_a.edges[i];
  for (int i = 0; i < m->of_b.edge_count; i++) all[count++] = m->of_b.edges[i];
  for (int i = 0; i < count && found < 2; i++)
    if (!found || vec3_norm(vec3_cross(all[i], edges[0])) > 1e-6) edges[found++] = all[i];
  return found;
}

// The part of w(n) along the tangents, which is zero at a maximum, and its derivatives, by differences.
typedef struct slope {
  double g[2], J[2][2];
} slope;

static slope slope_at(pair *p, vec3 n, const vec3 t[2], int count) {
  const double h = 1e-5;
  slope s = {.J = {{-1, 0}, {0, -1}}};
  vec3 w = support(p, n, VEC3_ZERO).w;
  for (int j = 0; j < count; j++) {
    vec3 up = support(p, vec3_axpy(n, h, t[j]), VEC3_ZERO).w, down = support(p, vec3_axpy(n, -h, t[j]), VEC3_ZERO).w;
    vec3 rate = vec3_scale(1 / (2 * h), vec3_sub(up, down));
    s.g[j] = vec3_dot(t[j], w);
    for (int k = 0; k < count; k++) s.J[k][j] = vec3_dot(t[k], rate) - (k == j ? vec3_dot(n, w) : 0);
  }
  return s;
}

// The normal nearest to n that is normal to the edges.
static vec3 normal_to(vec3 n, const vec3 edges[2], int count) {
  vec3 from = n;
  if (count == 2) n = unit(vec3_cross(edges[0], edges[1]));
  else if (count == 1) n = unit(vec3_axpy(n, -vec3_dot(n, edges[0]), edges[0]));
  return vec3_dot(n, from) < 0 ? vec3_neg(n) : n;
}

static double trace(mat3 m) { return m.m[0] + m.m[4] + m.m[8]; }

// Off edges and faces a shape has one support point for a normal, and the point of the other lies across from it. That
// is more accurate than the points of the walk, whose distance is good to rounding but whose place only to the root of
// that. A point of the more curved shape depends less on the normal.
static void settle_points(pair *p, maximum *m) {
  corner c = support(p, m->n, VEC3_ZERO);
  bool by_a = !m->of_a.edge_count, by_b = !m->of_b.edge_count;
  if (by_a) m->of_a.radii = radii_at(p->a, p->turn_a, vec3_neg(m->n), c.a);
  if (by_b) m->of_b.radii = radii_at(p->b, p->turn_b, m->n, c.b);
  if (by_a && by_b) by_a = trace(m->of_a.radii) < trace(m->of_b.radii);
  if (by_a) m->a = c.a, m->b = vec3_axpy(vec3_add(p->between, c.a), -m->f, m->n);
  else if (by_b) m->b = c.b, m->a = vec3_axpy(vec3_sub(c.b, p->between), m->f, m->n);
}

// The exact direction of a straight edge that is known roughly: from one end to the other.
static void sharpen(const convex *shape, mat3 turn, vec3 n, double least, separation_feature *f) {
  if (f->edge_count != 1) return;
  vec3 far = convex_support(shape, mat3_tmul(turn, vec3_axpy(n, 1e-6, f->edges[0])));
  vec3 near = convex_support(shape, mat3_tmul(turn, vec3_axpy(n, -1e-6, f->edges[0])));
  vec3 e = mat3_mul(turn, vec3_sub(far, near));
  if (vec3_norm(e) > least) f->edges[0] = unit(e);
}

// The last digits of a normal: Newton's method in the directions that the edges leave free.
static void refine(pair *p, const simplex *s, maximum *m) {
  vec3 edges[2], t[2], n = m->n;
  find_features(p, s, false, m);
  double longest = 1e-2, first_rest = DBL_MAX, rest = 0, least = 1e-3 * p->size;
  for (int i = 0; i < 8 && longest > 1e-15; i++) {
    p->iterations++;
    sharpen(p->a, p->turn_a, vec3_neg(n), least, &m->of_a), sharpen(p->b, p->turn_b, n, least, &m->of_b);
    int edge_count = edges_of_both(m, edges), free = (p->planar ? 1 : 2) - edge_count;
    n = normal_to(n, edges, edge_count);
    if (free <= 0) break;
    tangents(p, n, t);
    if (edge_count == 1) t[0] = unit(vec3_cross(n, edges[0]));
    slope at = slope_at(p, n, t, free);
    rest = hypot(at.g[0], at.g[1]);
    if (i == 0) first_rest = rest;
    double det = at.J[0][0] * at.J[1][1] - at.J[0][1] * at.J[1][0];
    double x = -(at.J[1][1] * at.g[0] - at.J[0][1] * at.g[1]) / det,
           y = -(at.J[0][0] * at.g[1] - at.J[1][0] * at.g[0]) / det;
    if (!(hypot(x, y) < longest)) break;
    longest = 0.5 * hypot(x, y);
    n = unit(vec3_add(n, vec3_add(vec3_scale(x, t[0]), vec3_scale(y, t[1]))));
  }
  double f = value(p, n);
  if (f >= m->f || (rest < first_rest && f >= m->f - 1e-14 * p->size)) m->n = n, m->f = f;
  find_features(p, s, true, m);
  sharpen(p->a, p->turn_a, vec3_neg(m->n), least, &m->of_a), sharpen(p->b, p->turn_b, m->n, least, &m->of_b);
  settle_points(p, m);
}

static maximum climb(pair *p, vec3 n) {
  simplex s = {0};
  history past = {0};
  maximum m = {.n = n, .f = value(p, n)};
  for (int i = 0; i < 100; i++) {
    vec3 v, from = m.n;
    if (!approach(p, vec3_scale(0.05 * p->size - m.f, m.n), &s, &v)) break;
    take_points(&s, &m);
    vec3 to = unit(v);
    double f = value(p, to);
    if (f < m.f) break;
    m.n = to, m.f = f;
    m.settled = vec3_norm(vec3_sub(to, from)) < 1e-6;
    if (vec3_norm(vec3_sub(to, from)) < 1e-9) break;
    m.n = extrapolate(p, &past, from, to, f);
    m.f = value(p, m.n);
  }
  refine(p, &s, &m);
  return m;
}

// --- common normal of smooth shapes ----------------------------------------------------------------------------------

// A direction with its corner. The part of w along the tangents is g, and falls by R + f, R the radii of both shapes,
// where n turns.
typedef struct stage {
  vec3 n, t[2];
  corner at;
  double f, g[2], rest;
} stage;

static stage stage_at(pair *p, vec3 n) {
  stage s = {.n = n, .at = support(p, n, VEC3_ZERO)};
  tangents(p, n, s.t);
  s.f = vec3_dot(n, s.at.w);
  for (int i = 0; i < (p->planar ? 1 : 2); i++) s.g[i] = vec3_dot(s.t[i], s.at.w);
  s.rest = hypot(s.g[0], s.g[1]);
  return s;
}

// How far n turns to where g is zero. Returns false where this is not the way to a maximum.
static bool newton_step(const pair *p, const stage *s, double x[2]) {
  mat3 of_a = radii_at(p->a, p->turn_a, vec3_neg(s->n), s->at.a), of_b = radii_at(p->b, p->turn_b, s->n, s->at.b);
  double H[3], det;
  for (int k = 0; k < 3; k++) {
    vec3 left = s->t[k / 2], right = s->t[(k + 1) / 2];
    H[k] = vec3_dot(left, vec3_add(mat3_mul(of_a, right), mat3_mul(of_b, right))) + (k == 1 ? 0 : s->f);
  }
  if (p->planar) H[1] = 0, H[2] = 1;
  det = H[0] * H[2] - H[1] * H[1];
  if (!(H[0] > 0 && det > 0)) return false;
  x[0] = (H[2] * s->g[0] - H[1] * s->g[1]) / det, x[1] = (H[0] * s->g[1] - H[1] * s->g[0]) / det;
  return true;
}

static stage turned(pair *p, const stage *s, const double x[2], double part) {
  return stage_at(p,
                  unit(vec3_add(s->n, vec3_add(vec3_scale(part * x[0], s->t[0]), vec3_scale(part * x[1], s->t[1])))));
}

// A step is halved until f rises or g falls. It ends where g is as small as rounding leaves it, so that it moves no
// farther if it starts from there again. Returns false if it does not end so at a maximum.
static bool find_common_normal(pair *p, vec3 n, maximum *m) {
  enum { STEPS = 30, HALVINGS = 8 };
  const double fine = 1e-12 * p->size, rounding = 1e-16 * p->size;
  stage s = stage_at(p, n);
  for (int i = 0; i < STEPS; i++) {
    double x[2], part;
    if (!newton_step(p, &s, x)) return false;
    p->iterations++;
    part = fmin(1, 0.5 / hypot(x[0], x[1]));
    stage next = s.rest > rounding ? turned(p, &s, x, part) : s;
    for (int k = 0; k < HALVINGS && !(next.f > s.f || next.rest < s.rest) && s.rest > fine; k++)
      next = turned(p, &s, x, part *= 0.5);
    if (s.rest <= fine && !(next.rest < 0.5 * s.rest)) {
      *m = (maximum){.n = s.n, .f = s.f, .of_a.layer = p->a->layer, .of_b.layer = p->b->layer, .settled = true};
      settle_points(p, m);
      return true;
    }
    if (!(next.f > s.f || next.rest < s.rest)) return false;
    s = next;
  }
  return false;
}

// --- the largest maximum ---------------------------------------------------------------------------------------------

#define SAME 1e-14  // maxima that differ by less, of the size, are equal

enum { FINEST = 9, EVALUATIONS = 30000, SEEN = 16, STACK = 3 * FINEST + 12 };

// Directions between two (in the plane) or three others.
typedef struct cell {
  vec3 n[3], w[3];
  int level;
} cell;

typedef struct search {
  pair *p;
  maximum best;
  vec3 seen[SEEN];  // maxima
  int seen_count;
  int corners;  // of a cell
} search;

// f(n) ≤ n · w for every point w of A - B. Inside a cell n is a sum of its corners with weights of at least one in all,
// so a negative bound at all corners bounds f inside.
static double most_at_corners(const search *s, const cell *c, vec3 w) {
  double most = -DBL_MAX;
  for (int j = 0; j < s->corners; j++) most = fmax(most, vec3_dot(w, c->n[j]));
  return most < 0 ? most : DBL_MAX;
}

static double bound(const search *s, const cell *c) {
  vec3 mean = VEC3_ZERO;
  simplex corners = {.count = s->corners};
  double least = DBL_MAX;
  for (int i = 0; i < s->corners; i++) {
    vec3 next = c->w[(i + 1) % s->corners];
    mean = vec3_axpy(mean, 1.0 / s->corners, c->w[i]);
    corners.corners[i].w = c->w[i];
    least = fmin(least, most_at_corners(s, c, c->w[i]));
    least = fmin(least, most_at_corners(s, c, vec3_scale(0.5, vec3_add(c->w[i], next))));
  }
  return fmin(fmin(least, most_at_corners(s, c, mean)), most_at_corners(s, c, nearest(&corners)));
}

static void climb_from(search *s, vec3 n) {
  maximum m = climb(s->p, n);
  if (s->seen_count < SEEN) s->seen[s->seen_count++] = m.n;
  if (m.f > s->best.f + SAME * s->p->size) s->best = m;
}

static bool is_near_seen(const search *s, vec3 n, double angle) {
  for (int i = 0; i < s->seen_count; i++)
    if (vec3_norm(vec3_sub(s->seen[i], n)) < angle) return true;
  return false;
}

static void halve(search *s, vec3 p, vec3 q, vec3 *n, vec3 *w) {
  *n = unit(vec3_add(p, q));
  *w = support(s->p, *n, VEC3_ZERO).w;
}

static int divide(search *s, const cell *c, cell *parts) {
  vec3 n[3], w[3];
  int k = s->corners, edges = k == 2 ? 1 : 3;
  for (int i = 0; i < edges; i++) halve(s, c->n[i], c->n[(i + 1) % k], &n[i], &w[i]);
  for (int i = 0; i < k; i++) {
    int before = edges == 1 ? 0 : (i + 2) % 3, after = edges == 1 ? 0 : i;
    parts[i] = (cell){.n = {c->n[i], n[after], n[before]}, .w = {c->w[i], w[after], w[before]}, .level = c->level + 1};
  }
  if (edges == 1) return 2;
  parts[3] = (cell){.n = {n[0], n[1], n[2]}, .w = {w[0], w[1], w[2]}, .level = c->level + 1};
  return 4;
}

static int start_cells(search *s, cell *cells) {
  const vec3 axes[6] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  vec3 w[6];
  int axis_count = s->corners == 2 ? 4 : 6, count = 0;
  for (int i = 0; i < axis_count; i++) w[i] = support(s->p, axes[i], VEC3_ZERO).w;
  for (int pole = 4; pole < (s->corners == 2 ? 5 : 6); pole++)
    for (int i = 0; i < 4; i++) {
      int j = (i + 1) % 4;
      cells[count++] = (cell){.n = {axes[i], axes[j], axes[pole]}, .w = {w[i], w[j], s->corners == 2 ? w[j] : w[pole]}};
    }
  return count;
}

static void search_all(search *s) {
  cell stack[STACK];
  int count = start_cells(s, stack);
  double scale = s->p->size;
  while (count && s->p->evaluations < EVALUATIONS) {
    cell c = stack[--count];
    if (bound(s, &c) <= s->best.f + 1e-10 * scale) continue;
    double most = -DBL_MAX;
    vec3 top = c.n[0];
    for (int i = 0; i < s->corners; i++) {
      double f = vec3_dot(c.n[i], c.w[i]);
      if (f > most) most = f, top = c.n[i];
    }
    if (most > s->best.f + 1e-12 * scale) climb_from(s, top);
    else if (c.level == FINEST && !is_near_seen(s, top, 2.0 / (1 << FINEST))) climb_from(s, top);
    if (c.level == FINEST) continue;
    count += divide(s, &c, stack + count);
  }
}

static double reach(const convex *s) {
  double most = 0;
  for (int i = 0; i < s->point_count; i++) most = fmax(most, vec3_norm(s->points[i]));
  if (s->type->of_points) return most;
  return vec3_norm(convex_support(s, (vec3){1, 0, 0})) + vec3_norm(convex_support(s, (vec3){0, 1, 0})) +
         vec3_norm(convex_support(s, (vec3){0, 0, 1}));
}

// Whether no other maximum is larger.
static bool is_largest(const pair *p, const maximum *m) {
  return m->f > 0 || (m->settled && -m->f <= p->a->rolls + p->b->rolls);
}

// The same by a search in all directions.
static maximum largest(pair *p, maximum from) {
  search all = {.p = p, .corners = p->planar ? 2 : 3, .best = from};
  all.seen[all.seen_count++] = from.n;
  search_all(&all);
  return all.best;
}

// What other methods have found, as Newton's method finds it from there: so it is the same to the bit where this is the
// start.
static maximum polished(pair *p, maximum m) {
  maximum fine;
  return find_common_normal(p, m.n, &fine) && fine.f >= m.f - SAME * p->size ? fine : m;
}

// Of shapes with edges, which Newton's method does not find, and where it fails.
static maximum find_without_start(pair *p) {
  simplex s = {0};
  vec3 v;
  if (!approach(p, VEC3_ZERO, &s, &v) || !(vec3_norm(v) > 0.01 * p->size))
    return climb(p, vec3_norm(p->between) > 0 ? unit(p->between) : (vec3){1, 0, 0});
  maximum m = {.n = unit(v), .f = vec3_norm(v)};
  take_points(&s, &m);
  refine(p, &s, &m);
  return m;
}

separation separation_from(const convex *a, pose at_a, const convex *b, pose at_b, bool planar, vec3 start) {
  pair p = {.a = a, .b = b, .turn_a = at_a.R, .turn_b = at_b.R, .between = vec3_sub(at_a.p, at_b.p), .planar = planar};
  double apart = vec3_norm(p.between), layers = a->layer + b->layer;
  bool smooth = !a->type->has_edges && !b->type->has_edges, has_start = fabs(vec3_dot(start, start) - 1) < 1e-9;
  p.size = reach(a) + reach(b);
  if (!(p.size > 0)) p.size = fmax(apart, layers);
  maximum m;
  bool found = smooth && apart > 0 && find_common_normal(&p, has_start ? start : unit(p.between), &m);
  if (!found) m = find_without_start(&p);
  if (!found && smooth) m = polished(&p, m);
  bool certain = is_largest(&p, &m);
  if (!certain) m = largest(&p, m);
  if (!certain && smooth) m = polished(&p, m);
  return (separation){.distance = m.f - layers,
                      .normal = m.n,
                      .on_a = vec3_axpy(vec3_add(at_a.p, m.a), -a->layer, m.n),
                      .on_b = vec3_axpy(vec3_add(at_b.p, m.b), b->layer, m.n),
                      .of_a = m.of_a,
                      .of_b = m.of_b,
                      .evaluations = p.evaluations,
                      .iterations = p.iterations,
                      .searched = !certain || (smooth && !found)};
}

separation separation_of(const convex *a, pose at_a, const convex *b, pose at_b, bool planar) {
  return separation_from(a, at_a, b, at_b, planar, VEC3_ZERO);
}

double separation_along(const convex *a, pose at_a, const convex *b, pose at_b, vec3 n) {
  pair p = {.a = a, .b = b, .turn_a = at_a.R, .turn_b = at_b.R, .between = vec3_sub(at_a.p, at_b.p)};
  return value(&p, n) - a->layer - b->layer;
}

separation separation_of_plane(const convex *a, pose at_a, vec3 n, double offset) {
  vec3 local = mat3_tmul(at_a.R, vec3_neg(n)), core = convex_support(a, local);
  vec3 on_a = vec3_axpy(vec3_add(at_a.p, mat3_mul(at_a.R, core)), -a->layer, n);
  mat3 radii = mat3_product(at_a.R, mat3_product(convex_radii(a, local, core), mat3_transpose(at_a.R)));
  separation s = {.distance = vec3_dot(n, on_a) - offset,
                  .normal = n,
                  .on_a = on_a,
                  .of_a = {.radii = radii, .layer = a->layer},
                  .of_b = {.edge_count = 2},
                  .evaluations = 1};
  s.on_b = vec3_axpy(on_a, -s.distance, n);
  vec3_tangents(n, s.of_b.edges);
  return s;
}

// --- curvatures ------------------------------------------------------------------------------------------------------

// A symmetric matrix on the tangents.
typedef struct bend {
  double xx, xy, yy;
} bend;

// Its eigenvalues, the smaller first, and the direction of the larger.
static void eigen(bend b, double value[2], double axis[2]) {
  double middle = 0.5 * (b.xx + b.yy), half = 0.5 * (b.xx - b.yy), radius = hypot(half, b.xy);
  value[0] = middle - radius, value[1] = middle + radius;
  double angle = 0.5 * atan2(b.xy, half);
  axis[0] = cos(angle), axis[1] = sin(angle);
}

static void add_bend(bend *b, double k, double x, double y) {
  b->xx += k * x * x, b->xy += k * x * y, b->yy += k * y * y;
}

// The curvatures of a surface are the inverse of its radii; a straight edge has none along it, a face none at all.
static void add_curvature(const separation_feature *f, const vec3 t[2], vec3 n, bend *sum) {
  const double least = 1e-100;  // a radius
  if (f->edge_count > 1) return;
  if (f->edge_count == 1) {
    vec3 across = unit(vec3_cross(n, f->edges[0]));
    double radius = vec3_dot(across, mat3_mul(f->radii, across)) + f->layer;
    add_bend(sum, 1 / fmax(radius, least), vec3_dot(across, t[0]), vec3_dot(across, t[1]));
    return;
  }
  vec3 R0 = mat3_mul(f->radii, t[0]), R1 = mat3_mul(f->radii, t[1]);
  bend radii = {vec3_dot(t[0], R0) + f->layer, vec3_dot(t[0], R1), vec3_dot(t[1], R1) + f->layer};
  double radius[2], axis[2];
  eigen(radii, radius, axis);
  add_bend(sum, 1 / fmax(radius[1], least), axis[0], axis[1]);
  add_bend(sum, 1 / fmax(radius[0], least), -axis[1], axis[0]);
}

void separation_curvatures(const separation *s, double k[2]) {
  vec3 t[2];
  bend sum = {0};
  double axis[2];
  vec3_tangents(s->normal, t);
  add_curvature(&s->of_a, t, s->normal, &sum);
  add_curvature(&s->of_b, t, s->normal, &sum);
  eigen(sum, k, axis);
}

// --- rates -----------------------------------------------------------------------------------------------------------

enum { UNKNOWNS = 4 };

// With the nearest points sliding along edges at speeds λ, w = a - b stays parallel to n, and n normal to the edges:
//   Tᵀ (∂w/∂t - (R_A + R_B) ṅ + Σ λ e) = f θ̇,   e · ṅ = -n · (ω × e),   ṅ = T θ̇,
// with the tangents T, the radii R and the distance f of the cores.
bool separation_rate_of(const separation *s, shape_motion a, shape_motion b, separation_rate *to) {
  vec3 n = s->normal, t[2];
  vec3_tangents(n, t);
  vec3 core_a = vec3_axpy(s->on_a, s->of_a.layer, n), core_b = vec3_axpy(s->on_b, -s->of_b.layer, n);
  double f = s->distance + s->of_a.layer + s->of_b.layer;
  vec3 rate_a =
      vec3_add(vec3_add(a.v, vec3_cross(a.w, vec3_sub(core_a, a.at))), mat3_mul(s->of_a.radii, vec3_cross(a.w, n)));
  vec3 rate_b =
      vec3_sub(vec3_add(b.v, vec3_cross(b.w, vec3_sub(core_b, b.at))), mat3_mul(s->of_b.radii, vec3_cross(b.w, n)));
  vec3 rate = vec3_sub(rate_a, rate_b), edges[UNKNOWNS], turns[UNKNOWNS];
  int count = 0, of_a = s->of_a.edge_count;
  for (int i = 0; i < s->of_a.edge_count; i++) edges[count] = s->of_a.edges[i], turns[count++] = a.w;
  for (int i = 0; i < s->of_b.edge_count; i++) edges[count] = s->of_b.edges[i], turns[count++] = b.w;
  if (count > 2) return false;
  double A[UNKNOWNS][UNKNOWNS] = {{0}}, x[UNKNOWNS];
  int unknowns = 2 + count, pivot[UNKNOWNS];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      double radii = vec3_dot(t[i], vec3_add(mat3_mul(s->of_a.radii, t[j]), mat3_mul(s->of_b.radii, t[j])));
      A[i][j] = -radii - (i == j ? f : 0);
    }
    for (int k = 0; k < count; k++) A[i][2 + k] = A[2 + k][i] = vec3_dot(t[i], edges[k]);
    x[i] = -vec3_dot(t[i], rate);
  }
  for (int k = 0; k < count; k++) x[2 + k] = -vec3_dot(n, vec3_cross(turns[k], edges[k]));
  if (!(lu_factor(unknowns, A[0], UNKNOWNS, pivot, NULL) > 1e-12)) return false;
  lu_solve(unknowns, A[0], UNKNOWNS, pivot, x);
  vec3 turn = vec3_add(vec3_scale(x[0], t[0]), vec3_scale(x[1], t[1]));
  rate_a = vec3_sub(rate_a, mat3_mul(s->of_a.radii, turn));
  rate_b = vec3_add(rate_b, mat3_mul(s->of_b.radii, turn));
  for (int k = 0; k < count; k++) {
    if (k < of_a) rate_a = vec3_axpy(rate_a, x[2 + k], edges[k]);
    else rate_b = vec3_axpy(rate_b, -x[2 + k], edges[k]);
  }
  *to = (separation_rate){.distance = vec3_dot(n, vec3_sub(rate_a, rate_b)),
                          .normal = turn,
                          .on_a = vec3_axpy(rate_a, -s->of_a.layer, turn),
                          .on_b = vec3_axpy(rate_b, s->of_b.layer, turn)};
  return true;
}
