// What rests stays where it is: no creep on inclines, no sinking in, forces that carry the weight.
#include "long.h"
#include "runs.h"

static const double g = 9.81;

// From 1 s to 100 s under 1e-9 m below the friction angle. The step is 5 ms here, so that it takes 20 000 of them.
static void box_on_an_incline_does_not_creep(void) {
  static const char *const settings[] = {"dt=5e-3", "dt=5e-3 slope=26*pi/180", "dt=5e-3 coordinates=absolute"};
  for (int i = 0; i < 3; i++) {
    run r;
    if (!run_open(&r, "incline-box", settings[i])) return;
    run_to(&r, 1);
    const double x = run_read(&r, "rest.q1"), y = run_read(&r, "rest.q2"), turn = run_read(&r, "rest.q0");
    run_to(&r, 100);
    printf("    %s: crept %.1e m along, %.1e m into the incline, turned %.1e rad\n", settings[i],
           fabs(run_read(&r, "rest.q1") - x), fabs(run_read(&r, "rest.q2") - y), fabs(run_read(&r, "rest.q0") - turn));
    CHECK_NEAR(run_read(&r, "rest.q1"), x, 1e-9);
    CHECK_NEAR(run_read(&r, "rest.q2"), y, 1e-9);
    CHECK_NEAR(run_read(&r, "rest.q0"), turn, 1e-9);
    CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
    CHECK_EQUAL(carom_sim_summary(r.sim).energy_gains, 0);
    run_close(&r);
  }
}

// The same in space, on eight corners of which four touch: forces are indeterminate even along the normal.
static void box_in_space_does_not_creep(void) {
  static const char *const text =
      "parameters: {slope: 20*pi/180, dt: 5e-3}\n"
      "gravity: [9.81*sin(slope)*0.8, 9.81*sin(slope)*0.6, -9.81*cos(slope)]\n"
      "bodies: {box: {mass: 3, inertia: [0.0325, 0.04, 0.0325]}}\n"
      "joints: {rest: {free: [ground, box], at: [0, 0, 0.1]}}\n"
      "surfaces: {box: {box: box, size: [0.3, 0.3, 0.2], material: wood}, incline: {plane: ground, material: wood}}\n"
      "materials: {wood: {friction: 0.5}}\n"
      "method: {moreau: {step: dt}}\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 1);
  const double x = run_read(&r, "box.x"), y = run_read(&r, "box.y"), z = run_read(&r, "box.z");
  run_to(&r, 20);
  printf("    crept %.1e m, sank %.1e m\n", hypot(run_read(&r, "box.x") - x, run_read(&r, "box.y") - y),
         fabs(run_read(&r, "box.z") - z));
  CHECK_NEAR(run_read(&r, "box.x"), x, 1e-9 * 19 / 99);
  CHECK_NEAR(run_read(&r, "box.y"), y, 1e-9 * 19 / 99);
  CHECK_NEAR(run_read(&r, "box.z"), z, 1e-9 * 19 / 99);
  CHECK_NEAR(run_read(&r, "box-incline.fn"), 3 * g * cos(20 * acos(-1) / 180), 1e-8);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

// Above the friction angle it slides with g (sin - μ cos), so that the tests above are not passed by a box that is
// stuck for good. All steps but the first are exact, and so is it: it starts from rest.
static void box_slides_above_the_friction_angle(void) {
  const double slope = 30 * acos(-1) / 180, a = g * (sin(slope) - 0.5 * cos(slope));
  run r;
  if (!run_open(&r, "incline-box", "slope=30*pi/180")) return;
  run_to(&r, 2);
  CHECK_NEAR(run_read(&r, "rest.q1"), a * 2, 1e-9);
  CHECK_NEAR(run_read(&r, "rest.u1"), a * 2, 1e-9);
  run_close(&r);
}

// One per cent beside the friction angle, under both methods with rigid contact, in the plane and in space: a box stays
// to 1e-9 m in 10 s, or slides with g (sin - μ cos).
static void the_friction_angle_is_sharp(void) {
  static const char *const spaces[] = {
      "space: planar\ngravity: [9.81*sin(slope), -9.81*cos(slope)]\nbodies: {b: {mass: 2, inertia: 0.01}}\njoints: {f: "
      "{free: [ground, b], at: [0, 0.05]}}\n"
      "surfaces: {floor: {plane: ground, material: m}, b: {box: b, size: [0.3, 0.1], material: m}}\n",
      "gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]\nbodies: {b: {mass: 2, inertia: [0.01, 0.02, 0.025]}}\n"
      "joints: {f: {free: [ground, b], at: [0, 0, 0.05]}}\nsurfaces: {floor: {plane: ground, material: m}, "
      "b: {box: b, size: [0.3, 0.2, 0.1], rotate: {axis: z, angle: 30 deg}, material: m}}\n"};
  for (int k = 0; k < 8; k++) {
    char text[1024];
    run r;
    double share = k & 1 ? 0.99 : 1.01, slope = 17 * acos(-1) / 180;
    snprintf(text, sizeof text,
             "parameters: {slope: 17 deg}\n%smaterials: {m: {friction: %g*tan(slope)}}\nmethod: %s\n", spaces[k >> 2],
             share, k & 2 ? "event" : "{moreau: {step: 1e-3}}");
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 10);
    printf("    %s, %s, friction %g of tan: %.2e m %s in 10 s\n", k >> 2 ? "space" : "plane",
           k & 2 ? "event" : "moreau", share, fabs(run_read(&r, "b.x") - (share > 1 ? 0 : 50 * 0.01 * g * sin(slope))),
           share > 1 ? "moved" : "beside the closed form");
    if (share > 1) CHECK_LE(fabs(run_read(&r, "b.x")), 1e-9);
    else CHECK_NEAR(run_read(&r, "b.x"), 50 * 0.01 * g * sin(slope), 1e-7);
    run_close(&r);
  }
}

// --- bodies that do not move -----------------------------------------------------------------------------------------

// Ten boxes on each other, and a ball that hits the uppermost after 0.25 s.
static const char *const tower =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {\"b{i}\": {repeat: {i: [0, 9]}, mass: 8, inertia: [0.053, 0.053, 0.053]}, ball: {mass: 1, inertia: "
    "[1e-3, 1e-3, 1e-3]}}\n"
    "joints: {\"j{i}\": {repeat: {i: [0, 9]}, free: [ground, \"b{i}\"], at: [0, 0, (i + 0.5)*0.2]}, jb: {free: "
    "[ground, ball], at: [0.02, 0.03, 2.35]}}\n"
    "surfaces: {floor: {plane: ground, material: m}, \"s{i}\": {repeat: {i: [0, 9]}, box: \"b{i}\", size: [0.2, 0.2, "
    "0.2], material: m}, "
    "ball: {sphere: ball, radius: 0.05, material: m}}\n"
    "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n";

// Whoever looks at every step has the contacts located where the bodies are shown.
static void look_at_all(run *r) {
  double sum = 0;
  for (int i = 0; i < carom_model_signal_count(r->model); i++) sum += carom_sim_read(r->sim, i);
  CHECK(sum != 0);
}

// A sim that was put back knows of no step before, and finds points, rows and matrix anew.
static void put_back(run *r) {
  carom_snapshot *state = carom_sim_save(r->sim, &r->error);
  CHECK(state && carom_sim_restore(r->sim, state, &r->error) == CAROM_OK);
  carom_snapshot_destroy(state);
}

// Points, rows and matrix of what does not move are those of the step before. Nothing depends on whether they were
// kept, nor on who looks.
static void nothing_depends_on_what_is_kept(void) {
  static void (*const between[])(run *) = {look_at_all, put_back};
  run straight;
  if (!run_open_text(&straight, tower, NULL)) return;
  run_to(&straight, 0.4);
  CHECK(run_read(&straight, "ball.z") < 2.06);
  for (int i = 0; i < 2; i++) {
    run other;
    if (!run_open_text(&other, tower, NULL)) break;
    for (int k = 1; k <= 400; k++) run_to(&other, k * 1e-3), between[i](&other);
    for (int k = 0; k < carom_model_signal_count(other.model); k++)
      CHECK(carom_sim_read(other.sim, k) == carom_sim_read(straight.sim, k));
    run_close(&other);
  }
  run_close(&straight);
}

// Percussions of the last step are kept where nothing moves: most steps need no sweep.
static void a_tower_keeps_its_percussions(void) {
  run r;
  if (!run_open_text(&r, tower, NULL)) return;
  run_to(&r, 0.02);
  long before = carom_sim_summary(r.sim).iterations;
  run_to(&r, 0.22);
  long sweeps = carom_sim_summary(r.sim).iterations - before;
  printf("    %ld sweeps in 200 steps, top %.1e m off\n", sweeps, run_read(&r, "b9.z") - 1.9);
  CHECK_LE(sweeps, 20);
  CHECK_NEAR(run_read(&r, "b9.z"), 1.9, 1e-14);
  run_close(&r);
}

// Rows are evaluated at rounded positions, but the state is not rounded: a body moves also by less than that in a step.
static void slow_bodies_move(void) {
  static const char *const text =
      "gravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {fa: {free: [ground, a], at: [0, 0, 1]}, fb: {free: [ground, b], at: [0, 0, 2]}}\n"
      "surfaces: {floor: {plane: ground, material: m}, a: {box: a, size: [0.2, 0.2, 0.2], material: m}, b: {box: b, "
      "size: [0.2, 0.2, 0.2], material: m}}\n"
      "materials: {m: {}}\ninitial: {fa: {u: [0, 0, 0, 1e-13, 0, 0]}}\nmethod: {moreau: {step: 1 ms}}\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.1);
  CHECK_NEAR(run_read(&r, "a.x"), 1e-14, 1e-26);
  run_close(&r);
}

// --- discs in a slot -------------------------------------------------------------------------------------------------

enum { DISCS = 9 };

typedef struct place_of_disc {
  double turn, x, y;
} place_of_disc;

static void read_discs(run *r, place_of_disc discs[DISCS]) {
  for (int i = 0; i < DISCS; i++) {
    double *to[] = {&discs[i].turn, &discs[i].x, &discs[i].y};
    for (int k = 0; k < 3; k++) *to[k] = run_read(r, "disc%d.q%d", i + 1, k);
  }
}

static double deepest_gap(run *r) {
  double deepest = 0;
  for (int i = 0; i < carom_model_signal_count(r->model); i++) {
    const char *name = carom_model_signal_name(r->model, i), *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".gap") == 0) deepest = fmin(deepest, carom_sim_read(r->sim, i));
  }
  return deepest;
}

// Upwards: the floor by its normal forces, the walls by friction. The force is on the disc along the normal turned
// left: the left wall has n = +x and t = (0, 1), the right one n = -x and t = (0, -1).
static double carried(run *r) {
  double sum = 0;
  for (int i = 1; i <= DISCS; i++)
    sum += run_read(r, "floor-disc%d.fn", i) + run_read(r, "left-disc%d.ft", i) - run_read(r, "right-disc%d.ft", i);
  return sum;
}

// After a second of settling no disc moves more than 1e-8 m in ten, penetration grows by less than 1e-10 m, and walls
// and floor carry the weight to 1e-8 of it.
static void discs_in_a_slot_rest(void) {
  run r;
  if (!run_open(&r, "discs-in-slot", "")) return;
  const double weight = DISCS * 100 * acos(-1) * 0.05 * 0.05 * g;
  place_of_disc before[DISCS], after[DISCS];
  run_to(&r, 1);
  read_discs(&r, before);
  const double gap = deepest_gap(&r);
  double worst = 0, moved = 0;
  for (int k = 1; k <= 100 && run_to(&r, 1 + 0.1 * k); k++) worst = fmax(worst, fabs(carried(&r) / weight - 1));
  read_discs(&r, after);
  for (int i = 0; i < DISCS; i++) {
    moved = fmax(moved, hypot(after[i].x - before[i].x, after[i].y - before[i].y));
    moved = fmax(moved, 0.05 * fabs(after[i].turn - before[i].turn));
  }
  printf("    moved %.1e m, gap from %.3e to %.3e m, weight carried to %.1e\n", moved, gap, deepest_gap(&r), worst);
  CHECK_LE(moved, 1e-8);
  CHECK_LE(gap - deepest_gap(&r), 1e-10);
  CHECK_LE(worst, 1e-8);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

// 108 spheres in three layers, 5886 pairs, of which only those with the floor are listed: a row of W for each pair
// would take 2.5 GB. Stacked upright on the floor, each column comes to rest and the floor carries the weight of all.
static void a_crowd_rests(void) {
  static const char *const text =
      "parameters: {n: 108, r: 5 cm}\n"
      "bodies: {\"s{i}\": {repeat: {i: [1, n]}, mass: 1, inertia: 1e-3}}\n"
      "joints: {\"s{i}\": {repeat: {i: [1, n]}, free: [ground, \"s{i}\"]}}\n"
      "surfaces:\n  floor: {plane: ground}\n  s{i}: {repeat: {i: [1, n]}, sphere: \"s{i}\", radius: r, material: hard, "
      "group: balls}\n"
      "contacts:\n  floor-s{i}: {repeat: {i: [1, n]}, between: [floor, \"s{i}\"]}\n  among: {between: [balls, balls]}\n"
      "materials: {hard: {friction: 0.3}}\n"
      "initial:\n  s{i}: {repeat: {i: [1, n]}, q: [1, 0, 0, 0, \"0.11*mod(i - 1, 6)\", \"0.11*mod(floor((i - 1)/6), "
      "6)\", "
      "\"r + 0.101*floor((i - 1)/36)\"]}\n"
      "method: {moreau: {step: 1e-3}}\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.2);
  double weight = 0;
  for (int i = 1; i <= 108; i++) {
    char name[32];
    snprintf(name, sizeof name, "floor-s%d.fn", i);
    weight += run_read(&r, name);
  }
  CHECK_NEAR(weight / (108 * g), 1, 1e-8);  // as of the discs above
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

// A force sin(t) presses a mass against a stop, and from t = π on pulls it off: then u = -1 - cos(t), and it never
// comes back. At rest the state does not show that the force changes, and at π/2, π/2 + 2π, ... the force is the same.
static void a_resting_mass_is_pulled_off(void) {
  static const char *const text =
      "space: planar\n"
      "bodies: {mass: {mass: 1, inertia: 1}}\n"
      "joints: {slide: {prismatic: [ground, mass], axis: x, limits: [-1e6, 0], material: hard}}\n"
      "forces: {drive: {motor: slide, effort: 'sin(t)'}}\n"
      "materials: {hard: {restitution: 0.8}}\n"
      "method: event\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n";
  static const char *const integrators[] = {"integrator.type=adams", "integrator.type=bdf", "integrator.type=erk"};
  for (int i = 0; i < 9; i++) {
    const double turn = 2 * acos(-1), end = turn / 4 + turn * (double[]){1, 2, 8}[i % 3];
    run r;
    if (!run_open_text(&r, text, integrators[i / 3])) return;
    run_to(&r, turn / 4);
    CHECK_NEAR(run_read(&r, "slide.q"), 0, 1e-12);
    run_to(&r, end);
    CHECK_NEAR(run_read(&r, "slide.u"), -1, 1e-7);
    CHECK_NEAR(run_read(&r, "slide.q"), -1 - (end - turn / 2), 1e-6 * end);
    run_close(&r);
  }
}

// A ball on a table that moves as A sin(wt), with A w² = G g and G a little above 1: it lifts where G sin(wt) = 1, for
// a small part of the period. Its coordinate is the gap, which does not change before.
static void a_ball_leaves_a_shaken_table(void) {
  static const char *const text =
      "space: planar\n"
      "gravity: [0, -9.81]\n"
      "bodies: {table: {mass: 1, inertia: 1}, ball: {mass: 1, inertia: 1}}\n"
      "joints:\n"
      "  lift: {prismatic: [ground, table], axis: y}\n"
      "  gap: {prismatic: [table, ball], axis: y, limits: [0 m, 99 m], material: hard}\n"
      "drives: {table: {joint: lift, motion: '1.05*9.81 m/s^2/(30 rad/s)^2*sin(30 rad/s*t)'}}\n"
      "materials: {hard: {restitution: 0}}\n"
      "method: event\n"
      "integrator: {rtol: 1e-10, atol: 1e-12}\n";
  const double w = 30, A = 1.05 * g / (w * w), from = asin(1 / 1.05) / w, fly = 0.2 / w;
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, from + fly);
  const double ball = A * sin(w * from) + A * w * cos(w * from) * fly - g * fly * fly / 2;
  CHECK_NEAR(run_read(&r, "gap.q"), ball - A * sin(w * (from + fly)), 1e-9);
  run_to(&r, 40);  // once per period, 191 times
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_impacts, 191);
  run_close(&r);
}

int main(void) {
  RUN(box_on_an_incline_does_not_creep);
  RUN(box_in_space_does_not_creep);
  RUN(box_slides_above_the_friction_angle);
  RUN(the_friction_angle_is_sharp);
  RUN(nothing_depends_on_what_is_kept);
  RUN(a_tower_keeps_its_percussions);
  RUN(slow_bodies_move);
  RUN(discs_in_a_slot_rest);
  RUN(a_crowd_rests);
  RUN_LONG(the_friction_angle_is_sharp, 60);
  RUN(a_resting_mass_is_pulled_off);
  RUN(a_ball_leaves_a_shaken_table);
  return check_summary();
}
