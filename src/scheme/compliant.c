// Scheme `compliant` on the watcher: what pressed points remember, and how their modes change. New modes belong to the
// step that ends with them.
#include "scheme/compliant.h"

#include <string.h>

#include "base/error.h"
#include "contact/crowd.h"
#include "contact/law.h"
#include "mechanics/dynamics.h"
#include "scheme/compliant_internal.h"

// --- creation --------------------------------------------------------------------------------------------------------

// A law f(δ) (1 + λ δ̇/v₀) lets energy that no approach has brought go with the share (1 + 2e)/3 of the elastic speed,
// for whatever damping it has, by v₀ = (λ/y) v with the elastic speed v; but v₀ is at most v, so that an impact is not
// changed (theory.md, 12.2).
static double release_of(const contact_element *e) {
  const normal_law *l = &e->material.normal;
  if (!normal_uses_approach(l)) return 0;
  if (!l->type->lambda) return 1;
  return fmin(1, l->lambda / normal_lambda_of_release((1 + 2 * e->material.restitution) / 3));
}

// The radius of a sphere that rolls on a plane as the surfaces roll on each other; where they are not round, half the
// thickness of the thinner body, or the size of the model.
static double rolling_radius(const mechanism *m, const contact_element *e) {
  double radius[2];
  contact_curvatures(e, radius);
  double together = 1 / (1 / radius[0] + 1 / radius[1]);
  return together > 0 && isfinite(together) ? together : e->span > 0 ? 0.5 * e->span : m->length;
}

// Laws without bristles have no friction without slip: under a load that lasts they creep. A body that settles slides
// too while it sticks: from v0 it stops within about v0²/2μg under its weight. Twice that, and at least 1e-6 of the
// model's size, is no creep yet.
static double creep_least(const mechanism *m, const contact_element *e) {
  const friction_law *l = &e->material.tangential;
  if (!contact_rubs(e) || l->type->states) return 0;
  double gravity = vec3_norm(m->gravity), settles = gravity > 0 ? l->v0 * l->v0 / (e->material.friction * gravity) : 0;
  return fmax(1e-6 * m->length, settles);
}

static void open_point(watcher *w, int p) {
  compliant *s = (compliant *)w;
  const contact_element *e = w->entry[p].e;
  bool elastic = normal_is_elastic(&e->material.normal);
  s->now[p] = (touch_memory){0};
  s->point[p] = (touch_point){.e = e,
                              .now = &s->now[p],
                              .elastic = elastic,
                              .release = s->approach_by_energy ? release_of(e) : 0,
                              .releases = !elastic && !e->material.normal.pulls && !e->type->overlap,
                              .through = contact_thickness(e),
                              .turns = INFINITY,
                              .inner = -1,
                              .creep_least = creep_least(w->m, e)};
  if (contact_rolls(e)) s->point[p].turn = e->material.tangential.v0 / rolling_radius(w->m, e);
  w->entry[p].still = contact_still(w->m, e->material.tangential.v0);  // below v0 a contact that holds creeps
}

// Pairs of a crowd have no bristles.
static void lay_bristles(compliant *s) {
  int inner = s->w.m->state_count;  // behind the states of the model
  for
    EACH_POINT(p, &s->w) {
      touch_point *c = &s->point[p];
      c->inner_count = contact_inner_count(s->w.m, c->e);
      if (c->inner_count) c->inner = inner;
      inner += c->inner_count;
    }
}

static bool is_damped(const mechanism *m, const contact_element *e) {
  return (void)m, !normal_is_elastic(&e->material.normal);
}
static bool rubs(const mechanism *m, const contact_element *e) { return (void)m, contact_rubs(e) || contact_rolls(e); }

// Of all slots, also free ones.
static void assign_memories(compliant *s) {
  for (int p = 0; p < s->w.contacts->point_slots; p++) s->point[p].now = &s->now[p];
}

static void enlarge(watcher *w) {
  compliant *s = (compliant *)w;
  if (w->contacts->point_slots <= w->slots) return;
  s->point = watcher_larger(w, s->point, sizeof *s->point);
  s->load = watcher_larger(w, s->load, sizeof *s->load);
  assign_memories(s);
}

static bool acts_unseen(const watcher *w) { return !entry_is_gated((const compliant *)w); }

static void destroy(void *scheme) {
  compliant *s = scheme;
  if (s && s->w.x && s->w.x->push_context == s) s->w.x->push = NULL, s->w.x->push_context = NULL;
  watcher_destroy(scheme);
}

// Places of contact that come and go keep the points they have at the end of a step, and what these remember, while
// they move on.
static void hold_places(compliant *s) {
  contact_state *c = s->w.contacts;
  for (int i = 0; i < c->element_count; i++) {
    if (!contact_points_change(c->elements[i])) continue;
    contact_state_locate(c, s->w.m, s->w.x, c->elements[i], c->found, s->w.points);
    contact_state_hold(c, c->elements[i], true);
  }
}

// What overlaps at the start is pressed already. It has not approached: the energy it holds says how fast it may come
// out.
static void set_modes_at_start(compliant *s) {
  (void)compliant_look(&s->w);
  hold_places(s);
  for
    EACH_POINT(p, &s->w) {
      const watch_look *at = &s->w.seen[p];
      touch_point *c = &s->point[p];
      c->lasts = at->gap < 0 || (at->gap == 0 && at->rate <= 0);
      c->now->mode = c->lasts ? TOUCH_PRESSED : TOUCH_OPEN;
      c->now->approach = fmax(s->options.approach_min, -at->rate);
      if (!(c->release > 0) || c->now->mode == TOUCH_OPEN || (touch_is_area(c) && !(at->gap < 0))) continue;
      c->now->mobility = compliant_mobility(s, p);
      c->now->elastic = compliant_elastic_speed(c, at, -at->gap);
    }
}

// At rest damping and approach do not matter: points are pressed where surfaces overlap.
static void rest(void *scheme, double *normal) {
  compliant *s = scheme;
  (void)compliant_look(&s->w);
  for
    EACH_POINT(p, &s->w) s->now[p].mode = s->w.seen[p].gap < 0 ? TOUCH_PRESSED : TOUCH_OPEN;
  (void)compliant_look(&s->w);
  for
    EACH_POINT(p, &s->w) normal[p] = s->w.seen[p].gap < 0 ? s->w.seen[p].normal : 0;
}

static void point_fields(compliant *s, int p, fields *f) {
  touch_point *c = &s->point[p];
  int mode = (int)c->now->mode;
  fields_choice(f, "mode", TOUCH_RELEASED, &mode);
  fields_number(f, "approach", &c->now->approach);
  fields_number(f, "elastic", &c->now->elastic);
  fields_number(f, "mobility", &c->now->mobility);
  fields_flag(f, "follows", &c->lasts);
  fields_flag(f, "entered", &c->entered);
  fields_flag(f, "parted", &c->parted);
  fields_number(f, "first_step", &c->first_step);
  fields_number(f, "free_step", &c->free_step);
  bool of_crowd = p >= s->w.contacts->world->point_count;  // all have the same fields
  if (of_crowd || contact_points_change(c->e)) scheme_feature_fields(s->w.contacts, p, f);
  if (!f->from) return;
  c->now->mode = (touch)mode;
  c->turns = INFINITY, c->undecided = 0;
}

static void memory(void *scheme, fields *f) {
  compliant *s = scheme;
  watcher_memory(&s->w, f);
  for (int p = 0; p < watcher_permanent(&s->w); p++) fields_group(f, "contact", p), point_fields(s, p, f);
  fields_group(f, NULL, 0);
  if (f->from) s->shorter = 0;
}

static void point_memory(void *scheme, int p, fields *f) {
  compliant *s = scheme;
  watcher_point_memory(&s->w, p, f);
  fields_group(f, "contact", -1);
  point_fields(s, p, f);
  fields_group(f, NULL, 0);
}

static bool prepare(watcher *w, const scheme_setup *setup, carom_error *error) {
  compliant *s = (compliant *)w;
  (void)error;
  s->options = *(const carom_compliant_def *)setup->options;
  s->approach_by_energy = !(s->options.approach_min > 0);
  compliant_complete(&s->options, w->m->length);
  w->flow = flow_settings_from(setup, s->options.constraints, s->options.alpha, s->options.beta);
  w->flow.loses[POWER_CONTACT] = contact_count(w->contacts->world, w->m, is_damped, NULL) > 0;
  w->flow.loses[POWER_FRICTION] = contact_count(w->contacts->world, w->m, rubs, NULL) > 0;
  s->point = ARENA_ARRAY(&w->memory, touch_point, w->count + 1);
  s->load = ARENA_ARRAY(&w->memory, touch_load, w->count + 1);
  s->now = ARENA_ARRAY(&w->memory, touch_memory, w->count + 1);
  watcher_keep_modes_of_entries(w, &s->now, sizeof *s->now);
  assign_memories(s);
  for
    EACH_POINT(p, w) open_point(w, p);
  lay_bristles(s);
  w->nearness = 1e-13 * s->w.m->length;  // a thousand times the rounding of positions
  set_modes_at_start(s);
  w->x->push = compliant_push;
  w->x->push_context = s;
  return true;
}

static void list(const watcher *w, int p, const watch_look *at, scheme_contact *c) {
  c->active = at->gap <= 0;
  c->lasts = ((const compliant *)w)->point[p].lasts;
  c->slides = !impact_sticks(watch_length(at->slip), w->entry[p].still);
}

// --- modes -----------------------------------------------------------------------------------------------------------

static touch next_mode(const compliant *s, int p) {
  const watch_look *at = &s->w.look[LOOK_END][p];
  touch mode = s->point[p].now->mode;
  bool near = fabs(at->gap) <= s->w.nearness;
  if (mode == TOUCH_OPEN) return (near ? at->rate <= 0 : at->gap < 0) ? TOUCH_PRESSED : TOUCH_OPEN;
  if (near ? at->rate > 0 : at->gap > 0) return TOUCH_OPEN;
  if (s->options.entry != CAROM_LOCATE || !s->point[p].releases) return TOUCH_PRESSED;
  if (s->point[p].undecided >= UNDECIDED_MOST) return mode;
  // where the force changes its sign it is nothing but rounding: which way it goes, the watch has seen
  bool turns = s->point[p].turns == s->w.t;
  double force = compliant_tendency(s, p, at);
  if (mode == TOUCH_PRESSED) return turns || force < 0 ? TOUCH_RELEASED : TOUCH_PRESSED;
  return turns || force > 0 ? TOUCH_PRESSED : TOUCH_RELEASED;
}

// A bristle bends back when the surfaces separate.
static void separate(compliant *s, int p) {
  const touch_point *c = &s->point[p];
  impact_separate(s->w.impacts, p);
  if (c->inner < 0) return;
  double *inner = flow_inner(s->w.core, s->w.y) + c->inner;
  for (int k = 0; k < c->inner_count; k++) inner[k] = 0;
  s->w.restart = true;
}

// Whether any changed.
static bool change_modes(compliant *s) {
  bool changed = false;
  for
    EACH_POINT(p, &s->w) {
      touch_point *c = &s->point[p];
      touch mode = next_mode(s, p);
      // moving out, and in again without having parted: no longer an impact
      c->lasts =
          mode != TOUCH_OPEN && (c->lasts || (s->w.look[LOOK_START][p].rate > 0 && s->w.look[LOOK_END][p].rate <= 0));
      c->undecided = s->w.t > s->w.t_before ? 0 : c->undecided + (c->turns == s->w.t);
      if (mode == TOUCH_OPEN && (c->now->mode != TOUCH_OPEN || s->w.impacts->is_open[p])) separate(s, p);
      c->entered = mode != c->now->mode && c->now->mode == TOUCH_OPEN;
      c->parted = mode != c->now->mode && mode == TOUCH_OPEN;
      if (mode == c->now->mode) continue;
      changed = true;
      if (c->now->mode == TOUCH_OPEN && entry_is_gated(s))
        c->now->approach = fmax(s->options.approach_min, -s->w.look[LOOK_END][p].rate);
      c->now->mode = mode;
      s->w.restart |= entry_is_gated(s);
    }
  return changed;
}

// Where the last step was seen to be deepest.
static const watch_look *deepest_seen(const compliant *s, int p) {
  const watch_look *deepest = &s->w.look[LOOK_END][p];
  for (int k = LOOK_START; k < LOOK_END; k++)
    if (s->w.look[k][p].gap < deepest->gap) deepest = &s->w.look[k][p];
  return deepest;
}

// A point keeps what the most energy it has stored allows. An impact alone never stores more than it came with, but a
// load that presses further does. While it sinks the penetration says as much, so that the force changes only where it
// turns, and there by little; an area that rocks sinks at one end while it has turned at the other, and the integrator
// starts again. Returns whether the force of any point is no longer that of the last step.
static bool bound_approaches(compliant *s) {
  static const double NOTICEABLE = 1.01;  // a body at rest trembles by the tolerance
  bool changed = false, shown = false;
  for
    EACH_POINT(p, &s->w) {
      touch_point *c = &s->point[p];
      if (!(c->release > 0)) continue;
      if (c->now->mode == TOUCH_OPEN) c->now->mobility = c->now->elastic = 0;
      bool sinks = s->w.look[LOOK_END][p].rate < 0;
      if (c->now->mode == TOUCH_OPEN || (sinks && !c->entered)) continue;
      if (touch_is_area(c) && c->entered) continue;  // where it presses is known when it is pressed in
      const watch_look *at = deepest_seen(s, p);
      bool first = touch_is_area(c) && !(c->now->mobility > 0);
      bool rises =
          first || compliant_elastic_speed(c, at, -at->gap) > NOTICEABLE * fmax(c->now->approach, c->now->elastic);
      if (!c->entered && !rises) continue;
      if (!shown) flow_show(s->w.core, s->w.t, s->w.y), shown = true;
      c->now->mobility = compliant_mobility(s, p);
      c->now->elastic = fmax(c->now->elastic, compliant_elastic_speed(c, at, -at->gap));
      s->w.law_changed = true;
      changed |= rises, s->w.restart |= rises && touch_is_area(c);
    }
  return changed;
}

// An area that rocks does not open between two impacts. Where it turns back in, the impact that was is over: what
// presses it in anew comes as fast as the energy stored now allows, and the damping of a faster impact would hardly
// slow it. Returns as bound_approaches.
static bool forget_approaches(compliant *s) {
  bool changed = false;
  for
    EACH_POINT(p, &s->w) {
      touch_point *c = &s->point[p];
      const watch_look *at = &s->w.look[LOOK_END][p];
      bool turns = s->w.look[LOOK_START][p].rate > 0 && at->rate <= 0;
      if (!touch_is_area(c) || !(c->release > 0) || c->now->mode == TOUCH_OPEN || !turns) continue;
      double enough = fmax(s->options.approach_min, compliant_elastic_speed(c, at, -at->gap));
      if (!(2 * enough < fmax(c->now->approach, c->now->elastic))) continue;
      c->now->approach = c->now->elastic = enough;
      s->w.law_changed = s->w.restart = changed = true;
    }
  return changed;
}

// --- stepping --------------------------------------------------------------------------------------------------------

// A force that begins with a power of the penetration has no derivatives at the surface, and a step of high order no
// use there: what suited at the entry suits at the parting. So the last step but one ends as far before the surface,
// and the last goes through it.
static double before_parting(const touch_point *c, double to_surface) {
  return to_surface > 1.5 * c->first_step ? to_surface - 0.75 * c->first_step : 2 * to_surface;
}

// Not so far that a gap could close and open again unseen. Twice the way to the surface, so that a step goes through it
// and not ever closer.
static double limit(const watcher *w, double t_stop) {
  const compliant *s = (const compliant *)w;
  double limit = s->shorter > 0 ? fmin(t_stop, w->t + s->shorter) : t_stop;
  if (s->options.entry == CAROM_NO_CONTROL) return limit;
  for
    EACH_POINT(p, &s->w) {
      const touch_point *c = &s->point[p];
      const watch_look *at = &s->w.look[LOOK_START][p];
      bool open = c->now->mode == TOUCH_OPEN;
      if (open && at->gap > 0 && at->rate < 0)
        limit = fmin(limit, s->w.t + 2 * (at->gap + s->options.penetration_max) / -at->rate);
      if (!open && at->gap < -s->w.nearness && at->rate > 0 && c->first_step > 0)
        limit = fmin(limit, s->w.t + before_parting(c, -at->gap / at->rate));
    }
  return limit;
}

// The first step after an entry or a parting is the one that suited the point when it last entered or parted: contacts
// of one point are much alike, whatever the speed.
static void restarted(watcher *w) {
  const compliant *s = (const compliant *)w;
  double step = INFINITY;
  for
    EACH_POINT(p, &s->w)
  if (s->point[p].entered || s->point[p].parted)
    step = fmin(step, s->point[p].entered ? s->point[p].first_step : s->point[p].free_step);
  if (step > 0 && isfinite(step)) flow_suggest_step(s->w.core, step);
}

// Only a one-step method of variable step begins with a step of full length.
static void learn_step(compliant *s) {
  double taken = flow_time(s->w.core) - s->w.from;
  if (s->w.flow.kind != INTEGRATOR_ERK || !(flow_time(s->w.core) < s->w.limit)) return;
  double suited = fmin(1.5 * taken, flow_next_step(s->w.core));
  for
    EACH_POINT(p, &s->w) {
      if (s->point[p].entered) s->point[p].first_step = suited;
      if (s->point[p].parted) s->point[p].free_step = suited;
    }
}

static int deepest_point(const compliant *s) {
  int deepest = -1;
  for
    EACH_POINT(p, &s->w) {
      const watch_look *at = s->w.look[LOOK_START];
      bool touches = s->point[p].now->mode != TOUCH_OPEN || at[p].gap < 0;
      if (touches && (deepest < 0 || at[p].gap < at[deepest].gap)) deepest = p;
    }
  return deepest;
}

// Which contact it was, and what to change.
static void explain(const watcher *w, carom_error *error) {
  const compliant *s = (const compliant *)w;
  int p = deepest_point(s);
  char name[CONTACT_NAME];
  if (p < 0) return;
  error_append(error,
               "; contact '%s' is pressed in by %.3g m with %.3g N: lower its stiffness, loosen rtol, lower step_min%s",
               contact_name(w->contacts->world, s->point[p].e, name), -s->w.look[LOOK_START][p].gap,
               s->w.look[LOOK_START][p].normal, s->w.flow.kind == INTEGRATOR_BDF ? "" : ", or use integrator bdf");
}

// Where a body has gone through a surface, no force law means anything any more.
static carom_status check_depth(const compliant *s, carom_error *error) {
  char name[CONTACT_NAME];
  for
    EACH_POINT(p, &s->w)
  if (-s->w.look[LOOK_END][p].gap > s->point[p].through || !isfinite(s->w.look[LOOK_END][p].normal))
    return error_set(
        error, CAROM_ERROR_INTEGRATOR,
        "contact '%s' is %.3g m deep at t = %.10g s, through the body it presses (first penetrations up to "
        "%.3g m where %.3g m is the bound): %s",
        contact_name(s->w.contacts->world, s->point[p].e, name), -s->w.look[LOOK_END][p].gap, s->w.t,
        s->w.impacts->worst_penetration, s->options.penetration_max,
        entry_is_gated(s) ? "its law is too weak for what presses on it" : "take shorter steps, or 'entry: locate'");
  return CAROM_OK;
}

// Within one step, what a law that needs the speed of approach is given before it is known.
static carom_status begin(watcher *w, carom_error *error) {
  compliant *s = (compliant *)w;
  (void)error;
  for
    EACH_POINT(p, w)
  if (s->point[p].now->mode == TOUCH_OPEN)
    s->point[p].now->approach = fmax(s->options.approach_min, -w->look[LOOK_START][p].rate);
  return CAROM_OK;
}

static carom_status end(watcher *w, bool *changed, carom_error *error) {
  compliant *s = (compliant *)w;
  learn_step(s);
  carom_status status = check_depth(s, error);
  if (status != CAROM_OK) return status;
  bool modes = change_modes(s), bounds = bound_approaches(s), forgets = forget_approaches(s);
  *changed = modes || bounds || forgets;
  if (w->contacts->changing_count) {
    flow_show(w->core, w->t, w->y);
    dynamics_positions_velocities(w->m, w->x);
    hold_places(s);
  }
  // a hop so small that the step's dense output does not resolve it: the same again in a shorter step
  s->shorter = w->t > w->t_before || modes ? 0 : 0.25 * (flow_time(w->core) - w->t);
  return CAROM_OK;
}

static const watcher_type watched = {
    .size = sizeof(compliant),
    .memory = "the forces of contact",
    .prepare = prepare,
    .enlarge = enlarge,
    .open = open_point,
    .acts_unseen = acts_unseen,
    .destroy = destroy,
    .looks = LOOK_COUNT,
    .functions = FUNCTION_COUNT,
    .looks_in_rhs = true,
    .penetrates = true,
    .what = "",
    .look = compliant_look,
    .is_unchanged = compliant_is_unchanged,
    .value = compliant_value,
    .find = compliant_find,
    .limit = limit,
    .touches = compliant_touches,
    .describe = compliant_describe,
    .list = list,
    .begin = begin,
    .restarted = restarted,
    .end = end,
    .explain = explain,
};

static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {
  return watcher_create(&watched, setup, start, error);
}

const scheme_type scheme_compliant = {
    .name = "compliant",
    .about = &compliant_about,
    .create = create,
    .destroy = destroy,
    .step = watcher_step,
    .result = watcher_result,
    .stats = watcher_stats,
    .resumes_exactly = watcher_resumes_exactly,
    .memory = memory,
    .rest = rest,
    .point_memory = point_memory,
    WATCHER_FUNCTIONS,
};
