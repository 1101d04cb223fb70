// What a user of the installed package writes first: load, step, read a joint, free. A pendulum that swings from the
// horizontal comes back after one period.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(
      "space: planar\n"
      "bodies: {bob: {mass: 1 kg, com: [1 m, 0]}}\n"
      "joints: {hinge: {revolute: [ground, bob]}}\n"
      "integrator: {rtol: 1e-10, atol: 1e-10}\n",
      "pendulum", &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (!sim || carom_sim_advance(sim, 2.367841947576, &error) != CAROM_OK) return fprintf(stderr, "%s\n", error.text), 1;
  double q = carom_sim_read(sim, carom_model_signal(model, "hinge.q"));
  printf("carom %s: back at %.1e rad after one period\n", carom_version(), q);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return fabs(q) > 1e-7;  // a thousand steps of 1e-10
}
