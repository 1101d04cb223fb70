// Scheme `stewart-trinkle`: its polygonal friction cone, what it does at an impact, its order, and what it refuses.
#include "landing.h"

#include <math.h>

#include "contact.h"
#include "solve/cone.h"

// --- polygons --------------------------------------------------------------------------------------------------------

// The nearest point of a polygon, by trying points along its border.
static double distance_by_trying(int count, double radius, const double x[2]) {
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    double a[2], b[2];
    polygon_direction(count, i, a);
    polygon_direction(count, i + 1, b);
    for (int k = 0; k <= 1000; k++) {
      double s = k / 1000.0, p[2] = {radius * (a[0] + s * (b[0] - a[0])), radius * (a[1] + s * (b[1] - a[1]))};
      least = fmin(least, hypot(x[0] - p[0], x[1] - p[1]));
    }
  }
  return least;
}

static void a_polygon_is_met_at_its_nearest_point(void) {
  const int counts[] = {4, 6, 8, 64};
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 50; k++) {
      double x[2] = {uniform(-1, 1), uniform(-1, 1)}, beyond[2];
      polygon_beyond(counts[c], 0.5, x, beyond);
      bool inside = polygon_reach(counts[c], x) <= 0.5;
      // along a side the tries are at most 7e-4 apart, which is 1e-6 in the distance where that is not small
      double tried = distance_by_trying(counts[c], 0.5, x), found = hypot(beyond[0], beyond[1]);
      if (inside) CHECK(found == 0);
      else if (tried > 0.05) CHECK_NEAR(found, tried, 2e-6);
    }
}

static void random_polygons(contact_problem *p, int contacts, int directions) {
  p->rows = p->block_count = 0;
  for (int c = 0; c < contacts; c++)
    add_block(p, (solve_block){.kind = BLOCK_POLYGON, .size = 3, .mu = uniform(0.1, 0.9), .directions = directions});
  fill_gram(p, p->rows + 4, 0);
  for (int i = 0; i < p->rows; i++) p->q[i] = i % 3 ? uniform(-1, 1) : uniform(-1.5, 0.5);
}

// Lemke's method on the LCP (23), sweeps with their solution of each contact and Newton's method find the same
// velocities. The laws are checked without the residual: r_T inside, and no corner of the polygon against the slip by
// more than r_T.
static void solvers_agree(void) {
  static contact_problem c;
  for (int k = 0; k < 60; k++) {
    int contacts = 1 + k % 6, directions = 4 + 2 * (k % 4);
    double found[3][64];
    random_polygons(&c, contacts, directions);
    solve_settings settings = solve_settings_default();
    settings.tolerance = 1e-12;
    const char *const names[3] = {"lemke", "nsgs", "alart-curnier"};
    for (int s = 0; s < 3; s++) {
      if (!CHECK(contact_solve(&c, solver_find(names[s]), &settings, NULL).status == SOLVE_SOLVED)) return;
      memcpy(found[s], c.u, (size_t)c.rows * sizeof *c.u);
      for (int b = 0; b < contacts; b++) {
        const double *rb = c.r + 3 * b, *ub = c.u + 3 * b;
        double work = rb[1] * ub[1] + rb[2] * ub[2];
        CHECK(rb[0] >= 0 && ub[0] >= -1e-9 && fabs(rb[0] * ub[0]) <= 1e-8);
        CHECK_LE(polygon_reach(directions, rb + 1), c.blocks[b].mu * rb[0] + 1e-9);
        for (int i = 0; i < directions; i++) {
          double d[2];
          polygon_direction(directions, i, d);
          CHECK_LE(work, c.blocks[b].mu * rb[0] * (d[0] * ub[1] + d[1] * ub[2]) + 1e-8);
        }
      }
    }
    for (int i = 0; i < 3 * contacts; i++)
      CHECK_NEAR(found[0][i], found[1][i], 1e-7), CHECK_NEAR(found[0][i], found[2][i], 1e-7);
  }
}

// --- the scheme ------------------------------------------------------------------------------------------------------

static const char puck[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {angle: 0, h: 1 ms}\n"
    "materials: {ice: {friction: 0.3}}\n"
    "bodies: {puck: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {puck: {free: [ground, puck]}}\n"
    "surfaces: {floor: {plane: ground, material: ice}, puck: {point: puck, material: ice}}\n"
    "initial: {puck: {velocity: ['2*cos(angle)', '2*sin(angle)', 0]}}\n"
    "method: {stewart-trinkle: {step: h}}\n"
    "end: 1 s\n";

static double distance_at(double angle, double step, const char *more) {
  char settings[160];
  run r;
  snprintf(settings, sizeof settings, "angle=%.17g h=%g %s", angle, step, more);
  if (!run_open_text(&r, puck, settings)) return NAN;
  run_to(&r, 1);
  double x = run_read(&r, "puck.x"), y = run_read(&r, "puck.y");
  CHECK_NEAR(run_read(&r, "puck.vx"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "puck.z"), 0, 1e-14);
  CHECK_NEAR(run_read(&r, "energy.friction"), 4, 1e-9);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
  return hypot(x, y);
}

// v²/2μg along a direction; midway between two of k the polygon is lower by cos(π/k). A step ends a slide half a step
// early, and the way is shorter by v Δt/2.
static void a_puck_stops_where_the_polygon_says(void) {
  const double way = 4 / (2 * 0.3 * 9.81);
  for (int k = 0; k < 8; k++) {
    double turn = k * M_PI / 4;
    CHECK_NEAR(distance_at(turn, 1e-3, ""), way - 1e-3, 1e-5);
    CHECK_NEAR(distance_at(turn + M_PI / 8, 1e-3, ""), way / cos(M_PI / 8) - 1e-3, 1e-5);
  }
  CHECK_NEAR(1 / cos(M_PI / 8), 1.0824, 5e-5);
  CHECK_NEAR(distance_at(M_PI / 4, 1e-3, "method.stewart-trinkle.directions=4"), way * sqrt(2) - 1e-3, 1e-5);
  CHECK_NEAR(distance_at(M_PI / 64, 1e-3, "method.stewart-trinkle.directions=64"), way / cos(M_PI / 64) - 1e-3, 1e-5);
  CHECK_NEAR(distance_at(0, 1e-3, "method.stewart-trinkle.velocity_terms=midpoint"), way,
             1e-5);  // shown as the mean of u_A and u_E
}

static void a_ball_lands_without_a_gap(void) { land_without_a_gap("stewart-trinkle", 0); }

// A surface that moves by a function of time, (18a): a ball on a lift that oscillates stays on it, to the order of the
// step.
static double height_over_the_lift(double step) {
  char text[768];
  run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\n"
           "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}, lift: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints: {free: {free: [ground, ball], at: [0, 0, 0.1]}, shaft: {prismatic: [ground, lift], axis: z}}\n"
           "drives: {lift: {joint: shaft, motion: '0.05*sin(5*t)'}}\n"
           "surfaces: {skin: {sphere: ball, radius: 0.1, material: m}, floor: {plane: lift, material: m}}\n"
           "initial: {ball: {velocity: [0, 0, 0.25]}}\n"
           "materials: {m: {friction: 0.2}}\n"
           "method: {stewart-trinkle: {step: %g}}\n",
           step);
  if (!run_open_text(&r, text, NULL)) return NAN;
  run_to(&r, 1);
  double height = run_read(&r, "ball.z") - 0.1 - run_read(&r, "lift.z");
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
  return height;
}

// g + Δt γ_E vanishes with γ_E of the drive at the end of the step; its path over the step differs from that by Δt²
// a/2.
static void a_ball_stays_on_a_lift(void) {
  double coarse = fabs(height_over_the_lift(1e-2)), fine = fabs(height_over_the_lift(1e-3));
  CHECK_LE(coarse, 0.5 * 1e-4 * 0.05 * 25 * 1.01);
  CHECK_LE(fine, 0.5 * 1e-6 * 0.05 * 25 * 1.01);
}

// A pile in space settles by sweeps, where pivoting is no longer quick, and nothing is left unsolved.
static void a_pile_settles(void) {
  static const char text[] =
      "bodies: {'s{i}': {repeat: {i: [1, 14]}, mass: 1, inertia: [4e-3, 4e-3, 4e-3]}}\n"
      "joints: {'f{i}': {repeat: {i: [1, 14]}, free: [ground, 's{i}'], at: ['0.03*mod(i, 3)', '0.21*mod(i, 2)', "
      "'0.11*i']}}\n"
      "surfaces:\n"
      "  s{i}: {repeat: {i: [1, 14]}, sphere: 's{i}', radius: 0.1, material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {friction: 0.4}}\n"
      "method: {stewart-trinkle: {step: 2 ms, tolerance: 1e-8}}\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.8);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_EQUAL(s.unsolved, 0);
  CHECK(s.solves > 300);
  CHECK_LE(s.deepest_penetration, 2e-3);  // where the surfaces curve: (v Δt)²/r
  run_close(&r);
}

static void refused(const char *settings, const char *words) {
  char path[4200];
  run r;
  snprintf(path, sizeof path, "%s", scratch("puck.yaml"));
  if (!CHECK(write_text(path, puck))) return;
  CHECK(!run_try(&r, path, settings));
  if (!CHECK(strstr(r.error.text, words) != NULL)) printf("      %s\n", r.error.text);
  run_close(&r);
}

static void restitution_and_odd_directions_are_refused(void) {
  refused("materials.ice.restitution=0.5", "its impacts are inelastic");
  refused("materials.ice.tangential_restitution=0.1", "its impacts are inelastic");
  refused("method.stewart-trinkle.directions=7", "an even number of them from 4 to 64");
  refused("method.stewart-trinkle.directions=2", "an even number of them from 4 to 64");
  refused("method.stewart-trinkle.directions=66", "an even number of them from 4 to 64");
}

int main(void) {
  RUN(a_polygon_is_met_at_its_nearest_point);
  RUN(solvers_agree);
  RUN(a_puck_stops_where_the_polygon_says);
  RUN(a_ball_lands_without_a_gap);
  RUN(a_ball_stays_on_a_lift);
  RUN(a_pile_settles);
  RUN(restitution_and_odd_directions_are_refused);
  return check_summary();
}
