#include "base/interrupt.h"

#include <time.h>

// The coarse clock costs a few nanoseconds, of a short step several per cent. It ticks every few milliseconds: where it
// has not since it was last read, callers come often, and the next few go without. Not more of them, since their next
// iterations may take long.
bool interrupt_ask(interrupt *stop) {
  enum { UNASKED = 15 };
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  stop->unasked = now == stop->read ? UNASKED : 0;
  stop->read = now;
  if (now - stop->asked < 0.1) return false;
  stop->asked = now;
  stop->raised = !stop->go_on(stop->context);
  return stop->raised;
}
