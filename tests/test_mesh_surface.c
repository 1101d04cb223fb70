// Surfaces of triangles, given one by one or by a file: what touches them, and that inner edges catch nothing.
#include "runs.h"

#include "sim.h"

enum { ALONG = 24, ACROSS = 5 };

// A level sheet of 1.2 m by 0.25 m around the x axis, with inner points moved in the sheet, as keys of a surface.
static void print_sheet(char *text, size_t size) {
  size_t n = (size_t)snprintf(text, size, "points: [");
  for (int j = 0; j <= ACROSS; j++)
    for (int i = 0; i <= ALONG; i++) {
      bool inner = i > 0 && i < ALONG && j > 0 && j < ACROSS;
      double x = 0.05 * (i + (inner ? uniform(-0.3, 0.3) : 0)) - 0.1,
             y = 0.05 * (j + (inner ? uniform(-0.3, 0.3) : 0)) - 0.125;
      n += (size_t)snprintf(text + n, size - n, "[%.17g, %.17g, 0], ", x, y);
    }
  n += (size_t)snprintf(text + n, size - n, "], triangles: [");
  for (int j = 0; j < ACROSS; j++)
    for (int i = 0; i < ALONG; i++) {
      int a = j * (ALONG + 1) + i + 1, b = a + 1, c = b + ALONG + 1, d = a + ALONG + 1;
      if (uniform(0, 1) < 0.5) n += (size_t)snprintf(text + n, size - n, "%d, %d, %d, %d, %d, %d, ", a, b, c, a, c, d);
      else n += (size_t)snprintf(text + n, size - n, "%d, %d, %d, %d, %d, %d, ", a, b, d, b, c, d);
    }
  snprintf(text + n, size - n, "]");
}

// One metre, rolling with spin about all axes.
static void a_ball_rolls_over_triangles_as_over_a_plane(void) {
  static char sheet[40000], text[50000];
  print_sheet(sheet, sizeof sheet);
  double end[2][9];
  static const char *const names[] = {"b.x", "b.y", "b.z", "b.qx", "b.qy", "b.qz", "b.wx", "b.wy", "b.wz"};
  for (int k = 0; k < 2; k++) {
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, 0.05]}}\ninitial: {b: {velocity: [1, 0.02, 0], omega: [1, 15, "
             "3]}}\n"
             "surfaces: {ball: {sphere: b, radius: 5 cm, material: m}, floor: {%s%s, material: m}}\n"
             "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
             k ? "mesh: ground, " : "plane: ground", k ? sheet : "");
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 1.02);
    for (int i = 0; i < 9; i++) end[k][i] = run_read(&r, "%s", names[i]);
    CHECK_NEAR(run_read(&r, "b.z"), 0.05, 1e-9);
    run_close(&r);
  }
  CHECK(end[0][0] > 0.9);
  for (int i = 0; i < 9; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-9);
}

#define CUBE                                                                                                         \
  "points: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, 0.1], [0.1, "   \
  "-0.1, 0.1], [0.1, 0.1, 0.1], "                                                                                    \
  "[-0.1, 0.1, 0.1]], triangles: [[1, 3, 2], [1, 4, 3], [5, 6, 7], [5, 7, 8], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, " \
  "7, 6], [3, 4, 8], [3, 8, 7], [4, 1, 5], [4, 5, 8]]"

// A moving cube of triangles is a box for balls and points: it meets them alike.
static void a_moving_mesh_meets_balls_as_a_box_does(void) {
  double end[2][6];
  static const char *const names[] = {"a.vx", "a.vy", "a.wz", "b.vx", "b.vy", "b.wz"};
  for (int k = 0; k < 2; k++) {
    char text[4096];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1e-2, 1e-2, 1e-2]}, b: {mass: 2, inertia: [0.01, "
             "0.01, 0.01]}}\n"
             "joints: {fa: {free: [ground, a], at: [-0.4, 0.12, 0.01]}, fb: {free: [ground, b]}}\n"
             "initial: {a: {velocity: [1, 0, 0]}, b: {omega: [0, 0, 0.3]}}\n"
             "surfaces: {ball: {sphere: a, radius: 5 cm, material: m}, cube: {%s, material: m}}\n"
             "materials: {m: {friction: 0.3, restitution: 0.8}}\nmethod: {moreau: {step: 1e-4}}\n",
             k ? "mesh: b, " CUBE : "box: b, size: [0.2, 0.2, 0.2]");
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 0.6);
    for (int i = 0; i < 6; i++) end[k][i] = run_read(&r, "%s", names[i]);
    run_close(&r);
  }
  CHECK(end[0][0] < 0.9 && fabs(end[0][1]) > 1e-3);
  // a point of contact is midway on a box and on the ball on triangles: half a penetration of a step, 5e-5 m of an arm
  // of 0.1 m
  for (int i = 0; i < 6; i++) CHECK_NEAR(end[1][i], end[0][i], 5e-4);
}

// Sliding or rolling over triangles as over a plane: corners, ends, rims and side lines catch nowhere. (What spins on a
// face is no measure: how several points share its weight, and with it the torque of their friction, is not
// determined.)
static void shapes_move_over_triangles_as_over_a_plane(void) {
  static char sheet[40000], text[50000];
  static const struct {
    const char *keys, *start;
    double height;
  } bodies[] = {
      {"box: b, size: [0.08, 0.06, 0.04]", "velocity: [1, 0.05, 0]", 0.02},
      {"hull: b, points: [[0.05, 0, -0.02], [-0.04, 0.04, -0.02], [-0.04, -0.04, -0.02], [0, 0, 0.05]]",
       "velocity: [1, 0, 0]", 0.02},
      {"capsule: b, radius: 0.02, length: 0.06, rotate: {axis: x, angle: 90 deg}",
       "velocity: [0.5, 0, 0], omega: [0, 25, 0]", 0.02},
      {"cylinder: b, radius: 0.03, length: 0.06, rotate: {axis: x, angle: 90 deg}",
       "velocity: [0.5, 0, 0], omega: [0, 10, 0]", 0.03},
      {"cylinder: b, radius: 0.03, length: 0.04", "velocity: [0.8, 0, 0]", 0.02},
      {"ellipsoid: b, semi_axes: [0.03, 0.05, 0.03]", "velocity: [0.5, 0, 0], omega: [0, 15, 0]", 0.03},
      {"cone: b, radius: 0.03, height: 0.04", "velocity: [0.8, 0, 0]", 0.02},
  };
  print_sheet(sheet, sizeof sheet);
  for (size_t j = 0; j < sizeof bodies / sizeof *bodies; j++) {
    double end[2][9];
    static const char *const names[] = {"b.x", "b.y", "b.z", "b.qx", "b.qy", "b.qz", "b.wx", "b.wy", "b.wz"};
    for (int k = 0; k < 2; k++) {
      run r;
      snprintf(text, sizeof text,
               "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
               "joints: {f: {free: [ground, b], at: [0, 0, %g]}}\ninitial: {b: {%s}}\n"
               "surfaces: {b: {%s, material: m}, floor: {%s%s, material: m}}\n"
               "materials: {m: {friction: 0.1}}\nmethod: {moreau: {step: 5e-4}}\n",
               bodies[j].height, bodies[j].start, bodies[j].keys, k ? "mesh: ground, " : "plane: ground",
               k ? sheet : "");
      if (!run_open_text(&r, text, "")) return;
      run_to(&r, 0.5);
      for (int i = 0; i < 9; i++) end[k][i] = run_read(&r, "%s", names[i]);
      run_close(&r);
    }
    CHECK(end[0][0] > 0.2);
    for (int i = 0; i < 9; i++)
      if (!CHECK_NEAR(end[1][i], end[0][i], 1e-7)) printf("      body %d, %s\n", (int)j, names[i]);
  }
}

// A plate on a cube of triangles, turned and overhanging: corners of both and crossings of edges carry it, and it tips
// where its outline ends.
static void a_plate_tips_over_the_edge_of_a_mesh(void) {
  static const char *const plates[] = {"box: b, size: [0.3, 0.1, 0.02]", "box: b, size: [0.3, 0.4, 0.02]",
                                       "cylinder: b, radius: 0.14, length: 0.02"};
  for (int k = 0; k < 6; k++) {
    char text[4096];
    run r;
    int tips = k % 2;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
             "joints: {f: {free: [ground, b], at: [%g, 0, 0.11]}}\n"
             "surfaces: {b: {%s, material: m}, cube: {mesh: ground, " CUBE
             ", material: m}}\n"
             "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
             tips ? 0.101 : 0.099, plates[k / 2]);
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 0.3);
    double down = 0.11 - run_read(&r, "b.z");
    if (tips) CHECK(down > 1e-3);
    else CHECK_NEAR(down, 0, 1e-9);
    if (!tips) CHECK_NEAR(run_read(&r, "b-cube.fn"), 9.81, 1e-6);
    run_close(&r);
  }
}

// A box that falls on the ridge and on the tip of a mesh bounces off: the gap is that of edges and vertices.
static void a_box_meets_ridges_and_tips(void) {
  static const char *const meshes[] = {
      "points: [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [0, -1, 0], [0, 1, 0]], triangles: [2, 3, 6, 2, 6, "
      "5, 4, 1, 5, 4, 5, 6]",
      "points: [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [0, 0, 0]], triangles: [1, 2, 5, 2, 3, 5, 3, 4, 5, "
      "4, 1, 5]"};
  for (int k = 0; k < 4; k++) {
    char text[4096];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, 0.2]}}\ninitial: {b: {velocity: [0, 0, -1]}}\n"
             "surfaces: {b: {%s, material: m}, m: {mesh: ground, %s, material: m}}\n"
             "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
             k / 2 ? "cylinder: b, radius: 0.1, length: 0.1" : "box: b, size: [0.2, 0.2, 0.1]", meshes[k % 2]);
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 0.3);
    CHECK_NEAR(run_read(&r, "b.vz"), 0.5, 1e-9);
    CHECK_NEAR(hypot(run_read(&r, "b.wx"), run_read(&r, "b.wy")), 0, 1e-9);
    CHECK_NEAR(run_read(&r, "b.z"), 0.05 + 0.5 * 0.15, 1e-3);
    run_close(&r);
  }
}

// A moving mesh has the corners of its hull on a plane.
static void a_mesh_slides_on_a_plane_as_a_box_does(void) {
  double end[2];
  for (int k = 0; k < 2; k++) {
    char text[4096];
    run r;
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [1e-2, 1e-2, 1e-2]}}\njoints: {f: {free: [ground, b], "
        "at: [0, 0, 0.1]}}\n"
        "initial: {b: {velocity: [1, 0, 0]}}\nsurfaces: {b: {%s, material: m}, floor: {plane: ground, material: m}}\n"
        "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
        k ? "mesh: b, " CUBE : "box: b, size: [0.2, 0.2, 0.2]");
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 0.5);
    end[k] = run_read(&r, "b.x");
    run_close(&r);
  }
  CHECK_NEAR(end[1], end[0], 1e-12);
}

// Beside the border of an open sheet, and below it, a ball falls.
static void a_ball_falls_past_the_border_of_a_sheet(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, -10]\nbodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
                     "joints: {f: {free: [ground, b], at: [1.06, 0.5, 0.1]}}\n"
                     "surfaces: {ball: {sphere: b, radius: 5 cm, material: m}, floor: {mesh: ground, points: [[0, 0, "
                     "0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "
                     "triangles: [1, 2, 3, 1, 3, 4], material: m}}\n"
                     "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
                     ""))
    return;
  run_to(&r, 0.5);
  CHECK_NEAR(run_read(&r, "b.z"), 0.1 - 1.25, 1e-9);
  CHECK_NEAR(run_read(&r, "b.vx"), 0, 1e-12);
  run_close(&r);
}

// However far a shape is from the triangles, the gap of the pair is their distance: above them, and beside their
// border.
static void the_gap_is_the_distance_far_away_too(void) {
  static const char *const shapes[] = {
      "box: b, size: [0.4, 0.4, 0.2]", "cylinder: b, radius: 0.2, length: 0.2",
      "ellipsoid: b, semi_axes: [0.2, 0.2, 0.1]",
      "hull: b, points: [[0.2, 0, 0.1], [0, 0.2, 0], [-0.2, 0, 0], [0, -0.2, 0], [0, 0, -0.1]]",
      "sphere: b, radius: 0.1"};
  static const double places[][4] = {{0, 0.1, 0.3, 0.2}, {0.1, 0, 5, 4.9}, {0.1, 0.1, 400, 399.9}, {5, 0, 0, 3.8}};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 4; i++)
      for (int of_heights = 0; of_heights < 2; of_heights++) {
        char text[2048];
        run r;
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, b], at: "
            "[%g, %g, %g]}}\n"
            "surfaces: {s: {%s, material: m}, floor: {%s, material: m}}\nmaterials: {m: {friction: 0.3}}\nmethod: "
            "{moreau: {step: 1e-3}}\n",
            places[i][0], places[i][1], places[i][2], shapes[k],
            of_heights
                ? "height_field: ground, at: [-1, -1, 0], columns: 3, spacing: 1, heights: [0, 0, 0, 0, 0, 0, 0, 0, 0]"
                : "mesh: ground, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles: [1, 2, 3, 1, 3, "
                  "4]");
        if (!run_open_text(&r, text, "")) return;
        run_to(&r, 1e-3);
        if (!CHECK_NEAR(run_read(&r, "s-floor.gap"), places[i][3] + (k == 4 && i == 3 ? 0.1 : 0), 1e-9))
          printf("      %s at %g\n", shapes[k], places[i][2]);
        run_close(&r);
      }
}

// A box on 100 bumps of one height, with its centre of mass near one side: what holds it is as wide as the box.
static void a_box_on_many_bumps_stays_level(void) {
  enum { SIDE = 31 };
  static char text[20000];
  size_t n = (size_t)snprintf(
      text, sizeof text,
      "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: [ground, b], at: "
      "[0.0037, 0.2021, 0.1021]}}\n"
      "surfaces:\n  box: {box: b, size: [0.56, 0.56, 0.2], at: [0, -0.2, 0], material: m}\n"
      "  floor: {height_field: ground, at: [-0.45, -0.45, 0], material: m, columns: %d, spacing: 0.03, heights: [",
      SIDE);
  for (int i = 0; i < SIDE * SIDE; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%g, ", i / SIDE % 2 && i % SIDE % 2 ? 0.002 : 0.0);
  snprintf(text + n, sizeof text - n, "]}\nmaterials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 2e-3}}\n");
  run r;
  if (!run_open_text(&r, text, "")) return;
  double turn = 0;
  for (int i = 1; i <= 10; i++) {
    run_to(&r, 2e-3 * i);
    turn = fmax(turn, hypot(run_read(&r, "b.wx"), run_read(&r, "b.wy")));
  }
  CHECK_NEAR(run_read(&r, "b.z"), 0.102, 1e-4);
  CHECK_NEAR(turn, 0, 1e-6);
  run_close(&r);
}

// An upright cylinder over 3900 triangles of one plane stands on all of its rim.
static void a_cylinder_on_a_fine_grid_stays_level(void) {
  enum { SIDE = 61 };
  static char text[20000];
  size_t n = (size_t)snprintf(
      text, sizeof text,
      "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.02, 0.02, 0.03]}}\njoints: {f: {free: [ground, b], "
      "at: [0.0037, 0.0021, 0.0501]}}\n"
      "surfaces:\n  b: {cylinder: b, radius: 0.25, length: 0.1, material: m}\n"
      "  floor: {height_field: ground, at: [-0.3, -0.3, 0], material: m, columns: %d, spacing: 0.01, heights: [",
      SIDE);
  for (int i = 0; i < SIDE * SIDE; i++) n += (size_t)snprintf(text + n, sizeof text - n, "0, ");
  snprintf(text + n, sizeof text - n, "]}\nmaterials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 2e-3}}\n");
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 40e-3);
  CHECK_NEAR(run_read(&r, "b.z"), 0.05, 1e-4);
  CHECK_NEAR(hypot(run_read(&r, "b.wx"), run_read(&r, "b.wy")), 0, 1e-9);
  run_close(&r);
}

// A sheet on ground that faces downwards is told; one that faces upwards, or is flipped, is not. What is behind it at
// the start is refused with that advice.
static void a_flipped_sheet_is_told(void) {
  static const char *const keys[] = {"triangles: [1, 3, 2, 1, 4, 3]", "triangles: [1, 2, 3, 1, 3, 4]",
                                     "triangles: [1, 3, 2, 1, 4, 3], flip: true",
                                     "triangles: [1, 2, 3, 1, 3, 4], rotate: {axis: x, angle: 180 deg}"};
  for (int i = 0; i < 8; i++) {
    char text[1024];
    run r;
    const char *sheet = keys[i % 4];
    bool flipped = i % 4 == 0 || i % 4 == 3, above = i >= 4, told = false;
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, b], at: [%d, 0, 0.3]}}\n"
             "surfaces: {ball: {sphere: b, radius: 5 cm, material: m}, floor: {mesh: ground, points: [[-1, -1, 0], [1, "
             "-1, 0], [1, 1, 0], [-1, 1, 0]], %s, material: m}}\n"
             "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
             above ? 0 : 5, sheet);
    if (!CHECK(write_text(scratch("model.yaml"), text))) return;
    bool opened = run_try(&r, scratch("model.yaml"), NULL);
    if (!CHECK_EQUAL(opened, !(flipped && above))) printf("      %s: %s\n", sheet, r.error.text);
    if (!opened) CHECK_CONTAINS(r.error.text, "flip: true");
    for (int k = 0; opened && carom_model_note(r.model, k); k++)
      told |= strstr(carom_model_note(r.model, k), "face downwards") != NULL;
    if (opened && !CHECK_EQUAL(told, flipped)) printf("      %s\n", sheet);
    run_close(&r);
  }
}

// A blade of triangles turns past a small cube of triangles by 1 rad a step. Without a search for the time of impact it
// passes, and that is counted.
static void a_blade_that_turns_through_a_mesh_is_counted(void) {
  static const char box[] =
      "triangles: [1, 4, 3, 1, 3, 2, 5, 6, 7, 5, 7, 8, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 4, 8, 3, 8, 7, 4, 1, 5, "
      "4, 5, 8]";
  char text[2000];
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\nparameters: {angle: 0.5, a: 5 mm, c: 50 mm}\nbodies: {blade: {mass: 1, inertia: [1e-4, "
           "1/12, 1/12], com: [0.5, 0, 0]}, cube: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints: {h: {revolute: [ground, blade], axis: z}, f: {free: [ground, cube], at: [0.8*cos(angle), "
           "0.8*sin(angle), 0]}}\n"
           "surfaces:\n  blade: {mesh: blade, material: m, points: [[0.1, -a, -c], [0.1, a, -c], [0.1, a, c], [0.1, "
           "-a, c], [1, -a, -c], [1, a, -c], [1, a, c], [1, -a, c]], %s}\n"
           "  cube: {mesh: cube, material: m, points: [[-a, -a, -a], [-a, a, -a], [-a, a, a], [-a, -a, a], [a, -a, "
           "-a], [a, a, -a], [a, a, a], [a, -a, a]], %s}\n"
           "materials: {m: {restitution: 1}}\ninitial: {h: {u: 1000}}\nmethod: {moreau: {step: 1 ms, time_of_impact: "
           "false}}\n",
           box, box);
  for (int i = 0; i < 2; i++) {
    run r;
    if (!run_open_text(&r, text, i ? "angle=0.6" : "angle=0.2")) return;
    run_to(&r, 4e-3);
    CHECK_LE(1, (double)carom_sim_summary(r.sim).step_too_large);
    run_close(&r);
  }
}

static void expect_error(const char *keys, const char *words) {
  char text[1024];
  carom_error error = {0};
  snprintf(text, sizeof text,
           "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, b], at: [0, 0, 9]}}\n"
           "surfaces: {ball: {sphere: b, radius: 5 cm, material: m}, floor: {mesh: ground, %s, material: m}}\n"
           "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
           keys);
  carom_model *model = carom_model_parse(text, "test", &error);
  CHECK(model == NULL && error.status == CAROM_ERROR_MODEL);
  CHECK_CONTAINS(error.text, words);
  carom_model_destroy(model);
}

static void meshes_that_are_wrong_are_refused(void) {
  expect_error("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "at least three points");
  expect_error("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [1, 2]", "three of their numbers");
  expect_error("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [1, 2, 4]", "numbers of points, from 1 on");
  expect_error("points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], triangles: [1, 2, 3]", "no triangle has an area");
  expect_error("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [1, 2, 3], file: x.stl",
               "either a file, or points and triangles");
  expect_error("points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], triangles: [1, 2, 3, 2, 3, 4]", "has no outside");
  expect_error("file: nowhere.stl", "cannot read");
}

// Beside the border of an open mesh there is nothing, also where the nearest place is one of its corners.
static void what_is_beside_an_open_mesh_falls(void) {
  static const double starts[][2] = {{5, 5}, {5, 0.5}, {1.6, 1.6}, {-3, 4}};
  for (int i = 0; i < 4; i++)
    for (int point = 0; point < 2; point++) {
      run r;
      char text[1000];
      snprintf(text, sizeof text,
               "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {a: {free: [ground, a], "
               "at: [%g, %g, 0.6]}}\n"
               "surfaces:\n  s: {%s: a, %s material: m}\n"
               "  g: {mesh: ground, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], triangles: [1, 2, 3, 1, 3, "
               "4], material: m}\n"
               "materials: {m: {}}\nmethod: {moreau: {step: 1 ms}}\n",
               starts[i][0], starts[i][1], point ? "point" : "sphere", point ? "" : "radius: 0.5,");
      if (!run_open_text(&r, text, NULL)) return;
      run_to(&r, 1);
      CHECK_NEAR(run_read(&r, "a.z"), 0.6 - 0.5 * 9.81, 1e-9);
      CHECK_NEAR(run_read(&r, "a.x"), starts[i][0], 1e-12);
      run_close(&r);
    }
}

// A block of 0.2 m in millimetres, with a corner dented in: its hull is the block.
static bool write_block(void) {
  return CHECK(write_text(scratch("block.obj"),
                          "v -100 -100 -100\nv 100 -100 -100\nv 100 100 -100\nv -100 100 -100\nv -100 -100 100\nv 100 "
                          "-100 100\nv 100 100 100\nv -100 100 100\nv 0 0 50\n"
                          "f 1 3 2\nf 1 4 3\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf "
                          "3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"));
}

// The hull of a file slides and turns as the same points do, as a surface and as the shape of a body.
static void the_hull_of_a_file_is_a_surface(void) {
  static const char *const forms[] = {
      ("mass: 1, inertia: [1e-2, 1e-2, 1e-2]}}\nsurfaces: {b: {hull: b, points: [[-0.1, -0.1, -0.1], [0.1, -0.1, "
       "-0.1], [0.1, 0.1, -0.1], [-0.1, 0.1, -0.1], "
       "[-0.1, -0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0.1, 0.1], [-0.1, 0.1, 0.1]], material: m}"),
      "mass: 1, inertia: [1e-2, 1e-2, 1e-2]}}\nsurfaces: {b: {hull: b, file: block.obj, scale: 1 mm, material: m}",
      "mass: 1, inertia: [1e-2, 1e-2, 1e-2], shape: {hull: {file: block.obj, scale: 1 mm}, material: m}}}\nsurfaces: "
      "{"};
  static const char *const others[] = {"plane: ground", "box: ground, at: [0, 0, -0.1], size: [4, 4, 0.2]"};
  double end[3][2];
  if (!write_block()) return;
  for (int k = 0; k < 6; k++) {
    char text[4096];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {b: {%s%sfloor: {%s, material: m}}\njoints: {f: {free: [ground, b], at: "
             "[0, 0, 0.12]}}\n"
             "initial: {b: {velocity: [1, 0, 0], omega: [0.3, 1, 0.2]}}\nmaterials: {m: {friction: 0.3}}\nmethod: "
             "{moreau: {step: 1e-3}}\n",
             forms[k / 2], k / 2 < 2 ? ", " : "", others[k % 2]);
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 0.5);
    end[k / 2][k % 2] = run_read(&r, "b.x");
    CHECK_NEAR(end[k / 2][k % 2], end[0][k % 2], 1e-9);
    run_close(&r);
  }
}

// A ball of 2000 triangles has more corners than a contact has points: 64 of them count, which leave out less than 6 %
// of the radius, and a note says so. It lies on the plane at its radius, within that.
static void a_hull_with_many_corners_is_thinned(void) {
  enum { ROUND = 40, UP = 25 };
  static char obj[120000];
  size_t n = 0;
  for (int j = 0; j <= UP; j++)
    for (int i = 0; i < ROUND; i++) {
      double up = M_PI * j / UP, round = 2 * M_PI * i / ROUND;
      n += (size_t)snprintf(obj + n, sizeof obj - n, "v %.9g %.9g %.9g\n", sin(up) * cos(round), sin(up) * sin(round),
                            cos(up));
    }
  for (int j = 0; j < UP; j++)
    for (int i = 0; i < ROUND; i++) {
      int a = j * ROUND + i + 1, b = j * ROUND + (i + 1) % ROUND + 1;
      n += (size_t)snprintf(obj + n, sizeof obj - n, "f %d %d %d\nf %d %d %d\n", a, a + ROUND, b, b, a + ROUND,
                            b + ROUND);
    }
  run r;
  if (!CHECK(write_text(scratch("ball.obj"), obj))) return;
  if (!run_open_text(&r,
                     "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\njoints: {f: {free: "
                     "[ground, b], at: [0, 0, 1.02]}}\n"
                     "surfaces: {b: {hull: b, file: ball.obj, material: m}, floor: {plane: ground, material: "
                     "m}}\nmaterials: {m: {friction: 0.3}}\n"
                     "method: {moreau: {step: 1e-3}}\n",
                     ""))
    return;
  bool told = false;
  for (int i = 0; carom_model_note(r.model, i); i++)
    told |= strstr(carom_model_note(r.model, i), "contact is with 64 of them") != NULL;
  CHECK(told);
  run_to(&r, 0.3);
  CHECK_NEAR(run_read(&r, "b.z"), 1, 0.05);
  run_close(&r);
}

static void wrong_hulls_are_refused(void) {
  static const struct {
    const char *surface, *why;
  } wrong[] = {
      {"hull: b, file: block.obj, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "either a file or points"},
      {"hull: b", "at least four points, or a file"},
      {"hull: b, file: nothing.obj", "nothing.obj"},
      {"hull: b, scale: 1 mm, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "'scale' is the unit of a file"}};
  if (!write_block()) return;
  for (int i = 0; i < 4; i++) {
    char text[1000];
    run r;
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, b], at: [0, 0, 9]}}\n"
             "surfaces: {s: {%s, material: m}, p: {plane: ground, material: m}}\nmaterials: {m: {}}\nmethod: {moreau: "
             "{step: 1 ms}}\n",
             wrong[i].surface);
    if (!CHECK(write_text(scratch("model.yaml"), text))) return;
    CHECK(!run_try(&r, scratch("model.yaml"), NULL));
    if (!CHECK(strstr(r.error.text, wrong[i].why) != NULL)) printf("      %s\n", r.error.text);
    run_close(&r);
  }
}

#define SLAB(x, y, z)                                                                                                 \
  "points: [[-" x ", -" y ", -" z "], [" x ", -" y ", -" z "], [" x ", " y ", -" z "], [-" x ", " y ", -" z "], [-" x \
  ", -" y ", " z "], [" x ", -" y ", " z                                                                              \
  "], "                                                                                                               \
  "[" x ", " y ", " z "], [-" x ", " y ", " z                                                                         \
  "]], triangles: [1, 3, 2, 1, 4, 3, 5, 6, 7, 5, 7, 8, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 4, 8, 3, 8, 7, 4, 1, "  \
  "5, 4, 5, 8]"

// A cube on a slab, both of triangles, slides as far as box on box: from where all its corners are on it, and over its
// edge; on ground and on a body.
static void a_mesh_slides_on_a_mesh_as_a_box_does(void) {
  for (int over = 0; over < 2; over++)
    for (int swap = 0; swap < 2; swap++) {
      double end[2][3];
      for (int k = 0; k < 2; k++) {
        char text[4096];
        run r;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [1e-2, 1e-2, 1e-2]}}\njoints: {f: {free: "
                 "[ground, b], at: [%g, 0.013, 0.1]}}\n"
                 "initial: {b: {velocity: [1, 0.1, 0]}}\nsurfaces: {%s: {%s, material: m}, %s: {%s, material: m}}\n"
                 "materials: {m: {friction: 0.3}}\nmethod: {moreau: {step: 1e-3}}\n",
                 over ? 0.25 : 0, swap ? "z" : "b", k ? "mesh: b, " CUBE : "box: b, size: [0.2, 0.2, 0.2]",
                 swap ? "b" : "z",
                 k ? "mesh: ground, at: [0, 0, -0.1], " SLAB("0.4", "0.4", "0.1")
                   : "box: ground, at: [0, 0, -0.1], size: [0.8, 0.8, 0.2]");
        if (!run_open_text(&r, text, "")) return;
        run_to(&r, over ? 0.12 : 0.5);  // half of it over the edge
        end[k][0] = run_read(&r, "b.x"), end[k][1] = run_read(&r, "b.z"), end[k][2] = run_read(&r, "b.wy");
        CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
        run_close(&r);
      }
      for (int i = 0; i < 3; i++) CHECK_NEAR(end[1][i], end[0][i], 1e-7);
    }
}

// Two ridges across each other: the edge of a prism falls on that of another, and bounces with e times its speed
// without a turn.
static void edges_of_meshes_meet(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\nparameters: {v: 1}\nbodies: {b: {mass: 1, inertia: [1e-2, 1e-2, 1e-2]}}\njoints: {f: {free: "
      "[ground, b], at: [0, 0, 0.3]}}\n"
      "surfaces:\n  low: {mesh: ground, points: [[-0.3, -0.1, 0], [0.3, -0.1, 0], [0.3, 0.1, 0], [-0.3, 0.1, 0], "
      "[-0.3, 0, 0.1], [0.3, 0, 0.1]], "
      "triangles: [1, 3, 2, 1, 4, 3, 1, 2, 6, 1, 6, 5, 3, 4, 5, 3, 5, 6, 1, 5, 4, 2, 3, 6], material: m}\n"
      "  high: {mesh: b, points: [[-0.1, -0.3, 0], [-0.1, 0.3, 0], [0.1, 0.3, 0], [0.1, -0.3, 0], [0, -0.3, -0.1], [0, "
      "0.3, -0.1]], "
      "triangles: [1, 3, 2, 1, 4, 3, 1, 2, 6, 1, 6, 5, 3, 4, 5, 3, 5, 6, 1, 5, 4, 2, 3, 6], material: m}\n"
      "materials: {m: {restitution: 0.5}}\ninitial: {b: {velocity: [0, 0, -v]}}\nmethod: {moreau: {step: 1e-3}}\n";
  static const double speeds[] = {1, 30, 1000};
  for (int i = 0; i < 3; i++) {
    run r;
    char settings[32];
    snprintf(settings, sizeof settings, "v=%g", speeds[i]);
    if (!run_open_text(&r, text, settings)) return;
    run_to(&r, 0.3 / speeds[i]);
    CHECK_NEAR(run_read(&r, "b.vz"), 0.5 * speeds[i], 1e-9 * speeds[i]);
    CHECK_NEAR(hypot(run_read(&r, "b.wx"), run_read(&r, "b.wy")), 0, 1e-6 * speeds[i]);
    CHECK_NEAR(run_read(&r, "b.z"), 0.2 + 0.5 * 0.2, 1e-3 + 5e-4 * fmin(speeds[i], 30));  // up to half a step late
    CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 0);
    run_close(&r);
  }
  run r;
  if (!run_open_text(&r, text, "v=1000 method.moreau.time_of_impact=false")) return;
  run_to(&r, 2e-3);
  CHECK_EQUAL((int)carom_sim_summary(r.sim).step_too_large, 1);
  run_close(&r);
}

// A cube in a channel with walls, and another cube on top: both stay where they are.
static void meshes_rest_on_meshes(void) {
  static const char text[] =
      "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [1e-2, 1e-2, 1e-2]}, b: {mass: 1, inertia: [1e-2, 1e-2, "
      "1e-2]}}\n"
      "joints: {fa: {free: [ground, a], at: [0.003, 0.002, 0.1]}, fb: {free: [ground, b], at: [0.02, -0.01, 0.3]}}\n"
      "surfaces:\n  a: {mesh: a, " CUBE ", material: m}\n  b: {mesh: b, " CUBE
      ", material: m}\n"
      "  channel: {mesh: ground, points: [[-1, -0.3, -0.1], [-1, 0.3, -0.1], [-1, 0.3, 0.1], [-1, 0.12, 0.1], [-1, "
      "0.12, 0], [-1, -0.12, 0], [-1, -0.12, 0.1], [-1, -0.3, 0.1], "
      "[1, -0.3, -0.1], [1, 0.3, -0.1], [1, 0.3, 0.1], [1, 0.12, 0.1], [1, 0.12, 0], [1, -0.12, 0], [1, -0.12, 0.1], "
      "[1, -0.3, 0.1]], "
      "triangles: [1, 10, 2, 1, 9, 10, 2, 11, 3, 2, 10, 11, 3, 12, 4, 3, 11, 12, 4, 13, 5, 4, 12, 13, 5, 14, 6, 5, 13, "
      "14, 6, 15, 7, 6, 14, 15, 7, 16, 8, 7, 15, 16, "
      "8, 9, 1, 8, 16, 9, 1, 6, 8, 6, 7, 8, 1, 2, 6, 2, 5, 6, 2, 3, 5, 3, 4, 5, 9, 16, 14, 14, 16, 15, 9, 14, 10, 10, "
      "14, 13, 10, 13, 11, 11, 13, 12], flip: true, material: m}\n"
      "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.5);
  static const double rest[] = {0.1, 0.3};
  for (int i = 0; i < 2; i++) {
    CHECK_NEAR(run_read(&r, "%c.z", "ab"[i]), rest[i], 1e-8);
    CHECK_NEAR(run_read(&r, "%c.x", "ab"[i]), i ? 0.02 : 0.003, 1e-8);
    CHECK_NEAR(run_read(&r, "%c.y", "ab"[i]), i ? -0.01 : 0.002, 1e-8);
  }
  run_close(&r);
}

// A torus of 2304 triangles in a file, its axis along z: 48 vertices touch a level plane, and its hull has 624 corners.
enum { TORUS_ROUND = 48, TORUS_TUBE = 24 };

static bool write_torus(void) {
  static char obj[200000];
  size_t n = 0;
  for (int i = 0; i < TORUS_ROUND; i++)
    for (int j = 0; j < TORUS_TUBE; j++) {
      double round = 2 * M_PI * i / TORUS_ROUND, tube = 2 * M_PI * j / TORUS_TUBE, r = 0.1 + 0.03 * cos(tube);
      n += (size_t)snprintf(obj + n, sizeof obj - n, "v %.17g %.17g %.17g\n", r * cos(round), r * sin(round),
                            0.03 * sin(tube));
    }
  for (int i = 0; i < TORUS_ROUND; i++)
    for (int j = 0; j < TORUS_TUBE; j++) {
      int next = (i + 1) % TORUS_ROUND * TORUS_TUBE, up = (j + 1) % TORUS_TUBE, a = i * TORUS_TUBE + j + 1,
          b = next + j + 1, c = next + up + 1, d = i * TORUS_TUBE + up + 1;
      n += (size_t)snprintf(obj + n, sizeof obj - n, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
    }
  return CHECK(write_text(scratch("torus.obj"), obj));
}

static bool open_on_plane(run *r, const char *surface, const char *start, const char *method) {
  char text[2048];
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 2, inertia: [0.012, 0.012, 0.022]}}\njoints: {f: {free: "
           "[ground, b]}}\ninitial: {%s}\n"
           "surfaces: {s: {mesh: b, %s, material: m}, floor: {plane: ground, material: m}}\n"
           "materials: {m: {friction: 0.3%s, foundation: 1e8}}\nmethod: %s\nend: 2\n",
           start, surface, strcmp(method, "compliant") == 0 ? ", restitution: 1" : "", method);
  return CHECK(write_text(scratch("model.yaml"), text)) && run_try(r, scratch("model.yaml"), "");
}

// A mesh of any size rests on a plane with its lowest vertices: fallen from 5 cm, tilted by 0.2 rad.
static void a_torus_falls_on_a_plane(void) {
  run r;
  if (!write_torus() || !CHECK(open_on_plane(&r, "file: torus.obj", "f: {q: [cos(0.1), sin(0.1), 0, 0, 0, 0, 0.1]}",
                                             "{moreau: {step: 1e-3}}")))
    return;
  run_to(&r, 1.5);
  double z = run_read(&r, "b.z");
  run_to(&r, 2);
  CHECK_NEAR(run_read(&r, "b.z"), 0.03, 1e-8);
  CHECK_NEAR(run_read(&r, "b.z"), z, 1e-9);
  CHECK_NEAR(run_read(&r, "s-floor.fn"), 2 * 9.81, 1e-6);
  CHECK_NEAR(hypot(run_read(&r, "b.wx"), run_read(&r, "b.wy")), 0, 1e-8);
  CHECK_EQUAL(carom_sim_summary(r.sim).step_too_large, 0);
  run_close(&r);
}

// Of the 48 vertices that touch 33 are points. They hold as wide a base as all do: within 1 % of 0.1 m in every
// direction.
static void points_of_a_wide_face_lie_at_its_border(void) {
  run r;
  if (!write_torus() ||
      !CHECK(open_on_plane(&r, "file: torus.obj", "f: {q: [1, 0, 0, 0, 0, 0, 0.03]}", "{moreau: {step: 1e-3}}")))
    return;
  run_to(&r, 0.1);
  const contact_element *e = &r.model->contacts.elements[0];
  contact_point points[CONTACT_POINTS_MAX];
  contact_evaluate(&r.model->contacts, &r.model->m, r.sim->x, points);
  double least = INFINITY;
  for (int k = 0; k < 360; k++) {
    double reach = -INFINITY;
    for (int i = 0; i < e->point_count; i++)
      if (!points[i].absent)
        reach = fmax(reach, points[i].at.x * cos(k * M_PI / 180) + points[i].at.y * sin(k * M_PI / 180));
    least = fmin(least, reach);
  }
  CHECK_LE(0.099, least);
  CHECK_NEAR(run_read(&r, "b.z"), 0.03, 1e-12);
  run_close(&r);
}

// A sheet without thickness lies on a plane. Method event does not follow vertices that come and go, and says so.
static void flat_meshes_lie_on_planes(void) {
  static const char sheet[] = "points: [[-0.1, -0.1, 0], [0.2, 0, 0], [-0.1, 0.1, 0]], triangles: [1, 2, 3]";
  run r;
  if (!CHECK(open_on_plane(&r, sheet, "f: {q: [cos(0.1), sin(0.1), 0, 0, 0, 0, 0.1]}", "{moreau: {step: 1e-3}}")))
    return;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "b.z"), 0, 1e-8);
  CHECK_NEAR(run_read(&r, "s-floor.fn"), 2 * 9.81, 1e-6);
  run_close(&r);
  CHECK(!open_on_plane(&r, sheet, "f: {q: [1, 0, 0, 0, 0, 0, 0.1]}", "event"));
  CHECK_CONTAINS(r.error.text, "s-floor");
  run_close(&r);
  CHECK(!open_on_plane(&r, sheet, "f: {q: [1, 0, 0, 0, 0, 0, 0.1]}", "compliant"));
  CHECK_CONTAINS(r.error.text, "'s-floor': the mesh is flat, and method compliant needs one with a volume on a plane");
  run_close(&r);
}

// The same torus under compliant: it bounces without loss, and turns as it came where it lies flat.
static void a_torus_bounces_on_a_plane(void) {
  run r;
  if (!write_torus() || !CHECK(open_on_plane(&r, "file: torus.obj",
                                             "f: {q: [1, 0, 0, 0, 0, 0, 0.05], u: [0, 0, 0, 0, 0, -1]}", "compliant")))
    return;
  double energy = 0.5 * 2 + 2 * 9.81 * 0.05;
  run_to(&r, 0.06);
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_impacts, 1);
  CHECK_NEAR(0.5 * 2 * run_read(&r, "b.vz") * run_read(&r, "b.vz") + 2 * 9.81 * run_read(&r, "b.z"), energy,
             1e-5 * energy);
  run_close(&r);
}

int main(void) {
  RUN(a_mesh_slides_on_a_mesh_as_a_box_does);
  RUN(edges_of_meshes_meet);
  RUN(meshes_rest_on_meshes);
  RUN(the_hull_of_a_file_is_a_surface);
  RUN(a_hull_with_many_corners_is_thinned);
  RUN(wrong_hulls_are_refused);
  RUN(a_ball_rolls_over_triangles_as_over_a_plane);
  RUN(a_moving_mesh_meets_balls_as_a_box_does);
  RUN(shapes_move_over_triangles_as_over_a_plane);
  RUN(a_plate_tips_over_the_edge_of_a_mesh);
  RUN(a_box_meets_ridges_and_tips);
  RUN(a_mesh_slides_on_a_plane_as_a_box_does);
  RUN(a_ball_falls_past_the_border_of_a_sheet);
  RUN(the_gap_is_the_distance_far_away_too);
  RUN(a_flipped_sheet_is_told);
  RUN(a_blade_that_turns_through_a_mesh_is_counted);
  RUN(a_box_on_many_bumps_stays_level);
  RUN(a_cylinder_on_a_fine_grid_stays_level);
  RUN(meshes_that_are_wrong_are_refused);
  RUN(what_is_beside_an_open_mesh_falls);
  RUN(a_torus_falls_on_a_plane);
  RUN(points_of_a_wide_face_lie_at_its_border);
  RUN(flat_meshes_lie_on_planes);
  RUN(a_torus_bounces_on_a_plane);
  return check_summary();
}
