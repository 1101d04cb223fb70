// What the ledger shows of a pressed point beside what the watcher books: where it was met.
#include "scheme/compliant_internal.h"

// Where a step may enter unseen, its ends decide: between them, across the kink in the force, dense output can
// oscillate.
bool compliant_touches(const watcher *w, int p) {
  const compliant *s = (const compliant *)w;
  if (s->point[p].now->mode != TOUCH_OPEN) return true;
  return !entry_is_gated(s) && (w->look[LOOK_START][p].gap < 0 || w->look[LOOK_END][p].gap < 0);
}

// A step that goes in from outside, with no care taken of the instant: where a straight line would have met the
// surface.
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
  step->creep_least = s->point[p].creep_least;
  if (entering && !step->given && -step->gap > step->bound) w->trouble.too_deep++;
  w->trouble.curvature += b->beyond;
}
