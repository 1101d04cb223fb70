// What continuous contact costs: beside a ball programmed by hand on CVODE, beside fixed small steps at the same error,
// and where the time of a force evaluation goes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "clock.h"
#include "hand_ball.h"

static const char BALL[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 0.004}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.1]}}\n"
    "surfaces:\n"
    "  ball: {sphere: ball, radius: 0.1, material: hard}\n"
    "  floor: {plane: ground, material: hard}\n"
    "materials: {hard: {restitution: 1, law: hertz, stiffness: 1.5e8}}\n"
    "initial: {fall: {q: [0, 0, 1]}}\n"
    "method: {compliant: {penetration_max: 1e-6}}\n"
    "end: 91 s\n";

int main(int count, char **word) {
  double end = 90.5;
  carom_error error = {0};
  if (count > 1 && strcmp(word[1], "hand") == 0) {
  hand_ball b = {.mass = 1, .gravity = 9.81, .stiffness = 1.5e8, .gap = 1, .rtol = 1e-8, .atol = 1e-8};
  hand_ball_run run;
  if (!hand_ball_fall(&b, end, &run)) return 1;
  printf("hand: %ld bounces %ld steps %ld evaluations gap %.12g\n", run.bounces, run.steps, run.evaluations, run.gap);
  return 0;
  }
  carom_model *model = carom_model_parse(BALL, "ball", &error);
  if (!model) return printf("%s\n", error.text), 1;
  carom_sim *sim = carom_sim_create(model, &error);
  if (carom_sim_advance(sim, end, &error)) return printf("%s\n", error.text), 1;
  carom_summary s = carom_sim_summary(sim);
  printf("carom: %ld bounces %ld steps %ld evaluations gap %.12g imb %.3g\n", s.contact_episodes, s.steps, s.evaluations, carom_sim_read(sim, carom_model_signal(model, "fall.q2")), s.energy_imbalance);
  carom_sim_destroy(sim);
  return 0;
}
