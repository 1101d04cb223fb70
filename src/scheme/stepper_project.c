// Positions on their constraints at the end of a step, and mechanisms that lock up.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "scheme/stepper_internal.h"

static double stored_energy(const stepper *s) {
  return tree_kinetic_energy(s->m, s->x) + tree_gravity_energy(s->m, s->x);
}

// The row that is violated most against its size.
static int worst_row(const stepper *s, double *relative) {
  int worst = 0;
  *relative = 0;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi) / s->row_size[i];
    if (!(violation <= *relative || isnan(*relative))) *relative = violation, worst = i;
  }
  return worst;
}

static const char *constraint_name(const mechanism *m, int row) {
  int i = 0;
  while (row >= m->constraints[i].row0 + m->constraints[i].row_count) i++;
  return m->constraints[i].name;
}

// A mechanism that locks up cannot go on: there is no position next to the one it has that meets its constraints. After that
// velocities grow without bound and no number means anything.
static carom_status check_constraints(stepper *s, double limit, carom_error *error) {
  double relative;
  int worst = worst_row(s, &relative);
  s->violation = number_larger(s->violation, constraints_violation(s->m, s->x));
  if (relative <= limit) return CAROM_OK;
  return error_set(error, CAROM_ERROR_INTEGRATOR,
                   "the constraints cannot be met at t = %.6g s: '%s' is off by %.2g (m or rad), and %s. The mechanism locks up "
                   "there (check lengths and drives), or the step is far too large", s->t, constraint_name(s->m, worst),
                   fabs(s->x->rows[worst].phi),
                   s->settings.project ? "no position nearby closes it" : "it drifts apart without 'project'");
}

// Positions back onto the constraints; where Newton's method finds none that are closer, they stay as they are.
carom_status stepper_project(stepper *s, carom_error *error) {
  const double tolerance = 1e-12 * fmax(1, s->m->length), met = 1e-9 * fmax(1, s->m->length), locked = 1e-3;
  const mechanism *m = s->m;
  motion *x = s->x;
  dynamics_positions_velocities(m, x);
  double before = stored_energy(s), violation = constraints_violation(m, x);
  bool done = dynamics_project_positions(m, x, tolerance, 8);
  dynamics_positions_velocities(m, x);
  if (!done && !(constraints_violation(m, x) < violation)) {
    dynamics_set(m, x, s->t, s->q, s->u);
    dynamics_positions_velocities(m, x);
  }
  s->projection_failures += !done && !(constraints_violation(m, x) <= met);
  s->projection_energy += stored_energy(s) - before;
  memcpy(s->q, x->q, (size_t)m->nq * sizeof *s->q);
  return check_constraints(s, locked, error);
}

// Without projection looking at the end of a step costs as much as a third of it. What rows are violated by where they are evaluated
// is known; the end is looked at when that has grown.
bool stepper_opens(stepper *s, double dt) {
  double open = 0, relative = 0, rest = (1 - s->rule->place) * dt;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi - rest * s->x->rows[i].phi_t);
    open = fmax(open, violation), relative = fmax(relative, violation / s->row_size[i]);
  }
  if (open <= 1.1 * s->seen_open[0] && relative <= 1.1 * s->seen_open[1]) return false;
  s->seen_open[0] = fmax(open, s->seen_open[0]), s->seen_open[1] = fmax(relative, s->seen_open[1]);
  return true;
}

carom_status stepper_watch_drift(stepper *s, carom_error *error) {
  const double lost = 0.01;
  dynamics_positions_velocities(s->m, s->x);
  return check_constraints(s, lost, error);
}
