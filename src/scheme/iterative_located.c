// Normal forces of lasting contact that are linear over a step, λ(t) = a (1 - s) + b s with s = (t - t0)/h, such that
// gap and gap rate vanish at its end. Both are two moments of the force: with the compliance W of the normal rows, in
// which friction follows and whatever sticks or is constrained reacts,
//   δġ = h W (δa + δb)/2,   δg = h² W (p δa + q δb),
// where p and q belong to the integration method: 1/3 and 1/6 if it is exact for them. A trial that misses by g and ġ
// is corrected by
//   δa + δb = 2 X,   p δa + q δb = Y,   W X = -ġ/h,   W Y = -g/h²,
// and then by Broyden's method. What a linear force misses of the true one is orthogonal to both moments. Its effect on
// the motion is of fifth order in the step, as the error of a method of order four.
#include <float.h>
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
  for (int k = ITERATIVE_HISTORY - 1; k > 0; k--) f->t[k] = f->t[k - 1], f->before[k] = f->before[k - 1];
  f->t[0] = t, f->before[0] = now;
  if (f->known < ITERATIVE_HISTORY) f->known++;
}

// --- slow slips in space -----------------------------------------------------------------------------------------------

// In space friction turns with the slip γ_T: its part across the slip dies away at a rate of A/|γ_T|, A = μ λ_N W_TT,
// without bound on the way to a standstill and from it.
//   A slip that ends turns as a power of the time that is left, so that steps have to shrink with it. Steps κ |γ_T|/A
// leave an error of κ⁴ |γ_T| on the way from |γ_T| to a part of it. With h_l = h (|γ_T|/A T)^(3/4) below |γ_T| = A T
// this is h⁴ at every speed, and the way to a standstill takes no more than 4 T/h steps. T is the time in which a slip
// ends within a share of the model's size. Below κ = SHARE the slip is not followed: it is stopped where it would end
// within a way of |γ_T|²/2a, down to a deceleration a of A/20, if it still turns.
//   A slip that has begun is smooth, and its steps may be as long as its turning allows. But an explicit method is not
// stable there: so the direction of friction turns evenly over the step, d(t) = way + turn (t - t0), at a rate such
// that the slip at the end is along it. This is a rule of trapezoids for the direction; what it leaves in the slip is
// |γ_T| h² < A h³.
static const double SHARE = 0.5;  // the largest κ
// A slip that goes straight through zero is located there. What counts as ended at once is less by this factor, so that
// it ends within 1e-9 s and not within 1e-7 s.
static const double STRAIGHT_ON = 1e-4;

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

static double across(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

// The tangent of the angle by which a slip has turned since the last step; 0: it goes on, or back, on the same line.
static double turned_by(const iterative_force *f, const double slip[2]) {
  static const double STRAIGHT = 1e-9;
  double along = slip[0] * f->slip[0] + slip[1] * f->slip[1], by = fabs(across(f->slip, slip));
  return by > STRAIGHT * fabs(along) ? by / fmax(along, 0) : 0;
}

// It has just begun, or becomes faster.
static bool grows(const iterative *s, int p) {
  const iterative_force *f = &s->force[p];
  double speed = watch_length(s->e.w.look[WATCH_START][p].slip);
  if (!(speed > s->e.still)) return true;
  return !s->e.w.restart && s->e.w.t > f->slip_at && speed > watch_length(f->slip);
}

// How long the direction of a slip stays about the same. One that becomes faster tells by how much it has turned; one
// that has just begun has no other direction yet.
static double steadiness(const iterative *s, int p, double speed) {
  const iterative_force *f = &s->force[p];
  double least = speed / turning(s, p);
  if (!grows(s, p)) return least;
  if (!(speed > s->e.still)) return INFINITY;
  return fmax((s->e.w.t - f->slip_at) / turned_by(f, s->e.w.look[WATCH_START][p].slip), least);
}

// How long the next step may be for the slip of a point, and how slow a slip that turns is stopped; see above.
static void set_pace(iterative *s, int p) {
  static const double WAY = 4e-4, MOST = 1e-3, LEAST = 1e-6, SHARP = 0.05;
  iterative_force *f = &s->force[p];
  const double *slip = s->e.w.look[WATCH_START][p].slip;
  double A = turning(s, p), h = s->options.step, T = sqrt(WAY * s->e.w.m->length / A), speed = watch_length(slip);
  double least = h * fmin(fmax(pow(h / T / SHARE, 3), LEAST), MOST), slowest = least * A / SHARE;
  double steady = steadiness(s, p, speed), by = turned_by(f, slip);
  f->pace = fmax(fmin(h * pow(fmin(steady / T, 1), 0.75), SHARE * steady), least);
  f->leads = (grows(s, p) || !s->e.w.restart) && s->options.order != CAROM_ORDER_SEMI_IMPLICIT_EULER &&
             A * fmin(f->pace, h) > 1.01 * SHARE * speed;
  if (by > 0) s->e.brief = fmax(s->e.brief, s->brief);
  if (by > 0 && speed < 4 * slowest) s->e.brief = fmax(s->e.brief, (by > SHARP ? 10 : 0.01) * slowest * slowest / A);
}

static void follow_slips(iterative *s) {
  bool slow = false;
  for
    EACH_POINT(p, &s->e.w) slow |= turns(&s->e.point[p]) && is_slow(s, p);
  if (slow) find_mobility(s);
  s->e.brief = STRAIGHT_ON * s->brief;
  for
    EACH_POINT(p, &s->e.w) {
      iterative_force *f = &s->force[p];
      bool led = f->leads;
      f->pace = INFINITY, f->leads = false;
      if (!turns(&s->e.point[p])) continue;
      if (turning(s, p) > 0) set_pace(s, p);
      if (!led || s->e.w.restart) f->turn = 0;
      memcpy(f->slip, s->e.w.look[WATCH_START][p].slip, sizeof f->slip);
      f->slip_at = s->e.w.t;
    }
}

void iterative_located_direction(const iterative *s, int p, double t, double d[2]) {
  const double *way = s->e.point[p].way, angle = s->force[p].turn * (t - s->trial.t0);
  d[0] = way[0] * cos(angle) - way[1] * sin(angle), d[1] = way[0] * sin(angle) + way[1] * cos(angle);
}

// The slip across the direction of friction at the end of a trial, and along it.
static double missed_slip(const iterative *s, int p, double *along) {
  const event_point *c = &s->e.point[p];
  const double *slip = s->e.rate + c->row + 1;
  double d[2];
  iterative_located_direction(s, p, s->trial.t1, d);
  *along = slip[0] * d[0] + slip[1] * d[1];
  return across(d, slip);
}

double iterative_located_turn(const iterative *s, int p) {
  double h = s->trial.t1 - s->trial.t0, along, missed = missed_slip(s, p, &along);
  return missed / (0.5 * turning(s, p) * h + fmax(along, 0));
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

// Places are known to the last digit of their coordinates. The forces that undo such an error within a step move rates
// by it over the length of the step, where modes oscillate about as fast as steps are taken. The part of a step that an
// event ends may be as short as times can be told apart: no more than in a sixteenth of a step counts as rounding.
static double rounding_of_rates(const iterative *s) {
  static const double DIGITS = 4, SHORTEST = 1.0 / 16;
  const double h = fmax(s->trial.t1 - s->trial.t0, SHORTEST * s->options.step);
  return DIGITS * DBL_EPSILON * s->e.w.m->length / h;
}

static void measure(iterative *s) {
  event *e = &s->e;
  const double rounding = ITERATIVE_ROUNDING * s->close, of_rates = fmax(rounding, rounding_of_rates(s));
  s->trial.worst = 0, s->trial.is_small = true;
  for
    EACH_PART(k, e) {
      double rate = s->constant ? 0 : fabs(e->rate[event_part(e, k)->row]), along;
      double gap = fabs(e->w.points[e->part[k]].gap);
      if (s->force[e->part[k]].leads) gap = fmax(gap, fabs(missed_slip(s, e->part[k], &along)));
      s->trial.is_small &= gap < rounding && rate < of_rates;
      const double missed = fmax(gap, rate) / s->close;
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
