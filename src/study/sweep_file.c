// The rows of a sweep on disk: one file, or the files of shards joined to one.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "study/sweep.h"

// --- in memory -------------------------------------------------------------------------------------------------------

double *sweep_table_row(const sweep_table *t, long row) { return t->values + (size_t)row * (size_t)t->column_count; }

bool sweep_table_has(const sweep_table *t, long row) { return !isnan(sweep_table_row(t, row)[0]); }

void sweep_table_make_room(arena *memory, sweep_table *t) {
  t->values = ARENA_ARRAY(memory, double, (size_t)t->rows *(size_t)t->column_count + 1);
  t->messages = ARENA_ARRAY(memory, char *, t->rows + 1);
  for (long i = 0; i < t->rows; i++) sweep_table_row(t, i)[0] = NAN;
}

static bool has_failed(const sweep_table *t, const double *row) { return row[t->status] != (double)CAROM_OK; }

long sweep_table_count(const sweep_table *t, long *failed) {
  long count = 0;
  *failed = 0;
  for (long i = 0; t->values && i < t->rows; i++) {
    if (!sweep_table_has(t, i)) continue;
    count++, *failed += has_failed(t, sweep_table_row(t, i));
  }
  return count;
}

void sweep_table_free_messages(const sweep_table *t) {
  for (long i = 0; t->messages && i < t->rows; i++) free(t->messages[i]);
}

void sweep_table_report(const sweep_table *t, carom_sweep_result *result) {
  *result = (carom_sweep_result){.first_failed = -1};
  result->rows = sweep_table_count(t, &result->failed);
  for (long i = 0; t->messages && i < t->rows && result->first_failed < 0; i++)
    if (t->messages[i]) {
      result->first_failed = i;
      snprintf(result->first_message, sizeof result->first_message, "%s", t->messages[i]);
    }
}

// --- reading ---------------------------------------------------------------------------------------------------------

static bool same_columns(const sweep_table *t, const record_table *other) {
  bool same = other->column_count == t->column_count;
  for (int i = 0; same && i < t->column_count; i++) same = strcmp(other->columns[i], t->columns[i]) == 0;
  return same;
}

// But for the wall time, the last column.
static bool same_values(const sweep_table *t, const double *a, const double *b) {
  for (int i = 0; i + 1 < t->column_count; i++)
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

static bool take_row(sweep_table *t, const double *row, const json_value *messages, carom_error *error) {
  if (!(row[0] >= 0 && row[0] < (double)t->rows && row[0] == floor(row[0]))) return true;  // damaged
  long i = (long)row[0];
  if (sweep_table_has(t, i))
    return same_values(t, sweep_table_row(t, i), row) ||
           (error_set(error, CAROM_ERROR_USAGE, "row %ld has different values in two files", i), false);
  memcpy(sweep_table_row(t, i), row, (size_t)t->column_count * sizeof *row);
  if (!has_failed(t, row)) return true;
  char key[32];
  snprintf(key, sizeof key, "%ld", i);
  t->messages[i] = strdup(json_get_text(messages, key));
  return true;
}

bool sweep_file_take(arena *memory, sweep_table *t, record_reader *in,
                     bool (*keep)(const sweep_table *t, const double *row), carom_error *error) {
  int table = record_find_table(in, SWEEP_ROWS);
  record_table about = table < 0 ? (record_table){0} : record_get_table(in, table);
  if (table < 0 || !same_columns(t, &about)) return true;
  const char *text = record_get_text(in, "messages");
  const json_value *messages = text ? json_read(memory, text) : NULL;
  double *row = ARENA_ARRAY(memory, double, t->column_count);
  for (long i = 0, count = record_rows(in, table); i < count; i++) {
    if (record_read(in, table, i, 1, row, error) != CAROM_OK) return false;
    if ((!keep || keep(t, row)) && !take_row(t, row, messages, error)) return false;
  }
  return true;
}

// --- writing ---------------------------------------------------------------------------------------------------------

record *sweep_file_create(const sweep_table *t, const char *path, const char *messages, carom_error *error) {
  static const char *const no_units[SENSITIVITY_COLUMNS] = {"1", "1", "1", "1", "1", "1", "1", "1", "1"};
  record_table tables[] = {
      {.name = SWEEP_ROWS, .columns = t->columns, .units = t->units, .column_count = t->column_count},
      {.name = SWEEP_SENSITIVITY,
       .columns = sensitivity_columns,
       .units = no_units,
       .column_count = SENSITIVITY_COLUMNS}};
  record_text texts[] = {{"sweep", t->identity},           {"version", CAROM_VERSION},          {"words", t->words},
                         {"file", t->file ? t->file : ""}, {"title", t->title ? t->title : ""}, {"messages", messages}};
  record_settings settings = record_settings_default();
  settings.name = path;
  return record_create(path, tables, messages && t->sensitivity ? 2 : 1, texts, messages ? 6 : 5, &settings, error);
}

static const char *list_messages(arena *memory, const sweep_table *t) {
  json_writer w = json_begin(memory);
  json_open(&w, NULL, '{');
  for (long i = 0; i < t->rows; i++)
    if (t->messages[i]) json_put_text(&w, arena_print(memory, "%ld", i), t->messages[i]);
  json_close(&w, '}');
  return w.out.text;
}

static carom_status write_sensitivity(arena *memory, const sweep_table *t, record *out, carom_error *error) {
  carom_status status = CAROM_OK;
  double *rows = ARENA_ARRAY(memory, double, t->vary_count *SENSITIVITY_COLUMNS);
  for (int k = 0; k < t->take_count && status == CAROM_OK; k++) {
    sweep_sensitivity(memory, t, k, rows);
    for (int i = 0; i < t->vary_count && status == CAROM_OK; i++)
      status = record_append(out, 1, rows + i * SENSITIVITY_COLUMNS, error);
  }
  return status;
}

// Indices need whole blocks of rows, which a shard does not have: its file has no table for them.
carom_status sweep_file_write(arena *memory, const sweep_table *all, const char *path, carom_error *error) {
  output_file f;
  long failed, count = sweep_table_count(all, &failed);
  sweep_table whole_blocks = *all;
  const sweep_table *t = &whole_blocks;
  whole_blocks.sensitivity = all->sensitivity && count == all->rows;
  if (!output_begin(&f, path, error)) return error->status;
  record *out = sweep_file_create(t, f.place, list_messages(memory, t), error);
  carom_status status = out ? CAROM_OK : error->status;
  for (long i = 0; i < t->rows && status == CAROM_OK; i++)
    if (sweep_table_has(t, i)) status = record_append(out, 0, sweep_table_row(t, i), error);
  if (t->sensitivity && status == CAROM_OK) status = write_sensitivity(memory, t, out, error);
  if (out && status == CAROM_OK)
    status = record_finish(out, arena_print(memory, "{\"rows\": %ld, \"failed\": %ld}", count, failed), error);
  else record_abandon(out);
  carom_status ended = output_end(&f, status == CAROM_OK, error);
  return status == CAROM_OK ? ended : status;
}

// --- joining ---------------------------------------------------------------------------------------------------------

// The first file says what sweep it is. Its texts live as long as it is open.
static bool describe(arena *memory, record_reader *in, const char *path, sweep_table *t, carom_error *error) {
  t->identity = record_get_text(in, "sweep");
  int table = record_find_table(in, SWEEP_ROWS);
  const json_value *about = t->identity ? json_read(memory, t->identity) : NULL;
  if (!about || table < 0) return error_set(error, CAROM_ERROR_USAGE, "'%s' is not the file of a sweep", path), false;
  record_table rows = record_get_table(in, table);
  t->columns = rows.columns, t->units = rows.units, t->column_count = rows.column_count,
  t->status = record_find_column(&rows, SWEEP_STATUS);
  t->rows = (long)json_get_number(about, "rows", 0);
  const json_value *vary = json_get(about, "vary"), *take = json_get(about, "take");
  t->vary_count = vary ? vary->count : 0, t->take_count = take ? take->count : 0;
  t->sensitivity = json_get_number(about, "sensitivity", 0) != 0;
  t->words = record_get_text(in, "words");
  t->file = record_get_text(in, "file"), t->title = record_get_text(in, "title");
  if (t->status < 0 || t->rows < 1 || t->rows > SWEEP_ROWS_MOST || !t->words ||
      t->vary_count + t->take_count >= t->status)
    return error_set(error, CAROM_ERROR_FILE, "'%s' is damaged", path), false;
  sweep_table_make_room(memory, t);
  return true;
}

static bool take_file(arena *memory, sweep_table *t, record_reader *in, const char *path, carom_error *error) {
  const char *of = record_get_text(in, "sweep");
  if (!of || strcmp(of, t->identity) != 0)
    return error_set(error, CAROM_ERROR_USAGE,
                     "'%s' is of another sweep: model, settings, ranges, seed or version differ from the first file",
                     path),
           false;
  return sweep_file_take(memory, t, in, NULL, error);
}

static bool is_whole(const sweep_table *t, carom_error *error) {
  long missing = 0, first = -1;
  for (long i = 0; i < t->rows; i++)
    if (!sweep_table_has(t, i) && missing++ == 0) first = i;
  if (missing)
    error_set(error, CAROM_ERROR_USAGE, "%ld of %ld rows are missing, row %ld first; is a shard not finished?", missing,
              t->rows, first);
  return missing == 0;
}

static carom_status join(arena *memory, record_reader **in, const char *const *files, int count, const char *path,
                         bool force, sweep_table *t, carom_error *error) {
  carom_output out = {.path = path, .kind = CAROM_FILE_RECORD, .inputs = files, .input_count = count, .force = force};
  if (count < 1) return error_set(error, CAROM_ERROR_USAGE, "name the files that are to be joined");
  if (carom_output_check(&out, error) != CAROM_OK) return error->status;
  for (int i = 0; i < count; i++) {
    in[i] = record_open(files[i], error);
    if (!in[i] || (i == 0 && !describe(memory, in[0], files[0], t, error)) ||
        !take_file(memory, t, in[i], files[i], error))
      return error->status;
  }
  return is_whole(t, error) ? sweep_file_write(memory, t, path, error) : error->status;
}

carom_status carom_sweep_join(const char *const *files, int count, const char *path, bool force,
                              carom_sweep_result *result, carom_error *error) {
  carom_error own = {0};
  carom_error *const trouble = error ? error : &own;
  carom_sweep_result unused;
  jmp_buf out_of_memory;
  arena memory = {0};
  sweep_table t = {0};
  carom_status status;
  error_clear(error);
  record_reader **in = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof(record_reader *));
  if (!in || setjmp(out_of_memory)) {
    status = error_set(trouble, CAROM_ERROR_MEMORY, "out of memory for the rows of a sweep");
  } else {
    memory = arena_create(&out_of_memory);
    status = join(&memory, in, files, count, path, force, &t, trouble);
  }
  sweep_table_report(&t, result ? result : &unused);
  sweep_table_free_messages(&t);
  for (int i = 0; in && i < count; i++) record_close(in[i]);
  free(in);
  arena_free(&memory);
  return status;
}
