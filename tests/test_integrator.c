// Integrators: order, accuracy, manifolds, the state between steps.
#include <string.h>

#include "integrators.h"

#include <float.h>

static void check_fixed_step_order(integrator_kind kind, int order_max, int order, double h) {
  // With a tolerance that any error meets and both bounds at h, variable-step methods take steps of h.
  integrator_settings s = {.rtol = 1e3, .atol = 1e3, .step = h, .step_min = h, .step_max = h, .order_max = order_max};
  const double t_end = 64 * h;
  const double coarse = kepler_run(kind, &s, t_end).error;
  s.step = s.step_min = s.step_max = h / 2;
  const outcome fine = kepler_run(kind, &s, t_end);
  CHECK_NEAR(log2(coarse / fine.error), order, order_slack);
  CHECK(fine.stats.steps == 128);
  CHECK(fine.stats.last_order == order);
}

static void rk4_has_order_4(void) { check_fixed_step_order(INTEGRATOR_RK4, 0, 4, 0.02); }

static void every_explicit_pair_has_its_order(void) {
  // Steps small enough for the leading term, large enough for errors above rounding.
  static const struct {
    int asked, order;
    double h;
  } pairs[] = {{2, 2, 0.01}, {3, 3, 0.02}, {4, 4, 0.02}, {0, 5, 0.04},
               {5, 5, 0.04}, {6, 6, 0.05}, {7, 6, 0.05}, {8, 8, 0.1}};
  for (int i = 0; i < COUNT(pairs); i++)
    check_fixed_step_order(INTEGRATOR_ERK, pairs[i].asked, pairs[i].order, pairs[i].h);
}

static void check_kepler_order(integrator_kind kind, int order) {
  const double loose = order == 1 ? 1e-3 : order == 2 ? 1e-5 : 1e-7, ratio = order == 1 ? 1e3 : 1e5;
  outcome results[2];
  for (int i = 0; i < 2; i++) {
    const double rtol = i == 0 ? loose : loose / ratio;
    results[i] = kepler_run(kind, &(integrator_settings){.rtol = rtol, .atol = rtol, .order_max = order}, 4);
    CHECK_LE(results[i].error, kepler_stretch * (double)results[i].stats.steps * rtol);
  }
  check_multistep_order(order, &results[0], &results[1], ratio);
}

static void bdf_has_its_orders(void) {
  for (int order = 1; order <= 5; order++) check_kepler_order(INTEGRATOR_BDF, order);
}

static void adams_has_its_orders(void) {
  for (int order = 1; order <= 6; order++) check_kepler_order(INTEGRATOR_ADAMS, order);
}

static void error_follows_tolerance(void) {
  static const integrator_kind kinds[] = {INTEGRATOR_BDF, INTEGRATOR_ADAMS, INTEGRATOR_ERK};
  for (int k = 0; k < COUNT(kinds); k++) {
    double previous = 1;
    for (int digits = 4; digits <= 10; digits += 2) {
      const double rtol = pow(10, -digits);
      const outcome r = kepler_run(kinds[k], &(integrator_settings){.rtol = rtol, .atol = rtol}, 4);
      CHECK_LE(r.error, kepler_stretch * (double)r.stats.steps * rtol);
      CHECK_LE(r.error, previous / 10);  // two digits asked for, at least one gained
      previous = r.error;
    }
  }
}

static void pendulum_keeps_its_period(void) {
  // T = 2 pi / (omega0 agm(1, cos(theta0/2)))
  const double theta0 = 2;
  double a = 1, b = cos(theta0 / 2);
  for (int i = 0; i < 10; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b), a = mean;
  }
  const double period = 2 * acos(-1) / (sqrt(9.81) * a);
  const ode_problem problem = {.n = 2, .rhs = pendulum};
  static const struct {
    integrator_kind kind;
    int order;
    double rtol, tolerance;
  } runs[] = {
      // at the turning point an error in time shows in the speed: d theta' = omega0^2 sin(theta0) dT
      {INTEGRATOR_ADAMS, 0, 1e-13, 1e-10},
      {INTEGRATOR_ERK, 8, 1e-13, 1e-10},
      {INTEGRATOR_ERK, 5, 1e-13, 1e-10},
      {INTEGRATOR_BDF, 0, 1e-12, 1e-8},  // order 5 takes about 3000 steps of local error 1e-12
  };
  for (int i = 0; i < COUNT(runs); i++) {
    const integrator_settings s = {.rtol = runs[i].rtol, .atol = runs[i].rtol, .order_max = runs[i].order};
    integrator *it = integrator_create_ode(runs[i].kind, &problem, &s, 0, (double[]){theta0, 0}, NULL);
    CHECK(run_to(it, period));
    CHECK_NEAR(integrator_state(it)[1] / (9.81 * sin(theta0)), 0, runs[i].tolerance);
    CHECK_NEAR(integrator_state(it)[0], theta0, runs[i].tolerance);
    integrator_destroy(it);
  }
}

// ---- a stiff problem -----------------------------------------------------------------------------------------------

static int van_der_pol(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  ydot[0] = y[1], ydot[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
  return 0;
}

static void bdf_masters_a_stiff_problem(void) {
  const ode_problem problem = {.n = 2, .rhs = van_der_pol};
  const integrator_settings s = {.rtol = 1e-8, .atol = 1e-8};
  integrator *it = integrator_create_ode(INTEGRATOR_BDF, &problem, &s, 0, (double[]){2, 0}, NULL);
  CHECK(run_to(it, 2));
  // Reference values of the Bari/Amsterdam test set for initial value problems; some thousand steps of 1e-8.
  CHECK_NEAR(integrator_state(it)[0], 0.1706167732170483e1, 1e-5);
  CHECK_NEAR(integrator_state(it)[1], -0.8928097010247975, 1e-5);
  // An explicit method would need about 2/1e-6 steps for stability alone.
  CHECK(integrator_get_stats(it).steps < 10000);
  CHECK(integrator_get_stats(it).jacobian_evaluations > 0);
  integrator_destroy(it);
}

// ---- a problem that knows what is stiff in it -----------------------------------------------------------------------

// (1 - γ J)⁻¹ x with J where the right-hand side was evaluated last.
static int van_der_pol_noted(void *context, double t, const double *y, double *ydot) {
  memcpy(context, y, 2 * sizeof *y);
  return van_der_pol(NULL, t, y, ydot);
}

static int van_der_pol_solve(void *context, double gamma, double *x) {
  const double *y = context, c = gamma * (-2 * y[0] * y[1] - 1) / 1e-6, d = 1 - gamma * (1 - y[0] * y[0]) / 1e-6;
  const double det = d - gamma * c, first = (d * x[0] + gamma * x[1]) / det;
  x[1] = (c * x[0] + x[1]) / det, x[0] = first;
  return 0;
}

static void sdirk_masters_a_stiff_problem(void) {
  double last[2];
  const ode_problem problem = {.n = 2, .context = last, .rhs = van_der_pol_noted, .solve = van_der_pol_solve};
  const integrator_settings s = {.rtol = 1e-8, .atol = 1e-8};
  integrator *it = integrator_create_ode(INTEGRATOR_SDIRK, &problem, &s, 0, (double[]){2, 0}, NULL);
  CHECK(run_to(it, 2));
  CHECK_NEAR(integrator_state(it)[0], 0.1706167732170483e1, 1e-5);
  CHECK_NEAR(integrator_state(it)[1], -0.8928097010247975, 1e-5);
  CHECK(integrator_get_stats(it).steps < 10000);
  integrator_destroy(it);
}

static int nothing_is_stiff(void *context, double gamma, double *x) { return (void)context, (void)gamma, (void)x, 0; }

// Kepler's orbit, with a restart after every step or with none. The worst error at the middles of the steps.
static double orbit_with_sdirk(double tolerance, bool restarts, long *steps) {
  ode_problem problem = kepler_problem;
  problem.solve = nothing_is_stiff;
  const integrator_settings s = {.rtol = tolerance, .atol = tolerance};
  double y[KEPLER_N], exact[KEPLER_N], worst = 0;
  kepler_exact(0, y);
  integrator *it = integrator_create_ode(INTEGRATOR_SDIRK, &problem, &s, 0, y, NULL);
  for (double before = 0; before < 6 && CHECK(integrator_step(it, 6, NULL) == CAROM_OK); before = integrator_time(it)) {
    const double middle = 0.5 * (before + integrator_time(it));
    CHECK(integrator_interpolate(it, middle, y) == CAROM_OK);
    kepler_exact(middle, exact);
    worst = fmax(worst, distance(y, exact, KEPLER_N));
    if (restarts) CHECK(integrator_restart(it, integrator_time(it), integrator_state(it), NULL) == CAROM_OK);
  }
  *steps = integrator_get_stats(it).steps;
  integrator_destroy(it);
  return worst;
}

static int begins_to_rise(void *context, double t, const double *x, double *slope) {
  (void)context, (void)x;
  slope[0] = t > 0;
  return 0;
}

// Behind a jump of the slope the error is in proportion to the step. The first trial is six times too long; were its
// error that of order 3, nine tenths of its fourth root would be tried seven times.
static void sdirk_sees_the_order_of_refused_steps(void) {
  const ode_problem problem = {.n = 1, .rhs = begins_to_rise, .solve = nothing_is_stiff};
  long rejected[2];
  for (int k = 0; k < 2; k++) {
    // the error is the difference of the first weights, 3.2e-3, times the step
    const integrator_settings s = {.rtol = 1e-12, .atol = k ? 6.4e-5 : 1, .step = 0.12};
    integrator *it = integrator_create_ode(INTEGRATOR_SDIRK, &problem, &s, 0, (double[]){0}, NULL);
    CHECK(integrator_step(it, 1, NULL) == CAROM_OK);
    rejected[k] = integrator_get_stats(it).rejected;
    printf("    tolerance %g: %ld trials refused, step %.3g\n", s.atol, rejected[k], integrator_time(it));
    integrator_destroy(it);
  }
  CHECK_EQUAL(rejected[0], 0);
  CHECK(rejected[1] > 0);
  CHECK_LE(rejected[1], 2);
}

// The error per step is that of order 3, h⁴, and is kept at the tolerance: a hundredth of it takes 100^(1/4) = 3.2
// times as many steps. The solution of order 4 that goes on is better by h, so that its error falls at least in
// proportion.
static void sdirk_keeps_its_step_where_it_starts_again(void) {
  long steps[2], again[2];
  double error[2];
  for (int k = 0; k < 2; k++) {
    const double tolerance = k ? 1e-8 : 1e-6;
    error[k] = orbit_with_sdirk(tolerance, false, &steps[k]);
    const double restarted = orbit_with_sdirk(tolerance, true, &again[k]);
    printf("    tolerance %g: error %.1e in %ld steps, %.1e in %ld with restarts\n", tolerance, error[k], steps[k],
           restarted, again[k]);
    CHECK_LE(restarted, 2 * error[k]);
    CHECK_LE(again[k], 1.1 * steps[k]);
  }
  CHECK_LE(error[0], 1e-3);
  CHECK_LE(error[1], error[0] / 50);
  CHECK_LE(steps[1], 3.5 * steps[0]);
}

// ---- a manifold ----------------------------------------------------------------------------------------------------

static void rotate_exact(double t, const double *y0, double *y) {
  const double w = norm3(omega), c = cos(w * t), s = sin(w * t);
  double along = 0;
  for (int i = 0; i < 3; i++) along += omega[i] / w * y0[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    y[i] = c * y0[i] + s * (omega[j] * y0[k] - omega[k] * y0[j]) / w + (1 - c) * along * omega[i] / w;
  }
}

// Division leaves |y| - 1 at 2 eps; CVODE adds predictor, correction and projection to its history: some eps more.
static const double on_sphere = 16 * DBL_EPSILON;

static void the_manifold_is_kept(void) {
  const double rtol = 1e-8, t_end = 50;
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const integrator_settings s = {.rtol = rtol, .atol = rtol, .step = ode_kinds[k] == INTEGRATOR_RK4 ? 0.01 : 0};
    integrator *it = integrator_create_ode(ode_kinds[k], &sphere_problem, &s, 0, sphere_start, NULL);
    double worst = 0, y[3];
    while (integrator_time(it) < t_end) {
      if (integrator_step(it, t_end, NULL) != CAROM_OK) break;
      worst = fmax(worst, fabs(norm3(integrator_state(it)) - 1));
      const double inside = integrator_time(it) - 0.3 * integrator_get_stats(it).last_step;
      CHECK(integrator_interpolate(it, inside, y) == CAROM_OK);
      worst = fmax(worst, fabs(norm3(y) - 1));
    }
    CHECK(integrator_time(it) == t_end);
    CHECK(worst <= on_sphere);
    // One local error of rtol a step at most; RK4: h^4/120 w^5 t = 8e-9.
    rotate_exact(t_end, sphere_start, y);
    const integrator_stats stats = integrator_get_stats(it);
    CHECK(distance(integrator_state(it), y, 3) <= rtol * (double)stats.steps);
    CHECK(stats.projections >= 2 * stats.steps);
    integrator_destroy(it);
  }
}

static double sphere_error(integrator_kind kind, int order, double h, double t_end, bool projected) {
  integrator_settings s = {.rtol = 1e3, .atol = 1e3, .step = h, .step_min = h, .step_max = h, .order_max = order};
  const ode_problem problem = {.n = 3, .rhs = rotate, .project = projected ? onto_sphere : NULL};
  integrator *it = integrator_create_ode(kind, &problem, &s, 0, sphere_start, NULL);
  double exact[3];
  CHECK(run_to(it, t_end));
  rotate_exact(t_end, sphere_start, exact);
  const double error = distance(integrator_state(it), exact, 3);
  integrator_destroy(it);
  return error;
}

static void projection_keeps_the_order(void) {
  for (int order = 2; order <= 8; order++) {
    if (order == 7) continue;  // there is no pair of order 7
    const double h = order < 6 ? 0.05 : 0.2, coarse = sphere_error(INTEGRATOR_ERK, order, h, 64 * h, true);
    CHECK_NEAR(log2(coarse / sphere_error(INTEGRATOR_ERK, order, h / 2, 64 * h, true)), order, order_slack);
  }
  const double coarse = sphere_error(INTEGRATOR_RK4, 0, 0.05, 3.2, true);
  CHECK_NEAR(log2(coarse / sphere_error(INTEGRATOR_RK4, 0, 0.025, 3.2, true)), 4, order_slack);
}

// Adams' state is moved in place after each step: nothing may accumulate that the plain method does not have.
static void adams_with_projection_is_no_less_accurate(void) {
  const double rtol = 1e-10, t_end = 500;
  double error[2], exact[3];
  for (int projected = 0; projected < 2; projected++) {
    const ode_problem problem = {.n = 3, .rhs = rotate, .project = projected ? onto_sphere : NULL};
    integrator *it = integrator_create_ode(INTEGRATOR_ADAMS, &problem,
                                           &(integrator_settings){.rtol = rtol, .atol = rtol}, 0, sphere_start, NULL);
    CHECK(run_to(it, t_end));
    rotate_exact(t_end, sphere_start, exact);
    error[projected] = distance(integrator_state(it), exact, 3);
    integrator_destroy(it);
  }
  CHECK(error[1] <= 2 * error[0]);
}

// ---- interpolation -------------------------------------------------------------------------------------------------

static double worst_between_steps(integrator_kind kind, const integrator_settings *s, double t_end, long *steps) {
  double y[KEPLER_N], exact[KEPLER_N], worst = 0;
  kepler_exact(0, y);
  integrator *it = integrator_create_ode(kind, &kepler_problem, s, 0, y, NULL);
  for (double start = 0; start < t_end; start = integrator_time(it)) {
    if (!CHECK(integrator_step(it, t_end, NULL) == CAROM_OK)) break;
    const double h = integrator_time(it) - start;
    for (int i = 0; i <= 8; i++) {
      const double t = i < 8 ? start + h * i / 8 : integrator_time(it);
      if (!CHECK(integrator_interpolate(it, t, y) == CAROM_OK)) break;
      kepler_exact(t, exact);
      worst = fmax(worst, distance(y, exact, KEPLER_N));
    }
    CHECK(integrator_interpolate(it, integrator_time(it) + h, y) == CAROM_ERROR_USAGE);
    CHECK(integrator_interpolate(it, integrator_time(it) - 1.5 * h, y) == CAROM_ERROR_USAGE);
  }
  *steps = integrator_get_stats(it).steps;
  integrator_destroy(it);
  return worst;
}

static void the_state_between_steps_is_as_good(void) {
  long steps;
  // Multistep methods interpolate by the very polynomial they step with: the bound of the steps holds inside too.
  for (int k = 0; k < 2; k++) {
    const integrator_settings s = {.rtol = 1e-8, .atol = 1e-8};
    const double worst = worst_between_steps(ode_kinds[k], &s, 4, &steps);
    CHECK_LE(worst, kepler_stretch * 1e-8 * (double)steps);
  }
  // Runge-Kutta pairs have a polynomial of degree 3, 4 from order 5 and 5 from order 6 on, so of the order of the
  // method up to order 6.
  static const struct {
    int order, expected;
    double h;
  } pairs[] = {{2, 2, 0.01}, {3, 3, 0.02}, {4, 4, 0.02}, {5, 5, 0.04}, {6, 6, 0.05}, {8, 6, 0.05}};
  for (int i = 0; i < COUNT(pairs); i++) {
    const double h = pairs[i].h;
    integrator_settings s = {
        .rtol = 1e3, .atol = 1e3, .step = h, .step_min = h, .step_max = h, .order_max = pairs[i].order};
    const double coarse = worst_between_steps(INTEGRATOR_ERK, &s, 32 * h, &steps);
    s.step = s.step_min = s.step_max = h / 2;
    const double observed = log2(coarse / worst_between_steps(INTEGRATOR_ERK, &s, 32 * h, &steps));
    CHECK_NEAR(observed, pairs[i].expected, order_slack);
  }
  integrator_settings s = {.step = 0.04};
  const double coarse = worst_between_steps(INTEGRATOR_RK4, &s, 1.28, &steps);
  s.step = 0.02;
  CHECK_NEAR(log2(coarse / worst_between_steps(INTEGRATOR_RK4, &s, 1.28, &steps)), 4, order_slack);
}

// ---- Newton's matrix without positions, accounts and given components ----------------------------------------------

// Two stiff oscillators that feel each other, a component that moves as cos t, and the work of a damper:
//   y = (q0, q1, u0, u1, g, w),   q0' = u0,   q1' = 2 u1 + g
enum { PARTS_N = 6, PARTS_POSITIONS = 2 };

static int parts(void *context, double t, const double *y, double *ydot) {
  ++*(long *)context;
  ydot[0] = y[2], ydot[1] = 2 * y[3] + y[4];
  ydot[2] = -1e4 * y[0] - 200 * y[2] + sin(y[1]) + y[3];
  ydot[3] = -400 * sin(y[1]) - 2e3 * y[3] + y[0] * y[2];
  ydot[4] = -sin(t), ydot[5] = 2e3 * y[3] * y[3];
  return 0;
}

static void rates_of_parts(void *context, const double *y, double *N) {
  (void)context, (void)y;
  N[0] = 1, N[1] = 2, N[2] = 1;
}

static double run_parts(const ode_structure *structure, double *y, integrator_stats *stats) {
  long calls = 0;
  const ode_problem problem = {.n = PARTS_N, .context = &calls, .rhs = parts, .structure = structure};
  const integrator_settings settings = {.rtol = 1e-8, .atol = 1e-8};
  const double start[PARTS_N] = {0.1, 0.2, 0, 0, 1, 0};
  carom_error error = {0};
  integrator *it = integrator_create_ode(INTEGRATOR_BDF, &problem, &settings, 0, start, &error);
  if (!CHECK(it) || !CHECK(run_to(it, 2))) return 0;
  memcpy(y, integrator_state(it), PARTS_N * sizeof *y);
  *stats = integrator_get_stats(it);
  integrator_destroy(it);
  return (double)calls;
}

// Same motion, same steps: a Jacobian takes an evaluation for each position and state instead of for each component.
static void known_parts_leave_newtons_matrix(void) {
  static const ode_part part[] = {ODE_POSITION, ODE_POSITION, ODE_STATE, ODE_STATE, ODE_GIVEN, ODE_ACCOUNT};
  static const int start[] = {0, 1, 3}, of[] = {2, 3, 4};
  const ode_structure structure = {.part = part, .rate_start = start, .rate_of = of, .rates = rates_of_parts};
  double plain[PARTS_N], known[PARTS_N];
  integrator_stats of_plain, of_known;
  double calls = run_parts(NULL, plain, &of_plain), fewer = run_parts(&structure, known, &of_known);
  for (int i = 0; i < PARTS_N; i++) CHECK_NEAR(known[i], plain[i], 1e-6);  // a hundred tolerances over the run
  CHECK_NEAR(plain[4], cos(2), 1e-6);
  CHECK_NEAR((double)of_known.steps, (double)of_plain.steps, 0.02 * (double)of_plain.steps);
  CHECK_NEAR((double)of_known.newton_failures, (double)of_plain.newton_failures, 1);
  CHECK_LE(fewer, calls - 1.9 * (double)of_known.jacobian_evaluations);
}

int main(void) {
  RUN(rk4_has_order_4);
  RUN(every_explicit_pair_has_its_order);
  RUN(bdf_has_its_orders);
  RUN(adams_has_its_orders);
  RUN(error_follows_tolerance);
  RUN(pendulum_keeps_its_period);
  RUN(bdf_masters_a_stiff_problem);
  RUN(sdirk_masters_a_stiff_problem);
  RUN(sdirk_keeps_its_step_where_it_starts_again);
  RUN(sdirk_sees_the_order_of_refused_steps);
  RUN(the_manifold_is_kept);
  RUN(projection_keeps_the_order);
  RUN(adams_with_projection_is_no_less_accurate);
  RUN(the_state_between_steps_is_as_good);
  RUN(known_parts_leave_newtons_matrix);
  return check_summary();
}
