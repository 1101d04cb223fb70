// The impact of models/elastic-discs: reduced discs under stewart-trinkle, under the methods that predict gaps and
// under iterative, beside the finite elements of the whole mesh.
#include "full_discs.h"

#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "clock.h"

static void tell(const char *name, const discs_press *p) {
  printf("  %-46s duration %.4e s, force %.1f N, impulse %.5f N s\n", name, p->duration, p->force, p->impulse);
}

static void run_full(double size, double part) {
  char name[80];
  full_discs full;
  const double began = clock_processor();
  if (!full_discs_run(size, part, &full)) return;
  snprintf(name, sizeof name, "whole mesh, %.3g mm, %d freedoms, step %.1e s", 1e3 * size, full.freedoms, full.step);
  tell(name, &full.press);
  printf("    speeds %.5f, %.5f m/s, %.1f s of processor time\n", DISCS_SPEED - full.speed, full.speed,
         clock_processor() - began);
}

// --- reduced ---------------------------------------------------------------------------------------------------------

static double read(const carom_model *model, carom_sim *sim, const char *signal) {
  return carom_sim_read(sim, carom_model_signal(model, signal));
}

// Forces of each step, and by how much the energy of the discs exceeds that of the start.
static void run_reduced(const char *name, const carom_setting *settings, int count) {
  static double force[DISCS_SAMPLES_MOST];
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/elastic-discs.yaml", settings, count, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  discs_course c = {1, force, 0};
  double last = 0, start = 0, most = -INFINITY;
  const double began = clock_processor();
  if (sim) start = read(model, sim, "energy.kinetic");
  while (sim && carom_sim_time(sim) < DISCS_END * (1 - 1e-9) && c.count < DISCS_SAMPLES_MOST &&
         carom_sim_step(sim, DISCS_END, &error) == CAROM_OK) {
    if (c.count == 0) c.step = carom_sim_time(sim);
    discs_add_force(&c, last, carom_sim_time(sim), read(model, sim, "left-right.fn"));
    most = fmax(most, read(model, sim, "energy.kinetic") + read(model, sim, "energy.strain") - start);
    last = carom_sim_time(sim);
  }
  if (c.count) {
    const discs_press p = discs_press_of(&c);
    tell(name, &p);
    printf("    speeds %.5f, %.5f m/s, energy above the start %.1e, impact loss %.2e of it, %.1f s of processor time\n",
           read(model, sim, "left.vx"), read(model, sim, "right.vx"), most / start,
           read(model, sim, "energy.impact") / start, clock_processor() - began);
  } else printf("  %s: %s\n", name, error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

// The fastest mode has 5.22e7 rad/s: steps of 0.1 of that.
static void run_predicted(void) {
  const carom_setting position[] = {{"method", "{\"lcp-position\":{\"step\":1.9e-9}}"}};
  const carom_setting velocity[] = {{"method", "{\"lcp-velocity\":{\"step\":1.9e-9}}"}};
  run_reduced("lcp-position, the same modes, step 1.9e-9 s", position, 1);
  run_reduced("lcp-velocity, the same modes, step 1.9e-9 s", velocity, 1);
}

// Touches are located; steps in which the fastest mode turns by 1.3 radians.
static void run_located(void) {
  const carom_setting located[] = {{"method", "{\"iterative\":{\"step\":2.5e-8}}"}};
  run_reduced("iterative, the same modes, step 2.5e-8 s", located, 1);
}

static bool asks(int count, char **words, const char *word) {
  for (int i = 1; i < count; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

// Words: `fine` for the mesh of half the size as well, `lcp` for the methods that predict gaps, `iterative` for the one
// that locates touches; these take minutes.
int main(int count, char **words) {
  const carom_setting fine[] = {{"parameters.dt", "1e-7"}};
  const carom_setting eigen[] = {{"parameters.dt", "1e-7"},
                                 {"bodies.left.modes.static_modes", "no"},
                                 {"bodies.right.modes.static_modes", "no"},
                                 {"bodies.left.modes.count", "30"},
                                 {"bodies.right.modes.count", "30"}};
  const carom_setting more[] = {
      {"parameters.dt", "1e-7"}, {"bodies.left.modes.count", "40"}, {"bodies.right.modes.count", "40"}};
  const carom_setting uniform[] = {{"parameters.dt", "1e-7"},
                                   {"bodies.left.solid_2d.refine.size", "0.02"},
                                   {"bodies.right.solid_2d.refine.size", "0.02"},
                                   {"bodies.left.stretches.face.angles", "[-20 deg, 20 deg]"},
                                   {"bodies.right.stretches.face.angles", "[160 deg, 200 deg]"}};
  printf("two elastic discs at 0.5 m/s\n");
  if (asks(count, words, "lcp")) return run_predicted(), 0;
  if (asks(count, words, "iterative")) return run_located(), 0;
  run_full(5e-4, 1);
  if (asks(count, words, "fine")) run_full(2.5e-4, 1);
  run_reduced("20 eigenmodes and static modes, step 5e-7 s", NULL, 0);
  run_reduced("20 eigenmodes and static modes, step 1e-7 s", fine, 1);
  run_reduced("40 eigenmodes and static modes, step 1e-7 s", more, 3);
  run_reduced("30 eigenmodes alone, step 1e-7 s", eigen, 5);
  run_reduced("uniform mesh, one node touches, step 1e-7 s", uniform, 5);
  return 0;
}
