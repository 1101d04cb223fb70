#include "geometry/facet.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

void facet_round_corner(int k, double *cosine, double *sine) {
  static const double sines[] = {
      0, 0.25881904510252074, 0.5, 0.70710678118654757, 0.86602540378443865, 0.96592582628906829, 1};
  int quarter = k / 6, i = k % 6;
  double c = sines[6 - i], s = sines[i];
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

// --- lines -----------------------------------------------------------------------------------------------------------

static void add_corner(facet *to, vec3 p, int name) { to->p[to->count] = p, to->name[to->count++] = name; }

// The plane through a line that is most nearly normal to n.
static void set_line_plane(facet *to, vec3 n) {
  vec3 along = vec3_sub(to->p[1], to->p[0]);
  vec3 normal = vec3_axpy(n, -vec3_dot(n, along) / vec3_dot(along, along), along);
  to->normal = vec3_scale(1 / vec3_norm(normal), normal);
  to->offset = vec3_dot(to->normal, to->p[0]);
}

static bool is_across(vec3 n, vec3 from, vec3 to) {
  vec3 along = vec3_sub(to, from);
  return fabs(vec3_dot(n, along)) <= FACET_TILT * vec3_norm(along);
}

enum { NAME_LINE = 2 * FACET_ROUND };  // of the lower end of a side line; the upper one has the next

static void set_line(facet *to, vec3 low, double radius_low, vec3 high, double radius_high, vec3 n) {
  if (!is_across(n, low, high)) return;
  add_corner(to, low, NAME_LINE), add_corner(to, high, NAME_LINE + 1);
  set_line_plane(to, n);
  to->radius[0] = radius_low, to->radius[1] = radius_high;
  for (int i = 0; i < 2; i++) to->core[i] = vec3_axpy(to->p[i], -to->radius[i], to->normal);
}

// The layer of a capsule goes outwards along n: its ends are spheres.
void facet_of_segment(const convex *s, vec3 n, facet *to) {
  vec3 end = {0, 0, s->size[0]}, out = vec3_scale(s->layer, n);
  set_line(to, vec3_sub(out, end), s->layer, vec3_add(out, end), s->layer, n);
  to->core[0] = vec3_neg(end), to->core[1] = end;
}

// --- round faces -----------------------------------------------------------------------------------------------------

// Corners of the lower face are named from 0, those of the upper one from 24.
static void set_disc(facet *to, double radius, double z) {
  for (int k = 0; k < FACET_ROUND; k++) {
    int name = z > 0 ? k : FACET_ROUND - 1 - k;
    double c, s;
    facet_round_corner(name, &c, &s);
    add_corner(to, (vec3){FACET_INSIDE * radius * c, FACET_INSIDE * radius * s, z}, name + (z > 0 ? FACET_ROUND : 0));
  }
  to->normal = (vec3){0, 0, z > 0 ? 1 : -1}, to->offset = fabs(z);
}

void facet_of_cylinder(const convex *s, vec3 n, facet *to) {
  double radius = s->size[0], half = s->size[1], across = hypot(n.x, n.y);
  if (across <= FACET_TILT) {
    set_disc(to, radius, copysign(half, n.z));
    return;
  }
  double x = radius * n.x / across, y = radius * n.y / across;
  set_line(to, (vec3){x, y, -half}, radius, (vec3){x, y, half}, radius, n);
}

// Across its side lines a cone is curved as a circle around the point of the axis at which the normal meets it.
void facet_of_cone(const convex *s, vec3 n, facet *to) {
  double radius = s->size[0], half = s->size[1], across = hypot(n.x, n.y);
  if (n.z < 0 && across <= FACET_TILT) {
    set_disc(to, radius, -half);
    return;
  }
  if (across == 0) return;
  double x = radius * n.x / across, y = radius * n.y / across;
  set_line(to, (vec3){x, y, -half}, radius * hypot(radius, 2 * half) / (2 * half), (vec3){0, 0, half}, 0, n);
}

// --- polytopes -------------------------------------------------------------------------------------------------------

static const polytope_face *face_along(const polytope *p, vec3 n) {
  const polytope_face *best = p->faces;
  for (int i = 1; i < p->face_count; i++)
    if (vec3_dot(p->faces[i].normal, n) > vec3_dot(best->normal, n)) best = &p->faces[i];
  return best;
}

static void set_face(const polytope *p, const polytope_face *f, facet *to) {
  for (int i = 0; i < f->count && i < FACET_CORNERS; i++)
    add_corner(to, p->vertices[p->corners[f->first + i]], p->corners[f->first + i]);
  to->normal = f->normal, to->offset = f->offset;
}

// The edge whose lower end is highest along n.
static void set_edge(const polytope *p, vec3 n, facet *to) {
  double highest = -DBL_MAX;
  int ends[2] = {0, 0};
  for (int i = 0; i < p->face_count; i++) {
    const int *corner = p->corners + p->faces[i].first;
    for (int k = 0, count = p->faces[i].count; k < count; k++) {
      int from = corner[k], next = corner[(k + 1) % count];
      double height = fmin(vec3_dot(n, p->vertices[from]), vec3_dot(n, p->vertices[next]));
      if (from < next && height > highest) highest = height, ends[0] = from, ends[1] = next;  // every edge once
    }
  }
  if (!is_across(n, p->vertices[ends[0]], p->vertices[ends[1]])) return;
  for (int i = 0; i < 2; i++) to->core[i] = p->vertices[ends[i]], add_corner(to, to->core[i], ends[i]);
  set_line_plane(to, n);
}

static void move_to(pose at, facet *to) {
  for (int i = 0; i < to->count; i++) to->p[i] = pose_point(at, to->p[i]);
  for (int i = 0; i < 2 && to->count == 2; i++) to->core[i] = pose_point(at, to->core[i]);
  to->normal = mat3_mul(at.R, to->normal);
  to->offset += vec3_dot(to->normal, at.p);
}

static void clear(facet *to) {
  to->count = 0, to->radius[0] = to->radius[1] = 0;
  to->normal = VEC3_ZERO, to->offset = 0;
}

void facet_of_face(const polytope *p, pose at, vec3 n, facet *to) {
  clear(to);
  set_face(p, face_along(p, mat3_tmul(at.R, n)), to);
  move_to(at, to);
}

void facet_find(const convex *s, const polytope *faces, pose at, vec3 n, facet *to) {
  vec3 local = mat3_tmul(at.R, n);
  clear(to);
  if (faces) {
    const polytope_face *f = face_along(faces, local);
    if (vec3_norm(vec3_cross(f->normal, local)) <= FACET_TILT) set_face(faces, f, to);
    else set_edge(faces, local, to);
  } else if (s->type->facet) s->type->facet(s, local, to);
  move_to(at, to);
}

int facet_most_corners(const convex *s, const polytope *faces) {
  int most = s->type->facet == facet_of_segment ? 2 : FACET_ROUND;
  if (!faces) return most;
  most = 2;
  for (int i = 0; i < faces->face_count; i++) most = faces->faces[i].count > most ? faces->faces[i].count : most;
  return most;
}
