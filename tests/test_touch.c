// Bodies of every shape on planes and on each other, against closed forms, under every method.
#include "runs.h"

static const char *const methods[] = {"method: {moreau: {step: 1e-4}}", "method: event", "method: compliant"};
enum { MOREAU, EVENT, COMPLIANT, METHODS };

static bool open_with(run *r, const char *text, int method) {
  char all[4096];
  snprintf(all, sizeof all, "%s%s\n", text, methods[method]);
  return run_open_text(r, all, "");
}

// --- spheres and points on boxes ------------------------------------------------------------------------------------

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
      "  first: {between: [ball, box]}\n  tipped: {between: [point, box]}\n  second: {between: [other, floor]}\n  tip2: {between: [tip, floor]}\n"
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

int main(void) {
  RUN(a_ball_bounces_on_a_box_as_on_a_plane);
  RUN(a_ball_leaves_an_edge_along_the_normal);
  return check_summary();
}
