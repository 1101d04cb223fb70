// Steps while contacts hold the whole state at rest. The forces on it may still change with time, but a state that does
// not change tells the integrator nothing about them: its steps would grow until a contact could lift and return within
// one. Here a step is bounded by how much the contact forces have changed in the last one.
#include "mechanics/function.h"
#include "scheme/event_internal.h"

bool event_forces_change(const mechanism *m) {
  bool change = flow_is_driven(m);
  for (int i = 0; i < m->force_count; i++) {
    change |= m->forces[i].call != NULL;
    for (int k = 0; k < 3; k++) change |= !function_is_constant(&m->forces[i].f[k]);
  }
  return change;
}

bool event_rests(const event *s) {
  const mechanism *m = s->w.m;
  const double still = fmin(s->still, s->still_turn), *u = s->w.y + m->nq;
  if (!s->forces_change || !s->closed_count) return false;
  for (int i = 0; i < m->nv; i++)
    if (!m->driven[i] && fabs(u[i]) > still) return false;
  return true;
}

// At the start of a run nothing is known yet.
double event_pace_limit(const event *s, double t_stop) {
  const double first = 1e-6 * (t_stop - s->w.t);
  return event_rests(s) ? s->w.t + (s->pace > 0 ? s->pace : first) : t_stop;
}

// Whether the force at a point changes by more than half of itself from one look at the last step to the next. What a
// contact without load seems to change by is rounding.
static bool is_rough(const event *s, int p) {
  const watcher *w = &s->w;
  double most = 0, change = 0;
  for (int k = 0; k < w->type->looks; k++) most = fmax(most, fabs(w->look[k][p].normal));
  for (int k = 1; k < w->type->looks; k++) change = fmax(change, fabs(w->look[k][p].normal - w->look[k - 1][p].normal));
  return change > 0.5 * most && change > event_force_tolerance(s);
}

// A moving state shows the integrator how forces change: its last step is the first one at rest.
void event_pace_take(event *s) {
  const watcher *w = &s->w;
  const double step = w->at[w->type->looks - 1] - w->at[WATCH_START];
  bool rough = false;
  if (!s->forces_change || !(step > 0)) return;
  for
    EACH_POINT(p, w) rough |= event_is_closed(&s->point[p]) && is_rough(s, p);
  s->pace = !event_rests(s) ? step : rough ? step / 2 : fmax(s->pace, 2 * step);
}
