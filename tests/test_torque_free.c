// A free body without torque, tumbling about its intermediate axis: energy and the vector of angular momentum in the
// world stay what they are, for a thousand turns.
#include "runs.h"

typedef struct drift {
  double energy, momentum;  // largest since the start, relative
} drift;

static bool tumble(const char *settings, double turns, drift *worst) {
  static const char *const components[] = {"Lx", "Ly", "Lz"};
  run e;
  if (!run_open(&e, "torque-free", settings)) return false;
  double energy = run_read(&e, "energy.kinetic"), length = run_read(&e, "length"), L[3];
  for (int k = 0; k < 3; k++) L[k] = run_read(&e, "%s", components[k]);
  *worst = (drift){0};
  bool going = true;
  for (double t = 1; t <= turns && going; t++) {  // 60 rpm: a second is a turn
    going = run_to(&e, t);
    double change = 0;
    for (int k = 0; k < 3; k++) change += pow(run_read(&e, "%s", components[k]) - L[k], 2);
    worst->energy = fmax(worst->energy, fabs(run_read(&e, "energy.kinetic") / energy - 1));
    worst->momentum = fmax(worst->momentum, sqrt(change) / length);
  }
  CHECK_NEAR(carom_sim_time(e.sim), turns, 0);
  carom_summary s = carom_sim_summary(e.sim);
  printf("    %s: energy %.2g, angular momentum %.2g, %ld steps\n", settings, worst->energy, worst->momentum, s.steps);
  run_close(&e);
  return going;
}

#define TIGHT "integrator.rtol=1e-12 integrator.atol=1e-12 "

static void check_thousand_turns(const char *settings, double bound) {
  drift worst;
  if (!tumble(settings, 1000, &worst)) return;
  CHECK_LE(worst.energy, bound);
  CHECK_LE(worst.momentum, bound);
}

static void adams_keeps_eight_digits(void) { check_thousand_turns(TIGHT "integrator.type=adams", 1e-8); }
static void bdf_keeps_six_digits(void) { check_thousand_turns(TIGHT "integrator.type=bdf", 1e-6); }

// The intermediate axis is unstable: the body must turn over, or the test above would show nothing but a steady turn.
static void it_turns_over(void) {
  run e;
  double least = 1;
  if (!run_open(&e, "torque-free", TIGHT)) return;
  double spin = run_read(&e, "space.u1");
  for (double t = 0; t < 10 && run_to(&e, t); t += 0.1) least = fmin(least, run_read(&e, "space.u1") / spin);
  CHECK_LE(least, -0.99);
  run_close(&e);
}

int main(void) {
  RUN(it_turns_over);
  RUN(adams_keeps_eight_digits);
  RUN(bdf_keeps_six_digits);
  return check_summary();
}
