// Episodes and regimes of pairs in a page: all rows, or the longest.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/report.h"

enum { ROWS_AT_ONCE = 256 };
static const double share = 1.0 / 8;  // of the room of a run, for each of the two tables

// A row of the record.
typedef struct pair_row {
  const double *numbers;
  double start, length;
  long row;
} pair_row;

// The columns of both tables that the page needs.
typedef struct pair_columns {
  int pair, start, end, width;
} pair_columns;

static pair_columns find_columns(const record_table *t) {
  return (pair_columns){record_find_column(t, "pair"), record_find_column(t, "start"), record_find_column(t, "end"),
                        t->column_count};
}

static int by_length(const void *a, const void *b) {
  const pair_row *first = a, *second = b;
  if (first->length != second->length) return first->length > second->length ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

static int by_start(const void *a, const void *b) {
  const pair_row *first = a, *second = b;
  if (first->start != second->start) return first->start < second->start ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// The longest rows that fit into the page, in order of their start. Returns null after reporting.
static pair_row *choose_rows(report *r, const report_run *run, report_pairs *p, const pair_columns *at, size_t room) {
  double *all = ARENA_ARRAY(r->passing, double, (size_t)p->rows * at->width + 1);
  pair_row *rows = ARENA_ARRAY(r->passing, pair_row, p->rows + 1);
  for (long first = 0; first < p->rows; first += ROWS_AT_ONCE) {
    long count = p->rows - first < ROWS_AT_ONCE ? p->rows - first : ROWS_AT_ONCE;
    if (record_read(run->in, p->source, first, count, all + first * at->width, r->error) != CAROM_OK) return NULL;
  }
  for (long i = 0; i < p->rows; i++) {
    const double *x = all + i * at->width;
    rows[i] = (pair_row){x, x[at->start], x[at->end] - x[at->start], i};
  }
  long most = (long)(share * (double)room / (8.0 * at->width));
  qsort(rows, (size_t)p->rows, sizeof *rows, by_length);
  p->kept = p->rows < most ? p->rows : most;
  qsort(rows, (size_t)p->kept, sizeof *rows, by_start);
  return rows;
}

// Pairs have the numbers of their first points. The page counts those pairs that have a row in it.
static double *name_pairs(report *r, const report_run *run, report_pairs *p, const pair_row *rows, int pair) {
  double *numbers = ARENA_ARRAY(r->passing, double, p->kept + 1);
  for (long i = 0; i < p->kept; i++) numbers[i] = rows[i].numbers[pair];
  qsort(numbers, (size_t)p->kept, sizeof *numbers, by_number);
  for (long i = 0; i < p->kept; i++)
    if (!p->pair_count || numbers[p->pair_count - 1] != numbers[i]) numbers[p->pair_count++] = numbers[i];
  p->pairs = ARENA_ARRAY(r->memory, const char *, p->pair_count + 1);
  for (int i = 0; i < p->pair_count; i++) {
    point_name name;
    bool known = run->names && point_names_find(run->names, r->memory, numbers[i], &name);
    p->pairs[i] = known ? name.pair : arena_print(r->memory, "pair %.0f", numbers[i]);
  }
  return numbers;
}

static void pack_rows(report *r, report_run *run, report_pairs *p, const pair_row *rows, const pair_columns *at,
                      report_packing *packing) {
  record_table about = record_get_table(run->in, p->source);
  const double *numbers = name_pairs(r, run, p, rows, at->pair);
  double *values = ARENA_ARRAY(r->passing, double, p->kept + 1);
  int number;
  blob *b = report_open_blob(r, run, 8 * (size_t)at->width * (size_t)p->kept, &number);
  p->columns = ARENA_ARRAY(r->memory, report_column, at->width);
  p->column_count = at->width;
  for (int k = 0; k < at->width; k++) {
    report_column *c = &p->columns[k];
    *c = (report_column){.name = about.columns[k],
                         .unit = about.units ? about.units[k] : "",
                         .type = BLOB_F64,
                         .range = {.constant = true, .min = 1, .max = -1}};
    for (long i = 0; i < p->kept; i++) {
      values[i] = rows[i].numbers[k];
      if (k == at->pair)
        values[i] = (double)((double *)bsearch(&values[i], numbers, (size_t)p->pair_count, sizeof *numbers, by_number) -
                             numbers);
      column_range_take(&c->range, values[i], i);
    }
    report_place_column(c, b, number, (size_t)p->kept);
    for (long i = 0; !c->range.constant && i < p->kept; i++)
      blob_set(b, c->at, BLOB_F64, (size_t)p->kept, (size_t)i, values[i]);
  }
  report_close_blob(r, b, packing);
}

static bool load_table(report *r, report_run *run, const char *table, report_pairs *p, size_t *room) {
  *p = (report_pairs){.source = record_find_table(run->in, table)};
  if (p->source < 0) return true;
  record_table about = record_get_table(run->in, p->source);
  pair_columns at = find_columns(&about);
  p->rows = record_rows(run->in, p->source);
  if (at.pair < 0 || at.start < 0 || at.end < 0 || p->rows < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has a table of %s that is not carom's", run->file, table), false;
  arena_mark mark = arena_get_mark(r->passing);
  pair_row *rows = choose_rows(r, run, p, &at, *room);
  if (!rows) return false;
  report_packing packing = {.room = SIZE_MAX, .fits = true};
  int first = run->blob_count;
  pack_rows(r, run, p, rows, &at, &packing);
  report_settle_blobs(r, run, first);
  arena_release(r->passing, mark);
  *room -= packing.size < *room ? packing.size : *room;
  return true;
}

bool report_load_pairs(report *r, report_run *run, size_t *room) {
  return load_table(r, run, "episodes", &run->episodes, room) && load_table(r, run, "regimes", &run->regimes, room);
}

static void put_table(json_writer *w, const char *key, const report_pairs *p) {
  if (p->source < 0) {
    json_put_null(w, key);
    return;
  }
  json_open(w, key, '{');
  json_put_integer(w, "rows", p->rows);
  json_put_integer(w, "kept", p->kept);
  json_open(w, "pairs", '[');
  for (int i = 0; i < p->pair_count; i++) json_put_text(w, NULL, p->pairs[i]);
  json_close(w, ']');
  json_open(w, "columns", '[');
  for (int k = 0; k < p->column_count; k++) report_put_column(w, NULL, &p->columns[k], p->kept);
  json_close(w, ']');
  json_close(w, '}');
}

void report_put_pairs(json_writer *w, const report_run *run) {
  put_table(w, "episodes", &run->episodes);
  put_table(w, "regimes", &run->regimes);
}
