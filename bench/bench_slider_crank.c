// The slider-crank of paper 004 in the engine, without recording, beside the program derived by hand for it alone.
#include <math.h>
#include <stdio.h>

#include "carom/carom.h"
#include "clock.h"
#include "hand_slider_crank.h"

enum { STEPS = 14000 };
static const double DT = 1e-5;

static double engine_seconds(const carom_model *model) {
  carom_error error = {0};
  carom_sim *sim = carom_sim_create(model, &error);
  double began = clock_processor();
  carom_sim_advance(sim, STEPS * DT, &error);
  double seconds = clock_processor() - began;
  carom_sim_destroy(sim);
  return seconds;
}

static double hand_seconds(const hand_slider_crank *h, double omega3) {
  hand_state x = hand_state_default();
  x.u[2] = omega3;
  hand_step_info info = {0};
  double began = clock_processor();
  for (int k = 0; k < STEPS; k++) hand_step(h, DT, &x, &info);
  return clock_processor() - began;
}

// By turns, and the best of each: the machine's clock rate and its other work are the same for both.
static void race(const char *text, double omega3) {
  enum { TURNS = 60 };
  const carom_setting setting = {"omega3", text};
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/slider-crank.yaml", &setting, 1, &error);
  if (!model) {
    printf("%s\n", error.text);
    return;
  }
  const hand_slider_crank h = hand_slider_crank_make(hand_parameters_default());
  double engine = INFINITY, hand = INFINITY;
  for (int i = 0; i < TURNS; i++) {
    engine = fmin(engine, engine_seconds(model));
    hand = fmin(hand, hand_seconds(&h, omega3));
  }
  carom_model_destroy(model);
  printf(
      "slider-crank, omega3 = %s: engine %.2f million steps a second, by hand %.2f, ratio %.3f (at least 0.35 "
      "wanted)\n",
      text, 1e-6 * STEPS / engine, 1e-6 * STEPS / hand, hand / engine);
}

int main(void) {
  race("0", 0);
  race("-75", -75);
  return 0;
}
