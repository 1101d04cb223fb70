// Bodies without a shape of their own are drawn to everything that is attached to them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "check.h"
#include "scene.h"

static jmp_buf out_of_memory;

typedef struct drawn {
  arena memory;
  carom_model *model;
  const json_value *bodies;
} drawn;

static drawn draw(const char *text) {
  drawn d = {.memory = arena_create(&out_of_memory)};
  carom_error error = {0};
  d.model = carom_model_parse(text, "drawn", &error);
  if (!CHECK(d.model)) printf("%s\n", error.text);
  else d.bodies = json_get(json_read(&d.memory, scene_write(&d.memory, d.model)), "bodies");
  return d;
}

static void finish(drawn *d) {
  carom_model_destroy(d->model);
  arena_free(&d->memory);
}

static const json_value *shapes_of(const drawn *d, const char *body) {
  for (int i = 0; d->bodies && i < d->bodies->count; i++)
    if (strcmp(json_get_text(&d->bodies->items[i], "name"), body) == 0) return json_get(&d->bodies->items[i], "shapes");
  return NULL;
}

static bool is_at(const json_value *point, double x, double y, double z) {
  const double wanted[3] = {x, y, z};
  for (int k = 0; point && k < 3; k++)
    if (fabs(point->items[k].number - wanted[k]) > 1e-9) return false;
  return point;
}

static int count_kind(const json_value *shapes, const char *kind) {
  int count = 0;
  for (int i = 0; shapes && i < shapes->count; i++) count += strcmp(json_get_text(&shapes->items[i], "kind"), kind) == 0;
  return count;
}

// Whether a link ends there.
static bool reaches(const json_value *shapes, double x, double y, double z) {
  for (int i = 0; shapes && i < shapes->count; i++)
    if (strcmp(json_get_text(&shapes->items[i], "kind"), "link") == 0 &&
        (is_at(json_get(&shapes->items[i], "to"), x, y, z) || is_at(json_get(&shapes->items[i], "from"), x, y, z)))
      return true;
  return false;
}

// The mass centre is in the middle, the tip at the end: the drawing once ended at the middle.
static void a_rod_reaches_its_tip(void) {
  drawn d = draw(
      "bodies: {b: {mass: 1, inertia: [0.001, 0.02, 0.02], com: [0.25, 0, 0]}}\n"
      "joints: {j: {spherical: [ground, b], at: [0, 0, 2]}}\n"
      "surfaces: {tip: {sphere: b, at: [0.5, 0, 0], radius: 0.02, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *shapes = shapes_of(&d, "b");
  CHECK(reaches(shapes, 0, 0, 0));
  CHECK(reaches(shapes, 0.5, 0, 0));
  CHECK_EQUAL(count_kind(shapes, "link"), 1);
  CHECK_EQUAL(count_kind(shapes, "sphere"), 1);
  finish(&d);
}

// Two feet, a marker and the point of a load, all on one body.
static void a_body_reaches_all_that_is_attached(void) {
  drawn d = draw(
      "space: planar\n"
      "bodies: {b: {mass: 1, inertia: 0.1, com: [0, 0.1]}, c: {mass: 1, inertia: 0.1}}\n"
      "markers: {eye: {on: b, at: [0, 1]}, hand: {on: b, at: [1, 0.5]}, pin: {on: c, at: [0.3, 0]}}\n"
      "joints: {j: {revolute: [ground, b], at: [0, 3]}, k: {revolute: [b, c], at: [0, 0.5]}}\n"
      "surfaces:\n"
      "  left: {point: b, at: [-0.5, -1], material: m}\n"
      "  right: {box: b, at: [0.5, -1], size: [0.1, 0.1], material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "forces: {push: {force: hand, components: [1, 0]}}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *shapes = shapes_of(&d, "b");
  CHECK(reaches(shapes, 0, 1, 0));
  CHECK(reaches(shapes, 1, 0.5, 0));
  CHECK(reaches(shapes, -0.5, -1, 0));
  CHECK(reaches(shapes, 0.5, -1, 0));
  CHECK_EQUAL(count_kind(shapes, "link"), 4);  // the joint to c is on the way to the eye
  CHECK(reaches(shapes_of(&d, "c"), 0.3, 0, 0));
  finish(&d);
}

// Feet of a body that nothing holds hang on its mass centre; a lone ball has no link.
static void free_bodies_hold_their_surfaces(void) {
  drawn d = draw(
      "space: planar\n"
      "bodies: {walker: {mass: 1, inertia: 0.1}, ball: {mass: 1, inertia: 0.1}}\n"
      "joints: {f: {free: [ground, walker], at: [0, 3]}, g: {free: [ground, ball], at: [2, 3]}}\n"
      "surfaces:\n"
      "  left: {sphere: walker, at: [-0.5, -1], radius: 0.1, material: m}\n"
      "  right: {sphere: walker, at: [0.5, -1], radius: 0.1, material: m}\n"
      "  ball: {sphere: ball, radius: 0.3, material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *shapes = shapes_of(&d, "walker");
  CHECK(reaches(shapes, -0.5, -1, 0) && reaches(shapes, 0.5, -1, 0) && reaches(shapes, 0, 0, 0));
  CHECK_EQUAL(count_kind(shapes, "link"), 2);
  CHECK_EQUAL(count_kind(shapes_of(&d, "ball"), "link"), 0);
  CHECK_EQUAL(count_kind(shapes_of(&d, "ball"), "disc"), 1);
  finish(&d);
}

// What is only known by its mass centre is drawn as before: a rod with its centre in the middle.
static void a_rod_without_a_tip_is_guessed(void) {
  drawn d = draw(
      "space: planar\nbodies: {rod: {mass: 1, inertia: 0.1, com: [0.4, 0]}}\n"
      "joints: {j: {revolute: [ground, rod]}}\n");
  CHECK(reaches(shapes_of(&d, "rod"), 0.8, 0, 0));
  finish(&d);
}

static void a_shape_is_drawn_as_given(void) {
  drawn d = draw(
      "space: planar\nbodies: {rod: {mass: 1, inertia: 0.1, com: [0.4, 0], shape: {link: 0.3}}}\n"
      "markers: {tip: {on: rod, at: [2, 0]}}\n"
      "joints: {j: {revolute: [ground, rod]}}\n");
  CHECK_EQUAL(count_kind(shapes_of(&d, "rod"), "link"), 1);
  CHECK(reaches(shapes_of(&d, "rod"), 0.3, 0, 0));
  finish(&d);
}

int main(void) {
  RUN(a_rod_reaches_its_tip);
  RUN(a_body_reaches_all_that_is_attached);
  RUN(free_bodies_hold_their_surfaces);
  RUN(a_rod_without_a_tip_is_guessed);
  RUN(a_shape_is_drawn_as_given);
  return check_summary();
}
