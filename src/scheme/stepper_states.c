// States of the model in a step: their values at its end and within it, and rates that become infinite in it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/control.h"
#include "mechanics/dynamics.h"
#include "scheme/stepper_internal.h"

// A lag tends to the target z_R + T ż_R by exp(-h/T), and so does not pass it, however long the step.
double stepper_state_rate(const stepper *s, int k, double z, double h) {
  const double T = s->m->states[k].lag, rate = s->x->inner_rate[k];
  return T > 0 ? (s->x->inner[k] + T * rate - z) * -expm1(-h / T) / h : rate;
}

// A state beyond a limit goes back to it.
void stepper_move_states(stepper *s, double t_end) {
  for (int k = 0; k < s->m->state_count; k++) s->z[k] = s->z_A[k] + s->dt * s->z_rate[k];
  control_limit(s->m, s->z);
  control_reset(s->m, t_end, s->z);
  memcpy(s->x->inner, s->z, (size_t)s->m->state_count * sizeof *s->z);
}

void stepper_place_states(stepper *s, double t) {
  for (int k = 0; k < s->m->state_count; k++)
    s->x->inner[k] = t < s->t ? s->z_A[k] + (t - s->t_A) * s->z_rate[k] : s->z[k];
  control_limit(s->m, s->x->inner);
}

// --- poles -----------------------------------------------------------------------------------------------------------

// A step evaluates each rate once, and would step over a pole. Beside a pole a/(t - t0) in the step the rate is at
// least 2 a/Δt, so that a state which changes by less than this part of its size passes only poles that change it
// little.
#define POLE_CHANGE 0.03

static bool may_have_pole(const stepper *s, int k) {
  const model_state *of = &s->m->states[k];
  if (!of->name || (s->z[k] == s->z_A[k] && s->z_rate[k] != 0)) return false;  // of a motor; held by a limit
  if (fabs(s->z_A[k]) > BEYOND_BOUNDS) return false;                           // rates overflow soon, without a pole
  return s->dt * fabs(s->z_rate[k]) > POLE_CHANGE * fmax(of->scale, fabs(s->z_A[k]));
}

static double rate_at(stepper *s, int k, double t) {
  if (!stepper_place(s, t)) return 0;
  dynamics_positions_velocities(s->m, s->x);
  control_update(s->m, s->x);
  return fabs(s->x->inner_rate[k]);
}

// Halves an interval about the largest rate, which is found at its centre or a quarter of its length beside it. The
// second largest of these three rates, times the length of the interval, stays about the same at a pole, however near
// the largest one is to it. It tends to zero if the integral of the rate is finite, also at a jump.
static bool find_pole(stepper *s, int k, double *t) {
  enum { HALVINGS = 20 };
  double length = s->dt, most = 0, largest;
  *t = s->t_A + 0.5 * length;
  largest = rate_at(s, k, *t);
  for (int i = 0; i < HALVINGS; i++, length *= 0.5) {
    double centre = *t, second = 0;
    for (int side = -1; side <= 1; side += 2) {
      double there = centre + 0.25 * side * length, rate = rate_at(s, k, there);
      if (isnan(rate)) rate = INFINITY;
      second = fmax(second, fmin(rate, largest));
      if (rate > largest) largest = rate, *t = there;
    }
    most = fmax(most, length * second);
    if (!(length * second > 0.05 * most)) return false;
  }
  return true;
}

carom_status stepper_check_states(stepper *s, carom_error *error) {
  const mechanism *m = s->m;
  carom_status status = CAROM_OK;
  double t;
  for (int k = 0; k < m->state_count && status == CAROM_OK; k++) {
    if (m->states[k].name && !isfinite(s->z[k]))
      return error_set(error, CAROM_ERROR_INTEGRATOR, "state '%s' is not finite at t = %g s; %s", m->states[k].name,
                       s->t, stepper_advice(s));
    if (!may_have_pole(s, k)) continue;
    if (find_pole(s, k, &t))
      status = error_set(error, CAROM_ERROR_INTEGRATOR,
                         "the rate of state '%s' becomes infinite at t = %.6g s, within a step; check it for a "
                         "division by zero",
                         m->states[k].name, t);
    s->x->bad_callback = 0;
    stepper_show_end(s);
  }
  return status;
}
