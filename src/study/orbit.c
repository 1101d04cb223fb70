#include "study/orbit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

const orbit_multiplier orbit_no_multiplier = {NAN, NAN, NAN};

// --- period ----------------------------------------------------------------------------------------------------------

static double distance(const orbit *o, const section_state *a, const section_state *b) {
  section_difference(&o->space, a, b, o->apart);
  return section_size(o->same, o->apart, o->space.count);
}

// The largest distance of points that are `period` sections apart, among those from `first` to before `last`.
static double largest_apart(const orbit *o, int period, int first, int last) {
  double most = 0;
  for (int i = first; i + period < last; i++) most = fmax(most, distance(o, &o->points[i], &o->points[i + period]));
  return most;
}

// Points that do not repeat to the tolerance yet may still be on their way: what they are apart is small, becomes
// smaller, and is smaller than after one section. (On a spiral it is not.)
static bool converges(const orbit *o, int period) {
  const int middle = (o->count + period) / 2;
  const double before = largest_apart(o, period, 0, middle),
               after = largest_apart(o, period, middle - period, o->count);
  if (!(after <= 1e-2 && after < 0.9 * before)) return false;
  return period == 1 || after <= 0.3 * largest_apart(o, 1, middle - period, o->count);
}

// Points may repeat after several periods only because all that is left of a motion is about as small as the
// tolerance: it dies away, from both sides in turn or around its end. What is small after a part of the period as well
// converges to that, unless a multiplier says that it grows.
static int period_at_last(const orbit *o, int period, double tolerance) {
  for (int part = 1; part < period; part++)
    if (period % part == 0 && largest_apart(o, part, 0, o->count) <= 100 * tolerance) return part;
  return period;
}

// The smallest period, seen twice at least, whose points repeat as well as those of any: what they are still apart is
// the error of the motion, and differs from period to period by chance. Near a flip points come nearer from both sides
// in turn, and repeat to the tolerance after two periods long before they do so after one: there it converges.
static int find_period(const orbit *o, double tolerance, bool *repeats) {
  const int most = o->count / 2;
  double least = INFINITY;
  for (int p = 1; p <= most; p++) least = fmin(least, largest_apart(o, p, 0, o->count));
  const double enough = least <= tolerance ? fmin(tolerance, fmax(1e-2 * tolerance, 10 * least)) : -1;
  for (int p = 1; p <= most; p++) {
    *repeats = largest_apart(o, p, 0, o->count) <= enough;
    const int last = *repeats ? period_at_last(o, p, tolerance) : p;
    *repeats &= last == p;
    if (*repeats || last < p || converges(o, p)) return last;
  }
  return 0;
}

// Speeds jump where an impact passes through the section, and the orbit does not: positions alone tell. Over the larger
// amplitude of the two orbits that the points belong to.
static double way(const orbit *o, const section_state *a, const orbit *of_b, const section_state *b) {
  double most = 0;
  section_difference(&o->space, a, b, o->apart);
  for (int i = 0; i < o->space.n; i++)
    most = fmax(most, fabs(o->apart[i]) / fmax(o->space.scale[i], of_b->space.scale[i]));
  return most;
}

double orbit_split(const orbit *o) {
  double most = 0;
  if (!o->period || o->period % 2) return INFINITY;
  for (int i = 0; i < o->period; i++)
    most =
        fmax(most, way(o, &o->points[o->count - 1 - i], o, &o->points[o->count - 1 - (i + o->period / 2) % o->period]));
  return most;
}

// Where the speeds differ, points of a large and of a small motion can be at one place. Their amplitudes differ.
static double amplitudes_apart(const orbit *a, const orbit *b) {
  double most = 0;
  for (int i = 0; i < a->space.n; i++) {
    const double of_a = a->space.scale[i], of_b = b->space.scale[i];
    most = fmax(most, fabs(of_a - of_b) / fmax(of_a, of_b));
  }
  return most;
}

double orbit_distance(const orbit *a, const orbit *b) {
  double most = amplitudes_apart(a, b);
  const int na = a->period ? a->period : a->count, nb = b->period ? b->period : b->count;
  for (int i = 0; i < na; i++) {
    double least = INFINITY;
    for (int k = 0; k < nb; k++)
      least = fmin(least, way(a, &a->points[a->count - 1 - i], b, &b->points[b->count - 1 - k]));
    most = fmax(most, least);
  }
  return most;
}

// --- settling --------------------------------------------------------------------------------------------------------

// Sections that are walked through before the ledger begins: whole periods are counted at the end.
static carom_status keep_points(section_walk *w, const orbit_rule *rule, orbit_points points, orbit *to, long *impacts,
                                double *slowest, bool *rests, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < rule->points && status == CAROM_OK; i++) {
    const long before = section_walk_rests(w);
    section_walk_clear(w);
    status = section_walk_next(w, error);
    if (status != CAROM_OK) break;
    impacts[i] = w->ledger.impacts, slowest[i] = w->ledger.slowest, rests[i] = section_walk_rests(w) > before;
    section_state_take(w->sim, &to->points[i]);
    to->count = i + 1;
    if (points.each) points.each(points.context, w->sim, i);
  }
  return status;
}

// Over the last period, or over all points.
static void sum_impacts(orbit *o, const long *impacts, const double *slowest, const bool *rests) {
  const int n = o->period ? o->period : o->count;
  o->slowest = INFINITY;
  for (int i = o->count - n; i < o->count; i++) {
    o->impacts += (double)impacts[i] / n;
    o->slowest = fmin(o->slowest, slowest[i]), o->rests |= rests[i];
  }
}

// Errors of the steps of a period add up, and more where it settles slowly: to 1e3 times the tolerances of the
// integrator, relative and absolute. A tolerance that the user gives is one of the amplitude alone.
static double choose_tolerance(const carom_model *model, const orbit_rule *rule, orbit *o) {
  const section_space *s = &o->space;
  const double rtol = section_controls_error(model) ? model->integrator.rtol : 0;
  const double tolerance = rule->tolerance > 0 ? rule->tolerance : fmax(1e-6, 1e3 * rtol);
  for (int i = 0; i < s->count; i++)
    o->same[i] = s->scale[i] + (rule->tolerance > 0 ? 0 : 1e3 * s->error[i] / tolerance);
  return tolerance;
}

carom_status orbit_settle(arena *memory, carom_sim *sim, const section_rule *at, const orbit_rule *rule,
                          orbit_points points, orbit *to, carom_error *error) {
  section_walk w;
  *to = (orbit){.at = *at, .space = section_space_make(memory, sim->model), .multiplier = orbit_no_multiplier};
  to->points = ARENA_ARRAY(memory, section_state, rule->points + 1);
  for (int i = 0; i < rule->points; i++) to->points[i] = section_state_make(memory, sim);
  long *impacts = ARENA_ARRAY(memory, long, rule->points + 1);
  double *slowest = ARENA_ARRAY(memory, double, rule->points + 1);
  bool *rests = ARENA_ARRAY(memory, bool, rule->points + 1);
  to->same = ARENA_ARRAY(memory, double, to->space.count + 1);
  to->apart = ARENA_ARRAY(memory, double, to->space.count + 1);
  section_walk_begin(&w, sim, &to->at);
  w.not_before = w.began + 1e-9 * at->longest;
  carom_status status = CAROM_OK;
  for (int i = 0; i < rule->cut && status == CAROM_OK; i++) status = section_walk_next(&w, error);
  if (status != CAROM_OK) return sim->impacts.close = NULL, status;
  const double began = w.of->signal < 0 ? carom_sim_time(sim) : w.until;
  section_walk_watch(&w, memory);
  status = keep_points(&w, rule, points, to, impacts, slowest, rests, error);
  sim->impacts.close = NULL;
  if (status != CAROM_OK) return status;
  section_walk_scale(&w, &to->space);
  to->interval = (to->points[to->count - 1].t - began) / to->count;
  to->period = find_period(to, choose_tolerance(sim->model, rule, to), &to->repeats);
  sum_impacts(to, impacts, slowest, rests);
  return CAROM_OK;
}
