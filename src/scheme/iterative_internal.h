// What the files of scheme `iterative` share.
#ifndef SCHEME_ITERATIVE_INTERNAL_H
#define SCHEME_ITERATIVE_INTERNAL_H

#include "scheme/event_internal.h"
#include "scheme/iterative.h"

enum { ITERATIVE_TRIALS = 12, ITERATIVE_HISTORY = 2 };

// The normal force of a point in the step under way, base + slope (t - t0), and where it was before.
typedef struct iterative_force {
  double base, slope;  // [N], [N/s]
  int known;           // how many of these, the last one first: at the start of steps since the last change
  double t[ITERATIVE_HISTORY], before[ITERATIVE_HISTORY];
  double
      mobility;  // of a slip in space: its largest change under a unit impulse along the surface, as last found [1/kg]
  double slip[2];  // likewise, at the start of the step under way [m/s]
  double pace;     // how long the next step may be for its slip [s]
} iterative_force;

// Trial steps from one state.
typedef struct iterative_trial {
  bool active;    // normal forces are given, and the end of a step is examined
  bool found;     // the last one is good
  double t0, t1;  // where they start, and where the last one ended [s]
  int count, halvings;
  double worst;  // what the last one missed, over the tolerance
  int point;     // the point that missed most; -1: none
  double *x;     // base and slope of the points that take part, one after the other, as corrections of the last trials:
  int steps;     // so many of them, for Broyden's method
} iterative_trial;

typedef struct iterative {
  event e;  // modes, impacts and events
  watcher_type watched;
  carom_iterative_def options;
  iterative_force *force;  // by slot
  iterative_trial trial;
  double brief;  // see event
  double close;  // gaps [m] and rates [m/s] that count as zero at the end of a step
} iterative;

static inline double iterative_normal(const iterative_force *f, double since) { return f->base + f->slope * since; }

// --- iterative_located.c: forces that are linear over a step -----------------------------------------------------------

void iterative_located_begin(iterative *s);                               // forces to begin with, before a step
double iterative_located_limit(const iterative *s, double t_stop);        // of the next step [s]
bool iterative_located_examine(iterative *s, double t, const double *y);  // the end of a trial; corrects the forces
bool iterative_located_again(iterative *s, bool failed, double *until);   // see flow_settings

#endif
