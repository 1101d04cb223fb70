// Scheme `compliant` on mechanisms: the quick-return with four loose pins, the slider-crank in its guide, closed loops
// under every integrator, joints with clearance in plane and space, and runs that are interrupted.
#include "rows.h"

static const double pi = 3.14159265358979323846;

// --- quick-return ----------------------------------------------------------------------------------------------------

// A stretch of motion in which the slider's velocity does not change, and a change of it within a tenth of a
// millisecond.
typedef struct profile {
  int plateaus, jumps;
  double longest;  // plateau [s]
  double since, last, jump_since;
  double u, jump_u;
} profile;

static void look_at_velocity(profile *s, double t, double u) {
  if (fabs(u - s->u) > 1e-12) {
    if (s->last - s->since > 1e-3) s->plateaus++;
    s->longest = fmax(s->longest, s->last - s->since);
    s->since = t;
  }
  s->last = t;
  if (t - s->jump_since > 1e-4) {
    if (fabs(u - s->jump_u) > 5e-3) s->jumps++;  // 50 m/s² and more; the ideal slider's are below 4
    s->jump_since = t, s->jump_u = u;
  }
  s->u = u;
}

static profile follow(run *r, double end) {
  profile s = {.u = run_read(r, "slider.u"), .jump_u = run_read(r, "slider.u")};
  carom_status status = CAROM_OK;
  int signal = carom_model_signal(r->model, "slider.u");
  while (status == CAROM_OK && carom_sim_time(r->sim) < end) {
    status = carom_sim_step(r->sim, end, &r->error);
    look_at_velocity(&s, carom_sim_time(r->sim), carom_sim_read(r->sim, signal));
  }
  if (!CHECK(status == CAROM_OK)) printf("      at %g s: %s\n", carom_sim_time(r->sim), r->error.text);
  return s;
}

// Three revolutions. Between impacts of its pin nothing pushes the slider along its line, so its velocity has plateaus
// and steps (figure 9); with ideal joints it has none. The energy closes to 1e-5 with tolerances of 1e-9 a step.
static void quick_return_makes_three_revolutions(void) {
  run r;
  static rows list;
  if (!rows_open(&r, "quick-return", "integrator.rtol=1e-9 integrator.atol=1e-9", &list)) return;
  CHECK_EQUAL(carom_model_get_info(r.model).freedom + carom_model_get_info(r.model).drives, 9);
  profile loose = follow(&r, 2 * pi);
  carom_summary s = carom_sim_summary(r.sim);
  sim_close_episodes(r.sim);
  printf("    %d impacts, %d plateaus up to %.3f s, %d jumps, energy to %.1e\n", list.count, loose.plateaus,
         loose.longest, loose.jumps, s.energy_imbalance);
  rows_keep_their_bound(&list);
  CHECK_EQUAL(s.too_deep, 0);
  CHECK_LE(s.energy_imbalance, 1e-5);
  CHECK_LE(100, loose.plateaus);
  CHECK_LE(100, loose.jumps);
  double turned = run_read(&r, "crank.q");
  run_close(&r);
  CHECK_NEAR(turned, 6 * pi, 1e-9);

  if (!run_open(&r, "quick-return-ideal", "integrator.step_max=1e-3")) return;
  profile ideal = follow(&r, 2 * pi);
  CHECK_EQUAL(ideal.plateaus, 0);
  CHECK_EQUAL(ideal.jumps, 0);
  run_close(&r);
}

// At a fixed step of 0.9 ms that nothing controls, the first contact is met a millimetre deep: K δ^1.5 is two million
// newtons, as the paper found, and the run ends.
static void quick_return_fails_without_control(void) {
  run r;
  rows list;
  if (!rows_open(&r, "quick-return", "method.compliant.entry=none integrator.type=rk4 integrator.step=9e-4", &list))
    return;
  carom_status status = carom_sim_advance(r.sim, 2 * pi, &r.error);
  sim_close_episodes(r.sim);
  CHECK(status != CAROM_OK);
  CHECK_CONTAINS(r.error.text, "through the body it presses");
  CHECK_CONTAINS(r.error.text, "entry: locate");
  if (CHECK_LE(1, list.count)) {
    double depth = list.row[0].penetration, force = 6.61e10 * pow(depth, 1.5);
    printf("    first met %.2e m deep, %.2e N; ends at %.4f s\n", depth, force, carom_sim_time(r.sim));
    CHECK_LE(3e-4, depth);
    CHECK_LE(depth, 3e-3);
    CHECK_LE(3e5, force);
    CHECK_LE(force, 1e7);
  }
  CHECK_LE(carom_sim_time(r.sim), 0.1);
  run_close(&r);
}

// Joint and absolute coordinates, one integrator: alike through the first twelve impacts, 0.04 s. Each impact
// multiplies differences by some five or ten (bodies that strike again soon after), so that 1e-10 a step shows as 1e-6
// there, and after a hundred impacts no two runs are alike. Between make and break a one-step method of order 6 takes
// some 14 steps of 8 evaluations at this tolerance, with what is rejected, drawn and looked at 170 an impact; a
// multistep method that begins anew at each takes 190.
static void an_impact_costs_few_evaluations(void) {
  run r;
  if (!run_open(&r, "quick-return", "integrator.rtol=1e-8 integrator.atol=1e-8")) return;
  run_to(&r, 0.05);
  carom_summary s = carom_sim_summary(r.sim);
  printf("    %ld evaluations for %ld impacts, %ld rejected steps of %ld\n", s.evaluations, s.contact_episodes,
         s.rejected, s.steps);
  CHECK_EQUAL(s.contact_episodes, 22);
  CHECK(s.evaluations < 180 * s.contact_episodes);
  run_close(&r);
}

static void both_coordinates_give_the_same_quick_return(void) {
  run r;
  rows list[2];
  double q[2], u[2];
  for (int k = 0; k < 2; k++) {
    char settings[160];
    snprintf(settings, sizeof settings,
             "integrator.type=erk integrator.rtol=1e-10 integrator.atol=1e-10 coordinates=%s",
             k ? "absolute" : "joint");
    if (!rows_open(&r, "quick-return", settings, &list[k])) return;
    run_to(&r, 0.04);
    q[k] = run_read(&r, "slider.q"), u[k] = run_read(&r, "slider.u");
    CHECK_EQUAL(carom_model_get_info(r.model).freedom + carom_model_get_info(r.model).drives, 9);
    run_close(&r);
  }
  CHECK_LE(8, list[0].count);
  CHECK_EQUAL(list[0].count, list[1].count);
  for (int i = 0; i < list[0].count; i++) {
    CHECK_EQUAL((int)list[0].row[i].point, (int)list[1].row[i].point);
    CHECK_NEAR(list[0].row[i].start, list[1].row[i].start, 1e-6);
  }
  CHECK_NEAR(q[0], q[1], 1e-7);
  CHECK_NEAR(u[0], u[1], 1e-5);
}

// --- the slider-crank under two methods ------------------------------------------------------------------------------

// From the table's start, where whole faces touch, over a revolution.
static void slider_crank_is_alike_under_both_methods(void) {
  run r;
  static rows list[2];
  double angle[2];
  for (int k = 0; k < 2; k++) {
    if (!rows_open(&r, "slider-crank", k ? "method=compliant integrator.rtol=1e-9" : "dt=1e-6", &list[k])) return;
    run_to(&r, 0.07);
    angle[k] = run_read(&r, "crank.q");
    run_close(&r);
  }
  printf("    crank angles %.5f and %.5f; %d and %d episodes\n", angle[0], angle[1], list[0].count, list[1].count);
  CHECK_LE(2 * pi, angle[0]);
  CHECK_NEAR(angle[1], angle[0], 0.01 * angle[0]);
}

// By their start; those within two steps of the rigid method are one instant, and go by their number.
static int by_start(const void *a, const void *b) {
  const impact *x = a, *y = b;
  double apart = x->start - y->start;
  if (fabs(apart) <= 2e-6) return (x->point > y->point) - (x->point < y->point);
  return apart < 0 ? -1 : 1;
}

// With the slider turning at the start single corners touch, each giving back 0.4 by both methods: first two at once,
// then one after the other faster and faster, until in continuous contact one lasts (ten times as long as an impact),
// which a rigid method resolves into ever more impacts.
static void corners_touch_in_the_same_order(void) {
  run r;
  static rows list[2];
  for (int k = 0; k < 2; k++) {
    const char *settings = k ? "omega3=-75 method=compliant integrator.rtol=1e-9" : "omega3=-75 dt=1e-6";
    if (!rows_open(&r, "slider-crank", settings, &list[k])) return;
    run_to(&r, 4e-3);
    run_close(&r);
    qsort(list[k].row, (size_t)list[k].count, sizeof list[k].row[0], by_start);
  }
  const impact *rigid = list[0].row, *soft = list[1].row;
  int lasting = 0;
  while (lasting < list[1].count && soft[lasting].end - soft[lasting].start < 1e-4) lasting++;
  printf("    the first lasting contact is touch %d, of corner %d at %.6f s\n", lasting + 1, (int)soft[lasting].point,
         soft[lasting].start);
  CHECK_LE(4, lasting);
  CHECK(lasting < list[1].count && lasting < list[0].count);
  for (int i = 0; i <= lasting; i++) {
    CHECK_EQUAL((int)soft[i].point, (int)rigid[i].point);
    // an impact takes 4e-5 s with this stiffness, and a body flies on for that much later from each of them
    CHECK_NEAR(soft[i].start, rigid[i].start, (i + 1) * 4e-5);
    if (i < lasting) CHECK_NEAR(soft[i].restitution_achieved, 0.4, 0.05);  // two corners at once disturb each other
  }
}

// --- closed loops ----------------------------------------------------------------------------------------------------

// A parallelogram of two links and a coupler, let go at 60 degrees, whose left link strikes a stop where it hangs.
static const char *const swing =
    "space: planar\n"
    "bodies:\n"
    "  left: {mass: 1, inertia: 0.02, com: [0, -0.25]}\n"
    "  right: {mass: 1, inertia: 0.02, com: [0, -0.25]}\n"
    "  seat: {mass: 2, inertia: 0.1}\n"
    "joints:\n"
    "  left: {revolute: [ground, left], limits: [0, 3], material: stuff}\n"
    "  right: {revolute: [ground, right], at: [0.6, 0]}\n"
    "  front: {revolute: [left, seat], at: [0, -0.5], to: [-0.3, 0]}\n"
    "  back: {revolute: [right, seat], at: [0, -0.5], to: [0.3, 0]}\n"
    "materials: {stuff: {law: hunt-crossley, restitution: 0.8, stiffness: 1e6}}\n"
    "initial: {left: {q: 60 deg}, right: {q: 60 deg}, front: {guess: -60 deg}, back: {guess: -60 deg}}\n"
    "method: compliant\nintegrator: {rtol: 1e-9, atol: 1e-9}\nend: 1\n";

static void every_integrator_closes_a_loop_with_contact(void) {
  static const char *const ways[] = {
      "integrator.rtol=1e-11 integrator.atol=1e-11",
      "integrator.type=adams",
      "integrator.type=bdf",
      "integrator.type=erk",
      "integrator.type=rk4 integrator.step=2e-5",
      "integrator.type=ida method.compliant.constraints=ggl",
      "method.compliant.constraints=baumgarte",
      "coordinates=absolute integrator.type=erk",
      "coordinates=absolute integrator.type=bdf",
      "coordinates=absolute integrator.type=ida method.compliant.constraints=ggl",
      "coordinates=absolute integrator.type=erk method.compliant.constraints=baumgarte",
  };
  double expected = 0;
  for (int k = 0; k < (int)(sizeof ways / sizeof *ways); k++) {
    run r;
    rows list;
    if (!rows_open_text(&r, swing, ways[k], &list)) continue;
    if (run_to(&r, 0.8)) {
      double q = run_read(&r, "left.q");
      if (k == 0) expected = q;
      // 1e-9 a step, up to a thousand steps
      printf("    %-75s %+.1e\n", ways[k], q - expected);
      CHECK_NEAR(q, expected, 1e-6);
      CHECK_EQUAL(list.count, 1);
      rows_keep_their_bound(&list);
    }
    run_close(&r);
  }
}

// --- clearance in plane and space ------------------------------------------------------------------------------------

static const char *const journal =
    "bodies: {shaft: {mass: 1, inertia: [0.01, 0.01, 0.002]}}\n"
    "joints:\n"
    "  fly: {free: [ground, shaft]}\n"
    "  %s\n"
    "materials: {stuff: {law: hertz, stiffness: 1e9}}\n"
    "initial: {fly: {u: [0.3, -0.2, 4, 0.1, 0.05, 0]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-12, atol: 1e-12}\nend: 0.5\n";

// Elastic and smooth: energy is kept while ball, journal and slider rattle in what holds them, for half a second: 1e-12
// a step, some ten thousand steps, and a stiffness that makes ten of that.
static void joints_with_clearance_keep_the_energy(void) {
  static const char *const joints[] = {
      "loose: {spherical: [ground, shaft], clearance: 1 mm, radius: 20 mm, material: stuff}",
      "loose: {revolute: [ground, shaft], clearance: 1 mm, radius: 20 mm, length: 100 mm, material: stuff}",
      "loose: {prismatic: [ground, shaft], clearance: 1 mm, length: 100 mm, width: 40 mm, material: stuff}",
  };
  for (int k = 0; k < 3; k++) {
    char text[1024];
    run r;
    static rows list;
    snprintf(text, sizeof text, journal, joints[k]);
    if (!rows_open_text(&r, text, "gravity=[0,-9.81,0]", &list)) continue;
    run_to(&r, 0.5);
    sim_close_episodes(r.sim);
    carom_summary s = carom_sim_summary(r.sim);
    printf("    %d episodes, energy to %.1e, deepest %.1e m\n", list.count, s.energy_imbalance, s.deepest_penetration);
    CHECK_LE(5, list.count);
    rows_keep_their_bound(&list);
    CHECK_LE(s.energy_imbalance, 1e-7);
    CHECK_LE(s.deepest_penetration, 1e-3);
    run_close(&r);
  }
}

// The same models that run rigidly.
static void loose_joints_of_the_models_run(void) {
  static const struct {
    const char *name, *settings;
    double end;
  } models[] = {{"four-bar-clearance", "method=compliant", 0.2},
                {"socket-pendulum", "method=compliant", 0.5},
                {"slider-crank-revolute", "", 0.06},
                {"slider-crank-revolute", "method=moreau method.moreau.step=dt", 0.06},
                {"slider-crank-revolute", "method=event", 0.06}};
  for (int k = 0; k < (int)(sizeof models / sizeof *models); k++) {
    run r;
    static rows list;
    if (!rows_open(&r, models[k].name, models[k].settings, &list)) continue;
    if (run_to(&r, models[k].end)) CHECK_LE(2, r.sim->impacts.episodes);
    CHECK_EQUAL(carom_sim_summary(r.sim).too_deep, 0);
    run_close(&r);
  }
}

// --- interrupted -----------------------------------------------------------------------------------------------------

// Stopped in the midst of an impact and resumed from a checkpoint: the same impact, with the speed of its approach,
// ends as it would have; of a one-step integrator to the step control's tolerance.
static void an_impact_goes_on_from_a_checkpoint(void) {
  run r;
  rows whole, rest;
  if (!rows_open(&r, "hertz-impact", "e=0.5 integrator.type=erk integrator.rtol=1e-12 integrator.atol=1e-12", &whole))
    return;
  run_to(&r, 1.3e-4);
  CHECK_EQUAL(r.sim->impacts.is_open[0], 1);
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  carom_sim *resumed = carom_sim_create(r.model, &r.error);
  if (CHECK(row && resumed)) {
    sim_checkpoint(r.sim, row);
    CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
    rest.count = 0;
    resumed->impacts.close = rows_keep, resumed->impacts.context = &rest;
    run_to(&r, 5e-4);
    CHECK(carom_sim_advance(resumed, 5e-4, &r.error) == CAROM_OK);
    if (CHECK_EQUAL(whole.count, 1) && CHECK_EQUAL(rest.count, 1)) {
      CHECK_NEAR(rest.row[0].start, whole.row[0].start, 0);
      CHECK_NEAR(rest.row[0].approach_speed, whole.row[0].approach_speed, 0);
      CHECK_NEAR(rest.row[0].end, whole.row[0].end, 1e-13);
      CHECK_NEAR(rest.row[0].restitution_achieved, whole.row[0].restitution_achieved, 1e-9);
      CHECK_NEAR(rest.row[0].loss_normal, whole.row[0].loss_normal, 1e-9 * whole.row[0].loss_normal);
    }
  }
  carom_sim_destroy(resumed);
  free(row);
  run_close(&r);
}

int main(void) {
  RUN(quick_return_makes_three_revolutions);
  RUN(quick_return_fails_without_control);
  RUN(an_impact_costs_few_evaluations);
  RUN(both_coordinates_give_the_same_quick_return);
  RUN(slider_crank_is_alike_under_both_methods);
  RUN(corners_touch_in_the_same_order);
  RUN(every_integrator_closes_a_loop_with_contact);
  RUN(joints_with_clearance_keep_the_energy);
  RUN(loose_joints_of_the_models_run);
  RUN(an_impact_goes_on_from_a_checkpoint);
  return check_summary();
}
