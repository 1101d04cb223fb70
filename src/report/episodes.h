// What each contact episode of a run is, and how hard its impact was. The report, its page and the thinning of records
// use it.
//
// The strength of an impact is its impulse times the approach speed [J], which is twice the kinetic energy that an
// inelastic impact takes. The impulse of a resting contact grows with time and says nothing about an impact. Of an
// episode that lasts, only the impulse of its peak force during a short time counts, and none if the bodies met without
// approach.
#ifndef REPORT_EPISODES_H
#define REPORT_EPISODES_H

#include <stdbool.h>

#include "base/arena.h"

// The page uses these numbers.
typedef enum episode_kind {
  EPISODE_TOUCH,  // neither hits nor lasts
  EPISODE_LASTING,
  EPISODE_IMPACT,
  EPISODE_KINDS
} episode_kind;

typedef struct episode {
  double start, end;  // of the episode [s], as are
  double impulse;     // normal [N·s], a magnitude
  double approach;    // speed [m/s], at least 0
  double force;       // the largest [N]
  episode_kind kind;  // what comes out
  double strength;    // [J]; 0 if it is no impact
} episode;

// An episode from its row in the ledger. Numbers that are not finite count as 0.
episode episode_create(double start, double end, double impulse, double approach, double force);

// Judges all episodes of a run that lasted `span` and has a row every `spacing` seconds. In records that have a table
// of episodes the rows are `impacts_alone`, each of them one; older records do not tell impacts from lasting contact.
// Returns the length up to which an episode is one impact and nothing else [s].
double episodes_judge(arena *passing, episode *episodes, long count, double span, double spacing, bool impacts_alone);

#endif
