// What was looked at in a step goes into the ledger of impacts.
#include <math.h>

#include "scheme/watcher.h"

// Simpson's rule on the looks: the weight of each, and what the sum is multiplied by.
static double simpson_weight(const watcher *w, int k) { return k == 0 || k == w->type->looks - 1 ? 1 : k % 2 ? 4 : 2; }
static double simpson_factor(const watcher *w) {
  int last = w->type->looks - 1;
  return (w->at[last] - w->at[0]) / (3 * last);
}

static double lost_of(const watcher *w, int p, int way) {
  double sum = 0;
  for (int k = 0; k < w->type->looks; k++) sum += simpson_weight(w, k) * w->look[k][p].loss[way];
  return simpson_factor(w) * sum;
}

// Impulses, the deepest penetration and the largest force, as far as the looks show them.
static void sum_looks(const watcher *w, int p, impact_step *step) {
  double normal = 0, tangential = 0;
  for (int k = 0; k < w->type->looks; k++) {
    const watch_look *at = &w->look[k][p];
    double weight = simpson_weight(w, k);
    normal += weight * at->normal, tangential += weight * watch_length(at->drag);
    if (-at->gap > step->deepest) step->deepest = -at->gap;
    if (at->normal > step->peak_force) step->peak_force = at->normal;
  }
  step->impulse_normal = simpson_factor(w) * normal, step->impulse_tangential = simpson_factor(w) * tangential;
}

// --- between the looks -----------------------------------------------------------------------------------------------

// What the row of this point has seen before this step; nothing if the step begins it.
static impact seen_before(const watcher *w, int p) {
  return w->impacts->is_open[p] ? w->impacts->open[p] : (impact){0};
}

// Where a parabola through the first, the middle and the last look has its top inside the step, the force there.
static double peak_of(watcher *w, int p, double most) {
  int last = w->type->looks - 1;
  double a = w->look[0][p].normal, m = w->look[last / 2][p].normal, b = w->look[last][p].normal;
  double bend = a - 2 * m + b, slope = b - a, from = w->at[0], to = w->at[last];
  if (!(bend < 0) || fabs(slope) >= -2 * bend || most < seen_before(w, p).peak_force) return most;
  double top = 0.5 * (from + to) - 0.25 * (to - from) * slope / bend;
  return watcher_see_at(w, top) ? fmax(most, w->seen[p].normal) : most;
}

// Where Hermite's cubic through two looks has its least: with d = Δgap/h - (r_a + r_b)/2 the rate at the share s is
// (1 - s) r_a + s r_b + 6 s (1 - s) d. Wrong by the third power of the step, the depth there by the sixth. `least` is
// the cubic there.
static double least_between(const watch_span *f, double *least) {
  const watch_look *a = f->a, *b = f->b;
  double h = f->to - f->from, d = (b->gap - a->gap) / h - 0.5 * (a->rate + b->rate), linear = b->rate - a->rate + 6 * d;
  double s =
      2 * -a->rate / (linear + sqrt(linear * linear + 24 * d * a->rate));  // of the two, the one where the rate rises
  *least = a->gap + h * s * (a->rate + s * (0.5 * (b->rate - a->rate) + (3 - 2 * s) * d));
  return f->from + h * s;
}

// Only where the cubic comes near to what was the deepest before: surfaces at rest turn all the time.
static double deepest_of(watcher *w, int p, double deepest) {
  static const double NEAR = 0.99;
  int last = w->type->looks - 1, k = 0;
  if (!(w->look[0][p].rate < 0 && w->look[last][p].rate >= 0)) return deepest;
  while (w->look[k + 1][p].rate < 0) k++;
  watch_span turn = watcher_span(w, p, k);
  double least, t = least_between(&turn, &least);
  if (!(t >= turn.from && t <= turn.to) || -least < NEAR * seen_before(w, p).deepest) return deepest;
  return watcher_see_at(w, t) ? fmax(deepest, -w->seen[p].gap) : deepest;
}

// --- a step ----------------------------------------------------------------------------------------------------------

static void book_entry(watcher *w, int p, const double loss[2]) {
  int last = w->type->looks - 1;
  const watch_look *a = &w->look[0][p], *middle = &w->look[last / 2][p], *b = &w->look[last][p];
  if (!w->entry[p].e) {
    w->impacts->loss_tangential += loss[1];
    return;
  }
  impact_step step = {.t_start = w->at[0],
                      .t_end = w->at[last],
                      .gap = a->gap,
                      .speed_before = a->rate,
                      .speed_after = b->rate,
                      .loss_normal = loss[0],
                      .loss_tangential = loss[1],
                      .restitution = w->entry[p].e->material.restitution,
                      .slip = watch_length(middle->slip),
                      .still = w->entry[p].still};
  sum_looks(w, p, &step);
  if (w->type->describe) w->type->describe(w, p, &step);
  if (w->type->penetrates)
    step.deepest = deepest_of(w, p, step.deepest), step.peak_force = peak_of(w, p, step.peak_force);
  impact_touch(w->impacts, p, &step);
}

// Losses are those of the integrated accounts, shared among the points as the looks share them. Where the looks see
// none, as in a touch shorter than they are apart, all that touch share alike. Nothing is shared of nothing.
void watcher_book(watcher *w, const double lost[2]) {
  int count = 0;
  double sum[2] = {0, 0};
  for
    EACH_ENTRY(p, w) {
      if (!w->type->touches(w, p)) continue;
      count++;
      for (int way = 0; way < 2; way++) sum[way] += lost[way] != 0 ? lost_of(w, p, way) : 0;
    }
  for
    EACH_ENTRY(p, w) {
      if (!count || !w->type->touches(w, p)) continue;
      double loss[2];
      for (int way = 0; way < 2; way++)
        loss[way] = sum[way] != 0 ? lost[way] * lost_of(w, p, way) / sum[way] : lost[way] / count;
      book_entry(w, p, loss);
    }
}
