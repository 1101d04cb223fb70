// Scheme moreau against the closed forms of rigid impact and friction. Where motion between impacts has constant
// acceleration the midpoint rule is exact, and all error comes from the one step in which something begins or ends; the
// bounds are worked out from that.
#include "runs.h"

#include "sim.h"

static const double g = 9.81, pi = 3.14159265358979324;

static bool open_at(run *r, const char *model, const char *settings, double dt) {
  char text[256];
  snprintf(text, sizeof text, "%s dt=%.17g", settings, dt);
  return run_open(r, model, text);
}

// --- bouncing ball ---------------------------------------------------------------------------------------------------

static void note_first(void *context, const impact *row_of_ledger) {
  double *first = context;
  if (*first < 0) *first = row_of_ledger->start;
}

// The start of the first episode and of the last, which does not end.
static bool bounce(double h, double dt, double *first, double *rest, double *gap) {
  char settings[64];
  run r;
  snprintf(settings, sizeof settings, "h=%.17g", h);
  if (!open_at(&r, "bouncing-ball", settings, dt)) return false;
  *first = -1;
  r.sim->impacts.close = note_first;
  r.sim->impacts.context = first;
  bool done = run_to(&r, 10 * sqrt(h));
  *rest = r.sim->impacts.open[0].start;
  *gap = run_read(&r, "fall.q2");
  CHECK(r.sim->impacts.is_open[0]);
  CHECK_NEAR(run_read(&r, "fall.u2"), 0, 1e-12);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-12);  // nothing but rounding: the midpoint rule is exact here
  run_close(&r);
  return done;
}

// A contact takes part when the gap at the midpoint is closed: the step begins within Δt/2 of the impact. The midpoint
// position is g Δt²/8 too high, worth less than 1e-3 Δt of time at 4.4 m/s.
static void bouncing_ball_falls_and_comes_to_rest(void) {
  const double t_first = sqrt(2 / g), t_rest = t_first * 1.9 / 0.1;
  CHECK_NEAR(t_first, 0.451523640986, 1e-12);
  CHECK_NEAR(t_rest, 8.578949178729, 1e-11);
  for (int i = 0; i < 7; i++) {
    const double dt = ldexp(1e-3, -i);
    double first, rest, gap;
    if (!bounce(1, dt, &first, &rest, &gap)) return;
    CHECK_NEAR(first, t_first, 0.501 * dt);
    // Each impact is found up to Δt/2 late or early, evenly spread, and each shifts the rest by (1 + e)/(1 - e) = 19
    // times as much, with either sign. n of them, down to bounces of a step, make 19 Δt sqrt(n/12) in the mean; three
    // times that.
    const double n = log(g * dt / (g * t_first)) / log(0.9);
    CHECK_NEAR(rest, t_rest, 3 * 19 * dt * sqrt(n / 12));
    // The last bounces are slower than g Δt, so it rests within g Δt²/2 of the floor.
    CHECK_LE(fabs(gap), g * dt * dt / 2);
  }
}

// The mean of |error| over many heights halves with the step: 32 of them leave a spread of some 15 per cent each.
static void rest_time_has_order_one(void) {
  enum { HEIGHTS = 32, HALVINGS = 3 };
  double mean[HALVINGS];
  for (int i = 0; i < HALVINGS; i++) {
    mean[i] = 0;
    for (int k = 0; k < HEIGHTS; k++) {
      const double h = 0.5 + 0.0173 * k;
      double first, rest, gap;
      if (!bounce(h, ldexp(2e-3, -2 * i), &first, &rest, &gap)) return;
      mean[i] += fabs(rest - 19 * sqrt(2 * h / g)) / HEIGHTS;
    }
  }
  printf("    mean error %.2e, %.2e, %.2e s at dt = 2 ms, a quarter, a sixteenth\n", mean[0], mean[1], mean[2]);
  for (int i = 1; i < HALVINGS; i++) CHECK_NEAR(mean[i - 1] / mean[i], 4, 1.6);
}

// --- friction --------------------------------------------------------------------------------------------------------

// All steps but the last are exact. That one, from v_A < μgΔt to rest, goes v_A Δt/2 instead of v_A²/(2μg): too far by
// at most μgΔt²/8.
static void block_slides_stops_and_stays(void) {
  const double mu = 0.5, x_end = 25 / (2 * mu * g), t_end = 5 / (mu * g);
  CHECK_NEAR(x_end, 2.548419980, 1e-9);
  CHECK_NEAR(t_end, 1.019367992, 1e-9);
  for (int i = 0; i < 6; i++) {
    const double dt = ldexp(1e-2, -i);
    run r;
    if (!open_at(&r, "sliding-block", "", dt)) return;
    double t_stop = 0;
    while (t_stop == 0 && carom_sim_time(r.sim) < 2) {
      if (!CHECK(carom_sim_step(r.sim, 2, &r.error) == CAROM_OK)) break;
      if (fabs(run_read(&r, "slide.u1")) < 1e-12) t_stop = carom_sim_time(r.sim);
    }
    const double x = run_read(&r, "slide.q1");
    CHECK_LE(fabs(t_stop - dt / 2 - t_end), 0.501 * dt);  // it stops within the step that ends there
    CHECK_LE(-1e-12, x - x_end);
    CHECK_LE(x - x_end, mu * g * dt * dt / 8 + 1e-12);
    run_to(&r, 2);
    CHECK_NEAR(run_read(&r, "slide.q1"), x, 1e-12);
    CHECK_NEAR(run_read(&r, "slide.q2"), 0, 1e-12);
    // all energy went into friction: m v²/2 = 25 J
    CHECK_NEAR(run_read(&r, "energy.friction"), 25, 1e-9);
    CHECK_NEAR(run_read(&r, "energy.impact"), 0, 1e-12);
    run_close(&r);
  }
}

// Seven times it turns or stops. There friction changes within one step, which misplaces it by at most a Δt²/2 with a =
// μN/m = 1 m/s²; the spring's midpoint rule adds nothing to the amplitude (it is symplectic).
static void coulomb_oscillator_comes_to_rest(void) {
  for (int i = 0; i < 6; i++) {
    const double dt = ldexp(1e-2, -i);
    run r;
    if (!open_at(&r, "stick-slip-oscillator", "", dt)) return;
    double t_rest = 0;
    while (t_rest == 0 && carom_sim_time(r.sim) < 25) {
      if (!CHECK(carom_sim_step(r.sim, 25, &r.error) == CAROM_OK)) break;
      if (fabs(run_read(&r, "slide.u1")) < 1e-12 && fabs(run_read(&r, "slide.q1")) < 1) t_rest = carom_sim_time(r.sim);
    }
    const double x = run_read(&r, "slide.q1");
    printf("    dt %.2e: x off by %.2e m = %.2f dt^2, t by %.2f dt\n", dt, x - 0.682178936724,
           (x - 0.682178936724) / dt / dt, (t_rest - 22.42356) / dt);
    CHECK_NEAR(x, 0.682178936724, 7 * 0.5 * dt * dt);
    // where it turns it is held until the step ends, seven times; the period is off by Δt²/24; five digits are given
    CHECK_NEAR(t_rest, 22.42356, 7 * dt + 22.5 * dt * dt / 24 + 5e-6);
    run_to(&r, 30);
    CHECK_NEAR(run_read(&r, "slide.q1"), x, 1e-12);  // for good
    run_close(&r);
  }
}

// Exact but for the step in which sliding ends; there friction μg acts for part of it: off by at most μgΔt²/8.
static void sphere_slides_then_rolls(void) {
  const double mu = 0.3, t_roll = 2 / (7 * mu * g), x_roll = 12 / (49 * mu * g);
  CHECK_NEAR(t_roll, 0.097082666, 1e-9);
  CHECK_NEAR(x_roll, 0.083213714, 1e-9);
  for (int i = 0; i < 5; i++) {
    const double dt = ldexp(4e-3, -i);
    run r;
    if (!open_at(&r, "rolling-sphere", "", dt)) return;
    double began = 0;
    while (began == 0 && carom_sim_time(r.sim) < 0.2) {
      if (!CHECK(carom_sim_step(r.sim, 0.2, &r.error) == CAROM_OK)) break;
      if (fabs(run_read(&r, "ball.vx") - 0.05 * run_read(&r, "ball.wy")) < 1e-12) began = carom_sim_time(r.sim);
    }
    CHECK_LE(fabs(began - dt / 2 - t_roll), 0.501 * dt);
    run_to(&r, 0.2);
    CHECK_NEAR(run_read(&r, "ball.vx"), 5.0 / 7, 1e-12);
    CHECK_NEAR(0.05 * run_read(&r, "ball.wy"), 5.0 / 7, 1e-12);
    CHECK_NEAR(run_read(&r, "ball.x"), x_roll + 5.0 / 7 * (0.2 - t_roll), mu * g * dt * dt / 8 + 1e-12);
    CHECK_NEAR(run_read(&r, "energy.friction"), 1.0 / 7, 1e-12);  // of half a joule, 2/7
    run_close(&r);
  }
}

// A cylinder, which is a disc in the plane: v0/3 is lost.
static void cylinder_slides_then_rolls(void) {
  static const char *const text =
      "space: planar\n"
      "bodies: {disc: {mass: 2, inertia: 2*0.1^2/2}}\n"
      "joints: {roll: {free: [ground, disc], at: [0, 0.1]}}\n"
      "surfaces: {disc: {sphere: disc, radius: 0.1, material: steel}, floor: {plane: ground, material: steel}}\n"
      "materials: {steel: {friction: 0.3}}\n"
      "initial: {disc: {velocity: [1, 0]}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  const double t_roll = 1 / (3 * 0.3 * g), dt = 1e-3;
  CHECK_NEAR(t_roll, 0.113263110, 1e-9);
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, floor(t_roll / dt) * dt);
  CHECK_NEAR(run_read(&r, "roll.u1"), 1 - 0.3 * g * floor(t_roll / dt) * dt, 1e-12);  // still sliding
  run_to(&r, (floor(t_roll / dt) + 1) * dt);
  CHECK_NEAR(run_read(&r, "roll.u1"), 2.0 / 3, 1e-12);
  CHECK_NEAR(run_read(&r, "roll.u0"), -2.0 / 3 / 0.1, 1e-11);
  run_close(&r);
}

// Constant acceleration all the way: exact, up to the rounding of 1000 steps.
static void sphere_rolls_down_an_incline(void) {
  run r;
  const double a = 5 * g * sin(pi / 12) / 7;
  CHECK_NEAR(a / 2, 0.906791012, 1e-9);
  if (!run_open(&r, "rolling-sphere", "slope=15*pi/180 v0=0")) return;
  if (run_to(&r, 1)) {
    CHECK_NEAR(run_read(&r, "ball.x"), a / 2, 1e-11);
    CHECK_NEAR(run_read(&r, "ball.vx"), a, 1e-11);
    CHECK_NEAR(run_read(&r, "ball.wy"), a / 0.05, 1e-9);
    CHECK_NEAR(run_read(&r, "ball.y"), 0, 1e-12);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0, 1e-11);  // rolling costs nothing
  }
  run_close(&r);
}

// --- impact ----------------------------------------------------------------------------------------------------------

// Nothing but the impact happens, so it is exact.
static void oblique_bounces_slip_or_stick(void) {
  static const struct {
    const char *settings;
    double vx, spin, vz;
  } cases[] = {{"", 2.28, 1.8, 1.6},
               {"vx=1 mu=0.5", 5.0 / 7, 5.0 / 7, 1.6},
               {"vx=1 mu=0", 1, 0, 1.6},
               // a superball: the contact's slip of 1 m/s comes back as -e_T, by P_T = 2/7 m (1 + e_T)
               {"vx=1 mu=0.5 et=0.6", 1 - 2.0 / 7 * 1.6, 5.0 / 7 * 1.6, 1.6}};
  for (int i = 0; i < 4; i++) {
    run r;
    if (!run_open(&r, "oblique-bounce", cases[i].settings)) return;
    if (run_to(&r, 0.2)) {
      CHECK_NEAR(run_read(&r, "ball.vx"), cases[i].vx, 1e-12);
      CHECK_NEAR(run_read(&r, "ball.vy"), 0, 1e-12);
      CHECK_NEAR(run_read(&r, "ball.vz"), cases[i].vz, 1e-12);
      CHECK_NEAR(run_read(&r, "spin"), cases[i].spin, 1e-12);
    }
    run_close(&r);
  }
}

// In a direction between the axes it is the same bounce turned: the cone is round, not a pyramid.
static void friction_cone_is_round(void) {
  static const char *const text =
      "gravity: [0, 0, 0]\n"
      "parameters: {angle: 0, dt: 1e-3}\n"
      "bodies: {ball: {mass: 0.5, inertia: [3.2e-4, 3.2e-4, 3.2e-4]}}\n"
      "joints: {flight: {free: [ground, ball], at: [0, 0, 0.14]}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.04, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.8, friction: 0.2}}\n"
      "initial: {ball: {velocity: [3*cos(angle), 3*sin(angle), -2]}}\n"
      "method: {moreau: {step: dt}}\n";
  for (int i = 0; i < 12; i++) {
    run r;
    char settings[64];
    const double angle = 0.1 + i * pi / 6;
    snprintf(settings, sizeof settings, "angle=%.17g", angle);
    if (!run_open_text(&r, text, settings)) return;
    if (run_to(&r, 0.2)) {
      CHECK_NEAR(run_read(&r, "ball.vx"), 2.28 * cos(angle), 1e-9);  // the solver's tolerance, 1e-10
      CHECK_NEAR(run_read(&r, "ball.vy"), 2.28 * sin(angle), 1e-9);
    }
    run_close(&r);
  }
}

// Three balls in touch and Newton's law for both contacts at once; with a gap one after the other. The strings turn by
// v t/l, so that gravity changes speeds by at most g v t²/(2 l) meanwhile, and the first step leans the line of the
// impact by v Δt/(2 l).
static void cradle_gives_what_its_law_says(void) {
  run r;
  if (!run_open(&r, "newtons-cradle", "")) return;
  if (run_to(&r, 1e-4)) {
    const double tolerance = g * 1e-8 / 2 / 0.5 + 1e-5;
    CHECK_NEAR(run_read(&r, "v1"), -1.0 / 3, tolerance);
    CHECK_NEAR(run_read(&r, "v2"), 2.0 / 3, tolerance);
    CHECK_NEAR(run_read(&r, "v3"), 2.0 / 3, tolerance);
    CHECK_LE(fabs(run_read(&r, "energy.impact")), 1e-14);  // e = 1
  }
  run_close(&r);
  if (!run_open(&r, "newtons-cradle", "gap=1e-4")) return;
  if (run_to(&r, 1e-3)) {
    const double tolerance = g * 1e-6 / 2 / 0.5 + 1e-5;
    CHECK_NEAR(run_read(&r, "v1"), 0, tolerance);
    CHECK_NEAR(run_read(&r, "v2"), 0, tolerance);
    CHECK_NEAR(run_read(&r, "v3"), 1, tolerance);
  }
  run_close(&r);
}

// Housner: the impact is within Δt/2 of its time (and the midpoint rule's own error, about as much); near it the block
// gains 3 g sin(α)/(4R) = 5.07 rad/s² of angular velocity, and in the impact's own step gravity goes on acting.
static void rocking_block_loses_what_housner_says(void) {
  const double alpha = atan2(0.2, 0.5), R = hypot(0.2, 0.5), rate = 3 * g * sin(alpha) / (4 * R);
  const double ratio = 1 - 1.5 * sin(alpha) * sin(alpha);
  CHECK_NEAR(ratio, 0.793103448, 1e-9);
  double previous = 0;
  for (int i = 0; i < 6; i++) {
    const double dt = ldexp(1e-3, -i);
    run r;
    if (!open_at(&r, "rocking-block", "", dt)) return;
    double t = 0, before = 0, after = 0;
    while (after <= before && t < 1) {  // it turns ever faster towards the floor, with negative speed
      t = carom_sim_time(r.sim), before = after;
      if (!CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK)) break;
      after = run_read(&r, "rock.u0");
    }
    const double error = after / before - ratio;
    printf("    dt %.2e: quarter period off by %.2f dt, speed by %.2f dt, ratio by %.3f dt\n", dt,
           (t - 0.357810995) / dt, (before + 1.208857469) / dt, error / dt);
    CHECK_NEAR(t, 0.357810995, dt);
    CHECK_NEAR(before, -1.208857469, rate * dt);
    CHECK_NEAR(error, 0, rate / 1.2 * dt);
    if (i > 0) CHECK_NEAR(previous / error, 2, 0.2);
    previous = error;
    run_close(&r);
  }
}

// --- Painlevé --------------------------------------------------------------------------------------------------------

// The tip's speed after one step of 1e-4 s, and what the summary says.
static double rod_after_one_step(const char *settings, carom_summary *summary, double *lift) {
  run r;
  if (!run_open(&r, "painleve-rod", settings)) return NAN;
  double speed = NAN;
  if (CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK)) {
    speed = run_read(&r, "rod.u1");
    *lift = run_read(&r, "rod.u2");
  }
  *summary = carom_sim_summary(r.sim);
  CHECK(run_to(&r, 0.2));  // and on, whatever comes
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
  return speed;
}

static void painleve_paradox_is_told(void) {
  carom_summary s;
  double lift;
  // μ_c = 1.347151 at 60°: just below it slides on, with finite though large forces; just above no force fits.
  rod_after_one_step("mu=1.347", &s, &lift);
  CHECK_EQUAL(s.inconsistent + s.indeterminate, 0);
  rod_after_one_step("mu=1.348", &s, &lift);
  CHECK_EQUAL(s.inconsistent, 1);
  // the least critical coefficient is 4/3, at 63.43°
  rod_after_one_step("theta=63.43*pi/180 mu=1.333", &s, &lift);
  CHECK_EQUAL(s.inconsistent + s.indeterminate, 0);
  rod_after_one_step("theta=63.43*pi/180 mu=1.334", &s, &lift);
  CHECK_EQUAL(s.inconsistent, 1);
  // well below, forces of the order of the weight: they change 4 m/s by some g Δt
  CHECK_NEAR(rod_after_one_step("mu=0.5", &s, &lift), -4, 10 * g * 1e-4);
  CHECK_EQUAL(s.inconsistent + s.indeterminate, 0);
  CHECK_NEAR(
      lift, 0,
      0.5e-4 * pow(10 * g * 1e-4, 2));  // it turns no faster than that, on half a step, about its middle 0.5 m away
  // above, an impact without collision: the tip is stopped within one step, however short, where rows are evaluated.
  // From 4 m/s the rod then turns with 3/2 4 sin(60°) = √27 rad/s about its middle, and until the end of the step its
  // tip takes up ½Δt 27 ½ cos(60°) again
  CHECK_NEAR(rod_after_one_step("mu=2", &s, &lift), 1e-4 * 27 / 8, 1e-6);
  CHECK_EQUAL(s.inconsistent, 1);
  CHECK_NEAR(rod_after_one_step("mu=2 dt=1e-7", &s, &lift), 1e-7 * 27 / 8, 1e-12);
  // falling forward fast enough it lifts off, or might have been stopped
  rod_after_one_step("mu=2 omega=-6", &s, &lift);
  CHECK_EQUAL(s.indeterminate, 1);
  CHECK(lift > 0);
  // the same below μ_c is no paradox: it just lifts off
  rod_after_one_step("mu=1 omega=-6", &s, &lift);
  CHECK_EQUAL(s.inconsistent + s.indeterminate, 0);
  CHECK(lift > 0);
}

// Two rods slide beside each other, both without a force that fits: one step of the run.
static void paradoxes_of_a_step_count_once(void) {
  static const char *text =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {\"rod{i}\": {repeat: {i: [1, 2]}, mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
      "joints: {\"rod{i}\": {repeat: {i: [1, 2]}, free: [ground, \"rod{i}\"]}}\n"
      "surfaces:\n"
      "  floor: {plane: ground, material: rough}\n"
      "  tip{i}: {repeat: {i: [1, 2]}, point: \"rod{i}\", material: rough}\n"
      "materials: {rough: {friction: 2}}\n"
      "initial: {\"rod{i}\": {repeat: {i: [1, 2]}, q: [pi/3, 5*i, 0], u: [0, -4, 0]}}\n"
      "method: {moreau: {step: 1e-4}}\n"
      "end: 1\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  if (CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK)) CHECK_EQUAL(carom_sim_summary(r.sim).inconsistent, 1);
  CHECK_NEAR(run_read(&r, "rod2.u1"), 1e-4 * 27 / 8, 1e-6);  // as above
  run_close(&r);
}

// A slender cylinder stands on its rim. A slip that is rounding has no direction in which it could be pressed down.
static void nothing_at_rest_is_a_paradox(void) {
  static const char *text =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {b: {mass: 1, inertia: [0.02, 0.02, 0.002]}}\n"
      "joints: {b: {free: [ground, b]}}\n"
      "surfaces: {floor: {plane: ground, material: rough}, s: {cylinder: b, radius: 0.05, length: 0.4, material: "
      "rough}}\n"
      "materials: {rough: {friction: 3}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0, 0, 0.2]}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "end: 1\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  if (run_to(&r, 0.1)) CHECK_EQUAL(carom_sim_summary(r.sim).inconsistent + carom_sim_summary(r.sim).indeterminate, 0);
  run_close(&r);
}

// --- nothing unsolved ------------------------------------------------------------------------------------------------

// A turn of the box: any, or (every third) about y alone, so that it lands on two corners at once.
static void choose_fall(int i, char *settings, size_t size) {
  static const double friction[] = {0.2, 0.4, 1, 2};
  double q[4], w[3], norm = 0;
  for (int k = 0; k < 4; k++) q[k] = uniform(-1, 1), norm = hypot(norm, q[k]);
  for (int k = 0; k < 3; k++) w[k] = i % 3 ? uniform(-10, 10) : 0;
  if (i % 3 == 0) q[1] = q[3] = 0, norm = hypot(q[0], q[2]);
  snprintf(settings, size,
           "mu=%g e=%g initial.box.q=[%.9g,%.9g,%.9g,%.9g,0,0,0.4] initial.box.omega=[%.9g,%.9g,%.9g] "
           "initial.box.velocity=[%.9g,%.9g,-1]",
           friction[i % 4], i / 4 % 2 * 0.5, q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm, w[0], w[1], w[2],
           uniform(-2, 2), uniform(-2, 2));
}

// Boxes dropped onto a rough floor tumble, slide, rattle and come to rest, on one corner, two or four: percussions of
// two and more are not unique, and where they rattle to rest some slips are a billionth of the speeds at hand.
static void dropped_boxes_leave_nothing_unsolved(void) {
  static const char *const text =
      "bodies: {box: {mass: 3, inertia: [0.0325, 0.045, 0.0325]}}\n"
      "joints: {box: {free: [ground, box]}}\n"
      "surfaces: {box: {box: box, size: [0.3, 0.2, 0.3], material: wood}, floor: {plane: ground, material: wood}}\n"
      "parameters: {mu: 0, e: 0}\n"
      "materials: {wood: {friction: mu, restitution: e}}\n"
      "initial: {box: {q: [1, 0, 0, 0, 0, 0, 0.4], omega: [0, 0, 0], velocity: [0, 0, -1]}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  long problems = 0, interior = 0;
  for (int i = 0; i < 96; i++) {
    run r;
    char settings[512];
    choose_fall(i, settings, sizeof settings);
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 1.5);
    carom_summary s = carom_sim_summary(r.sim);
    if (!CHECK_EQUAL(s.unsolved, 0)) printf("      %s: %ld, residual %.2e\n", settings, s.unsolved, s.worst_residual);
    problems += s.solves;
    for (int k = 0; k < 8 && s.stages[k].name; k++)
      if (strcmp(s.stages[k].name, "interior") == 0) interior += s.stages[k].solved;
    run_close(&r);
  }
  printf("    %ld problems, %ld of them by interior points\n", problems, interior);
  CHECK(problems > 50000);
}

// --- steps too large -------------------------------------------------------------------------------------------------

// A ball of 5 cm at 14 m/s in steps of 50 ms goes 0.7 m at once, most likely deeper than itself before it is seen. Of
// eight heights at least one must have been; in steps of 1 ms, 14 mm each, none.
static void leaping_into_the_floor_is_counted(void) {
  long leaps[2] = {0};
  for (int i = 0; i < 16; i++) {
    run r;
    char settings[128];
    snprintf(settings, sizeof settings, "h=%.17g e=0.5 method.moreau.time_of_impact=false", 10 + 0.1 * (i % 8));
    if (!open_at(&r, "bouncing-ball", settings, i < 8 ? 0.05 : 1e-3)) return;
    if (run_to(&r, 4)) leaps[i / 8] += carom_sim_summary(r.sim).step_too_large;
    run_close(&r);
  }
  CHECK_LE(1, leaps[0]);
  CHECK_EQUAL(leaps[1], 0);
}

// Two balls of radius r meet at 2 v = 2 m/s, their ways b apart, with steps in which they go up to four diameters:
// however the steps fall, each encounter is an impact or counted as missed. Where their ways are further apart than the
// diameter there is none, and nothing is counted; with steps of a twentieth of the diameter none is missed.
static void passing_through_is_counted(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {r: 0.01, b: 0, x: 0, dt: 0.01}\n"
      "bodies: {one: {mass: 1, inertia: 1e-4}, two: {mass: 1, inertia: 1e-4}}\n"
      "joints: {one: {free: [ground, one]}, two: {free: [ground, two]}}\n"
      "surfaces: {one: {sphere: one, radius: r, material: m}, two: {sphere: two, radius: r, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {one: {q: [0, -0.3 + x, 0], u: [0, 1, 0]}, two: {q: [0, 0.3 + x, b], u: [0, -1, 0]}}\n"
      "method: {moreau: {step: dt, time_of_impact: false}}\n";
  long missed = 0;
  for (int i = 0; i < 40; i++) {
    run r;
    char settings[96];
    const double dt = i < 10 ? 5e-4 : 0.01 + 0.001 * (i % 30), b = i % 4 * 0.008;
    snprintf(settings, sizeof settings, "dt=%.17g b=%.17g", dt, b);
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 0.6);
    const carom_summary s = carom_sim_summary(r.sim);
    const bool struck = s.contact_episodes > 0, meets = b < 0.02;
    bool fine = CHECK_EQUAL(struck || s.step_too_large > 0, meets);
    if (i < 10) fine &= CHECK_EQUAL(s.step_too_large, 0);
    fine &= CHECK_LE(s.step_too_large, 1);
    if (!fine) printf("      %s: %ld episodes, %ld\n", settings, s.contact_episodes, s.step_too_large);
    missed += s.step_too_large;
    run_close(&r);
  }
  CHECK_LE(5, missed);
}

// --- the start -------------------------------------------------------------------------------------------------------

// `separate` moves a ball out of the floor and a row of balls apart, each by the shortest way.
static void overlapping_surfaces_are_moved_apart(void) {
  run r;
  if (!run_open(&r, "bouncing-ball", "h=-0.02 method.moreau.separate=true")) return;
  CHECK_NEAR(run_read(&r, "fall.q2"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "fall.q1"), 0, 1e-12);
  run_close(&r);
  // strings of 0.5 m, centres 18 mm apart instead of 20: the outer ones swing out by 2 mm or (with the middle one fixed
  // by symmetry) asin(2/500) each, to first order of the lean
  if (!run_open(&r, "newtons-cradle", "gap=-2e-3 method.moreau.separate=true v0=0")) return;
  const double out = run_read(&r, "string3.q");
  CHECK_NEAR(out, 2e-3 / 0.5, 1e-4 * out + 1e-4 * 2e-3);
  CHECK_NEAR(run_read(&r, "string1.q"), -out, 1e-9);
  CHECK_NEAR(run_read(&r, "string2.q"), 0, 1e-9);
  run_close(&r);
}

// A step cut short at a stop is followed by one to the next multiple of h, never by a longer one.
static void steps_keep_to_their_grid(void) {
  run r;
  if (!run_open(&r, "bouncing-ball", "dt=0.1")) return;
  double last = 0, stops[] = {0.01, 0.02, 0.15, 0.15 + 1e-9, 0.4};
  for (int i = 0; i < 5; i++)
    while (last < stops[i]) {
      if (!CHECK(carom_sim_step(r.sim, stops[i], NULL) == CAROM_OK)) break;
      CHECK_LE(carom_sim_time(r.sim) - last, 0.1 * (1 + 1e-12));
      last = carom_sim_time(r.sim);
    }
  CHECK_NEAR(last, 0.4, 0);
  CHECK_EQUAL(carom_sim_summary(r.sim).steps, 8);  // 0.01 0.02 0.1 0.15 0.15+ 0.2 0.3 0.4
  run_close(&r);
}

// --- work ------------------------------------------------------------------------------------------------------------

// Along straight lines without springs a step is exact for constant forces, and whatever the forces the kinetic energy
// changes by the work of force times ½ (u_A + u_E) Δt: the balance closes to rounding at any step.
static void work_is_force_times_way(void) {
  static const char text[] =
      "space: planar\n"
      "bodies: {cart: {mass: 1, inertia: 1}, trolley: {mass: 2, inertia: 1}, ram: {mass: 1, inertia: 1}}\n"
      "markers: {nose: {on: cart, at: [0.1, 0]}, tail: {on: trolley, at: [-0.1, 0]}}\n"
      "joints:\n"
      "  track: {prismatic: [ground, cart], axis: x}\n"
      "  rail: {prismatic: [ground, trolley], axis: x, at: [3, 0]}\n"
      "  guide: {prismatic: [ground, ram], axis: x, at: [6, 0]}\n"
      "forces:\n"
      "  push: {force: nose, components: [10, 2]}\n"
      "  strut: {spring: [nose, tail], damping: 3, effort: '4 + 2*t'}\n"
      "  motor: {along: rail, damping: 0.5, effort: '3*sin(20*t)'}\n"
      "  mount: {bushing: [trolley, ram], stiffness: 0, damping: 1}\n"
      "drives: {pull: {joint: guide, motion: 3*t^2}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, coordinates[i])) return;
    for (double t = 0.1; t < 1.05; t += 0.1) {
      run_to(&r, t);
      double scale = run_read(&r, "energy.kinetic") + fabs(run_read(&r, "energy.drive"));
      CHECK_NEAR(run_read(&r, "energy.imbalance"), 0, 1e-12 * scale);
    }
    run_close(&r);
  }
}

// A constant force of 10 N on 1 kg that starts with 1 m/s: 1.2 s later it has done 10 N times (1.2 + 5·1.44) m.
static void a_constant_force_does_its_work(void) {
  run r;
  if (!run_open_text(&r,
                     "space: planar\n"
                     "gravity: [0, 0]\n"
                     "bodies: {cart: {mass: 1, inertia: 1}}\n"
                     "joints: {track: {prismatic: [ground, cart], axis: x}}\n"
                     "forces: {push: {force: cart, components: [10, 0]}}\n"
                     "initial: {track: {u: 1}}\n"
                     "method: {moreau: {step: 10 ms}}\n",
                     NULL))
    return;
  run_to(&r, 1.2);
  CHECK_NEAR(run_read(&r, "energy.applied"), 10 * (1.2 + 5 * 1.44), 1e-11);
  run_close(&r);
}

// --- locking up ------------------------------------------------------------------------------------------------------

// A crank of 50 mm with a rod of 40 mm: driven evenly it comes as far as sin q = 4/5, at t = 29.517 ms.
static const char short_rod[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  crank: {mass: 0.1, inertia: 2e-5, com: [0.025, 0]}\n"
    "  rod: {mass: 0.4, inertia: 1.3e-3, com: [0.02, 0]}\n"
    "  ram: {mass: 1.5, inertia: 1e-3}\n"
    "joints:\n"
    "  crank: {revolute: [ground, crank]}\n"
    "  rod: {revolute: [crank, rod], at: [0.05, 0]}\n"
    "  pin: {revolute: [rod, ram], at: [0.04, 0]}\n"
    "  guide: {prismatic: [ground, ram], axis: x}\n"
    "drives: {motor: {joint: crank, motion: 300 rpm*t}}\n"
    "method: {moreau: {step: 1e-4}}\n";

static void a_mechanism_that_locks_up_ends_with_an_error(void) {
  const char *const settings[] = {"coordinates=joint", "coordinates=absolute", "method.moreau.project=false",
                                  "method.moreau.step=1e-5", "method.moreau.step=1e-3"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    run r;
    if (!run_open_text(&r, short_rod, settings[i])) return;
    CHECK(carom_sim_advance(r.sim, 0.2, &r.error) == CAROM_ERROR_INTEGRATOR);
    CHECK(strstr(r.error.message, "cannot be met at t = ") && strstr(r.error.message, "locks up"));
    CHECK_LE(0.028, carom_sim_time(r.sim));
    CHECK_LE(carom_sim_time(r.sim), 0.032);
    if (check_state.failures_here)
      printf("      %s: t = %g, %s\n", settings[i], carom_sim_time(r.sim), r.error.message);
    run_close(&r);
  }
}

// Before its first step a run shows what a trial step finds: about the effort in the middle of it, which grows from
// zero. A trial that leads beyond the lock-up is made shorter and does not keep a run from starting; the step that
// fails says why.
static void a_trial_step_that_fails_refuses_nothing(void) {
  const char *const settings[] = {"method.moreau.step=0.05", "method.moreau.step=0.02"};
  const double tried[] = {0.025, 0.02};
  for (int i = 0; i < 2; i++) {
    run r;
    double torque, exact;
    if (!run_open_text(&r, short_rod, "method=event")) return;
    run_to(&r, 0.5 * tried[i]);
    exact = run_read(&r, "motor.effort");
    run_close(&r);
    if (!run_open_text(&r, short_rod, settings[i])) continue;
    torque = run_read(&r, "motor.effort");
    CHECK(torque > 0.5 * exact && torque < 1.5 * exact);  // the crank turns by up to 0.8 rad in this step
    run_to(&r, 0.02);
    CHECK(carom_sim_advance(r.sim, 0.2, &r.error) == CAROM_ERROR_INTEGRATOR);
    CHECK(strstr(r.error.message, "cannot be met at t = ") && strstr(r.error.message, "locks up"));
    run_close(&r);
  }
}

// Where no step works, the message is that of the step.
static void a_start_without_a_step_says_why(void) {
  static const char text[] =
      "space: planar\nbodies: {arm: {mass: 1, inertia: 1}}\njoints: {hinge: {revolute: [ground, arm]}}\n"
      "forces: {pull: {torque: arm, components: 'sqrt(t - 1)'}}\nmethod: {moreau: {step: 1e-3}}\n";
  run r;
  CHECK(write_text(scratch("model.yaml"), text) && !run_try(&r, scratch("model.yaml"), NULL));
  CHECK(strstr(r.error.message,
               "no step can be taken from the start: the motion is not finite at t = 0.001 s; look for"));
  run_close(&r);
}

// The same motion at every size of the mechanism: an angle that is off counts by itself and not against a length. In a
// universal joint without projection the two axes of the cross drift from their right angle, by little at a short step
// and by all at a long one.
static void lost_angles_do_not_depend_on_size(void) {
  static const char text[] =
      "parameters: {L: 1}\n"
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  input: {mass: 1, inertia: [L^2, L^2, L^2], com: [0, -L, 0]}\n"
      "  output: {mass: 1, inertia: [L^2, L^2, L^2], com: [0, L, 0]}\n"
      "markers: {bearing: {on: ground, rotate: {axis: z, angle: 45 deg}}}\n"
      "joints:\n"
      "  input: {revolute: [ground, input], axis: y}\n"
      "  output: {revolute: [bearing, output], axis: y}\n"
      "  cross: {universal: [input, output], axis: z}\n"
      "drives: {motor: {joint: input, motion: 10*t}}\n"
      "initial: {output: {q: 0}, cross: {q: [45 deg, 0]}}\n"
      "method: {moreau: {step: 1e-3, project: false}}\n";
  static const char *const sizes[] = {"1", "1e-3", "1e3"};
  for (int lost = 0; lost < 2; lost++) {
    double ends[3];
    for (int i = 0; i < 3; i++) {
      run r;
      char settings[80];
      snprintf(settings, sizeof settings, "L=%s method.moreau.step=%s", sizes[i], lost ? "0.1" : "1e-3");
      if (!run_open_text(&r, text, settings)) return;
      carom_status status = carom_sim_advance(r.sim, 2, &r.error);
      CHECK(status == (lost ? CAROM_ERROR_INTEGRATOR : CAROM_OK));
      ends[i] = carom_sim_time(r.sim);
      CHECK_NEAR(ends[i], ends[0], 0);
      CHECK(lost || carom_sim_summary(r.sim).constraint_violation > 1e-4);
      if (check_state.failures_here)
        printf("      %s: t = %g, %g, %s\n", settings, ends[i], carom_sim_summary(r.sim).constraint_violation,
               r.error.message);
      run_close(&r);
    }
  }
}

static double violation_after(const char *settings, int read_every) {
  run r;
  double violation = NAN;
  if (!run_open(&r, "slider-crank-ideal", settings)) return NAN;
  for (int k = 1; k <= 1000; k++) {
    if (!CHECK(carom_sim_step(r.sim, 1, &r.error) == CAROM_OK)) break;
    if (read_every && k % read_every == 0) sim_read_all(r.sim);
    violation = carom_sim_summary(r.sim).constraint_violation;
  }
  run_close(&r);
  return violation;
}

// What is read of a run must not change what is said about it.
static void the_violation_does_not_depend_on_what_is_read(void) {
  const char *const settings[] = {"method.moreau.step=1e-4 method.moreau.project=false", "method.moreau.step=1e-4",
                                  "method=smooth", "method=event"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    double unread = violation_after(settings[i], 0);
    CHECK(unread > 0);
    CHECK_NEAR(violation_after(settings[i], 1), unread, 0);
    CHECK_NEAR(violation_after(settings[i], 7), unread, 0);
  }
}

int main(void) {
  RUN(steps_keep_to_their_grid);
  RUN(bouncing_ball_falls_and_comes_to_rest);
  RUN(rest_time_has_order_one);
  RUN(block_slides_stops_and_stays);
  RUN(coulomb_oscillator_comes_to_rest);
  RUN(sphere_slides_then_rolls);
  RUN(cylinder_slides_then_rolls);
  RUN(sphere_rolls_down_an_incline);
  RUN(oblique_bounces_slip_or_stick);
  RUN(friction_cone_is_round);
  RUN(cradle_gives_what_its_law_says);
  RUN(rocking_block_loses_what_housner_says);
  RUN(painleve_paradox_is_told);
  RUN(paradoxes_of_a_step_count_once);
  RUN(nothing_at_rest_is_a_paradox);
  RUN(dropped_boxes_leave_nothing_unsolved);
  RUN(leaping_into_the_floor_is_counted);
  RUN(passing_through_is_counted);
  RUN(overlapping_surfaces_are_moved_apart);
  RUN(work_is_force_times_way);
  RUN(a_constant_force_does_its_work);
  RUN(a_mechanism_that_locks_up_ends_with_an_error);
  RUN(lost_angles_do_not_depend_on_size);
  RUN(a_trial_step_that_fails_refuses_nothing);
  RUN(a_start_without_a_step_says_why);
  RUN(the_violation_does_not_depend_on_what_is_read);
  return check_summary();
}
