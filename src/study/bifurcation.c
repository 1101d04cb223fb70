// A bifurcation diagram: one value after the other, each from where the one before it has settled, there and back.
#include "study/bifurcation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "run.h"

// --- what it is ------------------------------------------------------------------------------------------------------

static bool check_options(const carom_bifurcation_options *o, carom_error *error) {
  const char *why = NULL;
  if (!o->record) why = "a bifurcation diagram needs a file for its result";
  else if (o->cut < CAROM_BIFURCATION_NONE || o->points < 0 || o->points == 1)
    why = "a value cuts 0 or more sections and keeps 2 or more";
  else if (o->tolerance < 0 || o->disturbance < 0) why = "tolerance and disturbance are not negative";
  else if (o->lyapunov < 0) why = "the number of intervals of a Lyapunov exponent is not negative";
  if (why) error_set(error, CAROM_ERROR_USAGE, "%s", why);
  return !why;
}

static int or_default(int given, int preset) { return given > 0 ? given : given < 0 ? 0 : preset; }

static bool read_plan(bifurcation *b) {
  const carom_bifurcation_options *o = b->options;
  const carom_sweep_options as_sweep = {
      .vary = &o->vary, .vary_count = o->vary.name != NULL, .settings = o->settings, .setting_count = o->setting_count};
  if (!o->vary.name) return error_set(b->error, CAROM_ERROR_USAGE, "nothing varies in the bifurcation diagram"), false;
  if (!sweep_plan_read(&b->memory, &as_sweep, &b->plan, b->error)) return false;
  if (b->plan.ranges[0].words)
    return error_set(b->error, CAROM_ERROR_USAGE, "--vary %s=%s: what varies must be numbers", o->vary.name,
                     o->vary.value),
           false;
  b->settings = ARENA_ARRAY(&b->memory, carom_setting, o->setting_count + 2);
  for (int i = 0; i < o->setting_count; i++) b->settings[i] = o->settings[i];
  b->rule = (orbit_rule){.cut = or_default(o->cut, 200),
                         .points = o->points ? o->points : 64,
                         .tolerance = o->tolerance,
                         .disturbance = o->disturbance};
  b->halvings = or_default(o->halvings, 6);
  return section_read(&b->memory, o->period, o->section, &b->section, b->error);
}

static void take(bifurcation *b, const char *name) {
  const int room = b->take_count + 1;
  b->take = ARENA_LARGER(&b->memory, b->take, b->take_count, room);
  b->take[b->take_count++] = arena_copy_text(&b->memory, name);
}

static void take_joints(bifurcation *b, const carom_model *model) {
  for (int i = 0; carom_model_joint_name(model, i); i++) {
    const int count = carom_model_joint_coordinates(model, i);
    for (int k = 0; k < count; k++) {
      const char *joint = carom_model_joint_name(model, i);
      const char *name =
          count == 1 ? arena_print(&b->memory, "%s.q", joint) : arena_print(&b->memory, "%s.q%d", joint, k);
      if (carom_model_signal(model, name) >= 0) take(b, name);
    }
  }
}

static bool read_take(bifurcation *b, const carom_model *model) {
  char **items;
  const int count = b->options->take ? sweep_split(&b->memory, b->options->take, ',', &items) : 0;
  for (int i = 0; i < count; i++) take(b, items[i]);
  for (int i = 0; !b->options->take && carom_model_part(model, "outputs", i).name; i++)
    take(b, carom_model_part(model, "outputs", i).name);
  if (!b->take_count) take_joints(b, model);
  b->take_units = ARENA_ARRAY(&b->memory, const char *, b->take_count + 1);
  for (int i = 0; i < b->take_count; i++) {
    const int signal = carom_model_signal(model, b->take[i]);
    if (signal < 0)
      return error_set(b->error, CAROM_ERROR_USAGE,
                       "there is no signal '%s' to take; 'carom check MODEL --signals' "
                       "lists them",
                       b->take[i]),
             false;
    const char *unit = carom_model_signal_unit(model, signal);
    b->take_units[i] = unit ? arena_copy_text(&b->memory, unit) : "";
  }
  return true;
}

static void put_setting(json_writer *w, const char *key, const carom_setting *s) {
  json_open(w, key, '[');
  json_put_text(w, NULL, s->name), json_put_text(w, NULL, s->value);
  json_close(w, ']');
}

static const char *identify(bifurcation *b, const carom_model *model) {
  const carom_bifurcation_options *o = b->options;
  json_writer w = json_begin(&b->memory);
  json_open(&w, NULL, '{');
  json_put_text(&w, "version", CAROM_VERSION);
  json_open(&w, "settings", '[');
  for (int i = 0; i < o->setting_count; i++) put_setting(&w, NULL, &o->settings[i]);
  json_close(&w, ']');
  put_setting(&w, "vary", &o->vary);
  json_put_text(&w, "period", o->period ? o->period : "");
  json_put_text(&w, "section", o->section ? o->section : "");
  json_open(&w, "take", '[');
  for (int i = 0; i < b->take_count; i++) json_put_text(&w, NULL, b->take[i]);
  json_close(&w, ']');
  json_put_integer(&w, "cut", b->rule.cut), json_put_integer(&w, "points", b->rule.points);
  json_put_number(&w, "tolerance", b->rule.tolerance);
  json_put_number(&w, "disturbance", b->rule.disturbance);
  json_put_integer(&w, "halvings", b->halvings);
  json_put_flag(&w, "one_way", o->one_way);
  json_put_integer(&w, "lyapunov", o->lyapunov);
  json_open(&w, "model", '[');
  for (int i = 0; i < model->def->text->source_count; i++) json_put_text(&w, NULL, model->def->text->sources[i]->text);
  json_close(&w, ']');
  json_close(&w, '}');
  return w.out.text;
}

static bool guard_file(bifurcation *b, const carom_model *model) {
  int files;
  const char **inputs = model_files(model, &b->memory, &files);
  const carom_output out = {.path = b->options->record,
                            .kind = CAROM_FILE_RECORD,
                            .inputs = inputs,
                            .input_count = files,
                            .force = b->options->force};
  return carom_output_check(&out, b->error) == CAROM_OK;
}

// The model with the first value says what there is to take, and what is wrong with the options.
static bool describe(bifurcation *b) {
  char text[SWEEP_SETTING];
  section_rule at;
  const int last = b->options->setting_count;
  b->settings[last] = (carom_setting){b->plan.ranges[0].name, sweep_plan_setting(&b->plan, 0, 0, text)};
  carom_model *model = carom_model_load(b->options->model, b->settings, last + 1, b->error);
  if (!model) return false;
  const bool good =
      guard_file(b, model) && section_find(&b->memory, &b->section, model, &at, b->error) && read_take(b, model);
  if (good) {
    b->title = model->about.title ? arena_copy_text(&b->memory, model->about.title) : "";
    b->identity = identify(b, model);
    bifurcation_name_tables(b);
  }
  carom_model_destroy(model);
  return good;
}

// --- values ----------------------------------------------------------------------------------------------------------

static void write_points(bifurcation *b, const attempt *a, long row, int direction) {
  double *to = ARENA_ARRAY(&b->memory, double, b->tables[TABLE_POINTS].column_count);
  for (int i = 0; i < a->orbit.count; i++) {
    const double head[] = {(double)row, (double)direction, a->value, (double)i, a->times[i]};
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head / sizeof *head, a->signals + (size_t)i * (size_t)b->take_count,
           (size_t)b->take_count * sizeof *to);
    study_table_add(b, TABLE_POINTS, to);
  }
}

static void write_value(bifurcation *b, const attempt *a, int direction) {
  const orbit *o = &a->orbit;
  const long row = b->tables[TABLE_VALUES].count;
  const bool good = a->status == CAROM_OK;
  const double values[] = {(double)row,
                           (double)direction,
                           a->value,
                           (double)a->status,
                           good ? o->period : NAN,
                           o->multiplier.size,
                           o->multiplier.real,
                           o->multiplier.imaginary,
                           good ? o->impacts : NAN,
                           good && o->impacts > 0 ? o->slowest : NAN,
                           good ? o->rests : NAN,
                           good ? o->interval : NAN,
                           a->exponent.exponent,
                           a->exponent.standard_error,
                           a->wall_s};
  study_table_add(b, TABLE_VALUES, values);
  write_points(b, a, row, direction);
  b->done++;
  if (good) return;
  const char *message = a->error.text[0] ? a->error.text : carom_status_text(a->status);
  b->messages[row] = arena_copy_text(&b->memory, message);
  if (b->failed++ == 0) {
    b->first_failed = a->value;
    snprintf(b->first_message, sizeof b->first_message, "%s", message);
  }
}

// From the last attempt that has not failed. Returns that one, or this if it has not.
static attempt *go_to(bifurcation *b, attempt *last, double value, int direction) {
  attempt *a = attempt_run(b, value, last);
  attempt_complete(b, a);
  if (!b->stop) write_value(b, a, direction);
  if (b->stop || a->status != CAROM_OK) {
    attempt_free(b, a);
    return last;
  }
  if (last) change_look(b, direction, last, a);
  attempt_free(b, last);
  return a;
}

static carom_status run_values(bifurcation *b) {
  if (!check_options(b->options, b->error) || !read_plan(b) || !describe(b)) return b->error->status;
  const long rows = b->plan.rows;
  attempt *last = NULL;
  b->messages = ARENA_ARRAY(&b->memory, char *, 2 * rows + 1);
  for (long i = 0; i < rows && !b->stop; i++) last = go_to(b, last, sweep_plan_value(&b->plan, i, 0), FORWARD);
  for (long i = rows - 1; i >= 0 && !b->stop && !b->options->one_way; i--)
    last = go_to(b, last, sweep_plan_value(&b->plan, i, 0), BACKWARD);
  const carom_status written = bifurcation_write(b, b->options->record);
  if (written != CAROM_OK || !b->stop) return written;
  return error_set(b->error, CAROM_INTERRUPTED, "interrupted after %ld of %ld values", b->done,
                   rows * (b->options->one_way ? 1 : 2));
}

carom_status carom_bifurcation(const carom_bifurcation_options *options, carom_bifurcation_result *result,
                               carom_error *error) {
  carom_error own;
  bifurcation *b = calloc(1, sizeof *b);
  carom_status status;
  error = error_use(error, &own);
  if (!b || setjmp(b->out_of_memory)) {
    status = error_set(error, CAROM_ERROR_MEMORY, "out of memory for a bifurcation diagram");
  } else {
    b->options = options, b->error = error, b->first_failed = NAN;
    clock_gettime(CLOCK_MONOTONIC, &b->began);
    b->memory = arena_create(&b->out_of_memory);
    status = run_values(b);
  }
  if (result) *result = (carom_bifurcation_result){.first_failed = NAN};
  if (result && b) {
    result->values = b->done, result->failed = b->failed, result->changes = b->changes;
    result->first_failed = b->first_failed;
    memcpy(result->first_message, b->first_message, sizeof result->first_message);
  }
  while (b && b->alive) attempt_free(b, b->alive);
  if (b) arena_free(&b->memory);
  free(b);
  return status;
}
