// The tables of a bifurcation diagram, in memory and on disk.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "study/bifurcation.h"

static const char *const value_columns[] = {"status",        "period",   "multiplier",     "multiplier_re",
                                            "multiplier_im", "impacts",  "impact_speed",   "rests",
                                            "interval",      "lyapunov", "lyapunov_error", "wall_s"};
static const char *const value_units[] = {"1", "1", "1", "1", "1", "1", "m/s", "1", "s", "1/s", "1/s", "s"};
static const char *const change_columns[] = {"period_before", "period_after",   "multiplier_re",
                                             "multiplier_im", "impacts_before", "impacts_after"};
enum {
  VALUE_COLUMNS = sizeof value_columns / sizeof *value_columns,
  CHANGE_COLUMNS = sizeof change_columns / sizeof *change_columns
};

static void add_column(bifurcation *b, study_table *t, const char *name, const char *unit) {
  const int room = t->column_count + 1;
  t->columns = ARENA_LARGER(&b->memory, t->columns, t->column_count, room);
  t->units = ARENA_LARGER(&b->memory, t->units, t->column_count, room);
  t->columns[t->column_count] = name, t->units[t->column_count++] = unit;
}

void bifurcation_name_tables(bifurcation *b) {
  const sweep_range *r = &b->plan.ranges[0];
  study_table *values = &b->tables[TABLE_VALUES], *points = &b->tables[TABLE_POINTS],
              *changes = &b->tables[TABLE_CHANGES];
  values->name = "values", points->name = "points", changes->name = "changes";
  for (int i = 0; i < 2; i++) {
    study_table *t = i ? points : values;
    add_column(b, t, "row", "1"), add_column(b, t, "direction", "1"), add_column(b, t, r->name, r->unit);
  }
  for (int i = 0; i < VALUE_COLUMNS; i++) add_column(b, values, value_columns[i], value_units[i]);
  add_column(b, points, "point", "1"), add_column(b, points, "t", "s");
  for (int i = 0; i < b->take_count; i++) add_column(b, points, b->take[i], b->take_units[i]);
  add_column(b, changes, "direction", "1"), add_column(b, changes, "kind", "1");
  add_column(b, changes, "before", r->unit), add_column(b, changes, "after", r->unit);
  add_column(b, changes, r->name, r->unit);
  for (int i = 0; i < CHANGE_COLUMNS; i++) add_column(b, changes, change_columns[i], "1");
}

void study_table_add(bifurcation *b, int table, const double *row) {
  study_table *t = &b->tables[table];
  double *kept = ARENA_ARRAY(&b->memory, double, t->column_count);
  memcpy(kept, row, (size_t)t->column_count * sizeof *row);
  *ARENA_PUSH(&b->memory, t->rows, t->count, t->capacity) = kept;
}

// --- on disk ---------------------------------------------------------------------------------------------------------

static const char *list_words(bifurcation *b) {
  json_writer w = json_begin(&b->memory);
  json_open(&w, NULL, '{');
  for (int i = 0; i < BIFURCATION_TABLES; i++) {
    json_open(&w, b->tables[i].name, '{');
    json_open(&w, "direction", '[');
    json_put_text(&w, NULL, "forward"), json_put_text(&w, NULL, "backward");
    json_close(&w, ']');
    if (i == TABLE_CHANGES) {
      json_open(&w, "kind", '[');
      for (int k = 0; k < CHANGE_KINDS; k++) json_put_text(&w, NULL, change_words[k]);
      json_close(&w, ']');
    }
    json_close(&w, '}');
  }
  json_close(&w, '}');
  return w.out.text;
}

static const char *list_messages(bifurcation *b) {
  json_writer w = json_begin(&b->memory);
  json_open(&w, NULL, '{');
  for (int i = 0; i < b->tables[TABLE_VALUES].count; i++)
    if (b->messages[i]) json_put_text(&w, arena_print(&b->memory, "%d", i), b->messages[i]);
  json_close(&w, '}');
  return w.out.text;
}

// Texts come before the file: nothing leaves by the arena while that is written.
typedef struct diagram_texts {
  const char *words, *messages, *summary;
} diagram_texts;

static diagram_texts make_texts(bifurcation *b) {
  return (diagram_texts){
      list_words(b), list_messages(b),
      arena_print(&b->memory, "{\"values\": %ld, \"failed\": %ld, \"changes\": %ld}", b->done, b->failed, b->changes)};
}

static record *create(const bifurcation *b, const diagram_texts *t, const char *place, const char *path) {
  record_table tables[BIFURCATION_TABLES];
  for (int i = 0; i < BIFURCATION_TABLES; i++)
    tables[i] = (record_table){.name = b->tables[i].name,
                               .columns = b->tables[i].columns,
                               .units = b->tables[i].units,
                               .column_count = b->tables[i].column_count};
  const record_text texts[] = {{"bifurcation", b->identity}, {"version", CAROM_VERSION}, {"words", t->words},
                               {"file", b->options->model},  {"title", b->title},        {"messages", t->messages}};
  record_settings settings = record_settings_default();
  settings.name = path;
  return record_create(place, tables, BIFURCATION_TABLES, texts, sizeof texts / sizeof *texts, &settings, b->error);
}

carom_status bifurcation_write(bifurcation *b, const char *path) {
  const diagram_texts texts = make_texts(b);
  output_file f;
  if (!output_begin(&f, path, b->error)) return b->error->status;
  record *out = create(b, &texts, f.place, path);
  carom_status status = out ? CAROM_OK : b->error->status;
  for (int i = 0; i < BIFURCATION_TABLES; i++)
    for (int k = 0; k < b->tables[i].count && status == CAROM_OK; k++)
      status = record_append(out, i, b->tables[i].rows[k], b->error);
  if (out && status == CAROM_OK) status = record_finish(out, texts.summary, b->error);
  else record_abandon(out);
  const carom_status ended = output_end(&f, status == CAROM_OK, b->error);
  return status == CAROM_OK ? ended : status;
}

// --- as JSON ---------------------------------------------------------------------------------------------------------

static void put_row(json_writer *w, carom_record *record, int table, int columns, const double *row) {
  json_open(w, NULL, '{');
  for (int k = 0; k < columns; k++) {
    const char *name = carom_record_get_column(record, table, k).name,
               *word = carom_record_word(record, table, k, row[k]);
    if (word) json_put_text(w, name, word);
    else json_put_number(w, name, row[k]);
  }
  json_close(w, '}');
}

static bool put_table(json_writer *w, carom_record *record, const char *name) {
  enum { COLUMNS_MOST = 64 };
  double row[COLUMNS_MOST];
  int table = 0;
  carom_record_table about;
  while ((about = carom_record_get_table(record, table)).name && strcmp(about.name, name) != 0) table++;
  if (!about.name || about.columns > COLUMNS_MOST) return false;
  json_open(w, name, '[');
  for (long i = 0; i < about.rows; i++) {
    if (carom_record_read(record, table, i, 1, row, NULL) != CAROM_OK) return false;
    put_row(w, record, table, about.columns, row);
  }
  json_close(w, ']');
  return true;
}

int carom_bifurcation_json(carom_record *record, char *text, int size) {
  json_writer w = json_begin_in(text, size);
  if (!carom_record_text(record, "bifurcation")) return -1;
  json_open(&w, NULL, '{');
  json_put_text(&w, "title", carom_record_text(record, "title"));
  json_put_text(&w, "model", carom_record_text(record, "file"));
  if (!put_table(&w, record, "values") || !put_table(&w, record, "changes")) return -1;
  json_close(&w, '}');
  return w.out.length;
}
