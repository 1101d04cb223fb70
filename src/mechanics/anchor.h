// An anchor is a point of a body: where joints, forces, constraints and contacts act on it. Everything that depends on
// how the body moves goes through here: position, velocity, row on the body's velocity, bias, applied force. In three
// dimensions and world axes, planar models included.
//
// With s the arm from the body's origin:  v = v₀ + ω × s,  a = a₀ + α × s + ω × (ω × s),  and a force f with a torque τ
// at the anchor is the wrench (τ + s × f, f) at the origin, which is also the row of the rate f·v + τ·ω.
//
// On a flexible body a point is fixed to the frame of a marker, and moves with the modes, too.
#ifndef MECHANICS_ANCHOR_H
#define MECHANICS_ANCHOR_H

#include "mechanics/flexible.h"
#include "mechanics/mechanism.h"

typedef struct anchor {
  int node;
  vec3 arm;                      // its place in the body, from the body's origin, at the present position
  const flexible_marker *frame;  // of a flexible body: the marker that it is fixed to; null if it is rigid
} anchor;

// Between blocks of the model's width and vectors in space.
static inline vec3 block_angular(const mechanism *m, const double *b) {
  return m->planar ? (vec3){0, 0, b[0]} : vec3_of(b);
}
static inline vec3 block_linear(const mechanism *m, const double *b) {
  return m->planar ? (vec3){b[1], b[2], 0} : vec3_of(b + 3);
}
static inline void block_store(const mechanism *m, double *b, vec3 angular, vec3 linear) {
  if (m->planar) b[0] = angular.z, b[1] = linear.x, b[2] = linear.y;
  else vec3_store(b, angular), vec3_store(b + 3, linear);
}

// The point of a body that is at a place in the world now.
static inline anchor anchor_at(const motion *x, int node, vec3 place) {
  return (anchor){.node = node, .arm = vec3_sub(place, x->links[node].p)};
}

static inline vec3 anchor_position(const motion *x, const anchor *a) { return vec3_add(x->links[a->node].p, a->arm); }

// From the marker on a flexible body that it is fixed to.
static inline vec3 anchor_off(const motion *x, const anchor *a) { return vec3_sub(anchor_position(x, a), a->frame->p); }

// The velocity of the anchor where its body has the velocity `block`, without that of the modes.
static inline vec3 anchor_velocity_of(const mechanism *m, const anchor *a, const double *block) {
  if (m->planar) return (vec3){block[1] - block[0] * a->arm.y, block[2] + block[0] * a->arm.x, 0};
  return vec3_add(vec3_of(block + 3), vec3_cross(vec3_of(block), a->arm));
}

// Velocity and angular velocity now, and at the speeds that tree_spread was last given.
static inline vec3 anchor_velocity(const mechanism *m, const motion *x, const anchor *a) {
  if (a->frame) return vec3_add(a->frame->v, vec3_cross(a->frame->w, anchor_off(x, a)));
  return anchor_velocity_of(m, a, x->links[a->node].V);
}
static inline vec3 anchor_omega(const mechanism *m, const motion *x, const anchor *a) {
  if (a->frame) return a->frame->w;
  return block_angular(m, x->links[a->node].V);
}
static inline vec3 anchor_spread_velocity(const mechanism *m, const motion *x, const anchor *a) {
  const vec3 v = anchor_velocity_of(m, a, x->links[a->node].A);
  return a->frame ? vec3_add(v, flexible_point_rate(m, x, a->frame, anchor_off(x, a))) : v;
}
static inline vec3 anchor_spread_omega(const mechanism *m, const motion *x, const anchor *a) {
  const vec3 w = block_angular(m, x->links[a->node].A);
  return a->frame ? vec3_add(w, flexible_turn_rate(m, x, a->frame)) : w;
}

// The part of the acceleration that depends on the velocity, ω × (ω × s).
static inline vec3 anchor_bias(const mechanism *m, const motion *x, const anchor *a) {
  if (a->frame) return flexible_point_bias(a->frame, anchor_off(x, a));
  return vec3_centripetal(anchor_omega(m, x, a), a->arm);
}
// The same of the angular acceleration, which a point of a rigid body does not have.
static inline vec3 anchor_turn_bias(const anchor *a) { return a->frame ? a->frame->angular_c : VEC3_ZERO; }
// The same for the body's velocity at a place that travels over it and is at the anchor now: ω × (travel - v₀), with
// the velocity `travel` of the place in the world.
static inline vec3 anchor_bias_along(const mechanism *m, const motion *x, const anchor *a, vec3 travel) {
  if (a->frame) return flexible_travel_bias(a->frame, anchor_off(x, a), travel);
  return vec3_cross(anchor_omega(m, x, a), vec3_sub(travel, block_linear(m, x->links[a->node].V)));
}
// The acceleration, once links[].A is known.
static inline vec3 anchor_acceleration(const mechanism *m, const motion *x, const anchor *a) {
  return vec3_add(anchor_spread_velocity(m, x, a), anchor_bias(m, x, a));
}

// The wrench of a force and a torque at the anchor, or the row of the rate force·v + torque·ω.
static inline void anchor_wrench(const mechanism *m, const anchor *a, vec3 force, vec3 torque, double *block) {
  if (m->planar) {
    block[0] = torque.z + a->arm.x * force.y - a->arm.y * force.x;
    block[1] = force.x, block[2] = force.y;
  } else {
    vec3_store(block, vec3_add(torque, vec3_cross(a->arm, force)));
    vec3_store(block + 3, force);
  }
}
// The torque at the anchor of a wrench with the torque `moment` at the body's origin.
static inline vec3 anchor_torque(const anchor *a, vec3 force, vec3 moment) {
  return vec3_sub(moment, vec3_cross(a->arm, force));
}

// The terms of the same row on the modal speeds of a flexible body, whose speeds are known: c := factor times the
// efforts. Returns where the next term stands.
static inline row_speed *anchor_efforts(const mechanism *m, const motion *x, const anchor *a, double factor, vec3 force,
                                        vec3 torque, row_speed *to) {
  for (int k = 0; a->frame && k < m->nodes[a->node].modes; k++)
    (to++)->c = factor * flexible_effort(m, a->frame, k, anchor_off(x, a), force, torque);
  return to;
}
// What the modes add to the rate force·v + torque·ω where their rates are those that tree_spread was last given, or
// their accelerations.
static inline double anchor_modal_rate(const mechanism *m, const motion *x, const anchor *a, vec3 force, vec3 torque) {
  if (!a->frame) return 0;
  return vec3_dot(force, flexible_point_rate(m, x, a->frame, anchor_off(x, a))) +
         vec3_dot(torque, flexible_turn_rate(m, x, a->frame));
}

// Adds a force and a torque at the anchor to what is applied to its body.
static inline void anchor_push(const mechanism *m, motion *x, const anchor *a, vec3 force, vec3 torque) {
  if (a->node == GROUND) return;
  double f[6], *F = x->links[a->node].F;
  anchor_wrench(m, a, force, torque, f);
  for (int k = 0; k < m->n; k++) F[k] += f[k];
  if (a->frame) flexible_push(m, x, a->frame, anchor_off(x, a), force, torque);
}

#endif
