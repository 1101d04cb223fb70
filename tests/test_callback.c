// C functions that a program binds to callbacks of a model.
#include "runs.h"

#include <time.h>

#define ARM                                      \
  "space: planar\ngravity: [0, 0]\n"             \
  "bodies: {arm: {mass: 1, inertia: 0.5}}\n"     \
  "joints: {hinge: {revolute: [ground, arm]}}\n" \
  "signals: {error: 1 - hinge.q}\n"

static const char *const how[] = {"method=smooth",
                                  "integrator.type=erk",
                                  "integrator.type=bdf",
                                  "integrator.type=ida",
                                  "integrator.type=rk4 integrator.step=1e-3",
                                  "method=event",
                                  "method=compliant",
                                  "method.moreau.step=1e-3",
                                  "method.moreau.step=1e-3 method.moreau.velocity_terms=midpoint"};
enum { HOW = sizeof how / sizeof *how };

typedef struct gains {
  double kp, kd, ki;
  double sum;  // of errors
  long calls;
  int fails;  // 1: with NaN, 2: with false; from 0.3 s on; 4: with NaN at once
} gains;

static bool control(void *context, double t, const double *inputs, double *outputs) {
  gains *g = context;
  g->calls++;
  g->sum += inputs[0];
  outputs[0] = g->kp * inputs[0] + g->ki * g->sum - g->kd * inputs[1];
  if ((g->fails == 1 && t > 0.3) || g->fails == 4) outputs[0] = NAN;
  return g->fails != 2 || t <= 0.3;
}

static void save(void *context, double *memory) { memory[0] = ((gains *)context)->sum; }
static void restore(void *context, const double *memory) { ((gains *)context)->sum = memory[0]; }

static carom_status bind(run *r, gains *g, bool hooks) {
  carom_callback c = {.call = control, .context = g};
  if (hooks) c.memory_count = 1, c.save = save, c.restore = restore;
  return carom_sim_bind(r->sim, "controller", &c, &r->error);
}

#define PUSH    "forces: {motor: {along: hinge, effort: controller.torque}}\n"
#define EACH    ARM "callbacks: {controller: {inputs: [error, hinge.u], outputs: [torque]}}\n" PUSH
#define AT_RATE ARM "callbacks: {controller: {inputs: [error, hinge.u], outputs: [torque], every: 10 ms}}\n" PUSH

// The same law as an expression.
static void a_function_is_as_good_as_an_expression(void) {
  for (int k = 0; k < HOW; k++) {
    run r, expression;
    gains g = {.kp = 20, .kd = 3};
    if (!run_open_text(&expression, ARM "forces: {motor: {along: hinge, effort: 20*error - 3*hinge.u}}\n", how[k]))
      return;
    if (run_open_text(&r, EACH, how[k]) && CHECK(bind(&r, &g, false) == CAROM_OK) && run_to(&r, 1) &&
        run_to(&expression, 1)) {
      CHECK_NEAR(run_read(&r, "hinge.q"), run_read(&expression, "hinge.q"), 1e-13);
      CHECK_NEAR(run_read(&r, "controller.torque"), run_read(&expression, "motor.effort"),
                 k >= HOW - 2 ? 0.1 : 1e-11);  // a mean over a step
      CHECK(g.calls > 100);
    }
    run_close(&r);
    run_close(&expression);
  }
}

// Between two calls the torque is constant, so that the motion is a recursion; integrators follow it to 100 tolerances,
// a time stepper to rounding.
static void calls_at_a_fixed_rate_hold_their_outputs(void) {
  for (int k = 0; k < HOW; k++) {
    run r;
    gains g = {.kp = 20, .kd = 3, .ki = 0.1};
    double q = 0, u = 0, sum = 0;
    if (!run_open_text(&r, AT_RATE, how[k])) return;
    CHECK(bind(&r, &g, true) == CAROM_OK);
    for (int i = 0; i < 100; i++) {
      sum += 1 - q;
      double a = (20 * (1 - q) + 0.1 * sum - 3 * u) / 0.5, T = 0.01;
      q += T * u + 0.5 * a * T * T, u += a * T;
    }
    if (run_to(&r, 1)) {
      CHECK_NEAR(run_read(&r, "hinge.q"), q, 1e-6);
      if (k >= HOW - 2) CHECK_NEAR(run_read(&r, "hinge.q"), q, 1e-12);
      CHECK_EQUAL(g.calls, 100);  // at 0, 10 ms, ... 990 ms; steps that are tried again do not call
    }
    run_close(&r);
  }
}

static void each_sim_has_its_own(void) {
  run r;
  gains g[2] = {{.kp = 20, .kd = 3}, {.kp = 5, .kd = 1}};
  double q[2];
  if (!run_open_text(&r, EACH, NULL)) return;
  carom_sim *both[2] = {r.sim, carom_sim_create(r.model, &r.error)};
  carom_callback c = {.call = control};
  for (int i = 0; i < 2 && CHECK(both[i]); i++) {
    c.context = &g[i];
    CHECK(carom_sim_bind(both[i], "controller", &c, &r.error) == CAROM_OK);
    CHECK(carom_sim_advance(both[i], 0.5, &r.error) == CAROM_OK);
    q[i] = carom_sim_read(both[i], carom_model_signal(r.model, "hinge.q"));
  }
  CHECK(fabs(q[0] - q[1]) > 0.1);
  carom_sim_destroy(both[1]);
  run_close(&r);
}

static void failures_are_told(void) {
  for (int k = 0; k < HOW; k++)
    for (int fails = 0; fails < 6; fails++) {
      run r;
      gains g = {.kp = 20, .fails = 1 + fails % 2};
      if (!run_open_text(&r, fails < 2 ? EACH : AT_RATE, how[k])) return;
      if (fails >= 4) {  // not bound
        CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_ERROR_USAGE);
        CHECK_CONTAINS(r.error.text, "'controller' is not bound");
        CHECK(!carom_sim_save(r.sim, NULL));
      } else if (CHECK(bind(&r, &g, false) == CAROM_OK)) {
        CHECK(carom_sim_advance(r.sim, 1, &r.error) == CAROM_ERROR_INTEGRATOR);
        CHECK_CONTAINS(r.error.text, "callback 'controller' has failed");
        CHECK_NEAR(carom_sim_time(r.sim), 0.3, 0.0101);
        CHECK(isfinite(run_read(&r, "hinge.q")));
      }
      run_close(&r);
    }
}

// A function that fails at once is not bound, and is named.
static void a_failure_at_the_start_is_told(void) {
  for (int k = 0; k < HOW; k++) {
    run r;
    gains bad = {.kp = 20, .fails = 4}, good = {.kp = 20};
    if (!run_open_text(&r, EACH, how[k])) return;
    if (bind(&r, &bad, false) == CAROM_OK) CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_ERROR_INTEGRATOR);
    CHECK_CONTAINS(r.error.text, "callback 'controller' has failed near t = 0");
    CHECK(bind(&r, &good, false) == CAROM_OK && carom_sim_advance(r.sim, 0.1, &r.error) == CAROM_OK);
    run_close(&r);
  }
}

static void what_cannot_be_bound_is_refused(void) {
  run r;
  gains g = {.kp = 1};
  carom_callback c = {.call = control, .context = &g}, none = {0},
                 half = {.call = control, .context = &g, .memory_count = 1, .save = save};
  if (!run_open_text(&r, EACH, NULL)) return;
  CHECK(carom_sim_bind(r.sim, "pilot", &c, &r.error) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_bind(r.sim, "controller", &none, NULL) == CAROM_ERROR_USAGE);
  CHECK(carom_sim_bind(r.sim, "controller", NULL, NULL) == CAROM_ERROR_USAGE);
  CHECK(bind(&r, &g, true) == CAROM_ERROR_USAGE);  // a memory, and called at each evaluation
  CHECK_CONTAINS(r.error.text, "cannot remember");
  run_close(&r);
  if (!run_open_text(&r, AT_RATE, NULL)) return;
  CHECK(carom_sim_bind(r.sim, "controller", &half, &r.error) == CAROM_ERROR_USAGE);
  c.remembers = true;
  CHECK(carom_sim_bind(r.sim, "controller", &c, &r.error) == CAROM_OK);
  CHECK(!carom_sim_save(r.sim, &r.error));
  CHECK_CONTAINS(r.error.text, "remembers what nobody can save");
  run_close(&r);
}

// What a function remembers goes with the state of the sim.
static void memory_is_part_of_the_state(void) {
  for (int k = 0; k < HOW; k++) {
    run r;
    gains g = {.kp = 20, .kd = 3, .ki = 0.1};
    if (k == 0 || k == 2 || k == 3 || k == 5 || k == 6) continue;  // integrators with a history
    if (!run_open_text(&r, AT_RATE, how[k])) return;
    carom_snapshot *s = NULL;
    if (CHECK(bind(&r, &g, true) == CAROM_OK) && run_to(&r, 0.5) && CHECK((s = carom_sim_save(r.sim, &r.error))) &&
        run_to(&r, 1)) {
      double q = run_read(&r, "hinge.q"), sum = g.sum;
      CHECK(carom_sim_restore(r.sim, s, &r.error) == CAROM_OK && g.sum != sum);
      if (run_to(&r, 1)) CHECK(run_read(&r, "hinge.q") == q && g.sum == sum);
      g.sum = 0;
      CHECK(carom_sim_reset(r.sim, &r.error) == CAROM_OK);
      if (run_to(&r, 1)) CHECK_NEAR(run_read(&r, "hinge.q"), q, 1e-12);
    }
    carom_snapshot_destroy(s);
    run_close(&r);
  }
}

// A function with a counter as its memory, which counts on in its output.
static bool count(void *context, double t, const double *inputs, double *outputs) {
  (void)t, (void)inputs;
  outputs[0] = ++((gains *)context)->sum;
  return true;
}

static void memory_of_another_size_is_refused(void) {
  run r;
  gains g = {.kp = 20};
  if (!run_open_text(&r, AT_RATE, "method.moreau.step=1e-3")) return;
  carom_callback with = {.call = control, .context = &g, .memory_count = 1, .save = save, .restore = restore},
                 without = {.call = control, .context = &g};
  carom_sim *other = carom_sim_create(r.model, &r.error);
  CHECK(carom_sim_bind(r.sim, "controller", &with, &r.error) == CAROM_OK &&
        carom_sim_bind(other, "controller", &without, &r.error) == CAROM_OK);
  carom_snapshot *long_one = carom_sim_save(r.sim, &r.error), *short_one = carom_sim_save(other, &r.error);
  if (CHECK(long_one && short_one)) {
    CHECK(carom_sim_restore(other, long_one, &r.error) == CAROM_ERROR_USAGE);
    CHECK_CONTAINS(r.error.text, "callbacks remember other numbers");
    CHECK(carom_sim_restore(r.sim, short_one, &r.error) == CAROM_ERROR_USAGE);
    CHECK(carom_sim_restore(r.sim, long_one, &r.error) == CAROM_OK);
    CHECK(carom_sim_step(other, 1, &r.error) == CAROM_OK);  // as it was
  }
  carom_snapshot_destroy(long_one), carom_snapshot_destroy(short_one);
  carom_sim_destroy(other);
  run_close(&r);
}

// What a function remembers is the program's business then.
static void a_sim_that_cannot_be_saved_can_be_reset(void) {
  run r;
  gains g = {.kp = 20, .kd = 3, .ki = 0.1};
  carom_callback c = {.call = control, .context = &g, .remembers = true};
  if (!run_open_text(&r, AT_RATE, "method.moreau.step=1e-3")) return;
  if (CHECK(carom_sim_bind(r.sim, "controller", &c, &r.error) == CAROM_OK) && run_to(&r, 0.5)) {
    double q = run_read(&r, "hinge.q");
    g.sum = 0;
    CHECK(carom_sim_reset(r.sim, &r.error) == CAROM_OK);
    CHECK(carom_sim_time(r.sim) == 0);
    if (run_to(&r, 0.5)) CHECK(run_read(&r, "hinge.q") == q);
  }
  run_close(&r);
}

typedef struct slow {
  gains g;
  bool stop;
} slow;

static bool control_slowly(void *context, double t, const double *inputs, double *outputs) {
  slow *s = context;
  if (!s->stop && s->g.fails == 0 && t > 0.495) {  // once, long enough for the sim to ask whether it is interrupted
    nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
    s->stop = true, s->g.fails = 3;
  }
  return control(&s->g, t, inputs, outputs);
}

static bool goes_on(void *context) { return !((slow *)context)->stop; }

// The step whose call was made is taken again, in the same sim or in another one that takes its state up: no second
// call.
static void an_interrupted_step_calls_once(void) {
  static const char *const settings[] = {"integrator.type=erk", "method=event integrator.type=erk"};
  for (int k = 0; k < 2; k++)
    for (int saved = 0; saved < 2; saved++) {
      run r;
      slow s = {.g = {.kp = 20, .kd = 3, .ki = 0.1}}, whole = {.g = {.kp = 20, .kd = 3, .ki = 0.1, .fails = 3}};
      carom_callback c = {.call = control_slowly, .context = &s, .memory_count = 1, .save = save, .restore = restore};
      if (!run_open_text(&r, AT_RATE, settings[k])) return;
      carom_sim *again = carom_sim_create(r.model, &r.error);
      CHECK(carom_sim_bind(r.sim, "controller", &c, &r.error) == CAROM_OK);
      c.context = &whole;
      CHECK(carom_sim_bind(again, "controller", &c, &r.error) == CAROM_OK &&
            carom_sim_advance(again, 1, &r.error) == CAROM_OK);
      carom_sim_set_interrupt(r.sim, goes_on, &s);
      CHECK(carom_sim_advance(r.sim, 1, &r.error) == CAROM_INTERRUPTED);
      double t = carom_sim_time(r.sim);  // a few steps later, since not every one asks
      CHECK(t > 0.495 && t < 0.7);
      CHECK_NEAR(remainder(t, 0.01), 0, 1e-12);  // where a call was made
      carom_sim_set_interrupt(r.sim, NULL, NULL), s.stop = false;
      carom_snapshot *state = saved ? carom_sim_save(r.sim, &r.error) : NULL;
      if (state) s.g.sum = -1, CHECK(carom_sim_restore(r.sim, state, &r.error) == CAROM_OK);
      if (run_to(&r, 1)) {
        CHECK_EQUAL(s.g.calls, whole.g.calls);
        CHECK(s.g.sum == whole.g.sum &&
              run_read(&r, "hinge.q") == carom_sim_read(again, carom_model_signal(r.model, "hinge.q")));
      }
      carom_snapshot_destroy(state);
      carom_sim_destroy(again);
      run_close(&r);
    }
}

// Both at 0, 10 ms, ...: the second sees what the first has just given, directly and through a signal.
static void functions_of_one_instant_follow_each_other(void) {
  static const char text[] = ARM
      "callbacks: {first: {outputs: [n], every: 10 ms}, second: {inputs: [first.n, twice], outputs: [m], every: 10 "
      "ms}}\n"
      "forces: {push: {along: hinge, effort: second.m}}\n";
  for (int k = 0; k < HOW; k++) {
    run r;
    gains one = {0}, two = {.kp = 1, .kd = -1};  // the sum of both inputs
    char all[600];
    snprintf(all, sizeof all, "%s", text);
    char *at = strstr(all, "signals: {");
    char with[700];
    snprintf(with, sizeof with, "%.*ssignals: {twice: 2*first.n, %s", (int)(at - all), all, at + strlen("signals: {"));
    if (!run_open_text(&r, with, how[k])) return;
    carom_callback a = {.call = count, .context = &one, .remembers = true},
                   b = {.call = control, .context = &two, .remembers = true};
    CHECK(carom_sim_bind(r.sim, "first", &a, &r.error) == CAROM_OK &&
          carom_sim_bind(r.sim, "second", &b, &r.error) == CAROM_OK);
    if (run_to(&r, 0.0501)) {
      CHECK_EQUAL(one.sum, 6);  // at 0 to 50 ms
      CHECK_NEAR(run_read(&r, "second.m"), 3 * 6, 0);
    }
    run_close(&r);
  }
}

static bool sets_nothing(void *context, double t, const double *inputs, double *outputs) {
  (void)inputs;
  if (t < 0.2) outputs[0] = 1;
  return !*(bool *)context || t < 0.4;
}

// An output that is not set is 0; one at a fixed rate whose call fails stays as it was.
static void outputs_are_defined(void) {
  run r;
  bool fails = true;
  carom_callback c = {.call = sets_nothing, .context = &fails};
  if (!run_open_text(&r, AT_RATE, "method.moreau.step=1e-3")) return;
  CHECK(carom_sim_bind(r.sim, "controller", &c, &r.error) == CAROM_OK);
  if (run_to(&r, 0.195)) CHECK_NEAR(run_read(&r, "controller.torque"), 1, 0);
  if (run_to(&r, 0.205)) CHECK_NEAR(run_read(&r, "controller.torque"), 0, 0);
  CHECK(carom_sim_advance(r.sim, 1, &r.error) == CAROM_ERROR_INTEGRATOR);
  CHECK_NEAR(run_read(&r, "controller.torque"), 0, 0);
  fails = false;
  if (run_to(&r, 0.5)) CHECK_NEAR(run_read(&r, "controller.torque"), 0, 0);  // goes on
  run_close(&r);
}

static void bad_callbacks_are_refused(void) {
  static const struct {
    const char *text, *said;
  } bad[] = {
      {"controller: {inputs: [error, knee.q], outputs: [x]}", "there is no signal 'knee.q'"},
      {"controller: {inputs: [hinge.a], outputs: [x]}", "it depends on forces, which may depend on the callback"},
      {"controller: {inputs: [error], outputs: []}", "has no outputs"},
      {"controller: {inputs: [error]}", "'outputs'"},
      {"hinge: {outputs: [q]}", "'hinge.q' is the name of another signal already"},
      {"error: {outputs: [q]}", "share their names"},
      {"controller: {outputs: [x], every: 1e-300}", "give it 1e-12 s or more"},
      {"controller: {outputs: [x], every: -1}", "'every'"},
      {"controller: {inputs: [controller.x], outputs: [x]}", "depends on itself"},
  };
  char text[1024];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    run r;
    snprintf(text, sizeof text, "%scallbacks: {%s}\n", ARM, bad[i].text);
    CHECK(write_text(scratch("model.yaml"), text) && !run_try(&r, scratch("model.yaml"), NULL));
    CHECK_CONTAINS(r.error.text, bad[i].said);
    run_close(&r);
  }
}

static carom_status prepare(void *context, carom_sim *sim, carom_error *error) {
  carom_callback c = {.call = control, .context = context, .memory_count = 1, .save = save, .restore = restore};
  return carom_sim_bind(sim, "controller", &c, error);
}

// A recorded run, in one piece and resumed.
static void runs_are_recorded_and_resumed(void) {
  carom_error error = {0};
  char part[4400], whole[4400];
  snprintf(part, sizeof part, "%s", scratch("part.h5")), snprintf(whole, sizeof whole, "%s", scratch("whole.csv"));
  if (!CHECK(
          write_text(scratch("model.yaml"), AT_RATE "record: {every: 0.1}\nend: 1\nmethod: {moreau: {step: 1e-3}}\n")))
    return;
  carom_model *model = example_load_path(scratch("model.yaml"), NULL, &error);
  if (!CHECK(model)) return;
  gains a = {.kp = 20, .kd = 3, .ki = 0.1}, b = a, c = a;
  carom_run_options one = {.csv = whole, .prepare = prepare, .context = &a},
                    first = {.record = part, .end = 0.5, .prepare = prepare, .context = &b},
                    rest = {.record = part,
                            .resume = part,
                            .csv = scratch("rest.csv"),
                            .prepare = prepare,
                            .context = &c},
                    unbound = {.csv = scratch("none.csv")};
  CHECK(carom_run(model, &one, NULL, &error) == CAROM_OK);
  CHECK(carom_run(model, &first, NULL, &error) == CAROM_OK);
  CHECK(carom_run(model, &rest, NULL, &error) == CAROM_OK);
  CHECK(a.sum == c.sum);
  CHECK(carom_run(model, &unbound, NULL, &error) == CAROM_ERROR_USAGE);
  CHECK_CONTAINS(error.text, "is not bound");
  CHECK(access(scratch("none.csv"), F_OK) != 0);  // nor is a file of an earlier run written over
  size_t size, other;
  char *rows = read_file(whole, &size), *last = read_file(scratch("rest.csv"), &other);
  CHECK(rows && last && size > 200 && other > 200);
  if (rows && last) CHECK(memcmp(rows + size - 200, last + other - 200, 200) == 0);
  free(rows), free(last);
  carom_model_destroy(model);
}

int main(void) {
  RUN(a_function_is_as_good_as_an_expression);
  RUN(calls_at_a_fixed_rate_hold_their_outputs);
  RUN(each_sim_has_its_own);
  RUN(failures_are_told);
  RUN(a_failure_at_the_start_is_told);
  RUN(what_cannot_be_bound_is_refused);
  RUN(memory_is_part_of_the_state);
  RUN(memory_of_another_size_is_refused);
  RUN(a_sim_that_cannot_be_saved_can_be_reset);
  RUN(an_interrupted_step_calls_once);
  RUN(functions_of_one_instant_follow_each_other);
  RUN(outputs_are_defined);
  RUN(bad_callbacks_are_refused);
  RUN(runs_are_recorded_and_resumed);
  return check_summary();
}
