// A batch of 1000 sims of the six-link chain on one thread and on two.
#include <math.h>
#include <stdio.h>

#include "chain_model.h"
#include "clock.h"

static double run(const carom_model *model, int threads) {
  static carom_summary summaries[1000];
  carom_error error = {0};
  carom_batch batch = {.count = 1000, .threads = threads, .t_end = 0.5};
  double began = clock_now();
  carom_batch_run(model, &batch, summaries, &error);
  return clock_now() - began;
}

int main(void) {
  carom_integrator_def integrator = carom_integrator_default();
  carom_model *model = chain_model(6, &integrator);
  if (!model) return 1;
  run(model, 2);
  double one = 1e9, two = 1e9;  // the best of seven each: what the machine can do when nobody disturbs it
  for (int i = 0; i < 7; i++) one = fmin(one, run(model, 1)), two = fmin(two, run(model, 2));
  printf("batch of 1000: one thread %.3f s, two threads %.3f s, ratio %.2f (at least 1.8 wanted)\n", one, two,
         one / two);
  carom_model_destroy(model);
  return 0;
}
