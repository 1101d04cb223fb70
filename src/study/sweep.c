// A sweep: rows shared out over threads, kept in a file beside the result until all are there, and then in their order.
#include "study/sweep.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "build/model_internal.h"
#include "record/record.h"
#include "run.h"

// --- what a sweep is -------------------------------------------------------------------------------------------------

static void name_columns(sweep *s, const carom_model *model) {
  int count = sweep_first_about(s) + ABOUT_COUNT + SWEEP_TOTALS + 1, used = 0;
  const char **columns = ARENA_ARRAY(&s->memory, const char *, count),
             **units = ARENA_ARRAY(&s->memory, const char *, count);
  columns[used] = "row", units[used++] = "1";
  for (int i = 0; i < s->plan.range_count; i++)
    columns[used] = s->plan.ranges[i].name, units[used++] = s->plan.ranges[i].unit;
  for (int i = 0; i < s->take_count; i++) {
    const char *unit = carom_model_signal_unit(model, carom_model_signal(model, s->takes[i].signal));
    columns[used] = s->takes[i].name, units[used++] = unit ? arena_copy_text(&s->memory, unit) : "";
  }
  for (int i = 0; i < ABOUT_COUNT; i++) columns[used] = sweep_about_columns[i], units[used++] = sweep_about_units[i];
  for (int i = 0; i < SWEEP_TOTALS; i++) columns[used] = sweep_totals[i], units[used++] = "J";
  columns[used] = "wall_s", units[used++] = "s";
  s->table = (sweep_table){.columns = columns,
                           .units = units,
                           .column_count = used,
                           .vary_count = s->plan.range_count,
                           .take_count = s->take_count,
                           .sensitivity = s->plan.sensitivity,
                           .status = sweep_first_about(s) + ABOUT_STATUS,
                           .rows = s->plan.rows};
}

static void put_words(json_writer *w, const char *key, const char *const *words, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_text(w, NULL, words[i]);
  json_close(w, ']');
}

// The lists of words that columns hold places of, from 1 on.
static const char *list_words(sweep *s) {
  json_writer w = json_begin(&s->memory);
  json_open(&w, NULL, '{');
  json_open(&w, SWEEP_ROWS, '{');
  for (int i = 0; i < s->plan.range_count; i++)
    if (s->plan.ranges[i].words)
      put_words(&w, s->plan.ranges[i].name, s->plan.ranges[i].words, (int)s->plan.ranges[i].count);
  json_close(&w, '}');
  if (s->plan.sensitivity) {
    json_open(&w, SWEEP_SENSITIVITY, '{');
    put_words(&w, "output", s->table.columns + sweep_first_taken(s), s->take_count);
    put_words(&w, "input", s->table.columns + 1, s->plan.range_count);
    json_close(&w, '}');
  }
  json_close(&w, '}');
  return w.out.text;
}

static void put_settings(json_writer *w, const char *key, const carom_setting *list, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) {
    json_open(w, NULL, '[');
    json_put_text(w, NULL, list[i].name), json_put_text(w, NULL, list[i].value);
    json_close(w, ']');
  }
  json_close(w, ']');
}

// All that the rows depend on: version, texts of the model, settings, ranges, seed and what is taken.
static const char *identify(sweep *s, const carom_model *model) {
  const carom_sweep_options *o = s->options;
  json_writer w = json_begin(&s->memory);
  json_open(&w, NULL, '{');
  json_put_text(&w, "version", CAROM_VERSION);
  put_settings(&w, "settings", o->settings, o->setting_count);
  put_settings(&w, "vary", o->vary, o->vary_count);
  json_put_integer(&w, "sample", o->sample);
  json_put_text(&w, "seed", o->sample ? arena_print(&s->memory, "%llu", (unsigned long long)o->seed) : "");
  json_put_text(&w, "points", s->plan.even.dimensions ? "sobol" : "random");
  json_put_flag(&w, "sensitivity", s->plan.sensitivity);
  json_put_integer(&w, "rows", s->plan.rows);
  json_open(&w, "take", '[');
  for (int i = 0; i < s->take_count; i++) json_put_text(&w, NULL, s->takes[i].name);
  json_close(&w, ']');
  json_open(&w, "model", '[');
  for (int i = 0; i < model->def->text->source_count; i++) json_put_text(&w, NULL, model->def->text->sources[i]->text);
  json_close(&w, ']');
  run about = {.model = model, .memory = s->memory};
  json_put_text(&w, "meshes", model->drawing.file_count ? run_list_mesh_files(&about) : "");
  json_put_text(&w, "tables", model->table_file_count ? run_list_table_files(&about) : "");
  s->memory = about.memory;
  json_close(&w, '}');
  return w.out.text;
}

// A row that can be loaded gives the outputs and units; what is wrong with the first ones is reported if none can.
static carom_model *load_first(sweep *s) {
  enum { TRIES = 100 };
  const carom_sweep_options *o = s->options;
  carom_setting *settings = ARENA_ARRAY(&s->memory, carom_setting, o->setting_count + s->plan.range_count + 1);
  char(*texts)[SWEEP_SETTING] = arena_alloc(&s->memory, (size_t)s->plan.range_count, sizeof *texts);
  for (long row = 0; row < s->plan.rows && row < TRIES; row++) {
    carom_error later = {0};
    int count = sweep_fill_settings(s, row, settings, texts);
    carom_model *model = carom_model_load(o->model, settings, count, row ? &later : s->error);
    if (model) return error_clear(s->error), model;
  }
  return NULL;
}

// No output may be an input, another kind of file, or something that is not a file.
static bool guard_file(sweep *s, const carom_model *model, const char *path) {
  int files;
  struct stat there;
  const char **inputs = model_files(model, &s->memory, &files);
  carom_output out = {
      .path = path, .kind = CAROM_FILE_RECORD, .inputs = inputs, .input_count = files, .force = s->options->force};
  if (carom_output_check(&out, s->error) != CAROM_OK) return false;
  if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) return true;
  return error_set(s->error, CAROM_ERROR_FILE, "'%s' is not a file that a sweep can be written to", path), false;
}

static bool guard_files(sweep *s, const carom_model *model) {
  return s->source ||
         (guard_file(s, model, s->options->record) && guard_file(s, model, s->part) && guard_file(s, model, s->fresh));
}

static void keep_sources(sweep *s, const carom_model *model) {
  s->source_count = model->def->text->source_count;
  s->sources = ARENA_ARRAY(&s->memory, const char *, s->source_count + 1);
  for (int i = 0; i < s->source_count; i++)
    s->sources[i] = arena_copy_text(&s->memory, model->def->text->sources[i]->text);
}

static void describe_table(sweep *s, const carom_model *model) {
  name_columns(s, model);
  s->table.identity = identify(s, model);
  s->table.words = list_words(s);
  s->table.file = s->options->model;
  s->table.title = model->about.title ? arena_copy_text(&s->memory, model->about.title) : NULL;
}

static bool describe(sweep *s) {
  carom_model *model = load_first(s);
  if (!model) return false;
  const char *take = s->options->take ? s->options->take : model->about.take;
  s->take_count = sweep_takes_read(&s->memory, take, model, &s->takes, s->error);
  taking first = taking_create(&s->memory, s->takes, s->take_count > 0 ? s->take_count : 0);
  s->part = arena_print(&s->memory, "%s.part", s->options->record);
  s->fresh = arena_print(&s->memory, "%s.new", s->part);
  bool good = s->take_count >= 0 && taking_begin(&first, model, s->error) && guard_files(s, model);
  if (good) keep_sources(s, model), describe_table(s, model);
  for (long i = 0; i < s->plan.rows; i++) s->own += sweep_is_ours(s, i);
  carom_model_destroy(model);
  return good;
}

// --- files -----------------------------------------------------------------------------------------------------------

// Rows that failed are run again, since their messages are in finished files alone.
static bool has_run(const sweep_table *t, const double *row) { return row[t->status] == (double)CAROM_OK; }

// Rows that are to be recorded, and were run without it, are run again.
static void forget_unrecorded(sweep *s) {
  char *path = ARENA_ARRAY(&s->memory, char, sweep_keep_size(&s->keep));
  for (long i = 0; i < s->table.rows; i++)
    if (sweep_keep_has(&s->keep, i) && access(sweep_keep_path(&s->keep, i, path), F_OK) != 0)
      sweep_table_row(&s->table, i)[0] = NAN;
}

// A sweep that was interrupted has left its rows.
static bool take_part(sweep *s) {
  if (access(s->part, F_OK) != 0) return true;
  carom_error ignored = {0};
  record_reader *in = record_open(s->part, &ignored);
  if (!in) return true;  // killed before it had written anything
  const char *of = record_get_text(in, "sweep");
  bool same = of && strcmp(of, s->table.identity) == 0;
  if (!same)
    error_set(s->error, CAROM_ERROR_USAGE,
              "'%s' holds rows of another sweep: its model, settings, ranges or version differ; remove it, or name "
              "another output",
              s->part);
  bool taken = same && sweep_file_take(&s->memory, &s->table, in, has_run, s->error);
  record_close(in);
  forget_unrecorded(s);
  s->found = s->done = sweep_table_count(&s->table, &s->failed);
  return taken;
}

// The rows that are known are in the new file before it takes the place of the old one.
static bool begin_journal(sweep *s) {
  s->journal = sweep_file_create(&s->table, s->fresh, NULL, s->error);
  for (long i = 0; s->journal && i < s->table.rows; i++)
    if (sweep_table_has(&s->table, i) &&
        record_append(s->journal, 0, sweep_table_row(&s->table, i), s->error) != CAROM_OK)
      return false;
  if (!s->journal || record_flush(s->journal, s->error) != CAROM_OK) return false;
  if (rename(s->fresh, s->part) == 0) return true;
  return error_set(s->error, CAROM_ERROR_FILE, "cannot write '%s': %s", s->part, strerror(errno)), false;
}

// --- the sweep -------------------------------------------------------------------------------------------------------

static bool check_options(const carom_sweep_options *o, carom_error *error) {
  const char *why = NULL;
  if (!o->record) why = "a sweep needs a file for its result";
  else if (o->threads < 0 || o->threads > 1024) why = "a sweep has 1 to 1024 threads";
  else if (o->shards < 0 || (o->shards > 0 && (o->shard < 1 || o->shard > o->shards)))
    why = "a shard is 1 to the number of shards";
  if (why) error_set(error, CAROM_ERROR_USAGE, "%s", why);
  return !why;
}

static bool begin(sweep *s) {
  return check_options(s->options, s->error) && sweep_plan_read(&s->memory, s->options, &s->plan, s->error) &&
         sweep_keep_read(&s->memory, s->options, s->plan.rows, &s->keep, s->error) && describe(s);
}

static carom_status sweep_all(sweep *s) {
  if (!begin(s)) return s->error->status;
  sweep_table_make_room(&s->memory, &s->table);
  if (!take_part(s) || !begin_journal(s)) return s->error->status;
  carom_status status = sweep_run_rows(s);
  carom_error ignored = {0};
  record_finish(s->journal, "{}", &ignored);
  s->journal = NULL;
  if (status == CAROM_OK) status = sweep_file_write(&s->memory, &s->table, s->options->record, s->error);
  if (status == CAROM_OK) unlink(s->part);
  return status;
}

static carom_status sweep_for_another(sweep *s) {
  if (!begin(s)) return s->error->status;
  if (strcmp(s->source->identity, s->table.identity) != 0)
    return error_set(s->error, CAROM_ERROR_USAGE,
                     "the rows that are asked for belong to another sweep: model, settings, ranges or version differ");
  return sweep_run_source(s);
}

// The result may be null.
static carom_status run_sweep(sweep *s, carom_sweep_result *result) {
  jmp_buf out_of_memory;
  carom_status status;
  clock_gettime(CLOCK_MONOTONIC, &s->began);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->ended, NULL);
  if (setjmp(out_of_memory)) {
    status = error_set(s->error, CAROM_ERROR_MEMORY, "out of memory for the rows of a sweep");
  } else {
    s->memory = arena_create(&out_of_memory);
    status = s->source ? sweep_for_another(s) : sweep_all(s);
  }
  record_abandon(s->journal);
  if (result) sweep_table_report(&s->table, result), result->found = s->found;
  sweep_table_free_messages(&s->table);
  pthread_cond_destroy(&s->ended);
  pthread_mutex_destroy(&s->lock);
  arena_free(&s->memory);
  return status;
}

carom_status carom_sweep(const carom_sweep_options *options, carom_sweep_result *result, carom_error *error) {
  carom_error own = {0};
  error_clear(error);
  return run_sweep(&(sweep){.options = options, .error = error ? error : &own}, result);
}

carom_status carom_sweep_work(const carom_sweep_options *options, const carom_sweep_source *source,
                              carom_error *error) {
  carom_error own = {0};
  error_clear(error);
  return run_sweep(&(sweep){.options = options, .error = error ? error : &own, .source = source}, NULL);
}
