#include "geometry/depth.h"

#include <math.h>
#include <stddef.h>

#include "geometry/piece.h"

// --- the field -------------------------------------------------------------------------------------------------------

double depth_at(const depth_cell *c, vec3 x) {
  return c->sense ? c->sense * (c->radius - vec3_norm(vec3_sub(x, c->centre))) : c->offset - vec3_dot(c->n, x);
}

vec3 depth_normal(const depth_cell *c, vec3 x) {
  if (!c->sense) return c->n;
  vec3 out = vec3_sub(x, c->centre);
  double distance = vec3_norm(out);
  return distance > 0 ? vec3_scale(c->sense / distance, out) : c->n;
}

depth_cell depth_seen_at(const depth_cell *c, pose at) {
  depth_cell to = *c;
  to.n = mat3_mul(at.R, c->n), to.offset = c->offset + vec3_dot(to.n, at.p);
  to.centre = pose_point(at, c->centre);
  for (int k = 0; k < c->wall_count; k++) {
    to.walls[k] = mat3_mul(at.R, c->walls[k]);
    to.wall_offsets[k] = c->wall_offsets[k] + vec3_dot(to.walls[k], at.p);
  }
  to.apex = vec3_axpy(mat3_mul(at.R, c->apex), c->w, at.p);
  return to;
}

// Where the ray from x along -D leaves the field: of a circle, |x - τ D - centre| = radius.
static double way_out(const depth_cell *c, vec3 x, double depth, vec3 D) {
  if (!c->sense) return depth / (1 - c->w * depth);
  vec3 from = vec3_sub(x, c->centre);
  double a = vec3_dot(D, D), b = vec3_dot(D, from), e = vec3_dot(from, from) - c->radius * c->radius;
  double root = sqrt(fmax(0, b * b - a * e));
  return c->sense < 0 ? e / (b + root) : b > 0 ? (b + root) / a : -e / (root - b);
}

// Gauss and Legendre; two nodes are exact below a flat part.
static vec3 flux(const depth_cell *c, vec3 x, double depth) {
  static const double place[] = {0.2113248654051871, 0.7886751345948129, 0.0694318442029737,
                                 0.3300094782075719, 0.6699905217924281, 0.9305681557970263};
  static const double weight[] = {
      0.5, 0.5, 0.1739274225687269, 0.3260725774312731, 0.3260725774312731, 0.1739274225687269};
  vec3 D = vec3_axpy(c->apex, -c->w, x);
  double out = way_out(c, x, depth, D), sum = 0;
  for (int i = c->sense ? 2 : 0; i < (c->sense ? 6 : 2); i++) {
    double way = place[i] * out, wide = 1 + c->w * way;
    sum += weight[i] * depth_at(c, vec3_axpy(x, -way, D)) * (c->planar ? wide : wide * wide);
  }
  return vec3_scale(sum * out, D);
}

void depth_add(depth_sum *s, const depth_cell *c, const depth_node *node) {
  vec3 force = vec3_scale(-node->depth, node->surface);
  if (!c->wall_count && !c->sense)
    force = vec3_scale(vec3_dot(force, c->n), c->n);  // on a plane: so that what presses need not be closed
  s->force = vec3_add(s->force, force);
  s->moment = vec3_add(s->moment, vec3_cross(node->at, force));
  s->energy += vec3_dot(flux(c, node->at, node->depth), node->surface);
}

// --- cells below triangles -------------------------------------------------------------------------------------------

depth_cell depth_of_plane(vec3 n, double offset, bool planar) {
  return (depth_cell){.planar = planar, .n = n, .offset = offset, .most = INFINITY, .apex = vec3_neg(n)};
}

static void add_wall(depth_cell *c, vec3 out, vec3 at) {
  vec3 wall = vec3_scale(1 / vec3_norm(out), out);
  c->walls[c->wall_count] = wall, c->wall_offsets[c->wall_count++] = vec3_dot(wall, at);
}

// Where three walls meet, as a direction where they are parallel to one. Scaled so that -n·D is 1 - w s.
static bool set_apex(depth_cell *c) {
  const vec3 *m = c->walls;
  const double *o = c->wall_offsets;
  vec3 p = vec3_scale(o[0], vec3_cross(m[1], m[2]));
  p = vec3_axpy(vec3_axpy(p, o[1], vec3_cross(m[2], m[0])), o[2], vec3_cross(m[0], m[1]));
  double w = vec3_dot(m[0], vec3_cross(m[1], m[2])), scale = c->offset * w - vec3_dot(c->n, p);
  if (scale == 0 || !isfinite(1 / scale)) return false;
  c->apex = vec3_scale(1 / scale, p), c->w = w / scale;
  return true;
}

// The wall through the side from corner k on: upright, or where the surface bulges along the mean of both normals.
static void add_side(const terrain *on, const terrain_triangle *t, int k, depth_cell *c) {
  vec3 from = t->p[k], way = vec3_sub(t->p[(k + 1) % 3], from), wall = vec3_cross(way, t->normal), beside, corner;
  if (terrain_beside(on, t, k, &beside, &corner) && vec3_dot(t->normal, vec3_sub(corner, from)) < 0) {
    vec3 halving = vec3_cross(way, vec3_add(t->normal, beside));
    if (vec3_norm(halving) > 1e-6 * vec3_norm(wall)) wall = halving;
  }
  add_wall(c, wall, from);
}

bool depth_of_triangle(const terrain *on, const terrain_triangle *t, depth_cell *to) {
  if (vec3_dot(t->normal, t->normal) == 0) return false;
  *to = (depth_cell){
      .n = t->normal, .offset = vec3_dot(t->normal, t->p[0]), .most = terrain_half_thickness(on, t->number)};
  for (int k = 0; k < 3; k++) add_side(on, t, k, to);
  return set_apex(to);
}

// --- faces that press ------------------------------------------------------------------------------------------------

typedef struct pressing {
  const depth_cell *c;
  depth_visit *visit;
  void *context;
} pressing;

static void visit_node(void *context, vec3 at, vec3 surface) {
  const pressing *p = context;
  depth_node node = {at, surface, depth_at(p->c, at), p->c->n};
  if (node.depth > 0) p->visit(p->context, p->c, &node);
}

static bool is_corner(vec3 x, const vec3 *corners, int count) {
  for (int i = 0; i < count; i++)
    if (x.x == corners[i].x && x.y == corners[i].y && x.z == corners[i].z) return true;
  return false;
}

// The edge of the polygon on which x lies.
static vec3 edge_at(vec3 x, const vec3 *corners, int count) {
  double least = INFINITY;
  vec3 along = VEC3_ZERO;
  for (int i = 0; i < count; i++) {
    vec3 way = vec3_sub(corners[(i + 1) % count], corners[i]), off = vec3_cross(way, vec3_sub(x, corners[i]));
    double square = vec3_dot(way, way), distance = square > 0 ? vec3_dot(off, off) / square : INFINITY;
    if (distance < least) least = distance, along = way;
  }
  return along;
}

// What moves a place of the piece deeper: a corner of what presses goes with it, the crossing of an edge and a wall
// slides along both, and the crossing of a face and two walls along these.
static vec3 rate_at(const depth_cell *c, vec3 x, const vec3 *corners, int count, vec3 face) {
  vec3 slow = vec3_neg(c->n), on[2];
  int walls = 0;
  double size = vec3_norm(vec3_sub(corners[1], corners[0])) + fabs(c->offset);
  if (is_corner(x, corners, count)) return slow;
  for (int k = 0; k < c->wall_count && walls < 2; k++)
    if (fabs(vec3_dot(c->walls[k], x) - c->wall_offsets[k]) <= 1e-12 * size) on[walls++] = c->walls[k];
  if (walls == 1) {
    vec3 along = edge_at(x, corners, count);
    double across = vec3_dot(on[0], along);
    return fabs(across) > 1e-9 * vec3_norm(along) ? vec3_axpy(slow, vec3_dot(c->n, along) / across, on[0]) : slow;
  }
  if (walls == 2) {
    vec3 along = vec3_cross(on[0], on[1]);
    double across = vec3_dot(face, along);
    return fabs(across) > 1e-9 * vec3_norm(along) ? vec3_scale(-vec3_dot(c->n, along) / across, face) : slow;
  }
  return slow;
}

void depth_press_face(const depth_cell *c, const vec3 *corners, int count, vec3 n, depth_sum *sum, depth_visit *visit,
                      void *context) {
  piece parts[2];
  int now = 0;
  parts[0].count = count;
  for (int i = 0; i < count; i++) parts[0].p[i] = corners[i];
  now = piece_cut(parts, now, c->n, c->offset);
  for (int k = 0; k < c->wall_count && parts[now].count > 2; k++)
    now = piece_cut(parts, now, c->walls[k], c->wall_offsets[k]);
  if (isfinite(c->most) && parts[now].count > 2) now = piece_cut(parts, now, vec3_neg(c->n), c->most - c->offset);
  if (parts[now].count < 3) return;
  for (int i = 0; sum && i < parts[now].count; i++) {
    double depth = depth_at(c, parts[now].p[i]);
    if (depth > sum->deepest)
      sum->deepest = depth, sum->at = parts[now].p[i], sum->rate = rate_at(c, sum->at, corners, count, n);
  }
  pressing p = {c, visit, context};
  if (visit) piece_visit(&parts[now], n, visit_node, &p);
}
