// What changes from one value of a bifurcation diagram to the next. The branch that ends is followed by steps that are
// halved where they lose it. The change is named by how the multipliers of its last two orbits move, and by what
// happens to its impacts.
#include <math.h>

#include "study/bifurcation.h"

const char *const change_words[] = {"fold", "flip", "torus", "grazing", "rest", "crisis", "jump", "other"};

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

// --- its place -------------------------------------------------------------------------------------------------------

// A change between two values. Attempts belong to it, but for those of the diagram.
typedef struct bracket {
  bifurcation *b;
  attempt *first, *second;  // of the diagram
  bool turned;              // the branch is followed from the second to the first, which has no period
  attempt *before, *last;   // two orbits of the branch; the first of them may be null
  attempt *next;            // what follows it
  bool reached;             // the branch still exists where the step of the diagram has left it
} bracket;

static void drop(const bracket *w, attempt *a) {
  if (a != w->first && a != w->second) attempt_free(w->b, a);
}

// Whether the branch has been lost: the orbit is of another kind, or if what follows is of one kind with the branch, it
// is nearer to that.
static bool is_lost(const bracket *w, const attempt *a) {
  const orbit *last = &w->last->orbit, *next = &w->next->orbit, *o = &a->orbit;
  if (!is_like(last, next)) return !is_like(last, o);
  return !is_like(last, o) || orbit_distance(o, last) > orbit_distance(next, o);
}

// Points that do not repeat yet may only pass by where an orbit has been: then a multiplier is 1 or more.
static attempt *go_on_to(const bracket *w, double value) {
  attempt *a = attempt_run(w->b, value, w->last);
  if (a->status == CAROM_OK && a->orbit.period && !a->orbit.repeats) attempt_find_multiplier(w->b, a);
  return a;
}

// A step disturbs the motion, and a shorter one may keep it on a branch where a longer one does not.
static void follow(bracket *w) {
  enum { RUNS_PER_HALVING = 4 };
  attempt *const far = w->next;
  double step = (far->value - w->last->value) / 2;
  const double least = fabs(step) * pow(0.5, w->b->halvings - 0.5);
  for (int i = 0; i < RUNS_PER_HALVING * w->b->halvings && fabs(step) > least && !w->b->stop && !w->reached; i++) {
    const double rest = far->value - w->last->value, value = rest / step < 1.5 ? far->value : w->last->value + step;
    attempt *a = go_on_to(w, value);
    if (a->status != CAROM_OK) {
      attempt_free(w->b, a);
      return;
    }
    if (is_lost(w, a)) {
      drop(w, w->next);
      w->next = a, step = (value - w->last->value) / 2;
    } else {
      drop(w, w->before);
      w->before = w->last, w->last = a, w->reached = value == far->value;
      if ((w->next->value - value) * step <= 0) drop(w, w->next), w->next = far;  // a shorter step has passed the loss
    }
  }
}

// Where the same kind of orbit is on both sides, the points must jump. Along a branch they move with the step, and
// close to its end with the root of the step; what they have moved at least must be twice as much.
static bool is_change(const bracket *w, double moved) {
  if (w->reached && !w->next->orbit.period)  // it may only not have settled yet
    return orbit_distance(&w->next->orbit, &w->last->orbit) > JUMP;
  if (!is_like(&w->last->orbit, &w->next->orbit)) return true;
  const double part = (w->next->value - w->last->value) / (w->second->value - w->first->value),
               least = w->reached ? 0.5 : fmin(0.5, 2 * sqrt(fabs(part)));
  return orbit_distance(&w->next->orbit, &w->last->orbit) > least * moved;
}

// --- its name --------------------------------------------------------------------------------------------------------

// Two orbits of the branch with their multipliers. If no shorter step has kept the branch, one is run on its near side.
static void find_multipliers(bracket *w) {
  if (!w->before) {
    w->before = go_on_to(w, 2 * w->last->value - w->next->value);
    if (w->before->status != CAROM_OK || is_lost(w, w->before)) drop(w, w->before), w->before = NULL;
  }
  attempt_find_multiplier(w->b, w->last);
  if (w->before) attempt_find_multiplier(w->b, w->before);
}

// What becomes zero at a change falls along the branch. How much further it must go, in parts of the way between last
// and next; infinite if it does not come nearer.
static double way_to_zero(const bracket *w, double before, double last) {
  const double way = (w->last->value - w->before->value) / (w->next->value - w->last->value);
  return isfinite(before) && before > last ? way * last / (before - last) : INFINITY;
}

// Whether disturbances of the branch decay so slowly that no orbit beside the change could settle.
static bool is_slow(const bracket *w) {
  return pow(w->last->orbit.multiplier.size, (double)w->b->rule.cut / w->last->orbit.period) > 1e-3;
}

// Near a fold, 1 - μ is the root of the distance from it; so is the speed of an impact near grazing. Near a flip and a
// torus, 1 + μ and 1 - |μ|² are proportional to it. The trend must lead to zero where the branch was lost, with room
// for its curvature; where orbits do not settle they were lost before, but within the step of the diagram.
static change_kind name_by_trend(const bracket *w) {
  if (!w->before || !w->before->orbit.has_multiplier || !w->last->orbit.has_multiplier) return CHANGE_OTHER;
  const orbit *a = &w->before->orbit, *b = &w->last->orbit;
  const double near = 4, step = (w->second->value - w->first->value) / (w->next->value - w->last->value),
               within = is_slow(w) ? fmax(near, fabs(step)) : near;
  if (b->impacts > w->next->orbit.impacts && way_to_zero(w, a->slowest * a->slowest, b->slowest * b->slowest) <= near)
    return CHANGE_GRAZING;
  const double fold = way_to_zero(w, a->margin.fold * a->margin.fold, b->margin.fold * b->margin.fold),
               flip = way_to_zero(w, a->margin.flip, b->margin.flip),
               torus = way_to_zero(w, a->margin.torus, b->margin.torus), least = fmin(fold, fmin(flip, torus));
  if (!(least <= within)) return CHANGE_OTHER;
  return least == flip ? CHANGE_FLIP : least == torus ? CHANGE_TORUS : CHANGE_FOLD;
}

// The period doubles or halves, and the points stay where they were.
static bool doubles(const orbit *a, const orbit *b) {
  const bool twice = b->period && (a->period == 2 * b->period || b->period == 2 * a->period);
  return twice && same_impacts(a, b) && orbit_distance(b, a) <= 0.3 && fabs(a->multiplier.real) > 0.5;
}

// A branch whose period halves ends at a multiplier of 1, as at a fold; but there its points meet in pairs.
static change_kind name_change(const bracket *w) {
  const orbit *a = &w->last->orbit, *b = &w->next->orbit;
  const change_kind by_trend = name_by_trend(w);
  if (by_trend != CHANGE_TORUS && doubles(a, b)) return CHANGE_FLIP;
  if (by_trend == CHANGE_FOLD && orbit_split(a) <= 0.3) return CHANGE_FLIP;
  if (by_trend != CHANGE_OTHER) return by_trend;
  if (a->rests != b->rests && (a->rests || b->period)) return CHANGE_REST;
  if (!same_impacts(a, b)) return CHANGE_GRAZING;
  return CHANGE_OTHER;
}

// --- in the diagram --------------------------------------------------------------------------------------------------

// Close to a change a motion may not have settled. Then the value of the diagram on its side has the period.
static int period_of(const attempt *near, const attempt *far) {
  return near->orbit.period ? near->orbit.period : far->orbit.period;
}

// `branch` is what is followed, of `first` and `second`.
static void write_change(const bracket *w, int direction, change_kind kind, const attempt *first, const attempt *second,
                         const attempt *branch) {
  const double row[] = {(double)direction,
                        (double)kind + 1,
                        first->value,
                        second->value,
                        (first->value + second->value) / 2,
                        period_of(first, w->first),
                        period_of(second, w->second),
                        branch->orbit.multiplier.real,
                        branch->orbit.multiplier.imaginary,
                        first->orbit.impacts,
                        second->orbit.impacts};
  study_table_add(w->b, TABLE_CHANGES, row);
  w->b->changes++;
}

// A branch that is reached behind the step does not end. If it is what the step has led to, nothing changes; if it has
// been followed backwards, the other one has ended by itself, somewhere in the step; else the step has thrown the
// motion off it.
static void write_bracket(bracket *w, int direction, double moved) {
  if (!is_change(w, moved)) return;
  if (w->reached) {
    write_change(w, direction, w->turned ? CHANGE_CRISIS : CHANGE_JUMP, w->first, w->second,
                 w->turned ? w->second : w->first);
  } else {
    find_multipliers(w);
    const attempt *from = w->turned ? w->next : w->last, *to = w->turned ? w->last : w->next;
    write_change(w, direction, name_change(w), from, to, w->last);
  }
}

// A branch without a period has no multipliers: the other one, which begins here, is followed backwards.
void change_look(bifurcation *b, int direction, attempt *first, attempt *second) {
  if (first->status != CAROM_OK || second->status != CAROM_OK || !differs(first, second)) return;
  bracket w = {.b = b, .first = first, .second = second, .turned = !first->orbit.period};
  const double moved = orbit_distance(&second->orbit, &first->orbit);
  w.last = w.turned ? second : first, w.next = w.turned ? first : second;
  follow(&w);
  if (!b->stop) write_bracket(&w, direction, moved);
  drop(&w, w.before), drop(&w, w.last), drop(&w, w.next);
}
