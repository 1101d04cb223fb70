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

// Steps that are much shorter than the others would make differences of rounding errors.
static void remember(iterative_force *f, double t, double now, double h) {
  (void)h;
  if (f->known && t <= f->t[0]) return;
  for (int k = ITERATIVE_HISTORY - 1; k > 0; k--) f->t[k] = f->t[k - 1], f->before[k] = f->before[k - 1];
  f->t[0] = t, f->before[0] = now;
  if (f->known < ITERATIVE_HISTORY) f->known++;
}

// In space friction turns with the slip γ_T at a rate of μ λ_N W_TT/|γ_T|, without bound on the way to a standstill and
// from it. An explicit method follows in steps that are as short; longer ones leave a slip across that does not die
// away. Below a thousandth of the step, h_l, they do not follow. A slip that still turns at γ_T = h_l A/SHARE, with
// A = μ λ_N W_TT, is stopped where it would end within a way of γ_T²/2a, down to a deceleration a of A/20. One that
// goes straight through zero is located there.
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

// Whether it has turned since the last step by more than a twentieth.
static bool has_turned(iterative_force *f, const double slip[2]) {
  double along = slip[0] * f->slip[0] + slip[1] * f->slip[1], across = slip[0] * f->slip[1] - slip[1] * f->slip[0];
  f->slip[0] = slip[0], f->slip[1] = slip[1];
  return 20 * fabs(across) > along;
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
  iterative_trial *trial = &s->trial;
  for
    EACH_POINT(p, w) {
      iterative_force *f = &s->force[p];
      double now = w->look[WATCH_START][p].normal;
      if (w->restart || !event_is_closed(&s->e.point[p])) f->known = 0;
      if (!event_is_closed(&s->e.point[p])) continue;
      predict(f, w->t, now, s->options.step);
      remember(f, w->t, now, s->options.step);
    }
  follow_slips(s);
  *trial = (iterative_trial){.active = true, .t0 = w->t, .t1 = w->t, .worst = INFINITY, .point = -1, .x = trial->x};
}

// --- correction ------------------------------------------------------------------------------------------------------

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Broyden's method from a first correction z of these residuals and the corrections before it (Kelley).
static double *improve(iterative_trial *trial, int n) {
  double *z = trial->x + (long)trial->steps * n;
  for (int j = 0; j < trial->steps; j++) {
    const double *from = trial->x + (long)j * n;
    double size = dot(from, from, n), along = size > 0 ? dot(from, z, n) / size : 0;
    if (j + 1 < trial->steps) {
      for (int i = 0; i < n; i++) z[i] += along * from[n + i];
    } else if (along < 0.9) {
      for (int i = 0; i < n; i++) z[i] /= 1 - along;
    }
  }
  trial->steps++;
  return z;
}

// The forces on the normal rows that change their accelerations by the right-hand side in e->a.
static bool solve_normals(event *e, double *force) {
  memset(e->lambda, 0, (size_t)e->w.x->row_total * sizeof *e->lambda);
  if (!event_solve_held(e, e->a, HOLD_STICKING, true, e->lambda)) return false;
  for
    EACH_PART(k, e) force[2 * k] = e->lambda[event_part(e, k)->row];
  return true;
}

static void set_right_side(event *e, double factor, bool gaps) {
  memset(e->a, 0, (size_t)e->w.x->row_total * sizeof *e->a);
  for
    EACH_PART(k, e) {
      int row = event_part(e, k)->row;
      e->a[row] = factor * (gaps ? e->w.points[e->part[k]].gap : e->rate[row]);
    }
}

static bool correct(iterative *s) {
  static const double p = 1.0 / 3, q = 1.0 / 6;
  event *e = &s->e;
  iterative_trial *trial = &s->trial;
  double h = trial->t1 - trial->t0, *z = trial->x + (long)trial->steps * 2 * e->part_count;
  response_matrix(e->w.m, e->w.x, e->W);
  e->has_matrix = true, e->repeat.any = false;
  set_right_side(e, -1 / h, false);
  if (!solve_normals(e, z)) return false;
  set_right_side(e, -1 / (h * h), true);
  if (!solve_normals(e, z + 1)) return false;
  for
    EACH_PART(k, e) {
      double X = z[2 * k], Y = z[2 * k + 1];
      z[2 * k] = (Y - 2 * q * X) / (p - q), z[2 * k + 1] = (2 * p * X - Y) / (p - q);
    }
  z = improve(trial, 2 * e->part_count);
  for
    EACH_PART(k, e) {
      iterative_force *f = &s->force[e->part[k]];
      f->base += z[2 * k], f->slope += (z[2 * k + 1] - z[2 * k]) / h;
    }
  return true;
}

// --- after a trial ---------------------------------------------------------------------------------------------------

static void measure(iterative *s) {
  event *e = &s->e;
  s->trial.worst = 0;
  for
    EACH_PART(k, e) {
      double missed = fmax(fabs(e->w.points[e->part[k]].gap), fabs(e->rate[event_part(e, k)->row])) / s->close;
      if (missed <= s->trial.worst) continue;
      s->trial.worst = missed, s->trial.point = e->part[k];
    }
}

// What no correction makes better is rounding if it is small.
static bool is_good(const iterative_trial *trial, double before) {
  static const double SMALL = 1e3;
  return trial->worst <= 1 || (trial->count > 0 && trial->worst < SMALL && trial->worst > 0.5 * before);
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
  trial->worst = INFINITY;
  bool known = event_prepare_rows(e);
  if (known) event_find_rates(e), measure(s);
  trial->found = known && is_good(trial, before);
  if (known && !trial->found && isfinite(trial->worst) && !correct(s)) trial->worst = INFINITY;
  if (trial->count > 1 && trial->worst > before) trial->worst = INFINITY;  // it does not converge
  rows_clear(e->w.m, e->w.x);
  return trial->found;
}

// The same forces on half the step.
static void begin_half(iterative *s, double *until) {
  iterative_trial *trial = &s->trial;
  *until =
      trial->t0 + 0.5 * (fmin(*until, trial->t1 > trial->t0 ? trial->t1 : trial->t0 + s->options.step) - trial->t0);
  iterative_trial fresh = {.active = true,
                           .t0 = trial->t0,
                           .t1 = trial->t0,
                           .halvings = trial->halvings + 1,
                           .worst = INFINITY,
                           .point = trial->point,
                           .x = trial->x};
  *trial = fresh;
  for
    EACH_POINT(p, &s->e.w) { s->force[p].base = s->e.w.look[WATCH_START][p].normal, s->force[p].slope = 0; }
}

// Complementarity of forces and accelerations has decided the modes. In these it also gives forces at each instant.
static void fall_back(iterative *s) {
  iterative_trial *trial = &s->trial;
  int p = trial->point;
  trial->active = false;
  if (p < 0)
    for
      EACH_POINT(k, &s->e.w)
  if (event_is_closed(&s->e.point[k])) p = k;
  if (p >= 0)
    contact_count_trouble(s->e.w.contacts->world, s->e.w.entry[p].e, trial->t0, &s->e.w.trouble.fallbacks,
                          &s->e.w.trouble.fallback);
}

bool iterative_located_again(iterative *s, bool failed, double *until) {
  enum { HALVINGS = 4 };
  iterative_trial *trial = &s->trial;
  if (!trial->active || (trial->found && !failed) || !s->e.closed_count) {
    trial->active = false;
    return false;
  }
  if (!failed && isfinite(trial->worst) && ++trial->count < ITERATIVE_TRIALS) return true;
  if (trial->halvings < HALVINGS) begin_half(s, until);
  else fall_back(s);
  return true;
}
