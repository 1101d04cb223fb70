// A run on disk: tables of doubles with named columns, growing row by row, and texts. One file holds everything a
// report needs. HDF5 is known to this folder alone.
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include "base/arena.h"
#include "carom/status.h"

// One two-dimensional dataset `/name`, rows x columns. Column names and units are its attributes `columns`, `units`;
// for each column `sampling` says whether a row holds the value at its time (`instant`) or over the step that the time
// is in (`mean`).
typedef struct record_table {
  const char *name;
  const char *const *columns;
  const char *const *units;     // may be null
  int column_count;             // at least one
  const char *const *sampling;  // may be null; null in records of older versions
  bool single;                  // stored with 24 bits of precision; rows are doubles all the same
} record_table;

typedef struct record_text {
  const char *name, *text;  // dataset `/about/name`
} record_text;

typedef struct record_settings {
  int compression;        // 0 none … 9
  const char *name;       // of the file in messages; null for its path
  double flush_interval;  // longest wall time that a row stays in memory before it is written; 0 writes at once [s]
} record_settings;

record_settings record_settings_default(void);  // no compression, 1 s

enum { RECORD_SUMMARY_MAX = 65535 };  // bytes of the summary, for which the file keeps room from the start

typedef struct record record;

// Returns null after reporting. Null settings are the default ones. Different records may live on different threads.
record *record_create(const char *path, const record_table *tables, int table_count, const record_text *texts,
                      int text_count, const record_settings *settings, carom_error *error);
// Appends one row to a table. Buffered. Returns CAROM_ERROR_FILE when writing fails.
carom_status record_append(record *r, int table, const double *row, carom_error *error);
// The same in parts, for rows of several tables at one time: where the next row of a table goes, to be filled; that it
// is there; and, after all of them, that rows are written which have been in memory for too long.
double *record_next(record *r, int table);
carom_status record_put(record *r, int table, carom_error *error);
carom_status record_flush_due(record *r, carom_error *error);
// Everything so far is on disk and readable by another process.
carom_status record_flush(record *r, carom_error *error);
// Writes the summary text (`/about/summary`, "running" until then) and closes. The file is complete. Frees all memory
// in any case. After a failure the summary is still written if the disk allows, and the failure is returned again.
carom_status record_finish(record *r, const char *summary, carom_error *error);
// Closes without a summary; what was appended is kept. Frees all memory in any case. Accepts null.
void record_abandon(record *r);

// About what a table with so many rows takes of a file without compression, its names included, and all texts that are
// so long together [bytes].
double record_table_size(const record_table *table, double rows);
double record_text_size(double length);

// For a program of our own, before any other use of HDF5: no clean-up of HDF5 at exit, in which it complains on the
// standard error about memory that it lost over a damaged file. Records need none; an application that relies on it for
// files of its own must not call this.
void record_skip_exit_handler(void);

// Reading back, also while the file is being written or after its writer was killed.
typedef struct record_reader record_reader;
record_reader *record_open(const char *path, carom_error *error);  // null after reporting
bool record_is_running(const record_reader *r);                    // a writer has it open now
int record_table_count(const record_reader *r);                    // in the order of their creation
// Whether a table has a row for each recorded time. The others have rows of their own, in the order of their creation.
bool record_is_frame_table(const char *name);
int record_find_table(const record_reader *r, const char *name);   // -1 when absent
record_table record_get_table(const record_reader *r, int table);  // its texts live as long as the reader
int record_find_column(const record_table *t, const char *name);   // -1 when absent
long record_rows(const record_reader *r, int table);               // as of now; -1 when the file became unreadable
carom_status record_read(record_reader *r, int table, long first, long count, double *rows, carom_error *error);
int record_text_count(const record_reader *r);
record_text record_get_text_at(const record_reader *r, int text);
const char *record_get_text(const record_reader *r, const char *name);  // as of the opening; null when absent
void record_close(record_reader *r);                                    // accepts null

#endif
