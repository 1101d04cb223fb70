// Reading a marker: the anchor where it is fixed to its body, its axes, its motion. In three dimensions and world axes,
// planar models included.
#ifndef MECHANICS_MARKER_H
#define MECHANICS_MARKER_H

#include "mechanics/anchor.h"
#include "mechanics/mechanism.h"

typedef struct marker_state {
  anchor anchor;
  mat3 R;     // axes in the world
  vec3 p;     // position
  vec3 v, w;  // velocity, angular velocity of the body
} marker_state;

// Where it is, without its motion: for gaps, which are looked at far more often than contacts happen.
typedef struct marker_place {
  int node;
  mat3 R;
  vec3 p;
  const flexible_marker *frame;  // as that of an anchor
} marker_place;

static inline marker_place marker_find(const mechanism *m, const motion *x, int i) {
  const marker *k = &m->markers[i];
  marker_place s = {.node = m->bodies[k->body].node};
  const tree_link *l = &x->links[s.node];
  if (k->shape) {
    s.frame = &x->flexible_markers[i];
    s.R = mat3_product(s.frame->turned, k->local.R), s.p = s.frame->p;
  } else if (s.node == GROUND) {
    s.R = k->local.R, s.p = k->local.p;
  } else if (m->planar) {
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

// A point at a place in the world that is fixed to it, and its angular velocity.
static inline anchor marker_anchor(const motion *x, const marker_place *s, vec3 place) {
  anchor a = anchor_at(x, s->node, place);
  a.frame = s->frame;
  return a;
}
static inline vec3 marker_omega(const mechanism *m, const motion *x, const marker_place *s) {
  return s->frame ? s->frame->w : block_angular(m, x->links[s->node].V);
}

static inline vec3 marker_spin(const mechanism *m, const motion *x, int i) {
  if (m->markers[i].shape) return x->flexible_markers[i].w;
  return block_angular(m, x->links[m->bodies[m->markers[i].body].node].V);
}

marker_state marker_read(const mechanism *m, const motion *x, int i);
// Velocity-dependent part of the marker's acceleration beside that of its body.
static inline vec3 marker_bias(const marker_state *s) {
  return s->anchor.frame ? s->anchor.frame->linear_c : vec3_centripetal(s->w, s->anchor.arm);
}

// The point of the first marker's body that is where the second marker is now, and the velocity of the second relative
// to it: the rate of D = p_b - p_a in axes that turn with the first, v_b - v_a - ω_a × D.
static inline anchor marker_opposite(const motion *x, const marker_state *a, const marker_state *b) {
  anchor opposite = anchor_at(x, a->anchor.node, b->p);
  opposite.frame = a->anchor.frame;
  return opposite;
}
static inline vec3 marker_relative_velocity(const mechanism *m, const motion *x, const anchor *opposite,
                                            const marker_state *b) {
  return vec3_sub(b->v, anchor_velocity(m, x, opposite));
}
// What of the relative acceleration, in the same axes, depends on velocities only: that of both points, and Coriolis'
// of the relative velocity v.
static inline vec3 marker_relative_bias(const marker_state *a, const anchor *opposite, const marker_state *b, vec3 v) {
  const vec3 own = opposite->frame ? flexible_point_bias(opposite->frame, vec3_sub(b->p, a->p))
                                   : vec3_centripetal(a->w, opposite->arm);
  return vec3_axpy(vec3_sub(marker_bias(b), own), -2, vec3_cross(a->w, v));
}

#endif
