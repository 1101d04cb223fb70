// The period of a pendulum released from the horizontal, by every integrator, in joint and absolute coordinates.
#include "runs.h"

// 4 sqrt(L/g) K(k) with k = sin(45°); the complete elliptic integral K = π / (2 AGM(1, sqrt(1 - k²))).
static double exact_period(double length, double gravity) {
  double a = 1, b = sqrt(0.5);
  for (int i = 0; i < 6; i++) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 4 * sqrt(length / gravity) * M_PI / (2 * a);
}

static void closed_form_is_the_published_one(void) {
  CHECK_NEAR(exact_period(1, 9.81), 2.367841947576, 0.5e-12);  // 13 digits given
}

// The time of the second standstill, by Newton's method t - u/a on the speed, from nothing but the simulation. Around a
// standstill u is odd in t - T, so from 0.02 s away three turns leave less than rounding.
static double measured_period(const char *settings) {
  double t = 2.35;
  for (int turn = 0; turn < 3; turn++) {
    run r;
    if (!run_open(&r, "pendulum", settings)) return NAN;
    if (run_to(&r, t)) t -= run_read(&r, "hinge.u") / run_read(&r, "hinge.a");
    run_close(&r);
  }
  return t;
}

// Tolerances are such that a method's error over one period, some hundreds of local errors, is below 1e-10. BDF and IDA
// (order 5 at most) leave some 1e2 rtol and are asked for 1e-13; the Runge-Kutta methods and Adams some 1e1 rtol. RK4
// is at (h ω)⁴/120 for ω = 3 rad/s: 2e-12 at 1 ms.
static void check_period(const char *coordinates, const char *integrator) {
  char settings[256];
  snprintf(settings, sizeof settings, "coordinates=%s %s", coordinates, integrator);
  const double exact = exact_period(1, 9.81), period = measured_period(settings);
  printf("    %-8s %-70s %8.1e\n", coordinates, integrator, period / exact - 1);
  CHECK_NEAR(period / exact, 1, 1e-10);
}

#define AT(type, tolerance) "integrator.type=" type " integrator.rtol=" tolerance " integrator.atol=" tolerance
static const char *const integrators[] = {
    AT("adams", "1e-12"),
    AT("bdf", "1e-13"),
    AT("erk", "1e-12"),
    "integrator.type=rk4 integrator.step=1e-3",
    AT("ida", "1e-13") " method.smooth.constraints=ggl",
};
enum { COUNT = sizeof integrators / sizeof *integrators };

static void joint_coordinates_give_the_period(void) {
  for (int i = 0; i < COUNT; i++) check_period("joint", integrators[i]);
}

static void absolute_coordinates_give_the_period(void) {
  for (int i = 0; i < COUNT; i++) check_period("absolute", integrators[i]);
}

int main(void) {
  RUN(closed_form_is_the_published_one);
  RUN(joint_coordinates_give_the_period);
  RUN(absolute_coordinates_give_the_period);
  return check_summary();
}
