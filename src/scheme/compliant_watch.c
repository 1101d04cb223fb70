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

static root_end end_at(const compliant *s, int p, double t, const touch_look *at) {
  return (root_end){t, value_of(s, p, FUNCTION_GAP, at), slope_of(s, p, at)};
}

static root_end evaluate_gap(void *context, double t) {
  const search *f = context;
  if (!compliant_see_at(f->s, t)) return (root_end){t, NAN, NAN};
  return end_at(f->s, f->point, t, &f->s->seen[f->point]);
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

// No more precisely than times can be told apart.
static double find_gap(compliant *s, int p, root_end from, root_end to) {
  search f = {s, p, FUNCTION_GAP, false};
  double enough = fmax(precise_enough(s, p), 4 * DBL_EPSILON * fabs(to.t) * fabs(to.slope));
  return root_find_sloped(evaluate_gap, &f, from, to, enough);
}

// A gap that closes and opens again between two looks: its nearest, and whether it touched before.
static double find_graze(compliant *s, int p, const span *d) {
  search nearest = {s, p, FUNCTION_GAP, true};
  double closing = -slope_of(s, p, d->a);
  double t = root_find(evaluate, &nearest, d->from, closing, d->to, -slope_of(s, p, d->b), 1e-6 * closing);
  if (isnan(t) || !compliant_see_at(s, t)) return NAN;
  root_end least = end_at(s, p, t, &s->seen[p]);
  return least.f > 0 ? INFINITY : find_gap(s, p, end_at(s, p, d->from, d->a), least);
}

// From nothing up and back again, as a touch so light that one step sees all of it.
static double find_return(compliant *s, int p, const span *d) {
  search turn = {s, p, FUNCTION_GAP, true};
  // -slope is negative at the start and positive at the end: turned around for the search
  double low = d->from, high = d->to;
  for (int i = 0; i < 60; i++) {
    double t = 0.5 * (low + high), slope = evaluate(&turn, t);
    if (isnan(slope)) return NAN;
    root_end here = end_at(s, p, t, &s->seen[p]);
    if (here.f > 0) return find_gap(s, p, here, end_at(s, p, d->to, d->b));
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
  if (fa > 0 && gap) return find_gap(s, p, end_at(s, p, d->from, d->a), end_at(s, p, d->to, d->b));
  if (fa > 0) return root_find(evaluate, &f, d->from, fa, d->to, fb, 1e-12 * fmax(fa, -fb));
  if (fb > 0) return INFINITY;
  if (!gap) return find_rise(s, p, d);
  return slope_of(s, p, d->a) > 0 ? find_return(s, p, d) : d->from;
}

static void keep(compliant *s, int k) {
  memcpy(s->look[k], s->seen, (size_t)s->contacts->point_count * sizeof *s->seen);
}

// What a frictionless point shows halfway between two looks: the gap by Hermite's cubic through both, wrong by h⁴/384 of its
// fourth derivative, which is less than Simpson's rule is.
static touch_look halfway(const compliant *s, int p, double h, const touch_look *a, const touch_look *b) {
  touch_look m = {.gap = 0.5 * (a->gap + b->gap) + h / 8 * (a->rate - b->rate),
                  .rate = 1.5 * (b->gap - a->gap) / h - 0.25 * (a->rate + b->rate)};
  compliant_press(s, p, &m);
  return m;
}

static void estimate_middle(compliant *s, double h) {
  for (int p = 0; p < s->contacts->point_count; p++)
    s->look[LOOK_MIDDLE][p] = halfway(s, p, h, &s->look[LOOK_START][p], &s->look[LOOK_END][p]);
}

// Between two looks of a point far from the surface, out or in, nothing can have happened: even at the greater of its two
// speeds it could not have come there and back. Nor to a force that changes by less than there is of it. Where that does
// not tell, it may for parts of the time; of pressed points only, whose steps follow the force and so the gap.
static bool point_may_change(const compliant *s, int p, double h, const touch_look *a, const touch_look *b, int halvings) {
  double speed = fmax(fabs(a->rate), fabs(b->rate));
  bool sure = true, far = true;
  for (int f = 0; f < FUNCTION_COUNT; f++) {
    double fa = value_of(s, p, f, a), fb = value_of(s, p, f, b);
    if (isinf(fa)) continue;
    far &= fmin(fa, fb) > 0;
    sure &= fmin(fa, fb) > (f == FUNCTION_GAP ? h * speed : fabs(fb - fa));
  }
  if (sure || !far || halvings == 0) return !sure;
  touch_look m = halfway(s, p, h, a, b);
  return point_may_change(s, p, 0.5 * h, a, &m, halvings - 1) || point_may_change(s, p, 0.5 * h, &m, b, halvings - 1);
}

static bool may_change(const compliant *s, double h) {
  enum { HALVINGS = 3 };
  for (int p = 0; p < s->contacts->point_count; p++) {
    const touch_point *c = &s->point[p];
    int halvings = c->now.mode == TOUCH_OPEN || contact_rubs(c->e) ? 0 : HALVINGS;
    if (point_may_change(s, p, h, &s->look[LOOK_START][p], &s->look[LOOK_END][p], halvings)) return true;
  }
  return false;
}

static bool presses(const compliant *s, bool with_friction) {
  for (int p = 0; p < s->contacts->point_count; p++)
    if (s->point[p].now.mode != TOUCH_OPEN && (!with_friction || contact_rubs(s->point[p].e))) return true;
  return false;
}

// Procedure 2 has seen to the points that the step leaves inside; those that it leaves outside may have been in.
static bool may_enter_unseen(const compliant *s, int p) {
  if (s->point[p].now.mode != TOUCH_OPEN) return false;
  return s->settings.entry != ENTRY_REJECT || s->look[LOOK_END][p].gap > 0;
}

static double first_change(compliant *s, double from, double middle, double to) {
  double first = INFINITY;
  for (int p = 0; p < s->contacts->point_count; p++) s->point[p].turns = INFINITY;
  for (int half = 0; half < 2 && isinf(first); half++) {
    for (int p = 0; p < s->contacts->point_count; p++) {
      span d = half ? (span){middle, to, &s->look[LOOK_MIDDLE][p], &s->look[LOOK_END][p]}
                    : (span){from, middle, &s->look[LOOK_START][p], &s->look[LOOK_MIDDLE][p]};
      bool all = s->settings.entry == ENTRY_LOCATE;
      if (!all && !may_enter_unseen(s, p)) continue;
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

// Where Hermite's cubic through two looks has its least: with d = Δgap/h - (r_a + r_b)/2 the rate at the share s is
// (1 - s) r_a + s r_b + 6 s (1 - s) d. Wrong by the third power of the step, the depth there by the sixth.
static double least_between(double from, double to, const touch_look *a, const touch_look *b) {
  double h = to - from, d = (b->gap - a->gap) / h - 0.5 * (a->rate + b->rate), linear = b->rate - a->rate + 6 * d;
  double root = sqrt(linear * linear + 24 * d * a->rate);
  return from + h * 2 * -a->rate / (linear + root);  // of the two, the one where the rate rises
}

double compliant_deepest(const compliant *s, int p, double from, double to) {
  const touch_look *a = &s->look[LOOK_START][p], *m = &s->look[LOOK_MIDDLE][p], *b = &s->look[LOOK_END][p];
  if (!(a->rate < 0 && b->rate >= 0)) return NAN;
  double middle = 0.5 * (from + to), t = m->rate >= 0 ? least_between(from, middle, a, m) : least_between(middle, to, m, b);
  return t >= from && t <= to ? t : NAN;
}

bool compliant_watch(compliant *s, double *until) {
  double from = s->t, to = smooth_time(s->core), middle = 0.5 * (from + to);
  *until = to;
  if (!compliant_see_at(s, to)) return false;
  keep(s, LOOK_END);
  if (!may_change(s, to - from) && !presses(s, true)) {
    if (presses(s, false)) estimate_middle(s, to - from);
    return true;
  }
  if (!compliant_see_at(s, middle)) return false;
  keep(s, LOOK_MIDDLE);
  if (s->settings.entry == ENTRY_NONE) return true;
  double t = first_change(s, from, middle, to);
  if (isnan(t)) return false;
  if (!(t < to)) return true;
  *until = t;
  if (!compliant_see_at(s, t)) return false;  // mostly where the search has looked last
  keep(s, LOOK_END);
  if (!compliant_see_at(s, 0.5 * (from + t))) return false;
  keep(s, LOOK_MIDDLE);
  return true;
}
