// Time steppers: what every scheme over the stepper core must do, whatever its rule, and rules that are there for this
// test alone.
#include "landing.h"

#include <math.h>

#include "scheme/registry.h"
#include "scheme/stepper_internal.h"
#include "sim.h"

// --- every time stepper ----------------------------------------------------------------------------------------------

// Calls a check with the settings of each.
static void for_each_stepper(double step, void (*check)(const char *settings, double step)) {
  int count, found = 0;
  const scheme_type *const *all = scheme_types(&count);
  for (int i = 0; i < count; i++) {
    if (all[i]->step != stepper_step) continue;
    char settings[160];
    snprintf(settings, sizeof settings, "method=%s method.%s.step=%g", all[i]->name, all[i]->name, step);
    int before = check_state.failures_here;
    check(settings, step);
    if (check_state.failures_here > before) printf("      %s\n", settings);
    found++;
  }
  CHECK(found > 0);
}

// A block slides over a floor to rest, without bouncing.
static const char block[] =
    "space: planar\n"
    "bodies: {block: {mass: 2, inertia: 0.1}}\n"
    "joints: {float: {free: [ground, block]}}\n"
    "surfaces:\n"
    "  rear: {point: block, at: [-0.2, -0.1], material: m}\n"
    "  front: {point: block, at: [0.2, -0.1], material: m}\n"
    "  floor: {plane: ground, at: [0, -0.1], material: m}\n"
    "contacts: {rear: {between: [rear, floor]}, front: {between: [front, floor]}}\n"
    "materials: {m: {friction: 0.3}}\n"
    "initial: {float: {u: [0, 1.5, 0]}}\n"
    "method: moreau\n";

// It stops after v/μg on a way of v²/2μg; a step shifts the end by half of itself, and the way by the travel in that
// time. At rest the floor carries the weight, and what was lost is the energy that there was.
static void block_stops(const char *settings, double step) {
  run r;
  if (!run_open_text(&r, block, settings)) return;
  const double v = 1.5, a = 0.3 * 9.81;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "block.x"), v * v / (2 * a), v * step);
  CHECK_NEAR(run_read(&r, "block.vx"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "rear.fn") + run_read(&r, "front.fn"), 2 * 9.81, 1e-9);
  CHECK_NEAR(run_read(&r, "energy.friction") + run_read(&r, "energy.impact"), 0.5 * 2 * v * v, 1e-9);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

static void a_block_slides_to_rest(void) { for_each_stepper(1e-3, block_stops); }

// Rows are recorded between steps as well, and the motion is shown without jumps in position.
static void shown_in_between(const char *settings, double step) {
  run r;
  if (!run_open_text(&r, block, settings)) return;
  run_to(&r, 10 * step);
  carom_error error = {0};
  double before = NAN;
  for (int k = 0; k <= 8; k++) {
    if (!CHECK(sim_show(r.sim, (9 + k / 8.0) * step, &error) == CAROM_OK)) break;
    double x = run_read(&r, "block.x");
    CHECK(!(fabs(x - before - 1.5 * step / 8) > 0.01 * step));
    before = x;
  }
  sim_show_end(r.sim);
  CHECK_NEAR(run_read(&r, "block.x"), before, 1e-15);
  run_close(&r);
}

static void a_step_is_shown_in_between(void) { for_each_stepper(1e-3, shown_in_between); }

// --- euler -----------------------------------------------------------------------------------------------------------

static void euler_lands_without_a_gap(void) { land_without_a_gap("euler", 0.9); }

// --- crowds ----------------------------------------------------------------------------------------------------------

// Five spheres fall on each other, one of them on an arm whose joint has friction and, in absolute coordinates,
// constraint rows. Bodies far away that touch nothing make it a crowd, whose W is not formed: the spheres move as
// without them. The activation distance, which points may keep as overlap, would follow the size of the model.
static const char *crowd_text(int others, bool absolute) {
  static char text[4096];
  snprintf(text, sizeof text,
           "coordinates: %s\n"
           "bodies:\n"
           "  s{i}: {repeat: {i: [1, 5]}, mass: 1, inertia: [4e-3, 4e-3, 4e-3]}\n"
           "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.3, 0, 0]}\n"
           "  far{i}: {repeat: {i: [1, %d]}, mass: 1, inertia: [4e-3, 4e-3, 4e-3]}\n"
           "joints:\n"
           "  f{i}: {repeat: {i: [1, 5]}, free: [ground, 's{i}'], at: ['0.03*i', '0.02*mod(i, 2)', '0.25*i']}\n"
           "  hinge: {revolute: [ground, arm], at: [-0.7, 0, 0.5], axis: y, radius: 0.05, friction: 0.2, "
           "friction_torque: 0.5}\n"
           "  g{i}: {repeat: {i: [1, %d]}, free: [ground, 'far{i}'], at: ['3 + i', 0, 9]}\n"
           "surfaces:\n"
           "  s{i}: {repeat: {i: [1, 5]}, sphere: 's{i}', radius: 0.1, material: m}\n"
           "  tip: {sphere: arm, at: [0.5, 0, 0], radius: 0.05, material: m}\n"
           "  far{i}: {repeat: {i: [1, %d]}, sphere: 'far{i}', radius: 0.1, material: m}\n"
           "  floor: {plane: ground, material: m}\n"
           "materials: {m: {friction: 0.4, restitution: 0.2}}\n"
           "method: {moreau: {step: 1 ms, tolerance: 1e-12, activation: 1 nm}}\nend: 1\n",
           absolute ? "absolute" : "joint", others, others, others);
  return text;
}

static void a_crowd_moves_as_its_parts(void) {
  for (int absolute = 0; absolute < 2; absolute++) {
    run few, many;
    if (!run_open_text(&few, crowd_text(1, absolute), NULL) || !run_open_text(&many, crowd_text(30, absolute), NULL))
      return;
    run_to(&few, 0.6), run_to(&many, 0.6);
    carom_summary a = carom_sim_summary(few.sim), b = carom_sim_summary(many.sim);
    CHECK(a.contact_episodes > 4 && a.contact_episodes == b.contact_episodes);
    CHECK_EQUAL(a.unsolved + b.unsolved, 0);
    CHECK(b.solves > a.solves);  // islands
    for (int i = 1; i <= 5; i++) {
      CHECK_NEAR(run_read(&many, "s%d.x", i), run_read(&few, "s%d.x", i), 1e-8);
      CHECK_NEAR(run_read(&many, "s%d.z", i), run_read(&few, "s%d.z", i), 1e-8);
    }
    CHECK_NEAR(run_read(&many, "hinge.q"), run_read(&few, "hinge.q"), 1e-8);
    run_close(&few), run_close(&many);
  }
}

// --- steps without contact -------------------------------------------------------------------------------------------

// The short way through steps without contact gives what the long way gives. The slider turns at first, so that it
// strikes both walls.
static void short_steps_are_those_of_the_long_way(void) {
  run quick, full;
  if (!run_open(&quick, "slider-crank", "omega3=-75") || !run_open(&full, "slider-crank", "omega3=-75")) return;
  stepper *s = quick.sim->scheme;
  CHECK(s->may_fly);
  ((stepper *)full.sim->scheme)->may_fly = false;
  static const char *const names[] = {"crank.q", "rod.q", "slider.q", "crank.u", "rod.u", "slider.u", "slider.a"};
  for (int i = 1; i <= 140; i++) {
    run_to(&quick, 1e-3 * i), run_to(&full, 1e-3 * i);
    for (int k = 0; k < 7; k++) CHECK_NEAR(run_read(&quick, "%s", names[k]), run_read(&full, "%s", names[k]), 0);
  }
  carom_summary a = carom_sim_summary(quick.sim), b = carom_sim_summary(full.sim);
  CHECK(a.contact_episodes > 10 && a.contact_episodes == b.contact_episodes);
  CHECK_NEAR(a.energy_imbalance, b.energy_imbalance, 0);
  run_close(&quick), run_close(&full);
}

int main(void) {
  RUN(a_block_slides_to_rest);
  RUN(a_step_is_shown_in_between);
  RUN(euler_lands_without_a_gap);
  RUN(a_crowd_moves_as_its_parts);
  RUN(short_steps_are_those_of_the_long_way);
  return check_summary();
}
