// The spin-up of a beam (models/spin-up.yaml) against published figures, against a chain of rigid links, and without
// geometric stiffness.
#include "long.h"
#include "runs.h"

// The tip lags by about 0.574 m at 6.76 s and is back within 0.01 m of the hub's line after 15.5 s.
static void tip_lags_as_published(void) {
  run r;
  if (!run_open(&r, "spin-up", NULL)) return;
  double lag = 0, when = 0, late = 0;
  for (double t = 0.02; t <= 20; t += 0.02) {
    if (!run_to(&r, t)) break;
    const double now = -run_read(&r, "deflection");
    if (now > lag) lag = now, when = t;
    if (t > 15.5) late = fmax(late, fabs(now));
  }
  printf("    lag %.4f m at %.2f s, at most %.4f m after 15.5 s\n", lag, when, late);
  CHECK_NEAR(lag, 0.574, 0.005);  // the published figure is read from a plot; one per cent
  CHECK_NEAR(when, 6.76, 0.05);
  CHECK_LE(late, 0.01);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-6);
  CHECK_EQUAL(carom_sim_summary(r.sim).large_deformations, 0);
  run_close(&r);
}

// Its first frequency at rest, 3.80 rad/s, is below the final speed.
static void without_geometric_stiffness_it_diverges(void) {
  run r;
  if (!run_open(&r, "spin-up", "bodies.beam.geometric_stiffness=false")) return;
  CHECK_NEAR(carom_model_body_frequency(r.model, 1, 0), 3.80, 0.005);
  run_to(&r, 14);
  CHECK_LE(10, fabs(run_read(&r, "beam.mode1")));  // more than its own length
  CHECK_EQUAL(carom_sim_summary(r.sim).large_deformations, 1);
  run_close(&r);
}

enum { SEGMENTS = 64 };

// Rigid links joined by springs EI/l at the middles of equal segments: half a segment on the hub, half a one at the
// tip.
static bool open_chain(run *r, const char *settings) {
  const char *text =
      "space: planar\ngravity: [0, 0]\n"
      "parameters: {T: 15 s, speed: 6 rad/s, n: 64, l: 10/64, density: 1.2, EI: 1.4e4}\n"
      "bodies:\n"
      "  root: {mass: density*l/2, inertia: density*(l/2)^3/12, com: [l/4, 0]}\n"
      "  link{i}: {repeat: {i: [1, 63]}, mass: density*l, inertia: density*l^3/12, com: [l/2, 0]}\n"
      "  link64: {mass: density*l/2, inertia: density*(l/2)^3/12, com: [l/4, 0]}\n"
      "markers: {tip: {on: link64, at: [l/2, 0]}}\n"
      "joints:\n"
      "  hub: {revolute: [ground, root]}\n"
      "  hinge1: {revolute: [root, link1], at: [l/2, 0]}\n"
      "  hinge{i}: {repeat: {i: [2, 64]}, revolute: [\"link{i-1}\", \"link{i}\"], at: [l, 0]}\n"
      "forces:\n"
      "  spring{i}: {repeat: {i: [1, 64]}, along: \"hinge{i}\", stiffness: EI/l}\n"
      "drives: {motor: {joint: hub, motion: \"if(t < T, speed/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)), "
      "speed*(t - T/2))\"}}\n"
      "outputs: {deflection: tip.y*cos(hub.q) - tip.x*sin(hub.q)}\n"
      "method: smooth\nintegrator: {type: bdf, rtol: 1e-5, atol: 1e-6}\nend: 20 s\n";
  return run_open_text(r, text, settings);
}

// Within 1 % of the largest deflection at all times.
static void rigid_links_deflect_alike(void) {
  const double end = long_form() ? 20 : 8;
  run beam, chain;
  if (!run_open(&beam, "spin-up", NULL)) return;
  if (open_chain(&chain, NULL)) {
    double largest = 0, apart = 0;
    for (double t = 0.1; t < end + 0.01; t += 0.1) {
      if (!run_to(&beam, t) || !run_to(&chain, t)) break;
      const double a = run_read(&beam, "deflection"), b = run_read(&chain, "deflection");
      largest = fmax(largest, fabs(b)), apart = fmax(apart, fabs(a - b));
    }
    printf("    largest deflection %.4f m, differences at most %.2e of it\n", largest, apart / largest);
    CHECK_LE(0.5, largest);
    CHECK_LE(apart, 0.01 * largest);
    run_close(&chain);
  }
  run_close(&beam);
}

int main(void) {
  RUN(tip_lags_as_published);
  RUN(without_geometric_stiffness_it_diverges);
  RUN_OPTIMISED(rigid_links_deflect_alike);
  RUN_LONG(rigid_links_deflect_alike, 120);
  return check_summary();
}
