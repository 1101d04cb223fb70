// Geometric stiffness of planar solids: how loads and rotation change the way they bend, against beams and closed
// forms.
#include <math.h>

#include "carom/study.h"
#include "mechanics/tree.h"
#include "runs.h"
#include "sim.h"

// --- a strip that is a beam ------------------------------------------------------------------------------------------

// The beam of models/spin-up.yaml as a solid: EA = 2.8e7 N, EI = EA h²/12, 1.2 kg/m.
#define STRIP                                                                                                   \
  "space: planar\ngravity: [0, 0]\n"                                                                            \
  "parameters: {T: 15, speed: 6, P: 0, h: sqrt(12*1.4e4/2.8e7)}\n"                                              \
  "bodies:\n  beam:\n"                                                                                          \
  "    solid_2d: {rectangle: [10, h], elements: 40, thickness: 1, young: 2.8e7/h, poisson: 0, density: 1.2/h, " \
  "attach: [left]}\n"                                                                                           \
  "    modes: {count: 3, support: craig-bampton}\n"                                                             \
  "    geometric_stiffness: yes\n"                                                                              \
  "    damping: {stiffness: 1e-5}\n"                                                                            \
  "markers: {root: {on: beam, at: [-5, 0]}, tip: {on: beam, at: [5, 0]}}\n"

// Deflection and shortening of the tip while it is spun up, at the same instants as those of the beam.
static void a_strip_is_spun_up_as_a_beam(void) {
  static const char text[] = STRIP
      "joints: {hub: {revolute: [ground, root]}}\n"
      "drives: {motor: {joint: hub, motion: \"if(t < T, speed/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)), "
      "speed*(t - T/2))\"}}\n"
      "outputs:\n"
      "  deflection: tip.y*cos(hub.q) - tip.x*sin(hub.q)\n"
      "  shortening: 10 - tip.x*cos(hub.q) - tip.y*sin(hub.q)\n"
      "method: smooth\nintegrator: {type: bdf, rtol: 1e-7, atol: 1e-8}\nend: 20 s\n";
  static const char *const outputs[] = {"deflection", "shortening"};
  double largest[2] = {0}, apart[2] = {0};
  run beam, strip;
  if (!run_open(&beam, "spin-up", NULL)) return;
  if (run_open_text(&strip, text, NULL)) {
    for (double t = 0.1; t < 20.01; t += 0.1) {
      if (!run_to(&beam, t) || !run_to(&strip, t)) break;
      for (int k = 0; k < 2; k++) {
        const double a = run_read(&beam, outputs[k]), b = run_read(&strip, outputs[k]);
        largest[k] = fmax(largest[k], fabs(a)), apart[k] = fmax(apart[k], fabs(a - b));
      }
    }
    for (int k = 0; k < 2; k++) {
      printf("    largest %s %.4g m, differences at most %.1e of it\n", outputs[k], largest[k], apart[k] / largest[k]);
      CHECK_LE(apart[k], 1e-3 * largest[k]);
    }
    CHECK_LE(0.5, largest[0]);
    run_close(&strip);
  }
  run_close(&beam);
}

// A cantilever under the force P along its axis and a small one F across it bends as a column does:
//   F/P (L - tanh(kL)/k) with k² = P/EI;  tan instead of tanh and the other sign for a push.
static double column(double P, double F) {
  const double L = 10, EI = 1.4e4, k = sqrt(fabs(P) / EI);
  if (P == 0) return F * L * L * L / (3 * EI);
  return P > 0 ? F / P * (L - tanh(k * L) / k) : F / P * (L - tan(k * L) / k);
}

// The push that buckles it is π²EI/4L² = 345 N.
static void a_pull_stiffens_and_a_push_softens(void) {
  static const double along[] = {-300, -100, 0, 100, 1000};
  for (int i = 0; i < 5; i++) {
    char settings[64];
    run r;
    carom_equilibrium e;
    carom_error error = {0};
    snprintf(settings, sizeof settings, "parameters.P=%g", along[i]);
    if (!run_open_text(&r,
                       STRIP "joints: {clamp: {fixed: [ground, root]}}\n"
                             "forces: {pull: {force: tip, components: [P, 0.01]}}\nmethod: smooth\nend: 1 s\n",
                       settings))
      return;
    if (CHECK(carom_sim_equilibrium(r.sim, &e, &error) == CAROM_OK)) {
      const double bent = run_read(&r, "tip.y"), exact = column(along[i], 0.01);
      printf("    %5g N: deflection %.4g of the closed form\n", along[i], bent / exact);
      CHECK_NEAR(bent / exact, 1, 1e-3);
    }
    run_close(&r);
  }
}

// --- a plate in free flight ------------------------------------------------------------------------------------------

// Momentum and energy of a plate that vibrates and tumbles; the forms of the kinetic energy agree with the equations.
static void a_tumbling_plate_keeps_momentum_and_energy(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nbodies:\n  plate:\n"
      "    solid_2d: {rectangle: [0.4, 0.1], elements: 4, thickness: 0.01, young: 1e7, poisson: 0.3, density: 1000}\n"
      "    modes: {count: 4}\n    geometric_stiffness: yes\n"
      "joints: {fly: {free: [ground, plate]}}\n"
      "initial: {plate: {modes: [5 mm, 1 mm, 1 mm, 0]}, fly: {u: [20, 0.2, 0.1]}}\n"
      "method: smooth\nintegrator: {type: adams, rtol: 1e-12, atol: 1e-14}\nend: 10 s\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  const double period = 2 * M_PI / carom_model_body_frequency(r.model, 1, 0);
  const double energy = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
  vec3 before[2], after[2];
  tree_momentum(&r.model->m, r.sim->x, &before[0], &before[1]);
  if (CHECK(run_to(&r, 100 * period))) {
    const double later = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
    tree_momentum(&r.model->m, r.sim->x, &after[0], &after[1]);
    const double error[3] = {vec3_norm(vec3_sub(after[0], before[0])) / vec3_norm(before[0]),
                             vec3_norm(vec3_sub(after[1], before[1])) / vec3_norm(before[1]), later / energy - 1};
    printf("    relative errors: momentum %.1e, angular momentum %.1e, energy %.1e\n", error[0], error[1], error[2]);
    CHECK_LE(error[0], 1e-10);
    CHECK_LE(error[1], 1e-10);
    CHECK_LE(fabs(error[2]), 1e-9);
  }
  run_close(&r);
}

int main(void) {
  RUN(a_strip_is_spun_up_as_a_beam);
  RUN(a_pull_stiffens_and_a_push_softens);
  RUN(a_tumbling_plate_keeps_momentum_and_energy);
  return check_summary();
}
