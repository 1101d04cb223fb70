// Joints with clearance: gaps and normals against finite differences, momentum, energy, and what holds them together.
#include "runs.h"

#include "contact/clearance.h"
#include "mechanics/dynamics.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "sim.h"

// Two free bodies, one around the other, with play between them; spheres of inertia, so that free turns are steady.
static void write_pair(char *text, size_t size, const char *joint, bool planar) {
  snprintf(text, size,
           "%s"
           "parameters: {e: 0.8, mu: 0.2, dt: 1e-3}\n"
           "bodies: {outer: {mass: 2, inertia: %s}, inner: {mass: 1, inertia: %s}}\n"
           "joints:\n"
           "  first: {free: [ground, outer]}\n"
           "  second: {free: [ground, inner]}\n"
           "  loose: {%s: [outer, inner], at: [0.1, -0.05%s], to: [0.02, 0.03%s], clearance: 0.05, material: hard}\n"
           "materials: {hard: {restitution: e, friction: mu}}\n"
           "initial: {first: {q: [%s], u: [%s]}, second: {q: [%s]}}\n"
           "method: {moreau: {step: dt}}\n"
           "end: 2 s\n",
           planar ? "space: planar\ngravity: [0, 0]\n" : "gravity: [0, 0, 0]\n", planar ? "0.3" : "[0.3, 0.3, 0.3]",
           planar ? "0.1" : "[0.1, 0.1, 0.1]", joint, planar ? "" : ", 0.2", planar ? "" : ", -0.04",
           planar ? "0, 0, 0" : "1, 0, 0, 0, 0, 0, 0", planar ? "0, 0, 0" : "0, 0, 0, 0, 0, 0",
           planar ? "0, 0.08, -0.08" : "1, 0, 0, 0, 0.08, -0.08, 0.24");
}

// A kind's word in the model file comes last, behind its own options.
typedef struct loose_joint {
  const char *name, *words;
  bool planar;
  int points;
} loose_joint;

static const loose_joint kinds[] = {
    {"bearing", "radius: 0.2, revolute", true, 1},
    {"guide", "length: 0.4, width: 0.2, prismatic", true, 4},
    {"journal", "radius: 0.2, length: 0.5, axial_clearance: 0.03, revolute", false, 4},
    {"channel", "length: 0.4, width: 0.2, height: 0.15, prismatic", false, 16},
    {"socket", "radius: 0.2, spherical", false, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool open_pair(run *r, int k, const char *settings) {
  char text[2048];
  write_pair(text, sizeof text, kinds[k].words, kinds[k].planar);
  return run_open_text(r, text, settings);
}

static void gaps_at(run *r, const double *q, const double *u, double ahead, double *gap) {
  const mechanism *m = &r->model->m;
  motion *x = r->sim->x;
  double moved[32], step[32];
  contact_point points[CONTACT_POINTS_MAX] = {{0}};
  for (int i = 0; i < m->nq; i++) moved[i] = q[i];
  for (int i = 0; i < m->nv; i++) step[i] = ahead * u[i];
  dynamics_move(m, moved, step);
  dynamics_set(m, x, 0, moved, u);
  dynamics_positions_velocities(m, x);
  contact_evaluate(&r->model->contacts, m, x, points);
  for (int p = 0; p < r->model->contacts.point_count; p++) gap[p] = points[p].gap;
}

// Along a motion at constant speeds the gap changes by n · (v_first - v_second) at the contact point. Central
// differences over ±h err by h² times a third derivative, which for speeds of 1 and lengths from 0.05 is below 1/0.05²:
// 4e-10 at h = 1e-6 m; rounding errs by 1e-16/h.
static void gap_rates_are_what_the_normal_rows_say(void) {
  for (int k = 0; k < KINDS; k++) {
    run r;
    if (!open_pair(&r, k, "")) return;
    const mechanism *m = &r.model->m;
    const contact_world *s = &r.model->contacts;
    CHECK_TEXT(s->elements[0].type->name, kinds[k].name);
    CHECK_EQUAL(s->point_count, kinds[k].points);
    for (int sample = 0; sample < 20; sample++) {
      double q[32], u[32], before[CONTACT_POINTS_MAX], after[CONTACT_POINTS_MAX], now[CONTACT_POINTS_MAX], rate[64];
      for (int i = 0; i < m->nq; i++) q[i] = m->q0[i] + uniform(-0.2, 0.2);
      for (int i = 0; i < m->nv; i++) u[i] = uniform(-1, 1);
      dynamics_normalize(m, q);
      const double h = 1e-6;
      gaps_at(&r, q, u, -h, before);
      gaps_at(&r, q, u, h, after);
      gaps_at(&r, q, u, 0, now);
      contact_point points[CONTACT_POINTS_MAX];
      contact_evaluate(s, m, r.sim->x, points);
      if (s->elements[0].type->least_gap) {
        double least = INFINITY;
        for (int p = 0; p < s->point_count; p++) least = fmin(least, now[p]);
        CHECK_NEAR(s->elements[0].type->least_gap(m, r.sim->x, &s->elements[0]), least, 1e-15);
      }
      rows_clear(m, r.sim->x);
      for (int p = 0; p < s->point_count; p++) {
        contact_add_normal(m, r.sim->x, &s->elements[0], &points[p]);
        CHECK_NEAR(vec3_norm(points[p].n), 1, 1e-15);
      }
      rows_rates(m, r.sim->x, rate);
      for (int p = 0; p < s->point_count; p++) CHECK_NEAR((after[p] - before[p]) / (2 * h), rate[p], 2e-9);
    }
    run_close(&r);
  }
}

// --- momentum --------------------------------------------------------------------------------------------------------

static void add_momentum(run *r, vec3 *linear, vec3 *angular) {
  static const struct {
    const char *name;
    double mass, inertia;
  } bodies[] = {{"outer", 2, 0.3}, {"inner", 1, 0.1}};
  *linear = *angular = VEC3_ZERO;
  for (int b = 0; b < 2; b++) {
    double at[9];
    static const char *const what[] = {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"};
    for (int k = 0; k < 9; k++) at[k] = run_read(r, "%s.%s", bodies[b].name, what[k]);
    vec3 p = vec3_scale(bodies[b].mass, vec3_of(at + 3));
    *linear = vec3_add(*linear, p);
    *angular = vec3_add(*angular, vec3_axpy(vec3_cross(vec3_of(at), p), bodies[b].inertia, vec3_of(at + 6)));
  }
}

// Percussions act on both bodies at one point; bodies whose inertia is that of a sphere turn steadily between impacts.
// All that changes momentum is rounding, of a few hundred steps with an impact.
static void momentum_is_kept(void) {
  for (int k = 0; k < KINDS; k++) {
    run r;
    char start[256];
    snprintf(start, sizeof start, "initial.second.u=%s",
             kinds[k].planar ? "[0.9,0.6,-0.4]" : "[0.9,0.6,-0.4,0.3,-0.5,0.2]");
    if (!open_pair(&r, k, start)) return;
    vec3 p0, L0, p, L;
    add_momentum(&r, &p0, &L0);
    if (!run_to(&r, 2)) return;
    add_momentum(&r, &p, &L);
    CHECK(carom_sim_summary(r.sim).contact_episodes > 2);
    CHECK_LE(vec3_norm(vec3_sub(p, p0)), 1e-12);
    CHECK_LE(vec3_norm(vec3_sub(L, L0)), 1e-12);
    CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
    run_close(&r);
  }
}

// --- rattling --------------------------------------------------------------------------------------------------------

static const char rattle[] =
    "gravity: [0, 0, 0]\n"
    "parameters: {v: 2}\n"
    "bodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {fly: {free: [ground, ball]}, loose: {spherical: [ground, ball], clearance: 0.1, radius: 0.3, material: "
    "hard}}\n"
    "materials: {hard: {restitution: 1}}\n"
    "initial: {fly: {q: [1, 0, 0, 0, 0, 0.06, 0], u: [0, 0, 0, v, 0, 0]}}\n"
    "method: {event: {}}\n"
    "end: 10 s\n";

static void count_episode(void *context, const impact *row_of_ledger) {
  (void)row_of_ledger;
  ++*(int *)context;
}

// Without gravity the centre flies along chords of the sphere of radius c, all as long as the first: 2 √(c² - d²) at
// the distance d = 0.06 from the middle, 0.16 m, and the first impact after half of one.
static void ball_rattles_in_its_socket_for_ever(void) {
  run r;
  int ended = 0;
  if (!run_open_text(&r, rattle, "")) return;
  r.sim->impacts.close = count_episode;
  r.sim->impacts.context = &ended;
  if (!run_to(&r, 10)) return;
  const double chord = 0.16, v = 2;
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, (long)floor((v * 10 + chord / 2) / chord));
  CHECK_NEAR(run_read(&r, "energy.kinetic"), 0.5 * v * v, 1e-10);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-10);
  // How far from the middle the line of flight passes is |p × v|/v: angular momentum, kept by every impact.
  const double x = run_read(&r, "fly.q4"), y = run_read(&r, "fly.q5"), vx = run_read(&r, "fly.u3"),
               vy = run_read(&r, "fly.u4");
  CHECK_NEAR(fabs(x * vy - y * vx) / v, 0.06, 1e-9);
  CHECK(hypot(x, y) <= 0.1 + 1e-9);
  CHECK(ended > 100);
  run_close(&r);
}

// Every kind of joint in space keeps energy with e = 1 and without friction: rigid and event by event, where only
// flight is integrated, and pressed in by Hertz's law, which stores what it takes. Both to what 1e-11 a step adds up to
// over ten thousand of them.
static void elastic_joints_keep_energy(void) {
  static const char *const methods[] = {"method=event", "method=compliant materials.hard.stiffness=1e7"};
  for (int i = 0; i < 2; i++)
    for (int k = 2; k < KINDS; k++) {
      run r;
      char settings[256];
      snprintf(settings, sizeof settings,
               "e=1 mu=0 initial.second.u=[0.9,0.6,-0.4,0.3,-0.5,0.2] integrator.rtol=1e-11 integrator.atol=1e-13 %s",
               methods[i]);
      if (!open_pair(&r, k, settings)) return;
      const double before = run_read(&r, "energy.kinetic");
      if (!run_to(&r, 2)) return;
      CHECK(carom_sim_summary(r.sim).contact_episodes > 2);
      CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-7);
      if (i == 0) CHECK_NEAR(run_read(&r, "energy.kinetic"), before, 1e-7 * before);
      run_close(&r);
    }
}

// --- held together ---------------------------------------------------------------------------------------------------

static double tilt_of(run *r) {
  const double w = run_read(r, "shaft.qw"), x = run_read(r, "shaft.qx"), y = run_read(r, "shaft.qy"),
               z = run_read(r, "shaft.qz");
  (void)w, (void)z;
  return 2 * asin(fmin(1, hypot(x, y)));  // of the axis: cos = 1 - 2(x² + y²)
}

// A shaft thrown about in its bearing tilts by no more than 2c/ℓ = 0.02, slides by no more than the axial clearance,
// and at last lies on both ends. What it goes beyond is found in the step after: at most v Δt with the speeds at hand.
static void journal_stays_in_its_bearing_in_space(void) {
  static const char text[] =
      "gravity: [0, -9.81, 0]\n"
      "parameters: {dt: 1e-4}\n"
      "bodies: {shaft: {mass: 1, inertia: [0.02, 0.02, 0.005]}}\n"
      "joints:\n"
      "  float: {free: [ground, shaft]}\n"
      "  bearing: {revolute: [ground, shaft], clearance: 1 mm, axial_clearance: 2 mm, radius: 20 mm, length: 0.1, "
      "material: bronze}\n"
      "materials: {bronze: {restitution: 0.3, friction: 0.1}}\n"
      "initial: {float: {u: [0.5, 0.8, 5, 0.1, 0.2, 0.3]}}\n"
      "method: {moreau: {step: dt}}\n"
      "end: 2 s\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  double tilt = 0, out = 0, along = 0;
  bool seen[6] = {false};
  for (int k = 1; k <= 20000; k++) {
    if (!run_to(&r, k * 1e-4)) return;
    tilt = fmax(tilt, tilt_of(&r));
    out = fmax(out, -run_read(&r, "bearing.gap"));
    along = fmax(along, fabs(run_read(&r, "bearing.z")));
    seen[(int)run_read(&r, "bearing.mode")] = true;
  }
  const double beyond = 0.6 * 1e-4;  // 0.37 m/s as it starts, turning at 0.94 rad/s about ends 5 cm away, and falling
  CHECK_LE(out, beyond);
  CHECK_LE(tilt, 0.02 + 2 * beyond / 0.1);
  CHECK_LE(along, 2e-3 + beyond);
  CHECK(seen[0] && seen[1] && seen[2] && seen[3]);
  CHECK_NEAR(run_read(&r, "bearing.mode"), 2, 0);  // on both ends
  CHECK_NEAR(run_read(&r, "bearing.fn"), 9.81,
             9.81 * (1 - cos(atan(0.1))));  // up to the friction angle from the bottom
  CHECK_NEAR(run_read(&r, "bearing.y"), -1e-3, 1e-5);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

static const char channel[] =
    "gravity: [gx, gy, 0]\n"
    "parameters: {gx: 0, gy: 0, twist: 0, dt: 1e-4}\n"
    "bodies: {block: {mass: 1, inertia: [0.003, 0.003, 0.002]}}\n"
    "joints:\n"
    "  float: {free: [ground, block]}\n"
    "  channel: {prismatic: [ground, block], clearance: 2 mm, length: 0.2, width: 0.1, material: steel}\n"
    "forces: {twist: {torque: block, components: [0, 0, twist]}}\n"
    "materials: {steel: {restitution: 0.5, friction: 0.05}}\n"
    "initial: {float: {u: [0.05, -0.03, 2, 0.1, 0.07, 1]}}\n"
    "method: {moreau: {step: dt}}\n"
    "end: 2 s\n";

// A block with a spin of 2 rad/s turns by no more than the play allows: where opposite edges touch,
// (w/2)(cos φ + sin φ) = w/2 + c. Along the channel nothing but friction slows it.
static void slider_stays_in_its_channel(void) {
  run r;
  if (!run_open_text(&r, channel, "")) return;
  double turn = 0;
  bool seen[5] = {false};
  for (int k = 1; k <= 20000; k++) {
    if (!run_to(&r, k * 1e-4)) return;
    turn = fmax(turn, 2 * fabs(asin(run_read(&r, "block.qz"))));
    seen[(int)run_read(&r, "channel.mode")] = true;
  }
  const double allowed = asin((0.05 + 0.002) / (0.05 * sqrt(2))) - M_PI / 4;
  CHECK_LE(turn, allowed + 0.3 * 1e-4 / 0.05);  // beyond by v Δt, with corners no faster than 0.3 m/s, at 5 cm
  CHECK(seen[0] && seen[1]);
  CHECK_NEAR(run_read(&r, "channel.z"), 1.5, 0.5);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

// What presses it decides where it comes to lie: on one wall, in an edge of the channel, or, twisted, between opposite
// ones.
static void slider_comes_to_lie_as_it_is_pressed(void) {
  static const struct {
    const char *settings;
    const char *mode;
    double force;
  } cases[] = {{"gy=-9.81", "one wall", 9.81}, {"gx=3 gy=-4", "two walls", 3 + 4}, {"twist=0.5", "opposite walls", 0}};
  for (int i = 0; i < 3; i++) {
    run r;
    if (!run_open_text(&r, channel, cases[i].settings)) return;
    if (!run_to(&r, 2)) return;
    const int mode = (int)run_read(&r, "channel.mode");
    CHECK_TEXT(r.sim->model->contacts.elements[0].type->mode_names[mode], cases[i].mode);
    if (cases[i].force > 0) CHECK_NEAR(run_read(&r, "channel.fn"), cases[i].force, 1e-6);
    // Six corners on two walls are indeterminate: now and then a solve ends above the 1e-10 that is asked for, but none
    // above what a contact problem has to reach.
    CHECK_LE(carom_sim_summary(r.sim).worst_residual, 1e-8);
    run_close(&r);
  }
}

// --- curvature -------------------------------------------------------------------------------------------------------

static void curvatures_are_those_of_the_surfaces(void) {
  static const struct { bool hollow; } expected[KINDS] = {{true}, {false}, {true}, {false}, {true}};
  double R[2];
  for (int k = 0; k < KINDS; k++) {
    run r;
    if (!open_pair(&r, k, "")) return;
    CHECK(contact_curvatures(&r.model->contacts.elements[0], R));
    CHECK_NEAR(R[1], expected[k].hollow ? 0.2 : CONTACT_SHARP, 0);
    if (expected[k].hollow) CHECK_NEAR(R[0], -0.25, 1e-16);
    else CHECK(R[0] == CONTACT_FLAT);
    run_close(&r);
  }
  static const char text[] =
      "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
      "joints: {fa: {free: [ground, a], at: [0, 0, 1]}, fb: {free: [ground, b], at: [0, 0, 3]}}\n"
      "surfaces:\n"
      "  floor: {plane: ground, material: m}\n"
      "  ball: {sphere: a, radius: 0.5, material: m}\n"
      "  box: {box: b, size: [1, 1, 1], material: m}\n"
      "  tip: {point: b, at: [0, 0, -1], material: m}\n"
      "materials: {m: {restitution: 0}}\n"
      "contacts: {apart: {between: [ball, box], exclude: true}}\n"
      "method: {moreau: {step: 1e-3}}\nend: 1 s\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  const contact_world *s = &r.model->contacts;
  CHECK_EQUAL(s->element_count, 4);
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = &s->elements[i];
    CHECK(contact_curvatures(e, R));
    if (strcmp(e->name, "floor-ball") == 0) CHECK(R[0] == 0.5 && R[1] == CONTACT_FLAT);
    if (strcmp(e->name, "floor-box") == 0) CHECK(R[0] == CONTACT_SHARP && R[1] == CONTACT_FLAT);
    if (strcmp(e->name, "floor-tip") == 0) CHECK(R[0] == CONTACT_SHARP && R[1] == CONTACT_FLAT);
    if (strcmp(e->name, "ball-tip") == 0) CHECK(R[0] + R[1] == 0.5);
  }
  run_close(&r);
}

// A loose pin flies, strikes and follows: all three are seen under time stepping and under force laws; event by event
// an impact takes no time, and rows show the others.
static void a_pin_flies_strikes_and_follows(void) {
  static const struct {
    const char *settings;
    bool seen[3];
  } cases[] = {
      {"", {true, true, true}}, {"method=compliant", {true, true, true}}, {"method=event", {true, false, true}}};
  for (int i = 0; i < 3; i++) {
    run r;
    bool seen[3] = {false};
    if (!run_open(&r, "four-bar-clearance", cases[i].settings)) return;
    while (carom_sim_time(r.sim) < 0.4 && CHECK(carom_sim_step(r.sim, 0.4, &r.error) == CAROM_OK))
      seen[(int)run_read(&r, "pin.mode")] = true;
    for (int k = 0; k < 3; k++) CHECK_EQUAL(seen[k], cases[i].seen[k]);
    run_close(&r);
  }
}

// A body that hangs on clearance alone starts where a tight joint would hold it, and from there as its own words say.
static void a_loose_body_starts_as_told(void) {
  static const char *const planar =
      "space: planar\nbodies: {rod: {mass: 1, inertia: 0.1}, tip: {mass: 1, inertia: 0.1}}\n"
      "joints:\n  pin: {revolute: [ground, rod], at: [1, 2], clearance: 1 mm, radius: 9 mm, material: hard}\n"
      "  end: {revolute: [rod, tip], at: [0.3, 0]}\n"
      "materials: {hard: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n"
      "initial: {pin: {q: 30 deg, u: 7}, end: {q: 0.4, u: 3}, rod: {turn: 2 deg, shift: [0.5 mm, -0.2 mm], omega: 5, "
      "velocity: [0.1, 0.2]}}\n";
  static const char *const coordinates[] = {"coordinates=joint", "coordinates=absolute"};
  for (int k = 0; k < 2; k++) {
    run r;
    if (!run_open_text(&r, planar, coordinates[k])) return;
    CHECK_NEAR(run_read(&r, "pin.q"), 32 * M_PI / 180, 1e-14);
    CHECK_NEAR(run_read(&r, "pin.u"), 5, 1e-14);  // its own word comes after the joint's
    CHECK_NEAR(run_read(&r, "rod.x"), 1.0005, 1e-14);
    CHECK_NEAR(run_read(&r, "rod.y"), 1.9998, 1e-14);
    CHECK_NEAR(run_read(&r, "rod.vy"), 0.2, 1e-14);
    CHECK_NEAR(run_read(&r, "end.q"), 0.4, 1e-14);  // what it carries comes along
    CHECK_NEAR(run_read(&r, "tip.wz"), 8, 1e-14);
    run_close(&r);
  }
  static const char *const spatial =
      "bodies: {rod: {mass: 1, inertia: [0.1, 0.2, 0.2]}}\n"
      "joints: {ball: {spherical: [ground, rod], clearance: 1 mm, radius: 9 mm, material: hard}}\n"
      "materials: {hard: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n"
      "initial: {ball: {q: [1, 0, 0, 1]}, rod: {turn: [90 deg, 0, 0], shift: [0, 0, 0.5 mm], omega: [1, 2, 3]}}\n";
  run r;
  if (!run_open_text(&r, spatial, "")) return;
  // a quarter turn about z, then one about the world's x
  const double expected[4] = {0.5, 0.5, -0.5, 0.5};
  static const char *const names[] = {"rod.qw", "rod.qx", "rod.qy", "rod.qz"};
  double sense = copysign(1, run_read(&r, "rod.qw"));  // a turn has two quaternions
  for (int k = 0; k < 4; k++) CHECK_NEAR(sense * run_read(&r, "%s", names[k]), expected[k], 1e-14);
  CHECK_NEAR(run_read(&r, "rod.z"), 5e-4, 1e-18);
  CHECK_NEAR(run_read(&r, "rod.wx"), 1, 1e-14);
  CHECK_NEAR(run_read(&r, "rod.wz"), 3, 1e-14);
  run_close(&r);
}

// A body on the end of a turning arm goes along as it would without clearance, however it is turned.
static void turning_a_loose_body_leaves_its_spin(void) {
  static const char *const text =
      "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}, rod: {mass: 1, inertia: [0.1, 0.2, 0.2]}}\n"
      "joints:\n  hub: {revolute: [ground, arm], axis: z}\n"
      "  ball: {spherical: [arm, rod], at: [1, 0, 0], clearance: 1 mm, radius: 9 mm, material: hard}\n"
      "materials: {hard: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n"
      "initial: {hub: {u: 10}, rod: {turn: [90 deg, 0, 0]}}\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  CHECK_NEAR(run_read(&r, "rod.qx"), sqrt(0.5), 1e-14);
  const double rounding = 1e-13;  // of 10 rad/s: fifty eps, for two rotations there and back
  CHECK_NEAR(run_read(&r, "rod.wy"), 0, rounding);
  CHECK_NEAR(run_read(&r, "rod.wz"), 10, rounding);
  CHECK_NEAR(run_read(&r, "rod.vy"), 10, rounding);
  run_close(&r);
}

// --- the start of loops ----------------------------------------------------------------------------------------------

// A four-bar with further options of its joints B and C, each with a comma before it.
static void write_four_bar(char *text, size_t size, const char *at_b, const char *at_c, const char *initial) {
  snprintf(text, size,
           "space: planar\n"
           "parameters: {l1: 50 mm, l2: 120 mm, l3: 100 mm, d: 130 mm}\n"
           "bodies:\n"
           "  crank:   {mass: 0.3, inertia: 6e-5, com: [l1/2, 0]}\n"
           "  coupler: {mass: 0.5, inertia: 6e-4, com: [l2/2, 0]}\n"
           "  rocker:  {mass: 0.45, inertia: 4e-4, com: [l3/2, 0]}\n"
           "joints:\n"
           "  A: {revolute: [ground, crank]}\n"
           "  B: {revolute: [crank, coupler], at: [l1, 0]%s}\n"
           "  C: {revolute: [coupler, rocker], at: [l2, 0], to: [l3, 0]%s}\n"
           "  D: {revolute: [ground, rocker], at: [d, 0]}\n"
           "materials: {m: {restitution: 0.9, friction: 0.03, solid: steel}}\n"
           "drives: {motor: {joint: A, motion: 1 + 300 rpm*t}}\n"
           "initial: {%s}\n"
           "end: 1 ms\n",
           at_b, at_c, initial);
}

#define LOOSE ", clearance: 0.2 mm, radius: 10 mm, material: m"

// What is not given is as in the ideal mechanism, in positions and in velocities, whichever joints have clearance.
static void loops_start_like_the_ideal_one(void) {
  static const char *const joints[] = {"A.q", "B.q", "C.q", "D.q", "A.u", "B.u", "C.u", "D.u"};
  static const char *const methods[] = {"method=moreau method.moreau.step=1e-5", "method=event", "method=compliant"};
  static const char *const loose[][2] = {{"", LOOSE}, {LOOSE, ""}, {LOOSE, LOOSE}};
  static const char guess[] = "B: {guess: 30 deg}, D: {guess: 100 deg}";
  char text[2048], settings[128];
  double ideal[8];
  run r;
  write_four_bar(text, sizeof text, "", "", guess);
  if (!run_open_text(&r, text, "")) return;
  for (int k = 0; k < 8; k++) ideal[k] = run_read(&r, "%s", joints[k]);
  run_close(&r);
  CHECK(ideal[3] > 1 && fabs(ideal[7]) > 1);  // on the side of the guess, and moving
  for (int i = 0; i < 3 * 3 * 2; i++) {
    write_four_bar(text, sizeof text, loose[i % 3][0], loose[i % 3][1], guess);
    snprintf(settings, sizeof settings, "%s coordinates=%s", methods[i / 3 % 3], i < 9 ? "joint" : "absolute");
    if (!run_open_text(&r, text, settings)) return;
    for (int k = 0; k < 8; k++) CHECK_NEAR(run_read(&r, "%s", joints[k]), ideal[k], k < 4 ? 1e-12 : 1e-10);
    if (*loose[i % 3][1]) CHECK_NEAR(run_read(&r, "C.gap"), 2e-4, 1e-12);  // in the centre
    CHECK(carom_model_get_info(r.model).moved_joint == NULL && carom_model_get_info(r.model).changed_joint == NULL);
    run_to(&r, 1e-3);
    run_close(&r);
  }
}

// Clearance allows what the ideal joint does not: given values stay, to the last bit, and the others follow.
static void given_values_of_a_loose_loop_are_kept(void) {
  char text[2048];
  run r;
  double b, d, u;
  write_four_bar(text, sizeof text, "", LOOSE, "B: {guess: 30 deg}, D: {guess: 100 deg}");
  if (!run_open_text(&r, text, "method=moreau method.moreau.step=1e-5")) return;
  b = run_read(&r, "B.q") + 5e-4, d = run_read(&r, "D.q") - 4e-4, u = run_read(&r, "D.u");
  run_close(&r);
  char initial[256];
  snprintf(initial, sizeof initial, "B: {q: %.17g, u: 3}, D: {q: %.17g}", b, d);
  write_four_bar(text, sizeof text, "", LOOSE, initial);
  if (!run_open_text(&r, text, "method=moreau method.moreau.step=1e-5")) return;
  CHECK(run_read(&r, "B.q") == b && run_read(&r, "D.q") == d && run_read(&r, "B.u") == 3);
  CHECK_NEAR(run_read(&r, "D.u"), u, 0.05 * fabs(u));  // of the ideal mechanism half a milliradian away
  const double off = hypot(run_read(&r, "C.x"), run_read(&r, "C.y"));
  CHECK(off > 2e-5 && off < 1.2e-4);  // of 0.12 m by 5e-4 and 0.1 m by 4e-4
  CHECK(carom_model_get_info(r.model).moved_joint == NULL && carom_model_get_info(r.model).changed_joint == NULL);
  run_close(&r);
}

// The drive of a loop with clearance wins over a given speed, and the change is reported.
static void changed_speeds_of_a_loose_loop_are_reported(void) {
  char text[2048];
  run r;
  write_four_bar(text, sizeof text, "", LOOSE, "A: {u: 3}, B: {guess: 30 deg}, D: {guess: 100 deg}");
  if (!run_open_text(&r, text, "method=event")) return;
  carom_model_info info = carom_model_get_info(r.model);
  CHECK_TEXT(info.changed_joint, "A");
  CHECK_NEAR(info.changed_from, 3, 0);
  CHECK_NEAR(info.changed_to, 10 * acos(-1), 1e-12);
  run_close(&r);
}

// The coupler hangs between two joints with clearance: no joint closes a loop, in either kind of coordinates.
static void clearance_opens_loops(void) {
  char text[2048];
  run r;
  for (int absolute = 0; absolute < 2; absolute++) {
    write_four_bar(text, sizeof text, LOOSE, LOOSE, "B: {guess: 30 deg}, D: {guess: 100 deg}");
    if (!run_open_text(&r, text, absolute ? "method=event coordinates=absolute" : "method=event")) return;
    CHECK_EQUAL(carom_model_get_info(r.model).loop_joints, 0);
    run_close(&r);
    write_four_bar(text, sizeof text, "", "", "B: {guess: 30 deg}, D: {guess: 100 deg}");
    if (!run_open_text(&r, text, absolute ? "coordinates=absolute" : "")) return;
    CHECK_EQUAL(carom_model_get_info(r.model).loop_joints, 1);
    run_close(&r);
  }
}

// A link that only fits because of the clearance starts as given; one that does not fit at all does not close.
static void a_link_may_fit_by_its_clearance_alone(void) {
  static const char format[] =
      "space: planar\nbodies: {rod: {mass: 1, inertia: 0.1}}\n"
      "joints:\n  left: {revolute: [ground, rod]}\n"
      "  right: {revolute: [ground, rod], at: [1 m + %g mm, 0], to: [1 m, 0], clearance: 1 mm, radius: 9 mm, material: "
      "m}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-4}}\nend: 1 ms\n";
  char text[1024];
  run r;
  snprintf(text, sizeof text, format, 0.5);
  if (!run_open_text(&r, text, "")) return;
  CHECK_NEAR(run_read(&r, "right.gap"), 0.5e-3, 1e-15);
  run_to(&r, 1e-3);
  run_close(&r);
  snprintf(text, sizeof text, format, 5.0);
  carom_error error = {0};
  CHECK(carom_model_parse(text, "test", &error) == NULL && error.status == CAROM_ERROR_ASSEMBLY);
  CHECK(strstr(error.message, "cannot be assembled") != NULL && strstr(error.message, "'right'") != NULL);
}

// A hint names only keys that the method has: compliant has no `separate`.
static void hints_fit_the_method(void) {
  static const char *const methods[] = {"method: {moreau: {step: 1e-4}}\n", "method: event\n", "method: compliant\n"};
  char text[2048];
  for (int i = 0; i < 3; i++) {
    write_four_bar(text, sizeof text, "", LOOSE, "B: {q: 30 deg}, D: {q: 100 deg}");
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", methods[i]);
    carom_error error = {0};
    CHECK(carom_model_parse(text, "test", &error) == NULL);
    CHECK(strstr(error.message, "beyond its clearance of 0.0002 m") != NULL);
    CHECK_EQUAL(strstr(error.text, "separate") != NULL, i < 2);
  }
}

// Every joint of the registry with a clearance, defined in code: it is built with the contact of the list, or refused
// by name.
static void joints_without_a_kind_of_clearance_are_refused(void) {
  int count;
  const joint_type *const *types = joint_types(&count);
  for (int planar = 0; planar < 2; planar++)
    for (int i = 0; i < count; i++) {
      if (joint_in(types[i], planar)->nv < 0) continue;
      const carom_model_def about = carom_model_default(planar ? CAROM_PLANAR : CAROM_SPATIAL);
      carom_def *def = carom_def_create(&about);
      carom_body_def body = carom_body_default();
      body.mass = 1, body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
      carom_material_def material = carom_material_default();
      carom_joint_def joint = carom_joint_default();
      joint.between[0] = "ground", joint.between[1] = "body", joint.material = "steel", joint.pitch = 0.01;
      joint.clearance = 1e-3, joint.radius = 0.1, joint.length = 0.2, joint.width = 0.1;
      CHECK(def && carom_def_method(def, "event", NULL) == CAROM_OK);
      CHECK(carom_def_body(def, "body", &body) == CAROM_OK && carom_def_material(def, "steel", &material) == CAROM_OK &&
            carom_def_joint(def, "loose", types[i]->name, &joint) == CAROM_OK);
      carom_error error = {0};
      carom_model *model = carom_model_compile(def, &error);
      const clearance_type *kind = clearance_find(types[i], planar);
      if (CHECK_EQUAL(model != NULL, kind != NULL) && model)
        CHECK(model->contacts.element_count == 1 && model->contacts.elements[0].type == kind->contact);
      if (!model) CHECK(strstr(error.message, types[i]->name) && strstr(error.message, "cannot have clearance"));
      carom_model_destroy(model);
      carom_def_destroy(def);
    }
}

int main(void) {
  check_seed = 7;
  RUN(joints_without_a_kind_of_clearance_are_refused);
  RUN(gap_rates_are_what_the_normal_rows_say);
  RUN(momentum_is_kept);
  RUN(ball_rattles_in_its_socket_for_ever);
  RUN(elastic_joints_keep_energy);
  RUN(journal_stays_in_its_bearing_in_space);
  RUN(slider_stays_in_its_channel);
  RUN(slider_comes_to_lie_as_it_is_pressed);
  RUN(curvatures_are_those_of_the_surfaces);
  RUN(a_pin_flies_strikes_and_follows);
  RUN(a_loose_body_starts_as_told);
  RUN(turning_a_loose_body_leaves_its_spin);
  RUN(loops_start_like_the_ideal_one);
  RUN(given_values_of_a_loose_loop_are_kept);
  RUN(changed_speeds_of_a_loose_loop_are_reported);
  RUN(clearance_opens_loops);
  RUN(a_link_may_fit_by_its_clearance_alone);
  RUN(hints_fit_the_method);
  return check_summary();
}
