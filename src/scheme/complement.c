// Schemes that find contact forces by complementarity with predicted gaps, on the watcher: every interval begins with a
// prediction, and an integrator moves the bodies under the forces found.
#include "scheme/complement.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/crowd.h"
#include "mechanics/dynamics.h"
#include "scheme/complement_internal.h"

// --- forces ----------------------------------------------------------------------------------------------------------

static bool presses(const complement *s, int p) { return s->force[p].normal > 0; }

double complement_mean(const complement *s, int p) {
  double sum = 0;
  for (int k = 0; k < s->options.average; k++) sum += complement_past(s, p)[k];
  return sum / s->options.average;
}

static void see_point(complement *s, int p) {
  watcher *w = &s->w;
  const contact_point *at = &w->points[p];
  const contact_element *e = w->entry[p].e;
  const complement_force *f = &s->force[p];
  watch_look *seen = &w->seen[p];
  *seen = (watch_look){.gap = at->gap, .absent = at->absent};
  if (at->absent) return;
  seen->rate = contact_gap_rate(w->m, w->x, e, at);
  seen->normal = f->normal;
  if (!presses(s, p) || e->type->frictionless) return;
  contact_slip(w->m, w->x, e, at, seen->slip);
  memcpy(seen->drag, f->drag, sizeof seen->drag);
  seen->loss[1] = -(f->drag[0] * seen->slip[0] + f->drag[1] * seen->slip[1]);
}

static bool look(watcher *w) {
  complement *s = (complement *)w;
  w->seen_at = NAN;
  for (int i = 0; i < w->contacts->element_count; i++) complement_locate(s, w->contacts->elements[i]);
  for
    EACH_POINT(p, w) {
      see_point(s, p);
      w->seen[p].loss[0] = -w->seen[p].normal * w->seen[p].rate;
    }
  return true;
}

// The forces of the interval along the normals and tangents of the present state. What they take from the bodies is
// lost.
static void push(void *scheme, const mechanism *m, motion *x) {
  complement *s = scheme;
  const contact_element *done = NULL;
  if (s->predicting) return;
  s->w.seen_at = NAN;
  for
    EACH_POINT(p, &s->w) {
      const contact_element *e = s->w.entry[p].e;
      if (!presses(s, p)) continue;
      if (e != done) complement_locate(s, e);
      done = e;
      see_point(s, p);
      const watch_look *seen = &s->w.seen[p];
      if (seen->absent) continue;
      contact_push(m, x, e, &s->w.points[p], seen->normal, seen->drag);
      x->powers[POWER_CONTACT] -= seen->normal * seen->rate;
      x->powers[POWER_FRICTION] += seen->loss[1];
    }
}

// --- creation --------------------------------------------------------------------------------------------------------

static void open_point(watcher *w, int p) {
  complement *s = (complement *)w;
  s->force[p] = (complement_force){0};
  s->place[p] = (complement_place){0};
  s->miss[p] = (complement_miss){0};
  memset(complement_past(s, p), 0, (size_t)s->options.average * sizeof *s->past);
  w->entry[p].still = contact_still(w->m, 0);
}

static void enlarge(watcher *w) {
  complement *s = (complement *)w;
  if (w->contacts->point_slots <= w->slots) return;
  s->past = watcher_larger(w, s->past, (size_t)s->options.average * sizeof *s->past);
  s->place = watcher_larger(w, s->place, sizeof *s->place);
  s->miss = watcher_larger(w, s->miss, sizeof *s->miss);
  s->problem.takes_part = watcher_larger(w, s->problem.takes_part, sizeof *s->problem.takes_part);
}

void complement_destroy(void *scheme) {
  complement *s = scheme;
  if (s) {
    if (s->w.x && s->w.x->push_context == s) s->w.x->push = NULL, s->w.x->push_context = NULL;
    solve_workspace_destroy(s->problem.workspace);
  }
  watcher_destroy(scheme);
}

static bool rubs(const mechanism *m, const contact_element *e) { return (void)m, contact_rubs(e); }

static void set_integrator(complement *s, const scheme_setup *setup) {
  flow_settings *f = &s->w.flow;
  *f = flow_settings_from(setup, FLOW_PROJECT, 0, 0);
  f->loses[POWER_CONTACT] = true, f->loses[POWER_FRICTION] = s->rubs;
  if (f->kind != INTEGRATOR_RK4) return;
  f->kind = s->method->kind;
  if (!(f->integrator.step > 0)) f->integrator.step = s->options.step;
}

static bool prepare(watcher *w, const scheme_setup *setup, carom_error *error) {
  complement *s = (complement *)w;
  s->options = *(const carom_lcp_def *)setup->options;
  s->method = &complement_methods[s->options.order];
  s->rubs = contact_count(w->contacts->world, w->m, rubs, NULL) > 0;
  s->grows = w->contacts->pool || w->contacts->changing_count;
  set_integrator(s, setup);
  w->nearness = 1e-12 * w->m->length;
  w->horizon = 2 * s->options.step;  // pairs are live before the interval in which they may meet
  s->until = -INFINITY;
  s->problem.solver = solve_settings_default();
  s->problem.solver.tolerance = s->options.tolerance;
  s->problem.solver.dump = setup->dump;
  s->force = ARENA_ARRAY(&w->memory, complement_force, w->count + 1);
  s->past = ARENA_ARRAY(&w->memory, double, (long)(w->count + 1) * s->options.average);
  s->place = ARENA_ARRAY(&w->memory, complement_place, w->count + 1);
  s->miss = ARENA_ARRAY(&w->memory, complement_miss, w->count + 1);
  s->problem.takes_part = ARENA_ARRAY(&w->memory, bool, w->count + 1);
  watcher_keep_modes_of_entries(w, &s->force, sizeof *s->force);
  complement_create_free(s);
  for
    EACH_POINT(p, w) open_point(w, p);
  w->x->push = push, w->x->push_context = s;
  return complement_reserve(s, s->grows ? 0 : w->slots, error);
}

// --- an interval -----------------------------------------------------------------------------------------------------

// Far more than the rounding of times over the step, as in the fixed-step integrators.
static const double ON_GRID = 1e-9;

// Intervals end on multiples of the step, so that rounding does not add up and a resumed run meets the same times. One
// that starts between two of them is at least half a step long: gaps over a shorter time are large speeds.
static double end_of_interval(const complement *s) {
  const double h = s->options.step;
  return (floor(s->w.t / h + 0.5) + 1) * h;
}

static bool is_over(const complement *s) { return s->w.t >= s->until - ON_GRID * s->options.step; }

static void remember(complement *s) {
  const int at = (int)(s->intervals++ % s->options.average);
  for
    EACH_POINT(p, &s->w) {
      complement_past(s, p)[at] = s->force[p].normal;
      s->miss[p].pressed = (s->miss[p].pressed << 1 | presses(s, p)) & ((1L << COMPLEMENT_LAST) - 1);
    }
}

static carom_status fail(const complement *s, carom_error *error) {
  if (s->out_of_memory)
    return error_set(error, CAROM_ERROR_MEMORY, "out of memory for a contact problem of %d points",
                     s->problem.part_count);
  if (s->interrupted) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %.10g s", s->w.t);
  char why[256];
  dynamics_explain(s->w.m, s->w.x, why, sizeof why);
  return error_set(error, CAROM_ERROR_INTEGRATOR, "the step from t = %.10g s cannot be predicted: %s", s->w.t, why);
}

// Integrators of several steps and of variable steps start again, since forces jump.
static carom_status begin(watcher *w, carom_error *error) {
  complement *s = (complement *)w;
  if (!is_over(s)) return CAROM_OK;
  s->out_of_memory = s->interrupted = false;
  const double end = end_of_interval(s);
  if (!complement_find_forces(s, end - w->t)) return fail(s, error);
  s->until = end;
  remember(s);
  w->law_changed = true;
  w->restart |= !flow_resumes_exactly(w->core);
  if (watcher_look_at_start(w)) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR, "the motion at t = %g s cannot be evaluated", w->t);
}

// An interval that ends at t_stop but for rounding ends there: what is left would be a step of its own.
static double limit(const watcher *w, double t_stop) {
  const complement *s = (const complement *)w;
  return t_stop <= s->until + ON_GRID * s->options.step ? t_stop : s->until;
}

static bool touches(const watcher *w, int p) { return presses((const complement *)w, p); }

static void describe(watcher *w, int p, impact_step *step) {
  const contact_element *e = w->entry[p].e;
  complement_force *f = &((complement *)w)->force[p];
  f->left[0] += step->loss_normal, f->left[1] += step->loss_tangential;
  if (!w->impacts->is_open[p] && -step->gap > contact_leap(w->m, e))
    contact_count_trouble(w->contacts->world, e, w->t, &w->trouble.leaps, &w->trouble.missed);
}

static void list(const watcher *w, int p, const watch_look *at, scheme_contact *c) {
  const complement *s = (const complement *)w;
  c->active = presses(s, p);
  c->mean_force = complement_mean(s, p);
  c->lasts = c->active && s->miss[p].pressed != 1;
  c->slides = c->active && !impact_sticks(watch_length(at->slip), w->entry[p].still);
}

// What a row missed in an interval of length h it will miss again, in proportion to its percussion. One that is
// rounding beside the normal percussion teaches nothing.
static void learn_row(double predicted, double reached, double percussion, double normal, double *share) {
  *share = fabs(percussion) > 1e-9 * normal ? *share + (predicted - reached) / percussion : 0;
}

// A lasting contact that ended an interval with a gap asks the next for a velocity that removes it. On velocity level
// gaps add up what the rates missed, and the velocity is a share of the gap over the interval. On position level the
// same force leaves the same gap in every interval: the velocity is the sum of shares of these gaps, until there are
// none. Small shares do not excite the alternation of forces. The next problem bounds the velocity.
static double offset_after(const complement *s, int p, double gap) {
  static const double RATE_SHARE = 0.2, GAP_SHARE = 0.1;
  const double before = s->miss[p].offset;
  if (s->level == COMPLEMENT_RATES) return presses(s, p) ? RATE_SHARE * gap / s->free.h : 0;
  if (presses(s, p)) return before + GAP_SHARE * gap / (s->method->reach * s->free.h);
  return complement_pressed(s, p) ? before : 0;  // forces alternate: it may press again
}

static void learn(complement *s) {
  const watch_look *end = s->w.look[s->w.type->looks - 1];
  for
    EACH_POINT(p, &s->w) {
      complement_miss *miss = &s->miss[p];
      const complement_force *f = &s->force[p];
      if (s->level == COMPLEMENT_RATES)
        learn_row(miss->predicted[0], end[p].rate, s->free.h * f->normal, s->free.h * f->normal, &miss->share[0]);
      miss->offset = offset_after(s, p, end[p].gap);
      for (int k = 0; k < 2; k++)
        learn_row(miss->predicted[1 + k], end[p].slip[k], s->free.h * f->drag[k], s->free.h * f->normal,
                  &miss->share[1 + k]);
    }
}

// Over an interval contacts give back no more than forces change their rates by in it, as under a weight, times their
// percussions. More is energy from nowhere: with friction from a rebound by accident, and from an overlap that is
// removed within a step. On position level each normal force loses λ (g₀ - g₁), so that another contact's loss hides
// nothing; on velocity level one may push apart what another drives together, and all are judged together.
static void judge_losses(complement *s) {
  double sum = 0, given = 0;
  for
    EACH_POINT(p, &s->w) {
      const double *left = s->force[p].left;
      sum += left[0] + left[1];
      if (s->level == COMPLEMENT_GAPS) given += fmax(0, -left[0]);
    }
  given = fmax(given, -sum);
  if (given > 0) contact_trouble_gain(&s->w.trouble, given, s->w.t);
}

// A contact whose forces alternate between steps goes on as long as some of the last ones are not zero.
static carom_status end(watcher *w, bool *changed, carom_error *error) {
  complement *s = (complement *)w;
  (void)error;
  *changed = false;
  if (is_over(s)) learn(s), judge_losses(s);
  for
    EACH_POINT(p, w)
  if (w->impacts->is_open[p] && !presses(s, p) && !complement_pressed(s, p)) impact_separate(w->impacts, p);
  return CAROM_OK;
}

static bool is_even(const watcher *w) { return (void)w, true; }  // forces are constant

static const watcher_type watched = {
    .size = sizeof(complement),
    .memory = "the prediction of contacts",
    .prepare = prepare,
    .enlarge = enlarge,
    .open = open_point,
    .destroy = complement_destroy,
    .looks = 3,
    .what = "",
    .look = look,
    .is_unchanged = watcher_fill_between,
    .is_even = is_even,
    .limit = limit,
    .touches = touches,
    .describe = describe,
    .list = list,
    .begin = begin,
    .end = end,
};

// --- the scheme ------------------------------------------------------------------------------------------------------

void *complement_create(complement_level level, const scheme_setup *setup, const scheme_start *start,
                        carom_error *error) {
  complement *s = watcher_create(&watched, setup, start, error);
  if (s) s->level = level;
  return s;
}

// Before the first step the forces of its interval are shown. Where they cannot be found that step says why.
bool complement_result(void *scheme, carom_error *error) {
  complement *s = scheme;
  carom_error ignored = {0};
  if (s->intervals == 0 && begin(&s->w, &ignored) == CAROM_OK) watcher_show_end(s);
  return watcher_result(s, error);
}

scheme_stats complement_stats(const void *scheme) {
  const complement *s = scheme;
  scheme_stats stats = watcher_stats(scheme);
  stats.evaluations += s->evaluations;
  stats.solves = &s->problem.tally;
  return stats;
}

static void point_fields(complement *s, int p, fields *f) {
  fields_finite(f, "normal", &s->force[p].normal);
  fields_finites(f, "drag", 2, s->force[p].drag);
  fields_finites(f, "left", 2, s->force[p].left);
  fields_finites(f, "predicted", 3, s->miss[p].predicted);
  fields_finites(f, "missed", 3, s->miss[p].share);
  fields_finite(f, "offset", &s->miss[p].offset);
  fields_count(f, "pressed", &s->miss[p].pressed);
  fields_finites(f, "past", s->options.average, complement_past(s, p));
  if (f->from) s->w.shown[p].mean_force = complement_mean(s, p);
  bool of_crowd = p >= watcher_permanent(&s->w);  // all have the same fields
  if (of_crowd || contact_points_change(s->w.entry[p].e)) complement_place_fields(s, p, f);
}

void complement_memory(void *scheme, fields *f) {
  complement *s = scheme;
  watcher_memory(&s->w, f);
  fields_number(f, "until", &s->until);
  fields_finite(f, "interval", &s->free.h);
  fields_count(f, "intervals", &s->intervals);
  fields_count(f, "predictions", &s->evaluations);
  scheme_tally_fields(&s->problem.tally, f);
  if (f->from && s->problem.solver.dump) s->problem.solver.dump->problems = s->problem.tally.problems;
  for (int p = 0; p < watcher_permanent(&s->w); p++) fields_group(f, "contact", p), point_fields(s, p, f);
  fields_group(f, NULL, 0);
}

void complement_point_memory(void *scheme, int p, fields *f) {
  complement *s = scheme;
  watcher_point_memory(&s->w, p, f);
  fields_group(f, "contact", -1);
  point_fields(s, p, f);
  fields_group(f, NULL, 0);
}
