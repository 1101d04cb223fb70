// carom compare: one model under several methods, and where they agree.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load.h"
#include "progress.h"
#include "report.h"
#include "talk.h"

enum { METHODS_MAX = 8 };

typedef struct compare_args {
  const char *model, *methods, *prefix, *end, *report;
  setting_list settings;
  bool json;
} compare_args;

#define AT(field) offsetof(compare_args, field)
static const arg compare_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--method", .kind = ARG_TEXT, .value = "LIST", .offset = AT(methods),
     .help = "methods to run it under (default: moreau,event,compliant); the first is what others are held against"},
    {.name = "--output", .letter = 'o', .kind = ARG_TEXT, .value = "PREFIX", .offset = AT(prefix),
     .help = "runs go to PREFIX-METHOD.h5, the comparison to PREFIX.json (default: the model's name, here)"},
    {.name = "--set", .kind = ARG_SETTING, .value = "NAME=VALUE", .offset = AT(settings),
     .help = "change a parameter or any key, for all methods"},
    {.name = "--end", .kind = ARG_TEXT, .value = "T", .offset = AT(end), .help = "time to run to: 2, 50 ms"},
    {.name = "--report", .kind = ARG_TEXT, .value = "FILE", .offset = AT(report),
     .help = "HTML file that lays the runs over each other"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print the comparison as one JSON object"},
};
#undef AT

static int compare_command(int argc, char **argv);
const command command_compare = {
    "compare", "Run a model under several methods, and say where they agree.",
    "A method other than the model's own runs with its default settings; `--set method.moreau.step=1e-5` and the like change\n"
    "them. Exit code 1 when one of the runs failed; those that did not are compared all the same.",
    compare_table, sizeof compare_table / sizeof *compare_table, compare_command};

typedef struct contest {
  const compare_args *a;
  char methods[256];
  const char *method[METHODS_MAX];
  char file[METHODS_MAX][4096];
  int count;
  char prefix[4000];
  bool failed;                   // one of the runs
} contest;

static int list_methods(contest *c) {
  const char *given = c->a->methods ? c->a->methods : "moreau,event,compliant";
  if (strlen(given) >= sizeof c->methods) return usage_error("compare", "the list of methods is too long");
  strcpy(c->methods, given);
  for (char *rest = NULL, *word = strtok_r(c->methods, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    for (int i = 0; i < c->count; i++)
      if (strcmp(c->method[i], word) == 0) return usage_error("compare", "method '%s' is named twice", word);
    if (c->count == METHODS_MAX) return usage_error("compare", "at most %d methods", METHODS_MAX);
    c->method[c->count++] = word;
  }
  return c->count >= 2 ? -1 : usage_error("compare", "name at least two methods: --method moreau,event");
}

static int name_files(contest *c) {
  const char *slash = strrchr(c->a->model, '/'), *base = slash ? slash + 1 : c->a->model, *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  if (c->a->prefix) snprintf(c->prefix, sizeof c->prefix, "%s", c->a->prefix);
  else snprintf(c->prefix, sizeof c->prefix, "%.*s", (int)length, base);
  for (int i = 0; i < c->count; i++) {
    snprintf(c->file[i], sizeof c->file[i], "%s-%s.h5", c->prefix, c->method[i]);
    if (same_file(c->file[i], c->a->model)) return usage_error("compare", "the results would overwrite the model");
  }
  return -1;
}

// A setting such as method.moreau.step is for that method alone.
static bool concerns(const carom_setting *s, const char *method) {
  size_t length = strlen(method);
  if (strncmp(s->name, "method.", 7) != 0) return true;
  return strncmp(s->name + 7, method, length) == 0 && (s->name[7 + length] == '.' || s->name[7 + length] == 0);
}

// The model's own method keeps its settings; another one comes in by name.
static carom_model *load_under(const contest *c, const char *method, int *code) {
  const setting_list *given = &c->a->settings;
  setting_list with = {.items = calloc((size_t)given->count + 1, sizeof *with.items)};
  if (!with.items) return *code = usage_error("compare", "out of memory"), NULL;
  with.items[with.count++] = (carom_setting){"method", method};
  for (int i = 0; i < given->count; i++)
    if (concerns(&given->items[i], method)) with.items[with.count++] = given->items[i];
  carom_model *model = load_model(c->a->model, &with, c->a->end, code);
  free(with.items);
  return model;
}

static int run_one(contest *c, int i) {
  int code = 0;
  carom_model *model = load_under(c, c->method[i], &code);
  if (!model && strcmp(c->method[i], "moreau") == 0)
    fprintf(stderr, "hint: moreau needs a step: --set method.moreau.step=1e-4, or leave it out: --method event,compliant\n");
  if (!model) return code;
  progress shown = {.visible = is_terminal(stderr)};
  carom_run_options options = {.record = c->file[i], .progress = progress_go_on, .context = &shown};
  carom_summary summary;
  carom_error error = {0};
  if (shown.visible) fprintf(stderr, "%s\n", c->method[i]);
  carom_status status = carom_run(model, &options, &summary, &error);
  progress_clear(&shown);
  carom_model_destroy(model);
  if (status == CAROM_OK) return -1;
  fprintf(stderr, "%s: ", c->method[i]);
  tell_error(&error);
  c->failed = true;
  return summary.wall_s > 0 && status != CAROM_INTERRUPTED ? -1 : carom_status_exit_code(status);
}

static int save_json(const contest *c, const carom_comparison *result) {
  char path[4096];
  snprintf(path, sizeof path, "%s.json", c->prefix);
  FILE *to = fopen(path, "w");
  bool good = to && fprintf(to, "%s\n", carom_comparison_json(result)) > 0;
  if (to && fclose(to) != 0) good = false;
  if (good) return -1;
  fprintf(stderr, "error: cannot write '%s'\n", path);
  return EXIT_FILE;
}

static int tell_comparison(const contest *c) {
  const char *files[METHODS_MAX];
  carom_error error = {0};
  for (int i = 0; i < c->count; i++) files[i] = c->file[i];
  carom_comparison *result = carom_compare(files, c->count, &error);
  if (!result) return tell_error(&error);
  int code = save_json(c, result);
  if (code < 0) fputs(c->a->json ? carom_comparison_json(result) : carom_comparison_text(result), stdout);
  if (code < 0 && c->a->json) putchar('\n');
  carom_comparison_destroy(result);
  if (code < 0 && c->a->report) code = report_write(files, c->count, c->a->report) ? EXIT_FILE : -1;
  if (code < 0 && !c->a->json) printf("\nwritten: %s.json%s%s and the runs\n", c->prefix, c->a->report ? ", " : "",
                                      c->a->report ? c->a->report : "");
  return code;
}

static int compare_methods(contest *c) {
  int code = list_methods(c);
  if (code < 0) code = name_files(c);
  progress_watch_signals();
  for (int i = 0; i < c->count && code < 0; i++) code = run_one(c, i);
  if (code < 0) code = tell_comparison(c);
  return code < 0 ? c->failed : code;
}

static int compare_command(int argc, char **argv) {
  compare_args a = {0};
  contest c = {.a = &a};
  int code = args_parse(&command_compare, argc, argv, &a);
  if (code < 0) code = compare_methods(&c);
  settings_free(&a.settings);
  return code;
}
