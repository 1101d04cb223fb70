// Method iterative: orders of convergence through contact, closed forms, and how many evaluations a step takes.
#include "runs.h"

#define ITERATIVE "method={\"iterative\":{\"step\":%.17g}}"

typedef struct effort {
  long steps, evaluations;
  long fallbacks;
} effort;

static effort effort_of(const run *r) {
  carom_summary s = carom_sim_summary(r->sim);
  return (effort){s.steps, s.evaluations, s.fallbacks};
}

static double evaluations_per_step(effort from, effort to) {
  return (double)(to.evaluations - from.evaluations) / (double)(to.steps - from.steps);
}

// --- the double pendulum in space ------------------------------------------------------------------------------------

enum { NUMBERS = 20 };

typedef struct found {
  double x[NUMBERS];  // coordinates and speeds at the end
  double drift;       // of the mass centre sideways [m]
} found;

static bool swing(const char *how, double step, double end, found *to) {
  run r;
  char settings[512];
  int length = snprintf(settings, sizeof settings, "%s ", how);
  snprintf(settings + length, sizeof settings - (size_t)length, ITERATIVE, step);
  if (!run_open(&r, "double-pendulum-space", settings)) return false;
  double start[2] = {run_read(&r, "x"), run_read(&r, "y")};
  bool done = run_to(&r, end);
  for (int k = 0; k < 7; k++) to->x[k] = run_read(&r, "a.q%d", k);
  for (int k = 0; k < 4; k++) to->x[7 + k] = run_read(&r, "b.q%d", k);
  for (int k = 0; k < 6; k++) to->x[11 + k] = run_read(&r, "a.u%d", k);
  for (int k = 0; k < 3; k++) to->x[17 + k] = run_read(&r, "b.u%d", k);
  to->drift = hypot(run_read(&r, "x") - start[0], run_read(&r, "y") - start[1]);
  CHECK_EQUAL(effort_of(&r).fallbacks, 0);
  run_close(&r);
  return done;
}

static double apart(const found *a, const found *b) {
  double most = 0;
  for (int k = 0; k < NUMBERS; k++) most = fmax(most, fabs(a->x[k] - b->x[k]));
  return most;
}

// Runs with a step and its halves; differences of one to the next fall with the order. Returns the least order of
// differences that are well above rounding, 1e-12 after hundreds of steps.
static double order_of(const char *how, double step, int halvings, double end, found *of) {
  double least = INFINITY, before = 0;
  for (int i = 0; i <= halvings; i++)
    if (!swing(how, step / (1 << i), end, &of[i])) return 0;
  printf("    %s to %g s from %g s:", how, end, step);
  for (int i = 0; i < halvings; i++) {
    double d = apart(&of[i], &of[i + 1]);
    if (i && d > 1e-12) least = fmin(least, log2(before / d));
    printf(" %.1e", d);
    before = d;
  }
  printf(", order %.2f\n", least);
  return least;
}

// It falls 1 m onto a smooth plane and stays there. From 4 ms to 0.5 ms; order four, less what the place of the touch
// within its step changes in the error. The drift is an error as well.
static void a_smooth_touchdown_keeps_order_four(void) {
  found x[5];
  CHECK_LE(3.8, order_of("case=3", 4e-3, 3, 3, x));
  printf("    drift %.1e %.1e %.1e %.1e m\n", x[0].drift, x[1].drift, x[2].drift, x[3].drift);
  CHECK_LE(x[2].drift, 1e-10);  // at 1 ms
  CHECK_LE(3.8, log2(x[0].drift / x[3].drift) / 3);
}

// Case 1 slides all the time at first, with friction 0.2.
static void sliding_keeps_order_four(void) {
  found x[4];
  CHECK_LE(3.7, order_of("case=1", 8e-3, 2, 0.4, x));
}

// Case 2: it falls, sticks and slides in turn. Instants are located with order four where slip passes through zero, and
// with order three where linear forces are looked at within a step.
static void touch_stop_and_start_of_slip_keep_their_order(void) {
  found x[3];
  CHECK_LE(2.5, order_of("case=2", 4e-3, 2, 3, x));
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// With e = 0.5 from 1 m: impacts at t1, 2 t1, 2.5 t1 … t1 = sqrt(2 h/g), at rest after 3 t1. Between impacts the motion
// is a parabola, which the method follows exactly. Bounces below 1e-11 m are summed in closed form.
static void a_ball_bounces_as_in_closed_form(void) {
  const double t1 = sqrt(2 / 9.81), v1 = 9.81 * t1;
  run r;
  if (!run_open(&r, "bouncing-ball", "e=0.5 gravity=[0,-9.81] method={\"iterative\":{\"step\":0.01}}")) return;
  double t = t1, v = v1;
  for (int k = 0; k < 6; k++) {  // halfway up after each impact
    v *= 0.5;
    double up = 0.5 * v / 9.81;
    if (!run_to(&r, t + up)) return;
    CHECK_NEAR(run_read(&r, "fall.q2"), v * up - 0.5 * 9.81 * up * up, 1e-11);
    t += 2 * v / 9.81;
  }
  CHECK(run_to(&r, 3 * t1 + 0.1));
  CHECK_NEAR(run_read(&r, "fall.q2"), 0, 1e-11);
  CHECK_NEAR(run_read(&r, "ball-floor.fn"), 9.81, 1e-9);
  run_close(&r);
}

// A block thrown up a slope slides, stops and stays, on two corners: after v0/a at v0²/2a with a = g (sin + mu cos).
static void a_block_thrown_up_a_slope_stops_and_stays(void) {
  const double slope = 20 * M_PI / 180, a = 9.81 * (sin(slope) + 0.5 * cos(slope)), v0 = 3;
  run r;
  if (!run_open(&r, "incline-box", "initial.box.velocity=[-3,0] method={\"iterative\":{\"step\":0.01}}")) return;
  if (!run_to(&r, 0.99 * v0 / a)) return;
  CHECK_NEAR(run_read(&r, "rest.u1"), -0.01 * v0, 1e-9);
  for (int k = 1; k <= 2; k++) {
    if (!run_to(&r, k * v0 / a + 1e-9 * (k == 1))) return;
    CHECK_NEAR(run_read(&r, "rest.q1"), -v0 * v0 / (2 * a), 1e-9);
    CHECK_NEAR(run_read(&r, "rest.u1"), 0, 1e-9);
  }
  CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * 3 * v0 * v0 - 3 * 9.81 * sin(slope) * v0 * v0 / (2 * a), 1e-8);
  run_close(&r);
}

// --- effort ----------------------------------------------------------------------------------------------------------

// Evaluations of the right-hand side per step, between two times: on average and at most.
static void count_evaluations(const char *model, const char *settings, double from, double to, double most,
                              double worst) {
  run r;
  if (!run_open(&r, model, settings)) return;
  bool done = run_to(&r, from);
  effort start = effort_of(&r), before = start;
  double largest = 0;
  while (done && carom_sim_time(r.sim) < to) {
    done = CHECK(carom_sim_step(r.sim, to, &r.error) == CAROM_OK);
    effort now = effort_of(&r);
    if (now.steps > before.steps) largest = fmax(largest, evaluations_per_step(before, now));
    before = now;
  }
  double mean = evaluations_per_step(start, before);
  printf("    %s: %.1f evaluations per step, at most %.0f\n", model, mean, largest);
  CHECK_LE(mean, most);
  CHECK_LE(largest, worst);
  run_close(&r);
}

static void a_step_takes_few_evaluations(void) {
  count_evaluations("double-pendulum-space", "case=1 method={\"iterative\":{\"step\":0.001}}", 0.1, 0.5, 14, 20);
  count_evaluations("double-pendulum-space", "case=3 method={\"iterative\":{\"step\":0.001}}", 0.6, 2, 14, 20);
}

int main(void) {
  RUN(a_smooth_touchdown_keeps_order_four);
  RUN(sliding_keeps_order_four);
  RUN_OPTIMISED(touch_stop_and_start_of_slip_keep_their_order);
  RUN(a_ball_bounces_as_in_closed_form);
  RUN(a_block_thrown_up_a_slope_stops_and_stays);
  RUN(a_step_takes_few_evaluations);
  return check_summary();
}
