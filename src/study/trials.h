// Runs of a model at points of the ranges of what is fitted, on several threads.
#ifndef STUDY_TRIALS_H
#define STUDY_TRIALS_H

#include <pthread.h>
#include <time.h>

#include "carom/carom.h"
#include "study/sweep.h"

typedef struct trials {
  const carom_fit_options *options;
  const sweep_range *ranges;  // settings of the model; a point has further numbers behind them
  int range_count, n;         // n: numbers of a point, each between 0 and 1
  int size;                   // numbers of a result
  // Fills the result of a point from a run of its model. Called on several threads.
  carom_status (*measure)(void *context, const carom_model *model, const double *point, double *result,
                          carom_error *error);
  void *context;
  carom_fit_progress now;
  char first_message[1600], last_message[1600];  // of the runs that failed
  struct timespec began;
  // shared by threads
  pthread_mutex_t lock;
  bool stop;           // no run begins any more
  bool out_of_memory;  // that is why; else it was interrupted
  double asked;        // when the progress was last told [s]
} trials;

void trials_begin(trials *t, const carom_fit_options *options);
void trials_end(trials *t);
// For `measure`, and between runs: asks the progress of the options about ten times a second, and whether to go on.
bool trials_go_on(void *trials);
// The results of some points, one after the other. good[i] is false where the run failed. Returns false if the fit was
// interrupted, or if memory ran out in a run; all later calls then return false too.
bool trials_run(trials *t, int count, const double *points, double *results, bool *good);
// Loads the model at a point; null for the middle of the ranges. Returns null after reporting.
carom_model *trials_load(const trials *t, const double *point, carom_error *error);

#endif
