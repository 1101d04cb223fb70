// Bodies without a shape of their own are drawn to everything that is attached to them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "math/linalg.h"
#include "check.h"
#include "scene.h"

static jmp_buf out_of_memory;

typedef struct drawn {
  arena memory;
  carom_model *model;
  const json_value *scene, *bodies;
} drawn;

static drawn draw(const char *text) {
  drawn d = {.memory = arena_create(&out_of_memory)};
  carom_error error = {0};
  d.model = carom_model_parse(text, "drawn", &error);
  if (!CHECK(d.model)) printf("%s\n", error.text), exit(1);
  d.scene = json_read(&d.memory, scene_write(&d.memory, d.model));
  d.bodies = json_get(d.scene, "bodies");
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
  for (int i = 0; shapes && i < shapes->count; i++)
    count += strcmp(json_get_text(&shapes->items[i], "kind"), kind) == 0;
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

static const json_value *only_shape(const drawn *d, const char *body, const char *kind) {
  const json_value *shapes = shapes_of(d, body);
  if (!CHECK(shapes && shapes->count == 1) || !CHECK_TEXT(json_get_text(&shapes->items[0], "kind"), kind)) return NULL;
  return &shapes->items[0];
}

static double number_of(const json_value *shape, const char *key, int i) {
  const json_value *v = shape ? json_get(shape, key) : NULL;
  if (!CHECK(v)) return NAN;
  return v->kind == JSON_LIST ? v->items[i].number : v->number;
}

// Where z of the shape points.
static bool axis_is(const json_value *shape, double x, double y, double z) {
  quat q = {number_of(shape, "rotate", 0), number_of(shape, "rotate", 1), number_of(shape, "rotate", 2),
            number_of(shape, "rotate", 3)};
  return vec3_norm(vec3_sub(mat3_column(quat_matrix(q), 2), (vec3){x, y, z})) < 1e-15;
}

static void solids_are_drawn_with_their_sizes(void) {
  drawn d = draw(
      "bodies:\n"
      "  capsule: {mass: 1, inertia: 1, shape: {capsule: [2 cm, 30 cm], axis: x}}\n"
      "  cone: {mass: 1, inertia: 1, shape: {cone: [3 cm, 10 cm], at: [0, 0, 1]}}\n"
      "  egg: {mass: 1, inertia: 1, shape: {ellipsoid: [3 cm, 2 cm, 1 cm]}}\n"
      "  soap: {mass: 1, inertia: 1, shape: {superellipsoid: [3 cm, 2 cm, 1 cm], exponents: [0.5, 0.8]}}\n"
      "  stone: {mass: 1, inertia: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2 m]]}}\n"
      "joints: {a: {free: [ground, capsule]}, b: {free: [ground, cone]}, c: {free: [ground, egg]}, d: {free: [ground, "
      "soap]}, e: {free: [ground, stone]}}\n");
  const json_value *capsule = only_shape(&d, "capsule", "capsule");
  CHECK_NEAR(number_of(capsule, "radius", 0), 0.02, 0);
  CHECK_NEAR(number_of(capsule, "length", 0), 0.3, 0);
  CHECK(axis_is(capsule, 1, 0, 0));
  const json_value *cone = only_shape(&d, "cone", "cone");
  CHECK_NEAR(number_of(cone, "length", 0), 0.1, 0);
  CHECK_NEAR(number_of(cone, "at", 2), 1, 0);
  CHECK_NEAR(number_of(only_shape(&d, "egg", "ellipsoid"), "radii", 1), 0.02, 0);
  CHECK_NEAR(number_of(only_shape(&d, "soap", "superellipsoid"), "exponents", 1), 0.8, 0);
  CHECK_NEAR(number_of(only_shape(&d, "stone", "hull"), "mesh", 0), 0, 0);
  const json_value *meshes = json_get(d.scene, "meshes");
  if (CHECK(meshes && meshes->count == 1)) {
    CHECK_EQUAL(json_get(&meshes->items[0], "triangles")->count, 12);
    CHECK_EQUAL(json_get(&meshes->items[0], "vertices")->count, 12);
    CHECK_NEAR(json_get(&meshes->items[0], "vertices")->items[11].number, 2, 0);
  }
  CHECK_NEAR(carom_model_body_size(d.model, 1).size, 0.34, 1e-15);
  CHECK_NEAR(carom_model_body_size(d.model, 3).size, 0.06, 1e-15);
  finish(&d);
}

static void planar_solids_are_drawn_with_their_sizes(void) {
  drawn d = draw(
      "space: planar\nbodies:\n"
      "  capsule: {mass: 1, inertia: 1, shape: {capsule: [2 cm, 30 cm], axis: y}}\n"
      "  pill: {mass: 1, inertia: 1, shape: {capsule: [2 cm, 30 cm]}}\n"
      "  plate: {mass: 1, inertia: 1, shape: {polygon: [[0, 0], [2, 0], [0.5, 0.5], [0, 2]], rotate: 90 deg}}\n"
      "joints: {a: {free: [ground, capsule]}, b: {free: [ground, pill]}, c: {free: [ground, plate]}}\n");
  CHECK(axis_is(only_shape(&d, "capsule", "capsule"), 0, 1, 0));
  CHECK(axis_is(only_shape(&d, "pill", "capsule"), 1, 0, 0));
  const json_value *plate = only_shape(&d, "plate", "polygon"), *points = plate ? json_get(plate, "points") : NULL;
  CHECK(points && points->count == 4 && points->items[2].count == 2 && points->items[1].items[0].number == 2);
  finish(&d);
}

static void refuses(const char *space, const char *shape, const char *why) {
  char text[400];
  snprintf(text, sizeof text, "space: %s\nbodies: {b: {mass: 1, inertia: 1, shape: %s}}\n", space, shape);
  carom_error error = {0};
  carom_model *m = carom_model_parse(text, "drawn", &error);
  if (!CHECK(!m && strstr(error.text, why))) printf("%s\n", error.text);
  carom_model_destroy(m);
}

static void impossible_shapes_are_refused(void) {
  refuses("spatial", "{capsule: 2 cm}", "a capsule is a radius and a length");
  refuses("spatial", "{cone: [2 cm, -1 cm]}", "must be positive");
  refuses("spatial", "{ellipsoid: [1, 1, 0]}", "must be positive");
  refuses("spatial", "{superellipsoid: [1, 1, 1], exponents: [0.05, 1]}", "between 0.1 and 1.9");
  refuses("spatial", "{superellipsoid: [1, 1, 1], exponents: 1}", "two numbers");
  refuses("spatial", "{superellipsoid: [1, 1, 1]}", "'exponents' is missing");
  refuses("spatial", "{hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "at least 4 points");
  refuses("spatial", "{hull: [1, 2, 3]}", "must be a list of points");
  refuses("spatial", "{hull: [[0, 0, 0], [1, 0], [0, 1, 0]]}", "must have 3 components");
  refuses("spatial", "{polygon: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "no polygon in a spatial model");
  refuses("planar", "{polygon: [[0, 0], [1, 0]]}", "at least 3 corners");
  refuses("planar", "{cone: [1, 1]}", "no cone in a planar model");
  refuses("planar", "{hull: [[0, 0], [1, 0], [0, 1]]}", "use 'polygon'");
}

// Surfaces of every kind are drawn as they are.
static void every_surface_is_drawn(void) {
  drawn d = draw(
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {free: [ground, b], at: [0, 0, 2]}}\n"
      "surfaces:\n"
      "  capsule: {capsule: b, radius: 0.1, length: 0.5, material: m}\n"
      "  cylinder: {cylinder: b, radius: 0.1, length: 0.5, material: m}\n"
      "  cone: {cone: b, radius: 0.1, height: 0.5, material: m}\n"
      "  egg: {ellipsoid: b, semi_axes: [0.1, 0.2, 0.3], material: m}\n"
      "  stone: {superellipsoid: b, semi_axes: [0.1, 0.2, 0.3], exponents: [0.5, 1.5], material: m}\n"
      "  hull: {hull: b, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *shapes = shapes_of(&d, "b");
  static const char *const kinds[] = {"capsule", "cylinder", "cone", "ellipsoid", "superellipsoid", "hull"};
  for (int i = 0; i < 6; i++) CHECK_EQUAL(count_kind(shapes, kinds[i]), 1);
  if (CHECK(shapes && shapes->count == 6)) {
    CHECK_NEAR(json_get(&shapes->items[2], "length")->number, 0.5, 0);
    CHECK(is_at(json_get(&shapes->items[3], "radii"), 0.1, 0.2, 0.3));
    CHECK_NEAR(json_get(&shapes->items[4], "exponents")->items[1].number, 1.5, 0);
    CHECK_NEAR(json_get(&shapes->items[5], "mesh")->number, 0, 0);
    CHECK_EQUAL(json_get(&json_get(d.scene, "meshes")->items[0], "vertices")->count, 12);
  }
  finish(&d);
}

// A hull in the plane is a polygon with its corners in turn; points inside it and on its edges are left out.
static void a_planar_hull_is_a_polygon(void) {
  drawn d = draw(
      "space: planar\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {j: {free: [ground, b], at: [0, 2]}}\n"
      "surfaces: {hull: {hull: b, points: [[0, 0], [1, 1], [0.5, 0.5], [1, 0], [0.2, 0.7], [0, 1], [0.5, 1]], "
      "material: m}, "
      "floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *points = json_get(only_shape(&d, "b", "polygon"), "points");
  static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  if (CHECK(points && points->count == 4))
    for (int i = 0; i < 8; i++) CHECK_NEAR(points->items[i / 2].items[i % 2].number, square[i / 2][i % 2], 0);
  finish(&d);
}

// Three columns and two rows, one corner raised; the origin of the grid is its first corner, off the body's.
static void a_height_field_is_a_mesh(void) {
  drawn d = draw(
      "bodies: {tray: {mass: 1, inertia: [1, 1, 1]}, ball: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {free: [ground, tray]}, k: {free: [ground, ball], at: [0, 0, 2]}}\n"
      "surfaces:\n"
      "  hills: {height_field: tray, at: [1, 0, 0], columns: 3, spacing: [1, 0.5], heights: [0, 0, 0, 0, 0.2, 0], "
      "material: m}\n"
      "  ball: {sphere: ball, radius: 0.1, material: m}\n"
      "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n");
  const json_value *shapes = shapes_of(&d, "tray"), *meshes = json_get(d.scene, "meshes");
  CHECK_EQUAL(count_kind(shapes, "height_field"), 0);
  if (CHECK(count_kind(shapes, "mesh") == 1)) CHECK(is_at(json_get(&shapes->items[0], "at"), 1, 0, 0));
  if (CHECK(meshes && meshes->count == 1)) {
    static const double corners[6][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0.5, 0}, {1, 0.5, 0.2}, {2, 0.5, 0}};
    static const int triangles[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    const json_value *at = json_get(&meshes->items[0], "vertices"), *of = json_get(&meshes->items[0], "triangles");
    if (CHECK(at->count == 18))
      for (int i = 0; i < 18; i++) CHECK_NEAR(at->items[i].number, corners[i / 3][i % 3], 1e-9);
    if (CHECK(of->count == 12))
      for (int i = 0; i < 12; i++) CHECK_EQUAL((int)of->items[i].number, triangles[i]);
  }
  CHECK_NEAR(carom_model_body_size(d.model, 1).size, 3, 1e-12);  // from the mass centre to the far edge
  finish(&d);
}

static void a_large_height_field_is_reduced(void) {
  enum { SIDE = 101 };
  char *text = malloc(SIDE * SIDE * 3 + 1000), *end = text;
  end += sprintf(end,
                 "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\njoints: {k: {free: [ground, ball], at: [0, 0, 2]}}\n"
                 "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\nsurfaces:\n"
                 "  ball: {sphere: ball, radius: 0.1, material: m}\n"
                 "  hills: {height_field: ground, columns: %d, spacing: 0.1, material: m, heights: [0",
                 SIDE);
  for (int i = 1; i < SIDE * SIDE; i++) end += sprintf(end, ", %d", i % 2);
  strcpy(end, "]}\n");
  drawn d = draw(text);
  const json_value *meshes = json_get(d.scene, "meshes");
  if (CHECK(meshes && meshes->count == 1)) {
    int count = json_get(&meshes->items[0], "triangles")->count / 3;
    CHECK(count > 1000 && count <= 10000);
  }
  CHECK(carom_model_note(d.model, 0) && strstr(carom_model_note(d.model, 0), "of its 20000 triangles"));
  finish(&d);
  free(text);
}

// The force column of a contact is that on the body which the model names first: the scene must name the same one
// first.
static void a_contact_has_the_order_of_its_columns(void) {
  static const char *const surfaces[] = {
      "floor: {plane: ground, material: m}, ball: {sphere: b, radius: 0.1, material: m}",
      "ball: {sphere: b, radius: 0.1, material: m}, floor: {plane: ground, material: m}"};
  for (int k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, inertia: 0.1}}\njoints: {j: {free: [ground, b], at: [0, 0, 0.1]}}\nsurfaces: {%s}\n"
             "materials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1 ms}}\n",
             surfaces[k]);
    drawn d = draw(text);
    const json_value *contact = &json_get(d.scene, "contacts")->items[0], *numbers = json_get(contact, "surfaces");
    CHECK_NEAR(json_get(json_get(contact, "first"), "body")->number, k, 0);
    CHECK_NEAR(json_get(json_get(contact, "second"), "body")->number, 1 - k, 0);
    CHECK_NEAR(numbers->items[0].number, 0, 0);
    CHECK_NEAR(numbers->items[1].number, 1, 0);
    finish(&d);
  }
}

int main(void) {
  RUN(a_height_field_is_a_mesh);
  RUN_OPTIMISED(a_large_height_field_is_reduced);
  RUN(a_planar_hull_is_a_polygon);
  RUN(every_surface_is_drawn);
  RUN(a_rod_reaches_its_tip);
  RUN(a_body_reaches_all_that_is_attached);
  RUN(free_bodies_hold_their_surfaces);
  RUN(a_rod_without_a_tip_is_guessed);
  RUN(a_shape_is_drawn_as_given);
  RUN(solids_are_drawn_with_their_sizes);
  RUN(planar_solids_are_drawn_with_their_sizes);
  RUN(impossible_shapes_are_refused);
  RUN(a_contact_has_the_order_of_its_columns);
  return check_summary();
}
