// The energy of two bodies that overlap, and its gradient; and the energy of elastic impacts in which edges, corners
// and faces meet in any way.
#include "rows.h"

#include "geometry/flat.h"
#include "geometry/overlap.h"
#include "geometry/tessellate.h"

// --- the gradient ----------------------------------------------------------------------------------------------------

static flat make_box(vec3 half, arena *memory) {
  vec3 corners[8];
  for (int i = 0; i < 8; i++)
    corners[i] = (vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
  flat f;
  CHECK(flat_build(corners, 8, memory, &f));
  return f;
}

static mat3 turn(vec3 by) { return quat_matrix(quat_exp(by)); }
static vec3 any(double size) { return (vec3){uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

static const vec3 half[2] = {{0.15, 0.05, 0.05}, {0.05, 0.15, 0.08}};

// Returns false if they do not overlap.
static bool press(const flat boxes[2], pose a, pose b, overlap_force *to) {
  convex shapes[2];
  for (int i = 0; i < 2; i++) shapes[i] = convex_box(2 * half[i].x, 2 * half[i].y, 2 * half[i].z);
  overlap_body first = {&shapes[0], &boxes[0].hull, true, overlap_share(1, 1), a},
               second = {&shapes[1], &boxes[1].hull, true, overlap_share(1, 1), b};
  return overlap_of_bodies(&first, &second, a.p, 0.01, to);
}

// Of two boxes in any position, on the first body. Central differences with a step h are wrong by h²/6 times the third
// derivative.
static void force_is_the_gradient_of_the_energy(void) {
  arena memory = arena_create(NULL);
  flat boxes[2] = {make_box(half[0], &memory), make_box(half[1], &memory)};
  double worst = 0, h = 1e-6;
  int count = 0;
  for (int i = 0; i < 2000; i++) {
    pose a = {turn(any(2)), any(0.12)}, b = {turn(any(2)), any(0.02)};
    overlap_force f, e[2];
    if (!press(boxes, a, b, &f) || f.volume < 1e-7) continue;
    count++;
    vec3 moment = vec3_add(f.moment, vec3_cross(vec3_sub(f.at, a.p), f.force));
    for (int axis = 0; axis < 6; axis++) {
      double c[3] = {axis % 3 == 0, axis % 3 == 1, axis % 3 == 2};
      for (int side = 0; side < 2; side++) {
        vec3 by = vec3_scale(side ? h : -h, vec3_of(c));
        pose moved = axis < 3 ? (pose){a.R, vec3_add(a.p, by)} : (pose){mat3_product(turn(by), a.R), a.p};
        CHECK(press(boxes, moved, b, &e[side]));
      }
      double found = -(e[1].energy - e[0].energy) / (2 * h), said = vec3_dot(vec3_of(c), axis < 3 ? f.force : moment);
      double size = axis < 3 ? vec3_norm(f.force) : 0.1 * vec3_norm(f.force);
      worst = fmax(worst, fabs(found - said) / size);
    }
  }
  printf("    %d overlaps, off the gradient by at most %.1e\n", count, worst);
  CHECK_LE(500, count);
  CHECK_LE(worst, 1e-4);
  arena_free(&memory);
}

// An upright capsule on a box: the tessellation has rings that lie on each other, in the pole and at the equator. The
// volume is that of the cap to 1e-3, and by the divergence theorem the same about any origin only if the boundary is
// closed.
static void standing_capsule_has_a_closed_boundary(void) {
  arena memory = arena_create(NULL);
  flat box = make_box(half[0], &memory);
  convex shapes[2] = {convex_capsule(0.05, 0.15), convex_box(2 * half[0].x, 2 * half[0].y, 2 * half[0].z)};
  for (double depth = 1e-5; depth < 1e-2; depth *= 5)
    for (int i = 0; i < 3; i++) {
      tessellation room;
      tessellate(&shapes[0], (vec3){0, 0, -1}, depth, &room);
      overlap_body first = {&shapes[0], &room.hull, false, 1, {MAT3_IDENTITY, {0, 0, half[0].z + 0.125 - depth}}},
                   second = {&shapes[1], &box.hull, true, 1, {MAT3_IDENTITY, VEC3_ZERO}};
      overlap_force f;
      if (!CHECK(overlap_of_bodies(&first, &second, (vec3){0, 0, half[0].z - i * depth}, depth, &f))) continue;
      double volume = M_PI * depth * depth * (0.05 - depth / 3);
      CHECK_NEAR(f.volume, volume, 1e-3 * volume);
    }
  arena_free(&memory);
}

// --- impacts ---------------------------------------------------------------------------------------------------------

static const char *const in_space =
    "gravity: [0, 0, 0]\n"
    "bodies: {a: {mass: 1, inertia: [0.002, 0.003, 0.004]}, b: {mass: 1.5, inertia: [0.004, 0.002, 0.003]}}\n"
    "joints: {a: {free: [ground, a]}, b: {free: [ground, b]}}\n"
    "surfaces: {a: {%s, material: m}, b: {%s, material: m}}\n"
    "materials: {m: {foundation: 1e8, law: hooke, friction: 0}}\n"
    "initial:\n"
    "  a: {q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, 0.4], u: [%g, %g, %g, 0, 0, -1]}\n"
    "  b: {q: [%.17g, %.17g, %.17g, %.17g, 0, 0, 0]}\n"
    "method: compliant\nintegrator: {rtol: 1e-8, atol: 1e-11}\nend: 0.5\n";

static quat any_turn(void) {
  return quat_normalize((quat){uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
}

typedef struct tally {
  int hits;
  long steps;
  double worst;
} tally;

static void tell(const char *text, tally *t, double bound) {
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.5);
  carom_summary s = carom_sim_summary(r.sim);
  t->hits += s.contact_impacts > 0, t->steps = s.steps > t->steps ? s.steps : t->steps;
  if (s.contact_impacts > 0) t->worst = fmax(t->worst, s.energy_imbalance);
  if (!(s.energy_imbalance <= bound))
    printf("      energy error %.2g after %ld steps:\n%s", s.energy_imbalance, s.steps, text);
  run_close(&r);
}

// Bodies in any position that fly into each other without damping and friction.
static void edges_that_cross_keep_the_energy(void) {
  static const char *const boxes[] = {
      "box: a, size: [0.3, 0.1, 0.1]", "box: b, size: [0.1, 0.3, 0.1]", "box: b, size: [0.3, 0.25, 0.05]",
      "hull: b, points: [[-0.1, -0.1, -0.1], [0.2, 0, -0.1], [0, 0.2, -0.1], [0, 0, 0.15]]"};
  tally t = {0};
  for (int i = 0; i < 60; i++) {
    char text[2048];
    quat a = any_turn(), b = any_turn();
    vec3 spin = any(3);
    snprintf(text, sizeof text, in_space, boxes[0], boxes[1 + i % 3], a.w, a.x, a.y, a.z, uniform(-0.1, 0.1),
             uniform(-0.1, 0.1), spin.x, spin.y, spin.z, b.w, b.x, b.y, b.z);
    tell(text, &t, 2e-6);
  }
  printf("    %d of 60 meet, relative energy error at most %.1e, at most %ld steps\n", t.hits, t.worst, t.steps);
  CHECK_LE(40, t.hits);
  CHECK_LE(t.worst, 2e-6);
}

// Round sides are polytopes that follow the contact, which makes or loses up to 1e-3 of the energy: below the limit of
// a warning.
static void round_bodies_nearly_keep_the_energy(void) {
  static const char *const shapes[] = {"cylinder: %c, radius: 0.06, length: 0.2", "cone: %c, radius: 0.08, height: 0.2",
                                       "capsule: %c, radius: 0.05, length: 0.15", "box: %c, size: [0.2, 0.15, 0.1]"};
  tally t = {0};
  for (int i = 0; i < 15; i += 2) {
    char text[2048], first[64], second[64];
    if (i % 16 == 10) continue;  // two capsules have the law of a point
    snprintf(first, sizeof first, shapes[i % 4], 'a'), snprintf(second, sizeof second, shapes[i / 4 % 4], 'b');
    quat a = any_turn(), b = any_turn();
    vec3 spin = any(3), off = any(0.03);
    snprintf(text, sizeof text, in_space, first, second, a.w, a.x, a.y, a.z, off.x, off.y, spin.x, spin.y, spin.z, b.w,
             b.x, b.y, b.z);
    tell(text, &t, 1e-3);
  }
  printf("    %d of 7 meet, relative energy error at most %.1e, at most %ld steps\n", t.hits, t.worst, t.steps);
  CHECK_LE(5, t.hits);
  CHECK_LE(t.worst, 1e-3);
}

static void polygons_keep_the_energy(void) {
  static const char *const text =
      "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 0.004}, b: {mass: 1.5, inertia: 0.006}}\n"
      "joints: {a: {planar: [ground, a]}, b: {planar: [ground, b]}}\n"
      "surfaces: {a: {box: a, size: [0.3, 0.1], material: m}, b: {polygon: b, points: [[-0.1, -0.1], [0.2, -0.05], "
      "[0.1, 0.1], [-0.1, 0.05]], material: m}}\n"
      "materials: {m: {foundation: 1e7, law: hooke, friction: 0}}\n"
      "initial: {a: {q: [%.17g, %.17g, 0.4], u: [%g, 0, -1]}, b: {q: [%.17g, 0, 0]}}\n"
      "method: compliant\nintegrator: {rtol: 1e-8, atol: 1e-11}\nend: 0.5\n";
  tally t = {0};
  for (int i = 0; i < 40; i++) {
    char model[2048];
    snprintf(model, sizeof model, text, uniform(-3, 3), uniform(-0.1, 0.1), uniform(-5, 5), uniform(-3, 3));
    tell(model, &t, 2e-6);
  }
  printf("    %d of 40 meet, relative energy error at most %.1e, at most %ld steps\n", t.hits, t.worst, t.steps);
  CHECK_LE(30, t.hits);
  CHECK_LE(t.worst, 2e-6);
}

int main(void) {
  RUN(force_is_the_gradient_of_the_energy);
  RUN(standing_capsule_has_a_closed_boundary);
  RUN_OPTIMISED(edges_that_cross_keep_the_energy);
  RUN_OPTIMISED(round_bodies_nearly_keep_the_energy);
  RUN(polygons_keep_the_energy);
  return check_summary();
}
