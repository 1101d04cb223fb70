// Which rows of the table `touches` belong to a row of `touch_times`.
#ifndef RECORD_TOUCH_ROWS_H
#define RECORD_TOUCH_ROWS_H

#include <stdbool.h>

// Whether the rows of a time are in the table, and behind those of the times before it: `next` is the first row that no
// time has had yet. A run that was killed may have written a time without its rows. In a damaged record times may share
// rows, and reading each would take times x rows.
static inline bool touch_rows_follow(double first, double count, long rows, double *next) {
  if (!(first >= *next && count >= 0 && first + count <= (double)rows)) return false;
  *next = first + count;
  return true;
}

#endif
