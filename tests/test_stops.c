// Joints with limits stay within them, whatever measures their coordinates: joints of the tree, joints between free
// bodies (absolute coordinates) and joints that close loops, under every method, with steps of many turns. An angle
// between markers is known except for whole turns; a wrong turn passes a stop.
#include "rows.h"

// A triangle wave between ±limit from zero, as an elastic stop makes of constant speed.
static double wave(double t, double limit, double speed) {
  const double s = fmod(speed * t + limit, 4 * limit);
  return (s < 2 * limit ? s : 4 * limit - s) - limit;
}

typedef struct flight {
  const char *space, *joint, *coordinate;  // the joint's kind with its options, and the coordinate that has limits
  const char *start;                       // of its coordinates, with `speed` for the one that moves
  double limit, speed;
} flight;

static const flight flights[] = {
    {"planar", "revolute: [ground, a], limits: [-limit, limit]", "j.q", "{q: 0, u: speed}", 1, 1},
    {"planar", "revolute: [ground, a], limits: [-limit, limit]", "j.q", "{q: 0, u: speed}", 100, 50},
    {"planar", "revolute: [ground, a], limits: [-limit, limit]", "j.q", "{q: 0, u: -speed}", 3, 20},
    {"spatial", "revolute: [ground, a], limits: [-limit, limit]", "j.q", "{q: 0, u: speed}", 1, 1},
    {"spatial", "revolute: [ground, a], limits: [-limit, limit]", "j.q", "{q: 0, u: speed}", 100, 50},
    {"spatial", "prismatic: [ground, a], axis: x, limits: [-limit, limit]", "j.q", "{q: 0, u: speed}", 2, 3},
};

static const char *const methods[] = {"event", "compliant", "moreau"};

static const double step = 1e-3;       // of moreau
static const double stiffness = 1e9;   // of the stops
static const double tolerance = 2e-8;  // of integrators, per step: their presets, rtol |y| + atol for numbers of size 1

// How deep inertia that meets a Hertzian stop goes in; it is out again after 2.9432 depth/speed.
static double depth_of(double inertia, double speed) { return pow(1.25 * inertia * speed * speed / stiffness, 0.4); }

// How far each stop takes the motion from the wave. `event` meets the wave. A force law takes time to turn the motion
// round; moreau turns it round up to a step late.
static double shift_of(int method, double inertia, double speed) {
  return method == 0 ? 0 : method == 1 ? 2.9432 * depth_of(inertia, speed) : 2 * step * speed;
}

static double overshoot_of(int method, double inertia, double speed) {
  return method == 0 ? 0 : method == 1 ? depth_of(inertia, speed) : step * speed;
}

// What integrators may be off by: in each step by their tolerance, and an error of the speed grows with time.
static double integrated(const run *r) {
  return tolerance * (double)(carom_sim_summary(r->sim).steps + 1) * (1 + carom_sim_time(r->sim));
}

// Rows between steps are judged too. In the plane rigid methods leave nothing but rounding; in space the integrator
// follows a quaternion.
static void judge(run *r, const flight *f, double t, int method, double sign) {
  const double q = run_read(r, "%s", f->coordinate);
  const double stops = 1 + f->speed * t / (2 * f->limit), shift = shift_of(method, 1, f->speed);
  const bool exact = strcmp(f->space, "planar") == 0 && method != 1;
  const double accuracy = f->limit * (exact ? 1e-12 : integrated(r));
  CHECK_NEAR(q, sign * wave(t, f->limit, f->speed), accuracy + shift * stops);
  CHECK_LE(fabs(q), f->limit + accuracy + overshoot_of(method, 1, f->speed));
}

// What an integrator may lose of the energy, twice what it loses of the speed. Impacts of rigid methods lose nothing
// but rounding, and under moreau nothing else changes the speed.
static double energy_bound(int method, long steps) {
  return (method == 2 ? 1e-14 : 2 * tolerance) * (double)(steps + 1);
}

static void fly(const flight *f, const char *coordinates, int method) {
  char text[2048], settings[256];
  const bool planar = strcmp(f->space, "planar") == 0;
  snprintf(text, sizeof text,
           "space: %s\n"
           "gravity: %s\n"
           "parameters: {limit: %.17g, speed: %.17g}\n"
           "bodies: {a: {mass: 1, inertia: %s}}\n"
           "joints: {j: {%s, material: m}}\n"
           "materials: {m: {restitution: 1, stiffness: 1e9, law: hertz}}\n"
           "initial: {j: %s}\n"
           "method: event\n",
           f->space, planar ? "[0, 0]" : "[0, 0, 0]", f->limit, f->speed, planar ? "1" : "[1, 1, 1]", f->joint,
           f->start);
  snprintf(settings, sizeof settings, "method=%s coordinates=%s%s", methods[method], coordinates,
           method == 2 ? " method.moreau.step=1e-3" : "");
  run r;
  if (!run_open_text(&r, text, settings)) return;
  const int failed = check_state.failures_here;
  const double end = 5 * f->limit / f->speed, every = end / 97;
  const double sign = strstr(f->start, "-speed") ? -1 : 1;
  for (int row = 1; carom_sim_time(r.sim) < end && check_state.failures_here == failed;) {
    if (!CHECK(carom_sim_step(r.sim, end, &r.error) == CAROM_OK)) break;
    const double t = carom_sim_time(r.sim);
    for (; row * every < t; row++) {
      if (!CHECK(sim_show(r.sim, row * every, &r.error) == CAROM_OK) || !CHECK(sim_evaluate(r.sim, NULL))) break;
      judge(&r, f, row * every, method, sign);
    }
    sim_show_end(r.sim);
    judge(&r, f, t, method, sign);
  }
  const long steps = carom_sim_summary(r.sim).steps;
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, energy_bound(method, steps));
  CHECK_LE((double)steps, 1 + end / step);  // those of moreau; no other method needs as many
  if (check_state.failures_here > failed) printf("      %s, %s, %s: %s\n", f->joint, settings, f->space, r.error.text);
  run_close(&r);
}

static void joints_turn_round_at_their_stops(void) {
  for (size_t i = 0; i < sizeof flights / sizeof *flights; i++)
    for (int method = 0; method < 3; method++) {
      fly(&flights[i], "joint", method);
      fly(&flights[i], "absolute", method);
    }
}

// --- loops -----------------------------------------------------------------------------------------------------------

static const char parallelogram[] =
    "space: planar\n"
    "gravity: [0, 0]\n"
    "parameters: {speed: 2, low: -2.6, high: -0.5}\n"
    "bodies:\n"
    "  c0: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "  c1: {mass: 1, inertia: 1/12, com: [0.5, 0]}\n"
    "  k: {mass: 2, inertia: 1}\n"
    "joints:\n"
    "  g0: {revolute: [ground, c0]}\n"
    "  g1: {revolute: [ground, c1], at: [1.5, 0]}\n"
    "  k0: {revolute: [c0, k], at: [1, 0]}\n"
    "  k1: {revolute: [c1, k], at: [1, 0], to: [1.5, 0], limits: [low, high], material: m}\n"
    "materials: {m: {restitution: 1, stiffness: 1e9, law: hertz}}\n"
    "initial: {g0: {q: 1.57, u: speed}, g1: {q: 1.57, u: speed}, k0: {q: -1.57}, k1: {q: -1.57}}\n"
    "method: event\n";

// The arms turn at constant speed w and the coupler does not turn: k1 = -g0, a triangle wave between the limits. With
// arms of 1/3 kg m² and a coupler of 2 kg at 1 m the inertia is 8/3 kg m². In absolute coordinates moreau moves the
// bodies along tangents: a step projects the velocity on a tangent that is turned by h w, which takes (h w)² of the
// energy. So it loses h w² t of it in time, half as much of the speed, and the angle lags by h w³ t²/4.
static void loops_turn_round_at_their_stops(void) {
  const double w = 2, inertia = 8.0 / 3, range = 2.1;
  for (int method = 0; method < 3; method++)
    for (int coordinates = 0; coordinates < 2; coordinates++) {
      char settings[256];
      snprintf(settings, sizeof settings, "method=%s coordinates=%s%s", methods[method],
               coordinates ? "absolute" : "joint", method == 2 ? " method.moreau.step=1e-3" : "");
      run r;
      if (!run_open_text(&r, parallelogram, settings)) return;
      const double end = method == 2 ? 8 : 20, lag = method == 2 && coordinates ? step * w * w : 0;
      double t = 0;
      while (t < end) {
        if (!CHECK(carom_sim_step(r.sim, end, &r.error) == CAROM_OK)) break;
        t = carom_sim_time(r.sim);
        const double q = run_read(&r, "k1.q"), accuracy = integrated(&r);
        // -q runs from 1.57 up to 2.6, in the middle of its range shifted by 1.55
        const double expected = -(1.55 + wave(t + 0.02 / w, range / 2, w));
        CHECK_NEAR(q, expected, accuracy + shift_of(method, inertia, w) * (1 + w * t / range) + lag * w * t * t / 4);
        const double over = accuracy + overshoot_of(method, inertia, w);
        CHECK(q > -2.6 - over && q < -0.5 + over);
        CHECK_NEAR(run_read(&r, "g0.q"), -q, accuracy);
      }
      const carom_summary s = carom_sim_summary(r.sim);
      CHECK_LE(s.energy_imbalance, energy_bound(method == 2 && !coordinates ? 2 : 0, s.steps) + lag * t);
      run_close(&r);
    }
}

int main(void) {
  RUN(joints_turn_round_at_their_stops);
  RUN(loops_turn_round_at_their_stops);
  return check_summary();
}
