// Tangents to a normal: in the plane the normal turned by a right angle, in space any two that change smoothly with it.
#ifndef CONTACT_FRAME_H
#define CONTACT_FRAME_H

#include "contact/contact.h"

static inline void contact_set_frame(const mechanism *m, contact_point *p, vec3 n) {
  p->n = n;
  p->speed = -1;
  if (m->planar) {
    p->t[0] = (vec3){-n.y, n.x, 0};
    p->t[1] = (vec3){0, 0, 1};
    return;
  }
  // Cross with the axis least along n; switching axes is rare and harmless, friction does not care which tangents.
  vec3 axis = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (vec3){1, 0, 0}
              : fabs(n.y) <= fabs(n.z)                         ? (vec3){0, 1, 0}
                                                               : (vec3){0, 0, 1};
  vec3 t = vec3_cross(axis, n);
  p->t[0] = vec3_scale(1 / vec3_norm(t), t);
  p->t[1] = vec3_cross(n, p->t[0]);
}

#endif
