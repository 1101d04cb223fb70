#include "mechanics/marker.h"

// In the plane a turn is a cosine and a sine.
static marker_state read_planar(const mechanism *m, const motion *x, const marker *k) {
  marker_state s = {.node = m->bodies[k->body].node};
  const tree_link *l = &x->links[s.node];
  double c = l->R.m[0], n = l->R.m[3], kc = k->local.R.m[0], kn = k->local.R.m[3], w = l->V[0];
  double rc = c * kc - n * kn, rn = n * kc + c * kn;
  s.R = (mat3){{rc, -rn, 0, rn, rc, 0, 0, 0, 1}};
  s.arm = (vec3){c * k->local.p.x - n * k->local.p.y, n * k->local.p.x + c * k->local.p.y, 0};
  s.p = (vec3){l->p.x + s.arm.x, l->p.y + s.arm.y, 0};
  s.w = (vec3){0, 0, w};
  s.v = (vec3){l->V[1] - w * s.arm.y, l->V[2] + w * s.arm.x, 0};
  return s;
}

marker_state marker_read(const mechanism *m, const motion *x, int i) {
  const marker *k = &m->markers[i];
  if (m->planar) return read_planar(m, x, k);
  marker_state s = {.node = m->bodies[k->body].node};
  const tree_link *l = &x->links[s.node];
  s.R = mat3_product(l->R, k->local.R);
  s.arm = mat3_mul(l->R, k->local.p);
  s.p = vec3_add(l->p, s.arm);
  s.w = block_angular(m, l->V);
  s.v = vec3_add(block_linear(m, l->V), vec3_cross(s.w, s.arm));
  return s;
}

vec3 marker_acceleration(const mechanism *m, const motion *x, int i) {
  marker_state s = marker_read(m, x, i);
  const double *A = x->links[s.node].A;
  vec3 a = vec3_add(block_linear(m, A), vec3_cross(block_angular(m, A), s.arm));
  return vec3_add(a, marker_centripetal(&s));
}

vec3 marker_spread_omega(const mechanism *m, const motion *x, const marker_state *s) {
  return block_angular(m, x->links[s->node].A);
}

vec3 marker_spread_velocity(const mechanism *m, const motion *x, const marker_state *s) {
  return vec3_add(block_linear(m, x->links[s->node].A), vec3_cross(marker_spread_omega(m, x, s), s->arm));
}

void marker_push(const mechanism *m, motion *x, int node, vec3 at, vec3 force, vec3 torque) {
  if (node == GROUND) return;
  tree_link *l = &x->links[node];
  double f[6];
  block_store(m, f, vec3_add(torque, vec3_cross(vec3_sub(at, l->p), force)), force);
  for (int k = 0; k < m->n; k++) l->F[k] += f[k];
}
