// The forces of pressed surfaces, point by point.
#include <math.h>

#include "contact/frame.h"
#include "contact/law.h"
#include "mechanics/dynamics.h"
#include "mechanics/marker.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "scheme/compliant_internal.h"

// A law for a step that runs past the end of contact before that end is found: odd about δ = 0, so that the motion the
// integrator sees stays smooth.
static double formula_across(const normal_law *l, double delta, double rate, double approach) {
  return delta > 0 ? normal_formula(l, delta, rate, approach) : -normal_formula(l, -delta, -rate, approach);
}

bool compliant_acts(const compliant *s, const touch_point *c, double delta) {
  if (s->options.entry == CAROM_LOCATE) return c->now->mode != TOUCH_OPEN;
  return delta > 0 && (c->now->mode != TOUCH_OPEN || !entry_is_gated(s));
}

static double cut(const compliant *s, const touch_point *c, const normal_law *l, double formula) {
  if (s->options.entry == CAROM_LOCATE) return c->now->mode == TOUCH_PRESSED ? formula : 0;
  return l->pulls ? formula : fmax(0, formula);
}

// Bristles stand on the second body: what they are bent by is kept in the world and turns with that body; the law is
// given what of it lies along the tangents, which may change from one moment to the next.
void compliant_bend(compliant *s, const touch_point *c, watch_look *seen, const contact_point *p) {
  const friction_law *l = &c->e->material.tangential;
  motion *x = s->w.x;
  const double *kept = x->inner + c->inner;
  vec3 bent = {kept[0], kept[1], c->inner_count == 3 ? kept[2] : 0};
  double along[2] = {vec3_dot(bent, p->t[0]), vec3_dot(bent, p->t[1])}, rate[2] = {0, 0};
  l->type->force(l, fmax(0, seen->normal), seen->slip, along, seen->drag, rate);
  anchor second = contact_anchor(s->w.m, x, c->e, p, CONTACT_SECOND, p->at);
  vec3 turn = anchor_omega(s->w.m, x, &second);
  vec3 change = vec3_axpy(vec3_axpy(vec3_cross(turn, bent), rate[0], p->t[0]), rate[1], p->t[1]);
  double out[3];
  vec3_store(out, change);
  for (int k = 0; k < c->inner_count; k++) x->inner_rate[c->inner + k] = out[k];
}

static void rub(compliant *s, const touch_point *c, watch_look *seen, const contact_point *p) {
  const friction_law *l = &c->e->material.tangential;
  if (c->inner >= 0) compliant_bend(s, c, seen, p);
  else l->type->force(l, fmax(0, seen->normal), seen->slip, NULL, seen->drag, NULL);
  seen->loss[1] = -(seen->drag[0] * seen->slip[0] + seen->drag[1] * seen->slip[1]);
}

// M = -a fn tanh(4 ω/ω₀) along the direction of ω, as the default law of friction has it for forces.
static double resist(double length, double normal, const double *turn, int size, double full, double *moment) {
  double speed = size == 2 ? hypot(turn[0], turn[1]) : fabs(turn[0]),
         most = length * fmax(0, normal) * tanh(4 * speed / full);
  for (int k = 0; k < size; k++) moment[k] = speed > 0 ? -most * (turn[k] / speed) : 0;
  return most * speed;
}

void compliant_resist_turning(compliant *s, const touch_point *c, watch_look *seen, const contact_point *p,
                              touch_load *load) {
  const contact_material *of = &c->e->material;
  double turn[3];
  contact_turn(s->w.m, s->w.x, c->e, p, turn);
  seen->loss[1] += resist(of->rolling, seen->normal, turn, s->w.m->planar ? 1 : 2, c->turn, load->twist);
  if (!s->w.m->planar) seen->loss[1] += resist(of->spinning, seen->normal, turn + 2, 1, c->turn, load->twist + 2);
}

const normal_law *compliant_law(const touch_point *c, const watch_look *at, normal_law *own) {
  if (!c->e->by_curvature) return &c->e->material.normal;
  *own = c->e->material.normal;
  own->stiffness = at->stiffness;
  return own;
}

double compliant_energy(const touch_point *c, const watch_look *at, double delta) {
  normal_law own;
  return touch_is_area(c) ? at->stored : normal_energy(compliant_law(c, at, &own), delta);
}

// Of v²/(2 w) = E, with the mobility w of the point, its share.
double compliant_elastic_speed(const touch_point *c, const watch_look *at, double delta) {
  if (!(c->now->mobility > 0)) return 0;
  return c->release * sqrt(2 * compliant_energy(c, at, delta) * c->now->mobility);
}

// Not from the accelerations with and without a force on the point: the law's own force just inside the surface is far
// below the rounding of the others.
double compliant_mobility(compliant *s, int p) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  const contact_element *e = s->point[p].e;
  dynamics_positions_velocities(m, x);
  contact_state_locate(s->w.contacts, m, x, e, NULL, s->w.points);
  rows_clear(m, x);
  contact_add_normal(m, x, e, &s->w.points[p]);
  double mobility = response_factor(m, x) ? response_mobility(m, x, m->row_count) : 0;
  rows_clear(m, x);
  x->level = LEVEL_NONE;
  return isfinite(mobility) ? fmax(0, mobility) : 0;
}

double compliant_approach(const touch_point *c, const watch_look *at, double delta) {
  return fmax(fmax(c->now->approach, c->now->elastic), compliant_elastic_speed(c, at, delta));
}

bool compliant_press(const compliant *s, int index, watch_look *at) {
  const touch_point *c = &s->point[index];
  double delta = -at->gap, rate = -at->rate;
  if (touch_is_area(c) || !compliant_acts(s, c, delta)) return false;
  normal_law own;
  const normal_law *l = compliant_law(c, at, &own);
  double approach = c->elastic ? 0 : compliant_approach(c, at, fabs(delta));  // which an elastic law does not need
  at->formula = formula_across(l, delta, rate, approach);
  at->normal = cut(s, c, l, at->formula);
  if (!c->elastic) at->loss[0] = (at->normal - formula_across(l, delta, 0, approach)) * rate;
  return true;
}

static void see_point(compliant *s, int index) {
  const touch_point *c = &s->point[index];
  const contact_point *p = &s->w.points[index];
  watch_look *seen = &s->w.seen[index];
  double slip[2];
  *seen = (watch_look){.gap = p->gap, .rate = contact_rates(s->w.m, s->w.x, c->e, p, slip)};
  for (int k = 0; k < c->inner_count; k++) s->w.x->inner_rate[c->inner + k] = 0;
  if (p->absent) {  // its place has gone: it presses no more, and the gap is one that a search for the instant can use
    seen->gap = fmin(p->gap, c->e->span > 0 ? c->e->span : s->w.m->length), seen->rate = 0;
    return;
  }
  if (c->e->by_curvature) seen->beyond = !contact_stiffness(c->e, p, &seen->stiffness);
  if (!compliant_press(s, index, seen)) return;
  seen->slip[0] = slip[0], seen->slip[1] = slip[1];
  if (contact_rubs(c->e)) rub(s, c, seen, p);
  if (c->turn > 0) compliant_resist_turning(s, c, seen, p, &s->load[index]);
}

bool compliant_look(watcher *w) {
  compliant *s = (compliant *)w;
  s->w.seen_at = NAN;
  contact_state_evaluate(s->w.contacts, s->w.m, s->w.x, s->w.points);
  for
    EACH_POINT(p, w) {
      if (touch_is_area(&s->point[p])) compliant_see_area(s, p);
      else see_point(s, p);
    }
  return true;
}

// Before its entry is accepted a point may be this deep and no more; where the step is as short as it may be, it has to
// be taken, and the ledger will tell. A state that no motion leads to in that time is one of the small shifts by which
// Jacobians are found, and means no entry.
static bool enters_too_deep(const compliant *s, int index) {
  if (s->options.entry != CAROM_REJECT || s->w.in_the_past || s->point[index].now->mode != TOUCH_OPEN) return false;
  const watch_look *from = &s->w.look[LOOK_START][index], *to = &s->w.seen[index];
  double h = s->w.x->t - s->w.t, shortest = s->w.flow.integrator.step_min;
  bool moved_there = from->gap - to->gap <= 4 * h * fmax(fabs(from->rate), fabs(to->rate));
  return -to->gap > s->options.penetration_max && h > 1.001 * shortest && moved_there;
}

void compliant_push(void *scheme, const mechanism *m, motion *x) {
  compliant *s = scheme;
  (void)compliant_look(&s->w);
  for
    EACH_POINT(i, &s->w) {
      const watch_look *seen = &s->w.seen[i];
      const touch_point *c = &s->point[i];
      if (enters_too_deep(s, i)) x->refused = true;
      // Not by the force: damping may cancel it exactly while the surfaces still hold energy and lose it.
      if (!compliant_acts(s, c, -seen->gap)) continue;
      if (touch_is_area(c)) compliant_push_area(s, i, m, x);
      else contact_push(m, x, c->e, &s->w.points[i], seen->normal, seen->drag);
      if (c->turn > 0) contact_twist(m, x, c->e, &s->w.points[i], s->load[i].twist);
      x->potentials[POTENTIAL_CONTACT] += compliant_energy(c, seen, fmax(0, -seen->gap));
      x->powers[POWER_CONTACT] += seen->loss[0];
      x->powers[POWER_FRICTION] += seen->loss[1];
    }
}
