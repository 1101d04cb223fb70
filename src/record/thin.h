// A long record in few rows. Between two kept rows a straight line in time is within `bound` times its column's scale
// of every row that was left out; rows that must stay (impacts, extremes) stay. One pass over a table treats all
// columns at once. Memory grows with the rows by one bit each.
//
// From the last kept row a cone of slopes is carried for each column: those that pass all rows since within the bound.
// A row may be the next kept one while the line to it lies in every cone; when it does not, the row before is kept.
#ifndef RECORD_THIN_H
#define RECORD_THIN_H

#include <stdint.h>

#include "base/arena.h"
#include "record/record.h"

// --- a set of rows ---------------------------------------------------------------------------------------------------

typedef struct row_set {
  uint64_t *bits;
  long rows, count;  // of all, of those in it
} row_set;

row_set row_set_create(arena *memory, long rows);
row_set row_set_copy(arena *memory, const row_set *from);
void row_set_add(row_set *s, long row);  // rows outside are ignored
void row_set_add_range(row_set *s, long first, long last);
static inline bool row_set_has(const row_set *s, long row) { return s->bits[row >> 6] >> (row & 63) & 1; }

// --- columns ---------------------------------------------------------------------------------------------------------

// What all rows of a column have in common.
typedef struct column_range {
  double min, max;            // of the finite values; min > max if there are none
  long first_min, first_max;  // rows
  double first;               // value
  bool constant;              // the same in every row, NaN included
  bool finite;                // all are
} column_range;

// Takes the value of the next row into a range, from row 0 on.
void column_range_take(column_range *c, double x, long row);
// The ranges of every column in the first `rows` rows.
carom_status thin_scan(record_reader *in, int table, long rows, column_range *ranges, carom_error *error);

// --- thinning --------------------------------------------------------------------------------------------------------

enum { THIN_LEVELS = 15 };  // bounds, each four times the one before, from 1.5e-8 to more than the whole range

typedef struct thin_level {
  row_set kept;
  double bound;  // relative to the scale of each column
} thin_level;

typedef struct thin_result {
  thin_level levels[THIN_LEVELS];
  int count;
} thin_result;

// All levels that keep at most `most` rows, including those of `must`, the finest first, from one pass. The last level
// is always there; it keeps only the rows of `must`. A column of scale 0 is ignored. Returns false after reporting.
bool thin_table(arena *memory, record_reader *in, int table, int time_table, const double *scales, const row_set *must,
                long most, thin_result *result, carom_error *error);

#endif
