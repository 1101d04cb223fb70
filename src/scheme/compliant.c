// One step is one of the integrator's, or what of it comes before a contact changes its mode. New modes belong to the step
// that ends with them.
#include "scheme/compliant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contact/law.h"
#include "mechanics/dynamics.h"
#include "scheme/compliant_internal.h"

// --- creation -------------------------------------------------------------------------------------------------------

static void allocate(compliant *s) {
  arena *a = &s->memory;
  int points = s->contacts->point_count + 1;
  s->point = ARENA_ARRAY(a, touch_point, points);
  s->points = ARENA_ARRAY(a, contact_point, points);
  s->seen = ARENA_ARRAY(a, touch_look, points);
  for (int k = 0; k < LOOK_COUNT; k++) s->look[k] = ARENA_ARRAY(a, touch_look, points);
  s->shown = ARENA_ARRAY(a, scheme_contact, points);
  s->rows = ARENA_ARRAY(a, double, s->m->row_count + 1);
}

// Slower than the speed at which its friction law is fully in force; where the law has none, a tenth of a millimetre a
// second.
static double slow_of(const friction_law *l) { return l->v0 > 0 ? l->v0 : 1e-4; }

// A law f(δ) (1 + λ δ̇/v₀) lets energy that no approach has brought go with the share (1 + 2e)/3 of the elastic speed, for whatever
// damping it has, by v₀ = (λ/y) v with the elastic speed v; but v₀ is at most v, so that an impact is not changed (theory.md, 12.2).
static double release_of(const contact_element *e) {
  const normal_law *l = &e->material.normal;
  if (!normal_uses_approach(l)) return 0;
  if (!l->type->lambda) return 1;
  return fmin(1, l->lambda / normal_lambda_of_release((1 + 2 * e->material.restitution) / 3));
}

static void describe_points(compliant *s) {
  int inner = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = &s->contacts->elements[i];
    bool bristles = contact_inner_count(s->m, e) > 0;
    bool elastic = normal_is_elastic(&e->material.normal);
    s->settings.smooth.loses[POWER_CONTACT] |= !elastic;
    s->settings.smooth.loses[POWER_FRICTION] |= contact_rubs(e);
    for (int k = 0; k < e->point_count; k++) {
      touch_point *c = &s->point[e->point0 + k];
      *c = (touch_point){.e = e, .elastic = elastic, .releases = !elastic && !e->material.normal.pulls,
                         .slow = slow_of(&e->material.tangential), .through = contact_thickness(e), .turns = INFINITY,
                         .inner = -1};
      if (s->settings.approach_by_energy) c->release = release_of(e);
      c->now.approach = s->settings.approach_min;
      if (bristles) c->inner = inner, c->inner_count = contact_inner_count(s->m, e), inner += c->inner_count;
    }
  }
}

static void destroy(void *scheme) {
  compliant *s = scheme;
  if (!s) return;
  if (s->x && s->x->push_context == s) s->x->push = NULL, s->x->push_context = NULL;
  smooth_destroy(s->core);
  arena_free(&s->memory);
  free(s);
}

static void look_again(compliant *s, int k) {
  compliant_see(s);
  memcpy(s->look[k], s->seen, (size_t)s->contacts->point_count * sizeof *s->seen);
}

static void remember(compliant *s) {
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].before = s->point[p].now;
}

// What overlaps at the start is pressed already.
static void set_modes_at_start(compliant *s) {
  compliant_see(s);
  for (int p = 0; p < s->contacts->point_count; p++)
    s->point[p].now.mode = s->seen[p].gap < 0 || (s->seen[p].gap == 0 && s->seen[p].rate <= 0) ? TOUCH_PRESSED : TOUCH_OPEN;
  for (int p = 0; p < s->contacts->point_count; p++)
    s->point[p].now.approach = fmax(s->settings.approach_min, -s->seen[p].rate);
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].lasts = s->point[p].now.mode == TOUCH_PRESSED;
  remember(s);
}

// What overlaps has not approached: the energy it holds says how fast it may come out.
static void bound_approaches_at_start(compliant *s) {
  for (int p = 0; p < s->contacts->point_count; p++) {
    touch_point *c = &s->point[p];
    if (!(c->release > 0) || c->now.mode == TOUCH_OPEN) continue;
    double delta = -s->seen[p].gap;
    c->now.mobility = compliant_mobility(s, p);
    c->now.elastic = compliant_elastic_speed(c, &c->now, delta);
    c->before = c->now;
  }
}

// What a resumed run cannot see from its state: that its integrator is to begin anew, modes, speeds of approach, first steps,
// bristles.
enum { POINT_MEMORY = 7 };

static int memory_size(const mechanism *m, const contact_set *contacts) {
  return 1 + POINT_MEMORY * contacts->point_count + m->inner_count;
}

static void save_memory(const void *scheme, double *memory) {
  const compliant *s = scheme;
  *memory++ = s->restart;
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    const touch_point *c = &s->point[p];
    const double numbers[POINT_MEMORY] = {c->now.mode, c->now.approach, c->now.elastic, c->now.mobility, c->lasts,
                                          c->entered, c->first_step};
    memcpy(memory, numbers, sizeof numbers);
  }
  memcpy(memory, smooth_inner(s->core, s->y), (size_t)s->m->inner_count * sizeof *memory);
}

static void recall(compliant *s, const double *memory) {
  s->restart = *memory++ != 0;
  for (int p = 0; p < s->contacts->point_count; p++, memory += POINT_MEMORY) {
    touch_point *c = &s->point[p];
    touch mode = memory[0] == TOUCH_PRESSED ? TOUCH_PRESSED : memory[0] == TOUCH_RELEASED ? TOUCH_RELEASED : TOUCH_OPEN;
    c->now = c->before = (touch_memory){mode, memory[1], memory[2], memory[3]};
    c->lasts = memory[4] != 0, c->entered = memory[5] != 0, c->first_step = memory[6];
  }
  memcpy(s->x->inner, memory, (size_t)s->m->inner_count * sizeof *memory);
}

static bool create_core(compliant *s, const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  describe_points(s);
  dynamics_set(s->m, s->x, start->t, start->q, start->u);
  dynamics_positions_velocities(s->m, s->x);
  s->nearness = 1e-13 * s->settings.smooth.length;  // a thousand times the rounding of positions
  set_modes_at_start(s);
  s->x->push = compliant_push;
  s->x->push_context = s;
  if (start->memory) recall(s, start->memory);
  else bound_approaches_at_start(s);
  s->core = smooth_create(setup, &s->settings.smooth, start, error);
  if (!s->core) return false;
  s->n = smooth_size(s->core);
  s->t = s->t_before = start->t;
  s->steps_before = start->steps;
  s->trouble = start->trouble;
  return true;
}

static void list_contacts(compliant *s, const touch_look *at) {
  for (int p = 0; p < s->contacts->point_count; p++)
    s->shown[p] = (scheme_contact){.gap = at[p].gap, .normal_force = at[p].normal,
                                   .tangential_force = {at[p].drag[0], at[p].drag[1]}, .active = at[p].gap <= 0, .lasts = s->point[p].lasts,
                                   .slides = hypot(at[p].slip[0], at[p].slip[1]) >= s->point[p].slow,
                                   .point = &s->points[p]};
}

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  jmp_buf out_of_memory;
  compliant *volatile s = calloc(1, sizeof *s);
  bool failed = !s;
  if (setjmp(out_of_memory)) failed = true;
  if (failed) {
    destroy(s);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the forces of contact");
    return NULL;
  }
  s->memory = arena_create(&out_of_memory);
  s->m = setup->m, s->x = setup->x, s->contacts = setup->contacts, s->impacts = setup->impacts;
  s->settings = compliant_settings_from(setup);
  allocate(s);
  bool made = create_core(s, setup, start, error);
  if (made) {
    s->y = ARENA_ARRAY(&s->memory, double, s->n);
    s->y_look = ARENA_ARRAY(&s->memory, double, s->n);
    memcpy(s->y, smooth_state(s->core), (size_t)s->n * sizeof *s->y);
  }
  s->memory.out_of_memory = NULL;
  if (made) {
    smooth_show(s->core, s->t, s->y);
    dynamics_positions_velocities(s->m, s->x);
    look_again(s, LOOK_START);
    list_contacts(s, s->look[LOOK_START]);
    return s;
  }
  destroy(s);
  return NULL;
}

// --- showing --------------------------------------------------------------------------------------------------------

static void show_state(compliant *s, double t, const double *y) {
  smooth_show(s->core, t, y);
  s->impacts->loss_normal = smooth_account(s->core, y, POWER_CONTACT);
  s->impacts->loss_tangential = smooth_account(s->core, y, POWER_FRICTION);
}

static void show_end(void *scheme) {
  compliant *s = scheme;
  s->in_the_past = false;
  show_state(s, s->t, s->y);
  list_contacts(s, s->look[LOOK_START]);  // of the step to come
}

static carom_status show(void *scheme, double t, carom_error *error) {
  compliant *s = scheme;
  if (t == s->t) return show_end(s), CAROM_OK;
  s->in_the_past = true;
  s->seen_at = NAN;
  if (!(t >= s->t_before) || !compliant_see_at(s, t))
    return error_set(error, CAROM_ERROR_USAGE, "the time %g s is not within the last step", t);
  show_state(s, t, s->y_look);
  list_contacts(s, s->seen);
  return CAROM_OK;
}

// --- modes ----------------------------------------------------------------------------------------------------------

// Within one step, what a law that needs the speed of approach is given before it is known.
static void guess_approach(compliant *s) {
  for (int p = 0; p < s->contacts->point_count; p++)
    if (s->point[p].now.mode == TOUCH_OPEN)
      s->point[p].now.approach = fmax(s->settings.approach_min, -s->look[LOOK_START][p].rate);
}

static touch next_mode(const compliant *s, int p) {
  const touch_look *at = &s->look[LOOK_END][p];
  touch mode = s->point[p].now.mode;
  bool near = fabs(at->gap) <= s->nearness;
  if (mode == TOUCH_OPEN) return (near ? at->rate <= 0 : at->gap < 0) ? TOUCH_PRESSED : TOUCH_OPEN;
  if (near ? at->rate > 0 : at->gap > 0) return TOUCH_OPEN;
  if (s->settings.entry != ENTRY_LOCATE || !s->point[p].releases) return TOUCH_PRESSED;
  if (s->point[p].undecided >= UNDECIDED_MOST) return mode;
  // where the force changes its sign it is nothing but rounding: which way it goes, the watch has seen
  bool turns = s->point[p].turns == s->t;
  double force = compliant_tendency(s, p, at);
  if (mode == TOUCH_PRESSED) return turns || force < 0 ? TOUCH_RELEASED : TOUCH_PRESSED;
  return turns || force > 0 ? TOUCH_PRESSED : TOUCH_RELEASED;
}

// A bristle bends back when the surfaces part.
static void part(compliant *s, int p) {
  const touch_point *c = &s->point[p];
  impact_part(s->impacts, p);
  if (c->inner < 0) return;
  double *inner = smooth_inner(s->core, s->y) + c->inner;
  for (int k = 0; k < c->inner_count; k++) inner[k] = 0;
  s->restart = true;
}

// Whether any changed.
static bool change_modes(compliant *s) {
  bool changed = false;
  remember(s);
  for (int p = 0; p < s->contacts->point_count; p++) {
    touch_point *c = &s->point[p];
    touch mode = next_mode(s, p);
    // moving out, and in again without having parted: no longer an impact
    c->lasts = mode != TOUCH_OPEN && (c->lasts || (s->look[LOOK_START][p].rate > 0 && s->look[LOOK_END][p].rate <= 0));
    c->undecided = s->t > s->t_before ? 0 : c->undecided + (c->turns == s->t);
    if (mode == TOUCH_OPEN && (c->now.mode != TOUCH_OPEN || s->impacts->is_open[p])) part(s, p);
    c->entered = mode != c->now.mode && c->now.mode == TOUCH_OPEN;
    if (mode == c->now.mode) continue;
    changed = true;
    if (c->now.mode == TOUCH_OPEN && entry_is_gated(s))
      c->now.approach = fmax(s->settings.approach_min, -s->look[LOOK_END][p].rate);
    c->now.mode = mode;
    s->restart |= entry_is_gated(s);
  }
  return changed;
}

// The greatest penetration that was seen of the last step.
static double deepest_seen(const compliant *s, int p) {
  return -fmin(s->look[LOOK_START][p].gap, fmin(s->look[LOOK_MIDDLE][p].gap, s->look[LOOK_END][p].gap));
}

// A point keeps what the most energy it has stored allows. An impact alone never stores more than it came with, but a load that
// presses further does. Returns whether the force of any point is no longer that of the last step.
static bool bound_approaches(compliant *s) {
  static const double NOTICEABLE = 1.01;  // a body at rest trembles by the tolerance
  bool changed = false, shown = false;
  for (int p = 0; p < s->contacts->point_count; p++) {
    touch_point *c = &s->point[p];
    if (!(c->release > 0)) continue;
    if (c->now.mode == TOUCH_OPEN) c->now.mobility = c->now.elastic = 0;
    double delta = deepest_seen(s, p);
    bool rises = compliant_elastic_speed(c, &c->now, delta) > NOTICEABLE * fmax(c->now.approach, c->now.elastic);
    if (c->now.mode == TOUCH_OPEN || !(c->entered || rises)) continue;
    if (!shown) smooth_show(s->core, s->t, s->y), shown = true;
    c->now.mobility = compliant_mobility(s, p);
    c->now.elastic = fmax(c->now.elastic, compliant_elastic_speed(c, &c->now, delta));
    s->law_changed = true;
    changed |= rises;
  }
  return changed;
}

// A one-step integrator begins its step with the derivative that ended the last one. If the law has changed since, it computes
// the derivative again, as a resumed run does. Multistep integrators keep their history: the change is small.
static carom_status renew_derivative(compliant *s, carom_error *error) {
  double next = smooth_next_step(s->core);
  carom_status status = smooth_restart(s->core, s->t, s->y, error);
  smooth_suggest_step(s->core, next);
  return status;
}

// --- stepping -------------------------------------------------------------------------------------------------------

// A force that begins with a power of the penetration has no derivatives at the surface, and a step of high order no use
// there: what suited at the entry suits at the parting. So the last step but one ends as far before the surface, and the
// last goes through it.
static double before_parting(const touch_point *c, double to_surface) {
  return to_surface > 1.5 * c->first_step ? to_surface - 0.75 * c->first_step : 2 * to_surface;
}

// Not so far that a gap could close and open again unseen. Twice the way to the surface, so that a step goes through it and
// not ever closer.
static double limit_of(const compliant *s, double t_stop) {
  double limit = t_stop;
  if (s->settings.entry == ENTRY_NONE) return limit;
  for (int p = 0; p < s->contacts->point_count; p++) {
    const touch_point *c = &s->point[p];
    const touch_look *at = &s->look[LOOK_START][p];
    bool open = c->now.mode == TOUCH_OPEN;
    if (open && at->gap > 0 && at->rate < 0)
      limit = fmin(limit, s->t + 2 * (at->gap + s->settings.penetration_max) / -at->rate);
    if (!open && at->gap < -s->nearness && at->rate > 0 && c->first_step > 0)
      limit = fmin(limit, s->t + before_parting(c, -at->gap / at->rate));
  }
  return limit;
}

// The first step after an entry is the one that suited the point when it last entered: contacts of one point are much alike,
// whatever the speed.
static void suggest_step(compliant *s) {
  double step = INFINITY;
  for (int p = 0; p < s->contacts->point_count; p++)
    if (s->point[p].entered) step = fmin(step, s->point[p].first_step);
  if (step > 0 && isfinite(step)) smooth_suggest_step(s->core, step);
}

// Only a one-step method of variable step begins with a step of full length.
static void learn_step(compliant *s, double taken) {
  if (s->settings.smooth.kind != INTEGRATOR_ERK) return;
  for (int p = 0; p < s->contacts->point_count; p++)
    if (s->point[p].entered) s->point[p].first_step = fmin(1.5 * taken, smooth_next_step(s->core));
}

static int deepest_point(const compliant *s) {
  int deepest = -1;
  for (int p = 0; p < s->contacts->point_count; p++) {
    const touch_look *at = s->look[LOOK_START];
    bool touches = s->point[p].now.mode != TOUCH_OPEN || at[p].gap < 0;
    if (touches && (deepest < 0 || at[p].gap < at[deepest].gap)) deepest = p;
  }
  return deepest;
}

// Which contact it was, and what to change.
static carom_status explain(const compliant *s, carom_status status, carom_error *error) {
  int p = deepest_point(s);
  if (p < 0 || !error) return status;
  error_append(error, "; contact '%s' is pressed in by %.3g m with %.3g N: lower its stiffness, loosen rtol, lower step_min%s",
               s->point[p].e->name, -s->look[LOOK_START][p].gap, s->look[LOOK_START][p].normal,
               s->settings.smooth.kind == INTEGRATOR_BDF ? "" : ", or use integrator bdf");
  return status;
}

// Where a body has gone through a surface, no force law means anything any more.
static carom_status check_depth(const compliant *s, carom_error *error) {
  for (int p = 0; p < s->contacts->point_count; p++)
    if (-s->look[LOOK_END][p].gap > s->point[p].through || !isfinite(s->look[LOOK_END][p].normal))
      return error_set(error, CAROM_ERROR_INTEGRATOR,
                       "contact '%s' is %.3g m deep at t = %.10g s, through the body it presses (first penetrations up to "
                       "%.3g m where %.3g m is the bound): %s", s->point[p].e->name, -s->look[LOOK_END][p].gap, s->t,
                       s->impacts->worst_penetration, s->settings.penetration_max,
                       entry_is_gated(s) ? "its law is too weak for what presses on it" : "take shorter steps, or 'entry: locate'");
  return CAROM_OK;
}

// Moves on to the end of the integrator's step, or to where a contact changes.
static carom_status advance(compliant *s, double t_stop, carom_error *error) {
  double from = s->t, until, limit = limit_of(s, t_stop);
  if (s->shorter > 0) limit = fmin(limit, from + s->shorter);
  carom_status status = smooth_step(s->core, limit, error);
  if (status != CAROM_OK) return explain(s, status, error);
  if (smooth_time(s->core) < limit) learn_step(s, smooth_time(s->core) - from);
  if (!compliant_watch(s, &until) || smooth_interpolate(s->core, until, s->y_look) != CAROM_OK)
    return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion between t = %g s and %g s cannot be evaluated", from,
                     smooth_time(s->core));
  double lost[2];
  for (int way = 0; way < 2; way++) {
    power account = way ? POWER_FRICTION : POWER_CONTACT;
    lost[way] = smooth_account(s->core, s->y_look, account) - smooth_account(s->core, s->y, account);
  }
  memcpy(s->y, s->y_look, (size_t)s->n * sizeof *s->y);
  if (until > from) compliant_book(s, from, until, lost);
  s->t = until;
  s->steps += until > from;
  s->restart |= until < smooth_time(s->core);
  return check_depth(s, error);
}

// The end of one step is the start of the next, seen alike unless a mode changed.
static void look_at_start(compliant *s, bool changed) {
  if (changed || s->restart) {
    smooth_show(s->core, s->t, s->y);
    dynamics_positions_velocities(s->m, s->x);
    look_again(s, LOOK_START);
  } else {
    touch_look *end = s->look[LOOK_END];
    s->look[LOOK_END] = s->look[LOOK_START];
    s->look[LOOK_START] = end;
  }
}

static carom_status step(void *scheme, double t_stop, carom_error *error) {
  enum { MOST_AT_ONE_INSTANT = 100 };
  compliant *s = scheme;
  carom_status status = CAROM_OK;
  s->in_the_past = false;
  s->t_before = s->t;
  for (int turn = 0; status == CAROM_OK && !(s->t > s->t_before); turn++) {
    if (turn == MOST_AT_ONE_INSTANT)
      return error_set(error, CAROM_ERROR_INTEGRATOR, "contacts change without end at t = %.10g s", s->t);
    if (s->restart) status = smooth_restart(s->core, s->t, s->y, error), suggest_step(s);
    else if (s->law_changed && smooth_resumes_exactly(s->core)) status = renew_derivative(s, error);
    s->restart = s->law_changed = false;
    guess_approach(s);
    if (status == CAROM_OK) status = advance(s, t_stop, error);
    if (status != CAROM_OK) break;
    bool changed = change_modes(s);
    bool bounded = bound_approaches(s);
    // a hop so small that the step's dense output does not resolve it: the same again in a shorter step
    s->shorter = s->t > s->t_before || changed ? 0 : 0.25 * (smooth_time(s->core) - s->t);
    look_at_start(s, changed || bounded);
  }
  show_end(s);
  return status;
}

static bool result(void *scheme, carom_error *error) {
  (void)error;
  compliant *s = scheme;
  return dynamics_instant(s->m, s->x);
}

static double time_of(const void *scheme) { return ((const compliant *)scheme)->t; }
static const double *state_of(const void *scheme) { return ((const compliant *)scheme)->y; }
static const double *accounts_of(const void *scheme) { return smooth_accounts(((const compliant *)scheme)->core); }
static bool resumes_exactly(const void *scheme) { return smooth_resumes_exactly(((const compliant *)scheme)->core); }
static double next_step(const void *scheme) { return smooth_next_step(((const compliant *)scheme)->core); }
static const scheme_contact *contacts_of(const void *scheme) { return ((const compliant *)scheme)->shown; }

static scheme_stats stats_of(const void *scheme) {
  const compliant *s = scheme;
  scheme_stats stats = smooth_stats(s->core);
  stats.steps = s->steps;
  stats.evaluations += s->looks;
  stats.trouble = s->trouble;
  return stats;
}

const scheme_type scheme_compliant = {
    .energy = {.warn = 1e-3, .bad = 1e-3, .tolerances = 1e4},
    .name = "compliant", .about = &compliant_about, .knows_contact = true, .create = create, .destroy = destroy, .step = step, .show = show,
    .show_end = show_end, .result = result, .time = time_of, .state = state_of, .accounts = accounts_of, .stats = stats_of,
    .resumes_exactly = resumes_exactly, .next_step = next_step, .contacts = contacts_of,
    .memory_size = memory_size, .remember = save_memory,
};
