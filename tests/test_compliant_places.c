// Scheme `compliant` where places of contact come and go: balls on triangles, round outlines on concave ones.
#include "rows.h"

static const char *const ball =
    "gravity: [0, 0, -9.81]\nbodies: {b: {mass: 1, inertia: [4e-4, 4e-4, 4e-4]}}\njoints: {j: {free: [ground, b]}}\n"
    "surfaces: {b: {%s, material: m}, g: {%s, material: m}}\ncontacts: {c: {between: [b, g]}}\n"
    "materials: {m: {stiffness: 1e7, %s}}\ninitial: {j: {q: [1, 0, 0, 0, %s], u: [0, 0, 0, %s]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-9, atol: 1e-12}\nend: 2\n";

static bool open_ball(run *r, const char *shape, const char *ground, const char *material, const char *at,
                      const char *u) {
  char text[2048];
  snprintf(text, sizeof text, ball, shape, ground, material, at, u);
  return run_open_text(r, text, "");
}

// Over the inner edges of triangles in one plane it rolls as on the plane, a meter far.
static void ball_rolls_over_triangles_as_on_a_plane(void) {
  static const char *const grounds[] = {
      "plane: ground",
      "height_field: ground, at: [-0.5, -0.5, 0], columns: 5, spacing: 0.5,\n  heights: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
      "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"};
  double x[2], z[2], w[2];
  for (int i = 0; i < 2; i++) {
    run r;
    if (!open_ball(&r, "sphere: b, radius: 0.05", grounds[i], "restitution: 0.3, friction: 0.4", "0.03, 0.01, 0.06",
                   "0.7, 0.3, 0"))
      return;
    run_to(&r, 1.5);
    x[i] = run_read(&r, "b.x"), z[i] = run_read(&r, "b.z"), w[i] = run_read(&r, "b.wy");
    if (i) CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-5);
    run_close(&r);
  }
  CHECK_LE(0.5, x[1]);
  CHECK_NEAR(x[1], x[0], 1e-6);
  CHECK_NEAR(z[1], z[0], 1e-9);
  CHECK_NEAR(w[1], w[0], 1e-5);
}

// In a valley whose sides rise by 1 in 1 two places carry it, each with m g/√2; the sum over the pair is m g √2.
static void ball_rests_in_a_valley(void) {
  run r;
  if (!open_ball(&r, "sphere: b, radius: 0.05",
                 "height_field: ground, at: [-1, -1, 0], columns: 3, spacing: 1, heights: [1, 0, 1, 1, 0, 1, 1, 0, 1]",
                 "restitution: 0.2, friction: 0.5", "0.02, 0.3, 0.1", "0, 0, 0"))
    return;
  run_to(&r, 2);
  CHECK_NEAR(run_read(&r, "c.fn"), 9.81 * sqrt(2), 1e-3);
  CHECK_NEAR(run_read(&r, "b.x"), 0, 1e-4);
  double depth = pow(9.81 / sqrt(2) / 1e7, 2.0 / 3);
  CHECK_NEAR(run_read(&r, "b.z"), (0.05 - depth) * sqrt(2), 1e-6);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-4);
  run_close(&r);
}

// At 2 m/s it leaves the border, fast enough not to touch its edge again, and falls freely.
static void ball_rolls_off_the_border(void) {
  run r;
  if (!open_ball(&r, "sphere: b, radius: 0.05",
                 "height_field: ground, at: [-1, -1, 0], columns: 3, spacing: 1, heights: [0, 0, 0, 0, 0, 0, 0, 0, 0]",
                 "restitution: 0.2", "0.8, 0.3, 0.0499", "2, 0, 0"))
    return;
  run_to(&r, 0.5);
  CHECK_NEAR(run_read(&r, "b.x"), 1.8, 0.02);
  CHECK_LE(run_read(&r, "b.z"), 0.05 - 0.5 * 9.81 * 0.38 * 0.38);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-4);
  run_close(&r);
}

// A point, elastic, keeps its energy on hills.
static void point_bounces_on_hills(void) {
  run r;
  if (!open_ball(&r, "point: b",
                 "height_field: ground, at: [-1, -1, 0], columns: 3, spacing: 1, heights: [0.2, 0.1, 0.2, 0.1, 0, 0.1, "
                 "0.2, 0.1, 0.2]",
                 "law: hooke", "0.2, 0.1, 0.3", "0, 0, 0"))
    return;
  double before = run_read(&r, "energy.gravity");
  run_to(&r, 1);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_LE(2, s.contact_impacts);
  CHECK_NEAR(run_read(&r, "energy.gravity") + run_read(&r, "energy.kinetic") + run_read(&r, "energy.contact"), before,
             1e-5 * before);
  run_close(&r);
}

static const char *const outlines =
    "space: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, inertia: 4e-4}}\njoints: {j: {planar: [ground, b]}}\n"
    "surfaces:\n  b: {%s, material: m}\n"
    "  g: {polygon: ground, points: [[-0.5, -0.3], [0.5, -0.3], [0.5, 0.4], [0, 0], [-0.5, 0.4]], material: m}\n"
    "contacts: {c: {between: [b, g]}}\nmaterials: {m: {stiffness: 1e7, %s}}\ninitial: {j: {q: [0, 0.1, 0.4]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-9, atol: 1e-12}\nend: 3\n";

static bool open_in_corner(run *r, const char *surface, const char *law) {
  char text[2048];
  snprintf(text, sizeof text, outlines, surface, law);
  return run_open_text(r, text, "");
}

static void keeps_its_energy_in_the_corner(const char *surface) {
  run r;
  if (!open_in_corner(&r, surface, "law: hooke")) return;
  double before = run_read(&r, "energy.gravity");
  run_to(&r, 1);
  CHECK_LE(2, carom_sim_summary(r.sim).contact_impacts);
  CHECK_NEAR(run_read(&r, "energy.gravity") + run_read(&r, "energy.kinetic") + run_read(&r, "energy.contact"), before,
             1e-5 * before);
  run_close(&r);
}

// A circle in a concave polygon: elastic it keeps its energy, with damping it comes to rest on both sides of the hollow
// corner.
static void circle_in_a_hollow_corner(void) {
  run r;
  keeps_its_energy_in_the_corner("sphere: b, radius: 0.03");
  if (!open_in_corner(&r, "sphere: b, radius: 0.03", "restitution: 0.2, friction: 0.3")) return;
  run_to(&r, 3);
  double slope = atan(0.8);
  CHECK_NEAR(run_read(&r, "c.fn"), 9.81 / cos(slope), 1e-3);
  CHECK_NEAR(run_read(&r, "b.y"), 0.03 / cos(slope), 1e-4);
  run_close(&r);
}

// A point inside is below several sides: the nearest counts, also behind the hollow corner, and energy is kept. Then it
// rests in the corner.
static void point_in_a_hollow_corner(void) {
  run r;
  keeps_its_energy_in_the_corner("point: b");
  if (!open_in_corner(&r, "point: b", "restitution: 0.2, friction: 0.3")) return;
  run_to(&r, 3);
  CHECK_NEAR(hypot(run_read(&r, "b.vx"), run_read(&r, "b.vy")), 0, 1e-3);
  run_close(&r);
}

static void refused(const char *text, const char *word) {
  run r;
  if (!write_text(scratch("model.yaml"), text)) return;
  CHECK(!run_try(&r, scratch("model.yaml"), ""));
  if (!CHECK(strstr(r.error.text, word) != NULL)) printf("      %s\n", r.error.text);
  run_close(&r);
}

static void what_has_no_law_is_refused(void) {
  char text[2048];
  snprintf(text, sizeof text, ball, "ellipsoid: b, semi_axes: [1, 1, 2]",
           "height_field: ground, columns: 2, spacing: 1, heights: [0, 0, 0, 0]", "law: hooke", "0, 0, 3", "0, 0, 0");
  refused(text, "'foundation'");
}

int main(void) {
  RUN_OPTIMISED(ball_rolls_over_triangles_as_on_a_plane);
  RUN(ball_rests_in_a_valley);
  RUN(ball_rolls_off_the_border);
  RUN(point_bounces_on_hills);
  RUN(circle_in_a_hollow_corner);
  RUN(point_in_a_hollow_corner);
  RUN(what_has_no_law_is_refused);
  return check_summary();
}
