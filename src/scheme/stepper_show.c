// What is shown of a step: the state at a time within it, and means over it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/response.h"
#include "scheme/stepper_internal.h"

// Work and losses of the step belong to what comes after the place where rows are evaluated, where the velocity jumps.
static void place_at(stepper *s, double t) {
  s->shown.shows_A = t < s->t_A + s->rule->place * s->dt;
  stepper_place(s, t);
  const double *losses = s->shown.shows_A ? s->books.losses_A : s->books.losses;
  s->impacts->loss_normal = losses[0], s->impacts->loss_tangential = losses[1];
}

carom_status stepper_show(void *scheme, double t, carom_error *error) {
  stepper *s = scheme;
  if (!(t >= s->t_A && t <= s->t))
    return error_set(error, CAROM_ERROR_USAGE, "the time %g s is not within the last step", t);
  place_at(s, t);
  return CAROM_OK;
}

void stepper_show_end(void *scheme) {
  stepper *s = scheme;
  place_at(s, s->t);
}

static bool is_active(const contact_element *e, const scheme_contact *points) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++)
    if (points[p].active) return true;
  return false;
}

static void push_contacts(stepper *s) {
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (!is_active(e, s->shown.last)) continue;
    contact_state_locate(s->contacts, s->m, s->x, e, NULL, s->near.looked);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      const scheme_contact *c = &s->shown.last[p];
      if (c->active) contact_push(s->m, s->x, e, &s->near.looked[p], c->normal_force, c->tangential_force);
    }
  }
}

// Means over the last step: with the forces where rows are evaluated, P/Δt of all rows and (u_E - u_A)/Δt the equations
// of motion hold there, and reactions and efforts follow from them. In a step of another length than the one before,
// forces are not P/Δt, and accelerations are those that the forces give.
static void find_means(stepper *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  memcpy(s->shown.contacts, s->shown.last, (size_t)s->near.point_capacity * sizeof *s->shown.contacts);
  stepper_go_to_rows(s, s->q_A, s->u_A, s->t_A, s->dt);
  coordinate_update(m, x);
  (void)stepper_apply_forces(s, s->z_A, s->dt);
  memcpy(s->displacement, s->u, (size_t)m->nv * sizeof *s->u);
  centre_carry(m, s->q, x->q, s->displacement);
  stepper_mean_accelerations(s, s->displacement, s->dt, x->udot);
  if (m->row_count) {
    memcpy(x->lambda, s->shown.lambda, (size_t)m->row_count * sizeof *s->shown.lambda);
    x->t = s->t_A + s->dt;
    constraints_evaluate(m, x);
    constraint_push(m, x, x->lambda, m->row_count);
  }
  push_contacts(s);
  if (stepper_excess(s, s->dt, s->dt_before) != 0 && response_factor(m, x)) response_forward(m, x);
  dynamics_drive_efforts(m, x, NULL);
  dynamics_results(m, x);
  if (s->implicit) flexible_relax(m, x, (flexible_relaxation){0});
  for (int i = 0; i < m->drive_count; i++) {
    const function *f = &m->drives[i].f;
    double rate = 0.5 * (function_jet(f, s->t_A).d + function_jet(f, s->t_A + s->dt).d);
    x->result.drive_power[i] = dynamics_drive_power(x, i, rate);
  }
}

// Gaps, and where a contact acts, belong to the time shown; the rest of it, and the frame of its forces, to the step.
// So does where it acts if its place does not exist at that time.
static void find_places(stepper *s) {
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    double gaps[CONTACT_POINTS_MAX];
    bool whole = !e->type->gaps || is_active(e, s->shown.contacts);
    if (whole) contact_state_locate(s->contacts, s->m, s->x, e, s->contacts->found, s->near.looked);
    else e->type->gaps(s->m, s->x, e, gaps);
    for (int k = 0; k < e->point_count; k++) {
      scheme_contact *c = &s->shown.contacts[e->point0 + k];
      contact_point *at = &s->near.looked[e->point0 + k];
      c->gap = whole ? at->gap : gaps[k];
      if (!c->active || (contact_points_change(e) && contact_state_is_new(s->contacts, e->point0 + k))) continue;
      at->n = c->point->n, at->t[0] = c->point->t[0], at->t[1] = c->point->t[1];
      c->point = at;
    }
  }
}

// The state at the time shown, and with it potentials and what else forces tell of it.
static void find_state(stepper *s, double t) {
  place_at(s, t);
  dynamics_show_state(s->m, s->x);
  find_places(s);
}

// What the first step would find. Scheme and motion are put back; what was found is in the motion's result.
static carom_status try_step(stepper *s, double h, carom_error *error) {
  impact_ledger none = {0};
  stepper_settings settings = s->settings;
  problem_dump *dump = s->problem.solver.dump;
  stepper_kept kept;
  carom_status status = stepper_keep(s, &kept, error);
  if (status != CAROM_OK) return status;
  s->shown.trying = true, s->impacts = &none;
  s->settings.step = h, s->problem.solver.dump = NULL;
  status = stepper_step(s, INFINITY, error);
  if (status == CAROM_OK) find_means(s);
  s->shown.trying = false, s->impacts = s->ledger;
  s->settings = settings, s->problem.solver.dump = dump;
  if (status == CAROM_OK) stepper_exchange_steps(s);  // what is shown refers to the points of the trial
  carom_status back = stepper_put_back(s, &kept, error);
  return status == CAROM_OK ? back : status;
}

// A step that fails may lead too far: into a position where the mechanism locks up, for instance, that a run which ends
// before it never meets. A shorter step then shows what acts at the start. The error is that of the step that the run
// would take.
static bool try_steps(stepper *s, carom_error *error) {
  enum { HALVINGS = 12 };
  carom_error first = {0}, later = {0};
  carom_status status = try_step(s, s->settings.step, &first);
  for (int k = 1; status != CAROM_OK && status != CAROM_INTERRUPTED && status != CAROM_ERROR_MEMORY && k <= HALVINGS;
       k++) {
    error_clear(&later);
    status = try_step(s, ldexp(s->settings.step, -k), &later);
  }
  if (status == CAROM_OK || status == CAROM_INTERRUPTED) return true;  // the run is told by its first step
  error_set(error, first.status, "no step can be taken from the start: %s", first.message);
  return false;
}

// After a step that failed, this is the last one that was completed.
bool stepper_result(void *scheme, carom_error *error) {
  stepper *s = scheme;
  double t = s->x->t;
  contact_searches counted = *s->contacts->searches;
  if (s->dt > 0) find_means(s);
  if (s->dt == 0 && !try_steps(s, error)) return false;
  find_state(s, t);
  *s->contacts->searches = counted;
  return true;
}
