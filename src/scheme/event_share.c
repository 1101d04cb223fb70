// Another share of a heap's load in the present modes. Forces λ + Q y of the held rows change no acceleration, with the
// few columns Q of event_factor.share. Of all y that leave every point inside its cone, the middle is the least of
//   φ(y) = -Σ log(μ²N² - |T|²) over points that stick - Σ log N over those that slip - Σ log(most - N) over all,
// found by Newton's method in as many unknowns as there are ways to share the load. (Boyd and Vandenberghe, Convex
// Optimization, sections 9.5 and 11.2: the logarithms are self-concordant, so that damped steps stay inside.)
#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "math/vectors.h"
#include "mechanics/rows.h"
#include "scheme/event_internal.h"

typedef struct sharing {
  event *s;
  const event_factor *f;
  int count;
  double furthest;  // no normal force becomes larger [N]
  double y[EVENT_SHARES], gradient[EVENT_SHARES], H[EVENT_SHARES * EVENT_SHARES];
} sharing;

// The force of held row i, and how it changes with y.
static double force_of(const sharing *x, int i, double slope[EVENT_SHARES]) {
  const event_factor *f = x->f;
  double sum = f->z[i];
  for (int k = 0; k < f->shares; k++) {
    slope[k] = f->scale[i] * f->share[(long)k * f->held + i];
    sum += f->share[(long)k * f->held + i] * x->y[k];
  }
  return f->scale[i] * sum;
}

static void add_square(sharing *x, double factor, const double *v) {
  const int n = x->f->shares;
  for (int k = 0; k < n; k++) vectors_axpy(n, factor * v[k], v, x->H + (long)k * n);
}

// -log of a force, whose slope is given, or with the sign -1 of what is left of it.
static bool add_force(sharing *x, double force, double sign, const double *slope) {
  if (!(force > 0)) return false;
  vectors_axpy(x->f->shares, -sign / force, slope, x->gradient);
  add_square(x, 1 / (force * force), slope);
  return true;
}

// With a = μ N and D = a² - |T|²:  ∇φ = -2 g/D,  g = a ∇a - Σ T ∇T,  and  ∇²φ = 4 g gᵀ/D² - 2 (∇a ∇aᵀ - Σ ∇T ∇Tᵀ)/D.
static bool add_cone(sharing *x, const event_cone *c) {
  const int n = x->f->shares;
  double slope[3][EVENT_SHARES], g[EVENT_SHARES] = {0};
  const double N = force_of(x, c->at, slope[0]);
  if (!add_force(x, x->furthest - N, -1, slope[0])) return false;
  if (!c->sticks) return add_force(x, N + c->shift, 1, slope[0]);
  const double a = c->mu * (N + c->shift), T[2] = {force_of(x, c->at + 1, slope[1]), force_of(x, c->at + 2, slope[2])};
  const double size = hypot(T[0], T[1]), D = (a - size) * (a + size);
  if (!(a > size)) return false;
  vectors_axpy(n, a * c->mu, slope[0], g);
  for (int k = 0; k < 2; k++) vectors_axpy(n, -T[k], slope[1 + k], g);
  vectors_axpy(n, -2 / D, g, x->gradient);
  add_square(x, 4 / (D * D), g);
  add_square(x, -2 * c->mu * c->mu / D, slope[0]);
  for (int k = 0; k < 2; k++) add_square(x, 2 / D, slope[1 + k]);
  return true;
}

// Gradient and second derivatives of φ. Returns false if y is not inside.
static bool evaluate(sharing *x, const event_cone *cones) {
  const int n = x->f->shares;
  memset(x->gradient, 0, sizeof x->gradient);
  memset(x->H, 0, (size_t)n * (size_t)n * sizeof *x->H);
  for (int i = 0; i < x->count; i++)
    if (!add_cone(x, &cones[i])) return false;
  return true;
}

// From a y that is inside to the middle. Returns false if y is not inside, or the middle is not found.
static bool go_to_middle(sharing *x, const event_cone *cones) {
  enum { TURNS = 100 };
  static const double NEAR = 1e-3;
  const int n = x->f->shares;
  int pivot[EVENT_SHARES];
  for (int turn = 0; turn < TURNS; turn++) {
    double step[EVENT_SHARES];
    if (!evaluate(x, cones)) return false;
    memcpy(step, x->gradient, sizeof step);
    if (!(lu_factor(n, x->H, n, pivot, NULL) > 0)) return false;
    lu_solve(n, x->H, n, pivot, step);
    const double decrement = sqrt(fmax(0, vectors_dot(n, step, x->gradient)));
    vectors_axpy(n, decrement > 0.25 ? -1 / (1 + decrement) : -1, step, x->y);
    if (decrement < NEAR) return evaluate(x, cones);
  }
  return false;
}

// Where the points that take part have their rows, with shifts that leave the present forces inside.
static bool list_cones(sharing *x, event_cone *cones) {
  static const double WIDE = 0.02, LEAST = 1e-4, NONE = 1e-7;
  const event *s = x->s;
  const event_factor *f = x->f;
  double most = 0;
  for
    EACH_PART(k, s) most = fmax(most, event_part(s, k)->force[0]);
  x->furthest = 10 * most;
  for (int i = 0, k = 0; k < s->part_count; k++) {
    const event_point *c = event_part(s, k);
    event_cone *to = &cones[x->count++];
    if (i >= f->held || f->row[i] != c->row || c->guided) return false;
    *to = (event_cone){.at = i, .sticks = c->mode == MODE_STICK, .mu = c->friction, .fixed = c->idles};
    if (to->sticks && (c->rows != 3 || !(c->friction > 0))) return false;
    const double drag = to->sticks ? hypot(c->force[1], c->force[2]) / c->friction : 0;
    to->shift = c->idles ? NONE * most + fmax(0, drag - c->force[0])
                         : fmax(0, drag - c->force[0]) + WIDE * fmax(c->force[0], LEAST * most);
    i += to->sticks ? 3 : 1;
  }
  return true;
}

static void keep_share(const sharing *x, const event_cone *cones) {
  double ignored[EVENT_SHARES];
  for (int k = 0; k < x->count; k++) {
    event_point *c = event_part(x->s, k);
    for (int i = 0; i < (cones[k].sticks ? 3 : 1) && !c->idles; i++)
      c->share[i] = force_of(x, cones[k].at + i, ignored);
  }
}

// The shifts become less as far as the middle is inside of what is left.
static bool find_middle(sharing *x, event_cone *cones) {
  enum { TURNS = 5 };
  bool inside = go_to_middle(x, cones);
  for (int turn = 0; inside && turn < TURNS; turn++) {
    for (int i = 0; i < x->count; i++)
      if (!cones[i].fixed) cones[i].shift *= turn + 1 < TURNS ? 0.2 : 0;
    inside = go_to_middle(x, cones);
  }
  return inside;
}

event_sharing event_share_anew(event *s) {
  sharing x = {.s = s, .f = &s->factor[2]};
  event_set(s, s->w.t, s->w.y);
  event_take_closed(s);
  s->looks = true;
  const bool accelerates = event_accelerate(s);
  s->looks = false;
  event_sharing found = SHARING_UNKNOWN;
  if (accelerates && x.f->n > 0 && x.f->shares > 0 && list_cones(&x, s->cones)) {
    found = find_middle(&x, s->cones) ? SHARING_FOUND : SHARING_NONE;
    if (found == SHARING_FOUND) keep_share(&x, s->cones);
  }
  rows_clear(s->w.m, s->w.x);
  return found;
}
