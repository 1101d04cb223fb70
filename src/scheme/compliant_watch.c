// What happens to contacts within a step, on the integrator's dense output. The step is looked at at its start, middle and
// end; a function that changes its sign between two looks, or a gap whose rate does, is followed up.
//
// Functions of a point, each positive while its mode lasts:
//   open       the gap                                         → pressed
//   pressed    the penetration                                 → open
//              the force its law says, unless it may pull      → released
//   released   the penetration                                 → open
//              minus the force                                 → pressed again
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/law.h"
#include "scheme/compliant_internal.h"
#include "scheme/root.h"

enum { FUNCTION_GAP, FUNCTION_FORCE, FUNCTION_COUNT };

double compliant_tendency(const compliant *s, int p, const touch_look *at) {
  const touch_point *c = &s->point[p];
  if (-at->gap > s->nearness) return at->formula;
  return normal_formula(&c->e->material.normal, s->nearness, -at->rate, c->now.approach);
}

static double value_of(const compliant *s, int p, int function, const touch_look *at) {
  touch mode = s->point[p].now.mode;
  if (function == FUNCTION_GAP) return mode == TOUCH_OPEN ? at->gap : -at->gap;
  bool kept = s->point[p].undecided >= UNDECIDED_MOST;
  if (mode == TOUCH_OPEN || kept || !s->point[p].releases) return INFINITY;
  double force = compliant_tendency(s, p, at);
  return mode == TOUCH_PRESSED ? force : -force;
}

static double slope_of(const compliant *s, int p, const touch_look *at) {  // of FUNCTION_GAP
  return s->point[p].now.mode == TOUCH_OPEN ? at->rate : -at->rate;
}

typedef struct search {
  compliant *s;
  int point, function;
  bool slope;
} search;

static double evaluate(void *context, double t) {
  const search *f = context;
  if (!compliant_see_at(f->s, t)) return NAN;
  const touch_look *at = &f->s->seen[f->point];
  return f->slope ? -slope_of(f->s, f->point, at) : value_of(f->s, f->point, f->function, at);
}

// Half of what gaps can be told apart by; procedure 1 takes any instant at which the bound is kept.
static double precise_enough(const compliant *s, int p) {
  bool entry = s->point[p].now.mode == TOUCH_OPEN;
  return entry && s->settings.entry == ENTRY_RESTART ? s->settings.penetration_max : 0.5 * s->nearness;
}

typedef struct span {
  double from, to;
  const touch_look *a, *b;
} span;

// A gap that closes and opens again between two looks: its nearest, and whether it touched before.
static double find_graze(compliant *s, int p, const span *d) {
  search nearest = {s, p, FUNCTION_GAP, true}, f = {s, p, FUNCTION_GAP, false};
  double closing = -slope_of(s, p, d->a);
  double t = root_find(evaluate, &nearest, d->from, closing, d->to, -slope_of(s, p, d->b), 1e-6 * closing);
  double ft = isnan(t) ? NAN : evaluate(&f, t);
  if (isnan(ft)) return NAN;
  return ft > 0 ? INFINITY
                : root_find(evaluate, &f, d->from, value_of(s, p, FUNCTION_GAP, d->a), t, ft, precise_enough(s, p));
}

// From nothing up and back again, as a touch so light that one step sees all of it.
static double find_return(compliant *s, int p, const span *d) {
  search turn = {s, p, FUNCTION_GAP, true}, f = {s, p, FUNCTION_GAP, false};
  // -slope is negative at the start and positive at the end: turned around for the search
  double low = d->from, high = d->to;
  for (int i = 0; i < 60; i++) {
    double t = 0.5 * (low + high), slope = evaluate(&turn, t);
    if (isnan(slope)) return NAN;
    double ft = value_of(s, p, FUNCTION_GAP, &s->seen[p]);
    if (ft > 0) return root_find(evaluate, &f, t, ft, d->to, value_of(s, p, FUNCTION_GAP, d->b), precise_enough(s, p));
    if (slope < 0) low = t;
    else high = t;
  }
  return d->from;
}

// A force that begins at nothing and has the wrong sign at the end: it may have had the right one before.
static double find_rise(compliant *s, int p, const span *d) {
  enum { HALVINGS = 20 };
  search f = {s, p, FUNCTION_FORCE, false};
  double fb = value_of(s, p, FUNCTION_FORCE, d->b);
  for (int k = 1; k <= HALVINGS; k++) {
    double t = d->from + ldexp(d->to - d->from, -k), ft = evaluate(&f, t);
    if (isnan(ft)) return NAN;
    if (ft > 0) return root_find(evaluate, &f, t, ft, d->to, fb, 0);
  }
  return d->from;
}

// Where, between two looks, a function of a point ends its mode; infinite: nowhere.
static double find_between(compliant *s, int p, int function, const span *d) {
  double fa = value_of(s, p, function, d->a), fb = value_of(s, p, function, d->b);
  if (isinf(fa)) return INFINITY;
  search f = {s, p, function, false};
  bool gap = function == FUNCTION_GAP;
  if (fa > 0 && fb > 0)
    return gap && slope_of(s, p, d->a) < 0 && slope_of(s, p, d->b) > 0 ? find_graze(s, p, d) : INFINITY;
  bool begins_at_nothing = fabs(d->a->gap) <= s->nearness;
  if (begins_at_nothing && (fb > 0 || fabs(d->b->gap) <= s->nearness)) return INFINITY;
  double enough = gap ? precise_enough(s, p) : 1e-12 * fmax(fabs(fa), fabs(fb));
  if (fa > 0) return root_find(evaluate, &f, d->from, fa, d->to, fb, enough);
  if (fb > 0) return INFINITY;
  if (!gap) return find_rise(s, p, d);
  return slope_of(s, p, d->a) > 0 ? find_return(s, p, d) : d->from;
}

static void keep(compliant *s, int k) {
  memcpy(s->look[k], s->seen, (size_t)s->contacts->point_count * sizeof *s->seen);
}

// Between two looks of an open point far away nothing can have happened: even at the greater of its two speeds it could
// not have come to the surface and back.
static bool may_change(const compliant *s, double dt) {
  for (int p = 0; p < s->contacts->point_count; p++) {
    const touch_look *a = &s->look[LOOK_START][p], *b = &s->look[LOOK_END][p];
    if (s->point[p].now.mode != TOUCH_OPEN) return true;
    double speed = fmax(fabs(a->rate), fabs(b->rate));
    if (!(fmin(a->gap, b->gap) > dt * speed)) return true;
  }
  return false;
}

static double first_change(compliant *s, double from, double middle, double to) {
  double first = INFINITY;
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].turns = INFINITY;
  for (int half = 0; half < 2 && isinf(first); half++) {
    for (int p = 0; p < s->contacts->point_count; p++) {
      span d = half ? (span){middle, to, &s->look[LOOK_MIDDLE][p], &s->look[LOOK_END][p]}
                    : (span){from, middle, &s->look[LOOK_START][p], &s->look[LOOK_MIDDLE][p]};
      bool all = s->settings.entry == ENTRY_LOCATE;
      if (!all && s->point[p].now.mode != TOUCH_OPEN) continue;
      for (int f = 0; f < (all ? FUNCTION_COUNT : 1); f++) {
        double t = find_between(s, p, f, &d);
        if (isnan(t)) return NAN;
        if (f == FUNCTION_FORCE) s->point[p].turns = fmin(s->point[p].turns, t);
        first = fmin(first, t);
      }
    }
  }
  return first;
}

static double closing_speed(void *context, double t) {
  const search *f = context;
  return compliant_see_at(f->s, t) ? -f->s->seen[f->point].rate : NAN;
}

double compliant_deepest(compliant *s, int p, double from, double to) {
  double in = -s->look[LOOK_START][p].rate, out = -s->look[LOOK_END][p].rate;
  if (!(in > 0 && out <= 0)) return NAN;
  search f = {s, p, FUNCTION_GAP, false};
  return root_find(closing_speed, &f, from, in, to, out, 1e-6 * in);  // the depth is then known to 1e-12
}

bool compliant_watch(compliant *s, double *until) {
  double from = s->t, to = smooth_time(s->core), middle = 0.5 * (from + to);
  *until = to;
  if (!compliant_see_at(s, to)) return false;
  keep(s, LOOK_END);
  if (!may_change(s, to - from)) return true;
  if (!compliant_see_at(s, middle)) return false;
  keep(s, LOOK_MIDDLE);
  if (!entry_is_gated(s)) return true;
  double t = first_change(s, from, middle, to);
  if (isnan(t)) return false;
  if (!(t < to)) return true;
  *until = t;
  if (!compliant_see_at(s, 0.5 * (from + t))) return false;
  keep(s, LOOK_MIDDLE);
  if (!compliant_see_at(s, t)) return false;
  keep(s, LOOK_END);
  return true;
}
