// A whole run on its way into a record: what the parts of run.c share.
#ifndef RUN_H
#define RUN_H

#include <time.h>

#include "base/output.h"
#include "record/csv.h"
#include "record/record.h"
#include "sim.h"

// Signals that follow each other.
typedef struct signal_span {
  int first, count;
} signal_span;

// One table of the record: which signals stand in its columns, one by one and in spans.
typedef struct group {
  const char *name;
  int *signals;
  int count, capacity;
  signal_span *spans;
  int span_count, span_capacity;
} group;

enum {
  GROUP_TIME,
  GROUP_JOINTS,
  GROUP_BODIES,
  GROUP_MARKERS,
  GROUP_REACTIONS,
  GROUP_FORCES,
  GROUP_DRIVES,
  GROUP_MULTIPLIERS,
  GROUP_ENERGY,
  GROUP_CONTACTS,
  GROUP_OUTPUTS,
  GROUP_COUNT
};

// --- run_tables.c: which signals are recorded, and where -------------------------------------------------------------

extern const char *const run_group_names[GROUP_COUNT];
int run_group_of(const carom_model *model, int i);
bool run_is_recorded(const carom_model *model, int i);  // angles xyz are not; of bodies the model chooses
bool run_is_in_csv(const carom_model *model, int i);    // coordinates, speeds, poses, energies and outputs
// As carom_model_record_size, of a run over a time, whose checkpoints have so many numbers.
carom_record_size run_record_size(const carom_model *model, int checkpoint_size, double duration);

// --- a run under way -------------------------------------------------------------------------------------------------

// When rows are written: at multiples of an interval, or at the end of each step.
typedef struct schedule {
  double every;  // 0: each step [s]
  double next;   // without an interval: when the last one was [s]
} schedule;

bool schedule_has(const schedule *s,
                  double t);  // whether a run in one piece has a row at t, which is the end of a step

// The table of touches, and that of its times.
typedef struct touch_log {
  int table, times;  // -1: nothing is recorded
  long rows;         // of touches, written
  double last;       // time written [s]
  const int
      *sides;  // by permanent element: what its first side is in the list of surfaces, if it is no pair of surfaces
} touch_log;

typedef struct run {
  arena memory;
  const carom_model *model;
  const carom_run_options *options;
  carom_error *error;
  carom_sim *sim;
  double t_end;
  bool open_ended;  // a program steps the sim, and nobody knows how far
  record *file;
  csv *text;
  group groups[GROUP_COUNT];
  int tables[GROUP_COUNT];  // of each group, -1 when it has no columns
  int checkpoint_table, impact_table, episode_table, regime_table;
  int pair_table;    // points of pairs that come and go, at checkpoints; -1: there are none
  long checkpoints;  // written
  double *pair_rows;
  size_t pair_capacity;  // numbers in pair_rows
  group csv_columns;
  bool chooses;  // no file is written, and what is called with rows needs some signals alone:
  group chosen;  // these, and the outputs
  double *values, *checkpoint;
  schedule rows, touch_times;
  double next_checkpoint, last_row;
  touch_log touches;
  bool continues;          // the record of the run that is resumed
  record_reader *earlier;  // that record, while its rows are copied
  output_file beside;      // where it is written until the run ends
  struct timespec began;
  long steps_before;  // of the run that is resumed
} run;

// --- run.c: the parts of a run, which a sim that a program steps itself has as well ----------------------------------

// Makes the sim, unless there is one, resumes it and opens the files.
carom_status run_begin(run *r);
carom_status run_write_start(run *r);
carom_status run_write_step(run *r);  // rows of the last step, and a checkpoint if one is due
// The last state, which is always there and can be gone on from. Returns the status of the last step or, if that is
// CAROM_OK, that of the files.
carom_status run_write_end(run *r, carom_status status);
carom_status run_close_files(run *r, carom_status status, const carom_summary *summary);
void run_clean_up(run *r);  // destroys the sim as well

// The values of its columns, from those of all signals.
static inline void run_gather(const group *g, const double *all, double *restrict row) {
  for (const signal_span *s = g->spans; s < g->spans + g->span_count; row += s->count, s++)
    for (int k = 0; k < s->count; k++) row[k] = all[s->first + k];
}

// --- run_texts.c: what the record says about its model ---------------------------------------------------------------

record_text *run_describe(run *r, int *count);
// A line `name = value` each; of files, what tells their content from another.
const char *run_list_parameters(run *r);
double seconds_since(struct timespec t);  // on the monotonic clock
const char *run_list_mesh_files(run *r);
const char *run_list_table_files(run *r);

// --- run_resume.c ----------------------------------------------------------------------------------------------------

// Gives the sim the last checkpoint of the run that is resumed, if one is. Returns false after reporting.
bool run_resume(run *r);
// What the run that is continued has recorded until its last checkpoint.
carom_status run_copy_earlier(run *r);

// --- run_pairs.c: points of pairs that come and go, which belong to checkpoints --------------------------------------

record_table run_pair_table(run *r);
// Before the checkpoint itself, so that one that is complete has all of its points.
carom_status run_write_pairs(run *r);
// Gives the sim the points that belong to a checkpoint. Returns false after reporting.
bool run_resume_pairs(run *r, record_reader *in, long checkpoint);
carom_status run_copy_pairs(run *r);  // of the checkpoints that the earlier run has left

// --- run_touches.c: points that touch --------------------------------------------------------------------------------

double run_touch_interval(const carom_model *model);  // -1: they are not recorded; 0: at each step [s]
int run_touch_tables(const carom_model *model, record_table tables[2]);  // returns how many: times and touches, or none
const char *run_list_touch_pairs(run *r);                                // those with a name of their own
const char *run_list_touch_surfaces(run *r);                             // what touches count; before any of them
carom_status run_write_touches(run *r);                                  // of the time that the sim shows, once
carom_status run_copy_touches(run *r, double t);                         // that the earlier run has recorded until t

#endif
