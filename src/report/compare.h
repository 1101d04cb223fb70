// Comparison of two runs: trajectories at common times, matched impacts, energies and cost.
#ifndef COMPARE_H
#define COMPARE_H

#include "base/json.h"
#include "record/record.h"

typedef struct compare_side {
  record_reader *in;
  const char *const *points;  // names of contact points, as the table of impacts counts them
  int point_count;
  const json_value *summary;  // or null
} compare_side;

// The difference second - first of a joint coordinate that both have.
typedef struct compare_column {
  const char *name, *unit;
  double max, at, rms;  // largest magnitude, when that was, root of the mean square over time
  double range;         // of the first run's
  double tolerance;     // up to which they agree: a hundredth of that, see compare.c
  double parts;         // first time at which they differ by more; NaN if they never do
} compare_column;

typedef struct compare_pair {
  long first, second;  // rows of the tables of impacts
} compare_pair;

typedef struct compare_amount {
  const char *name, *unit;
  double first, second;  // NaN where a run does not say
} compare_amount;

typedef struct comparison {
  double t0, t1;  // common times; t0 > t1 if there are none
  compare_column *columns;
  int column_count;
  double window;          // [s]
  compare_pair *matched;  // in order of the first run's starts
  int matched_count;
  long *only_first, *only_second;  // rows that found no partner, in common times
  int only_first_count, only_second_count;
  double time_max, time_rms;        // of matched impacts: differences of their starts [s]
  double impulse_max, impulse_rms;  // and of their normal impulses [N·s]
  compare_amount *energies;         // at the last common time [J]
  int energy_count;
  compare_amount *costs;
  int cost_count;
} comparison;

// Two impacts of one contact point match when each is the other's nearest in time and they are closer than `window`. A
// window of 0 stands for a hundredth of the common time. Returns false after reporting.
bool compare_runs(arena *memory, const compare_side *first, const compare_side *second, double window,
                  comparison *result, carom_error *error);

#endif
