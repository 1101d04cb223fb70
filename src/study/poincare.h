// A Poincaré section of a sim: the states at which it is met, set, compared and disturbed.
//
// A section is an instant of each period of the drives, or the crossing of a value by a signal. A state is all that a
// rigid motion goes on with: time, coordinates, speeds and inner states.
#ifndef STUDY_POINCARE_H
#define STUDY_POINCARE_H

#include "sim.h"

// --- the section -----------------------------------------------------------------------------------------------------

// As a user gives it.
typedef struct section_words {
  const char *period;  // an expression over the parameters of the model; may be null
  const char *signal;  // null if sections are periods
  double value;
  int direction;  // 1: the signal rises through the value; -1: it falls; 0: both
} section_words;

// In one model.
typedef struct section_rule {
  double period;  // of the drives; 0: the motion does not depend on time [s]
  int signal;     // -1: the sections are the periods
  double value;
  int direction;
  double longest;  // until the next crossing [s]
} section_rule;

// Reads `SIGNAL=VALUE`, with `:rising`, `:falling` or `:both` behind it. Returns false after reporting.
bool section_read(arena *memory, const char *period, const char *crossing, section_words *to, carom_error *error);
// Returns false after reporting.
bool section_find(arena *memory, const section_words *text, const carom_model *model, section_rule *to,
                  carom_error *error);

// --- states ----------------------------------------------------------------------------------------------------------

typedef struct section_state {
  double t, *q, *u, *z;
} section_state;

section_state section_state_make(arena *memory, const carom_sim *sim);
void section_state_copy(const carom_sim *sim, section_state *to, const section_state *from);
void section_state_take(const carom_sim *sim, section_state *to);  // what the sim shows now
// Starts the sim at a state, of this or of a like model. Loops are closed again.
carom_status section_state_start(carom_sim *sim, const section_state *from, carom_error *error);
bool section_state_fits(const carom_model *a, const carom_model *b);  // whether a state of one is a state of the other

// Displacements of states, one number for each speed that is not driven (along it), then for its rate, then for each
// state of the model.
typedef struct section_space {
  const mechanism *m;
  int n, *speed;  // speeds that are not driven
  int count;      // of numbers: 2 n + states
  double *scale;  // what counts as large, one for each number
  double *error;  // absolute tolerance of a step, one for each number; zero where the method controls no error
  double *move;   // one per speed
} section_space;

section_space section_space_make(arena *memory, const carom_model *model);
bool section_controls_error(const carom_model *model);  // its method keeps the errors of steps to a tolerance
// to = b - a. Angles are compared without whole turns.
void section_difference(const section_space *s, const section_state *a, const section_state *b, double *to);
// to = a + factor delta
void section_move(const section_space *s, const section_state *a, double factor, const double *delta,
                  section_state *to);
double section_size(const double *scale, const double *delta, int count);  // largest of the first, over their scales

// --- the motion from section to section ------------------------------------------------------------------------------

// What happened on the way, since it was cleared.
typedef struct section_ledger {
  long impacts;    // that have ended
  double slowest;  // smallest approach speed among them [m/s]
  double since;    // impacts that began before do not count [s]
} section_ledger;

typedef struct section_walk {
  carom_sim *sim;
  const section_rule *of;
  double began;       // where it was started [s]
  long passed;        // sections since
  double until;       // the last step is searched up to here [s]
  double not_before;  // crossings before are those of the start [s]
  section_ledger ledger;
  double *low, *high, *fast;  // extremes of coordinates, and of the magnitudes of speeds; may be null
} section_walk;

// From the present state of the sim. The walk must stay where it is while the sim is used.
void section_walk_begin(section_walk *w, carom_sim *sim, const section_rule *of);
// To the next section, which the sim then shows. Fails if a step does, or if there is no crossing in the longest time.
carom_status section_walk_next(section_walk *w, carom_error *error);
// To a time, for motions that are compared at equal times.
carom_status section_walk_to(section_walk *w, double t, carom_error *error);
void section_walk_clear(section_walk *w);  // its ledger, from the present time on
// The extremes from here on, and the scales that follow from them.
void section_walk_watch(section_walk *w, arena *memory);
void section_walk_scale(const section_walk *w, section_space *s);
long section_walk_rests(const section_walk *w);  // infinite sequences of impacts that the method has summed so far

#endif
