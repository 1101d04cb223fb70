// One value of a bifurcation diagram: the model with this value, from where another one was.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run.h"
#include "study/bifurcation.h"

static bool go_on(void *context) {
  bifurcation *b = context;
  const carom_bifurcation_options *o = b->options;
  const carom_bifurcation_progress now = {b->plan.rows * (o->one_way ? 1 : 2), b->done, b->failed,
                                          seconds_since(b->began)};
  if (o->progress && !o->progress(o->context, &now)) b->stop = true;
  return !b->stop;
}

void attempt_free(bifurcation *b, attempt *a) {
  if (!a) return;
  attempt **at = &b->alive;
  while (*at != a) at = &(*at)->next;
  *at = a->next;
  carom_sim_destroy(a->sim);
  carom_model_destroy(a->model);
  arena_free(&a->memory);
  free(a);
}

static bool load(bifurcation *b, attempt *a) {
  char text[SWEEP_SETTING];
  const int last = b->options->setting_count;
  b->settings[last] = (carom_setting){b->plan.ranges[0].name, sweep_range_setting(&b->plan.ranges[0], a->value, text)};
  a->model = carom_model_load(b->options->model, b->settings, last + 1, &a->error);
  if (a->model) a->sim = sim_create(a->model, go_on, b, &a->error);
  return a->sim != NULL;
}

// The phase of the drives is kept: a period begins at time zero.
static carom_status start(attempt *a, const attempt *from, const section_rule *at) {
  if (!from) return CAROM_OK;
  if (!section_state_fits(a->model, from->model))
    return error_set(&a->error, CAROM_ERROR_STUDY,
                     "the model has another number of coordinates, speeds or states than at the value before");
  section_state state = from->orbit.points[from->orbit.count - 1];
  const double phase = from->orbit.at.period > 0 ? state.t / from->orbit.at.period : 0;
  if (at->period > 0) state.t = at->signal < 0 ? 0 : (phase - floor(phase)) * at->period;
  return section_state_start(a->sim, &state, &a->error);
}

typedef struct taker {
  attempt *a;
  const int *signals;
  int count;
} taker;

static void take_point(void *context, carom_sim *sim, int point) {
  const taker *t = context;
  t->a->times[point] = carom_sim_time(sim);
  for (int i = 0; i < t->count; i++)
    t->a->signals[(size_t)point * (size_t)t->count + (size_t)i] = carom_sim_read(sim, t->signals[i]);
}

static carom_status settle(bifurcation *b, attempt *a, const attempt *from) {
  section_rule at;
  if (!load(b, a)) return a->error.status;
  if (!section_find(&a->memory, &b->section, a->model, &at, &a->error)) return a->error.status;
  int *signals = ARENA_ARRAY(&a->memory, int, b->take_count + 1);
  for (int i = 0; i < b->take_count; i++) signals[i] = carom_model_signal(a->model, b->take[i]);
  a->times = ARENA_ARRAY(&a->memory, double, b->rule.points + 1);
  a->signals = ARENA_ARRAY(&a->memory, double, (size_t)b->rule.points *(size_t)b->take_count + 1);
  taker t = {a, signals, b->take_count};
  carom_status status = start(a, from, &at);
  if (status == CAROM_OK)
    status = orbit_settle(&a->memory, a->sim, &at, &b->rule, (orbit_points){take_point, &t}, &a->orbit, &a->error);
  return status;
}

attempt *attempt_run(bifurcation *b, double value, const attempt *from) {
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  attempt *a = calloc(1, sizeof *a);
  if (!a) longjmp(b->out_of_memory, 1);
  a->next = b->alive, b->alive = a;
  a->memory = arena_create(&b->out_of_memory);
  a->value = value, a->exponent = (lyapunov){NAN, NAN}, a->orbit.multiplier = orbit_no_multiplier;
  a->status = settle(b, a, from);
  a->wall_s = seconds_since(began);
  return a;
}

void attempt_find_multiplier(bifurcation *b, attempt *a) {
  if (a->status == CAROM_OK && !a->orbit.has_multiplier)
    a->status = orbit_find_multiplier(&a->memory, a->sim, &b->rule, &a->orbit, &a->error);
}

void attempt_complete(bifurcation *b, attempt *a) {
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  attempt_find_multiplier(b, a);
  if (a->status == CAROM_OK && b->options->lyapunov) {
    carom_sim *second = sim_create(a->model, go_on, b, &a->error);
    a->status = second ? orbit_find_lyapunov(&a->memory, (carom_sim *[]){a->sim, second}, &b->rule, &a->orbit,
                                             b->options->lyapunov, &a->exponent, &a->error)
                       : a->error.status;
    carom_sim_destroy(second);
  }
  a->wall_s += seconds_since(began);
}
