// What both kinds of fits have in common: ranges, points to start from, and the result.
#include "study/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "build/model_internal.h"
#include "math/sobol.h"

void fit_warn(carom_fit *f, const char *format, ...) {
  arena_text text = {0};
  va_list args;
  va_start(args, format);
  arena_append_list(&f->memory, &text, format, args);
  va_end(args);
  *ARENA_PUSH(&f->memory, f->warnings, f->warning_count, f->warning_capacity) = text.text;
}

bool fit_ended(carom_fit *f) {
  if (f->runs.out_of_memory) return error_set(f->error, CAROM_ERROR_MEMORY, "out of memory for a trial run"), false;
  return error_set(f->error, CAROM_INTERRUPTED, "interrupted after %ld runs", f->runs.now.runs), false;
}

// --- ranges ----------------------------------------------------------------------------------------------------------

static bool names_differ(const carom_fit *f) {
  for (int i = 0; i < f->range_count; i++) {
    const char *name = f->ranges[i].name;
    for (int k = 0; k < i; k++)
      if (strcmp(name, f->ranges[k].name) == 0)
        return error_set(f->error, CAROM_ERROR_USAGE, "'%s' is fitted twice", name), false;
    for (int k = 0; k < f->setting_count; k++)
      if (strcmp(name, f->settings[k].name) == 0)
        return error_set(f->error, CAROM_ERROR_USAGE, "'%s' is fitted, and is also set to '%s'; leave out one of these",
                         name, f->settings[k].value),
               false;
  }
  return true;
}

// One range for the offset of each file, behind those of the model.
static bool read_offset(carom_fit *f) {
  const carom_fit_options *o = f->options;
  sweep_range *to = &f->ranges[f->range_count];
  if (!o->offset) return true;
  if (!sweep_range_read(&f->memory, "--offset", &(carom_setting){"offset", o->offset}, to, f->error)) return false;
  const bool plain = !*to->unit || strcmp(to->unit, "1") == 0;
  if (!plain && !dimension_equal(dimension_of_unit(to->unit), DIM_TIME))
    return error_set(f->error, CAROM_ERROR_USAGE, "--offset %s: it must be a time, not in %s", o->offset, to->unit),
           false;
  to->unit = "s";
  for (int i = 1; i < o->data_count; i++) to[i] = to[0];
  return true;
}

bool fit_read_ranges(carom_fit *f, bool with_offset) {
  const carom_fit_options *o = f->options;
  if (o->fit_count < 1) return error_set(f->error, CAROM_ERROR_USAGE, "a fit needs something to fit"), false;
  if (o->threads < 0 || o->threads > 1024)
    return error_set(f->error, CAROM_ERROR_USAGE, "a fit has 1 to 1024 threads"), false;
  if (o->starts < 0 || o->starts > 1000000 || o->searches < 0 || o->searches > 1000)
    return error_set(f->error, CAROM_ERROR_USAGE, "a fit has 1 to 1000000 starts and 1 to 1000 searches"), false;
  carom_setting *settings = ARENA_ARRAY(&f->memory, carom_setting, o->setting_count + 1);
  for (int i = 0; i < o->setting_count; i++)
    settings[i] = (carom_setting){arena_copy_text(&f->memory, o->settings[i].name),
                                  arena_copy_text(&f->memory, o->settings[i].value)};
  f->settings = settings, f->setting_count = o->setting_count;
  f->model = arena_copy_text(&f->memory, o->model);
  f->n = f->range_count = o->fit_count;
  f->ranges = ARENA_ARRAY(&f->memory, sweep_range, o->fit_count + o->data_count + 1);
  for (int i = 0; i < o->fit_count; i++)
    if (!sweep_range_read(&f->memory, "--fit", &o->fit[i], &f->ranges[i], f->error)) return false;
  f->runs.ranges = f->ranges, f->runs.range_count = f->range_count;
  return (!with_offset || read_offset(f)) && names_differ(f);
}

// What the result needs of the model, and which files must not be written over.
static void keep_model(carom_fit *f, const carom_model *model) {
  const carom_fit_options *o = f->options;
  if (model->about.title) f->title = arena_copy_text(&f->memory, model->about.title);
  f->model_text = arena_copy_text(&f->memory, model->def->text->main->text);
  const char **files = model_files(model, &f->memory, &f->file_inputs);
  f->inputs = ARENA_ARRAY(&f->memory, const char *, f->file_inputs + o->data_count);
  for (int i = 0; i < f->file_inputs; i++) f->inputs[f->input_count++] = arena_copy_text(&f->memory, files[i]);
  for (int i = 0; i < o->data_count; i++) f->inputs[f->input_count++] = arena_copy_text(&f->memory, o->data[i].file);
}

bool fit_is_same_model(const carom_fit *f, const carom_model *model, carom_error *error) {
  if (strcmp(model->def->text->main->text, f->model_text) == 0) return true;
  return error_set(error, CAROM_ERROR_FILE, "'%s' has changed since the fit began", f->model), false;
}

carom_model *fit_load_first(carom_fit *f) {
  enum { TRIES = 100 };
  carom_model *model = trials_load(&f->runs, NULL, f->error);
  const sobol even = sobol_create(&f->memory, f->range_count);
  double *point = ARENA_ARRAY(&f->memory, double, f->range_count);
  for (int i = 0; i < TRIES && !model; i++) {
    carom_error later = {0};
    for (int k = 0; k < f->range_count; k++) point[k] = sobol_scrambled(&even, (uint64_t)i, k, f->options->seed);
    model = trials_load(&f->runs, point, &later);
    if (model) error_clear(f->error);
  }
  if (model) keep_model(f, model);
  return model;
}

// --- points to start from --------------------------------------------------------------------------------------------

typedef struct start_list {
  int count, most;
  double *points, *results, *costs;
} start_list;

// Keeps the best ones, the first best of all.
static void keep_start(const carom_fit *f, start_list *s, const double *point, const double *result, double cost) {
  const size_t n = (size_t)f->runs.n, size = (size_t)f->runs.size;
  if (s->count == s->most && !(cost < s->costs[s->count - 1])) return;
  if (s->count < s->most) s->count++;
  int at = s->count - 1;
  for (; at > 0 && s->costs[at - 1] > cost; at--) {
    s->costs[at] = s->costs[at - 1];
    memcpy(s->points + (size_t)at * n, s->points + (size_t)(at - 1) * n, n * sizeof *point);
    memcpy(s->results + (size_t)at * size, s->results + (size_t)(at - 1) * size, size * sizeof *result);
  }
  s->costs[at] = cost;
  memcpy(s->points + (size_t)at * n, point, n * sizeof *point);
  memcpy(s->results + (size_t)at * size, result, size * sizeof *result);
}

int fit_try_starts(carom_fit *f, double (*cost)(const carom_fit *f, const double *result), int keep, double *points,
                   double *results) {
  enum { CHUNK = 32 };
  const int n = f->runs.n;
  const long starts = f->options->starts ? f->options->starts : 32L * n;
  start_list list = {
      .most = keep, .points = points, .results = results, .costs = ARENA_ARRAY(&f->memory, double, keep)};
  const arena_mark mark = arena_get_mark(&f->memory);
  const sobol even = sobol_create(&f->memory, n);
  double *tried = ARENA_ARRAY(&f->memory, double, CHUNK *n),
         *found = ARENA_ARRAY(&f->memory, double, (size_t)CHUNK *(size_t)f->runs.size);
  bool good[CHUNK], going = true;
  for (long first = 0; first < starts && going; first += CHUNK) {
    const int count = starts - first < CHUNK ? (int)(starts - first) : CHUNK;
    for (int i = 0; i < count * n; i++)
      tried[i] = sobol_scrambled(&even, (uint64_t)(first + i / n), i % n, f->options->seed);
    going = trials_run(&f->runs, count, tried, found, good);
    for (int i = 0; going && i < count; i++) {
      const double *result = found + (size_t)i * (size_t)f->runs.size;
      if (good[i]) keep_start(f, &list, tried + i * n, result, cost(f, result));
    }
    if (list.count) f->runs.now.best = list.costs[0];
  }
  arena_release(&f->memory, mark);
  if (!going) return fit_ended(f), -1;
  if (!list.count)
    error_set(f->error, CAROM_ERROR_STUDY, "all of %ld trial runs failed, the first with: %s", starts,
              f->runs.first_message);
  return list.count ? list.count : -1;
}

// --- the result ------------------------------------------------------------------------------------------------------

// A file may be given twice.
static const char *name_of(carom_fit *f, int i) {
  const int file = i - f->range_count;
  int same = 0;
  if (file < 0) return f->ranges[i].name;
  if (f->n == f->range_count + 1) return "offset";
  for (int k = 0; k < f->n - f->range_count; k++) same += strcmp(f->files[k].name, f->files[file].name) == 0;
  return same > 1 ? arena_print(&f->memory, "offset of file %d, %s", file + 1, f->files[file].name)
                  : arena_print(&f->memory, "offset of %s", f->files[file].name);
}

// A word of a command line, in quotes where a shell would take it apart.
static const char *quoted(carom_fit *f, const char *word) {
  arena_text text = {0};
  if (!strpbrk(word, " '\"$*?[](){}<>|&;\\`!#~")) return word;
  for (; *word; word++) {
    if (*word == '\'') arena_append(&f->memory, &text, "'\\''");
    else arena_append(&f->memory, &text, "%c", *word);
  }
  return arena_print(&f->memory, "'%s'", text.text);
}

static void append_setting(carom_fit *f, arena_text *line, const char *name, const char *value) {
  arena_append(&f->memory, line, "%s--set %s", line->length ? " " : "",
               quoted(f, arena_print(&f->memory, "%s=%s", name, value)));
}

// The run that shows the result: with the settings of the fit.
static const char *command_of(carom_fit *f, const char *set_line) {
  arena_text line = {0};
  for (int i = 0; i < f->setting_count; i++) append_setting(f, &line, f->settings[i].name, f->settings[i].value);
  return arena_print(&f->memory, "carom run %s %s%s%s", quoted(f, f->model), line.text ? line.text : "",
                     line.text ? " " : "", set_line);
}

void fit_name_result(carom_fit *f) {
  arena_text line = {0};
  char text[SWEEP_SETTING];
  f->parameters = ARENA_ARRAY(&f->memory, carom_fit_parameter, f->n + 1);
  f->correlation = ARENA_ARRAY(&f->memory, double, f->n * f->n);
  for (int i = 0; i < f->n * f->n; i++) f->correlation[i] = NAN;
  for (int i = 0; i < f->n; i++) {
    const sweep_range *r = &f->ranges[i];
    f->parameters[i] = (carom_fit_parameter){.name = name_of(f, i),
                                             .unit = strcmp(r->unit, "1") == 0 ? "" : r->unit,
                                             .value = sweep_range_between(r, f->point[i]),
                                             .least = r->low,
                                             .most = r->high,
                                             .log = r->log,
                                             .determined = true,
                                             .low = NAN,
                                             .high = NAN,
                                             .standard_error = NAN};
    f->parameters[i].bound = f->point[i] <= 0   ? CAROM_FIT_AT_LOW
                             : f->point[i] >= 1 ? CAROM_FIT_AT_HIGH
                                                : CAROM_FIT_INSIDE;
    if (i < f->range_count) append_setting(f, &line, r->name, sweep_range_setting(r, f->parameters[i].value, text));
  }
  f->summary.set_line = line.text, f->summary.command = command_of(f, line.text);
  f->summary.title = f->title, f->summary.model = f->model;
  f->summary.runs = f->runs.now.runs, f->summary.failed = f->runs.now.failed;
  f->summary.first_message = arena_copy_text(&f->memory, f->runs.first_message);
}

carom_fit *fit_make(const carom_fit_options *options, bool (*make)(carom_fit *f), carom_error *error) {
  carom_error own;
  carom_error *const trouble = error_use(error, &own);
  carom_fit *const f = calloc(1, sizeof *f);
  if (!f) return error_set(trouble, CAROM_ERROR_MEMORY, "out of memory for a fit"), NULL;
  jmp_buf out_of_memory;
  trials_begin(&f->runs, options);
  f->options = options, f->error = trouble;
  f->runs.context = f;
  volatile bool made = false;
  if (setjmp(out_of_memory)) {
    error_set(trouble, CAROM_ERROR_MEMORY, "out of memory for a fit");
  } else {
    f->memory = arena_create(&out_of_memory);
    made = make(f);
  }
  trials_end(&f->runs);
  f->options = f->runs.options = NULL, f->error = NULL, f->memory.out_of_memory = NULL;
  if (made) return f;
  carom_fit_destroy(f);
  return NULL;
}

void carom_fit_destroy(carom_fit *f) {
  if (!f) return;
  arena_free(&f->memory);
  free(f);
}

carom_fit_parameter carom_fit_get_parameter(const carom_fit *f, int i) {
  return i >= 0 && i < f->n ? f->parameters[i] : (carom_fit_parameter){0};
}

double carom_fit_correlation(const carom_fit *f, int i, int k) {
  return i >= 0 && i < f->n && k >= 0 && k < f->n ? f->correlation[i * f->n + k] : NAN;
}

carom_fit_summary carom_fit_get_summary(const carom_fit *f) { return f->summary; }

const char *carom_fit_inseparable(const carom_fit *f, int i) {
  return i >= 0 && i < f->inseparable_count ? f->inseparable[i] : NULL;
}

const char *carom_fit_warning(const carom_fit *f, int i) {
  return i >= 0 && i < f->warning_count ? f->warnings[i] : NULL;
}

static double rms_of(const carom_fit *f, const fit_channel *c) {
  double sum = 0;
  for (long k = 0; k < c->count; k++) sum += (f->traces[c->first + k] - c->y[k]) * (f->traces[c->first + k] - c->y[k]);
  return sqrt(sum / (double)c->count);
}

carom_fit_channel carom_fit_get_channel(const carom_fit *f, int i) {
  if (i < 0 || i >= f->channel_count) return (carom_fit_channel){0};
  const fit_channel *c = &f->channels[i];
  const fit_file *file = &f->files[c->file];
  return (carom_fit_channel){
      .file = file->name,
      .column = c->column,
      .signal = f->signals[c->match],
      .unit = strcmp(f->units[c->match], "1") == 0 ? "" : f->units[c->match],
      .hold_out = file->hold_out,
      .offset = file->offset < 0 ? 0 : sweep_range_between(&f->ranges[file->offset], f->point[file->offset]),
      .weight = file->weight,
      .samples = c->count,
      .missing = c->missing,
      .unused = c->unused,
      .scale = c->scale,
      .rms = rms_of(f, c)};
}

bool carom_fit_get_sample(const carom_fit *f, int channel, long i, double *t, double *measured, double *fitted) {
  const fit_channel *c = channel >= 0 && channel < f->channel_count ? &f->channels[channel] : NULL;
  if (!c || i < 0 || i >= c->count) return false;
  *t = f->files[c->file].t[c->row[i]], *measured = c->y[i], *fitted = f->traces[c->first + i];
  return true;
}
