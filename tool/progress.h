// While a run goes on: the line that tells how far it is, and the signals that ask it to end.
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>

#include "carom/carom.h"

typedef struct progress {
  bool visible;  // a line on the standard error
  bool started;
  double t_start, wall_start;
} progress;

// From here on SIGINT and SIGTERM ask for an orderly end; a second one ends at once.
void progress_watch_signals(void);
// For carom_run_options: draws the line, and says no once a signal has come.
bool progress_go_on(void *context, const carom_progress *now);
bool progress_must_end(void);  // a signal has come
void progress_clear(progress *p);
// 75 s, 12 min, 3.4 h
const char *duration(double s, char buffer[32]);

#endif
