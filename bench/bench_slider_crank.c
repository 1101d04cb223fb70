// The slider-crank of paper 004 in the engine, without recording, beside the program derived by hand for it alone.
#include <math.h>
#include <stdio.h>

#include "carom/carom.h"
#include "clock.h"
#include "hand_slider_crank.h"

enum { STEPS = 14000 };
static const double DT = 1e-5;

static double engine_seconds(const char *omega3) {
  const carom_setting setting = {"omega3", omega3};
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/slider-crank.yaml", &setting, 1, &error);
  if (!model) return printf("%s\n", error.text), NAN;
  double best = INFINITY;
  for (int i = 0; i < 7; i++) {
    carom_sim *sim = carom_sim_create(model, &error);
    double began = clock_now();
    carom_sim_advance(sim, STEPS * DT, &error);
    best = fmin(best, clock_now() - began);
    carom_sim_destroy(sim);
  }
  carom_model_destroy(model);
  return best;
}

static double hand_seconds(double omega3) {
  const hand_slider_crank h = hand_slider_crank_make(hand_parameters_default());
  double best = INFINITY;
  for (int i = 0; i < 7; i++) {
    hand_state x = hand_state_default();
    x.u[2] = omega3;
    hand_step_info info = {0};
    double began = clock_now();
    for (int k = 0; k < STEPS; k++) hand_step(&h, DT, &x, &info);
    best = fmin(best, clock_now() - began);
  }
  return best;
}

int main(void) {
  const struct {
    const char *text;
    double omega3;
  } starts[] = {{"0", 0}, {"-75", -75}};
  for (int i = 0; i < 2; i++) {
    double engine = engine_seconds(starts[i].text), hand = hand_seconds(starts[i].omega3);
    printf("slider-crank, omega3 = %s: engine %.2f million steps a second, by hand %.2f, ratio %.3f (at least 0.25 wanted)\n",
           starts[i].text, 1e-6 * STEPS / engine, 1e-6 * STEPS / hand, hand / engine);
  }
  return 0;
}
