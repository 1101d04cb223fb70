// The state of a time stepper: creation, memory, what it tells of itself.
#include "scheme/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/function.h"
#include "mechanics/response.h"
#include "mechanics/rows.h"
#include "scheme/options.h"
#include "scheme/stepper_internal.h"

// --- creation --------------------------------------------------------------------------------------------------------

static void allocate(stepper *s) {
  const mechanism *m = s->m;
  arena *a = &s->memory;
  s->q = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->q_A = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->q_next = ARENA_ARRAY(a, double, m->nq + m->nv + 1);
  s->u = s->q + m->nq, s->u_A = s->q_A + m->nq, s->u_next = s->q_next + m->nq;
  s->z = ARENA_ARRAY(a, double, m->state_count + 1);
  s->z_A = ARENA_ARRAY(a, double, m->state_count + 1);
  s->z_rate = ARENA_ARRAY(a, double, m->state_count + 1);
  s->projection.placed = ARENA_ARRAY(a, double, m->nq + 1);
  s->projection.unplaced = ARENA_ARRAY(a, double, m->nq + 1);
  s->projection.before_placing = ARENA_ARRAY(a, double, m->nq + 1);
  s->u_free = ARENA_ARRAY(a, double, m->nv + 1);
  s->u_end = ARENA_ARRAY(a, double, m->nv + 1);
  s->u_carried = ARENA_ARRAY(a, double, m->nv + 1);
  s->displacement = ARENA_ARRAY(a, double, m->nv + 1);
  s->overlap.displacement = ARENA_ARRAY(a, double, m->nv + 1);
  s->overlap.from = ARENA_ARRAY(a, double, m->nq + 1);
  stepper_friction_create(&s->friction, m, a);
  s->problem.P_before = ARENA_ARRAY(a, double, m->row_count + 1);
  s->even.u = ARENA_ARRAY(a, double, m->nv + 1);
  stepper_enlarge(s);
  stepper_rest_create(s);
  s->shown.lambda = ARENA_ARRAY(a, double, m->row_count + 1);
  s->shown.moves = ARENA_ARRAY(a, bool, m->row_count + 1);
  s->projection.row_size = ARENA_ARRAY(a, double, m->row_count + 1);
  s->projection.driven = m->drive_count > 0;
  for (int i = 0; i < m->constraint_count; i++) {
    const constraint *c = &m->constraints[i];
    for (int k = 0; k < c->row_count; k++) {
      s->shown.moves[c->row0 + k] = !function_is_constant(&c->f);
      s->projection.driven |= s->shown.moves[c->row0 + k];
      s->projection.row_size[c->row0 + k] = constraint_row_size(m, c, k);
    }
  }
  s->led = s->projection.driven || (s->settings.project && m->row_count);
}

bool stepper_accepts_theta(const char *who, double modal_theta, scheme_refusal *why) {
  if (modal_theta == 0 || modal_theta >= 0.5) return true;
  return SCHEME_REFUSE(why, REFUSED_METHOD, 0, "use 0, or 0.5 or more",
                       "'modal_theta' of %s is %.3g, where long steps are not stable", who, modal_theta);
}

// Two over the frequency, for explicit forces.
bool stepper_accepts_step(const scheme_request *request, const char *who, double step, double modal_theta,
                          scheme_refusal *why) {
  return modal_theta > 0 || scheme_accepts_step(request, who, step, 2, REFUSED_METHOD,
                                                "take a shorter step or fewer modes, or set modal_theta to 0.5", why);
}

static void look_ahead(stepper *s) {
  const mechanism *m = s->m;
  s->near.passes = s->contacts->world->crowd != NULL;
  s->has_powers = m->force_count || flexible_is_damped(m);
  s->reads_coordinates = m->force_count || m->constraint_count || m->drive_count || m->friction_count ||
                         m->state_count || m->callback_count;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    s->reads_coordinates |= e->type->reads_coordinate;
    s->near.passes |= e->type->nearest != NULL;
  }
  s->sweeps = !s->reads_coordinates && !s->settings.midpoint && response_sweeps(m);
  s->may_fly = stepper_may_fly(s);
  s->may_take_pairs = stepper_may_take_pairs(s);
  s->implicit = s->x->flexible && s->settings.modal_theta > 0;
}

void stepper_destroy(void *scheme) {
  stepper *s = scheme;
  if (!s) return;
  stepper_free_storage(s);
  arena_free(&s->memory);
  free(s);
}

// The rates of points that touch at the start, as far as they have rows.
static void look_at_rates(stepper *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  CONTACT_EACH_POINT(s->contacts, p) {
    double *rate = s->problem.rate_R + 3 * p;
    stepper_forget_rates(s, p);
    if (!s->near.struck[p]) continue;
    rows_clear(m, x);
    int first = x->row_total, count = contact_sliding_rows(m, s->near.element_of[p]);
    contact_add_rows(m, x, s->near.element_of[p], &s->near.points[p]);
    for (int k = 0; k < count; k++) rate[k] = constraint_row_rate(m, x, &x->rows[first + k]);
    s->near.stands[p] = rate[0] <= 0;
  }
  rows_clear(m, x);
}

static void begin_element(stepper *s, const contact_element *e) {
  bool touches = false;
  contact_state_locate(s->contacts, s->m, s->x, e, s->contacts->found, s->near.points);
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    s->shown.last[p] = (scheme_contact){.gap = s->near.points[p].gap, .point = &s->near.points[p]};
    touches |= s->near.struck[p] = s->near.points[p].gap <= s->contacts->activation;
    s->near.moved[p] = false, s->near.nearest[p] = 0;
    stepper_chatter_begin(s, p);
  }
  if (touches) s->near.touched[e->slot] = s->steps - 1;  // the first step looks at it closely
  contact_state_hold(s->contacts, e, touches);
}

// Nothing has touched yet, and no step says what acts. Passages are looked for from here on.
static carom_status begin(stepper *s, carom_error *error) {
  const mechanism *m = s->m;
  dynamics_set(m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(m, s->x);
  carom_status status = stepper_refresh(s, 0, s->settings.step, error);
  if (status != CAROM_OK) return status;
  memset(s->problem.P, 0, (size_t)s->problem.row_capacity * sizeof *s->problem.P);
  for (int i = 0; i < s->contacts->element_slots; i++) s->near.touched[i] = s->steps - REMEMBERED - 1;
  for (int i = 0; i < s->contacts->element_count; i++) begin_element(s, s->contacts->elements[i]);
  if (s->contacts->point_count) look_at_rates(s);
  stepper_friction_reset(&s->friction, m, s->x);
  stepper_begin_projection(s);
  s->dt = 0;
  return CAROM_OK;
}

// --- memory ----------------------------------------------------------------------------------------------------------

static void step_fields(stepper *s, fields *f) {
  const mechanism *m = s->m;
  fields_finite(f, "scheme.t", &s->t);
  fields_finites(f, "scheme.q", m->nq, s->q);
  fields_finites(f, "scheme.u", m->nv, s->u);
  fields_finites(f, "scheme.z", m->state_count, s->z);
  fields_numbers(f, "account", POWER_COUNT, s->books.accounts);
  fields_numbers(f, "losses", 2, s->books.losses);
  // where the last step began, from which it is shown
  fields_finite(f, "t_A", &s->t_A);
  fields_finites(f, "q_A", m->nq, s->q_A);
  fields_finites(f, "u_A", m->nv, s->u_A);
  fields_finites(f, "z_A", m->state_count, s->z_A);
  fields_finites(f, "z_rate", m->state_count, s->z_rate);
  fields_numbers(f, "account_A", POWER_COUNT, s->books.accounts_A);
  fields_numbers(f, "losses_A", 2, s->books.losses_A);
  fields_flag(f, "books_differ", &s->books.differ);
  fields_finite(f, "dt", &s->dt);
  fields_finite(f, "dt_before", &s->dt_before);
}

static void count_fields(stepper *s, fields *f) {
  fields_count(f, "steps", &s->steps);
  fields_count(f, "projection_failures", &s->projection.failures);
  fields_number(f, "projection_energy", &s->projection.energy);
  fields_number(f, "overlap_energy", &s->overlap.energy);
  fields_number(f, "overlap_depth", &s->overlap.depth_before);
  fields_number(f, "overlap_shift", &s->overlap.shift);
  fields_number(f, "largest_violation", &s->projection.violation);
  fields_numbers(f, "seen_open", 2, s->projection.seen_open);
  fields_numbers(f, "independence", 3, s->projection.independence);
  scheme_trouble_fields(&s->trouble, f);
  scheme_tally_fields(&s->problem.tally, f);
  scheme_search_fields(s->contacts->searches, f);
  if (f->from && s->problem.solver.dump) s->problem.solver.dump->problems = s->problem.tally.problems;
}

// Where bodies were, from which ways are looked at for passages.
static void apart_fields(contact_point *p, fields *f) {
  double apart[3];
  vec3_store(apart, p->apart);
  fields_numbers(f, "apart", 3, apart);
  if (f->from) p->apart = vec3_of(apart);
}

// Percussions of the last step, from which iterative solvers begin, in the axes where rows were evaluated.
static void point_fields(stepper *s, int p, int number, fields *f) {
  fields_group(f, "contact", number);
  scheme_contact_fields(&s->shown.last[p], f);
  if (number < 0 || contact_rolls(s->near.element_of[p]))
    fields_numbers(f, "turning_moment", 3, s->shown.last[p].turning_moment);
  scheme_place_fields(&s->near.points[p], f);
  scheme_frame_fields(&s->near.points[p], f);
  apart_fields(&s->near.points[p], f);
  fields_flag(f, "struck", &s->near.struck[p]);
  fields_flag(f, "moved", &s->near.moved[p]);
  fields_number(f, "nearest", &s->near.nearest[p]);
  fields_flag(f, "stands", &s->near.stands[p]);
  stepper_chatter_fields(s, p, f);
  fields_numbers(f, "rate_of_rows", 3, s->problem.rate_R + 3 * p);
  if (number < 0 || contact_points_change(s->near.element_of[p])) scheme_feature_fields(s->contacts, p, f);
  if (number < 0 || s->near.element_of[p]->type->evaluate_from) scheme_start_field(s->contacts, p, f);
  fields_group(f, NULL, 0);
  if (f->from)
    s->near.points[p].gap = s->shown.last[p].gap, s->near.points[p].speed = -1,
    s->shown.last[p].point = &s->near.points[p];
}

// What is shown of a point: gap and place at the end of the step, the rest as above.
static void shown_fields(stepper *s, int p, int number, fields *f) {
  scheme_contact *shown = &s->shown.contacts[p];
  double gap = shown->gap;
  contact_point end = shown->point ? *shown->point : (contact_point){0};
  fields_group(f, "shown", number);
  fields_number(f, "gap", &gap);
  scheme_place_fields(&end, f);
  fields_group(f, NULL, 0);
  if (!f->from) return;
  *shown = s->shown.last[p], shown->gap = gap;
  if (!shown->active) return;
  s->near.looked[p] = s->near.points[p], s->near.looked[p].gap = gap, s->near.looked[p].at = end.at;
  shown->point = &s->near.looked[p];
}

static void element_fields(stepper *s, int i, int number, fields *f) {
  long since = s->steps - s->near.touched[i];
  if (since > REMEMBERED) since = REMEMBERED + 1;
  fields_group(f, "element", number);
  fields_count(f, "since_touched", &since);
  fields_group(f, NULL, 0);
  if (f->from) s->near.touched[i] = s->steps - (since <= REMEMBERED ? since : REMEMBERED + 1);
}

void stepper_state_fields(stepper *s, fields *f) {
  const mechanism *m = s->m;
  step_fields(s, f);
  count_fields(s, f);
  for (int i = 0; i < s->contacts->world->element_count; i++) element_fields(s, i, i, f);
  for (int p = 0; p < s->contacts->world->point_count; p++) point_fields(s, p, p, f);
  fields_numbers(f, "percussion", m->row_count, s->problem.P);
  fields_numbers(f, "lambda", m->row_count, s->shown.lambda);
  fields_numbers(f, "friction_limit", m->friction_count, s->friction.limit);
}

void stepper_memory(void *scheme, fields *f) {
  stepper *s = scheme;
  stepper_state_fields(s, f);
  for (int p = 0; p < s->contacts->world->point_count; p++) shown_fields(s, p, p, f);
}

void stepper_point_memory(void *scheme, int slot, fields *f) {
  stepper *s = scheme;
  element_fields(s, contact_state_element_slot(s->contacts, slot), -1, f);
  point_fields(s, slot, -1, f);
  shown_fields(s, slot, -1, f);
}

carom_status stepper_restored(void *scheme, carom_error *error) {
  stepper *s = scheme;
  (void)error;
  s->grid = 0;
  stepper_rest_forget(s);
  s->projection.energy_A = s->projection.energy,
  s->overlap.energy_A = s->overlap.energy;  // of the last step only the end is shown from here on
  s->at_end.leaps = 0, s->at_end.deepest = s->at_end.entered = 0;  // the next step looks there again
  stepper_show_end(s);
  return CAROM_OK;
}

// --- creation, continued ---------------------------------------------------------------------------------------------

void *stepper_create(const stepper_rule *rule, const stepper_settings *settings, const scheme_setup *setup,
                     const scheme_start *start, carom_error *error) {
  jmp_buf out_of_memory;
  stepper *volatile s = calloc(1, sizeof *s);
  bool failed = !s;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    stepper_destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the contact problem");
    return NULL;
  }
  s->memory = arena_create(&out_of_memory);
  s->m = setup->m, s->x = setup->x, s->contacts = setup->contacts, s->impacts = s->ledger = setup->impacts;
  s->contacts->reserve = stepper_reserve, s->contacts->owner = s;
  s->contacts->straight = true;
  s->stop = setup->stop;
  s->problem.islands.crew = s->contacts->crew = setup->crew;
  s->rule = rule, s->settings = *settings;
  s->gone = rule->place / (1 - rule->place);
  stepper_begin_impacts(s);
  allocate(s);
  look_ahead(s);
  s->memory.out_of_memory = NULL;
  s->problem.solver = solve_settings_default();
  s->problem.solver.warm_start = !s->m->planar;  // planar problems are solved exactly from nothing
  if (s->settings.tolerance > 0) s->problem.solver.tolerance = s->settings.tolerance;
  s->t = s->t_A = start->t;
  memcpy(s->q, start->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->u, start->u, (size_t)s->m->nv * sizeof *s->u);
  memcpy(s->z, s->x->inner, (size_t)s->m->state_count * sizeof *s->z);
  s->books.losses[0] = s->books.losses_A[0] = s->impacts->loss_normal,
  s->books.losses[1] = s->books.losses_A[1] = s->impacts->loss_tangential;
  s->problem.solver.dump = setup->dump;
  if (begin(s, error) != CAROM_OK || !stepper_prepare_storage(s, error)) {
    stepper_destroy(s);
    return NULL;
  }
  return s;
}

// --- what it tells of itself -----------------------------------------------------------------------------------------

const double *stepper_state(const void *scheme) { return ((const stepper *)scheme)->q; }
double stepper_time(const void *scheme) { return ((const stepper *)scheme)->t; }
double stepper_began(const void *scheme) { return ((const stepper *)scheme)->t_A; }
const double *stepper_accounts(const void *scheme) {
  const stepper *s = scheme;
  return s->shown.shows_A ? s->books.accounts_A : s->books.accounts;
}
bool stepper_resumes_exactly(const void *scheme) { return (void)scheme, true; }
double stepper_next_step(const void *scheme) { return ((const stepper *)scheme)->settings.step; }
const scheme_contact *stepper_contacts(const void *scheme) { return ((const stepper *)scheme)->shown.contacts; }
const scheme_contact *stepper_loads(const void *scheme) {
  const stepper *s = scheme;
  return s->dt > 0 ? s->shown.last : NULL;
}

scheme_stats stepper_stats(const void *scheme) {
  const stepper *s = scheme;
  return (scheme_stats){.steps = s->steps,
                        .evaluations = s->steps,
                        .projection_energy = s->shown.shows_A ? s->projection.energy_A : s->projection.energy,
                        .overlap_energy = s->shown.shows_A ? s->overlap.energy_A : s->overlap.energy,
                        .projection_failures = s->projection.failures,
                        .violation = s->projection.violation,
                        .leaps_at_end = s->at_end.leaps,
                        .missed_at_end = s->at_end.missed,
                        .deepest_at_end = s->at_end.deepest,
                        .entered_at_end = s->at_end.entered,
                        .solves = &s->problem.tally,
                        .trouble = s->trouble,
                        .searches = *s->contacts->searches};
}
