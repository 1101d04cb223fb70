// Ten discs in a slot, zigzag, for a hundred seconds after one of settling: how far they creep, how much deeper they
// sink, and whether floor and walls carry the weight all the while. The tests do ten seconds of it.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "clock.h"

enum { DISCS = 10, SECONDS = 100 };
static const double RADIUS = 0.05;                                                       // [m]
static const double WEIGHT = DISCS * 100 * 3.14159265358979323846 * 0.05 * 0.05 * 9.81;  // [N]

typedef struct signals {
  const carom_model *model;
  carom_sim *sim;
} signals;

static double read_signal(signals *s, const char *format, int disc, int k) {
  char name[64];
  snprintf(name, sizeof name, format, disc, k);
  int i = 0, count = carom_model_signal_count(s->model);
  while (i < count && strcmp(carom_model_signal_name(s->model, i), name) != 0) i++;
  return i < count ? carom_sim_read(s->sim, i) : NAN;
}

// (turn as an arc, x, y) of each disc [m]
static void read_places(signals *s, double places[DISCS][3]) {
  for (int i = 0; i < DISCS; i++)
    for (int k = 0; k < 3; k++) places[i][k] = (k ? 1 : RADIUS) * read_signal(s, "disc%d.q%d", i + 1, k);
}

static double deepest(signals *s) {
  double least = 0;
  for (int i = 0; i < carom_model_signal_count(s->model); i++) {
    const char *dot = strrchr(carom_model_signal_name(s->model, i), '.');
    if (dot && strcmp(dot, ".gap") == 0) least = fmin(least, carom_sim_read(s->sim, i));
  }
  return -least;
}

// The floor by its normal forces, the walls by friction; the tangent is the normal turned left.
static double carried(signals *s) {
  double sum = 0;
  for (int i = 1; i <= DISCS; i++)
    sum += read_signal(s, "floor-disc%d.fn", i, 0) + read_signal(s, "left-disc%d.ft", i, 0) -
           read_signal(s, "right-disc%d.ft", i, 0);
  return sum;
}

int main(void) {
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/discs-in-slot.yaml", NULL, 0, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (!sim) return printf("%s\n", error.text), 1;
  signals s = {model, sim};
  double before[DISCS][3], after[DISCS][3], moved = 0, off = 0, began = clock_processor();
  carom_sim_advance(sim, 1, &error);
  read_places(&s, before);
  double depth = deepest(&s);
  for (int k = 1; k <= SECONDS && carom_sim_advance(sim, 1 + k, &error) == CAROM_OK; k++)
    off = fmax(off, fabs(carried(&s) / WEIGHT - 1));
  read_places(&s, after);
  for (int i = 0; i < DISCS; i++) {
    moved = fmax(moved, hypot(after[i][1] - before[i][1], after[i][2] - before[i][2]));
    moved = fmax(moved, fabs(after[i][0] - before[i][0]));
  }
  carom_summary summary = carom_sim_summary(sim);
  printf(
      "discs in a slot, %d s: moved %.1e m (at most 1e-8 wanted), sank %.1e m (less than 1e-10 wanted), weight carried "
      "to %.1e (1e-8 wanted), %ld unsolved, %.0f thousand steps a second\n",
      SECONDS, moved, deepest(&s) - depth, off, summary.unsolved,
      1e-3 * (double)summary.steps / (clock_processor() - began));
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return 0;
}
