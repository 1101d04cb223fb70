// Boxes dropped onto rough ground in space, event by event: each comes to an end, with nothing unsolved and a closed
// ledger, whatever corners slip, stick, jam or share the load.
#include "runs.h"

static const char box[] =
    "parameters: {e: 0, mu: 0.3}\n"
    "bodies: {box: {mass: 1, inertia: [0.01, 0.02, 0.025]}}\n"
    "joints: {box: {free: [ground, box], at: [0, 0, 0.4]}}\n"
    "surfaces: {box: {box: box, size: [0.5, 0.3, 0.2], material: wood}, floor: {plane: ground, material: wood}}\n"
    "materials: {wood: {friction: mu, restitution: e}}\n"
    "initial: {box: {q: [1, 0, 0, 0, 0, 0, 0], omega: [0, 0, 0], velocity: [0, 0, 0]}}\n"
    "method: event\n";

static void drop(int i) {
  static const double frictions[] = {0.2, 0.4, 1, 2, 5};
  double x[9], norm = 0;
  for (int k = 0; k < 9; k++) x[k] = uniform(-1, 1);
  for (int k = 0; k < 4; k++) norm = hypot(norm, x[k]);
  char text[400];
  snprintf(text, sizeof text,
           "mu=%g e=%g initial.box.q=[%.9g,%.9g,%.9g,%.9g,0,0,0.3] initial.box.omega=[%.9g,%.9g,%.9g] "
           "initial.box.velocity=[%.9g,%.9g,-1]",
           frictions[i % 5], i / 5 * 0.5, x[0] / norm, x[1] / norm, x[2] / norm, x[3] / norm, 10 * x[4], 10 * x[5],
           10 * x[6], 2 * x[7], 2 * x[8]);
  run r;
  if (!run_open_text(&r, box, text)) return;
  run_to(&r, 2);
  const carom_summary s = carom_sim_summary(r.sim);
  bool fine = CHECK_LE(s.energy_imbalance, 1e-4);
  fine &= CHECK_EQUAL(s.unsolved, 0);
  fine &= CHECK_LE((double)s.steps, 50000);
  if (!fine) printf("      %s\n", text);
  run_close(&r);
}

static void boxes_fall_in_space(void) {
  check_seed = 7;
  for (int i = 0; i < 10; i++) drop(i);
}

int main(void) {
  RUN(boxes_fall_in_space);
  return check_summary();
}
