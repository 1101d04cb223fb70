// What recording every step of the 32-link chain costs, uncompressed, beside the same run without a record: processor
// time, into a new file. To empty an old one takes as long as to remove it, and the system hurries what then is written
// to the disk.
#include <stdio.h>

#include "chain_model.h"
#include "clock.h"

static double run(const carom_model *model, const char *path, long *steps) {
  carom_error error = {0};
  carom_summary summary;
  carom_run_options options = {.record = path, .end = 2};
  if (path) remove(path);
  double began = clock_processor();
  if (carom_run(model, &options, &summary, &error) != CAROM_OK) printf("%s\n", error.text);
  *steps = summary.steps;
  return clock_processor() - began;
}

static void measure(const char *name, carom_integrator_def integrator, int wanted) {
  carom_model *model = chain_model(32, &integrator);
  if (!model) return;
  double plain[5], recorded[5];
  long steps;
  for (int i = 0; i < 5; i++) plain[i] = run(model, NULL, &steps), recorded[i] = run(model, "bench_record.h5", &steps);
  qsort(plain, 5, sizeof *plain, clock_compare);
  qsort(recorded, 5, sizeof *recorded, clock_compare);
  printf("32 links, %s: %.1f us a step, recorded %.1f us, overhead %.0f %% (at most %d wanted)\n", name,
         1e6 * plain[2] / (double)steps, 1e6 * recorded[2] / (double)steps, 100 * (recorded[2] / plain[2] - 1), wanted);
  carom_model_destroy(model);
  remove("bench_record.h5");
}

int main(void) {
  carom_integrator_def adams = carom_integrator_default(), rk4 = adams;
  rk4.type = CAROM_RK4, rk4.step = 1e-4;
  measure("adams", adams, 100);
  measure("rk4", rk4, 50);
  return 0;
}
