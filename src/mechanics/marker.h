// Reading a marker and pushing on it. Everything in three dimensions and world axes, planar models included.
#ifndef MECHANICS_MARKER_H
#define MECHANICS_MARKER_H

#include "mechanics/mechanism.h"

typedef struct marker_state {
  int node;
  mat3 R;      // axes in the world
  vec3 p;      // position
  vec3 arm;    // from the body's origin to the marker
  vec3 v, w;   // velocity, angular velocity of the body
} marker_state;

// Where it is, without its motion: for gaps, which are looked at far more often than contacts happen.
typedef struct marker_place {
  int node;
  mat3 R;
  vec3 p;
} marker_place;

static inline marker_place marker_find(const mechanism *m, const motion *x, int i) {
  const marker *k = &m->markers[i];
  marker_place s = {.node = m->bodies[k->body].node};
  const tree_link *l = &x->links[s.node];
  if (m->planar) {
    double c = l->R.m[0], n = l->R.m[3], kc = k->local.R.m[0], kn = k->local.R.m[3];
    double rc = c * kc - n * kn, rn = n * kc + c * kn;
    s.R = (mat3){{rc, -rn, 0, rn, rc, 0, 0, 0, 1}};
    s.p = (vec3){l->p.x + c * k->local.p.x - n * k->local.p.y, l->p.y + n * k->local.p.x + c * k->local.p.y, 0};
  } else {
    s.R = mat3_product(l->R, k->local.R);
    s.p = vec3_add(l->p, mat3_mul(l->R, k->local.p));
  }
  return s;
}

marker_state marker_read(const mechanism *m, const motion *x, int i);
// Velocity-dependent part of the marker's acceleration beside that of its body: ω × (ω × arm).
static inline vec3 marker_centripetal(const marker_state *s) { return vec3_centripetal(s->w, s->arm); }
// Acceleration of the marker's point, once links[].A is known.
vec3 marker_acceleration(const mechanism *m, const motion *x, int i);

// Velocity of the marker's point, and angular velocity, at the speeds that tree_spread was last given.
vec3 marker_spread_velocity(const mechanism *m, const motion *x, const marker_state *s);
vec3 marker_spread_omega(const mechanism *m, const motion *x, const marker_state *s);

// Adds a force at `at` (world position) and a torque to the body of a node.
void marker_push(const mechanism *m, motion *x, int node, vec3 at, vec3 force, vec3 torque);

// Between blocks of the model's width and vectors in space.
static inline vec3 block_angular(const mechanism *m, const double *b) {
  return m->planar ? (vec3){0, 0, b[0]} : vec3_of(b);
}
static inline vec3 block_linear(const mechanism *m, const double *b) {
  return m->planar ? (vec3){b[1], b[2], 0} : vec3_of(b + 3);
}
static inline void block_store(const mechanism *m, double *b, vec3 angular, vec3 linear) {
  if (m->planar)
    b[0] = angular.z, b[1] = linear.x, b[2] = linear.y;
  else
    vec3_store(b, angular), vec3_store(b + 3, linear);
}

#endif
