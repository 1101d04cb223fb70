// Scheme `event` on the watcher: smooth motion in fixed modes, and what happens at an event. Impacts and new modes
// belong to the step that ends with them, so that its last state is the one after.
#include "scheme/event.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "contact/crowd.h"
#include "contact/touches.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"

// --- smooth motion ---------------------------------------------------------------------------------------------------

static bool accelerate(void *context) {
  event_take_closed(context);
  return event_accelerate(context);
}

static bool project(void *context, double t, double *y) { return event_project(context, t, y, HOLD_STICKING); }

// --- creation --------------------------------------------------------------------------------------------------------

// Vectors over the rows of all points. What they hold lasts no longer than a problem, but for what `share` holds.
static void allocate_rows(event *s) {
  arena *a = &s->w.memory;
  int rows = s->w.m->row_count + s->w.x->extra_rows + 1;
  double **vectors[] = {&s->noise,     &s->a,         &s->lambda,      &s->rate,     &s->rate_after, &s->problem_q,
                        &s->problem_r, &s->problem_u, &s->compression, &s->softness, &s->response};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = ARENA_ARRAY(a, double, rows);
  s->row_capacity = rows;
}

static void allocate(event *s) {
  const mechanism *m = s->w.m;
  arena *a = &s->w.memory;
  int points = s->w.count + 1;
  s->share = ARENA_ARRAY(a, double, m->row_count + 1);
  s->point = ARENA_ARRAY(a, event_point, points);
  s->part = ARENA_ARRAY(a, int, points);
  s->wedged = ARENA_ARRAY(a, bool, points);
  allocate_rows(s);
  watcher_keep_modes_of_entries(&s->w, &s->point, sizeof *s->point);
  watcher_keep_modes(&s->w, s->share, (size_t)m->row_count * sizeof *s->share);
  watcher_keep_modes(&s->w, &s->closed_count, sizeof s->closed_count);
  watcher_keep_modes(&s->w, &s->redundant, sizeof s->redundant);
}

static void enlarge(watcher *w) {
  event *s = (event *)w;
  if (w->m->row_count + w->x->extra_rows + 1 > s->row_capacity) allocate_rows(s);
  if (w->contacts->point_slots <= w->slots) return;
  s->part = watcher_larger(w, s->part, sizeof *s->part);
  s->wedged = watcher_larger(w, s->wedged, sizeof *s->wedged);
}

void event_open_point(watcher *w, int p) {
  event *s = (event *)w;
  const contact_element *e = w->entry[p].e;
  s->point[p] = (event_point){.e = e,
                              .feature = CONTACT_NO_FEATURE,
                              .within = INFINITY,
                              .gap = INFINITY,
                              .absent = contact_points_change(e),
                              .rows = contact_sliding_rows(w->m, e),
                              .way = {1, 0},
                              .friction = e->material.friction,
                              .restitution = {e->material.restitution, e->material.tangential_restitution}};
  event_turns_open(w->m, e, &s->point[p]);
  w->entry[p].still = contact_still(w->m, 0);
}

void event_destroy(void *scheme) {
  event *s = scheme;
  if (s) solve_workspace_destroy(s->workspace);
  watcher_destroy(scheme);
}

// --- memory ----------------------------------------------------------------------------------------------------------

static void mode_field(fields *f, contact_mode *mode) {
  int number = (int)*mode;
  fields_choice(f, "mode", MODE_SLIP, &number);
  *mode = (contact_mode)number;
}

// All pairs of a crowd have the same fields.
static void point_fields(event_point *c, bool permanent, bool turns, fields *f) {
  mode_field(f, &c->mode);
  if (!permanent || contact_points_change(c->e))
    scheme_feature_field(&c->feature, f), c->guards = contact_is_guard(&c->feature);
  fields_choice(f, "axis", 2, &c->axis);
  fields_finites(f, "way", 2, c->way);
  fields_finites(f, "share", 3, c->share);
  fields_choice(f, "guided", 63, &c->guided);
  fields_flag(f, "stood", &c->stood);
  fields_flag(f, "idles", &c->idles);
  fields_flag(f, "may_jam", &c->may_jam);
  fields_choice(f, "lingers", 1000, &c->fade.lingers);
  fields_number(f, "lingers_from", &c->fade.lingers_from);
  fields_number(f, "asked_at", &c->fade.asked_at);
  fields_flag(f, "creeps", &c->fade.creeps);
  fields_flag(f, "has_lifted", &c->has_lifted);
  fields_number(f, "lifted_at", &c->lifted_at);
  fields_number(f, "held_until", &c->held_until);
  fields_finite(f, "slack", &c->slack);
  fields_choice(f, "breaks", INT_MAX, &c->breaks);
  fields_finite(f, "broke_at", &c->broke_at);
  if (turns) event_turns_fields(c, f);
}

static void point_memory_of(event *s, int p, fields *f) {
  bool permanent = p < watcher_permanent(&s->w);
  point_fields(&s->point[p], permanent, permanent ? s->point[p].turn_count > 0 : s->resists_turning, f);
  if (f->from) s->closed_count += event_is_closed(&s->point[p]);
}

void event_point_memory(void *scheme, int p, fields *f) {
  event *s = scheme;
  watcher_point_memory(&s->w, p, f);
  fields_group(f, "contact", -1);
  point_memory_of(s, p, f);
  fields_group(f, NULL, 0);
}

static void joint_fields(event_point *c, fields *f) {
  mode_field(f, &c->mode);
  fields_finite(f, "way", &c->way[0]);
  fields_finite(f, "limit", &c->force[0]);
  fields_finite(f, "share", &c->share[1]);
}

void event_memory(void *scheme, fields *f) {
  event *s = scheme;
  watcher_memory(&s->w, f);
  fields_flag(f, "settled", &s->settled);
  fields_number(f, "pace", &s->pace);
  fields_number(f, "together", &s->together);
  fields_flag(f, "redundant", &s->redundant);
  fields_count(f, "accelerations", &s->evaluations);
  fields_count(f, "projection_failures_of_modes", &s->projection_failures);
  scheme_tally_fields(&s->tally, f);
  if (f->from && s->solver.dump) s->solver.dump->problems = s->tally.problems;
  fields_finites(f, "shares", s->w.m->row_count, s->share);
  if (f->from) s->closed_count = 0;
  for (int p = 0; p < watcher_permanent(&s->w); p++) fields_group(f, "contact", p), point_memory_of(s, p, f);
  for
    EACH_JOINT(i, s) fields_group(f, "friction", i), joint_fields(event_joint_point(s, i), f);
  fields_group(f, NULL, 0);
}

// Positions and speeds are good to about ten times the tolerance of a step; closer than that nothing can be told apart.
// Where several points come to a standstill together, their speeds are the error that the integration has gathered
// until then, which is more than that of a step. In a heap the direction of a slow slip adapts to the forces around it
// within v/(μ λ_N W), some 10 ns at 10 times `still`, and modes that are decided for the direction at hand do not last
// longer.
static void set_tolerances(event *s) {
  s->lightest = INFINITY;
  for (int i = 1; i < s->w.m->node_count; i++)
    if (s->w.m->nodes[i].mass > 0) s->lightest = fmin(s->lightest, s->w.m->nodes[i].mass);
  double atol = s->w.flow.integrator.atol, length = s->w.m->length;
  s->w.nearness = fmax(1e-12, 10 * atol) * length;
  s->still = fmax(1e-10, 10 * atol) * length;
  s->brief = (s->relaxes ? 1 : 0.01) * s->w.nearness;  // in a heap every impact leaves one at nearly every contact
  s->standing = s->relaxes ? 100 : 10;
  s->held_on_at = NAN;
  s->still_turn = s->still / length, s->brief_turn = s->brief / length;
  s->solver = solve_settings_default();
  if (s->options.tolerance > 0) s->solver.tolerance = s->options.tolerance;
}

static bool rolls(const mechanism *m, const contact_element *e) { return (void)m, contact_rolls(e); }

// Of many free bodies on which nothing acts but contacts and weight, slips in space are all that is stiff unless they
// resist turning; others have a Jacobian by differences. Factors that are kept depend on the steps before, as multistep
// integrators do: a run that is resumed differs in the last digits.
static void choose_solvers(event *s) {
  enum { MANY_SPEEDS = 60 };
  const watcher *w = &s->w;
  const mechanism *m = w->m;
  bool many = m->nv >= MANY_SPEEDS && !m->row_count && !m->friction_count && response_of_free_bodies(m);
  s->keeps_factors = many && (w->flow.kind == INTEGRATOR_BDF || w->flow.kind == INTEGRATOR_ADAMS);
  contact_element any;
  int index;
  s->resists_turning = contact_find(w->contacts->world, m, rolls, &any, &index);
  s->relaxes = many && !s->resists_turning && w->flow.kind == INTEGRATOR_BDF && !m->force_count && !w->x->inner_count;
  if (s->relaxes) s->w.flow.relax = event_relax, s->w.flow.steer = event_steer;
  // there is an event every few steps, and a multistep method would be starting all the time
  if (s->relaxes && !w->flow.integrator.order_max) s->w.flow.kind = INTEGRATOR_SDIRK;
}

bool event_prepare(watcher *w, const scheme_setup *setup, carom_error *error) {
  event *s = (event *)w;
  s->options = *(const carom_event_def *)setup->options;
  w->flow = flow_settings_from(setup, FLOW_PROJECT, 0, 0);
  w->flow.loses[POWER_CONTACT] = w->flow.loses[POWER_FRICTION] = true;
  w->flow.accelerate = accelerate, w->flow.project = project, w->flow.context = s;
  s->counts_turns = coordinate_counts_turns(w->m);
  s->forces_change = w->flow.kind != INTEGRATOR_RK4 && event_forces_change(w->m);
  choose_solvers(s);
  allocate(s);
  event_friction_create(s);
  set_tolerances(s);
  s->solver.dump = setup->dump;
  for
    EACH_POINT(p, w) event_open_point(w, p);
  s->grows = w->contacts->pool || w->contacts->changing_count;
  if (s->grows) return true;
  // in the largest problem all points touch
  event_take(s, NULL);
  event_add_rows(s);
  event_allocate_problem(s, w->m->row_count + w->m->extra_rows, w->slots);
  bool made = event_make_workspace(s, error);
  rows_clear(w->m, w->x);
  return made;
}

// --- showing ---------------------------------------------------------------------------------------------------------

// Accelerations with the contact forces.
static void show(watcher *w) {
  event *s = (event *)w;
  if (accelerate(s)) w->x->level = LEVEL_ACCELERATION;
  event_friction_show(s);
  event_evaluate(s);
  for
    EACH_POINT(p, w)  // an open point that has left its features has no gap
  if (!event_is_closed(&s->point[p]) && !(s->point[p].within > 0))
    w->points[p].gap = INFINITY, w->points[p].absent = true;
}

// The part of a step up to this share of it. Forces change little in it.
static void scale_step(impact_step *step, double share) {
  double *sums[] = {&step->impulse_normal, &step->impulse_tangential, &step->loss_normal, &step->loss_tangential};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] *= share;
}

// Impacts that were summed up end within the step: what comes before is booked as theirs, and `step` is the rest.
static void end_accumulation_within(watcher *w, event_point *c, int p, impact_step *step) {
  impact_step first = *step;
  const double share = (c->held_until - step->t_start) / (step->t_end - step->t_start);
  first.t_end = step->t_start = c->held_until;
  scale_step(&first, share);
  scale_step(step, 1 - share);
  impact_touch(w->impacts, p, &first);
  impact_separate(w->impacts, p);
  c->held_until = 0;
}

// What is left of the slip of a point that sticks is the error of the integrator. One that has come loose slides from
// that instant on, however slowly: its slip grows from zero with the square of the time.
static void describe(watcher *w, int p, impact_step *step) {
  event_point *c = &((event *)w)->point[p];
  if (c->mode == MODE_STICK) step->slip = 0;
  if (c->mode == MODE_SLIP && event_rubs(c) && !c->idles) step->still = 0;
  if (c->held_until > step->t_start && c->held_until < step->t_end) end_accumulation_within(w, c, p, step);
}

static void list(const watcher *w, int p, const watch_look *at, scheme_contact *c) {
  const event_point *e = &((const event *)w)->point[p];
  c->active = c->lasts = event_is_closed(e);
  c->slides = e->mode == MODE_SLIP && (e->rows > 1 || !impact_sticks(watch_length(at->slip), w->entry[p].still));
}

// --- stepping --------------------------------------------------------------------------------------------------------

// In a heap an impact makes many small hops, each with an end of its own. The books divide a step there, which takes no
// look. The points of one pair are booked up to the same time.
static bool divides_books(const event *s, const event_point *c) { return s->relaxes && c->e->point_count == 1; }

// Not so far that a gap could close and open again unseen, and not beyond the end of an accumulation of impacts.
static double limit(const watcher *w, double t_stop) {
  const event *s = (const event *)w;
  double limit = fmin(t_stop, event_pace_limit(s, t_stop));
  for
    EACH_POINT(p, w) {
      const event_point *c = &s->point[p];
      const watch_look *at = &w->look[WATCH_START][p];
      if (c->held_until > w->t && !divides_books(s, c)) limit = fmin(limit, c->held_until);
      if (c->mode != MODE_OPEN || at->absent || at->gap <= w->nearness || at->rate >= 0) continue;
      limit = fmin(limit, w->t + 4 * (at->gap + w->nearness) / -at->rate);
    }
  return limit;
}

static bool touches(const watcher *w, int p) {
  const event_point *c = &((const event *)w)->point[p];
  return c->first ? c->mode == MODE_SLIP : event_is_closed(c);
}

// Where impacts that were summed up have come to an end, lasting contact begins.
static void end_accumulations(event *s) {
  for
    EACH_POINT(p, &s->w) {
      event_point *c = &s->point[p];
      if (!(c->held_until > 0) || c->held_until > s->w.t) continue;
      c->held_until = 0;
      impact_separate(s->w.impacts, p);
    }
}

// The motion takes the state that has been reached. It does so before and after a jump of velocities, since turns are
// counted by the speeds on the same side of it.
static void enter(event *s) {
  event_observe_state(s);
  if (s->counts_turns) coordinate_accept(s->w.m, s->w.x);
}

static carom_status settle(event *s, const event_instant *instant, carom_error *error) {
  carom_status status = event_settle(s, instant, error);
  s->settled = status == CAROM_OK;
  s->w.restart = true;
  enter(s);
  return status;
}

carom_status event_begin(watcher *w, carom_error *error) {
  event *s = (event *)w;
  if (s->settled) return CAROM_OK;
  carom_status status = settle(s, &NO_EVENT, error);
  if (status == CAROM_OK && !watcher_look_at_start(w))
    status = error_set(error, CAROM_ERROR_SINGULAR, "there are no accelerations at t = %g s", w->t);
  return status;
}

static void place(watcher *w) {
  event *s = (event *)w;
  if (event_renew_places(s) >= 0) s->settled = false;
}

static void restarted(watcher *w) {
  event *s = (event *)w;
  s->jacobian_is_new = true, s->slips.t = NAN;
}

static carom_status end(watcher *w, bool *changed, carom_error *error) {
  event *s = (event *)w;
  event_instant instant = NO_EVENT;
  if (w->changed >= 0)
    instant = (event_instant){event_kind_of(s, w->changed), w->changed / EVENT_FUNCTIONS,
                              w->changed % EVENT_FUNCTIONS - EVENT_FIRST_TURN};
  event_pace_take(s);
  enter(s);
  int renewed = event_renew_places(s);
  if (renewed >= 0 && instant.kind == EVENT_NONE) instant = (event_instant){EVENT_PLACE, renewed, 0};
  end_accumulations(s);
  event_follow_ways(s, &instant);
  *changed = instant.kind != EVENT_NONE;
  return *changed ? settle(s, &instant, error) : CAROM_OK;
}

const watcher_type event_watched = {
    .size = sizeof(event),
    .memory = "the events of contact",
    .prepare = event_prepare,
    .enlarge = enlarge,
    .open = event_open_point,
    .place = place,
    .destroy = event_destroy,
    .looks = 5,
    .functions = EVENT_FUNCTIONS,
    .what = " their modes",
    .look = event_look,
    .is_unchanged = event_is_unchanged,
    .is_even = event_is_even,
    .value = event_value,
    .find = event_find,
    .limit = limit,
    .touches = touches,
    .show = show,
    .describe = describe,
    .list = list,
    .begin = event_begin,
    .restarted = restarted,
    .end = end,
};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  return watcher_create(&event_watched, setup, start, error);
}

carom_status event_step(void *scheme, double t_stop, carom_error *error) {
  event *s = scheme;
  s->disagrees = s->out_of_memory = false;
  for (int p = 0; p < s->w.count; p++) s->point[p].has_shared = false;
  carom_status status = watcher_step(s, t_stop, error);
  s->w.trouble.friction_unsettled += s->disagrees;
  if (status != CAROM_OK && s->out_of_memory) {  // which is why
    if (error) error->status = CAROM_OK;
    status = error_set(error, CAROM_ERROR_MEMORY, "out of memory for a contact problem of %d points", s->part_count);
  }
  return status;
}

// Before the first step modes are decided here, unless an impact comes first: then what acts before it is shown. Where
// they cannot be decided the first step says why.
bool event_result(void *scheme, carom_error *error) {
  event *s = scheme;
  watcher *w = &s->w;
  carom_error ignored = {0};
  if (!s->settled && (event_is_struck(s) || event_settle(s, &NO_EVENT, &ignored) != CAROM_OK))
    return watcher_result(s, error);
  if (!s->settled) {
    s->settled = w->restart = true;
    (void)watcher_look_at_start(w);
    watcher_show_end(w);
  }
  if (w->x->level < LEVEL_ACCELERATION && !w->in_the_past)
    watcher_show_end(w);  // a look where nothing is closed stops before them
  return w->x->level >= LEVEL_ACCELERATION && watcher_result(s, error);
}

// Friction that follows its load is made to agree with it from what was found last, also where a state is only looked
// at: a resumed run, which looks once more, is off by the tolerance of that agreement.
bool event_resumes_exactly(const void *scheme) {
  return !((const event *)scheme)->friction_loaded && watcher_resumes_exactly(scheme);
}

scheme_stats event_stats(const void *scheme) {
  const event *s = scheme;
  scheme_stats stats = watcher_stats(scheme);
  stats.evaluations = s->evaluations;
  stats.projection_failures += s->projection_failures;
  stats.solves = &s->tally;
  return stats;
}

const scheme_type scheme_event = {
    .name = "event",
    .about = &event_about,
    .create = create,
    .destroy = event_destroy,
    .step = event_step,
    .result = event_result,
    .stats = event_stats,
    .resumes_exactly = event_resumes_exactly,
    .memory = event_memory,
    .point_memory = event_point_memory,
    WATCHER_FUNCTIONS,
};
