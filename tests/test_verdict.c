// How far to trust a run: one verdict in the tool and in the report, with limits that come from the method.
#include "pages.h"

static const char pendulum[] =
    "space: planar\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -0.5]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 2}}\n"
    "method: {moreau: {step: %s}}\n"
    "end: 2\n";

// A crank that is held where its mechanism lies flat: gravity's energy is the sum of terms that are nearly zero.
static const char held[] =
    "space: planar\n"
    "parameters: {a: 70 mm, b: 250 mm}\n"
    "bodies:\n"
    "  crank: {mass: 0.2, inertia: 5e-5, com: [a/2, 0]}\n"
    "  rod: {mass: 0.5, inertia: 2e-3, com: [b/2, 0]}\n"
    "  ram: {mass: 2}\n"
    "joints:\n"
    "  crank: {revolute: [ground, crank]}\n"
    "  rod: {revolute: [crank, rod], at: [a, 0]}\n"
    "  pin: {revolute: [rod, ram], at: [b, 0]}\n"
    "  guide: {prismatic: [ground, ram], axis: x}\n"
    "drives: {motor: {joint: crank, motion: 8*pi}}\n"
    "end: 1\n";

// Without gravity a stiff spring at its natural length: all energies are rounding, or of motions that the tolerance
// does not resolve.
static const char slack[] =
    "space: planar\n"
    "parameters: {angle: 0.7}\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: 0.01, com: [0, -0.5]}\n"
    "  bar: {mass: 1, inertia: 0.01, com: [0.5, 0]}\n"
    "  right: {mass: 1, inertia: 0.01, com: [0, -0.5]}\n"
    "joints:\n"
    "  a: {revolute: [ground, left], at: [0.3, 0.1]}\n"
    "  b: {revolute: [left, bar], at: [0, -1]}\n"
    "  c: {revolute: [bar, right], at: [1, 0], to: [0, -1]}\n"
    "  d: {revolute: [right, ground], to: [1.3, 0.1]}\n"
    "initial: {a: {q: angle}}\n"
    "forces: {s: {along: a, stiffness: 1e6, rest: angle, damping: 1}}\n"
    "end: 10\n";

// At some angles the start is exact and nothing moves, at others rounding is left in it.
static void a_spring_at_rest_is_balanced_at_any_angle(void) {
  if (!write_text(scratch("rest.yaml"), slack)) return;
  static const double angles[] = {0.6, 0.71, 0.72, 0.9};
  for (int i = 0; i < 4; i++) {
    char settings[100];
    carom_error error = {0};
    carom_summary s;
    snprintf(settings, sizeof settings, "method=event coordinates=absolute angle=%g", angles[i]);
    carom_model *model = example_load_path(scratch("rest.yaml"), settings, &error);
    if (!CHECK(model)) return;
    CHECK(carom_run(model, &(carom_run_options){0}, &s, &error) == CAROM_OK);
    if (!CHECK_LE(s.energy_imbalance, 0.5 * s.energy_warn)) printf("      %s\n", settings);
    carom_model_destroy(model);
  }
}

static void a_mechanism_at_rest_is_balanced(void) {
  static const char *const texts[] = {held, slack};
  static const char *const methods[] = {"method=smooth",
                                        "method=moreau method.moreau.step=1e-3",
                                        "method=event",
                                        "method=compliant",
                                        "method=smooth integrator.type=rk4 integrator.step=1e-4",
                                        "method=event integrator.type=bdf"};
  static const char *const coordinates[] = {"joint", "absolute"};
  for (size_t i = 0; i < 2; i++) {
    for (size_t k = 0; k < 2 * sizeof methods / sizeof *methods; k++) {
      carom_error error = {0};
      carom_summary s;
      char settings[200];
      snprintf(settings, sizeof settings, "%s coordinates=%s", methods[k / 2], coordinates[i ? k % 2 : 0]);
      if (!write_text(scratch("rest.yaml"), texts[i])) return;
      carom_model *model = example_load_path(scratch("rest.yaml"), settings, &error);
      if (!CHECK(model)) continue;
      CHECK(carom_run(model, &(carom_run_options){0}, &s, &error) == CAROM_OK);
      if (!CHECK_EQUAL(s.unbalanced, 0)) printf("      model %zu, %s: %g\n", i, settings, s.energy_imbalance);
      CHECK_LE(s.energy_imbalance, s.energy_warn);
      carom_model_destroy(model);
    }
  }
}

// Discs that are placed on a floor have hardly moved after 0.1 ms: by 50 nm, where positions are resolved to 12 nm.
static void a_run_that_has_hardly_begun_is_balanced(void) {
  static const char *const integrators[] = {"bdf", "adams", "erk"};
  static const double ends[] = {1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 1.5e-3, 3e-3, 1e-2};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
      carom_error error = {0};
      carom_summary s;
      char text[900];
      snprintf(text, sizeof text,
               "space: planar\nbodies: {a: {mass: 1000, inertia: 1}, b: {mass: 2, inertia: 0.1}}\n"
               "joints: {ja: {free: [ground, a], at: [0, 0.5]}, jb: {free: [ground, b], at: [0, 1.2]}}\n"
               "surfaces: {a: {sphere: a, radius: 0.5, material: m}, b: {sphere: b, radius: 0.2, material: m}, floor: "
               "{plane: ground, material: m}}\n"
               "materials: {m: {restitution: 0.5, friction: 0.5, stiffness: 1e9}}\nmethod: compliant\nintegrator: %s\n",
               integrators[i]);
      carom_model *model = carom_model_parse(text, "placed.yaml", &error);
      if (!CHECK(model)) return;
      CHECK(carom_run(model, &(carom_run_options){.end = ends[k]}, &s, &error) == CAROM_OK);
      if (!CHECK_LE(s.energy_imbalance, s.energy_warn)) printf("      %s to %g s\n", integrators[i], ends[k]);
      carom_model_destroy(model);
    }
}

// A drive pushes a ball into the floor, and nothing can give way: no contact force is right, however large, so the run
// has an unsolved contact problem and a warning about it.
static void a_contact_against_a_drive_is_told(void) {
  carom_error error = {0};
  carom_summary s;
  carom_model *model = carom_model_parse(
      "bodies: {lift: {mass: 1, inertia: [1,1,1]}, sx: {mass: 1, inertia: [1,1,1]}, sy: {mass: 1, inertia: [1,1,1]}}\n"
      "joints: {z: {prismatic: [ground, lift], axis: z}, x: {prismatic: [lift, sx], axis: x}, y: {prismatic: [sx, sy], "
      "axis: y}}\n"
      "drives: {d: {joint: z, motion: \"0.3 m - 1 m/s*t\"}}\n"
      "surfaces: {ball: {sphere: sy, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "contacts: {c: {between: [ball, floor]}}\n"
      "materials: {m: {friction: 0.5, restitution: 0}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "end: 0.201\n",
      "press.yaml", &error);
  if (!CHECK(model)) return;
  CHECK(carom_run(model, &(carom_run_options){0}, &s, &error) == CAROM_OK);
  CHECK(s.solves > 0);
  CHECK_EQUAL(s.unsolved, s.solves);
  CHECK_LE(0.5, s.worst_residual);
  carom_verdict *verdict = carom_judge(model, &s, &error);
  if (CHECK(verdict)) CHECK_EQUAL(carom_verdict_level(verdict), CAROM_BAD);
  carom_verdict_destroy(verdict);
  carom_model_destroy(model);
}

// What little moves is still judged: a swing of 1e-4 rad, at a step that a large swing is doubtful with.
static void a_small_swing_is_judged(void) {
  carom_error error = {0};
  carom_summary s;
  carom_model *model = carom_model_parse(
      "space: planar\nbodies: {bob: {mass: 2, inertia: 0.1, com: [0, -0.5]}}\njoints: {pin: {revolute: [ground, "
      "bob]}}\n"
      "initial: {pin: {q: 1e-4}}\nintegrator: {type: rk4, step: 0.4}\nend: 4\n",
      "small.yaml", &error);
  if (!CHECK(model)) return;
  CHECK(carom_run(model, &(carom_run_options){0}, &s, &error) == CAROM_OK);
  CHECK_EQUAL(s.unbalanced, 1);
  CHECK_LE(1e-2, s.energy_imbalance);
  carom_model_destroy(model);
}

static const char *word_of(carom_level level) {
  return level == CAROM_GOOD ? "good" : level == CAROM_DOUBTFUL ? "warn" : "bad";
}

// Every line of the page is a line of the verdict, in the same words.
static void check_same(const carom_verdict *verdict, const json_value *run) {
  const json_value *lines = json_get(run, "verdict");
  int i = 0;
  for (carom_check c; (c = carom_verdict_check(verdict, i)).key; i++) {
    if (!CHECK(lines && i < lines->count)) return;
    CHECK_TEXT(json_get_text(&lines->items[i], "key"), c.key);
    CHECK_TEXT(json_get_text(&lines->items[i], "level"), word_of(c.level));
    CHECK_TEXT(json_get_text(&lines->items[i], "sentence"), c.sentence);
  }
  CHECK_EQUAL(lines->count, i);
}

static void tool_and_report_say_the_same(const char *step, carom_level level, const char *words) {
  char text[512];
  carom_error error = {0};
  carom_summary s;
  snprintf(text, sizeof text, pendulum, step);
  carom_model *model = carom_model_parse(text, "swing.yaml", &error);
  if (!CHECK(model)) return;
  CHECK(carom_run(model, &(carom_run_options){.record = scratch("swing.h5")}, &s, &error) == CAROM_OK);
  CHECK_NEAR(s.energy_warn, 0.01, 0);
  CHECK_NEAR(s.energy_limit, 0.05, 0);
  CHECK_EQUAL(s.unbalanced, level != CAROM_GOOD);
  carom_summary alone;
  CHECK(carom_run(model, &(carom_run_options){0}, &alone, &error) == CAROM_OK);
  CHECK_NEAR(alone.energy_imbalance, s.energy_imbalance, 0);  // whether it is recorded makes no difference
  carom_verdict *verdict = carom_judge(model, &s, &error);
  CHECK_EQUAL(carom_verdict_level(verdict), level);
  CHECK(report_on(scratch("swing.h5"), scratch("swing.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("swing.html"));
  check_same(verdict, run_of(&p, 0));
  CHECK_TEXT(json_get_text(check_named(run_of(&p, 0), "energy"), "level"), word_of(level));
  CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "energy"), "sentence"), words);
  CHECK_NEAR(json_get_number(json_get(run_of(&p, 0), "summary"), "energy_warn", NAN), 0.01, 0);
  carom_verdict_destroy(verdict);
  carom_model_destroy(model);
}

static void moreau_is_doubtful_above_one_per_cent_and_bad_above_five(void) {
  tool_and_report_say_the_same("0.05", CAROM_GOOD, "within the limit of 1 %");
  tool_and_report_say_the_same("0.1", CAROM_DOUBTFUL, "take a shorter step");
  tool_and_report_say_the_same("0.2", CAROM_BAD, "take a shorter step");
}

// A model with contact has lines on penetration and contact problems, too.
static void contact_is_judged_alike(void) {
  carom_error error = {0};
  carom_summary s;
  carom_model *model = example_load("slider-crank", "dt=1e-4 end=0.05");
  if (!CHECK(model)) return;
  CHECK(carom_run(model, &(carom_run_options){.record = scratch("crank.h5")}, &s, &error) == CAROM_OK);
  carom_verdict *verdict = carom_judge(model, &s, &error);
  CHECK(report_on(scratch("crank.h5"), scratch("crank.html"), &error) == CAROM_OK);
  opened_page p = open_page(scratch("crank.html"));
  check_same(verdict, run_of(&p, 0));
  CHECK(check_named(run_of(&p, 0), "penetration") && check_named(run_of(&p, 0), "solver"));
  CHECK_CONTAINS(json_get_text(check_named(run_of(&p, 0), "solver"), "sentence"),
                 "only the sum of their forces is determined");
  carom_verdict_destroy(verdict);
  carom_model_destroy(model);
}

// Contacts that are found late ask for what finds them earlier, unless that was used.
static void advice_is_not_what_was_done(void) {
  static const char model_text[] =
      "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\njoints: {b: {free: [ground, b]}}\n"
      "surfaces: {b: {sphere: b, radius: 0.1, material: m}, f: {plane: ground, material: m}}\nmaterials: {m: "
      "{stiffness: 1e5, law: hooke}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0, 0, 0.2]}}\nmethod: {compliant: {entry: %s, penetration_max: "
      "1e-18}}\nintegrator: {type: rk4, step: 5 ms}\nend: 0.3\n";
  for (int locate = 0; locate < 2; locate++) {
    carom_error error = {0};
    carom_summary s;
    char text[1024];
    snprintf(text, sizeof text, model_text, locate ? "locate" : "none");
    if (!write_text(scratch("late.yaml"), text)) return;
    carom_model *model = example_load_path(scratch("late.yaml"), "", &error);
    if (!CHECK(model)) return;
    CHECK(carom_run(model, &(carom_run_options){0}, &s, &error) == CAROM_OK);
    carom_verdict *verdict = carom_judge(model, &s, &error);
    bool told = false, asked = false;
    for (int i = 0; carom_verdict_check(verdict, i).key; i++) {
      carom_check c = carom_verdict_check(verdict, i);
      told |= strcmp(c.key, "penetration") == 0 && c.level != CAROM_GOOD;
      asked |= strstr(c.sentence, "entry: locate") != NULL;
    }
    CHECK(told && asked == !locate);
    carom_verdict_destroy(verdict);
    carom_model_destroy(model);
  }
}

// A record that does not say its limits is held against those of its method.
static void an_old_record_falls_back_to_its_method(void) {
  static const struct {
    const char *method, *summary, *level;
  } runs[] = {
      {"moreau", "{\"status\": \"done\", \"energy_imbalance\": 0.009, \"energy_limit\": 0.05}", "good"},
      {"moreau", "{\"status\": \"done\", \"energy_imbalance\": 0.02, \"energy_limit\": 0.05}", "warn"},
      {"moreau", "{\"status\": \"done\", \"energy_imbalance\": 0.02}", "warn"},
      {"moreau", "{\"status\": \"done\", \"energy_imbalance\": 0.06}", "bad"},
      {"smooth", "{\"status\": \"done\", \"energy_imbalance\": 0.02, \"energy_limit\": 0.03}", "warn"},
      {"smooth", "{\"status\": \"done\", \"energy_imbalance\": 0.02}", "bad"},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    carom_error error = {0};
    record_text texts[] = {{"method", runs[i].method}};
    synthetic s = {
        .rows = 5, .value = smooth_value, .texts = texts, .text_count = 1, .step = 1e-3, .summary = runs[i].summary};
    if (!write_synthetic(scratch("old.h5"), &s)) return;
    CHECK(report_on(scratch("old.h5"), scratch("old.html"), &error) == CAROM_OK);
    opened_page p = open_page(scratch("old.html"));
    CHECK_TEXT(json_get_text(check_named(run_of(&p, 0), "energy"), "level"), runs[i].level);
  }
}

int main(void) {
  RUN_OPTIMISED(a_mechanism_at_rest_is_balanced);
  RUN_OPTIMISED(a_spring_at_rest_is_balanced_at_any_angle);
  RUN(a_run_that_has_hardly_begun_is_balanced);
  RUN(a_contact_against_a_drive_is_told);
  RUN(a_small_swing_is_judged);
  RUN(moreau_is_doubtful_above_one_per_cent_and_bad_above_five);
  RUN(contact_is_judged_alike);
  RUN(advice_is_not_what_was_done);
  RUN(an_old_record_falls_back_to_its_method);
  return check_summary();
}
