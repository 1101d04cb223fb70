// carom run: a model to its end, the record on disk, the summary on the standard output.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "summary.h"
#include "talk.h"

typedef struct run_args {
  const char *model, *record, *end, *csv, *resume, *report, *threads;
  setting_list settings;
  bool no_record, units, quiet, json, strict, force;
} run_args;

#define AT(field) offsetof(run_args, field)
static const arg run_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(record),
     .help = "HDF5 file for the results (default: the model's name with .h5, here)"},
    {.name = "--no-record", .kind = ARG_FLAG, .offset = AT(no_record), .help = "write no HDF5 file"},
    {.name = "--csv",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(csv),
     .help = "CSV file beside it; - is the standard output, the summary then goes to the standard error"},
    {.name = "--units",
     .kind = ARG_FLAG,
     .offset = AT(units),
     .help = "put the units in the second line of the CSV file"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key: integrator.rtol=1e-10"},
    {.name = "--end", .kind = ARG_TEXT, .value = "T", .offset = AT(end), .help = "time to run to: 2, 50 ms"},
    {.name = "--resume",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(resume),
     .help = "go on from the last checkpoint of an earlier run; with -o and the same FILE in that file"},
    {.name = "--threads",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(threads),
     .help = "threads that share each step of a crowd under a time stepping method (default: 1); results do not depend "
             "on N"},
    {.name = "--report",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(report),
     .help = "HTML file that shows the run, as carom report writes it"},
    {.name = "--quiet",
     .letter = 'q',
     .kind = ARG_FLAG,
     .offset = AT(quiet),
     .help = "print errors only, and warnings of numbers that are not finite"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print the summary as one JSON object"},
    {.name = "--strict", .kind = ARG_FLAG, .offset = AT(strict), .help = "warnings make the run fail (exit code 1)"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace files that carom did not write"},
};
#undef AT

static int run_command(int argc, char **argv);
const command command_run = {"run",
                             "Run a model, record it, and say how far to trust the run.",
                             "Exit codes: 0 done, 1 the simulation failed, 2 the command line or the model is wrong, 3 "
                             "a file could not be read\n"
                             "or written, 130 interrupted. Whatever happens, what was computed is kept and readable.",
                             run_table,
                             sizeof run_table / sizeof *run_table,
                             run_command};

// The model's name with .h5, in the current folder. A resumed run does not write over the one it comes from.
static void name_record(const char *model, bool resumed, char *name, size_t size) {
  const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model, *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s%s.h5", (int)length, base, resumed ? "-resumed" : "");
}

// Once the files that the model includes are known. A run may continue the record it comes from.
static int check_outputs(const run_args *a, const char *record, const carom_model *model) {
  output_list list = {.force = a->force};
  outputs_spare(&list, a->model);
  outputs_spare_model(&list, model);
  outputs_add(&list, record, CAROM_FILE_RECORD);
  outputs_spare(&list, a->resume);  // behind the record, which may be the same file
  outputs_add(&list, a->csv, CAROM_FILE_CSV);
  outputs_add(&list, a->report, CAROM_FILE_PAGE);
  return outputs_check(&list);
}

static void print_json(FILE *to, const carom_summary *s) {
  int size = carom_summary_json(s, NULL, 0) + 1;
  char *text = malloc((size_t)size);
  if (!text) return;
  carom_summary_json(s, text, size);
  fprintf(to, "%s\n", text);
  free(text);
}

// A number that is not finite is no progress but a mistake, also where nobody wants a summary.
static void tell_not_finite(const carom_verdict *verdict) {
  carom_check c;
  for (int i = 0; (c = carom_verdict_check(verdict, i)).key; i++)
    if (strcmp(c.key, "non_finite") == 0)
      fprintf(stderr, "%swarning:%s %s\n", style(stderr, STYLE_WARNING), style(stderr, STYLE_PLAIN), c.sentence);
}

static void tell_results(const run_args *a, const carom_model *model, const carom_summary *s,
                         const carom_verdict *verdict, const char *record, const char *report) {
  FILE *to = a->csv && strcmp(a->csv, "-") == 0 ? stderr : stdout;
  if (a->json) {
    print_json(to, s);
  } else if (!a->quiet) {
    summary_print(to, a->model, model, s, verdict,
                  &(summary_files){record, to == stdout ? a->csv : NULL, report, a->end, &a->settings});
  }
}

// Nothing may run through rows on the same screen.
static bool progress_is_wanted(const run_args *a) {
  bool rows_on_screen = a->csv && strcmp(a->csv, "-") == 0 && is_terminal(stdout);
  return !a->quiet && is_terminal(stderr) && !rows_on_screen;
}

static bool refuse_warnings(const run_args *a, const carom_model *model, const carom_verdict *verdict) {
  int warnings = summary_warnings(NULL, "", model, verdict);
  if (!warnings) return false;
  fprintf(stderr, "error: %d warning%s, and --strict was given\n", warnings, warnings == 1 ? "" : "s");
  if (a->quiet || a->json) summary_warnings(stderr, "  ", model, verdict);
  return true;
}

// Returns 0, which is no number of threads, after reporting.
static int count_threads(const char *text) {
  if (!text) return 1;
  char *end;
  long count = strtol(text, &end, 10);
  if (end != text && *end == 0 && count >= 1 && count <= 1024) return (int)count;
  fprintf(stderr, "error: --threads is '%s', but must be a whole number from 1 to 1024\n", text);
  return 0;
}

static void tell_warning(void *context, const char *sentence) {
  progress_clear(context);
  fprintf(stderr, "%swarning:%s %s\n", style(stderr, STYLE_WARNING), style(stderr, STYLE_PLAIN), sentence);
}

static int run_model(const run_args *a, const carom_model *model, const char *record) {
  progress shown = {.visible = progress_is_wanted(a)};
  int threads = count_threads(a->threads);
  if (!threads) return EXIT_USAGE;
  carom_run_options options = {.threads = threads,
                               .record = record,
                               .csv = a->csv,
                               .csv_units = a->units,
                               .resume = a->resume,
                               .force = a->force,
                               .progress = progress_go_on,
                               .warn = a->quiet ? NULL : tell_warning,
                               .context = &shown};
  carom_summary summary;
  carom_error error = {0};
  signal(SIGPIPE, SIG_IGN);  // a reader of the CSV that leaves must not take the record with it
  progress_watch_signals();
  carom_status status = carom_run(model, &options, &summary, &error);
  progress_clear(&shown);
  bool began = summary.wall_s > 0;
  if (status != CAROM_OK) tell_error(&error);
  int unreported = began && a->report ? report_write(&record, 1, a->report, a->force) : 0;
  if (!began) return carom_status_exit_code(status);
  carom_verdict *verdict = carom_judge(model, &summary, &error);
  if (!verdict) return tell_error(&error);
  tell_results(a, model, &summary, verdict, record, unreported ? NULL : a->report);
  bool refused = status == CAROM_OK && a->strict && refuse_warnings(a, model, verdict);
  if (a->quiet && !refused) tell_not_finite(verdict);  // else it is among the warnings
  carom_verdict_destroy(verdict);
  return refused ? 1 : status == CAROM_OK ? unreported : carom_status_exit_code(status);
}

static int run_command(int argc, char **argv) {
  run_args a = {0};
  int code = args_parse(&command_run, argc, argv, &a);
  if (code < 0 && a.no_record && a.record) code = usage_error("run", "--output and --no-record exclude each other");
  if (code < 0 && a.no_record && a.report)
    code = usage_error("run", "--report is made from the record; leave out --no-record");
  if (code < 0 && a.units && !a.csv) code = usage_error("run", "--units belongs to --csv FILE");
  if (code < 0 && a.quiet && a.json) code = usage_error("run", "--quiet and --json exclude each other");
  char name[4096];
  const char *record = a.no_record ? NULL : a.record ? a.record : name;
  if (code < 0) name_record(a.model, a.resume, name, sizeof name);
  carom_model *model = code < 0 ? load_model(a.model, &a.settings, a.end, &code) : NULL;
  if (model) code = check_outputs(&a, record, model);
  if (model && code < 0) code = run_model(&a, model, record);
  carom_model_destroy(model);
  settings_free(&a.settings);
  return code;
}
