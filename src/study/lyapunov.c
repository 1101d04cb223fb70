// The largest Lyapunov exponent: a second motion starts beside the first, in the direction that the last disturbance
// has turned to, and after each interval the growth of the distance is booked and the distance set back.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/orbit.h"

enum { BATCHES = 50 };

typedef struct pair_of_motions {
  carom_sim *first, *second;
  const orbit *of;
  section_walk walk[2];
  section_state at, beside, after;
  orbit_gaps gaps;
  double distance;  // that it is set back to, in parts of the amplitude
  double *delta;    // of length one
  bool vanished;
} pair_of_motions;

// Two motions differ by their errors, a few times the tolerance. The distance is far above these, and small beside the
// amplitude: the share of intervals in which one motion strikes before their end and the other behind it is about as
// large as the distance.
static double choose_distance(const carom_model *model, const orbit_rule *rule, const section_space *s) {
  double error = fmax(model->integrator.rtol, 1e-13);
  if (rule->disturbance > 0) return rule->disturbance;
  if (!section_controls_error(model)) return 1e-3;
  for (int i = 0; i < s->count; i++) error = fmax(error, s->error[i] / s->scale[i]);
  return fmin(1e3 * error, 1e-3);
}

static double length_of(const section_space *s, const double *delta) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) sum += delta[i] * delta[i] / (s->scale[i] * s->scale[i]);
  return sqrt(sum);
}

static void begin_direction(pair_of_motions *p) {
  const section_space *s = &p->of->space;
  for (int i = 0; i < s->count; i++) p->delta[i] = s->scale[i] / sqrt(s->count);
}

// The linearised motion is odd: where a contact forbids one side, the other has the same growth.
static carom_status start_beside(pair_of_motions *p, carom_error *error) {
  const section_space *s = &p->of->space;
  section_state_take(p->first, &p->at);
  for (int side = 0; side < 2; side++) {
    section_state_copy(p->first, &p->beside, &p->at);
    section_move(s, &p->at, side ? -p->distance : p->distance, p->delta, &p->beside);
    if (orbit_gaps_allow(&p->gaps, p->second, &p->beside)) break;
  }
  return section_state_start(p->second, &p->beside, error);
}

// The logarithm of the growth over one interval.
static carom_status follow(pair_of_motions *p, double t, double *growth, carom_error *error) {
  carom_status status = start_beside(p, error);
  if (status == CAROM_OK) status = section_walk_to(&p->walk[0], t, error);
  if (status == CAROM_OK) status = section_walk_to(&p->walk[1], t, error);
  if (status != CAROM_OK) return status;
  section_state_take(p->first, &p->at), section_state_take(p->second, &p->after);
  section_difference(&p->of->space, &p->at, &p->after, p->delta);
  const double length = length_of(&p->of->space, p->delta);
  p->vanished |= !(length > 0);
  *growth = length > 0 ? log(length / p->distance) : 0;
  for (int i = 0; i < p->of->space.count; i++) p->delta[i] /= length > 0 ? length : 1;
  if (!(length > 0)) begin_direction(p);
  return CAROM_OK;
}

// Means over parts of the time that are long beside correlations are independent.
static void book(const double *means, int count, lyapunov *to) {
  double sum = 0, square = 0;
  for (int i = 0; i < count; i++) sum += means[i] / count;
  for (int i = 0; i < count; i++) square += (means[i] - sum) * (means[i] - sum);
  to->exponent = sum, to->standard_error = count > 1 ? sqrt(square / (count - 1.0) / count) : NAN;
}

static pair_of_motions make_pair(arena *memory, carom_sim *const sims[2], const orbit_rule *rule, const orbit *of) {
  pair_of_motions p = {
      .first = sims[0],
      .second = sims[1],
      .of = of,
  };
  p.distance = choose_distance(sims[0]->model, rule, &of->space);
  p.at = section_state_make(memory, sims[0]), p.beside = section_state_make(memory, sims[0]);
  p.after = section_state_make(memory, sims[0]);
  p.delta = ARENA_ARRAY(memory, double, of->space.count + 1);
  p.gaps = orbit_gaps_at(memory, sims[1], &of->points[of->count - 1], 0);
  p.gaps.lowest = 0;
  return p;
}

carom_status orbit_find_lyapunov(arena *memory, carom_sim *const sims[2], const orbit_rule *rule, const orbit *of,
                                 long intervals, lyapunov *to, carom_error *error) {
  const int batches = intervals < BATCHES ? (int)intervals : BATCHES;
  pair_of_motions p = make_pair(memory, sims, rule, of);
  double means[BATCHES];
  const section_state *from = &of->points[of->count - 1];
  carom_status status = section_state_start(p.first, from, error);
  for (int i = 0; i < 2; i++) section_walk_begin(&p.walk[i], sims[i], &of->at), sims[i]->impacts.close = NULL;
  begin_direction(&p);
  long done = 0;
  for (int b = 0; b < batches && status == CAROM_OK; b++) {
    const long each = intervals / batches + (b < intervals % batches);
    double sum = 0, growth = 0;
    for (long i = 0; i < each && status == CAROM_OK; i++) {
      status = follow(&p, from->t + (double)++done * of->interval, &growth, error);
      sum += growth;
    }
    means[b] = sum / ((double)each * of->interval);
  }
  if (status != CAROM_OK) return status;
  book(means, batches, to);
  if (p.vanished) *to = (lyapunov){-INFINITY, NAN};
  return CAROM_OK;
}
