// Scheme `event` on closed forms of rigid impact and friction. Unless said otherwise each is met to 1e-9: the
// integrator runs with tolerances of 1e-13 a step, and a few hundred steps add up to less than a hundredth of that.
#include "kane.h"
#include "rows.h"

#define TIGHT "method=event integrator.rtol=1e-13 integrator.atol=1e-13 "
static const double accuracy = 1e-9, g = 9.81;

// The ledger closes as the motion does, nothing was left unsolved, and closing the run's last episodes.
static void finish(run *r, double imbalance) {
  carom_summary s = carom_sim_summary(r->sim);
  CHECK_LE(s.energy_imbalance, imbalance);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK_EQUAL(s.projection_failures, 0);
  sim_close_episodes(r->sim);
  run_close(r);
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// Infinitely many bounces in finite time. From 1 mm/s on they are summed up: with constant weight the sum is exact, and
// before, hops are a hundred thousand times the tolerance of positions.
static void ball_bounces_to_rest(void) {
  run r;
  rows list;
  if (!rows_open(&r, "bouncing-ball", TIGHT "method.event.accumulation=1e-3", &list)) return;
  run_to(&r, 10);
  const double first = sqrt(2 / g);
  CHECK_NEAR(first, 0.451523640986, 1e-12);
  CHECK_NEAR(list.row[0].start, first, accuracy);
  CHECK_EQUAL(list.row[0].end == list.row[0].start, 1);
  CHECK_NEAR(list.row[0].restitution_achieved, 0.9, accuracy);
  CHECK_NEAR(list.row[1].start, first * (1 + 2 * 0.9), accuracy);
  CHECK_NEAR(run_read(&r, "fall.q2"), 0, accuracy);
  CHECK_NEAR(run_read(&r, "fall.a2"), 0, accuracy);
  sim_close_episodes(r.sim);
  const episode_row *rest = &list.episode[list.episode_count - 1];
  CHECK_NEAR(rest->start, 8.578949178729, accuracy);
  CHECK_NEAR(rest->impulse_normal, g * (10 - rest->start), 1e-9);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.accumulations, 1);
  CHECK_LE(s.accumulation_error, 1e-6 / (2 * g));  // v²/2g
  CHECK(s.accumulation_error > 0);
  finish(&r, 1e-10);
}

// Without being asked for, the sum begins where hops are as low as eighty times the absolute tolerance, and says so.
static void accumulation_keeps_its_bound(void) {
  run r;
  if (!run_open(&r, "bouncing-ball", "method=event integrator.atol=1e-10")) return;
  run_to(&r, 10);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.accumulations, 1);
  CHECK_LE(s.accumulation_error, 80 * 1e-10 * r.model->m.length);
  CHECK_NEAR(run_read(&r, "fall.q2"), 0, 80 * 1e-10);
  finish(&r, 1e-6);
}

static void block_stops_and_stays(void) {
  run r;
  rows list;
  if (!rows_open(&r, "sliding-block", TIGHT, &list)) return;
  run_to(&r, 1.0);
  CHECK_NEAR(run_read(&r, "slide.u1"), 5 - 0.5 * g, accuracy);
  CHECK_NEAR(run_read(&r, "slide.a1"), -0.5 * g, accuracy);
  run_to(&r, 2);
  CHECK_NEAR(run_read(&r, "slide.q1"), 25 / g, accuracy);
  CHECK_NEAR(run_read(&r, "slide.q1"), 2.548419980, 1e-9);
  CHECK_NEAR(run_read(&r, "slide.u1"), 0, 1e-14);
  CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * 2 * 25, accuracy);
  double stopped = run_read(&r, "slide.q1");
  run_to(&r, 100);
  CHECK_NEAR(run_read(&r, "slide.q1"), stopped, 1e-12);
  sim_close_episodes(r.sim);
  CHECK_EQUAL(list.count, 0);
  for (int i = 0; i < list.episode_count; i++) CHECK_NEAR(list.episode[i].slip_time, 1.019367992, 1e-9);
  double impulse = 0;
  for (int i = 0; i < list.episode_count; i++) impulse += list.episode[i].impulse_normal;
  CHECK_NEAR(impulse, 2 * g * 100, 1e-6);
  finish(&r, 1e-10);
}

static void sphere_slides_then_rolls(void) {
  run r;
  rows list;
  if (!rows_open(&r, "rolling-sphere", TIGHT, &list)) return;
  const double t = 2 / (7 * 0.3 * g);
  run_to(&r, t);
  CHECK_NEAR(run_read(&r, "ball.x"), 0.083213714, 1e-9);
  CHECK_NEAR(run_read(&r, "ball.vx"), 5.0 / 7, accuracy);
  run_to(&r, 0.5);
  CHECK_NEAR(run_read(&r, "ball.vx"), 5.0 / 7, accuracy);
  CHECK_NEAR(0.05 * run_read(&r, "ball.wy"), 5.0 / 7, accuracy);
  CHECK_NEAR(run_read(&r, "ball.x"), 0.083213714 + 5.0 / 7 * (0.5 - t), 2e-9);
  sim_close_episodes(r.sim);
  CHECK_NEAR(list.episode[0].slip_time, 0.097082666, 1e-9);
  CHECK_NEAR(list.episode[0].stick_time, 0.5 - t, accuracy);
  finish(&r, 1e-11);
}

static const char cylinder[] =
    "space: planar\n"
    "bodies: {disc: {mass: 2, inertia: 2*0.1^2/2}}\n"
    "joints: {roll: {free: [ground, disc], at: [0, 0.1]}}\n"
    "surfaces:\n"
    "  disc: {sphere: disc, radius: 0.1, material: rubber}\n"
    "  floor: {plane: ground, material: rubber}\n"
    "materials: {rubber: {friction: 0.3}}\n"
    "initial: {disc: {velocity: [1, 0]}}\n"
    "method: event\n";

static void cylinder_slides_then_rolls(void) {
  run r;
  rows list;
  if (!run_open_text(&r, cylinder, TIGHT)) return;
  rows_watch(&r, &list);
  run_to(&r, 0.5);
  CHECK_NEAR(run_read(&r, "disc.vx"), 2.0 / 3, accuracy);
  CHECK_NEAR(0.1 * run_read(&r, "disc.wz"), -2.0 / 3, accuracy);
  sim_close_episodes(r.sim);
  CHECK_NEAR(list.episode[0].slip_time, 0.113263110, 1e-9);
  finish(&r, 1e-11);
}

static void sphere_rolls_down_an_incline(void) {
  run r;
  if (!run_open(&r, "rolling-sphere", TIGHT "slope=15*pi/180 v0=0")) return;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "ball.x"), 0.906791012, 1e-9);
  CHECK_NEAR(run_read(&r, "ball.vx"), 1.813582023, 1e-9);
  CHECK_NEAR(run_read(&r, "ball.wy"), 36.271640464, 1e-9);
  finish(&r, 1e-11);
}

// With spin across its way a sphere on a plane slips along a direction that stays: s = v + ω × (-r n) shrinks at
// 7/2 μ g, and the velocity it rolls with is v0 - 2/7 s0.
static void sphere_slips_aslant(void) {
  run r;
  rows list;
  if (!rows_open(&r, "rolling-sphere", TIGHT "initial.ball.omega=[30,10,5]", &list)) return;
  const double radius = 0.05, sx = 1 - radius * 10, sy = radius * 30;
  run_to(&r, 0.6);
  CHECK_NEAR(run_read(&r, "ball.vx"), 1 - 2 * sx / 7, accuracy);
  CHECK_NEAR(run_read(&r, "ball.vy"), -2 * sy / 7, accuracy);
  CHECK_NEAR(run_read(&r, "ball.wz"), 5, accuracy);
  sim_close_episodes(r.sim);
  CHECK_NEAR(list.episode[0].slip_time, 2 * hypot(sx, sy) / (7 * 0.3 * g), accuracy);
  finish(&r, 1e-11);
}

static void oblique_bounces(void) {
  static const struct {
    const char *settings;
    double vx, spin;
  } cases[] = {{TIGHT "vx=3 mu=0.2", 2.28, 1.8}, {TIGHT "vx=1 mu=0.5", 5.0 / 7, 5.0 / 7}};
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open(&r, "oblique-bounce", cases[i].settings)) return;
    run_to(&r, 0.2);
    CHECK_NEAR(run_read(&r, "ball.vx"), cases[i].vx, accuracy);
    CHECK_NEAR(run_read(&r, "ball.vz"), 1.6, accuracy);
    CHECK_NEAR(run_read(&r, "spin"), cases[i].spin, accuracy);
    finish(&r, 1e-12);
  }
}

// Half swings about ±1, until it stops within 1 of the middle.
static void coulomb_oscillator_comes_to_rest(void) {
  run r;
  rows list;
  if (!rows_open(&r, "stick-slip-oscillator", TIGHT, &list)) return;
  run_to(&r, 30);
  CHECK_NEAR(run_read(&r, "slide.q1"), 0.682178936724, accuracy);
  CHECK_NEAR(run_read(&r, "slide.u1"), 0, 1e-13);
  sim_close_episodes(r.sim);
  // amplitude about +1 (it moves forward first, friction pulls back): x + 1 = 13 + ..., then half periods of π
  CHECK_NEAR(list.episode[0].slip_time, 22.42356, 0.5e-5);
  CHECK_NEAR(list.episode[0].slip_time, atan2(6, 13) + 7 * acos(-1), accuracy);
  finish(&r, 1e-10);
}

static void block_rocks(void) {
  run r;
  rows list;
  if (!rows_open(&r, "rocking-block", TIGHT, &list)) return;
  const double t = 0.357810995, alpha = atan2(0.2, 0.5);
  run_to(&r, t - 1e-9);
  const double before = run_read(&r, "rock.u0");
  CHECK_NEAR(fabs(before), 1.208857469, 3e-8);  // up to 1e-9 s earlier or later than the impact, at 17 rad/s²
  run_to(&r, t + 2e-9);
  CHECK_NEAR(run_read(&r, "rock.u0") / before, 1 - 1.5 * pow(sin(alpha), 2), 3e-8);
  run_to(&r, 5);
  CHECK_NEAR(run_read(&r, "rock.u0"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "rock.q0"), 0, accuracy);
  // Every later impact keeps the same share, so that speeds of approach are a geometric series.
  sim_close_episodes(r.sim);
  CHECK(list.count > 20);
  CHECK_EQUAL(list.episode_count, 1);
  CHECK_NEAR(list.row[0].start, t, 1e-9);
  CHECK_NEAR(list.row[0].approach_speed / 0.4, 1.208857469, 1e-9);
  for (int i = 1; i < 10; i++)
    CHECK_NEAR(list.row[i].approach_speed / list.row[i - 1].approach_speed, 1 - 1.5 * pow(sin(alpha), 2), 1e-9);
  finish(&r, 1e-9);
}

static void cradle_by_newton_and_by_poisson(void) {
  static const char *const laws[] = {"newton", "poisson"};
  for (int i = 0; i < 2; i++) {
    run r;
    char text[128];
    snprintf(text, sizeof text, TIGHT "method.event.impact=%s", laws[i]);
    if (!run_open(&r, "newtons-cradle", text)) return;
    run_to(&r, 1e-12);
    CHECK_NEAR(run_read(&r, "v1"), -1.0 / 3, accuracy);
    CHECK_NEAR(run_read(&r, "v2"), 2.0 / 3, accuracy);
    CHECK_NEAR(run_read(&r, "v3"), 2.0 / 3, accuracy);
    finish(&r, 1e-12);
  }
  run r;
  if (!run_open(&r, "newtons-cradle", TIGHT "gap=1e-6")) return;  // one after the other
  run_to(&r, 3e-6);
  CHECK_NEAR(run_read(&r, "v1"), 0, 1e-4);  // the strings swing a little meanwhile
  CHECK_NEAR(run_read(&r, "v2"), 0, 1e-4);
  CHECK_NEAR(run_read(&r, "v3"), 1, 1e-4);
  finish(&r, 1e-12);
}

// A complete elliptic integral by the arithmetic-geometric mean: half the half period of a pendulum of amplitude a is
// √(L/g) K(sin a/2).
static double elliptic(double k) {
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 8; i++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b), a = mean;
  }
  return acos(-1) / (2 * a);
}

static const char stopped_pendulum[] =
    "space: planar\n"
    "bodies: {bob: {mass: 1, com: [1, 0]}}\n"
    "joints: {pivot: {revolute: [ground, bob], limits: [-90 deg, 180 deg], material: rubber}}\n"
    "materials: {rubber: {restitution: 0.5}}\n"
    "method: event\n";

// Released level it strikes the stop at the bottom, and comes back to it after half a period of what is left.
static void pendulum_strikes_a_stop(void) {
  run r;
  rows list;
  static const char *const coordinates[] = {TIGHT, TIGHT "coordinates=absolute bodies.bob.inertia=0.25"};
  for (int i = 0; i < 2; i++) {
    if (!run_open_text(&r, stopped_pendulum, coordinates[i])) return;
    rows_watch(&r, &list);
    run_to(&r, 2);
    const double length = i ? 1.25 : 1;  // of the point pendulum that swings alike: inertia over m d
    const double first = sqrt(length / g) * elliptic(sqrt(0.5)), amplitude = acos(1 - 0.25);
    if (!i) CHECK_NEAR(4 * first, 2.367841947576, 1e-12);
    CHECK(list.count >= 2);
    CHECK_NEAR(list.row[0].start, first, accuracy);
    CHECK_NEAR(list.row[0].approach_speed, sqrt(2 * g / length), accuracy);
    CHECK_NEAR(list.row[1].start, first + 2 * sqrt(length / g) * elliptic(sin(amplitude / 2)), accuracy);
    finish(&r, 1e-10);
  }
}

static const char dome[] =
    "bodies: {bead: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
    "parameters: {start: 0.3}\n"
    "joints: {bead: {free: [ground, bead]}}\n"
    "surfaces:\n"
    "  bead: {point: bead, material: ice}\n"
    "  dome: {sphere: ground, radius: 1, material: ice}\n"
    "materials: {ice: {friction: 0}}\n"
    "initial: {bead: {q: [1, 0, 0, 0, sin(start), 0, cos(start)]}}\n"
    "method: event\n";

// A bead slides down a smooth dome and leaves it where cos θ = 2/3 cos θ0: the curvature of the surface is in the bias.
static void bead_leaves_a_dome(void) {
  run r;
  if (!run_open_text(&r, dome, TIGHT)) return;
  do {
    if (!CHECK(carom_sim_step(r.sim, 3, &r.error) == CAROM_OK)) break;
  } while (carom_sim_time(r.sim) < 3 && r.sim->type->contacts(r.sim->scheme)->active);
  CHECK_NEAR(run_read(&r, "bead.z"), 2.0 / 3 * cos(0.3), accuracy);
  const double speed = hypot(run_read(&r, "bead.vx"), run_read(&r, "bead.vz"));
  CHECK_NEAR(speed, sqrt(2 * g / 3 * cos(0.3)), accuracy);
  finish(&r, 1e-11);
}

// --- a mechanism -----------------------------------------------------------------------------------------------------

static double slider_crank(const char *settings, double t) {
  run r;
  if (!run_open(&r, "slider-crank", settings)) return NAN;
  double value = run_to(&r, t) ? run_read(&r, "crank.q") : NAN;
  run_close(&r);
  return value;
}

// Moreau's scheme tends to what `event` computes, its error with the step: halving it halves the distance to 10 %,
// which leaves room for impacts that fall differently into steps. Over the first impacts, and over a whole revolution.
static void slider_crank_is_the_limit_of_moreau(void) {
  run r;
  rows list;
  if (!rows_open(&r, "slider-crank", TIGHT, &list)) return;
  run_to(&r, 0.07);
  CHECK_NEAR(list.row[0].start, 0.002692503, 1e-9);
  CHECK_NEAR(list.row[0].restitution_achieved, 0.4, accuracy);
  finish(&r, 1e-9);
  const double times[] = {0.008, 0.07};
  for (int i = 0; i < 2; i++) {
    double limit = slider_crank(TIGHT, times[i]), before = 0;
    for (int k = 0; k < 4; k++) {
      char text[32];
      snprintf(text, sizeof text, "dt=%.17g", 1e-5 / (1 << k));
      double error = fabs(slider_crank(text, times[i]) - limit);
      printf("    t = %g, dt = %.3g: %.3e rad from it\n", times[i], 1e-5 / (1 << k), error);
      if (k && i == 1) CHECK_NEAR(before / error, 2, 0.2);
      before = error;
    }
    CHECK_LE(before, 5e-3 * times[i] / 0.07);
  }
}

// Single and opposite corners, a pin that follows its bearing, loops: the ledger closes as the tolerances say.
static void ledgers_close(void) {
  static const struct {
    const char *model, *settings;
    double end;
  } cases[] = {{"slider-crank", TIGHT "omega3=-75", 0.14},
               {"four-bar-clearance", TIGHT, 0.4},
               {"slider-crank", TIGHT "coordinates=absolute", 0.03},
               {"incline-box", TIGHT, 10}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    if (!run_open(&r, cases[i].model, cases[i].settings)) return;
    run_to(&r, cases[i].end);
    carom_summary s = carom_sim_summary(r.sim);
    printf("    %s: %ld steps, %ld episodes, imbalance %.2e\n", cases[i].model, s.steps, s.contact_episodes,
           s.energy_imbalance);
    CHECK_LE(fabs(run_read(&r, "energy.imbalance")), 1e-8);
    CHECK_LE(s.deepest_penetration, 1e-11);
    CHECK_EQUAL(s.unsolved, 0);
    run_close(&r);
  }
}

// Between steps the shown state balances as at their ends: friction's loss is interpolated with the motion. A step may
// be off by its tolerance, 1e-13 of 90 J (6 m/s, 12 m), and their sum by as much for each; what interpolation adds is
// of the order of one step's, at most ten times.
static void rows_between_steps_balance(void) {
  run r;
  if (!run_open(&r, "stick-slip-oscillator", TIGHT)) return;
  const double of_a_step = 1e-13 * 90;
  double before = 0, imbalance = 0, off = 0, worst = 0;
  while (carom_sim_time(r.sim) < 8) {
    if (!CHECK(carom_sim_step(r.sim, 8, &r.error) == CAROM_OK)) break;
    double t = carom_sim_time(r.sim), after = run_read(&r, "energy.imbalance");
    CHECK(sim_show(r.sim, 0.5 * (before + t), &r.error) == CAROM_OK);
    double between = run_read(&r, "energy.imbalance");
    off = fmax(off, fmin(fabs(between - imbalance), fabs(between - after)));
    worst = fmax(worst, fabs(between));
    sim_show_end(r.sim);
    before = t, imbalance = after;
  }
  CHECK_LE(off, 10 * of_a_step);
  CHECK_LE(worst, (double)carom_sim_summary(r.sim).steps * of_a_step);
  run_close(&r);
}

static void painleve_is_diagnosed(void) {
  run r;
  if (!run_open(&r, "painleve-rod", TIGHT)) return;
  // The tip is stopped: about it the rod keeps its angular momentum, ω = 3/2 v sin θ/l. The limit is taken to 1e-9 of
  // v.
  run_to(&r, 1e-10);
  CHECK_EQUAL(carom_sim_summary(r.sim).inconsistent, 1);
  CHECK_NEAR(run_read(&r, "rod.u0"), 1.5 * 4 * sqrt(0.75), 1e-8);
  CHECK_NEAR(run_read(&r, "rod.u1"), 0, 1e-8);
  finish(&r, 1e-8);
  if (!run_open(&r, "painleve-rod", TIGHT "omega=-10")) return;
  run_to(&r, 0.01);
  CHECK_EQUAL(carom_sim_summary(r.sim).indeterminate, 1);
  finish(&r, 1e-10);
}

// Rising at 6 rad/s from 20°, where μ = 3 is below μ_c = 3.78, the rod slides on until μ_c(θ) = 3: its tip resists no
// longer, forces grow beyond all bounds, and it is stopped by a percussion along the edge of its friction cone, which
// leaves the angular momentum about the tip: ω⁺ = ω⁻ + 3/2 v⁻ sin θ/l. It is there to 1e-6 of the resistance, which
// falls by 3 (μ cos 2θ + sin 2θ) for each radian.
static void dynamic_jam_is_an_event(void) {
  const double mu = 3, theta = 0.5 * (asin((5 / sqrt(mu * mu + 1)) / 3) + atan(1 / mu));
  CHECK_NEAR(1 + 3 * cos(theta) * cos(theta) - 3 * mu * sin(theta) * cos(theta), 0, 1e-14);
  run r;
  if (!run_open(&r, "painleve-rod", TIGHT "mu=3 theta=20*pi/180 omega=6")) return;
  double omega = 0, speed = 0;
  while (carom_sim_time(r.sim) < 0.1 && !carom_sim_summary(r.sim).inconsistent) {
    omega = run_read(&r, "rod.u0"), speed = -run_read(&r, "rod.u1");
    if (!CHECK(carom_sim_step(r.sim, 0.1, &r.error) == CAROM_OK)) break;
  }
  CHECK_EQUAL(carom_sim_summary(r.sim).inconsistent, 1);
  const double slope = 3 * (mu * cos(2 * theta) + sin(2 * theta)), resistance = 1 + 3 * cos(theta) * cos(theta);
  CHECK_NEAR(run_read(&r, "rod.q0"), theta, 1.01e-6 * resistance / slope);
  CHECK_NEAR(run_read(&r, "rod.u1"), 0, 1e-6);
  // the last step before the end of it is so short that only the growing force acts, along the same edge
  CHECK_NEAR(run_read(&r, "rod.u0"), omega + 1.5 * speed * sin(theta), 1e-4 * omega);
  run_to(&r, 0.5);
  finish(&r, 1e-8);
}

// Kane's rod, whose tip sticks: Newton's γ⁺ = (e, 0) has more energy than γ⁻. Poisson's law returns e times the impulse
// of compression, which stops the tip, P_C = -W⁻¹ γ⁻; in the expansion the tip would slide under e P_CN alone, and
// friction within μ e P_CN holds it: γ_N⁺ = e P_CN det W/W_TT. It never adds energy.
static void poisson_adds_no_energy_where_newton_does(void) {
  const kane_impact k = kane_strike();
  const double P_CN = (k.W_TT + k.W_NT * k.v) / k.det, normal[] = {k.e, k.e * P_CN * k.det / k.W_TT};
  static const char *const laws[] = {"newton", "poisson"};
  for (int i = 0; i < 2; i++) {
    run r;
    char text[160];
    snprintf(text, sizeof text, TIGHT "method.event.impact=%s v=%.17g", laws[i], -k.v);
    if (!run_open_text(&r, kane_rod, text)) return;
    run_to(&r, 1e-12);
    CHECK_NEAR(run_read(&r, "rod.u2"), normal[i], accuracy);
    CHECK_NEAR(run_read(&r, "rod.u1"), 0, accuracy);
    const double lost = run_read(&r, "energy.impact") + run_read(&r, "energy.friction");
    CHECK_NEAR(lost, kane_energy(-1, k.v) - kane_energy(normal[i], 0), accuracy);
    CHECK_EQUAL(carom_sim_summary(r.sim).energy_gains, i == 0);
    CHECK_LE(carom_sim_summary(r.sim).energy_gained_t, 1e-12);
    CHECK_EQUAL(lost < 0, i == 0);
    finish(&r, 1e-12);
  }
}

static void box_on_an_incline_does_not_creep(void) {
  run r;
  if (!run_open(&r, "incline-box", "method=event")) return;
  run_to(&r, 1);
  const double x = run_read(&r, "rest.q1");
  run_to(&r, 100);
  CHECK_NEAR(run_read(&r, "rest.q1"), x, 1e-9);
  run_close(&r);
}

static const char box[] =
    "parameters: {wz: 0, e: 0, h: 0, tilt: 0, mu: 0.3}\n"
    "bodies: {box: {mass: 1, inertia: [0.01, 0.02, 0.025]}}\n"
    "joints: {box: {free: [ground, box], at: [0, 0, 0.1 + h]}}\n"
    "surfaces:\n"
    "  box: {box: box, size: [0.5, 0.3, 0.2], material: wood}\n"
    "  floor: {plane: ground, material: wood}\n"
    "materials: {wood: {friction: mu, restitution: e}}\n"
    "initial: {box: {q: [cos(tilt), sin(tilt), 0.3*tilt, 0, 0, 0, 0], omega: [0, 0, wz], velocity: [1, 0.3, 0]}}\n"
    "method: event\n";

// Four corners on the floor are one too many, and how they share the load is not determined by rigid bodies; that the
// box stops within what its energy allows, lies flat and stays is. Without spin it stops after v²/2μg: erk is exact for
// a parabola, and bdf, which starts with order one, may err in each step by what its norm allows to one of 13 numbers.
static void box_in_space_comes_to_rest(void) {
  static const char *const cases[] = {"integrator.type=erk", "", "wz=5", "h=0.3 tilt=0.2", "h=0.3 tilt=0.2 e=0.5"};
  for (int i = 0; i < 5; i++) {
    run r;
    char text[200];
    snprintf(text, sizeof text, "method=event integrator.rtol=1e-10 integrator.atol=1e-10 %s", cases[i]);
    if (!run_open_text(&r, box, text)) return;
    run_to(&r, 2.5);
    double errs = i ? 1e-10 * sqrt(13) * (double)carom_sim_summary(r.sim).steps : 1e-14;
    if (i < 2) CHECK_NEAR(run_read(&r, "box.x"), 1 * sqrt(1.09) / (2 * 0.3 * g), errs);
    CHECK_NEAR(run_read(&r, "box.z"), 0.1, accuracy);
    CHECK_NEAR(hypot(run_read(&r, "box.vx"), run_read(&r, "box.vy")), 0, 1e-12);
    CHECK_NEAR(run_read(&r, "box.wz"), 0, 1e-12);
    finish(&r, 1e-7);
  }
}

// --- resume ----------------------------------------------------------------------------------------------------------

// A run saved at some time and one resumed from there: both go on from the same state, the second with an integrator
// that begins anew, so that they part by what its tolerance allows, 1e-13 a step over some hundred steps, and not more;
// counts and episodes are the same. Saved in free flight, in lasting contact, while it sticks, while bounces are summed
// up.
static void a_resumed_run_goes_on(void) {
  static const struct {
    const char *model, *settings, *signal;
    double at, end;
  } cases[] = {
      {"bouncing-ball", TIGHT "e=0.5", "fall.q2", 0.3, 3},
      {"bouncing-ball", TIGHT "e=0.5", "fall.q2", 1.3, 3},
      {"bouncing-ball", TIGHT "method.event.accumulation=0.5", "fall.q2", 8.3, 10},
      {"bouncing-ball", TIGHT "e=0.5", "fall.q2", 2, 3},
      {"stick-slip-oscillator", TIGHT, "slide.q1", 5, 30},
      {"rolling-sphere", TIGHT, "ball.x", 0.05, 0.5},
      {"rolling-sphere", TIGHT, "ball.x", 0.3, 0.5},
      {"painleve-rod", TIGHT "mu=3 theta=20*pi/180 omega=6", "rod.q1", 0.1, 0.2},
      {"discs-in-slot", TIGHT "n=4", "disc4.q2", 0.02, 1},
      {"discs-in-slot", TIGHT "n=4", "disc4.q2", 0.5, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    if (!run_open(&r, cases[i].model, cases[i].settings)) return;
    run_to(&r, cases[i].at);
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    if (!CHECK(row && resumed)) return;
    sim_checkpoint(r.sim, row);
    CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
    run_to(&r, cases[i].end);
    CHECK(carom_sim_advance(resumed, cases[i].end, &r.error) == CAROM_OK);
    const carom_summary a = carom_sim_summary(r.sim), b = carom_sim_summary(resumed);
    bool fine = CHECK_NEAR(carom_sim_read(resumed, carom_model_signal(r.model, cases[i].signal)),
                           run_read(&r, "%s", cases[i].signal), accuracy);
    fine &= CHECK_NEAR(carom_sim_read(resumed, carom_model_signal(r.model, "energy.kinetic")),
                       run_read(&r, "energy.kinetic"), accuracy);
    fine &= CHECK_EQUAL(b.contact_episodes, a.contact_episodes);
    fine &= CHECK_EQUAL(b.accumulations, a.accumulations);
    fine &= CHECK_NEAR(b.accumulation_error, a.accumulation_error, accuracy);
    fine &= CHECK_EQUAL(b.inconsistent, a.inconsistent);
    fine &= CHECK_EQUAL(b.restarts, 1);
    for (int p = 0; p < r.sim->impacts.slot_count; p++) {
      fine &= CHECK_EQUAL(resumed->impacts.is_open[p], r.sim->impacts.is_open[p]);
      if (!r.sim->impacts.is_open[p]) continue;
      const impact *x = &r.sim->impacts.open[p], *y = &resumed->impacts.open[p];
      fine &= CHECK_NEAR(y->start, x->start, accuracy);
      fine &= CHECK_NEAR(y->slip_time, x->slip_time, accuracy);
      fine &= CHECK_NEAR(y->stick_time, x->stick_time, accuracy);
    }
    if (!fine) printf("      %s %s from %g s\n", cases[i].model, cases[i].settings, cases[i].at);
    carom_sim_destroy(resumed);
    free(row);
    run_close(&r);
  }
}

// A can on a slope that is steeper than it can stand on tips over its rim like a pendulum about the lowest point of it.
// With γ the angle of the mass centre over that point and β that of the slope
//   J θ̈ = m g l sin(θ + β - γ),   J = J_c + m l².
// Up to a tilt of 1e-5 it stands on the polygon of its face, here on a corner that is 0.14 % inside the rim; there the
// lowest point of the rim takes over, and the angular momentum about it is kept.
static double tilt_of_can(double t, double radius, double half, double J_c, double gravity, double slope) {
  enum { STEPS = 200000 };
  double h = t / STEPS, a = 0, w = 0, base = 0.9986 * radius;
  for (int k = 0; k < STEPS; k++) {  // Störmer and Verlet's rule
    double l = hypot(base, half), from = slope - atan(base / half), rate = gravity * l / (J_c + l * l);
    w += 0.5 * h * rate * sin(a + from);
    a += h * w;
    w += 0.5 * h * rate * sin(a + from);
    if (base == radius || a < 1e-5) continue;
    w *= (J_c + base * radius + half * half) / (J_c + radius * radius + half * half);
    base = radius;
  }
  return a;
}

static bool open_can(run *r, double lean, const char *integrator, const char *start) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "gravity: [%.17g, 0, -9.81]\nbodies: {can: {mass: 1, inertia: [0.0046, 0.0046, 0.00125]}}\n"
      "joints: {f: {free: [ground, can], at: [0, 0, 0.1]}}\n"
      "surfaces: {floor: {plane: ground, material: m}, s: {cylinder: can, radius: 0.05, length: 0.2, material: m}}\n"
      "materials: {m: {friction: 0.8}}\n%smethod: {event: {}}\nintegrator: {type: %s}\nend: 1\n",
      9.81 * lean, start, integrator);
  return run_open_text(r, text, NULL);
}

// The face has a point right beside the lowest one of the rim, which must lift off. Towards the other side the lowest
// point changes sides.
static void a_can_tips_over_its_rim(void) {
  static const char *const integrators[] = {"bdf", "erk"};
  const double lean = 0.52, expected = tilt_of_can(0.4, 0.05, 0.1, 0.0046, 9.81 * hypot(1, lean), atan(lean));
  for (int k = 0; k < 4; k++) {
    run r;
    double sign = k < 2 ? 1 : -1;
    if (!open_can(&r, sign * lean, integrators[k % 2], "")) continue;
    run_to(&r, 0.4);
    CHECK_NEAR(sign * 2 * asin(run_read(&r, "can.qy")), expected, 1e-5);
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_LE(s.energy_imbalance, 1e-5);
    CHECK_LE((double)s.steps, 400);
    run_close(&r);
  }
}

// Too slow to tip, it rocks from one side of its rim to the other. Every change of sides is an impact that takes
// energy, and ever smaller ones bring it to rest where it stood.
static void a_can_rocks_to_rest(void) {
  static const char *const integrators[] = {"bdf", "erk"};
  for (int k = 0; k < 2; k++) {
    run r;
    if (!open_can(&r, 0, integrators[k], "initial: {can: {omega: [0, 2.5, 0], velocity: [0.25, 0, 0.125]}}\n"))
      continue;
    double before = run_read(&r, "energy.kinetic");
    run_to(&r, 1);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-4);
    CHECK_NEAR(run_read(&r, "energy.impact") + run_read(&r, "energy.friction"), before, 1e-4 * before);
    CHECK_NEAR(run_read(&r, "can.z"), 0.1, 1e-7);
    CHECK_NEAR(run_read(&r, "can.wy"), 0, 1e-9);
    run_close(&r);
  }
}

// --- many contacts ---------------------------------------------------------------------------------------------------

// Nine discs in a slot fall a millimetre each, one onto the other, and jam: each then touches a wall and its
// neighbours, and lies where geometry says, (i - 1) times 2 sqrt(r² - (0.3 r)²) higher than the first. How walls, floor
// and friction share the load is not determined, and no share may be asked of a point that it cannot give: events are
// then as many as there are touches, and steps a few for each.
static void discs_in_a_slot_jam(void) {
  run r;
  if (!run_open(&r, "discs-in-slot", "n=9 method=event")) return;
  run_to(&r, 11);
  const carom_summary s = carom_sim_summary(r.sim);
  const double rise = 2 * 0.05 * sqrt(1 - 0.3 * 0.3), weight = 100 * acos(-1) * 0.05 * 0.05 * g;
  double carried = 0;
  for (int i = 1; i <= 9; i++) {
    CHECK_NEAR(run_read(&r, "disc%d.q2", i), 0.05 + (i - 1) * rise, 1e-6);  // some falls of 1e-8 a step
    CHECK_NEAR(run_read(&r, "disc%d.u2", i), 0, 1e-12);
    carried += run_read(&r, "floor-disc%d.fn", i);
    carried += run_read(&r, "left-disc%d.ft", i);
    carried -= run_read(&r, "right-disc%d.ft", i);
  }
  CHECK_NEAR(carried, 9 * weight, 1e-8 * 9 * weight);
  printf("    %ld steps, %ld evaluations, %ld episodes\n", s.steps, s.evaluations, s.contact_episodes);
  CHECK_EQUAL(s.contact_episodes, 18);  // the floor or a neighbour below, and a wall, for each
  CHECK_LE((double)s.steps, 10 * 18);
  CHECK_LE(s.energy_imbalance, 1e-4);
  CHECK_EQUAL(s.unsolved, 0);
  run_close(&r);
}

// Four discs fill the width between two walls exactly. While one of them hops, the row has a little room, and its five
// points cannot all be held closed. From these heights, runs that held them came to an instant without forces that fit,
// or changed modes without end.
static void row_fits_between_walls(void) {
  static const double height[][4] = {{0.1956, 0.1948, 0.1057, 0.1085}, {0.1958, 0.1140, 0.1024, 0.1999}};
  for (int k = 0; k < 2; k++) {
    run r;
    char text[2048];
    const double *y = height[k];
    snprintf(text, sizeof text,
             "space: planar\n"
             "gravity: [0, -9.81]\n"
             "bodies: {d0: {mass: 1, inertia: 0.005}, d1: {mass: 1, inertia: 0.005}, d2: {mass: 1, inertia: 0.005}, "
             "d3: {mass: 1, inertia: 0.005}}\n"
             "joints: {f0: {free: [ground, d0]}, f1: {free: [ground, d1]}, f2: {free: [ground, d2]}, f3: {free: "
             "[ground, d3]}}\n"
             "surfaces:\n"
             "  c0: {sphere: d0, radius: 0.1, material: m}\n"
             "  c1: {sphere: d1, radius: 0.1, material: m}\n"
             "  c2: {sphere: d2, radius: 0.1, material: m}\n"
             "  c3: {sphere: d3, radius: 0.1, material: m}\n"
             "  floor: {plane: ground, material: m}\n"
             "  left: {plane: ground, at: [-0.4, 0], rotate: -90 deg, material: m}\n"
             "  right: {plane: ground, at: [0.4, 0], rotate: 90 deg, material: m}\n"
             "materials: {m: {friction: 0.3, restitution: 0.3}}\n"
             "initial: {f0: {q: [0, -0.3, %g]}, f1: {q: [0, -0.1, %g]}, f2: {q: [0, 0.1, %g]}, f3: {q: [0, 0.3, %g]}}\n"
             "method: event\n",
             y[0], y[1], y[2], y[3]);
    if (!run_open_text(&r, text, "integrator.atol=4e-10")) return;  // the tolerance for which these heights were found
    CHECK(run_to(&r, 0.5));
    for (int i = 0; i < 4; i++) {
      CHECK_NEAR(run_read(&r, "f%d.q1", i), -0.3 + 0.2 * i, 1e-6);
      CHECK_NEAR(run_read(&r, "f%d.q2", i), 0.1, 1e-6);
    }
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-3);
    run_close(&r);
  }
}

static void runs_repeat_bit_by_bit(void) {
  double value[2];
  for (int i = 0; i < 2; i++) value[i] = slider_crank("method=event omega3=-75", 0.1);
  CHECK(memcmp(&value[0], &value[1], sizeof value[0]) == 0);
}

static void every_integrator_serves(void) {
  static const char *const kinds[] = {"adams", "bdf", "erk"};
  for (int i = 0; i < 3; i++) {
    run r;
    char text[160];
    snprintf(text, sizeof text, "method=event integrator.type=%s integrator.rtol=1e-10 integrator.atol=1e-10",
             kinds[i]);
    if (!run_open(&r, "stick-slip-oscillator", text)) return;
    run_to(&r, 30);
    CHECK_NEAR(run_read(&r, "slide.q1"), 0.682178936724, 1e-6);  // 1e3 steps of 1e-10 times 12 m
    run_close(&r);
  }
}

static void what_cannot_run_is_refused(void) {
  static const struct {
    const char *model, *settings, *why;
  } cases[] = {
      {"bouncing-ball", "method=event integrator.type=rk4 integrator.step=1e-3", "fixed steps"},
      {"bouncing-ball", "method=event integrator.type=ida", "ida"},
      {"rolling-sphere", "method=event method.event.impact=poisson", "planar models"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run r;
    char path[1024];
    snprintf(path, sizeof path, "%s/models/%s.yaml", CHECK_SOURCE_DIR, cases[i].model);
    CHECK(!run_try(&r, path, cases[i].settings));
    CHECK_CONTAINS(r.error.text, cases[i].why);
    run_close(&r);
  }
}

// As under moreau, problems that a run met are files that can be solved again.
static void problems_are_saved(void) {
  run r;
  char settings[5000], path[5000];
  snprintf(settings, sizeof settings, "method=event method.event.dump=%s/met method.event.dump_every=1",
           check_scratch_dir());
  if (!run_open(&r, "bouncing-ball", settings)) return;
  run_to(&r, 0.6);
  run_close(&r);
  snprintf(path, sizeof path, "%s/met-1.dat", check_scratch_dir());
  FILE *met = fopen(path, "r");
  if (CHECK(met)) fclose(met);
}

// Of a ball that only flies and bounces the radius is the size of the model: the third of its impacts, with e = 0.8, is
// met in time.
static void a_tiny_ball_meets_the_floor_in_time(void) {
  run r;
  if (!run_open_text(&r,
                     "bodies: {b: {mass: 3e-11, inertia: [1.2e-21, 1.2e-21, 1.2e-21]}}\n"
                     "joints: {f: {free: [ground, b]}}\n"
                     "surfaces: {b: {sphere: b, radius: 10 um, material: s}, floor: {plane: ground, material: s}}\n"
                     "materials: {s: {restitution: 0.8}}\n"
                     "forces: {spring: {force: b, components: [-0.002*b.x, 0, 0]}}\n"
                     "initial: {f: {q: [1, 0, 0, 0, 5e-5, 0, 1.1e-4], u: [0, 0, 0, 0, 0, 0]}}\n"
                     "gravity: [0, 0, -9.81]\nmethod: event\n",
                     NULL))
    return;
  CHECK_NEAR(r.model->m.length, 1e-5, 1e-20);
  double g = 9.81, v = sqrt(2 * g * 1e-4), third = v / g + 2 * (0.8 + 0.64) * v / g;
  run_to(&r, third + 1e-3);
  CHECK_NEAR(run_read(&r, "b.z"), 1e-5 + 0.512 * v * 1e-3 - 0.5 * g * 1e-6, 1e-12);
  run_close(&r);
}

int main(void) {
  RUN(a_tiny_ball_meets_the_floor_in_time);
  RUN(ball_bounces_to_rest);
  RUN(accumulation_keeps_its_bound);
  RUN(block_stops_and_stays);
  RUN(sphere_slides_then_rolls);
  RUN(cylinder_slides_then_rolls);
  RUN(sphere_rolls_down_an_incline);
  RUN(sphere_slips_aslant);
  RUN(oblique_bounces);
  RUN(coulomb_oscillator_comes_to_rest);
  RUN(block_rocks);
  RUN(cradle_by_newton_and_by_poisson);
  RUN(pendulum_strikes_a_stop);
  RUN(bead_leaves_a_dome);
  RUN(slider_crank_is_the_limit_of_moreau);
  RUN(ledgers_close);
  RUN(rows_between_steps_balance);
  RUN(painleve_is_diagnosed);
  RUN(dynamic_jam_is_an_event);
  RUN(poisson_adds_no_energy_where_newton_does);
  RUN(box_on_an_incline_does_not_creep);
  RUN(box_in_space_comes_to_rest);
  RUN(a_resumed_run_goes_on);
  RUN(a_can_tips_over_its_rim);
  RUN(a_can_rocks_to_rest);
  RUN(discs_in_a_slot_jam);
  RUN_OPTIMISED(row_fits_between_walls);
  RUN(runs_repeat_bit_by_bit);
  RUN(every_integrator_serves);
  RUN(what_cannot_run_is_refused);
  RUN(problems_are_saved);
  return check_summary();
}
