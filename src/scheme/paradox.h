// Painlevé's paradox: a contact slides along the unit vector d, and pressing it by P_N, with friction -μ P_N d, makes
// it sink: its resistance W_NN - μ W_NT d is negative. Where the free motion sinks as well, no force while sliding
// fits; where it lifts off, being stopped by an impact without collision would fit too.
#ifndef SCHEME_PARADOX_H
#define SCHEME_PARADOX_H

#include "scheme/scheme.h"

// `W`: the normal row over the contact's own `size` rows.
static inline double paradox_resistance(int size, const double *W, double friction, const double *way) {
  double sum = W[0];
  for (int k = 1; k < size; k++) sum -= friction * way[k - 1] * W[k];
  return sum;
}

// What was found at the contacts of one step, which counts once however many they are.
typedef struct paradoxes {
  bool inconsistent, indeterminate;
} paradoxes;

// `free`: how the gap changes without a force, as a rate or an acceleration.
static inline void paradox_note(paradoxes *found, double resistance, double free) {
  if (resistance < 0) *(free < 0 ? &found->inconsistent : &found->indeterminate) = true;
}

static inline void paradox_count(contact_trouble *trouble, const paradoxes *found) {
  trouble->inconsistent += found->inconsistent, trouble->indeterminate += found->indeterminate;
}

#endif
