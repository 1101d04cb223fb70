// Bifurcation diagrams: sections, periods, multipliers and changes of models with known answers; refusals, failures,
// interruptions.
#include <math.h>

#include "long.h"
#include "diagrams.h"

// A mass on a spring under a sinusoidal force, without contact: x = F/(k - m w²) cos(wt) once the start has decayed.
// Its multipliers are those of the free oscillation over a period.
static const char *const linear =
    "space: planar\n"
    "parameters: {w: 2 rad/s, k: 9 N/m, c: 0.6 N*s/m, bad: 0}\n"
    "bodies: {mass: {mass: 1 - bad, inertia: 1}}\n"
    "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
    "forces:\n"
    "  spring: {along: slide.q, stiffness: k, damping: c}\n"
    "  drive: {motor: slide, effort: cos(w*t)}\n"
    "initial: {slide: {q: 0.3}}\n"
    "method: smooth\n"
    "integrator: {rtol: 1e-10, atol: 1e-12}\n"
    "end: 5\n";

static const char *write_model(const char *name, const char *text) {
  const char *path = scratch(name);
  CHECK(write_text(path, text));
  return path;
}

static carom_status draw(const carom_bifurcation_options *o, carom_bifurcation_result *result, carom_error *error) {
  const carom_status status = carom_bifurcation(o, result, error);
  if (status != CAROM_OK && status != CAROM_INTERRUPTED && status != CAROM_ERROR_USAGE)
    printf("      %s\n", error->text);
  return status;
}

static void points_and_multipliers_of_a_linear_oscillator(void) {
  carom_error error = {0};
  carom_bifurcation_result result;
  const carom_bifurcation_options o = {.model = write_model("linear.yaml", linear),
                                       .vary = {"w", "2 rad/s:4 rad/s:3"},
                                       .period = "2*pi/w",
                                       .take = "slide.q, slide.u",
                                       .cut = 60,
                                       .points = 4,
                                       .record = scratch("linear.h5")};
  if (!CHECK(draw(&o, &result, &error) == CAROM_OK)) return;
  CHECK(result.values == 6 && result.failed == 0 && isnan(result.first_failed));
  diagram values = read_diagram(o.record, "values"), points = read_diagram(o.record, "points");
  CHECK_EQUAL(points.about.rows, 6 * 4);
  for (long i = 0; i < 6; i++) {
    const double w = i < 3 ? 2 + (double)i : 7 - (double)i, re = 9 - w * w, im = 0.6 * w, size = re * re + im * im;
    const double period = 2 * M_PI / w;
    CHECK_NEAR(diagram_value(&values, i, "w"), w, 0);
    CHECK_TEXT(diagram_word(&values, i, "direction"), i < 3 ? "forward" : "backward");
    CHECK(diagram_value(&values, i, "period") == 1 && diagram_value(&values, i, "status") == CAROM_OK);
    // exp(λT) with λ = -c/2 ± i d; differences of 1e-5 of motions with errors of 1e-9
    CHECK_NEAR(diagram_value(&values, i, "multiplier"), exp(-0.3 * period), 1e-4);
    CHECK_NEAR(diagram_value(&values, i, "multiplier_re"), exp(-0.3 * period) * cos(sqrt(9 - 0.09) * period), 1e-4);
    CHECK_NEAR(diagram_value(&values, i, "interval"), period, 1e-12 * period);
    CHECK(diagram_value(&values, i, "impacts") == 0 && isnan(diagram_value(&values, i, "impact_speed")));
    for (long k = 0; k < 4; k++) {  // what is left of the start: exp(-0.3 * 60 * 1.57)
      CHECK_NEAR(diagram_value(&points, 4 * i + k, "slide.q"), re / size, 1e-8);
      CHECK_NEAR(diagram_value(&points, 4 * i + k, "slide.u"), w * im / size, 1e-8);
    }
  }
  close_diagram(&values), close_diagram(&points);
}

// Van der Pol's oscillator with a controller as a motor: a limit cycle of amplitude 2 and period 2π (1 + mu²/16) for
// small mu, both to within terms of higher order. Its section is where it passes zero upwards, at speed 2.
static void a_limit_cycle_is_found_by_crossings(void) {
  static const char *const text =
      "space: planar\n"
      "parameters: {mu: 0.1}\n"
      "bodies: {mass: {mass: 1, inertia: 1}}\n"
      "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
      "forces:\n"
      "  spring: {along: slide.q, stiffness: 1}\n"
      "  drive: {motor: slide, effort: 'mu*(1 - slide.q^2)*slide.u'}\n"
      "initial: {slide: {q: 0.5}}\n"
      "outputs: {speed: slide.u}\n"
      "method: smooth\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n"
      "end: 20\n";
  carom_error error = {0};
  const carom_bifurcation_options o = {.model = write_model("cycle.yaml", text),
                                       .vary = {"mu", "0.1, 0.2"},
                                       .section = "slide.q = 0 : rising",
                                       .cut = 40,
                                       .points = 4,
                                       .lyapunov = 50,
                                       .one_way = true,
                                       .record = scratch("cycle.h5")};
  if (!CHECK(draw(&o, NULL, &error) == CAROM_OK)) return;
  diagram values = read_diagram(o.record, "values"), points = read_diagram(o.record, "points");
  for (long i = 0; i < 2; i++) {
    const double mu = 0.1 * (double)(i + 1);
    CHECK(diagram_value(&values, i, "period") == 1);
    CHECK_NEAR(diagram_value(&values, i, "interval"), 2 * M_PI * (1 + mu * mu / 16), 5 * pow(mu, 4));
    CHECK_NEAR(diagram_value(&points, 4 * i + 3, "speed"), 2, 0.5 * mu * mu);
    // the multiplier along the orbit is 1 and no part of the section's map; the other is exp(-2π mu) to first order
    CHECK_NEAR(diagram_value(&values, i, "multiplier"), exp(-2 * M_PI * mu), mu * mu);
    // along the orbit a disturbance neither grows nor decays: over 50 intervals what is left is the start of the mean
    CHECK_NEAR(diagram_value(&values, i, "lyapunov"), 0, 1.0 / (50 * 2 * M_PI));
  }
  close_diagram(&values), close_diagram(&points);
}

static void a_flip_of_the_impact_oscillator_is_named(void) {
  carom_error error = {0};
  carom_bifurcation_result result;
  const carom_bifurcation_options o = {
      .model = CHECK_SOURCE_DIR "/models/impact-oscillator.yaml",
      .vary = {"speed", "20 rad/s, 22 rad/s, 24 rad/s, 25 rad/s, 26 rad/s, 26.5 rad/s, 26.7 rad/s"},
      .period = "2*pi/speed",
      .cut = 150,
      .points = 16,
      .one_way = true,
      .record = scratch("flip.h5")};
  if (!CHECK(draw(&o, &result, &error) == CAROM_OK)) return;
  CHECK_EQUAL(result.changes, 1);
  diagram changes = read_diagram(o.record, "changes");
  CHECK_TEXT(diagram_word(&changes, 0, "kind"), "flip");
  CHECK(diagram_value(&changes, 0, "period_before") == 1 && diagram_value(&changes, 0, "period_after") == 2);
  // The exact multiplier is -1 at 26.5888 rad/s, and -0.965 at 0.02 less, where 150 sections leave 5e-3 of a
  // disturbance: nearer to the flip a diagram with this cut cannot tell the two sides apart.
  CHECK_NEAR(diagram_value(&changes, 0, "speed"), 26.5888, 0.02);
  close_diagram(&changes);
}

// A change of a diagram with its kind, its direction, and the exact value of the parameter.
typedef struct expected_change {
  const char *direction, *kind;
  double value, tolerance;
} expected_change;

static void check_changes(const carom_bifurcation_options *o, const expected_change *expected, int count) {
  carom_error error = {0};
  carom_bifurcation_result result;
  if (!CHECK(draw(o, &result, &error) == CAROM_OK) || !CHECK_EQUAL(result.changes, count)) return;
  diagram changes = read_diagram(o->record, "changes");
  for (int i = 0; i < count; i++) {
    CHECK_TEXT(diagram_word(&changes, i, "direction"), expected[i].direction);
    CHECK_TEXT(diagram_word(&changes, i, "kind"), expected[i].kind);
    CHECK_NEAR(diagram_value(&changes, i, o->vary.name), expected[i].value, expected[i].tolerance);
  }
  close_diagram(&changes);
}

// The linear oscillator before a stop. Its amplitude 1/|k - m w² + i c w| reaches the stop at 0.3 m where
// (9 - w²)² + 0.36 w² = 1/0.09; there the motion touches the stop with speed zero.
static void a_motion_that_grazes_a_stop_is_named(void) {
  static const char *const text =
      "space: planar\n"
      "parameters: {w: 2 rad/s}\n"
      "bodies: {mass: {mass: 1, inertia: 1}}\n"
      "joints: {slide: {prismatic: [ground, mass], axis: x, limits: [-9 m, 0.3 m], material: hard}}\n"
      "forces:\n"
      "  spring: {along: slide.q, stiffness: 9, damping: 0.6}\n"
      "  drive: {motor: slide, effort: cos(w*t)}\n"
      "materials: {hard: {restitution: 0.8}}\n"
      "method: event\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n"
      "end: 5\n";
  const carom_bifurcation_options o = {.model = write_model("grazing.yaml", text),
                                       .vary = {"w", "2.2 rad/s:2.5 rad/s:4"},
                                       .period = "2*pi/w",
                                       .cut = 60,
                                       .points = 8,
                                       .one_way = true,
                                       .record = scratch("grazing.h5")};
  const double b = 2 * 9 - 0.36, w = sqrt((b - sqrt(b * b - 4 * (81 - 1 / 0.09))) / 2);
  carom_error error = {0};
  carom_bifurcation_result result;
  if (!CHECK(draw(&o, &result, &error) == CAROM_OK) || !CHECK(result.changes >= 1)) return;
  diagram changes = read_diagram(o.record, "changes");
  CHECK_TEXT(diagram_word(&changes, 0, "kind"), "grazing");
  CHECK(diagram_value(&changes, 0, "impacts_before") == 0 && diagram_value(&changes, 0, "impacts_after") > 0);
  // A step of the value disturbs the motion, which may touch the stop before it grazes: the shortest steps are
  // 0.1/64 rad/s long, and the amplitude changes by 0.3 m/(rad/s).
  CHECK_NEAR(diagram_value(&changes, 0, "w"), w, 2 * 0.1 / 64);
  close_diagram(&changes);
}

// Duffing's oscillator x'' + 0.1 x' + x + x³ = 0.3 cos(wt): on the way up the large motion ends in a fold, on the way
// back the small one does. The values were found by continuation of the periodic orbit along its arc, with 600 steps of
// Runge and Kutta's method per period, apart from this library. (The first harmonic gives 1.7737 for the upper one.)
static const char *const duffing =
    "space: planar\n"
    "parameters: {w: 1 rad/s}\n"
    "bodies: {mass: {mass: 1, inertia: 1}}\n"
    "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
    "forces:\n"
    "  spring: {along: slide.q, stiffness: 1, damping: 0.1}\n"
    "  drive: {motor: slide, effort: '0.3 N*cos(w*t) - 1 N/m^3*slide.q^3'}\n"
    "method: smooth\n"
    "end: 5\n";

// Steps are 0.1 rad/s, and the shortest a 64th: the place is between the last orbit and the first that was lost.
static void the_folds_of_a_hardening_spring_are_named(void) {
  const carom_bifurcation_options o = {.model = write_model("duffing.yaml", duffing),
                                       .vary = {"w", "1.2 rad/s:2 rad/s:9"},
                                       .period = "2*pi/w",
                                       .cut = 100,
                                       .points = 8,
                                       .record = scratch("duffing.h5")};
  static const expected_change folds[] = {{"forward", "fold", 1.779720, 2 * 0.1 / 64},
                                          {"backward", "fold", 1.324236, 2 * 0.1 / 64}};
  check_changes(&o, folds, 2);
}

// Close to the upper fold the large and the small motion are at one place in the section, where only their speeds
// differ. Short steps lead there.
static void a_fold_is_named_where_positions_agree(void) {
  const carom_bifurcation_options o = {.model = write_model("duffing.yaml", duffing),
                                       .vary = {"w", "1.2,1.3,1.4,1.5,1.6,1.7,1.75,1.7729,1.7932"},
                                       .period = "2*pi/w",
                                       .cut = 200,
                                       .points = 8,
                                       .one_way = true,
                                       .record = scratch("short.h5")};
  static const expected_change fold[] = {{"forward", "fold", 1.779720, 2 * 0.0203 / 64}};
  check_changes(&o, fold, 1);
}

// On the small branch points move by more than a tenth of the amplitude from value to value, which is no change. Where
// a user tightens the relative tolerance alone, errors are those of the absolute one.
static void a_branch_that_moves_far_does_not_change(void) {
  static const carom_setting tight = {"integrator.rtol", "1e-9"};
  carom_bifurcation_options o = {.model = write_model("duffing.yaml", duffing),
                                 .settings = &tight,
                                 .vary = {"w", "2.2 rad/s:1.7 rad/s:6"},
                                 .period = "2*pi/w",
                                 .cut = 100,
                                 .points = 64,
                                 .one_way = true,
                                 .record = scratch("far.h5")};
  for (int i = 0; i < 2; i++) o.setting_count = i, check_changes(&o, NULL, 0);
}

// From 1.45 to 1.7 rad/s at once the large motion is thrown onto the small one, although it goes on to 1.78 rad/s.
static void a_step_that_leaves_a_branch_is_no_fold(void) {
  const carom_bifurcation_options o = {.model = write_model("duffing.yaml", duffing),
                                       .vary = {"w", "1.2 rad/s, 1.45 rad/s, 1.7 rad/s"},
                                       .period = "2*pi/w",
                                       .cut = 100,
                                       .points = 8,
                                       .one_way = true,
                                       .record = scratch("thrown.h5")};
  static const expected_change jump[] = {{"forward", "jump", (1.45 + 1.7) / 2, 1e-12}};
  check_changes(&o, jump, 1);
}

// A pendulum whose pivot is shaken along the vertical by A cos(wt) hangs at rest, unless w is near twice its frequency
// w0: then it swings with two periods of the drive. Where its angle follows x'' + d x' + (w0² - (A/L) w² cos(wt)) x =
// 0, the first harmonic gives (w²/4 - w0²)² + (d w/2)² = (A w²/2L)² at both ends. The third adds less than (A
// w²/2L)²/((3w/2)² - w0²) = 0.065 s⁻² to w²/4, and 0.012 rad/s to w. At rest there is nothing but errors to compare.
static void a_shaken_pendulum_begins_to_swing(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "parameters: {w: 10 rad/s}\n"
      "bodies: {cart: {mass: 1, inertia: 1}, bob: {mass: 1, inertia: 0, com: [0, -0.3 m]}}\n"
      "joints: {lift: {prismatic: [ground, cart], axis: y}, pin: {revolute: [cart, bob]}}\n"
      "drives: {shake: {joint: lift, motion: 2 cm*cos(w*t)}}\n"
      "forces: {rub: {along: pin, damping: 0.01}}\n"
      "initial: {pin: {q: 0.01}}\n"
      "method: smooth\n"
      "end: 5\n";
  carom_bifurcation_options o = {.model = write_model("shaken.yaml", text),
                                 .vary = {"w", "9 rad/s:11 rad/s:5"},
                                 .period = "2*pi/w",
                                 .cut = 300,
                                 .points = 16,
                                 .one_way = true,
                                 .record = scratch("shaken.h5")};
  double w[2] = {10, 13};
  const double w0 = 9.81 / 0.3, d = 0.01 / 0.09;
  for (int i = 0; i < 50; i++)
    for (int k = 0; k < 2; k++) {
      const double depth = 0.02 * w[k] * w[k] / 0.6, side = sqrt(depth * depth - d * d * w[k] * w[k] / 4);
      w[k] = 2 * sqrt(k ? w0 + side : w0 - side);
    }
  check_changes(&o, (expected_change[]){{"forward", "flip", w[0], 0.012 + 2 * 0.5 / 64}}, 1);
  o.vary.value = "13.5 rad/s:12 rad/s:4", o.record = scratch("shaken-down.h5");
  check_changes(&o, (expected_change[]){{"forward", "flip", w[1], 0.012 + 2 * 0.5 / 64}}, 1);
  // Above it the pendulum comes to rest, slowly and from both sides in turn: that is no period of two.
  o.vary.value = "12.5 rad/s, 12.4 rad/s, 12.31 rad/s", o.record = scratch("shaken-rest.h5");
  check_changes(&o, NULL, 0);
  diagram values = read_diagram(o.record, "values");
  for (long i = 0; i < 3; i++) CHECK_NEAR(diagram_value(&values, i, "period"), 1, 0);
  close_diagram(&values);
}

// A ball on a table that moves as A sin(wt), once per period: with G = A w²/g and s = π (1 - e)/(1 + e) the motion
// begins in a fold at G = s. Its multipliers have the product e² and the sum 1 + e² - (1 + e)² √(G² - s²): one is -1 at
// G² = s² + (2 (1 + e²)/(1 + e)²)².
static void fold_and_flip_of_a_ball_on_a_table_are_named(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "parameters: {w: 30 rad/s, G: 1.3, e: 0.5}\n"
      "bodies: {table: {mass: 1, inertia: 1}, ball: {mass: 1, inertia: 1}}\n"
      "joints:\n"
      "  lift: {prismatic: [ground, table], axis: y}\n"
      "  gap: {prismatic: [table, ball], axis: y, limits: [0 m, 99 m], material: hard}\n"
      "drives: {table: {joint: lift, motion: 'G*9.81 m/s^2/w^2*sin(w*t)'}}\n"
      "materials: {hard: {restitution: e}}\n"
      "initial: {gap: {u: 0.8}}\n"
      "method: event\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n"
      "end: 5\n";
  carom_bifurcation_options o = {.model = write_model("table.yaml", text),
                                 .vary = {"G", "1.2, 1.1, 1"},
                                 .period = "2*pi/w",
                                 .cut = 60,
                                 .points = 16,
                                 .one_way = true,
                                 .record = scratch("table.h5")};
  const double e = 0.5, s = M_PI * (1 - e) / (1 + e), flip = hypot(s, 2 * (1 + e * e) / ((1 + e) * (1 + e)));
  check_changes(&o, (expected_change[]){{"forward", "fold", s, 2 * 0.1 / 64}}, 1);
  // 0.004 below the flip the multiplier is -0.98, and 100 sections leave an eighth of a disturbance.
  o.vary.value = "1.3, 1.4, 1.5, 1.55", o.cut = 100, o.record = scratch("table-flip.h5");
  check_changes(&o, (expected_change[]){{"forward", "flip", flip, 0.004}}, 1);
}

// Van der Pol's oscillator under a force F cos(wt) follows the force until its amplitude falls to √2; then a second
// frequency comes in. By the first harmonic 2 ((1 - w²)² + (mu w)²/4) = F² there; what it leaves out is of order mu².
static void a_torus_is_named(void) {
  static const char *const text =
      "space: planar\n"
      "parameters: {w: 1 rad/s, mu: 0.2}\n"
      "bodies: {mass: {mass: 1, inertia: 1}}\n"
      "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
      "forces:\n"
      "  spring: {along: slide.q, stiffness: 1}\n"
      "  drive: {motor: slide, effort: '0.5*cos(w*t) + mu*(1 - slide.q^2)*slide.u'}\n"
      "initial: {slide: {q: 1}}\n"
      "method: smooth\n"
      "end: 5\n";
  const carom_bifurcation_options o = {.model = write_model("torus.yaml", text),
                                       .vary = {"w", "1.05 rad/s:1.25 rad/s:5"},
                                       .period = "2*pi/w",
                                       .cut = 100,
                                       .points = 32,
                                       .record = scratch("torus.h5")};
  const double mu = 0.2, b = 1 - mu * mu / 8, w = sqrt(b + sqrt(b * b - 1 + 0.5 * 0.5 / 2));
  const expected_change both[] = {{"forward", "torus", w, mu * mu / 4}, {"backward", "torus", w, mu * mu / 4}};
  check_changes(&o, both, 2);
}

static void failed_values_hold_their_message(void) {
  carom_error error = {0};
  carom_bifurcation_result result;
  const carom_bifurcation_options o = {.model = write_model("linear.yaml", linear),
                                       .vary = {"bad", "0, 2, 0.5"},
                                       .period = "2*pi/w",
                                       .cut = 40,
                                       .points = 4,
                                       .one_way = true,
                                       .record = scratch("failed.h5")};
  if (!CHECK(draw(&o, &result, &error) == CAROM_OK)) return;
  CHECK(result.values == 3 && result.failed == 1 && result.first_failed == 2);
  CHECK_CONTAINS(result.first_message, "mass");
  diagram values = read_diagram(o.record, "values");
  CHECK(diagram_value(&values, 1, "status") == CAROM_ERROR_MODEL && isnan(diagram_value(&values, 1, "period")));
  CHECK(diagram_value(&values, 2, "period") == 1);
  CHECK_CONTAINS(carom_record_text(values.record, "messages"), "\"1\"");
  close_diagram(&values);
}

static void refusals_say_what_to_do(void) {
  const char *model = write_model("linear.yaml", linear), *path = scratch("refused.h5");
  const struct {
    carom_setting vary;
    const char *period, *section, *take, *message;
  } cases[] = {
      {{"v", "1:2:3"}, "1", NULL, NULL, "'v'"},
      {{"w", "1:1:0"}, "1", NULL, NULL, "number of values"},
      {{"w", "slow, fast"}, "1", NULL, NULL, "must be numbers"},
      {{NULL, NULL}, "1", NULL, NULL, "nothing varies"},
      {{"w", "1, 2"}, NULL, NULL, NULL, "no section is given"},
      {{"w", "1, 2"}, "2*pi/speed", NULL, NULL, "speed"},
      {{"w", "1, 2"}, "-1", NULL, NULL, "not a time above zero"},
      {{"w", "1, 2"}, "k", NULL, NULL, "not a time above zero"},
      {{"w", "1, 2"}, NULL, "slide.q", NULL, "SIGNAL=VALUE"},
      {{"w", "1, 2"}, NULL, "slide.q=0:up", NULL, ":rising"},
      {{"w", "1, 2"}, NULL, "slyde.q=0", NULL, "did you mean 'slide.q'"},
      {{"w", "1, 2"}, "1", NULL, "slide.x", "no signal 'slide.x'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    carom_error error = {0};
    const carom_bifurcation_options o = {.model = model,
                                         .vary = cases[i].vary,
                                         .period = cases[i].period,
                                         .section = cases[i].section,
                                         .take = cases[i].take,
                                         .record = path};
    CHECK(carom_bifurcation(&o, NULL, &error) != CAROM_OK);
    CHECK_EQUAL(carom_status_exit_code(error.status), 2);
    CHECK_CONTAINS(error.text, cases[i].message);
  }
}

static void a_section_that_is_never_met_fails(void) {
  carom_error error = {0};
  carom_bifurcation_result result;
  const carom_bifurcation_options o = {.model = write_model("linear.yaml", linear),
                                       .vary = {"w", "2 rad/s"},
                                       .section = "slide.q=7:both",
                                       .one_way = true,
                                       .record = scratch("never.h5")};
  if (!CHECK(draw(&o, &result, &error) == CAROM_OK)) return;
  CHECK_EQUAL(result.failed, 1);
  CHECK_CONTAINS(result.first_message, "'slide.q' does not cross 7 within 5 s");
}

static bool stop_after_two(void *context, const carom_bifurcation_progress *now) {
  (void)context;
  return now->done < 2;
}

static void an_interruption_keeps_what_is_done(void) {
  carom_error error = {0};
  carom_bifurcation_result result;
  const carom_bifurcation_options o = {.model = write_model("linear.yaml", linear),
                                       .vary = {"w", "2 rad/s:4 rad/s:100"},
                                       .period = "2*pi/w",
                                       .cut = 2000,
                                       .points = 4,
                                       .record = scratch("part.h5"),
                                       .progress = stop_after_two};
  CHECK(draw(&o, &result, &error) == CAROM_INTERRUPTED);
  CHECK(result.values >= 2 && result.values < 100);
  diagram values = read_diagram(o.record, "values");
  CHECK_EQUAL(values.about.rows, result.values);
  close_diagram(&values);
}

int main(void) {
  RUN(points_and_multipliers_of_a_linear_oscillator);
  RUN(a_limit_cycle_is_found_by_crossings);
  RUN_OPTIMISED(a_flip_of_the_impact_oscillator_is_named);
  RUN(a_motion_that_grazes_a_stop_is_named);
  RUN_OPTIMISED(the_folds_of_a_hardening_spring_are_named);
  RUN(a_fold_is_named_where_positions_agree);
  RUN(a_branch_that_moves_far_does_not_change);
  RUN(a_step_that_leaves_a_branch_is_no_fold);
  RUN(a_shaken_pendulum_begins_to_swing);
  RUN_OPTIMISED(fold_and_flip_of_a_ball_on_a_table_are_named);
  RUN_OPTIMISED(a_torus_is_named);
  RUN(failed_values_hold_their_message);
  RUN(refusals_say_what_to_do);
  RUN(a_section_that_is_never_met_fails);
  RUN(an_interruption_keeps_what_is_done);
  return check_summary();
}
