// Forces: each type is a small file with a const operations table.
#ifndef MECHANICS_FORCE_H
#define MECHANICS_FORCE_H

#include "mechanics/mechanism.h"
#include "model/option.h"

extern const force_type force_spring;   // along the line between two markers: spring, damper, actuator
extern const force_type force_along;    // along a joint's coordinate: spring, damper, motor
extern const force_type force_bushing;  // six springs and dampers between two markers
extern const force_type force_load;     // a force given by its components, at a marker
extern const force_type force_torque;   // a torque given by its components, on a marker's body
extern const force_type force_user;     // a C function over signals

// All of them, in the order of the reference page.
const force_type *const *force_types(int *count);

#define FORCE_OPTION(field) offsetof(carom_force_def, field)

// Powers and potentials are booked here, so that the ledger can tell where energy went.
static inline void force_book(motion *x, double spring_energy, double damper_power, double applied_power) {
  x->potentials[POTENTIAL_SPRING] += spring_energy;
  x->powers[POWER_DAMPER] += damper_power;
  x->powers[POWER_APPLIED] += applied_power;
}

#endif
