// Forward dynamics of an n-link chain as a spatial model, beside MuJoCo and Simbody (peer_*_chain).
#include <stdio.h>

#include "chain_model.h"
#include "clock.h"
#include "mechanics/dynamics.h"
#include "build/model_internal.h"

typedef struct task {
  const mechanism *m;
  motion *x;
} task;

static void evaluate(void *context) {
  task *t = context;
  dynamics_set(t->m, t->x, 0, t->m->q0, t->m->u0);
  dynamics_accelerations(t->m, t->x);
}

int main(void) {
  double at32 = 0, last = 0;
  FILE *times = fopen(CHAIN_TIMES, "w");
  for (int k = 0; k < CHAIN_COUNT; k++) {
    int n = chain_lengths[k];
    carom_model *model = chain_model(n, NULL);
    if (!model) return 1;
    carom_error error = {0};
    task t = {&model->m, motion_create(&model->m, 0, &error)};
    double seconds = clock_median(evaluate, &t, 0.1);
    printf("carom n=%d forward dynamics %.3f us, %.1f ns a body (first acceleration %.6g)\n", n, 1e6 * seconds,
           1e9 * seconds / n, t.x->udot[0]);
    if (times) fprintf(times, "%d %.9g\n", n, seconds);
    if (n == 32) at32 = seconds / n;
    last = seconds / n;
    motion_destroy(t.x);
    carom_model_destroy(model);
  }
  if (times) fclose(times);
  printf("carom time a body at 2048 over that at 32: %.2f (at most 1.5 wanted)\n", last / at32);
  return 0;
}
