// Bodies of every shape on planes and on each other, against closed forms, under every method.
#include "runs.h"

static const char *const methods[] = {"method: {moreau: {step: 2e-4}}", "method: event", "method: compliant"};
enum { MOREAU, EVENT, COMPLIANT, METHODS };

static bool open_with(run *r, const char *text, int method) {
  char all[4096];
  snprintf(all, sizeof all, "%s%s\n", text, methods[method]);
  return run_open_text(r, all, "");
}

// --- spheres and points on boxes -------------------------------------------------------------------------------------

// A ball and a point that fall on a wide box bounce as on a plane: after h = v²/2g they come back with e v.
static void a_ball_bounces_on_a_box_as_on_a_plane(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {a: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}, b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {fa: {free: [ground, a], at: [0.1, 0.2, 0.15]}, fb: {free: [ground, b], at: [3.1, 0.2, 0.15]}}\n"
      "surfaces:\n"
      "  ball: {sphere: a, radius: 0.1, material: m}\n"
      "  point: {point: a, at: [0, 0, -0.11], material: m}\n"
      "  other: {sphere: b, radius: 0.1, material: m}\n"
      "  tip: {point: b, at: [0, 0, -0.11], material: m}\n"
      "  box: {box: ground, at: [0, 0, -0.25], size: [1, 1, 0.5], material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "contacts:\n"
      "  first: {between: [ball, box]}\n  tipped: {between: [point, box]}\n  second: {between: [other, floor]}\n  "
      "tip2: {between: [tip, floor]}\n"
      "materials: {m: {restitution: 0.7, friction: 0.2, stiffness: 1e8, law: hunt-crossley}}\n";
  for (int method = 0; method < METHODS; method++) {
    run r;
    if (!open_with(&r, text, method)) continue;
    run_to(&r, 0.3);
    CHECK(run_read(&r, "b.vz") != 0 && run_read(&r, "b.z") > 0.11);
    CHECK_NEAR(run_read(&r, "a.z"), run_read(&r, "b.z"), method == COMPLIANT ? 1e-9 : 1e-13);
    CHECK_NEAR(run_read(&r, "a.vz"), run_read(&r, "b.vz"), method == COMPLIANT ? 1e-8 : 1e-12);
    run_close(&r);
  }
}

// A ball that falls on the edge of a box with the normal at 45° leaves along the floor: (0, -v) becomes (v, 0).
static void a_ball_leaves_an_edge_along_the_normal(void) {
  static const char *const spaces[] = {
      "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1e-3}}\n"
      "joints: {f: {free: [ground, a], at: [0.5 + 0.1*sqrt(0.5), 0.6]}}\ninitial: {a: {velocity: [0, -1]}}\n"
      "surfaces: {ball: {sphere: a, radius: 0.1, material: m}, box: {box: ground, size: [1, 1], material: m}}\n",
      "gravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {f: {free: [ground, a], at: [0.5 + 0.1*sqrt(0.5), 0.6, 0.2]}}\ninitial: {a: {velocity: [0, -1, 0]}}\n"
      "surfaces: {ball: {sphere: a, radius: 0.1, material: m}, box: {box: ground, size: [1, 1, 1], material: m}}\n"};
  for (int space = 0; space < 2; space++)
    for (int method = 0; method < METHODS; method++) {
      char text[2048];
      run r;
      snprintf(text, sizeof text, "%smaterials: {m: {restitution: 1, law: hertz, stiffness: 1e12}}\n", spaces[space]);
      if (!open_with(&r, text, method)) continue;
      run_to(&r, 0.1);
      // moreau meets the edge up to half a step late, 5e-5 m of 0.1 m; Hertz's law turns the normal while it is pressed
      double within = method == MOREAU ? 2e-3 : method == COMPLIANT ? 1e-3 : 1e-6;
      CHECK_NEAR(run_read(&r, "a.vx"), 1, within);
      CHECK_NEAR(run_read(&r, "a.vy"), 0, within);
      run_close(&r);
    }
}

// --- two smooth surfaces ---------------------------------------------------------------------------------------------

// Two bodies without friction and damping meet off their centres: momentum, angular momentum and energy are kept, and
// the bodies turn. Nothing in this depends on the shapes but the common normal.
static void smooth_bodies_keep_momentum_and_energy(void) {
  static const char *const shapes[][2] = {
      {"ellipsoid: a, semi_axes: [0.1, 0.2, 0.3]", "ellipsoid: b, semi_axes: [0.3, 0.1, 0.2]"},
      {"superellipsoid: a, semi_axes: [0.1, 0.2, 0.3], exponents: [0.7, 1.2]", "cylinder: b, radius: 0.1, length: 0.3"},
      {"sphere: a, radius: 0.2", "cone: b, radius: 0.2, height: 0.3"},
      {"ellipsoid: a, semi_axes: [0.1, 0.2, 0.3]", "capsule: b, radius: 0.1, length: 0.3"},
      {"sphere: a, radius: 0.2",
       "hull: b, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, 0.2]]"},
      {"ellipsoid: a, semi_axes: [0.1, 0.2, 0.3]", "box: b, size: [0.3, 0.2, 0.4]"},
      {"capsule: a, radius: 0.1, length: 0.4", "capsule: b, radius: 0.15, length: 0.3"},
  };
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int method = 0; method < METHODS; method++) {
      char text[2048];
      run r;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies: {a: {mass: 2, inertia: [0.05, 0.05, 0.05]}, b: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
               "joints: {fa: {free: [ground, a], at: [-0.6, 0, 0]}, fb: {free: [ground, b], at: [0.1, 0.1, 0.05]}}\n"
               "initial: {a: {velocity: [1, 0, 0]}}\n"
               "surfaces: {a: {%s, rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, b: {%s, rotate: {axis: [3, -1, "
               "2], angle: 0.5}, material: m}}\n"
               "materials: {m: {restitution: 1, law: hertz, stiffness: 1e8}}\n",
               shapes[k][0], shapes[k][1]);
      if (!open_with(&r, text, method)) continue;
      run_to(&r, 0.8);
      double vx = run_read(&r, "a.vx"), within = method == COMPLIANT ? 1e-6 : 1e-12;
      CHECK(vx < 0.9);
      CHECK_NEAR(2 * vx + run_read(&r, "b.vx"), 2, within);
      CHECK_NEAR(2 * run_read(&r, "a.vy") + run_read(&r, "b.vy"), 0, within);
      CHECK_NEAR(run_read(&r, "energy.kinetic"), 1, within);
      double L = 2 * (run_read(&r, "a.x") * run_read(&r, "a.vy") - run_read(&r, "a.y") * vx) +
                 run_read(&r, "b.x") * run_read(&r, "b.vy") - run_read(&r, "b.y") * run_read(&r, "b.vx") +
                 0.05 * run_read(&r, "a.wz") + 0.02 * run_read(&r, "b.wz");
      CHECK_NEAR(L, 0, 10 * within);
      CHECK_LE(1e-3, fabs(run_read(&r, "b.wz")));
      run_close(&r);
    }
}

// Parallel capsules that meet side by side touch at both ends of their overlap, and do not turn.
static void parallel_capsules_do_not_turn(void) {
  for (int method = 0; method < METHODS; method++) {
    run r;
    if (!open_with(&r,
                   "gravity: [0, 0, 0]\n"
                   "bodies: {a: {mass: 1, inertia: [0.05, 0.05, 0.05]}, b: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
                   "joints: {fa: {free: [ground, a], at: [-0.3, 0, 0]}, fb: {free: [ground, b], at: [0.1, 0, 0]}}\n"
                   "initial: {a: {velocity: [1, 0, 0]}}\n"
                   "surfaces: {a: {capsule: a, radius: 0.1, length: 0.4, material: m}, b: {capsule: b, radius: 0.1, "
                   "length: 0.2, material: m}}\n"
                   "materials: {m: {law: hertz, stiffness: 1e8}}\n",
                   method))
      continue;
    run_to(&r, 0.4);
    CHECK_NEAR(run_read(&r, "a.vx") + run_read(&r, "b.vx"), 1, 1e-9);
    if (method == COMPLIANT) CHECK(run_read(&r, "b.vx") > 0.5);
    else CHECK_NEAR(run_read(&r, "b.vx"), 0.5, 1e-12), CHECK_NEAR(run_read(&r, "b.wy"), 0, 1e-12);
    run_close(&r);
  }
}

// A capsule in the plane meets a circle and a triangle as in space.
static void planar_shapes_keep_momentum_and_energy(void) {
  static const char *const shapes[][2] = {
      {"sphere: a, radius: 0.2", "capsule: b, radius: 0.1, length: 0.3, rotate: 1.2"},
      {"sphere: a, radius: 0.2", "hull: b, points: [[0.3, 0], [-0.2, 0.2], [-0.1, -0.3]]"},
  };
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int method = 0; method < METHODS; method++) {
      char text[2048];
      run r;
      snprintf(text, sizeof text,
               "space: planar\ngravity: [0, 0]\n"
               "bodies: {a: {mass: 2, inertia: 0.05}, b: {mass: 1, inertia: 0.02}}\n"
               "joints: {fa: {free: [ground, a], at: [-0.6, 0]}, fb: {free: [ground, b], at: [0.1, 0.1]}}\n"
               "initial: {a: {velocity: [1, 0]}}\n"
               "surfaces: {a: {%s, material: m}, b: {%s, material: m}}\n"
               "materials: {m: {restitution: 1, law: hertz, stiffness: 1e8}}\n",
               shapes[k][0], shapes[k][1]);
      if (!open_with(&r, text, method)) continue;
      run_to(&r, 0.8);
      double within = method == COMPLIANT ? 1e-6 : 1e-12;
      CHECK(run_read(&r, "a.vx") < 0.9);
      CHECK_NEAR(2 * run_read(&r, "a.vx") + run_read(&r, "b.vx"), 2, within);
      CHECK_NEAR(run_read(&r, "energy.kinetic"), 1, within);
      run_close(&r);
    }
}

// --- rolling ---------------------------------------------------------------------------------------------------------

// Down a slope of 15° without slip, x = g sin θ t²/(2 (1 + I/(m r²))). The slope is level, and gravity leans.
static void bodies_of_revolution_roll_down_a_slope(void) {
  static const struct {
    const char *surface;
    double radius, inertia;  // about the axis, for 1 kg
    int methods;             // compliant refuses flat faces on a plane
  } bodies[] = {
      {"cylinder: b, radius: 0.1, length: 0.3", 0.1, 0.005, COMPLIANT},
      {"capsule: b, radius: 0.1, length: 0.3", 0.1, 0.0045, METHODS},
      {"ellipsoid: b, semi_axes: [0.1, 0.1, 0.2]", 0.1, 0.004, METHODS},
      {"superellipsoid: b, semi_axes: [0.1, 0.1, 0.2], exponents: [0.6, 1]", 0.1, 0.0045, METHODS},
  };
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    for (int method = 0; method < bodies[k].methods; method++) {
      char text[2048];
      run r;
      snprintf(
          text, sizeof text,
          "gravity: [9.81*sin(15 deg), 0, -9.81*cos(15 deg)]\n"
          "bodies: {b: {mass: 1, inertia: [0.01, %g, 0.01]}}\n"
          "joints: {f: {free: [ground, b], at: [0, 0, 0.1]}}\n"
          "surfaces: {b: {%s, rotate: {axis: x, angle: 90 deg}, material: m}, floor: {plane: ground, material: m}}\n"
          "materials: {m: {friction: 0.5, law: hunt-crossley, restitution: 0.5, stiffness: 1e11, v0: 1e-6}}\n",
          bodies[k].inertia, bodies[k].surface);
      if (!open_with(&r, text, method)) continue;
      run_to(&r, 0.5);
      double a = 9.81 * sin(15 * M_PI / 180) / (1 + bodies[k].inertia / (bodies[k].radius * bodies[k].radius));
      // moreau takes the normal row at the midpoint: exact for a constant acceleration; with a law, friction holds only
      // while the contact creeps, with v0 of 1e-6 m/s
      double within = method == COMPLIANT ? 2e-6 : 1e-8;
      CHECK_NEAR(run_read(&r, "b.x"), 0.125 * a, within);
      CHECK_NEAR(run_read(&r, "b.vx"), 0.5 * a, within);
      CHECK_NEAR(run_read(&r, "b.y"), 0, method == COMPLIANT ? 5e-7 : 1e-8);
      run_close(&r);
    }
}

// --- standing and tipping --------------------------------------------------------------------------------------------

// A body of height h on a base that reaches r along the way in which gravity leans stands up to tan = r/(h/2).
// Cylinder, cone and a hexagonal prism, which lean towards a corner, a face and in between.
static void bodies_tip_at_their_outline(void) {
  static const struct {
    const char *surface;
    double towards, reach, height;  // direction and distance of the outline there, height of the mass centre
  } bodies[] = {
      {"cylinder: b, radius: 0.1, length: 0.4", 0.5, 0.1, 0.2},
      {"cylinder: b, radius: 0.1, length: 0.4", 0.25 * M_PI, 0.1, 0.2},
      {"cone: b, radius: 0.1, height: 0.4", 0.5, 0.1, 0.2},
      {"hull: b, points: [[0.1, 0, -0.2], [0.05, 0.05*sqrt(3), -0.2], [-0.05, 0.05*sqrt(3), -0.2], [-0.1, 0, -0.2], "
       "[-0.05, -0.05*sqrt(3), "
       "-0.2], [0.05, -0.05*sqrt(3), -0.2], [0.1, 0, 0.2], [0.05, 0.05*sqrt(3), 0.2], [-0.05, 0.05*sqrt(3), 0.2], "
       "[-0.1, 0, 0.2], "
       "[-0.05, -0.05*sqrt(3), 0.2], [0.05, -0.05*sqrt(3), 0.2]]",
       M_PI / 6, 0.08660254037844387, 0.2},
  };
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    for (int method = 0; method < COMPLIANT; method++)
      for (int tips = 0; tips < 2; tips++) {
        char text[4096];
        run r;
        double lean = (tips ? 1.01 : 0.99) * bodies[k].reach / bodies[k].height;
        snprintf(text, sizeof text,
                 "gravity: [9.81*%.17g, 9.81*%.17g, -9.81]\n"
                 "bodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.005]}}\n"
                 "joints: {f: {free: [ground, b], at: [0, 0, 0.2]}}\n"
                 "surfaces: {b: {%s, material: m}, floor: {plane: ground, material: m}}\n"
                 "materials: {m: {friction: 1}}\n",
                 lean * cos(bodies[k].towards), lean * sin(bodies[k].towards), bodies[k].surface);
        if (!open_with(&r, text, method)) continue;
        run_to(&r, 0.5);
        double moved = hypot(run_read(&r, "b.x"), run_read(&r, "b.y"));
        if (tips) CHECK(moved > 1e-3);
        else CHECK_LE(moved, 1e-12);
        run_close(&r);
      }
}

// Upright and turning about its axis, at rest, as it falls and a little tilted: friction on the rim takes 2μg/r from
// the rate.
static void a_cylinder_spins_down_on_its_rim(void) {
  static const struct { double height, tilt; } starts[] = {{0.05, 0}, {0.0501, 0}, {0.0501, 1e-9}, {0.0501, 1e-6}};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
    char text[2048];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {b: {mass: 1, inertia: [0.0015, 0.0015, 0.00125]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, %.17g]}}\n"
             "surfaces: {b: {cylinder: b, radius: 0.05, length: 0.1, rotate: {axis: x, angle: %.17g}, material: m}, "
             "floor: {plane: ground, material: m}}\n"
             "materials: {m: {friction: 0.3}}\n"
             "initial: {b: {omega: [0, 0, 20]}}\n",
             starts[k].height, starts[k].tilt);
    if (!open_with(&r, text, MOREAU)) continue;
    run_to(&r, 0.05);
    double before = run_read(&r, "b.wz");
    run_to(&r, 0.1);
    CHECK_NEAR((before - run_read(&r, "b.wz")) / 0.05, 2 * 0.3 * 9.81 / 0.05, 0.2);
    run_close(&r);
  }
}

int main(void) {
  RUN(smooth_bodies_keep_momentum_and_energy);
  RUN(parallel_capsules_do_not_turn);
  RUN(planar_shapes_keep_momentum_and_energy);
  RUN(bodies_of_revolution_roll_down_a_slope);
  RUN(bodies_tip_at_their_outline);
  RUN_OPTIMISED(a_cylinder_spins_down_on_its_rim);
  RUN(a_ball_bounces_on_a_box_as_on_a_plane);
  RUN(a_ball_leaves_an_edge_along_the_normal);
  return check_summary();
}
