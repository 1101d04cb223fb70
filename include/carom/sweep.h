// Sweeps: one model with many values of its parameters, and a table with a row for each.
#ifndef CAROM_SWEEP_H
#define CAROM_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "carom/define.h"
#include "carom/export.h"
#include "carom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// `name=value`: a parameter of a model, or the path of any key (`coordinates=absolute`, `integrator.rtol=1e-10`).
typedef struct carom_setting {
  const char *name, *value;
} carom_setting;

typedef struct carom_sweep_progress {
  long rows, done, failed;  // in all, finished, and failed among these
  double wall_s;
} carom_sweep_progress;

// Where other processes get rows of a sweep, and bring them back.
typedef struct carom_sweep_desk carom_sweep_desk;

typedef struct carom_sweep_options {
  const char *model;              // the model file
  const carom_setting *settings;  // of all rows; may be null
  int setting_count;
  // What changes from row to row, each with its values: `0.1 mm:1 mm:50` (so many from the first to the last),
  // `1e6:1e9:4:log` (with equal ratios), or a list `100 rpm, 200 rpm`, which may hold words instead of numbers. The
  // rows are all combinations; the last range changes fastest.
  const carom_setting *vary;
  int vary_count;
  // Rows to draw at random instead, 0 for none. Ranges are then `0.1 mm:1 mm` or `1e6:1e9:log`; of a list one value is
  // drawn. Row i is the same in every sweep with the same ranges and seed.
  long sample;
  uint64_t seed;
  // How they are drawn: `random`, or `sobol`, which fills the ranges more evenly, best with a power of two of rows.
  // Null for random, and for sobol in a sensitivity study.
  const char *points;
  // Each of the points of the sample becomes a block of vary_count + 2 rows, and the file gets a table `sensitivity`:
  // for each value that is taken and each range the first-order and the total Sobol' index, each with the ends of its
  // 95 % interval. Ranges are taken as independent, with all values equally likely.
  bool sensitivity;
  // What a row keeps of its run, with commas between: `last(hinge.q)`, `min`, `max`, `mean`, `rms`, or
  // `at(hinge.q, 0.5 s)`. They are taken over the rows that the run would record, or a thousand if each step were one
  // and the method chooses its steps; means by the trapezoidal rule, values at a time by straight lines. Null for what
  // the model says under `take`, else last, min, max, mean and rms of each of its outputs.
  const char *take;
  // Rows whose whole run is recorded, in FILE-ROW.h5 beside the result: numbers from 0 on and spans, `0, 17, 100:109`,
  // or `all`. May be null.
  const char *keep;
  int threads;         // rows that run at the same time; 0 stands for one
  int shard, shards;   // only rows whose number leaves shard - 1 when divided by shards; both 0 for all rows
  const char *record;  // HDF5 file
  bool force;          // replace a file that carom did not write
  // Called about ten times a second; returning false interrupts the sweep. May be null.
  bool (*progress)(void *context, const carom_sweep_progress *progress);
  // Lets other processes run rows beside the threads of this one: called once, in a thread of its own. It returns when
  // carom_sweep_desk_take has returned -1 and no row is out any more. May be null.
  void (*serve)(void *context, carom_sweep_desk *desk);
  void *context;
} carom_sweep_options;

typedef struct carom_sweep_result {
  long rows, failed;         // in the file, and those whose run failed
  long found;                // rows taken over from a sweep that was interrupted
  long first_failed;         // number of the first row that failed; -1 if none did
  char first_message[1600];  // and why
} carom_sweep_result;

// Runs all rows. A row that fails holds its message and does not stop the others. While the sweep runs, its rows are in
// FILE.part; after an interruption or a kill the same call goes on with those that are missing. Returns CAROM_OK also
// if rows have failed, CAROM_INTERRUPTED if not all were run. Rows do not depend on threads, shards and interruptions,
// except their column wall_s.
CAROM_API carom_status carom_sweep(const carom_sweep_options *options, carom_sweep_result *result, carom_error *error);

// For `serve`. Each may be called by one thread at a time.
CAROM_API const char *carom_sweep_desk_identity(const carom_sweep_desk *desk);  // what makes two sweeps the same
CAROM_API int carom_sweep_desk_columns(const carom_sweep_desk *desk);           // numbers of a row
// The next row that is to be run; -1 if there is none, or if the sweep has been interrupted.
CAROM_API long carom_sweep_desk_take(carom_sweep_desk *desk);
// A row that was run, with its message if it failed (else it may be null).
CAROM_API void carom_sweep_desk_give(carom_sweep_desk *desk, const double *row, const char *message);
// Interrupts the sweep: a row that was taken does not come back.
CAROM_API void carom_sweep_desk_stop(carom_sweep_desk *desk);

// The other side of a desk.
typedef struct carom_sweep_source {
  const char *identity;                                                              // that of the desk
  long (*next)(void *context);                                                       // a row to run; -1 for none
  bool (*give)(void *context, const double *row, int columns, const char *message);  // false ends the work
  void *context;
} carom_sweep_source;

// Runs rows for another process, one at a time, and writes no file but the records of rows that are kept. The options
// are those of the sweep. Returns CAROM_ERROR_USAGE if they, the model or the version make another sweep than that of
// the desk, and CAROM_INTERRUPTED if `progress` ended it; the row that was running is then not given.
CAROM_API carom_status carom_sweep_work(const carom_sweep_options *options, const carom_sweep_source *source,
                                        carom_error *error);

// Joins the files of shards, or of any sweeps with the same model, settings, ranges and seed. Returns CAROM_ERROR_USAGE
// if they belong to different sweeps, if a row is missing, or if one occurs twice with different values.
CAROM_API carom_status carom_sweep_join(const char *const *files, int count, const char *record, bool force,
                                        carom_sweep_result *result, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
