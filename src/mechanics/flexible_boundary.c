#include "mechanics/flexible_boundary.h"

#include "mechanics/anchor.h"

// Σ shift of a node with the factors of the modes, and of the fields.
static vec2 moved(const node *n, int k, const double *by, const double *by_field) {
  const int fields = n->flex->inertia.fields;
  const vec2 *shift = n->flex->boundary->shift + (long)k * n->modes, *field = n->flex->boundary->field + k * fields;
  vec2 sum = {0, 0};
  for (int i = 0; i < n->modes; i++) sum = vec2_axpy(sum, by[i], shift[i]);
  for (int i = 0; i < fields; i++) sum = vec2_axpy(sum, by_field[i], field[i]);
  return sum;
}

// How the section of a node on the side of a beam turns. A node beside the axis moves by -½ θ² of its distance then.
static double turned(const node *n, int k, const double *by) {
  double sum = 0;
  for (int i = 0; n->flex->boundary->turn && i < n->modes; i++)
    sum += by[i] * n->flex->boundary->turn[(long)k * n->modes + i];
  return sum;
}

void flexible_boundary_allocate(arena *memory, const node *n, flexible_link *f) {
  const int fields = n->flex->inertia.fields;
  f->boundary = ARENA_ARRAY(memory, vec2, n->flex->boundary->count);
  f->fields = ARENA_NEW(memory, flexible_fields);
  *f->fields = (flexible_fields){ARENA_ARRAY(memory, double, fields), ARENA_ARRAY(memory, double, fields),
                                 ARENA_ARRAY(memory, double, fields), ARENA_ARRAY(memory, double, n->modes *fields)};
}

// The state of an evaluation is shared with other bodies.
static void keep_fields(const node *n, flexible_link *f) {
  const int fields = n->flex->inertia.fields, across = PACK * pack_count(fields);
  const floating_state *s = &f->state;
  for (int k = 0; k < fields; k++) {
    f->fields->s[k] = ((const double *)s->s)[k], f->fields->rate[k] = ((const double *)s->sdot)[k];
    f->fields->curved[k] = ((const double *)s->curved)[k];
    for (int i = 0; i < n->modes; i++)
      f->fields->by_mode[i * fields + k] = ((const double *)s->by_mode)[i * across + k];
  }
}

void flexible_boundary_place(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  const flexible_boundary *b = n->flex->boundary;
  flexible_link *f = &x->flexible[index];
  if (!b) return;
  keep_fields(n, f);
  for (int k = 0; k < b->count; k++) {
    const double theta = turned(n, k, x->q + n->modal_q);
    f->boundary[k] = vec2_add(b->at[k], moved(n, k, x->q + n->modal_q, f->fields->s));
    f->boundary[k].y -= 0.5 * theta * theta * b->at[k].y;
  }
}

// The rate of its place in the body's axes.
static vec2 rate_of(const motion *x, const node *n, const flexible_fields *of, int k) {
  const double *q = x->q + n->modal_q, *qdot = x->u + n->modal_v;
  vec2 sum = moved(n, k, qdot, of->rate);
  sum.y -= turned(n, k, q) * turned(n, k, qdot) * n->flex->boundary->at[k].y;
  return sum;
}

// Displacement of a node per unit of a modal coordinate.
static vec2 shift_of(const motion *x, const node *n, const flexible_fields *of, int k, int mode) {
  const flexible_boundary *b = n->flex->boundary;
  const int fields = n->flex->inertia.fields;
  vec2 sum = b->shift[(long)k * n->modes + mode];
  if (b->turn) sum.y -= turned(n, k, x->q + n->modal_q) * b->turn[(long)k * n->modes + mode] * b->at[k].y;
  for (int i = 0; i < fields; i++) sum = vec2_axpy(sum, of->by_mode[mode * fields + i], b->field[k * fields + i]);
  return sum;
}

// What of the second derivative of its place does not depend on q̈.
static vec2 curved_of(const motion *x, const node *n, const flexible_fields *of, int k) {
  const int fields = n->flex->inertia.fields;
  const double theta_rate = turned(n, k, x->u + n->modal_v);
  vec2 sum = {0, -theta_rate * theta_rate * n->flex->boundary->at[k].y};
  for (int i = 0; i < fields; i++) sum = vec2_axpy(sum, of->curved[i], n->flex->boundary->field[k * fields + i]);
  return sum;
}

static vec2 between(vec2 a, vec2 b, double part) { return vec2_axpy(a, part, vec2_sub(b, a)); }

static vec3 in_world(const tree_link *l, vec2 a) { return mat3_mul(l->R, vec2_in_space(a)); }

// With a the place in the body's axes, r its rate by the modes:  v = v₀ + ω × R a + R r,  and while the part s changes,
//   v̇ = … + ω × (ω × R a) + 2 ω × R r + R c + ṡ R (r₂ - r₁),  c what of ṙ does not depend on q̈,
// besides what ω does to a place that travels, which anchors have.
flexible_marker flexible_spot_frame(const mechanism *m, const motion *x, int index, const flexible_spot *s,
                                    double slide, double *columns) {
  const node *n = &m->nodes[index];
  const tree_link *l = &x->links[index];
  const vec2 *place = x->flexible[index].boundary;
  const flexible_fields *fields = x->flexible[index].fields;
  const int a = s->node[0], b = s->node[1];
  const vec2 rate_a = rate_of(x, n, fields, a), rate_b = a == b ? rate_a : rate_of(x, n, fields, b);
  const vec2 at = between(place[a], place[b], s->part), along = vec2_sub(rate_b, rate_a);
  const vec2 curved = between(curved_of(x, n, fields, a), curved_of(x, n, fields, b), s->part);
  const vec3 w = block_angular(m, l->V), arm = in_world(l, at), rate = in_world(l, vec2_axpy(rate_a, s->part, along));
  flexible_marker f = {.node = index, .turned = l->R, .p = vec3_add(l->p, arm), .w = w, .columns = columns};
  f.v = vec3_add(vec3_add(block_linear(m, l->V), vec3_cross(w, arm)), rate);
  f.linear_c = vec3_axpy(vec3_centripetal(w, arm), 2, vec3_cross(w, rate));
  f.linear_c = vec3_axpy(vec3_add(f.linear_c, in_world(l, curved)), slide, in_world(l, along));
  for (int i = 0; columns && i < n->modes; i++) {
    double column[6];
    const vec2 shift = between(shift_of(x, n, fields, a, i), shift_of(x, n, fields, b, i), s->part);
    block_store(m, column, VEC3_ZERO, in_world(l, shift));
    for (int k = 0; k < m->n; k++) columns[k * flexible_across(n) + i] = column[k];
  }
  return f;
}

vec3 flexible_boundary_velocity(const mechanism *m, const motion *x, int index, int node) {
  return flexible_spot_frame(m, x, index, &(flexible_spot){{node, node}, 0}, 0, NULL).v;
}
