// Events within a step, on the integrator's dense output. A function that begins at zero, as the gap does after a
// bounce or the slip after a standstill, counts only once it has been above its tolerance or has gone below it.
#include <float.h>

#include "scheme/event_internal.h"

// --- looks -----------------------------------------------------------------------------------------------------------

// A point without friction has no rows along the surface; it slides all the same.
static void see_free_slip(const event *s, int p) {
  const event_point *c = &s->point[p];
  if (event_is_closed(c) && c->rows == 1 && !s->w.entry[p].e->type->frictionless)
    contact_slip(s->w.m, s->w.x, s->w.entry[p].e, &s->w.points[p], s->w.seen[p].slip);
}

static watch_look look_at_point(const event_point *c) {
  bool closed = event_is_closed(c), slips = c->mode == MODE_SLIP && c->rows > 1;
  watch_look at = {.gap = c->gap,
                   .rate = closed ? 0 : c->rate[0],
                   .normal = closed ? c->force[0] : 0,
                   .resistance = c->resistance,
                   .absent = c->absent,
                   .within = c->within};
  for (int k = 1; closed && k < c->rows; k++) {
    at.slip[k - 1] = c->rate[k], at.drag[k - 1] = c->force[k];
    if (slips) at.loss[1] -= c->force[k] * c->rate[k];
  }
  for (int k = 0; closed && k < c->turn_count; k++) {
    const event_turn *t = &c->turn[k];
    at.turning[k] = event_turn_value(c, t);
    for (int i = 0; !t->held && i < t->size; i++) at.loss[1] -= t->force[i] * t->rate[i];
  }
  return at;
}

// Forces only where something is closed.
bool event_look(watcher *w) {
  event *s = (event *)w;
  event_take_closed(s);
  s->looks = true;
  bool found = !(s->settled && (s->closed_count || w->m->friction_count)) || event_accelerate(s);
  s->looks = false;
  if (!found) return false;
  event_observe(s);
  for
    EACH_POINT(p, w) w->seen[p] = look_at_point(&s->point[p]), see_free_slip(s, p);
  for
    EACH_JOINT(i, s) w->seen[watcher_first_joint(w) + i] = look_at_point(event_joint_point(s, i));
  return true;
}

// --- functions -------------------------------------------------------------------------------------------------------

static double force_scale(const event *s) {
  double most = 0;
  for
    EACH_POINT(p, &s->w) most = fmax(most, fabs(s->point[p].force[0]));
  return most;
}

// EVENT_NONE where the function is none of the present mode.
event_kind event_kind_of(const event *s, int function) {
  int which = function % EVENT_FUNCTIONS;
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  if (c->first) return which ? EVENT_NONE : c->mode == MODE_STICK ? EVENT_LOOSEN : EVENT_SEIZE;
  if (c->mode == MODE_OPEN) return which ? EVENT_NONE : EVENT_TOUCH;
  if (which == 0) return EVENT_LIFT;
  if (which >= EVENT_FIRST_TURN) {
    int k = which - EVENT_FIRST_TURN;
    return k >= c->turn_count ? EVENT_NONE : c->turn[k].held ? EVENT_TURN : EVENT_CEASE;
  }
  if (which == 3) return contact_points_change(c->e) ? EVENT_PLACE : EVENT_NONE;
  if (which == 2) return c->mode == MODE_SLIP && c->may_jam ? EVENT_JAM : EVENT_NONE;
  return !event_rubs(c) ? EVENT_NONE : c->mode == MODE_STICK ? EVENT_BREAK : EVENT_STOP;
}

// Places that are followed are located before the guard of their pair, which counts only if it is clearly deeper.
static double allowance(const event *s, const event_point *c) { return c->guards && !c->alone ? 4 * s->w.nearness : 0; }

// What creeps has no direction: it has turned back only when it is as fast as a slip that is one.
static double along_way(const event *s, const event_point *c, const watch_look *at) {
  return at->slip[0] * c->way[0] + at->slip[1] * c->way[1] + (c->fade.creeps ? s->standing * s->still : 0);
}

double event_value(const watcher *w, int function, const watch_look *at) {
  const event *s = (const event *)w;
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  switch (event_kind_of(s, function)) {
    case EVENT_TOUCH:
      return at->absent ? 4 * w->nearness
                        : at->gap + allowance(s, c);  // apart, so that it touches where its place appears
    case EVENT_PLACE: return at->within;
    case EVENT_LIFT: return at->absent ? -fmax(force_scale(s), DBL_MIN) : at->normal;
    case EVENT_BREAK:
    case EVENT_LOOSEN: return c->friction * at->normal - hypot(at->drag[0], at->drag[1]) + c->slack;
    case EVENT_STOP:
    case EVENT_SEIZE: return along_way(s, c, at);
    case EVENT_JAM: return at->resistance - EVENT_JAMMED;
    case EVENT_TURN:
    case EVENT_CEASE: return at->turning[function % EVENT_FUNCTIONS - EVENT_FIRST_TURN];
    default: return INFINITY;
  }
}

double event_force_tolerance(const event *s) {
  return fmax((s->redundant ? RESPONSE_HELD_NOISE : 1e-10) * force_scale(s), s->force_noise);
}

static double tolerance_of(const event *s, int function) {
  const event_point *c = &s->point[function / EVENT_FUNCTIONS];
  event_kind kind = event_kind_of(s, function);
  switch (kind) {
    case EVENT_TOUCH: return s->w.nearness;
    case EVENT_PLACE:
    case EVENT_JAM: return 0;
    case EVENT_LOOSEN: return 1e-10 * c->force[0];
    case EVENT_STOP:
    case EVENT_SEIZE: return s->still;
    case EVENT_CEASE: return s->still_turn;
    case EVENT_TURN: return c->turn[function % EVENT_FUNCTIONS - EVENT_FIRST_TURN].length * event_force_tolerance(s);
    default: return event_force_tolerance(s);
  }
}

// --- searching -------------------------------------------------------------------------------------------------------

// A gap that turns between two looks has come closer by less than its rate there took it if the rate changed evenly; by
// four times as much it has not however it changed, or looks are too far apart to tell anything.
static bool stays_away(const watch_span *d, double fa, double fb) {
  double dt = d->to - d->from;
  return fa > -4 * dt * d->a->rate || fb > 4 * dt * d->b->rate;
}

static double value_at(watcher *w, int function, double t) {
  return watcher_see_at(w, t) ? event_value(w, function, &w->seen[function / EVENT_FUNCTIONS]) : NAN;
}

// Where another event was found before, only whether this one comes before it.
static double find_zero(watcher *w, int function, double shift, const watch_span *d, double fa, double fb) {
  double to = d->to;
  if (w->first < to) to = w->first, fb = value_at(w, function, to) + shift;
  if (isnan(fb) || fb > 0) return isnan(fb) ? NAN : INFINITY;
  return watcher_find_zero(w, function, shift, d->from, fa, to, fb, 0);
}

static bool was_armed(const watcher *w, int function, int k, double tolerance) {
  bool armed = false;
  for (int i = 0; i <= k; i++) armed |= event_value(w, function, &w->look[i][function / EVENT_FUNCTIONS]) > tolerance;
  return armed;
}

double event_find(watcher *w, int function, int k) {
  event *s = (event *)w;
  watch_span d = watcher_span(w, function / EVENT_FUNCTIONS, k);
  double a = event_value(w, function, d.a);
  if (isinf(a)) return INFINITY;
  event_kind kind = event_kind_of(s, function);
  double tolerance = tolerance_of(s, function);
  bool armed = was_armed(w, function, k, tolerance);
  double shift = armed ? 0 : 2 * tolerance;
  // opening, or closing so slowly that it was not struck
  if (kind == EVENT_TOUCH && !armed && d.a->rate >= -s->still) shift = fmax(shift, tolerance - a);
  // slip that was taken for none when modes were decided, and dies away
  if ((kind == EVENT_STOP || kind == EVENT_CEASE) && !armed && a > -1.1 * s->standing * tolerance)
    shift = fmax(shift, tolerance - a);
  double fa = a + shift, fb = event_value(w, function, d.b) + shift;
  if (!armed && fa == 0 && fb == 0) return INFINITY;  // exactly zero throughout
  if (!(fa > 0)) return d.from;
  if (!(fb > 0)) return find_zero(w, function, shift, &d, fa, fb);
  if (kind != EVENT_TOUCH || !(d.a->rate < 0 && d.b->rate > 0) || stays_away(&d, fa, fb)) return INFINITY;
  return watcher_find_graze(w, &(watch_gap){.p = function / EVENT_FUNCTIONS, .sign = 1, .shift = shift}, &d, 0);
}

// --- steps in which nothing changes ----------------------------------------------------------------------------------

// Between two looks a gap does not close and open again that opens or closes all the time, or that is wider than twice
// the way at its speed. What changes by less than half of itself does not vanish, and what is zero within its tolerance
// throughout is none.
static bool may_change(const event *s, int function) {
  static const double SURE = 2;
  const watcher *w = &s->w;
  int p = function / EVENT_FUNCTIONS;
  event_kind kind = event_kind_of(s, function);
  const watch_look *a = &w->look[WATCH_START][p], *b = &w->look[w->type->looks - 1][p];
  if (kind == EVENT_NONE || (kind == EVENT_TOUCH && isinf(a->gap) && isinf(b->gap))) return false;
  if (kind == EVENT_TOUCH && (a->absent || b->absent)) return true;
  double fa = event_value(w, function, a), fb = event_value(w, function, b), least = fmin(fa, fb);
  if (isinf(least)) return false;
  if (kind != EVENT_TOUCH)
    return !(least > SURE * fabs(fb - fa) || fmax(fabs(fa), fabs(fb)) <= tolerance_of(s, function));
  double way = (w->at[w->type->looks - 1] - w->at[WATCH_START]) * fmax(fabs(a->rate), fabs(b->rate));
  return !(least > SURE * way || (a->rate > 0 && b->rate > 0) || (a->rate < 0 && b->rate < 0 && least > 0));
}

bool event_is_unchanged(watcher *w) {
  const event *s = (const event *)w;
  if (event_rests(s)) return false;
  for
    EACH_ENTRY(p, w)
  for (int f = p * EVENT_FUNCTIONS; f < (p + 1) * EVENT_FUNCTIONS; f++)
    if (may_change(s, f)) return false;
  return watcher_fill_between(w);
}

// The rule of trapezoids is wrong by less than a sixth of the change times the step. Where that impulse changes speeds
// by less than what counts as none, the integrator is no better.
bool event_is_even(const watcher *w) {
  const event *s = (const event *)w;
  int last = w->type->looks - 1;
  double most = 6 * s->lightest * s->still / (w->at[last] - w->at[WATCH_START]);
  for
    EACH_POINT(p, w) {
      const event_point *c = &s->point[p];
      const watch_look *a = &w->look[WATCH_START][p], *b = &w->look[last][p];
      if (!event_is_closed(c)) continue;
      double change = fabs(b->normal - a->normal) + hypot(b->drag[0] - a->drag[0], b->drag[1] - a->drag[1]);
      if (!(change <= most)) return false;
    }
  return !w->m->friction_count;
}
