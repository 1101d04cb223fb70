// Records, read by a program: tables, texts and the names of points.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "carom/record.h"
#include "record/point_names.h"
#include "record/record.h"
#include "record/row_words.h"

struct carom_record {
  record_reader *in;
  arena memory;
  bool names_known;    // they have been read
  point_names *names;  // null: the record has none
  arena_mark row;      // where the names of one row begin
  arena words_memory;  // lives as long as the record
  row_words **words;   // of each table; null until they have been asked for
};

carom_record *carom_record_open(const char *path, carom_error *error) {
  carom_error own = {0};
  error_clear(error);
  if (!error) error = &own;
  carom_record *r = calloc(1, sizeof *r);
  if (!r) return error_set(error, CAROM_ERROR_MEMORY, "out of memory while opening '%s'", path), NULL;
  r->in = record_open(path, error);
  if (!r->in) return free(r), NULL;
  return r;
}

void carom_record_close(carom_record *record) {
  if (!record) return;
  record_close(record->in);
  arena_free(&record->memory), arena_free(&record->words_memory);
  free(record);
}

static bool is_table(const carom_record *r, int table) { return table >= 0 && table < record_table_count(r->in); }

carom_record_table carom_record_get_table(const carom_record *record, int table) {
  if (!is_table(record, table)) return (carom_record_table){0};
  record_table t = record_get_table(record->in, table);
  return (carom_record_table){t.name, t.column_count, record_rows(record->in, table), record_is_frame_table(t.name)};
}

carom_record_column carom_record_get_column(const carom_record *record, int table, int column) {
  if (!is_table(record, table)) return (carom_record_column){0};
  record_table t = record_get_table(record->in, table);
  if (column < 0 || column >= t.column_count) return (carom_record_column){0};
  return (carom_record_column){t.columns[column], t.units ? t.units[column] : "",
                               t.sampling ? t.sampling[column] : "instant"};
}

carom_status carom_record_read(carom_record *record, int table, long first, long count, double *rows,
                               carom_error *error) {
  error_clear(error);
  if (!is_table(record, table)) return error_set(error, CAROM_ERROR_USAGE, "the record has no table %d", table);
  long all = record_rows(record->in, table);
  if (first < 0 || count < 0 || first > all || count > all - first)
    return error_set(error, CAROM_ERROR_USAGE, "table '%s' has %ld rows; asked for %ld from row %ld on",
                     record_get_table(record->in, table).name, all < 0 ? 0 : all, count, first);
  return count ? record_read(record->in, table, first, count, rows, error) : CAROM_OK;
}

// Into the record's memory. Returns false if that runs out.
static bool find_names(carom_record *r, const point_columns *columns, const double *row, point_name *name) {
  jmp_buf out_of_memory;
  r->memory.out_of_memory = &out_of_memory;
  if (setjmp(out_of_memory)) return false;
  if (!r->names_known) {
    r->names = point_names_read(&r->memory, r->in);
    r->row = arena_get_mark(&r->memory);
    r->names_known = true;
  }
  arena_release(&r->memory, r->row);
  return r->names && point_names_find_row(r->names, &r->memory, columns, row, name);
}

carom_record_point carom_record_get_point(carom_record *record, int table, const double *row) {
  if (!is_table(record, table)) return (carom_record_point){0};
  record_table t = record_get_table(record->in, table);
  point_columns columns = point_columns_of(&t);
  point_name name;
  if (columns.point < 0 || !find_names(record, &columns, row, &name)) return (carom_record_point){0};
  return (carom_record_point){name.pair, columns.of_pairs ? "" : name.point};
}

const char *carom_record_word(carom_record *record, int table, int column, double value) {
  jmp_buf out_of_memory;
  if (!is_table(record, table)) return NULL;
  record->words_memory.out_of_memory = &out_of_memory;
  if (setjmp(out_of_memory)) return NULL;
  if (!record->words) {
    int count = record_table_count(record->in);
    row_words **words = ARENA_ARRAY(&record->words_memory, row_words *, count);
    for (int i = 0; i < count; i++) words[i] = row_words_read(&record->words_memory, record->in, i);
    record->words = words;
  }
  return row_words_find(record->words[table], column, value);
}

const char *carom_record_text(const carom_record *record, const char *name) {
  return record_get_text(record->in, name);
}
