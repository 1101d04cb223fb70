// The order of every method on a mechanism: the slider-crank through half a turn, closed loop and all, against a
// reference of order 8 at rtol 1e-14.
#include "runs.h"

static const double END = 0.02;  // half a turn of the crank at 150 rad/s

#define SIGNALS 5
static const char *const signals[SIGNALS] = {"crank.q", "rod.q", "crank.u", "rod.u", "guide.u"};

typedef struct result {
  double value[SIGNALS];
  double steps;
  bool done;
} result;

static result solve(const char *settings) {
  run r;
  result x = {0};
  if (!run_open(&r, "slider-crank-ideal", settings)) return x;
  x.done = run_to(&r, END);
  for (int i = 0; i < SIGNALS; i++) x.value[i] = run_read(&r, signals[i]);
  x.steps = (double)carom_sim_summary(r.sim).steps;
  run_close(&r);
  return x;
}

// Angles by themselves, speeds relative to the crank's 150 rad/s and the slider's 30 m/s: largest of all.
static double error_of(const result *x, const result *exact) {
  static const double scale[SIGNALS] = {1, 1, 150, 150, 30};
  double worst = 0;
  for (int i = 0; i < SIGNALS; i++) worst = fmax(worst, fabs(x->value[i] - exact->value[i]) / scale[i]);
  return worst;
}

// The exact motion does not depend on coordinates or how the loop is kept closed.
static const result *reference(void) {
  static result exact;
  if (!exact.done) exact = solve("integrator.type=erk integrator.order=8 integrator.rtol=1e-14 integrator.atol=1e-14");
  return &exact;
}

// Slope of log y over log x by least squares.
static double slope(const double *x, const double *y, int n) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (int i = 0; i < n; i++) mx += log(x[i]) / n, my += log(y[i]) / n;
  for (int i = 0; i < n; i++) {
    xx += (log(x[i]) - mx) * (log(x[i]) - mx);
    xy += (log(x[i]) - mx) * (log(y[i]) - my);
  }
  return xy / xx;
}

// --- fixed steps --------------------------------------------------------------------------------------------------

// Error after halving the step, down to 1e-12 where rounding of some thousand steps begins.
enum { HALVINGS = 4 };

static double fixed_step_order(const char *settings, double coarsest) {
  double error[HALVINGS], step[HALVINGS];
  for (int i = 0; i < HALVINGS; i++) {
    char text[256];
    step[i] = coarsest / (1 << i);
    snprintf(text, sizeof text, "%s integrator.step=%.17g integrator.step_max=%.17g", settings, step[i], step[i]);
    const result x = solve(text);
    error[i] = error_of(&x, reference());
  }
  const double order = slope(step + HALVINGS - 2, error + HALVINGS - 2, 2);
  printf("    %-88s errors %.1e %.1e %.1e %.1e order %.2f\n", settings, error[0], error[1], error[2], error[3], order);
  CHECK_LE(1e-13, error[HALVINGS - 1]);
  return order;
}

#define BAUMGARTE " method.smooth.constraints=baumgarte"

static void rk4_is_of_order_4(void) {
  static const char *const ways[] = {"coordinates=joint", "coordinates=absolute", "coordinates=joint" BAUMGARTE,
                                     "coordinates=absolute" BAUMGARTE};
  for (int i = 0; i < 4; i++) {
    char settings[256];
    snprintf(settings, sizeof settings, "%s integrator.type=rk4", ways[i]);
    CHECK_NEAR(fixed_step_order(settings, 5e-4), 4, 0.1);
  }
}

// With a tolerance that nothing exceeds, the explicit pairs take their largest step each time.
static void check_erk(int order, double coarsest) {
  static const char *const ways[] = {"joint", "absolute"};
  for (int i = 0; i < 2; i++) {
    char settings[256];
    snprintf(settings, sizeof settings, "coordinates=%s integrator.type=erk integrator.order=%d integrator.rtol=1e6 "
             "integrator.atol=1e6", ways[i], order);
    CHECK_NEAR(fixed_step_order(settings, coarsest), order, 0.1);
  }
}

static void erk_has_its_orders(void) {
  check_erk(2, 1e-4);
  check_erk(3, 2e-4);
  check_erk(4, 5e-4);
  check_erk(5, 1e-3);
  check_erk(6, 1e-3);
  check_erk(8, 2e-3);
}

// --- variable steps -----------------------------------------------------------------------------------------------

enum { TOLERANCES = 5 };

typedef struct trend {
  double by_tolerance, by_steps;  // exponents of the error
} trend;

static trend variable_step_trend(const char *settings, double loosest) {
  double error[TOLERANCES], tolerance[TOLERANCES], steps[TOLERANCES];
  for (int i = 0; i < TOLERANCES; i++) {
    char text[256];
    tolerance[i] = loosest * pow(10, -i);
    snprintf(text, sizeof text, "%s integrator.rtol=%g integrator.atol=%g", settings, tolerance[i], tolerance[i]);
    const result x = solve(text);
    error[i] = error_of(&x, reference());
    steps[i] = x.steps;
  }
  const trend t = {slope(tolerance, error, TOLERANCES), -slope(steps, error, TOLERANCES)};
  printf("    %-82s errors %.1e to %.1e, ~ rtol^%.2f, ~ steps^-%.2f\n", settings, error[0], error[TOLERANCES - 1],
         t.by_tolerance, t.by_steps);
  return t;
}

static void show(void) {
  for (int o = 1; o <= 5; o++) {
    char s[200];
    snprintf(s, 200, "integrator.type=bdf integrator.order=%d", o);
    variable_step_trend(s, o < 2 ? 1e-3 : 1e-5);
    snprintf(s, 200, "coordinates=absolute integrator.type=bdf integrator.order=%d", o);
    variable_step_trend(s, o < 2 ? 1e-3 : 1e-5);
    snprintf(s, 200, "coordinates=absolute method.smooth.constraints=ggl integrator.type=ida integrator.order=%d", o);
    variable_step_trend(s, o < 2 ? 1e-3 : 1e-5);
  }
  for (int o = 1; o <= 12; o++) {
    char s[200];
    snprintf(s, 200, "integrator.type=adams integrator.order=%d", o);
    variable_step_trend(s, o < 2 ? 1e-3 : 1e-5);
    snprintf(s, 200, "coordinates=absolute integrator.type=adams integrator.order=%d", o);
    variable_step_trend(s, o < 2 ? 1e-3 : 1e-5);
  }
  variable_step_trend("integrator.type=erk", 1e-5);
}

int main(void) {
  RUN(rk4_is_of_order_4);
  RUN(erk_has_its_orders);
  RUN(show);
  return check_summary();
}
