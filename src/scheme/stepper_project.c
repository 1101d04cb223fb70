// Positions on their constraints at the end of a step, and mechanisms that lock up.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "scheme/stepper_internal.h"

static double stored_energy(const stepper *s) {
  const double strain = s->x->flexible ? flexible_strain_energy(s->m, s->x) : 0;
  return tree_kinetic_energy(s->m, s->x) + tree_gravity_energy(s->m, s->x) + strain;
}

// The row that is violated most against its size.
static int worst_row(const stepper *s, double *relative) {
  int worst = 0;
  *relative = 0;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi) / s->projection.row_size[i];
    if (!(violation <= *relative || isnan(*relative))) *relative = violation, worst = i;
  }
  return worst;
}

static const char *constraint_name(const mechanism *m, int row) {
  int i = 0;
  while (row >= m->constraints[i].row0 + m->constraints[i].row_count) i++;
  return m->constraints[i].name;
}

// A mechanism that locks up cannot go on: there is no position next to the one it has that meets its constraints. After
// that velocities grow without bound and no number means anything.
static carom_status check_constraints(stepper *s, double limit, carom_error *error) {
  double relative;
  int worst = worst_row(s, &relative);
  s->projection.violation = number_larger(s->projection.violation, constraints_violation(s->m, s->x));
  if (relative <= limit) return CAROM_OK;
  return error_set(
      error, CAROM_ERROR_INTEGRATOR,
      "the constraints cannot be met at t = %.6g s: '%s' is off by %.2g (m or rad), and %s. The mechanism locks up "
      "there (check lengths and drives), or the step is far too large",
      s->x->t, constraint_name(s->m, worst), fabs(s->x->rows[worst].phi),
      s->settings.project ? "no position nearby closes it" : "it drifts apart without 'project'");
}

// Constraints whose violation, beyond rounding, is no more than this part of the size of their rows are met.
static const double MET = 1e-9;

static double relative_violation(const stepper *s) {
  double worst = 0;
  for (int i = 0; i < s->m->row_count; i++)
    worst = number_larger(worst, (fabs(s->x->rows[i].phi) - s->x->rows[i].rounding) / s->projection.row_size[i]);
  return worst;
}

static double violation_at(stepper *s) {
  s->x->level = LEVEL_NONE;
  dynamics_positions_velocities(s->m, s->x);
  return relative_violation(s);
}

// Along a direction in which every row comes closer to zero, as far as the largest violation becomes smaller.
static bool take_part_of(stepper *s, const double *step, double *violation) {
  enum { HALVINGS = 12 };
  const mechanism *m = s->m;
  memcpy(s->projection.placed, s->x->q, (size_t)m->nq * sizeof *s->projection.placed);
  for (int i = 0; i < m->nv; i++) s->displacement[i] = step[i];
  for (int turn = 0; turn <= HALVINGS; turn++) {
    memcpy(s->x->q, s->projection.placed, (size_t)m->nq * sizeof *s->projection.placed);
    dynamics_move(m, s->x->q, s->displacement);
    double now = violation_at(s);
    if (now < *violation) return *violation = now, true;
    for (int i = 0; i < m->nv; i++) s->displacement[i] *= 0.5;
  }
  memcpy(s->x->q, s->projection.placed, (size_t)m->nq * sizeof *s->projection.placed);
  violation_at(s);
  return false;
}

// Newton's method with shorter steps where the full one leads away. Close to a singular position it takes many turns,
// and each of them quarters the violation; where nothing meets the constraints it ends at the smallest violation.
static bool close_slowly(stepper *s) {
  enum { TURNS = 60 };
  double violation = violation_at(s);
  for (int turn = 0; turn < TURNS && violation > MET; turn++) {
    const double *step = dynamics_position_step(s->m, s->x);
    if (!step || !take_part_of(s, step, &violation)) break;
  }
  return violation <= MET;
}

// The motion's positions onto the constraints, drives held. Returns false if no position nearby meets them.
static bool close_from_here(stepper *s) {
  enum { TURNS = 8 };
  memcpy(s->projection.before_placing, s->x->q, (size_t)s->m->nq * sizeof *s->x->q);
  dynamics_positions_velocities(s->m, s->x);
  double tolerance = 1e-12 * fmax(1, s->m->length), violation = relative_violation(s);
  dynamics_project_positions(s->m, s->x, tolerance,
                             TURNS);  // in a small mechanism not close enough, even where it succeeds
  double after = relative_violation(s);
  if (after <= MET) return true;
  if (!(after < violation)) memcpy(s->x->q, s->projection.before_placing, (size_t)s->m->nq * sizeof *s->x->q);
  return close_slowly(s);
}

// Between two branches that almost meet, Newton's method does not find the way to either. It does from a little earlier
// or later.
static bool close_position(stepper *s) {
  static const double ways[] = {-0.1, 0.1, -0.5, 0.5};  // parts of the step
  memcpy(s->projection.unplaced, s->x->q, (size_t)s->m->nq * sizeof *s->x->q);
  bool closed = close_from_here(s);
  for (int k = 0; k < 4 && !closed; k++) {
    memcpy(s->x->q, s->projection.unplaced, (size_t)s->m->nq * sizeof *s->x->q);
    for (int i = 0; i < s->m->nv; i++) s->displacement[i] = s->m->driven[i] ? 0 : ways[k] * s->dt * s->x->u[i];
    dynamics_move(s->m, s->x->q, s->displacement);
    s->x->level = LEVEL_NONE;
    closed = close_from_here(s);
  }
  return closed;
}

// --- between the ends of a step --------------------------------------------------------------------------------------

// Positions follow u_A up to where rows are evaluated and u_E from there; driven coordinates follow their drives.
// Velocities alone would open loops by (Δt)².
bool stepper_place(stepper *s, double t) {
  if (t < s->t_A + s->rule->place * s->dt) stepper_move_from(s, s->q_A, s->u_A, t - s->t_A);
  else stepper_move_from(s, s->q, s->u, t - s->t);
  dynamics_set(s->m, s->x, t, s->x->q, s->x->u);
  if (s->m->state_count) stepper_place_states(s, t);
  if (!s->settings.project || !s->m->row_count || t == s->t || t == s->t_A) return true;
  bool closed = close_position(s);
  centre_carry(s->m, s->projection.unplaced, s->x->q, s->x->u);
  s->x->level = LEVEL_NONE;
  return closed;
}

// Rows that become dependent and independent again within the step: their independence changes by more than a tenth.
static bool may_pass_singular(const stepper *s) {
  double now = s->projection.independence[0], before = s->projection.independence[1],
         earlier = s->projection.independence[2];
  if (s->m->sparse || isnan(earlier)) return !s->m->sparse;
  return fmin(now, before) < 10 * fmax(fabs(now - before), fabs(before - earlier));
}

// Whether the constraints can be met throughout the step, by the place in it that is closest to a singular position.
// There the step may have gone over positions that no mechanism of these lengths can take.
static bool look_between(stepper *s) {
  enum { TURNS = 30 };
  const double golden = 0.6180339887498949;
  double a = s->t_A, b = s->t, t[2] = {b - golden * (b - a), a + golden * (b - a)}, least[2];
  for (int k = 0; k < 2; k++) {
    if (!stepper_place(s, t[k])) return false;
    least[k] = response_independence(s->m, s->x);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    int better = least[1] < least[0];
    if (better) a = t[0], t[0] = t[1], least[0] = least[1], t[1] = a + golden * (b - a);
    else b = t[1], t[1] = t[0], least[1] = least[0], t[0] = b - golden * (b - a);
    if (!stepper_place(s, t[better])) return false;
    least[better] = response_independence(s->m, s->x);
  }
  return true;
}

// --- the end of a step -----------------------------------------------------------------------------------------------

void stepper_begin_projection(stepper *s) {
  for (int k = 0; k < 3; k++) s->projection.independence[k] = NAN;  // not known: what is next is looked at
}

static carom_status check_lock_up(stepper *s, bool closed, carom_error *error) {
  const double locked = 1e-3;
  carom_status status = check_constraints(s, s->projection.driven && !closed ? 0 : locked, error);
  if (status != CAROM_OK || !s->projection.driven || !may_pass_singular(s)) return status;
  if (!look_between(s)) status = check_constraints(s, 0, error);
  dynamics_set(s->m, s->x, s->t, s->q, s->u);
  dynamics_positions_velocities(s->m, s->x);
  return status;
}

// Positions back onto the constraints; where Newton's method finds none that are closer, they stay as they are.
carom_status stepper_project(stepper *s, carom_error *error) {
  const mechanism *m = s->m;
  motion *x = s->x;
  dynamics_positions_velocities(m, x);
  double before = stored_energy(s);
  bool closed = close_position(s);
  s->projection.independence[2] = s->projection.independence[1],
  s->projection.independence[1] = s->projection.independence[0];
  if (s->projection.driven) s->projection.independence[0] = response_independence(m, x);
  s->projection.failures += !closed;
  if (m->off_centre) {
    stepper_take_positions(s);
    dynamics_positions_velocities(m, x);
  }
  s->projection.energy += stored_energy(s) - before;
  memcpy(s->q, x->q, (size_t)m->nq * sizeof *s->q);
  return check_lock_up(s, closed, error);
}

// Without projection looking at the end of a step costs as much as a third of it. What rows are violated by where they
// are evaluated is known; the end is looked at when that has grown.
bool stepper_opens(stepper *s, double dt) {
  double open = 0, relative = 0, rest = (1 - s->rule->place) * dt;
  for (int i = 0; i < s->m->row_count; i++) {
    double violation = fabs(s->x->rows[i].phi - rest * s->x->rows[i].phi_t);
    open = fmax(open, violation), relative = fmax(relative, violation / s->projection.row_size[i]);
  }
  if (open <= 1.1 * s->projection.seen_open[0] && relative <= 1.1 * s->projection.seen_open[1]) return false;
  s->projection.seen_open[0] = fmax(open, s->projection.seen_open[0]),
  s->projection.seen_open[1] = fmax(relative, s->projection.seen_open[1]);
  return true;
}

carom_status stepper_watch_drift(stepper *s, carom_error *error) {
  const double lost = 0.01;
  dynamics_positions_velocities(s->m, s->x);
  return check_constraints(s, lost, error);
}
