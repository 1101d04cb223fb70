// Bodies at rest. What solutions leave of their velocities moves them by rounding only, in every step. Rows are
// evaluated at positions of free bodies that are rounded, by far less than any tolerance: there a body at rest has the
// same position to the bit in every step. Its contact points and rows then are those of the last step, and are not
// found again. They follow from the rounded positions alone, so that nothing depends on whether they are found again.
// The state itself is not rounded.
#include <math.h>
#include <string.h>

#include "mechanics/joint.h"
#include "mechanics/tree.h"
#include "scheme/stepper_internal.h"

// A position is rounded to multiples of this times the model's size; an angle or a component of a quaternion to
// multiples of itself.
static const double FINEST = 1.0 / (1L << 46);

// Not for a rule that looks ahead: it closes gaps within a step, and forces would show the rounding over h².
void stepper_rest_create(stepper *s) {
  const mechanism *m = s->m;
  stepper_rest *r = &s->rest;
  r->single = ARENA_ARRAY(&s->memory, bool, m->node_count);
  r->still = ARENA_ARRAY(&s->memory, bool, m->node_count);
  r->still[GROUND] = r->single[GROUND] = true;
  for (int i = 1; i < m->node_count; i++) r->single[i] = m->nodes[i].alone;
  if (m->small || s->contacts->world->surface_count == 0 || s->rule->ahead > 0) return;
  for (int i = 1; i < m->node_count; i++) r->any |= r->single[i];
  r->exact = ARENA_ARRAY(&s->memory, double, m->nq + 1);
  r->rounded = ARENA_ARRAY(&s->memory, double, m->nq + 1);
  r->finest = ldexp(FINEST, ilogb(m->length));
  stepper_rest_forget(s);
}

// Adding a number this large leaves no finer digits.
static double rounded(double x, double finest) {
  double large = 1.5 * (double)(1L << 52) * finest;
  return (x + large) - large;
}

void stepper_round_positions(stepper *s) {
  const mechanism *m = s->m;
  double *q = s->x->q;
  memcpy(s->rest.exact, q, (size_t)m->nq * sizeof *q);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (!s->rest.single[i]) continue;
    const char *kinds = m->planar ? n->type->kinds_planar : n->type->kinds_spatial;
    for (int k = 0; k < n->nq; k++) q[n->q + k] = rounded(q[n->q + k], kinds[k] == 't' ? s->rest.finest : FINEST);
  }
}

void stepper_rest_forget(stepper *s) {
  if (!s->rest.any) return;
  for (int i = 0; i < s->m->nq; i++) s->rest.rounded[i] = NAN;
  s->rest.formed = false;
}

void stepper_rest_look(stepper *s) {
  const mechanism *m = s->m;
  stepper_rest *r = &s->rest;
  r->same = r->any;
  if (!r->any) return;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    bool still = r->single[i];
    for (int k = n->q; k < n->q + n->nq && still; k++) still = s->x->q[k] == r->rounded[k];
    r->still[i] = still;
  }
  memcpy(r->rounded, s->x->q, (size_t)m->nq * sizeof *r->rounded);
}

static bool is_still(const stepper *s, int marker) {
  return s->rest.still[s->m->bodies[s->m->markers[marker].body].node];
}

bool stepper_rest_keeps(stepper *s, const contact_element *e) {
  stepper_known *k = &s->rest.known[e->slot];
  if (!s->rest.any) return false;
  bool stays = k->last == s->steps - 1 && contact_is_of_surfaces(e) && is_still(s, e->first) && is_still(s, e->second);
  k->last = s->steps;
  if (!stays) k->since = s->steps;
  // points are kept for two steps in turns
  long touched = s->steps - s->near.touched[e->slot];
  if (k->since > s->steps - REMEMBERED || (touched > 1 && touched <= REMEMBERED)) return false;
  if (contact_points_change(e))
    memcpy(s->contacts->found + e->point0, s->contacts->held + e->point0,
           (size_t)e->point_count * sizeof *s->contacts->held);
  return true;
}

void stepper_rest_compare_rows(stepper *s) {
  stepper_rest *r = &s->rest;
  size_t bytes = (size_t)s->near.active_count * sizeof *s->near.active;
  if (!r->any) return;
  r->same &= r->formed && !s->m->row_count && !s->m->friction_count && s->near.active_count == r->active_count &&
             memcmp(s->near.active, r->active, bytes) == 0;
  r->formed = false;
  r->active_count = s->near.active_count;
  memcpy(r->active, s->near.active, bytes);
}
