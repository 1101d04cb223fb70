// Rows within a step of scheme `event` that ends with an event: they show the motion, forces and energies from before
// it. Each case has a closed form on both sides of its events. Rows are shown at fixed times, whatever the steps, as a
// record with `every` shows them. Steps have tolerances of 1e-13; the dense output is met to 1e-9.
#include "rows.h"

#define TIGHT "method=event integrator.rtol=1e-13 integrator.atol=1e-13 "
static const double accuracy = 1e-9, g = 9.81;

typedef void judge(run *r, double t);

static void judge_row(run *r, double t, judge *judges) {
  CHECK(sim_evaluate(r->sim, NULL));
  judges(r, t);
  CHECK_NEAR(run_read(r, "energy.imbalance"), 0, accuracy);
}

// As run.c does.
static void show_rows(run *r, double every, double end, judge *judges) {
  long next = 0;
  while (carom_sim_time(r->sim) < end) {
    if (!CHECK(carom_sim_step(r->sim, end, &r->error) == CAROM_OK)) {
      printf("      %s\n", r->error.text);
      return;
    }
    double t = carom_sim_time(r->sim);
    for (; (double)next * every < t; next++) {
      if (next == 0) continue;
      if (!CHECK(sim_show(r->sim, (double)next * every, &r->error) == CAROM_OK)) return;
      judge_row(r, (double)next * every, judges);
    }
    sim_show_end(r->sim);
  }
}

static void judge_text(const char *text, const char *settings, double end, judge *judges) {
  static const double every[] = {0.4e-3, 3.7e-3, 10e-3, 43e-3};
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    run r;
    if (!run_open_text(&r, text, settings)) return;
    show_rows(&r, every[i], end, judges);
    run_close(&r);
  }
}

// --- impacts ---------------------------------------------------------------------------------------------------------

static const char pendulum[] =
    "bodies:\n"
    "  A: {mass: 1, inertia: [1, 2, 3], com: [0, 0, 0.5]}\n"
    "  B: {mass: 1, inertia: [1, 2, 3], com: [0, 0, 0.5]}\n"
    "joints: {base: {free: [ground, A]}, ball: {spherical: [A, B], at: [0, 0, 1]}}\n"
    "surfaces: {tip: {point: A, material: lead}, floor: {plane: ground, material: lead}}\n"
    "contacts: {touch: {between: [tip, floor]}}\n"
    "materials: {lead: {restitution: 0}}\n"
    "initial:\n"
    "  base: {q: [cos(1), 0, sin(1), 0, 0, 0, 1]}\n"
    "  ball: {q: [cos(1), sin(1), 0, 0]}\n"
    "method: event\n";

// Two bodies fall side by side and turn only after the tip of one has struck.
static void judge_pendulum(run *r, double t) {
  if (!(t < sqrt(2 / g))) return;
  CHECK_NEAR(run_read(r, "A.z"), 1 - 0.5 * g * t * t, accuracy);
  CHECK_NEAR(run_read(r, "B.z"), 1 + cos(2) - 0.5 * g * t * t, accuracy);
  CHECK_NEAR(run_read(r, "A.vz"), -g * t, accuracy);
  CHECK_NEAR(run_read(r, "base.a5"), -g, accuracy);
  CHECK_NEAR(run_read(r, "touch.gap"), 1 - 0.5 * g * t * t, accuracy);
  CHECK_NEAR(run_read(r, "touch.fn"), 0, 0);
  CHECK_NEAR(run_read(r, "touch.mode"), 0, 0);
  CHECK_NEAR(run_read(r, "energy.impact"), 0, 0);
  CHECK_NEAR(run_read(r, "energy.friction"), 0, 0);
}

static void pendulum_falls_until_it_strikes(void) {
  judge_text(pendulum, TIGHT, 0.6, judge_pendulum);
  judge_text(pendulum, TIGHT "coordinates=absolute", 0.6, judge_pendulum);
}

static const char ball[] =
    "space: planar\n"
    "parameters: {e: 0.8}\n"
    "bodies: {ball: {mass: 2, inertia: 1}}\n"
    "joints: {fall: {free: [ground, ball]}}\n"
    "surfaces: {ball: {point: ball, material: rubber}, floor: {plane: ground, material: rubber}}\n"
    "contacts: {touch: {between: [ball, floor]}}\n"
    "materials: {rubber: {restitution: e}}\n"
    "initial: {fall: {q: [0, 0, 1]}}\n"
    "method: event\n";

static double bounces;  // restitution of the ball

// The flight that a time falls into: from where, with which speed; an infinite number of them takes (1+e)/(1-e) of the
// fall.
static void judge_ball(run *r, double t) {
  double speed = sqrt(2 * g), since = t, height = 1, up = 0, lost = 0;
  for (double next = sqrt(2 / g); since > next && speed > 1e-4; next = 2 * speed / g) {
    since -= next, height = 0;
    lost += speed * speed * (1 - bounces * bounces);
    up = speed *= bounces;
    if (speed == 0) break;
  }
  bool flies = speed > 0.02;  // the rest is summed up, from 0.01 m/s on
  if (!flies) {
    CHECK_LE(fabs(run_read(r, "fall.q2")), 0.02 * 0.02 / g);
    return;
  }
  CHECK_NEAR(run_read(r, "fall.q2"), height + up * since - 0.5 * g * since * since, accuracy);
  CHECK_NEAR(run_read(r, "fall.u2"), up - g * since, accuracy);
  CHECK_NEAR(run_read(r, "fall.a2"), -g, accuracy);
  CHECK_NEAR(run_read(r, "touch.fn"), 0, 0);
  CHECK_NEAR(run_read(r, "energy.impact"), lost, accuracy);
}

static void ball_bounces(void) {
  static const double e[] = {1, 0.8, 0.5, 0};
  for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
    char settings[256];
    bounces = e[i];
    snprintf(settings, sizeof settings, TIGHT "method.event.accumulation=0.01 e=%g", e[i]);
    judge_text(ball, settings, 2.5, judge_ball);
  }
}

// --- changes of mode -------------------------------------------------------------------------------------------------

static const char block[] =
    "space: planar\n"
    "parameters: {v: 0, f: 0}\n"
    "bodies: {block: {mass: 2, inertia: 1}}\n"
    "joints: {slide: {free: [ground, block]}}\n"
    "surfaces: {foot: {point: block, material: wood}, floor: {plane: ground, material: wood}}\n"
    "contacts: {touch: {between: [foot, floor]}}\n"
    "materials: {wood: {friction: 0.5}}\n"
    "forces: {push: {force: block, components: [f*t, 0]}}\n"
    "initial: {block: {velocity: [v, 0]}}\n"
    "method: event\n";

static void judge_stop(run *r, double t) {
  const double stops = 5 / (0.5 * g), moves = fmin(t, stops), friction = t < stops ? -g : 0;
  CHECK_NEAR(run_read(r, "slide.q1"), 5 * moves - 0.25 * g * moves * moves, accuracy);
  CHECK_NEAR(run_read(r, "slide.a1"), 0.5 * friction, accuracy);
  CHECK_NEAR(run_read(r, "touch.ft"), -friction, accuracy);  // the tangent is along -x
  CHECK_NEAR(run_read(r, "touch.slip"), t < stops ? 2 : 1, 0);
  CHECK_NEAR(run_read(r, "energy.friction"), 25 - pow(5 - 0.5 * g * moves, 2), 10 * accuracy);
}

// Pushed harder and harder, by 6 N/s, it slips from g/6 s on: m ẍ = 6 (t - g/6).
static void judge_break(run *r, double t) {
  const double breaks = g / 6, since = fmax(0, t - breaks);
  CHECK_NEAR(run_read(r, "slide.q1"), 0.5 * since * since * since, accuracy);
  CHECK_NEAR(run_read(r, "slide.a1"), 3 * since, accuracy);
  CHECK_NEAR(run_read(r, "touch.ft"), t < breaks ? 6 * t : g, accuracy);
  CHECK_NEAR(run_read(r, "touch.slip"), t < breaks ? 1 : 2, 0);
}

static void block_stops_and_breaks_loose(void) {
  judge_text(block, TIGHT "v=5", 1.5, judge_stop);
  judge_text(block, TIGHT "f=6", 2.5, judge_break);
}

static const char dome[] =
    "bodies: {bead: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
    "joints: {bead: {free: [ground, bead]}}\n"
    "surfaces: {bead: {point: bead, material: ice}, dome: {sphere: ground, radius: 1, material: ice}}\n"
    "contacts: {touch: {between: [bead, dome]}}\n"
    "materials: {ice: {friction: 0}}\n"
    "initial: {bead: {q: [1, 0, 0, 0, sin(0.3), 0, cos(0.3)]}}\n"
    "method: event\n";

// v² = 2g (cos 0.3 - cos θ), and the dome presses with g cos θ - v² until the bead is at 2/3 of its height.
static void judge_dome(run *r, double t) {
  (void)t;
  const double z = run_read(r, "bead.z"), x = run_read(r, "bead.x"), force = g * (3 * z - 2 * cos(0.3));
  if (fabs(force) < 1e-6) return;
  CHECK_NEAR(run_read(r, "touch.fn"), fmax(force, 0), 10 * accuracy);
  if (force > 0) CHECK_NEAR(hypot(x, z), 1, 1e-12);
  else CHECK(hypot(x, z) > 1);
}

static void bead_leaves_the_dome(void) { judge_text(dome, TIGHT, 1, judge_dome); }

static const char rotor[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies: {wheel: {mass: 2, inertia: 0.5}, tip: {mass: 1, inertia: 1}}\n"
    "joints: {hub: {revolute: [ground, wheel], friction_torque: 0.7}, tip: {free: [ground, tip]}}\n"
    "surfaces: {tip: {point: tip, material: m}, floor: {plane: ground, at: [0, -9], material: m}}\n"
    "materials: {m: {restitution: 0}}\n"
    "initial: {hub: {u: 3}}\n"
    "method: event\n";

static void judge_rotor(run *r, double t) {
  const double stops = 3 * 0.5 / 0.7, moves = fmin(t, stops);
  CHECK_NEAR(run_read(r, "hub.q"), 3 * moves - 0.7 * moves * moves, accuracy);
  CHECK_NEAR(run_read(r, "hub.friction"), t < stops ? -0.7 : 0, accuracy);
  CHECK_NEAR(run_read(r, "hub.slip"), t < stops ? 1 : 0, 0);
  CHECK_NEAR(run_read(r, "energy.friction"), 0.7 * (3 * moves - 0.7 * moves * moves), accuracy);
}

static void joint_seizes(void) { judge_text(rotor, TIGHT, 4, judge_rotor); }

// What was shown leaves no trace in what comes after.
static void rows_do_not_change_the_motion(void) {
  run with, without;
  if (!run_open(&with, "rocking-block", TIGHT)) return;
  bool opened = run_open(&without, "rocking-block", TIGHT);
  while (opened && carom_sim_time(with.sim) < 3) {
    const double before = carom_sim_time(with.sim);
    CHECK(carom_sim_step(with.sim, 3, &with.error) == CAROM_OK);
    CHECK(carom_sim_step(without.sim, 3, &without.error) == CAROM_OK);
    const double now = carom_sim_time(with.sim);
    CHECK(sim_show(with.sim, before + 0.3 * (now - before), &with.error) == CAROM_OK);
    CHECK(sim_evaluate(with.sim, NULL));
    sim_show_end(with.sim);
    CHECK_NEAR(now, carom_sim_time(without.sim), 0);
    CHECK_NEAR(run_read(&with, "rock.q0"), run_read(&without, "rock.q0"), 0);
  }
  if (opened) run_close(&without);
  run_close(&with);
}

int main(void) {
  RUN(pendulum_falls_until_it_strikes);
  RUN(ball_bounces);
  RUN(block_stops_and_breaks_loose);
  RUN(bead_leaves_the_dome);
  RUN(joint_seizes);
  RUN(rows_do_not_change_the_motion);
  return check_summary();
}
