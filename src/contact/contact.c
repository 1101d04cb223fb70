#include "contact/contact.h"

#include <math.h>

#include "mechanics/coordinate.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"

void contact_evaluate(const contact_set *s, const mechanism *m, const motion *x, contact_point *points) {
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = &s->elements[i];
    e->type->evaluate(m, x, e, points + e->point0);
  }
}

int contact_row_count(const mechanism *m, const contact_element *e) {
  if (e->type->frictionless || e->material.friction == 0) return 1;
  return m->planar ? 2 : 3;
}

bool contact_curvatures(const contact_element *e, double radius[2]) {
  radius[0] = radius[1] = CONTACT_SHARP;
  if (!e->type->curvatures) return false;
  e->type->curvatures(e, radius);
  return true;
}

// The velocity of the first body against the second's at the point, along d.
static void add_row_along(const mechanism *m, motion *x, const contact_point *p, vec3 d) {
  double first[6], second[6];
  vec3 arm_first = vec3_sub(p->at, x->links[p->node_first].p);
  vec3 arm_second = vec3_sub(p->at, x->links[p->node_second].p);
  block_store(m, first, vec3_cross(arm_first, d), d);
  block_store(m, second, vec3_neg(vec3_cross(arm_second, d)), vec3_neg(d));
  rows_add_pair(m, x, p->node_first, first, p->node_second, second);
}

static void add_stop_row(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  if (p->speed >= 0) {
    rows_add_speed(m, x, p->speed, p->sense);
    return;
  }
  coordinate_row r = coordinate_get_row(m, x, e->of);
  for (int k = 0; k < m->n; k++) r.Ja[k] *= p->sense, r.Jb[k] *= p->sense;
  rows_add_pair(m, x, r.node_a, r.Ja, r.node_b, r.Jb);
}

void contact_add_normal(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  if (e->type == &contact_stop) add_stop_row(m, x, e, p);
  else add_row_along(m, x, p, p->n);
}

int contact_add_rows(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  int count = contact_row_count(m, e);
  contact_add_normal(m, x, e, p);
  for (int k = 1; k < count; k++) add_row_along(m, x, p, p->t[k - 1]);
  return count;
}
