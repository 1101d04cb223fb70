#include "geometry/foundation.h"

#include <math.h>

#include "geometry/piece.h"

// --- foundations -----------------------------------------------------------------------------------------------------

static foundation along(vec3 n, vec3 normal, double offset) {
  double lean = 1 / vec3_dot(n, normal);
  return (foundation){.frame = {MAT3_IDENTITY, VEC3_ZERO},
                      .n = n,
                      .sign = lean > 0 ? 1 : -1,
                      .slope = vec3_scale(lean, normal),
                      .offset = lean * offset};
}

foundation foundation_of_plane(vec3 n, double offset) { return along(n, n, offset); }

static void add_wall(foundation *f, vec3 out, vec3 at) {
  double length = vec3_norm(out);
  if (!(length > 0)) return;
  vec3 wall = vec3_scale(1 / length, out);
  f->walls[f->wall_count] = wall, f->wall_offsets[f->wall_count++] = vec3_dot(wall, at);
}

static foundation foundation_of_face(const polytope *p, pose at, const polytope_face *of, vec3 n) {
  vec3 normal = mat3_mul(at.R, of->normal);
  foundation f = along(n, normal, of->offset + vec3_dot(normal, at.p));
  const int *corner = p->corners + of->first;
  for (int i = 0; i < of->count; i++) {
    vec3 from = pose_point(at, p->vertices[corner[i]]), next = pose_point(at, p->vertices[corner[(i + 1) % of->count]]);
    add_wall(&f, vec3_scale(f.sign, vec3_cross(vec3_sub(next, from), n)), from);
  }
  return f;
}

foundation foundation_of_segment(vec3 from, vec3 to, vec3 m, vec3 n) {
  foundation f = along(n, m, vec3_dot(m, from));
  vec3 way = vec3_sub(to, from), across = vec3_axpy(way, -vec3_dot(way, n), n);
  add_wall(&f, across, to), add_wall(&f, vec3_neg(across), from);
  return f;
}

static double depth_of(const foundation *f, vec3 p) { return f->offset - vec3_dot(f->slope, p); }

// --- faces -----------------------------------------------------------------------------------------------------------

static void visit_node(const foundation *f, vec3 at, double area, foundation_visit *visit, void *context) {
  foundation_node node = {pose_point(f->frame, at), mat3_mul(f->frame.R, f->n), depth_of(f, at), f->sign * area};
  if (node.depth > 0 && area != 0) visit(context, &node);
}

typedef struct pressing {
  const foundation *f;
  foundation_visit *visit;
  void *context;
} pressing;

static void visit_part(void *context, vec3 at, vec3 surface) {
  const pressing *p = context;
  visit_node(p->f, at, -vec3_dot(p->f->n, surface), p->visit, p->context);
}

// In the frame of the foundation.
static void press_face(const foundation *f, const polytope *p, const polytope_face *face, foundation_visit *visit,
                       void *context) {
  piece parts[2];
  parts[0].count = face->count;
  for (int i = 0; i < face->count; i++) parts[0].p[i] = p->vertices[p->corners[face->first + i]];
  int now = piece_cut(parts, 0, f->slope, f->offset);
  for (int i = 0; i < f->wall_count && parts[now].count > 2; i++)
    now = piece_cut(parts, now, f->walls[i], f->wall_offsets[i]);
  pressing to = {f, visit, context};
  if (parts[now].count > 2) piece_visit(&parts[now], face->normal, visit_part, &to);
}

// The same foundation, in the axes of a pose.
static foundation foundation_seen_from(const foundation *f, pose at) {
  foundation g = {.n = mat3_tmul(at.R, f->n),
                  .sign = f->sign,
                  .slope = mat3_tmul(at.R, f->slope),
                  .offset = f->offset - vec3_dot(f->slope, at.p),
                  .frame = at,
                  .wall_count = f->wall_count};
  for (int i = 0; i < f->wall_count; i++)
    g.walls[i] = mat3_tmul(at.R, f->walls[i]), g.wall_offsets[i] = f->wall_offsets[i] - vec3_dot(f->walls[i], at.p);
  return g;
}

void foundation_press(const foundation *f, const polytope *p, pose at, foundation_visit *visit, void *context) {
  foundation local = foundation_seen_from(f, at);
  for (int i = 0; i < p->face_count; i++)
    if (fabs(vec3_dot(p->faces[i].normal, local.n)) > FOUNDATION_UPRIGHT)
      press_face(&local, p, &p->faces[i], visit, context);
}

void foundation_press_pair(vec3 n, const polytope *a, pose at_a, const polytope *b, pose at_b, foundation_visit *visit,
                           void *context) {
  vec3 local = mat3_tmul(at_b.R, n);
  for (int i = 0; i < b->face_count; i++) {
    if (fabs(vec3_dot(b->faces[i].normal, local)) <= FOUNDATION_UPRIGHT) continue;
    foundation f = foundation_of_face(b, at_b, &b->faces[i], n);
    foundation_press(&f, a, at_a, visit, context);
  }
}

// --- in the plane ----------------------------------------------------------------------------------------------------

bool foundation_cut_segment(vec3 p[2], vec3 n, double offset) {
  double over[2] = {vec3_dot(n, p[0]) - offset, vec3_dot(n, p[1]) - offset};
  if (over[0] > 0 && over[1] > 0) return false;
  vec3 way = vec3_sub(p[1], p[0]);
  vec3 meet = over[0] != over[1] ? vec3_axpy(p[0], over[0] / (over[0] - over[1]), way) : p[0];
  if (over[0] > 0) p[0] = meet;
  if (over[1] > 0) p[1] = meet;
  return true;
}

// Gauss and Legendre's three nodes, exact up to the fifth degree.
void foundation_press_segment(const foundation *f, vec3 from, vec3 to, vec3 m, foundation_visit *visit, void *context) {
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18},
                      place[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
  vec3 p[2] = {from, to};
  if (fabs(vec3_dot(m, f->n)) <= FOUNDATION_UPRIGHT || !foundation_cut_segment(p, f->slope, f->offset)) return;
  for (int i = 0; i < f->wall_count; i++)
    if (!foundation_cut_segment(p, f->walls[i], f->wall_offsets[i])) return;
  vec3 way = vec3_sub(p[1], p[0]);
  double area = copysign(vec3_norm(vec3_axpy(way, -vec3_dot(way, f->n), f->n)), -vec3_dot(m, f->n));
  for (int k = 0; k < 3; k++) visit_node(f, vec3_axpy(p[0], place[k], way), weight[k] * area, visit, context);
}
