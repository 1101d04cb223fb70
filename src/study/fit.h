// A fit in its parts: measured files, traces of the model at their times, intervals, and what becomes of the result.
#ifndef STUDY_FIT_H
#define STUDY_FIT_H

#include "math/least_squares.h"
#include "study/trials.h"

// --- fit_data.c: files of measured samples ---------------------------------------------------------------------------

typedef struct fit_file {
  const char *name;
  double weight;
  bool hold_out;
  int offset;  // which number of a point is its time offset; -1: it has none
  long rows;
  double *t;  // as in the file [s]
} fit_file;

// A column of a file that a signal is matched with.
typedef struct fit_channel {
  int file, match;
  const char *column;
  double scale;   // range of the column over all files that are fitted
  double weight;  // of a residual: 1/scale and the root of the file's
  long count, missing, unused;
  long *row;   // of each sample in its file
  double *y;   // measured values
  long first;  // of its samples among those of all channels
} fit_channel;

// --- identify.c, optimise.c: the fit ---------------------------------------------------------------------------------

typedef struct carom_fit {
  arena memory;
  const carom_fit_options *options;  // during the fit only
  carom_error *error;
  trials runs;
  const char *model, *title, *model_text;
  const char **inputs;            // files that were read: those of the model first
  int input_count, file_inputs;   // of these, of the model
  const carom_setting *settings;  // copies
  int setting_count;
  // what is fitted: settings of the model, then offsets of files
  sweep_range *ranges;
  int range_count, n;
  // measured
  fit_file *files;
  int file_count;
  fit_channel *channels;
  int channel_count, fitted_channels;  // those that are fitted come first
  const char **signals, **units;       // of each match
  int match_count;
  long m, fitted;  // samples in all, and of those that are fitted
  int compared;    // the file that is held out and compared now, alone; -1 while those that are fitted are run
  bool robust;
  // the result
  double *point;   // shares of the ranges
  double *traces;  // of the model, at all samples
  double *residuals;
  double limit;  // beyond which a robust loss bounds residuals; else infinite
  carom_fit_parameter *parameters;
  double *correlation;
  const char **inseparable, **warnings;
  int inseparable_count, inseparable_capacity, warning_count, warning_capacity;
  carom_fit_summary summary;
} carom_fit;

// Reads all files. `model` gives the units of signals. Returns false after reporting.
bool fit_read_data(carom_fit *f, const carom_model *model);
// The part of a fit that both studies begin with: ranges and settings. Returns false after reporting.
bool fit_read_ranges(carom_fit *f, bool with_offset);
// A model from the ranges, for units and signals: the first that can be loaded. Returns null after reporting what is
// wrong with the one in the middle.
carom_model *fit_load_first(carom_fit *f);
// Returns false after reporting that the model file was changed during the fit.
bool fit_is_same_model(const carom_fit *f, const carom_model *model, carom_error *error);
// Points of the ranges with their results, best first. Returns how many of them ran, or -1 after reporting.
int fit_try_starts(carom_fit *f, double (*cost)(const carom_fit *f, const double *result), int keep, double *points,
                   double *results);
bool fit_ended(carom_fit *f);  // false, after reporting why trial runs have ended: interrupted, or out of memory
// Makes a fit, or destroys it after a failure.
carom_fit *fit_make(const carom_fit_options *options, bool (*make)(carom_fit *f), carom_error *error);
void fit_warn(carom_fit *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fit_name_result(carom_fit *f);  // values of the parameters, and their line of settings

// --- fit_trace.c: the model at the times of the samples --------------------------------------------------------------

// Runs a model to the end of the files that take part, and fills one number per sample of their channels: `offset` of
// each file from the point, which may be null for none. For trials; `context` is the fit.
carom_status fit_trace(void *context, const carom_model *model, const double *point, double *traces,
                       carom_error *error);
// Residuals of the samples that are fitted.
void fit_residuals(const carom_fit *f, const double *traces, double *residuals);

// --- fit_intervals.c: what the data say about each parameter ---------------------------------------------------------

// From the derivatives of the residuals at the fit, and by how much these are uncertain. Fills parameters, correlation
// and what cannot be separated.
void fit_intervals(carom_fit *f, const double *residuals, const double *J, const double *change);

#endif
