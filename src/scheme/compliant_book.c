// What the ledger shows of a pressed point beside what the watcher books: where it was met, its deepest penetration, its peak force.
#include "scheme/compliant_internal.h"

// Where a step may enter unseen, its ends decide: between them, across the kink in the force, dense output can oscillate.
bool compliant_touches(const watcher *w, int p) {
  const compliant *s = (const compliant *)w;
  if (s->point[p].now->mode != TOUCH_OPEN) return true;
  return !entry_is_gated(s) && (w->look[LOOK_START][p].gap < 0 || w->look[LOOK_END][p].gap < 0);
}

// What its episode has seen before this step, if it is not the first one of it.
static impact seen_before(const watcher *w, int p) { return w->impacts->is_open[p] ? w->impacts->open[p] : (impact){0}; }

// Where a parabola through the three looks has its top inside the step, the force there.
static double peak_of(watcher *w, int p, double most) {
  double a = w->look[LOOK_START][p].normal, m = w->look[LOOK_MIDDLE][p].normal, b = w->look[LOOK_END][p].normal;
  double bend = a - 2 * m + b, slope = b - a, from = w->at[LOOK_START], to = w->at[LOOK_END];
  if (!(bend < 0) || fabs(slope) >= -2 * bend || most < seen_before(w, p).peak_force) return most;
  double top = 0.5 * (from + to) - 0.25 * (to - from) * slope / bend;
  return watcher_see_at(w, top) ? fmax(most, w->seen[p].normal) : most;
}

// Where Hermite's cubic through two looks has its least: with d = Δgap/h - (r_a + r_b)/2 the rate at the share s is
// (1 - s) r_a + s r_b + 6 s (1 - s) d. Wrong by the third power of the step, the depth there by the sixth. `least` is the cubic there.
static double least_between(const watch_span *f, double *least) {
  const watch_look *a = f->a, *b = f->b;
  double h = f->to - f->from, d = (b->gap - a->gap) / h - 0.5 * (a->rate + b->rate), linear = b->rate - a->rate + 6 * d;
  double s = 2 * -a->rate / (linear + sqrt(linear * linear + 24 * d * a->rate));  // of the two, the one where the rate rises
  *least = a->gap + h * s * (a->rate + s * (0.5 * (b->rate - a->rate) + (3 - 2 * s) * d));
  return f->from + h * s;
}

// Only where the cubic comes near to what was the deepest before: surfaces at rest turn all the time.
static double deepest_of(watcher *w, int p, double deepest) {
  static const double NEAR = 0.99;
  if (!(w->look[LOOK_START][p].rate < 0 && w->look[LOOK_END][p].rate >= 0)) return deepest;
  watch_span half = watcher_span(w, p, w->look[LOOK_MIDDLE][p].rate >= 0 ? LOOK_START : LOOK_MIDDLE);
  double least, t = least_between(&half, &least);
  if (!(t >= half.from && t <= half.to) || -least < NEAR * seen_before(w, p).deepest) return deepest;
  return watcher_see_at(w, t) ? fmax(deepest, -w->seen[p].gap) : deepest;
}

// A step that goes in from outside, with no care taken of the instant: where a straight line would have met the surface.
static double begin_of(const watch_look *a, const watch_look *b, double from, double to) {
  return b->gap < 0 ? from + (to - from) * a->gap / (a->gap - b->gap) : from;
}

void compliant_describe(watcher *w, int p, impact_step *step) {
  const compliant *s = (const compliant *)w;
  const watch_look *a = &w->look[LOOK_START][p], *b = &w->look[LOOK_END][p];
  bool entering = !w->impacts->is_open[p], unseen = entering && s->point[p].now->mode == TOUCH_OPEN && a->gap > 0;
  if (unseen) step->t_start = begin_of(a, b, step->t_start, step->t_end), step->gap = b->gap;
  step->given = w->steps == 0 && a->gap < 0;  // and not met by a step
  step->bound = s->options.penetration_max;
  if (entering && !step->given && -step->gap > step->bound) w->trouble.too_deep++;
  w->trouble.curvature += b->beyond;
  step->deepest = deepest_of(w, p, step->deepest);
  step->peak_force = peak_of(w, p, step->peak_force);
}
