// The ledger of contacts under every method: the rows of impacts, episodes and regimes say the same whichever method
// has found them. Methods are listed by the program, so that new ones are compared as well.
#include "rows.h"

#include "scheme/registry.h"

static const double step = 1e-4;  // of time steppers
static const double gravity = 9.81;

// Calls a check with the rows of a model under every method that knows contact, up to a time. Returns how many there
// were.
static int for_each_method(const char *text, double end, void (*check)(const scheme_type *method, const rows *list)) {
  static rows list;
  int count, checked = 0;
  const scheme_type *const *all = scheme_types(&count);
  for (int i = 0; i < count; i++) {
    run r;
    char settings[128];
    if (!all[i]->knows_contact) continue;
    snprintf(settings, sizeof settings, !all[i]->about->required ? "method=%s" : "method=%s method.%s.step=%g",
             all[i]->name, all[i]->name, step);
    if (!CHECK(write_text(scratch("model.yaml"), text))) return 0;
    if (!run_try(&r, scratch("model.yaml"), settings)) {
      printf("      %s is left out: %s\n", all[i]->name, r.error.message);
      run_close(&r);
      continue;
    }
    rows_watch(&r, &list);
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

// --- sticking --------------------------------------------------------------------------------------------------------

// A block slides for 1 m/s / (0.3 g) and then stands. A time stepper finds that within a step. A law of friction slows
// it down like Coulomb's to about its v0 = 0.1 mm/s, and its last steps above that are no longer than those of a time
// stepper. It rests from the start on: two episodes without impact. Each pair slides and then sticks.
static void the_block_stands(const scheme_type *method, const rows *list) {
  const double stops = 1 / (0.3 * gravity), tolerance = 2 * step + 1e-4 / (0.3 * gravity);
  bool fine = CHECK_EQUAL(list->count, 0) & CHECK_EQUAL(list->episode_count, 2) & CHECK_EQUAL(list->regime_count, 4);
  for (int i = 0; fine && i < 2; i++) {
    const episode_row *e = &list->episode[i];
    fine &= CHECK_NEAR(e->slip_time, stops, tolerance) & CHECK_NEAR(e->stick_time, 0.5 - stops, tolerance);
    fine &= CHECK_NEAR(e->start, 0, 0) & CHECK_NEAR(e->end, 0.5, 1e-12) & CHECK_EQUAL(e->impacts, 0) &
            CHECK_EQUAL(e->pair, i);
    fine &= CHECK_NEAR(e->impulse_normal, 9.81 * 0.5 - (i ? -1 : 1) * 0.3 * 2 * 9.81 * 0.1 * stops, 1e-2 * 9.81);
  }
  for (int i = 0; fine && i < 4; i++) {
    const regime_row *g = &list->regime[i];
    bool slides = g->start == 0;
    fine &= CHECK_EQUAL(g->regime, slides ? REGIME_SLIDE : REGIME_STICK) &
            CHECK_NEAR(slides ? g->end : g->start, stops, tolerance);
    fine &= slides || CHECK_NEAR(g->end, 0.5, 1e-12);
  }
  if (!fine) printf("      %s\n", method->name);
}

#define BLOCK_ON_FLOOR                                   \
  "space: planar\n"                                      \
  "bodies: {block: {mass: 2, inertia: 0.1}}\n"           \
  "surfaces:\n"                                          \
  "  a: {point: block, at: [-0.5, -0.1], material: m}\n" \
  "  b: {point: block, at: [0.5, -0.1], material: m}\n"  \
  "  floor: {plane: ground, material: m}\n"              \
  "materials: {m: {law: kelvin-voigt, stiffness: 1e7, damping: 5e3, friction: 0.3, v0: 1e-4}}\n"

static void a_block_slides_and_stands(void) {
  for_each_method(BLOCK_ON_FLOOR
                  "joints: {free: {free: [ground, block], at: [0, 0.1]}}\n"
                  "initial: {free: {u: [0, 1, 0]}}\n",
                  0.5, the_block_stands);
}

// A drive pulls a sled along by 5 um/s. That is slip, but a law of friction cannot tell it from creep below its v0.
static void it_creeps(const scheme_type *method, const rows *list) {
  bool sticks = method->about->needs_laws;
  if (!CHECK_LE(1, list->episode_count)) return;
  for (int i = 0; i < list->episode_count; i++)
    if (!CHECK_NEAR(list->episode[i].slip_time, sticks ? 0 : 0.1, 1e-9) |
        !CHECK_NEAR(list->episode[i].stick_time, sticks ? 0.1 : 0, 1e-9))
      printf("      %s\n", method->name);
}

// By 0.5 nm/s, below what counts as slip.
static void it_sticks(const scheme_type *method, const rows *list) {
  if (!CHECK_LE(1, list->episode_count)) return;
  for (int i = 0; i < list->episode_count; i++)
    if (!CHECK_NEAR(list->episode[i].slip_time, 0, 0) | !CHECK_NEAR(list->episode[i].stick_time, 0.1, 1e-9))
      printf("      %s\n", method->name);
}

// By 2 mm/s.
static void it_slides(const scheme_type *method, const rows *list) {
  if (!CHECK_LE(1, list->episode_count)) return;
  for (int i = 0; i < list->episode_count; i++)
    if (!CHECK_NEAR(list->episode[i].stick_time, 0, 0) | !CHECK_NEAR(list->episode[i].slip_time, 0.1, 1e-9))
      printf("      %s\n", method->name);
}

// A sled on a driven carriage: it is free to sink onto the floor.
#define SLED(speed)                                                                              \
  "space: planar\n"                                                                              \
  "bodies: {carriage: {mass: 1, inertia: 0.1}, sled: {mass: 2, inertia: 0.1}}\n"                 \
  "joints:\n"                                                                                    \
  "  track: {prismatic: [ground, carriage], axis: x, at: [0, 1]}\n"                              \
  "  down: {prismatic: [carriage, sled], axis: y, at: [0, -1]}\n"                                \
  "surfaces: {tip: {point: sled, material: m}, floor: {plane: ground, material: m}}\n"           \
  "materials: {m: {law: kelvin-voigt, stiffness: 1e7, damping: 5e3, friction: 0.3, v0: 1e-4}}\n" \
  "drives: {pull: {joint: track, motion: " speed " m/s*t}}\n"

static void a_slow_slip_counts_alike(void) {
  for_each_method(SLED("5e-10"), 0.1, it_sticks);
  for_each_method(SLED("5e-6"), 0.1, it_creeps);
  for_each_method(SLED("2e-3"), 0.1, it_slides);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

// A ball falls by half a metre and bounces. Of each impact a time stepper knows the time to a step, and a law of
// contact lasts for pi sqrt(m/k) = 0.1 ms. A ball that bounces early or late by d has the speed wrong by g d, and is in
// the air for 2 d longer or shorter; the errors of one bounce go on in the next.
static const double late = 1e-4 + 1e-4;

static void it_bounces(const scheme_type *method, const rows *list) {
  double e = list->count ? list->row[0].restitution : 0, t = sqrt(2 * 0.5 / gravity), v = gravity * t, end = 2;
  int n = 0;
  for (bool again = true; again && t<end - 4 * (n + 1) * late; n++, again = e> 0) {
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
  if (!CHECK_EQUAL(list->episode_count, n)) return;
  for (int i = 0; i < n; i++) {
    const episode_row *of = &list->episode[i];
    bool fine = CHECK_EQUAL(of->impacts, 1) & CHECK_NEAR(of->start, list->row[i].start, 0) &
                CHECK_NEAR(of->end, list->row[i].end, 0);
    fine &= CHECK_NEAR(of->impulse_normal, list->row[i].impulse_normal, 0) &
            CHECK_NEAR(of->loss_normal, list->row[i].loss_normal, 0);
    fine &= CHECK_NEAR(of->deepest, list->row[i].deepest, 0) & CHECK_NEAR(of->peak_force, list->row[i].peak_force, 0);
    if (!fine) printf("      episode %d under %s\n", i, method->name);
  }
}

static void a_ball_bounces(void) {
  for_each_method(
      "space: planar\n"
      "bodies: {ball: {mass: 1, inertia: 0.1}}\n"
      "joints: {fall: {prismatic: [ground, ball], axis: y}}\n"
      "initial: {fall: {q: 0.6}}\n"
      "surfaces: {skin: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
      "contacts: {bounce: {between: [skin, floor]}}\n"
      "materials: {m: {restitution: 1, law: hooke, stiffness: 1e9}}\n",
      2, it_bounces);
}

// --- several points --------------------------------------------------------------------------------------------------

// A block that rocks is on the floor all the time, and strikes it with one corner after the other. The time between
// impacts shrinks with the swing: sixteen of them are far from the end.
static void a_rocking_block_is_one_episode(void) {
  static rows list;
  const char *const methods[] = {"method=moreau method.moreau.step=1e-3", "method=moreau method.moreau.step=2e-4",
                                 "method=event"};
  for (int k = 0; k < 3; k++) {
    run r;
    if (!rows_open(&r, "rocking-block", methods[k], &list)) continue;
    if (run_to(&r, 1.7)) {
      sim_close_episodes(r.sim);
      bool fine =
          CHECK_EQUAL(list.episode_count, 1) && CHECK_EQUAL(list.count, 5) && CHECK_EQUAL(list.episode[0].impacts, 5);
      fine &= CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, 1) &
              CHECK_EQUAL(carom_sim_summary(r.sim).contact_impacts, 5);
      for (int i = 0; fine && i < list.count; i++) fine &= CHECK_EQUAL(list.row[i].point, i % 2 ? 0 : 1);
      fine = fine && CHECK_NEAR(list.row[0].start, 0.357810995, 2e-3) && CHECK_NEAR(list.episode[0].end, 1.7, 1e-9);
      if (!fine) printf("      %s\n", methods[k]);
    }
    run_close(&r);
  }
}

// An arch that stands has an episode for each of its joints, however often the force in one of their points is zero.
static void an_arch_at_rest_has_one_episode_a_joint(void) {
  static rows list;
  run r;
  if (!rows_open(&r, "arch", "factor=1.02", &list)) return;
  if (run_to(&r, 2)) {
    sim_close_episodes(r.sim);
    CHECK_EQUAL(list.episode_count, 10);
    CHECK_EQUAL(list.count, 0);
  }
  run_close(&r);
}

// --- points that go on -----------------------------------------------------------------------------------------------

static void ignore_regime(void *context, const regime_row *row) { (void)context, (void)row; }

// Booked alone with its sums added afterwards, a point leaves the ledger that a plain touch leaves. What changes more
// than the point and its pair is refused and changes nothing.
static void points_that_go_on_are_booked_alone(void) {
  impact_ledger plain = {.still = 1e-6}, alone = {.still = 1e-6};
  const impact_step first = {.t_end = step, .speed_before = -1, .impulse_normal = 2, .gap = -1e-3, .loss_normal = 0.5},
                    second = {.t_start = step,
                              .t_end = 2 * step,
                              .impulse_normal = 3,
                              .slip = 0.1,
                              .gap = -2e-3,
                              .loss_normal = 0.1,
                              .loss_tangential = 0.2};
  impact_sums sums = {0};
  if (!CHECK(impact_reserve(&plain, 1, 1) && impact_reserve(&alone, 1, 1))) return;
  impact_assign(&plain, 0, (impact_place){.permanent = true}), impact_assign(&alone, 0, plain.place[0]);
  CHECK(!impact_goes_on(&alone, 0, &first, &sums));
  CHECK(!alone.touches[0] && sums.loss_normal == 0);
  impact_touch(&plain, 0, &first), impact_touch(&alone, 0, &first);
  alone.close_regime = ignore_regime;
  CHECK(!impact_goes_on(&alone, 0, &second, &sums));
  alone.close_regime = NULL;
  CHECK(sums.loss_normal == 0 && alone.open[0].impulse_normal == 2);
  impact_touch(&plain, 0, &second);
  CHECK(impact_goes_on(&alone, 0, &second, &sums));
  impact_add(&alone, &sums);
  CHECK(memcmp(alone.open, plain.open, sizeof *plain.open) == 0);
  CHECK(memcmp(alone.pairs, plain.pairs, sizeof *plain.pairs) == 0);
  CHECK_NEAR(alone.loss_normal, plain.loss_normal, 0);
  CHECK_NEAR(alone.loss_tangential, 0.2, 0);
  CHECK_NEAR(alone.deepest, 2e-3, 0);
  impact_free(&plain), impact_free(&alone);
}

// --- restitution -----------------------------------------------------------------------------------------------------

static void keep_row(void *context, const impact *row) { *(impact *)context = *row; }

// A point arrives with a speed and has another when its row ends. Returns the restitution that the row shows.
static double restitution_of(double before, double after) {
  impact row = {.restitution_achieved = NAN};
  impact_ledger l = {.still = 1e-6, .close = keep_row, .context = &row};
  if (!CHECK(impact_reserve(&l, 1, 1))) return NAN;
  impact_assign(&l, 0, (impact_place){.permanent = true});
  impact_touch(&l, 0,
               &(impact_step){
                   .t_end = step, .speed_before = before, .speed_after = after, .impulse_normal = 1, .arrives = true});
  impact_separate(&l, 0);
  impact_end_step(&l);
  impact_free(&l);
  return row.restitution_achieved;
}

// An approach that is rounding gives no ratio, and a point that still approaches at the end of its row has not
// separated.
static void restitution_needs_approach_and_separation(void) {
  CHECK_NEAR(restitution_of(-0.5, 0.2), 0.4, 1e-15);
  CHECK_NEAR(restitution_of(-4e-8, -8e-6), 0, 0);
  CHECK_NEAR(restitution_of(-4e-8, 8e-6), 0, 0);
  CHECK_NEAR(restitution_of(-1e-4, -2e-3), 0, 0);
}

int main(void) {
  RUN(a_block_slides_and_stands);
  RUN(a_slow_slip_counts_alike);
  RUN(a_ball_bounces);
  RUN(a_rocking_block_is_one_episode);
  RUN(an_arch_at_rest_has_one_episode_a_joint);
  RUN(points_that_go_on_are_booked_alone);
  RUN(restitution_needs_approach_and_separation);
  return check_summary();
}
