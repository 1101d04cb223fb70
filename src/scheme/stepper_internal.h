// What the files of the stepper core share.
#ifndef SCHEME_STEPPER_INTERNAL_H
#define SCHEME_STEPPER_INTERNAL_H

#include <math.h>
#include <string.h>

#include "mechanics/centre.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/response.h"
#include "mechanics/tree.h"
#include "scheme/paradox.h"
#include "scheme/stepper.h"
#include "scheme/stepper_friction.h"
#include "solve/blocks.h"
#include "solve/islands.h"
#include "solve/problem_dump.h"
#include "solve/storage.h"

// Removal of overlap: its problem has the constraint rows and one normal row for each active point.
typedef struct stepper_overlap {
  block_list blocks;
  double *q, *r, *u, *own, *diagonal;  // by row
  double *height;                      // of each active point above the depth that it may keep [m]
  double *W;                           // dense; null in a crowd
  double *displacement;                // of this step, one per speed
  double *from;                        // coordinates before it
  bool moves;                          // it is not zero
  double depth, depth_before;          // the deepest overlap that this step removes, and the one before it [m]
  double shift;                        // the farthest that the last step moved a surface [m]
  double energy, energy_A;             // put in by it until now, and until the start of the last step [J]
} stepper_overlap;

// A fast pair that may meet on the way that is looked at.
typedef struct stepper_suspect {
  const contact_element *e;
  bool again;     // rows of this step have found it at the start of the way
  bool touching;  // it touched there and has not parted since,
  double gap;     // with this gap at the start [m]
} stepper_suspect;

// Since when the points of an element are the same in every step, and the last step that has them.
typedef struct stepper_known {
  long since, last;
} stepper_known;

// Bodies at rest, see stepper_rest.c.
typedef struct stepper_rest {
  bool any;       // there are free bodies that carry no others: positions of these are rounded where rows are evaluated
  bool *single;   // by node: ground, or a free body that carries no others
  double *exact;  // positions there before they are rounded
  double *rounded;            // and rounded, in the last step; NaN: not known
  double finest;              // what places are rounded to [m]
  bool *still;                // by node: ground, or one of them that is where it was in the last step
  stepper_known *known;       // by slot of an element
  int *active, active_count;  // points that took part in the last step
  bool same;                  // rows of this step are those of the last one,
  bool formed;                // for which the matrix was formed and islands were found
} stepper_rest;

// What a step says of an active point to the ledger, and to the losses of all (stepper_book.c).
typedef struct stepper_point_entry {
  impact_step step;
  double loss, slack;  // what it took, and the most of it that may be the work of forces within the step or rounding
  bool presses;        // with a force: the step is booked; else
  bool leaves;         // it opens
  bool leaps;          // it is deeper than a step may first find it
  double rate, made;   // along the normal at the start of the step, and what one step makes (stepper_rate_made)
} stepper_point_entry;

// What the points of a chunk, which follow each other, give in all.
typedef struct stepper_chunk_sums {
  double loss, slack;
  impact_sums ledger;
} stepper_chunk_sums;

// Work and losses until now, and until the start of the last step (stepper_book.c).
typedef struct stepper_books {
  char *left;                    // of each active point: what the ledger's one writer has left to do with it
  stepper_point_entry *entries;  // of those with which all is left, from the first place of their chunk on
  stepper_chunk_sums *sums;      // of each chunk of active points
  double accounts[POWER_COUNT], accounts_A[POWER_COUNT];
  double losses[2], losses_A[2];  // of contacts, normal and tangential, likewise
  bool differ;                    // accounts and losses at the start of the last step are not those at its end
} stepper_books;

// How a point opens and closes (stepper_chatter.c).
typedef struct stepper_chatter {
  long pressed, since;  // the last step in which it was pressed, and the first of those in a row
  long closings;        // slow ones in a row, each within a few steps of the last
} stepper_chatter;

// Elements that follow each other are listed together: how many of their points take part and how many rows these have,
// then the places of the first ones.
typedef struct stepper_chunk {
  int points, rows;
  bool changed;  // one that takes part has not the points of the last step
} stepper_chunk;
enum { STEPPER_CHUNK = 64 };  // elements of one, or active points of those below

// What is near, by slot of points and elements, and the points that take part (stepper_candidates.c; stepper_pairs.c
// lays it out).
typedef struct stepper_near {
  int point_capacity, element_capacity;  // of arrays by slot of points and elements
  contact_point *points, *before;        // where rows are evaluated in this step, and in the one before it
  contact_point *looked;                 // where something is looked at, for the moment
  bool *struck;                          // points whose approach a step has dealt with since they were last apart
  bool *
      stands;  // active points that do not part at the end of the last step, or so slowly that they are back within one
  stepper_chatter *chatter;
  bool *moved,
      *moved_before;  // points that were moved out of an overlap since they last left; before the step that is tried
  double *nearest;    // how deep they overlapped since, on straight ways, as a gap [m]
  const contact_element **element_of;  // the element of each point, of `contacts`
  int *active, active_count;           // points that take part in this step
  int *active_row;                     // the first row of each
  stepper_chunk *chunks;               // of the live elements, in their order
  bool *takes_part, *has_passed;       // elements of which a point takes part in this step; that have gone through each
                                       // other since the last
  bool any_passed;
  bool passes;    // there are elements whose bodies can pass each other between two steps
  long *touched;  // the number of the step in which each element last took part
} stepper_near;

// What was found at the end of a run (stepper_look_at_end).
typedef struct stepper_at_end {
  long leaps;            // in the second half of the last step,
  contact_first missed;  // and the first of them
  double deepest;        // the largest penetration at its end [m]
  double entered;        // likewise, of points that no step has dealt with [m]
} stepper_at_end;

// Times of impact of fast bodies (stepper_impact.c).
typedef struct stepper_meeting {
  bool any;                   // steps are made shorter where fast bodies would pass each other,
  bool now;                   // and this one has such bodies
  double thinnest;            // of all surfaces [m]
  stepper_suspect *suspects;  // pairs that may meet on the way that is looked at
  int suspect_count;
} stepper_meeting;

// The contact problem, by row, its matrix and its solvers (stepper_problem.c, stepper_matrix.c).
typedef struct stepper_rows {
  int row_capacity;  // of arrays by row
  block_list blocks;
  double *q, *P, *xi;
  double *rate_before, *rate_free, *rate_after;  // γ at A, of the free velocity, at E
  double *P_before;                              // of the constraints, in the step before this one
  double *rate_R;  // three per point: its rates at the end of the last step, by the rows of that step; NaN: not known
  double *onward;  // what rows turn by from where they are evaluated to the end of the step, by row (find_onward)
  solve_storage storage;  // W and what the solvers need
  solve_problem whole;    // of the step under way
  bool crowded;           // W is not formed: pieces and islands take its place
  response_pieces pieces;
  solve_islands islands;
  solve_settings solver;
  chain_tally tally, tally_before;
} stepper_rows;

// Of a step whose length is not that of the one before (stepper_solve_evenly).
typedef struct stepper_even {
  double *P, *q, *u;  // the problem with the turn of its rows as in steps of equal length (turn_evenly): percussions,
                      // right-hand side, velocity
  double *turn;       // what rows turn by, for that
  double excess;      // of the step under way, see stepper_excess
  const double *P_mean;  // percussions whose means over the step are shown: those of the problem, or these
} stepper_even;

// Constraints at the ends of steps (stepper_project.c).
typedef struct stepper_projection {
  long failures;
  double energy, energy_A;
  bool driven;             // something moves by a function of time, and may meet a lock-up
  double independence[3];  // of the constraint rows at the last ends of steps, latest first; NaN: not known
  double *placed, *before_placing, *unplaced;  // scratch, one per coordinate
  double violation;                            // the largest |Φ| at the end of a step
  double *row_size;                            // what counts as a large violation, one per constraint row [rad or m]
  double seen_open[2];  // the largest |Φ|, and over row_size, where rows are evaluated, when it was last looked at
} stepper_projection;

// What is shown of the last step (stepper_show.c).
typedef struct stepper_shown {
  bool shows_A;                        // the time shown is before the velocity jumps
  bool trying;                         // it is a trial: the ledger of impacts is left alone
  scheme_contact *last, *last_before;  // in this step, and in the one before it
  scheme_contact *contacts;            // as it was last read
  double *lambda;                      // mean multipliers of the constraints in the last step
  bool *moves;                         // constraint rows that follow a function of time, and so do work
} stepper_shown;

// What all parts need, and the parts.
typedef struct stepper {
  arena memory;
  const stepper_rule *rule;
  double gone;  // θ/(1-θ): the part of a step up to where its rows are evaluated, over the rest
  const mechanism *m;
  motion *x;
  contact_state *contacts;
  stepper_settings settings;
  impact_ledger *impacts;  // where contacts are booked: the ledger, or none in a trial
  impact_ledger *ledger;
  double t;
  double grid;                // the multiple of the step that the last one went for
  long steps;                 // taken
  double *q, *u;              // the state, one array: at E when a step is done
  double *q_next, *u_next;    // room for that of the next one, while it may still be given up
  double *q_A, *u_A;          // where the last step began,
  double t_A, dt;             // when, and how long it was; 0: there was none
  const double *u_R;          // of the step under way: u_A as it is where rows are evaluated, see stepper_move_from
  double *u_carried;          // holds it where it is not u_A itself
  double *z, *z_A, *z_rate;   // states of the model likewise, and their rates over the last step
  double dt_before;           // the step before it; 0: there was none
  double *u_free, *u_end;     // of the step under way
  double *displacement;       // scratch, one per speed
  bool implicit;              // stiffness and damping of flexible bodies are
  bool sweeps;                // kinematics and free velocity are found at once (response_sweep)
  bool may_fly;               // steps without contact take the short way of stepper_flight.c
  bool may_take_pairs;        // and in those with contact rows need not be written
  bool has_powers;            // forces, or damped modes of flexible bodies, work on the model
  bool reads_coordinates;     // forces, constraints or stops ask for joint coordinates within a step
  stepper_friction friction;  // of ideal joints
  bool led;                   // positions do not follow velocities alone: drives or projection lead them
  stepper_overlap overlap;
  stepper_rest rest;
  interrupt *stop;
  contact_trouble trouble;
  paradoxes paradoxes;  // of the step under way
  stepper_books books;
  stepper_near near;
  stepper_at_end at_end;
  stepper_meeting meeting;
  stepper_rows problem;
  stepper_even even;
  stepper_projection projection;
  stepper_shown shown;
} stepper;

enum { REMEMBERED = 2 };  // steps whose contacts are known

// Its memory but for what is shown.
void stepper_state_fields(stepper *s, fields *f);

// --- stepper_rest.c --------------------------------------------------------------------------------------------------

void stepper_rest_create(stepper *s);
// Nothing is known of the last step: it was given up, or the state is another one.
void stepper_rest_forget(stepper *s);
// Rounds the positions of free bodies, of the motion.
void stepper_round_positions(stepper *s);
// Which bodies are where the last step had them, the motion being where rows are evaluated. Once in each step that is
// tried.
void stepper_rest_look(stepper *s);
// Whether the points of an element, and what is known of them in `last`, are those of two steps before and so need not
// be found. Once in each step.
bool stepper_rest_keeps(stepper *s, const contact_element *e);
// Whether the points that take part, all known by now, are those of the last step.
void stepper_rest_compare_rows(stepper *s);

// --- stepper_step.c --------------------------------------------------------------------------------------------------

// No mechanism is as fast as this [m/s], and no state as large: what exceeds it has grown from step to step.
#define BEYOND_BOUNDS 1e30

// What to do about a motion or a state that is not finite.
const char *stepper_advice(const stepper *s);

// The last step's points and contacts for those of the one before it.
void stepper_exchange_steps(stepper *s);

// Driven speeds go from what they are at A to what their drives say at E.
void stepper_set_drives(stepper *s, const double *u, double t_rows, double t_end, double dt);
// Adds h u to the motion's q and carries its u along, where there are quaternions or mass centres beside the
// coordinates.
void stepper_move_on(stepper *s, const double *q, double h);

// The motion's q := q ⊕ h u, u := u, with u carried along: mass centres of free bodies keep their velocity, and their
// bodies turn about them.
static inline void stepper_move_from(stepper *s, const double *q, const double *u, double h) {
  const mechanism *m = s->m;
  motion *x = s->x;
  if (m->nq == m->nv && !m->off_centre) {
    for (int i = 0; i < m->nv; i++) x->q[i] = q[i] + h * u[i], x->u[i] = u[i];
    return;
  }
  memcpy(x->u, u, (size_t)m->nv * sizeof *u);
  stepper_move_on(s, q, h);
}

// The state takes the positions that the motion was moved to beside its velocities, and carries its own and the
// motion's velocities there.
void stepper_take_positions(stepper *s);

// Forces at (q_R, u_R, z_A), where the motion is, or for velocity_terms: midpoint at the velocity and the states of the
// middle of the step. Finds the rates of the states. Returns false if it is singular there.
bool stepper_apply_forces(stepper *s, const double *z, double dt);
// The mean accelerations of a step from u_R to u_end, both where rows are evaluated and the motion is: (u_end - u_R)/Δt
// without what mass centres lack by turning.
void stepper_mean_accelerations(const stepper *s, const double *u_end, double dt, double *udot);

// The motion at (q_R, u_R), where rows are evaluated, with accelerations of drives over the step.
static inline void stepper_go_to_rows(stepper *s, const double *q, const double *u, double t, double dt) {
  const mechanism *m = s->m;
  double way = s->rule->place * dt, t_rows = t + way;
  stepper_move_from(s, q, u, way);
  s->u_R = m->off_centre ? memcpy(s->u_carried, s->x->u, (size_t)m->nv * sizeof *u) : u;
  if (m->drive_count) stepper_set_drives(s, u, t_rows, t + dt, dt);
  s->x->t = t_rows;
  if (s->rest.any) stepper_round_positions(s);
  tree_kinematics(m, s->x);
  if (s->reads_coordinates) coordinate_update(m, s->x);
}

// --- stepper_flight.c ------------------------------------------------------------------------------------------------

// Whether the mechanism is one whose steps without contact are short.
bool stepper_may_fly(const stepper *s);
// Where the model sweeps: the motion where rows are evaluated, and u_free. Returns false if it is singular.
bool stepper_sweep(stepper *s, double dt);
// Whether nothing but weight acts in this step. If so, u_free is the velocity at its end and the motion is where rows
// are evaluated. If not, nothing is changed but the motion.
bool stepper_flies(stepper *s, double dt);
// Whether contacts of the mechanism can be taken as pairs.
bool stepper_may_take_pairs(const stepper *s);
// Whether the active points of this step are: their rows are then not written.
static inline bool stepper_takes_pairs(const stepper *s) {
  return s->may_take_pairs && !s->problem.crowded && s->even.excess == 0 && s->x->row_total <= RESPONSE_PAIRS;
}
// Rates before the step and of the free velocity, and W. Returns false if a row can hardly move: then rows are to be
// written.
bool stepper_take_pairs(stepper *s);

// --- stepper_chatter.c -----------------------------------------------------------------------------------------------

// A point was not pressed of late.
void stepper_chatter_begin(stepper *s, int point);
// A point is pressed in the step under way, which it began with this rate, where one step makes the rate `made`.
// Returns whether it is found to chatter, which is then to be counted.
bool stepper_chatter_watch(stepper *s, int point, double rate, double made);
void stepper_chatter_count(stepper *s, int point);
void stepper_chatter_fields(stepper *s, int point, fields *f);

// --- stepper_candidates.c --------------------------------------------------------------------------------------------

// The points that take part in this step, and their rows.
void stepper_find_active(stepper *s, double dt);
// Their rows, where that has not written them.
void stepper_write_rows(stepper *s, double dt);
// After a step that was solved: points stand for the places where it found them, and nothing is known of those that
// stood for others.
void stepper_hold_places(stepper *s);
// The next step finds common normals from those of this one, where surfaces touched.
void stepper_keep_starts(stepper *s);
// Whether no point of an element touches, where that is cheap to know. A gap that is not a number is none.
static inline bool stepper_is_apart(const stepper *s, const contact_element *e) {
  return e->type->least_gap && e->type->least_gap(s->m, s->x, e) > s->contacts->activation;
}
// A point of an element took part in one of the steps that are remembered.
static inline bool stepper_touched_of_late(const stepper *s, const contact_element *e) {
  return s->steps - s->near.touched[e->slot] <= REMEMBERED;
}
// In the step of this length that is under way.
void stepper_look_for_passages(stepper *s, double dt);
// For a run that ends with this step: penetrations at its end, and impacts that it missed after the place of its rows.
carom_status stepper_look_at_end(stepper *s, carom_error *error);

// The point of an element with the least gap, which is that of the element: points without a place have a larger one.
static inline const contact_point *stepper_least_of(const contact_element *e, const contact_point *points) {
  const contact_point *least = &points[e->point0];
  for (int p = e->point0 + 1; p < e->point0 + e->point_count; p++)
    if (points[p].gap < least->gap) least = &points[p];
  return least;
}

// Bodies that slide over each other move on chords of the path of contact: a way that leads less than this part of a
// body's thickness into the other is no passage. Even a real one would have an approach of a few per cent of their
// speed.
static inline double stepper_graze(const stepper *s, const contact_element *e) {
  return fmax(s->contacts->activation, 1e-3 * e->span);
}

// Whether rows of an active point p that lasts hold at the end of a step, with what they turn by until then: those of
// free bodies, whose momentum a step keeps. In space only where they touch in one point: turns of several points are
// not quite those of rigid bodies, and solvers do not get as far.
static inline bool stepper_turns(const stepper *s, const contact_element *e, int p) {
  const contact_point *at = &s->near.points[p];
  return s->rule->ahead == 0 && contact_is_of_surfaces(e) && (s->m->planar || e->point_count == 1) &&
         s->rest.single[at->node_first] && s->rest.single[at->node_second];
}

// Rates of a row at the ends of the step under way.
static inline double stepper_rate_at_start(const stepper *s, int row) {
  return s->problem.rate_before[row] - s->gone * s->problem.onward[row];
}
static inline double stepper_rate_at_end(const stepper *s, int row) {
  return s->problem.rate_after[row] + s->problem.onward[row];
}

// For loops over active points that are at the k-th one: fetches the element of one to come. Returns the slot of a
// nearer one, of which the loop then fetches what it reads; -1 at the end.
static inline int stepper_coming(const stepper *s, int k) {
  int p = k + CONTACT_COMING;
  if (p + CONTACT_COMING < s->near.active_count)
    fetch(s->near.element_of[s->near.active[p + CONTACT_COMING]], CONTACT_EVERY_STEP);
  return p < s->near.active_count ? s->near.active[p] : -1;
}

// --- stepper_impact.c ------------------------------------------------------------------------------------------------

void stepper_begin_impacts(stepper *s);
// Whether a pair that meets at this speed does so at the time of impact, where rows are evaluated.
bool stepper_is_instant(const stepper *s, const contact_element *e, double approach);
// Whether something moves so fast that a step of this length may miss an impact, the motion being where rows are
// evaluated.
bool stepper_any_fast(const stepper *s, double dt);
// How long the step may be for its rows to find what bodies meet: on their way there, and, by the velocity at its end,
// behind. Returns dt if it finds all. The motion is and stays where rows are evaluated.
double stepper_meet_before_rows(stepper *s, double dt);
double stepper_meet_after_rows(stepper *s, double dt, const double *u_end);

// --- stepper_pairs.c -------------------------------------------------------------------------------------------------

// Arrays by slot and by row, as large as contacts and motion say. Allocates from the arena.
void stepper_enlarge(stepper *s);
// The same where contacts come and go: contact_state.reserve.
bool stepper_reserve(void *scheme, int rows);
static inline void stepper_forget_rates(stepper *s, int p) {
  for (int k = 3 * p; k < 3 * p + 3; k++) s->problem.rate_R[k] = NAN;
  s->near.stands[p] = false;
}
// A point of which nothing is known.
void stepper_forget_point(stepper *s, int p);
// Finds the pairs that are near, from `behind` before to `ahead` after where the motion is.
carom_status stepper_refresh(stepper *s, double behind, double ahead, carom_error *error);
// The same where rows are evaluated, and at the end of a step.
carom_status stepper_meet(stepper *s, double dt, carom_error *error);
carom_status stepper_meet_at_end(stepper *s, carom_error *error);

// All that a trial changes: the memory of scheme and pairs, and behind it the state of the motion.
typedef struct stepper_kept {
  double *numbers, *motion;
} stepper_kept;
carom_status stepper_keep(stepper *s, stepper_kept *k, carom_error *error);
carom_status stepper_put_back(stepper *s, stepper_kept *k, carom_error *error);  // and frees it

// --- stepper_problem.c -----------------------------------------------------------------------------------------------

// Storage for the largest contact problem, if it is not that of a crowd. False after reporting.
bool stepper_prepare_storage(stepper *s, carom_error *error);
carom_status stepper_solve(stepper *s, double dt, carom_error *error);
// The change of the normal rate of an active point that one step makes: by forces, and by the turning of its row.
double stepper_rate_made(const stepper *s, int k);
// Solves again until the friction of joints fits the load; u_end follows.
carom_status stepper_settle_friction(stepper *s, double dt, carom_error *error);
// How much longer a step is than the time in which its rows turn, from where the step before evaluated them or the
// start to where this one does, over that time. Zero for steps of one length. Infinite where no time lies between: in
// the first step of a rule that evaluates its rows at the start.
double stepper_excess(const stepper *s, double dt, double dt_before);
// For a step with such an excess: finds the percussions that are shown, and the friction of joints under load.
carom_status stepper_solve_evenly(stepper *s, double dt, carom_error *error);
void stepper_look_for_paradox(stepper *s);

// --- stepper_matrix.c ------------------------------------------------------------------------------------------------

// Decides by the rows of the largest problem, whose blocks are listed. False after reporting.
bool stepper_make_storage(stepper *s, int row_count, carom_error *error);
void stepper_free_storage(stepper *s);
// The matrix over all rows of the blocks listed, redundant constraint rows decoupled. Rows may then be decoupled by
// stepper_hold (response_hold), until stepper_finish_matrix.
carom_status stepper_form_matrix(stepper *s, carom_error *error);
bool stepper_hold(stepper *s, int row_index);
carom_status stepper_finish_matrix(stepper *s, carom_error *error);
// The problem of this matrix and the present q_rows.
const solve_problem *stepper_problem(stepper *s);
static inline double stepper_entry(const stepper *s, int i, int j) {
  if (s->problem.crowded) return i == j ? s->problem.pieces.diagonal[i] : response_product(&s->problem.pieces, i, j);
  return s->problem.storage.W[(long)i * s->x->row_total + j];
}
// The velocity at the end of the step and the rates there, from the percussions of a crowd of free bodies whose problem
// is solved once. Returns false of others.
bool stepper_respond(stepper *s);
// to := M⁻¹ Gᵀ P over all rows, by the pieces where there are.
void stepper_displace(stepper *s, const double *P, double *to);
// to := |W| |P|, or a bound of it. Overwrites `displacement`.
void stepper_absolute(stepper *s, double *to);

// --- stepper_project.c -----------------------------------------------------------------------------------------------

void stepper_begin_projection(stepper *s);
carom_status stepper_project(stepper *s, carom_error *error);
// The motion at a time within the last step, with `project` on its constraints. Returns false if no position nearby
// meets them.
bool stepper_place(stepper *s, double t);
bool stepper_opens(stepper *s, double dt);
carom_status stepper_watch_drift(stepper *s, carom_error *error);

// --- stepper_states.c ------------------------------------------------------------------------------------------------

// The mean rate of state k over h from the value z on, from its value and rate in the motion.
double stepper_state_rate(const stepper *s, int k, double z, double h);
// The states at the end of the step, and in the motion at a time within it.
void stepper_move_states(stepper *s, double t_end);
void stepper_place_states(stepper *s, double t);
// Fails if a state is not finite, or if its rate becomes infinite within the step.
carom_status stepper_check_states(stepper *s, carom_error *error);

// --- stepper_overlap.c -----------------------------------------------------------------------------------------------

// Finds the displacement that removes overlap at the end of the step, from the solution of its contact problem and the
// rates after it.
carom_status stepper_find_overlap(stepper *s, double dt, carom_error *error);
// Adds it to the state at the end of the step, and books its energy.
void stepper_remove_overlap(stepper *s);

// --- stepper_book.c --------------------------------------------------------------------------------------------------

// Books the step that leads to u_end, with the motion still where rows are evaluated; `solved`: there were rows.
void stepper_book(stepper *s, double dt, bool solved, const double *u_end);

#endif
