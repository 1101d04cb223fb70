// Ends work from outside. Who starts the work fills an interrupt and passes it down; loops that may take long ask
// `interrupted` once per iteration and return early when it says so.
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

typedef struct interrupt {
  bool (*go_on)(void *context);  // asked at most ten times a second; false ends the work. May be null.
  void *context;
  double asked;  // when go_on was last asked, on a coarse clock [s]
  double read;   // when that was last read [s]
  int unasked;   // so many callers may go on before it is read again
  bool raised;   // go_on has returned false; stays so
  bool muted;    // short work that must be finished, such as showing the last state: nobody is interrupted
} interrupt;

// Reads the clock and asks go_on when it is due.
bool interrupt_ask(interrupt *stop);

// May be called with null, which never interrupts.
static inline bool interrupted(interrupt *stop) {
  if (!stop || !stop->go_on || stop->muted) return false;
  if (stop->raised) return true;
  if (stop->unasked > 0) return stop->unasked--, false;
  return interrupt_ask(stop);
}

#endif
