// Normal forces of lasting contact that are linear over a step, λ(t) = a (1 - s) + b s with s = (t - t0)/h, such that
// gap and gap rate vanish at its end. Both are two moments of the force: with the compliance W of the normal rows, in
// which friction follows and whatever sticks or is constrained reacts,
//   δġ = h W (δa + δb)/2,   δg = h² W (p δa + q δb),
// where p and q belong to the integration method: 1/3 and 1/6 if it is exact for them. A trial that misses by g and ġ
// is corrected by
//   δa + δb = 2 X,   p δa + q δb = Y,   W X = -ġ/h,   W Y = -g/h²,
// and then by Broyden's method. What a linear force misses of the true one is orthogonal to both moments. Its effect on
// the motion is of fifth order in the step, as the error of a method of order four.
#include <math.h>
#include <string.h>

#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "scheme/iterative_internal.h"

// --- before a step ---------------------------------------------------------------------------------------------------

// The linear force next to a parabola through the forces at the start of this step and of those before: over a step of
// length h, τ² is next to h τ - h²/6.
static void predict(iterative_force *f, double t, double now, double h) {
  double d1 = f->known > 0 ? (now - f->before[0]) / (t - f->t[0]) : 0, d2 = 0;
  if (f->known > 1) d2 = (d1 - (f->before[0] - f->before[1]) / (f->t[0] - f->t[1])) / (t - f->t[1]);
  f->base = now - d2 * h * h / 6;
  f->slope = d1 + (f->known > 1 ? d2 * (t - f->t[0]) + d2 * h : 0);
}

static void remember(iterative_force *f, double t, double now) {
  if (f->known && t <= f->t[0]) return;
  for (int k = ITERATIVE_HISTORY - 1; k > 0; k--) f->t[k] = f->t[k - 1], f->before[k] = f->before[k - 1];
  f->t[0] = t, f->before[0] = now;
  if (f->known < ITERATIVE_HISTORY) f->known++;
}

// In space friction turns with the slip γ_T at a rate of μ λ_N W_TT/|γ_T|, without bound on the way to a standstill and
// from it. An explicit method follows in steps that are as short; longer ones leave a slip across that does not die
// away. Below a thousandth of the step, h_l, they do not follow. A slip that still turns by more than a twentieth in a
// step at γ_T = h_l A/SHARE, with A = μ λ_N W_TT, is stopped where it would end within a way of γ_T²/2a, down to a
// deceleration a of A/20. One that goes straight through zero is located there.
static bool turns(const event_point *c) {
  return c->mode == MODE_SLIP && c->rows == 3 && !c->guided && c->friction > 0;
}

static double turning(const iterative *s, int p) {
  return s->e.point[p].friction * s->e.w.look[WATCH_START][p].normal * s->force[p].mobility;
}

static bool is_slow(const iterative *s, int p) {
  static const double FAST = 20;
  return !(s->force[p].mobility > 0) ||
         watch_length(s->e.w.look[WATCH_START][p].slip) < FAST * s->options.step * turning(s, p);
}

static void find_mobility(iterative *s) {
  event *e = &s->e;
  event_set(e, e->w.t, e->w.y);
  event_take_closed(e);
  if (event_prepare_rows(e))
    for
      EACH_PART(k, e) {
        const event_point *c = event_part(e, k);
        double W[2] = {0};
        for (int i = 0; i < 2 && turns(c); i++) response_own(e->w.m, e->w.x, c->row + 1 + i, 1, &W[i]);
        s->force[e->part[k]].mobility = fmax(W[0], W[1]);
      }
  rows_clear(e->w.m, e->w.x);
}

// Whether it has turned since the last step by more than a twentieth, and not reversed on the same line.
static bool has_turned(iterative_force *f, const double slip[2]) {
  static const double STRAIGHT = 1e-9;
  double along = slip[0] * f->slip[0] + slip[1] * f->slip[1], across = slip[0] * f->slip[1] - slip[1] * f->slip[0];
  f->slip[0] = slip[0], f->slip[1] = slip[1];
  return fabs(across) > STRAIGHT * fabs(along) && 20 * fabs(across) > along;
}

static void follow_slips(iterative *s) {
  static const double SHARE = 0.5, LEAST = 1e-3;
  double least = LEAST * s->options.step;
  bool slow = false;
  for
    EACH_POINT(p, &s->e.w) slow |= turns(&s->e.point[p]) && is_slow(s, p);
  if (slow) find_mobility(s);
  s->e.brief = s->brief;
  for
    EACH_POINT(p, &s->e.w) {
      iterative_force *f = &s->force[p];
      const double *slip = s->e.w.look[WATCH_START][p].slip;
      f->pace = INFINITY;
      if (!turns(&s->e.point[p]) || !(turning(s, p) > 0)) continue;
      double slowest = least * turning(s, p) / SHARE, speed = watch_length(slip);
      f->pace = fmax(SHARE * speed / turning(s, p), least);
      if (has_turned(f, slip) && speed < 4 * slowest)
        s->e.brief = fmax(s->e.brief, 10 * slowest * slowest / turning(s, p));
    }
}

double iterative_located_limit(const iterative *s, double t_stop) {
  const watcher *w = &s->e.w;
  double limit = event_watched.limit(w, t_stop);
  for
    EACH_POINT(p, w)
  if (turns(&s->e.point[p])) limit = fmin(limit, w->t + s->force[p].pace);
  return limit;
}

void iterative_located_begin(iterative *s) {
  watcher *w = &s->e.w;
  for
    EACH_POINT(p, w) {
      iterative_force *f = &s->force[p];
      double now = w->look[WATCH_START][p].normal;
      if (w->restart || !event_is_closed(&s->e.point[p])) f->known = 0;
      if (!event_is_closed(&s->e.point[p])) continue;
      predict(f, w->t, now, s->options.step);
      remember(f, w->t, now);
    }
  follow_slips(s);
  iterative_begin_trials(s);
}

// --- after a trial -----------------------------------------------------------------------------------------------------

static void measure(iterative *s) {
  event *e = &s->e;
  s->trial.worst = 0;
  for
    EACH_PART(k, e) {
      double rate = s->constant ? 0 : fabs(e->rate[event_part(e, k)->row]);
      double missed = fmax(fabs(e->w.points[e->part[k]].gap), rate) / s->close;
      if (missed <= s->trial.worst) continue;
      s->trial.worst = missed, s->trial.point = e->part[k];
    }
}

bool iterative_located_examine(iterative *s, double t, const double *y) {
  event *e = &s->e;
  iterative_trial *trial = &s->trial;
  double before = trial->worst;
  trial->t1 = t;
  if (!e->closed_count) return trial->found = true;
  dynamics_set(e->w.m, e->w.x, t, y, y + e->w.m->nq);
  dynamics_normalize(e->w.m, e->w.x->q);
  event_take_closed(e);
  bool known = event_prepare_rows(e);
  if (known) event_find_rates(e), measure(s);
  trial->found = known && iterative_is_good(trial, before);
  trial->lost = !trial->found && (!known || !isfinite(trial->worst) || (trial->count > 1 && trial->worst > before) ||
                                  !iterative_correct(s));
  rows_clear(e->w.m, e->w.x);
  return trial->found;
}
