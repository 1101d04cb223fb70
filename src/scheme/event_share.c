// Which share of a heap's load the points take. Forces λ + Q y of the held rows change no acceleration, with the few
// columns Q of event_factor.share. Of all y the one in the middle is taken, the least of  Σ ψ(x)  over the reserves
//   x = (μ N - √(|T|² + ε²))/(μ n) of points that stick,  N/n of those that slip,  1 - N/(10 N_max) of all,
// with n the normal force in the last share of the point. ψ = -log x, and below a small δ its parabola there, so that
// there is a middle wherever the forces are. It is found by Newton's method in as many unknowns as there are ways to
// share the load, and changes smoothly with the state. A point comes to its limit only where hardly any share fits.
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "math/vectors.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"

static const double NARROW = 1e-3;  // the δ of forces that are looked at

typedef struct middle {
  const event *s;
  const event_factor *f;
  double delta;
  double most;  // normal force in a share [N]
  double y[EVENT_SHARES], gradient[EVENT_SHARES], H[EVENT_SHARES * EVENT_SHARES];
} middle;

// --- the sum of barriers ---------------------------------------------------------------------------------------------

// The force of held row i, and how it changes with y.
static double force_of(const middle *x, int i, const double *y, double slope[EVENT_SHARES]) {
  const event_factor *f = x->f;
  double sum = f->z[i];
  for (int k = 0; k < f->shares; k++) {
    const double q = f->share[(long)k * f->held + i];
    slope[k] = f->scale[i] * q;
    sum += q * y[k];
  }
  return f->scale[i] * sum;
}

static void add_square(middle *x, double factor, const double *v) {
  const int n = x->f->shares;
  for (int k = 0; k < n; k++) vectors_axpy(n, factor * v[k], v, x->H + (long)k * n);
}

// Adds ψ' and ψ'' of a reserve that changes with y by `slope`. Returns ψ, and ψ' as `first`.
static double add_reserve(middle *x, double reserve, const double *slope, double *first) {
  const double d = x->delta, beyond = (reserve - d) / d;
  const bool wide = reserve >= d;
  *first = wide ? -1 / reserve : (beyond - 1) / d;
  vectors_axpy(x->f->shares, *first, slope, x->gradient);
  add_square(x, wide ? 1 / (reserve * reserve) : 1 / (d * d), slope);
  return wide ? -log(reserve) : -log(d) - beyond + 0.5 * beyond * beyond;
}

static bool rubs_and_sticks(const event_point *c) { return c->mode == MODE_STICK && event_rubs(c); }

// With S = √(|T|² + ε²):  ∇S = Σ T ∇T / S,  ∇²S = (Σ ∇T ∇Tᵀ - ∇S ∇Sᵀ)/S.
static double add_friction(middle *x, const double *y, const event_point *c, int at, double size, double N,
                           const double *normal) {
  static const double ROUND = 0.02;
  const int n = x->f->shares;
  const double unit = c->friction * size;
  double tangent[2][EVENT_SHARES], turn[EVENT_SHARES] = {0}, slope[EVENT_SHARES], S = ROUND * unit, T[2], first;
  for (int i = 0; i < c->rows - 1; i++) T[i] = force_of(x, at + 1 + i, y, tangent[i]), S = hypot(S, T[i]);
  for (int i = 0; i < c->rows - 1; i++) vectors_axpy(n, T[i] / S, tangent[i], turn);
  for (int k = 0; k < n; k++) slope[k] = (c->friction * normal[k] - turn[k]) / unit;
  const double sum = add_reserve(x, (c->friction * N - S) / unit, slope, &first), bend = -first / (S * unit);
  for (int i = 0; i < c->rows - 1; i++) add_square(x, bend, tangent[i]);
  add_square(x, -bend, turn);
  return sum;
}

// The normal row of the point is held row `at`, with its tangents behind it where it sticks.
static double add_point(middle *x, const double *y, const event_point *c, int at) {
  static const double LEAST = 1e-4, FURTHEST = 10;
  const int n = x->f->shares;
  const double size = fmax(c->share[0], LEAST * x->most), furthest = FURTHEST * x->most;
  double normal[EVENT_SHARES], slope[EVENT_SHARES] = {0}, first;
  const double N = force_of(x, at, y, normal);
  for (int k = 0; k < n; k++) slope[k] = -normal[k] / furthest;
  const double sum = add_reserve(x, 1 - N / furthest, slope, &first);
  if (rubs_and_sticks(c)) return sum + add_friction(x, y, c, at, size, N, normal);
  for (int k = 0; k < n; k++) slope[k] = normal[k] / size;
  return sum + add_reserve(x, N / size, slope, &first);
}

// The sum at y, with its gradient and second derivatives.
static double evaluate(middle *x, const double *y) {
  const int n = x->f->shares;
  double sum = 0;
  memset(x->gradient, 0, sizeof x->gradient);
  memset(x->H, 0, (size_t)n * (size_t)n * sizeof *x->H);
  int at = 0;
  for
    EACH_PART(k, x->s) {
      const event_point *c = event_part(x->s, k);
      while (x->f->row[at] < c->row) at++;
      sum += add_point(x, y, c, at);
    }
  return sum;
}

// --- the middle ------------------------------------------------------------------------------------------------------

// From `y` along `step`, half as far each time until the sum is less. Returns false if it is nowhere.
static bool search(middle *x, const double *step, double decrement, double *value) {
  static const double LEAST = 1e-6, ENOUGH = 0.1;
  const int n = x->f->shares;
  double to[EVENT_SHARES];
  for (double part = 1; part > LEAST; part /= 2) {
    for (int k = 0; k < n; k++) to[k] = x->y[k] - part * step[k];
    const double sum = evaluate(x, to);
    if (!(sum <= *value - ENOUGH * part * decrement)) continue;
    memcpy(x->y, to, (size_t)n * sizeof *to);
    *value = sum;
    return true;
  }
  return false;
}

static void find_middle(middle *x) {
  enum { TURNS = 50 };
  static const double NEAR = 1e-8;
  const int n = x->f->shares;
  int pivot[EVENT_SHARES];
  double step[EVENT_SHARES], value = evaluate(x, x->y), decrement = INFINITY;
  for (int turn = 0; turn < TURNS && decrement > NEAR; turn++) {
    memcpy(step, x->gradient, sizeof step);
    if (!(lu_factor(n, x->H, n, pivot, NULL) > 0)) return;
    lu_solve(n, x->H, n, pivot, step);
    decrement = vectors_dot(n, step, x->gradient);
    if (!search(x, step, decrement, &value)) return;
  }
}

static middle begin(const event *s, const event_factor *f) {
  middle x = {.s = s, .f = f, .delta = NARROW};
  for
    EACH_PART(k, s) x.most = fmax(x.most, event_part(s, k)->share[0]);
  return x;
}

void event_go_to_middle(const event *s, const event_factor *f) {
  middle x = begin(s, f);
  if (!(x.most > 0)) return;
  find_middle(&x);
  for (int k = 0; k < f->shares; k++) vectors_axpy(f->held, x.y[k], f->share + (long)k * f->held, f->z);
}

// --- another share ---------------------------------------------------------------------------------------------------

bool event_look_at_forces(event *s) {
  event_set(s, s->w.t, s->w.y);
  event_take_closed(s);
  s->looks = true;
  const bool accelerates = event_accelerate(s);
  s->looks = false;
  return accelerates;
}

// Whether all points are inside of their cones. One without force is as long as it takes hardly any.
static bool fits(const middle *x) {
  static const double NONE = 1e-6;
  double ignored[EVENT_SHARES];
  int at = 0;
  for
    EACH_PART(k, x->s) {
      const event_point *c = event_part(x->s, k);
      while (x->f->row[at] < c->row) at++;
      const double N = force_of(x, at, x->y, ignored) + (c->idles ? NONE * x->most : 0);
      double drag = 0;
      for (int i = 1; rubs_and_sticks(c) && i < c->rows; i++) drag = hypot(drag, force_of(x, at + i, x->y, ignored));
      if (!(N > 0 && drag < c->friction * N + (drag == 0))) return false;
    }
  return true;
}

static void keep_share(const middle *x) {
  double ignored[EVENT_SHARES];
  int at = 0;
  for
    EACH_PART(k, x->s) {
      event_point *c = event_part(x->s, k);
      while (x->f->row[at] < c->row) at++;
      for (int i = 0; i < (c->mode == MODE_STICK ? c->rows : 1) && !c->idles; i++)
        c->share[i] = force_of(x, at + i, x->y, ignored);
    }
}

// With ever narrower barriers, until one finds a share that fits.
event_sharing event_share_anew(event *s) {
  static const double NARROWEST = 1e-7, NARROWER = 0.1;
  const bool accelerates = event_look_at_forces(s);
  middle x = begin(s, &s->factor[2]);
  event_sharing found = SHARING_UNKNOWN;
  if (accelerates && x.f->n > 0 && x.f->shares > 0 && x.most > 0) {
    found = SHARING_NONE;
    for (; found == SHARING_NONE && x.delta > NARROWEST; x.delta *= NARROWER) {
      find_middle(&x);
      if (fits(&x)) found = SHARING_FOUND;
    }
    if (found == SHARING_FOUND) keep_share(&x);
  }
  rows_clear(s->w.m, s->w.x);
  return found;
}
