// For tests on whole runs: a model of models/ (or a text), settings in one string, a simulation on it.
//
//   run r;
//   if (!run_open(&r, "andrews", "coordinates=absolute integrator.rtol=1e-12")) return;
//   run_to(&r, 0.03);
//   CHECK_NEAR(run_read(&r, "beta.q"), ...);
//   run_close(&r);
#ifndef CAROM_TESTS_RUNS_H
#define CAROM_TESTS_RUNS_H

#include "example.h"

#include <stdarg.h>

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

// Fills the run without a check: a model may be meant to be refused.
static bool run_try(run *r, const char *path, const char *settings) {
  *r = (run){0};
  r->model = example_load_path(path, settings, &r->error);
  r->sim = r->model ? carom_sim_create(r->model, &r->error) : NULL;
  return r->sim != NULL;
}

static bool run_open_path(run *r, const char *path, const char *settings) {
  if (CHECK(run_try(r, path, settings))) return true;
  printf("      %s %s: %s\n", path, settings ? settings : "", r->error.text);
  run_close(r);
  return false;
}

CHECK_UNUSED_OK static bool run_open(run *r, const char *name, const char *settings) {
  char path[8000];
  snprintf(path, sizeof path, "%s/models/%s.yaml", CHECK_SOURCE_DIR, name);
  return run_open_path(r, path, settings);
}

// A model written in the test.
CHECK_UNUSED_OK static bool run_open_text(run *r, const char *text, const char *settings) {
  const char *path = scratch("model.yaml");
  return write_text(path, text) && run_open_path(r, path, settings);
}

CHECK_UNUSED_OK static bool run_to(run *r, double t) {
  const carom_status status = carom_sim_advance(r->sim, t, &r->error);
  if (!CHECK(status == CAROM_OK)) printf("      at t = %.9g: %s\n", carom_sim_time(r->sim), r->error.text);
  return status == CAROM_OK;
}

// The signal of a printed name, `run_read(&r, "rod%d.x", 3)`. One that is not there is NaN, which fails any check.
__attribute__((format(printf, 2, 3))) CHECK_UNUSED_OK static double run_read(run *r, const char *format, ...) {
  char name[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  return carom_sim_read(r->sim, carom_model_signal(r->model, name));
}

// Half a unit in the last of so many digits of a number.
CHECK_UNUSED_OK static double run_digits(double number, int digits) {
  return 0.5 * pow(10, floor(log10(fabs(number))) + 1 - digits);
}

#endif
