// For tests on integrators: problems whose solutions are known, and runs on them.
#ifndef CAROM_TESTS_INTEGRATORS_H
#define CAROM_TESTS_INTEGRATORS_H

#include "check.h"

#include "integrate/integrator.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
CHECK_UNUSED_OK static const integrator_kind ode_kinds[] = {INTEGRATOR_BDF, INTEGRATOR_ADAMS, INTEGRATOR_ERK,
                                                            INTEGRATOR_RK4};

// Makes steps up to t_end; false after a failure, which is printed.
CHECK_UNUSED_OK static bool run_to(integrator *it, double t_end) {
  carom_error error = {0};
  while (integrator_time(it) < t_end)
    if (integrator_step(it, t_end, &error) != CAROM_OK) {
      printf("    %s\n", error.text);
      return false;
    }
  return true;
}

CHECK_UNUSED_OK static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// ---- Kepler's orbit: smooth, nonlinear in every component, and known exactly ---------------------------------------

enum { KEPLER_N = 4 };
CHECK_UNUSED_OK static const double eccentricity = 0.3;

CHECK_UNUSED_OK static int kepler(void *context, double t, const double *y, double *ydot) {
  (void)t;
  if (context) ++*(long *)context;
  const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  ydot[0] = y[2], ydot[1] = y[3], ydot[2] = -y[0] / r3, ydot[3] = -y[1] / r3;
  return 0;
}

CHECK_UNUSED_OK static void kepler_exact(double t, double *y) {
  const double e = eccentricity, b = sqrt(1 - e * e);
  double E = t;
  for (int i = 0; i < 50; i++) E -= (E - e * sin(E) - t) / (1 - e * cos(E));
  const double rate = 1 / (1 - e * cos(E));
  y[0] = cos(E) - e, y[1] = b * sin(E), y[2] = -sin(E) * rate, y[3] = b * cos(E) * rate;
}

CHECK_UNUSED_OK static const ode_problem kepler_problem = {.n = KEPLER_N, .rhs = kepler};

typedef struct outcome {
  double error;
  integrator_stats stats;
} outcome;

CHECK_UNUSED_OK static outcome kepler_run(integrator_kind kind, const integrator_settings *settings, double t_end) {
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
CHECK_UNUSED_OK static const double order_slack = 0.5;

// An error made on the way is stretched by the motion: up to t = 4 by 36 at most, from the variational equation of the
// orbit (Frobenius norm of the flow's derivative, integrated apart). So N local errors of rtol give 36 N rtol.
CHECK_UNUSED_OK static const double kepler_stretch = 36;

// A multistep method of order q chooses h so that h^(q+1) ~ rtol, that is steps ~ rtol^(-1/(q+1)), and keeps the error
// within the bound above: together error ~ steps^-q. The steps of the start, at lower orders, are a part that hardly
// grows with the tolerance, so that q comes out too high if anything; a method of order q - 1 would be off by one.
CHECK_UNUSED_OK static void check_multistep_order(int order, const outcome *loose, const outcome *tight,
                                                  double rtol_ratio) {
  const double steps_ratio = (double)tight->stats.steps / (double)loose->stats.steps;
  CHECK_LE(order + 1 - order_slack, log(rtol_ratio) / log(steps_ratio));
  CHECK(tight->stats.last_order <= order);
}

// ---- pendulum ------------------------------------------------------------------------------------------------------

CHECK_UNUSED_OK static int pendulum(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  ydot[0] = y[1], ydot[1] = -9.81 * sin(y[0]);
  return 0;
}

// ---- a manifold: rotation on the unit sphere -----------------------------------------------------------------------

CHECK_UNUSED_OK static const double omega[3] = {0.3, -1.1, 0.7};

CHECK_UNUSED_OK static int rotate(void *context, double t, const double *y, double *ydot) {
  (void)context, (void)t;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    ydot[i] = omega[j] * y[k] - omega[k] * y[j];
  }
  return 0;
}

CHECK_UNUSED_OK static double norm3(const double *y) { return sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]); }

// The same on the sphere; beside it the distance grows like e^(2t), so that only a projected run comes to an end.
CHECK_UNUSED_OK static int rotate_repelled(void *context, double t, const double *y, double *ydot) {
  rotate(context, t, y, ydot);
  const double push = y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1;
  for (int i = 0; i < 3; i++) ydot[i] += push * y[i];
  return 0;
}

CHECK_UNUSED_OK static int onto_sphere(void *context, double t, double *y, double *error) {
  (void)context, (void)t;
  const double r = norm3(y);
  for (int i = 0; i < 3; i++) y[i] /= r;
  if (!error) return 0;
  const double across = y[0] * error[0] + y[1] * error[1] + y[2] * error[2];
  for (int i = 0; i < 3; i++) error[i] -= across * y[i];
  return 0;
}

CHECK_UNUSED_OK static const ode_problem sphere_problem = {.n = 3, .rhs = rotate_repelled, .project = onto_sphere};
CHECK_UNUSED_OK static const double sphere_start[3] = {0.6, 0, 0.8};

#endif
