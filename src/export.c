// A record read back and written in another form.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/word.h"
#include "carom/carom.h"
#include "ledger/impact.h"
#include "text/source.h"
#include "record/csv.h"
#include "record/own.h"
#include "record/record.h"

void carom_skip_exit_cleanup(void) { record_skip_exit_handler(); }

enum { ROWS_AT_ONCE = 256 };

typedef struct exporter {
  arena memory;
  record_reader *in;
  csv *out;
  int *tables, table_count, table_capacity;   // side by side, in this order
  int column_count;
  const char **columns, **units;
  const char **words;                         // for impacts: names of pair and point, two per point; otherwise null
  int point_count, point_column;
  long rows;
  const char **surfaces;                      // name and shape of each, where pairs are not listed; else null
  int surface_count, points_per_pair;
  const char *pair_points;                    // names of points by shapes
  const char *row_words[IMPACT_NAME_COLUMNS];
  arena_mark row_mark;                        // where the words of one row begin
  double *block, *row;                        // of one table, of the result
  carom_error *error;
} exporter;

// A frame table has a row for each recorded time; checkpoints and impacts have rows of their own.
static bool is_frame_table(const exporter *x, int table) {
  const char *name = record_get_table(x->in, table).name;
  return strcmp(name, "checkpoint") != 0 && strcmp(name, "checkpoint_pairs") != 0 && strcmp(name, "impacts") != 0;
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
  } else {
    for (int i = 0; i < record_table_count(x->in); i++)
      if (is_frame_table(x, i)) take_table(x, i);
  }
  if (x->table_count && x->rows >= 0) return true;
  error_set(x->error, CAROM_ERROR_FILE, "the record holds no tables that can be read");
  return false;
}

enum { WORDS = IMPACT_NAME_COLUMNS };

static int find_column(const record_table *t, const char *name) {
  for (int k = 0; k < t->column_count; k++)
    if (strcmp(t->columns[k], name) == 0) return k;
  return -1;
}

static int count_lines(const char *list) {
  int count = 0;
  for (; *list; list++) count += *list == '\n';
  return count;
}

// Lines of two texts with a tab between them, from `first` of the words on.
static void take_lines(exporter *x, const char *list, const char **words) {
  for (int i = 0; *list; i++) {
    int length = (int)strcspn(list, "\n"), pair = (int)strcspn(list, "\t\n");
    words[WORDS * i] = arena_print(&x->memory, "%.*s", pair, list);
    words[WORDS * i + 1] = arena_print(&x->memory, "%.*s", length - pair - (pair < length), list + pair + (pair < length));
    list += length + (list[length] == '\n');
  }
}

// The table of impacts counts contact points; the record has their names, a line each. In a crowd points of pairs that are not listed follow,
// numbered by their surfaces.
static void name_points(exporter *x, const record_table *t) {
  const char *list = record_get_text(x->in, "impact_points"), *surfaces = record_get_text(x->in, "impact_surfaces");
  x->point_column = find_column(t, "point");
  if (!list || x->point_column < 0) return;
  x->point_count = count_lines(list);
  x->words = ARENA_ARRAY(&x->memory, const char *, WORDS * x->point_count + 1);
  take_lines(x, list, x->words);
  if (!surfaces) return;
  x->points_per_pair = atoi(surfaces);
  surfaces += strcspn(surfaces, "\n"), surfaces += *surfaces == '\n';
  x->surface_count = count_lines(surfaces);
  x->surfaces = ARENA_ARRAY(&x->memory, const char *, WORDS * x->surface_count + 1);
  take_lines(x, surfaces, x->surfaces);
  x->pair_points = record_get_text(x->in, "impact_pair_points");
}

// The k-th of the names that two shapes have for their points; empty if they have none.
static const char *name_of_point(exporter *x, const char *a, const char *b, int k) {
  const char *key = atoi(a) <= atoi(b) ? arena_print(&x->memory, "%s\t%s\t", a, b) : arena_print(&x->memory, "%s\t%s\t", b, a);
  for (const char *line = x->pair_points ? x->pair_points : ""; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    line += strlen(key);
    for (; k > 0; k--) line += strcspn(line, "\t\n"), line += *line == '\t';
    return arena_print(&x->memory, "%.*s", (int)strcspn(line, "\t\n"), line);
  }
  return "";
}

// Words of a point by its number; null if there is no such point.
static const char *const *words_of_pair(exporter *x, double point) {
  double number = point - x->point_count, pair = x->points_per_pair > 0 ? floor(number / x->points_per_pair) : -1;
  if (!(pair >= 0) || !x->surface_count || !(pair < (double)x->surface_count * x->surface_count)) return NULL;
  int a = (int)(pair / x->surface_count), b = (int)(pair - (double)a * x->surface_count);
  const char *const *first = x->surfaces + WORDS * a, *const *second = x->surfaces + WORDS * b;
  arena_release(&x->memory, x->row_mark);
  x->row_words[0] = arena_print(&x->memory, "%s-%s", first[0], second[0]);
  x->row_words[1] = name_of_point(x, first[1], second[1], (int)(number - pair * x->points_per_pair));
  return x->row_words;
}

static void name_columns(exporter *x) {
  x->columns = ARENA_ARRAY(&x->memory, const char *, x->column_count + WORDS);
  x->units = ARENA_ARRAY(&x->memory, const char *, x->column_count + WORDS);
  int used = 0;
  for (int i = 0; i < x->table_count; i++) {
    record_table t = record_get_table(x->in, x->tables[i]);
    for (int k = 0; k < t.column_count; k++, used++) x->columns[used] = t.columns[k], x->units[used] = t.units ? t.units[k] : "";
    if (strcmp(t.name, "impacts") == 0) name_points(x, &t);
  }
  for (int i = 0; i < WORDS; i++) x->columns[used + i] = impact_name_columns[i], x->units[used + i] = "";
  x->block = ARENA_ARRAY(&x->memory, double, (size_t)x->column_count * ROWS_AT_ONCE);
  x->row = ARENA_ARRAY(&x->memory, double, x->column_count);
}

static const char *const *words_of_row(exporter *x) {
  static const char *const unknown[WORDS] = {"", ""};
  if (!x->words) return NULL;
  double point = x->row[x->point_column];
  if (point >= 0 && point < x->point_count) return x->words + WORDS * (int)point;
  const char *const *words = words_of_pair(x, point);
  return words ? words : unknown;
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
    status = csv_append_words(x->out, x->row, words_of_row(x), x->words ? WORDS : 0, x->error);
  }
  return status;
}

static int count_columns(const exporter *x) { return x->column_count + (x->words ? WORDS : 0); }

// The header of a table in a file of its own: a frame table has the time in front.
static own_header header_of(exporter *x, int table) {
  int time = record_find_table(x->in, "time"), count = 0;
  record_table t = record_get_table(x->in, table);
  record_table front = time >= 0 && table != time && is_frame_table(x, table) ? record_get_table(x->in, time) : (record_table){0};
  const char **columns = ARENA_ARRAY(&x->memory, const char *, front.column_count + t.column_count + 1);
  for (int k = 0; k < front.column_count; k++) columns[count++] = front.columns[k];
  for (int k = 0; k < t.column_count; k++) columns[count++] = t.columns[k];
  return (own_header){columns, count};
}

// The header that is to be written, and those of the tables of this record. A lone `t` can be anything.
static own_headers list_headers(exporter *x) {
  int count = record_table_count(x->in), time = record_find_table(x->in, "time"), used = 0;
  own_header *items = arena_alloc(&x->memory, (size_t)count + 1, sizeof *items);
  items[used++] = (own_header){x->columns, count_columns(x)};
  for (int i = 0; i < count; i++)
    if (i != time) items[used++] = header_of(x, i);
  return (own_headers){items, used};
}

static carom_status guard(exporter *x, const char *run, const char *path, bool force) {
  own_headers known = list_headers(x);
  return output_guard(&(output_rule){.path = path, .kind = OWN_CSV, .is_own = own_csv, .context = &known,
                                     .to_standard_output = true, .inputs = &run, .input_count = 1, .force = force}, x->error);
}

static carom_status write_csv(exporter *x, const output_file *f, bool units) {
  x->out = csv_create_for(f->path, f->place, x->columns, count_columns(x), x->error);
  if (!x->out) return x->error->status;
  if (units) csv_put_units(x->out, x->units);
  carom_status status = CAROM_OK;
  x->row_mark = arena_get_mark(&x->memory);
  for (long first = 0; first < x->rows && status == CAROM_OK; first += ROWS_AT_ONCE)
    status = copy_rows(x, first, x->rows - first < ROWS_AT_ONCE ? x->rows - first : ROWS_AT_ONCE);
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

carom_status carom_export_csv(const char *run, const char *out, const carom_export_options *options, carom_error *error) {
  carom_error own = {0};
  static const carom_export_options standard = {0};
  error_clear(error);
  jmp_buf out_of_memory;
  exporter x = {.error = error ? error : &own};
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
  carom_error own = {0};
  error_clear(error);
  if (!error) error = &own;
  record_reader *in = record_open(run, error);
  if (!in) return error->status;
  for (int i = 0; i < record_table_count(in); i++) {
    record_table t = record_get_table(in, i);
    each(context, t.name, t.column_count, record_rows(in, i));
  }
  record_close(in);
  return CAROM_OK;
}
