// Model files whose flexible bodies come from files of other programs.
#include "runs.h"

// The blade with its ball against the same two bodies rigid. Under its own weight the blade and ball bend the end by
// (m g L³/3 + M g L³/8)/EI = 1.5 mm, twice when released at once: 6e-3 of the length, which the hinge turns more or
// less.
static void blade_swings_as_a_rigid_one(void) {
  static const char rigid[] =
      "gravity: [0, 0, -9.81]\nbodies:\n"
      "  blade: {mass: 0.78, inertia: [3.25e-5, 0.0162565, 0.016276], com: [0.25, 0, 0]}\n"
      "  ball: {mass: 0.5, inertia: 2e-4}\n"
      "markers: {end: {on: blade, at: [0.5, 0, 0]}}\n"
      "joints:\n  hinge: {revolute: [ground, blade], axis: y}\n  ball: {fixed: [end, ball]}\n"
      "method: smooth\nend: 0.2 s\n";
  run soft, hard;
  if (!run_open(&soft, "blade", NULL)) return;
  if (run_open_text(&hard, rigid, NULL)) {
    CHECK_NEAR(carom_model_body_size(soft.model, 1).mass, 0.78, 1e-10);
    CHECK_NEAR(carom_model_body_frequency(soft.model, 1, 0) / (2 * M_PI * 213.3), 1.07,
               0.01);  // of a thin beam; three elements
    run_to(&soft, 0.2), run_to(&hard, 0.2);
    CHECK_NEAR(run_read(&soft, "hinge.q"), run_read(&hard, "hinge.q"), 6e-3);
    CHECK_LE(fabs(run_read(&soft, "end.y")), 1e-6);
    CHECK_LE(carom_sim_summary(soft.sim).energy_imbalance, 1e-6);
    run_close(&hard);
  }
  run_close(&soft);
}

// The prongs swing against each other at the frequency of the first mode, and the grip feels little of it.
static void fork_sounds(void) {
  run r;
  if (!run_open(&r, "tuning-fork", "bodies.fork.damping.ratio=0 integrator.rtol=1e-9 integrator.atol=1e-9")) return;
  const double period = 2 * M_PI / carom_model_body_frequency(r.model, 1, 0), start = run_read(&r, "opening");
  CHECK_NEAR(1 / period, 440, 1);
  run_to(&r, period / 2);
  const double back = run_read(&r, "opening"), rest = 18e-3;
  CHECK(start - rest > 5e-4);
  CHECK_NEAR((back - rest) / (start - rest), -1, 0.05);  // the carried frame shifts the free body's frequency a little
  CHECK_NEAR(run_read(&r, "right.y"), run_read(&r, "left.y"), 0.02 * (start - rest));
  run_close(&r);
}

int main(void) {
  RUN(blade_swings_as_a_rigid_one);
  RUN(fork_sounds);
  return check_summary();
}
