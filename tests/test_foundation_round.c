// Round shapes that touch with an area under scheme `compliant`: ends and sides of cylinders, cones and capsules on
// planes and on each other; and areas at the edge of another body.
#include "rows.h"

#include "geometry/foundation.h"
#include "geometry/tessellate.h"

static const double k = 1e8;

// --- geometry --------------------------------------------------------------------------------------------------------

typedef struct pressed {
  double energy, force;
  vec3 moment;  // of the parts of the force, times their places
} pressed;

static void add(void *context, const foundation_node *node) {
  pressed *p = context;
  p->energy += 0.5 * node->depth * node->depth * node->area;
  p->force += node->depth * node->area;
  p->moment = vec3_axpy(p->moment, node->depth * node->area, node->at);
}

// On the floor z = 0, tilted about y, its lowest point so deep.
static pressed press_on_floor(const convex *s, double tilt, double depth) {
  static tessellation t;
  vec3 down = {sin(tilt), 0, -cos(tilt)};  // in its own axes
  mat3 R = {{cos(tilt), 0, sin(tilt), 0, 1, 0, -sin(tilt), 0, cos(tilt)}};
  double low = vec3_dot(down, convex_support(s, down)) + s->layer;
  pose at = {R, {0, 0, low - depth}};
  pressed p = {0};
  foundation floor = foundation_of_plane((vec3){0, 0, 1}, 0);
  tessellate(s, mat3_tmul(R, (vec3){0, 0, -1}), depth, &t);
  foundation_press(&floor, &t.hull, at, add, &p);
  return p;
}

static double segment_area(double r, double d) {
  double b = acos(1 - d / r);
  return r * r * (b - sin(b) * cos(b));
}

// A cap of each shape has the volume of the closed form; of a disc that is exact, of sides it is good to 1e-4 of
// itself, of the round ends of a capsule to 1e-2.
static void caps_have_their_volume(void) {
  const double r = 0.05, l = 0.2, depths[] = {1e-7, 1e-5, 1e-3, 1e-2};
  convex cylinder = convex_cylinder(r, l), cone = convex_cone(r, l), capsule = convex_capsule(r, l);
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    double d = depths[i], tip = M_PI * pow(r / l, 2) * pow(d, 3) / 3, ball = M_PI * d * d * (3 * r - d) / 3;
    CHECK_NEAR(press_on_floor(&cylinder, 0, d).force, M_PI * r * r * d, 1e-16 * r * r);  // rounding of places
    CHECK_NEAR(press_on_floor(&cone, M_PI, d).force, tip, 1e-8 * tip);
    worst = fmax(worst, fabs(press_on_floor(&cylinder, M_PI / 2, d).force / (l * segment_area(r, d)) - 1));
    worst = fmax(worst, fabs(press_on_floor(&capsule, M_PI / 2, d).force / (l * segment_area(r, d) + ball) - 1) / 100);
    worst = fmax(worst, fabs(press_on_floor(&capsule, 0, d).force / ball - 1) / 100);
  }
  printf("    off by at most %.1e\n", worst);
  CHECK_LE(worst, 1e-4);
}

// A disc that is tilted and in all around has its centre of pressure at θ r²/4 of its depth; its second moments are
// good to 1e-5.
static void tilted_disc_has_its_centre(void) {
  convex cylinder = convex_cylinder(0.05, 0.2);
  const double tilt = 1e-5, d = 2e-6, mean = d - 0.05 * tilt;
  pressed p = press_on_floor(&cylinder, tilt, d);
  double side = 0.1 * sin(tilt);  // the lower face is off the middle
  CHECK_NEAR(fabs(p.moment.x / p.force + side), 0.05 * 0.05 * tan(tilt) / (4 * mean), 3e-5 * 0.05);
}

// The force follows from the energy at any tilt, as well as volumes are known.
static void pressure_is_the_gradient_of_its_energy(void) {
  const convex shapes[] = {convex_cylinder(0.05, 0.2), convex_cone(0.05, 0.2), convex_capsule(0.05, 0.2)};
  double worst = 0;
  for (int i = 0; i < 300; i++) {
    const convex *s = &shapes[i % 3];
    double tilt = uniform(0, M_PI), d = pow(10, uniform(-6, -2)), h = 1e-3 * d;
    double slope = (press_on_floor(s, tilt, d + h).energy - press_on_floor(s, tilt, d - h).energy) / (2 * h);
    worst = fmax(worst, fabs(slope / press_on_floor(s, tilt, d).force - 1) / (i % 3 < 2 ? 1 : 4));
  }
  printf("    off the gradient by at most %.1e\n", worst);
  CHECK_LE(worst, 5e-3);
}

// --- forces ----------------------------------------------------------------------------------------------------------

static bool open_on(run *r, const char *shape, const char *ground, const char *material, double tilt, vec3 at,
                    const char *rest) {
  char text[2048];
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\nbodies: {top: {mass: 2, inertia: [0.01, 0.01, 0.01]}}\njoints: {six: {free: "
           "[ground, top]}}\n"
           "surfaces: {top: {%s, material: stuff}, low: {%s, material: stuff}}\ncontacts: {c: {between: [top, low]}}\n"
           "materials: {stuff: {%s}}\ninitial: {six: {q: [%.17g, 0, %.17g, 0, %.17g, %.17g, %.17g]}}\nmethod: "
           "compliant\n%s\n",
           shape, ground, material, cos(tilt / 2), sin(tilt / 2), at.x, at.y, at.z, rest);
  return run_open_text(r, text, "");
}

// An upright cylinder on a plane, a box, a cylinder, and a cone on its base: area times law.
static void flat_ends_press_by_area_times_law(void) {
  static const char *const grounds[] = {"plane: ground", "box: ground, size: [1, 1, 1], at: [0, 0, -0.5]",
                                        "cylinder: ground, radius: 0.2, length: 1, at: [0, 0, -0.5]",
                                        "hull: ground, points: [[-1, -1, 0], [1, -1, 0], [0, 1, 0], [0, 0, -1]]"};
  static const char *const tops[] = {"cylinder: top, radius: 0.05, length: 0.2",
                                     "cone: top, radius: 0.05, height: 0.2"};
  double d = 1e-4, area = M_PI * 0.05 * 0.05;
  for (int i = 0; i < 8; i++) {
    run r;
    if (!open_on(&r, tops[i / 4], grounds[i % 4], "foundation: 1e8, law: hooke", 0, (vec3){0.01, 0.02, 0.1 - d},
                 "end: 1"))
      return;
    double force = k * area * d;
    // the side of a cone leans by 1/4
    if (i >= 4) force -= k * M_PI * (0.05 * 0.25 * d * d - 0.25 * 0.25 * d * d * d / 3);
    CHECK_NEAR(run_read(&r, "c.fn"), force, (i < 4 ? 1e-9 : 1e-5) * force);
    CHECK_NEAR(run_read(&r, "c.gap"), -d, 1e-12);
    CHECK_NEAR(run_read(&r, "top.az"), force / 2 - 9.81, 1e-5 * force);
    run_close(&r);
  }
}

// A cylinder that lies presses on a box as on a plane, and a capsule on another shape likewise.
static void sides_press_on_faces_as_on_planes(void) {
  static const char *const grounds[] = {"plane: ground", "box: ground, size: [1, 1, 1], at: [0, 0, -0.5]"};
  double force[2], d = 1e-4;
  for (int i = 0; i < 2; i++) {
    run r;
    if (!open_on(&r, "cylinder: top, radius: 0.05, length: 0.2", grounds[i], "foundation: 1e8, law: hooke", M_PI / 2,
                 (vec3){0, 0, 0.05 - d}, "end: 1"))
      return;
    force[i] = run_read(&r, "c.fn");
    run_close(&r);
  }
  CHECK_NEAR(force[0], k * 0.2 * segment_area(0.05, d), 1e-4 * force[0]);
  CHECK_NEAR(force[1], force[0], 1e-6 * force[0]);
  run r;
  if (!open_on(&r, "capsule: top, radius: 0.05, length: 0.2", grounds[1], "foundation: 1e8, law: hooke", M_PI / 2,
               (vec3){0, 0, 0.05 - d}, "end: 1"))
    return;
  double ball = M_PI * d * d * (0.15 - d) / 3;
  CHECK_NEAR(run_read(&r, "c.fn"), force[0] + k * ball, 1e-2 * force[0]);
  run_close(&r);
}

// It rolls down a slope by 2/3 of g sin α, and does not bump over strips.
static void cylinder_rolls_down_a_slope(void) {
  run r;
  char text[1024];
  double slope = 0.1, weight = 2 * 9.81 * cos(slope), low = 0, high = 1e-3;
  for (int i = 0; i < 60; i++) {  // the depth at which it rests
    double d = 0.5 * (low + high);
    if (k * 0.2 * segment_area(0.05, d) < weight) low = d;
    else high = d;
  }
  snprintf(
      text, sizeof text,
      "gravity: [%.17g, 0, %.17g]\nbodies: {top: {mass: 2, inertia: [0.01, 0.0025, 0.01]}}\njoints: {six: {free: "
      "[ground, top]}}\n"
      "surfaces: {top: {cylinder: top, radius: 0.05, length: 0.2, rotate: {axis: x, angle: 90 deg}, material: stuff},\n"
      "  low: {box: ground, size: [4, 1, 1], at: [0, 0, -0.5], material: stuff}}\n"
      "contacts: {c: {between: [top, low]}}\n"
      "materials: {stuff: {foundation: 1e8, law: hooke, friction: 0.5, v0: 0.1 mm/s}}\n"
      "initial: {six: {q: [1, 0, 0, 0, 0, 0, %.17g]}}\nmethod: compliant\nend: 0.2\n",
      9.81 * sin(slope), -9.81 * cos(slope), 0.05 - low);
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.2);
  CHECK_NEAR(run_read(&r, "top.vx"), 9.81 * sin(slope) * 2 / 3 * 0.2, 1e-3);
  CHECK_NEAR(run_read(&r, "top.wy"), run_read(&r, "top.vx") / 0.05, 2e-2);
  CHECK_NEAR(run_read(&r, "c.fn"), weight, 2e-2 * weight);
  CHECK_NEAR(run_read(&r, "top.y"), 0, 1e-5);
  run_close(&r);
}

// An upright cylinder stands on another one and comes to rest.
static void cylinder_stands_on_a_cylinder(void) {
  run r;
  if (!open_on(&r, "cylinder: top, radius: 0.05, length: 0.2",
               "cylinder: ground, radius: 0.2, length: 1, at: [0, 0, -0.5]",
               "foundation: 1e8, restitution: 0.2, friction: 0.5", 0.02, (vec3){0.02, 0.01, 0.102}, "end: 1"))
    return;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "c.fn"), 2 * 9.81, 1e-4);
  CHECK_NEAR(run_read(&r, "top.z"), 0.1 - 2 * 9.81 / (k * M_PI * 0.0025), 1e-8);
  CHECK_NEAR(run_read(&r, "top.wx"), 0, 1e-5);
  run_close(&r);
}

// --- the edge of another body ----------------------------------------------------------------------------------------

// Boxes of 10 mm, the upper one just beyond the edge of the lower one: it tips over and falls down. The direction of
// the pressure goes over from that of the lower face to that of the upper one without a jump.
static void box_tips_over_an_edge(void) {
  static const char *const text =
      "gravity: [0, 0, -9.80665]\n"
      "bodies: {lo: {mass: 0.003, inertia: [2.9e-8, 2.9e-8, 5e-8]}, up: {mass: 0.003, inertia: [2.9e-8, 2.9e-8, "
      "5e-8]}}\n"
      "joints: {f: {free: [ground, lo], at: [0, 0, 0.002]}, g: {free: [ground, up], at: [%g, 0, 0.006]}}\n"
      "surfaces: {lo: {box: lo, size: [0.01, 0.01, 0.004], material: s}, up: {box: up, size: [0.01, 0.01, 0.004], "
      "material: s},\n"
      "  floor: {plane: ground, material: s}}\n"
      "materials: {s: {friction: 0.6, restitution: 0, foundation: 1e9}}\nmethod: compliant\nend: 0.25\n";
  for (int i = 0; i < 2; i++) {
    run r;
    char model[1024];
    snprintf(model, sizeof model, text, i ? 0.0051 : 0.0045);
    if (!run_open_text(&r, model, "")) return;
    run_to(&r, 0.25);
    if (i) CHECK_LE(run_read(&r, "up.z"), 0.0055);  // it leans on the edge
    else CHECK_NEAR(run_read(&r, "up.z"), 0.006, 1e-5);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-4);
    run_close(&r);
  }
}

int main(void) {
  RUN(caps_have_their_volume);
  RUN(tilted_disc_has_its_centre);
  RUN(pressure_is_the_gradient_of_its_energy);
  RUN(flat_ends_press_by_area_times_law);
  RUN(sides_press_on_faces_as_on_planes);
  RUN(cylinder_rolls_down_a_slope);
  RUN_OPTIMISED(cylinder_stands_on_a_cylinder);
  RUN(box_tips_over_an_edge);
  return check_summary();
}
