// A ball that falls onto a floor under a time stepper whose contacts are active before they touch.
#ifndef CAROM_TESTS_LANDING_H
#define CAROM_TESTS_LANDING_H

#include "runs.h"

#include <math.h>

// After n steps in the air u = -n g Δt, and the ball has fallen by n(n+1)/2 g Δt². The step that would lead through the
// floor ends on it, whatever the restitution, and the ball stays there.
static void land_without_a_gap(const char *method, double restitution) {
  char text[768];
  run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, -10]\n"
           "bodies: {ball: {mass: 3, inertia: [1, 1, 1]}}\n"
           "joints: {fall: {free: [ground, ball], at: [0, 0, 1]}}\n"
           "surfaces: {skin: {sphere: ball, radius: 0.25, material: m}, floor: {plane: ground, material: m}}\n"
           "contacts: {land: {between: [skin, floor]}}\n"
           "materials: {m: {restitution: %g, friction: 0.2}}\n"
           "method: {%s: {step: 0.01}}\n",
           restitution, method);
  if (!run_open_text(&r, text, NULL)) return;
  int landed = (int)ceil((sqrt(1 + 8 * 0.75 / 1e-3) - 1) / 2);
  for (int n = 1; n <= landed + 5; n++) {
    if (!run_to(&r, 0.01 * n)) break;
    CHECK_NEAR(run_read(&r, "ball.z"), n < landed ? 1 - n * (n + 1) / 2.0 * 1e-3 : 0.25, 1e-13);
    if (n < landed) CHECK_NEAR(run_read(&r, "ball.vz"), -0.1 * n, 1e-13);
  }
  CHECK_NEAR(run_read(&r, "ball.vz"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "land.fn"), 30, 1e-9);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_NEAR(s.deepest_penetration, 0, 1e-13);
  CHECK_EQUAL(s.step_too_large, 0);
  run_close(&r);
}

#endif
