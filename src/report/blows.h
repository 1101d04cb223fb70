// What each contact episode of a run is, and how hard its blow was. The report, its page and what is thinned all go by this.
//
// The strength of a blow is its impulse times the speed of approach [J]: twice the energy of one that is caught. The impulse
// of resting contact grows with time and says nothing of a blow; of an episode that lasts only what its peak force gives
// within a short one counts, and nothing at all where bodies met without approach.
#ifndef REPORT_BLOWS_H
#define REPORT_BLOWS_H

#include "base/arena.h"

// The numbers stand in the page.
typedef enum blow_kind {
  BLOW_TOUCH,                // neither hits nor lasts
  BLOW_LASTING,
  BLOW_IMPACT,
  BLOW_KINDS
} blow_kind;

typedef struct blow {
  double start, end;         // of the episode [s], as are
  double impulse;            // normal [N·s], a magnitude
  double approach;           // speed [m/s], at least 0
  double force;              // the largest [N]
  blow_kind kind;            // what comes out
  double strength;           // [J]; 0: no impact
} blow;

// An episode of what the ledger says of it: numbers that are not finite count as 0.
blow blow_create(double start, double end, double impulse, double approach, double force);

// Judges all episodes of a run that lasted `span` and has a row every `spacing` seconds. Returns the length up to which an
// episode is one blow and nothing else [s].
double blows_judge(arena *passing, blow *blows, long count, double span, double spacing);

#endif
