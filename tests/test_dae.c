// The integrator of differential-algebraic systems.
#include "integrators.h"

// ---- a differential-algebraic system: the pendulum in Cartesian coordinates, index 2 after Gear, Gupta, Leimkuhler --
//
//   x' = v - x mu,  v' = g - x lambda,  0 = (x.x - 1)/2,  0 = x.v

enum { GGL_N = 6 };
static const bool ggl_differential[GGL_N] = {true, true, true, true, false, false};

static int ggl_pendulum(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)t;
  if (context && ++*(long *)context == 20) return 1;  // one refusal on the way
  const double lambda = y[4], mu = y[5];
  for (int i = 0; i < 2; i++) {
    r[i] = ydot[i] - y[2 + i] + y[i] * mu;
    r[2 + i] = ydot[2 + i] + y[i] * lambda + (i == 1 ? 9.81 : 0);
  }
  r[4] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
  r[5] = y[0] * y[2] + y[1] * y[3];
  return 0;
}

static const dae_problem ggl_problem = {.n = GGL_N, .residual = ggl_pendulum, .differential = ggl_differential};

// Angle theta from the lowest point, at rest there: lambda = v.v - g.x = 9.81 cos(theta).
static void ggl_state(double theta, double rate, double *y, double *ydot) {
  const double s = sin(theta), c = cos(theta), acceleration = -9.81 * s;
  y[0] = s, y[1] = -c, y[2] = rate * c, y[3] = rate * s, y[4] = rate * rate + 9.81 * c, y[5] = 0;
  ydot[0] = y[2], ydot[1] = y[3], ydot[4] = ydot[5] = 0;
  ydot[2] = acceleration * c - rate * rate * s, ydot[3] = acceleration * s + rate * rate * c;
}

static void ggl_exact(double t, double *y) {
  const ode_problem problem = {.n = 2, .rhs = pendulum};
  const integrator_settings s = {.rtol = 1e-14, .atol = 1e-14, .order_max = 8};
  integrator *it = integrator_create_ode(INTEGRATOR_ERK, &problem, &s, 0, (double[]){1, 0}, NULL);
  CHECK(run_to(it, t));
  double ydot[GGL_N];
  ggl_state(integrator_state(it)[0], integrator_state(it)[1], y, ydot);
  integrator_destroy(it);
}

// As for the orbit: errors of angle and rate grow by 3.8 at most on this swing within 2 s, and an error of position
// changes the rate by up to |v| < 3.2: 3.8 * (1 + 3.2^2)^(1/2) < 13.
static const double swing_stretch = 13;

static outcome ggl_run(const integrator_settings *s, double t_end, double *violation) {
  double y[GGL_N], ydot[GGL_N], exact[GGL_N];
  ggl_state(1, 0, y, ydot);
  integrator *it = integrator_create_dae(&ggl_problem, s, 0, y, ydot, NULL);
  *violation = 0;
  bool ok = it != NULL;
  while (ok && integrator_time(it) < t_end) {
    carom_error error = {0};
    ok = integrator_step(it, t_end, &error) == CAROM_OK;
    if (!CHECK(ok)) printf("    %s\n", error.text);
    const double *z = integrator_state(it);
    *violation = fmax(*violation, fabs(z[0] * z[0] + z[1] * z[1] - 1));
  }
  ggl_exact(t_end, exact);
  const outcome result = {ok ? distance(integrator_state(it), exact, 4) : NAN, integrator_get_stats(it)};
  // lambda = v.v - g.x sees the errors of v and x by 2 |v| + g < 16, and as the multiplier in v' a local error of v,
  // rtol (1 + |v|) < 4 rtol, divided by the step, with BDF's leading coefficient (up to 2.3) and some rounds of Newton.
  const double jitter = 10 * 4 * s->rtol / result.stats.last_step;
  CHECK_LE(fabs(integrator_state(it)[4] - exact[4]), 16 * result.error + jitter);
  CHECK(integrator_time(it) == t_end);
  integrator_destroy(it);
  return result;
}

static void ida_has_its_orders_on_a_ggl_pendulum(void) {
  double violation;
  for (int order = 1; order <= 5; order++) {
    const double loose = order == 1 ? 1e-3 : order == 2 ? 1e-5 : 1e-6, ratio = order == 1 ? 1e3 : 1e4;
    outcome results[2];
    for (int i = 0; i < 2; i++) {
      const double rtol = i == 0 ? loose : loose / ratio;
      results[i] = ggl_run(&(integrator_settings){.rtol = rtol, .atol = rtol, .order_max = order}, 2, &violation);
      CHECK_LE(results[i].error, swing_stretch * rtol * (double)results[i].stats.steps);
    }
    check_multistep_order(order, &results[0], &results[1], ratio);
  }
}

static void ida_works_at_tight_tolerance(void) {
  double violation;
  const outcome r = ggl_run(&(integrator_settings){.rtol = 1e-10, .atol = 1e-10}, 2, &violation);
  CHECK_LE(r.error, swing_stretch * 1e-10 * (double)r.stats.steps);
  // Newton's iteration ends when the root mean square of what is left is a third of the tolerance, rtol + atol here:
  // sqrt(6)/3 of it at most in one component, twice that in its square; as much again for the estimate being one.
  CHECK_LE(violation, 2 * 2 * sqrt(6) / 3 * 2e-10);
  CHECK(r.stats.jacobian_evaluations > 0);
}

// Short steps are where index 2 shows: the iteration matrix is singular like h^2. Any tolerance, any first step.
static void ida_starts_with_any_step(void) {
  for (int digits = 3; digits <= 11; digits++)
    for (int power = 0; power >= -12; power -= 3) {
      const double rtol = pow(10, -digits);
      const integrator_settings s = {.rtol = rtol, .atol = rtol, .step = power < 0 ? pow(10, power) : 0};
      double y[GGL_N], ydot[GGL_N], exact[GGL_N];
      ggl_state(1, 0, y, ydot);
      integrator *it = integrator_create_dae(&ggl_problem, &s, 0, y, ydot, NULL);
      CHECK(run_to(it, 0.3));
      ggl_exact(0.3, exact);
      const double error = distance(integrator_state(it), exact, 4);
      CHECK_LE(error, swing_stretch * rtol * (double)integrator_get_stats(it).steps);
      integrator_destroy(it);
    }
}

static void ida_tries_again_after_a_refusal(void) {
  long calls = 0;
  dae_problem problem = ggl_problem;
  problem.context = &calls;
  double y[GGL_N], ydot[GGL_N], exact[GGL_N];
  ggl_state(1, 0, y, ydot);
  integrator *it =
      integrator_create_dae(&problem, &(integrator_settings){.rtol = 1e-8, .atol = 1e-8}, 0, y, ydot, NULL);
  CHECK(run_to(it, 1));
  CHECK(calls > 20);
  ggl_exact(1, exact);
  CHECK_LE(distance(integrator_state(it), exact, 4), swing_stretch * 1e-8 * (double)integrator_get_stats(it).steps);
  integrator_destroy(it);
}

static void ida_restarts_stops_and_interpolates(void) {
  const integrator_settings s = {.rtol = 1e-9, .atol = 1e-9};
  double y[GGL_N], ydot[GGL_N], exact[GGL_N], between[GGL_N];
  ggl_state(1, 0, y, ydot);
  integrator *it = integrator_create_dae(&ggl_problem, &s, 0, y, ydot, NULL);
  CHECK(!integrator_is_one_step(it));
  double worst = 0, stop = 0;
  for (int i = 1; i <= 7; i++) {
    stop = 0.1 * i;
    CHECK(run_to(it, stop));
    CHECK(integrator_time(it) == stop);
    const double t = stop - 0.4 * integrator_get_stats(it).last_step;
    CHECK(integrator_interpolate(it, t, between) == CAROM_OK);
    ggl_exact(t, exact);
    worst = fmax(worst, distance(between, exact, 4));
  }
  CHECK_LE(worst, swing_stretch * 1e-9 * (double)integrator_get_stats(it).steps);
  // The derivative handed out is that of the state.
  CHECK_NEAR(integrator_derivative(it)[0], integrator_state(it)[2], 1e-6);  // one power of h ~ 1e-3 worse than y
  // Back to the start, by the front door.
  CHECK(integrator_restart_dae(it, 0, y, ydot, NULL) == CAROM_OK);
  CHECK(run_to(it, 0.7));
  ggl_exact(0.7, exact);
  CHECK_LE(distance(integrator_state(it), exact, 4), swing_stretch * 1e-9 * (double)integrator_get_stats(it).steps);
  integrator_destroy(it);
}

// y0' = -y1, 0 = y1 - y0 (1 + y1^2): index 1, with y1(0.3) = 1/3 from 0.3 = y1/(1 + y1^2).
static int index_one(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)context, (void)t;
  r[0] = ydot[0] + y[1], r[1] = y[1] - y[0] * (1 + y[1] * y[1]);
  return 0;
}

static void ida_makes_a_rough_start_consistent(void) {
  static const bool differential[2] = {true, false};
  const dae_problem problem = {.n = 2, .residual = index_one, .differential = differential};
  const integrator_settings s = {.rtol = 1e-8, .atol = 1e-8};
  double end[2];
  for (int rough = 0; rough < 2; rough++) {
    const double y[2] = {0.3, rough ? 0.9 : 1.0 / 3}, ydot[2] = {rough ? 1e6 : -1.0 / 3, 0};
    integrator *it = integrator_create_dae(&problem, &s, 0, y, ydot, NULL);
    CHECK(run_to(it, 1));
    end[rough] = integrator_state(it)[0];
    CHECK_NEAR(integrator_state(it)[1], end[rough] * (1 + pow(integrator_state(it)[1], 2)), 1e-8);
    integrator_destroy(it);
  }
  CHECK_NEAR(end[1], end[0], 1e-6);  // about a hundred steps of 1e-8 each
}

static int residual_that_stops(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)context;
  index_one(NULL, t, y, ydot, r);
  return t > 0.2 ? -1 : 0;
}

static int residual_that_refuses(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)context;
  index_one(NULL, t, y, ydot, r);
  return t > 0.2;
}

static int residual_that_overflows(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)context;
  index_one(NULL, t, y, ydot, r);
  if (t > 0.2) r[0] = INFINITY;
  return 0;
}

static int undetermined(void *context, double t, const double *y, const double *ydot, double *r) {
  (void)context, (void)t;
  r[0] = ydot[0] + y[0], r[1] = 0;
  return 0;
}

static void ida_tells_failures_in_words(void) {
  static const bool differential[2] = {true, false};
  static const struct {
    int (*residual)(void *, double, const double *, const double *, double *);
    carom_status status;
    const char *words;
  } cases[] = {
      {residual_that_stops, CAROM_ERROR_USER, "the residual asked to stop at t = 0."},
      {residual_that_refuses, CAROM_ERROR_INTEGRATOR, "the residual cannot be evaluated, even with the smallest step"},
      {residual_that_overflows, CAROM_ERROR_INTEGRATOR,
       " s the residual is not finite, even with the smallest step; look for a division by zero"},
      {undetermined, CAROM_ERROR_INTEGRATOR, "singular"}};
  for (int i = 0; i < COUNT(cases); i++) {
    const dae_problem problem = {.n = 2, .residual = cases[i].residual, .differential = differential};
    carom_error error = {0};
    integrator *it = integrator_create_dae(&problem, &(integrator_settings){.rtol = 1e-8, .atol = 1e-8}, 0,
                                           (double[]){0.3, 1.0 / 3}, (double[]){-1.0 / 3, 0}, &error);
    for (int n = 0; n < 10000 && integrator_time(it) < 1; n++)
      if (integrator_step(it, 1, &error) != CAROM_OK) break;
    CHECK_EQUAL(error.status, cases[i].status);
    CHECK_CONTAINS(error.message, cases[i].words);
    integrator_destroy(it);
  }
}

int main(void) {
  RUN(ida_has_its_orders_on_a_ggl_pendulum);
  RUN(ida_works_at_tight_tolerance);
  RUN(ida_starts_with_any_step);
  RUN(ida_tries_again_after_a_refusal);
  RUN(ida_restarts_stops_and_interpolates);
  RUN(ida_makes_a_rough_start_consistent);
  RUN(ida_tells_failures_in_words);
  return check_summary();
}
