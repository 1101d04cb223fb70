// What a row shows of a step: the first row, rows within a step, and whether a column is a mean over the step or
// belongs to an instant.
#include "runs.h"

#include "record/record.h"
#include "sim.h"
#include "slider_crank.h"

// The tip is 1.3 mm above the floor and comes down by 0.5 mm in the first half step: nothing touches in the first step.
static void the_first_row_shows_the_first_step(void) {
  run r;
  if (!run_open_text(&r,
                     "space: planar\n"
                     "bodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
                     "joints: {hinge: {revolute: [ground, rod]}}\n"
                     "surfaces:\n"
                     "  tip: {sphere: rod, at: [1, 0], radius: 0.1}\n"
                     "  floor: {plane: ground, at: [0, -0.1]}\n"
                     "contacts: {tip: {between: [tip, floor], material: m}}\n"
                     "materials: {m: {restitution: 0}}\n"
                     "initial: {hinge: {q: 1.3e-3, u: -1}}\n"
                     "method: {moreau: {step: 1 ms}}\n"
                     "coordinates: absolute\n",
                     NULL))
    return;
  CHECK_NEAR(run_read(&r, "tip.gap"), 1.3e-3, 1e-6);
  CHECK_EQUAL((int)run_read(&r, "tip.mode"), 0);
  CHECK_NEAR(run_read(&r, "tip.fn"), 0, 0);
  CHECK_NEAR(run_read(&r, "hinge.fx"), -0.5, 1e-2);      // m u^2/2, and its direction within half a step
  CHECK_NEAR(run_read(&r, "hinge.fy"), 9.81 / 4, 1e-2);  // a uniform rod that falls about its end
  run_close(&r);
}

// --- rows between steps ----------------------------------------------------------------------------------------------

// A ball that arrives at 1 m/s, 2 mm above the floor one millisecond into a step of 10 ms, and a table that a drive
// lifts. Up to the midpoint of the step the ball moves with the velocity before the impact, from there with the one
// after it.
static void rows_within_a_step_follow_the_motion(void) {
  run r;
  if (!run_open_text(
          &r,
          "space: planar\n"
          "gravity: [0, 0]\n"
          "bodies: {ball: {mass: 1, inertia: 1}, table: {mass: 1, inertia: 1}}\n"
          "joints: {fall: {prismatic: [ground, ball], axis: y}, lift: {prismatic: [ground, table], axis: y}}\n"
          "surfaces: {b: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
          "contacts: {bf: {between: [b, floor]}}\n"
          "materials: {m: {restitution: 1}}\n"
          "drives: {motor: {joint: lift, motion: 3*t^2}}\n"
          "initial: {fall: {q: 0.153, u: -1}}\n"
          "method: {moreau: {step: 10 ms}}\n",
          NULL))
    return;
  for (int k = 0; k < 6; k++) CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK);
  CHECK_NEAR(carom_sim_time(r.sim), 0.06, 1e-15);
  const double end = run_read(&r, "fall.q");
  for (int k = 0; k <= 10; k++) {
    double t = 0.05 + 1e-3 * k, before = 0.103 - (t - 0.05), after = end - (0.06 - t);
    if (k == 5) continue;  // the velocity jumps there
    CHECK(sim_show(r.sim, fmin(t, 0.06), &r.error) == CAROM_OK);
    CHECK_NEAR(run_read(&r, "fall.q"), k < 5 ? before : after, 1e-15);
    CHECK_NEAR(run_read(&r, "fall.u"), k < 5 ? -1 : 1, 1e-15);
    CHECK_NEAR(run_read(&r, "bf.gap"), (k < 5 ? before : after) - 0.1, 1e-15);
    CHECK_NEAR(run_read(&r, "bf.fn"), 2 / 0.01, 1e-9);  // the mean over the step
    CHECK_NEAR(run_read(&r, "fall.a"), 2 / 0.01, 1e-9);
    CHECK_NEAR(run_read(&r, "lift.q"), 3 * t * t, 1e-15);
    CHECK_NEAR(run_read(&r, "lift.u"), 6 * t, 1e-14);
    CHECK_NEAR(run_read(&r, "motor.effort"), 6, 1e-10);
    CHECK_NEAR(run_read(&r, "energy.impact"), 0, 1e-12);
  }
  CHECK(sim_show(r.sim, 0.049, &r.error) == CAROM_ERROR_USAGE);
  run_close(&r);
}

// A driven slider-crank with steps of 20 ms: positions that only followed the velocities would open its loop, and in
// absolute coordinates leave its drive, by about (h w)^2/8, 3e-4. The steps themselves meet the constraints to 1e-12.
static void rows_within_a_step_meet_the_constraints(void) {
  static const char text[] = SLIDER_CRANK
      "markers: {a: {on: crank, at: [0.5, 0]}, b: {on: rod, at: [1.5, 0]}}\n"
      "drives: {motor: {joint: crank, motion: 2*t + t^2}}\n"
      "method: {moreau: {step: 20 ms}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int c = 0; c < 2; c++) {
    run shown, plain;
    if (!run_open_text(&shown, text, coordinates[c]) || !run_open_text(&plain, text, coordinates[c])) return;
    double worst = 0;
    for (int k = 0; k < 20; k++) {
      CHECK(carom_sim_step(shown.sim, 1, &shown.error) == CAROM_OK &&
            carom_sim_step(plain.sim, 1, &plain.error) == CAROM_OK);
      for (int i = 1; i < 8; i++) {
        double t = carom_sim_time(plain.sim) - 2.5e-3 * i;
        CHECK(sim_show(shown.sim, t, &shown.error) == CAROM_OK);
        worst = fmax(worst, fabs(run_read(&shown, "crank.q") - (2 * t + t * t)));
        worst = fmax(worst, hypot(run_read(&shown, "a.x") - run_read(&shown, "rod.x"),
                                  run_read(&shown, "a.y") - run_read(&shown, "rod.y")));
        worst = fmax(worst, hypot(run_read(&shown, "b.x") - run_read(&shown, "ram.x"),
                                  run_read(&shown, "b.y") - run_read(&shown, "ram.y")));
        worst = fmax(worst, fabs(run_read(&shown, "ram.y")));
      }
      sim_show_end(shown.sim);
    }
    printf("    %s: rows are off by %.1e\n", coordinates[c], worst);
    CHECK_LE(worst, 1e-11);
    CHECK(run_read(&shown, "guide.q") == run_read(&plain, "guide.q"));  // a row does not touch the motion
    CHECK(carom_sim_summary(shown.sim).constraint_violation == carom_sim_summary(plain.sim).constraint_violation);
    run_close(&shown);
    run_close(&plain);
  }
}

// Energies at the ends of a step balance up to the error of the scheme. Within it the velocity waits for its jump: the
// balance of what is shown would be off by the work of gravity in half a step of 10 ms, 1 kg 9.81 m/s^2 5 m/s 5 ms =
// 0.2 J.
static void rows_within_a_step_interpolate_the_imbalance(void) {
  static const char text[] =
      "space: planar\n"
      "bodies:\n"
      "  ball: {mass: 1, inertia: 0.01}\n"
      "  crank: {mass: 1, inertia: 0.1}\n"
      "  arm: {mass: 1, inertia: 0.02, com: [0.2, 0]}\n"
      "joints:\n"
      "  free: {free: [ground, ball], at: [0, 0.5]}\n"
      "  crank: {revolute: [ground, crank]}\n"
      "  arm: {revolute: [crank, arm], at: [0.3, 0]}\n"
      "forces: {spring: {along: arm, stiffness: 2, damping: 0.1}}\n"
      "surfaces: {b: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "contacts: {bf: {between: [b, floor]}}\n"
      "materials: {m: {restitution: 0.5, friction: 0.3}}\n"
      "initial: {free: {u: [3, 1, -2]}}\n"
      "drives: {motor: {joint: crank, motion: 0.5*sin(6*t)}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int c = 0; c < 2; c++) {
    run r;
    if (!run_open_text(&r, text, coordinates[c])) return;
    double before = 0;
    for (int k = 0; k < 50; k++) {
      if (!run_to(&r, 0.01 * (k + 1))) break;
      double after = run_read(&r, "energy.imbalance");
      for (int i = 1; i < 10; i++) {
        CHECK(sim_show(r.sim, 0.01 * k + 1e-3 * i, &r.error) == CAROM_OK);
        CHECK_NEAR(run_read(&r, "energy.imbalance"), before + 0.1 * i * (after - before), 1e-12);
        CHECK_NEAR(run_read(&r, "t"), 0.01 * k + 1e-3 * i, 1e-15);
      }
      sim_show_end(r.sim);
      CHECK_NEAR(run_read(&r, "energy.imbalance"), after, 0);
      before = after;
    }
    run_close(&r);
  }
}

// --- means and instants ----------------------------------------------------------------------------------------------

static void columns_say_how_they_are_sampled(void) {
  run r;
  if (!run_open(&r, "sliding-block", "method.moreau.step=1e-3")) return;
  int means = 0;
  for (int i = 0; i < carom_model_signal_count(r.model); i++) means += sim_signal_is_mean(r.model, i);
  CHECK(means > 0);
  const char *const means_are[] = {"block.ax"}, *const instants_are[] = {"t", "block.x", "block.vx", "energy.kinetic"};
  for (size_t i = 0; i < sizeof means_are / sizeof *means_are; i++)
    CHECK(strcmp(carom_model_signal_sampling(r.model, carom_model_signal(r.model, means_are[i])), "mean") == 0);
  for (size_t i = 0; i < sizeof instants_are / sizeof *instants_are; i++)
    CHECK(strcmp(carom_model_signal_sampling(r.model, carom_model_signal(r.model, instants_are[i])), "instant") == 0);
  CHECK(carom_model_signal_sampling(r.model, -1) == NULL);
  run_close(&r);
  if (!run_open(&r, "sliding-block", "method=event")) return;
  for (int i = 0; i < carom_model_signal_count(r.model); i++) CHECK(!sim_signal_is_mean(r.model, i));
  run_close(&r);
}

// The record says the same of each column; a reader of older ones finds nothing.
static void records_say_how_they_are_sampled(void) {
  carom_error error = {0};
  carom_model *model = example_load("sliding-block", "method.moreau.step=1e-3 end=0.01");
  if (!model) return;
  const char *path = scratch("sampling.h5");
  CHECK(carom_run(model, &(carom_run_options){.record = path}, NULL, &error) == CAROM_OK);
  record_reader *in = record_open(path, &error);
  int columns = 0, means = 0;
  for (int i = 0; CHECK(in) && i < record_table_count(in); i++) {
    record_table t = record_get_table(in, i);
    bool of_signals = carom_model_signal(model, t.columns[t.column_count - 1]) >= 0;
    if (!CHECK((t.sampling != NULL) == of_signals) || !of_signals) continue;
    for (int k = 0; k < t.column_count; k++, columns++) {
      int signal = carom_model_signal(model, t.columns[k]);
      CHECK(strcmp(t.sampling[k], carom_model_signal_sampling(model, signal)) == 0);
      means += strcmp(t.sampling[k], "mean") == 0;
    }
  }
  CHECK(means > 0 && means < columns);
  record_close(in);
  carom_model_destroy(model);
}

int main(void) {
  RUN(the_first_row_shows_the_first_step);
  RUN(rows_within_a_step_follow_the_motion);
  RUN(rows_within_a_step_meet_the_constraints);
  RUN(rows_within_a_step_interpolate_the_imbalance);
  RUN(columns_say_how_they_are_sampled);
  RUN(records_say_how_they_are_sampled);
  return check_summary();
}
