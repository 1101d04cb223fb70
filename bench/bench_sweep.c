// A sweep of slider-cranks of 0.1 s on two threads, beside one core that loads, creates and runs the same models
// without recording anything. Arguments: how many rows, and another number of threads. In turns, so that both meet the
// same machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "clock.h"

static const char model_file[] = BENCH_MODELS "/slider-crank.yaml";
static const char record[] = BENCH_BUILD "/bench_sweep.h5";

// Time per row: that of the clock, and that of processors.
typedef struct cost {
  double wall, processor;
} cost;

static cost now(void) { return (cost){clock_now(), clock_processor()}; }

static cost cost_since(cost began, long rows) {
  return (cost){(clock_now() - began.wall) / (double)rows, (clock_processor() - began.processor) / (double)rows};
}

// Loads, creates and runs alone.
static cost plain_cost(long rows) {
  cost began = now();
  for (long i = 0; i < rows; i++) {
    char text[32];
    carom_error error = {0};
    snprintf(text, sizeof text, "%.17g mm", 0.1 + 0.9 * (double)i / (double)(rows - 1));
    const carom_setting settings[] = {{"end", "0.1 s"}, {"clearance", text}};
    carom_model *model = carom_model_load(model_file, settings, 2, &error);
    carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
    if (!sim || carom_sim_advance(sim, 0.1, &error) != CAROM_OK) printf("row %ld: %s\n", i, error.text);
    carom_sim_destroy(sim);
    carom_model_destroy(model);
  }
  return cost_since(began, rows);
}

static cost sweep_cost(long rows, int threads, const char *take) {
  char range[64];
  snprintf(range, sizeof range, "0.1 mm:1 mm:%ld", rows);
  const carom_setting vary = {"clearance", range}, end = {"end", "0.1 s"};
  carom_sweep_options o = {.model = model_file,
                           .settings = &end,
                           .setting_count = 1,
                           .vary = &vary,
                           .vary_count = 1,
                           .take = take,
                           .threads = threads,
                           .record = record};
  carom_error error = {0};
  carom_sweep_result result;
  cost began = now();
  if (carom_sweep(&o, &result, &error) != CAROM_OK || result.failed) printf("%s\n", error.text);
  cost each = cost_since(began, rows);
  remove(record);
  return each;
}

// Resident memory of this process now [MB].
static double memory_now(void) {
  char line[256];
  double kilobytes = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, "VmRSS:", 6) == 0) kilobytes = strtod(line + 6, NULL);
  if (f) fclose(f);
  return kilobytes / 1024;
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, clock_compare);
  return values[count / 2];
}

// Where other work shares the machine, the ratio of processor times tells what a sweep adds to the runs; only on an
// idle one the ratio of rates tells how two threads get on.
static void race(long rows, int threads, const char *take) {
  enum { TURNS = 5 };
  double alone[TURNS], two[TURNS], rates[TURNS], processor[TURNS];
  for (int i = 0; i < TURNS; i++) {
    cost plain = plain_cost(rows / 2), sweep = sweep_cost(rows, threads, take);
    alone[i] = 1 / plain.wall, two[i] = 1 / sweep.wall;
    rates[i] = plain.wall / (threads * sweep.wall), processor[i] = plain.processor / sweep.processor;
  }
  double middle = median(rates, TURNS);
  printf(
      "sweep of %ld slider-cranks, %s: alone %.0f rows a second, -j %d %.0f, ratio to %d times alone %.3f (%.3f to "
      "%.3f; at "
      "least 0.9 wanted), of processor times %.3f; memory %.1f MB\n",
      rows, take ? take : "nothing taken", median(alone, TURNS), threads, median(two, TURNS), threads, middle, rates[0],
      rates[TURNS - 1], median(processor, TURNS), memory_now());
}

int main(int argc, char **argv) {
  long rows = argc > 1 ? strtol(argv[1], NULL, 10) : 400, threads = argc > 2 ? strtol(argv[2], NULL, 10) : 2;
  if (rows < 4 || threads < 1) return fprintf(stderr, "bench_sweep [ROWS [THREADS]]\n"), 2;
  race(rows, (int)threads, NULL);
  race(rows, (int)threads, "max(guide.fn), rms(guide.fn)");
  return 0;
}
