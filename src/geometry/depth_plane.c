// The field of depth below an outline, and the lines and arcs of another outline that press into it.
#include <math.h>
#include <stddef.h>

#include "geometry/depth.h"

// --- cells -----------------------------------------------------------------------------------------------------------

static bool is_corner(const outline_feature *f) { return f->kind == OUTLINE_ROUND && f->radius == 0 && !f->all_round; }

// At its start or its end, counter-clockwise around the material.
static vec2 normal_at(const outline_feature *f, bool last) { return (f->sense >= 0) == last ? f->n1 : f->n0; }

static vec2 end_at(const outline_feature *f, bool last) {
  if (f->kind == OUTLINE_LINE) return outline_line_point(f, last ? f->high : f->low);
  return vec2_axpy(f->centre, f->radius, normal_at(f, last));
}

static void put_wall(depth_cell *c, bool last, vec2 along, vec2 at) {
  vec2 wall = vec2_scale((last ? 1 : -1) / vec2_norm(along), vec2_left(along));
  c->walls[c->wall_count] = vec2_in_space(wall), c->wall_offsets[c->wall_count++] = vec2_dot(wall, at);
}

// The wall at one end. Where the outline is smooth or hollow it goes along the normal; at a corner that bulges it
// halves the angle.
static void add_wall(const outline *o, int i, bool last, depth_cell *c) {
  const outline_feature *f = &o->features[i], *next = outline_beside(o, i, last ? 1 : -1);
  vec2 n = normal_at(f, last), along = n, at = end_at(f, last);
  if (is_corner(next) && next->sense > 0) along = vec2_add(n, normal_at(outline_beside(o, i, last ? 2 : -2), !last));
  put_wall(c, last, vec2_norm(along) > 1e-6 ? along : n, at);
}

// What is behind an arc lies between its normals. Walls that halve angles meet the circle elsewhere, too, and do not
// say so.
static void add_sector(const outline_feature *f, depth_cell *c) {
  for (int last = 0; last < 2; last++) put_wall(c, last, normal_at(f, last), end_at(f, last));
}

// Where the two walls meet. Of a flat part scaled so that -n·D is 1 - w s, of an arc so that D is about 1 and points
// into the material.
static bool set_apex(depth_cell *c, vec2 middle) {
  vec3 m = c->walls[0], l = c->walls[1];
  double o = c->wall_offsets[0], q = c->wall_offsets[1], w = m.x * l.y - m.y * l.x;
  vec3 p = {o * l.y - q * m.y, m.x * q - l.x * o, 0};
  double scale = c->offset * w - vec3_dot(c->n, p);
  if (c->sense) {
    vec3 D = vec3_axpy(p, -w, vec2_in_space(middle));
    scale = copysign(vec3_norm(D), -vec3_dot(D, c->n));
  }
  if (scale == 0 || !isfinite(1 / scale)) return false;
  c->apex = vec3_scale(1 / scale, p), c->w = w / scale;
  return true;
}

// A hollow corner: the depth is the distance from it, and rays begin in it.
static void set_corner(const outline_feature *f, depth_cell *c) {
  vec2 sides[2] = {vec2_left(f->n1),
                   vec2_neg(vec2_left(f->n0))};  // n1 is the normal before the corner, and n0 the one behind it
  for (int k = 0; k < 2; k++)
    c->walls[k] = vec2_in_space(vec2_neg(sides[k])), c->wall_offsets[k] = -vec2_dot(sides[k], f->centre);
  c->wall_count = 2;
  c->apex = vec3_neg(c->centre), c->w = -1;
}

bool depth_of_feature(const outline *o, int i, depth_cell *to) {
  const outline_feature *f = &o->features[i];
  *to = (depth_cell){.planar = true, .most = f->half_thickness};
  if (f->kind == OUTLINE_CUBIC || (is_corner(f) && f->sense > 0)) return false;
  vec2 middle = f->kind == OUTLINE_LINE ? f->n0 : vec2_unit(vec2_add(f->n0, f->n1));
  to->n = vec2_in_space(middle);
  if (f->kind == OUTLINE_LINE) {
    if (isinf(f->high)) return *to = depth_of_plane(to->n, vec2_dot(f->n0, f->from), true), true;
    to->offset = vec2_dot(f->n0, f->from);
    add_wall(o, i, false, to), add_wall(o, i, true, to);
    return set_apex(to, f->from);
  }
  to->sense = f->sense, to->centre = vec2_in_space(f->centre), to->radius = fabs(f->radius);
  if (f->all_round) {
    to->apex = vec3_scale(1 / to->radius, to->centre), to->w = 1 / to->radius;
    return to->radius > 0;
  }
  if (f->radius == 0) return set_corner(f, to), true;
  add_wall(o, i, false, to), add_wall(o, i, true, to);
  bool has_apex = set_apex(to, vec2_axpy(f->centre, f->radius, middle));
  add_sector(f, to);
  return has_apex;
}

// --- lines and arcs that press ---------------------------------------------------------------------------------------

enum { CUTS = 32 };

// From `from` on, a length or an angle further; in the axes of the field.
typedef struct curve {
  bool round;
  vec2 from, along;  // of a line: its start, and its length along it
  vec2 centre;
  double radius, start,
      sweep;          // of an arc: the angle at its start, and how far it turns, counter-clockwise around its material
  double side;        // 1: the normal points away from the centre
  double cuts[CUTS];  // parts of it, between 0 and 1
  int count;
} curve;

static curve curve_of(const outline_feature *f, pose2 at) {
  curve k = {.round = f->kind != OUTLINE_LINE};
  if (!k.round) {
    k.from = pose2_point(at, outline_line_point(f, f->low)),
    k.along = vec2_sub(pose2_point(at, outline_line_point(f, f->high)), k.from);
    return k;
  }
  vec2 n = f->all_round ? (vec2){1, 0} : normal_at(f, false), out = pose2_turn(at, vec2_scale(f->sense, n));
  k.centre = pose2_point(at, f->centre), k.radius = fabs(f->radius), k.side = f->sense;
  k.start = atan2(out.y, out.x), k.sweep = f->sense * (f->all_round ? 2 * M_PI : f->sweep);
  return k;
}

static vec2 point_of(const curve *k, double u) {
  if (!k->round) return vec2_axpy(k->from, u, k->along);
  double angle = k->start + u * k->sweep;
  return vec2_axpy(k->centre, k->radius, (vec2){cos(angle), sin(angle)});
}

// Outward normal times length per u.
static vec2 surface_of(const curve *k, double u) {
  if (!k->round) return (vec2){k->along.y, -k->along.x};
  double angle = k->start + u * k->sweep;
  return vec2_scale(k->side * k->radius * fabs(k->sweep), (vec2){cos(angle), sin(angle)});
}

static void add_cut(curve *k, double u) {
  if (!(u > 0 && u < 1) || k->count == CUTS) return;
  int i = k->count++;
  for (; i > 0 && k->cuts[i - 1] > u; i--) k->cuts[i] = k->cuts[i - 1];
  k->cuts[i] = u;
}

static void add_angle(curve *k, double angle) {
  double turn = remainder(angle - k->start, 2 * M_PI);
  for (int i = -1; i <= 1; i++) add_cut(k, (turn + 2 * M_PI * i) / k->sweep);
}

// Where m · x = offset.
static void cut_by_line(curve *k, vec3 m, double offset) {
  vec2 n = vec2_of(m);
  if (!k->round) {
    add_cut(k, (offset - vec2_dot(n, k->from)) / vec2_dot(n, k->along));
    return;
  }
  double cosine = (offset - vec2_dot(n, k->centre)) / k->radius, at = atan2(n.y, n.x);
  if (fabs(cosine) < 1) add_angle(k, at + acos(cosine)), add_angle(k, at - acos(cosine));
}

// Where |x - centre| = radius, and where it is least or most.
static void cut_by_circle(curve *k, vec2 centre, double radius) {
  vec2 from = vec2_sub(k->round ? k->centre : k->from, centre);
  double square = vec2_dot(from, from) - radius * radius;
  if (!k->round) {
    double a = vec2_dot(k->along, k->along), b = vec2_dot(k->along, from), d = b * b - a * square;
    if (d > 0) add_cut(k, (-b - sqrt(d)) / a), add_cut(k, (-b + sqrt(d)) / a);
    return;
  }
  double distance = vec2_norm(from), cosine = -(square + k->radius * k->radius) / (2 * k->radius * distance),
         at = atan2(from.y, from.x);
  if (fabs(cosine) < 1) add_angle(k, at + acos(cosine)), add_angle(k, at - acos(cosine));
}

// Where the depth may be largest within it.
static void cut_at_deepest(curve *k, const depth_cell *c) {
  if (!k->round && c->sense) {
    vec2 from = vec2_sub(vec2_of(c->centre), k->from);
    add_cut(k, vec2_dot(from, k->along) / vec2_dot(k->along, k->along));
  }
  if (!k->round) return;
  vec2 way = c->sense ? vec2_sub(vec2_of(c->centre), k->centre) : vec2_of(c->n);
  double at = atan2(way.y, way.x);
  add_angle(k, at), add_angle(k, at + M_PI);
}

static void find_cuts(curve *k, const depth_cell *c) {
  for (int i = 0; i < c->wall_count; i++) cut_by_line(k, c->walls[i], c->wall_offsets[i]);
  if (c->sense) cut_by_circle(k, vec2_of(c->centre), c->radius);
  else cut_by_line(k, c->n, c->offset);
  if (c->sense && isfinite(c->most) && c->radius - c->sense * c->most > 0)
    cut_by_circle(k, vec2_of(c->centre), c->radius - c->sense * c->most);
  if (!c->sense && isfinite(c->most)) cut_by_line(k, c->n, c->offset - c->most);
  cut_at_deepest(k, c);
}

static bool holds(const depth_cell *c, vec2 p) {
  vec3 x = vec2_in_space(p);
  double depth = depth_at(c, x);
  if (!(depth > 0 && depth <= c->most)) return false;
  for (int i = 0; i < c->wall_count; i++)
    if (vec3_dot(c->walls[i], x) > c->wall_offsets[i]) return false;
  return true;
}

// The rate of the depth where the curve ends or goes through a wall: it slides along both.
static vec3 rate_at(const depth_cell *c, const curve *k, double u, vec3 x) {
  vec3 n = depth_normal(c, x), slow = vec3_neg(n);
  vec2 out = surface_of(k, u);
  vec3 along = vec2_in_space(vec2_left(out));
  if (u <= 0 || u >= 1) return slow;
  for (int i = 0; i < c->wall_count; i++) {
    double across = vec3_dot(c->walls[i], along), size = vec3_norm(along);
    if (fabs(vec3_dot(c->walls[i], x) - c->wall_offsets[i]) > 1e-12 * (size + fabs(c->wall_offsets[i])) ||
        fabs(across) <= 1e-9 * size)
      continue;
    return vec3_axpy(slow, vec3_dot(n, along) / across, c->walls[i]);
  }
  return slow;
}

static void see(const depth_cell *c, const curve *k, double u, depth_sum *sum) {
  vec3 x = vec2_in_space(point_of(k, u));
  double depth = depth_at(c, x);
  if (depth > sum->deepest) sum->deepest = depth, sum->at = x, sum->rate = rate_at(c, k, u, x);
}

// Gauss and Legendre's nodes, on parts of an arc of at most half a radian.
static void visit_part(const depth_cell *c, const curve *k, double low, double high, depth_visit *visit,
                       void *context) {
  static const double place[] = {0.0469100770306680, 0.2307653449471585, 0.5, 0.7692346550528415, 0.9530899229693320};
  static const double weight[] = {0.1184634425280945, 0.2393143352496832, 0.2844444444444444, 0.2393143352496832,
                                  0.1184634425280945};
  int parts = k->round ? (int)ceil(2 * fabs(k->sweep) * (high - low)) : 1;
  for (int j = 0; j < parts; j++)
    for (int i = 0; i < 5; i++) {
      double u = low + (high - low) * (j + place[i]) / parts;
      vec3 x = vec2_in_space(point_of(k, u));
      depth_node node = {x, vec3_scale(weight[i] * (high - low) / parts, vec2_in_space(surface_of(k, u))),
                         depth_at(c, x), depth_normal(c, x)};
      if (node.depth > 0) visit(context, c, &node);
    }
}

void depth_press_feature(const depth_cell *c, const outline_feature *f, pose2 at, depth_sum *sum, depth_visit *visit,
                         void *context) {
  if (f->kind == OUTLINE_CUBIC || is_corner(f)) return;
  curve k = curve_of(f, at);
  find_cuts(&k, c);
  for (int i = 0; i <= k.count; i++) {
    double low = i ? k.cuts[i - 1] : 0, high = i < k.count ? k.cuts[i] : 1;
    if (!holds(c, point_of(&k, 0.5 * (low + high)))) continue;
    if (sum) see(c, &k, low, sum), see(c, &k, high, sum);
    if (visit) visit_part(c, &k, low, high, visit, context);
  }
}
