// Functions from points: the curves, where they change, files, and drives by them.
#include "runs.h"

#include "text/expr_parse.h"

// --- curves ----------------------------------------------------------------------------------------------------------

static const double X[] = {-1, 0.5, 1, 3, 4.5}, Y[] = {2, -1, 0.5, 0.5, 4};
enum { N = 5 };

typedef struct curve_test {
  jmp_buf out_of_memory;
  arena memory;
} curve_test;

// Value and derivatives on both sides of x.
static jet before(const curve *c, double x) {
  jet j = curve_jet(c, (jet){x, -1, 0});
  return (jet){j.v, -j.d, j.dd};
}
static jet after(const curve *c, double x) { return curve_jet(c, (jet){x, 1, 0}); }

static void a_spline_is_smooth(void) {
  curve_test t;
  t.memory = arena_create(&t.out_of_memory);
  const double slopes[] = {0.7, -2};
  for (int kind = CURVE_NATURAL; kind <= CURVE_CLAMPED; kind++) {
    const curve *c = curve_create(&t.memory, (curve_kind)kind, N, X, Y, slopes);
    for (int i = 0; i < N; i++) CHECK_NEAR(curve_value(c, X[i]), Y[i], 1e-15 * 8);
    for (int i = 1; i < N - 1; i++) {  // rounding of numbers below 100
      CHECK_NEAR(before(c, X[i]).d, after(c, X[i]).d, 1e-13);
      CHECK_NEAR(before(c, X[i]).dd, after(c, X[i]).dd, 1e-13);
    }
    jet first = after(c, X[0]), last = before(c, X[N - 1]);
    CHECK_NEAR(kind == CURVE_CLAMPED ? first.d : first.dd, kind == CURVE_CLAMPED ? 0.7 : 0, 1e-13);
    CHECK_NEAR(kind == CURVE_CLAMPED ? last.d : last.dd, kind == CURVE_CLAMPED ? -2 : 0, 1e-13);
    CHECK_NEAR(curve_value(c, -7), 2, 0);
    CHECK_NEAR(curve_value(c, 7), 4, 0);
    CHECK_NEAR(after(c, 7).d, 0, 0);
  }
  arena_free(&t.memory);
}

// A clamped spline through a cubic with its slopes is the cubic.
static void a_clamped_spline_reproduces_a_cubic(void) {
  curve_test t;
  t.memory = arena_create(&t.out_of_memory);
  double y[N], slopes[2];
  for (int i = 0; i < N; i++) y[i] = 1 - 2 * X[i] + 0.5 * X[i] * X[i] * X[i];
  slopes[0] = -2 + 1.5 * X[0] * X[0], slopes[1] = -2 + 1.5 * X[N - 1] * X[N - 1];
  const curve *c = curve_create(&t.memory, CURVE_CLAMPED, N, X, y, slopes);
  for (double x = -1; x < 4.5; x += 0.01) {
    jet j = after(c, x);
    CHECK_NEAR(j.v, 1 - 2 * x + 0.5 * x * x * x, 1e-12);
    CHECK_NEAR(j.d, -2 + 1.5 * x * x, 1e-12);
    CHECK_NEAR(j.dd, 3 * x, 1e-11);
  }
  arena_free(&t.memory);
}

static void a_monotone_curve_does_not_overshoot(void) {
  curve_test t;
  t.memory = arena_create(&t.out_of_memory);
  const double y[] = {0, 0.1, 5, 5, 5.01};
  const curve *c = curve_create(&t.memory, CURVE_MONOTONE, N, X, y, NULL);
  double last = 0;
  for (double x = -1; x <= 4.5; x += 1e-3) {
    double now = curve_value(c, x);
    CHECK_LE(last - now, 1e-15);  // it never falls
    last = now;
  }
  for (int i = 0; i < N; i++) CHECK_NEAR(before(c, X[i]).d, after(c, X[i]).d, 1e-12);
  CHECK_NEAR(after(c, X[0]).d, 0, 0);
  CHECK_NEAR(before(c, X[N - 1]).d, 0, 1e-15);
  arena_free(&t.memory);
}

// Derivatives along x = x(t) against differences: error h²/6 f''' and rounding eps/h², both below 1e-5 for numbers of
// this size.
static void derivatives_are_exact(void) {
  curve_test t;
  t.memory = arena_create(&t.out_of_memory);
  const double h = 1e-4;
  for (int kind = CURVE_LINEAR; kind <= CURVE_CLAMPED; kind++) {
    const curve *c = curve_create(&t.memory, (curve_kind)kind, N, X, Y, (double[]){1, 1});
    for (double s = 0.05; s < 2; s += 0.113) {
      double a = curve_value(c, s * s - h * 2 * s + h * h), v = curve_value(c, s * s),
             b = curve_value(c, s * s + h * 2 * s + h * h);  // x = s²
      jet j = curve_jet(c, (jet){s * s, 2 * s, 2});
      bool kinked = false;
      for (int i = 0; i < N; i++) kinked |= fabs(s * s - X[i]) < 1e-2;
      if (kinked) continue;
      CHECK_NEAR(j.d, (b - a) / (2 * h), 1e-5);
      CHECK_NEAR(j.dd, (a - 2 * v + b) / (h * h), 1e-5);
    }
  }
  arena_free(&t.memory);
}

// --- where expressions of time change --------------------------------------------------------------------------------

static bool resolve_t(void *context, const char *name, symbol *found, const char **hint) {
  (void)context, (void)hint;
  *found = (symbol){.slot = strcmp(name, "t") == 0 ? 0 : 1, .dim = DIM_ANY};
  return true;
}

static double next_kink(const char *text, double t, bool *opaque) {
  curve_test c;
  carom_error error = {0};
  c.memory = arena_create(&c.out_of_memory);
  const expr *e = expr_compile(&c.memory, text, (place){0}, (scope){.resolve = resolve_t}, NULL, &error);
  double next = CHECK(e) ? expr_next_kink(e, t, opaque) : NAN;
  arena_free(&c.memory);
  return next;
}

static void kinks_are_found(void) {
  const struct {
    const char *text;
    double from, next;
  } cases[] = {
      {"table(t, 0, 0, 1, 2, 3, 1)", 0.5, 1},
      {"table(t, 0, 0, 1, 2, 3, 1)", -2, 0},
      {"table(t, 0, 0, 1, 2, 3, 1)", 1, 3},
      {"table(t, 0, 0, 1, 2, 3, 1)", 3, INFINITY},
      {"table(4 - 2*t, 0, 0, 1, 2, 3, 1)", 0.5, 1.5},
      {"if(t < 2, t, 2)", 0, 2},
      {"sin(t) + if(t < 2, t, 2)*x", 0, 2},
      {"floor(t/0.25)", 0.3, 0.5},
      {"ceil(-t)", 0.3, 1},
      {"mod(t, 0.5)", 1.1, 1.5},
      {"table(mod(t, 2), 0, 0, 0.5, 1, 2, 0)", 4.1, 4.5},
      {"abs(3 - t)", 0, 3},
      {"max(0, t - 1)", 0, 1},
      {"min(2*t, t + 1)", 0, 1},
      {"ramp(t - 4)", 0, 4},
      {"step(5 - t)*t^2", 0, 5},
      {"sign(t - 1)", 0.5, 1},
      {"if(t > 1 and t < 2, 1, 0)", 1.5, 2},
      {"t^2 + sin(t)", 0, INFINITY},
      {"table(table(t, 0, 0, 2, 4), 0, 0, 1, 1, 3, 0)", 0.6, 1.5},
      {"blend(t, 0, 1)", 0.5, INFINITY},
      {"5", 0, INFINITY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool opaque = false;
    if (!CHECK_NEAR(next_kink(cases[i].text, cases[i].from, &opaque), cases[i].next, 1e-14))
      printf("      %s\n", cases[i].text);
    if (!CHECK(!opaque)) printf("      %s\n", cases[i].text);
  }
  const char *const unclear[] = {"abs(sin(t))", "max(t^2, t)", "table(x, 0, 0, 1, 1)", "if(x > 0, t, 0)"};
  for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++) {
    bool opaque = false;
    CHECK_NEAR(next_kink(unclear[i], 0, &opaque), INFINITY, 0);
    CHECK(opaque);
  }
}

// --- in models -------------------------------------------------------------------------------------------------------

#define ARM                                  \
  "space: planar\ngravity: [0, 0]\nend: 2\n" \
  "bodies: {arm: {mass: 1, inertia: 0.5}}\n" \
  "joints: {hinge: {revolute: [ground, arm]}}\n"

static const char *const methods[] = {"smooth", "event", "compliant"};

// The torque of a drive is J plan''; steps end at the points, at which the curvature of a monotone table jumps.
static void a_drive_follows_a_table(void) {
  static const char text[] = ARM
      "tables: {plan: {type: TYPE, points: [[0, 0], [0.5 s, 30 deg], [1.1 s, -10 deg], [2 s, 60 deg]]}}\n"
      "drives: {motor: {joint: hinge, motion: plan(t)}}\noutputs: {plan_now: plan(t)}\n";
  for (int k = 0; k < 3; k++) {
    run r;
    char settings[128];
    snprintf(settings, sizeof settings, "method=%s tables.plan.type=%s integrator.rtol=1e-11 integrator.atol=1e-11",
             methods[k], k ? "monotone" : "clamped");
    if (!run_open_text(&r, text, settings)) return;
    bool met[2] = {false, false};
    while (carom_sim_time(r.sim) < 2 && CHECK(carom_sim_step(r.sim, 2, &r.error) == CAROM_OK)) {
      met[0] |= carom_sim_time(r.sim) == 0.5, met[1] |= carom_sim_time(r.sim) == 1.1;
      CHECK_NEAR(run_read(&r, "hinge.q"), run_read(&r, "plan_now"), 1e-14);
      CHECK_NEAR(run_read(&r, "motor.effort"), 0.5 * run_read(&r, "hinge.a"), 1e-12);
    }
    CHECK(met[0] && met[1]);
    // work is kinetic energy: 100 tolerances of a motion of size 1
    CHECK_NEAR(run_read(&r, "energy.drive"), run_read(&r, "energy.kinetic"), 1e-9);
    CHECK_NEAR(run_read(&r, "hinge.q"), 60 * M_PI / 180, 1e-14);
    run_close(&r);
  }
}

// A force that is switched on and off: the speed is the impulse, to rounding, since no step crosses a switch.
static void integrators_stop_at_switches(void) {
  static const char text[] = ARM "forces: {push: {along: hinge, effort: \"if(mod(t, 0.4) < 0.15, 2 N*m, 0)\"}}\n";
  for (int k = 0; k < 3; k++) {
    run r;
    char settings[64];
    snprintf(settings, sizeof settings, "method=%s", methods[k]);
    if (!run_open_text(&r, text, settings)) return;
    if (run_to(&r, 2)) CHECK_NEAR(run_read(&r, "hinge.u"), 5 * 0.15 * 2 / 0.5, 1e-12);
    run_close(&r);
  }
}

static void expect_jump(const char *motion, const char *method, double at) {
  run r;
  char settings[256], when[64];
  snprintf(settings, sizeof settings, "method=%s drives.motor.motion=%s", method, motion);
  write_text(scratch("model.yaml"), ARM
             "tables: {plan: {points: [[0, 0], [1.25, 1], [3, 2]]}, sway: {type: natural, points: [[0, 0], [1, 1], "
             "[1.5, 0]]}}\n"
             "drives: {motor: {joint: hinge, motion: t}}\n");
  bool loaded = run_try(&r, scratch("model.yaml"), settings);
  if (at < 0) {  // at the instant
    at = -at;
    if (CHECK(loaded)) CHECK(carom_sim_advance(r.sim, 2, &r.error) == CAROM_ERROR_INTEGRATOR);
    if (loaded) CHECK_NEAR(carom_sim_time(r.sim), at, 1e-12);
    if (loaded) CHECK_NEAR(run_read(&r, "energy.imbalance"), 0, 1e-6);  // the state is the one before it
  } else {
    CHECK(!loaded);
    CHECK(r.error.line > 0);
  }
  snprintf(when, sizeof when, "'motor' jumps in speed at t = %.10g s", at);
  CHECK_CONTAINS(r.error.text, when);
  CHECK_CONTAINS(r.error.text, "blend");
  CHECK_CONTAINS(r.error.text, "clamped");
  run_close(&r);
}

static void a_speed_that_jumps_is_an_error(void) {
  for (int k = 0; k < 3; k++) {
    expect_jump("plan(t)", methods[k], 1.25);
    expect_jump("table(t,0,0,1,1)", methods[k], 1);
    expect_jump("sway(t)", methods[k], 1.5);
    expect_jump("2*ramp(t-0.5)", methods[k], 0.5);
    expect_jump("abs(sin(2*t))", methods[k], -M_PI / 2);
  }
  run r;  // a time stepper follows by an impulse
  if (run_open_text(
          &r, ARM "drives: {motor: {joint: hinge, motion: \"table(t, 0, 0, 1, 1)\"}}\nmethod: {moreau: {step: 0.01}}\n",
          NULL)) {
    if (run_to(&r, 2)) CHECK_NEAR(run_read(&r, "hinge.q"), 1, 1e-12);
    run_close(&r);
  }
  // one at the end of the run is not met
  if (run_open_text(&r, ARM "drives: {motor: {joint: hinge, motion: \"table(t, 0, 0, 2, 1)\"}}\n", NULL)) {
    if (run_to(&r, 2)) CHECK_NEAR(run_read(&r, "hinge.u"), 0.5, 1e-12);
    CHECK(carom_sim_advance(r.sim, 3, &r.error) == CAROM_ERROR_INTEGRATOR);
    run_close(&r);
  }
}

static bool write_beside(const char *name, const char *text) { return write_text(scratch(name), text); }

static void points_come_from_files(void) {
  const struct {
    const char *csv, *keys;
    double at_1;  // plan(1 s)
  } cases[] = {
      {"t,a,b\n0,0,5\n2,4,6\n", "", 2},
      {"t,a,b\n0,0,5\n2,4,6\n", ", columns: [t, b]", 5.5},
      {"t;a;b\ns;deg;rad\n0;0;5\n2;180;6\n", "", M_PI / 2},
      {"# made by hand\n\n0\t1\t5\n2000\t3\t6\r\n", ", columns: [1, 2], units: [ms, cm]", 0.02},
      {"\"t\", \"a\"\n 0, 1e1\n2 , 20\n", "", 15},
      // units in the names, with and without them in `columns`
      {"t [ms],a [deg],b\n0,0,1\n2000,180,3\n", "", M_PI / 2},
      {"t (ms),a (left),a (right)\n0,0,1\n2000,2,3\n", ", columns: [t, a (right)]", 2},
      {"t [ms];a[-]\nms;1\n0;0\n2000;2\n", ", columns: [\"t [ms]\", a]", 1},
      {"t [ms],a\n0,0\n2000,2\n", ", units: [s, m]", 2 / 2000.0},
      {"t,a,\n0,0,\n2,2,,\n", "", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    char text[512];
    snprintf(text, sizeof text, ARM "tables: {plan: {file: points.csv%s}}\noutputs: {now: plan(t)}\n", cases[i].keys);
    if (!CHECK(write_beside("points.csv", cases[i].csv)) || !run_open_text(&r, text, NULL)) continue;
    if (run_to(&r, 1)) CHECK_NEAR(run_read(&r, "now"), cases[i].at_1, 1e-14);
    CHECK_CONTAINS(carom_model_file(r.model, 1), "points.csv");
    CHECK(!carom_model_file(r.model, 2));
    run_close(&r);
  }
}

static void bad_files_are_told(void) {
  const struct {
    const char *csv, *keys, *words;
  } cases[] = {
      {"t,a\n0,0\n1,x\n", "", "line 3: 'x' is not a number"},
      {"t,a\n0,0\n1\n", "", "line 3: column 2 is missing"},
      {"t,a\n0,0\n", "", "1 point"},
      {"t,a\n1,0\n1,2\n", "", "must increase"},
      {"t,a\n0,0\n1,1\n", ", columns: [t, b]", "no column 'b'"},
      {"t,a\n0,0\n1,1\n", ", units: [s, qq]", "'qq' is not a unit"},
      {"", "", "0 points"},
      {"t,a\ns,furlong\n0,0\n1,1\n", "", "'furlong' is not a unit"},
      {"t,a\n0,nan\n1,1\n", "", "not"},
      {"t [furlong],a\n0,0\n1,1\n", "", "give 'units' of both columns instead"},
      {"t [ms],a\ns,m\n0,0\n1,1\n", "", "line 2: column 't' is in 'ms' by its name and in 's' here"},
      {"t,a\n0,0\n0,5,1\n", "", "line 3: 3 cells, and the first line has 2"},
      {"0,0\n0,5,1\n", "", "line 2: 3 cells, and the first line has 2"},
      {"t,a,a\n0,0,0\n1,1,1\n", ", columns: [t, a]", "line 1: columns 2 and 3 have the name 'a'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    char text[512];
    snprintf(text, sizeof text, ARM "tables: {plan: {file: points.csv%s}}\noutputs: {now: plan(t)}\n", cases[i].keys);
    CHECK(write_beside("points.csv", cases[i].csv) && write_beside("model.yaml", text));
    CHECK(!run_try(&r, scratch("model.yaml"), NULL));
    CHECK_CONTAINS(r.error.text, cases[i].words);
    run_close(&r);
  }
}

// A name such as t_ms is not split, but told.
static void a_name_that_ends_like_a_unit_is_noted(void) {
  const struct {
    const char *csv, *keys;
    bool noted;
  } cases[] = {{"t_ms,a\n0,0\n2000,1\n", "", true},
               {"t/ms,a\n0,0\n2000,1\n", "", true},
               {"t_ms,a\n0,0\n2000,1\n", ", units: [ms, m]", false},
               {"t_ms,a\nms,m\n0,0\n2000,1\n", "", false},
               {"t_s,a_left\n0,0\n2000,1\n", "", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    char text[512];
    snprintf(text, sizeof text, ARM "tables: {plan: {file: points.csv%s}}\noutputs: {now: plan(t)}\n", cases[i].keys);
    if (!CHECK(write_beside("points.csv", cases[i].csv)) || !run_open_text(&r, text, NULL)) continue;
    const char *note = carom_model_note(r.model, 0);
    CHECK_EQUAL(note && strstr(note, "if 'ms' is its unit, give 'units'"), cases[i].noted);
    run_close(&r);
  }
}

// Units that are given win over those of the file, and the user is told where they differ.
static void units_that_differ_from_the_file_are_noted(void) {
  const struct {
    const char *csv, *keys;
    bool noted;
  } cases[] = {{"t [ms],a\n0,0\n2000,1\n", ", units: [s, m]", true},
               {"t,a\nms,m\n0,0\n2000,1\n", ", units: [s, m]", true},
               {"t [ms],a\n0,0\n2000,1\n", ", units: [ms, m]", false},
               {"t,a\n0,0\n2000,1\n", ", units: [ms, m]", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    char text[512];
    snprintf(text, sizeof text, ARM "tables: {plan: {file: points.csv%s}}\noutputs: {now: plan(t)}\n", cases[i].keys);
    if (!CHECK(write_beside("points.csv", cases[i].csv)) || !run_open_text(&r, text, NULL)) continue;
    const char *note = carom_model_note(r.model, 0);
    CHECK_EQUAL(note && strstr(note, "in 's' as 'units' says, and the file says 'ms'"), cases[i].noted);
    run_close(&r);
  }
}

static void tables_from_a_program(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  about.end = 1;
  carom_def *def = carom_def_create(&about);
  carom_error error = {0};
  carom_table_def plan = carom_table_default();
  const double points[] = {0, 0, 1, 2};
  plan.points = (carom_numbers){points, 4};
  carom_body_def arm = carom_body_default();
  arm.mass = 1, arm.inertia[2] = 1;
  carom_joint_def hinge = carom_joint_default();
  hinge.between[0] = "ground", hinge.between[1] = "arm";
  carom_drive_def drive = {.joint = "hinge", .motion = CAROM_EXPRESSION("plan(t)")};
  CHECK(carom_def_table(def, "plan", &plan) == CAROM_OK && carom_def_body(def, "arm", &arm) == CAROM_OK);
  CHECK(carom_def_joint(def, "hinge", "revolute", &hinge) == CAROM_OK &&
        carom_def_drive(def, "motor", &drive) == CAROM_OK);
  carom_model *model = carom_model_compile(def, &error);
  carom_sim *sim = CHECK(model) ? carom_sim_create(model, &error) : NULL;
  if (CHECK(sim)) {
    CHECK(carom_sim_advance(sim, 0.5, &error) == CAROM_OK);
    CHECK_NEAR(carom_sim_read(sim, carom_model_signal(model, "hinge.q")), 1, 1e-14);
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  carom_def_destroy(def);
}

int main(void) {
  RUN(a_spline_is_smooth);
  RUN(a_clamped_spline_reproduces_a_cubic);
  RUN(a_monotone_curve_does_not_overshoot);
  RUN(derivatives_are_exact);
  RUN(kinks_are_found);
  RUN(a_drive_follows_a_table);
  RUN(integrators_stop_at_switches);
  RUN(a_speed_that_jumps_is_an_error);
  RUN(points_come_from_files);
  RUN(bad_files_are_told);
  RUN(a_name_that_ends_like_a_unit_is_noted);
  RUN(units_that_differ_from_the_file_are_noted);
  RUN(tables_from_a_program);
  return check_summary();
}
