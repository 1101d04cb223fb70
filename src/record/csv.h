// Comma-separated values: a header line, then one line per row. Each number is written with 15, 16 or 17 digits, the
// first of these that brings back the same number when read, less trailing zeros; with a decimal point in any locale.
#ifndef RECORD_CSV_H
#define RECORD_CSV_H

#include "carom/status.h"

typedef struct csv csv;

// Creates or overwrites `path`; "-" is the standard output. Returns null after reporting.
csv *csv_create(const char *path, const char *const *columns, int column_count, carom_error *error);
// The same for a file that is renamed to `name` when it is complete. Messages use that name.
csv *csv_create_for(const char *name, const char *path, const char *const *columns, int column_count,
                    carom_error *error);
// The line of units below the header, one per column; a column without one stays empty. Before the first row.
void csv_put_units(csv *c, const char *const *units);
// Numbers from this column on come from single precision: as many digits as bring these back.
void csv_set_single(csv *c, int first);
// Buffered. Returns CAROM_ERROR_FILE when writing fails, and from then on always.
carom_status csv_append(csv *c, const double *row, carom_error *error);
// The same where some columns are texts: one for each column, null for a number.
carom_status csv_append_texts(csv *c, const double *row, const char *const *texts, carom_error *error);
carom_status csv_flush(csv *c, carom_error *error);
// Writes what is left and closes. Frees all memory in any case. Accepts null.
carom_status csv_finish(csv *c, carom_error *error);

#endif
