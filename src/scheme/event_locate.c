// Events within a step, on the integrator's dense output. The step is looked at in five places; a function that changes
// its sign between two of them, or a gap whose rate does, is followed up. A function that begins at zero, as the gap
// does after a bounce or the slip after a standstill, counts only once it has been above its tolerance or has gone
// below it.
#include <math.h>
#include <string.h>

#include "mechanics/dynamics.h"
#include "scheme/event_internal.h"
#include "scheme/root.h"

static double force_scale(const event *s) {
  double most = 0;
  for (int p = 0; p < s->contacts->point_count; p++) most = fmax(most, fabs(s->point[p].force[0]));
  return most;
}

// The friction of a joint, which stands behind all points; negative: a point's.
static int friction_of(const event *s, int function) { return function / EVENT_FUNCTIONS - s->contacts->point_count; }

static double value_of(const event *s, int function) {
  int i = friction_of(s, function);
  if (i >= 0) return function % EVENT_FUNCTIONS == 0 ? event_friction_value(s, i) : INFINITY;
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  if (c->mode == MODE_OPEN) return function % EVENT_FUNCTIONS == 0 ? c->gap : INFINITY;
  if (function % EVENT_FUNCTIONS == 0) return c->force[0];
  if (function % EVENT_FUNCTIONS == 2)
    return c->mode == MODE_SLIP && c->may_jam ? c->resistance - EVENT_JAMMED : INFINITY;
  if (c->rows == 1) return INFINITY;
  if (c->mode == MODE_STICK) return c->friction * c->force[0] - hypot(c->force[1], c->rows == 3 ? c->force[2] : 0);
  return c->rate[1] * c->way[0] + (c->rows == 3 ? c->rate[2] * c->way[1] : 0);
}

static double tolerance_of(const event *s, int function) {
  if (friction_of(s, function) >= 0) return event_friction_tolerance(s, friction_of(s, function));
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  if (c->mode == MODE_OPEN) return s->nearness;
  if (function % EVENT_FUNCTIONS == 2) return 0;
  if (function % EVENT_FUNCTIONS == 1 && c->mode == MODE_SLIP) return s->still;
  return fmax((s->redundant ? EVENT_REDUNDANCY_NOISE : 1e-10) * force_scale(s), s->force_noise);
}

static event_kind kind_of(const event *s, int function) {
  if (friction_of(s, function) >= 0) return event_friction_kind(s, friction_of(s, function));
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  if (c->mode == MODE_OPEN) return EVENT_TOUCH;
  if (function % EVENT_FUNCTIONS == 0) return EVENT_LIFT;
  if (function % EVENT_FUNCTIONS == 2) return EVENT_JAM;
  return c->mode == MODE_STICK ? EVENT_BREAK : EVENT_STOP;
}

// The points at a time within the step. Forces only where something is closed.
static bool observe_at(event *s, double t) {
  if (integrator_interpolate(s->it, t, s->y_look) != CAROM_OK) return false;
  event_set(s, t, s->y_look);
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].takes_part = event_is_closed(&s->point[p]);
  if ((s->closed_count || s->m->friction_count) && !event_accelerate(s)) return false;
  event_observe(s);
  return true;
}

static int function_count(const event *s) {
  return EVENT_FUNCTIONS * (s->contacts->point_count + s->m->friction_count);
}

static void note(event *s, event_sample *at) {
  for (int f = 0; f < function_count(s); f++) at->value[f] = value_of(s, f);
  for (int p = 0; p < s->contacts->point_count; p++) {
    const event_point *c = &s->point[p];
    at->gap_rate[p] = c->rate[0];
    at->force[p] = c->force[0];
    at->drag[p] = hypot(c->force[1], c->rows == 3 ? c->force[2] : 0);
    at->loss[p] = 0;
    for (int k = 1; k < c->rows; k++) at->loss[p] -= c->force[k] * c->rate[k];
  }
}

// The first look is the last of the step before, where nothing has changed since.
bool event_look(event *s, double from, double to) {
  bool seen = s->looked && s->sample[EVENT_SAMPLES - 1].t == from;
  if (seen) {
    event_sample first = s->sample[0];
    s->sample[0] = s->sample[EVENT_SAMPLES - 1];
    s->sample[EVENT_SAMPLES - 1] = first;
  }
  s->looked = false;
  for (int k = seen; k < EVENT_SAMPLES; k++) {
    event_sample *at = &s->sample[k];
    at->t = k == EVENT_SAMPLES - 1 ? to : from + k * (to - from) / (EVENT_SAMPLES - 1);
    if (!observe_at(s, at->t)) return false;
    note(s, at);
  }
  s->looked = true;
  return true;
}

typedef struct search {
  event *s;
  int function;
  bool of_rate;                    // of the gap's rate instead
  double shift;
} search;

static double evaluate(void *context, double t) {
  const search *f = context;
  if (!observe_at(f->s, t)) return NAN;
  return (f->of_rate ? -f->s->point[f->function / EVENT_FUNCTIONS].rate[0] : value_of(f->s, f->function)) + f->shift;
}

// A gap that turns between two looks has come closer by less than its rate there took it if the rate changed evenly; by
// four times as much it has not however it changed, or looks are too far apart to tell anything.
static bool stays_away(const event_sample *a, const event_sample *b, int p, double fa, double fb) {
  double dt = b->t - a->t;
  return fa > -4 * dt * a->gap_rate[p] || fb > 4 * dt * b->gap_rate[p];
}

// Where, between two looks, one function has its event; infinite: nowhere.
static double find_between(event *s, int function, const event_sample *a, const event_sample *b, bool armed) {
  int p = function / EVENT_FUNCTIONS;
  double tolerance = tolerance_of(s, function), shift = armed ? 0 : 2 * tolerance;
  bool open = s->point[p].mode == MODE_OPEN;
  // opening, or closing so slowly that it was not struck
  if (open && !armed && a->gap_rate[p] >= -s->still) shift = fmax(shift, tolerance - a->value[function]);
  // slip that was taken for none when modes were decided, and dies away
  if (kind_of(s, function) == EVENT_STOP && !armed && a->value[function] > -8 * tolerance)
    shift = fmax(shift, tolerance - a->value[function]);
  double fa = a->value[function] + shift, fb = b->value[function] + shift;
  search f = {s, function, false, shift};
  if (!armed && fa == 0 && fb == 0) return INFINITY;  // exactly zero throughout
  if (!(fa > 0)) return a->t;
  if (!(fb > 0)) return root_find(evaluate, &f, a->t, fa, b->t, fb, 0);
  if (!open || function % EVENT_FUNCTIONS || !(a->gap_rate[p] < 0 && b->gap_rate[p] > 0)) return INFINITY;
  if (stays_away(a, b, p, fa, fb)) return INFINITY;
  search nearest = {s, function, true, 0};
  double t = root_find(evaluate, &nearest, a->t, -a->gap_rate[p], b->t, -b->gap_rate[p], 0), ft = evaluate(&f, t);
  if (isnan(ft)) return NAN;
  return ft > 0 ? INFINITY : root_find(evaluate, &f, a->t, fa, t, ft, 0);
}

// The first event between look k and the next. Once one is found there is a look at it, and others need to be searched
// for only before it.
static bool locate_between(event *s, int k, event_instant *instant) {
  const event_sample *end = &s->sample[k + 1];
  int functions = function_count(s);
  for (int f = 0; f < functions; f++) {
    if (isinf(s->sample[k].value[f])) continue;
    bool armed = false;
    for (int i = 0; i <= k; i++) armed |= s->sample[i].value[f] > tolerance_of(s, f);
    double t = find_between(s, f, &s->sample[k], end, armed);
    if (isnan(t)) return false;
    if (!(t < instant->t || (t <= instant->t && instant->kind == EVENT_NONE))) continue;
    *instant = (event_instant){kind_of(s, f), f / EVENT_FUNCTIONS, t};
    if (!(t < end->t)) continue;
    if (!observe_at(s, t)) return false;
    end = &s->at_event;
    s->at_event.t = t;
    note(s, &s->at_event);
  }
  return true;
}

bool event_locate(event *s, event_instant *instant) {
  *instant = (event_instant){.kind = EVENT_NONE, .t = integrator_time(s->it)};
  if (!event_look(s, s->t, instant->t)) return false;
  for (int k = 0; k + 1 < EVENT_SAMPLES && instant->kind == EVENT_NONE; k++)
    if (!locate_between(s, k, instant)) return false;
  return true;
}
