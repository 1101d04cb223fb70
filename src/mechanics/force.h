// Forces: each type is a small file with a const operations table.
#ifndef MECHANICS_FORCE_H
#define MECHANICS_FORCE_H

#include "mechanics/mechanism.h"
#include "text/option.h"

// What a force acts on.
typedef enum force_place {
  FORCE_BETWEEN_MARKERS,
  FORCE_AT_MARKER,
  FORCE_ALONG_COORDINATE,
  FORCE_AT_MARKER_OR_ALONG_COORDINATE,  // the latter if its definition names a joint
} force_place;
// What its numbers are.
typedef enum force_number { FORCE_STIFFNESS, FORCE_DAMPING, FORCE_REST } force_number;

struct force_type {
  const char *name;
  // Adds its wrenches to the bodies, its potential energy and its powers to the accounts, and leaves up to
  // `output_count` numbers of interest in motion.force_outputs.
  void (*apply)(const mechanism *m, motion *x, const force *f);
  // Adds to `powers` what the force that `apply` found last puts in and what its damper takes at other speeds u, whose
  // velocities tree_spread has laid out.
  void (*power)(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]);
  const char *const *outputs;
  const char *const *output_units;
  int output_count;
  int state_outputs;  // how many of them, at the end of the list, follow from positions and velocities alone
  force_place acts;
  bool six_numbers;  // stiffness and damping are along and about three axes; else one number each
  bool components;   // three functions give it in axes; else one gives an effort
  bool calls;        // a C function gives it from signals
  // The unit of number k of `count` as they are written, which the option table leaves open; `slides`: the coordinate
  // that it acts along is a length. NULL if the table says all units.
  dimension (*unit)(force_number what, int k, int count, bool slides);
  const option_table *table;  // its words in a model file, over carom_force_def
};

extern const force_type force_spring, force_along, force_motor, force_bushing, force_load, force_torque, force_user;

// All of them, in the order of the reference page.
const force_type *const *force_types(int *count);

#define FORCE_OPTION(field) offsetof(carom_force_def, field)

// The stiffness of all springs together, each at the size of the model where it acts along a length [N m].
double forces_stiffness(const mechanism *m);

// Whether it depends on more than time and what it acts on.
bool force_needs_state(const force *f);

// The stiffness and damping along each speed of the tree, of all forces together. Returns false if they may not be all
// that is stiff: where a force has stiffness or damping elsewhere, or depends on the state.
bool forces_along_tree(const mechanism *m, double *stiffness, double *damping);

// Powers and potentials are booked here, so that the ledger can tell where energy went.
static inline void force_book(motion *x, double spring_energy, double damper_power, double applied_power) {
  x->potentials[POTENTIAL_SPRING] += spring_energy;
  x->powers[POWER_DAMPER] += damper_power;
  x->powers[POWER_APPLIED] += applied_power;
}

#endif
