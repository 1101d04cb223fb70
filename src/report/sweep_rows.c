// A sweep in the page: its rows, what varies in them, how to repeat one, and indices of sensitivity.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "record/row_words.h"
#include "report/report.h"

enum { MESSAGES_MOST = 1000 };

bool report_is_sweep(const report_run *run) {
  return record_get_text(run->in, "sweep") && record_find_table(run->in, "rows") >= 0;
}

// Every n-th row, so that the page has room for them uncompressed.
static long choose_step(const report_sweep *s, size_t room) {
  double size = (double)s->rows * s->column_count * 8 * 4 / 3;
  return size > (double)room ? (long)ceil(size / (double)room) : 1;
}

static bool read_columns(report *r, report_run *run, report_sweep *s, double *values) {
  double *row = ARENA_ARRAY(r->passing, double, s->column_count);
  for (long i = 0; i < s->kept; i++) {
    if (record_read(run->in, s->source, i * s->step, 1, row, r->error) != CAROM_OK) return false;
    for (int k = 0; k < s->column_count; k++) {
      values[(size_t)k * (size_t)s->kept + (size_t)i] = row[k];
      column_range_take(&s->columns[k].range, row[k], i);
    }
  }
  return true;
}

static void pack_columns(report *r, report_run *run, report_sweep *s, const double *values) {
  int number, first = run->blob_count;
  report_packing packing = {.room = SIZE_MAX, .fits = true};
  blob *b = report_open_blob(r, run, 8 * (size_t)s->column_count * (size_t)s->kept, &number);
  for (int k = 0; k < s->column_count; k++) {
    report_column *c = &s->columns[k];
    report_place_column(c, b, number, (size_t)s->kept);
    for (long i = 0; !c->range.constant && i < s->kept; i++)
      blob_set(b, c->at, BLOB_F64, (size_t)s->kept, (size_t)i, values[(size_t)k * (size_t)s->kept + (size_t)i]);
  }
  report_close_blob(r, b, &packing);
  report_settle_blobs(r, run, first);
}

bool report_load_rows(report *r, report_run *run, const char *table, size_t room) {
  report_sweep *s = &run->sweep;
  *s = (report_sweep){.source = record_find_table(run->in, table)};
  record_table about = record_get_table(run->in, s->source);
  s->rows = record_rows(run->in, s->source), s->column_count = about.column_count;
  if (s->rows < 1) return error_set(r->error, CAROM_ERROR_FILE, "'%s' has no rows", run->file), false;
  s->step = choose_step(s, room), s->kept = (s->rows + s->step - 1) / s->step;
  run->blobs = ARENA_ARRAY(r->memory, blob, 1);
  s->columns = ARENA_ARRAY(r->memory, report_column, s->column_count);
  for (int k = 0; k < s->column_count; k++)
    s->columns[k] = (report_column){.name = about.columns[k],
                                    .unit = about.units ? about.units[k] : "",
                                    .type = BLOB_F64,
                                    .range = {.constant = true, .min = 1, .max = -1}};
  arena_mark mark = arena_get_mark(r->passing);
  double *values = ARENA_ARRAY(r->passing, double, (size_t)s->column_count *(size_t)s->kept);
  bool read = read_columns(r, run, s, values);
  if (read) pack_columns(r, run, s, values);
  arena_release(r->passing, mark);
  return read;
}

bool report_load_sweep(report *r, report_run *run, size_t room) { return report_load_rows(r, run, "rows", room); }

// --- words -----------------------------------------------------------------------------------------------------------

static void put_vary(json_writer *w, const json_value *vary, const json_value *words) {
  json_open(w, "vary", '[');
  for (int i = 0; vary && vary->kind == JSON_LIST && i < vary->count; i++) {
    const json_value *pair = &vary->items[i];
    if (pair->kind != JSON_LIST || pair->count != 2 || pair->items[0].kind != JSON_TEXT) continue;
    const json_value *list = json_get(words, pair->items[0].text);
    json_open(w, NULL, '{');
    json_put_text(w, "name", pair->items[0].text);
    json_put_text(w, "range", pair->items[1].text);
    if (list) json_put(w, "words", list);
    json_close(w, '}');
  }
  json_close(w, ']');
}

void report_put_messages(report *r, json_writer *w, const report_run *run) {
  const char *text = record_get_text(run->in, "messages");
  const json_value *messages = text ? json_read(r->memory, text) : NULL;
  json_open(w, "messages", '{');
  for (int i = 0; messages && messages->kind == JSON_MAP && i < messages->count && i < MESSAGES_MOST; i++)
    json_put_text(w, messages->items[i].key, messages->items[i].kind == JSON_TEXT ? messages->items[i].text : "");
  json_close(w, '}');
}

void report_put_rows(report *r, json_writer *w, const report_run *run, const char *name, const char *key) {
  int table = record_find_table(run->in, name);
  record_table t = table < 0 ? (record_table){0} : record_get_table(run->in, table);
  row_words *words = table < 0 ? NULL : row_words_read(r->memory, run->in, table);
  double *row = ARENA_ARRAY(r->memory, double, t.column_count + 1);
  json_open(w, key, '[');
  for (long i = 0; table >= 0 && i < record_rows(run->in, table); i++) {
    if (record_read(run->in, table, i, 1, row, NULL) != CAROM_OK) break;
    json_open(w, NULL, '{');
    for (int k = 0; k < t.column_count; k++) {
      const char *word = row_words_find(words, k, row[k]);
      if (word) json_put_text(w, t.columns[k], word);
      else json_put_number(w, t.columns[k], row[k]);
    }
    json_close(w, '}');
  }
  json_close(w, ']');
}

void report_put_origin(json_writer *w, const report_run *run, const json_value *of) {
  json_put_text(w, "name", run->name);
  json_put_text(w, "file", run->file);
  json_put_text(w, "title", record_get_text(run->in, "title"));
  json_put_text(w, "model", record_get_text(run->in, "file"));
  json_put_text(w, "version", record_get_text(run->in, "version"));
  if (json_get(of, "settings")) json_put(w, "settings", json_get(of, "settings"));
}

void report_put_kept_rows(json_writer *w, const report_sweep *s) {
  json_put_integer(w, "rows", s->rows);
  json_put_integer(w, "kept", s->kept);
  json_put_integer(w, "step", s->step);
  json_open(w, "columns", '[');
  for (int k = 0; k < s->column_count; k++) report_put_column(w, NULL, &s->columns[k], s->kept);
  json_close(w, ']');
}

void report_put_sweep(report *r, json_writer *w, const report_run *run) {
  const char *text = record_get_text(run->in, "words");
  const json_value *of = json_read(r->memory, record_get_text(run->in, "sweep"));
  const json_value *words = text ? json_read(r->memory, text) : NULL, *take = json_get(of, "take");
  json_open(w, "sweep", '{');
  report_put_origin(w, run, of);
  put_vary(w, json_get(of, "vary"), json_get(words, "rows"));
  json_put_integer(w, "taken", take && take->kind == JSON_LIST ? take->count : 0);
  json_put_integer(w, "sample", (long)json_get_number(of, "sample", 0));
  json_put_text(w, "seed", json_get_text(of, "seed"));
  json_put_text(w, "points", json_get_text(of, "points"));
  json_put_flag(w, "sensitivity", json_get_number(of, "sensitivity", 0) != 0);
  if (take) json_put(w, "take", take);
  report_put_kept_rows(w, &run->sweep);
  report_put_messages(r, w, run);
  report_put_rows(r, w, run, "sensitivity", "indices");
  json_close(w, '}');
}
