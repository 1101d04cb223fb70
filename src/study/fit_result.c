// What becomes of a fit: a JSON object, a record for the page, and the model file with its values.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "build/model_internal.h"
#include "record/own.h"
#include "study/fit.h"
#include "text/loader.h"

// --- JSON ------------------------------------------------------------------------------------------------------------

static void put_parameter(json_writer *w, const carom_fit_parameter *p) {
  static const char *const bounds[] = {"inside", "low", "high"};
  json_open(w, NULL, '{');
  json_put_text(w, "name", p->name);
  json_put_text(w, "unit", p->unit);
  json_put_number(w, "value", p->value);
  json_put_number(w, "low", p->low);
  json_put_number(w, "high", p->high);
  json_put_number(w, "standard_error", p->standard_error);
  json_put_number(w, "least", p->least);
  json_put_number(w, "most", p->most);
  json_put_flag(w, "log", p->log);
  json_put_text(w, "bound", bounds[p->bound]);
  json_put_flag(w, "determined", p->determined);
  json_close(w, '}');
}

static void put_channel(json_writer *w, const carom_fit_channel *c) {
  json_open(w, NULL, '{');
  json_put_text(w, "file", c->file);
  json_put_text(w, "column", c->column);
  json_put_text(w, "signal", c->signal);
  json_put_text(w, "unit", c->unit);
  json_put_flag(w, "hold_out", c->hold_out);
  json_put_number(w, "weight", c->weight);
  json_put_number(w, "offset", c->offset);
  json_put_integer(w, "samples", c->samples);
  json_put_integer(w, "missing", c->missing);
  json_put_integer(w, "unused", c->unused);
  json_put_number(w, "scale", c->scale);
  json_put_number(w, "rms", c->rms);
  json_close(w, '}');
}

static void put_sentences(json_writer *w, const char *key, const char *const *sentences, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_text(w, NULL, sentences[i]);
  json_close(w, ']');
}

static void put_summary(json_writer *w, const carom_fit_summary *s) {
  json_put_text(w, "title", s->title);
  json_put_text(w, "model", s->model);
  if (s->goal_name) {
    json_put_text(w, "goal_name", s->goal_name);
    json_put_text(w, "goal_unit", s->goal_unit);
    json_put_number(w, "goal", s->goal);
  } else {
    json_put_integer(w, "samples", s->samples);
    json_put_integer(w, "freedoms", s->freedoms);
    json_put_number(w, "rms", s->rms);
    json_put_number(w, "hold_out_rms", s->hold_out_rms);
    json_put_number(w, "autocorrelation", s->autocorrelation);
    json_put_integer(w, "outliers", s->outliers);
  }
  json_put_integer(w, "runs", s->runs);
  json_put_integer(w, "failed", s->failed);
  json_put_text(w, "first_message", s->first_message);
  json_put_integer(w, "searches", s->searches);
  json_put_integer(w, "agreeing", s->agreeing);
  json_put_text(w, "set_line", s->set_line);
  json_put_text(w, "command", s->command);
}

static void put_fit(json_writer *w, const carom_fit *f) {
  json_open(w, NULL, '{');
  put_summary(w, &f->summary);
  json_open(w, "parameters", '[');
  for (int i = 0; i < f->n; i++) put_parameter(w, &f->parameters[i]);
  json_close(w, ']');
  json_open(w, "correlation", '[');
  for (int i = 0; i < f->n; i++) json_put_numbers(w, NULL, f->correlation + i * f->n, f->n);
  json_close(w, ']');
  json_open(w, "channels", '[');
  for (int i = 0; i < f->channel_count; i++) {
    const carom_fit_channel c = carom_fit_get_channel(f, i);
    put_channel(w, &c);
  }
  json_close(w, ']');
  put_sentences(w, "inseparable", f->inseparable, f->inseparable_count);
  put_sentences(w, "warnings", f->warnings, f->warning_count);
  json_close(w, '}');
}

int carom_fit_json(const carom_fit *f, char *text, int size) {
  json_writer w = json_begin_in(text, size);
  put_fit(&w, f);
  return w.out.length;
}

// --- a record --------------------------------------------------------------------------------------------------------

enum { PARAMETERS, CORRELATION, SAMPLES, TABLES };

static const char *const parameter_columns[] = {"parameter", "value", "low", "high",  "standard_error",
                                                "least",     "most",  "log", "bound", "determined"};
static const char *const correlation_columns[] = {"parameter", "other", "correlation"};
static const char *const sample_columns[] = {"channel", "t", "measured", "fitted", "residual"};
static const char *const no_units[10] = {"", "", "", "", "", "", "", "", "", ""};
static const char *const sample_units[] = {"", "s", "", "", ""};
#define TABLE(title, list, unit_list) \
  { .name = title, .columns = list, .units = unit_list, .column_count = sizeof list / sizeof *list }
static const record_table tables[TABLES] = {TABLE("parameters", parameter_columns, no_units),
                                            TABLE("correlation", correlation_columns, no_units),
                                            TABLE("samples", sample_columns, sample_units)};

static void put_names(json_writer *w, const carom_fit *f, const char *key) {
  json_open(w, key, '[');
  for (int i = 0; i < f->n; i++) json_put_text(w, NULL, f->parameters[i].name);
  json_close(w, ']');
}

// Columns that hold places in lists of words.
static const char *list_words(arena *memory, const carom_fit *f) {
  json_writer w = json_begin(memory);
  json_open(&w, NULL, '{');
  json_open(&w, "parameters", '{');
  put_names(&w, f, "parameter");
  json_close(&w, '}');
  json_open(&w, "correlation", '{');
  put_names(&w, f, "parameter"), put_names(&w, f, "other");
  json_close(&w, '}');
  json_open(&w, "samples", '{');
  json_open(&w, "channel", '[');
  for (int i = 0; i < f->channel_count; i++)
    json_put_text(&w, NULL, arena_print(memory, "%s of %s", f->channels[i].column, f->files[f->channels[i].file].name));
  json_close(&w, ']');
  json_close(&w, '}');
  json_close(&w, '}');
  return w.out.text;
}

static carom_status write_rows(const carom_fit *f, record *out, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int i = 0; i < f->n && status == CAROM_OK; i++) {
    const carom_fit_parameter *p = &f->parameters[i];
    const double row[] = {i + 1,    p->value, p->low, p->high,  p->standard_error,
                          p->least, p->most,  p->log, p->bound, p->determined};
    status = record_append(out, PARAMETERS, row, error);
  }
  for (int k = 0; k < f->n * f->n && status == CAROM_OK; k++)
    status = record_append(out, CORRELATION, (double[]){k / f->n + 1, k % f->n + 1, f->correlation[k]}, error);
  for (int c = 0; c < f->channel_count && status == CAROM_OK; c++) {
    double t, measured, fitted;
    for (long i = 0; status == CAROM_OK && carom_fit_get_sample(f, c, i, &t, &measured, &fitted); i++)
      status = record_append(out, SAMPLES, (double[]){c + 1, t, measured, fitted, measured - fitted}, error);
  }
  return status;
}

static carom_status write_record(arena *memory, const carom_fit *f, const char *path, bool force, carom_error *error) {
  carom_output to = {
      .path = path, .kind = CAROM_FILE_RECORD, .inputs = f->inputs, .input_count = f->input_count, .force = force};
  output_file file;
  json_writer w = json_begin(memory);
  put_fit(&w, f);
  const record_text texts[] = {{"fit", w.out.text},
                               {"version", CAROM_VERSION},
                               {"words", list_words(memory, f)},
                               {"file", f->model},
                               {"title", f->title ? f->title : ""}};
  record_settings settings = record_settings_default();
  settings.name = path;
  // From here on nothing leaves by the arena: a file that is begun must be ended.
  if (carom_output_check(&to, error) != CAROM_OK || !output_begin(&file, path, error)) return error->status;
  record *out = record_create(file.place, tables, TABLES, texts, sizeof texts / sizeof *texts, &settings, error);
  carom_status status = out ? write_rows(f, out, error) : error->status;
  if (out && status == CAROM_OK) status = record_finish(out, "{}", error);
  else record_abandon(out);
  const carom_status ended = output_end(&file, status == CAROM_OK, error);
  return status == CAROM_OK ? ended : status;
}

// --- the model file --------------------------------------------------------------------------------------------------

// Other files are found beside the model file: a file elsewhere would not find them.
static bool stays_beside(const carom_fit *f, const char *path, carom_error *error) {
  const char *from = strrchr(f->model, '/'), *to = strrchr(path, '/');
  const size_t length = from ? (size_t)(from - f->model) : 0;
  const bool same = (from != NULL) == (to != NULL) &&
                    (!from || (length == (size_t)(to - path) && strncmp(f->model, path, length) == 0));
  if (f->file_inputs == 1 || same) return true;
  return error_set(error, CAROM_ERROR_USAGE,
                   "'%s': the model names other files, so the fitted one must be in the same folder as '%s'", path,
                   f->model),
         false;
}

static const char *rewrite(arena *memory, const carom_fit *f, carom_error *error) {
  assignment *sets = ARENA_ARRAY(memory, assignment, f->setting_count + f->range_count);
  int count = 0;
  for (int i = 0; i < f->setting_count; i++) sets[count++] = (assignment){f->settings[i].name, f->settings[i].value};
  for (int i = 0; i < f->range_count; i++) {
    char *text = ARENA_ARRAY(memory, char, SWEEP_SETTING);
    sets[count++] = (assignment){f->ranges[i].name, sweep_range_setting(&f->ranges[i], f->parameters[i].value, text)};
  }
  const source file = {f->model, f->model_text, strlen(f->model_text)};
  const char *text = document_rewrite(memory, &file, sets, count, error);
  if (!text) return NULL;
  carom_model *model = carom_model_parse(text, f->model, error);
  carom_model_destroy(model);
  return model ? arena_print(memory, OWN_MODEL " %s from %s.\n%s", CAROM_VERSION, f->model, text) : NULL;
}

static carom_status write_model(arena *memory, const carom_fit *f, const char *path, bool force, carom_error *error) {
  carom_output to = {
      .path = path, .kind = CAROM_FILE_MODEL, .inputs = f->inputs, .input_count = f->input_count, .force = force};
  if (!stays_beside(f, path, error) || carom_output_check(&to, error) != CAROM_OK) return error->status;
  const char *text = rewrite(memory, f, error);
  return text ? carom_output_write(&to, text, strlen(text), error) : error->status;
}

// --- both ------------------------------------------------------------------------------------------------------------

static carom_status with_memory(const carom_fit *f, const char *path, bool force, carom_error *error,
                                carom_status (*write)(arena *memory, const carom_fit *f, const char *path, bool force,
                                                      carom_error *error)) {
  carom_error own;
  carom_error *const trouble = error_use(error, &own);
  jmp_buf out_of_memory;
  arena memory = {0};
  if (setjmp(out_of_memory)) {
    error_set(trouble, CAROM_ERROR_MEMORY, "out of memory for '%s'", path);
  } else {
    memory = arena_create(&out_of_memory);
    write(&memory, f, path, force, trouble);
  }
  arena_free(&memory);
  return trouble->status;
}

carom_status carom_fit_record(const carom_fit *f, const char *path, bool force, carom_error *error) {
  return with_memory(f, path, force, error, write_record);
}

carom_status carom_fit_write_model(const carom_fit *f, const char *path, bool force, carom_error *error) {
  return with_memory(f, path, force, error, write_model);
}
