// What the files of scheme `iterative` share.
#ifndef SCHEME_ITERATIVE_INTERNAL_H
#define SCHEME_ITERATIVE_INTERNAL_H

#include "scheme/event_internal.h"
#include "scheme/iterative.h"

// Of each point: the normal force at both ends of a step, and the turning of friction.
enum { ITERATIVE_TRIALS = 12, ITERATIVE_HISTORY = 2, ITERATIVE_UNKNOWNS = 3 };
#define ITERATIVE_ROUNDING 1e3  // what a trial misses may be rounding up to so many times the tolerance

// Of the paper's form, in the step under way: not asked yet; slides, in the direction without friction or with it;
// sticks.
typedef enum iterative_regime {
  ITERATIVE_ASKED_LATER,
  ITERATIVE_BEGINS_TO_SLIDE,
  ITERATIVE_SLIDES,
  ITERATIVE_STICKS
} iterative_regime;

// The normal force of a point in the step under way, base + slope (t - t0), and what is known of the point beside it.
typedef struct iterative_force {
  double base, slope;  // [N], [N/s]
  // located: forces at the starts of steps since the last change, so many of them, the last one first
  int known;
  double t[ITERATIVE_HISTORY], before[ITERATIVE_HISTORY];
  double
      mobility;  // of a slip in space: its largest change under a unit impulse along the surface, as last found [1/kg]
  double slip[2];  // likewise, at the start of the step under way [m/s],
  double slip_at;  // which was then [s]
  double pace;     // how long the next step may be for its slip [s]
  bool leads;      // friction does not follow the slip at each instant: its direction turns evenly over the step,
  double turn;     // at this rate [rad/s]
  // paper: in the world, fixed during a trial
  contact_mode mode_before;  // at the start of the step
  iterative_regime regime;
  vec3 normal, way;  // of the force, and of slip that friction is opposed to; zero: there is none
  vec3 slip_before;  // slip at the start of the step [m/s]
} iterative_force;

// A step that is under way, or the last one.
typedef struct iterative_begun {
  double t;                 // its start [s]
  bool restart;             // something has changed there
  iterative_force *before;  // by slot: what was known of each point when it began
} iterative_begun;

// Trial steps from one state.
typedef struct iterative_trial {
  bool active;    // normal forces are given, and the end of a step is examined
  bool found;     // the last one is good
  bool lost;      // the iteration does not converge
  bool taken;     // forces are given that no trial corrects any more
  double t0, t1;  // where they start, and where the last one ended [s]
  int count;
  double worst;   // what the last one missed, over the tolerance
  bool is_small;  // so little that it may be rounding
  int point;      // the point that missed most; -1: none
  double *x;      // corrections of the unknowns of the points that take part, for Broyden's method:
  int steps;      // so many of them
} iterative_trial;

typedef struct iterative {
  event e;  // modes, impacts and events
  watcher_type watched;
  carom_iterative_def options;
  iterative_force *force;  // by slot
  iterative_begun begun;
  iterative_trial trial;
  bool constant;     // forces are constant over a step, for the gap alone
  double moment[2];  // change of the gap at the end over h² W, by the forces at both ends
  double brief;      // see event
  double close;      // gaps [m] and rates [m/s] that count as zero at the end of a step
} iterative;

// --- iterative.c -----------------------------------------------------------------------------------------------------

// The forces on all rows under given normal forces, see event.prescribe.
bool iterative_react(event *e);

// --- iterative_trial.c -----------------------------------------------------------------------------------------------

void iterative_begin_trials(iterative *s);
// Whether the last trial is good: it misses by less than the tolerance, or by little and no less than the one before.
bool iterative_is_good(const iterative_trial *trial, double before);
// Corrects the forces of the points that take part, whose gaps and rates at the end of a trial are known. Returns false
// if there is no correction.
bool iterative_correct(iterative *s);
// After a trial: whether there is another one, perhaps to an earlier end. Where no forces are found the last one is
// taken with those of complementarity, and counted.
bool iterative_try_again(iterative *s, bool failed, int most, double *until);

// The largest friction of a point at the start of the step [N].
static inline double iterative_friction(const iterative *s, int p) {
  return s->e.point[p].friction * s->e.w.look[WATCH_START][p].normal;
}

// --- iterative_located.c: forces that are linear over a step -----------------------------------------------------------

void iterative_located_begin(iterative *s);                               // forces to begin with, before a step
double iterative_located_limit(const iterative *s, double t_stop);        // of the next step [s]
bool iterative_located_examine(iterative *s, double t, const double *y);  // the end of a trial; corrects the forces
// Of a point whose friction leads: the direction that friction is opposed to, along both tangents; and the change of
// its angle at the end of the step that brings the slip there onto it.
void iterative_located_direction(const iterative *s, int p, double t, double d[2]);
double iterative_located_turn(const iterative *s, int p);

// --- iterative_paper.c: forces that are constant over a step -----------------------------------------------------------

void iterative_paper_begin(iterative *s);
void iterative_paper_set_mode(iterative *s, int p, contact_mode mode);
void iterative_paper_give(iterative *s);  // forces of slipping and sticking points into s->e.lambda
bool iterative_paper_examine(iterative *s, double t, const double *y);
void iterative_paper_start(iterative *s, double *y);  // the state that the next trial starts from
// Forces that complementarity gives for the whole step, up to t. Returns false if there are none.
bool iterative_paper_complement(iterative *s, double t);
bool iterative_paper_project(iterative *s, double t, double *y);
// For the watcher, see watcher_type.
bool iterative_paper_look(watcher *w);
carom_status iterative_paper_end(watcher *w, bool *changed, carom_error *error);

#endif
