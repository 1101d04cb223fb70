// States and signals of a model: loops against their closed forms under every method, limits, resets, resumed runs.
#include "runs.h"

#include <float.h>

static const char *const integrated[] = {
    "method=smooth",       "method=event",        "method=compliant",     "integrator.type=bdf",
    "integrator.type=erk", "integrator.type=ida", "coordinates=absolute", "integrator.type=ida coordinates=absolute"};
enum { INTEGRATED = sizeof integrated / sizeof *integrated };
static const double rtol = 1e-10;

static bool open_integrated(run *r, const char *text, int k) {
  char settings[256];
  snprintf(settings, sizeof settings, "%s integrator.rtol=%g integrator.atol=%g", integrated[k], rtol, rtol);
  return run_open_text(r, text, settings);
}

static bool open_stepper(run *r, const char *text, double h, const char *terms, const char *more) {
  char settings[256];
  snprintf(settings, sizeof settings, "method.moreau.step=%.17g method.moreau.velocity_terms=%s %s", h, terms, more);
  return run_open_text(r, text, settings);
}

#define ROTOR                                  \
  "space: planar\ngravity: [0, 0]\n"           \
  "bodies: {rotor: {mass: 1, inertia: 0.5}}\n" \
  "joints: {hinge: {revolute: [ground, rotor]}}\n"

// --- linear loops: x' = A x + b --------------------------------------------------------------------------------------

enum { MOST = 4 };  // with b as a last column
typedef double matrix[MOST][MOST];

static void multiply(matrix a, matrix b, matrix to) {
  matrix c;
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) {
      c[i][j] = 0;
      for (int k = 0; k < MOST; k++) c[i][j] += a[i][k] * b[k][j];
    }
  memcpy(to, c, sizeof c);
}

// x(t) = exp(A t) x(0) with a last component of 1: exp(A t) - 1 by its series at t/2^20, doubled twenty times without
// cancellation.
static void solve_linear(matrix A, double t, double x[MOST]) {
  matrix M, term = {{0}}, E = {{0}}, square;
  double out[MOST];
  for (int i = 0; i < MOST; i++)
    for (int j = 0; j < MOST; j++) M[i][j] = ldexp(A[i][j] * t, -20);
  for (int i = 0; i < MOST; i++) term[i][i] = 1;
  for (int k = 1; k < 12; k++) {
    multiply(term, M, term);
    for (int i = 0; i < MOST; i++)
      for (int j = 0; j < MOST; j++) term[i][j] /= k, E[i][j] += term[i][j];
  }
  for (int s = 0; s < 20; s++) {
    multiply(E, E, square);
    for (int i = 0; i < MOST; i++)
      for (int j = 0; j < MOST; j++) E[i][j] = 2 * E[i][j] + square[i][j];
  }
  for (int i = 0; i < MOST; i++) {
    out[i] = x[i];
    for (int j = 0; j < MOST; j++) out[i] += E[i][j] * x[j];
  }
  memcpy(x, out, sizeof out);
}

typedef struct loop {
  const char *text;
  matrix A;              // the last row is zero, the last column what is given
  const char *names[3];  // of the signals
  double end;
} loop;

static double loop_error(run *r, const loop *l) {
  double x[MOST] = {0, 0, 0, 1}, worst = 0;
  matrix A;
  memcpy(A, l->A, sizeof A);
  solve_linear(A, l->end, x);
  for (int i = 0; i < 3; i++)
    if (l->names[i]) worst = fmax(worst, fabs(run_read(r, "%s", l->names[i]) - x[i]) / fmax(1, fabs(x[i])));
  return worst;
}

// Integrators to a hundred tolerances; a time stepper of order one, of order two with the terms of the midpoint.
static void check_loop(const loop *l) {
  run r;
  for (int k = 0; k < INTEGRATED; k++) {
    if (!open_integrated(&r, l->text, k)) return;
    for (int i = 0; i < 3; i++)
      if (l->names[i]) CHECK_NEAR(run_read(&r, "%s", l->names[i]), 0, 0);  // at the start
    if (run_to(&r, l->end)) CHECK_LE(loop_error(&r, l), 100 * rtol);
    run_close(&r);
  }
  static const char *const terms[] = {"start", "midpoint"}, *const coordinates[] = {"coordinates=joint",
                                                                                    "coordinates=absolute"};
  for (int k = 0; k < 4; k++) {
    double errors[3] = {0};
    for (int i = 0; i < 3; i++) {
      if (!open_stepper(&r, l->text, ldexp(2e-3, -i), terms[k % 2], coordinates[k / 2])) return;
      if (run_to(&r, l->end)) errors[i] = loop_error(&r, l);
      CHECK_NEAR(run_read(&r, "energy.imbalance"), 0, 1e-9);  // work is booked as the velocity changes
      run_close(&r);
    }
    // the next term of the error is of one order more: what it adds to the order is halved with the step
    for (int i = 0; i < 2; i++) CHECK_NEAR(log2(errors[i] / errors[i + 1]), 1 + k % 2, ldexp(0.1, -i));
  }
}

// J q'' = kp (1 - q) + ki z - kd q',  z' = 1 - q: the roots of J s^3 + kd s^2 + kp s + ki.
static void a_pid_loop_on_a_rotor(void) {
  const double J = 0.5, kp = 40, ki = 60, kd = 6;
  check_loop(&(loop){.end = 2,
                     .names = {"integral", "hinge.q", "hinge.u"},
                     .A = {{0, -1, 0, 1}, {0, 0, 1, 0}, {ki / J, -kp / J, -kd / J, kp / J}, {0}},
                     .text = "space: planar\ngravity: [0, 0]\n"
                             "bodies: {rotor: {mass: 1, inertia: 0.5}}\n"
                             "joints: {hinge: {revolute: [ground, rotor]}}\n"
                             "signals:\n"
                             "  torque: 40 N*m*error + 60 N*m/s*integral - 6 N*m*s*hinge.u\n"
                             "  error: 1 rad - hinge.q\n"
                             "states: {integral: {rate: error, unit: rad*s}}\n"
                             "forces: {motor: {along: hinge, effort: torque}}\n"});
}

// L i' = V - R i - k w,  J w' = k i - b w
static void a_direct_current_motor(void) {
  const double L = 0.02, R = 0.8, k = 0.15, J = 2e-3, b = 1e-3, V = 12;
  check_loop(&(loop){.end = 0.1,
                     .names = {"current", "shaft.u"},
                     .A = {{-R / L, -k / L, 0, V / L}, {k / J, -b / J, 0, 0}, {0}, {0}},
                     .text = "space: planar\ngravity: [0, 0]\n"
                             "bodies: {rotor: {mass: 1, inertia: 2e-3}}\n"
                             "joints: {shaft: {revolute: [ground, rotor]}}\n"
                             "states: {current: {rate: (12 - 0.8*current - 0.15*shaft.u)/0.02}}\n"
                             "forces: {motor: {along: shaft, effort: 0.15*current, damping: 1e-3}}\n"});
}

// --- limits and resets -----------------------------------------------------------------------------------------------

// z' = 1 - t between -0.5 and 0.3: at the upper limit from 1 - sqrt(0.4) until its rate changes sign, then down to the
// lower one.
static double limited(double t) {
  if (t < 1 - sqrt(0.4)) return t - t * t / 2;
  return t < 1 ? 0.3 : fmax(-0.5, 0.3 - (t - 1) * (t - 1) / 2);
}

static void a_state_rests_at_its_limits(void) {
  static const char text[] =
      ROTOR "states: {z: {rate: 1 - t, limits: [-0.5, 0.3]}}\nforces: {push: {along: hinge, effort: z}}\n";
  for (int k = 0; k < INTEGRATED; k++) {
    run r;
    if (!open_integrated(&r, text, k)) return;
    for (int i = 1; i <= 30 && run_to(&r, 0.1 * i); i++) CHECK_NEAR(run_read(&r, "z"), limited(0.1 * i), 100 * rtol);
    run_close(&r);
  }
  run r;
  const double h = 7e-3;
  if (!open_stepper(&r, text, h, "midpoint", "")) return;
  for (int n = 1; n <= 30 && run_to(&r, 0.1 * n); n++)
    CHECK_NEAR(run_read(&r, "z"), limited(0.1 * n), h * h);  // in the step in which it leaves: h²/8
  run_close(&r);
}

typedef struct phase {
  matrix A;
  double x[MOST], t;
} phase;

// The time from the start of a phase at which component k of its rates or values reaches a level.
static double reach(const phase *p, const double row[MOST], double level, double from, double to) {
  for (int i = 0; i < 100; i++) {
    double t = 0.5 * (from + to), x[MOST], f = -level;
    matrix A;
    memcpy(A, p->A, sizeof A), memcpy(x, p->x, sizeof x);
    solve_linear(A, t, x);
    for (int k = 0; k < MOST; k++) f += row[k] * x[k];
    if (f > 0) to = t;
    else from = t;
  }
  return 0.5 * (from + to);
}

static phase go_on(const phase *p, double t, matrix A) {
  phase next = *p;
  matrix before;
  memcpy(before, p->A, sizeof before);
  solve_linear(before, t, next.x);
  memcpy(next.A, A, sizeof next.A);
  next.t += t;
  return next;
}

// The loop above with a weak motor: its integral part is limited to 0.2 rad s, which it reaches, keeps until the error
// changes sign, and leaves.
#define WEAK                                                                              \
  ROTOR                                                                                   \
  "signals: {error: 1 - hinge.q}\nstates: {integral: {rate: error, limits: [-1, 0.2]}}\n" \
  "forces: {motor: {along: hinge, effort: 8*error + 30*integral - 2*hinge.u}}\n"

// A time stepper with the terms of the midpoint is of order two here as well. Where in its step the state reaches and
// leaves the limit changes the coefficient, so the order is that of four halvings, to a quarter of a factor of two.
static void check_order_at_a_limit(double t, const double x[3]) {
  enum { HALVINGS = 4 };
  double errors[2] = {0};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!open_stepper(&r, WEAK, ldexp(2e-3, -HALVINGS * i), "midpoint", "")) return;
    if (run_to(&r, t))
      errors[i] =
          hypot(hypot(run_read(&r, "integral") - x[0], run_read(&r, "hinge.q") - x[1]), run_read(&r, "hinge.u") - x[2]);
    run_close(&r);
  }
  CHECK_NEAR(log2(errors[0] / errors[1]) / HALVINGS, 2, 0.25);
}

static void anti_windup_of_a_pid_loop(void) {
  const double J = 0.5, kp = 8, ki = 30, kd = 2, most = 0.2;
  matrix free = {{0, -1, 0, 1}, {0, 0, 1, 0}, {ki / J, -kp / J, -kd / J, kp / J}, {0}};
  matrix held = {{0}, {0, 0, 1, 0}, {ki / J, -kp / J, -kd / J, kp / J}, {0}};
  phase first = {.x = {0, 0, 0, 1}};
  memcpy(first.A, free, sizeof free);
  double t1 = reach(&first, (double[]){1, 0, 0, 0}, most, 0, 0.4);
  phase second = go_on(&first, t1, held);
  second.x[0] = most;
  double t2 = reach(&second, (double[]){0, 1, 0, 0}, 1, 0, 0.8);  // q = 1: the error is zero
  phase third = go_on(&second, t2, free), end = go_on(&third, 1.2 - third.t, free);
  CHECK(third.t > 0.3 && third.t < 0.9);
  CHECK(end.x[0] < most - 0.01);
  for (int k = 0; k < INTEGRATED; k++) {
    run r;
    if (!open_integrated(&r, WEAK, k)) return;
    if (run_to(&r, 0.5 * (t1 + third.t))) CHECK_NEAR(run_read(&r, "integral"), most, 0);
    if (run_to(&r, 1.2)) {
      CHECK_NEAR(run_read(&r, "integral"), end.x[0], 100 * rtol);
      CHECK_NEAR(run_read(&r, "hinge.q"), end.x[1], 100 * rtol);
      CHECK_NEAR(run_read(&r, "hinge.u"), end.x[2], 100 * rtol);
    }
    run_close(&r);
  }
  check_order_at_a_limit(1.2, end.x);
}

// J q'' = z, z' = 2: 2 t, from 0.3 on 0.5 + 2 (t - 0.3), from 0.7 on 0.5 + 2 (t - 0.7). Time steppers end a step at a
// reset.
static void states_are_reset(void) {
  static const char text[] =
      ROTOR "states: {z: {rate: 2, reset_at: [0.7, 0.3], reset_to: 0.5}}\nforces: {push: {along: hinge, effort: z}}\n";
  double speed = (0.3 * 0.3 + 0.5 * 0.4 + 0.4 * 0.4 + 0.5 * 0.3 + 0.3 * 0.3) / 0.5;
  for (int k = 0; k <= INTEGRATED; k++) {
    run r;
    if (!(k < INTEGRATED ? open_integrated(&r, text, k) : open_stepper(&r, text, 1.1e-3, "midpoint", ""))) return;
    if (run_to(&r, 0.3)) CHECK_NEAR(run_read(&r, "z"), 0.5, 0);  // the row has the value after it
    if (run_to(&r, 1)) {
      CHECK_NEAR(run_read(&r, "z"), 1.1, 1e-12);
      CHECK_NEAR(run_read(&r, "hinge.u"), speed, 100 * rtol);
    }
    run_close(&r);
  }
}

// A reset at the start changes nothing, and one beyond the end is not met.
static void resets_outside_the_run_are_noted(void) {
  run r;
  if (!run_open_text(&r, ROTOR "states: {z: {rate: 2, reset_at: [0.3, 0, 1, 4, -1]}}\nend: 1\n", NULL)) return;
  CHECK_CONTAINS(carom_model_note(r.model, 0), "state 'z' is not reset at 0 s: the run is from 0 to 1 s");
  CHECK_CONTAINS(carom_model_note(r.model, 1), "at 4 s");
  CHECK_CONTAINS(carom_model_note(r.model, 2), "at -1 s");
  CHECK(!carom_model_note(r.model, 3));
  run_close(&r);
}

// A time stepper evaluates a rate once in a step, and never at the pole itself. Where in the step it lies must not
// matter. Other rates are as large, but their integral is finite: these runs go on.
static void time_steppers_do_not_step_over_a_pole(void) {
  const struct {
    const char *rate;
    bool pole;
  } cases[] = {
      {"1/(0.5 + %g - t)", true},
      {"1/(0.5 + %g - t)^2", true},
      {"1/(hinge.q - 0.5 - %g)", true},  // the rotor turns with 1 rad/s
      {"1/sqrt(abs(0.5 + %g - t))", false},
      {"if(t < 0.5 + %g, 1, -1000)", false},
      {"1e5*exp(-(1e3*(t - 0.5 - %g))^2)", false},  // as narrow as a step
      {"sin(30*(t - %g))", false},
      {"if(t < 0.4995, 0, max(100, 1e12*(hinge.q - 0.5 - %g)))", false},  // grows towards the end of a step
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (double part = 0.01; part < 1; part += cases[i].pole ? 0.04 : 0.12) {
      char rate[96], text[512];
      run r;
      snprintf(rate, sizeof rate, cases[i].rate, part * 1e-3);
      snprintf(text, sizeof text, ROTOR "initial: {hinge: {u: 1}}\nstates: {z: {rate: \"%s\"}}\n", rate);
      if (!open_stepper(&r, text, 1e-3, "start", "")) return;
      carom_status status = carom_sim_advance(r.sim, 1, &r.error);
      CHECK_EQUAL(status, cases[i].pole ? CAROM_ERROR_INTEGRATOR : CAROM_OK);
      if (cases[i].pole) CHECK_CONTAINS(r.error.text, "the rate of state 'z' becomes infinite at t = 0.50");
      else if (status) printf("    %s: %s\n", rate, r.error.text);
      run_close(&r);
    }
}

// z' = 10 z^2 + 10 is infinite at t = pi/20, and overflows a little later.
static void a_state_that_overflows_ends_the_run(void) {
  run r;
  if (!open_stepper(&r, ROTOR "states: {z: {rate: 10*z^2 + 10}}\n", 1e-3, "start", "")) return;
  CHECK_EQUAL(carom_sim_advance(r.sim, 1, &r.error), CAROM_ERROR_INTEGRATOR);
  CHECK_CONTAINS(r.error.text, "state 'z'");
  run_close(&r);
}

// z' = -10 z under steps that are too long for it: z is multiplied by -9 in each one.
static void a_state_that_grows_from_step_to_step_is_told(void) {
  run r;
  if (!open_stepper(&r, ROTOR "states: {z: {rate: -10*z, initial: 1}}\n", 1, "start", "")) return;
  CHECK_EQUAL(carom_sim_advance(r.sim, 400, &r.error), CAROM_ERROR_INTEGRATOR);
  CHECK_CONTAINS(r.error.text, "state 'z'");
  CHECK_CONTAINS(r.error.text, "the rate of a state is too large for this step");
  run_close(&r);
}

// --- motors ----------------------------------------------------------------------------------------------------------

// T e' = 4 - e, J w' = e
static void a_motor_lags(void) {
  const double T = 0.05, J = 0.5;
  check_loop(&(loop){.end = 0.2,
                     .names = {NULL, "hinge.u"},
                     .A = {{-1 / T, 0, 0, 4 / T}, {1 / J, 0, 0, 0}, {0}, {0}},
                     .text = ROTOR "forces: {motor: {motor: hinge, effort: 4 N*m, lag: 50 ms}}\n"});
}

// J w' = 10 t up to its limit of 3, where it stays; with a lag T, and the other way: e = a (t - T (1 - exp(-t/T))) up
// to t1, then towards the limit.
static void a_motor_is_limited(void) {
  for (int k = 0; k < INTEGRATED; k++) {
    run r;
    if (!open_integrated(&r, ROTOR "forces: {motor: {motor: hinge, effort: 10*t, limit: 3 N*m}}\n", k)) return;
    if (run_to(&r, 0.5)) {
      CHECK_NEAR(run_read(&r, "hinge.u"), (0.45 + 0.6) / 0.5, 100 * rtol);
      CHECK_NEAR(run_read(&r, "motor.effort"), 3, 0);
      CHECK_NEAR(run_read(&r, "motor.asked"), 5, 1e-14);
      CHECK_NEAR(run_read(&r, "motor.power"), 3 * run_read(&r, "hinge.u"), 1e-14);
      CHECK_NEAR(run_read(&r, "energy.applied"), run_read(&r, "energy.kinetic"), 100 * rtol);
    }
    run_close(&r);
    if (!open_integrated(&r, ROTOR "forces: {motor: {motor: hinge, effort: -10*t, limit: 3 N*m, lag: 0.1}}\n", k))
      return;
    double T = 0.1, at = 10 * (0.3 - T * (1 - exp(-0.3 / T)));
    if (run_to(&r, 0.5)) CHECK_NEAR(run_read(&r, "motor.effort"), -(3 + (at - 3) * exp(-0.2 / T)), 100 * rtol);
    run_close(&r);
    // a limit that falls with the speed: J w' = 5 - 0.4 w
    if (!open_integrated(&r, ROTOR "forces: {motor: {motor: hinge, effort: 100, limit: 5 - 0.4*hinge.u}}\n", k)) return;
    if (run_to(&r, 1)) CHECK_NEAR(run_read(&r, "hinge.u"), 12.5 * (1 - exp(-0.8)), 100 * rtol * 5);
    run_close(&r);
  }
}

// Steps may be far longer than the lag: the effort follows what is asked within two steps, and stays below the limit.
static void a_lag_may_be_shorter_than_a_step(void) {
  static const char *const terms[] = {"start", "midpoint"};
  const double h = 1e-2;
  for (int k = 0; k < 2; k++) {
    run r;
    if (!open_stepper(&r, ROTOR "forces: {motor: {motor: hinge, effort: 10*t, limit: 3 N*m, lag: 10 us}}\n", h,
                      terms[k], ""))
      return;
    for (int i = 1; i <= 50 && run_to(&r, h * i); i++)
      CHECK_NEAR(run_read(&r, "motor.effort"), fmin(10 * h * i, 3), 2 * 10 * h);
    CHECK_NEAR(run_read(&r, "hinge.u"), (0.45 + 0.6) / 0.5, 2 * 3 * h / 0.5);
    run_close(&r);
  }
}

// --- what else sees them ---------------------------------------------------------------------------------------------

// Under a time stepper states between rows are on a line from step to step; under an integrator on its dense output.
static void outputs_and_tables_see_states(void) {
  run r;
  if (!run_open_text(&r,
                     ROTOR "tables: {curve: {type: natural, points: [[0, 1], [1, 3], [2, 2]]}}\n"
                           "signals: {b: a + 1, a: curve(z)*2, c: \"max(b, hinge.q)\"}\nstates: {z: {rate: 0.5, "
                           "initial: 0.5}}\noutputs: {o: c + z}\n",
                     NULL))
    return;
  if (run_to(&r, 1)) {
    CHECK_NEAR(run_read(&r, "z"), 1, 1e-8);
    CHECK_NEAR(run_read(&r, "a"), 6, 1e-7);
    CHECK_NEAR(run_read(&r, "o"), 8, 1e-7);
  }
  run_close(&r);
}

// Terms of the midpoint make time stepping of order two where velocities make forces, in joint coordinates: velocities
// that constraints bind are of order one, since constraints hold in the middle of steps.
static void midpoint_terms_are_of_order_two(void) {
  static const char *const texts[] = {
      "space: planar\nbodies: {a: {mass: 1, inertia: 0.1, com: [0.5, 0]}, b: {mass: 1, inertia: 0.2, com: [0.4, "
      "0.1]}}\n"
      "joints: {first: {revolute: [ground, a]}, second: {revolute: [a, b], at: [1, 0]}}\n"
      "forces: {drag: {along: second, damping: 0.3}}\ninitial: {first: {q: 0.3, u: 2}, second: {q: 0.5, u: -3}}\n",
      "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.1, 0.2, 0.4]}}\njoints: {first: {spherical: [ground, "
      "a]}}\n"
      "initial: {first: {u: [1, 2, 5]}}\n",
  };
  static const char *const names[] = {"second.q", "a.wx"};
  for (int k = 0; k < 2; k++) {
    double value[4];
    run r;
    if (!run_open_text(&r, texts[k], "integrator.rtol=1e-11 integrator.atol=1e-11")) return;
    value[3] = run_to(&r, 0.5) ? run_read(&r, "%s", names[k]) : NAN;
    run_close(&r);
    for (int i = 0; i < 3; i++) {
      if (!open_stepper(&r, texts[k], ldexp(1e-3, -i), "midpoint", "")) return;
      value[i] = run_to(&r, 0.5) ? run_read(&r, "%s", names[k]) : NAN;
      run_close(&r);
    }
    for (int i = 0; i < 2; i++)
      CHECK_NEAR(log2(fabs(value[i] - value[3]) / fabs(value[i + 1] - value[3])), 2, ldexp(0.1, -i));
  }
}

static const char servo[] =
    "space: planar\ngravity: [0, -10]\n"
    "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.3, 0]}}\n"
    "joints: {hinge: {revolute: [ground, arm]}}\n"
    "tables: {plan: {type: monotone, points: [[0, 0], [0.5, 1], [1, 0.3]]}}\n"
    "signals: {error: plan(t) - hinge.q}\n"
    "states: {integral: {rate: error, limits: [-0.02, 0.05], reset_at: 0.613}}\n"
    "forces: {motor: {along: hinge, effort: 60*error + 50*integral - 3*hinge.u}}\n"
    "record: {every: 0.01, checkpoint: 0.1}\nend: 1\n";

// Rows of a run in one piece and of one that ended in between, and was resumed, bit by bit.
static void resumed_runs_are_the_same(void) {
  static const char *const how[] = {"integrator.type=erk",
                                    "integrator.type=rk4 integrator.step=1e-3",
                                    "method=event integrator.type=erk",
                                    "method=compliant integrator.type=erk",
                                    "method.moreau.step=1e-3",
                                    "method.moreau.step=1e-3 method.moreau.velocity_terms=midpoint"};
  static const double ends[] = {0.2, 0.5, 0.613, 0.8};  // within a piece, at a point of the table, at a reset
  for (size_t k = 0; k < sizeof how / sizeof *how; k++)
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
      carom_error error = {0};
      char whole[4400], part[4400];
      snprintf(whole, sizeof whole, "%s", scratch("whole.csv")), snprintf(part, sizeof part, "%s", scratch("part.h5"));
      if (!CHECK(write_text(scratch("model.yaml"), servo))) return;
      carom_model *model = example_load_path(scratch("model.yaml"), how[k], &error);
      if (!CHECK(model)) return;
      unlink(part);
      // steps of both end there: a run that stops has a step that ends
      carom_run_options one = {.record = part, .end = ends[i]},
                        two = {.resume = part, .record = part, .csv = scratch("rest.csv")};
      CHECK(carom_run(model, &one, NULL, &error) == CAROM_OK);
      CHECK(carom_run(model, &two, NULL, &error) == CAROM_OK);
      carom_sim *sim = carom_sim_create(model, &error);
      CHECK(carom_sim_advance(sim, ends[i], &error) == CAROM_OK && carom_sim_advance(sim, 1, &error) == CAROM_OK);
      size_t size;
      char *rows = read_file(scratch("rest.csv"), &size), *last = rows ? strrchr(rows, '\n') : NULL;
      if (CHECK(last)) {
        if (!last[1])
          for (*last = 0; last > rows && *last != '\n';) last--;
        double t, q;
        CHECK_EQUAL(sscanf(last + 1, "%lf,%lf", &t, &q), 2);
        if (!CHECK(q == carom_sim_read(sim, carom_model_signal(model, "hinge.q"))))
          printf("      %s, %g s\n", how[k], ends[i]);
      }
      free(rows);
      carom_sim_destroy(sim);
      carom_model_destroy(model);
    }
}

static void states_from_a_program(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_error error = {0};
  carom_body_def arm = carom_body_default();
  arm.mass = 1, arm.inertia[2] = 1;
  carom_joint_def hinge = carom_joint_default();
  hinge.between[0] = "ground", hinge.between[1] = "arm";
  carom_state_def clock = carom_state_default();
  clock.rate = CAROM_EXPRESSION("2*speed"), clock.initial = 1;
  CHECK(carom_def_body(def, "arm", &arm) == CAROM_OK && carom_def_joint(def, "hinge", "revolute", &hinge) == CAROM_OK);
  CHECK(carom_def_state(def, "clock", &clock) == CAROM_OK &&
        carom_def_signal(def, "speed", CAROM_EXPRESSION("hinge.u + 3")) == CAROM_OK);
  carom_model *model = carom_model_compile(def, &error);
  carom_sim *sim = CHECK(model) ? carom_sim_create(model, &error) : NULL;
  if (CHECK(sim) && CHECK(carom_sim_advance(sim, 0.5, &error) == CAROM_OK))
    CHECK_NEAR(carom_sim_read(sim, carom_model_signal(model, "clock")), 4, 1e-7);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  carom_def_destroy(def);
}

int main(void) {
  RUN(a_pid_loop_on_a_rotor);
  RUN(a_direct_current_motor);
  RUN(a_state_rests_at_its_limits);
  RUN(anti_windup_of_a_pid_loop);
  RUN(states_are_reset);
  RUN(resets_outside_the_run_are_noted);
  RUN(time_steppers_do_not_step_over_a_pole);
  RUN(a_state_that_overflows_ends_the_run);
  RUN(a_state_that_grows_from_step_to_step_is_told);
  RUN(a_motor_lags);
  RUN(a_motor_is_limited);
  RUN(a_lag_may_be_shorter_than_a_step);
  RUN(outputs_and_tables_see_states);
  RUN(midpoint_terms_are_of_order_two);
  RUN(resumed_runs_are_the_same);
  RUN(states_from_a_program);
  return check_summary();
}
