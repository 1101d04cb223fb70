// The rows of a sweep, read back and compared.
#ifndef CAROM_TESTS_SWEEPS_H
#define CAROM_TESTS_SWEEPS_H

#include "runs.h"

// All rows of a file, to be freed; null after a failed check.
typedef struct rows {
  carom_record *record;
  double *values;
  int columns;
  long count;
} rows;

CHECK_UNUSED_OK static rows read_rows(const char *path) {
  carom_error error = {0};
  rows r = {.record = carom_record_open(path, &error)};
  if (!CHECK(r.record)) return printf("      %s\n", error.text), r;
  carom_record_table t = carom_record_get_table(r.record, 0);
  CHECK_TEXT(t.name, "rows");
  r.columns = t.columns, r.count = t.rows;
  r.values = calloc((size_t)(r.count * r.columns) + 1, sizeof *r.values);
  CHECK(carom_record_read(r.record, 0, 0, r.count, r.values, &error) == CAROM_OK);
  return r;
}

CHECK_UNUSED_OK static double value(const rows *r, long row, const char *column) {
  for (int k = 0; k < r->columns; k++)
    if (strcmp(carom_record_get_column(r->record, 0, k).name, column) == 0) return r->values[row * r->columns + k];
  CHECK(!"a column of this name");
  return NAN;
}

CHECK_UNUSED_OK static void close_rows(rows *r) {
  free(r->values);
  carom_record_close(r->record);
}

// But for the wall times, the last column.
CHECK_UNUSED_OK static void check_same(const rows *a, const rows *b) {
  if (!CHECK(a->count == b->count && a->columns == b->columns)) return;
  for (long i = 0; i < a->count; i++)
    CHECK(memcmp(a->values + i * a->columns, b->values + i * b->columns, (size_t)(a->columns - 1) * sizeof(double)) ==
          0);
}

#endif
