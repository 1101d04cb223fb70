#include "scheme/stepper_friction.h"

#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "mechanics/function.h"
#include "mechanics/tree.h"
#include "solve/blocks.h"

// Limits agree when they change by less than this of themselves: far below the step's own error.
static const double AGREEMENT = 1e-10;

void stepper_friction_create(stepper_friction *f, const mechanism *m, arena *memory) {
  f->limit = ARENA_ARRAY(memory, double, m->friction_count + 1);
  f->diagonal = ARENA_ARRAY(memory, double, m->friction_count + 1);
  f->limit_before = ARENA_ARRAY(memory, double, m->friction_count + 1);
  f->effort = ARENA_ARRAY(memory, double, m->friction_count + 1);
  f->search = ARENA_ARRAY(memory, friction_search, m->friction_count + 1);
  f->loaded = friction_depends_on_load(m);
}

void stepper_friction_reset(stepper_friction *f, const mechanism *m, motion *x) {
  for (int i = 0; i < m->friction_count; i++) {
    f->limit[i] = m->frictions[i].limit;
    x->friction_effort[i] = 0;
    x->friction_slip[i] = 0;
  }
}

void stepper_friction_begin(stepper_friction *f, const mechanism *m, motion *x) {
  memcpy(f->limit_before, f->limit, (size_t)m->friction_count * sizeof *f->limit);
  memcpy(f->effort, x->friction_effort, (size_t)m->friction_count * sizeof *f->effort);
  memset(x->friction_effort, 0, (size_t)m->friction_count * sizeof *x->friction_effort);
}

void stepper_friction_give_up(stepper_friction *f, const mechanism *m, motion *x) {
  memcpy(f->limit, f->limit_before, (size_t)m->friction_count * sizeof *f->limit);
  memcpy(x->friction_effort, f->effort, (size_t)m->friction_count * sizeof *f->effort);
}

void stepper_friction_add_rows(stepper_friction *f, const mechanism *m, motion *x, double *P, double dt) {
  f->row0 = x->row_total;
  for (int i = 0; i < m->friction_count; i++) P[f->row0 + i] = dt * f->effort[i];
  friction_add_rows(m, x);
}

solve_block stepper_friction_block(const stepper_friction *f, const mechanism *m, int i, double t_end, double dt) {
  double most = f->limit[i] * dt;
  solve_block b = block_of_friction(f->row0 + i, most);
  if (m->frictions[i].drive < 0) return b;
  double speed = function_jet(&m->drives[m->frictions[i].drive].f, t_end).d;
  b.lo = b.hi = speed > 0 ? -most : speed < 0 ? most : 0;
  return b;
}

// The mean reactions of the step: those of the forces, the percussions P/Δt and the mean accelerations.
static void find_reactions(const mechanism *m, motion *x, double *P, const double *udot, double dt, double *work) {
  for (int i = 0; i < x->row_total; i++) P[i] /= dt;
  for (int i = 0; i < m->row_count; i++) x->lambda[i] = P[i];
  constraint_push(m, x, P, x->row_total);
  tree_inverse(m, x, udot, work);
}

static void take_back_forces(const mechanism *m, motion *x, double *P, double dt) {
  for (int i = 0; i < x->row_total; i++) P[i] = -P[i];
  constraint_push(m, x, P, x->row_total);
  for (int i = 0; i < x->row_total; i++) P[i] *= -dt;
}

bool stepper_friction_agrees(stepper_friction *f, const mechanism *m, motion *x, double *P, const double *udot,
                             double dt, double *work, int turn) {
  bool agrees = true;
  find_reactions(m, x, P, udot, dt, work);
  for (int i = 0; i < m->friction_count; i++) {
    int row = f->row0 + i;
    double found = friction_limit(m, x, &m->frictions[i]);
    bool fits = friction_fits(P[row], f->limit[i], found, f->xi[row], f->diagonal[i] * dt);
    agrees &= friction_meets_load(&f->search[i], &f->limit[i], found, AGREEMENT, fits, turn);
  }
  take_back_forces(m, x, P, dt);
  return agrees;
}

// Sticks where the rate is zero against those before the step and without friction, and against what friction could
// change: as a contact does. How close P is to its limit does not tell: limit and load agree to a tolerance only.
void stepper_friction_book(const stepper_friction *f, const mechanism *m, motion *x, const double *P,
                           const double *P_mean, const double *rate_before, const double *rate_free,
                           const double *rate_after, double dt, impact_ledger *ledger) {
  for (int i = 0; i < m->friction_count; i++) {
    int row = f->row0 + i;
    double a = rate_before[row], b = rate_after[row], change = f->diagonal[i] * f->limit[i] * dt;
    bool sticks = impact_sticks(fabs(b), 1e-9 * (fabs(a) + fabs(b) + fabs(rate_free[row]) + change));
    x->friction_effort[i] = P_mean[row] / dt;
    x->friction_slip[i] = sticks ? 0 : b > 0 ? 1 : -1;
    ledger->loss_tangential -= 0.5 * (a + b) * P[row];
  }
}
