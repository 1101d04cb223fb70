// What the files of scheme `moreau` share.
#ifndef SCHEME_MOREAU_INTERNAL_H
#define SCHEME_MOREAU_INTERNAL_H

#include <string.h>

#include "mechanics/coordinate.h"
#include "mechanics/tree.h"
#include "scheme/moreau.h"
#include "scheme/moreau_friction.h"
#include "solve/blocks.h"
#include "solve/room.h"

typedef struct moreau {
  arena memory;
  const mechanism *m;
  motion *x;
  const contact_set *contacts;
  moreau_settings settings;
  impact_ledger *impacts;
  double t;
  double grid;                           // the multiple of the step that the last one went for
  long projection_failures;
  long steps, steps_before;              // taken, and those of the run that was resumed
  double *q, *u;                         // the state, one array: at E when a step is done
  double *q_A, *u_A;                     // where the last step began,
  double t_A, dt;                        // when, and how long it was; 0: there was none
  double accounts[POWER_COUNT], accounts_A[POWER_COUNT];
  double losses[2], losses_A[2];         // of contacts, normal and tangential, likewise
  bool books_differ;                     // accounts and losses at the start of the last step are not those at its end
  bool shows_A;                          // the time shown is before the midpoint
  bool trying;                           // it is a trial: the ledger of impacts is left alone
  double *kept;                          // the state and joint coordinates before a trial
  double *u_free, *u_end;                // of the step under way
  double *displacement;                  // scratch, one per speed
  double projection_energy;
  contact_point *points, *before;        // at the midpoint of this step, and of the one before it
  contact_point *looked;                 // where something is looked at, for the moment
  bool *struck;                          // points whose approach a step has dealt with since they were last apart
  long leaps_at_end;                     // in the second half of the last step
  double *nearest;                       // how deep they overlapped since, on straight ways, as a gap [m]
  const contact_element **element_of;    // the element of each point
  bool reads_coordinates;                // forces, constraints or stops ask for joint coordinates within a step
  int *active, active_count;             // points that take part in this step
  int *active_row;                       // the first row of each
  const contact_element **passed;        // elements whose bodies can pass each other between two steps
  int passed_count;
  long *touched;                         // the number of the step in which each element last took part
  scheme_contact *last, *last_before;    // in this step, and in the one before it
  scheme_contact *shown;                 // as it was last read
  moreau_friction friction;              // of ideal joints
  // the contact problem
  block_list blocks;
  double *q_rows, *P, *xi, *rate_before, *rate_after;
  double *P_before;                      // of the constraints, in the step before this one
  double violation;                      // the largest |Φ| at the end of a step
  double *row_size;                      // what counts as a large violation, one per constraint row [rad or m]
  double seen_open[2];                   // the largest |Φ|, and over row_size, at a midpoint when it was last looked at
  double *lambda;                        // mean multipliers of the constraints in the last step
  bool *moves;                           // constraint rows that follow a function of time, and so do work
  solve_room room;                       // W and what the solvers need
  bool crowded;                          // room is made for problems as they come
  solve_settings solver;
  interrupt *stop;
  chain_tally tally, tally_before;
  contact_trouble trouble;
} moreau;

// --- moreau.c -------------------------------------------------------------------------------------------------------

// The scheme before its first step.
void moreau_begin(moreau *s);
// Driven speeds go from what they are at A to what their drives say at E.
void moreau_set_drives(moreau *s, const double *u, double t_mid, double t_end, double dt);
// q := q ⊕ h u where there are quaternions
void moreau_turn(moreau *s, double h, const double *u, double *q);
carom_status moreau_step(void *scheme, double t_stop, carom_error *error);

// The motion's q := q ⊕ h u, u := u
static inline void moreau_move_from(moreau *s, const double *q, const double *u, double h) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (m->nq == m->nv) {
    for (int i = 0; i < m->nv; i++) x->q[i] = q[i] + h * u[i], x->u[i] = u[i];
    return;
  }
  memcpy(x->q, q, (size_t)m->nq * sizeof *q);
  memcpy(x->u, u, (size_t)m->nv * sizeof *u);
  moreau_turn(s, h, u, x->q);
}

// The motion at (q_M, u_A), with accelerations of drives over the step.
static inline void moreau_go_to_midpoint(moreau *s, const double *q, const double *u, double t, double dt) {
  const mechanism *m = s->m;
  double t_mid = t + 0.5 * dt;
  moreau_move_from(s, q, u, 0.5 * dt);
  if (m->drive_count) moreau_set_drives(s, u, t_mid, t + dt, dt);
  s->x->t = t_mid;
  tree_kinematics(m, s->x);
  if (s->reads_coordinates) coordinate_update(m, s->x);
}

// --- moreau_book.c --------------------------------------------------------------------------------------------------

// Books the step that leads to u_end, with the motion still at its midpoint; `solved`: there were rows.
void moreau_book(moreau *s, double dt, bool solved, const double *u_end);

// --- moreau_show.c --------------------------------------------------------------------------------------------------

carom_status moreau_show(void *scheme, double t, carom_error *error);
void moreau_show_end(void *scheme);
bool moreau_result(void *scheme, carom_error *error);

#endif
