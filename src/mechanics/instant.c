#include "mechanics/instant.h"

#include <stdio.h>

#include "mechanics/control.h"
#include "mechanics/function.h"

static void look_at(const function *f, double t, double *next) {
  if (f->e) *next = fmin(*next, expr_next_kink(f->e, t, NULL));
}

double instant_next(const mechanism *m, double t) {
  double next = INFINITY;
  for (int i = 0; i < m->drive_count; i++) look_at(&m->drives[i].f, t, &next);
  for (int i = 0; i < m->constraint_count; i++) look_at(&m->constraints[i].f, t, &next);
  for (int i = 0; i < m->force_count; i++)
    for (int k = 0; k < 3; k++) look_at(&m->forces[i].f[k], t, &next);
  for (int i = 0; i < m->computed_count; i++) look_at(&m->computed[i].f, t, &next);
  for (int i = 0; i < m->state_count; i++) look_at(&m->states[i].rate, t, &next);
  return fmin(next, control_next_instant(m, t));
}

// --- motions that jump -----------------------------------------------------------------------------------------------

int driven_count(const mechanism *m) { return m->drive_count + m->constraint_count; }

driven driven_get(const mechanism *m, int i) {
  if (i < m->drive_count) return (driven){"drive", m->drives[i].name, &m->drives[i].f};
  const constraint *c = &m->constraints[i - m->drive_count];
  return (driven){"constraint", c->name, &c->f};
}

bool driven_is_opaque(driven of, double t) {
  bool opaque = of.f->call != NULL;
  if (of.f->e) (void)expr_next_kink(of.f->e, t, &opaque);
  return opaque;
}

// Of two numbers that agree but for rounding: of a spline its slope at a point, from both sides.
static bool differ(double a, double b) { return fabs(a - b) > 1e-9 * (1 + fabs(a) + fabs(b)); }

static bool jumps_between(driven of, double from, double to, motion_jump *found) {
  jet a = function_jet(of.f, from), b = function_jet(of.f, to);
  *found = (motion_jump){of, 0.5 * (from + to), {a.v, a.d}, {b.v, b.d}};
  return differ(a.v, b.v) || differ(a.d, b.d);
}

bool driven_jumps_at(driven of, double t, motion_jump *found) {
  bool jumps = jumps_between(of, t - instant_rounding(t), t + instant_rounding(t), found);
  found->t = t;
  return jumps;
}

// How far a rate is from the integral of its derivative, by Simpson's rule, and a value from that of the rate.
static double unexplained(jet a, jet middle, jet b, double h) {
  double rate = b.d - a.d - h / 6 * (a.dd + 4 * middle.dd + b.dd),
         value = b.v - a.v - h / 6 * (a.d + 4 * middle.d + b.d);
  return fmax(fabs(rate), fabs(value) / h);
}

// The half that explains less, again and again: what is left of a smooth function is rounding.
bool driven_jumps_within(driven of, double from, double to, motion_jump *found) {
  enum { HALVINGS = 80 };
  double least = 4 * instant_rounding(fmax(fabs(from), fabs(to)));
  jet a = function_jet(of.f, from), b = function_jet(of.f, to);
  for (int i = 0; i < HALVINGS && to - from > least; i++) {
    double t = 0.5 * (from + to), h = 0.5 * (to - from);
    jet middle = function_jet(of.f, t);
    if (unexplained(a, middle, b, 2 * h) <= 1e-9 * (1 + fabs(a.d) + fabs(b.d))) return false;
    jet left = function_jet(of.f, from + 0.5 * h), right = function_jet(of.f, t + 0.5 * h);
    bool first = unexplained(a, left, middle, h) > unexplained(middle, right, b, h);
    if (first) to = t, b = middle;
    else from = t, a = middle;
  }
  return jumps_between(of, from, to, found);
}

const char *const motion_jump_hint =
    "round it off with blend(t, t0, t1), or use a table of type monotone or clamped (section tables)";

void motion_jump_explain(const motion_jump *jump, const char *method, char *text, int size) {
  bool position = differ(jump->before[0], jump->after[0]);
  const double *from = position ? jump->before : jump->before + 1, *to = position ? jump->after : jump->after + 1;
  snprintf(text, (size_t)size,
           "%s '%s' jumps in %s at t = %.10g s, from %.6g to %.6g%s, and no finite force can follow under method %s",
           jump->of.what, jump->of.name, position ? "position" : "speed", jump->t, *from, *to,
           position ? "" : " per second", method);
}
