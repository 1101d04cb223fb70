// Steps of a small mechanism on which weight and contacts alone act. Most steps of a mechanism with clearance are
// without contact: the parts of a step that look for what else may act cost more than its motion. In the others, rows
// of contacts are taken as vectors over the speeds, with their rates and W, and never stored as rows of bodies.
#include "scheme/stepper_internal.h"

bool stepper_may_fly(const stepper *s) {
  const contact_state *c = s->contacts;
  bool cheap = s->sweeps && s->m->nq == s->m->nv && s->rule->ahead == 0 && !s->meeting.any && !s->near.passes;
  for (int i = 0; i < c->element_count; i++) cheap &= c->elements[i]->type->least_gap != NULL;
  return cheap && !c->pool && !c->changing_count && !c->starting_count;
}

bool stepper_may_take_pairs(const stepper *s) {
  bool plain = s->may_fly;
  for (int i = 0; i < s->contacts->element_count; i++)
    plain &= !s->contacts->elements[i]->type->action && !contact_rolls(s->contacts->elements[i]);
  return plain;
}

static response_pair pair_along(const contact_point *p, vec3 d) {
  return (response_pair){p->node_first, p->node_second, p->at.x, p->at.y, d.x, d.y};
}

bool stepper_take_pairs(stepper *s) {
  response_pair pairs[RESPONSE_PAIRS];
  int count = 0;
  for (int k = 0; k < s->near.active_count; k++) {
    const contact_point *p = &s->near.points[s->near.active[k]];
    pairs[count++] = pair_along(p, p->n);
    if (contact_sliding_rows(s->m, s->near.element_of[s->near.active[k]]) > 1) pairs[count++] = pair_along(p, p->t[0]);
  }
  return response_take_pairs(s->m, s->x, pairs, count, s->u_R, s->u_free, s->problem.rate_before, s->problem.rate_free,
                             s->problem.storage.W);
}

bool stepper_sweep(stepper *s, double dt) {
  double way = s->rule->place * dt;
  s->u_R = s->u;
  s->x->t = s->t + way;
  return response_sweep(s->m, s->x, s->q, s->u, way, dt, s->u_free);
}

// What the last steps have found of contacts and booked is that of steps without contact.
static bool is_free(const stepper *s) {
  if (!s->may_fly || s->impacts->open_count || s->books.differ) return false;
  for (int i = 0; i < s->contacts->element_count; i++)
    if (stepper_touched_of_late(s, s->contacts->elements[i])) return false;
  return true;
}

static bool stays_apart(const stepper *s) {
  for (int i = 0; i < s->contacts->element_count; i++)
    if (!stepper_is_apart(s, s->contacts->elements[i])) return false;
  return true;
}

bool stepper_flies(stepper *s, double dt) {
  if (!is_free(s) || !stepper_sweep(s, dt) || !stays_apart(s)) return false;
  s->overlap.moves = false;
  s->overlap.depth = s->overlap.shift = 0;
  return true;
}

// A step without contact. Returns false, and leaves the state, if something may touch or a number is not finite.
static bool fly_a_step(stepper *s, double t_next) {
  double dt = t_next - s->t, *q = s->q_next, *u = s->u_next;
  if (!response_fly(s->m, s->x, s->q, s->u, s->rule->place * dt, dt, q, u) || !stays_apart(s)) return false;
  s->q_next = s->q_A, s->u_next = s->u_A, s->q_A = s->q, s->u_A = s->u, s->q = q, s->u = u;
  s->dt_before = s->dt, s->dt = dt;
  s->t_A = s->t, s->t = t_next;
  return true;
}

// The motion at the end of the last step.
static void end_flight(stepper *s) {
  for (int i = 0; i < s->m->nv; i++) s->x->q[i] = s->q[i], s->x->u[i] = s->u[i];
  s->x->t = s->t;
  s->x->level = LEVEL_NONE;
}

long stepper_fly(void *scheme, double t_stop, long most) {
  stepper *s = scheme;
  const double h = s->settings.step;
  long taken = 0;
  bool tried = false;
  if (s->shown.shows_A || s->t != s->grid * h || !is_free(s)) return 0;
  while (taken < most) {
    double t_next = (s->grid + 1) * h;
    if (t_next > t_stop - 1e-9 * h) break;  // the last step looks at its end, too
    tried = true;
    if (!fly_a_step(s, t_next)) break;
    s->grid++, s->steps++, taken++;
  }
  if (taken > 0) {
    s->projection.energy_A = s->projection.energy;
    s->overlap.energy_A = s->overlap.energy;
    s->overlap.moves = false;
    s->overlap.depth = s->overlap.depth_before = s->overlap.shift = 0;
    s->at_end.leaps = 0, s->at_end.deepest = s->at_end.entered = 0;
  }
  if (tried) end_flight(s);
  return taken;
}
