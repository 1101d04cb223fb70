// What changes the mode of a contact within a step. The step is looked at at its start, middle and end; a function that
// changes its sign between two looks, or a gap whose rate does, is followed up.
//
// Functions of a point, each positive while its mode lasts:
//   open       the gap                                         → pressed
//   pressed    the penetration                                 → open
//              the force its law says, unless it may pull      → released
//   released   the penetration                                 → open
//              minus the force                                 → pressed again
#include "contact/law.h"
#include "scheme/compliant_internal.h"

double compliant_tendency(const compliant *s, int p, const watch_look *at) {
  const touch_point *c = &s->point[p];
  if (-at->gap > s->w.nearness) return at->formula;
  normal_law own;
  return normal_formula(compliant_law(c, at, &own), s->w.nearness, -at->rate, c->now->approach);
}

static double value_of(const compliant *s, int p, int function, const watch_look *at) {
  touch mode = s->point[p].now->mode;
  if (function == FUNCTION_GAP) return mode == TOUCH_OPEN ? at->gap : -at->gap;
  bool kept = s->point[p].undecided >= UNDECIDED_MOST;
  if (mode == TOUCH_OPEN || kept || !s->point[p].releases) return INFINITY;
  double force = compliant_tendency(s, p, at);
  return mode == TOUCH_PRESSED ? force : -force;
}

double compliant_value(const watcher *w, int function, const watch_look *at) {
  return value_of((const compliant *)w, function / FUNCTION_COUNT, function % FUNCTION_COUNT, at);
}

static double sign_of(const compliant *s, int p) { return s->point[p].now->mode == TOUCH_OPEN ? 1 : -1; }
static double slope_of(const compliant *s, int p, const watch_look *at) {
  return sign_of(s, p) * at->rate;
}  // of FUNCTION_GAP

// Half of what gaps can be told apart by; procedure 1 takes any instant at which the bound is kept.
static watch_gap gap_of(const compliant *s, int p) {
  bool coarse = s->point[p].now->mode == TOUCH_OPEN && s->options.entry == CAROM_RESTART;
  return (watch_gap){
      .p = p, .sign = sign_of(s, p), .enough = coarse ? s->options.penetration_max : 0.5 * s->w.nearness};
}

// Where a function that is positive at the start of a span and not at its end has its zero; `enough` of a force as in
// watcher_find_zero.
static double find_zero(compliant *s, int p, int function, const watch_span *d, double enough) {
  watch_gap g = gap_of(s, p);
  if (function == FUNCTION_GAP)
    return watcher_find_gap(&s->w, &g, watcher_gap_end(&g, d->from, d->a), watcher_gap_end(&g, d->to, d->b));
  double fa = value_of(s, p, function, d->a), fb = value_of(s, p, function, d->b);
  return watcher_find_zero(&s->w, p * FUNCTION_COUNT + function, 0, d->from, fa, d->to, fb, enough);
}

// A function that begins at nothing and has the wrong sign at the end may have had the right one before: a touch so
// light that one step sees all of it, or a force that rises first.
static double find_rise(compliant *s, int p, int function, const watch_span *d) {
  enum { HALVINGS = 20 };
  for (int k = 1; k <= HALVINGS; k++) {
    double t = d->from + ldexp(d->to - d->from, -k);
    if (!watcher_see_at(&s->w, t)) return NAN;
    watch_look at = s->w.seen[p];
    if (value_of(s, p, function, &at) > 0) return find_zero(s, p, function, &(watch_span){t, d->to, &at, d->b}, 0);
  }
  return d->from;
}

// Where, between two looks, a function of a point ends its mode; infinite: nowhere.
static double find_between(compliant *s, int p, int function, const watch_span *d) {
  double fa = value_of(s, p, function, d->a), fb = value_of(s, p, function, d->b);
  if (isinf(fa)) return INFINITY;
  bool gap = function == FUNCTION_GAP;
  if (fa > 0 && fb > 0) {
    bool turns = gap && slope_of(s, p, d->a) < 0 && slope_of(s, p, d->b) > 0;
    watch_gap g = gap_of(s, p);
    return turns ? watcher_find_graze(&s->w, &g, d, 1e-6) : INFINITY;
  }
  bool begins_at_nothing = fabs(d->a->gap) <= s->w.nearness;
  if (begins_at_nothing && (fb > 0 || fabs(d->b->gap) <= s->w.nearness)) return INFINITY;
  if (fa > 0) return find_zero(s, p, function, d, 1e-12 * fmax(fa, -fb));
  if (fb > 0) return INFINITY;
  return gap && !(slope_of(s, p, d->a) > 0) ? d->from : find_rise(s, p, function, d);
}

// What a frictionless point shows halfway between two looks: the gap by Hermite's cubic through both, wrong by h⁴/384
// of its fourth derivative, which is less than Simpson's rule is.
static watch_look halfway(const compliant *s, int p, double h, const watch_look *a, const watch_look *b) {
  watch_look m = {.gap = 0.5 * (a->gap + b->gap) + h / 8 * (a->rate - b->rate),
                  .rate = 1.5 * (b->gap - a->gap) / h - 0.25 * (a->rate + b->rate),
                  .slip = {0.5 * (a->slip[0] + b->slip[0]), 0.5 * (a->slip[1] + b->slip[1])},
                  .stiffness = 0.5 * (a->stiffness + b->stiffness),
                  .beyond = a->beyond || b->beyond};
  compliant_press(s, p, &m);
  return m;
}

static void estimate_middle(compliant *s, double h) {
  s->w.at[LOOK_MIDDLE] = s->w.from + 0.5 * h;
  for
    EACH_POINT(p, &s->w)
  s->w.look[LOOK_MIDDLE][p] = halfway(s, p, h, &s->w.look[LOOK_START][p], &s->w.look[LOOK_END][p]);
}

// Between two looks of a point far from the surface, out or in, nothing can have happened: even at the greater of its
// two speeds it could not have come there and back. Nor to a force that changes by less than there is of it. Where that
// does not tell, it may for parts of the time; of pressed points only, whose steps follow the force and so the gap.
static bool point_may_change(const compliant *s, int p, double h, const watch_look *a, const watch_look *b,
                             int halvings) {
  double speed = fmax(fabs(a->rate), fabs(b->rate));
  bool sure = true, far = true;
  for (int f = 0; f < FUNCTION_COUNT; f++) {
    double fa = value_of(s, p, f, a), fb = value_of(s, p, f, b);
    if (isinf(fa)) continue;
    far &= fmin(fa, fb) > 0;
    sure &= fmin(fa, fb) > (f == FUNCTION_GAP ? h * speed : fabs(fb - fa));
  }
  if (sure || !far || halvings == 0) return !sure;
  watch_look m = halfway(s, p, h, a, b);
  return point_may_change(s, p, 0.5 * h, a, &m, halvings - 1) || point_may_change(s, p, 0.5 * h, &m, b, halvings - 1);
}

// Whether what happens between two looks needs a third.
static bool needs_looks(const touch_point *c) { return contact_rubs(c->e) || c->turn > 0 || touch_is_area(c); }

static bool may_change(const compliant *s, double h) {
  enum { HALVINGS = 3 };
  for
    EACH_POINT(p, &s->w) {
      const touch_point *c = &s->point[p];
      int halvings = c->now->mode == TOUCH_OPEN || needs_looks(c) ? 0 : HALVINGS;
      if (point_may_change(s, p, h, &s->w.look[LOOK_START][p], &s->w.look[LOOK_END][p], halvings)) return true;
    }
  return false;
}

static bool presses(const compliant *s, bool and_needs_looks) {
  for
    EACH_POINT(p, &s->w)
  if (s->point[p].now->mode != TOUCH_OPEN && (!and_needs_looks || needs_looks(&s->point[p]))) return true;
  return false;
}

// Procedure 2 has seen to the points that the step leaves inside; those that it leaves outside may have been in.
static bool may_enter_unseen(const compliant *s, int p) {
  if (s->point[p].now->mode != TOUCH_OPEN) return false;
  return s->options.entry != CAROM_REJECT || s->w.look[LOOK_END][p].gap > 0;
}

double compliant_find(watcher *w, int function, int k) {
  compliant *s = (compliant *)w;
  int p = function / FUNCTION_COUNT;
  bool force = function % FUNCTION_COUNT == FUNCTION_FORCE;
  if (force && k == 0) s->point[p].turns = INFINITY;
  if (s->options.entry == CAROM_NO_CONTROL || (s->options.entry != CAROM_LOCATE && (force || !may_enter_unseen(s, p))))
    return INFINITY;
  watch_span d = watcher_span(w, p, k);
  double t = find_between(s, p, function % FUNCTION_COUNT, &d);
  if (force) s->point[p].turns = fmin(s->point[p].turns, t);
  return t;
}

bool compliant_is_unchanged(watcher *w) {
  compliant *s = (compliant *)w;
  double h = w->at[LOOK_END] - w->from;
  if (may_change(s, h) || presses(s, true)) return false;
  if (presses(s, false)) estimate_middle(s, h);
  return true;
}
