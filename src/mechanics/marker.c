#include "mechanics/marker.h"

// In the plane a turn is a cosine and a sine.
static void turn_planar(const tree_link *l, const marker *k, marker_state *s) {
  double c = l->R.m[0], n = l->R.m[3], kc = k->local.R.m[0], kn = k->local.R.m[3];
  double rc = c * kc - n * kn, rn = n * kc + c * kn;
  s->R = (mat3){{rc, -rn, 0, rn, rc, 0, 0, 0, 1}};
  s->anchor.arm = (vec3){c * k->local.p.x - n * k->local.p.y, n * k->local.p.x + c * k->local.p.y, 0};
}

marker_state marker_read(const mechanism *m, const motion *x, int i) {
  const marker *k = &m->markers[i];
  marker_state s;
  s.anchor.node = m->bodies[k->body].node, s.anchor.frame = NULL;
  const tree_link *l = &x->links[s.anchor.node];
  if (k->shape) {
    const flexible_marker *f = s.anchor.frame = &x->flexible_markers[i];
    s.R = mat3_product(f->turned, k->local.R);
    s.anchor.arm = vec3_sub(f->p, l->p);
  } else if (m->planar) {
    turn_planar(l, k, &s);
  } else {
    s.R = mat3_product(l->R, k->local.R);
    s.anchor.arm = mat3_mul(l->R, k->local.p);
  }
  s.p = anchor_position(x, &s.anchor);
  s.w = anchor_omega(m, x, &s.anchor);
  s.v = anchor_velocity(m, x, &s.anchor);
  return s;
}
