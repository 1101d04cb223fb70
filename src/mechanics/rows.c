#include "mechanics/rows.h"

#include <math.h>

#include "mechanics/block.h"
#include "mechanics/coordinate.h"

void rows_clear(const mechanism *m, motion *x) {
  x->row_total = m->row_count;
  x->rows_taken = 0;
}

// Each added row has room for two bodies, the trees they stand in, and one speed or the modes of both bodies.
static row *add_row(const mechanism *m, motion *x) {
  int extra = x->row_total - m->row_count;
  row *r = &x->rows[x->row_total++];
  r->body0 = m->row_body_count + 2 * extra, r->speed0 = m->row_speed_count + m->extra_speeds * extra;
  r->base0 = m->row_body_count + m->row_speed_count + 2 * extra;
  r->body_count = r->speed_count = r->base_count = 0;
  r->quad = r->rounding = 0;
  return r;
}

static void add_base(const mechanism *m, motion *x, row *r, int index) {
  if (index == GROUND) return;
  int base = m->nodes[index].base;
  if (r->base_count && x->row_bases[r->base0] == base) return;
  x->row_bases[r->base0 + r->base_count++] = base;
}

row_body *rows_add_pair(const mechanism *m, motion *x, int node_a, int node_b) {
  row *r = add_row(m, x);
  row_body *t = x->row_bodies + r->body0;
  r->body_count = 2;
  t[0].node = node_a, t[1].node = node_b;
  add_base(m, x, r, node_a);
  add_base(m, x, r, node_b);
  return t;
}

static void add_modes(const mechanism *m, motion *x, row *r, const anchor *a, double factor, vec3 force, vec3 torque) {
  row_speed *to = x->row_speeds + r->speed0 + r->speed_count;
  anchor_efforts(m, x, a, factor, force, torque, to);
  for (int k = 0; a->frame && k < m->nodes[a->node].modes; k++, r->speed_count++)
    to[k].speed = m->nodes[a->node].modal_v + k;
}

void rows_add_modes(const mechanism *m, motion *x, const anchor *a, const anchor *b, vec3 force, vec3 torque) {
  row *r = &x->rows[x->row_total - 1];
  add_modes(m, x, r, a, 1, force, torque);
  add_modes(m, x, r, b, -1, force, torque);
}

void rows_add_coordinate(const mechanism *m, motion *x, coordinate of, double factor) {
  const coordinate_row r = coordinate_get_row(m, x, of);
  row_body *pair = rows_add_pair(m, x, r.a.node, r.b.node);
  for (int k = 0; k < m->n; k++) pair[0].J[k] = factor * r.Ja[k], pair[1].J[k] = factor * r.Jb[k];
  rows_add_modes(m, x, &r.b, &r.a, vec3_scale(factor, r.force), vec3_scale(factor, r.torque));
  rows_set_bias(x, factor * r.quad);
}

void rows_add_speed(const mechanism *m, motion *x, int speed, double c) {
  row *r = add_row(m, x);
  x->row_speeds[r->speed0] = (row_speed){speed, c};
  r->speed_count = 1;
  add_base(m, x, r, m->speed_node[speed]);
}

void rows_set_bias(motion *x, double quad) {
  row *r = &x->rows[x->row_total - 1];
  r->quad = quad;
  r->rounding = ROWS_ROUNDING * fabs(quad);
}

void rows_rates(const mechanism *m, const motion *x, double *rates) {
  for (int i = 0; i < x->row_total; i++) {
    const row *r = &x->rows[i];
    double sum = 0;
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      sum += block_dot(m->n, t->J, x->links[t->node].V);
    }
    for (int k = 0; k < r->speed_count; k++)
      sum += x->row_speeds[r->speed0 + k].c * x->u[x->row_speeds[r->speed0 + k].speed];
    rates[i] = sum;
  }
}
