#include "geometry/overlap.h"

#include <math.h>

#include "geometry/piece.h"

// --- the boundary ----------------------------------------------------------------------------------------------------

void overlap_begin(overlap *o, vec3 origin, double scale) { *o = (overlap){.origin = origin, .scale = scale}; }

static void add_outer(mat3 *M, double s, vec3 a, vec3 b) {
  double left[3] = {s * a.x, s * a.y, s * a.z}, right[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M->m[3 * i + j] += left[i] * right[j];
}

// By the divergence of x and of x xᵀ, of which x·n is constant over a flat part.
void overlap_add_boundary(overlap *o, bool planar, bool of_first, vec3 n, vec3 point, double size, vec3 first,
                          const mat3 *second) {
  double height = vec3_dot(n, point), axes = planar ? 2 : 3;
  o->volume += height * size / axes;
  o->moment = vec3_axpy(o->moment, height / (axes + 1), first);
  if (!of_first) return;
  o->area = vec3_axpy(o->area, size, n);
  o->turn = vec3_add(o->turn, vec3_cross(first, n));
  add_outer(&o->area_moment, 1, n, first);
  for (int j = 0; j < 3; j++) {
    vec3 turn = vec3_cross(mat3_column(*second, j), n);
    o->turn_moment.m[j] += turn.x, o->turn_moment.m[3 + j] += turn.y, o->turn_moment.m[6 + j] += turn.z;
  }
}

// The middles of the sides of a triangle give integrals of the second degree exactly.
static void add_piece(overlap *o, bool of_first, vec3 n, const piece *f, const pose *to) {
  double size = 0;
  vec3 first = VEC3_ZERO;
  mat3 second = {{0}};
  vec3 p[3] = {vec3_sub(pose_point(*to, f->p[0]), o->origin)}, outward = mat3_mul(to->R, n);
  for (int i = 1; i + 1 < f->count; i++) {
    for (int k = 1; k < 3; k++) p[k] = vec3_sub(pose_point(*to, f->p[i + k - 1]), o->origin);
    double area = 0.5 * vec3_dot(outward, vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
    size += area;
    for (int k = 0; k < 3; k++) {
      vec3 middle = vec3_scale(0.5, vec3_add(p[k], p[(k + 1) % 3]));
      first = vec3_axpy(first, area / 3, middle);
      if (of_first) add_outer(&second, area / 3, middle, middle);
    }
  }
  overlap_add_boundary(o, false, of_first, outward, p[0], size, first, &second);
}

#define FLUSH \
  1e-10  // faces of both that are as near to one plane, as part of their sizes, bound the overlap together: that of A
         // counts

static bool is_flush(const piece *f, vec3 n, vec3 normal, double offset, double within) {
  if (vec3_dot(n, normal) < 0.5) return false;
  for (int i = 0; i < f->count; i++)
    if (fabs(vec3_dot(normal, f->p[i]) - offset) > within) return false;
  return true;
}

// The faces of one that lie in the other, at a pose in the axes of the other; `to`: from there to the axes of the
// overlap.
static void add_faces(overlap *o, bool of_first, const polytope *of, pose at, const polytope *in, const pose *to) {
  piece parts[2];
  for (int i = 0; i < of->face_count; i++) {
    const polytope_face *face = &of->faces[i];
    vec3 n = mat3_mul(at.R, face->normal);
    int now = 0;
    double size = 0;
    parts[0].count = face->count;
    for (int k = 0; k < face->count; k++) {
      parts[0].p[k] = pose_point(at, of->vertices[of->corners[face->first + k]]);
      size = fmax(size, vec3_norm(vec3_sub(parts[0].p[k], parts[0].p[0])));
    }
    for (int k = 0; k < in->face_count && parts[now].count > 2; k++) {
      const polytope_face *by = &in->faces[k];
      if (!is_flush(&parts[now], n, by->normal, by->offset, FLUSH * size))
        now = piece_cut(parts, now, by->normal, by->offset);
      else if (!of_first) parts[now].count = 0;
    }
    if (parts[now].count > 2) add_piece(o, of_first, n, &parts[now], to);
  }
}

void overlap_add_polytopes(overlap *o, const polytope *a, pose at_a, const polytope *b) {
  pose same = {MAT3_IDENTITY, VEC3_ZERO};
  add_faces(o, true, a, at_a, b, &same);
  add_faces(o, false, b, pose_inverse(at_a), a, &at_a);
}

vec3 overlap_centre(const overlap *o) { return vec3_axpy(o->origin, 1 / o->volume, o->moment); }

// --- the depth -------------------------------------------------------------------------------------------------------

enum { BY_DEPTH = 4, BY_REACH = 8 };  // the powers of d and h
#define ROUND_SHARE 1e-8              // of the weight of a round side: flat faces decide unless they are thrice as deep

static double fourth(double x) { return x * x * x * x; }

double overlap_share(double size, double other) { return size < other ? fmax(1e-6, pow(size / other, 32)) : 1; }

overlap_face overlap_face_of(vec3 m, vec3 foot, double depth, double share) {
  return (overlap_face){.m = m, .foot = foot, .depth = depth, .share = share};
}

void overlap_face_over(const overlap *o, overlap_face *f, vec3 point) {
  double below = vec3_dot(f->m, vec3_sub(f->foot, point)) / o->scale;
  if (!(below > 0)) return;
  double slope = fourth(below) * below * below * below;
  f->reach += slope * below, f->slope += slope;
  f->turn = vec3_axpy(f->turn, slope, vec3_cross(vec3_sub(point, o->origin), f->m));
}

// Of U = V Σ w d/Σ w, with dw/w = -q dd/d - 8 Σ δ⁷ dδ/h⁸ and q = 4 + 8 d⁸/h⁸.
void overlap_add_face(overlap *o, bool of_first, const overlap_face *f) {
  double d = f->depth / o->scale, depth8 = fourth(d) * fourth(d), reach8 = depth8 + f->reach;
  double w = f->share / (fourth(d) * reach8), powers = BY_DEPTH + BY_REACH * depth8 / reach8;
  o->outside |= !(d > 0);
  o->weight += w, o->weighted += w * d;
  for (int k = 0; k < (of_first ? 2 : 1); k++) {
    o->normals[k] = vec3_axpy(o->normals[k], w * (1 - powers), f->m);
    o->normals_over_depth[k] = vec3_axpy(o->normals_over_depth[k], w * powers / d, f->m);
  }
  double b = (of_first ? -w : w) * BY_REACH / reach8, by[2] = {b, b * d};
  for (int k = 0; k < 2; k++) {
    o->push[k] = vec3_axpy(o->push[k], by[k] * f->slope, f->m);
    o->push_turn[k] = vec3_axpy(o->push_turn[k], by[k], f->turn);
  }
}

// From the centre to the nearest place on the line along which the force acts. It lies at most a few depths away; a
// moment that asks for more stays a moment.
static vec3 arm_of(const overlap *o, vec3 force, vec3 moment) {
  double square = vec3_dot(force, force);
  vec3 arm = square > 0 ? vec3_scale(1 / square, vec3_cross(force, moment)) : VEC3_ZERO;
  double length = vec3_norm(arm), most = 10 * fmax(o->scale, cbrt(o->volume));
  return length > most ? vec3_scale(most / length, arm) : arm;
}

bool overlap_end(const overlap *o, overlap_force *to) {
  if (!(o->volume > 0) || o->outside || !isfinite(o->weight)) return false;
  double depth = o->weighted / o->weight, D = o->scale * depth;
  vec3 c = vec3_scale(1 / o->volume, o->moment), g[2];
  for (int k = 0; k < 2; k++)
    g[k] = vec3_scale(1 / o->weight, vec3_axpy(o->normals[k], depth, o->normals_over_depth[k]));
  vec3 push = vec3_scale(o->volume / o->weight, vec3_axpy(vec3_neg(o->push[1]), depth, o->push[0]));
  vec3 push_turn = vec3_scale(o->volume / o->weight, vec3_axpy(vec3_neg(o->push_turn[1]), depth, o->push_turn[0]));
  vec3 at_centre = vec3_scale(-o->volume, g[1]);
  double pressure = D + vec3_dot(g[0], c);
  vec3 force = vec3_axpy(mat3_mul(o->area_moment, g[0]), -pressure, o->area);
  force = vec3_add(vec3_add(force, at_centre), push);
  vec3 moment = vec3_axpy(mat3_mul(o->turn_moment, g[0]), -pressure, o->turn);
  moment = vec3_add(vec3_add(moment, vec3_cross(c, at_centre)), push_turn);
  vec3 about = vec3_sub(moment, vec3_cross(c, force)), arm = arm_of(o, force, about);
  *to = (overlap_force){o->volume, o->volume * D, vec3_add(vec3_add(o->origin, c), arm), force,
                        vec3_sub(about, vec3_cross(arm, force))};
  return true;
}

// --- bodies in space -------------------------------------------------------------------------------------------------

// Points that stand for a body: its corners, or those of its rims.
static void add_points(const overlap *o, const overlap_body *of, pose at, overlap_face *f) {
  if (of->exact) {
    for (int i = 0; i < of->hull->vertex_count; i++) overlap_face_over(o, f, pose_point(at, of->hull->vertices[i]));
    return;
  }
  enum { AROUND = 8 };
  for (int i = 0; i < AROUND; i++) {
    vec3 across = {cos(2 * M_PI * i / AROUND), sin(2 * M_PI * i / AROUND), 0};
    for (int end = -1; end <= 1; end += 2) {
      vec3 corner = convex_support(of->shape, vec3_add(across, (vec3){0, 0, 1e3 * end}));
      overlap_face_over(o, f, vec3_axpy(pose_point(at, corner), -of->shape->layer, f->m));
    }
  }
}

// The faces of one; both poses are in the axes of the overlap.
static void add_faces_of(overlap *o, bool of_first, const overlap_body *of, pose at, const overlap_body *other,
                         pose at_other) {
  vec3 centre = overlap_centre(o), local = mat3_tmul(at.R, vec3_sub(centre, at.p));
  convex_side sides[CONVEX_SIDES];
  int count = of->exact ? of->hull->face_count : of->shape->type->sides(of->shape, local, sides);
  for (int i = 0; i < count; i++) {
    const polytope_face *face = &of->hull->faces[i];
    convex_side side =
        of->exact ? (convex_side){face->normal, face->offset - vec3_dot(face->normal, local), false} : sides[i];
    vec3 m = mat3_mul(at.R, side.normal);
    overlap_face f =
        overlap_face_of(m, vec3_axpy(centre, side.depth, m), side.depth, of->share * (side.round ? ROUND_SHARE : 1));
    if (!side.round) add_points(o, other, at_other, &f);
    overlap_add_face(o, of_first, &f);
  }
}

bool overlap_of_bodies(const overlap_body *a, const overlap_body *b, vec3 near, double scale, overlap_force *to) {
  pose out = pose_inverse(b->at), at = pose_product(out, a->at), same = {MAT3_IDENTITY, VEC3_ZERO};
  overlap o;
  overlap_begin(&o, pose_point(out, near), scale);
  overlap_add_polytopes(&o, a->hull, at, b->hull);
  if (!(o.volume > 0)) return false;
  add_faces_of(&o, true, a, at, b, same), add_faces_of(&o, false, b, same, a, at);
  if (!overlap_end(&o, to)) return false;
  to->at = pose_point(b->at, to->at), to->force = mat3_mul(b->at.R, to->force),
  to->moment = mat3_mul(b->at.R, to->moment);
  return true;
}
