// Ways of slips and turnings: their direction, and how they die away.
#include <math.h>
#include <string.h>

#include "scheme/event_internal.h"

// Past a standstill the direction is that from before, so that the motion goes on smoothly to where the event is
// located. Below the speed that counts as none, what was integrated is an error, which may point anywhere, also across:
// there the direction is led over to the way that was known last.
double event_find_way(double still, const double *rate, const double way[2], double to[2]) {
  double along = fabs(rate[0] * way[0] + rate[1] * way[1]), across = rate[1] * way[0] - rate[0] * way[1];
  along += fmax(0, still - hypot(along, across));
  double size = hypot(along, across);
  to[0] = (along * way[0] - across * way[1]) / size, to[1] = (along * way[1] + across * way[0]) / size;
  return size;
}

// Whether a slip has stayed near zero for many steps. One that is faster after them than before grows from rest.
bool event_lingers(event_fade *f, double slow, double speed) {
  enum { LINGERING = 20 };
  if (speed > slow) f->lingers = 0;
  else if (f->lingers++ == 0) f->lingers_from = speed;
  if (f->lingers < LINGERING) return false;
  f->lingers = 0;
  return speed <= f->lingers_from;
}

// Modes that are decided then may let a slip go on; it is not asked again before it is twice as fast, since every
// question starts the integrator anew.
bool event_may_ask(event_fade *f, double speed) {
  if (f->asked_at > 0 && speed < 2 * f->asked_at) return false;
  f->asked_at = speed;
  return true;
}

// The direction of friction in space follows the slip the faster the slower it is, at a rate of μ λ_N W_TT / |γ_T|.
// With the Jacobian of a slower slip, Newton's iteration corrects the slip across by the ratio of both speeds too
// little, and accepts that as convergence. A Jacobian of a faster slip makes the iteration diverge, so that the
// integrator renews it by itself.
bool event_outruns_jacobian(const event *s, event_fade *f, double speed) {
  static const double FASTER = 1.5;
  if (s->jacobian_is_new) f->steepest = speed;
  return !s->relaxes && speed > FASTER * f->steepest;
}

// Whether a slip is about to end, also if from now on it slows down half as fast as in the last step. One that has just
// begun has no speed yet but an error, which may fall as well as grow: asked then, it would stick and begin again
// without end. Where it stays so slow, it lingers.
static bool dies_away(const event *s, int p, double speed) {
  const watcher *w = &s->w;
  double before = hypot(w->look[WATCH_START][p].slip[0], w->look[WATCH_START][p].slip[1]);
  return w->t > w->from && before > s->still &&
         event_slip_ends(s, &s->point[p], speed, 0.5 * (before - speed) / (w->t - w->from));
}

// In a heap a point may slip and hardly get faster, where others that stick leave it no way but one that they bend. At
// such a speed its direction is that of an error, and to follow it takes steps as short as it is slow. A slip that
// still lingers after its mode was decided keeps its direction until it is faster.
static void follow_creeping(const event *s, event_point *c, double speed) {
  enum { SEVERAL = 2 };
  if (speed > s->standing * s->still) c->fade.creeps = false;
  else if (c->fade.lingers >= SEVERAL) c->fade.creeps = true;
}

static bool follow_slip(event *s, int p, bool may_ask, bool *renew) {
  event_point *c = &s->point[p];
  if (c->mode != MODE_SLIP) c->fade.asked_at = 0, c->fade.creeps = false;
  if (c->mode != MODE_SLIP || c->rows < 3 || !event_rubs(c)) return false;
  double speed = event_slip_speed(c);
  if (s->relaxes) follow_creeping(s, c, speed);
  bool asks = !c->idles && (event_lingers(&c->fade, s->standing * s->still, speed) ||
                            (may_ask && dies_away(s, p, speed) && event_may_ask(&c->fade, speed)));
  *renew |= event_outruns_jacobian(s, &c->fade, fmax(speed, s->still));
  if (!(speed > s->still) || c->fade.creeps) return asks;
  event_set_way(c, c->rate + 1);
  s->w.law_changed = true;
  return asks;
}

// In space a slip that dies away turns ever faster and passes zero at a distance; where one lingers there, steps are as
// short as it is slow, and it is time to ask whether it sticks.
void event_follow_ways(event *s, event_instant *instant) {
  bool renew = false;
  for
    EACH_POINT(p, &s->w) {
      bool may_ask = instant->kind == EVENT_NONE || instant->kind == EVENT_LINGER;
      event_renew_frame(s, p);
      bool asks = follow_slip(s, p, may_ask, &renew);
      if (s->point[p].turn_count) asks |= event_turns_follow(s, p, may_ask, &renew);
      if (asks && instant->kind == EVENT_NONE) *instant = (event_instant){EVENT_LINGER, p, 0};
    }
  s->jacobian_is_new = renew;
  if (renew) flow_renew_jacobian(s->w.core);
}
