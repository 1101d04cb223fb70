// What stands around the steps of the slider-crank of paper 004: a step that is asked for alone, a run without a
// record, a run that records each step. Each beside one carom_sim_advance over the same steps.
#include <math.h>
#include <stdio.h>

#include "carom/carom.h"
#include "clock.h"

static const double END = 1.4;  // long beside what the start of a run takes [s]

static bool goes_on(void *context, const carom_progress *p) { return (void)context, (void)p, true; }

static double advance(const carom_model *model, bool alone, long *steps) {
  carom_error error = {0};
  carom_sim *sim = carom_sim_create(model, &error);
  double began = clock_processor();
  if (!alone) carom_sim_advance(sim, END, &error);
  while (carom_sim_time(sim) < END && carom_sim_step(sim, END, &error) == CAROM_OK)
    ;
  double seconds = clock_processor() - began;
  *steps = carom_sim_summary(sim).steps;
  carom_sim_destroy(sim);
  return seconds;
}

// As the tool runs a model, which can be interrupted.
static double run(const carom_model *model, const char *record) {
  carom_error error = {0};
  carom_summary summary;
  carom_run_options options = {.end = END, .record = record, .force = true, .progress = goes_on};
  double began = clock_processor();
  if (carom_run(model, &options, &summary, &error) != CAROM_OK) printf("%s\n", error.text);
  return clock_processor() - began;
}

int main(void) {
  enum { TURNS = 7 };
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/slider-crank.yaml", NULL, 0, &error);
  if (!model) return printf("%s\n", error.text), 1;
  double one = INFINITY, alone = INFINITY, plain = INFINITY, recorded = INFINITY;
  long steps = 1;
  for (int i = 0; i < TURNS; i++) {
    one = fmin(one, advance(model, false, &steps));
    alone = fmin(alone, advance(model, true, &steps));
    plain = fmin(plain, run(model, NULL));
    recorded = fmin(recorded, run(model, "bench_around.h5"));
  }
  double per_step = 1e9 / (double)steps;
  printf("slider-crank, %ld steps of %.1f ns in one carom_sim_advance\n", steps, one * per_step);
  printf("a step asked for alone: %.1f ns, ratio %.2f (at most 1.5 wanted)\n", alone * per_step, alone / one);
  printf("a run without a record: %.1f ns a step, ratio %.3f (at most 1.03 wanted)\n", plain * per_step, plain / one);
  printf("each step as a row in HDF5: %.0f steps a second, a row takes %.0f ns, %.1f steps\n", (double)steps / recorded,
         (recorded - plain) * per_step, (recorded - plain) / plain);
  carom_model_destroy(model);
  remove("bench_around.h5");
  return 0;
}
