// Trial steps of scheme `iterative`: how their forces are corrected, and what happens where that does not converge.
#include <float.h>
#include <math.h>
#include <string.h>

#include "mechanics/response.h"
#include "scheme/iterative_internal.h"

void iterative_begin_trials(iterative *s) {
  double t = s->e.w.t;
  s->trial = (iterative_trial){.active = true, .t0 = t, .t1 = t, .worst = INFINITY, .point = -1, .x = s->trial.x};
}

// What no correction makes better is rounding if it is small.
bool iterative_is_good(const iterative_trial *trial, double before) {
  return trial->worst <= 1 || (trial->count > 0 && trial->is_small && trial->worst > 0.5 * before);
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
    EACH_PART(k, e) force[ITERATIVE_UNKNOWNS * k] = e->lambda[event_part(e, k)->row];
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

// From what makes rate and gap vanish to forces at both ends, and the force across by which friction turns.
static void set_correction(const iterative *s, int p, double *z) {
  const double X = z[0], Y = z[1], a = s->moment[0], b = s->moment[1];
  if (s->constant) z[0] = z[1] = Y / (a + b);
  else z[0] = (Y - 2 * b * X) / (a - b), z[1] = (2 * a * X - Y) / (a - b);
  z[2] = s->force[p].leads ? iterative_located_turn(s, p) * iterative_friction(s, p) : 0;
}

static void apply_correction(const iterative *s, int p, const double *z) {
  double h = s->trial.t1 - s->trial.t0;
  iterative_force *f = &s->force[p];
  f->base += z[0], f->slope += (z[1] - z[0]) / h;
  if (f->leads) f->turn += z[2] / (iterative_friction(s, p) * h);
}

bool iterative_correct(iterative *s) {
  event *e = &s->e;
  iterative_trial *trial = &s->trial;
  if (trial->steps >= ITERATIVE_TRIALS) trial->steps = 0;
  int n = ITERATIVE_UNKNOWNS * e->part_count;
  double h = trial->t1 - trial->t0, *z = trial->x + (long)trial->steps * n;
  response_matrix(e->w.m, e->w.x, e->W);
  e->has_matrix = true, e->repeat.any = false;
  set_right_side(e, -1 / h, false);
  if (!s->constant && !solve_normals(e, z)) return false;
  set_right_side(e, -1 / (h * h), true);
  if (!solve_normals(e, z + 1)) return false;
  for
    EACH_PART(k, e) set_correction(s, e->part[k], z + (long)ITERATIVE_UNKNOWNS * k);
  z = improve(trial, n);
  for
    EACH_PART(k, e) apply_correction(s, e->part[k], z + (long)ITERATIVE_UNKNOWNS * k);
  return true;
}

// --- where it does not converge --------------------------------------------------------------------------------------

// The shortest part of a step that is tried: of a whole one, or of one that the turning of a slip allows, but more than
// the rounding of time, or its half would be as long. What is left of a step until its end does not count, or every
// part would be a part of a shorter rest.
static double shortest(const iterative *s) {
  enum { HALVINGS = 4 };
  static const double ROUNDINGS = 16;
  const double t = s->trial.t0, whole = t + s->options.step;
  const bool paper = s->options.form == CAROM_FORM_PAPER;
  const double part = ((paper ? whole : iterative_located_limit(s, whole)) - t) / (1 << HALVINGS);
  return fmax(part, ROUNDINGS * DBL_EPSILON * fabs(t));
}

static double end_of(const iterative_trial *trial, double until) {
  return trial->t1 > trial->t0 ? fmin(until, trial->t1) : until;
}

// The force at the start, in its direction there, on half the step.
static void begin_half(iterative *s, double *until) {
  iterative_trial *trial = &s->trial;
  const double end = fmin(end_of(trial, *until), trial->t0 + s->options.step);
  const int point = trial->point;
  *until = trial->t0 + fmax(0.5 * (end - trial->t0), shortest(s));
  iterative_begin_trials(s);
  trial->point = point;
  for
    EACH_POINT(p, &s->e.w) {
      s->force[p].base = s->e.w.look[WATCH_START][p].normal;
      s->force[p].slope = s->force[p].turn = 0;
    }
}

static int closed_point(const iterative *s) {
  for
    EACH_POINT(p, &s->e.w)
  if (event_is_closed(&s->e.point[p])) return p;
  return -1;
}

// Located: complementarity of forces and accelerations has decided the modes, and in these it gives forces at each
// instant. Paper: that of forces and gaps at the end of the step.
static void fall_back(iterative *s, double until) {
  watcher *w = &s->e.w;
  int p = s->trial.point >= 0 ? s->trial.point : closed_point(s);
  if (s->options.form == CAROM_FORM_PAPER && iterative_paper_complement(s, until)) s->trial.taken = true;
  else s->trial.active = false;
  if (p < 0) return;
  contact_count_trouble(w->contacts->world, w->entry[p].e, s->trial.t0, &w->trouble.fallbacks, &w->trouble.fallback);
}

bool iterative_try_again(iterative *s, bool failed, int most, double *until) {
  iterative_trial *trial = &s->trial;
  if (!trial->active || trial->taken || (trial->found && !failed)) return trial->active = false;
  if (!failed && !trial->lost && ++trial->count < most) return true;
  if (end_of(trial, *until) > trial->t0 + 1.001 * shortest(s)) begin_half(s, until);
  else fall_back(s, *until);
  return true;
}
