#include "mechanics/flexible_boundary.h"

#include "mechanics/anchor.h"

// Σ shift of a node with the factors.
static vec2 moved(const node *n, int k, const double *by) {
  const vec2 *shift = n->flex->boundary->shift + (long)k * n->modes;
  vec2 sum = {0, 0};
  for (int i = 0; i < n->modes; i++) sum = vec2_axpy(sum, by[i], shift[i]);
  return sum;
}

void flexible_boundary_place(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  const flexible_boundary *b = n->flex->boundary;
  for (int k = 0; b && k < b->count; k++)
    x->flexible[index].boundary[k] = vec2_add(b->at[k], moved(n, k, x->q + n->modal_q));
}

static vec3 in_world(const tree_link *l, vec2 a) { return mat3_mul(l->R, vec2_in_space(a)); }

// With a the place in the body's axes, r its rate by the modes:  v = v₀ + ω × R a + R r,  and while the part s changes,
//   v̇ = … + ω × (ω × R a) + 2 ω × R r + ṡ R (r₂ - r₁),
// besides what ω does to a place that travels, which anchors have.
flexible_marker flexible_spot_frame(const mechanism *m, const motion *x, int index, const flexible_spot *s,
                                    double slide, double *columns) {
  const node *n = &m->nodes[index];
  const tree_link *l = &x->links[index];
  const vec2 *place = x->flexible[index].boundary;
  const double *qdot = x->u + n->modal_v;
  const int a = s->node[0], b = s->node[1];
  const vec2 rate_a = moved(n, a, qdot), rate_b = a == b ? rate_a : moved(n, b, qdot);
  const vec2 at = vec2_axpy(place[a], s->part, vec2_sub(place[b], place[a]));
  const vec2 along = vec2_sub(rate_b, rate_a);
  const vec3 w = block_angular(m, l->V), arm = in_world(l, at), rate = in_world(l, vec2_axpy(rate_a, s->part, along));
  flexible_marker f = {.node = index, .R = l->R, .p = vec3_add(l->p, arm), .w = w, .columns = columns};
  f.v = vec3_add(vec3_add(block_linear(m, l->V), vec3_cross(w, arm)), rate);
  f.linear_c = vec3_axpy(vec3_centripetal(w, arm), 2, vec3_cross(w, rate));
  f.linear_c = vec3_axpy(f.linear_c, slide, in_world(l, along));
  const vec2 *shift_a = n->flex->boundary->shift + (long)a * n->modes,
             *shift_b = n->flex->boundary->shift + (long)b * n->modes;
  for (int i = 0; columns && i < n->modes; i++) {
    double column[6];
    block_store(m, column, VEC3_ZERO, in_world(l, vec2_axpy(shift_a[i], s->part, vec2_sub(shift_b[i], shift_a[i]))));
    for (int k = 0; k < m->n; k++) columns[k * flexible_across(n) + i] = column[k];
  }
  return f;
}

vec3 flexible_boundary_velocity(const mechanism *m, const motion *x, int index, int node) {
  return flexible_spot_frame(m, x, index, &(flexible_spot){{node, node}, 0}, 0, NULL).v;
}
