// Every recorded column under every method that can run a model: what one method calls a reaction, an effort or an
// energy is the same number under another. Methods and signals are listed by the program, so that new ones are compared
// as well.
//
// Columns are compared in the unit they have: the allowed difference is a tolerance times the largest number of that
// unit in the model, and at least 1, the size in SI units of everything in these models.
//   at rest, steady sliding   columns are constant, a mean over a step is the value at each of its instants, and an
//   integrator
//                             makes no error: methods with rigid contact differ by the tolerance of their equations,
//                             1e-10. Surfaces that give way are pressed in by 10 N/1e7 N/m = 1e-6 m at most. With
//                             levers of 0.2 m and more and springs of less than 5 rad/s, angles, speeds and forces
//                             shift by up to 5 times that, energies by the weight times that, 2e-5 J or less than 1e-5
//                             of their size: `soft`
//   driven motion             a mean over a step of length h stands for its midpoint, half a step before the row (at
//   the start
//                             half a step after it), and the velocity of a time stepper is off by half a step: errors
//                             of first order, which runs with h and h/2 extrapolate away. What is left is of second
//                             order: at most (h w)^2, with the rate w at which a column changes, that of the drive
//                             times the harmonic that the column moves with, up to four. Methods that integrate differ
//                             by their tolerance per step
//   predicted forces          are found as if applied forces did not answer to them, and alternate from step to step on
//                             position level. So columns are means over three rows, 1/4, 1/2, 1/4, of second order, in
//                             runs with h and h/2. Loads of the rate w (a damper over its mass, a spring's frequency)
//                             leave (h w)^2, w = 20/s in these models, and a quarter of the difference with half the
//                             step, down to the noise of gaps: 1e-17 m over h^2/2, 1e-10
#include "runs.h"

#include "scheme/registry.h"
#include "sim.h"
#include "slider_crank.h"

enum { MOST_METHODS = 16, MOST_TIMES = 3 };
static const double step = 1e-3;        // of time steppers
static const double equations = 1e-10;  // tolerance of integrators, per step, and of contact problems
static const double soft = 1e-5;

typedef struct subject {
  const char *name, *text;
  double times[MOST_TIMES];
  double tolerance;  // between methods with rigid contact
  bool moves;        // columns change: time steppers run with half the step as well
  int methods;       // at least so many run it
} subject;

// --- one run ---------------------------------------------------------------------------------------------------------

typedef struct columns {
  const char *method;
  run r, half;  // the second with half the step
  bool has_half;
  bool predicts;
  int count;
  double *values;  // of one time
  double *finer;   // the same with half the step, of a method that predicts
} columns;

static bool has_option(const char *method, const char *key) {
  const option_table *table = scheme_find(method)->about->table;
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->options[i].key, key) == 0) return true;
  return false;
}

// Contact problems are solved to rounding, if the method can be told to: percussions of the last step may be accepted
// at a tenth of the tolerance.
static bool open_stepper(run *r, const char *path, const char *method, double h, const char *common) {
  char settings[512];
  int length = snprintf(settings, sizeof settings, "method.%s.step=%g %s", method, h, common);
  if (has_option(method, "tolerance"))
    snprintf(settings + length, sizeof settings - (size_t)length, " method.%s.tolerance=1e-13", method);
  return run_try(r, path, settings);
}

// A method that needs a step is given one.
static bool open_columns(columns *c, const char *path, const char *method, const char *coordinates, bool moves) {
  char settings[512], common[256];
  snprintf(common, sizeof common, "coordinates=%s integrator.rtol=%g integrator.atol=%g", coordinates, equations,
           equations);
  c->method = method;
  c->predicts = scheme_find(method)->about->predicts;
  snprintf(settings, sizeof settings, "method=%s %s", method, common);
  if (!run_try(&c->r, path, settings)) {
    carom_error why = c->r.error;
    run_close(&c->r);
    if (!open_stepper(&c->r, path, method, step, common)) {
      printf("      %s is left out: %s\n", method, has_option(method, "step") ? c->r.error.message : why.message);
      return run_close(&c->r), false;
    }
    c->has_half = (moves || c->predicts) && CHECK(open_stepper(&c->half, path, method, step / 2, common));
  }
  c->count = carom_model_signal_count(c->r.model);
  c->values = calloc((size_t)c->count, sizeof *c->values), c->finer = calloc((size_t)c->count, sizeof *c->values);
  return CHECK(c->values && c->finer);
}

static void close_columns(columns *c) {
  free(c->values), free(c->finer);
  if (c->has_half) run_close(&c->half);
  run_close(&c->r);
}

static bool read_mean(run *r, double t, double h, int count, double *to) {
  static const double weight[] = {0.25, 0.5, 0.25};
  memset(to, 0, (size_t)count * sizeof *to);
  for (int k = 0; k < 3; k++) {
    if (!run_to(r, t + (k - 1) * h)) return false;
    const double *now = sim_read_all(r->sim);
    for (int i = 0; i < count; i++) to[i] += weight[k] * now[i];
  }
  return true;
}

// Predictions settle after the first steps.
static bool read_columns(columns *c, double t) {
  if (c->predicts)
    return t <= 0 ||
           (read_mean(&c->r, t, step, c->count, c->values) && read_mean(&c->half, t, step / 2, c->count, c->finer));
  if (t > 0 && !run_to(&c->r, t)) return false;
  memcpy(c->values, sim_read_all(c->r.sim), (size_t)c->count * sizeof *c->values);
  if (!c->has_half) return true;
  if (t > 0 && !run_to(&c->half, t)) return false;
  const double *finer = sim_read_all(c->half.sim);
  for (int i = 0; i < c->count; i++) c->values[i] = 2 * finer[i] - c->values[i];
  return true;
}

static double largest_of(const columns *c, const char *unit) {
  double most = 1;
  for (int i = 0; i < c->count; i++)
    if (strcmp(carom_model_signal_unit(c->r.model, i), unit) == 0) most = fmax(most, fabs(c->values[i]));
  return most;
}

// --- two runs --------------------------------------------------------------------------------------------------------

// What a run is made of and not what it finds: how exactly it closes its balance. Forces that alternate by a small part
// move a contact without friction to and fro, faster than what counts as sticking.
static bool is_compared(const char *name, bool predicts) {
  const char *last = strrchr(name, '.');
  if (predicts && last && strcmp(last, ".slip") == 0) return false;
  return strcmp(name, "energy.imbalance") != 0 && strcmp(name, "energy.projection") != 0;
}

static int count_compared(const columns *c) {
  int count = 0;
  for (int i = 0; i < c->count; i++) count += is_compared(carom_model_signal_name(c->r.model, i), false);
  return count;
}

// Both have the same columns.
static void compare_columns(const columns *a, const columns *b, double tolerance, double t, const char *subject_name) {
  if (!a->predicts && !b->predicts) CHECK_EQUAL(count_compared(a), count_compared(b));
  for (int i = 0; i < a->count; i++) {
    const char *name = carom_model_signal_name(a->r.model, i), *unit = carom_model_signal_unit(a->r.model, i);
    int k = carom_model_signal(b->r.model, name);
    if (!is_compared(name, b->predicts)) continue;
    if (!CHECK(k >= 0)) {
      printf("      %s: %s is missing under %s\n", subject_name, name, b->method);
      continue;
    }
    double scale = fmax(largest_of(a, unit), largest_of(b, unit));
    if (!CHECK_NEAR(a->values[i], b->values[k], tolerance * scale))
      printf("      %s: %s under %s and %s at t = %g s\n", subject_name, name, a->method, b->method, t);
  }
}

// The largest difference of a column over its scale.
static double apart(const columns *a, const columns *b, const double *values) {
  double most = 0;
  for (int i = 0; i < a->count; i++) {
    const char *name = carom_model_signal_name(a->r.model, i), *unit = carom_model_signal_unit(a->r.model, i);
    int k = carom_model_signal(b->r.model, name);
    if (is_compared(name, true) && k >= 0)
      most = fmax(most, fabs(a->values[i] - values[k]) / fmax(largest_of(a, unit), largest_of(b, unit)));
  }
  return most;
}

// A method that predicts, against another.
static void compare_predicted(const columns *a, const columns *b, const subject *s, double t) {
  static const double rate = 20, noise = 1e-9;
  const bool exact = s->moves ? !a->has_half : s->tolerance <= equations;  // the other
  const double coarse = apart(a, b, b->values), fine = apart(a, b, b->finer);
  printf("      %s: %s is off %s by %.1e, with half the step %.1e\n", s->name, b->method, a->method, coarse, fine);
  compare_columns(a, b, fmax((step * rate) * (step * rate), s->tolerance), t, s->name);
  CHECK_LE(fine, coarse / 3.4 + (exact ? noise : s->tolerance));
}

// Methods that integrate differ by their tolerance in each step.
static double integrated(const columns *a, const columns *b) {
  return equations * (double)(carom_sim_summary(a->r.sim).steps + carom_sim_summary(b->r.sim).steps + 2);
}

static bool is_soft(const columns *c) { return c->r.sim->type->about->needs_laws; }

// Returns how many methods were compared with the first.
static int compare_at(columns *all, int count, const subject *s, double t, bool last) {
  int compared = 0;
  for (int i = 0; i < count; i++)
    if (!read_columns(&all[i], t)) return 0;
  for (int i = 1; i < count; i++) {
    bool gives_way = is_soft(&all[0]) || is_soft(&all[i]);
    if (all[i].predicts) {
      if (last) compare_predicted(&all[0], &all[i], s, t), compared++;
      continue;
    }
    if (gives_way && !last) continue;  // it takes a while until a pressed surface has come to rest
    bool exact = s->moves && !all[0].has_half && !all[i].has_half;
    double tolerance = exact ? integrated(&all[0], &all[i]) : gives_way && s->tolerance < soft ? soft : s->tolerance;
    compare_columns(&all[0], &all[i], tolerance, t, s->name);
    compared++;
  }
  return compared;
}

static void compare_methods(const subject *s, const char *coordinates) {
  columns all[MOST_METHODS] = {0};
  int scheme_count, count = 0;
  const scheme_type *const *schemes = scheme_types(&scheme_count);
  const char *path = scratch("model.yaml");
  if (!CHECK(scheme_count <= MOST_METHODS) || !write_text(path, s->text)) return;
  for (int i = 0; i < scheme_count; i++)
    count += open_columns(&all[count], path, schemes[i]->name, coordinates, s->moves);
  CHECK_LE(s->methods, count);
  for (int k = 0; k < MOST_TIMES; k++) {
    bool last = k == MOST_TIMES - 1;
    int compared = compare_at(all, count, s, s->times[k], last);
    if (last) CHECK_EQUAL(compared, count - 1);  // all of them
    else CHECK_LE(1, compared);
  }
  for (int i = 0; i < count; i++) close_columns(&all[i]);
}

static void compare_all(const subject *s) {
  compare_methods(s, "joint");
  compare_methods(s, "absolute");
}

// --- at rest ---------------------------------------------------------------------------------------------------------

// A law with so much damping that what is put down has come to rest within a tenth of a second.
#define PAD "law: kelvin-voigt, stiffness: 1e7, damping: 5e3"

static void a_rod_rests_on_its_tip(void) {
  compare_all(&(subject){.name = "rod",
                         .methods = 3,
                         .tolerance = equations,
                         .times = {0, 0.02, 0.6},
                         .text = "space: planar\n"
                                 "bodies: {rod: {mass: 1, inertia: 0.08333333333, com: [0.5, 0]}}\n"
                                 "joints: {hinge: {revolute: [ground, rod]}}\n"
                                 "surfaces:\n"
                                 "  tip: {sphere: rod, at: [1, 0], radius: 0.1, material: m}\n"
                                 "  floor: {plane: ground, at: [0, -0.1], material: m}\n"
                                 "contacts: {tip: {between: [tip, floor]}}\n"
                                 "materials: {m: {" PAD "}}\n"});
}

// A stool on three feet, out of balance, with a spring to ground; in space.
static void a_stool_stands(void) {
  compare_all(&(subject){
      .name = "stool",
      .methods = 3,
      .tolerance = equations,
      .times = {0, 0.02, 0.6},
      .text = "bodies: {stool: {mass: 3, inertia: [0.1, 0.1, 0.15]}}\n"
              "markers: {hook: {on: stool, at: [0.1, 0.05, 0.2]}, anchor: {on: ground, at: [0.1, 0.05, 1.5]}}\n"
              "joints: {free: {free: [ground, stool], at: [0, 0, 0.5]}}\n"
              "forces: {string: {spring: [anchor, hook], stiffness: 10, rest: 0.3, damping: 5}}\n"
              "surfaces:\n"
              "  a: {sphere: stool, at: [0.4, 0, -0.45], radius: 0.05, material: m}\n"
              "  b: {sphere: stool, at: [-0.2, 0.3, -0.45], radius: 0.05, material: m}\n"
              "  c: {sphere: stool, at: [-0.2, -0.3, -0.45], radius: 0.05, material: m}\n"
              "  floor: {plane: ground, material: m}\n"
              "materials: {m: {" PAD "}}\n"
              "contacts: {heel: {between: [a, floor]}, left: {between: [b, floor]}, right: {between: [c, floor]}}\n"
              "outputs: {load: heel.fn + string.force}\n"});
}

// A pendulum that hangs in a bearing with clearance, after it has fallen by it: 10 um, so that it strikes with 14 mm/s
// and a time stepper finds it up to a step's way deep, (14 + 10) um. Its weight times that is 4.8e-5 of the 4.9 J of
// its height.
static void a_pendulum_hangs_in_its_bearing(void) {
  compare_all(&(subject){.name = "bearing",
                         .methods = 3,
                         .tolerance = 24e-6 * 2,
                         .times = {0.3, 0.4, 0.6},
                         .text =
                             "space: planar\n"
                             "bodies: {rod: {mass: 1, inertia: 0.1, com: [0, -0.5]}}\n"
                             "joints: {pin: {revolute: [ground, rod], clearance: 10 um, radius: 20 mm, material: m}}\n"
                             "materials: {m: {" PAD "}}\n"});
}

// A table on a slope: one foot holds it by friction, the other slides freely. Bristles keep it from creeping where
// friction is a law: they bend by at most 0.5/1e6 m. Before the foot is pressed in, in about 2 ms, it slides by 1
// m/s^2/2 (2 ms)^2 = 2e-6 m, and as far again until it stands.
static void a_table_stands_on_a_slope(void) {
  compare_all(&(subject){
      .name = "slope",
      .methods = 3,
      .tolerance = equations,
      .times = {0, 0.02, 0.6},
      .text =
          "space: planar\n"
          "gravity: [1, -10]\n"
          "bodies: {table: {mass: 2, inertia: 0.1}}\n"
          "joints: {free: {free: [ground, table], at: [0, 0.5]}}\n"
          "surfaces:\n"
          "  a: {sphere: table, at: [-0.5, -0.45], radius: 0.05}\n"
          "  b: {sphere: table, at: [0.5, -0.45], radius: 0.05}\n"
          "  floor: {plane: ground}\n"
          "contacts: {rough: {between: [a, floor], material: rough}, smooth: {between: [b, floor], material: smooth}}\n"
          "materials:\n"
          "  rough: {" PAD ", friction: 0.5, friction_law: lugre, bristle_stiffness: 1e6}\n"
          "  smooth: {" PAD "}\n"});
}

// An arm lies on the lower stop of its hinge, a slide on the upper one of its own, both under loads at markers; a
// bushing ties them. The slide hangs from the end of its way, so that the stop bears its weight and the load.
static void stops_bear_loads(void) {
  compare_all(&(subject){
      .name = "stops",
      .methods = 3,
      .tolerance = equations,
      .times = {0, 0.02, 0.6},
      .text = "space: planar\n"
              "gravity: [0, -10]\n"
              "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}, slide: {mass: 0.5, inertia: 0.1}}\n"
              "markers: {tip: {on: arm, at: [1, 0]}, hook: {on: slide, at: [0, 0]}}\n"
              "joints:\n"
              "  hinge: {revolute: [ground, arm], limits: [0, 2], material: m}\n"
              "  rail: {prismatic: [ground, slide], axis: [0, -1], at: [1.2, 0], limits: [-1, 0], material: m}\n"
              "forces:\n"
              "  push: {force: tip, components: [1, -2]}\n"
              "  twist: {torque: arm, components: [-0.5]}\n"
              "  pull: {force: hook, components: [0.5, -1], frame: marker}\n"
              "  mount: {bushing: [tip, hook], stiffness: [5, 1], damping: [2, 0.5]}\n"
              "materials: {m: {" PAD "}}\n"});
}

// --- steady sliding --------------------------------------------------------------------------------------------------

// A ram that a drive moves evenly pushes a block along its slide, which the caller completes.
#define RAM_AND_BLOCK                                                                                      \
  "space: planar\n"                                                                                        \
  "bodies: {ram: {mass: 1, inertia: 1}, block: {mass: 2, inertia: 1}}\n"                                   \
  "surfaces: {a: {sphere: ram, radius: 0.1, material: m}, b: {sphere: block, radius: 0.1, material: m}}\n" \
  "contacts: {ab: {between: [a, b]}}\n"                                                                    \
  "drives: {motor: {joint: guide, motion: 0.5*t}}\n"                                                       \
  "initial: {slide: {u: 0.5}}\n"                                                                           \
  "joints:\n"                                                                                              \
  "  guide: {prismatic: [ground, ram], axis: x}\n"                                                         \
  "  slide: {prismatic: [ground, block], axis: x, at: [0.2, 0]"

// It pushes against a damper.
static void a_drive_pushes_a_block(void) {
  compare_all(&(subject){.name = "block",
                         .methods = 3,
                         .tolerance = equations,
                         .times = {0, 0.05, 0.5},
                         .text = RAM_AND_BLOCK "}\n"
                                               "forces: {drag: {along: slide, damping: 3}}\n"
                                               "materials: {m: {" PAD "}}\n"});
}

// The guides let neither move along the surface where they touch: friction there is zero, not any force up to 0.45 N.
static void guides_leave_friction_no_force(void) {
  static const char text[] = RAM_AND_BLOCK
      "}\n"
      "forces: {drag: {along: slide, damping: 3}}\n"
      "materials: {m: {" PAD ", friction: 0.3, v0: 1e-4}}\n";
  compare_methods(
      &(subject){.name = "rough block", .methods = 3, .tolerance = equations, .times = {0, 0.05, 0.5}, .text = text},
      "joint");
  static const char *const rigid[] = {"coordinates=absolute method.moreau.step=1e-3",
                                      "coordinates=absolute method=event"};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, rigid[i])) return;
    for (int k = 0; k <= 50; k++) {
      CHECK(k == 0 || run_to(&r, 0.01 * k));
      CHECK_NEAR(run_read(&r, "ab.ft"), 0, equations);
      CHECK_NEAR(run_read(&r, "guide.fy"), 9.81, 10 * equations);
    }
    run_close(&r);
  }
}

// Dry friction in joints is for rigid methods.
static void a_drive_pushes_a_block_that_rubs(void) {
  compare_all(&(subject){.name = "rubbing block",
                         .methods = 2,
                         .tolerance = equations,
                         .times = {0, 0.05, 0.5},
                         .text = RAM_AND_BLOCK ", friction: 0.2, friction_force: 1}\n"
                                               "materials: {m: {restitution: 0}}\n"});
}

// A sled on three runners in space: a spring pulls it along as fast as its drive goes, and friction holds against it.
static void a_sled_is_pulled(void) {
  compare_all(&(subject){
      .name = "sled",
      .methods = 3,
      .tolerance = equations,
      .times = {0, 0.05, 0.5},
      .text = "gravity: [0, 0, -10]\n"
              "bodies: {sled: {mass: 1, inertia: [0.1, 0.1, 0.1]}, horse: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
              "markers: {hook: {on: sled, at: [0, 0, -0.1]}, collar: {on: horse}}\n"
              "joints:\n"
              "  free: {free: [ground, sled], at: [0, 0, 0.1]}\n"
              "  track: {prismatic: [ground, horse], axis: x, at: [1, 0, 0]}\n"
              "forces: {rope: {spring: [hook, collar], stiffness: 10, rest: 0.7}}\n"
              "surfaces:\n"
              "  a: {point: sled, at: [0.3, 0, -0.1], material: m}\n"
              "  b: {point: sled, at: [-0.2, 0.2, -0.1], material: m}\n"
              "  c: {point: sled, at: [-0.2, -0.2, -0.1], material: m}\n"
              "  floor: {plane: ground, material: m}\n"
              "materials: {m: {" PAD ", friction: 0.3, v0: 1e-4}}\n"
              "drives: {pull: {joint: track, motion: 1 m/s*t}}\n"
              "initial: {free: {u: [0, 0, 0, 1, 0, 0]}}\n"});
}

// --- driven motion ---------------------------------------------------------------------------------------------------

// A crank that turns evenly at 2 rad/s moves rod and ram: columns with up to four times its rate.
static void a_crank_turns(void) {
  compare_all(&(subject){.name = "crank",
                         .methods = 4,
                         .moves = true,
                         .tolerance = 1e-3 * 4 * 2 * 1e-3 * 4 * 2,
                         .times = {0, 0.5, 2},
                         .text = SLIDER_CRANK "forces: {load: {along: guide, damping: 2, stiffness: 3, rest: 2}}\n"
                                              "drives: {motor: {joint: crank, motion: 2*t}}\n"
                                              "initial: {crank: {q: 0}}\n"});
}

// The same in space, where the ram slides beside the plane that the crank turns in.
static void a_crank_turns_in_space(void) {
  compare_all(&(subject){.name = "crank in space",
                         .methods = 4,
                         .moves = true,
                         .tolerance = 1e-3 * 4 * 2 * 1e-3 * 4 * 2,
                         .times = {0, 0.5, 2},
                         .text = "bodies:\n"
                                 "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.25, 0, 0]}\n"
                                 "  rod: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.75, 0, 0]}\n"
                                 "  ram: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                                 "joints:\n"
                                 "  crank: {revolute: [ground, crank], axis: y}\n"
                                 "  rod: {spherical: [crank, rod], at: [0.5, 0, 0]}\n"
                                 "  pin: {universal: [rod, ram], at: [1.5, 0, 0], axis: z}\n"
                                 "  guide: {prismatic: [ground, ram], axis: x, at: [0, 0.3, 0]}\n"
                                 "forces: {load: {along: guide, damping: 2, stiffness: 3, rest: 2}}\n"
                                 "drives: {motor: {joint: crank, motion: 2*t}}\n"
                                 "initial: {guide: {q: 1.9}}\n"});
}

// The ram of a driven slider-crank pushes a block against the friction of its guide, first faster and then slower,
// until the block stops. Midpoints leave the loop by h^2 w^2 l, 2.5e-7 m, by which the projection pulls the ram away
// from the block when it becomes slower.
static const char pushed_by_a_crank[] =
    "space: planar\n"
    "bodies:\n"
    "  crank: {mass: 0.5, inertia: 1e-3, com: [0.05, 0]}\n"
    "  rod: {mass: 0.8, inertia: 6e-3, com: [0.15, 0]}\n"
    "  ram: {mass: 1, inertia: 1e-3}\n"
    "  block: {mass: 2, inertia: 0.01}\n"
    "joints:\n"
    "  crank: {revolute: [ground, crank]}\n"
    "  rod: {revolute: [crank, rod], at: [0.1, 0]}\n"
    "  pin: {revolute: [rod, ram], at: [0.3, 0]}\n"
    "  guide: {prismatic: [ground, ram], axis: x, friction_force: 2}\n"
    "  slide: {prismatic: [ground, block], axis: x, friction_force: 5}\n"
    "surfaces:\n"
    "  a: {sphere: ram, at: [0.05, 0], radius: 0.05, material: m}\n"
    "  b: {sphere: block, radius: 0.05, material: m}\n"
    "contacts: {ab: {between: [a, b]}}\n"
    "materials: {m: {restitution: 0, friction: 0.2}}\n"
    "drives: {motor: {joint: crank, motion: \"-pi/2 + 5*t\"}}\n"
    "initial: {slide: {q: \"0.15 + sqrt(0.3^2 - 0.1^2)\", u: 0.5}}\n";

// The force falls by 37 N/s, 0.04 N per step, which a mean is at most behind. Where the gap opens, by up to 4e-7 m per
// step, the block has to gain 4e-4 m/s within ten steps, 0.08 N, while the mean is behind in the other direction.
static void a_contact_on_a_driven_loop_stays_closed(void) {
  static const char *const coordinates[] = {"coordinates=joint method.moreau.step=1e-3",
                                            "coordinates=absolute method.moreau.step=1e-3"};
  run exact;
  if (!run_open_text(&exact, pushed_by_a_crank, "method=event")) return;
  for (int c = 0; c < 2; c++) {
    run r;
    double worst = 0;
    if (!run_open_text(&r, pushed_by_a_crank, coordinates[c])) continue;
    CHECK_NEAR(run_read(&r, "guide.fy"), 10.5716, 0.01);
    for (int k = 1; k <= 180; k++) {
      if (!run_to(&r, 1e-3 * k) || (c == 0 && !run_to(&exact, 1e-3 * k))) break;
      CHECK_LE(fabs(run_read(&r, "ab.ft")), 1e-12);
      if (c == 0) worst = fmax(worst, fabs(run_read(&r, "ab.fn") - run_read(&exact, "ab.fn")));
      else CHECK_LE(0.5, run_read(&r, "ab.fn"));
      if (c == 0)
        worst = fmax(
            worst, 10 * fabs(run_read(&r, "motor.effort") - run_read(&exact, "motor.effort")));  // at a lever of 0.1 m
    }
    printf("    %s: forces are off by %.2g N\n", coordinates[c], worst);
    CHECK_LE(worst, 0.08);
    CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, 1);
    run_close(&r);
  }
  run_close(&exact);
}

// --- friction of joints ----------------------------------------------------------------------------------------------

// No joint of a slider-crank stands still between the dead centres.
static void joints_that_move_slip(void) {
  static const char text[] =
      "space: planar\n"
      "bodies:\n"
      "  crank: {mass: 0.5, inertia: 1e-3, com: [0.05, 0]}\n"
      "  rod: {mass: 0.8, inertia: 6e-3, com: [0.15, 0]}\n"
      "  ram: {mass: 1, inertia: 1e-3}\n"
      "joints:\n"
      "  crank: {revolute: [ground, crank], friction: 0.1, radius: 0.02}\n"
      "  rod: {revolute: [crank, rod], at: [0.1, 0], friction_torque: 0.05}\n"
      "  pin: {revolute: [rod, ram], at: [0.3, 0], friction: 0.2, radius: 0.01}\n"
      "  guide: {prismatic: [ground, ram], axis: x, friction: 0.3, length: 0.1}\n"
      "drives: {motor: {joint: crank, motion: \"0.5 + 5*t\"}}\n"
      "forces: {load: {force: ram, components: [-30, -5]}}\n"
      "method: {moreau: {step: 0.5 ms}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  static const char *const joints[] = {"crank", "rod", "pin", "guide"};
  for (int c = 0; c < 2; c++) {
    run r;
    if (!run_open_text(&r, text, coordinates[c])) return;
    for (int k = 1; k <= 400; k++) {
      if (!run_to(&r, 0.5e-3 * k)) break;
      for (int j = 0; j < 4; j++) {
        char slip[16], u[16];
        snprintf(slip, sizeof slip, "%s.slip", joints[j]), snprintf(u, sizeof u, "%s.u", joints[j]);
        double rate = run_read(&r, u);
        CHECK_NEAR(run_read(&r, slip), rate > 0 ? 1 : -1, fabs(rate) < 0.01 ? 2 : 0);
      }
    }
    run_close(&r);
  }
}

// A controller with a state, signals and a table turns an arm: roots of about 4 rad/s, which the plan excites at 2
// rad/s.
static void a_controller_turns_an_arm(void) {
  compare_all(&(subject){.name = "controller",
                         .methods = 4,
                         .moves = true,
                         .tolerance = 1e-3 * 4 * 4 * 1e-3 * 4 * 4,
                         .times = {0, 0.5, 2},
                         .text = "space: planar\n"
                                 "gravity: [0, -1]\n"
                                 "bodies: {arm: {mass: 1, inertia: 0.1, com: [0.3, 0]}}\n"
                                 "joints: {hinge: {revolute: [ground, arm]}}\n"
                                 "tables: {plan: {type: natural, points: [[0, 0], [1, 0.5], [2, 0.2], [3, 0.4]]}}\n"
                                 "signals: {error: plan(t) - hinge.q, torque: 3*error + 2*integral - hinge.u}\n"
                                 "states: {integral: {rate: error}}\n"
                                 "forces: {motor: {along: hinge, effort: torque}}\n"});
}

// A motor turns an eccentric wheel evenly; a gear, a rack and a coupling move a second wheel, a bar and a table. An
// engine of 1 kg hangs on the table by a bushing of 1 N/m and swings with about 1 rad/s, so that its acceleration is no
// less exact than its place. A torque that depends on time is the load.
static void a_gear_train_turns(void) {
  compare_all(&(subject){.name = "gears",
                         .methods = 4,
                         .moves = true,
                         .tolerance = 1e-3 * 4 * 2 * 1e-3 * 4 * 2,
                         .times = {0, 0.5, 2},
                         .text = "space: planar\n"
                                 "gravity: [0, -1]\n"
                                 "bodies:\n"
                                 "  first: {mass: 1, inertia: 0.1, com: [0.1, 0]}\n"
                                 "  second: {mass: 2, inertia: 0.2, com: [0, 0.1]}\n"
                                 "  bar: {mass: 1, inertia: 0.1}\n"
                                 "  table: {mass: 1, inertia: 0.1}\n"
                                 "  engine: {mass: 1, inertia: 0.1}\n"
                                 "joints:\n"
                                 "  input: {revolute: [ground, first]}\n"
                                 "  output: {revolute: [ground, second], at: [1, 0]}\n"
                                 "  rail: {prismatic: [ground, bar], axis: x, at: [0, 1]}\n"
                                 "  lift: {prismatic: [ground, table], axis: x, at: [0, 2]}\n"
                                 "  loose: {free: [ground, engine], at: [0, 2]}\n"
                                 "constraints:\n"
                                 "  mesh: {gear: [input, output], teeth: [20, 40]}\n"
                                 "  steer: {rack: [output, rail], radius: 0.2}\n"
                                 "  tie: {couple: [rail, lift], factors: [1, 2]}\n"
                                 "forces:\n"
                                 "  load: {torque: second, components: ['0.5*sin(2*t)']}\n"
                                 "  drag: {along: rail, damping: 3}\n"
                                 "  mount: {bushing: [table, engine], stiffness: [1, 0.1], damping: [0.5, 0.1]}\n"
                                 "drives: {motor: {joint: input, motion: 2*t}}\n"});
}

// --- steps of another length -----------------------------------------------------------------------------------------

// A time stepper's velocities fit the constraints where the last step evaluated them, so that the first step and a
// shorter last one turn them over another time than their own. Their means stand for a time at most a step away, and so
// do velocities: errors of h times the rate of the columns, here up to four times the 4 rad/s that the mechanisms turn
// with.
static const double ends_of_short_steps[] = {0, 1e-3, 1.1e-3, 8.01e-3, 8.1e-3, 8.5e-3};

static void compare_short_step(const char *name, const char *path, const char *coordinates, const char *exact_method,
                               const char *method, double end) {
  columns exact = {0}, stepped = {0};
  bool opened = CHECK(open_columns(&exact, path, exact_method, coordinates, false)) &&
                CHECK(open_columns(&stepped, path, method, coordinates, false));
  if (opened && read_columns(&exact, end) && read_columns(&stepped, end))
    compare_columns(&exact, &stepped, 4 * 4 * step, end, name);
  close_columns(&exact);
  close_columns(&stepped);
}

// The first method with rigid contact that shows instants and runs the model; null: there is none.
static const char *exact_method_of(const char *path) {
  int count;
  const scheme_type *const *all = scheme_types(&count);
  for (int i = 0; i < count; i++) {
    columns c = {0};
    if (all[i]->gives_means || all[i]->about->needs_laws || all[i]->about->predicts) continue;
    bool opened = open_columns(&c, path, all[i]->name, "joint", false);
    if (opened) close_columns(&c);
    if (opened) return all[i]->name;
  }
  return NULL;
}

static void compare_short_steps(const char *name, const char *text) {
  const char *path = scratch("model.yaml"), *const coordinates[] = {"joint", "absolute"};
  int count, compared = 0;
  const scheme_type *const *all = scheme_types(&count);
  if (!write_text(path, text)) return;
  const char *exact = exact_method_of(path);
  for (int i = 0; CHECK(exact) && i < count; i++) {
    columns c = {0};
    if (!all[i]->gives_means || !open_columns(&c, path, all[i]->name, "joint", false)) continue;
    close_columns(&c);
    compared++;
    for (int j = 0; j < 2; j++)
      for (size_t k = 0; k < sizeof ends_of_short_steps / sizeof *ends_of_short_steps; k++)
        compare_short_step(name, path, coordinates[j], exact, all[i]->name, ends_of_short_steps[k]);
  }
  CHECK_LE(2, compared);
}

static void a_short_step_shows_the_forces_of_a_parallelogram(void) {
  compare_short_steps("parallelogram",
                      "space: planar\n"
                      "bodies:\n"
                      "  c0: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                      "  c1: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                      "  k: {mass: 2, inertia: 1}\n"
                      "joints:\n"
                      "  g0: {revolute: [ground, c0]}\n"
                      "  g1: {revolute: [ground, c1], at: [1.5, 0]}\n"
                      "  k0: {revolute: [c0, k], at: [1, 0]}\n"
                      "  k1: {revolute: [c1, k], at: [1, 0], to: [1.5, 0]}\n"
                      "initial: {g0: {q: 1.2, u: 4}}\n");
}

// The drive speeds up, and is a moving constraint in absolute coordinates.
static void a_short_step_shows_the_forces_of_a_driven_loop(void) {
  compare_short_steps("driven four-bar",
                      "space: planar\n"
                      "bodies:\n"
                      "  c0: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                      "  c1: {mass: 1, inertia: 1/12, com: [0.8, 0]}\n"
                      "  k: {mass: 2, inertia: 1, com: [0.9, 0.1]}\n"
                      "joints:\n"
                      "  g0: {revolute: [ground, c0]}\n"
                      "  g1: {revolute: [ground, c1], at: [2, 0]}\n"
                      "  k0: {revolute: [c0, k], at: [1, 0]}\n"
                      "  k1: {revolute: [c1, k], at: [1.6, 0], to: [1.8, 0]}\n"
                      "drives: {motor: {joint: g0, motion: 1.2 + 4*t + 10*t^2}}\n"
                      "initial: {g1: {q: 1.5}, k0: {q: -1}}\n");
}

// A disc slides along the inside of a ring, pressed by its weight and by what turns its velocity: 13.8 N at the start.
static void a_short_step_shows_the_forces_of_a_turning_contact(void) {
  static const char *const materials[] = {"{restitution: 0}", "{restitution: 0, friction: 0.3}",
                                          "{restitution: 0.5, friction: 0.1}"};
  for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "space: planar\n"
             "bodies: {disc: {mass: 1, inertia: 0.01}}\n"
             "joints: {ring: {revolute: [ground, disc], clearance: 1, radius: 0.1, material: m}}\n"
             "materials: {m: %s}\n"
             "initial: {disc: {shift: [0, -1], velocity: [2, 0]}}\n",
             materials[i]);
    compare_short_steps(materials[i], text);
  }
}

// Friction of a joint follows its load, which turns the cranks.
static void a_short_step_shows_the_friction_of_loaded_joints(void) {
  compare_short_steps("rubbing parallelogram",
                      "space: planar\n"
                      "bodies:\n"
                      "  c0: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                      "  c1: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
                      "  k: {mass: 2, inertia: 1}\n"
                      "joints:\n"
                      "  g0: {revolute: [ground, c0], friction: 0.3, radius: 0.1}\n"
                      "  g1: {revolute: [ground, c1], at: [1.5, 0]}\n"
                      "  k0: {revolute: [c0, k], at: [1, 0]}\n"
                      "  k1: {revolute: [c1, k], at: [1, 0], to: [1.5, 0], friction: 0.2, radius: 0.2}\n"
                      "initial: {g0: {q: 1.2, u: 4}}\n");
}

int main(void) {
  RUN(a_rod_rests_on_its_tip);
  RUN(a_stool_stands);
  RUN(a_pendulum_hangs_in_its_bearing);
  RUN(a_table_stands_on_a_slope);
  RUN(stops_bear_loads);
  RUN(a_drive_pushes_a_block);
  RUN(guides_leave_friction_no_force);
  RUN(a_drive_pushes_a_block_that_rubs);
  RUN(a_sled_is_pulled);
  RUN(a_crank_turns);
  RUN(a_crank_turns_in_space);
  RUN(a_contact_on_a_driven_loop_stays_closed);
  RUN(joints_that_move_slip);
  RUN(a_controller_turns_an_arm);
  RUN(a_gear_train_turns);
  RUN(a_short_step_shows_the_forces_of_a_parallelogram);
  RUN(a_short_step_shows_the_forces_of_a_driven_loop);
  RUN(a_short_step_shows_the_forces_of_a_turning_contact);
  RUN(a_short_step_shows_the_friction_of_loaded_joints);
  return check_summary();
}
