// The order of every method on a mechanism: the slider-crank through half a turn, closed loop and all, against a
// reference of order 8 at rtol 1e-14.
#include "runs.h"

static const double END = 0.02;  // half a turn of the crank at 150 rad/s

enum { SIGNALS = 5, SAMPLES = 4 };
static const char *const signals[SIGNALS] = {"crank.q", "rod.q", "crank.u", "rod.u", "guide.u"};

typedef struct result {
  double value[SAMPLES][SIGNALS];
  double steps;
  bool done;
} result;

static result solve(const char *settings) {
  run r;
  result x = {0};
  if (!run_open(&r, "slider-crank-ideal", settings)) return x;
  for (int k = 0; k < SAMPLES; k++) {
    x.done = run_to(&r, END * (k + 1) / SAMPLES);
    for (int i = 0; i < SIGNALS; i++) x.value[k][i] = run_read(&r, "%s", signals[i]);
  }
  x.steps = (double)carom_sim_summary(r.sim).steps;
  run_close(&r);
  return x;
}

// Angles by themselves, speeds relative to the crank's 150 rad/s and the slider's 30 m/s: the largest of all at four
// times, so that one error passing through zero does not pass for accuracy.
static double error_of(const result *x, const result *exact) {
  static const double scale[SIGNALS] = {1, 1, 150, 150, 30};
  double worst = 0;
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < SIGNALS; i++) worst = fmax(worst, fabs(x->value[k][i] - exact->value[k][i]) / scale[i]);
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

// --- fixed steps -----------------------------------------------------------------------------------------------------

// Error after halving the step, down to 1e-12 where rounding of some thousand steps begins.
enum { HALVINGS = 4 };

static double fixed_step_order(const char *settings, double coarsest) {
  double error[HALVINGS], step[HALVINGS];
  for (int i = 0; i < HALVINGS; i++) {
    char text[320];
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

// With a tolerance that nothing exceeds, the explicit pairs take their largest step each time. In those of order 5 and
// 8 the leading error is small by design, and before it rules the next one rounding does: there the order is seen
// between its own and the next.
static void check_erk(int order, double coarsest, double above) {
  static const char *const ways[] = {"joint", "absolute"};
  for (int i = 0; i < 2; i++) {
    char settings[256];
    snprintf(settings, sizeof settings,
             "coordinates=%s integrator.type=erk integrator.order=%d integrator.rtol=1e6 "
             "integrator.atol=1e6",
             ways[i], order);
    const double seen = fixed_step_order(settings, coarsest);
    CHECK_LE(order - 0.1, seen);
    CHECK_LE(seen, order + above);
  }
}

static void erk_has_its_orders(void) {
  check_erk(2, 1e-4, 0.1);
  check_erk(3, 2e-4, 0.1);
  check_erk(4, 5e-4, 0.1);
  check_erk(5, 5e-4, 0.7);
  check_erk(6, 1e-3, 0.1);
  check_erk(8, 2.5e-3, 0.7);
}

// --- variable steps --------------------------------------------------------------------------------------------------

typedef struct trend {
  double by_tolerance, by_steps;  // exponents of the error
} trend;

enum { MOST_TOLERANCES = 8 };

// Over so many decades.
static trend variable_step_trend(const char *settings, double loosest, int decades) {
  double error[MOST_TOLERANCES], tolerance[MOST_TOLERANCES], steps[MOST_TOLERANCES];
  for (int i = 0; i <= decades; i++) {
    char text[320];
    tolerance[i] = loosest * pow(10, -i);
    snprintf(text, sizeof text, "%s integrator.rtol=%g integrator.atol=%g", settings, tolerance[i], tolerance[i]);
    const result x = solve(text);
    error[i] = error_of(&x, reference());
    steps[i] = x.steps;
  }
  const trend t = {slope(tolerance, error, decades + 1), -slope(steps, error, decades + 1)};
  printf("    %-90s errors %.1e to %.1e, rtol^%.2f, steps^-%.2f\n", settings, error[0], error[decades], t.by_tolerance,
         t.by_steps);
  return t;
}

// A method of order p that keeps its error a step, h^(p+1), at rtol has the error h^p ~ rtol^(p/(p+1)) in the end, and
// 1/h steps a second: steps^-p. Held to one order, that is what must be seen: p as the nearest whole number to the
// latter, and the former to 0.1, for changing steps and the start at order 1. Higher orders are taken up on the way and
// are not seen by themselves.
static void check_multistep(const char *way) {
  static const double loosest[] = {0, 1e-3, 1e-5, 1e-4};
  static const int decades[] = {0, 4, 4, 6};
  for (int order = 1; order <= 3; order++) {
    char settings[256];
    snprintf(settings, sizeof settings, "%s integrator.order=%d", way, order);
    const trend t = variable_step_trend(settings, loosest[order], decades[order]);
    CHECK_NEAR(t.by_tolerance, order / (order + 1.0), 0.1);
    CHECK_NEAR(t.by_steps, order, 0.5);
  }
  // All orders: the exponent is that of the orders taken, above that of order 1 and below 1 but for luck.
  const trend t = variable_step_trend(way, 1e-4, 6);
  CHECK_LE(0.65, t.by_tolerance);
  CHECK_LE(t.by_tolerance, 1.1);
  CHECK_LE(4, t.by_steps);
}

static void adams_has_its_orders(void) {
  check_multistep("integrator.type=adams");
  check_multistep("coordinates=absolute integrator.type=adams");
  check_multistep("coordinates=absolute integrator.type=adams" BAUMGARTE);
}

static void bdf_has_its_orders(void) {
  check_multistep("integrator.type=bdf");
  check_multistep("coordinates=absolute integrator.type=bdf");
  check_multistep("coordinates=absolute integrator.type=bdf" BAUMGARTE);
}

static void ida_has_its_orders(void) {
  check_multistep("coordinates=absolute integrator.type=ida method.smooth.constraints=ggl");
}

// Explicit Runge-Kutta accepts its error a step, and passes on the better solution: the error follows rtol itself
// (and a little better, as seen above).
static void erk_follows_its_tolerance(void) {
  CHECK_NEAR(variable_step_trend("integrator.type=erk", 1e-4, 6).by_tolerance, 1, 0.1);
  CHECK_NEAR(variable_step_trend("coordinates=absolute integrator.type=erk", 1e-4, 6).by_tolerance, 1, 0.1);
}

int main(void) {
  RUN(rk4_is_of_order_4);
  RUN(erk_has_its_orders);
  RUN(adams_has_its_orders);
  RUN(bdf_has_its_orders);
  RUN(ida_has_its_orders);
  RUN(erk_follows_its_tolerance);
  return check_summary();
}
