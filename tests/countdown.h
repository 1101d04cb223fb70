// An interrupt that comes after some looks at it.
#ifndef CAROM_TESTS_COUNTDOWN_H
#define CAROM_TESTS_COUNTDOWN_H

#include <math.h>

#include "sim.h"

// Ends the work when it is asked for the k-th time, and wants to be asked every time.
typedef struct countdown {
  carom_sim *sim;
  int left;
} countdown;

static bool count_down(void *context) {
  countdown *c = context;
  c->sim->stop.asked = -INFINITY, c->sim->stop.unasked = 0;
  return --c->left > 0;
}

#endif
