// From points to features: a chain of pieces is made counter-clockwise, curves are cut at inflections, arcs and curves
// where they turn far, and corners are put between pieces that do not continue each other.
#include "geometry/outline.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static const double SMOOTH = 1e-8;    // pieces that meet with a smaller turn have no corner between them [rad]
static const double STRAIGHT = 1e-9;  // a curve that turns less is a line [rad]
static const double TURN_MOST = M_PI / 3;

typedef struct chain {
  arena *memory;
  outline_feature *items;
  int count, capacity;
  vec2 first, last;  // tangents at its start and its end so far
} chain;

// --- features --------------------------------------------------------------------------------------------------------

bool outline_has_normal(const outline_feature *f, vec2 n, double within) {
  if (f->all_round) return true;
  if (f->kind == OUTLINE_LINE) return vec2_dot(f->n0, n) > 0 && fabs(vec2_cross(f->n0, n)) <= within;
  return vec2_cross(f->n0, n) >= -within && vec2_cross(n, f->n1) >= -within && vec2_dot(vec2_add(f->n0, f->n1), n) > 0;
}

static vec2 cubic_at(const vec2 *c, double s) {
  return vec2_axpy(c[0], s, vec2_axpy(c[1], s, vec2_axpy(c[2], s, c[3])));
}
static vec2 cubic_rate(const vec2 *c, double s) {
  return vec2_axpy(c[1], s, vec2_axpy(vec2_scale(2, c[2]), 3 * s, c[3]));
}
static vec2 cubic_bend(const vec2 *c, double s) { return vec2_axpy(vec2_scale(2, c[2]), 6 * s, c[3]); }

// Roots of a s² + b s + c. Returns how many.
static int quadratic(double a, double b, double c, double s[2]) {
  double d = b * b - 4 * a * c;
  if (d < 0) d = 0;  // a double root, up to rounding
  double q = -0.5 * (b + copysign(sqrt(d), b));
  int count = 0;
  if (a != 0) s[count++] = q / a;
  if (q != 0) s[count++] = c / q;
  return count;
}

// The place of a cubic at which its tangent is normal to n. It turns by less than a half turn in one sense: there is
// one.
static double cubic_place(const vec2 *c, vec2 n) {
  double s[2], best = 0, outside = DBL_MAX;
  int count = quadratic(3 * vec2_dot(c[3], n), 2 * vec2_dot(c[2], n), vec2_dot(c[1], n), s);
  for (int i = 0; i < count; i++) {
    double off = fabs(s[i] - fmin(fmax(s[i], 0), 1)), reversed = vec2_cross(n, cubic_rate(c, s[i])) < 0;
    if (off + reversed < outside) outside = off + reversed, best = s[i];
  }
  return fmin(fmax(best, 0), 1);
}

vec2 outline_point(const outline_feature *f, vec2 n, double *radius) {
  if (f->kind == OUTLINE_ROUND) {
    *radius = f->radius;
    return vec2_axpy(f->centre, f->radius, n);
  }
  double s = cubic_place(f->c, n);
  vec2 rate = cubic_rate(f->c, s);
  double speed = vec2_norm(rate);
  *radius = speed * speed * speed / vec2_cross(rate, cubic_bend(f->c, s));
  return cubic_at(f->c, s);
}

// --- pieces ----------------------------------------------------------------------------------------------------------

static vec2 normal_of(vec2 tangent) { return (vec2){tangent.y, -tangent.x}; }

// Its feature between the normals at its ends.
static void set_normals(outline_feature *f, vec2 from, vec2 to) {
  f->n0 = f->sense < 0 ? to : from;
  f->n1 = f->sense < 0 ? from : to;
  f->sweep = fabs(vec2_angle(from, to));
}

static outline_feature *push(chain *c, outline_feature f) {
  f.id = c->count;
  outline_feature *to = ARENA_PUSH(c->memory, c->items, c->count, c->capacity);
  *to = f;
  return to;
}

// A corner before the next piece, where there is one.
static void join(chain *c, vec2 at, vec2 tangent) {
  double turn = vec2_angle(c->last, tangent);
  if (fabs(turn) <= SMOOTH) return;
  outline_feature *f = push(c, (outline_feature){.kind = OUTLINE_ROUND, .sense = turn > 0 ? 1 : -1, .centre = at});
  set_normals(f, normal_of(c->last), normal_of(tangent));
}

static void begin_piece(chain *c, vec2 at, vec2 tangent) {
  if (c->count) join(c, at, tangent);
  else c->first = tangent;
}

static void add_line(chain *c, vec2 from, vec2 to) {
  vec2 way = vec2_sub(to, from), tangent = vec2_unit(way);
  begin_piece(c, from, tangent);
  vec2 n = normal_of(tangent);
  push(c, (outline_feature){.kind = OUTLINE_LINE, .n0 = n, .n1 = n, .from = from, .high = vec2_norm(way)});
  c->last = tangent;
}

// Whether a curved feature goes on where the last one ends, and bends the same way.
static bool goes_on(const outline_feature *before, const outline_feature *f, double turn) {
  bool curved = before->kind == OUTLINE_CUBIC || before->radius != 0;
  return curved && before->sense == f->sense && fabs(turn) <= SMOOTH;
}

// `radius` is positive counter-clockwise.
static void add_arc(chain *c, vec2 centre, double radius, vec2 from, double turn) {
  int parts = (int)ceil(fabs(turn) / (2 * TURN_MOST) - 1e-9), sense = radius > 0 ? 1 : -1;
  vec2 out = vec2_scale(1 / radius, vec2_sub(from, centre)), tangent = vec2_left(out);
  int before = c->count;
  begin_piece(c, from, tangent);
  bool corner = c->count > before;
  for (int i = 0; i < parts; i++) {
    double part = turn / parts;
    vec2 next = vec2_turn(out, cos(part), sin(part));
    outline_feature *f =
        push(c, (outline_feature){.kind = OUTLINE_ROUND, .sense = sense, .centre = centre, .radius = radius});
    set_normals(f, out, next);
    if (c->count > 1 && (i > 0 || (!corner && goes_on(f - 1, f, 0)))) f->id = (f - 1)->id;
    out = next;
  }
  c->last = vec2_left(out);
}

// The part of a cubic between two places.
static void cut_cubic(const vec2 *c, double low, double high, vec2 to[4]) {
  double h = high - low;
  to[0] = cubic_at(c, low);
  to[1] = vec2_scale(h, cubic_rate(c, low));
  to[2] = vec2_scale(h * h / 2, cubic_bend(c, low));
  to[3] = vec2_scale(h * h * h, c[3]);
}

static void add_monotone(chain *c, const vec2 *k) {
  vec2 from = vec2_unit(cubic_rate(k, 0)), to = vec2_unit(cubic_rate(k, 1));
  double turn = vec2_angle(from, to);
  if (fabs(turn) <= STRAIGHT) {
    add_line(c, cubic_at(k, 0), cubic_at(k, 1));
    return;
  }
  int before = c->count;
  begin_piece(c, cubic_at(k, 0), from);
  outline_feature *f =
      push(c, (outline_feature){.kind = OUTLINE_CUBIC, .sense = turn > 0 ? 1 : -1, .c = {k[0], k[1], k[2], k[3]}});
  set_normals(f, normal_of(from), normal_of(to));
  if (c->count == before + 1 && c->count > 1 && goes_on(f - 1, f, 0)) f->id = (f - 1)->id;
  c->last = to;
}

static double turn_of(const vec2 *c, double low, double high) {
  double turn = 0;
  for (int i = 0; i < 4; i++)
    turn +=
        fabs(vec2_angle(cubic_rate(c, low + (high - low) * i / 4), cubic_rate(c, low + (high - low) * (i + 1) / 4)));
  return turn;
}

static void add_between(chain *c, const vec2 *k, double low, double high) {
  if (turn_of(k, low, high) > TURN_MOST && high - low > 1e-3) {
    add_between(c, k, low, 0.5 * (low + high));
    add_between(c, k, 0.5 * (low + high), high);
    return;
  }
  vec2 part[4];
  cut_cubic(k, low, high, part);
  add_monotone(c, part);
}

// The curvature changes sign where p' × p'' = 0, which is quadratic.
static void add_cubic(chain *c, const vec2 *k) {
  double s[2], from = 0;
  int count = quadratic(6 * vec2_cross(k[2], k[3]), 6 * vec2_cross(k[1], k[3]), 2 * vec2_cross(k[1], k[2]), s);
  if (count == 2 && s[1] < s[0]) {
    double t = s[0];
    s[0] = s[1], s[1] = t;
  }
  for (int i = 0; i < count; i++) {
    if (!(s[i] > from + 1e-6 && s[i] < 1 - 1e-6)) continue;
    add_between(c, k, from, s[i]);
    from = s[i];
  }
  add_between(c, k, from, 1);
}

// --- a whole outline -------------------------------------------------------------------------------------------------

static void widen(outline *o, vec2 p) {
  o->low = (vec2){fmin(o->low.x, p.x), fmin(o->low.y, p.y)};
  o->high = (vec2){fmax(o->high.x, p.x), fmax(o->high.y, p.y)};
}

static vec2 end_of(const outline_feature *f, bool last) {
  double radius;
  if (f->kind == OUTLINE_LINE) return outline_line_point(f, last ? f->high : f->low);
  return outline_point(f, (f->sense > 0) == last ? f->n1 : f->n0, &radius);
}

static void bound(outline *o) {
  static const vec2 axes[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  o->low = (vec2){DBL_MAX, DBL_MAX}, o->high = (vec2){-DBL_MAX, -DBL_MAX};
  for (int i = 0; i < o->count; i++) {
    const outline_feature *f = &o->features[i];
    if (!f->all_round) widen(o, end_of(f, false)), widen(o, end_of(f, true));
    double radius;
    for (int k = 0; k < 4 && f->sense > 0; k++)
      if (outline_has_normal(f, axes[k], 0)) widen(o, outline_point(f, axes[k], &radius));
  }
  o->size = vec2_norm(vec2_sub(o->high, o->low));
}

// Numbers ids without holes, those of lines after the others, and lets the last feature continue in the first where it
// does. Returns how many ids are not those of lines.
static int number(chain *c, bool joined) {
  outline_feature *last = &c->items[c->count - 1];
  if (joined && c->count > 1 && goes_on(last, &c->items[0], 0))
    for (int i = c->count - 1, id = last->id; i > 0 && c->items[i].id == id; i--) c->items[i].id = c->items[0].id;
  int *named = ARENA_ARRAY(c->memory, int, c->count), next = 0, curved = 0;
  for (int lines = 0; lines < 2; lines++) {
    for (int i = 0; i < c->count; i++) {
      if ((c->items[i].kind == OUTLINE_LINE) != lines) continue;
      int old = c->items[i].id;
      if (!named[old]) named[old] = ++next;
    }
    if (!lines) curved = next;
  }
  for (int i = 0; i < c->count; i++) c->items[i].id = named[c->items[i].id] - 1;
  return curved;
}

// How far a ray goes to a line or an arc, infinite if it misses it.
static double way_to(const outline_feature *f, vec2 from, vec2 way) {
  if (f->kind == OUTLINE_LINE) {
    double across = vec2_dot(f->n0, way), length = vec2_dot(f->n0, vec2_sub(f->from, from)) / across;
    double along = vec2_dot(outline_along(f), vec2_sub(vec2_axpy(from, length, way), f->from));
    return length > 0 && along >= f->low && along <= f->high ? length : INFINITY;
  }
  if (f->radius == 0) return INFINITY;
  vec2 off = vec2_sub(from, f->centre);
  double b = vec2_dot(off, way), d = b * b - vec2_dot(off, off) + f->radius * f->radius, least = INFINITY;
  for (int k = -1; k <= 1 && d > 0; k += 2) {
    double length = -b + k * sqrt(d);
    vec2 n = vec2_scale(1 / f->radius, vec2_axpy(off, length, way));
    if (length > 0 && length < least && outline_has_normal(f, n, 1e-9)) least = length;
  }
  return least;
}

// Rays from the middle and the quarters of a line or an arc into the material; from a hollow corner one.
static double thickness_at(const outline *o, int i) {
  const outline_feature *f = &o->features[i];
  double least = INFINITY;
  for (int k = 1; k <= 3; k++) {
    vec2 n = f->n0, from = outline_line_point(f, f->low + 0.25 * k * (f->high - f->low));
    if (f->kind == OUTLINE_ROUND)
      n = vec2_turn(f->n0, cos(0.25 * k * f->sweep), sin(0.25 * k * f->sweep)),
      from = vec2_axpy(f->centre, f->radius, n);
    for (int j = 0; j < o->count; j++) {
      bool touches = f->radius == 0 && f->kind == OUTLINE_ROUND && (j == (i + 1) % o->count || i == (j + 1) % o->count);
      if (j != i && !touches) least = fmin(least, way_to(&o->features[j], from, vec2_neg(n)));
    }
  }
  return least;
}

// Only of outlines whose depth is asked for (geometry/depth.h).
static void measure(const outline *o, outline_feature *features) {
  bool simple = o->flat;
  for (int i = 0; i < o->count; i++)
    features[i].half_thickness = INFINITY, simple = simple && features[i].kind != OUTLINE_CUBIC;
  for (int i = 0; simple && i < o->count; i++) features[i].half_thickness = 0.5 * thickness_at(o, i);
}

static void finish(chain *c, vec2 at, outline *to) {
  int before = c->count;
  join(c, at, c->first);
  *to = (outline){.features = c->items, .count = c->count, .convex = true, .polygon = true};
  to->curved_count = number(c, c->count == before);
  for (int i = 0; i < c->count; i++) {
    const outline_feature *f = &c->items[i];
    bool line = f->kind == OUTLINE_LINE, corner = f->kind == OUTLINE_ROUND && f->radius == 0;
    to->convex = to->convex && f->sense >= 0;
    to->flat = to->flat || line;
    to->polygon = to->polygon && (line || corner);
    to->corner_count += corner && f->sense > 0;
  }
  bound(to);
  measure(to, c->items);
}

// --- drawing and checks ----------------------------------------------------------------------------------------------

int outline_sample(const outline *o, double within, arena *memory, vec2 **points) {
  int count = 0, capacity = 0;
  *points = NULL;
  for (int i = 0; i < o->count; i++) {
    const outline_feature *f = &o->features[i];
    if (f->kind == OUTLINE_LINE || (f->kind == OUTLINE_ROUND && f->radius == 0)) {
      if (f->kind == OUTLINE_LINE) *ARENA_PUSH(memory, *points, count, capacity) = f->from;
      continue;
    }
    double sweep = f->all_round ? 2 * M_PI : f->sweep;
    double length =
        f->kind == OUTLINE_ROUND ? fabs(f->radius) * sweep : vec2_norm(vec2_sub(cubic_at(f->c, 1), f->c[0]));
    int parts = (int)fmin(fmax(ceil(sqrt(length * sweep / (8 * within))), 1), 200);
    vec2 start = f->all_round ? (vec2){1, 0} : f->sense > 0 ? f->n0 : f->n1;
    for (int k = 0; k < parts; k++) {
      double turn = f->sense * sweep * k / parts;
      vec2 p = f->kind == OUTLINE_CUBIC ? cubic_at(f->c, (double)k / parts)
                                        : vec2_axpy(f->centre, f->radius, vec2_turn(start, cos(turn), sin(turn)));
      *ARENA_PUSH(memory, *points, count, capacity) = p;
    }
  }
  return count;
}

static double side(vec2 a, vec2 b, vec2 p) { return vec2_cross(vec2_sub(b, a), vec2_sub(p, a)); }

static bool crosses(vec2 a, vec2 b, vec2 c, vec2 d) {
  if (fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x) || fmax(a.y, b.y) < fmin(c.y, d.y) ||
      fmax(c.y, d.y) < fmin(a.y, b.y))
    return false;
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0;
}

static double area_of(const vec2 *p, int count) {
  double area = 0;
  for (int i = 0; i < count; i++) area += 0.5 * vec2_cross(vec2_sub(p[i], p[0]), vec2_sub(p[(i + 1) % count], p[0]));
  return area;
}

static outline_status check_chain(const outline *o, arena *memory) {
  vec2 *p;
  int count = outline_sample(o, 1e-4 * o->size, memory, &p);
  if (!(area_of(p, count) > 1e-12 * o->size * o->size)) return OUTLINE_FEW;
  for (int i = 0; i < count; i++)
    for (int j = i + 2; j < count; j++)
      if ((j + 1) % count != i && crosses(p[i], p[i + 1], p[j], p[(j + 1) % count])) return OUTLINE_TANGLED;
  return OUTLINE_OK;
}

// The points with their radii, counter-clockwise.
typedef struct corners {
  vec2 *p;
  double *r;
  int count;
} corners;

static outline_status order(const vec2 *points, const double *radii, int count, arena *memory, corners *to, int *at) {
  if (count < (radii ? 2 : 3)) return OUTLINE_FEW;
  if (count > OUTLINE_POINTS_MAX) return OUTLINE_MANY;
  double extent = 0;
  for (int i = 0; i < count; i++) extent = fmax(extent, vec2_norm(vec2_sub(points[i], points[0])));
  for (int i = 0; i < count; i++) {
    double way = vec2_norm(vec2_sub(points[(i + 1) % count], points[i]));
    if (at) *at = i;
    if (!(way > 1e-9 * extent)) return OUTLINE_REPEATED;
    if (radii && radii[i] != 0 && !(fabs(radii[i]) >= way / 2 * (1 - 1e-9))) return OUTLINE_ARC;
  }
  *to = (corners){ARENA_ARRAY(memory, vec2, count), ARENA_ARRAY(memory, double, count), count};
  bool reverse = area_of(points, count) < 0;
  for (int i = 0; i < count; i++) {
    to->p[i] = points[reverse ? count - 1 - i : i];
    to->r[i] = radii ? radii[reverse ? (2 * count - 2 - i) % count : i] : 0;
  }
  return OUTLINE_OK;
}

// A corner between two lines that go straight on is none: it would be a place of contact in the middle of a face.
#define STRAIGHT 1e-10  // [rad]

static bool is_straight(const corners *k, int i) {
  int before = (i + k->count - 1) % k->count;
  if (k->r[before] != 0 || k->r[i] != 0) return false;
  vec2 from = vec2_sub(k->p[i], k->p[before]), to = vec2_sub(k->p[(i + 1) % k->count], k->p[i]);
  return vec2_dot(from, to) > 0 && fabs(vec2_cross(from, to)) <= STRAIGHT * vec2_norm(from) * vec2_norm(to);
}

static void leave_out_straight(corners *k) {
  for (int i = 0; i < k->count && k->count > 3;) {
    if (!is_straight(k, i)) {
      i++;
      continue;
    }
    k->count--;
    for (int j = i; j < k->count; j++) k->p[j] = k->p[j + 1], k->r[j] = k->r[j + 1];
  }
}

static void add_segment(chain *c, vec2 from, vec2 to, double radius) {
  if (radius == 0) {
    add_line(c, from, to);
    return;
  }
  vec2 half = vec2_scale(0.5, vec2_sub(to, from));
  double h = vec2_norm(half), r = fmax(fabs(radius), h), off = sqrt((r - h) * (r + h)), sign = radius > 0 ? 1 : -1;
  vec2 centre = vec2_axpy(vec2_add(from, half), sign * off / h, vec2_left(half));
  add_arc(c, centre, sign * r, from, sign * 2 * atan2(h, off));
}

outline_status outline_arcs(const vec2 *points, const double *radii, int count, arena *memory, outline *to, int *at) {
  corners k;
  outline_status status = order(points, radii, count, memory, &k, at);
  if (status != OUTLINE_OK) return status;
  leave_out_straight(&k);
  chain c = {.memory = memory};
  for (int i = 0; i < k.count; i++) add_segment(&c, k.p[i], k.p[(i + 1) % k.count], k.r[i]);
  finish(&c, k.p[0], to);
  return check_chain(to, memory);
}

outline_status outline_polygon(const vec2 *points, int count, arena *memory, outline *to, int *at) {
  if (count < 3) return OUTLINE_FEW;
  return outline_arcs(points, ARENA_ARRAY(memory, double, count), count, memory, to, at);
}

static int by_place(const void *a, const void *b) {
  const vec2 *p = a, *q = b;
  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

// Along the points in the order of x, a chain below them and one above them that turn left at each corner (Andrew).
int outline_hull_corners(const vec2 *points, int count, arena *memory, vec2 **corners) {
  vec2 *sorted = ARENA_ARRAY(memory, vec2, count), *hull = ARENA_ARRAY(memory, vec2, 2 * count + 1);
  for (int i = 0; i < count; i++) sorted[i] = points[i];
  qsort(sorted, (size_t)count, sizeof *sorted, by_place);
  int kept = 0;
  for (int i = 0, start = 0; i < 2 * count - 1; i++) {
    if (i == count) start = kept - 1;
    vec2 p = sorted[i < count ? i : 2 * count - 2 - i];
    while (kept >= start + 2 && side(hull[kept - 2], hull[kept - 1], p) <= 0) kept--;
    hull[kept++] = p;
  }
  *corners = hull;
  return kept - 1;
}

outline_status outline_hull(const vec2 *points, int count, arena *memory, outline *to) {
  vec2 *corners;
  int kept = outline_hull_corners(points, count, memory, &corners);
  return outline_polygon(corners, kept, memory, to, NULL);
}

// Solves h[i-1] x[i-1] + 2 (h[i-1] + h[i]) x[i] + h[i] x[i+1] = b[i], all indices around. The two entries in the
// corners of the matrix are a correction of rank one (Sherman and Morrison).
static void solve_around(int n, const double *h, vec2 *b, arena *memory) {
  double *d = ARENA_ARRAY(memory, double, n), *u = ARENA_ARRAY(memory, double, n), corner = h[n - 1],
         gamma = -2 * (h[n - 1] + h[0]);
  for (int i = 0; i < n; i++) d[i] = 2 * (h[(i + n - 1) % n] + h[i]);
  d[0] -= gamma, d[n - 1] -= corner * corner / gamma;
  u[0] = gamma, u[n - 1] = corner;
  for (int i = 1; i < n; i++) {
    double m = h[i - 1] / d[i - 1];
    d[i] -= m * h[i - 1];
    b[i] = vec2_axpy(b[i], -m, b[i - 1]);
    u[i] -= m * u[i - 1];
  }
  for (int i = n - 1; i >= 0; i--) {
    if (i < n - 1) b[i] = vec2_axpy(b[i], -h[i], b[i + 1]), u[i] -= h[i] * u[i + 1];
    b[i] = vec2_scale(1 / d[i], b[i]), u[i] /= d[i];
  }
  double below = 1 + u[0] + corner / gamma * u[n - 1];
  vec2 factor = vec2_scale(1 / below, vec2_axpy(b[0], corner / gamma, b[n - 1]));
  for (int i = 0; i < n; i++) b[i] = vec2_axpy(b[i], -u[i], factor);
}

outline_status outline_spline(const vec2 *points, int count, arena *memory, outline *to, int *at) {
  corners k;
  outline_status status = count < 3 ? OUTLINE_FEW : order(points, NULL, count, memory, &k, at);
  if (status != OUTLINE_OK) return status;
  double *h = ARENA_ARRAY(memory, double, count);
  vec2 *bend = ARENA_ARRAY(memory, vec2, count);  // second derivatives by the length of chords
  for (int i = 0; i < count; i++) h[i] = vec2_norm(vec2_sub(k.p[(i + 1) % count], k.p[i]));
  for (int i = 0; i < count; i++) {
    int before = (i + count - 1) % count;
    vec2 slope = vec2_scale(1 / h[i], vec2_sub(k.p[(i + 1) % count], k.p[i]));
    vec2 slope_before = vec2_scale(1 / h[before], vec2_sub(k.p[i], k.p[before]));
    bend[i] = vec2_scale(6, vec2_sub(slope, slope_before));
  }
  solve_around(count, h, bend, memory);
  chain c = {.memory = memory};
  for (int i = 0; i < count; i++) {
    vec2 p = k.p[i], q = k.p[(i + 1) % count], m0 = vec2_scale(h[i] * h[i], bend[i]),
         m1 = vec2_scale(h[i] * h[i], bend[(i + 1) % count]);
    vec2 piece[4] = {p, vec2_axpy(vec2_sub(q, p), -1.0 / 6, vec2_axpy(m1, 2, m0)), vec2_scale(0.5, m0),
                     vec2_scale(1.0 / 6, vec2_sub(m1, m0))};
    add_cubic(&c, piece);
  }
  finish(&c, k.p[0], to);
  return check_chain(to, memory);
}

void outline_circle(double radius, arena *memory, outline *to) {
  chain c = {.memory = memory};
  push(&c, (outline_feature){.kind = OUTLINE_ROUND, .sense = 1, .all_round = true, .radius = radius});
  *to = (outline){.features = c.items, .count = 1, .curved_count = 1, .convex = true};
  bound(to);
}

void outline_capsule(double radius, double length, arena *memory, outline *to) {
  double x = length / 2;
  if (!(x > 0)) {
    outline_circle(radius, memory, to);
    return;
  }
  chain c = {.memory = memory};
  vec2 p[4] = {{-x, -radius}, {x, -radius}, {x, radius}, {-x, radius}};
  add_line(&c, p[0], p[1]);
  add_arc(&c, (vec2){x, 0}, radius, p[1], M_PI);
  add_line(&c, p[2], p[3]);
  add_arc(&c, (vec2){-x, 0}, radius, p[3], M_PI);
  finish(&c, p[0], to);
}

void outline_half_plane(arena *memory, outline *to) {
  chain c = {.memory = memory};
  push(&c, (outline_feature){.kind = OUTLINE_LINE, .n0 = {0, 1}, .n1 = {0, 1}, .low = -INFINITY, .high = INFINITY});
  *to = (outline){.features = c.items,
                  .count = 1,
                  .convex = true,
                  .flat = true,
                  .low = {-INFINITY, -INFINITY},
                  .high = {INFINITY, 0}};
}

// --- the nearest place -----------------------------------------------------------------------------------------------

// Of pieces that continue each other smoothly both count a little beyond their ends, so that none is missed between
// them.
#define BEYOND 1e-9

static void take_foot(outline_foot *best, const outline_feature *on, double gap, vec2 at, vec2 normal) {
  if (fabs(gap) < fabs(best->gap)) *best = (outline_foot){gap, at, normal, on};
}

static void look_at_line(const outline *o, const outline_feature *f, vec2 p, outline_foot *best) {
  vec2 way = vec2_sub(p, f->from);
  double s = vec2_dot(outline_along(f), way), more = BEYOND * o->size;
  if (s >= f->low - more && s <= f->high + more)
    take_foot(best, f, vec2_dot(f->n0, way), outline_line_point(f, s), f->n0);
}

// The normal points away from the centre, or towards it where the arc is hollow. A corner has no radius.
static void look_at_arc(const outline_feature *f, vec2 p, outline_foot *best) {
  vec2 way = vec2_sub(p, f->centre);
  double distance = vec2_norm(way), radius = fabs(f->radius);
  vec2 normal = distance > 0 ? vec2_scale(f->sense / distance, way) : vec2_unit(vec2_add(f->n0, f->n1));
  if (outline_has_normal(f, normal, BEYOND))
    take_foot(best, f, f->sense * (distance - radius), vec2_axpy(f->centre, f->sense * radius, normal), normal);
}

// The rate of half the square of the distance along a cubic.
static double receding(const outline_feature *f, vec2 p, double s) {
  return vec2_dot(vec2_sub(cubic_at(f->c, s), p), cubic_rate(f->c, s));
}

static double foot_between(const outline_feature *f, vec2 p, double low, double high) {
  for (int i = 0; i < 60 && high - low > 1e-16; i++) {
    double middle = 0.5 * (low + high);
    if (receding(f, p, middle) > 0) high = middle;
    else low = middle;
  }
  return 0.5 * (low + high);
}

static void take_place(const outline_feature *f, vec2 p, double s, outline_foot *best) {
  vec2 at = cubic_at(f->c, s), normal = vec2_unit(normal_of(cubic_rate(f->c, s))), way = vec2_sub(p, at);
  double off = vec2_dot(normal, way);
  bool at_end = s <= 0 || s >= 1;
  take_foot(best, f, at_end ? copysign(vec2_norm(way), off) : off, at, normal);
}

// Each local minimum of the distance, and the ends.
static void look_at_cubic(const outline_feature *f, vec2 p, outline_foot *best) {
  enum { PARTS = 8 };
  double before = receding(f, p, 0);
  take_place(f, p, 0, best), take_place(f, p, 1, best);
  for (int i = 1; i <= PARTS; i++) {
    double s = (double)i / PARTS, rate = receding(f, p, s);
    if (before <= 0 && rate > 0) take_place(f, p, foot_between(f, p, s - 1.0 / PARTS, s), best);
    before = rate;
  }
}

outline_foot outline_nearest(const outline *o, vec2 p) {
  outline_foot best = {.gap = INFINITY};
  for (int i = 0; i < o->count; i++) {
    const outline_feature *f = &o->features[i];
    if (f->kind == OUTLINE_LINE) look_at_line(o, f, p, &best);
    else if (f->kind == OUTLINE_ROUND) look_at_arc(f, p, &best);
    else look_at_cubic(f, p, &best);
  }
  return best;
}
