// carom compare: one model under several methods, and where they agree.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "talk.h"

enum { METHODS_MAX = 8 };

typedef struct compare_args {
  const char *model, *methods, *prefix, *end, *report;
  setting_list settings;
  bool json, force;
} compare_args;

#define AT(field) offsetof(compare_args, field)
static const arg compare_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--method",
     .kind = ARG_TEXT,
     .value = "LIST",
     .offset = AT(methods),
     .help = "methods to run it under, such as moreau,event (default: all that know contact); the others are compared "
             "with the "
             "first"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "PREFIX",
     .offset = AT(prefix),
     .help = "runs go to PREFIX-METHOD.h5, the comparison to PREFIX.json (default: the model's name, here)"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key, for all methods"},
    {.name = "--end", .kind = ARG_TEXT, .value = "T", .offset = AT(end), .help = "time to run to: 2, 50 ms"},
    {.name = "--report",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(report),
     .help = "HTML file that shows the runs together"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print the comparison as one JSON object"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace files that carom did not write"},
};
#undef AT

static int compare_command(int argc, char **argv);
const command command_compare = {
    "compare",
    "Run a model under several methods, and say where they agree.",
    "A method other than the model's own runs with its default settings, and with the step "
    "of the model's own method if\n"
    "it needs one; `--set method.moreau.step=1e-5` and the like change them. A method "
    "that the model cannot run is skipped,\n"
    "with the reason. The last sentence says whether the methods agree (no joint "
    "coordinate, and with flexible bodies no place\n"
    "of a marker, differs by more than 1 % of its range), or from when on and in what "
    "they differ. Exit code 1 when one of the\n"
    "runs failed; those that did not are compared all the same.",
    compare_table,
    sizeof compare_table / sizeof *compare_table,
    compare_command};

typedef struct entry {
  const char *method;
  char file[4096];
  carom_model *model;  // NULL if skipped, or run already
  carom_error error;   // why it was skipped
  bool skipped, told;
} entry;

typedef struct contest {
  const compare_args *a;
  char methods[256];
  entry entries[METHODS_MAX];
  int count;
  char prefix[4000], json[4096];
  char own[64];  // the model's own method; empty if the model cannot be loaded under it
  double step;   // of that; 0: it chooses its steps [s]
  bool failed;   // one of the runs
} contest;

static bool is_method(const char *word) {
  const char *name;
  for (int i = 0; (name = carom_family_member("methods", i, NULL)); i++)
    if (strcmp(name, word) == 0) return true;
  return false;
}

static int unknown_method(const char *word) {
  const char *near = NULL, *name;
  for (int i = 0; (name = carom_family_member("methods", i, NULL)); i++)
    near = carom_nearest_word(word, (const char *[]){near, name}, 2);
  if (near) return usage_error("compare", "there is no method '%s'; did you mean '%s'?", word, near);
  return usage_error("compare", "there is no method '%s'; `carom list methods` names them", word);
}

// The methods that know contact, with commas between them: as many as are wanted and have room.
static void list_contact_methods(int wanted, size_t size, char *list) {
  const char *name;
  size_t used = 0;
  list[0] = 0;
  for (int i = 0, count = 0; count < wanted && (name = carom_family_member("methods", i, NULL)); i++) {
    if (!carom_method_get_advice(name).contact || used + strlen(name) + 2 > size) continue;
    used += (size_t)snprintf(list + used, size - used, "%s%s", count++ ? "," : "", name);
  }
}

static int list_methods(contest *c) {
  const char *given = c->a->methods;
  if (given && strlen(given) >= sizeof c->methods) return usage_error("compare", "the list of methods is too long");
  if (given) strcpy(c->methods, given);
  else list_contact_methods(METHODS_MAX, sizeof c->methods, c->methods);
  for (char *rest = NULL, *word = strtok_r(c->methods, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    for (int i = 0; i < c->count; i++)
      if (strcmp(c->entries[i].method, word) == 0) return usage_error("compare", "method '%s' is named twice", word);
    if (!is_method(word)) return unknown_method(word);
    if (c->count == METHODS_MAX) return usage_error("compare", "at most %d methods", METHODS_MAX);
    c->entries[c->count++].method = word;
  }
  if (c->count >= 2) return -1;
  char two[64];
  list_contact_methods(2, sizeof two, two);
  return usage_error("compare", "name at least two methods: --method %s", two);
}

static void name_files(contest *c) {
  const char *slash = strrchr(c->a->model, '/'), *base = slash ? slash + 1 : c->a->model, *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  if (c->a->prefix) snprintf(c->prefix, sizeof c->prefix, "%s", c->a->prefix);
  else snprintf(c->prefix, sizeof c->prefix, "%.*s", (int)length, base);
  size_t end = strlen(c->prefix);
  if (c->a->prefix && end > 5 && strcmp(c->prefix + end - 5, ".json") == 0) c->prefix[end - 5] = '\0';
  snprintf(c->json, sizeof c->json, "%s.json", c->prefix);
  for (int i = 0; i < c->count; i++)
    snprintf(c->entries[i].file, sizeof c->entries[i].file, "%s-%s.h5", c->prefix, c->entries[i].method);
}

static int check_outputs(const contest *c) {
  output_list list = {.force = c->a->force};
  outputs_spare(&list, c->a->model);
  for (int i = 0; i < c->count; i++)
    if (c->entries[i].model) outputs_spare_model(&list, c->entries[i].model);
  for (int i = 0; i < c->count; i++)
    if (c->entries[i].model) outputs_add(&list, c->entries[i].file, CAROM_FILE_RECORD);
  outputs_add(&list, c->json, CAROM_FILE_COMPARISON);
  outputs_add(&list, c->a->report, CAROM_FILE_PAGE);
  return outputs_check(&list);
}

// A setting such as method.moreau.step is for that method alone.
static bool concerns(const carom_setting *s, const char *method) {
  size_t length = strlen(method);
  if (strncmp(s->name, "method.", 7) != 0) return true;
  return strncmp(s->name + 7, method, length) == 0 && (s->name[7 + length] == '.' || s->name[7 + length] == 0);
}

static bool gives(const setting_list *given, const char *name) {
  for (int i = 0; i < given->count; i++)
    if (strcmp(given->items[i].name, name) == 0) return true;
  return false;
}

// The model under its own method, or under the one named; with the settings that concern it, and with a step.
static carom_model *load_with(const contest *c, const char *method, double step, carom_error *error) {
  const setting_list *given = &c->a->settings;
  carom_setting *with = calloc((size_t)given->count + 3, sizeof *with);
  char name[96], value[32];
  int count = 0;
  if (!with) return snprintf(error->text, sizeof error->text, "out of memory"), NULL;
  if (method) with[count++] = (carom_setting){"method", method};
  snprintf(name, sizeof name, "method.%s.step", method ? method : "");
  snprintf(value, sizeof value, "%.17g", step);
  if (step > 0 && !gives(given, name)) with[count++] = (carom_setting){name, value};
  for (int i = 0; i < given->count; i++)
    if (concerns(&given->items[i], method ? method : "")) with[count++] = given->items[i];
  if (c->a->end) with[count++] = (carom_setting){"end", c->a->end};
  carom_model *model = carom_model_load(c->a->model, with, count, error);
  free(with);
  return model;
}

static bool needs_step(const char *method) {
  const char *required = carom_method_get_advice(method).required;
  return required && strncmp(required, "step=", 5) == 0;
}

// The model's own method keeps its settings; another one comes in by name, and takes the step of the own one if it
// cannot do without. Null when the model cannot be run under it.
static carom_model *load_under(const contest *c, const char *method, carom_error *error) {
  const bool own = strcmp(method, c->own) == 0;
  return load_with(c, method, !own && needs_step(method) ? c->step : 0, error);
}

// Settings of a method may change its step: they concern it once its name is known.
static void find_own_method(contest *c) {
  carom_error ignored = {0};
  carom_model *model = load_with(c, NULL, 0, &ignored);
  if (!model) return;
  snprintf(c->own, sizeof c->own, "%s", carom_model_get_info(model).method);
  carom_model_destroy(model);
  model = load_with(c, c->own, 0, &ignored);
  if (model) c->step = carom_model_get_info(model).step;
  carom_model_destroy(model);
}

static int count_left(const contest *c) {
  int left = 0;
  for (int i = 0; i < c->count; i++) left += !c->entries[i].skipped;
  return left;
}

// Whether there are two to compare; complains if not.
static int check_left(const contest *c) {
  char only[64] = "none of the methods";
  if (count_left(c) >= 2) return -1;
  for (int i = 0; i < c->count; i++)
    if (!c->entries[i].skipped) snprintf(only, sizeof only, "only %.50s", c->entries[i].method);
  fprintf(stderr, "%serror:%s %s can run this model, so there is nothing to compare\n", style(stderr, STYLE_ERROR),
          style(stderr, STYLE_PLAIN), only);
  return EXIT_USAGE;
}

// What stands in the way of one method alone skips it; what stands in the way of all is wrong with the model.
static int load_all(contest *c) {
  find_own_method(c);
  for (int i = 0; i < c->count; i++) {
    entry *e = &c->entries[i];
    e->model = load_under(c, e->method, &e->error);
    e->skipped = !e->model;
  }
  return count_left(c) ? -1 : tell_error(&c->entries[0].error);
}

// An option that the method cannot do without, and a model for another one does not give.
static void tell_required(const entry *e) {
  const char *required = carom_method_get_advice(e->method).required;
  char missing[64];
  int key = required ? (int)strcspn(required, "=") : 0;
  snprintf(missing, sizeof missing, "'%.*s' is missing", key, required ? required : "");
  if (required && strstr(e->error.message, missing))
    fprintf(stderr, "hint: %s needs a %.*s: --set method.%s.%s\n", e->method, key, required, e->method, required);
}

static void tell_skipped(contest *c) {
  for (int i = 0; i < c->count; i++) {
    entry *e = &c->entries[i];
    if (!e->skipped || e->told) continue;
    e->told = true;
    fprintf(stderr, "%sskipped %s:%s %s\n", style(stderr, STYLE_WARNING), e->method, style(stderr, STYLE_PLAIN),
            e->error.message);
    tell_required(e);
  }
}

// A run that fails on its way is compared as far as it came; one that cannot begin is skipped.
static int run_one(contest *c, entry *e) {
  progress shown = {.visible = is_terminal(stderr)};
  carom_run_options options = {.record = e->file, .force = c->a->force, .progress = progress_go_on, .context = &shown};
  carom_summary summary;
  if (shown.visible) fprintf(stderr, "%s\n", e->method);
  carom_status status = carom_run(e->model, &options, &summary, &e->error);
  progress_clear(&shown);
  carom_model_destroy(e->model);
  e->model = NULL;
  if (status == CAROM_OK) return -1;
  e->skipped = !(summary.wall_s > 0) && status != CAROM_ERROR_FILE && status != CAROM_INTERRUPTED;
  if (e->skipped) return -1;
  fprintf(stderr, "%s: ", e->method);
  tell_error(&e->error);
  c->failed = true;
  return summary.wall_s > 0 && status != CAROM_INTERRUPTED ? -1 : carom_status_exit_code(status);
}

static int tell_comparison(const contest *c) {
  const char *files[METHODS_MAX];
  carom_skipped skipped[METHODS_MAX];
  int count = 0, skipped_count = 0;
  carom_error error = {0};
  for (int i = 0; i < c->count; i++) {
    const entry *e = &c->entries[i];
    if (e->skipped) skipped[skipped_count++] = (carom_skipped){e->method, e->error.message};
    else files[count++] = e->file;
  }
  carom_comparison *result = carom_compare(files, count, skipped, skipped_count, &error);
  if (!result) return tell_error(&error);
  const char *json = carom_comparison_json(result);
  carom_output to = {
      .path = c->json, .kind = CAROM_FILE_COMPARISON, .inputs = &c->a->model, .input_count = 1, .force = c->a->force};
  char *line = malloc(strlen(json) + 2);
  if (line) sprintf(line, "%s\n", json);
  int code = !line                                                             ? tell_out_of_memory()
             : carom_output_write(&to, line, strlen(line), &error) == CAROM_OK ? -1
                                                                               : tell_error(&error);
  free(line);
  if (code < 0 && c->a->report) code = report_write(files, count, c->a->report, c->a->force) ? EXIT_FILE : -1;
  if (code < 0 && c->a->json) puts(json);
  if (code < 0 && !c->a->json)
    printf("%s\nwritten: %s%s%s and the runs\n\n%s\n", carom_comparison_text(result), c->json, c->a->report ? ", " : "",
           c->a->report ? c->a->report : "", carom_comparison_sentence(result));
  carom_comparison_destroy(result);
  return code;
}

static int run_all(contest *c) {
  int code = -1;
  progress_watch_signals();
  for (int i = 0; i < c->count && code < 0; i++)
    if (c->entries[i].model) code = run_one(c, &c->entries[i]);
  return code;
}

static int compare_methods(contest *c) {
  int code = list_methods(c);
  if (code < 0) code = load_all(c);
  if (code < 0) name_files(c), tell_skipped(c);
  if (code < 0) code = check_left(c);
  if (code < 0) code = check_outputs(c);
  if (code < 0) code = run_all(c);
  for (int i = 0; i < c->count; i++) carom_model_destroy(c->entries[i].model);
  if (code < 0) tell_skipped(c), code = check_left(c);
  if (code < 0) code = tell_comparison(c);
  return code < 0 ? c->failed : code;
}

static int compare_command(int argc, char **argv) {
  compare_args a = {0};
  contest *c = calloc(1, sizeof *c);
  if (!c) return usage_error("compare", "out of memory");
  c->a = &a;
  int code = args_parse(&command_compare, argc, argv, &a);
  if (code < 0) code = compare_methods(c);
  free(c);
  settings_free(&a.settings);
  return code;
}
