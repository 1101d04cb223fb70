// The ledger of impacts under every method: the rows of an episode say the same whichever method has found them. Methods are listed by the
// program, so that new ones are compared as well.
#include "rows.h"

#include "scheme/registry.h"

static const double step = 1e-4;      // of time steppers
static const double gravity = 9.81;

// Calls a check with the rows of a model under every method that knows contact, up to a time. Returns how many there were.
static int for_each_method(const char *text, double end, void (*check)(const scheme_type *method, const rows *list)) {
  static rows list;
  int count, checked = 0;
  const scheme_type *const *all = scheme_types(&count);
  for (int i = 0; i < count; i++) {
    run r;
    char settings[128];
    if (!all[i]->knows_contact) continue;
    snprintf(settings, sizeof settings, all[i]->about->integrates ? "method=%s" : "method=%s method.%s.step=%g", all[i]->name, all[i]->name, step);
    if (!rows_open_text(&r, text, settings, &list)) continue;
    if (run_to(&r, end)) {
      sim_close_episodes(r.sim);
      check(all[i], &list);
      checked++;
    }
    run_close(&r);
  }
  CHECK_LE(4, checked);
  return checked;
}

// --- sticking -------------------------------------------------------------------------------------------------------

// A block slides for 1 m/s / (0.3 g) and then stands. A time stepper finds that within a step. A law of friction slows it down
// like Coulomb's to about its v0 = 0.1 mm/s, and its last steps above that are no longer than those of a time stepper.
static void the_block_stands(const scheme_type *method, const rows *list) {
  const double stops = 1 / (0.3 * gravity), tolerance = 2 * step + 1e-4 / (0.3 * gravity);
  if (!CHECK_EQUAL(list->count, 2)) return;
  for (int i = 0; i < 2; i++)
    if (!CHECK_NEAR(list->row[i].slip_time, stops, tolerance) | !CHECK_NEAR(list->row[i].stick_time, 0.5 - stops, tolerance)) printf("      %s\n", method->name);
}

#define BLOCK_ON_FLOOR                                                                                                     \
  "space: planar\n"                                                                                                        \
  "bodies: {block: {mass: 2, inertia: 0.1}}\n"                                                                             \
  "surfaces:\n"                                                                                                            \
  "  a: {point: block, at: [-0.5, -0.1], material: m}\n"                                                                   \
  "  b: {point: block, at: [0.5, -0.1], material: m}\n"                                                                    \
  "  floor: {plane: ground, material: m}\n"                                                                                \
  "materials: {m: {law: kelvin-voigt, stiffness: 1e7, damping: 5e3, friction: 0.3, v0: 1e-4}}\n"

static void a_block_slides_and_stands(void) {
  for_each_method(BLOCK_ON_FLOOR "joints: {free: {free: [ground, block], at: [0, 0.1]}}\n"
                                 "initial: {free: {u: [0, 1, 0]}}\n", 0.5, the_block_stands);
}

// A drive pulls a sled along by 5 um/s. That is slip, but a law of friction cannot tell it from creep below its v0.
static void it_creeps(const scheme_type *method, const rows *list) {
  bool sticks = method->about->needs_laws;
  if (!CHECK_LE(1, list->count)) return;
  for (int i = 0; i < list->count; i++)
    if (!CHECK_NEAR(list->row[i].slip_time, sticks ? 0 : 0.1, 1e-9) | !CHECK_NEAR(list->row[i].stick_time, sticks ? 0.1 : 0, 1e-9))
      printf("      %s\n", method->name);
}

// By 0.5 nm/s, below what counts as slip.
static void it_sticks(const scheme_type *method, const rows *list) {
  if (!CHECK_LE(1, list->count)) return;
  for (int i = 0; i < list->count; i++)
    if (!CHECK_NEAR(list->row[i].slip_time, 0, 0) | !CHECK_NEAR(list->row[i].stick_time, 0.1, 1e-9)) printf("      %s\n", method->name);
}

// By 2 mm/s.
static void it_slides(const scheme_type *method, const rows *list) {
  if (!CHECK_LE(1, list->count)) return;
  for (int i = 0; i < list->count; i++)
    if (!CHECK_NEAR(list->row[i].stick_time, 0, 0) | !CHECK_NEAR(list->row[i].slip_time, 0.1, 1e-9)) printf("      %s\n", method->name);
}

// A sled on a driven carriage: it is free to sink onto the floor.
#define SLED(speed)                                                                                                        \
  "space: planar\n"                                                                                                        \
  "bodies: {carriage: {mass: 1, inertia: 0.1}, sled: {mass: 2, inertia: 0.1}}\n"                                           \
  "joints:\n"                                                                                                              \
  "  track: {prismatic: [ground, carriage], axis: x, at: [0, 1]}\n"                                                        \
  "  down: {prismatic: [carriage, sled], axis: y, at: [0, -1]}\n"                                                          \
  "surfaces: {tip: {point: sled, material: m}, floor: {plane: ground, material: m}}\n"                                     \
  "materials: {m: {law: kelvin-voigt, stiffness: 1e7, damping: 5e3, friction: 0.3, v0: 1e-4}}\n"                           \
  "drives: {pull: {joint: track, motion: " speed " m/s*t}}\n"

static void a_slow_slip_counts_alike(void) {
  for_each_method(SLED("5e-10"), 0.1, it_sticks);
  for_each_method(SLED("5e-6"), 0.1, it_creeps);
  for_each_method(SLED("2e-3"), 0.1, it_slides);
}

// --- impacts --------------------------------------------------------------------------------------------------------

// A ball falls by half a metre and bounces. Of each impact a time stepper knows the time to a step, and a law of contact lasts
// for pi sqrt(m/k) = 0.1 ms. A ball that bounces early or late by d has the speed wrong by g d, and is in the air for 2 d longer or
// shorter; the errors of one bounce go on in the next.
static const double late = 1e-4 + 1e-4;

static void it_bounces(const scheme_type *method, const rows *list) {
  double e = list->count ? list->row[0].restitution : 0, t = sqrt(2 * 0.5 / gravity), v = gravity * t, end = 2;
  int n = 0;
  for (bool again = true; again && t < end - 4 * (n + 1) * late; n++, again = e > 0) {
    if (!CHECK_LE(n + 1, list->count)) break;
    const impact *i = &list->row[n];
    double errors = 2 * (n + 1) * late, weight = gravity * (i->end - i->start);
    bool fine = CHECK_NEAR(i->start, t, 2 * errors);
    fine &= CHECK_NEAR(i->approach_speed, v, gravity * errors);
    fine &= CHECK_NEAR(i->separation_speed, e * v, gravity * errors);
    fine &= CHECK_NEAR(i->restitution_achieved, e, 2 * gravity * errors / v);
    fine &= CHECK_NEAR(i->impulse_normal, (1 + e) * v + weight, 2 * gravity * errors);
    fine &= CHECK_NEAR(i->loss_normal, 0.5 * (1 - e * e) * v * v, 2 * v * gravity * errors);
    fine &= CHECK_NEAR(i->impulse_tangential, 0, 0) & CHECK_NEAR(i->loss_tangential, 0, 0);
    if (!fine) printf("      impact %d under %s\n", n, method->name);
    t += 2 * e * v / gravity, v *= e;
  }
  CHECK_EQUAL(list->count, n);
}

static void a_ball_bounces(void) {
  for_each_method(
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 0.1}}\n"
    "joints: {fall: {prismatic: [ground, ball], axis: y}}\n"
    "initial: {fall: {q: 0.6}}\n"
    "surfaces: {skin: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
    "contacts: {bounce: {between: [skin, floor]}}\n"
    "materials: {m: {restitution: 1, law: hooke, stiffness: 1e9}}\n", 2, it_bounces);
}

int main(void) {
  RUN(a_block_slides_and_stands);
  RUN(a_slow_slip_counts_alike);
  RUN(a_ball_bounces);
  return check_summary();
}
