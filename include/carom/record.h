// Reads the records that runs write: HDF5 files with tables of numbers and texts.
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include <stdbool.h>

#include "carom/export.h"
#include "carom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// An open record. Used by one thread at a time. It may be read while its run is still going, or after that was killed.
typedef struct carom_record carom_record;
// Returns null on failure.
CAROM_API carom_record *carom_record_open(const char *path, carom_error *error);
CAROM_API void carom_record_close(carom_record *record);  // null is legal

// The tables are numbered from 0 on. Names and units stay valid until the record is closed.
typedef struct carom_record_table {
  const char *name;  // null after the last table
  int columns;
  long rows;     // as of now; -1 if the file cannot be read any more
  bool by_time;  // it has one row for each recorded time, as all tables that are so have
} carom_record_table;
CAROM_API carom_record_table carom_record_get_table(const carom_record *record, int table);

typedef struct carom_record_column {
  const char *name;      // null if there is no such column
  const char *unit;      // may be empty
  const char *sampling;  // "instant", or "mean" over the step that the time is in
} carom_record_column;
CAROM_API carom_record_column carom_record_get_column(const carom_record *record, int table, int column);

// Reads rows of a table, one after the other. Returns CAROM_ERROR_USAGE if the table or one of the rows does not exist.
CAROM_API carom_status carom_record_read(carom_record *record, int table, long first, long count, double *rows,
                                         carom_error *error);

// Rows of impacts, episodes, regimes and touches belong to a point of a pair of surfaces.
typedef struct carom_record_point {
  const char *pair;   // null if the row names no point
  const char *point;  // which of its points; empty if it has only one, or if the row belongs to the pair
} carom_record_point;
// The names stay valid until the next call.
CAROM_API carom_record_point carom_record_get_point(carom_record *record, int table, const double *row);

// The word that a column has for a value: columns of sweeps may hold places in lists of words. Returns null if the
// column holds numbers, and an empty text if it has no word for this one. The word stays valid until the record is
// closed.
CAROM_API const char *carom_record_word(carom_record *record, int table, int column, double value);

// A text of the record: "model", "summary", "version", … Returns null if it has none of this name.
CAROM_API const char *carom_record_text(const carom_record *record, const char *name);

#ifdef __cplusplus
}
#endif
#endif
