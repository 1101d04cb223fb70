// What the files of scheme `compliant` share.
#ifndef SCHEME_COMPLIANT_INTERNAL_H
#define SCHEME_COMPLIANT_INTERNAL_H

#include "base/arena.h"
#include "scheme/compliant.h"

// A point that has been let go of overlaps still, but its law would pull: it moves out faster than the surfaces recover.
typedef enum touch { TOUCH_OPEN, TOUCH_PRESSED, TOUCH_RELEASED } touch;

// What a point remembers from step to step.
typedef struct touch_memory {
  touch mode;
  double approach;            // speed at which it came, for the laws that need it [m/s]
  double elastic;             // the least that energy it has stored allows for that [m/s]
  double mobility;            // how fast a unit impulse along the normal parts it; 0: not needed [1/kg], of a turn [1/(kg m²)]
} touch_memory;

// What can be seen of a point at one instant.
typedef struct touch_look {
  double gap, rate;           // and how fast it changes [m], [m/s]
  double formula, normal;     // the normal force as its law says, and as it acts [N]
  double slip[2], drag[2];    // sliding velocity, and the friction force on the first body [m/s], [N]
  double loss[2];             // power lost normal to and along the surface [W]
} touch_look;

typedef struct touch_point {
  const contact_element *e;
  bool elastic;               // loses nothing normal to the surface
  double release;             // its approach is at least this times what the stored energy would give, 0: no such bound [-]
  bool lasts;                 // it is no impact any more, but follows the surface
  bool releases;              // its law may want to pull, and is not let
  touch_memory now, before;   // after the last step's end, and within the step
  double slow;                // a point that slides slower than this counts as sticking [m/s]
  double through;             // deeper than this it has gone through [m]
  double turns;               // when the force its law says was found to change its sign, infinite: not [s]
  int undecided;              // how often that happened at one instant, where a force only just touches zero
  bool entered;               // with the last change of modes
  double first_step;          // the step that suited when it last entered, 0: not known [s]
  int inner;                  // the first of its inner states, -1: none
  int inner_count;
} touch_point;

enum { UNDECIDED_MOST = 4 };  // then the mode it has is kept for a step

enum { LOOK_START, LOOK_MIDDLE, LOOK_END, LOOK_COUNT };

typedef struct compliant {
  arena memory;
  const mechanism *m;
  motion *x;
  const contact_set *contacts;
  impact_ledger *impacts;
  compliant_settings settings;
  smooth *core;
  int n;                      // of the state
  double nearness;            // gaps closer to zero than this cannot be told from it [m]
  double t, t_before;         // the last step, as far as it was taken
  double *y, *y_look;
  touch_point *point;
  double *rows;               // workspace, one number per constraint row and one more
  contact_point *points;      // as last evaluated
  touch_look *seen;           // likewise
  double seen_at;             // when that was, for an evaluation within the integrator's last step; else NaN [s]
  touch_look *look[LOOK_COUNT];  // at the start, middle and end of the last step
  scheme_contact *shown;
  double shorter;             // the longest the next step may be, 0: no matter [s]
  bool restart;               // the forces are no longer those of the last step
  bool law_changed;                // since the last step: the bound of an approach speed has risen
  bool in_the_past;           // the motion shows a time within the last step, with the modes it had there
  long looks;                 // evaluations beside the integrator's
  long steps, steps_before;   // taken, and those of the run that was resumed
  contact_trouble trouble;
} compliant;

static inline bool entry_is_gated(const compliant *s) {  // an open point does not push before its entry was seen
  return s->settings.entry == ENTRY_LOCATE || s->settings.entry == ENTRY_RESTART;
}

// Forces at the motion's present state, into s->seen; and the same with the forces pushed on the bodies.
void compliant_see(compliant *s);
void compliant_push(void *scheme, const mechanism *m, motion *x);
// The normal force at a gap and a rate; false: the point does not push.
bool compliant_press(const compliant *s, int p, touch_look *at);
// The motion at a time within the integrator's last step, seen.
bool compliant_see_at(compliant *s, double t);

// What the energy stored at a penetration allows as speed of approach at least.
double compliant_elastic_speed(const touch_point *c, const touch_memory *memory, double delta);
// The mobility of a point in the state the motion holds.
double compliant_mobility(compliant *s, int p);

// Looks at the integrator's last step and says how far it may be taken: to the first change of a mode, or to its end.
// The looks at start, middle and end are then those of the part taken. False: the motion could not be evaluated.
bool compliant_watch(compliant *s, double *until);
// The force as a point's law says; at the surface, where it may vanish with the penetration, that just inside.
double compliant_tendency(const compliant *s, int p, const touch_look *at);
// When, within a step that was looked at, a point stops moving in; NaN: not in this step.
double compliant_deepest(const compliant *s, int p, double from, double to);
// Enters what was looked at, from one time to another, into the ledger of impacts. Losses are those of the integrated
// accounts, shared among the points as the looks share them.
void compliant_book(compliant *s, double from, double to, const double lost[2]);

#endif
