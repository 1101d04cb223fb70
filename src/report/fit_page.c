// A fit in the page: the result as it is recorded, and as many samples of each channel as fit.
#include <math.h>

#include "base/error.h"
#include "report/report.h"

enum { SAMPLES_MOST = 5000 };  // of a channel
enum { CHANNEL, T, MEASURED, FITTED, RESIDUAL, COLUMNS };

bool report_is_fit(const report_run *run) { return record_get_text(run->in, "fit") != NULL; }

typedef struct sample_list {
  long count, step;  // of the record, and of those that are shown
  double *values[FITTED + 1];
  int shown;
} sample_list;

static void put_list(json_writer *w, const char *key, const double *values, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_rounded(w, NULL, values[i]);
  json_close(w, ']');
}

static void put_samples(json_writer *w, const sample_list *s) {
  json_open(w, NULL, '{');
  json_put_integer(w, "step", s->step);
  put_list(w, "t", s->values[T], s->shown);
  put_list(w, "measured", s->values[MEASURED], s->shown);
  put_list(w, "fitted", s->values[FITTED], s->shown);
  json_close(w, '}');
}

// Samples stand channel by channel.
static bool read_samples(report *r, const report_run *run, int table, int channels, sample_list *lists) {
  const long rows = record_rows(run->in, table);
  double *all = ARENA_ARRAY(r->memory, double, (size_t)(rows + 1) * COLUMNS);
  if (rows > 0 && record_read(run->in, table, 0, rows, all, r->error) != CAROM_OK) return false;
  for (long i = 0; i < rows; i++) {
    const int c = (int)all[i * COLUMNS + CHANNEL] - 1;
    if (c >= 0 && c < channels) lists[c].count++;
  }
  for (int c = 0; c < channels; c++) {
    lists[c].step = (lists[c].count + SAMPLES_MOST - 1) / SAMPLES_MOST;
    for (int k = T; k <= FITTED; k++) lists[c].values[k] = ARENA_ARRAY(r->memory, double, SAMPLES_MOST + 1);
    lists[c].count = 0;
  }
  for (long i = 0; i < rows; i++) {
    const int c = (int)all[i * COLUMNS + CHANNEL] - 1;
    if (c < 0 || c >= channels || lists[c].count++ % lists[c].step != 0 || lists[c].shown > SAMPLES_MOST) continue;
    for (int k = T; k <= FITTED; k++) lists[c].values[k][lists[c].shown] = all[i * COLUMNS + k];
    lists[c].shown++;
  }
  return true;
}

bool report_put_fit(report *r, json_writer *w, const report_run *run) {
  const json_value *result = json_read(r->memory, record_get_text(run->in, "fit")),
                   *list = json_get(result, "channels");
  const int table = record_find_table(run->in, "samples"), channels = list && list->kind == JSON_LIST ? list->count : 0;
  sample_list *lists = ARENA_ARRAY(r->memory, sample_list, channels + 1);
  if (!result || table < 0 || record_get_table(run->in, table).column_count != COLUMNS)
    return error_set(r->error, CAROM_ERROR_FILE, "'%s' is damaged", run->file), false;
  if (!read_samples(r, run, table, channels, lists)) return false;
  json_open(w, "fit", '{');
  json_put_text(w, "name", run->name);
  json_put_text(w, "file", run->file);
  json_put_text(w, "version", record_get_text(run->in, "version"));
  json_put(w, "result", result);
  json_open(w, "samples", '[');
  for (int c = 0; c < channels; c++) put_samples(w, &lists[c]);
  json_close(w, ']');
  json_close(w, '}');
  return true;
}
