// Which existing files carom has written, by what is in them.
#ifndef RECORD_OWN_H
#define RECORD_OWN_H

#include <stdbool.h>

#include "record/record.h"

// A recogniser for output_rule each; the file is open for reading.
bool own_record(int fd, const void *unused);         // an HDF5 file with our mark, also one that was killed or damaged
bool own_page(int fd, const void *unused);           // a report
bool own_comparison(int fd, const void *unused);
// A CSV file whose first line is a header that carom writes: that of a table of any model, or one of these.
typedef struct own_tables {
  const record_table *tables;
  int count;
} own_tables;
bool own_csv(int fd, const void *tables);            // own_tables, or null

#endif
