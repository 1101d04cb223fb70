#include "fitting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "progress.h"
#include "talk.h"

static bool draw_progress(void *context, const carom_fit_progress *now) {
  progress *p = context;
  char runs[32];
  p->started = true;
  if (p->visible) {
    fprintf(stderr, "\r\033[K%s runs, %ld failed", grouped(now->runs, runs), now->failed);
    if (now->search) fprintf(stderr, ", search %d of %d", now->search, now->searches);
    if (!isnan(now->best)) fprintf(stderr, ", best %.4g", now->best);
    fflush(stderr);
  }
  return !progress_must_end();
}

// --- what is printed -------------------------------------------------------------------------------------------------

// A number with its unit, if it has one.
static void print_unit(const char *unit) {
  if (*unit) printf(" %s", unit);
}

static void print_parameters(const carom_fit *fit, bool intervals) {
  carom_fit_parameter p;
  printf("  %-20s %14s%s\n", "parameter", "value", intervals ? "  95 % interval" : "");
  for (int i = 0; (p = carom_fit_get_parameter(fit, i)).name; i++) {
    printf("  %-20s %14.7g", p.name, p.value);
    if (intervals && isnan(p.low)) printf("  not known");
    else if (intervals) printf("  %.7g to %.7g", p.low, p.high);
    print_unit(p.unit);
    if (!p.determined) printf("  NOT DETERMINED by the data");
    else if (p.bound != CAROM_FIT_INSIDE)
      printf("  at the %s end of its range%s", p.bound == CAROM_FIT_AT_LOW ? "lower" : "upper",
             intervals ? ": one-sided" : "");
    printf("\n");
  }
}

static void print_correlation(const carom_fit *fit) {
  int n = 0;
  while (carom_fit_get_parameter(fit, n).name) n++;
  if (n < 2) return;
  printf("\ncorrelation\n");
  for (int i = 0; i < n; i++) {
    printf("  %-20s", carom_fit_get_parameter(fit, i).name);
    for (int k = 0; k <= i; k++) {
      const double c = carom_fit_correlation(fit, i, k);
      if (isnan(c)) printf("       -");
      else printf("  %6.3f", c);
    }
    printf("\n");
  }
}

static void print_channels(const carom_fit *fit) {
  carom_fit_channel c;
  printf("\nresiduals\n");
  for (int i = 0; (c = carom_fit_get_channel(fit, i)).file; i++) {
    printf("  %s, %s: ", c.file, c.column);
    if (isnan(c.rms)) printf("not compared");
    else printf("rms %.4g", c.rms), print_unit(c.unit), printf(" (%.3g %% of its range)", 100 * c.rms / c.scale);
    printf(", %ld samples", c.samples);
    if (c.missing) printf(", %ld missing", c.missing);
    if (c.hold_out) printf(", held out");
    printf("\n");
  }
}

static void print_result(const carom_fit *fit) {
  const carom_fit_summary s = carom_fit_get_summary(fit);
  const char *sentence;
  char runs[32];
  if (s.goal_name) printf("%s = %.9g", s.goal_name, s.goal), print_unit(s.goal_unit), printf("\n\n");
  print_parameters(fit, !s.goal_name);
  if (!s.goal_name) print_correlation(fit), print_channels(fit);
  printf("\n%s runs, %ld failed; %d of %d searches found this\n", grouped(s.runs, runs), s.failed, s.agreeing,
         s.searches);
  printf("  to use it     %s\n", s.set_line);
  for (int i = 0; (sentence = carom_fit_inseparable(fit, i)); i++)
    fprintf(stderr, "%swarning:%s %s\n", style(stderr, STYLE_WARNING), style(stderr, STYLE_PLAIN), sentence);
  for (int i = 0; (sentence = carom_fit_warning(fit, i)); i++)
    fprintf(stderr, "%swarning:%s %s\n", style(stderr, STYLE_WARNING), style(stderr, STYLE_PLAIN), sentence);
}

static int print_json(const carom_fit *fit) {
  const int length = carom_fit_json(fit, NULL, 0);
  char *text = malloc((size_t)length + 1);
  if (!text) return tell_out_of_memory();
  carom_fit_json(fit, text, length + 1);
  printf("%s\n", text);
  free(text);
  return 0;
}

// --- the study -------------------------------------------------------------------------------------------------------

// Before the runs. What is wrong with the model is told by the study: not all that is fitted may have a value yet.
static int check_outputs(const fit_args *a, const carom_fit_options *o) {
  output_list list = {.force = a->force};
  carom_model *model = carom_model_load(a->model, a->settings.items, a->settings.count, NULL);
  outputs_spare(&list, a->model);
  if (model) outputs_spare_model(&list, model);
  for (int i = 0; i < o->data_count; i++) outputs_spare(&list, o->data[i].file);
  outputs_add(&list, a->record, CAROM_FILE_RECORD);
  outputs_add(&list, a->write, CAROM_FILE_MODEL);
  const int code = outputs_check(&list);
  carom_model_destroy(model);
  return code;
}

static int write_files(const fit_args *a, const carom_fit *fit) {
  carom_error error = {0};
  if (a->record && carom_fit_record(fit, a->record, a->force, &error) != CAROM_OK) return tell_error(&error);
  if (a->write && carom_fit_write_model(fit, a->write, a->force, &error) != CAROM_OK) return tell_error(&error);
  return 0;
}

static int tell_result(const fit_args *a, const carom_fit *fit) {
  int code = a->json ? print_json(fit) : 0;
  if (!a->json && !a->quiet) print_result(fit);
  const int written = write_files(a, fit);
  if (!written && !a->json && !a->quiet) {
    if (a->record) printf("  to see it     carom report %s\n", a->record);
    if (a->write) printf("  model file    %s\n", a->write);
  }
  return code ? code : written;
}

// Returns false after complaining.
static bool read_counts(const char *command_name, const fit_args *a, carom_fit_options *o) {
  unsigned long long starts = 0, searches = 0, seed = 1, threads = 1;
  if (!args_count(command_name, "--starts", a->starts, 1, 1000000, &starts) ||
      !args_count(command_name, "--searches", a->searches, 1, 1000, &searches) ||
      !args_count(command_name, "--seed", a->seed, 0, ~0ull, &seed) ||
      !args_count(command_name, "--threads", a->threads, 1, 1024, &threads))
    return false;
  o->starts = (long)starts, o->searches = (int)searches, o->seed = seed, o->threads = (int)threads;
  return true;
}

int fit_run(const char *command_name, const fit_args *a, carom_fit_options *o,
            carom_fit *(*study)(const carom_fit_options *options, carom_error *error)) {
  if (!a->fit.count) return usage_error(command_name, "nothing is fitted: give --fit NAME=RANGE");
  if (!read_counts(command_name, a, o)) return EXIT_USAGE;
  progress shown = {.visible = !a->quiet && is_terminal(stderr)};
  carom_error error = {0};
  o->model = a->model, o->fit = a->fit.items, o->fit_count = a->fit.count;
  o->settings = a->settings.items, o->setting_count = a->settings.count;
  o->progress = draw_progress, o->context = &shown;
  int code = check_outputs(a, o);
  if (code >= 0) return code;
  progress_watch_signals();
  carom_fit *fit = study(o, &error);
  progress_clear(&shown);
  code = fit ? tell_result(a, fit) : tell_error(&error);
  carom_fit_destroy(fit);
  return code;
}
