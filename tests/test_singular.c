// Mechanisms in singular positions, where a constraint row vanishes and the multiplier behind it grows without bound.
#include "runs.h"

#include <math.h>

// Three equal cranks and the links between them lie on one line, at rest under gravity. The middle crank carries more than
// the others: without the constraint that vanishes here they would not move together.
static const char flat[] =
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {tol: 1e-9}\n"
    "bodies:\n"
    "  crank{i}: {repeat: {i: [0, 2]}, mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "  link{i}: {repeat: {i: [1, 2]}, mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "joints:\n"
    "  a{i}: {repeat: {i: [0, 2]}, revolute: [ground, \"crank{i}\"], at: [i, 0]}\n"
    "  b{i}: {repeat: {i: [1, 2]}, revolute: [\"crank{i-1}\", \"link{i}\"], at: [1, 0]}\n"
    "  c{i}: {repeat: {i: [1, 2]}, revolute: [\"link{i}\", \"crank{i}\"], at: [1, 0], to: [1, 0]}\n"
    "integrator: {rtol: tol, atol: tol}\n"
    "end: 0.3\n";

// All cranks share one angle: (3·⅓ + 2) θ'' = -(3·½ + 2) g cos θ. Runge and Kutta's rule at a step of 15 µs errs by 1e-16.
static double angle_after(double end) {
  enum { STEPS = 20000 };
  double q = 0, u = 0, h = end / STEPS, pull = -3.5 * 9.81 / 3;
  for (int i = 0; i < STEPS; i++) {
    double k1 = pull * cos(q), k2 = pull * cos(q + h / 2 * u), k3 = pull * cos(q + h / 2 * (u + h / 2 * k1)),
           k4 = pull * cos(q + h * (u + h / 2 * k2));
    q += h * u + h * h / 6 * (k1 + k2 + k3);
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return q;
}

static double error_at(const char *coordinates, const char *integrator, const char *tolerance, double exact) {
  char settings[160];
  run r;
  snprintf(settings, sizeof settings, "coordinates=%s integrator.type=%s tol=%s", coordinates, integrator, tolerance);
  if (!run_open_text(&r, flat, settings)) return NAN;
  run_to(&r, 0.3);
  double error = fabs(run_read(&r, "a0.q") - exact);
  CHECK_NEAR(run_read(&r, "a2.q"), run_read(&r, "a0.q"), 1e-10);
  printf("    %-8s %-5s %s: off by %.1e rad\n", coordinates, integrator, tolerance, error);
  run_close(&r);
  return error;
}

// At most 1e-7 at a tolerance of 1e-9, and ten times less for one that is a hundred times tighter, down to rounding: a position
// 1e-4 beside the singular one is known to 1e-12, and so are accelerations that are found there.
static void a_start_in_a_singular_position_is_accurate(void) {
  static const char *const coordinates[] = {"joint", "absolute"}, *const integrators[] = {"adams", "erk"};
  double exact = angle_after(0.3);
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < 2; i++) {
      double loose = error_at(coordinates[c], integrators[i], "1e-9", exact);
      double tight = error_at(coordinates[c], integrators[i], "1e-11", exact);
      CHECK(loose <= 1e-7);
      CHECK(tight <= fmax(0.1 * loose, 1e-10));
    }
}

int main(void) {
  RUN(a_start_in_a_singular_position_is_accurate);
  return check_summary();
}
