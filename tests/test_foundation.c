// Surfaces that touch with an area under scheme `compliant`: key `foundation` of a material. The force is the
// foundation times the volume of the overlap, at its centre as seen along the normal; all pressures together have the
// energy ½ k ∫ depth² dA.
#include "rows.h"

#include "geometry/foundation.h"

static const double k = 1e8, g = 9.81;

// --- geometry --------------------------------------------------------------------------------------------------------

typedef struct pressed {
  double energy, force;
  vec3 torque;  // of the forces along n on what presses, about the origin
  vec3 n;
} pressed;

static void add(void *context, const foundation_node *node) {
  pressed *p = context;
  p->energy += 0.5 * node->depth * node->depth * node->area;
  p->force += node->depth * node->area;
  p->torque = vec3_axpy(p->torque, node->depth * node->area, vec3_cross(node->at, p->n));
}

static flat make_box(vec3 half, arena *memory) {
  vec3 corners[8];
  for (int i = 0; i < 8; i++)
    corners[i] = (vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
  flat f;
  CHECK(flat_build(corners, 8, memory, &f));
  return f;
}

static mat3 turn(vec3 by) {
  double angle = vec3_norm(by), s = sin(angle / 2) / (angle > 0 ? angle : 1);
  return quat_matrix((quat){cos(angle / 2), s * by.x, s * by.y, s * by.z});
}

static pressed press_on_floor(const flat *f, pose at) {
  pressed p = {.n = {0, 0, 1}};
  foundation floor = foundation_of_plane(p.n, 0);
  foundation_press(&floor, &f->hull, at, add, &p);
  return p;
}

// A box at any tilt and depth: force and torque are the gradient of the energy, so that they are continuous and no
// energy is gained, whichever corners are in. Central differences with a step h are wrong by h²/6 times the third
// derivative of the energy, at a small tilt θ the width over θ, which is 30 here: 5e-10 of 1e-3 m³.
static void pressure_is_the_gradient_of_its_energy(void) {
  arena memory = arena_create(NULL);
  flat box = make_box((vec3){0.1, 0.15, 0.05}, &memory);
  double worst = 0;
  const double h = 1e-5;
  for (int i = 0; i < 500; i++) {
    vec3 tilt = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    if (i % 2) tilt = vec3_scale(1e-2, tilt);
    pose at = {turn(tilt), {0.2, -0.1, uniform(0, 0.15)}};
    pressed p = press_on_floor(&box, at);
    for (int axis = 0; axis < 3; axis++) {
      double e[2], c[3] = {axis == 0, axis == 1, axis == 2};
      for (int side = 0; side < 2; side++) {
        vec3 by = vec3_scale(side ? h : -h, vec3_of(c));
        pose moved = {mat3_product(turn(by), at.R), mat3_mul(turn(by), at.p)};
        e[side] = press_on_floor(&box, moved).energy;
      }
      double c_torque[3];
      vec3_store(c_torque, p.torque);
      double torque = axis < 2 ? c_torque[axis] : 0;  // about the normal there is none
      worst = fmax(worst, fabs(-(e[1] - e[0]) / (2 * h) - torque));
      for (int side = 0; side < 2; side++)
        e[side] = press_on_floor(&box, (pose){at.R, vec3_axpy(at.p, side ? h : -h, vec3_of(c))}).energy;
      worst = fmax(worst, fabs(-(e[1] - e[0]) / (2 * h) - (axis == 2 ? p.force : 0)));
    }
  }
  printf("    off the gradient by at most %.1e of 1e-3 m³\n", worst / 1e-3);
  CHECK_LE(worst, 1e-6 * 1e-3);
  arena_free(&memory);
}

// The volume of the overlap of two boxes, one upright and one turned about z, from the area of their common octagon;
// and swapped.
static void volume_of_two_boxes(void) {
  arena memory = arena_create(NULL);
  flat a = make_box((vec3){0.5, 0.5, 0.5}, &memory);
  pose b = {MAT3_IDENTITY, {0, 0, 0}}, on = {turn((vec3){0, 0, M_PI / 4}), {0, 0, 0.9}};
  double octagon = 2 * (sqrt(2) - 1);  // of two unit squares at 45°
  for (int swap = 0; swap < 2; swap++) {
    pressed p = {.n = {0, 0, swap ? -1 : 1}};
    foundation_press_pair(p.n, &a.hull, swap ? b : on, &a.hull, swap ? on : b, add, &p);
    CHECK_NEAR(p.force, 0.1 * octagon, 1e-14);
    CHECK_NEAR(p.energy, 0.5 * 0.01 * octagon, 1e-14);
  }
  // all of the smaller one
  flat small = make_box((vec3){0.1, 0.1, 0.1}, &memory);
  pressed p = {.n = {0, 0, 1}};
  foundation_press_pair(p.n, &small.hull, (pose){turn((vec3){0.3, 0.5, 0.7}), {0.1, 0.05, 0}}, &a.hull, b, add, &p);
  CHECK_NEAR(p.force, 0.008, 1e-15);
  arena_free(&memory);
}

// --- forces ----------------------------------------------------------------------------------------------------------

static const char *const box_on_floor =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {box: {mass: 2, inertia: [0.01, 0.02, 0.025]}}\n"
    "joints: {six: {free: [ground, box]}}\n"
    "surfaces: {box: {box: box, size: [0.2, 0.3, 0.1], material: stuff}, floor: {plane: ground, material: stuff}}\n"
    "contacts: {rest: {between: [box, floor]}}\n"
    "materials: {stuff: {foundation: 1e8, %s}}\n"
    "initial: {six: {q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], u: [%g, %g, %g, %g, %g, %g]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-9, atol: 1e-12}\nend: 10\n";

// Turned by an angle about y.
static bool open_box(run *r, const char *law, double z, double angle, const double u[6]) {
  static const double rest[6] = {0};
  char text[2048];
  if (!u) u = rest;
  snprintf(text, sizeof text, box_on_floor, law, cos(angle / 2), 0.0, sin(angle / 2), 0.0, 0.0, 0.0, z, u[0], u[1],
           u[2], u[3], u[4], u[5]);
  return run_open_text(r, text, "");
}

static void flat_box_presses_by_area_times_law(void) {
  static const char *const laws[] = {"law: hooke", "law: hertz", "restitution: 0.5", "law: flores, restitution: 0.5"};
  for (int i = 0; i < 4; i++) {
    run r;
    double depth = 1e-4, force = k * 0.2 * 0.3 * depth;
    if (!open_box(&r, laws[i], 0.05 - depth, 0, NULL)) return;
    CHECK_NEAR(run_read(&r, "rest.fn"), force, 1e-9 * force);
    CHECK_NEAR(run_read(&r, "rest.gap"), -depth, 1e-15);
    CHECK_NEAR(run_read(&r, "box.az"), force / 2 - g, 1e-9 * force);
    CHECK_NEAR(run_read(&r, "energy.contact"), 0.5 * k * 0.06 * depth * depth, 1e-9 * force * depth);
    run_close(&r);
  }
}

// Tilted about y, with its lower edge d deep and the upper one out: a wedge with a right angle at the edge, whose
// cross-section is d²/sin 2θ, and as seen from above, from the edge, has its centre at ⅓ (cot θ - tan θ) d.
static void tilted_box_presses_by_the_wedge(void) {
  const double angles[] = {1e-3, 0.02, 0.3, 0.7};
  for (int i = 0; i < 4; i++) {
    run r;
    double a = angles[i], d = 0.09 * sin(a), height = 0.1 * sin(a) + 0.05 * cos(a) - d;  // of the middle
    if (!open_box(&r, "law: hooke", height, a, NULL)) return;
    double force = k * 0.3 * d * d / sin(2 * a), edge = 0.1 * cos(a) - 0.05 * sin(a);
    double arm = edge - (1 / tan(a) - tan(a)) * d / 3;  // of the middle to the centre of pressure
    CHECK_NEAR(run_read(&r, "rest.fn"), force, 1e-9 * force);
    CHECK_NEAR(run_read(&r, "rest.gap"), -d, 1e-14);
    CHECK_NEAR(run_read(&r, "box.ax"), 0, 1e-9 * force);
    CHECK_NEAR(carom_sim_accelerations(r.sim)[1], -arm * force / 0.02, 1e-9 * force / 0.02);
    run_close(&r);
  }
}

// Elastic, dropped on a corner with a spin: it leaves with the energy it came with.
static void elastic_bounce_keeps_the_energy(void) {
  const double u[6] = {1, 2, -0.5, 0.1, 0.2, -3};
  static const double starts[][2] = {{0.2, 0.5}, {0.06, 0.03}, {0.0601, 0}};  // height of the middle, tilt
  for (int i = 0; i < 3; i++) {
    run r;
    rows list;
    if (!open_box(&r, "law: hooke", starts[i][0], starts[i][1], i < 2 ? u : NULL)) return;
    rows_watch(&r, &list);
    double before = run_read(&r, "energy.kinetic") + run_read(&r, "energy.gravity") + run_read(&r, "energy.contact");
    run_to(&r, 0.25);
    double after = run_read(&r, "energy.kinetic") + run_read(&r, "energy.gravity") + run_read(&r, "energy.contact");
    carom_summary s = carom_sim_summary(r.sim);
    printf("    %ld impacts, energy error %.1e\n", s.contact_impacts, s.energy_imbalance);
    CHECK_LE(1, s.contact_impacts);
    CHECK_NEAR(after, before, 1e-5 * before);
    CHECK_LE(s.energy_imbalance, 1e-5);
    run_close(&r);
  }
}

// Flat on the floor the pressure is even, and the impact is that of a point with the same law: G(λ) = G(-e λ).
static void restitution_of_a_flat_impact(void) {
  const double restitutions[] = {0.9, 0.6, 0.3};
  for (int i = 0; i < 3; i++) {
    run r;
    rows list;
    char law[80];
    const double u[6] = {0, 0, 0, 0, 0, -10};
    snprintf(law, sizeof law, "restitution: %g, restitution_is: achieved", restitutions[i]);
    if (!open_box(&r, law, 0.05, 0, u)) return;
    rows_watch(&r, &list);
    run_to(&r, 0.02);
    CHECK_LE(1, list.count);
    // weight acts during the impact: m g T over m v, T = π √(m/(k A)) = 1.8 ms and more with damping
    if (list.count) CHECK_NEAR(list.row[0].restitution_achieved, restitutions[i], 3e-3);
    run_close(&r);
  }
}

// --- at rest ---------------------------------------------------------------------------------------------------------

static void box_rests_on_a_box(void) {
  static const char *const text =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {low: {mass: 4, inertia: [0.05, 0.05, 0.05]}, top: {mass: 2, inertia: [0.02, 0.02, 0.02]}}\n"
      "joints: {a: {free: [ground, low]}, b: {free: [ground, top]}}\n"
      "surfaces: {low: {box: low, size: [0.3, 0.3, 0.2], material: stuff}, top: {box: top, size: [0.2, 0.2, 0.1], "
      "material: stuff},\n"
      "  floor: {plane: ground, material: stuff}}\n"
      "materials: {stuff: {foundation: 1e8, restitution: 0.2, friction: 0.5}}\n"
      "initial: {a: {q: [1, 0, 0, 0, 0, 0, 0.1]}, b: {q: [0.99, 0.002, 0.004, 0.1, 0.12, 0.02, 0.2525]}}\n"
      "method: compliant\nend: 1\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.9);
  double x = run_read(&r, "top.x"), y = run_read(&r, "top.y"), z = run_read(&r, "top.z");
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "low-top.fn"), 2 * g, 1e-4);
  CHECK_NEAR(run_read(&r, "low-floor.fn"), 6 * g, 1e-4);
  CHECK_NEAR(run_read(&r, "top.x"), x, 1e-6);
  CHECK_NEAR(run_read(&r, "top.y"), y, 1e-6);
  CHECK_NEAR(run_read(&r, "top.z"), z, 1e-8);
  CHECK_NEAR(z, 0.25, 1e-4);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-4);
  run_close(&r);
}

// On a slope below the angle of friction it creeps at less than v0 and the ledger calls it sticking; above it slides by
// the closed form.
static void box_on_a_slope(void) {
  for (int i = 0; i < 2; i++) {
    run r;
    char text[1024];
    double angle = atan(i ? 0.4 : 0.2), c = cos(angle), s = sin(angle);
    snprintf(
        text, sizeof text,
        "gravity: [%.17g, 0, %.17g]\n"
        "bodies: {box: {mass: 2, inertia: [0.01, 0.02, 0.025]}}\njoints: {six: {free: [ground, box]}}\n"
        "surfaces: {box: {box: box, size: [0.2, 0.3, 0.1], material: stuff}, floor: {plane: ground, material: stuff}}\n"
        "contacts: {rest: {between: [box, floor]}}\n"
        "materials: {stuff: {foundation: 1e8, restitution: 0.2, friction: 0.3}}\n"
        "initial: {six: {q: [1, 0, 0, 0, 0, 0, %.17g]}}\nmethod: compliant\nend: 5\n",
        g * s, -g * c, 0.05 - 2 * g * c / (k * 0.06));
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 1);
    double v = run_read(&r, "box.vx");
    if (i) CHECK_NEAR(v, g * (s - 0.3 * c), 2e-3);
    else CHECK(v > 0 && v < 1e-3);
    CHECK_NEAR(run_read(&r, "rest.fn"), 2 * g * c, 1e-3);
    CHECK_NEAR(fabs(run_read(&r, "rest.ft")), 2 * g * (i ? 0.3 * c : s), 1e-3);
    run_close(&r);
  }
}

// Friction acts over the area: a box that spins on the floor is stopped by μ N times the mean distance from its middle,
// of a square with edges a: (√2 + asinh 1)/6 a = 0.38260 a.
static void area_resists_spin(void) {
  static const char *const text =
      "gravity: [0, 0, -10]\n"
      "bodies: {box: {mass: 2, inertia: [0.01, 0.01, 0.02]}}\njoints: {six: {free: [ground, box]}}\n"
      "surfaces: {box: {box: box, size: [0.2, 0.2, 0.1], material: stuff}, floor: {plane: ground, material: stuff}}\n"
      "materials: {stuff: {foundation: 1e8, restitution: 0.2, friction: 0.3, v0: 0.1 mm/s}}\n"
      "initial: {six: {q: [1, 0, 0, 0, 0, 0, 0.04999500], u: [0, 0, 5, 0, 0, 0]}}\nmethod: compliant\nend: 1\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.02);
  double w = run_read(&r, "box.wz");
  run_to(&r, 0.06);
  double torque = 0.02 * (w - run_read(&r, "box.wz")) / 0.04, arm = (sqrt(2) + asinh(1)) / 6 * 0.2;
  CHECK_NEAR(torque, 0.3 * 20 * arm, 3e-3 * torque);  // the nodes see the cone of distances with this precision
  run_close(&r);
}

// --- in the plane ----------------------------------------------------------------------------------------------------

static void polygons_in_the_plane(void) {
  static const char *const text =
      "space: planar\ngravity: [0, -9.81]\n"
      "bodies: {low: {mass: 4, inertia: 0.05}, top: {mass: 2, inertia: 0.02}}\n"
      "joints: {a: {planar: [ground, low]}, b: {planar: [ground, top]}}\n"
      "surfaces: {low: {box: low, size: [0.4, 0.2], material: stuff}, floor: {plane: ground, material: stuff},\n"
      "  top: {polygon: top, points: [[-0.1, -0.05], [0.1, -0.05], [0.05, 0.05], [-0.05, 0.05]], material: stuff}}\n"
      "materials: {stuff: {foundation: 1e7, %s}}\n"
      "initial: {a: {q: [0, 0, %.17g]}, b: {q: [%.17g, %.17g, %.17g], u: [%g, 0, 0]}}\n"
      "method: compliant\nintegrator: {rtol: 1e-9, atol: 1e-12}\nend: 2\n";
  char model[2048];
  run r;
  // pressed flat, half over the edge of the lower one
  snprintf(model, sizeof model, text, "law: hooke", 0.1 - 1e-4, 0.0, 0.2, 0.25 - 2e-4, 0.0);
  if (!run_open_text(&r, model, "")) return;
  double slant = 0.5 * 1e7 * 1e-4 * 0.5e-4;  // its side leans by half its height
  double aside = 0.5 * 1e7 * 1e-8;  // and is pressed away from the edge, two thirds of the depth below the surface
  CHECK_NEAR(run_read(&r, "low-top.fn"), hypot(1e7 * 0.1 * 1e-4 - slant, aside), 1e-9 * 100);
  CHECK_NEAR(run_read(&r, "low-floor.fn"), 1e7 * 0.4 * 1e-4, 1e-9 * 400);
  double torque = -100 * 0.05 + slant * (0.1 - 0.5e-4 / 3) + aside * (0.05 - 1e-4 / 3);
  CHECK_NEAR(carom_sim_accelerations(r.sim)[3], torque / 0.02,
             4e-9 * 250);  // the face of the smaller body counts with 1e-6, and differs by the slant
  run_close(&r);
  // elastic, dropped on a corner
  snprintf(model, sizeof model, text, "law: hooke", 0.1, 0.4, 0.02, 0.4, 0.3);
  if (!run_open_text(&r, model, "")) return;
  run_to(&r, 0.5);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-5);
  CHECK_LE(1, carom_sim_summary(r.sim).contact_impacts);
  run_close(&r);
  // and at rest
  snprintf(model, sizeof model, text, "restitution: 0.1, friction: 0.4", 0.1, 0.05, 0.02, 0.26, 0.0);
  if (!run_open_text(&r, model, "")) return;
  run_to(&r, 2);
  CHECK_NEAR(run_read(&r, "low-top.fn"), 2 * g, 1e-5);
  CHECK_NEAR(run_read(&r, "low-floor.fn"), 6 * g, 1e-5);
  run_close(&r);
}

// --- what `check` shows ----------------------------------------------------------------------------------------------

static void check_shows_what_counts(void) {
  static const char *const plane =
      "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {a: {planar: [ground, a]}}\n"
      "surfaces: {a: {box: a, size: [1, 1], material: m}, b: {plane: ground, material: m}}\ninitial: {a: {q: [0, 0, "
      "2]}}\n"
      "materials: {m: {foundation: 2e7, stiffness: 1e5, friction: 0.3, rolling_friction: 2 mm, spinning_friction: 1 "
      "mm}}\nmethod: compliant\nend: 1\n";
  run r;
  if (!open_box(&r, "law: hooke", 0.06, 0, NULL)) return;
  CHECK_CONTAINS(carom_model_part(r.model, "contacts", 0).detail, "foundation 1e+08 N/m^3");
  CHECK(!strstr(carom_model_part(r.model, "contacts", 0).detail, "not used"));
  run_close(&r);
  if (!run_open_text(&r, plane, "")) return;
  const char *detail = carom_model_part(r.model, "contacts", 0).detail;
  CHECK_CONTAINS(detail, "foundation 2e+07 N/m^3 (stiffness not used)");
  CHECK_CONTAINS(detail, "rolling friction 0.002 m");
  CHECK_CONTAINS(detail, "spinning friction 0.001 m (not used in the plane)");
  run_close(&r);
}

// --- what is refused -------------------------------------------------------------------------------------------------

static void refused(const char *text, const char *word) {
  run r;
  const char *path = scratch("model.yaml");
  if (!write_text(path, text)) return;
  CHECK(!run_try(&r, path, ""));
  if (!CHECK(strstr(r.error.text, word) != NULL)) printf("      %s\n", r.error.text);
  run_close(&r);
}

static void the_key_is_named(void) {
  static const char *const pair =
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {a: {free: [ground, a]}, b: {free: [ground, b]}}\n"
      "surfaces: {a: {box: a, size: [1, 1, 1], material: stuff}, b: {box: b, size: [1, 1, 1], material: stuff}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0, 0, 2]}}\n"
      "materials: {stuff: {%s}}\nmethod: compliant\nend: 1\n";
  char text[1024];
  snprintf(text, sizeof text, pair, "stiffness: 1e8");
  refused(text, "'foundation'");
  snprintf(text, sizeof text, pair, "foundation: 1e8, law: kelvin-voigt, stiffness: 1e8, damping: 10");
  refused(text, "'foundation'");
  snprintf(text, sizeof text, pair, "foundation: 1e8 N/m");
  refused(text, "foundation");
}

int main(void) {
  RUN(pressure_is_the_gradient_of_its_energy);
  RUN(volume_of_two_boxes);
  RUN(flat_box_presses_by_area_times_law);
  RUN(tilted_box_presses_by_the_wedge);
  RUN(elastic_bounce_keeps_the_energy);
  RUN(restitution_of_a_flat_impact);
  RUN_OPTIMISED(box_rests_on_a_box);
  RUN(box_on_a_slope);
  RUN(area_resists_spin);
  RUN(polygons_in_the_plane);
  RUN(check_shows_what_counts);
  RUN(the_key_is_named);
  return check_summary();
}
