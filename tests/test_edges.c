// Capsules, cylinders and cones on boxes, hulls and each other, against closed forms.
#include "colliding.h"
#include "runs.h"

#include "contact/contact.h"
#include "contact/pairs.h"
#include "sim.h"

#define PRISM                                                                                                      \
  "hull: ground, at: [0, 0, -0.1], points: [[1, 0, 0.1], [0.5, 0.9, 0.1], [-0.5, 0.9, 0.1], [-1, 0, 0.1], [-0.5, " \
  "-0.9, 0.1], "                                                                                                   \
  "[0.5, -0.9, 0.1], [1, 0, -0.1], [0.5, 0.9, -0.1], [-0.5, 0.9, -0.1], [-1, 0, -0.1], [-0.5, -0.9, -0.1], [0.5, " \
  "-0.9, -0.1]]"
#define TABLE "box: ground, at: [0, 0, -0.1], size: [2, 2, 0.2]"

static int read_points(const run *r, contact_point *points) {
  const contact_world *w = &r->model->contacts;
  contact_evaluate(w, &r->model->m, r->sim->x, points);
  return w->elements[0].point_count;
}

static int closed_points(const run *r) {
  contact_point points[CONTACT_POINTS_MAX];
  int count = read_points(r, points), closed = 0;
  for (int k = 0; k < count; k++) closed += points[k].gap < 1e-9;
  return closed;
}

// --- rest ------------------------------------------------------------------------------------------------------------

// What lies or stands keeps its points: none comes or goes, nothing moves.
static void bodies_at_rest_keep_their_points(void) {
  static const struct {
    const char *body, *below;
    double height;
    int points;
  } scenes[] = {
      {"cylinder: b, radius: 0.1, length: 0.4", TABLE, 0.2, 24},
      {"cylinder: b, radius: 0.1, length: 0.4", PRISM, 0.2, 24},
      {"cone: b, radius: 0.1, height: 0.4", TABLE, 0.2, 24},
      {"cylinder: b, radius: 0.1, length: 0.4", "cylinder: ground, at: [0, 0, -0.1], radius: 0.5, length: 0.2", 0.2,
       24},
      {"cylinder: b, radius: 0.1, length: 0.4", "cylinder: ground, at: [0, 0, -0.1], radius: 0.08, length: 0.2", 0.2,
       24},
      {"cylinder: b, radius: 0.1, length: 0.4, rotate: {axis: y, angle: 90 deg}", TABLE, 0.1, 2},
      {"capsule: b, radius: 0.1, length: 0.4, rotate: {axis: y, angle: 90 deg}", TABLE, 0.1, 2},
      {"capsule: b, radius: 0.1, length: 0.4, rotate: {axis: y, angle: 90 deg}", PRISM, 0.1, 2},
      {"capsule: b, radius: 0.1, length: 3, rotate: {axis: y, angle: 90 deg}", TABLE, 0.1, 2},
      {"box: b, size: [0.1, 0.1, 0.4]", "cylinder: ground, at: [0, 0, -0.1], radius: 0.5, length: 0.2", 0.2, 4},
      {"box: b, size: [2, 2, 0.4]", "cylinder: ground, at: [0, 0, -0.1], radius: 0.5, length: 0.2", 0.2, 24},
      {"capsule: b, radius: 0.1, length: 0.4, rotate: {axis: y, angle: 90 deg}",
       "cylinder: ground, at: [0, 0, -0.1], radius: 0.5, length: 0.2", 0.1, 2},
  };
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    char text[4096];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0.3, 0.2, -9.81]\nbodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.015]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, %g]}}\n"
             "surfaces: {b: {%s, material: m}, table: {%s, material: m}}\n"
             "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
             scenes[k].height, scenes[k].body, scenes[k].below);
    // what lies on its side must not roll
    if (scenes[k].points == 2) memcpy(text, "gravity: [0.3, 0.0, -9.81]", 26);
    if (!run_open_text(&r, text, "")) continue;
    for (int step = 1; step <= 200; step++) {
      run_to(&r, 1e-3 * step);
      if (closed_points(&r) != scenes[k].points) {
        CHECK_EQUAL(closed_points(&r), scenes[k].points);
        fprintf(stderr, "scene %d at step %d\n", (int)k, step);
        break;
      }
    }
    CHECK_NEAR(run_read(&r, "b.x"), 0, 1e-9);
    CHECK_NEAR(run_read(&r, "b.z"), scenes[k].height, 1e-9);
    CHECK_NEAR(run_read(&r, "b-table.fn"), 9.81, 1e-6);
    run_close(&r);
  }
}

// A capsule along the edge of a box that stands on its corner line, balanced by rails: both ends of the edge carry
// half.
static void a_capsule_lies_along_an_edge(void) {
  run r;
  if (!run_open_text(
          &r,
          "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.015]}}\n"
          "joints: {f: {planar: [ground, b], axis: y, at: [0, 0, 0.1]}}\n"
          "surfaces: {b: {capsule: b, radius: 0.1, length: 0.6, rotate: {axis: y, angle: 90 deg}, material: m},\n"
          "  table: {box: ground, at: [0, 0, -0.1*sqrt(2)], size: [0.4, 0.2, 0.2], rotate: {axis: x, angle: 45 deg}, "
          "material: m}}\n"
          "contacts: {rail: {between: [b, table]}}\n"
          "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
          ""))
    return;
  run_to(&r, 0.2);
  CHECK_EQUAL(closed_points(&r), 2);
  CHECK_NEAR(run_read(&r, "b.z"), 0.1, 1e-9);
  CHECK_NEAR(run_read(&r, "rail.fn"), 9.81, 1e-6);
  run_close(&r);
}

// --- rolling ---------------------------------------------------------------------------------------------------------

// Down a box of 15° without slip, x = g sin θ t²/(2 (1 + I/(m r²))).
static void round_bodies_roll_down_a_box(void) {
  static const struct {
    const char *body;
    double inertia;
  } bodies[] = {
      {"cylinder: b, radius: 0.1, length: 0.3", 0.005},
      {"capsule: b, radius: 0.1, length: 0.3", 0.0045},
  };
  static const char *const tables[] = {TABLE, PRISM};
  for (int k = 0; k < 4; k++) {
    char text[4096];
    run r;
    double inertia = bodies[k / 2].inertia;
    snprintf(text, sizeof text,
             "gravity: [9.81*sin(15 deg), 0, -9.81*cos(15 deg)]\nbodies: {b: {mass: 1, inertia: [0.01, %g, 0.01]}}\n"
             "joints: {f: {free: [ground, b], at: [-0.2, 0, 0.1]}}\n"
             "surfaces: {b: {%s, rotate: {axis: x, angle: 90 deg}, material: m}, table: {%s, material: m}}\n"
             "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 2e-4}}\n",
             inertia, bodies[k / 2].body, tables[k % 2]);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.5);
    double a = 9.81 * sin(15 * M_PI / 180) / (1 + inertia / 0.01);
    CHECK_NEAR(run_read(&r, "b.x"), -0.2 + 0.125 * a, 1e-8);
    CHECK_NEAR(run_read(&r, "b.vx"), 0.5 * a, 1e-8);
    CHECK_NEAR(run_read(&r, "b.y"), 0, 1e-8);
    CHECK_EQUAL(closed_points(&r), 2);
    run_close(&r);
  }
}

// Two parallel cylinders without friction: one slides down over the other and leaves it at cos φ = 2/3.
static void a_cylinder_leaves_another_at_two_thirds(void) {
  run r;
  if (!run_open_text(
          &r,
          "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.015]}}\n"
          "joints: {f: {free: [ground, b], at: [0.3*sin(0.1), 0, 0.3*cos(0.1)]}}\n"
          "surfaces: {b: {cylinder: b, radius: 0.1, length: 0.3, rotate: {axis: x, angle: 90 deg}, material: m},\n"
          "  post: {cylinder: ground, radius: 0.2, length: 0.5, rotate: {axis: x, angle: 90 deg}, material: m}}\n"
          "materials: {m: {friction: 0}}\nmethod: {moreau: {step: 1e-4}}\n",
          ""))
    return;
  while (run_read(&r, "b.z") > 0) run_to(&r, run_read(&r, "t") + 1e-2);
  double cosine = 2 * cos(0.1) / 3, speed = sqrt(9.81 * 0.3 * cosine);  // where it leaves; from there on it flies
  CHECK_NEAR(run_read(&r, "b.vx"), speed * cosine, 1e-3 * speed);
  CHECK_NEAR(run_read(&r, "b.y"), 0, 1e-9);
  CHECK_NEAR(run_read(&r, "b.wy"), 0, 1e-9);
  run_close(&r);
}

// --- tipping ---------------------------------------------------------------------------------------------------------

static void bodies_tip_at_their_outline(void) {
  static const char *const bodies[] = {"cylinder: b, radius: 0.1, length: 0.4", "cone: b, radius: 0.1, height: 0.4"};
  static const char *const tables[] = {TABLE, PRISM, "cylinder: ground, at: [0, 0, -0.1], radius: 0.5, length: 0.2"};
  static const double ways[] = {0.13, 0.25 * M_PI};
  for (int k = 0; k < 24; k++) {
    int tips = k % 2;
    char text[4096];
    run r;
    double lean = (tips ? 1.01 : 0.99) * 0.5, way = ways[k / 12];
    snprintf(text, sizeof text,
             "gravity: [9.81*%.17g, 9.81*%.17g, -9.81]\nbodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.005]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, 0.2]}}\nsurfaces: {b: {%s, material: m}, table: {%s, "
             "material: m}}\n"
             "materials: {m: {friction: 1}}\nmethod: {moreau: {step: 1e-3}}\n",
             lean * cos(way), lean * sin(way), bodies[k / 2 % 2], tables[k / 4 % 3]);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.3);
    double moved = hypot(run_read(&r, "b.x"), run_read(&r, "b.y"));
    if (tips) CHECK(moved > 2e-4);
    else CHECK_LE(moved, 1e-9);
    run_close(&r);
  }
}

// --- impacts ---------------------------------------------------------------------------------------------------------

// Without friction and loss, whatever touches.
static void colliding_bodies_keep_momentum_and_energy(void) {
  static const char *const shapes[] = {
      "box: %s, size: [0.3, 0.2, 0.25]", "capsule: %s, radius: 0.1, length: 0.3",
      "cylinder: %s, radius: 0.12, length: 0.3", "cone: %s, radius: 0.15, height: 0.3",
      "hull: %s, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, 0.2]]"};
  static const char *const turns[] = {"{axis: y, angle: 45 deg}", "{xyz: [40 deg, 50 deg, 0]}",
                                      "{xyz: [20 deg, 35 deg, 70 deg]}", "{axis: x, angle: 90 deg}",
                                      "{axis: y, angle: 90 deg}"};
  for (int a = 0; a < 5; a++)
    for (int b = 0; b <= a; b++)
      for (int k = 0; k < 5; k++) {
        char text[4096], first[512], second[512];
        run r;
        snprintf(first, sizeof first, shapes[a], "a");
        snprintf(second, sizeof second, shapes[b], "b");
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [0.05, 0.05, 0.05]}, b: {mass: 1, inertia: [0.02, "
            "0.02, 0.02]}}\n"
            "joints: {fa: {free: [ground, a], at: [-0.45, 0, 0]}, fb: {free: [ground, b], at: [0.1, 0.05, 0.03]}}\n"
            "initial: {a: {velocity: [1, 0, 0]}}\n"
            "surfaces: {a: {%s, rotate: %s, material: m}, b: {%s, rotate: {xyz: [0.1, 0.2, 0.3]}, material: m}}\n"
            "materials: {m: {restitution: 1}}\nmethod: {moreau: {step: 5e-4}}\n",
            first, turns[k], second);
        if (!run_open_text(&r, text, "")) continue;
        run_to(&r, 0.5);
        close_collided(&r);
      }
}

// --- rates -----------------------------------------------------------------------------------------------------------

// Rates of gaps against differences, for bodies that are nearly flat on each other and move freely.
static void rates_of_gaps_are_those_of_differences(void) {
  static const char *const shapes[] = {"box: %s, size: [0.3, 0.2, 0.4]",
                                       "capsule: %s, radius: 0.1, length: 0.3, rotate: {axis: x, angle: 90 deg}",
                                       "cylinder: %s, radius: 0.12, length: 0.4",
                                       "cone: %s, radius: 0.15, height: 0.4",
                                       "cylinder: %s, radius: 0.2, length: 0.3, rotate: {axis: y, angle: 90 deg}",
                                       "hull: %s, points: [[0.2, 0, -0.2], [-0.2, 0.2, -0.2], [-0.2, -0.2, -0.2], "
                                       "[0.2, 0.1, 0.2], [-0.2, 0, 0.2], [0, -0.2, 0.2]]"};
  static const double low[] = {0.2, 0.1, 0.2, 0.2, 0.2, 0.2}, high[] = {0.2, 0.1, 0.2, 0.2, 0.2, 0.2};
  const double h = 1e-6;
  int seen = 0;
  for (int k = 0; k < 216; k++) {
    int a = k % 6, b = k / 6 % 6;
    char text[4096], first[512], second[512];
    run r;
    contact_point points[3][CONTACT_POINTS_MAX];
    double rate[CONTACT_POINTS_MAX], span = 0.1;
    if (b == 3 || (a % 5 == 0 && b % 5 == 0) || (a == 1 && b == 1)) continue;  // a tip; pairs of another type
    snprintf(first, sizeof first, shapes[a], "ta");
    snprintf(second, sizeof second, shapes[b], "tb");
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [0.05, 0.05, 0.05]}, b: {mass: 1, inertia: [0.02, "
             "0.02, 0.02]}}\n"
             "joints: {fa: {free: [ground, a], at: [%g, %g, %g]}, fb: {free: [ground, b]}}\n"
             "initial: {a: {velocity: [%g, %g, %g], omega: [%g, %g, %g]}, b: {velocity: [%g, %g, %g], omega: [%g, %g, "
             "%g]}}\n"
             "markers: {ta: {on: a, rotate: {xyz: [%g, %g, %g]}}, tb: {on: b, rotate: {xyz: [%g, %g, 0]}}}\n"
             "surfaces: {a: {%s, material: m}, b: {%s, material: m}}\n"
             "materials: {m: {restitution: 1}}\nmethod: {moreau: {step: 1e-6}}\n",
             uniform(-0.1, 0.1), uniform(-0.1, 0.1), low[a] + high[b] + 0.008, uniform(-1, 1), uniform(-1, 1),
             uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
             uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-0.02, 0.02), uniform(-0.02, 0.02),
             uniform(-3, 3), uniform(-0.02, 0.02), uniform(-0.02, 0.02), first, second);
    if (!run_open_text(&r, text, "")) continue;
    for (int step = 0; step < 3; step++) {
      run_to(&r, h * step);
      int count = read_points(&r, points[step]);
      for (int i = 0; i < count && step == 1; i++)
        rate[i] = contact_gap_rate(&r.model->m, r.sim->x, &r.model->contacts.elements[0], &points[1][i]);
    }
    for (int i = 0; i < r.model->contacts.elements[0].point_count; i++) {
      if (!(fmax(fmax(points[0][i].gap, points[1][i].gap), points[2][i].gap) < 0.5 * span)) continue;
      seen++;
      if (!CHECK_NEAR((points[2][i].gap - points[0][i].gap) / (2 * h), rate[i], 1e-8 + 1e-5 * fabs(points[1][i].gap)))
        printf("      pair %d of %d and %d, point %d, gap %g\n", k, a, b, i, points[1][i].gap);
    }
    run_close(&r);
  }
  CHECK(seen > 500);
}

// Nearly parallel rims and lines cross far away from bodies that do not touch: no contact is there.
static void bodies_that_pass_each_other_do_not_strike(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, 0]\nbodies: {a: {density: 1000, shape: {cylinder: [4 cm, 8 cm], material: m}}, "
                     "b: {density: 1000, shape: {cylinder: [4 cm, 8 cm], material: m}}}\n"
                     "joints: {a: {free: [ground, a]}, b: {free: [ground, b]}}\ninitial:\n"
                     "  a: {q: [0.533217, 0.549846, 0.494221, -0.41121, 0.00061006, 0.001284, -0.0049901], "
                     "velocity: [0.0486762, 0.102703, -0.398673], omega: [8.32449, -12.0695, -4.11791]}\n"
                     "  b: {q: [0.645976, -0.131271, -0.178169, 0.730574, 0.00363694, -0.017861, 0.0859901], "
                     "velocity: [-0.0486762, -0.102703, -0.601327], omega: [-2.70811, 8.6922, -4.35251]}\n"
                     "materials: {m: {friction: 0.4, restitution: 0.2}}\nmethod: {moreau: {step: 1 ms}}\n",
                     NULL))
    return;
  for (int i = 1; i <= 10 && run_to(&r, 1e-3 * i); i++) CHECK_LE(2e-3, run_read(&r, "a-b.gap"));
  CHECK_EQUAL(carom_sim_summary(r.sim).contact_episodes, 0);
  run_close(&r);
}

int main(void) {
  RUN(rates_of_gaps_are_those_of_differences);
  RUN(bodies_at_rest_keep_their_points);
  RUN(a_capsule_lies_along_an_edge);
  RUN(round_bodies_roll_down_a_box);
  RUN(a_cylinder_leaves_another_at_two_thirds);
  RUN(bodies_tip_at_their_outline);
  RUN(colliding_bodies_keep_momentum_and_energy);
  RUN(bodies_that_pass_each_other_do_not_strike);
  return check_summary();
}
