// Tables of a bifurcation diagram, read back.
#ifndef CAROM_TESTS_DIAGRAMS_H
#define CAROM_TESTS_DIAGRAMS_H

#include "runs.h"

typedef struct diagram {
  carom_record *record;
  int table;
  carom_record_table about;
  double *values;
} diagram;

// A table of a file, to be closed; without values after a failed check.
CHECK_UNUSED_OK static diagram read_diagram(const char *path, const char *table) {
  carom_error error = {0};
  diagram d = {.record = carom_record_open(path, &error), .table = -1};
  if (!CHECK(d.record)) return printf("      %s\n", error.text), d;
  do d.about = carom_record_get_table(d.record, ++d.table);
  while (d.about.name && strcmp(d.about.name, table) != 0);
  if (!CHECK(d.about.name)) return d;
  d.values = calloc((size_t)(d.about.rows * d.about.columns) + 1, sizeof *d.values);
  CHECK(!d.about.rows || carom_record_read(d.record, d.table, 0, d.about.rows, d.values, &error) == CAROM_OK);
  return d;
}

CHECK_UNUSED_OK static double diagram_value(const diagram *d, long row, const char *column) {
  for (int k = 0; d->values && row < d->about.rows && k < d->about.columns; k++)
    if (strcmp(carom_record_get_column(d->record, d->table, k).name, column) == 0)
      return d->values[row * d->about.columns + k];
  CHECK(!"a row and a column of this name");
  return NAN;
}

CHECK_UNUSED_OK static const char *diagram_word(const diagram *d, long row, const char *column) {
  for (int k = 0; k < d->about.columns; k++)
    if (strcmp(carom_record_get_column(d->record, d->table, k).name, column) == 0)
      return carom_record_word(d->record, d->table, k, d->values[row * d->about.columns + k]);
  return "";
}

CHECK_UNUSED_OK static void close_diagram(diagram *d) {
  free(d->values);
  carom_record_close(d->record);
}

#endif
