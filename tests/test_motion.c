// Copies of a motion: state and results, from which everything else follows.
#include "runs.h"

#include <dirent.h>

#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/signal.h"
#include "sim.h"

enum { MOST_MODELS = 64 };

static int list_models(char names[MOST_MODELS][64]) {
  char folder[4096];
  int count = 0;
  if (!check_source("models", folder, sizeof folder)) return 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0 || count == MOST_MODELS) continue;
    snprintf(names[count++], sizeof names[0], "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  if (dir) closedir(dir);
  return count;
}

// All signals of the mechanism. Poses, velocities and energies follow from the state, the others are results.
static double *signals_of(const mechanism *m, motion *x) {
  double *all = calloc((size_t)m->signal_count, sizeof *all);
  dynamics_positions_velocities(m, x);
  coordinate_measure(m, x);
  dynamics_apply_forces(m, x);
  dynamics_energies(m, x);
  if (all) signal_read_all(m, x, all);
  return all;
}

static bool same_signals(const char *name, const mechanism *m, const double *a, const double *b) {
  for (int i = 0; a && b && i < m->signal_count; i++)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
      printf("      %s: %s is %.17g and %.17g\n", name, m->signals[i].name, a[i], b[i]);
      return false;
    }
  return a && b;
}

// The copy is made into a motion that was just created, and once more into one that shows another state.
static void a_copy_shows_the_same(void) {
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  CHECK_LE(12, count);
  for (int i = 0; i < count; i++) {
    run r;
    if (!run_open(&r, names[i], NULL)) continue;
    const mechanism *m = &r.model->m;
    motion *copy = motion_create(m, &r.error);
    for (int k = 1; k <= 2 && CHECK(copy); k++) {
      if (!run_to(&r, k * fmin(0.01, 0.01 * carom_model_get_info(r.model).end)) || !CHECK(sim_evaluate(r.sim, &r.error))) break;
      motion_copy(copy, r.sim->x);
      CHECK_EQUAL(copy->level, LEVEL_NONE);
      CHECK(memcmp(copy->state.values, r.sim->x->state.values, (size_t)copy->state.count * sizeof(double)) == 0);
      double *from = calloc((size_t)m->signal_count, sizeof *from), *to = signals_of(m, copy);
      if (from) signal_read_all(m, r.sim->x, from);
      CHECK(same_signals(names[i], m, from, to));
      free(from), free(to);
    }
    motion_destroy(copy);
    run_close(&r);
  }
}

int main(void) {
  RUN(a_copy_shows_the_same);
  return check_summary();
}
