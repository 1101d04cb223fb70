// Contact between pairs of surfaces. A plane is a half space whose outward normal is z of its marker (y in a planar
// model). In the plane a sphere is a circle. The corners of a box touch planes.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"
#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/separation.h"

// A sphere of the first body, with its centre at `at`, against the plane of the second.
static void point_on_plane(const mechanism *m, const marker_place *body, const marker_place *plane, vec3 at,
                           double radius, contact_point *p) {
  vec3 n = contact_plane_normal(m, plane);
  p->gap = vec3_dot(n, vec3_sub(at, plane->p)) - radius;
  p->node_first = body->node, p->node_second = plane->node;
  p->at = vec3_axpy(at, -radius, n);
  contact_set_frame(m, p, n);
}

static void sphere_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  point_on_plane(m, &body, &plane, body.p, e->size_first[0], points);
}

static void box_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  for (int k = 0; k < e->point_count; k++) {
    vec3 corner = {(k & 1 ? 0.5 : -0.5) * e->size_first[0], (k & 2 ? 0.5 : -0.5) * e->size_first[1],
                   m->planar ? 0 : (k & 4 ? 0.5 : -0.5) * e->size_first[2]};
    point_on_plane(m, &body, &plane, vec3_add(body.p, mat3_mul(body.R, corner)), 0, &points[k]);
  }
}

static void sphere_sphere(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  vec3 d = vec3_sub(a.p, b.p);
  double distance = vec3_norm(d);
  vec3 n = distance > 0 ? vec3_scale(1 / distance, d) : (vec3){1, 0, 0};
  p->gap = distance - e->size_first[0] - e->size_second[0];
  p->node_first = a.node, p->node_second = b.node;
  p->at = vec3_axpy(b.p, e->size_second[0] + 0.5 * p->gap, n);  // midway
  contact_set_frame(m, p, n);
}

// The vector from centre to centre is d = (gap + r₁ + r₂) n. The smallest distance is at the point of the line from d
// to d' that is nearest to the origin. It is at least the mean of both less half the way: most pairs stay apart.
static double spheres_nearest(const mechanism *m, const motion *x, const contact_element *e,
                              const contact_point *before, const contact_point *after, double time, double graze) {
  (void)m, (void)x, (void)time, (void)graze;
  double reach = e->size_first[0] + e->size_second[0];
  vec3 from = vec3_scale(before->gap + reach, before->n), to = vec3_scale(after->gap + reach, after->n);
  vec3 way = vec3_sub(to, from);
  double length2 = vec3_dot(way, way), apart = before->gap + after->gap;
  if (apart > 0 && length2 <= apart * apart) return 0;
  double along = length2 > 0 ? -vec3_dot(from, way) / length2 : 0;
  return vec3_norm(vec3_axpy(from, fmin(fmax(along, 0), 1), way)) - reach;
}

// The plane is the wall, and the place of a sphere is below its centre.
static contact_travel sphere_on_plane(const mechanism *m, const motion *x, const contact_element *e,
                                      const contact_point *p, int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, -e->size_first[0]);
}
static contact_travel corner_on_plane(const mechanism *m, const motion *x, const contact_element *e,
                                      const contact_point *p, int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, 0);
}
// With d from the second centre to the first, n = d/|d| and the place is off the second centre by (r₂ + gap/2) n.
static contact_travel sphere_on_sphere(const mechanism *m, const motion *x, const contact_element *e,
                                       const contact_point *p, int k) {
  (void)k;
  marker_state a = marker_read(m, x, e->first), b = marker_read(m, x, e->second);
  double distance = p->gap + e->size_first[0] + e->size_second[0];
  vec3 rate = vec3_sub(a.v, b.v), n = distance > 0 ? contact_turn_of(p->n, distance, rate) : VEC3_ZERO;
  vec3 at = vec3_axpy(b.v, e->size_second[0] + 0.5 * p->gap, n);
  return (contact_travel){.at = vec3_axpy(at, 0.5 * vec3_dot(p->n, rate), p->n), .n = n};
}

// A point is a sphere of radius zero: its surface is sharp.
static void curvatures_on_plane(const contact_element *e, double radius[2]) {
  radius[0] = e->size_first[0], radius[1] = CONTACT_FLAT;
}
void contact_corner_curvatures(const contact_element *e, double radius[2]) {
  (void)e;
  radius[0] = CONTACT_SHARP, radius[1] = CONTACT_FLAT;
}
static void curvatures_of_spheres(const contact_element *e, double radius[2]) {
  radius[0] = e->size_first[0], radius[1] = e->size_second[0];
}

bool contact_is_flat(const contact_element *e) {
  (void)e;
  return true;
}

const char *const contact_point_numbers[CONTACT_POINTS_MAX] = {
    "point 1",  "point 2",  "point 3",  "point 4",  "point 5",  "point 6",  "point 7",  "point 8",
    "point 9",  "point 10", "point 11", "point 12", "point 13", "point 14", "point 15", "point 16",
    "point 17", "point 18", "point 19", "point 20", "point 21", "point 22", "point 23", "point 24",
    "point 25", "point 26", "point 27", "point 28", "point 29", "point 30", "point 31", "point 32",
    "point 33", "point 34", "point 35", "point 36", "point 37", "point 38", "point 39", "point 40",
    "point 41", "point 42", "point 43", "point 44", "point 45", "point 46", "point 47", "point 48",
    "point 49", "point 50", "point 51", "point 52", "point 53", "point 54", "point 55", "point 56",
    "point 57", "point 58", "point 59", "point 60", "point 61", "point 62", "point 63", "point 64",
};

void contact_tell_surfaces(const contact_element *e, double depth, char text[CONTACT_TEXT]) {
  (void)e;
  snprintf(text, CONTACT_TEXT, "surfaces overlap by %.4g m at the start", depth);
}

// The least gap that there may be on the way.
static double least_bound(const contact_point *before, const contact_point *after, double swing) {
  return 0.5 * (before->gap + after->gap - vec3_norm(vec3_sub(after->apart, before->apart)) - swing);
}

double contact_least_gap(contact_gap_at *gap, const void *context, const contact_point *before,
                         const contact_point *after, double swing, double graze) {
  double bound = least_bound(before, after, swing);
  if (bound > -graze) return bound;
  vec3 way = vec3_sub(after->apart, before->apart);
  double length = vec3_norm(way);
  const double part = 0.6180339887498949;  // the golden section: one gap for each part
  double low = 0, high = 1, at[2] = {1 - part, part}, value[2];
  for (int i = 0; i < 2; i++) value[i] = gap(context, vec3_axpy(before->apart, at[i], way), 1 - at[i]);
  while ((high - low) * (length + swing) > 0.1 * graze) {
    int side = value[0] < value[1];  // the least is below at[1], or else above at[0]
    if (side) high = at[1], at[1] = at[0], value[1] = value[0], at[0] = high - part * (high - low);
    else low = at[0], at[0] = at[1], value[0] = value[1], at[1] = low + part * (high - low);
    value[!side] = gap(context, vec3_axpy(before->apart, at[!side], way), 1 - at[!side]);
  }
  return contact_without_turn(gap, context, before, fmin(value[0], value[1]), graze);
}

double contact_without_turn(contact_gap_at *gap, const void *context, const contact_point *before, double least,
                            double graze) {
  return least >= -graze ? least : least + fmax(0, before->gap - gap(context, before->apart, 1));
}

vec3 contact_turn_in(const mechanism *m, const motion *x, const marker_place *a, const marker_place *b, double time) {
  vec3 rate = vec3_sub(marker_omega(m, x, a), marker_omega(m, x, b));
  return vec3_scale(time, mat3_tmul(b->R, rate));
}

mat3 contact_turned_back(mat3 R, vec3 turn, double part) {
  return mat3_product(quat_matrix(quat_exp(vec3_scale(-part, turn))), R);
}

double contact_swing(const convex *shape, vec3 turn) {
  double angle = vec3_norm(turn);
  return angle > 1e-7 ? angle * convex_reach(shape, 3) : 0;
}

typedef struct pass {
  const contact_element *e;
  mat3 R;  // of the first shape, in the axes of the second, at the end of the way
  vec3 turn;
} pass;

static double gap_of_shapes(const void *context, vec3 apart, double left) {
  const pass *w = context;
  pose a = {contact_turned_back(w->R, w->turn, left), apart}, b = {MAT3_IDENTITY, VEC3_ZERO};
  return separation_of(w->e->shape_first, a, w->e->shape_second, b, false).distance;
}

// Most pairs are too far apart to meet on the way, however their axes stand.
double contact_nearest_of_shapes(const mechanism *m, const motion *x, const contact_element *e,
                                 const contact_point *before, const contact_point *after, double time, double graze) {
  double swing = contact_swing(e->shape_first,
                               vec3_scale(time, vec3_sub(marker_spin(m, x, e->first), marker_spin(m, x, e->second))));
  double bound = least_bound(before, after, swing);
  if (bound > -graze) return bound;
  marker_place a = marker_find(m, x, e->first), b = marker_find(m, x, e->second);
  pass w = {e, mat3_product(mat3_transpose(b.R), a.R), contact_turn_in(m, x, &a, &b, time)};
  return contact_least_gap(gap_of_shapes, &w, before, after, swing, graze);
}

static const contact_type contact_sphere_plane = {
    .name = "sphere on plane",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = sphere_plane,
    .travel = sphere_on_plane,
    .curvatures = curvatures_on_plane,
    .tell_overlap = contact_tell_surfaces,
};
static const contact_type contact_point_plane = {
    .name = "point on plane",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = sphere_plane,
    .travel = sphere_on_plane,
    .curvatures = curvatures_on_plane,
    .tell_overlap = contact_tell_surfaces,
};
const char *const contact_corners_planar[4] = {"corner -x -y", "corner +x -y", "corner -x +y", "corner +x +y"};
static const char *const corners[] = {"corner -x -y -z", "corner +x -y -z", "corner -x +y -z", "corner +x +y -z",
                                      "corner -x -y +z", "corner +x -y +z", "corner -x +y +z", "corner +x +y +z"};
static const contact_type contact_box_plane = {
    .name = "box on plane",
    .point_count = 8,
    .point_count_planar = 4,
    .evaluate = box_plane,
    .travel = corner_on_plane,
    .point_names = corners,
    .point_names_planar = contact_corners_planar,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};
static const contact_type contact_sphere_sphere = {
    .name = "sphere on sphere",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = sphere_sphere,
    .travel = sphere_on_sphere,
    .curvatures = curvatures_of_spheres,
    .nearest = spheres_nearest,
    .tell_overlap = contact_tell_surfaces,
};
static const contact_type contact_point_sphere = {
    .name = "point on sphere",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = sphere_sphere,
    .travel = sphere_on_sphere,
    .curvatures = curvatures_of_spheres,
    .nearest = spheres_nearest,
    .tell_overlap = contact_tell_surfaces,
};

// The upper half of a symmetric table; a point is a sphere without radius. Null where a contact does not exist, and of
// outlines with shapes in space.
#define SMOOTH &contact_smooth_pair
#define SMOOTH_WITH_EDGES                                                                                           \
  [SHAPE_ELLIPSOID] = SMOOTH, [SHAPE_SUPERELLIPSOID] = SMOOTH, [SHAPE_CAPSULE] = SMOOTH, [SHAPE_CYLINDER] = SMOOTH, \
  [SHAPE_CONE] = SMOOTH, [SHAPE_HULL] = SMOOTH
#define EDGES       &contact_edge_pair
#define TRIANGLES   [SHAPE_TERRAIN] = &contact_shape_terrain, [SHAPE_MESH] = &contact_shape_terrain
#define ROUND_EDGES [SHAPE_CYLINDER] = EDGES, [SHAPE_CONE] = EDGES
#define BOUNDARY    &contact_boundary_outline
static const contact_type *const narrow[SHAPE_COUNT][SHAPE_COUNT] = {
    [SHAPE_BOUNDARY] = {[SHAPE_BOUNDARY] = &contact_boundaries,
                        [SHAPE_POINT] = BOUNDARY,
                        [SHAPE_SPHERE] = BOUNDARY,
                        [SHAPE_ELLIPSOID] = BOUNDARY,
                        [SHAPE_SUPERELLIPSOID] = BOUNDARY,
                        [SHAPE_CAPSULE] = BOUNDARY,
                        [SHAPE_BOX] = BOUNDARY,
                        [SHAPE_HULL] = BOUNDARY,
                        [SHAPE_OUTLINE] = BOUNDARY,
                        [SHAPE_PLANE] = BOUNDARY},
    [SHAPE_POINT] = {SMOOTH_WITH_EDGES, [SHAPE_SPHERE] = &contact_point_sphere, [SHAPE_BOX] = &contact_point_box,
                     [SHAPE_OUTLINE] = &contact_outlines, [SHAPE_TERRAIN] = &contact_sphere_terrain,
                     [SHAPE_MESH] = &contact_sphere_terrain, [SHAPE_PLANE] = &contact_point_plane},
    [SHAPE_SPHERE] = {SMOOTH_WITH_EDGES, [SHAPE_SPHERE] = &contact_sphere_sphere, [SHAPE_BOX] = &contact_sphere_box,
                      [SHAPE_OUTLINE] = &contact_outlines, [SHAPE_TERRAIN] = &contact_sphere_terrain,
                      [SHAPE_MESH] = &contact_sphere_terrain, [SHAPE_PLANE] = &contact_sphere_plane},
    [SHAPE_ELLIPSOID] = {SMOOTH_WITH_EDGES, TRIANGLES, [SHAPE_BOX] = SMOOTH, [SHAPE_PLANE] = &contact_smooth_plane},
    [SHAPE_SUPERELLIPSOID] = {SMOOTH_WITH_EDGES,
                              TRIANGLES, [SHAPE_BOX] = SMOOTH, [SHAPE_PLANE] = &contact_smooth_plane},
    [SHAPE_CAPSULE] = {ROUND_EDGES,
                       TRIANGLES, [SHAPE_CAPSULE] = &contact_capsule_capsule, [SHAPE_BOX] = EDGES, [SHAPE_HULL] = EDGES,
                       [SHAPE_OUTLINE] = &contact_outlines, [SHAPE_PLANE] = &contact_capsule_plane},
    [SHAPE_BOX] = {ROUND_EDGES, TRIANGLES, [SHAPE_BOX] = &contact_flat_pair, [SHAPE_HULL] = &contact_flat_pair,
                   [SHAPE_OUTLINE] = &contact_outlines, [SHAPE_PLANE] = &contact_box_plane},
    [SHAPE_CYLINDER] = {ROUND_EDGES, TRIANGLES, [SHAPE_HULL] = EDGES, [SHAPE_PLANE] = &contact_cylinder_plane},
    [SHAPE_CONE] = {TRIANGLES, [SHAPE_CONE] = EDGES, [SHAPE_HULL] = EDGES, [SHAPE_PLANE] = &contact_cone_plane},
    [SHAPE_HULL] = {TRIANGLES, [SHAPE_HULL] = &contact_flat_pair, [SHAPE_OUTLINE] = &contact_outlines,
                    [SHAPE_PLANE] = &contact_hull_plane},
    [SHAPE_OUTLINE] = {[SHAPE_OUTLINE] = &contact_outlines, [SHAPE_PLANE] = &contact_outlines},
    [SHAPE_MESH] = {[SHAPE_MESH] = &contact_mesh_mesh, [SHAPE_PLANE] = &contact_hull_plane},
};

bool contact_exists(shape a, shape b) {
  bool unbounded = (a == SHAPE_PLANE || a == SHAPE_TERRAIN) && (b == SHAPE_PLANE || b == SHAPE_TERRAIN);
  bool triangles = (a == SHAPE_TERRAIN && b == SHAPE_MESH) || (a == SHAPE_MESH && b == SHAPE_TERRAIN);
  return !unbounded && !triangles && (a != SHAPE_POINT || b != SHAPE_POINT);
}

// The contact type of two shapes, null if there is none. `swap` is set if the first shape of the type is the second of
// the pair. In the plane every shape has an outline: what has no type of its own there touches by that.
static const contact_type *type_between(shape a, shape b, bool planar, bool *swap) {
  *swap = a > b;
  const contact_type *type = *swap ? narrow[b][a] : narrow[a][b];
  bool in_plane = type && (type->has_own_points || type->point_count_planar);
  return !in_plane && planar && contact_exists(a, b) ? &contact_outlines : type;
}

// Points and planes have no thickness: of a pair with one of them that of the mesh counts. 0 if there is none.
static double span_of_mesh(const contact_surface *a, const contact_surface *b) {
  const terrain *t = a->shape == SHAPE_MESH ? a->terrain : b->shape == SHAPE_MESH ? b->terrain : NULL;
  return t ? contact_mesh_thickness(t) : 0;
}

contact_element contact_pair(const mechanism *m, const contact_surface *a, const contact_surface *b) {
  bool swap;
  const contact_type *type = type_between(a->shape, b->shape, m->planar, &swap);
  const contact_surface *first = swap ? b : a, *second = swap ? a : b;
  if (type->has_own_points && !first->form) type = &contact_mesh_plane;
  contact_element e = {.type = type,
                       .point_count = m->planar ? type->point_count_planar : type->point_count,
                       .of = {-1, 0},
                       .first = first->marker,
                       .second = second->marker};
  memcpy(e.size_first, first->size, sizeof e.size_first);
  memcpy(e.size_second, second->size, sizeof e.size_second);
  e.shape_first = first->form, e.shape_second = second->form;
  if (type->has_own_points) e.point_count = first->form->point_count, e.point_names = first->corner_names;
  e.span = fmin(first->thickness, second->thickness);
  if (isinf(e.span)) e.span = span_of_mesh(first, second);
  e.terrain = second->terrain;
  if (type == &contact_shape_terrain) e.faces_first = first->faces;
  if (type == &contact_flat_pair) contact_set_faces(&e, first->faces, second->faces);
  if (type == &contact_edge_pair) contact_set_facets(&e, first->faces, second->faces);
  if (type == &contact_mesh_plane) e.terrain_first = first->terrain;
  if (type == &contact_mesh_mesh) contact_set_meshes(&e, first->terrain, second->terrain);
  if (type == &contact_outlines) contact_set_outlines(&e, first->outline, second->outline);
  if (first->boundary) contact_set_boundaries(&e, first, second);
  return e;
}

// How far triangles extend along each axis, to the farther side.
static vec3 farthest_corner(const terrain *t) {
  return (vec3){fmax(fabs(t->low.x), fabs(t->high.x)), fmax(fabs(t->low.y), fabs(t->high.y)),
                fmax(fabs(t->low.z), fabs(t->high.z))};
}

// The farthest corner of its box in its own axes.
double contact_surface_reach(const contact_surface *s, bool planar) {
  if (s->boundary)
    return CONTACT_BOUNDARY_GROWTH * hypot(fmax(fabs(s->boundary->low.x), fabs(s->boundary->high.x)),
                                           fmax(fabs(s->boundary->low.y), fabs(s->boundary->high.y)));
  if (planar && s->outline)
    return hypot(fmax(fabs(s->outline->low.x), fabs(s->outline->high.x)),
                 fmax(fabs(s->outline->low.y), fabs(s->outline->high.y)));
  if (s->shape == SHAPE_MESH) return vec3_norm(farthest_corner(s->terrain));
  return s->form ? convex_reach(s->form, planar ? 2 : 3) : INFINITY;
}

double contact_surface_half(const contact_surface *s, bool planar, vec3 *middle) {
  vec3 low = VEC3_ZERO, high = VEC3_ZERO;
  if (s->boundary) low = vec2_in_space(s->boundary->low), high = vec2_in_space(s->boundary->high);
  else if (planar && s->outline)
    low = (vec3){s->outline->low.x, s->outline->low.y, 0}, high = (vec3){s->outline->high.x, s->outline->high.y, 0};
  else if (s->shape == SHAPE_MESH) low = s->terrain->low, high = s->terrain->high;
  else {
    double most[3] = {0}, least[3] = {0};
    for (int k = 0; k < (planar ? 2 : 3); k++) {
      vec3 n = mat3_column(MAT3_IDENTITY, k);
      most[k] = vec3_dot(n, convex_support(s->form, n)) + s->form->layer;
      least[k] = vec3_dot(n, convex_support(s->form, vec3_neg(n))) - s->form->layer;
    }
    low = vec3_of(least), high = vec3_of(most);
  }
  *middle = vec3_scale(0.5, vec3_add(low, high));
  return 0.5 * fmax(high.x - low.x, fmax(high.y - low.y, planar ? 0 : high.z - low.z));
}

// Of an outline or a mesh those of its box.
static double extent_along(const contact_surface *s, vec3 n) {
  if (s->form)
    return fmax(vec3_dot(n, convex_support(s->form, n)), -vec3_dot(n, convex_support(s->form, vec3_neg(n)))) +
           s->form->layer;
  if (s->terrain) {
    vec3 corner = farthest_corner(s->terrain);
    return fabs(n.x) * corner.x + fabs(n.y) * corner.y + fabs(n.z) * corner.z;
  }
  return fmax(fabs(n.x * s->outline->low.x), fabs(n.x * s->outline->high.x)) +
         fmax(fabs(n.y * s->outline->low.y), fabs(n.y * s->outline->high.y));
}

vec3 contact_surface_extent(const contact_surface *s, const mat3 *R) {
  double edge[3] = {s->reach, s->reach, s->reach};
  bool round = s->boundary || (s->form && s->reach <= s->form->layer);
  for (int k = 0; isfinite(s->reach) && !round && k < 3; k++)
    edge[k] = extent_along(s, (vec3){R->m[3 * k], R->m[3 * k + 1], R->m[3 * k + 2]});
  return vec3_of(edge);
}
