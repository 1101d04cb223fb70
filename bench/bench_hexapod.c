// The hexapod's walks on the floor and up the stairs, one core and no record: simulated time over processor time. The
// loops of its legs are closed by spatial revolute joints, so that 36 of 60 constraint rows are redundant.
#include <stdio.h>

#include "carom/carom.h"
#include "clock.h"

typedef struct walk {
  const char *model, *method;  // the method null: as the model says
  double wanted;               // simulated time over processor time, at least
} walk;

static bool measure(const walk *w) {
  char path[4096];
  carom_error error = {0};
  carom_setting method = {"method", w->method};
  snprintf(path, sizeof path, "%s/%s.yaml", BENCH_MODELS, w->model);
  carom_model *model = carom_model_load(path, &method, w->method != NULL, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double end = model ? carom_model_get_info(model).end : 0, began = clock_processor();
  bool done = sim && carom_sim_advance(sim, end, &error) == CAROM_OK;
  double took = clock_processor() - began;
  if (done)
    printf("%-14s %-12s %.4g s in %.2f s: %.2f times real time (at least %g wanted)\n", w->model,
           w->method ? w->method : "moreau 1 ms", end, took, end / took, w->wanted);
  else printf("%s: %s\n", w->model, error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return done;
}

int main(void) {
  static const walk walks[] = {{"hexapod-flat", NULL, 5},
                               {"hexapod-stairs", NULL, 5},
                               {"hexapod-flat", "compliant", 1},
                               {"hexapod-stairs", "compliant", 1}};
  bool done = true;
  for (int i = 0; i < 4; i++) done &= measure(&walks[i]);
  return !done;
}
