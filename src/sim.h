// What moves: a model's mechanism in motion under its scheme, with its ledger.
#ifndef SIM_H
#define SIM_H

#include "ledger/energy.h"
#include "build/model_internal.h"
#include "mechanics/control.h"
#include "mechanics/flexible_rate.h"
#include "scheme/scheme.h"
#include "solve/problem_dump.h"

// Rows with a number that is not finite, and the first of them.
typedef struct non_finite_rows {
  long count;
  const char *column;  // may be null
  double t;            // [s]
} non_finite_rows;

// What the sim has found at the states that a run in one piece looks at as well. States that are looked at only because
// a run ends there do not count, so that a run in parts finds the same.
typedef struct regular_looks {
  double largest, worst;  // of the energy ledger
  double violation;       // largest |Φ|
  long bookings;          // of energies
  int since_booked;       // steps since the last one
} regular_looks;

// The imbalance at the ends of the last step, once a row within it is shown.
typedef struct sim_step_ends {
  bool known;
  double t[2];          // [s]
  double imbalance[2];  // [J]
} sim_step_ends;

// What the last carom_sim_set_joint of a joint has ended with.
typedef struct joint_start {
  carom_status status;
  char *message;  // may be null
} joint_start;

enum { BOOK_EVERY = 32 };  // steps between two looks at energies and constraints

struct carom_sim {
  const carom_model *model;
  motion *x;
  const scheme_type *type;
  void *scheme;
  interrupt stop;       // asked within steps
  crew crew;            // of its threads
  problem_dump dump;    // of contact problems
  joint_start *starts;  // one per joint, then one for names that no joint has; for a batch
  energy_ledger ledger;
  contact_state *contacts;  // what is near
  impact_ledger impacts;
  bool evaluated;    // accelerations and reactions belong to the present state
  int since_booked;  // steps since the ledger looked
  double booked_t;   // when it did [s]
  sim_step_ends step_ends;
  regular_looks regular;
  bool ends;                       // what is read now is read because the run ends here
  bool counts_turns;               // of joints that are measured between markers
  double violation;                // largest |Φ| at the end of a step, as far as the sim has looked
  int since_checked;               // steps since it did
  flexible_deformation *deformed;  // one per body, the largest; null where no body is flexible
  non_finite_rows non_finite;
  bool energy_lost;             // its balance was not finite, first at
  double energy_lost_t;         // [s]
  long steps_before;            // of the run that was resumed
  long restarts;                // of an integrator, from checkpoints
  long points_due;              // rows of points that belong to the checkpoint it was resumed from
  double wall_s;                // in carom_sim_step
  carom_callback *callbacks;    // one per callback of the model, as bound
  callback_binding *bindings;   // what the motion needs of them
  double *callback_memory;      // of one of them, while it is saved or loaded
  double *row;                  // one value per signal
  double *slots;                // of an output's expression
  struct recording *recording;  // of the steps that a program takes; null: there is none
};

// recording.c: writes what a step has brought, if it has not failed. Returns the status of the step or, if that is
// CAROM_OK, that of the files.
carom_status recording_step(carom_sim *sim, carom_status status, carom_error *error);

// As carom_sim_create, with an interrupt that is also asked while the sim is made.
carom_sim *sim_create(const carom_model *model, bool (*go_on)(void *context), void *context, carom_error *error);

// --- parts of the sim ------------------------------------------------------------------------------------------------

// sim.c: the energies of the present state, whose forces are applied.
energy_balance sim_balance(const carom_sim *sim);
// sim_start.c: starts a new scheme at a state. The old one is kept when no other can be started, but the motion may
// then hold anything.
bool sim_start(carom_sim *sim, const scheme_start *from, carom_error *error);
// The same at the present state. After a failure the sim is as it was.
carom_status sim_restart(carom_sim *sim, carom_error *error);
// The motion of a sim kept in another, and put back after the sim's own was used as a workspace or no scheme could be
// started.
void sim_keep(carom_sim *sim, motion *to);
void sim_go_back(carom_sim *sim, const motion *before);
// sim_callback.c: whether all callbacks are bound. Reports otherwise.
carom_status sim_check_bound(const carom_sim *sim, carom_error *error);
// Reports a callback (motion.bad_callback) that has failed at about the time t, instead of anything reported before.
carom_status sim_blame_callback(const carom_sim *sim, int failed, double t, carom_error *error);

// --- what others use -------------------------------------------------------------------------------------------------

// Fails if a joint could not be set to its start: with the first of them, and the names of the others. Set again, a
// joint counts by its last try.
carom_status sim_check_starts(const carom_sim *sim, carom_error *error);

// Signals of the whole model: those of the mechanism, then the energy accounts, then those of each contact element,
// then the outputs.
int sim_signal_count(const carom_model *model);
bool sim_signal_is_mean(const carom_model *model, int i);  // over a step; else it belongs to the instant

// Has the scheme complete what it shows. Returns false where accelerations do not exist; a scheme that knows more about
// it says so in the error, which may be null.
bool sim_evaluate(carom_sim *sim, carom_error *error);
// All signals at the present state.
const double *sim_read_all(carom_sim *sim);
// The same array with the values of some signals; what else it holds is of another state.
const double *sim_read_some(carom_sim *sim, const int *signals, int count);

// Looks for numbers that are not finite among all signals at the present state.
void sim_check_row(carom_sim *sim, const double *row);
bool sim_has_booked(const carom_sim *sim);  // the energies of the present state
bool sim_is_finite(const carom_sim *sim);   // the motion as shown, and the energies as booked last
void sim_note_non_finite(carom_sim *sim, const char *column, double t);

// All that is needed to go on, and to show the last step: so many numbers (checkpoint.h). A sim that could not be
// resumed is of no use.
int sim_checkpoint_size(carom_sim *sim);
void sim_checkpoint(carom_sim *sim, double *row);
carom_status sim_resume(carom_sim *sim, const double *row, carom_error *error);
carom_status sim_load(carom_sim *sim, const double *row,
                      carom_error *error);  // the same, whatever callbacks remember beside it
// In a crowd also: a row for each point of the pairs that are near, so many numbers each. Without them a sim that is
// resumed finds the pairs that are near anew, and has forgotten what was known of them.
int sim_point_size(carom_sim *sim);
int sim_pair_points(const carom_sim *sim);
void sim_checkpoint_points(carom_sim *sim, double *rows);
carom_status sim_resume_points(carom_sim *sim, const double *rows, int count, carom_error *error);  // after sim_resume

void sim_close_episodes(carom_sim *sim);  // the run ends: rows of the episodes that are open

// Whether callbacks are bound, and what they remember can be kept and put back. Reports otherwise.
carom_status sim_check_memory(const carom_sim *sim, carom_error *error);

// One step towards a later time, which is not checked. Reads no clock, which takes a tenth of a short step: for loops
// that keep the time.
carom_status sim_take_step(carom_sim *sim, double t_stop, carom_error *error);
// Steps at which nobody looks, before t_stop and before the ledger's next look. Returns how many were taken.
long sim_fly(carom_sim *sim, double t_stop);

// Fails when the steps on the way to an end bring it no nearer; to be called after each.
typedef struct sim_pace {
  long steps;  // since
  double t;    // [s]
} sim_pace;
carom_status sim_check_progress(const carom_sim *sim, sim_pace *pace, double t_end, carom_error *error);

// Shows the state at a time within the last step, for rows between steps.
carom_status sim_show(carom_sim *sim, double t, carom_error *error);
void sim_show_end(carom_sim *sim);

#endif
