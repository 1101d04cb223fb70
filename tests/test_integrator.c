// Integrators: order, accuracy, manifolds, refusals, stops, restarts, messages.
#include "check.h"

#include <float.h>

#include "base/error.h"
#include "scheme/integrator.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
static const integrator_kind ode_kinds[] = {INTEGRATOR_BDF, INTEGRATOR_ADAMS, INTEGRATOR_ERK, INTEGRATOR_RK4};

// Makes steps up to t_end; false after a failure, which is printed.
static bool run_to(integrator *it, double t_end) {
  carom_error error = {0};
  while (integrator_time(it) < t_end)
    if (integrator_step(it, t_end, &error) != CAROM_OK) {
      printf("    %s\n", error.text);
      return false;
    }
  return true;
}

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// ---- Kepler's orbit: smooth, nonlinear in every component, and known exactly ---------------------------------------

enum { KEPLER_N = 4 };
static const double eccentricity = 0.3;

static int kepler(void *context, double t, const double *y, double *ydot) {
  (void)t;
  if (context) ++*(long *)context;
  const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  ydot[0] = y[2], ydot[1] = y[3], ydot[2] = -y[0] / r3, ydot[3] = -y[1] / r3;
  return 0;
}

static void kepler_exact(double t, double *y) {
  const double e = eccentricity, b = sqrt(1 - e * e);
  double E = t;
  for (int i = 0; i < 50; i++) E -= (E - e * sin(E) - t) / (1 - e * cos(E));
  const double rate = 1 / (1 - e * cos(E));
  y[0] = cos(E) - e, y[1] = b * sin(E), y[2] = -sin(E) * rate, y[3] = b * cos(E) * rate;
}

static const ode_problem kepler_problem = {.n = KEPLER_N, .rhs = kepler};

typedef struct outcome {
  double error;
  integrator_stats stats;
} outcome;

static outcome kepler_run(integrator_kind kind, const integrator_settings *settings, double t_end) {
  double y[KEPLER_N], exact[KEPLER_N];
  carom_error error = {0};
  kepler_exact(0, y);
  integrator *it = integrator_create_ode(kind, &kepler_problem, settings, 0, y, &error);
  CHECK_TEXT(error.text, "");
  if (!it) return (outcome){.error = NAN};
  const bool ok = run_to(it, t_end);
  kepler_exact(t_end, exact);
  const outcome result = {ok ? distance(integrator_state(it), exact, KEPLER_N) : NAN, integrator_get_stats(it)};
  integrator_destroy(it);
  return result;
}

// An error C h^q (1 + c h + …) gives the observed order q + c h/ln 4 when h is halved. With h a fiftieth of the
// orbit and c of the order of the solution's own rate, half an order either way is what this leaves.
static const double order_slack = 0.5;

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
  static const struct { int asked, order; double h; } pairs[] = {{2, 2, 0.01}, {3, 3, 0.02}, {4, 4, 0.02}, {0, 5, 0.04},
                                                                 {5, 5, 0.04}, {6, 6, 0.05}, {7, 6, 0.05}, {8, 8, 0.1}};
  for (int i = 0; i < COUNT(pairs); i++)
    check_fixed_step_order(INTEGRATOR_ERK, pairs[i].asked, pairs[i].order, pairs[i].h);
}

// An error made on the way is stretched by the motion: up to t = 4 by 36 at most, from the variational equation of the
// orbit (Frobenius norm of the flow's derivative, integrated apart). So N local errors of rtol give 36 N rtol.
static const double kepler_stretch = 36;

// A multistep method of order q chooses h so that h^(q+1) ~ rtol, that is steps ~ rtol^(-1/(q+1)), and keeps the error
// within the bound above: together error ~ steps^-q. The steps of the start, at lower orders, are a part that hardly
// grows with the tolerance, so that q comes out too high if anything; a method of order q - 1 would be off by one.
static void check_multistep_order(int order, const outcome *loose, const outcome *tight, double rtol_ratio) {
  const double steps_ratio = (double)tight->stats.steps / (double)loose->stats.steps;
  CHECK_LE(order + 1 - order_slack, log(rtol_ratio) / log(steps_ratio));
  CHECK(tight->stats.last_order <= order);
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

// ---- pendulum ------------------------------------------------------------------------------------------------------

static int pendulum(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  ydot[0] = y[1], ydot[1] = -9.81 * sin(y[0]);
  return 0;
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
  static const struct { integrator_kind kind; int order; double rtol, tolerance; } runs[] = {
      // at the turning point an error in time shows in the speed: d theta' = omega0^2 sin(theta0) dT
      {INTEGRATOR_ADAMS, 0, 1e-13, 1e-10}, {INTEGRATOR_ERK, 8, 1e-13, 1e-10}, {INTEGRATOR_ERK, 5, 1e-13, 1e-10},
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

// ---- a manifold: rotation on the unit sphere -----------------------------------------------------------------------

static const double omega[3] = {0.3, -1.1, 0.7};

static int rotate(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    ydot[i] = omega[j] * y[k] - omega[k] * y[j];
  }
  return 0;
}

static double norm3(const double *y) { return sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]); }

// The same on the sphere; beside it the distance grows like e^(2t), so that only a projected run comes to an end.
static int rotate_repelled(void *context, double t, const double *y, double *ydot) {
  rotate(context, t, y, ydot);
  const double push = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1;
  for (int i = 0; i < 3; i++) ydot[i] += push * y[i];
  return 0;
}

static int onto_sphere(void *context, double t, double *y, double *error) {
  (void)context, (void)t;
  const double r = norm3(y);
  for (int i = 0; i < 3; i++) y[i] /= r;
  if (!error) return 0;
  const double across = y[0] * error[0] + y[1] * error[1] + y[2] * error[2];
  for (int i = 0; i < 3; i++) error[i] -= across * y[i];
  return 0;
}

static void rotate_exact(double t, const double *y0, double *y) {
  const double w = norm3(omega), c = cos(w * t), s = sin(w * t);
  double along = 0;
  for (int i = 0; i < 3; i++) along += omega[i] / w * y0[i];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    y[i] = c * y0[i] + s * (omega[j] * y0[k] - omega[k] * y0[j]) / w + (1 - c) * along * omega[i] / w;
  }
}

static const ode_problem sphere_problem = {.n = 3, .rhs = rotate_repelled, .project = onto_sphere};
static const double sphere_start[3] = {0.6, 0, 0.8};

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

// ---- functions that refuse -----------------------------------------------------------------------------------------

// y' = -y log y: the logarithm of y is log(y0) e^-t. A long first step leads to negative y.
static int gompertz_that_refuses(void *context, double t, const double *y, double *ydot) {
  (void)t;
  if (y[0] <= 0) {
    ++*(long *)context;
    return 1;
  }
  ydot[0] = -y[0] * log(y[0]);
  return 0;
}

static int gompertz_without_care(void *context, double t, const double *y, double *ydot) {
  (void)t;
  ydot[0] = -y[0] * log(y[0]);
  *(long *)context += isnan(ydot[0]);
  return 0;
}

static void a_refused_step_is_tried_shorter(void) {
  int (*const functions[])(void *, double, const double *, double *) = {gompertz_that_refuses, gompertz_without_care};
  for (int k = 0; k < 3; k++)
    for (int f = 0; f < 2; f++) {
      long refusals = 0;
      const ode_problem problem = {.n = 1, .rhs = functions[f], .context = &refusals};
      const integrator_settings s = {.rtol = 1e-8, .atol = 1e-8, .step = 4};
      integrator *it = integrator_create_ode(ode_kinds[k], &problem, &s, 0, (double[]){50}, NULL);
      CHECK(run_to(it, 8));
      CHECK(refusals > 0);
      const integrator_stats stats = integrator_get_stats(it);
      CHECK(stats.rejected > 0);
      // The motion contracts by e^-8, so only the last local errors are left; N of them is a safe bound.
      CHECK_NEAR(integrator_state(it)[0], exp(log(50) * exp(-8)), 1e-8 * (double)stats.steps);
      integrator_destroy(it);
    }
}

static int blow_up(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  ydot[0] = y[0] * y[0];  // 1/(1 - t)
  return 0;
}

static int refuse_late(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)y;
  ydot[0] = 1;
  return t > 0.5;
}

static int stop_late(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)y;
  ydot[0] = 1;
  return t > 0.5 ? -1 : 0;
}

static int refuse_always(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t, (void)y, (void)ydot;
  return 1;
}

// Fails on the way to t = 2 and leaves time and state as they were before the step that failed.
static carom_error failing_run(integrator_kind kind, int (*rhs)(void *, double, const double *, double *),
                               integrator_settings s) {
  const ode_problem problem = {.n = 1, .rhs = rhs};
  carom_error error = {0};
  if (kind == INTEGRATOR_RK4) s.step = 0.1;
  integrator *it = integrator_create_ode(kind, &problem, &s, 0, (double[]){1}, &error);
  CHECK(it != NULL);
  if (!it) return error;
  for (int i = 0; i < 100000 && integrator_time(it) < 2; i++) {
    const double t = integrator_time(it), y = integrator_state(it)[0];
    if (integrator_step(it, 2, &error) == CAROM_OK) continue;
    CHECK(integrator_time(it) == t);
    CHECK(integrator_state(it)[0] == y);
    double same;
    CHECK(integrator_interpolate(it, t, &same) == CAROM_OK && same == y);
    break;
  }
  CHECK(error.status != CAROM_OK);
  CHECK(integrator_time(it) < 2);
  integrator_destroy(it);
  return error;
}


static int decay(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  ydot[0] = -y[0];
  return 0;
}

static void failures_are_told_in_words(void) {
  const integrator_settings s = {.rtol = 1e-6, .atol = 1e-6};
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const integrator_kind kind = ode_kinds[k];
    carom_error error = failing_run(kind, stop_late, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_USER);
    CHECK_CONTAINS(error.message, "the right-hand side asked to stop at t = ");

    error = failing_run(kind, refuse_late, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_INTEGRATOR);
    CHECK_CONTAINS(error.message, "the right-hand side cannot be evaluated on the way");
    CHECK_CONTAINS(error.message, kind == INTEGRATOR_RK4 ? "use a smaller step" : "however small the step");

    error = failing_run(kind, refuse_always, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_INTEGRATOR);
    if (kind == INTEGRATOR_RK4) continue;  // it does not look before it steps, and has no test of errors
    CHECK_CONTAINS(error.message, "cannot be evaluated at the state to start from");

    error = failing_run(kind, blow_up, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_INTEGRATOR);
    CHECK(strstr(error.message, "at t = 1") || strstr(error.message, "at t = 0.9999"));

    error = failing_run(kind, decay, (integrator_settings){.rtol = 1e-18, .atol = 1e-300});
    CHECK_CONTAINS(error.message, "more digits than numbers have");
  }
}

static int stop_with_a_reason(void *context, double t, const double *y, double *ydot) {
  (void)t, (void)y, (void)ydot;
  error_set(context, CAROM_ERROR_SINGULAR, "the arm is stretched");
  return -1;
}

static void the_reason_of_a_function_is_kept(void) {
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    carom_error error = {0};
    const ode_problem problem = {.n = 1, .rhs = stop_with_a_reason, .context = &error};
    const integrator_settings s = {.rtol = 1e-6, .atol = 1e-6, .step = 0.1};
    integrator *it = integrator_create_ode(ode_kinds[k], &problem, &s, 0, (double[]){1}, &error);
    CHECK_EQUAL(integrator_step(it, 1, &error), CAROM_ERROR_SINGULAR);
    CHECK_TEXT(error.message, "the arm is stretched");
    integrator_destroy(it);
  }
}

// SUNDIALS prints errors to stderr unless told otherwise.
static void nothing_is_printed(void) {
  char path[4200];
  snprintf(path, sizeof path, "%s/stderr", check_scratch_dir());
  fflush(stderr);
  const int saved = dup(2);
  if (!CHECK(saved >= 0 && freopen(path, "w", stderr))) return;
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    failing_run(ode_kinds[k], refuse_late, (integrator_settings){.rtol = 1e-6, .atol = 1e-6});
    failing_run(ode_kinds[k], stop_late, (integrator_settings){.rtol = 1e-6, .atol = 1e-6});
  }
  const long written = (fflush(stderr), fseek(stderr, 0, SEEK_END), ftell(stderr));
  dup2(saved, 2);
  close(saved);
  CHECK_EQUAL(written, 0);
}

static void settings_are_checked(void) {
  static const struct { integrator_kind kind; integrator_settings s; const char *words; } wrong[] = {
      {INTEGRATOR_BDF, {.rtol = -1, .atol = 1}, "rtol is -1, but must be zero or a positive number"},
      {INTEGRATOR_BDF, {.rtol = NAN, .atol = 1}, "rtol"},
      {INTEGRATOR_ADAMS, {.rtol = 1e-6}, "atol must be positive"},
      {INTEGRATOR_BDF, {.rtol = 1e-6, .atol = 1e-6, .order_max = 6}, "order_max is 6, but must be between 1 and 5"},
      {INTEGRATOR_ERK, {.rtol = 1e-6, .atol = 1e-6, .order_max = 9}, "between 2 and 8"},
      {INTEGRATOR_ERK, {.rtol = 1e-6, .atol = 1e-6, .step_min = 2, .step_max = 1}, "step_min 2 is above step_max 1"},
      {INTEGRATOR_RK4, {.rtol = 1e-6, .atol = 1e-6}, "needs a step"},
  };
  const double y[KEPLER_N] = {1, 0, 0, 1}, scale[KEPLER_N] = {1, 1, 0, 1};
  for (int i = 0; i < COUNT(wrong); i++) {
    carom_error error = {0};
    CHECK(!integrator_create_ode(wrong[i].kind, &kepler_problem, &wrong[i].s, 0, y, &error));
    CHECK_EQUAL(error.status, CAROM_ERROR_USAGE);
    CHECK_CONTAINS(error.message, wrong[i].words);
  }
  carom_error error = {0};
  const ode_problem unscaled = {.n = KEPLER_N, .rhs = kepler, .abs_scale = scale};
  CHECK(!integrator_create_ode(INTEGRATOR_BDF, &unscaled, &(integrator_settings){.atol = 1}, 0, y, &error));
  CHECK_CONTAINS(error.message, "the scale of component 2 is 0");
}

// ---- stops, bounds, restarts ---------------------------------------------------------------------------------------

typedef struct watch {
  double latest;
} watch;

static int watched_kepler(void *context, double t, const double *y, double *ydot) {
  watch *w = context;
  w->latest = fmax(w->latest, t);
  return kepler(NULL, t, y, ydot);
}

static void stops_are_met_exactly(void) {
  static const double stops[] = {1e-9, 0.1, 0.3, 1.0 / 3, 1.0 / 3 + 1e-13, 0.7000000000000001, 0.70000001, 2, 2.5};
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    watch w = {0};
    const ode_problem problem = {.n = KEPLER_N, .rhs = watched_kepler, .context = &w};
    double y[KEPLER_N], exact[KEPLER_N];
    kepler_exact(0, y);
    const integrator_settings s = {.rtol = 1e-9, .atol = 1e-9, .step = 0.01};
    integrator *it = integrator_create_ode(ode_kinds[k], &problem, &s, 0, y, NULL);
    for (int i = 0; i < COUNT(stops); i++) {
      double before = integrator_time(it);
      while (integrator_time(it) < stops[i]) {
        if (!CHECK(integrator_step(it, stops[i], NULL) == CAROM_OK)) break;
        if (!CHECK(integrator_time(it) > before)) break;
        before = integrator_time(it);
      }
      CHECK(integrator_time(it) == stops[i]);
      CHECK(w.latest <= stops[i]);
      kepler_exact(stops[i], exact);
      const double error = distance(integrator_state(it), exact, KEPLER_N);
      CHECK_LE(error, kepler_stretch * 1e-9 * (double)integrator_get_stats(it).steps);
    }
    CHECK(integrator_step(it, integrator_time(it), NULL) == CAROM_OK);  // already there: nothing happens
    CHECK(integrator_time(it) == 2.5);
    CHECK(integrator_step(it, 1, NULL) == CAROM_ERROR_USAGE);
    integrator_destroy(it);
  }
}

// A stop that is met often must not make steps short for longer than it takes to meet it.
static void stops_do_not_shorten_later_steps(void) {
  const integrator_settings s = {.rtol = 1e-9, .atol = 1e-9};
  const outcome free_run = kepler_run(INTEGRATOR_ERK, &s, 6);
  double y[KEPLER_N];
  kepler_exact(0, y);
  integrator *it = integrator_create_ode(INTEGRATOR_ERK, &kepler_problem, &s, 0, y, NULL);
  const int stops = 20;
  for (int i = 1; i <= stops; i++) CHECK(run_to(it, 0.3 * i));
  CHECK(integrator_get_stats(it).steps <= free_run.stats.steps + 2 * stops);
  integrator_destroy(it);
}

static void fixed_steps_end_on_the_grid(void) {
  const double h = 0.1, origin = 0.25, y[KEPLER_N] = {1, 0, 0, 1};
  const integrator_settings s = {.step = h, .step_origin = origin};
  integrator *it = integrator_create_ode(INTEGRATOR_RK4, &kepler_problem, &s, origin, y, NULL);
  for (int k = 1; k <= 1000; k++) {
    CHECK(integrator_step(it, 1e3, NULL) == CAROM_OK);
    if (!CHECK(integrator_time(it) == origin + k * h)) break;
  }
  const double end = origin + 1001 * h;
  CHECK(integrator_step(it, end + 0.5e-9 * h, NULL) == CAROM_OK);  // as good as on the grid: one step
  CHECK(integrator_time(it) == end + 0.5e-9 * h);
  CHECK(integrator_step(it, end + 0.3 * h, NULL) == CAROM_OK);     // off the grid: a short one,
  CHECK(integrator_time(it) == end + 0.3 * h);
  CHECK(integrator_step(it, 1e3, NULL) == CAROM_OK);               // and back to it
  CHECK(integrator_time(it) == origin + 1002 * h);
  CHECK_EQUAL(integrator_get_stats(it).steps, 1003);
  integrator_destroy(it);
}

static void bounds_of_the_step_are_kept(void) {
  for (int k = 0; k < 3; k++) {
    const integrator_settings s = {.rtol = 1e-3, .atol = 1e-3, .step_min = 1e-4, .step_max = 0.02};
    double y[KEPLER_N];
    kepler_exact(0, y);
    integrator *it = integrator_create_ode(ode_kinds[k], &kepler_problem, &s, 0, y, NULL);
    double longest = 0, shortest = 1;
    while (integrator_time(it) < 1 && CHECK(integrator_step(it, 1, NULL) == CAROM_OK)) {
      const double h = integrator_get_stats(it).last_step;
      longest = fmax(longest, h);
      if (integrator_time(it) < 1) shortest = fmin(shortest, h);
    }
    CHECK_LE(longest, s.step_max * (1 + 2e-9));  // a grace against slivers
    CHECK_LE(s.step_min * (1 - 1e-12), shortest);
    integrator_destroy(it);
  }
}

static void the_number_of_steps_is_bounded(void) {
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const integrator_settings s = {.rtol = 1e-9, .atol = 1e-9, .step = 1e-3, .step_max = 1e-3, .max_steps = 10};
    double y[KEPLER_N];
    kepler_exact(0, y);
    carom_error error = {0};
    integrator *it = integrator_create_ode(ode_kinds[k], &kepler_problem, &s, 0, y, NULL);
    for (int i = 0; i < 10; i++) CHECK(integrator_step(it, 1, &error) == CAROM_OK);
    CHECK_EQUAL(integrator_step(it, 1, &error), CAROM_ERROR_INTEGRATOR);
    CHECK_CONTAINS(error.message, "after 10 steps");
    CHECK(integrator_step(it, 2, NULL) == CAROM_OK);  // another stop, another count
    integrator_destroy(it);
  }
}

static void absolute_tolerances_are_scaled(void) {
  // The same motion in units a million times smaller must not change anything when the scale says so. (A power of two,
  // so that no rounding differs.)
  const double unit = 1.0 / (1 << 20), scale[3] = {unit, unit, unit};
  const ode_problem small = {.n = 3, .rhs = rotate, .abs_scale = scale}, plain = {.n = 3, .rhs = rotate};
  const integrator_settings s = {.rtol = 1e-7, .atol = 1e-7};
  double start[3];
  for (int i = 0; i < 3; i++) start[i] = unit * sphere_start[i];
  for (int k = 1; k < 3; k++) {  // BDF's difference quotients know other units than ours
    integrator *a = integrator_create_ode(ode_kinds[k], &plain, &s, 0, sphere_start, NULL);
    integrator *b = integrator_create_ode(ode_kinds[k], &small, &s, 0, start, NULL);
    CHECK(run_to(a, 10) && run_to(b, 10));
    CHECK_EQUAL(integrator_get_stats(a).steps, integrator_get_stats(b).steps);
    for (int i = 0; i < 3; i++) CHECK(integrator_state(a)[i] * unit == integrator_state(b)[i]);
    integrator_destroy(a);
    integrator_destroy(b);
  }
}

// Restart of every kind: the history is gone, the answer is not.
static void a_restart_goes_on_from_the_new_state(void) {
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const integrator_settings s = {.rtol = 1e-10, .atol = 1e-10, .step = ode_kinds[k] == INTEGRATOR_RK4 ? 1e-3 : 0};
    double y[KEPLER_N], exact[KEPLER_N];
    kepler_exact(0, y);
    integrator *it = integrator_create_ode(ode_kinds[k], &kepler_problem, &s, 0, y, NULL);
    CHECK(run_to(it, 1));
    const integrator_stats before = integrator_get_stats(it);
    kepler_exact(3, y);
    CHECK(integrator_restart(it, 3, y, NULL) == CAROM_OK);
    CHECK(integrator_time(it) == 3);
    CHECK(integrator_interpolate(it, 2.9, y) == CAROM_ERROR_USAGE);
    CHECK(run_to(it, 4));
    const integrator_stats after = integrator_get_stats(it);
    kepler_exact(4, exact);
    const double error = distance(integrator_state(it), exact, KEPLER_N);
    CHECK_LE(error, kepler_stretch * 1e-10 * (double)(after.steps - before.steps));
    CHECK(after.rejected >= before.rejected && after.jacobian_evaluations >= before.jacobian_evaluations);
    CHECK(after.rhs_evaluations > before.rhs_evaluations);
    integrator_destroy(it);
  }
}

static bool same_bits(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

typedef struct trail {
  double t[4000], y[4000][KEPLER_N];
  int count;
} trail;

// Follows the orbit with stops at multiples of 0.37, from whatever state it is in; after `hand_over` steps the
// integrator is destroyed and another one made from time, state and next step.
static void follow(trail *path, integrator_kind kind, const ode_problem *problem, integrator_settings s, double *y,
                   int hand_over) {
  integrator *it = integrator_create_ode(kind, problem, &s, 0, y, NULL);
  CHECK(integrator_is_one_step(it));
  path->count = 0;
  for (int stop = 1; stop <= 12; stop++)
    while (integrator_time(it) < 0.37 * stop && path->count < 4000) {
      if (path->count == hand_over) {
        double saved[KEPLER_N];
        memcpy(saved, integrator_state(it), (size_t)problem->n * sizeof *saved);
        const double t = integrator_time(it);
        s.step = integrator_next_step(it);
        integrator_destroy(it);
        it = integrator_create_ode(kind, problem, &s, t, saved, NULL);
      }
      if (!CHECK(integrator_step(it, 0.37 * stop, NULL) == CAROM_OK)) break;
      path->t[path->count] = integrator_time(it);
      memcpy(path->y[path->count++], integrator_state(it), (size_t)problem->n * sizeof(double));
    }
  integrator_destroy(it);
}

static trail whole, resumed;

static void check_resume(integrator_kind kind, const ode_problem *problem, integrator_settings s, double *y) {
  follow(&whole, kind, problem, s, y, -1);
  CHECK(whole.count > 20);
  for (int hand_over = 0; hand_over < whole.count; hand_over += hand_over < 20 ? 1 : 37) {
    follow(&resumed, kind, problem, s, y, hand_over);
    if (!CHECK_EQUAL(resumed.count, whole.count)) break;
    bool same = true;
    for (int i = 0; i < whole.count; i++)
      same = same && whole.t[i] == resumed.t[i] && same_bits(whole.y[i], resumed.y[i], problem->n);
    if (!CHECK(same)) break;
  }
}

static void one_step_methods_resume_bit_by_bit(void) {
  double y[KEPLER_N], on_the_sphere[3] = {0.6, 0, 0.8};
  kepler_exact(0, y);
  for (int order = 2; order <= 8; order++)
    check_resume(INTEGRATOR_ERK, &kepler_problem,
                 (integrator_settings){.rtol = order < 5 ? 1e-6 : 1e-10, .atol = 1e-10, .order_max = order}, y);
  check_resume(INTEGRATOR_ERK, &kepler_problem,
               (integrator_settings){.rtol = 1e-7, .atol = 1e-7, .step_min = 1e-3, .step_max = 0.1}, y);
  check_resume(INTEGRATOR_ERK, &sphere_problem, (integrator_settings){.rtol = 1e-11, .atol = 1e-11}, on_the_sphere);
  long refusals = 0;
  const ode_problem refusing = {.n = 1, .rhs = gompertz_that_refuses, .context = &refusals};
  check_resume(INTEGRATOR_ERK, &refusing, (integrator_settings){.rtol = 1e-9, .atol = 1e-9, .step = 4}, (double[]){50});
  CHECK(refusals > 0);
  check_resume(INTEGRATOR_RK4, &kepler_problem, (integrator_settings){.step = 0.01}, y);
  check_resume(INTEGRATOR_RK4, &sphere_problem, (integrator_settings){.step = 0.01}, on_the_sphere);
}

static void there_may_be_nothing_to_integrate(void) {
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const ode_problem nothing = {.n = 0, .rhs = refuse_always};
    const integrator_settings s = {.rtol = 1e-6, .atol = 1e-6, .step = 0.1, .step_max = 0.1};
    integrator *it = integrator_create_ode(ode_kinds[k], &nothing, &s, 0, NULL, NULL);
    if (!CHECK(it != NULL)) continue;
    CHECK(run_to(it, 1));
    CHECK_EQUAL(integrator_get_stats(it).steps, 10);
    integrator_destroy(it);
  }
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
  // Runge-Kutta pairs have a polynomial of degree 3, 4 from order 5 and 5 from order 6 on, so of the order of the method up
  // to order 6.
  static const struct { int order, expected; double h; } pairs[] = {{2, 2, 0.01}, {3, 3, 0.02}, {4, 4, 0.02},
                                                                    {5, 5, 0.04}, {6, 6, 0.05}, {8, 6, 0.05}};
  for (int i = 0; i < COUNT(pairs); i++) {
    const double h = pairs[i].h;
    integrator_settings s = {.rtol = 1e3, .atol = 1e3, .step = h, .step_min = h, .step_max = h,
                             .order_max = pairs[i].order};
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
  integrator *it = integrator_create_dae(&problem, &(integrator_settings){.rtol = 1e-8, .atol = 1e-8}, 0, y, ydot, NULL);
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
  } cases[] = {{residual_that_stops, CAROM_ERROR_USER, "the residual asked to stop at t = 0."},
               {residual_that_refuses, CAROM_ERROR_INTEGRATOR, "the residual cannot be evaluated on the way"},
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
  RUN(rk4_has_order_4);
  RUN(every_explicit_pair_has_its_order);
  RUN(bdf_has_its_orders);
  RUN(adams_has_its_orders);
  RUN(error_follows_tolerance);
  RUN(pendulum_keeps_its_period);
  RUN(bdf_masters_a_stiff_problem);
  RUN(the_manifold_is_kept);
  RUN(projection_keeps_the_order);
  RUN(adams_with_projection_is_no_less_accurate);
  RUN(a_refused_step_is_tried_shorter);
  RUN(failures_are_told_in_words);
  RUN(the_reason_of_a_function_is_kept);
  RUN(nothing_is_printed);
  RUN(settings_are_checked);
  RUN(stops_are_met_exactly);
  RUN(stops_do_not_shorten_later_steps);
  RUN(fixed_steps_end_on_the_grid);
  RUN(bounds_of_the_step_are_kept);
  RUN(the_number_of_steps_is_bounded);
  RUN(absolute_tolerances_are_scaled);
  RUN(a_restart_goes_on_from_the_new_state);
  RUN(one_step_methods_resume_bit_by_bit);
  RUN(there_may_be_nothing_to_integrate);
  RUN(the_state_between_steps_is_as_good);
  RUN(ida_has_its_orders_on_a_ggl_pendulum);
  RUN(ida_works_at_tight_tolerance);
  RUN(ida_starts_with_any_step);
  RUN(ida_tries_again_after_a_refusal);
  RUN(ida_restarts_stops_and_interpolates);
  RUN(ida_makes_a_rough_start_consistent);
  RUN(ida_tells_failures_in_words);
  return check_summary();
}
