// carom report: runs in one HTML file.
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "talk.h"

typedef struct report_args {
  word_list runs;
  const char *output;
  bool force;
} report_args;

#define AT(field) offsetof(report_args, field)
static const arg report_table[] = {
    {.name = "RUN",
     .kind = ARG_OPERANDS,
     .offset = AT(runs),
     .required = true,
     .help = "HDF5 file of a run, or of a sweep alone; further runs are laid over the first"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(output),
     .help = "HTML file to write (default: the first run's name with .html, here)"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace a file that is no report"},
};
#undef AT

static int report_command(int argc, char **argv);
const command command_report = {
    "report",
    "Show runs, or a sweep, in one HTML file: motion, impacts, plots, how far to trust them.",
    "The file holds all it needs and opens from disk in any browser, offline. A long run "
    "is thinned to stay below 20 MB; the\n"
    "page says where.",
    report_table,
    sizeof report_table / sizeof *report_table,
    report_command};

// Shows on a terminal what is being done, if it takes longer than a moment.
static const double moment = 1;  // [s]

typedef struct talk {
  bool visible;
  struct timespec began;
} talk;

static void show_progress(void *context, const char *doing) {
  talk *t = context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double passed = (double)(now.tv_sec - t->began.tv_sec) + 1e-9 * (double)(now.tv_nsec - t->began.tv_nsec);
  if (passed < moment) return;
  t->visible = true;
  fprintf(stderr, "\r\033[K%s", doing);
  fflush(stderr);
}

int report_write(const char *const *runs, int count, const char *path, bool force) {
  carom_error error = {0};
  talk t = {0};
  clock_gettime(CLOCK_MONOTONIC, &t.began);
  carom_report_page page = {.context = &t, .force = force, .progress = is_terminal(stderr) ? show_progress : NULL};
  carom_status status = carom_report(runs, count, &page, path, &error);
  if (t.visible) fprintf(stderr, "\r\033[K");
  return status == CAROM_OK ? 0 : tell_error(&error);
}

static void name_page(const char *run, char *name, size_t size) {
  const char *slash = strrchr(run, '/'), *base = slash ? slash + 1 : run, *dot = strrchr(base, '.');
  size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s.html", (int)length, base);
}

static int make_report(const report_args *a) {
  char name[4096];
  name_page(a->runs.items[0], name, sizeof name);
  const char *path = a->output ? a->output : name;
  int code = report_write(a->runs.items, a->runs.count, path, a->force);
  if (code == 0) printf("%s\n", path);
  return code;
}

static int report_command(int argc, char **argv) {
  report_args a = {.runs.items = calloc((size_t)argc + 1, sizeof *a.runs.items)};
  if (!a.runs.items) return usage_error("report", "out of memory");
  int code = args_parse(&command_report, argc, argv, &a);
  if (code < 0) code = make_report(&a);
  free(a.runs.items);
  return code;
}
