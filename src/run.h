// A whole run on its way into a record: what the parts of run.c share.
#ifndef RUN_H
#define RUN_H

#include <time.h>

#include "base/output.h"
#include "record/csv.h"
#include "record/record.h"
#include "sim.h"

// One table of the record: which signals stand in its columns.
typedef struct group {
  const char *name;
  int *signals;
  int count, capacity;
} group;

enum {
  GROUP_TIME, GROUP_JOINTS, GROUP_BODIES, GROUP_MARKERS, GROUP_REACTIONS, GROUP_FORCES, GROUP_DRIVES, GROUP_MULTIPLIERS,
  GROUP_ENERGY, GROUP_CONTACTS, GROUP_OUTPUTS, GROUP_COUNT
};

typedef struct run {
  arena memory;
  const carom_model *model;
  const carom_run_options *options;
  carom_error *error;
  carom_sim *sim;
  double t_end;
  record *file;
  csv *text;
  group groups[GROUP_COUNT];
  int tables[GROUP_COUNT];      // of each group, -1 when it has no columns
  int checkpoint_table, impact_table;
  int pair_table;               // points of pairs that come and go, at checkpoints; -1: there are none
  long checkpoints;             // written
  double *pair_rows;
  size_t pair_capacity;         // numbers in pair_rows
  group csv_columns;
  double *values, *checkpoint;
  double next_row, next_checkpoint, last_row;
  bool continues;               // the record of the run that is resumed
  record_reader *earlier;       // that record, while its rows are copied
  output_file beside;           // where it is written until the run ends
  struct timespec began;
  long steps_before;            // of the run that is resumed
} run;

// --- run_pairs.c: points of pairs that come and go, which belong to checkpoints -------------------------------------

record_table run_pair_table(run *r);
// Before the checkpoint itself, so that one that is complete has all of its points.
carom_status run_write_pairs(run *r);
// Gives the sim the points that belong to a checkpoint. Returns false after reporting.
bool run_resume_pairs(run *r, record_reader *in, long checkpoint);
carom_status run_copy_pairs(run *r);  // of the checkpoints that the earlier run has left

#endif
