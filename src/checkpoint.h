// What a run needs to go on, as one row of numbers with names.
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "ledger/impact.h"
#include "sim.h"

// A record names the version of its checkpoints, so that one with other fields, or with fields of another meaning, is not resumed
// from. To be raised whenever a field or what a scheme remembers changes.
#define CHECKPOINT_VERSION "2"

typedef struct checkpoint {
  double t, next_step;
  long steps, restarts, rejected, evaluations, projection_failures;
  regular_looks regular;
  double loss_normal, loss_tangential, projection;  // so far [J]
  long non_finite, non_finite_column;
  double non_finite_t;
  long energy_lost;
  double energy_lost_t;
  energy_balance start;
  const double *q, *u, *joint_q;        // the last with their turns counted
  const double *accounts;               // one per power
  // with contact
  contact_trouble trouble;
  const double *solves;                 // a chain_tally, packed
  long episodes;
  double worst_penetration, deepest;
  bool *is_open;                        // one per point
  impact *open;                         // likewise
  const double *memory;                 // of the scheme; the last numbers of a row
} checkpoint;

int checkpoint_size(const carom_model *model);
int checkpoint_memory_size(const carom_model *model);
// One name per number. They are in the arena, or constant.
const char **checkpoint_names(const carom_model *model, arena *memory);
// Arrays that are null leave their numbers as they are.
void checkpoint_save(const carom_model *model, checkpoint *c, double *row);
// Arrays then point into the row, except those of open episodes, which are filled.
void checkpoint_load(const carom_model *model, const double *row, checkpoint *c);

#endif
