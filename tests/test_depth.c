// Bodies that press into the field of depth of another one (geometry/depth.h): convex shapes and meshes on meshes,
// height fields and planes, concave outlines and arcs in the plane.
#include "runs.h"

#include "geometry/depth.h"
#include "geometry/polytope.h"
#include "geometry/flat.h"

static const double k = 1e8;

// --- the gradient ----------------------------------------------------------------------------------------------------

static mat3 turn(vec3 by) { return quat_matrix(quat_exp(by)); }
static vec3 any(double size) { return (vec3){uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

typedef struct hills {
  double heights[25];
  terrain on;
  flat box;
  pose at;  // of the box
  depth_sum sum;
} hills;

static void add(void *context, const depth_cell *c, const depth_node *node) { depth_add(context, c, node); }

static void press_triangle(void *context, const terrain_triangle *t) {
  hills *h = context;
  depth_cell c;
  if (!depth_of_triangle(&h->on, t, &c)) return;
  for (int i = 0; i < h->box.hull.face_count; i++) {
    const polytope_face *f = &h->box.hull.faces[i];
    vec3 corner[8];
    for (int j = 0; j < f->count; j++)
      corner[j] = pose_point(h->at, h->box.hull.vertices[h->box.hull.corners[f->first + j]]);
    depth_press_face(&c, corner, f->count, mat3_mul(h->at.R, f->normal), &h->sum, add, &h->sum);
  }
}

// About the middle of the box.
static depth_sum press(hills *h, pose at) {
  h->at = at, h->sum = (depth_sum){0};
  h->on.type->each(&h->on, (vec3){-1, -1, -1}, (vec3){1, 1, 1}, press_triangle, h);
  h->sum.moment = vec3_sub(h->sum.moment, vec3_cross(at.p, h->sum.force));
  return h->sum;
}

static hills make_hills(arena *memory) {
  hills h;
  vec3 corners[8];
  for (int i = 0; i < 25; i++) h.heights[i] = uniform(0, 0.05);
  for (int i = 0; i < 8; i++) corners[i] = (vec3){i & 1 ? 0.15 : -0.15, i & 2 ? 0.1 : -0.1, i & 4 ? 0.05 : -0.05};
  CHECK(flat_build(corners, 8, memory, &h.box));
  return h;
}

// A box in any position on hills and in valleys, the energy in closed form by nodes that are exact for upright walls
// and nearly so for others.
static void force_is_the_gradient_of_the_energy(void) {
  arena memory = arena_create(NULL);
  double worst = 0, d = 1e-6;
  int count = 0;
  for (int i = 0; i < 500; i++) {
    hills h = make_hills(&memory);
    h.on = terrain_of_heights(h.heights, 5, 5, -0.3, -0.3, 0.15, 0.15);
    pose at = {turn(any(1)), {uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(0.05, 0.15)}};
    depth_sum s = press(&h, at);
    if (!(s.deepest > 1e-3 && s.deepest < 0.03)) continue;
    count++;
    for (int axis = 0; axis < 6; axis++) {
      double c[3] = {axis % 3 == 0, axis % 3 == 1, axis % 3 == 2}, e[2];
      for (int side = 0; side < 2; side++) {
        vec3 by = vec3_scale(side ? d : -d, vec3_of(c));
        e[side] =
            press(&h, axis < 3 ? (pose){at.R, vec3_add(at.p, by)} : (pose){mat3_product(turn(by), at.R), at.p}).energy;
      }
      double found = -(e[1] - e[0]) / (2 * d), said = vec3_dot(vec3_of(c), axis < 3 ? s.force : s.moment);
      worst = fmax(worst, fabs(found - said) / (axis < 3 ? 1 : 0.1) / vec3_norm(s.force));
    }
  }
  printf("    %d overlaps, off the gradient by at most %.1e\n", count, worst);
  CHECK_LE(50, count);
  CHECK_LE(worst, 1e-5);
  arena_free(&memory);
}

// A box that slides over ridges, valleys and corners: the force changes no faster than its slope allows, which is the
// stiffness times the area.
static void force_is_continuous(void) {
  arena memory = arena_create(NULL);
  hills h = make_hills(&memory);
  h.on = terrain_of_heights(h.heights, 5, 5, -0.3, -0.3, 0.15, 0.15);
  const double step = 1e-6;
  double worst = 0;
  for (int i = 0; i < 20; i++) {
    pose at = {turn(any(0.3)), {uniform(-0.1, 0), uniform(-0.1, 0.1), 0.08}};
    depth_sum before = press(&h, at);
    for (int j = 0; j < 2000; j++) {
      at.p = vec3_add(at.p, (vec3){step, 0.3 * step, -0.1 * step});
      depth_sum now = press(&h, at);
      worst = fmax(worst, vec3_norm(vec3_sub(now.force, before.force)) / step);
      before = now;
    }
  }
  printf("    changes by at most %.2g m² per length, the box has 0.3 m x 0.2 m\n", worst);
  CHECK_LE(worst, 0.3 * 0.2);
  arena_free(&memory);
}

// --- presses ---------------------------------------------------------------------------------------------------------

#define PLATE                                                                                                          \
  "points: [[-0.5, -0.5, -0.2], [0.5, -0.5, -0.2], [0.5, 0.5, -0.2], [-0.5, 0.5, -0.2], [-0.5, -0.5, 0], [0.5, -0.5, " \
  "0], [0.5, 0.5, 0], [-0.5, 0.5, 0]], "                                                                               \
  "triangles: [[1, 3, 2], [1, 4, 3], [5, 6, 7], [5, 7, 8], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 4, 8], "    \
  "[3, 8, 7], [4, 1, 5], [4, 5, 8]]"
#define BRICK                                                                                                          \
  "points: [[-0.1, -0.15, -0.05], [0.1, -0.15, -0.05], [0.1, 0.15, -0.05], [-0.1, 0.15, -0.05], [-0.1, -0.15, 0.05], " \
  "[0.1, -0.15, 0.05], [0.1, 0.15, 0.05], [-0.1, 0.15, 0.05]], "                                                       \
  "triangles: [[1, 3, 2], [1, 4, 3], [5, 6, 7], [5, 7, 8], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 4, 8], "    \
  "[3, 8, 7], [4, 1, 5], [4, 5, 8]]"

static const char *const in_space =
    "gravity: [0, 0, %g]\nbodies: {a: {mass: 1, inertia: [0.002, 0.003, 0.004]}, b: {mass: 1.5, inertia: [0.004, "
    "0.002, 0.003]}}\n"
    "joints: {a: {free: [ground, a]}, b: {%s: [ground, b]}}\n"
    "surfaces: {a: {%s, material: m}, b: {%s, material: m}}\ncontacts: {pair: {between: [a, b]}}\n"
    "materials: {m: {foundation: 1e8, %s}}\n"
    "initial: {a: {q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], u: [%g, %g, %g, 0, 0, %g]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-8, atol: 1e-11}\nend: 5\n";

static bool open_pair(run *r, double g, const char *joint, const char *a, const char *b, const char *law, quat q,
                      vec3 p, vec3 spin, double fall) {
  char text[8192];
  snprintf(text, sizeof text, in_space, g, joint, a, b, law, q.w, q.x, q.y, q.z, p.x, p.y, p.z, spin.x, spin.y, spin.z,
           fall);
  return run_open_text(r, text, "");
}

// Pressed in flat: area times law, whatever the triangles are; on the slope of a height field too.
static void flat_press_is_area_times_law(void) {
  static const char *const grounds[] = {"mesh: b, " PLATE,
                                        "height_field: b, at: [-0.45, -0.45, 0], columns: 4, spacing: 0.3, heights: "
                                        "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
                                        "plane: b"};
  static const char *const bricks[] = {"box: a, size: [0.2, 0.3, 0.1]", "mesh: a, " BRICK};
  const double depth = 1e-4, force = k * 0.06 * depth;
  for (int i = 0; i < 6; i++) {
    run r;
    if (i / 3 == 1 && i % 3 == 1) continue;  // a mesh and a height field do not touch
    if (!open_pair(&r, 0, "fixed", bricks[i / 3], grounds[i % 3], "law: hooke", (quat){1, 0, 0, 0},
                   (vec3){0.02, 0.03, 0.05 - depth}, VEC3_ZERO, 0))
      return;
    CHECK_NEAR(run_read(&r, "pair.fn"), force, 1e-9 * force);
    CHECK_NEAR(run_read(&r, "pair.gap"), -depth, 1e-15);
    CHECK_NEAR(run_read(&r, "pair.at_x"), 0.02, 1e-12);
    CHECK_NEAR(run_read(&r, "a.az"), force, 1e-9 * force);
    CHECK_NEAR(run_read(&r, "energy.contact"), 0.5 * force * depth, 1e-9 * force * depth);
    for (int n = 0; n < 3; n++) CHECK_NEAR(carom_sim_accelerations(r.sim)[n] * 0.003, 0, 1e-9 * force);  // no torque
    run_close(&r);
  }
  run r;
  double angle = atan(0.5);  // the slope rises by 0.15 m per 0.3 m along x
  vec3 n = {-sin(angle), 0, cos(angle)};
  if (!open_pair(&r, 0, "fixed", bricks[0],
                 "height_field: b, at: [-0.45, -0.45, -0.225], columns: 4, spacing: 0.3, heights: [0, 0.15, 0.3, 0.45, "
                 "0, 0.15, 0.3, 0.45, 0, 0.15, 0.3, 0.45, 0, 0.15, 0.3, 0.45]",
                 "law: hooke", (quat){cos(-angle / 2), 0, sin(-angle / 2), 0}, vec3_scale(0.05 - depth, n), VEC3_ZERO,
                 0))
    return;
  CHECK_NEAR(run_read(&r, "pair.fn"), force, 1e-9 * force);
  CHECK_NEAR(run_read(&r, "pair.force_x"), n.x * force, 1e-9 * force);
  run_close(&r);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

#define HILLS                                                                                                       \
  "height_field: b, at: [-0.3, -0.3, 0], columns: 6, spacing: 0.12, heights: [0.01, 0.03, 0.02, 0.04, 0.01, 0.02, " \
  "0.04, 0.01, 0.05, 0.02, 0.03, 0.01, 0.02, 0.04, 0.01, "                                                          \
  "0.03, 0, 0.05, 0.03, 0.02, 0.04, 0.01, 0.05, 0.02, 0.01, 0.05, 0.02, 0.03, 0.01, 0.04, 0.02, 0.01, 0.03, 0.02, " \
  "0.05, 0.01]"
// A prism with an L as its base, which has a hollow edge.
#define ANGLE                                                                                                        \
  "points: [[-0.15, -0.1, -0.1], [0.15, -0.1, -0.1], [0.15, -0.1, 0], [0, -0.1, 0], [0, -0.1, 0.1], [-0.15, -0.1, "  \
  "0.1], [-0.15, 0.1, -0.1], [0.15, 0.1, -0.1], [0.15, 0.1, 0], "                                                    \
  "[0, 0.1, 0], [0, 0.1, 0.1], [-0.15, 0.1, 0.1]], triangles: [[1, 2, 8], [1, 8, 7], [2, 3, 9], [2, 9, 8], [3, 4, "  \
  "10], [3, 10, 9], [4, 5, 11], [4, 11, 10], [5, 6, 12], [5, 12, 11], "                                              \
  "[6, 1, 7], [6, 7, 12], [1, 3, 2], [7, 8, 9], [1, 4, 3], [7, 9, 10], [1, 6, 4], [7, 10, 12], [4, 6, 5], [10, 11, " \
  "12]], flip: true"

static quat any_turn(void) {
  return quat_normalize((quat){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
}

typedef struct tally {
  int hits, runs;
  double worst;
} tally;

static void fly(const char *a, const char *b, bool fixed, tally *t) {
  run r;
  if (!open_pair(&r, fixed ? -9.81 : 0, fixed ? "fixed" : "free", a, b, "law: hooke, friction: 0", any_turn(),
                 (vec3){uniform(-0.05, 0.05), uniform(-0.05, 0.05), 0.4}, any(3), -1))
    return;
  run_to(&r, 0.35);
  carom_summary s = carom_sim_summary(r.sim);
  t->runs++, t->hits += s.contact_impacts > 0;
  if (s.contact_impacts > 0) t->worst = fmax(t->worst, s.energy_imbalance);
  run_close(&r);
}

// Elastic, without friction: rtol is 1e-8 of the speeds at each of some 100 steps.
static void polytopes_keep_the_energy(void) {
  static const char *const a[] = {"box: a, size: [0.3, 0.1, 0.1]",
                                  "hull: a, points: [[-0.1, -0.1, -0.1], [0.2, 0, -0.1], [0, 0.2, -0.1], [0, 0, 0.15]]",
                                  "mesh: a, " ANGLE};
  static const char *const b[] = {"mesh: b, " BRICK, "mesh: b, " ANGLE, HILLS, "plane: b"};
  tally t = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      if (!(i == 2 && j == 2)) fly(a[i], b[j], j > 1, &t);
  printf("    %d of %d meet, relative energy error at most %.1e\n", t.hits, t.runs, t.worst);
  CHECK_LE(10, t.hits);
  CHECK_LE(t.worst, 2e-6);
}

// Round shapes are polytopes that follow the contact with each triangle.
static void round_shapes_nearly_keep_the_energy(void) {
  static const char *const a[] = {"cylinder: a, radius: 0.06, length: 0.2", "cone: a, radius: 0.08, height: 0.2",
                                  "capsule: a, radius: 0.05, length: 0.15",
                                  "ellipsoid: a, semi_axes: [0.05, 0.08, 0.12]"};
  tally t = {0};
  for (int i = 0; i < 4; i++) fly(a[i], HILLS, true, &t), fly(a[i], "mesh: b, " BRICK, false, &t);
  printf("    %d of %d meet, relative energy error at most %.1e\n", t.hits, t.runs, t.worst);
  CHECK_LE(7, t.hits);
  CHECK_LE(t.worst, 5e-3);
}

// --- in the plane ----------------------------------------------------------------------------------------------------

static const char *const in_plane =
    "space: planar\ngravity: [0, %g]\nbodies: {a: {mass: 1, inertia: 0.004}, b: {mass: 1.5, inertia: 0.006}}\n"
    "joints: {a: {planar: [ground, a]}, b: {%s: [ground, b]}}\nsurfaces: {a: {%s, material: m}, b: {%s, material: m}}\n"
    "contacts: {pair: {between: [a, b]}}\nmaterials: {m: {foundation: 1e8, %s}}\n"
    "initial: {a: {q: [%.17g, %.17g, %.17g], u: [%g, 0, %g]}}\n"
    "method: compliant\nintegrator: {rtol: 1e-8, atol: 1e-11}\nend: 5\n";

static const char *const outlines[] = {
    "capsule: %s, radius: 0.05, length: 0.2",
    "box: %s, size: [0.3, 0.1]",
    "polygon: %s, points: [[-0.15, -0.1], [0.15, -0.1], [0.15, 0.1], [0.05, 0.1], [0.05, 0.02], [-0.05, 0.02], [-0.05, "
    "0.1], [-0.15, 0.1]]",
    "arcs: %s, points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], radii: [0, 0.15, -0.2, 0]",
    "plane: %s",
    "polygon: %s, points: [[-0.5, -0.2], [0.5, -0.2], [0.5, 0.1], [0.4, 0.1], [0.4, 0], [-0.4, 0], [-0.4, 0.1], [-0.5, "
    "0.1]]"};

static bool open_outlines(run *r, double g, const char *joint, int a, int b, const char *law, double angle, double x,
                          double y, double spin, double fall) {
  char text[4096], first[512], second[512];
  snprintf(first, sizeof first, outlines[a], "a"), snprintf(second, sizeof second, outlines[b], "b");
  snprintf(text, sizeof text, in_plane, g, joint, first, second, law, angle, x, y, spin, fall);
  return run_open_text(r, text, "");
}

static void outlines_keep_the_energy(void) {
  tally t = {0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++)
      for (int n = 0; n < 2; n++) {
        run r;
        double start[3] = {uniform(-3, 3), uniform(-0.1, 0.1), uniform(-5, 5)};
        if ((i == 1 && j == 1) || !open_outlines(&r, j == 4 ? -9.81 : 0, j == 4 ? "fixed" : "planar", i, j,
                                                 "law: hooke, friction: 0", start[0], start[1], 0.4, start[2], -1))
          continue;
        run_to(&r, 0.4);
        carom_summary s = carom_sim_summary(r.sim);
        t.runs++, t.hits += s.contact_impacts > 0;
        if (s.contact_impacts > 0) t.worst = fmax(t.worst, s.energy_imbalance);
        if (!(s.energy_imbalance <= 2e-6))
          printf("      %d on %d: %.2g, %.17g %.17g %.17g\n", i, j, s.energy_imbalance, start[0], start[1], start[2]);
        run_close(&r);
      }
  printf("    %d of %d meet, relative energy error at most %.1e\n", t.hits, t.runs, t.worst);
  CHECK_LE(t.runs - 4, t.hits);
  CHECK_LE(t.worst, 2e-6);
}

// The walls of a hollow arc that ends in sharp corners meet its circle outside of the body as well; nothing presses
// there.
static void nothing_presses_beside_a_hollow_arc(void) {
  run r;
  if (!open_outlines(&r, 0, "planar", 3, 3, "law: hooke, friction: 0", 1.6412390835873198, -0.076646878254810646, 0.4,
                     1.7545977248543565, -1))
    return;
  run_to(&r, 0.175);
  CHECK_LE(1e-3, run_read(&r, "pair.gap"));
  CHECK(carom_sim_summary(r.sim).contact_impacts == 0);
  run_to(&r, 0.4);
  CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 2e-6);
  run_close(&r);
}

// A box and a capsule on the floor of a tray: of the capsule its straight side, and two halves of a segment of a
// circle. Where a box lies on both arms of a fork and hangs over their four edges, half the depth is missing on a strip
// as wide as the depth along each.
static void flat_press_in_the_plane(void) {
  run r;
  const double depth = 1e-4, half = acos(1 - depth / 0.05), segment = 0.05 * 0.05 * (half - sin(half) * cos(half));
  const double force[3] = {k * 0.3 * depth, k * (0.2 * depth + segment), k * (0.2 * depth - 4 * 0.5 * depth * depth)};
  static const int shapes[3][2] = {{1, 5}, {0, 5}, {1, 2}};
  for (int i = 0; i < 3; i++) {
    double height = (i == 2 ? 0.1 : 0) + 0.05 - depth;
    if (!open_outlines(&r, 0, "fixed", shapes[i][0], shapes[i][1], "law: hooke", 0, 0, height, 0, 0)) return;
    CHECK_NEAR(run_read(&r, "pair.fn"), force[i], 1e-9 * force[i]);
    CHECK_NEAR(run_read(&r, "pair.gap"), -depth, 1e-15);
    if (i == 0) CHECK_NEAR(run_read(&r, "energy.contact"), 0.5 * force[0] * depth, 1e-9 * force[0] * depth);
    run_close(&r);
  }
}

int main(void) {
  RUN(force_is_the_gradient_of_the_energy);
  RUN(force_is_continuous);
  RUN(flat_press_is_area_times_law);
  RUN(polytopes_keep_the_energy);
  RUN(round_shapes_nearly_keep_the_energy);
  RUN(outlines_keep_the_energy);
  RUN(nothing_presses_beside_a_hollow_arc);
  RUN(flat_press_in_the_plane);
  return check_summary();
}
