// Dry friction of ideal joints in a step: one box row per friction in the contact problem,
//   -f_max Δt ≤ P ≤ f_max Δt,   γ_E = 0 inside, P opposed to γ_E at the bounds,
// behind the rows of constraints and contacts. Where f_max follows the load, P and load depend on each other within the
// step: f_max is taken from the last solution, and the problem is solved again until f_max and its load agree.
#ifndef SCHEME_STEPPER_FRICTION_H
#define SCHEME_STEPPER_FRICTION_H

#include "base/arena.h"
#include "ledger/impact.h"
#include "mechanics/dry_friction.h"
#include "solve/problem.h"

typedef struct stepper_friction {
  int row0;                       // its first row in this step
  bool loaded;                    // some limit follows the load
  bool unsettled;                 // the step that is tried: limits and loads do not agree
  double *limit;                  // one per friction [N or N·m]
  double *limit_before, *effort;  // of the last step, while another is under way
  friction_search *search;
  double *diagonal;  // of the matrix of the contact problem, one per friction
  const double *xi;  // the rates of its solution
} stepper_friction;

void stepper_friction_create(stepper_friction *f, const mechanism *m, arena *memory);
// No step has been taken yet.
void stepper_friction_reset(stepper_friction *f, const mechanism *m, motion *x);
// Before forces are applied: efforts of the last step are no forces of this one.
void stepper_friction_begin(stepper_friction *f, const mechanism *m, motion *x);
// The step that was begun is given up: limits and efforts are those of the last one again.
void stepper_friction_give_up(stepper_friction *f, const mechanism *m, motion *x);
// Its rows, and in P the last step's percussions for solvers that begin there.
void stepper_friction_add_rows(stepper_friction *f, const mechanism *m, motion *x, double *P, double dt);
// Where a drive moves the joint its friction is known: opposed to the speed that the drive has at t_end.
solve_block stepper_friction_block(const stepper_friction *f, const mechanism *m, int i, double t_end, double dt);
// Looks at the load of a solution P with the mean accelerations udot. Returns true if the limits that go with it are
// those that P was found with; else they are changed for the next turn. `work` is as long as the speeds.
bool stepper_friction_agrees(stepper_friction *f, const mechanism *m, motion *x, double *P, const double *udot,
                             double dt, double *work, int turn);
// Efforts (the means of P_mean) and slip as signals show them, and the loss ½ (γ_A + γ_E) P.
void stepper_friction_book(const stepper_friction *f, const mechanism *m, motion *x, const double *P,
                           const double *P_mean, const double *rate_before, const double *rate_free,
                           const double *rate_after, double dt, impact_ledger *ledger);

#endif
