// A record read back and written in another form.
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/word.h"
#include "carom/carom.h"
#include "ledger/impact.h"
#include "text/source.h"
#include "record/csv.h"
#include "record/own.h"
#include "record/point_names.h"
#include "record/record.h"
#include "record/row_words.h"
#include "record/touch_rows.h"

void carom_skip_exit_cleanup(void) { record_skip_exit_handler(); }

enum { ROWS_AT_ONCE = 256 };

typedef struct exporter {
  arena memory;
  record_reader *in;
  csv *out;
  int *tables, table_count, table_capacity;  // side by side, in this order
  int column_count;
  const char **columns, **units;
  long rows;
  point_names *names;    // of impacts or touches; null if their points are not named
  point_columns points;  // of the table that they are in
  row_words *words;      // of a table of its own; null if it holds numbers alone
  const char **texts;    // of one row, one per column; null for a number
  int word_count;        // texts behind the columns: pair and point, the pair alone, or a message
  int times;             // table of the times of touches, which stand in front of its columns; -1 for other tables
  arena_mark row_mark;   // where the words of one row begin
  double *block, *row;   // of one table, of the result
  carom_error *error;
} exporter;

static bool is_frame_table(const exporter *x, int table) {
  return record_is_frame_table(record_get_table(x->in, table).name);
}

// Touches have their times in a table of their own.
static bool is_touches(const exporter *x, int table) {
  return strcmp(record_get_table(x->in, table).name, "touches") == 0 && record_find_table(x->in, "touch_times") >= 0;
}

static void take_table(exporter *x, int table) {
  long rows = record_rows(x->in, table);
  // a run that is going on, or was killed, may have one table a row ahead of another
  if (x->table_count == 0 || rows < x->rows) x->rows = rows;
  *ARENA_PUSH(&x->memory, x->tables, x->table_count, x->table_capacity) = table;
  x->column_count += record_get_table(x->in, table).column_count;
}

static bool unknown_table(exporter *x, const char *name) {
  int count = record_table_count(x->in);
  const char **names = ARENA_ARRAY(&x->memory, const char *, count + 1);
  char *list = arena_copy_text(&x->memory, "");
  for (int i = 0; i < count; i++) {
    names[i] = record_get_table(x->in, i).name;
    list = arena_print(&x->memory, "%s%s%s", list, i ? ", " : "", names[i]);
  }
  const char *near = word_nearest(name, names, count);
  if (near) error_set(x->error, CAROM_ERROR_USAGE, "there is no table '%s'; did you mean '%s'?", name, near);
  else error_set(x->error, CAROM_ERROR_USAGE, "there is no table '%s'; there are %s", name, list);
  return false;
}

// All frame tables, or the one that was asked for with the time in front.
static bool choose_tables(exporter *x, const char *name) {
  int time = record_find_table(x->in, "time");
  if (name) {
    int table = record_find_table(x->in, name);
    if (table < 0) return unknown_table(x, name);
    if (time >= 0 && table != time && is_frame_table(x, table)) take_table(x, time);
    take_table(x, table);
    if (is_touches(x, table)) x->times = record_find_table(x->in, "touch_times"), x->column_count++;
  } else {
    // without times, as in a sweep, tables have nothing in common: the first alone
    for (int i = 0; i < record_table_count(x->in) && (time >= 0 || !x->table_count); i++)
      if (is_frame_table(x, i)) take_table(x, i);
  }
  if (x->table_count && x->rows >= 0) return true;
  error_set(x->error, CAROM_ERROR_FILE, "the record holds no tables that can be read");
  return false;
}

enum { WORDS = IMPACT_NAME_COLUMNS };

static void find_points(exporter *x, const record_table *t) {
  point_columns points = point_columns_of(t);
  if (points.point < 0) return;
  x->points = points;
  x->names = point_names_read(&x->memory, x->in);
  if (x->names) x->word_count = points.of_pairs ? 1 : WORDS;
}

static void name_columns(exporter *x) {
  x->columns = ARENA_ARRAY(&x->memory, const char *, x->column_count + WORDS);
  x->units = ARENA_ARRAY(&x->memory, const char *, x->column_count + WORDS);
  x->texts = ARENA_ARRAY(&x->memory, const char *, x->column_count + WORDS);
  int used = 0;
  if (x->times >= 0) x->columns[used] = "t", x->units[used++] = "s";
  for (int i = 0; i < x->table_count; i++) {
    record_table t = record_get_table(x->in, x->tables[i]);
    for (int k = 0; k < t.column_count; k++, used++)
      x->columns[used] = t.columns[k], x->units[used] = t.units ? t.units[k] : "";
    find_points(x, &t);
  }
  if (x->table_count == 1) x->words = row_words_read(&x->memory, x->in, x->tables[0]);
  if (row_words_have_messages(x->words)) x->word_count = 1;
  for (int i = 0; i < WORDS; i++)
    x->columns[used + i] = x->names ? impact_name_columns[i] : "message", x->units[used + i] = "";
  x->block = ARENA_ARRAY(&x->memory, double, ((size_t)x->column_count * ROWS_AT_ONCE));
  x->row = ARENA_ARRAY(&x->memory, double, x->column_count);
}

static carom_status put_row(exporter *x) {
  const char **behind = x->texts + x->column_count;
  if (x->names) {
    point_name name;
    arena_release(&x->memory, x->row_mark);
    bool known = point_names_find_row(x->names, &x->memory, &x->points, x->row + (x->times >= 0), &name);
    behind[0] = known ? name.pair : "", behind[1] = known ? name.point : "";
  } else if (x->words) {
    for (int i = 0; i < x->column_count; i++) x->texts[i] = row_words_find(x->words, i, x->row[i]);
    behind[0] = row_words_message(x->words, x->row[0]);
  }
  return csv_append_texts(x->out, x->row, x->texts, x->error);
}

// Each table's part of the block follows the last one's.
static carom_status copy_rows(exporter *x, long first, long count) {
  carom_status status = CAROM_OK;
  size_t offset = 0;
  for (int i = 0; i < x->table_count && status == CAROM_OK; i++) {
    status = record_read(x->in, x->tables[i], first, count, x->block + offset * ROWS_AT_ONCE, x->error);
    offset += (size_t)record_get_table(x->in, x->tables[i]).column_count;
  }
  for (long r = 0; r < count && status == CAROM_OK; r++) {
    offset = 0;
    for (int i = 0; i < x->table_count; i++) {
      size_t width = (size_t)record_get_table(x->in, x->tables[i]).column_count;
      memcpy(x->row + offset, x->block + offset * ROWS_AT_ONCE + (size_t)r * width, width * sizeof *x->row);
      offset += width;
    }
    status = put_row(x);
  }
  return status;
}

static carom_status copy_frames(exporter *x) {
  carom_status status = CAROM_OK;
  for (long first = 0; first < x->rows && status == CAROM_OK; first += ROWS_AT_ONCE)
    status = copy_rows(x, first, x->rows - first < ROWS_AT_ONCE ? x->rows - first : ROWS_AT_ONCE);
  return status;
}

// The touches of one time, from row `first` on.
static carom_status copy_time(exporter *x, double t, long first, long count) {
  carom_status status = CAROM_OK;
  int width = x->column_count - 1;
  x->row[0] = t;
  for (long i = 0; i < count && status == CAROM_OK; i += ROWS_AT_ONCE) {
    long n = count - i < ROWS_AT_ONCE ? count - i : ROWS_AT_ONCE;
    status = record_read(x->in, x->tables[0], first + i, n, x->block, x->error);
    for (long k = 0; k < n && status == CAROM_OK; k++) {
      memcpy(x->row + 1, x->block + k * width, (size_t)width * sizeof *x->row);
      status = put_row(x);
    }
  }
  return status;
}

// A run that is going on, or was killed, may have times whose rows have not been written.
static carom_status copy_touches(exporter *x) {
  record_table t = record_get_table(x->in, x->times);
  int at = record_find_column(&t, "t"), first = record_find_column(&t, "first"),
      count = record_find_column(&t, "count");
  long times = record_rows(x->in, x->times), rows = x->rows;
  double *time = ARENA_ARRAY(&x->memory, double, t.column_count), next = 0;
  if (at < 0 || first < 0 || count < 0 || times < 0)
    return error_set(x->error, CAROM_ERROR_FILE, "the times of the touches cannot be read");
  carom_status status = CAROM_OK;
  x->row_mark = arena_get_mark(&x->memory);
  for (long i = 0; i < times && status == CAROM_OK; i++) {
    status = record_read(x->in, x->times, i, 1, time, x->error);
    if (status != CAROM_OK || !touch_rows_follow(time[first], time[count], rows, &next)) break;
    status = copy_time(x, time[at], (long)time[first], (long)time[count]);
  }
  return status;
}

static int count_columns(const exporter *x) { return x->column_count + x->word_count; }

// The header of a table in a file of its own: a frame table has the time in front.
static own_header header_of(exporter *x, int table, bool message) {
  int time = record_find_table(x->in, "time"), count = 0;
  record_table t = record_get_table(x->in, table);
  record_table front =
      time >= 0 && table != time && is_frame_table(x, table) ? record_get_table(x->in, time) : (record_table){0};
  const char **columns = ARENA_ARRAY(&x->memory, const char *, front.column_count + t.column_count + 3);
  if (is_touches(x, table)) columns[count++] = "t";
  for (int k = 0; k < front.column_count; k++) columns[count++] = front.columns[k];
  for (int k = 0; k < t.column_count; k++) columns[count++] = t.columns[k];
  if (message) columns[count++] = "message";
  return (own_header){columns, count};
}

// The header that is to be written, and those of the tables of this record, with and without messages of rows that
// failed. A lone `t` can be anything.
static own_headers list_headers(exporter *x) {
  int count = record_table_count(x->in), time = record_find_table(x->in, "time"), used = 0;
  own_header *items = arena_alloc(&x->memory, 2 * (size_t)count + 1, sizeof *items);
  items[used++] = (own_header){x->columns, count_columns(x)};
  for (int i = 0; i < count; i++)
    if (i != time) items[used++] = header_of(x, i, false), items[used++] = header_of(x, i, true);
  return (own_headers){items, used};
}

static carom_status guard(exporter *x, const char *run, const char *path, bool force) {
  own_headers known = list_headers(x);
  return output_guard(&(output_rule){.path = path,
                                     .kind = OWN_CSV,
                                     .is_own = own_csv,
                                     .context = &known,
                                     .to_standard_output = true,
                                     .inputs = &run,
                                     .input_count = 1,
                                     .force = force},
                      x->error);
}

static carom_status write_csv(exporter *x, const output_file *f, bool units) {
  x->out = csv_create_for(f->path, f->place, x->columns, count_columns(x), x->error);
  if (!x->out) return x->error->status;
  if (units) csv_put_units(x->out, x->units);
  if (x->times >= 0 && record_get_table(x->in, x->tables[0]).single) csv_set_single(x->out, 1);  // behind the time
  x->row_mark = arena_get_mark(&x->memory);
  carom_status status = x->times < 0 ? copy_frames(x) : copy_touches(x);
  carom_status finished = csv_finish(x->out, x->error);
  x->out = NULL;
  return status == CAROM_OK ? finished : status;
}

static carom_status export_all(exporter *x, const char *run, const char *path, const carom_export_options *options) {
  x->in = record_open(run, x->error);
  if (!x->in || !choose_tables(x, options->table)) return x->error->status;
  name_columns(x);
  output_file f;
  if (guard(x, run, path, options->force) != CAROM_OK || !output_begin(&f, path, x->error)) return x->error->status;
  carom_status status = write_csv(x, &f, options->units), ended = output_end(&f, status == CAROM_OK, x->error);
  return status == CAROM_OK ? ended : status;
}

carom_status carom_export_csv(const char *run, const char *out, const carom_export_options *options,
                              carom_error *error) {
  carom_error own;
  static const carom_export_options standard = {0};
  jmp_buf out_of_memory;
  exporter x = {.error = error_use(error, &own), .times = -1};
  carom_status status;
  if (setjmp(out_of_memory)) {
    status = error_set(x.error, CAROM_ERROR_MEMORY, "out of memory while reading '%s'", run);
  } else {
    x.memory = arena_create(&out_of_memory);
    status = export_all(&x, run, out, options ? options : &standard);
  }
  csv_finish(x.out, NULL);
  record_close(x.in);
  arena_free(&x.memory);
  return status;
}

carom_status carom_export_list(const char *run, void (*each)(void *context, const char *name, int columns, long rows),
                               void *context, carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  record_reader *in = record_open(run, error);
  if (!in) return error->status;
  for (int i = 0; i < record_table_count(in); i++) {
    record_table t = record_get_table(in, i);
    each(context, t.name, t.column_count, record_rows(in, i));
  }
  record_close(in);
  return CAROM_OK;
}
