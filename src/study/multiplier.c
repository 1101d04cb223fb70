// Multipliers of a periodic orbit: eigenvalues of the derivative of the map from a section to the same section a period
// later, found by differences between disturbed motions.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/eigen.h"
#include "mechanics/dynamics.h"
#include "study/orbit.h"

enum { DIMENSIONS_MOST = 200 };

// --- where disturbed motions may start -------------------------------------------------------------------------------

static double lowest_gap(orbit_gaps *g, carom_sim *sim, const section_state *s) {
  const mechanism *m = &sim->model->m;
  if (sim->contacts->point_slots > g->room) {  // a crowd grows
    g->room = 2 * sim->contacts->point_slots;
    g->points = ARENA_ARRAY(g->memory, contact_point, g->room);
  }
  double lowest = INFINITY;
  sim_show_end(sim);
  dynamics_set(m, sim->x, s->t, s->q, s->u);
  dynamics_positions_velocities(m, sim->x);
  contact_state_evaluate(sim->contacts, m, sim->x, g->points);
  CONTACT_EACH_POINT(sim->contacts, p) {
    if (!g->points[p].absent) lowest = fmin(lowest, g->points[p].gap);
  }
  return lowest;
}

orbit_gaps orbit_gaps_at(arena *memory, carom_sim *sim, const section_state *reference, double disturbance) {
  orbit_gaps g = {.memory = memory, .least = 1e-3 * disturbance};
  g.lowest = lowest_gap(&g, sim, reference);
  return g;
}

// Where forces follow from penetrations, these are legal.
bool orbit_gaps_allow(orbit_gaps *g, carom_sim *sim, const section_state *s) {
  return sim->type->rest || lowest_gap(g, sim, s) >= fmin(0, g->lowest) - g->least;
}

// --- differences -----------------------------------------------------------------------------------------------------

// The section of a signal in a model that depends on time has one more dimension, the phase of the drives.
typedef struct shooting {
  carom_sim *sim;
  const orbit *of;
  orbit_gaps gaps;
  int n;
  double *step;                    // one for each number, in parts of its amplitude
  section_state start, end, base;  // base: where the orbit itself ends
  double *delta, *sides[2];
} shooting;

static bool has_phase(const orbit *o) { return o->at.signal >= 0 && o->at.period > 0; }
static double phase_scale(const orbit *o) { return o->at.period / (2 * M_PI); }

static carom_status shoot(shooting *s, carom_error *error) {
  section_walk w;
  carom_status status = section_state_start(s->sim, &s->start, error);
  if (status != CAROM_OK) return status;
  section_walk_begin(&w, s->sim, &s->of->at);
  w.not_before = w.began + 0.5 * s->of->interval;  // it may start on either side of the section
  for (int i = 0; i < s->of->period && status == CAROM_OK; i++) status = section_walk_next(&w, error);
  s->sim->impacts.close = NULL;
  if (status == CAROM_OK) section_state_take(s->sim, &s->end);
  return status;
}

// The end of the motion that is disturbed in number k by `step`, less that of the orbit, all over the scales.
static carom_status shoot_beside(shooting *s, int k, double step, double *to, bool *legal, carom_error *error) {
  const orbit *o = s->of;
  const section_state *at = &o->points[o->count - 1];
  const int plain = o->space.count;
  memset(s->delta, 0, (size_t)s->n * sizeof *s->delta);
  if (k < plain) s->delta[k] = step * o->space.scale[k];
  section_state_copy(s->sim, &s->start, at);
  section_move(&o->space, at, 1, s->delta, &s->start);
  if (k == plain) s->start.t += step * phase_scale(o);
  *legal = orbit_gaps_allow(&s->gaps, s->sim, &s->start);
  if (!*legal) return CAROM_OK;
  const carom_status status = shoot(s, error);
  if (status != CAROM_OK) return status;
  section_difference(&o->space, &s->base, &s->end, to);
  for (int i = 0; i < plain; i++) to[i] /= o->space.scale[i];
  if (s->n > plain) to[plain] = (s->end.t - s->base.t) / phase_scale(o);
  return CAROM_OK;
}

// A column of the derivative: a central difference, or where one side is not legal, the other side alone. Where neither
// is, the contacts hold this number.
static carom_status fill_column(shooting *s, int k, double *A, carom_error *error) {
  bool legal[2];
  for (int i = 0; i < 2; i++) {
    const carom_status status = shoot_beside(s, k, i ? -s->step[k] : s->step[k], s->sides[i], &legal[i], error);
    if (status != CAROM_OK) return status;
  }
  const int sides = legal[0] + legal[1];
  for (int i = 0; i < s->n; i++) {
    const double rise = (legal[0] ? s->sides[0][i] : 0) - (legal[1] ? s->sides[1][i] : 0);
    A[(long)i * s->n + k] = sides ? rise / (s->step[k] * sides) : 0;
  }
  return CAROM_OK;
}

// With an error of the motion ε the difference has one of ε/step, and its curvature one of step²; sqrt(ε) leaves room
// for curvatures near grazing. What hardly moves has large errors beside its amplitude. A method of fixed steps meets
// impacts at the ends of steps, and a difference must reach over several of these.
static double choose_step(const carom_model *model, const orbit_rule *rule, const section_space *space, int k) {
  const double rtol = fmax(model->integrator.rtol, 1e-13);
  if (rule->disturbance > 0) return rule->disturbance;
  if (!section_controls_error(model)) return 1e-3;
  return k < space->count ? fmin(sqrt(rtol + space->error[k] / space->scale[k]), 1e-2) : sqrt(rtol);
}

// Complex multipliers come in pairs, each of which has a product that is real.
static orbit_margin margin_of(int n, const double *real, const double *imaginary) {
  orbit_margin m = {1, 1, INFINITY};
  for (int i = 0; i < n; i++) {
    m.fold *= hypot(1 - real[i], imaginary[i]), m.flip *= hypot(1 + real[i], imaginary[i]);
    if (imaginary[i] != 0) m.torus = fmin(m.torus, fabs(1 - real[i] * real[i] - imaginary[i] * imaginary[i]));
  }
  return m;
}

static carom_status find_eigenvalue(arena *memory, int n, double *A, orbit *of, carom_error *error) {
  double *real = ARENA_ARRAY(memory, double, n + 1), *imaginary = ARENA_ARRAY(memory, double, n + 1);
  double *vectors = ARENA_ARRAY(memory, double, (long)n *n + 1), most = -1;
  if (!eigen_general(memory, n, A, real, imaginary, vectors))
    return error_set(error, CAROM_ERROR_STUDY, "the multipliers of the orbit are not finite");
  for (int i = 0; i < n; i++)
    if (hypot(real[i], imaginary[i]) > most) {
      most = hypot(real[i], imaginary[i]);
      of->multiplier = (orbit_multiplier){real[i], fabs(imaginary[i]), most};
    }
  of->has_multiplier = n > 0, of->margin = margin_of(n, real, imaginary);
  return CAROM_OK;
}

carom_status orbit_find_multiplier(arena *memory, carom_sim *sim, const orbit_rule *rule, orbit *of,
                                   carom_error *error) {
  const int n = of->space.count + has_phase(of);
  shooting s = {.sim = sim, .of = of, .n = n, .step = ARENA_ARRAY(memory, double, n + 1)};
  if (!of->period || n > DIMENSIONS_MOST) return CAROM_OK;
  s.start = section_state_make(memory, sim), s.end = section_state_make(memory, sim);
  s.base = section_state_make(memory, sim);
  s.delta = ARENA_ARRAY(memory, double, n + 1);
  for (int i = 0; i < 2; i++) s.sides[i] = ARENA_ARRAY(memory, double, n + 1);
  double *A = ARENA_ARRAY(memory, double, (long)n *n + 1), least = INFINITY;
  for (int i = 0; i < n; i++) s.step[i] = choose_step(sim->model, rule, &of->space, i);
  for (int i = 0; i < of->space.n; i++) least = fmin(least, s.step[i] * of->space.scale[i]);
  const section_state *at = &of->points[of->count - 1];
  s.gaps = orbit_gaps_at(memory, sim, at, least);
  section_state_copy(sim, &s.start, at);
  carom_status status = shoot(&s, error);
  section_state_copy(sim, &s.base, &s.end);
  for (int k = 0; k < n && status == CAROM_OK; k++) status = fill_column(&s, k, A, error);
  if (status == CAROM_OK) status = find_eigenvalue(memory, n, A, of, error);
  if (of->has_multiplier && !of->repeats && of->multiplier.size >= 1)  // it only passes by
    of->period = 0, of->has_multiplier = false, of->multiplier = orbit_no_multiplier;
  return status;
}
