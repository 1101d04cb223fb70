// Restitution and rest under moreau: impacts rebound by their restitution, and what a single step makes does not, so
// that contacts come to rest.
#include "models.h"
#include "runs.h"

#include "sim.h"

static const double g = 9.81;

// --- impacts ---------------------------------------------------------------------------------------------------------

typedef struct bounces {
  double restitution, slowest;  // approaches above the second rebound with the first
  int above;
} bounces;

static void note_bounce(void *context, const impact *i) {
  bounces *b = context;
  if (i->approach_speed > b->slowest) {
    CHECK_NEAR(i->restitution, b->restitution, 1e-15);
    CHECK_NEAR(i->restitution_achieved, b->restitution, 1e-9);
    b->above++;
  } else {
    CHECK_NEAR(i->restitution, 0, 0);
    CHECK_NEAR(i->restitution_achieved, 0, 0);
  }
}

// To the top of the first flight after an impact.
static bool rise(run *r, double until) {
  bool fell = false;
  while (carom_sim_time(r->sim) < until) {
    if (!CHECK(carom_sim_step(r->sim, until, &r->error) == CAROM_OK)) return false;
    const double v = run_read(r, "ball.vz");
    fell |= v < -1;
    if (fell && v <= 0 && v > -0.5) return true;
  }
  return false;
}

// A ball falls from 0.2 m. Every approach above g Δt rebounds with e: by e² of the height, where the impact is found
// half a step of v early or late, and the rebound begins there. A rebound slower than g Δt is over in the step after
// it; so the bounces are as many as v eⁿ⁺¹ > g Δt says, but for the last, which goes on as rest, and what steps decide.
static void impacts_keep_their_restitution(void) {
  static const char text[] =
      "parameters: {e: 0.5, dt: 1e-3}\n"
      "bodies: {ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {fly: {free: [ground, ball], at: [0, 0, 0.25]}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.05, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {friction: 0.3, restitution: e}}\n"
      "method: {moreau: {step: dt}}\n";
  static const double restitution[] = {0.05, 0.3, 0.5, 0.9};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) {
      const double e = restitution[i], dt = ldexp(1e-3, -2 * k), v = sqrt(2 * g * 0.2);
      char settings[64];
      snprintf(settings, sizeof settings, "e=%g dt=%.17g", e, dt);
      run r;
      if (!run_open_text(&r, text, settings)) return;
      bounces b = {.restitution = e, .slowest = g * dt * (1 + 1e-9)};
      r.sim->impacts.close = note_bounce, r.sim->impacts.context = &b;
      CHECK(rise(&r, 1));
      CHECK_NEAR(run_read(&r, "ball.z") - 0.05, e * e * 0.2, (1 + e * e) * v * dt / 2 + g * dt * dt);
      run_to(&r, 6);
      const double expected = floor(log(g * dt / v) / log(e));
      printf("    e = %g, dt = %g s: %d bounces above g dt, %g by the closed form\n", e, dt, b.above, expected);
      CHECK_LE(b.above, expected + 1);
      CHECK_LE(expected - 1 - expected / 8, b.above);
      CHECK_NEAR(run_read(&r, "ball.vz"), 0, 1e-12);
      CHECK_NEAR(run_read(&r, "ball-floor.fn"), g, 1e-9);
      CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-3);
      run_close(&r);
    }
}

// --- rest ------------------------------------------------------------------------------------------------------------

typedef struct plate {
  double restitution, friction, inertia[2], reach[2], com[2], tilt;
} plate;

static bool open_plate(run *r, const plate *p, bool driven, double dt) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "bodies:\n  plate: {mass: 17, inertia: [%g, %g, %g], com: [%g, %g, 0]}\n"
      "%s"
      "joints:\n  stand: {free: [ground, plate]}\n"
      "%s"
      "surfaces:\n"
      "  foot{i}: {repeat: {i: [1, 6]}, sphere: plate, at: ['%g*(1 - mod(i - 1, 3))', 'if(i <= 3, %g, -%g)', -0.2], "
      "radius: 25 mm, group: feet, material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {friction: %g, restitution: %g}}\n"
      "contacts: {ground: {between: [feet, floor]}}\n"
      "initial: {stand: {q: [0.99999, 0.0003, %g, 0, 0, 0, 225.6 mm]}}\n"
      "method: {moreau: {step: %g}}\n",
      p->inertia[0], p->inertia[1], p->inertia[0] + p->inertia[1], p->com[0], p->com[1],
      driven ? "  arm: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}\n" : "",
      driven ? "  arm: {revolute: [plate, arm], axis: z}\ndrives: {arm: {joint: arm, motion: 0.1}}\n" : "", p->reach[0],
      p->reach[1], p->reach[1], p->friction, p->restitution, p->tilt, dt);
  return run_open_text(r, text, NULL);
}

// A plate that is dropped on six feet, of which three hold it, with a driven arm or without, goes from foot to foot.
// Without a bound on what restitution acts on, each of these did so for ever: removing the overlap of some feet lifts
// others, which fall for a step and rebound.
static void plates_on_feet_come_to_rest(void) {
  static const plate plates[] = {
      {0.02, 0.05, {0.32, 0.84}, {0.19, 0.25}, {0.042, -0.009}, -0.0002},
      {0.2, 0.6, {0.88, 1.44}, {0.28, 0.35}, {-0.094, 0.095}, 0.0004},
      {0.1, 0.6, {1.09, 1.28}, {0.16, 0.46}, {0.024, -0.037}, -0.0004},
      {0.2, 0.6, {1.35, 0.86}, {0.2, 0.42}, {-0.033, -0.003}, 0.0002},
      {0.4, 0.05, {0.18, 0.81}, {0.19, 0.23}, {-0.013, 0.009}, -0.0002},
      {0.2, 0.2, {0.93, 1.29}, {0.19, 0.33}, {-0.082, -0.092}, 0.0002},  // without restitution, too
  };
  for (size_t i = 0; i < 2 * sizeof plates / sizeof *plates; i++) {
    const bool driven = i % 2;
    run r;
    if (!open_plate(&r, &plates[i / 2], driven, 1e-3)) return;
    run_to(&r, 1);
    const double weight = (driven ? 17.1 : 17) * g;
    for (int k = 1; k <= 20; k++) {
      double load = 0;
      run_to(&r, 1 + 1e-3 * k);
      for (int foot = 1; foot <= 6; foot++) load += run_read(&r, "foot%d-floor.fn", foot);
      CHECK_NEAR(load, weight, 1e-6 * weight);
    }
    CHECK_NEAR(run_read(&r, "plate.vx"), 0, 1e-9);
    CHECK_NEAR(run_read(&r, "plate.vz"), 0, 1e-9);
    CHECK_NEAR(run_read(&r, "plate.wx"), 0, 1e-9);
    CHECK_EQUAL(carom_sim_summary(r.sim).chatters, 0);
    run_close(&r);
  }
}

// A roller on an eccentric disc that turns slowly enough to keep it: distance R of the centres, eccentricity c, angle
// φ. y = c sin φ + √(R² - c² cos² φ), and along the common normal, cos α = √(R² - c² cos² φ)/R, the force is m (g +
// ÿ)/cos α.
static void a_cam_carries_its_follower(void) {
  static const char text[] =
      "space: planar\nparameters: {e: 0.5}\n"
      "bodies: {cam: {mass: 1, inertia: 1e-3}, follower: {mass: 0.5, inertia: 1e-3}}\n"
      "joints: {turn: {revolute: [ground, cam]}, lift: {prismatic: [ground, follower], axis: y}}\n"
      "drives: {turn: {joint: turn, motion: 6*t}}\n"
      "surfaces: {cam: {sphere: cam, at: [20 mm, 0], radius: 50 mm, material: m}, foot: {sphere: follower, radius: 20 "
      "mm, "
      "material: m}}\n"
      "materials: {m: {restitution: e}}\n"
      "initial: {lift: {q: 0.067083}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  static const char *const settings[] = {"e=0", "e=0.5", "e=0.9"};
  const double R = 0.07, c = 0.02, omega = 6, h = 1e-4;
  for (int i = 0; i < 3; i++) {
    run r;
    if (!run_open_text(&r, text, settings[i])) return;
    for (int k = 1; run_to(&r, 0.5 + 1e-3 * k) && k < 2000; k++) {
      const double t = 0.5 + 1e-3 * k - 5e-4;  // forces are means over the step
      double y[3];
      for (int j = 0; j < 3; j++) {
        const double a = omega * (t + (j - 1) * h);
        y[j] = c * sin(a) + sqrt(R * R - c * c * cos(a) * cos(a));
      }
      const double tilt = sqrt(R * R - c * c * cos(omega * t) * cos(omega * t)) / R;
      const double expected = 0.5 * (g + (y[0] - 2 * y[1] + y[2]) / (h * h)) / tilt;
      // The step is 1/170 of a radian and forces are those of its midpoint: 1 % covers half a step either way.
      if (!CHECK_NEAR(run_read(&r, "cam-foot.fn"), expected, 0.01 * expected)) break;
    }
    run_close(&r);
  }
}

// --- chatter ---------------------------------------------------------------------------------------------------------

// A floor that shakes with 1.3 g at 2000 rad/s throws a ball in every period, for about half of it. A step of 0.5 ms is
// a sixth of the period, and resolves no flight; one of 0.1 ms does. With 0.5 g the ball stays on the floor.
static void chatter_is_counted(void) {
  static const char text[] =
      "parameters: {dt: 1e-4, a: 1.3}\n"
      "bodies: {floor: {mass: 1, inertia: [1, 1, 1]}, ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {shake: {prismatic: [ground, floor], axis: z}, fly: {free: [ground, ball], at: [0, 0, 0.05]}}\n"
      "drives: {shake: {joint: shake, motion: '-a*9.81/2000^2*sin(2000*t)'}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.05, material: m}, floor: {plane: floor, material: m}}\n"
      "materials: {m: {restitution: 0.3, friction: 0.3}}\n"
      "method: {moreau: {step: dt}}\n";
  static const char *const settings[] = {"dt=5e-4", "dt=1e-4", "dt=5e-4 a=0.5"};
  for (int i = 0; i < 3; i++) {
    run r;
    if (!run_open_text(&r, text, settings[i])) return;
    run_to(&r, 1);
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_EQUAL(s.chatters, i == 0);
    CHECK_TEXT(s.chatter_contact, i == 0 ? "ball-floor" : "");
    // a hundred periods of π ms, after the first few
    if (i == 0) CHECK_NEAR(s.chatter_t, 0.314, 0.01);
    carom_verdict *verdict = carom_judge(r.model, &s, &r.error);
    bool told = false;
    for (int k = 0; CHECK(verdict) && carom_verdict_check(verdict, k).key; k++) {
      const carom_check c = carom_verdict_check(verdict, k);
      if (strcmp(c.key, "chatter") != 0) continue;
      told = true;
      CHECK(strstr(c.sentence, "Take a shorter step") && strstr(c.sentence, "ball-floor"));
    }
    CHECK_EQUAL(told, i == 0);
    carom_verdict_destroy(verdict);
    run_close(&r);
  }
}

// Every model for half a second of its own end and method.
static void no_model_chatters(void) {
  char names[MOST_MODELS][64];
  const int count = list_models(names);
  CHECK_LE(50, count);
  for (int i = 0; i < count; i++) {
    run r;
    if (!run_open(&r, names[i], NULL)) return;
    run_to(&r, fmin(0.5, carom_model_get_info(r.model).end));
    if (!CHECK_EQUAL(carom_sim_summary(r.sim).chatters, 0)) printf("      %s\n", names[i]);
    run_close(&r);
  }
}

int main(void) {
  RUN(impacts_keep_their_restitution);
  RUN(plates_on_feet_come_to_rest);
  RUN(a_cam_carries_its_follower);
  RUN(chatter_is_counted);
  RUN_OPTIMISED(no_model_chatters);
  return check_summary();
}
