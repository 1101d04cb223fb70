// Steps without contact of a small mechanism on which weight alone acts. Most steps of a mechanism with clearance are
// such: the parts of a step that look for what else may act cost more than its motion.
#include "scheme/stepper_internal.h"

bool stepper_may_fly(const stepper *s) {
  const contact_state *c = s->contacts;
  bool cheap = s->sweeps && s->m->nq == s->m->nv && s->rule->ahead == 0 && !s->meeting.any && !s->near.passes;
  for (int i = 0; i < c->element_count; i++) cheap &= c->elements[i]->type->gaps != NULL;
  return cheap && !c->pool && !c->changing_count && !c->starting_count;
}

bool stepper_sweep(stepper *s, double dt) {
  double way = s->rule->place * dt;
  s->u_R = s->u;
  s->x->t = s->t + way;
  return response_sweep(s->m, s->x, s->q, s->u, way, dt, s->u_free);
}

// What the last steps have found of contacts and booked is then that of steps without contact.
bool stepper_flies(stepper *s, double dt) {
  if (!s->may_fly || s->impacts->open_count || s->books.differ) return false;
  for (int i = 0; i < s->contacts->element_count; i++)
    if (stepper_touched_of_late(s, s->contacts->elements[i])) return false;
  if (!stepper_sweep(s, dt)) return false;
  for (int i = 0; i < s->contacts->element_count; i++)
    if (!stepper_is_apart(s, s->contacts->elements[i])) return false;
  s->overlap.moves = false;
  s->overlap.depth = s->overlap.shift = 0;
  return true;
}
