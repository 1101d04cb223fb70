// Which existing files carom has written, by what is in them.
#ifndef RECORD_OWN_H
#define RECORD_OWN_H

#include <stdbool.h>

// Functions for `is_own` of an output_rule. The file is open for reading.
bool own_record(int fd, const void *unused);  // an HDF5 file with our mark, also one that was killed or damaged
bool own_page(int fd, const void *unused);    // a report
bool own_comparison(int fd, const void *unused);
#define OWN_MODEL "# Fitted by carom"  // how a model file begins that carom has written
bool own_model(int fd, const void *unused);
// A CSV file whose first line is one that carom writes: that of a run, of a whole record or of one of its tables, of
// any model, or of laws; or one of the headers that are given, such as those of all tables of the record that is
// exported. Only given headers tell what may come from elsewhere: the time alone, and outputs, which the user names.
#define OWN_CSV "a CSV file with a header by which carom knows its own"
typedef struct own_header {
  const char *const *columns;
  int count;
} own_header;
typedef struct own_headers {
  const own_header *items;
  int count;
} own_headers;
bool own_csv(int fd, const void *headers);  // own_headers; may be null

#endif
