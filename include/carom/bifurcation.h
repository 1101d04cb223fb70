// Bifurcation diagrams: where a motion settles as a parameter changes step by step.
#ifndef CAROM_BIFURCATION_H
#define CAROM_BIFURCATION_H

#include <stdbool.h>

#include "carom/export.h"
#include "carom/record.h"
#include "carom/status.h"
#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_bifurcation_progress {
  long values, done, failed;  // in all, finished, and failed among these
  double wall_s;
} carom_bifurcation_progress;

enum { CAROM_BIFURCATION_NONE = -1 };  // where 0 stands for a default

typedef struct carom_bifurcation_options {
  const char *model;              // the model file
  const carom_setting *settings;  // of all values; may be null
  int setting_count;
  carom_setting vary;  // the parameter and its values, as in a sweep: `20 rad/s:30 rad/s:200`
  // The Poincaré section. `period` is the period of the drives, an expression over the parameters of the model such as
  // `2*pi/speed`; a section is the start of each period. With `section` it is the crossing of a value by a signal
  // instead, `crank.u=0`, rising, or with `:falling` or `:both` behind it; `period` is then given if the model depends
  // on time. One of them may be null.
  const char *period, *section;
  const char *take;    // signals that a point holds, with commas; null for the outputs, else the joint coordinates
  int cut, points;     // sections that are left out at each value (CAROM_BIFURCATION_NONE: none), and then kept; 0
                       // stands for 200 and 64
  double tolerance;    // points within this part of the amplitude are the same; 0 stands for
                       // 1e-6, or 1000 times the relative tolerance of the integrator if that is more
  double disturbance;  // of differences for multipliers and exponents, in parts of the amplitude; 0: by the tolerance
  int halvings;        // of the step in which something changes, to find where; 0 stands for 6, CAROM_BIFURCATION_NONE
                       // for none
  bool one_way;        // from the first value to the last, and not back
  long lyapunov;       // intervals over which the largest Lyapunov exponent is taken; 0: it is not
  const char *record;  // HDF5 file
  bool force;          // replace a file that carom did not write
  // Called about ten times a second; returning false interrupts. May be null.
  bool (*progress)(void *context, const carom_bifurcation_progress *progress);
  void *context;
} carom_bifurcation_options;

typedef struct carom_bifurcation_result {
  long values, failed;       // in the file, and those that failed
  long changes;              // of period, impacts or branch that were found
  double first_failed;       // the first value that failed; NaN if none did
  char first_message[1600];  // and why
} carom_bifurcation_result;

// At each value the model runs from where it was in the last section of the value before it, through all values and
// then back. The time begins anew with the period, so that the phase of the drives is kept. The file has the tables
// `values`, `points` and `changes`. A value that fails holds its message, and the next one goes on from the last that
// did not. Returns CAROM_OK also if values have failed. If it is interrupted, the file holds the values that are done.
CAROM_API carom_status carom_bifurcation(const carom_bifurcation_options *options, carom_bifurcation_result *result,
                                         carom_error *error);

// Writes `values` and `changes` of a diagram as one JSON object, each a list of rows with the names of their columns.
// Returns its length like snprintf, or -1 if the record is not a diagram or cannot be read.
CAROM_API int carom_bifurcation_json(carom_record *record, char *text, int size);

#ifdef __cplusplus
}
#endif
#endif
