// Fits: values of parameters at which a model repeats measured traces, or at which a goal is smallest.
#ifndef CAROM_FIT_H
#define CAROM_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "carom/export.h"
#include "carom/status.h"
#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

// A CSV file: a line of names, a line of units if there is one, and lines of numbers. Its first column, or the one that
// carom_fit_options.time names, is the time, which increases. Units also stand behind names (`t [ms]`); numbers without
// a unit are in SI units. An empty cell, or `nan`, is a missing sample.
typedef struct carom_fit_data {
  const char *file;
  double weight;  // of its squared residuals; 0 stands for 1
  bool hold_out;  // compared with the result and not fitted
} carom_fit_data;

typedef struct carom_fit_progress {
  long runs, failed;     // of the model so far
  int search, searches;  // the local search that is on, from 1, and their number; 0 while starts are tried
  double best;  // rms of the residuals relative to the range of their column, or the goal; NaN before the first
  double wall_s;
} carom_fit_progress;

typedef struct carom_fit_options {
  const char *model;              // the model file
  const carom_setting *settings;  // of all runs; may be null
  int setting_count;
  // What is fitted: a parameter or the path of a key, and its range `0.3:0.9` or, where its logarithm is what the fit
  // moves along, `1e6:1e9:log`.
  const carom_setting *fit;
  int fit_count;
  // carom_identify: signals of the model (`ball.y`), and the column that each is measured in.
  const carom_setting *match;
  int match_count;
  const carom_fit_data *data;
  int data_count;
  const char *time;    // the column of times; may be null
  const char *offset;  // range of an unknown time that is added to the times of each file, `-10 ms:10 ms`; may be null
  const char *loss;    // `squares`, or `huber`, which bounds the influence of outliers; may be null for squares
  // carom_optimise: `min:` or `max:` and what a row of a sweep can take, `min:max(ball.y)`; of a signal alone its last
  // value.
  const char *goal;
  long starts;    // points of the ranges that are tried first; 0 stands for 32 for each parameter
  int searches;   // local searches from the best of them; 0 stands for 4
  uint64_t seed;  // of these points
  int threads;    // runs at the same time; 0 stands for one
  // Called about ten times a second, by one thread at a time; returning false interrupts the fit. May be null.
  bool (*progress)(void *context, const carom_fit_progress *progress);
  void *context;
} carom_fit_options;

// The result of a fit.
typedef struct carom_fit carom_fit;

// Fits by least squares: trial runs at points of the ranges, then Levenberg and Marquardt's method from the best of
// them. Runs that fail are counted and do not end the fit. Returns null on failure: CAROM_ERROR_USAGE if the options,
// the files and the model do not fit together, CAROM_ERROR_STUDY if every trial run failed.
CAROM_API carom_fit *carom_identify(const carom_fit_options *options, carom_error *error);
// Finds the values at which a goal is smallest or largest: trial runs, then Nelder and Mead's method. As above.
CAROM_API carom_fit *carom_optimise(const carom_fit_options *options, carom_error *error);
CAROM_API void carom_fit_destroy(carom_fit *fit);  // null is legal

// Texts of results stay valid as long as the fit.

typedef enum carom_fit_bound { CAROM_FIT_INSIDE, CAROM_FIT_AT_LOW, CAROM_FIT_AT_HIGH } carom_fit_bound;
typedef struct carom_fit_parameter {
  const char *name;  // null after the last; unknown offsets come after what is fitted
  const char *unit;  // may be empty
  double value;
  double least, most;  // its range
  bool log;
  carom_fit_bound bound;  // at an end of its range; its interval is then one-sided
  bool determined;        // false if the data cannot tell it: its interval is then its range
  double low, high;       // the 95 % confidence interval; NaN of an optimum, and if no run beside the value succeeds
  double standard_error;  // of the value, of a log parameter of its logarithm; NaN if it is not determined
} carom_fit_parameter;
CAROM_API carom_fit_parameter carom_fit_get_parameter(const carom_fit *fit, int i);
// Of the errors of two parameters; NaN where one of them is not determined or at a bound.
CAROM_API double carom_fit_correlation(const carom_fit *fit, int i, int k);

typedef struct carom_fit_summary {
  const char *title, *model;          // of the model, and its file
  long samples;                       // that were fitted
  int freedoms;                       // samples less parameters that are determined and not at a bound
  double rms;                         // of the residuals, each relative to the range of its column [-]
  double hold_out_rms;                // the same of hold-out files; NaN if there are none [-]
  double autocorrelation;             // of a residual with the next one; near 0 if the model explains the data [-]
  long outliers;                      // samples whose influence a robust loss has bounded
  double goal;                        // of an optimum; otherwise NaN
  const char *goal_name, *goal_unit;  // of an optimum; otherwise null
  long runs, failed;                  // of the model
  const char *first_message;          // of the runs that failed; empty if none did
  int searches, agreeing;  // local searches, and those as good as the best: to a thousandth, of a goal to a millionth
  const char *command;     // `carom run` with the settings of the fit and its result
  const char *set_line;    // the result for other commands: `--set e=0.8 --set 'k=1000 N/m'`
} carom_fit_summary;
CAROM_API carom_fit_summary carom_fit_get_summary(const carom_fit *fit);

// A column of a file with its signal.
typedef struct carom_fit_channel {
  const char *file;  // null after the last
  const char *column, *signal, *unit;
  bool hold_out;
  double weight;
  double offset;  // that is added to the times of the file [s]
  long samples, missing;
  long unused;   // samples that can be outside of the run, whatever the offset is
  double scale;  // range of the column, by which its residuals are divided [unit]
  double rms;    // of its residuals; NaN of a hold-out file over which the run failed [unit]
} carom_fit_channel;
CAROM_API carom_fit_channel carom_fit_get_channel(const carom_fit *fit, int i);
// A sample of a channel: its time in the file, the measured value, and that of the fitted model. Returns false if there
// is none.
CAROM_API bool carom_fit_get_sample(const carom_fit *fit, int channel, long i, double *t, double *measured,
                                    double *fitted);

// Parameters that the data cannot tell apart, in a sentence: one for each combination. Null after the last.
CAROM_API const char *carom_fit_inseparable(const carom_fit *fit, int i);
// What else a user must know about the result, in sentences. Null after the last.
CAROM_API const char *carom_fit_warning(const carom_fit *fit, int i);

// Writes the result as one JSON object. Returns its length like snprintf.
CAROM_API int carom_fit_json(const carom_fit *fit, char *text, int size);
// Writes the result as an HDF5 file with tables `parameters`, `correlation` and `samples`, of which carom_report makes
// a page. A file that carom did not write is replaced only with `force`.
CAROM_API carom_status carom_fit_record(const carom_fit *fit, const char *record, bool force, carom_error *error);
// Writes the model file with the fitted values and the settings of the fit, each where its key stands in it; keys that
// it does not have are added. Returns CAROM_ERROR_USAGE if the file would not mean the same (copies of a `repeat`, keys
// of other files), or if the model reads other files and `path` is in another folder. A file that carom did not write
// is replaced only with `force`.
CAROM_API carom_status carom_fit_write_model(const carom_fit *fit, const char *path, bool force, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
