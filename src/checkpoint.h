// What a run needs to go on, as one row of numbers with names: the state of the motion, the results of the last step,
// what the scheme remembers, ledgers and counts.
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "sim.h"

// A record names the version of its checkpoints, so that one with other fields, or with fields of another meaning, is
// not resumed from. To be raised whenever a field or what a scheme remembers changes.
#define CHECKPOINT_VERSION "20"

// One name per number. They are in the arena, or constant.
const char **checkpoint_names(carom_sim *sim, arena *memory);
// The same of the row of a point of a pair that comes and goes.
const char **checkpoint_point_names(carom_sim *sim, arena *memory);

#endif
