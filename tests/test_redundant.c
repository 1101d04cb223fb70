// Redundant constraint rows together with contact: loops whose closure repeats what the tree already holds, and loops
// that move only because one of their conditions follows from the others.
#include "long.h"
#include "rows.h"

#include <math.h>

#include "mechanics/constraint.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/response_internal.h"
#include "mechanics/rows.h"
#include "sim.h"

static const char *const coordinates[] = {"joint", "absolute"};

// --- rows that nothing can move --------------------------------------------------------------------------------------

// A leg on a free body. All four hinges of the parallelogram are parallel, so that three of the five rows of the last
// one repeat what the tree holds: in joint coordinates no speed moves them.
static const char leg[] =
    "parameters: {arm: 0.15, left: 0.2, right: 0.2}\n"
    "bodies:\n"
    "  trunk: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
    "  thigh: {mass: 0.06, inertia: [1.2e-4, 1e-5, 1.2e-4], com: [0, 0.075, 0]}\n"
    "  strut: {mass: 0.06, inertia: [1.2e-4, 1e-5, 1.2e-4], com: [0, 0.075, 0]}\n"
    "  shank: {mass: 0.12, inertia: [4e-4, 4e-4, 2e-5], com: [0, 0, -0.1]}\n"
    "joints:\n"
    "  carry: {free: [ground, trunk], at: [0, 0, 0.2]}\n"
    "  hip: {revolute: [trunk, thigh], at: [0, 0, 0.03], axis: x}\n"
    "  rear: {revolute: [trunk, strut], at: [0, 0, -0.03], axis: x}\n"
    "  knee: {revolute: [thigh, shank], at: [0, arm, 0], axis: x}\n"
    "  close: {revolute: [strut, shank], at: [0, arm, 0], to: [0, 0, -0.06], axis: x}\n"
    "drives: {motor: {joint: hip, motion: 0.2*sin(6*t)}}\n"
    "surfaces:\n"
    "  foot: {sphere: shank, at: [0, 0, -0.21], radius: 0.02, material: rubber}\n"
    "  left: {sphere: trunk, at: [-0.2, -left, -0.18], radius: 0.02, material: rubber}\n"
    "  right: {sphere: trunk, at: [right, -0.2, -0.18], radius: 0.02, material: rubber}\n"
    "  floor: {plane: ground, material: rubber}\n"
    "contacts: {a: {between: [foot, floor]}, b: {between: [left, floor]}, c: {between: [right, floor]}}\n"
    "materials: {rubber: {friction: 0.5, v0: 1e-5, restitution: 0, law: kelvin-voigt, stiffness: 1e7, damping: 1e4}}\n"
    "method: {moreau: {step: 1e-3}}\n"
    "end: 3\n";

typedef struct stance {
  double y, z, turn, load;
  long steps;
} stance;

static double step_of(const char *settings) { return strtod(strpbrk(strstr(settings, "step"), "0123456789"), NULL); }

// Integrators may be off by their tolerance, rtol |y| + atol = 2e-8, in each step and each of seven speeds. In absolute
// coordinates moreau moves bodies along tangents: a step projects the velocity on one that is turned by h w, which
// takes (h w)² of the energy; w is at most that of the drive, 1.2 rad/s. stewart-trinkle takes forces at the start and
// velocities at the end of a step: kinetic and potential energy are a step apart each, which the drive's 6 rad/s makes
// 6 h of them.
static double energy_bound(const char *settings, const carom_summary *s) {
  if (strstr(settings, "stewart-trinkle")) return 2 * 6 * step_of(settings);
  return strstr(settings, "moreau") ? step_of(settings) * 1.2 * 1.2 * s->t : 7 * 2e-8 * (double)s->steps;
}

static bool run_leg(const char *settings, double end, stance *out) {
  run r;
  if (!run_open_text(&r, leg, settings)) return false;
  bool done = run_to(&r, end);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK_LE(s.energy_imbalance, energy_bound(settings, &s));
  CHECK_LE(s.constraint_violation, 1e-13);  // [m], [rad]: rounding of some hundred operations on numbers of size 1
  // a parallelogram: both arms stand at the same angle, as far as the violation lets arms of 0.15 m
  CHECK_NEAR(run_read(&r, "rear.q"), 0.2 * sin(6 * end), 1e-13 / 0.15);
  *out = (stance){run_read(&r, "trunk.y"), run_read(&r, "trunk.z"), run_read(&r, "trunk.qx"), run_read(&r, "a.fn"),
                  s.steps};
  run_close(&r);
  return done;
}

// Feet that stand up to `way` beside each other, 0.2 m and more apart, turn the trunk by that angle (its quaternion by
// half of it) and shift the load of 22 N by that share.
static void check_same(const char *what, stance a, stance b, double way) {
  bool same = CHECK_NEAR(a.y, b.y, way);
  same &= CHECK_NEAR(a.z, b.z, way);
  same &= CHECK_NEAR(a.turn, b.turn, way / 0.2 / 2);
  same &= CHECK_NEAR(a.load, b.load, way / 0.2 * 22);
  if (!same) printf("      %s\n", what);
}

// After landing, the foot sticks and the others slide, up to the first stop of the drive at 0.262 s: the motion is
// smooth, and every method has to find the same. Time steps of 1e-4 s are off by up to a step's travel at 0.1 m/s.
// Under the compliant method feet that stick creep at up to v0 = 1e-5 m/s, for 0.25 s, and are pressed in by 22 N/1e7
// N/m.
static void a_leg_walks_alike_under_every_method(void) {
  for (int k = 0; k < 2; k++) {
    char settings[160];
    stance reference, other;
    snprintf(settings, sizeof settings, "coordinates=%s method=event", coordinates[k]);
    if (!run_leg(settings, 0.25, &reference)) return;
    snprintf(settings, sizeof settings, "coordinates=%s method.moreau.step=1e-4", coordinates[k]);
    if (run_leg(settings, 0.25, &other)) check_same("moreau", other, reference, 1e-4 * 0.1);
    snprintf(settings, sizeof settings, "coordinates=%s method.moreau.step=1e-4 method.moreau.velocity_terms=midpoint",
             coordinates[k]);
    if (run_leg(settings, 0.25, &other)) check_same("moreau, midpoint", other, reference, 1e-4 * 0.1);
    snprintf(settings, sizeof settings, "coordinates=%s method={\"stewart-trinkle\":{\"step\":1e-4}}", coordinates[k]);
    if (run_leg(settings, 0.25, &other)) check_same("stewart-trinkle", other, reference, 1e-4 * 0.1);
    snprintf(settings, sizeof settings, "coordinates=%s method=compliant", coordinates[k]);
    if (run_leg(settings, 0.25, &other)) check_same("compliant", other, reference, 1e-5 * 0.25 + 22 / 1e7);
  }
}

// In joint and absolute coordinates. Integrators may be off by their tolerance in each step, moreau by what a step late
// means.
static void walk_for_long(const char *method, double per_step, double otherwise) {
  stance of[2];
  bool done = true;
  for (int k = 0; k < 2; k++) {
    char settings[160];
    snprintf(settings, sizeof settings, "coordinates=%s method=%s", coordinates[k], method);
    done &= run_leg(settings, 3, &of[k]);
  }
  if (done) check_same(method, of[0], of[1], otherwise + per_step * (double)(of[0].steps + of[1].steps));
}

// The slip of the feet reverses each quarter of the drive's period, 0.26 s: eleven times in 3 s. moreau finds each
// reversal up to a step late, which shifts a foot by its way in that step at 0.1 m/s.
static void a_leg_walks_for_long(void) {
  walk_for_long("moreau method.moreau.step=1e-3", 0, 11 * 1e-3 * 0.1);
  walk_for_long("event integrator.rtol=1e-10 integrator.atol=1e-10", 2e-10, 0);
  walk_for_long("compliant integrator.rtol=1e-9 integrator.atol=1e-9", 2e-9, 0);
}

// Where the drive reverses, all three feet nearly stand. The drive still moves them against each other: the percussions
// that would stop them all are those of a singular problem. Ends of the run shift the steps, and with them what stops.
static void feet_that_a_drive_moves_are_not_stopped(void) {
  for (int k = 0; k < 12; k++) {
    stance found;
    (void)run_leg("coordinates=joint method=event integrator.rtol=1e-10 integrator.atol=1e-10", 0.264 + 2e-3 * k,
                  &found);
  }
}

// Which foot turns back first where the drive does, and how far from that instant a step ends, is a matter of the last
// digits. Speeds are off by twice the perturbation at most, and so are places. A run that holds the feet while the
// drive moves them does not end: it has an event every 1e-15 s. In two of a thousand runs all three feet nearly stand
// at that instant, and stopping them takes percussions of a singular problem: there they go on.
static void a_leg_walks_alike_for_numbers_nearby(void) {
  const int times = long_form() ? 1000 : 50;
  static const double size = 1e-9, end = 1.1;
  static const char method[] = "method=event integrator.rtol=1e-10 integrator.atol=1e-10";
  stance whole, other;
  if (!run_leg(method, end, &whole)) return;
  for (int k = 0; k < times; k++) {
    char settings[320];
    double by[6];
    for (int i = 0; i < 6; i++) by[i] = 1 + uniform(-size, size);
    snprintf(
        settings, sizeof settings,
        "%s arm=%.15g left=%.15g right=%.15g bodies.trunk.mass=%.15g bodies.thigh.mass=%.15g bodies.shank.mass=%.15g",
        method, 0.15 * by[0], 0.2 * by[1], 0.2 * by[2], 2 * by[3], 0.06 * by[4], 0.12 * by[5]);
    if (run_leg(settings, end, &other))
      check_same(settings, other, whole, 2 * size + 2e-10 * (double)(whole.steps + other.steps));
  }
}

// Joints keep a spatial slider-crank in a plane, so that nothing moves the ball in its socket across that plane: of the
// two directions of friction one is locked, and its row of W holds rounding alone.
static const char flat[] =
    "bodies:\n"
    "  arm: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], com: [0, -0.05, 0]}\n"
    "  cart: {mass: 0.3, inertia: [1e-4, 1e-4, 1e-4]}\n"
    "  bar: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-3], com: [-0.1, 0, 0]}\n"
    "joints:\n"
    "  pivot: {revolute: [ground, arm], axis: z}\n"
    "  rail: {prismatic: [ground, cart], at: [0.2, -0.1, 0], axis: x}\n"
    "  hinge: {revolute: [cart, bar], axis: z}\n"
    "  link: {spherical: [arm, bar], at: [0, -0.1, 0], to: [-0.2, 0, 0], clearance: 0.5 mm, radius: 8 mm, material: "
    "m}\n"
    "materials: {m: {restitution: 0.5, friction: 0.1}}\n"
    "gravity: [0, -9.81, 0]\n"
    "drives: {swing: {joint: pivot, motion: 0.3*sin(8*t)}}\n"
    "method: {moreau: {step: 1e-5}}\n"
    "end: 0.3\n";

typedef struct swing {
  double rail, hinge, impact, friction, drive;
} swing;

static void check_cone(const rows *list, double mu) {
  const double rounding = 1e-12;
  double largest = 0;
  for (int i = 0; i < list->count; i++) largest = fmax(largest, list->row[i].impulse_normal);
  CHECK(list->count > 0);
  for (int i = 0; i < list->count; i++) {
    const impact *row = &list->row[i];
    CHECK_LE(-rounding * largest, row->impulse_normal);
    CHECK_LE(row->impulse_tangential, mu * row->impulse_normal + rounding * largest);
  }
}

static bool run_flat(const char *settings, swing *out) {
  static rows list;
  run r;
  if (!rows_open_text(&r, flat, settings, &list)) return false;
  bool done = run_to(&r, 0.3);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK_LE(s.energy_imbalance, s.energy_warn);
  *out = (swing){run_read(&r, "rail.q"), run_read(&r, "hinge.q"),
                 run_read(&r, "energy.impact") - run_read(&r, "energy.overlap"), run_read(&r, "energy.friction"),
                 run_read(&r, "energy.drive")};
  check_cone(&list, 0.1);
  run_close(&r);
  return done;
}

// The ball strikes a few times, settles, and slides: the motion is not chaotic. A step of 1e-5 s shifts impacts at up
// to 0.2 m/s by 2e-6 m, an angle of 1e-5 at the bar. Its speed is off by what gravity adds in a step, 1e-4 m/s or 5e-4
// of it, energies by twice that share. What the removal of overlap adds to the energy is lost in impacts again: it does
// not count.
static void a_locked_direction_of_friction_takes_no_force(void) {
  swing event, moreau;
  for (int k = 0; k < 2; k++) {
    char settings[160];
    snprintf(settings, sizeof settings, "method=event coordinates=%s", coordinates[k]);
    if (!run_flat(settings, &event) || !run_flat(NULL, &moreau)) return;
    CHECK_NEAR(event.rail, moreau.rail, 2e-6);
    CHECK_NEAR(event.hinge, moreau.hinge, 1e-5);
    CHECK_NEAR(event.impact, moreau.impact, 1e-3 * moreau.impact);
    CHECK_NEAR(event.friction, moreau.friction, 1e-3 * moreau.friction);
    CHECK_NEAR(event.drive, moreau.drive, 1e-3 * fabs(moreau.drive));
  }
}

// --- rows that depend on others --------------------------------------------------------------------------------------

// Bricard's loop falls onto a floor. Midpoints of a time step lie beside the positions that close the loop, by 1e-3 at
// this step; there the redundant row is a little independent and would stop the motion.
static void a_loop_of_six_hinges_bounces(void) {
  static const char *const steps[] = {"1e-2", "1e-3"};
  double error[2];
  for (int k = 0; k < 2; k++) {
    char path[1024], text[4096], settings[160];
    snprintf(path, sizeof path, "%s/models/bricard.yaml", CHECK_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    if (!CHECK(file)) return;
    size_t size = fread(text, 1, sizeof text - 600, file);
    fclose(file);
    text[size] = 0;
    strcat(text,
           "surfaces: {foot: {sphere: rod3, at: [0, 0.5, 0], radius: 0.02, material: m},\n"
           "           floor: {plane: ground, at: [0, 0, -0.7], material: m}}\n"
           "contacts: {a: {between: [foot, floor]}}\n"
           "materials: {m: {friction: 0.2, restitution: 0.5}}\n"
           "method: {moreau: {step: 1e-2}}\n");
    run r;
    snprintf(settings, sizeof settings, "method.moreau.step=%s", steps[k]);
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 5);
    carom_summary s = carom_sim_summary(r.sim);
    error[k] = s.energy_imbalance;
    CHECK_LE(error[k], s.energy_warn);
    CHECK_EQUAL(s.unsolved, 0);
    CHECK(run_read(&r, "energy.impact") + run_read(&r, "energy.friction") > 1);  // [J]: it did strike
    run_close(&r);
  }
  CHECK_LE(error[1], error[0] / 5);  // of first order: a tenth, as far as impacts at other instants let it
}

// A problem is solved more than once with one W, in the phases of an impact or for another friction: each time the
// dependent row stays out of it.
static void a_dependent_row_stays_decoupled(void) {
  run r;
  if (!run_open(&r, "bricard", "coordinates=joint")) return;
  const mechanism *m = &r.model->m;
  motion *x = r.sim->x;
  enum { MOST = 16 };
  double W[MOST * MOST], q[MOST];
  int n = m->row_count;
  if (CHECK_LE(n, MOST) && CHECK(dynamics_positions_velocities(m, x) && response_factor(m, x))) {
    rows_clear(m, x);
    response_matrix(m, x, W);
    response_decouple(m, x, n, W);
    for (int turn = 0; turn < 2; turn++) {
      int cleared = 0;
      for (int i = 0; i < n; i++) q[i] = 1 + i;
      response_clear(m, x, q);
      for (int i = 0; i < n; i++) {
        cleared += q[i] == 0;
        for (int j = 0; j < n && q[i] == 0; j++)
          CHECK(i == j ? W[i * n + j] > 0 : W[i * n + j] == 0 && W[j * n + i] == 0);
      }
      CHECK_EQUAL(cleared, 1);
    }
  }
  run_close(&r);
}

// A mechanism can be free of redundant rows at the start and meet a position later where one row depends on the others:
// a planar four-bar of which opposite links are equal, when all links lie on one line.
static const char parallelogram[] =
    "space: planar\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1}\n"
    "  b: {mass: 1, inertia: 0.1}\n"
    "  c: {mass: 1, inertia: 0.1}\n"
    "joints:\n"
    "  left: {revolute: [ground, a]}\n"
    "  upper: {revolute: [a, b], at: [0.5, 0]}\n"
    "  right: {revolute: [ground, c], at: [1, 0]}\n"
    "  close: {revolute: [b, c], at: [1, 0], to: [0.5, 0]}\n"
    "initial: {left: {q: 1}, right: {q: 1}, upper: {q: -1}}\n"
    "method: event\n"
    "end: 1\n";

static void put_body(const mechanism *m, motion *x, int body, double angle, double at_x, double at_y) {
  const double q[] = {angle, at_x, at_y};
  memcpy(x->q + m->nodes[m->bodies[body].node].q, q, sizeof q);
}

static void a_row_that_becomes_dependent_is_decoupled(void) {
  run r;
  if (!run_open_text(&r, parallelogram, "coordinates=absolute")) return;
  const mechanism *m = &r.model->m;
  motion *x = r.sim->x;
  enum { ROWS = 8 };
  double W[ROWS * ROWS], q[ROWS], open = 0.84;
  CHECK_EQUAL(m->redundant, 0);
  for (int turn = 0; CHECK_EQUAL(m->row_count, ROWS) && turn < 2; turn++, open = 0) {
    put_body(m, x, 1, open, 0, 0);
    put_body(m, x, 2, 0, 0.5 * cos(open), 0.5 * sin(open));
    put_body(m, x, 3, open, 1, 0);
    dynamics_set(m, x, 0, x->q, x->u);
    if (!CHECK(dynamics_positions_velocities(m, x) && response_factor(m, x)) ||
        !CHECK_LE(constraints_violation(m, x), 1e-14))
      break;
    rows_clear(m, x);
    response_matrix(m, x, W);
    response_decouple(m, x, ROWS, W);
    for (int i = 0; i < ROWS; i++) q[i] = 1;
    response_clear(m, x, q);
    int cleared = 0;
    for (int i = 0; i < ROWS; i++) cleared += q[i] == 0;
    CHECK_EQUAL(cleared, turn);
  }
  run_close(&r);
}

// --- many loops ------------------------------------------------------------------------------------------------------

// Of the 60 rows of the hexapod's loops 24 can move. W of these is regular, and its factor gives the multipliers of the
// orthogonal factor of all rows, to the ten digits that its conditioning leaves.
static void rows_that_move_are_factorised_alone(void) {
  enum { ROWS = 60, MOVING = 24 };
  run r;
  if (!run_open(&r, "hexapod-flat", NULL)) return;
  const mechanism *m = &r.model->m;
  motion *x = r.sim->x;
  double rhs[ROWS], lambda[2][ROWS] = {{0}}, largest = 0;
  CHECK_EQUAL(m->row_count, ROWS);
  dynamics_set(m, x, 0, x->q, x->u);
  CHECK(dynamics_positions_velocities(m, x) && response_factor(m, x) && response_factor_constraints(m, x));
  CHECK(x->response->well_conditioned);
  CHECK_EQUAL(x->rank, MOVING);
  for (int i = 0; i < ROWS; i++) rhs[i] = cos(i);
  response_solve_constraints(m, x, rhs, lambda[0]);
  x->response->well_conditioned = false;
  CHECK(response_factor_orthogonal(m, x));
  CHECK_EQUAL(x->rank, MOVING);
  response_solve_constraints(m, x, rhs, lambda[1]);
  for (int i = 0; i < ROWS; i++) largest = fmax(largest, fabs(lambda[1][i]));
  for (int i = 0; i < ROWS; i++) CHECK_NEAR(lambda[0][i], lambda[1][i], 1e-10 * largest);
  run_close(&r);
}

// With other speeds at the same place the factors are those that there are, to the bit.
static void accelerations_again_are_the_same(void) {
  enum { SPEEDS = 64 };
  static const char *const models[] = {"hexapod-flat", "andrews", "chain"};
  for (int k = 0; k < 3; k++) {
    run r;
    if (!run_open(&r, models[k], NULL)) return;
    const mechanism *m = &r.model->m;
    motion *x = r.sim->x;
    double u[SPEEDS], udot[SPEEDS];
    CHECK_LE(m->nv, SPEEDS);
    dynamics_set(m, x, 0, x->q, x->u);
    CHECK(dynamics_accelerations(m, x));
    for (int i = 0; i < m->nv; i++) u[i] = x->u[i] + 0.1 * sin(i + 1);
    dynamics_set(m, x, 0, x->q, u);
    CHECK(dynamics_accelerations_again(m, x));
    memcpy(udot, x->udot, (size_t)m->nv * sizeof *udot);
    dynamics_set(m, x, 0, x->q, u);
    CHECK(dynamics_accelerations(m, x));
    CHECK(memcmp(udot, x->udot, (size_t)m->nv * sizeof *udot) == 0);
    run_close(&r);
  }
}

int main(void) {
  RUN(a_leg_walks_alike_under_every_method);
  RUN(a_leg_walks_for_long);
  RUN(feet_that_a_drive_moves_are_not_stopped);
  RUN(a_leg_walks_alike_for_numbers_nearby);
  RUN_LONG(a_leg_walks_alike_for_numbers_nearby, 300);
  RUN(a_locked_direction_of_friction_takes_no_force);
  RUN(a_loop_of_six_hinges_bounces);
  RUN(a_dependent_row_stays_decoupled);
  RUN(a_row_that_becomes_dependent_is_decoupled);
  RUN(rows_that_move_are_factorised_alone);
  RUN(accelerations_again_are_the_same);
  return check_summary();
}
