// Forces: each type is a small file with a const operations table.
#ifndef MECHANICS_FORCE_H
#define MECHANICS_FORCE_H

#include "mechanics/mechanism.h"
#include "model/option.h"

extern const force_type force_spring, force_along, force_bushing, force_load, force_torque, force_user;

// All of them, in the order of the reference page.
const force_type *const *force_types(int *count);

#define FORCE_OPTION(field) offsetof(carom_force_def, field)

// The stiffness of all springs together, each at the size of the model where it acts along a length [N m].
double forces_stiffness(const mechanism *m);

// Powers and potentials are booked here, so that the ledger can tell where energy went.
static inline void force_book(motion *x, double spring_energy, double damper_power, double applied_power) {
  x->potentials[POTENTIAL_SPRING] += spring_energy;
  x->powers[POWER_DAMPER] += damper_power;
  x->powers[POWER_APPLIED] += applied_power;
}

#endif
