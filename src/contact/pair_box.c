// A sphere or a point against a box. The point q of the box nearest to the centre c is c with its components cut at the
// faces. Inside the box the nearest face counts, as the shortest way out.
#include <math.h>
#include <stddef.h>

#include "contact/frame.h"
#include "contact/pairs.h"

// Everything in the axes of the box.
typedef struct nearest_place {
  vec3 q, n;        // on the box, and the outward normal there
  double distance;  // of the centre from it, negative inside [m]
  bool cut[3];      // the component of q that is cut, which does not move with the centre
} nearest_place;

static nearest_place find_outside(const double c[3], const double q[3], double distance) {
  nearest_place s = {.q = vec3_of(q), .distance = distance};
  s.n = vec3_scale(1 / distance, vec3_sub(vec3_of(c), s.q));
  for (int i = 0; i < 3; i++) s.cut[i] = c[i] != q[i];
  return s;
}

static nearest_place find_inside(const double c[3], const double half[3], int axes) {
  int face = 0;
  for (int i = 1; i < axes; i++)
    if (half[i] - fabs(c[i]) < half[face] - fabs(c[face])) face = i;
  double q[3] = {c[0], c[1], c[2]}, n[3] = {0};
  q[face] = copysign(half[face], c[face]), n[face] = copysign(1, c[face]);
  nearest_place s = {.q = vec3_of(q), .n = vec3_of(n), .distance = fabs(c[face]) - half[face]};
  s.cut[face] = true;
  return s;
}

static nearest_place find_place(const mechanism *m, const contact_element *e, vec3 centre) {
  int axes = m->planar ? 2 : 3;
  double c[3], q[3] = {0}, half[3] = {0}, square = 0;
  vec3_store(c, centre);
  for (int i = 0; i < axes; i++) {
    half[i] = 0.5 * e->size_second[i];
    q[i] = fmin(fmax(c[i], -half[i]), half[i]);
    square += (c[i] - q[i]) * (c[i] - q[i]);
  }
  double distance = sqrt(square);
  return distance > 0 ? find_outside(c, q, distance) : find_inside(c, half, axes);
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place ball = marker_find(m, x, e->first), box = marker_find(m, x, e->second);
  p->apart = contact_apart(&ball, &box);
  nearest_place s = find_place(m, e, p->apart);
  p->gap = s.distance - e->size_first[0];
  p->node_first = ball.node, p->node_second = box.node;
  p->at = vec3_add(box.p, mat3_mul(box.R, vec3_axpy(s.q, 0.5 * p->gap, s.n)));  // midway
  contact_set_frame(m, p, mat3_mul(box.R, s.n));
}

// In the axes of the box: c moves with the relative velocity, q with what of it is not cut, and n = (c - q)/|c - q|.
static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  (void)k;
  marker_state ball = marker_read(m, x, e->first), box = marker_read(m, x, e->second);
  vec3 arm = vec3_sub(ball.p, box.p);
  nearest_place s = find_place(m, e, mat3_tmul(box.R, arm));
  vec3 c_rate = mat3_tmul(box.R, vec3_sub(vec3_sub(ball.v, box.v), vec3_cross(box.w, arm)));
  vec3 q_rate = {s.cut[0] ? 0 : c_rate.x, s.cut[1] ? 0 : c_rate.y, s.cut[2] ? 0 : c_rate.z};
  vec3 turn = s.distance > 0 ? contact_turn_of(s.n, s.distance, vec3_sub(c_rate, q_rate)) : VEC3_ZERO;
  vec3 moved = vec3_axpy(vec3_axpy(q_rate, 0.5 * vec3_dot(s.n, c_rate), s.n), 0.5 * p->gap, turn);
  vec3 at = vec3_add(vec3_add(box.v, vec3_cross(box.w, vec3_sub(p->at, box.p))), mat3_mul(box.R, moved));
  return (contact_travel){.at = at, .n = vec3_add(vec3_cross(box.w, p->n), mat3_mul(box.R, turn))};
}

typedef struct pass {
  const mechanism *m;
  const contact_element *e;
} pass;

static double gap_at(const void *context, vec3 apart, double left) {
  (void)left;
  const pass *w = context;
  return find_place(w->m, w->e, apart).distance - w->e->size_first[0];
}

static double nearest(const mechanism *m, const motion *x, const contact_element *e, const contact_point *before,
                      const contact_point *after, double time, double graze) {
  (void)x, (void)time;
  return contact_least_gap(gap_at, &(pass){m, e}, before, after, 0, graze);
}

// On a face; an edge or corner of the box is sharper.
static void curvatures(const contact_element *e, double radius[2]) {
  radius[0] = e->size_first[0], radius[1] = CONTACT_FLAT;
}

const contact_type contact_sphere_box = {
    .name = "sphere on box",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = evaluate,
    .travel = travel,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
const contact_type contact_point_box = {
    .name = "point on box",
    .point_count = 1,
    .point_count_planar = 1,
    .evaluate = evaluate,
    .travel = travel,
    .curvatures = curvatures,
    .nearest = nearest,
    .tell_overlap = contact_tell_surfaces,
};
