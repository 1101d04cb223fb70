#include "study/trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run.h"

void trials_begin(trials *t, const carom_fit_options *options) {
  t->options = options;
  t->now.best = NAN;
  t->asked = -INFINITY;
  clock_gettime(CLOCK_MONOTONIC, &t->began);
  pthread_mutex_init(&t->lock, NULL);
}

void trials_end(trials *t) { pthread_mutex_destroy(&t->lock); }

bool trials_go_on(void *context) {
  trials *t = context;
  pthread_mutex_lock(&t->lock);
  t->now.wall_s = seconds_since(t->began);
  if (t->options->progress && t->now.wall_s - t->asked >= 0.1) {
    t->stop |= !t->options->progress(t->options->context, &t->now);
    t->asked = t->now.wall_s;
  }
  const bool stop = t->stop;
  pthread_mutex_unlock(&t->lock);
  return !stop;
}

// --- a point ---------------------------------------------------------------------------------------------------------

carom_model *trials_load(const trials *t, const double *point, carom_error *error) {
  const int given = t->options->setting_count, count = given + t->range_count;
  carom_setting *settings = calloc((size_t)count + 1, sizeof *settings);
  char(*texts)[SWEEP_SETTING] = calloc((size_t)t->range_count + 1, sizeof *texts);
  carom_model *model = NULL;
  if (settings && texts) {
    for (int i = 0; i < given; i++) settings[i] = t->options->settings[i];
    for (int i = 0; i < t->range_count; i++) {
      const sweep_range *r = &t->ranges[i];
      const double value = sweep_range_between(r, point ? point[i] : 0.5);
      settings[given + i] = (carom_setting){r->name, sweep_range_setting(r, value, texts[i])};
    }
    model = carom_model_load(t->options->model, settings, count, error);
  } else {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for a trial run");
  }
  free(settings);
  free(texts);
  return model;
}

static bool is_finite(const double *x, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static carom_status run_point(trials *t, const double *point, double *result, carom_error *error) {
  carom_model *model = trials_load(t, point, error);
  carom_status status = model ? t->measure(t->context, model, point, result, error) : error->status;
  if (status == CAROM_OK && !is_finite(result, t->size))
    status = error_set(error, CAROM_ERROR_INTEGRATOR, "a signal that is matched is not finite");
  carom_model_destroy(model);
  return status;
}

// --- many of them ----------------------------------------------------------------------------------------------------

typedef struct team {
  trials *t;
  int count, next;
  const double *points;
  double *results;
  bool *good;
} team;

static int next_point(team *w) {
  if (!trials_go_on(w->t)) return -1;
  pthread_mutex_lock(&w->t->lock);
  const int i = w->next < w->count ? w->next++ : -1;
  pthread_mutex_unlock(&w->t->lock);
  return i;
}

static void count_run(trials *t, carom_status status, const carom_error *error) {
  pthread_mutex_lock(&t->lock);
  t->now.runs++;
  if (status != CAROM_OK) {
    t->now.failed++;
    snprintf(t->last_message, sizeof t->last_message, "%s", error->text[0] ? error->text : error->message);
    if (!t->first_message[0]) memcpy(t->first_message, t->last_message, sizeof t->first_message);
  }
  if (status == CAROM_ERROR_MEMORY) t->stop = t->out_of_memory = true;
  pthread_mutex_unlock(&t->lock);
}

static void *work(void *argument) {
  team *w = argument;
  for (int i; (i = next_point(w)) >= 0;) {
    carom_error error = {0};
    const carom_status status =
        run_point(w->t, w->points + (size_t)i * (size_t)w->t->n, w->results + (size_t)i * (size_t)w->t->size, &error);
    w->good[i] = status == CAROM_OK;
    if (status != CAROM_INTERRUPTED) count_run(w->t, status, &error);
  }
  return NULL;
}

bool trials_run(trials *t, int count, const double *points, double *results, bool *good) {
  enum { MOST = 1024 };
  team w = {.t = t, .count = count, .points = points, .results = results, .good = good};
  pthread_t others[MOST];
  int threads = t->options->threads < count ? t->options->threads : count, started = 0;
  while (started < threads - 1 && pthread_create(&others[started], NULL, work, &w) == 0) started++;
  work(&w);  // this thread helps, and does all of it if no other could be started
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  return !t->stop;
}
