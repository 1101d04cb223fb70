// Removal of overlap under moreau: how much is left, what it costs in energy, and what it leaves alone.
#include <math.h>
#include <stdarg.h>

#include "check.h"
#include "runs.h"
#include "sim.h"

enum { PLENTY = 40 };  // steps, of each nine tenths of the overlap are removed

// A ball that falls from 0.1 m and does not rebound. Weight lowers what it has by m g per metre, so that is what
// lifting it costs.
static const char *const drop =
    "space: planar\n"
    "gravity: [0, -10]\n"
    "bodies: {ball: {mass: 2, inertia: 0.01}}\n"
    "joints: {fall: {free: [ground, ball]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.05, material: clay}, floor: {plane: ground, material: clay}}\n"
    "materials: {clay: {friction: 0.3}}\n"
    "initial: {fall: {q: [0, 0, 0.15]}}\n"
    "method: {moreau: {step: 1e-3, remove_overlap: %s}}\n";

// The same in space, where the joint of the ball has axes of its own.
static const char *const drop_in_space =
    "gravity: [0, 0, -10]\n"
    "bodies: {ball: {mass: 2, inertia: [0.01, 0.01, 0.01]}}\n"
    "markers: {tilted: {on: ground, at: [0, 0, 0.15], rotate: {axis: [1, 2, 3], angle: 0.7}}}\n"
    "joints: {fall: {free: [tilted, ball]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.05, material: clay}, floor: {plane: ground, material: clay}}\n"
    "materials: {clay: {friction: 0.3}}\n"
    "method: {moreau: {step: 1e-3, remove_overlap: %s}}\n";

// `still` is the rounding of a speed that the floor has taken from 1.4 m/s, in space along three axes.
static void lands(const char *model, const char *height, const char *speed, double still) {
  char text[1000];
  double y[2], lifted = 0, allowed = 0;  // a point may stay as deep as the activation distance
  for (int removed = 0; removed < 2; removed++) {
    run r;
    snprintf(text, sizeof text, model, removed ? "true" : "false");
    if (!run_open_text(&r, text, NULL)) return;
    run_to(&r, sqrt(0.02) + PLENTY * 1e-3);
    y[removed] = run_read(&r, "%s", height) - 0.05;
    CHECK_NEAR(run_read(&r, "%s", speed), 0, still);
    CHECK_NEAR(run_read(&r, "energy.imbalance"), 0, 1e-12);
    lifted = run_read(&r, "energy.overlap"), allowed = r.model->contacts.activation;
    run_close(&r);
  }
  printf("    %.1e m deep, %.1e m after the removal\n", -y[0], -y[1]);
  CHECK_LE(1e-5, -y[0]);  // it meets the floor at 1.41 m/s in steps of 1.4 mm
  CHECK_NEAR(y[1], 0, 1.001 * allowed);
  CHECK_NEAR(lifted, 20 * (y[1] - y[0]), 1e-12);
}

static void a_ball_that_lands_is_lifted_to_the_floor(void) {
  lands(drop, "ball.y", "fall.u2", 1e-15);
  lands(drop_in_space, "ball.z", "ball.vz", 1e-14);
}

// Two balls of 1 and 3 kg meet without weight and stick together. Each gives way in the inverse ratio of the masses, so
// that their centre of mass moves as it did before.
static void lighter_bodies_give_way_more(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 1e-3}, b: {mass: 3, inertia: 1e-3}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}}\n"
      "surfaces: {a: {sphere: a, radius: 0.05, material: m}, b: {sphere: b, radius: 0.05, material: m}}\n"
      "materials: {m: {}}\n"
      "initial: {ja: {q: [0, -0.1005, 0], u: [0, 1, 0]}, jb: {q: [0, 0.1, 0], u: [0, -1, 0]}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.05 + PLENTY * 1e-3);
  double a = run_read(&r, "a.x"), b = run_read(&r, "b.x"), t = carom_sim_time(r.sim);
  CHECK_NEAR(b - a, 0.1, 1.001 * r.model->contacts.activation);
  CHECK_NEAR(a + 3 * b, -0.1005 + 0.3 + t * (1 - 3), 1e-14);
  CHECK_NEAR(run_read(&r, "ja.u1"), -0.5, 1e-15);
  CHECK_NEAR(run_read(&r, "energy.overlap"), 0, 1e-15);  // no weight, and no speed changes
  run_close(&r);
}

// A wall that is driven towards another leaves a ball no room. It ends in the middle, as deep in one as in the other,
// and nothing fails.
static void bodies_without_room_share_the_overlap(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {wall: {mass: 1, inertia: 1}, ball: {mass: 1, inertia: 1e-3}}\n"
      "joints: {rail: {prismatic: [ground, wall], axis: x}, j: {free: [ground, ball]}}\n"
      "drives: {press: {joint: rail, motion: 0.12 - 0.05*t}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.05, material: m}, left: {plane: ground, rotate: -90 deg, material: "
      "m},\n"
      "           right: {plane: wall, rotate: 90 deg, material: m}}\n"
      "materials: {m: {}}\n"
      "initial: {j: {q: [0, 0.06, 0]}}\n"
      "method: {moreau: {step: 1e-3}}\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.6);  // the walls are 0.09 m apart
  double x = run_read(&r, "ball.x");
  printf("    %.3e m in the left wall, %.3e m in the right one\n", 0.05 - x, x - 0.04);
  CHECK_NEAR(x, 0.045, 1e-4);
  run_close(&r);
}

// --- a crowd ---------------------------------------------------------------------------------------------------------

typedef struct scene {
  char text[32000];
  size_t used;
} scene;

__attribute__((format(printf, 2, 3))) static void say(scene *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  s->used += (size_t)vsnprintf(s->text + s->used, sizeof s->text - s->used, format, arguments);
  va_end(arguments);
}

enum { BALLS = 80, SIDE = 4 };
static const double RADIUS = 0.05, WALL = 0.26;

static void say_bin(scene *s, unsigned seed) {
  static const char *const walls =
      "  floor: {plane: ground, material: m}\n"
      "  east: {plane: ground, rotate: {axis: y, angle: -90 deg}, at: [0.26, 0, 0], material: m}\n"
      "  west: {plane: ground, rotate: {axis: y, angle: 90 deg}, at: [-0.26, 0, 0], material: m}\n"
      "  north: {plane: ground, rotate: {axis: x, angle: 90 deg}, at: [0, 0.26, 0], material: m}\n"
      "  south: {plane: ground, rotate: {axis: x, angle: -90 deg}, at: [0, -0.26, 0], material: m}\n";
  check_seed = seed;
  say(s, "gravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < BALLS; i++) say(s, "  b%d: {mass: 1, inertia: [0.001, 0.001, 0.001]}\n", i);
  say(s, "joints:\n");
  for (int i = 0; i < BALLS; i++)
    say(s, "  j%d: {free: [ground, b%d], at: [%.17g, %.17g, %.17g]}\n", i, i,
        (i % SIDE - 1.5) * 0.11 + uniform(-2e-3, 2e-3), (i / SIDE % SIDE - 1.5) * 0.11 + uniform(-2e-3, 2e-3),
        0.06 + i / (SIDE * SIDE) * 0.11 + uniform(0, 4e-3));
  say(s, "surfaces:\n%s", walls);
  for (int i = 0; i < BALLS; i++) say(s, "  s%d: {sphere: b%d, radius: 0.05, material: m}\n", i, i);
  say(s, "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1 ms, tolerance: 1e-2}}\n");
}

static double deepest(run *r) {
  static double p[BALLS][3];
  double depth = 0;
  for (int i = 0; i < BALLS; i++) {
    for (int k = 0; k < 3; k++) p[i][k] = run_read(r, "b%d.%c", i, "xyz"[k]);
    depth = fmax(depth, RADIUS - p[i][2]);
    for (int k = 0; k < 2; k++) depth = fmax(depth, RADIUS + fabs(p[i][k]) - WALL);
    for (int j = 0; j < i; j++)
      depth = fmax(
          depth, 2 * RADIUS - sqrt(pow(p[i][0] - p[j][0], 2) + pow(p[i][1] - p[j][1], 2) + pow(p[i][2] - p[j][2], 2)));
  }
  return depth;
}

// Depth at the end, and episodes that begin in the last eighth of the time.
static void settle(unsigned seed, bool removed, double *depth, long *late) {
  static scene s;
  run r;
  s.used = 0;
  say_bin(&s, seed);
  if (!run_open_text(&r, s.text, removed ? NULL : "method.moreau.remove_overlap=false")) return;
  CHECK(r.model->contacts.crowd != NULL);
  run_to(&r, 0.875);
  const long before = carom_sim_summary(r.sim).contact_episodes;
  run_to(&r, 1);
  carom_summary sum = carom_sim_summary(r.sim);
  *depth = deepest(&r), *late = sum.contact_episodes - before;
  CHECK_EQUAL(sum.step_too_large, 0);
  CHECK_LE(sum.energy_imbalance, 1e-6);
  printf("    start %u: %.1e m deep and %ld late episodes%s\n", seed, *depth, *late,
         removed ? "" : " without the removal");
  run_close(&r);
}

// Spheres dropped into a box: at a tolerance of about twenty sweeps the pile overlaps by less than ODE's does after 1 s
// (7e-5 m). Energy balances, no contact is missed, and the removal does not make contacts of the settled pile strike
// again and again.
//
// Another rounding is another pile: 200 to 550 late episodes were counted, 3 to 7 for each ball. Contacts that flicker
// begin again every few steps, of which there are 125: that made 1500 and more, 19 for each ball, in every pile.
static void a_pile_does_not_stay_in_overlap(void) {
  enum { STARTS = 3 };
  double depth = INFINITY;
  long late, all = 0;
  for (unsigned seed = 5; seed < 5 + STARTS; seed++) {
    settle(seed, true, &depth, &late);
    CHECK_LE(depth, 7e-5);
    all += late;
  }
  CHECK_LE(all, 10 * BALLS * STARTS);
  settle(5, false, &depth, &late);
  CHECK_LE(1e-4, depth);
}

int main(void) {
  RUN(a_ball_that_lands_is_lifted_to_the_floor);
  RUN(lighter_bodies_give_way_more);
  RUN(bodies_without_room_share_the_overlap);
  RUN_OPTIMISED(a_pile_does_not_stay_in_overlap);
  return check_summary();
}
