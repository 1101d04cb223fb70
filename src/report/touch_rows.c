// The table of touches in a page: all of its times, or every n-th of them, each with all of its rows.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "record/touch_rows.h"
#include "report/report.h"

enum { ROWS_AT_ONCE = 256, PACK_TURNS = 8 };
static const double share = 1.0 / 3;  // of the room of a run

// Columns of the page by the names that the record has for them.
static const struct {
  const char *name;
  blob_type type;
} shown[] = {{"a", BLOB_U32},        {"b", BLOB_U32},    {"point", BLOB_U32},    {"at_x", BLOB_F32},
             {"at_y", BLOB_F32},     {"at_z", BLOB_F32}, {"normal_x", BLOB_F32}, {"normal_y", BLOB_F32},
             {"normal_z", BLOB_F32}, {"gap", BLOB_F32},  {"force_x", BLOB_F32},  {"force_y", BLOB_F32},
             {"force_z", BLOB_F32},  {"slip", BLOB_F32}};
enum { SHOWN = sizeof shown / sizeof *shown };

// One time of the record: when, the first of its rows and how many.
typedef struct touch_time {
  double t;
  long first, count;
} touch_time;

// All times whose rows are in the record. A run that was killed may have written one more.
static touch_time *read_times(report *r, const report_run *run, long *count) {
  record_table about = record_get_table(run->in, run->touches.times);
  int t = record_find_column(&about, "t"), first = record_find_column(&about, "first"),
      number = record_find_column(&about, "count"), width = about.column_count;
  long rows = record_rows(run->in, run->touches.times);
  *count = 0;
  if (t < 0 || first < 0 || number < 0 || rows < 0)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' has a table of touches that is not carom's", run->file), NULL;
  touch_time *all = ARENA_ARRAY(r->passing, touch_time, rows + 1);
  double *block = ARENA_ARRAY(r->passing, double, ((size_t)width * ROWS_AT_ONCE)), before = -INFINITY, next = 0;
  for (long from = 0; from < rows; from += ROWS_AT_ONCE) {
    long some = rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
    if (record_read(run->in, run->touches.times, from, some, block, r->error) != CAROM_OK) return NULL;
    for (long i = 0; i < some; i++) {
      const double *row = block + i * width;
      if (!(row[t] > before && touch_rows_follow(row[first], row[number], run->touches.rows, &next))) return all;
      all[(*count)++] = (touch_time){before = row[t], (long)row[first], (long)row[number]};
    }
  }
  return all;
}

// The columns of the record that the page shows.
static bool choose_columns(report *r, report_run *run, int *from) {
  record_table about = record_get_table(run->in, run->touches.source);
  report_column *recorded;
  if (!report_scan_columns(r, run, run->touches.source, run->touches.rows, &recorded)) return false;
  run->touches.columns = ARENA_ARRAY(r->memory, report_column, SHOWN);
  for (int i = 0; i < SHOWN; i++) {
    int k = record_find_column(&about, shown[i].name);
    if (k < 0) continue;
    from[run->touches.column_count] = k;
    report_column *c = &run->touches.columns[run->touches.column_count++];
    *c = recorded[k];
    c->type = shown[i].type;
  }
  return true;
}

static bool fill_rows(report *r, report_run *run, const touch_time *time, const int *from, blob *b, size_t *used) {
  int width = record_get_table(run->in, run->touches.source).column_count;
  double *block = ARENA_ARRAY(r->passing, double, ((size_t)width * ROWS_AT_ONCE));
  for (long i = 0; i < time->count; i += ROWS_AT_ONCE) {
    long some = time->count - i < ROWS_AT_ONCE ? time->count - i : ROWS_AT_ONCE;
    if (record_read(run->in, run->touches.source, time->first + i, some, block, r->error) != CAROM_OK) return false;
    for (long k = 0; k < some; k++, (*used)++)
      for (int c = 0; c < run->touches.column_count; c++) {
        const report_column *column = &run->touches.columns[c];
        if (!column->range.constant)
          blob_set(b, column->at, column->type, (size_t)run->touches.kept, *used, block[k * width + from[c]]);
      }
  }
  return true;
}

// Packs every n-th time.
static bool pack_times(report *r, report_run *run, const touch_time *times, long count, long n, const int *from,
                       report_packing *p) {
  report_touches *to = &run->touches;
  to->kept = to->kept_times = 0;
  for (long i = 0; i < count; i += n) to->kept += times[i].count, to->kept_times++;
  int number;
  blob *b =
      report_open_blob(r, run, 12 * (size_t)to->kept_times + 4 * (size_t)to->column_count * (size_t)to->kept, &number);
  double last = count ? times[(count - 1) / n * n].t : 0;
  to->time = (report_column){.name = "t",
                             .unit = "s",
                             .type = BLOB_F64,
                             .range = {.min = count ? times[0].t : 0, .max = last, .first = count ? times[0].t : 0}};
  to->first = (report_column){.name = "first", .unit = "1", .type = BLOB_U32, .range = {.max = (double)to->kept}};
  report_place_column(&to->time, b, number, (size_t)to->kept_times);
  report_place_column(&to->first, b, number, (size_t)to->kept_times);
  for (int c = 0; c < to->column_count; c++) report_place_column(&to->columns[c], b, number, (size_t)to->kept);
  size_t used = 0;
  arena_mark mark = arena_get_mark(r->passing);
  for (long i = 0, k = 0; i < count; i += n, k++) {
    blob_set(b, to->time.at, BLOB_F64, (size_t)to->kept_times, (size_t)k, times[i].t);
    blob_set(b, to->first.at, BLOB_U32, (size_t)to->kept_times, (size_t)k, (double)used);
    if (!fill_rows(r, run, &times[i], from, b, &used)) return false;
    arena_release(r->passing, mark);
  }
  report_close_blob(r, b, p);
  return true;
}

// Every n-th time with the smallest n that fits. How well rows pack is known once some are packed.
static bool fit_times(report *r, report_run *run, const touch_time *times, long count, const int *from, size_t *room) {
  size_t most = (size_t)(share * (double)*room);
  int blob = run->blob_count;
  double bytes = 4.0 * run->touches.column_count * (double)run->touches.rows + 12.0 * (double)count;
  long n = 1 + (long)(0.25 * bytes / (double)(most + 1));  // deflate makes a quarter of such rows at best
  arena_mark mark = arena_get_mark(r->passing);
  for (int turn = 0;; turn++) {
    report_packing p = {.room = turn < PACK_TURNS ? most : SIZE_MAX, .fits = true};
    arena_release(r->passing, mark);
    run->blob_count = blob;
    if (!pack_times(r, run, times, count, n, from, &p)) return false;
    if (p.fits || n >= count) {
      report_settle_blobs(r, run, blob);
      *room -= p.size < *room ? p.size : *room;
      return true;
    }
    double next = 1.1 * (double)n * (double)p.size / (double)(most + 1);
    n = next < (double)count ? (long)fmax((double)n + 1, next) : count;
  }
}

bool report_load_touches(report *r, report_run *run, size_t *room) {
  report_touches *t = &run->touches;
  int from[SHOWN];
  t->source = record_find_table(run->in, "touches"), t->times = record_find_table(run->in, "touch_times");
  if (t->source < 0 || t->times < 0 || !touch_surface_count(run->names)) return t->source = -1, true;
  t->rows = record_rows(run->in, t->source);
  if (t->rows < 0) return error_set(r->error, CAROM_ERROR_FILE, "'%s' cannot be read", run->file), false;
  arena_mark mark = arena_get_mark(r->passing);
  long count;
  touch_time *times = choose_columns(r, run, from) ? read_times(r, run, &count) : NULL;
  bool done = times && fit_times(r, run, times, count, from, room);
  arena_release(r->passing, mark);
  return done;
}

void report_put_touches(json_writer *w, const report_run *run) {
  const report_touches *t = &run->touches;
  if (t->source < 0) {
    json_put_null(w, "touches");
    return;
  }
  json_open(w, "touches", '{');
  json_put_integer(w, "rows", t->rows);
  json_put_integer(w, "kept", t->kept);
  json_open(w, "surfaces", '[');
  for (int i = 0; i < touch_surface_count(run->names); i++) {
    touch_surface s = point_names_surface(run->names, i);
    json_open(w, NULL, '{');
    json_put_text(w, "name", s.name);
    json_put_integer(w, "body", s.body);
    json_close(w, '}');
  }
  json_close(w, ']');
  report_put_column(w, "time", &t->time, t->kept_times);
  report_put_column(w, "first", &t->first, t->kept_times);
  json_open(w, "columns", '[');
  for (int c = 0; c < t->column_count; c++) report_put_column(w, NULL, &t->columns[c], t->kept);
  json_close(w, ']');
  json_close(w, '}');
}
