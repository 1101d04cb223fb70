// Contact of outlines in whole runs: they do as the surfaces that they repeat, and as cams with closed forms.
#include "runs.h"

#include "sim.h"

#define PI 3.14159265358979324

// --- the same body in other words ------------------------------------------------------------------------------------

// Runs a model with two lists of surfaces under a method; the largest difference of the coordinates of body b.
static double difference(const char *model, const char *one, const char *other, const char *method, double end) {
  double q[2][3];
  const char *surfaces[2] = {one, other};
  for (int k = 0; k < 2; k++) {
    char text[3000];
    snprintf(text, sizeof text, "space: planar\n%s\nsurfaces: {%s}\nmethod: %s\n", model, surfaces[k], method);
    run r;
    if (!run_open_text(&r, text, NULL)) return INFINITY;
    run_to(&r, end);
    for (int i = 0; i < 3; i++) q[k][i] = run_read(&r, "b.q%d", i);
    run_close(&r);
  }
  return fmax(fabs(q[0][0] - q[1][0]), fmax(fabs(q[0][1] - q[1][1]), fabs(q[0][2] - q[1][2])));
}

#define BODY                                                                                                        \
  "bodies: {b: {mass: 2, inertia: 0.02}}\njoints: {b: {free: [ground, b]}}\n"                                       \
  "materials: {m: {restitution: 0.4, friction: 0.3, law: kelvin-voigt, stiffness: 1e5, damping: 50, friction_law: " \
  "threlfall}}\n"

static void a_polygon_is_a_box(void) {
  const char *model = BODY "initial: {b: {q: [0.5, 0, 0.4], u: [3, 1, 0]}}\n";
  const char *box = "f: {plane: ground, material: m}, s: {box: b, size: [0.4, 0.2], material: m}";
  const char *polygon =
      "f: {plane: ground, material: m}, s: {polygon: b, points: [[-0.2, -0.1], [-0.2, 0.1], [0.2, 0.1], [0.2, -0.1]], "
      "material: m}";
  CHECK_LE(difference(model, box, polygon, "{moreau: {step: 1e-3}}", 1), 1e-10);
  CHECK_LE(difference(model, box, polygon, "event", 0.6), 1e-6);
}

static void arcs_are_a_circle(void) {
  const char *model = BODY "initial: {b: {q: [0, 0, 0.4], u: [10, 2, 0]}}\n";
  const char *circle =
      "f: {plane: ground, material: m}, w: {sphere: ground, at: [1.2, 0.1], radius: 0.1, material: m}, s: {sphere: b, "
      "radius: 0.15, material: m}";
  const char *arcs =
      "f: {plane: ground, material: m}, w: {sphere: ground, at: [1.2, 0.1], radius: 0.1, material: m}, s: {arcs: b, "
      "points: "
      "[[0.15, 0], [-0.15, 0]], radii: [0.15, 0.15], material: m}";
  CHECK_LE(difference(model, circle, arcs, "{moreau: {step: 1e-3}}", 1.5), 1e-10);
  CHECK_LE(difference(model, circle, arcs, "event", 1.5), 1e-6);
  CHECK_LE(difference(model, circle, arcs, "{compliant: {}}", 0.6), 1e-5);
}

// The spline through 256 points of a circle is off by 3e-10 of its radius.
static void functions_are_a_circle(void) {
  const char *model = BODY "parameters: {r: 15 cm}\ninitial: {b: {q: [0, 0, 0.4], u: [10, 2, 0]}}\n";
  const char *circle = "f: {plane: ground, material: m}, s: {sphere: b, radius: r, material: m}";
  const char *curve = "f: {plane: ground, material: m}, s: {curve: b, x: r*cos(2*pi*s), y: r*sin(2*pi*s), material: m}";
  CHECK_LE(difference(model, circle, curve, "event", 0.5), 1e-6);
}

// In the plane boxes and capsules touch each other by their outlines.
static void boxes_are_polygons(void) {
  const char *model = BODY "initial: {b: {q: [0.3, 0.1, 0.6], u: [1, 0.2, 0]}}\n";
  const char *boxes =
      "f: {box: ground, size: [1, 0.4], rotate: 0.1, material: m}, s: {box: b, size: [0.4, 0.2], material: m}";
  const char *polygons =
      "f: {polygon: ground, points: [[-0.5, -0.2], [0.5, -0.2], [0.5, 0.2], [-0.5, 0.2]], rotate: 0.1, material: m}, "
      "s: "
      "{polygon: b, points: [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [-0.2, 0.1]], material: m}";
  CHECK_LE(difference(model, boxes, polygons, "{moreau: {step: 1e-3}}", 1), 1e-12);
  const char *capsules =
      "f: {capsule: ground, radius: 0.2, length: 1, material: m}, s: {capsule: b, radius: 0.1, length: 0.3, material: "
      "m}";
  const char *arcs =
      "f: {arcs: ground, points: [[-0.5, -0.2], [0.5, -0.2], [0.5, 0.2], [-0.5, 0.2]], radii: [0, 0.2, 0, 0.2], "
      "material: m}, s: "
      "{arcs: b, points: [[-0.15, -0.1], [0.15, -0.1], [0.15, 0.1], [-0.15, 0.1]], radii: [0, 0.1, 0, 0.1], material: "
      "m}";
  CHECK_LE(difference(model, capsules, arcs, "{moreau: {step: 1e-3}}", 1), 1e-10);
}

static void a_ball_meets_a_polygon_as_a_box(void) {
  const char *model = BODY "initial: {b: {q: [0, 0.1, 0.8], u: [2, 0.3, 0]}}\n";
  const char *box =
      "f: {box: ground, size: [1, 0.4], rotate: 0.1, material: m}, s: {sphere: b, radius: 0.1, material: m}";
  const char *polygon =
      "f: {polygon: ground, points: [[-0.5, -0.2], [0.5, -0.2], [0.5, 0.2], [-0.5, 0.2]], rotate: 0.1, material: m}, "
      "s: "
      "{sphere: b, radius: 0.1, material: m}";
  CHECK_LE(difference(model, box, polygon, "{moreau: {step: 1e-3}}", 1.5), 1e-10);
  CHECK_LE(difference(model, box, polygon, "event", 1.2), 1e-6);
}

// --- cams ------------------------------------------------------------------------------------------------------------

// A flat follower of 0.5 kg on a cam that turns about the origin, pressed on by a spring.
#define FOLLOWER                                                                                     \
  "space: planar\nparameters: {e: 10 mm, w: 20, k: 500, F0: 5}\n"                                    \
  "bodies: {cam: {mass: 1, inertia: 1e-3}, follower: {mass: 0.5, inertia: 1e-3}}\n"                  \
  "joints:\n  shaft: {revolute: [ground, cam]}\n  guide: {prismatic: [ground, follower], axis: y}\n" \
  "drives: {motor: {joint: shaft, motion: w*t}}\n"                                                   \
  "materials: {steel: {restitution: 0, friction: 0}}\n"                                              \
  "contacts: {touch: {between: [cam, follower]}}\n"                                                  \
  "end: 1\n"

// Eccentricity e, radius 30 mm, the centre below the shaft at the start: y = e (1 - cos ωt).
static const char round_cam[] = FOLLOWER
    "forces: {spring: {along: guide, stiffness: k, effort: -F0}}\n"
    "initial: {guide: {q: 0, u: 0}}\n"
    "surfaces:\n"
    "  cam: {arcs: cam, at: [0, -e], points: [[30 mm, 0], [-30 mm, 0]], radii: [30 mm, 30 mm], material: steel}\n"
    "  follower: {plane: follower, at: [0, 30 mm - e], rotate: 180 deg, material: steel}\n"
    "method: event\n";

static void a_flat_follower_has_the_lift_of_a_round_cam(void) {
  run r;
  if (!run_open_text(&r, round_cam, NULL)) return;
  double lift = 0, speed = 0, acceleration = 0;
  for (int i = 1; i <= 50; i++) {
    double t = 0.01 * i, e = 0.01, w = 20;
    if (!run_to(&r, t)) break;
    lift = fmax(lift, fabs(run_read(&r, "guide.q") - e * (1 - cos(w * t))));
    speed = fmax(speed, fabs(run_read(&r, "guide.u") - e * w * sin(w * t)) / w);
    acceleration = fmax(acceleration, fabs(run_read(&r, "guide.a") - e * w * w * cos(w * t)) / (w * w));
  }
  printf("    lift off by at most %.1e m, velocity by %.1e m ω, acceleration by %.1e m ω²\n", lift, speed,
         acceleration);
  CHECK_LE(lift, 1e-9);
  CHECK_LE(speed, 1e-8);
  CHECK_LE(acceleration, 1e-8);
  run_close(&r);
}

// At the top the spring and the weight have to give the acceleration: ω² = (F0 + 2 k e + m g)/(m e).
static void a_follower_leaves_its_cam_above_the_critical_speed(void) {
  const double e = 0.01, m = 0.5, critical = sqrt((5 + 2 * 500 * e + m * 9.81) / (m * e));
  for (int above = 0; above < 2; above++) {
    char settings[64];
    snprintf(settings, sizeof settings, "w=%.17g", critical * (above ? 1.01 : 0.99));
    run r;
    if (!run_open_text(&r, round_cam, settings)) return;
    double widest = 0, turn = 2 * PI / critical;
    for (int i = 1; i <= 200; i++) {
      if (!run_to(&r, turn * i / 200)) break;
      widest = fmax(widest, run_read(&r, "touch.gap"));
    }
    printf("    %.2f of the critical speed: gap up to %.1e m\n", above ? 1.01 : 0.99, widest);
    if (above) CHECK(widest > 1e-6);
    else CHECK_LE(widest, 1e-9);
    run_close(&r);
  }
}

// A spline through points of an ellipse with half axes 40 and 30 mm: its support function is the lift.
static void a_flat_follower_has_the_lift_of_a_spline(void) {
  enum { POINTS = 120 };
  char text[20000];
  int used = snprintf(text, sizeof text,
                      FOLLOWER
                      "forces: {spring: {along: guide, stiffness: k, effort: -50}}\n"
                      "surfaces:\n  follower: {plane: follower, rotate: 180 deg, material: steel}\n  cam: {curve: cam, "
                      "material: steel, points: [");
  for (int i = 0; i < POINTS; i++) {
    double s = 2 * PI * i / POINTS;
    used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.17g, %.17g]", i ? ", " : "", 0.04 * cos(s),
                     0.03 * sin(s));
  }
  snprintf(text + used, sizeof text - (size_t)used,
           "]}\ninitial: {guide: {q: 30.0001 mm, u: 0}}\nmethod: {event: {separate: true}}\n");
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 0.05);  // it has come down
  double lift = 0, speed = 0, a = 0.04, b = 0.03, w = 20;
  for (int i = 1; i <= 60; i++) {
    double t = 0.05 + 0.005 * i, h = hypot(a * sin(w * t), b * cos(w * t));
    if (!run_to(&r, t)) break;
    lift = fmax(lift, fabs(run_read(&r, "guide.q") - h));
    speed = fmax(speed, fabs(run_read(&r, "guide.u") / w - (a * a - b * b) * sin(w * t) * cos(w * t) / h));
  }
  printf("    lift off by at most %.1e m, velocity by %.1e m ω\n", lift, speed);
  CHECK_LE(lift, 2e-8);  // the spline is off by 5e-7 of its size
  CHECK_LE(speed, 2e-6);
  run_close(&r);
}

// --- a Geneva wheel --------------------------------------------------------------------------------------------------

// While the pin is in a slot, tan β = sin α/(√2 - cos α), up to the play and what a step penetrates before it meets a
// contact, seen from the axis of the wheel at the distance of the pin. The overlap does not stay: it is removed in the
// next steps. Between, the wheel is held by the locking arc: the play at both of its ends is that of its angle.
static void turn_geneva_wheel(const char *settings) {
  const double crank = 0.05, play = 5e-5;
  run r;
  if (!run_open(&r, "geneva", settings)) return;
  double engaged = 0, held = 0;
  for (int i = 1; i <= 250; i++) {  // half a turn of the crank, and a quarter of the wheel in its middle
    if (!run_to(&r, 0.002 * i)) break;
    double alpha = run_read(&r, "shaft.q"), turned = run_read(&r, "axle.q");
    double beta = atan2(sin(alpha), sqrt(2) - cos(alpha)), reach = crank * hypot(sin(alpha), sqrt(2) - cos(alpha));
    if (fabs(alpha) < PI / 4) engaged = fmax(engaged, fabs(turned - (PI / 4 - beta)) * reach);
    else held = fmax(held, fabs(turned - (alpha > 0 ? 0 : PI / 2)));
  }
  double depth = carom_sim_summary(r.sim).deepest_penetration;
  printf("    in a slot off by at most %.1e m (play %.1e, penetration %.1e), held within %.1e rad\n", engaged, play,
         depth, held);
  CHECK_LE(
      engaged,
      play + fmax(depth, 1e-9));  // between steps event is off by the tolerance of its integrator, 1e-8 of the size
  CHECK_LE(held, 0.01);
  CHECK_LE(depth, 0.1 * play);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

static void a_geneva_wheel_turns_by_quarters(void) {
  for (int k = 0; k < 2; k++) turn_geneva_wheel(k ? "method=event" : NULL);
}

// --- refusals --------------------------------------------------------------------------------------------------------

static void expect_refusal(const char *surfaces, const char *method, const char *words) {
  char text[2000];
  run r;
  snprintf(text, sizeof text, "space: planar\n" BODY "initial: {b: {q: [0, 0, 2]}}\nsurfaces: {%s}\nmethod: %s\n",
           surfaces, method);
  const char *path = scratch("model.yaml");
  CHECK(write_text(path, text) && !run_try(&r, path, NULL));
  CHECK_CONTAINS(r.error.text, words);
  run_close(&r);
}

static void methods_refuse_what_they_cannot_run(void) {
  const char *stones =
      "f: {polygon: ground, points: [[0, 0], [1, 0], [0, 1]], material: m}, s: {polygon: b, points: [[0, 0], [1, 0], "
      "[0, 1]], "
      "material: m}";
  const char *splines =
      "f: {curve: ground, points: [[1, 0], [0, 0.2], [-1, 0], [0, -1]], material: m}, s: {curve: b, points: [[1, 0], "
      "[0, 0.1], [-1, 0.5], [0, -1]], material: m}";
  expect_refusal(splines, "event", "'f-s'");
  expect_refusal(stones, "{compliant: {}}", "'foundation'");
  const char *flat = "f: {plane: ground, material: m}, s: {polygon: b, points: [[0, 0], [1, 0], [0, 1]], material: m}";
  expect_refusal(flat, "{compliant: {}}", "'f-s'");
}

// A box that stands on its corner falls into a hollow corner, wide or narrow: it does not pass.
static void hollow_corners_catch_corners(void) {
  static const char *const ground[] = {
      "polygon: ground, points: [[-0.5, -0.3], [0.5, -0.3], [0.5, 0.3], [0, 0], [-0.5, 0.3]]",
      "polygon: ground, points: [[-0.5, -0.6], [0.5, -0.6], [0.5, 0.3], [0, -0.5], [-0.5, 0.3]]"};
  static const char *const methods[] = {"event", "{moreau: {step: 1e-4}}"};
  for (int k = 0; k < 12; k++) {
    char text[1200];
    run r;
    snprintf(text, sizeof text,
             "space: planar\nbodies: {a: {mass: 1, inertia: 0.002}}\njoints: {f: {free: [ground, a]}}\nmaterials: {m: "
             "{restitution: 0.4, friction: 0.3}}\n"
             "surfaces: {a: {box: a, size: [0.1, 0.1], material: m}, g: {%s, material: m}}\nmethod: %s\nrecord: "
             "{every: 1e-3}\n"
             "initial: {f: {q: [%.17g, %g, 0.3], u: [0, 0, -1]}}\nend: 0.5\n",
             ground[k % 2], methods[k / 2 % 2], acos(-1) / 4 + (k >= 8 ? 0.1 : 0), k >= 4 ? 1e-3 : 0);
    if (!run_open_text(&r, text, NULL)) return;
    for (double t = 0.01; t < 0.5 && run_to(&r, t); t += 0.01) CHECK_LE(-0.01, run_read(&r, "a-g.gap"));
    CHECK_LE(-0.45, run_read(&r, "a.y"));
    CHECK_LE(1, carom_sim_summary(r.sim).contact_impacts);
    run_close(&r);
  }
}

// A polygon with a notch on the tip of a hull.
static void a_notch_rests_on_a_tip(void) {
  static const char *const text =
      "space: planar\nbodies: {a: {mass: 1, inertia: 0.002}}\njoints: {f: {free: [ground, a]}}\nmaterials: {m: "
      "{restitution: 0.4, friction: 0.3}}\n"
      "surfaces: {a: {polygon: a, points: [[-0.1, -0.1], [0, -0.04], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], material: "
      "m}, "
      "g: {hull: ground, points: [[-0.2, -0.2], [0.2, -0.2], [0, 0.1]], material: m}}\nmethod: event\n"
      "initial: {f: {q: [0.02, 0.003, 0.35], u: [0, 0, -1]}}\nend: 0.6\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  for (double t = 0.01; t < 0.6 && run_to(&r, t); t += 0.01) CHECK_LE(-1e-6, run_read(&r, "a-g.gap"));
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-5);
  run_close(&r);
}

// Boxes fall on each other, nearly parallel and with corners nearly above each other: every gap is known at every
// instant. In these two models the minimum between the third and the fourth box went over from one corner to another.
static void falling_boxes_have_a_gap_at_every_instant(void) {
  static const struct {
    const char *method, *material;
    double at[5][2];
  } stacks[] = {{"{moreau: {step: 1e-3}}",
                 "{restitution: 0, friction: 0.4}",
                 {{1e-9, 0.06}, {-0.042756371333245724, 0.16}, {0, 0.26}, {0, 0.41}, {0, 0.53}}},
                {"event",
                 "{restitution: 0.2, friction: 0}",
                 {{1e-3, 0.07}, {1e-3, 0.171}, {0, 0.271}, {0, 0.421}, {1e-3, 0.531}}}};
  for (int k = 0; k < 2; k++) {
    char text[3000];
    int n = snprintf(text, sizeof text,
                     "space: planar\ngravity: [0, -9.81]\nmethod: %s\nend: 0.1\nmaterials: {m: %s}\n"
                     "bodies: {\"b{i}\": {repeat: {i: [0, 4]}, mass: 2, inertia: 0.00833}}\n"
                     "surfaces: {floor: {plane: ground, material: m}, "
                     "\"s{i}\": {repeat: {i: [0, 4]}, box: \"b{i}\", size: [0.2, 0.1], material: m}}\n"
                     "contacts: {c0: {between: [s0, floor]}, "
                     "\"c{i}\": {repeat: {i: [1, 4]}, between: [\"s{i}\", \"s{i-1}\"]}}\njoints:\n",
                     stacks[k].method, stacks[k].material);
    for (int i = 0; i < 5; i++)
      n += snprintf(text + n, sizeof text - (size_t)n, "  j%d: {free: [ground, b%d], at: [%.17g, %.17g]}\n", i, i,
                    stacks[k].at[i][0], stacks[k].at[i][1]);
    run r;
    if (!run_open_text(&r, text, NULL)) return;
    while (carom_sim_time(r.sim) < 0.1 && CHECK(carom_sim_step(r.sim, 0.1, &r.error) == CAROM_OK))
      for (int i = 0; i < 5; i++) CHECK(isfinite(run_read(&r, "c%d.gap", i)));
    run_close(&r);
  }
}

int main(void) {
  RUN(a_polygon_is_a_box);
  RUN(arcs_are_a_circle);
  RUN(functions_are_a_circle);
  RUN(boxes_are_polygons);
  RUN(a_ball_meets_a_polygon_as_a_box);
  RUN(a_flat_follower_has_the_lift_of_a_round_cam);
  RUN(a_follower_leaves_its_cam_above_the_critical_speed);
  RUN(a_flat_follower_has_the_lift_of_a_spline);
  RUN(a_geneva_wheel_turns_by_quarters);
  RUN(methods_refuse_what_they_cannot_run);
  RUN(hollow_corners_catch_corners);
  RUN(a_notch_rests_on_a_tip);
  RUN(falling_boxes_have_a_gap_at_every_instant);
  return check_summary();
}
