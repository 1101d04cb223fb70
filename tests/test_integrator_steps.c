// Integrators step by step: refusals and failures, stops and bounds, restarts and resumes.
#include "integrators.h"

#include <float.h>

#include "base/error.h"

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
    CHECK_CONTAINS(error.message, "the right-hand side cannot be evaluated");
    CHECK_CONTAINS(error.message, kind == INTEGRATOR_RK4 ? "use a smaller step" : "even with the smallest step");

    error = failing_run(kind, refuse_always, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_INTEGRATOR);
    if (kind == INTEGRATOR_RK4) continue;  // it does not look before it steps, and has no test of errors
    CHECK_CONTAINS(error.message, "cannot be evaluated at the initial state");

    error = failing_run(kind, blow_up, s);
    CHECK_EQUAL(error.status, CAROM_ERROR_INTEGRATOR);
    CHECK(strstr(error.message, "at t = 1") || strstr(error.message, "at t = 0.9999"));

    error = failing_run(kind, decay, (integrator_settings){.rtol = 1e-18, .atol = 1e-300});
    CHECK_CONTAINS(error.message, "below the rounding error");
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
  fflush(stderr);
  const int saved = dup(2);
  if (!CHECK(saved >= 0 && freopen(scratch("stderr"), "w", stderr))) return;
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
  static const struct {
    integrator_kind kind;
    integrator_settings s;
    const char *words;
  } wrong[] = {
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
  CHECK(integrator_step(it, end + 0.3 * h, NULL) == CAROM_OK);  // off the grid: a short one,
  CHECK(integrator_time(it) == end + 0.3 * h);
  CHECK(integrator_step(it, 1e3, NULL) == CAROM_OK);  // and back to it
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

// Not that of the step before the restart, wherever in the short step one looks.
static void a_step_of_rounding_after_a_restart_keeps_the_state(void) {
  for (int k = 0; k < COUNT(ode_kinds); k++) {
    const integrator_settings s = {.rtol = 1e-10, .atol = 1e-10, .step = ode_kinds[k] == INTEGRATOR_RK4 ? 1e-3 : 0};
    double y[KEPLER_N], seen[KEPLER_N];
    kepler_exact(0, y);
    integrator *it = integrator_create_ode(ode_kinds[k], &kepler_problem, &s, 0, y, NULL);
    CHECK(run_to(it, 1));
    CHECK(integrator_interpolate(it, nextafter(1, 0), y) == CAROM_OK);  // the polynomial over the step is known
    kepler_exact(3, y);
    for (int ulps = 1; ulps <= 4; ulps++) {
      const double to = 3 + 2 * ulps * DBL_EPSILON;
      CHECK(integrator_restart(it, 3, y, NULL) == CAROM_OK);
      CHECK(integrator_step(it, to, NULL) == CAROM_OK);
      CHECK(integrator_time(it) == to);
      for (double t = 3; t <= to; t = nextafter(t, 4))
        if (CHECK(integrator_interpolate(it, t, seen) == CAROM_OK)) CHECK_LE(distance(seen, y, KEPLER_N), 1e-14);
    }
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

int main(void) {
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
  RUN(a_step_of_rounding_after_a_restart_keeps_the_state);
  RUN(one_step_methods_resume_bit_by_bit);
  RUN(there_may_be_nothing_to_integrate);
  return check_summary();
}
