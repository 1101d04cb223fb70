// Episodes of contact into the ledger: impulses and losses by Simpson's rule on three looks at each step, the deepest
// penetration and the peak of the force where they are.
#include <math.h>

#include "scheme/compliant_internal.h"

static double simpson(double h, double a, double m, double b) { return h / 6 * (a + 4 * m + b); }

// Where a step may enter unseen, its ends decide: between them, across the kink in the force, dense output can waver.
static bool touches(const compliant *s, int p) {
  if (s->point[p].now.mode != TOUCH_OPEN) return true;
  return !entry_is_gated(s) && (s->look[LOOK_START][p].gap < 0 || s->look[LOOK_END][p].gap < 0);
}

static double loss_of(const compliant *s, int p, int way, double h) {
  return simpson(h, s->look[LOOK_START][p].loss[way], s->look[LOOK_MIDDLE][p].loss[way], s->look[LOOK_END][p].loss[way]);
}

// A point's share of what all lost together. Where the looks see none of it, as in a touch shorter than they are apart, all
// that touch share alike.
static double share(const compliant *s, int p, int way, double h, double lost, double sum, int count) {
  if (sum != 0) return lost * loss_of(s, p, way, h) / sum;
  return lost / count;
}

static double length_of(const double v[2]) { return v[0] != 0 || v[1] != 0 ? hypot(v[0], v[1]) : 0; }

// The largest force seen, and where a parabola through the three looks has its top inside the step, the force there.
static double peak_of(compliant *s, int p, double from, double to) {
  double a = s->look[LOOK_START][p].normal, m = s->look[LOOK_MIDDLE][p].normal, b = s->look[LOOK_END][p].normal;
  double most = fmax(a, fmax(m, b)), bend = a - 2 * m + b, slope = b - a;
  if (!(bend < 0) || fabs(slope) >= -2 * bend || most < s->impacts->open[p].peak_force) return most;
  double top = 0.5 * (from + to) - 0.25 * (to - from) * slope / bend;
  return compliant_see_at(s, top) ? fmax(most, s->seen[p].normal) : most;
}

static double deepest_of(compliant *s, int p, double from, double to) {
  double deepest = 0;
  for (int k = 0; k < LOOK_COUNT; k++) deepest = fmax(deepest, -s->look[k][p].gap);
  double t = compliant_deepest(s, p, from, to);
  return !isnan(t) && compliant_see_at(s, t) ? fmax(deepest, -s->seen[p].gap) : deepest;
}

// A step that goes in from outside, with no care taken of the instant: where a straight line would have met the surface.
static double begin_of(const touch_look *a, const touch_look *b, double from, double to) {
  return b->gap < 0 ? from + (to - from) * a->gap / (a->gap - b->gap) : from;
}

static void book_point(compliant *s, int p, double from, double to, const double loss[2]) {
  const touch_point *c = &s->point[p];
  const touch_look *a = &s->look[LOOK_START][p], *m = &s->look[LOOK_MIDDLE][p], *b = &s->look[LOOK_END][p];
  bool entering = !s->impacts->is_open[p], unseen = entering && c->now.mode == TOUCH_OPEN && a->gap > 0;
  double h = to - from, first = unseen ? b->gap : a->gap;
  bool from_the_start = s->steps_before + s->steps == 0 && a->gap < 0;  // given so, and not met by a step
  if (entering && !from_the_start && -first > s->settings.penetration_max) s->trouble.too_deep++;
  impact_touch(s->impacts, p, &(impact_step){
      .t_start = unseen ? begin_of(a, b, from, to) : from, .t_end = to, .gap = first, .deepest = deepest_of(s, p, from, to),
      .given = from_the_start, .bound = s->settings.penetration_max, .peak_force = peak_of(s, p, from, to), .speed_before = a->rate,
      .speed_after = b->rate, .impulse_normal = simpson(h, a->normal, m->normal, b->normal),
      .impulse_tangential = simpson(h, length_of(a->drag), length_of(m->drag), length_of(b->drag)),
      .loss_normal = loss[0],
      .loss_tangential = loss[1], .restitution = c->e->material.restitution,
      .sticks = length_of(m->slip) < c->slow});
}

void compliant_book(compliant *s, double from, double to, const double lost[2]) {
  int count = 0;
  double sum[2] = {0, 0}, h = to - from;
  for (int p = 0; p < s->contacts->point_count; p++) {
    if (!touches(s, p)) continue;
    count++;
    for (int way = 0; way < 2; way++) sum[way] += loss_of(s, p, way, h);
  }
  for (int p = 0; count && p < s->contacts->point_count; p++) {
    if (!touches(s, p)) continue;
    double loss[2];
    for (int way = 0; way < 2; way++) loss[way] = share(s, p, way, h, lost[way], sum[way], count);
    book_point(s, p, from, to, loss);
  }
}
