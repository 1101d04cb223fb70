#include "base/interrupt.h"

#include <time.h>

// The coarse clock costs a few nanoseconds, so that a loop may ask in every iteration.
bool interrupt_ask(interrupt *stop) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  if (now - stop->asked < 0.1) return false;
  stop->asked = now;
  stop->raised = !stop->go_on(stop->context);
  return stop->raised;
}
