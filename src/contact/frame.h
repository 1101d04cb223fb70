// Tangents to a normal: in the plane the normal turned by a right angle, in space any two that change smoothly with it.
#ifndef CONTACT_FRAME_H
#define CONTACT_FRAME_H

#include "contact/contact.h"
#include "mechanics/anchor.h"

extern const char *const contact_corners_planar[4];  // by the signs of x (bit 0) and y (bit 1)

static inline void contact_set_frame(const mechanism *m, contact_point *p, vec3 n) {
  p->n = n;
  p->speed = -1, p->absent = false;
  if (m->planar) {
    p->t[0] = (vec3){-n.y, n.x, 0};
    p->t[1] = (vec3){0, 0, 1};
    return;
  }
  vec3_tangents(n, p->t);  // which ones switches rarely and harmlessly: friction does not care
}

// A round body at `at` in a hollow one, off its centre by `offset`: the gap is c - |offset|, and they touch on the far
// side. What both joints of that kind share (bearing, socket) is here.
static inline void contact_set_hollow(const mechanism *m, const contact_element *e, vec3 offset, vec3 otherwise,
                                      vec3 at, contact_point *p) {
  double eccentricity = vec3_norm(offset);
  vec3 n = eccentricity > 0 ? vec3_scale(1 / eccentricity, offset) : otherwise;
  p->gap = e->clearance - eccentricity;
  p->at = vec3_axpy(at, e->size_second[0], n);
  contact_set_frame(m, p, n);
}

// A point of one of the two surfaces that is at a place in the world now.
typedef enum contact_side { CONTACT_FIRST, CONTACT_SECOND } contact_side;
static inline anchor contact_anchor(const mechanism *m, const motion *x, const contact_element *e,
                                    const contact_point *p, contact_side side, vec3 place) {
  anchor a = anchor_at(x, side == CONTACT_FIRST ? p->node_first : p->node_second, place);
  if (x->flexible) a.frame = flexible_frame(m, x, side == CONTACT_FIRST ? e->first : e->second);
  return a;
}

// The normal is fixed to the surface of `wall`, and the place lies at a distance along it from a point of the other.
static inline contact_travel contact_travel_on_wall(const mechanism *m, const motion *x, const contact_element *e,
                                                    const contact_point *p, contact_side wall, double distance) {
  anchor on_wall = contact_anchor(m, x, e, p, wall, p->at);
  anchor from = contact_anchor(m, x, e, p, wall == CONTACT_FIRST ? CONTACT_SECOND : CONTACT_FIRST,
                               vec3_axpy(p->at, -distance, p->n));
  vec3 n = vec3_cross(anchor_omega(m, x, &on_wall), p->n);
  return (contact_travel){.at = vec3_axpy(anchor_velocity(m, x, &from), distance, n), .n = n};
}

// The rate of n = e/|e| for the rate of e.
static inline vec3 contact_turn_of(vec3 n, double length, vec3 rate) {
  return vec3_scale(1 / length, vec3_axpy(rate, -vec3_dot(n, rate), n));
}

contact_travel contact_hollow_travel(const mechanism *m, const motion *x, const contact_element *e,
                                     const contact_point *p, int k);
void contact_hollow_curvatures(const contact_element *e, double radius[2]);
int contact_hollow_mode(const contact_element *e, const bool *active);
extern const char *const contact_hollow_modes[];  // free, impact, following

#endif
