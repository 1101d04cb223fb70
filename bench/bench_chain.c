// Forward dynamics of an n-link chain as a spatial model, beside the program written by hand for it, MuJoCo and Simbody
// (peer_*_chain).
#include <math.h>
#include <stdio.h>

#include "build/model_internal.h"
#include "chain_model.h"
#include "clock.h"
#include "hand_chain.h"
#include "mechanics/dynamics.h"

typedef struct task {
  const mechanism *m;
  motion *x;
  hand_chain *hand;
  double udot[2048];  // by hand
} task;

static void evaluate(void *context) {
  task *t = context;
  dynamics_set(t->m, t->x, 0, t->m->q0, t->m->u0);
  dynamics_accelerations(t->m, t->x);
}

static void evaluate_by_hand(void *context) {
  task *t = context;
  hand_chain_accelerate(t->hand, t->m->q0, t->m->u0, t->udot);
}

// The largest difference of two accelerations over the largest acceleration. A NaN is one.
static double difference(const task *t) {
  double off = 0, size = 0;
  for (int i = 0; i < t->m->nv; i++) {
    double d = fabs(t->x->udot[i] - t->udot[i]);
    size = fmax(size, fabs(t->udot[i])), off = d <= off ? off : d;
  }
  return off / size;
}

// In processor time, by turns, and the best of each: the clock rate of the machine and its other work are the same for
// both.
static void race(task *t, double *engine, double *hand) {
  enum { TURNS = 7 };
  *engine = *hand = INFINITY;
  for (int i = 0; i < TURNS; i++) {
    *engine = fmin(*engine, clock_median_by(clock_processor, evaluate, t, 0.02));
    *hand = fmin(*hand, clock_median_by(clock_processor, evaluate_by_hand, t, 0.02));
  }
}

int main(void) {
  static task t;
  double at32 = 0, last = 0;
  int failures = 0;
  FILE *times = fopen(CHAIN_TIMES, "w");
  for (int k = 0; k < CHAIN_COUNT; k++) {
    int n = chain_lengths[k];
    carom_model *model = chain_model(n, NULL);
    if (!model) return 1;
    carom_error error = {0};
    t.m = &model->m, t.x = motion_create(&model->m, 0, &error), t.hand = hand_chain_create(n);
    if (!t.x || !t.hand) return 1;
    double engine, hand;
    race(&t, &engine, &hand);
    double off = difference(&t);
    failures += !(off <= 1e-12);
    printf("carom n=%d forward dynamics %.3f us, %.1f ns a body, by hand %.1f, ratio %.2f (at most 1.6 wanted)\n", n,
           1e6 * engine, 1e9 * engine / n, 1e9 * hand / n, engine / hand);
    printf("  accelerations %.1e apart (at most 1e-12)%s, the first %.6g\n", off, off <= 1e-12 ? "" : "  FAILED",
           t.x->udot[0]);
    if (times) fprintf(times, "%d %.9g\n", n, engine);
    if (n == 32) at32 = engine / n;
    last = engine / n;
    hand_chain_destroy(t.hand);
    motion_destroy(t.x);
    carom_model_destroy(model);
  }
  if (times) fclose(times);
  printf("carom time a body at 2048 over that at 32: %.2f (at most 1.5 wanted)\n", last / at32);
  return failures ? 1 : 0;
}
