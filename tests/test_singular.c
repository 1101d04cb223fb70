// Mechanisms in singular positions, where a constraint row vanishes and the multiplier behind it grows without bound.
#include "runs.h"

#include <math.h>

// Equal cranks and the links between them lie on one line, at rest under gravity. The middle cranks carry more than
// the others: without the constraint that vanishes here they would not move together.
static const char flat[] =
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {tol: 1e-9, n: 2, link: 1}\n"
    "bodies:\n"
    "  crank{i}: {repeat: {i: [0, n]}, mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "  link{i}: {repeat: {i: [1, n]}, mass: 1, inertia: 1/12, com: [link/2, 0]}\n"
    "joints:\n"
    "  a{i}: {repeat: {i: [0, n]}, revolute: [ground, \"crank{i}\"], at: [link*i, 0]}\n"
    "  b{i}: {repeat: {i: [1, n]}, revolute: [\"crank{i-1}\", \"link{i}\"], at: [1, 0]}\n"
    "  c{i}: {repeat: {i: [1, n]}, revolute: [\"link{i}\", \"crank{i}\"], at: [link, 0], to: [1, 0]}\n"
    "integrator: {rtol: tol, atol: tol}\n"
    "end: 0.3\n";

// All cranks share one angle: ((n+1)/3 + n) θ'' = -((n+1)/2 + n) g cos θ. Runge and Kutta's rule at a step of at
// most 15 µs errs by 1e-16.
static double angle_after(int n, double end) {
  enum { STEPS = 20000 };
  double q = 0, u = 0, h = end / STEPS, pull = -((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * 9.81;
  for (int i = 0; i < STEPS; i++) {
    double k1 = pull * cos(q), k2 = pull * cos(q + h / 2 * u), k3 = pull * cos(q + h / 2 * (u + h / 2 * k1)),
           k4 = pull * cos(q + h * (u + h / 2 * k2));
    q += h * u + h * h / 6 * (k1 + k2 + k3);
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return q;
}

// The largest error at ten times: at a single one it may happen to pass through zero.
static double error_at(int n, const char *link, const char *coordinates, const char *integrator,
                       const char *tolerance) {
  enum { TIMES = 10 };
  char settings[160];
  run r;
  snprintf(settings, sizeof settings, "coordinates=%s integrator.type=%s tol=%s n=%d link=%s", coordinates, integrator,
           tolerance, n, link);
  if (!run_open_text(&r, flat, settings)) return NAN;
  double error = 0;
  for (int k = 1; k <= TIMES && run_to(&r, 0.03 * k); k++) {
    error = fmax(error, fabs(run_read(&r, "a0.q") - angle_after(n, 0.03 * k)));
    CHECK_NEAR(run_read(&r, "a%d.q", n), run_read(&r, "a0.q"), 1e-10);
  }
  printf("    %d cranks, links of %s m, %-8s %-5s %s: off by %.1e rad\n", n + 1, link, coordinates, integrator,
         tolerance, error);
  run_close(&r);
  return error;
}

// At most 1e-7 at a tolerance of 1e-9, and ten times less for one that is a hundred times tighter, down to rounding: a
// position 1e-2 beside the singular one is known to 1e-14, and accelerations that are found there to 1e-11.
static void a_start_in_a_singular_position_is_accurate(void) {
  static const struct {
    int n;
    const char *link;
  } cranks[] = {{2, "1"}, {3, "0.7"}, {1, "1"}};
  static const char *const coordinates[] = {"joint", "absolute"}, *const integrators[] = {"adams", "erk", "bdf"};
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 2; c++)
      for (int i = 0; i < 3; i++) {
        double loose = error_at(cranks[k].n, cranks[k].link, coordinates[c], integrators[i], "1e-9");
        double tight = error_at(cranks[k].n, cranks[k].link, coordinates[c], integrators[i], "1e-11");
        CHECK(loose <= 1e-7);
        CHECK(tight <= fmax(0.1 * loose, 1e-11));
      }
}

// --- passing singular positions --------------------------------------------------------------------------------------

// Cranks v and links h, all of 1 m and 1 kg, in a chain of n parallelograms. They turn over and pass their flat
// positions.
static const char chain[] =
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {n: 2, tol: 1e-9, longer: 0, v: -1}\n"
    "bodies:\n"
    "  v{i}: {repeat: {i: [0, n]}, mass: 1, inertia: 1/12, com: [0, 0.5]}\n"
    "  h{i}: {repeat: {i: [1, n]}, mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "joints:\n"
    "  a{i}: {repeat: {i: [0, n]}, revolute: [ground, \"v{i}\"], at: [i, 0]}\n"
    "  b{i}: {repeat: {i: [1, n]}, revolute: [\"v{i-1}\", \"h{i}\"], at: [0, 1]}\n"
    "  c{i}: {repeat: {i: [1, n]}, revolute: [\"h{i}\", \"v{i}\"], at: [1 + longer, 0], to: [0, 1]}\n"
    "integrator: {type: adams, rtol: tol, atol: tol}\n";
static const char pushed[] = "initial: {a0: {q: 0, u: v}}\nend: 10\n";
static const char driven[] = "drives: {motor: {joint: a0, motion: v*t}}\nend: 3\n";

// All cranks share one angle from upright: (3·⅓ + 2) θ'' = (3·½ + 2) g sin θ. Runge and Kutta's rule at steps of 0.2 ms
// errs by 1e-12.
static void move_exactly(double duration, double *q, double *u) {
  double pull = 3.5 * 9.81 / 3, steps = fmax(1, ceil(duration / 2e-4)), h = duration / steps;
  for (int i = 0; i < steps; i++) {
    double k1 = pull * sin(*q), k2 = pull * sin(*q + h / 2 * *u), k3 = pull * sin(*q + h / 2 * (*u + h / 2 * k1)),
           k4 = pull * sin(*q + h * (*u + h / 2 * k2));
    *q += h * *u + h * h / 6 * (k1 + k2 + k3);
    *u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
}

static bool open_chain(run *r, const char *rest, const char *settings) {
  char text[2048];
  snprintf(text, sizeof text, "%s%s", chain, rest);
  return run_open_text(r, text, settings);
}

// The largest error of all steps within 10 s; adds how many there are to `steps`.
static double worst_error_of(const char *coordinates, int digits, double push, long *steps) {
  char settings[100];
  run r;
  snprintf(settings, sizeof settings, "coordinates=%s tol=1e-%d v=%g", coordinates, digits, push);
  if (!open_chain(&r, pushed, settings)) return NAN;
  double worst = 0, t = 0, q = 0, u = push;
  for (long limit = *steps + 100000; t < 10 && *steps < limit; ++*steps) {
    if (!CHECK(carom_sim_step(r.sim, 10, &r.error) == CAROM_OK)) {
      printf("      at t = %.9g: %s\n", carom_sim_time(r.sim), r.error.text);
      break;
    }
    move_exactly(carom_sim_time(r.sim) - t, &q, &u);
    t = carom_sim_time(r.sim);
    worst = fmax(worst, fabs(run_read(&r, "a0.q") - q));
  }
  CHECK_NEAR(t, 10, 0);
  run_close(&r);
  return worst;
}

// Each run for itself, with pushes on both sides of 1 rad/s.
static void a_tighter_tolerance_is_not_worse(void) {
  static const char *const coordinates[] = {"joint", "absolute"};
  static const double pushes[] = {-1, -0.99, -1.01};
  for (int c = 0; c < 2; c++)
    for (int k = 0; k < 3; k++) {
      double before = INFINITY;
      long steps_before = 0;
      for (int digits = 6; digits <= 12; digits++) {
        long steps = 0;
        double error = worst_error_of(coordinates[c], digits, pushes[k], &steps);
        printf("    %-8s %g rad/s, 1e-%d: %ld steps, off by %.1e rad\n", coordinates[c], pushes[k], digits, steps,
               error);
        CHECK(error <= 2 * before);
        if (digits > 6) CHECK(steps <= 3 * steps_before);
        before = error, steps_before = steps;
      }
      CHECK(before < 1e-7);  // a hundred thousand tolerances; the pendulum alone is off by 1e4
    }
}

// bdf sees what a projection moves as an error. Next to a flat position that is rounding, which no shorter step makes
// smaller.
static void a_tolerance_below_rounding_is_refused(void) {
  run r;
  double tolerance = 1e-13;
  if (!open_chain(&r, pushed, "n=1 tol=1e-13 integrator.type=bdf")) return;
  CHECK(carom_sim_advance(r.sim, 10, &r.error) == CAROM_ERROR_INTEGRATOR);
  const char *named = strstr(r.error.text, "rtol and atol of ");
  if (CHECK(named)) tolerance = strtod(named + strlen("rtol and atol of "), NULL);
  printf("    1e-13 is refused, %g is named\n", tolerance);
  run_close(&r);
  char settings[80];
  snprintf(settings, sizeof settings, "n=1 tol=%g integrator.type=bdf", tolerance);
  if (!open_chain(&r, pushed, settings)) return;
  CHECK(tolerance <= 1e-10);
  run_to(&r, 10);
  run_close(&r);
}

// At constant speed the motor carries the weight, 3.5 g sin θ, also in the flat position, where reactions grow without
// bound.
static void a_motor_is_not_felt_to_pass_a_flat_position(void) {
  static const char *const settings[] = {"coordinates=joint v=-2", "coordinates=absolute v=-2"};
  for (int c = 0; c < 2; c++) {
    run r;
    if (!open_chain(&r, driven, settings[c])) return;
    double flat_at = acos(0) / 2, worst = 0;
    for (int i = -40; i <= 40; i++) {
      if (!run_to(&r, flat_at + 1e-4 * i)) break;
      worst = fmax(worst, fabs(run_read(&r, "motor.effort") + 3.5 * 9.81 * sin(run_read(&r, "a0.q"))));
    }
    printf("    %s: effort off by %.1e N·m of 34\n", settings[c], worst);
    CHECK(worst < 1e-5);
    run_close(&r);
  }
}

// With a link that is too long by 1e-9 m the branches miss each other by 3e-5 rad: the crank turns back at the flat
// position, where one that passes goes on to -6.4 rad.
static void branches_that_miss_each_other_are_not_crossed(void) {
  static const char *const settings[] = {"coordinates=joint n=1 longer=1e-9", "coordinates=absolute n=1 longer=1e-9"};
  double angle[2] = {0};
  for (int c = 0; c < 2; c++) {
    run r;
    if (!open_chain(&r, pushed, settings[c])) return;
    double least = 0;
    while (carom_sim_time(r.sim) < 2) {
      if (!CHECK(carom_sim_step(r.sim, 2, &r.error) == CAROM_OK)) break;
      least = fmin(least, run_read(&r, "a0.q"));
    }
    angle[c] = run_read(&r, "a0.q");
    printf("    %s: least %.9f rad, then %.9f rad\n", settings[c], least, angle[c]);
    CHECK(least > -1.58);
    run_close(&r);
  }
  CHECK_NEAR(angle[0], angle[1], 1e-5);
}

int main(void) {
  RUN(a_start_in_a_singular_position_is_accurate);
  RUN(a_tighter_tolerance_is_not_worse);
  RUN(a_tolerance_below_rounding_is_refused);
  RUN(a_motor_is_not_felt_to_pass_a_flat_position);
  RUN(branches_that_miss_each_other_are_not_crossed);
  return check_summary();
}
