// For tests on whole runs: a model of models/ (or a text), settings in one string, a simulation on it.
//
//   run r;
//   if (!run_open(&r, "andrews", "coordinates=absolute integrator.rtol=1e-12")) return;
//   run_to(&r, 0.03);
//   CHECK_NEAR(run_read(&r, "beta.q"), ...);
//   run_close(&r);
#ifndef CAROM_TESTS_RUNS_H
#define CAROM_TESTS_RUNS_H

#include "carom/carom.h"
#include "check.h"

typedef struct run {
  carom_model *model;
  carom_sim *sim;
  carom_error error;
} run;

static void run_close(run *r) {
  carom_sim_destroy(r->sim);
  carom_model_destroy(r->model);
  r->sim = NULL, r->model = NULL;
}

enum { RUN_SETTINGS = 16 };

// Cuts "a=1 b=2" into settings, in place.
static int run_settings(char *text, carom_setting *settings) {
  int count = 0;
  for (char *word = strtok(text, " "); word && count < RUN_SETTINGS; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    if (!equals) continue;
    *equals = 0;
    settings[count++] = (carom_setting){word, equals + 1};
  }
  return count;
}

// Fills the run without a check: a model may be meant to be refused.
static bool run_try(run *r, const char *path, const char *settings) {
  char text[512];
  carom_setting list[RUN_SETTINGS];
  snprintf(text, sizeof text, "%s", settings);
  *r = (run){0};
  r->model = carom_model_load(path, list, run_settings(text, list), &r->error);
  r->sim = r->model ? carom_sim_create(r->model, &r->error) : NULL;
  return r->sim != NULL;
}

static bool run_report(run *r, bool ok, const char *what, const char *settings) {
  if (!CHECK(ok)) printf("      %s %s: %s\n", what, settings, r->error.text);
  return ok;
}

CHECK_UNUSED_OK static bool run_open(run *r, const char *name, const char *settings) {
  char path[1024];
  snprintf(path, sizeof path, "%s/models/%s.yaml", CHECK_SOURCE_DIR, name);
  const bool opened = run_report(r, run_try(r, path, settings), name, settings);
  if (!opened) run_close(r);
  return opened;
}

// A model written in the test.
CHECK_UNUSED_OK static bool run_open_text(run *r, const char *text, const char *settings) {
  char path[4200];
  snprintf(path, sizeof path, "%s/model.yaml", check_scratch_dir());
  FILE *file = fopen(path, "w");
  if (!CHECK(file && fputs(text, file) >= 0)) return false;
  fclose(file);
  const bool opened = run_report(r, run_try(r, path, settings), "text", settings);
  if (!opened) run_close(r);
  return opened;
}

CHECK_UNUSED_OK static bool run_to(run *r, double t) {
  const carom_status status = carom_sim_advance(r->sim, t, &r->error);
  if (!CHECK(status == CAROM_OK)) printf("      at t = %.9g: %s\n", carom_sim_time(r->sim), r->error.text);
  return status == CAROM_OK;
}

CHECK_UNUSED_OK static double run_read(run *r, const char *signal) {
  return carom_sim_read(r->sim, carom_model_signal(r->model, signal));
}

// Half a unit in the last of so many digits of a number.
CHECK_UNUSED_OK static double run_digits(double number, int digits) {
  return 0.5 * pow(10, floor(log10(fabs(number))) + 1 - digits);
}

#endif
