// Shapes with edges and faces on a plane touch it in several points. A capsule has the spheres of its two ends, a hull
// its corners. A rim of a cylinder or cone has its lowest point, which travels along the rim, and the face within it 24
// points that are fixed to the body: they carry a body that stands. They lie a little inside the rim, so that none of
// them touches while the body rolls on the rim or on its side.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"
#include "geometry/facet.h"

static void set_point(const mechanism *m, const marker_place *body, const marker_place *plane, vec3 at,
                      contact_point *p) {
  vec3 n = contact_plane_normal(m, plane);
  p->gap = vec3_dot(n, vec3_sub(at, plane->p));
  p->node_first = body->node, p->node_second = plane->node;
  p->at = at;
  contact_set_frame(m, p, n);
}

static contact_travel fixed_point(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                                  int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, 0);
}

// --- capsule ---------------------------------------------------------------------------------------------------------

static void capsule_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  vec3 half = vec3_scale(0.5 * e->size_first[1], mat3_column(body.R, m->planar ? 0 : 2)),
       n = contact_plane_normal(m, &plane);
  for (int k = 0; k < 2; k++) {
    vec3 centre = k ? vec3_add(body.p, half) : vec3_sub(body.p, half);
    set_point(m, &body, &plane, vec3_axpy(centre, -e->size_first[0], n), &points[k]);
  }
}

static contact_travel round_end(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                                int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_SECOND, -e->size_first[0]);
}

static void curvatures_of_end(const contact_element *e, double radius[2]) {
  radius[0] = e->size_first[0], radius[1] = CONTACT_FLAT;
}
static const char *const ends[] = {"end -z", "end +z"}, *const ends_planar[] = {"end -x", "end +x"};

const contact_type contact_capsule_plane = {
    .name = "capsule on plane",
    .point_count = 2,
    .point_count_planar = 2,
    .evaluate = capsule_plane,
    .travel = round_end,
    .point_names = ends,
    .point_names_planar = ends_planar,
    .curvatures = curvatures_of_end,
    .tell_overlap = contact_tell_surfaces,
};

// --- hull ------------------------------------------------------------------------------------------------------------

static void hull_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  for (int k = 0; k < e->point_count; k++)
    set_point(m, &body, &plane, vec3_add(body.p, mat3_mul(body.R, e->shape_first->points[k])), &points[k]);
}

const contact_type contact_hull_plane = {
    .name = "hull on plane",
    .has_own_points = true,
    .is_flat = contact_is_flat,
    .evaluate = hull_plane,
    .travel = fixed_point,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};

// --- rims ------------------------------------------------------------------------------------------------------------

enum { FACE_POINTS = FACET_ROUND };
#define LEVEL 1e-6  // a rim that is tilted by less is nearly level [rad]
// Below this tilt the lowest point may be anywhere, and change sides at once: it stands for no place, and the face
// carries the body. The polygon of the face is then 1e-9 m higher than a rim of 1 cm.
#define STANDS 1e-5

// The lowest point of a rim is off its centre by r along what of -n is across the axis a: u = -p/|p|, p = n - (n·a) a.
// Where the rim is level every point is as low, and the least tilt would send it round the rim. There it stays at the x
// axis of the body: u = w/|w|, w = -p + κ x with κ = ε³/(|p|² + ε²), which is too high by no more than ε r, and not at
// all on a rim that rolls.
typedef struct lowest {
  vec3 p, u;
  double size;   // |w|
  double blend;  // κ
} lowest;

static lowest lowest_along(mat3 R, vec3 n) {
  vec3 a = mat3_column(R, 2), x = mat3_column(R, 0), p = vec3_axpy(n, -vec3_dot(n, a), a);
  double blend = LEVEL * LEVEL * LEVEL / (vec3_dot(p, p) + LEVEL * LEVEL);
  vec3 w = vec3_axpy(vec3_neg(p), blend, x);
  double size = vec3_norm(w);
  if (size < 1e-3 * LEVEL) return (lowest){p, x, LEVEL, blend};  // no direction is left
  return (lowest){p, vec3_scale(1 / size, w), size, blend};
}

static void set_rim(const mechanism *m, const marker_place *body, const marker_place *plane, double radius,
                    double height, contact_point *p) {
  vec3 centre = vec3_axpy(body->p, height, mat3_column(body->R, 2));
  lowest at = lowest_along(body->R, contact_plane_normal(m, plane));
  set_point(m, body, plane, vec3_axpy(centre, radius, at.u), p);
  p->absent = vec3_dot(at.p, at.p) < STANDS * STANDS;
}

static void set_face(const mechanism *m, const marker_place *body, const marker_place *plane, double radius,
                     double height, contact_point *points) {
  vec3 centre = vec3_axpy(body->p, height, mat3_column(body->R, 2)), x = mat3_column(body->R, 0),
       y = mat3_column(body->R, 1);
  for (int k = 0; k < FACE_POINTS; k++) {
    double cosine, sine;
    facet_round_corner(k, &cosine, &sine);
    set_point(m, body, plane,
              vec3_axpy(vec3_axpy(centre, FACET_INSIDE * radius * cosine, x), FACET_INSIDE * radius * sine, y),
              &points[k]);
  }
}

// u̇ = (ẇ - (ẇ·u) u)/|w|.
static contact_travel lowest_point(const mechanism *m, const motion *x, const contact_element *e,
                                   const contact_point *p) {
  marker_state body = marker_read(m, x, e->first), plane = marker_read(m, x, e->second);
  vec3 a = mat3_column(body.R, 2), a_rate = vec3_cross(body.w, a), n_rate = vec3_cross(plane.w, p->n);
  lowest at = lowest_along(body.R, p->n);
  vec3 u = at.u, axis = mat3_column(body.R, 0);
  vec3 p_rate =
      vec3_axpy(vec3_axpy(n_rate, -vec3_dot(p->n, a), a_rate), -(vec3_dot(n_rate, a) + vec3_dot(p->n, a_rate)), a);
  double blend_rate = -2 * at.blend * at.blend / (LEVEL * LEVEL * LEVEL) * vec3_dot(at.p, p_rate);
  vec3 rate = vec3_axpy(vec3_axpy(vec3_neg(p_rate), at.blend, vec3_cross(body.w, axis)), blend_rate, axis);
  vec3 turn = vec3_scale(1 / at.size, vec3_axpy(rate, -vec3_dot(rate, u), u));
  vec3 centre = vec3_axpy(p->at, -e->size_first[0], u);
  vec3 v = contact_velocity_at(&body, centre);
  return (contact_travel){.at = vec3_axpy(v, e->size_first[0], turn), .n = n_rate};
}

// Of the two faces the one that looks at the plane.
static void cylinder_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  double half = 0.5 * e->size_first[1], radius = e->size_first[0];
  bool upright = vec3_dot(contact_plane_normal(m, &plane), mat3_column(body.R, 2)) > 0;
  set_rim(m, &body, &plane, radius, -half, &points[0]);
  set_rim(m, &body, &plane, radius, half, &points[1]);
  set_face(m, &body, &plane, radius, upright ? -half : half, points + 2);
}

static void cone_plane(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place body = marker_find(m, x, e->first), plane = marker_find(m, x, e->second);
  double half = 0.5 * e->size_first[1], radius = e->size_first[0];
  set_rim(m, &body, &plane, radius, -half, &points[0]);
  set_point(m, &body, &plane, vec3_axpy(body.p, half, mat3_column(body.R, 2)), &points[1]);
  set_face(m, &body, &plane, radius, -half, points + 2);
}

static contact_travel point_of_cylinder(const mechanism *m, const motion *x, const contact_element *e,
                                        const contact_point *p, int k) {
  return k < 2 ? lowest_point(m, x, e, p) : fixed_point(m, x, e, p, k);
}

static contact_travel point_of_cone(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *p, int k) {
  return k < 1 ? lowest_point(m, x, e, p) : fixed_point(m, x, e, p, k);
}

#define FACE                                                                                                          \
  "face 0 deg", "face 15 deg", "face 30 deg", "face 45 deg", "face 60 deg", "face 75 deg", "face 90 deg",             \
      "face 105 deg", "face 120 deg", "face 135 deg", "face 150 deg", "face 165 deg", "face 180 deg", "face 195 deg", \
      "face 210 deg", "face 225 deg", "face 240 deg", "face 255 deg", "face 270 deg", "face 285 deg", "face 300 deg", \
      "face 315 deg", "face 330 deg", "face 345 deg"
static const char *const rims[] = {"rim -z", "rim +z", FACE}, *const rim_and_tip[] = {"rim", "tip", FACE};

const contact_type contact_cylinder_plane = {
    .name = "cylinder on plane",
    .point_count = 2 + FACE_POINTS,
    .is_flat = contact_is_flat,
    .evaluate = cylinder_plane,
    .travel = point_of_cylinder,
    .point_names = rims,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};
const contact_type contact_cone_plane = {
    .name = "cone on plane",
    .point_count = 2 + FACE_POINTS,
    .is_flat = contact_is_flat,
    .evaluate = cone_plane,
    .travel = point_of_cone,
    .point_names = rim_and_tip,
    .curvatures = contact_corner_curvatures,
    .tell_overlap = contact_tell_surfaces,
};
