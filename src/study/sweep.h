// A sweep in its parts: the values of each row, and what a row keeps of its run.
#ifndef SWEEP_H
#define SWEEP_H

#include <pthread.h>
#include <time.h>

#include "base/arena.h"
#include "carom/carom.h"
#include "carom/sweep.h"
#include "math/sobol.h"
#include "record/record.h"
#include "text/expr.h"
#include "text/unit.h"

// --- sweep_plan.c: the values of each row ----------------------------------------------------------------------------

// What varies: numbers from low to high, or a list.
typedef struct sweep_range {
  const char *name;
  double low, high;  // if it has no list
  bool log;          // between them equal ratios instead of equal differences
  long count;        // of values; 0 if they are drawn between low and high
  double *values;    // of a list; of words their places from 1 on
  const char **words;
  const char *unit;  // of its column
} sweep_range;

typedef struct sweep_plan {
  sweep_range *ranges;
  int range_count;
  long rows, sample;
  uint64_t seed;
  sobol even;        // without dimensions: points are random
  bool sensitivity;  // the sample has a block of rows for each point
} sweep_plan;

// A part of a text without the blanks around it.
char *sweep_trimmed(arena *memory, const char *from, const char *to);
// Splits a list at a character that stands outside of brackets. Returns the number of parts, without blanks around
// them.
int sweep_split(arena *memory, const char *text, char at, char ***parts);
// An expression without names. `dim` may be null. Returns null after reporting.
const expr *sweep_constant(arena *memory, const char *text, dimension *dim, carom_error *error);

// A range `a:b` or `a:b:log` with a below b, as `option` gives it. Returns false after reporting.
bool sweep_range_read(arena *memory, const char *option, const carom_setting *of, sweep_range *to, carom_error *error);
// The value at a share of it from 0 to 1, and a value as a setting of the model, with its unit.
enum { SWEEP_SETTING = 64 };
double sweep_range_between(const sweep_range *range, double share);
const char *sweep_range_setting(const sweep_range *range, double value, char text[SWEEP_SETTING]);

// Returns false after reporting.
bool sweep_plan_read(arena *memory, const carom_sweep_options *options, sweep_plan *to, carom_error *error);
long sweep_plan_block(const sweep_plan *plan);  // rows of a point of the sample
// The value of a range in a row, as its column holds it, and as a setting of the model, with its unit.
double sweep_plan_value(const sweep_plan *plan, long row, int range);
const char *sweep_plan_setting(const sweep_plan *plan, long row, int range, char text[SWEEP_SETTING]);

// --- sweep_keep.c: rows that are recorded ----------------------------------------------------------------------------

typedef struct sweep_keep {
  struct {
    long first, last;
  } * spans;
  int span_count;
  const char *base;  // of the names of their files: the sweep's without .h5
} sweep_keep;

// Returns false after reporting.
bool sweep_keep_read(arena *memory, const carom_sweep_options *options, long rows, sweep_keep *to, carom_error *error);
bool sweep_keep_has(const sweep_keep *k, long row);
// The file of a row, in memory of this size.
size_t sweep_keep_size(const sweep_keep *k);
const char *sweep_keep_path(const sweep_keep *k, long row, char *path);

// --- sweep_take.c: what a row keeps of its run -----------------------------------------------------------------------

typedef enum take_kind { TAKE_LAST, TAKE_MIN, TAKE_MAX, TAKE_MEAN, TAKE_RMS, TAKE_AT, TAKE_KINDS } take_kind;

typedef struct sweep_take {
  take_kind kind;
  const char *signal;
  double time;       // of TAKE_AT [s]
  const char *name;  // of its column
} sweep_take;

// `model` gives the outputs if nothing is named. Returns the number of takes, or -1 after reporting.
int sweep_takes_read(arena *memory, const char *text, const carom_model *model, sweep_take **takes, carom_error *error);

// All takes of one run.
typedef struct taking {
  const sweep_take *takes;
  int count;
  int *signals;    // of the model that runs
  double *values;  // of the last row
  double *sums;    // extremes, integrals or values at a time
  double start, t;
  bool begun;
} taking;

taking taking_create(arena *memory, const sweep_take *takes, int count);
// Returns false if the run of a model ends before a time at which a value is taken, after reporting.
bool sweep_takes_reach(const sweep_take *takes, int count, const carom_model *model, carom_error *error);
// Before a run. Returns false if the model lacks a signal, after reporting.
bool taking_begin(taking *k, const carom_model *model, carom_error *error);
// The signals that are taken of every row and not of the last alone. Returns their number.
int taking_needs(const taking *k, int *signals);
void taking_row(taking *k, double t, const double *signals);
double taking_result(const taking *k, int i);  // NaN if the run has not reached its time

// --- sweep_file.c: its rows on disk ----------------------------------------------------------------------------------

#define SWEEP_ROWS   "rows"    // table
#define SWEEP_STATUS "status"  // column
enum { SWEEP_ROWS_MOST = 1000000000 };

typedef struct sweep_table {
  const char *identity;  // what makes two sweeps the same, as JSON
  const char *const *columns, *const *units;
  int column_count;            // the first column is the number of the row, the last its wall time
  int vary_count, take_count;  // columns that follow the first: of what varies, and of what is taken
  bool sensitivity;
  const char *file, *title;  // of the model; may be null
  const char *words;         // of columns that hold places in lists of words, as JSON: table, column, list
  int status;                // column of the status
  long rows;                 // of the whole plan
  double *values;            // row by row; the number of a row that is not there is NaN
  char **messages;           // of rows that failed, null otherwise; to be freed one by one
} sweep_table;

void sweep_table_make_room(arena *memory, sweep_table *t);
double *sweep_table_row(const sweep_table *t, long row);
bool sweep_table_has(const sweep_table *t, long row);
// How many are there, and have failed.
long sweep_table_count(const sweep_table *t, long *failed);
void sweep_table_free_messages(const sweep_table *t);
void sweep_table_report(const sweep_table *t, carom_sweep_result *result);

// A new file without rows. Messages are those of a finished one, or null. Returns null after reporting.
record *sweep_file_create(const sweep_table *t, const char *path, const char *messages, carom_error *error);
// Takes rows of a file that are not there yet. `keep` says whether one is wanted; may be null for all of them. Returns
// false after reporting, also if a row is there with other values than before (but for its wall time).
bool sweep_file_take(arena *memory, sweep_table *t, record_reader *in,
                     bool (*keep)(const sweep_table *t, const double *row), carom_error *error);
// The whole file with its rows in their order, beside and then in its place.
carom_status sweep_file_write(arena *memory, const sweep_table *t, const char *path, carom_error *error);

// --- sweep_sensitivity.c: indices from blocks of rows ----------------------------------------------------------------

#define SWEEP_SENSITIVITY "sensitivity"  // table
enum { SENSITIVITY_COLUMNS = 9 };
extern const char *const sensitivity_columns[SENSITIVITY_COLUMNS];
// The rows of the table for one value that is taken, one for each range.
void sweep_sensitivity(arena *memory, const sweep_table *t, int take, double *rows);

// --- sweep_work.c: rows run ------------------------------------------------------------------------------------------

// What a row has beside its number, what varies and what is taken: how the run ended, and totals of its ledgers.
enum { ABOUT_T, ABOUT_STATUS, ABOUT_VERDICT, ABOUT_ENERGY, ABOUT_EPISODES, ABOUT_IMPACTS, ABOUT_DEEPEST, ABOUT_COUNT };
enum { SWEEP_TOTALS = 6 };
extern const char *const sweep_about_columns[ABOUT_COUNT], *const sweep_about_units[ABOUT_COUNT];
extern const char *const sweep_totals[SWEEP_TOTALS];

typedef struct sweep {
  const carom_sweep_options *options;
  arena memory;
  carom_error *error;
  sweep_plan plan;
  sweep_take *takes;
  int take_count;
  sweep_keep keep;
  sweep_table table;
  const char *part, *fresh;  // the file of rows that are done, and before it takes its place
  const char **sources;      // texts of the model's files when the sweep began
  int source_count;
  long own;  // rows of this shard
  struct timespec began;
  // shared by threads
  pthread_mutex_t lock;
  pthread_cond_t ended;  // a thread has ended
  record *journal;
  carom_error journal_error;
  long next, done, failed, found;
  int running;
  bool stop;
  const carom_sweep_source *source;  // rows for another process; null in the one that has the files
} sweep;

struct carom_sweep_desk {
  sweep *s;
};

bool sweep_is_ours(const sweep *s, long row);  // it is in this shard
int sweep_first_taken(const sweep *s);
int sweep_first_about(const sweep *s);
// The settings of a row: those of all rows, then what varies. Returns their number.
int sweep_fill_settings(const sweep *s, long row, carom_setting *settings, char (*texts)[SWEEP_SETTING]);
// Runs what is missing.
carom_status sweep_run_rows(sweep *s);
// Runs what its source gives.
carom_status sweep_run_source(sweep *s);

#endif
