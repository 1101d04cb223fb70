// What changes from one value of a bifurcation diagram to the next: found by halving the step between them, and named
// by the multiplier of the orbit that ends there, and by what happens to its impacts.
#include <math.h>

#include "study/bifurcation.h"

const char *const change_words[] = {"fold", "flip", "torus", "grazing", "rest", "crisis", "other"};

// Infinite sequences of impacts have no number of them.
static bool same_impacts(const orbit *a, const orbit *b) {
  return a->rests == b->rests && (a->rests || fabs(a->impacts - b->impacts) < 1e-6);
}

static bool is_like(const orbit *a, const orbit *b) { return a->period == b->period && same_impacts(a, b); }

// Points of a branch move with the value. A movement of more than a tenth of the amplitude may be a jump.
static const double JUMP = 0.1;

static bool differs(const attempt *a, const attempt *b) {
  if (!a->orbit.period && !b->orbit.period) return false;
  return !is_like(&a->orbit, &b->orbit) || orbit_distance(&b->orbit, &a->orbit) > JUMP;
}

// --- its name --------------------------------------------------------------------------------------------------------

// `last` is the last orbit of the branch that ends, `next` the one that follows it. A branch whose period halves ends
// at a multiplier of 1, as at a fold; but there its points meet in pairs.
static change_kind name_change(const attempt *last, const attempt *next) {
  const orbit *a = &last->orbit, *b = &next->orbit;
  const double size = a->has_multiplier ? a->multiplier.size : 0, near = 0.3;
  const bool doubles = b->period && (a->period == 2 * b->period || b->period == 2 * a->period);
  const bool critical = size > 0.8 && size < 1.25;
  if (doubles && same_impacts(a, b) && orbit_distance(b, a) <= near) return CHANGE_FLIP;
  if (critical && fabs(a->multiplier.imaginary) > 0.1 * size) return CHANGE_TORUS;
  if (critical) return a->multiplier.real < 0 || orbit_split(a) <= near ? CHANGE_FLIP : CHANGE_FOLD;
  if (b->period && a->rests != b->rests) return CHANGE_REST;
  if (!same_impacts(a, b)) return CHANGE_GRAZING;
  return CHANGE_OTHER;
}

static void write_change(bifurcation *b, int direction, change_kind kind, const attempt *last, const attempt *next,
                         bool turned) {
  const attempt *first = turned ? next : last, *second = turned ? last : next;
  const double row[] = {(double)direction,
                        (double)kind + 1,
                        first->value,
                        second->value,
                        (first->value + second->value) / 2,
                        first->orbit.period,
                        second->orbit.period,
                        last->orbit.multiplier.real,
                        last->orbit.multiplier.imaginary,
                        first->orbit.impacts,
                        second->orbit.impacts};
  study_table_add(b, TABLE_CHANGES, row);
  b->changes++;
}

// --- its place -------------------------------------------------------------------------------------------------------

// Whether the change lies before the middle: the orbit is of another kind there, or if both sides are of one kind, it
// has moved further from the first side than the other side has from it.
static bool is_before(const attempt *last, const attempt *middle, const attempt *next) {
  if (!is_like(&last->orbit, &next->orbit)) return !is_like(&last->orbit, &middle->orbit);
  return orbit_distance(&middle->orbit, &last->orbit) > orbit_distance(&next->orbit, &middle->orbit);
}

// From the branch that ends towards the value behind it. `last` and `next` become those on both sides of the change.
static void halve(bifurcation *b, attempt **last, attempt **next, const attempt *keep[2]) {
  for (int i = 0; i < b->halvings && !b->stop; i++) {
    attempt *middle = attempt_run(b, ((*last)->value + (*next)->value) / 2, *last);
    if (middle->status != CAROM_OK) {
      attempt_free(b, middle);
      return;
    }
    attempt **moved = is_before(*last, middle, *next) ? next : last;
    if (*moved != keep[0] && *moved != keep[1]) attempt_free(b, *moved);
    *moved = middle;
  }
}

// Where the same kind of orbit is on both sides, the points must jump: a movement that shrinks with the step is none.
static bool is_change(const attempt *last, const attempt *next, double moved) {
  return !is_like(&last->orbit, &next->orbit) || orbit_distance(&next->orbit, &last->orbit) > 0.5 * moved;
}

static void write_ends(bifurcation *b, int direction, attempt *last, const attempt *next, bool turned) {
  if (!last->orbit.has_multiplier)
    last->status = orbit_find_multiplier(&last->memory, last->sim, &b->rule, &last->orbit, &last->error);
  write_change(b, direction, name_change(last, next), last, next, turned);
}

// A branch without a period has no multipliers: the other one, which begins here, is followed backwards. If that goes
// on to where the first branch still was, nothing happens to it: the first has ended by itself, somewhere in the step.
void change_look(bifurcation *b, int direction, attempt *first, attempt *second) {
  if (first->status != CAROM_OK || second->status != CAROM_OK || !differs(first, second)) return;
  const bool turned = !first->orbit.period;
  const attempt *keep[2] = {first, second};
  const double moved = orbit_distance(&second->orbit, &first->orbit);
  attempt *last = turned ? second : first, *next = turned ? first : second;
  halve(b, &last, &next, keep);
  if (!b->stop && turned && b->halvings && next == first)
    write_change(b, direction, CHANGE_CRISIS, second, first, true);
  else if (!b->stop && is_change(last, next, moved)) write_ends(b, direction, last, next, turned);
  if (last != keep[0] && last != keep[1]) attempt_free(b, last);
  if (next != keep[0] && next != keep[1]) attempt_free(b, next);
}
