// carom bifurcation: where a model settles as a parameter changes step by step.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "talk.h"

typedef struct bifurcation_args {
  const char *model;
  setting_list vary, settings;
  const char *period, *section, *take, *cut, *points, *tolerance, *disturbance, *halvings, *lyapunov, *record;
  bool one_way, json, quiet, force;
} bifurcation_args;

#define AT(field) offsetof(bifurcation_args, field)
static const arg bifurcation_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--vary",
     .kind = ARG_SETTING,
     .value = "NAME=RANGE",
     .offset = AT(vary),
     .help = "the parameter and its values: '20 rad/s:30 rad/s:200', '1e6:1e9:50:log', '100 rpm,200 rpm'"},
    {.name = "--period",
     .kind = ARG_TEXT,
     .value = "T",
     .offset = AT(period),
     .help = "the period of the drives, over the parameters of the model: '2*pi/speed'; each start of it is a section"},
    {.name = "--section",
     .kind = ARG_TEXT,
     .value = "SIGNAL=VALUE",
     .offset = AT(section),
     .help = "instead, the section is where a signal rises through a value; ':falling' or ':both' may follow"},
    {.name = "--take",
     .kind = ARG_TEXT,
     .value = "SIGNALS",
     .offset = AT(take),
     .help = "what a point holds: 'slide.q, slide.u' (default: the outputs of the model, or its joint coordinates)"},
    {.name = "--cut",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(cut),
     .help = "sections that are left out at each value, until the motion has settled (default: 200)"},
    {.name = "--points",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(points),
     .help = "sections that are then kept; the longest period that is found is half as many (default: 64)"},
    {.name = "--tolerance",
     .kind = ARG_TEXT,
     .value = "X",
     .offset = AT(tolerance),
     .help = "points that differ by this part of the amplitude are the same (default: 1e-6, or 1000 times the "
             "tolerances of the integrator)"},
    {.name = "--lyapunov",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(lyapunov),
     .help = "the largest Lyapunov exponent at each value, over N intervals from section to section"},
    {.name = "--disturbance",
     .kind = ARG_TEXT,
     .value = "X",
     .offset = AT(disturbance),
     .help = "of motions beside each other, for multipliers and exponents, in parts of the amplitude"},
    {.name = "--halvings",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(halvings),
     .help = "of a step between two values in which something changes, to find where (default: 6)"},
    {.name = "--one-way",
     .kind = ARG_FLAG,
     .offset = AT(one_way),
     .help = "from the first value to the last, and not back"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key, for all values"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(record),
     .help = "HDF5 file of the diagram (default: the model's name with -bifurcation.h5, here)"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print values and changes as one JSON object"},
    {.name = "--quiet", .letter = 'q', .kind = ARG_FLAG, .offset = AT(quiet), .help = "print only errors"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace a file that carom did not write"},
};
#undef AT

static int bifurcation_command(int argc, char **argv);
const command command_bifurcation = {
    "bifurcation",
    "Follow where a model settles as a parameter changes: periods, multipliers, what changes and where.",
    "Each value goes on from the state of the one before it, through all values and then back. A value that fails\n"
    "holds its message, and the next goes on from the last that did not. `carom export FILE --table points` prints "
    "the\n"
    "points. Exit code 0 if every value ran, 1 if some failed, 130 if interrupted: the file then holds those that "
    "were\n"
    "finished.",
    bifurcation_table,
    sizeof bifurcation_table / sizeof *bifurcation_table,
    bifurcation_command};

static bool draw_progress(void *context, const carom_bifurcation_progress *now) {
  progress *p = context;
  char left[32];
  const double rate = now->wall_s > 0 ? (double)now->done / now->wall_s : 0;
  p->started = true;
  if (p->visible)
    fprintf(stderr, "\r\033[K%ld of %ld values, %ld failed, %.3g values/s, %s left", now->done, now->values,
            now->failed, rate, rate > 0 ? duration((double)(now->values - now->done) / rate, left) : "?");
  fflush(stderr);
  return !progress_must_end();
}

// A number of an option that may be missing. Returns false after complaining.
static bool read_number(const char *option, const char *text, double least, double most, bool whole, double *to) {
  if (!text) return true;
  char *rest;
  errno = 0;
  *to = strtod(text, &rest);
  if (rest != text && !*rest && !errno && *to >= least && *to <= most && (!whole || *to == floor(*to))) return true;
  usage_error("bifurcation", "%s is '%s', but must be a %snumber from %g to %g", option, text, whole ? "whole " : "",
              least, most);
  return false;
}

static bool read_numbers(const bifurcation_args *a, carom_bifurcation_options *o) {
  double cut = -1, points = 0, lyapunov = 0, halvings = -1;
  if (!read_number("--cut", a->cut, 0, 1e9, true, &cut) || !read_number("--points", a->points, 2, 1e6, true, &points) ||
      !read_number("--tolerance", a->tolerance, 1e-15, 1, false, &o->tolerance) ||
      !read_number("--lyapunov", a->lyapunov, 1, 1e12, true, &lyapunov) ||
      !read_number("--disturbance", a->disturbance, 1e-15, 1, false, &o->disturbance) ||
      !read_number("--halvings", a->halvings, 0, 40, true, &halvings))
    return false;
  o->cut = a->cut ? (cut > 0 ? (int)cut : CAROM_BIFURCATION_NONE) : 0, o->points = (int)points;
  o->lyapunov = (long)lyapunov;
  o->halvings = a->halvings ? (halvings > 0 ? (int)halvings : CAROM_BIFURCATION_NONE) : 0;
  return true;
}

// --- what is printed -------------------------------------------------------------------------------------------------

typedef struct table_rows {
  carom_record *record;
  int table;
  carom_record_table about;
  double *row;
} table_rows;

static table_rows find_table(carom_record *record, const char *name) {
  table_rows t = {.record = record, .table = -1};
  do t.about = carom_record_get_table(record, ++t.table);
  while (t.about.name && strcmp(t.about.name, name) != 0);
  t.row = calloc((size_t)(t.about.name ? t.about.columns : 0) + 1, sizeof *t.row);
  return t;
}

static bool read_row(const table_rows *t, long i) {
  return t->about.name && t->row && i < t->about.rows &&
         carom_record_read(t->record, t->table, i, 1, t->row, NULL) == CAROM_OK;
}

static const char *number_of_period(double period, char text[32]) {
  if (isnan(period)) return "failed";
  if (period == 0) return "none";
  snprintf(text, 32, "%.0f", period);
  return text;
}

// Values of one period in a row are one line: from, to, how many.
static void print_periods(carom_record *record) {
  enum { ROW, DIRECTION, VALUE, STATUS, PERIOD, MULTIPLIER };
  char text[32];
  table_rows t = find_table(record, "values");
  printf("  %-9s %-12s %-12s %7s  %-7s %s\n", "", "from", "to", "values", "period", "largest multiplier");
  for (long i = 0; read_row(&t, i);) {
    const double direction = t.row[DIRECTION], from = t.row[VALUE], period = t.row[PERIOD];
    double to = from, most = t.row[MULTIPLIER];
    long count = 0;
    while (read_row(&t, i) && t.row[DIRECTION] == direction &&
           (t.row[PERIOD] == period || (isnan(period) && isnan(t.row[PERIOD]))))
      to = t.row[VALUE], most = fmax(most, t.row[MULTIPLIER]), count++, i++;
    printf("  %-9s %-12.6g %-12.6g %7ld  %-7s ", direction == 1 ? "forward" : "backward", from, to, count,
           number_of_period(period, text));
    if (isnan(most)) printf("-\n");
    else printf("%.4g\n", most);
  }
  free(t.row);
}

static void print_changes(carom_record *record) {
  enum { DIRECTION, KIND, BEFORE, AFTER, VALUE, PERIOD_BEFORE, PERIOD_AFTER, REAL, IMAGINARY, COLUMNS };
  char before[32], after[32];
  table_rows t = find_table(record, "changes");
  for (long i = 0; read_row(&t, i); i++) {
    if (i == 0) printf("  changes\n");
    printf("  %-9s %-12.6g %-8s period %s to %s", t.row[DIRECTION] == 1 ? "forward" : "backward", t.row[VALUE],
           carom_record_word(record, t.table, KIND, t.row[KIND]), number_of_period(t.row[PERIOD_BEFORE], before),
           number_of_period(t.row[PERIOD_AFTER], after));
    if (t.row[IMAGINARY] > 0) printf(", multiplier %.3g ± %.3g i\n", t.row[REAL], t.row[IMAGINARY]);
    else printf(", multiplier %.3g\n", t.row[REAL]);
  }
  free(t.row);
}

static void print_exponents(carom_record *record) {
  enum { VALUE = 2, EXPONENT = 12, ERROR };
  table_rows t = find_table(record, "values");
  for (long i = 0; read_row(&t, i); i++) {
    if (isnan(t.row[EXPONENT])) continue;
    printf("  Lyapunov exponent at %.6g: %.5g ± %.2g 1/s\n", t.row[VALUE], t.row[EXPONENT], t.row[ERROR]);
  }
  free(t.row);
}

static int print_json(const char *path) {
  carom_error error = {0};
  carom_record *record = carom_record_open(path, &error);
  if (!record) return tell_error(&error);
  const int length = carom_bifurcation_json(record, NULL, 0);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text) carom_bifurcation_json(record, text, length + 1), printf("%s\n", text);
  carom_record_close(record);
  if (length < 0) return fprintf(stderr, "carom: the results in '%s' cannot be read again\n", path), 1;
  if (!text) return tell_out_of_memory();
  free(text);
  return 0;
}

static void print_result(const bifurcation_args *a, const char *path, const carom_bifurcation_result *r) {
  carom_record *record = carom_record_open(path, NULL);
  printf("%ld values of %s, %ld failed, %ld changes\n", r->values, a->vary.items[0].name, r->failed, r->changes);
  if (record) print_periods(record), print_changes(record), print_exponents(record);
  carom_record_close(record);
  printf(
      "  results       %s\n  to read them  carom export %s --table points --to csv\n  to see them   carom report "
      "%s\n",
      path, path, path);
}

static int tell_result(const bifurcation_args *a, const char *path, carom_status status,
                       const carom_bifurcation_result *r, const carom_error *error) {
  if (status != CAROM_OK) tell_error(error);
  if (status == CAROM_INTERRUPTED) fprintf(stderr, "%ld values are in %s\n", r->values, path);
  if (status != CAROM_OK) return carom_status_exit_code(status);
  if (r->failed)
    fprintf(stderr, "%serror:%s %ld of %ld values failed, %.6g first:\n%s\n", style(stderr, STYLE_ERROR),
            style(stderr, STYLE_PLAIN), r->failed, r->values, r->first_failed, r->first_message);
  const int code = a->json ? print_json(path) : 0;
  if (!a->json && !a->quiet) print_result(a, path, r);
  return code ? code : r->failed > 0;
}

// --- the command -----------------------------------------------------------------------------------------------------

static void name_record(const char *model, char *name, size_t size) {
  const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model, *dot = strrchr(base, '.');
  snprintf(name, size, "%.*s-bifurcation.h5", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static int run(const bifurcation_args *a) {
  char name[4096];
  carom_bifurcation_options o = {0};
  if (a->vary.count != 1) return usage_error("bifurcation", "one parameter varies: give --vary NAME=RANGE once");
  if (!a->period && !a->section)
    return usage_error("bifurcation", "no section is given: --period '2*pi/speed', or --section 'crank.u=0'");
  if (!read_numbers(a, &o)) return EXIT_USAGE;
  name_record(a->model, name, sizeof name);
  progress shown = {.visible = !a->quiet && is_terminal(stderr)};
  o.model = a->model, o.settings = a->settings.items, o.setting_count = a->settings.count, o.vary = a->vary.items[0];
  o.period = a->period, o.section = a->section, o.take = a->take, o.one_way = a->one_way;
  o.record = a->record ? a->record : name, o.force = a->force;
  o.progress = draw_progress, o.context = &shown;
  carom_bifurcation_result result;
  carom_error error = {0};
  progress_watch_signals();
  const carom_status status = carom_bifurcation(&o, &result, &error);
  progress_clear(&shown);
  return tell_result(a, o.record, status, &result, &error);
}

static int bifurcation_command(int argc, char **argv) {
  bifurcation_args a = {0};
  int code = args_parse(&command_bifurcation, argc, argv, &a);
  if (code < 0) code = run(&a);
  settings_free(&a.settings), settings_free(&a.vary);
  return code;
}
