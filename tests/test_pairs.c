// Which surfaces may touch: all, those that are named, those of groups; never neighbours unless both are named.
#include "runs.h"

#include "base/pair_index.h"

static const char scene[] =
    "space: planar\n"
    "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}, arm: {mass: 1, inertia: "
    "1}}\n"
    "joints:\n"
    "  fa: {free: [ground, a], at: [0, 2]}\n"
    "  fb: {free: [ground, b], at: [3, 2]}\n"
    "  fc: {free: [ground, c], at: [6, 2]}\n"
    "  hinge: {revolute: [c, arm], at: [0, 2]}\n"
    "surfaces:\n"
    "  floor: {plane: ground, material: soft}\n"
    "  wall: {plane: ground, at: [-9, 0], rotate: -90 deg, material: soft}\n"
    "  a: {sphere: a, radius: 0.5, group: balls, material: soft}\n"
    "  b: {sphere: b, radius: 0.5, group: balls, material: soft}\n"
    "  c: {sphere: c, radius: 0.5, group: balls, material: soft}\n"
    "  arm: {sphere: arm, radius: 0.5, group: arms, material: soft}\n"
    "  tip: {point: arm, at: [1, 0], group: arms, material: soft}\n"
    "materials: {soft: {restitution: 0}, hard: {restitution: 1}}\n"
    "method: {moreau: {step: 1e-3}}\n"
    "end: 1 s\n"
    "contacts: ";

// Pairs as the check of a model lists them, in one line.
static void expect_pairs(const char *contacts, const char *expected) {
  char text[4096], list[1024] = "";
  run r;
  snprintf(text, sizeof text, "%s%s\n", scene, contacts);
  if (!run_open_text(&r, text, "")) return;
  carom_part p;
  for (int i = 0; (p = carom_model_part(r.model, "contacts", i)).name; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "", p.name);
  }
  CHECK_TEXT(list, expected);
  run_close(&r);
}

static void every_two_may_touch_but_neighbours(void) {
  expect_pairs("{}",
               "floor-a floor-b floor-c floor-arm floor-tip wall-a wall-b wall-c wall-arm wall-tip "
               "a-b a-c a-arm a-tip b-c b-arm b-tip");
}

static void groups_stand_for_their_surfaces(void) {
  expect_pairs("{rain: {between: [balls, floor]}}", "floor-a floor-b floor-c");
  expect_pairs("{rain: {between: [floor, balls]}}", "floor-a floor-b floor-c");
  expect_pairs("{crowd: {between: [balls, balls]}}", "a-b a-c b-c");
  expect_pairs("{beat: {between: [arms, balls]}}", "a-arm a-tip b-arm b-tip");  // c carries the arm
  expect_pairs("{beat: {between: [tip, balls]}}", "a-tip b-tip");
}

static void pairs_can_be_left_out(void) {
  expect_pairs(
      "{apart: {between: [balls, balls], exclude: true}, ghost: {between: [arms, floor], exclude: true}, "
      "far: {between: [wall, balls], exclude: true}, far2: {between: [wall, arms], exclude: true}}",
      "floor-a floor-b floor-c a-arm a-tip b-arm b-tip");
  expect_pairs("{crowd: {between: [balls, balls]}, but: {between: [a, c], exclude: true}}", "a-b b-c");
}

// A pair that is named goes before groups, and may be of neighbours.
static void two_names_go_before_groups(void) {
  expect_pairs("{crowd: {between: [balls, balls]}, special: {between: [b, a], material: hard}}", "special a-c b-c");
  expect_pairs("{own: {between: [c, tip]}}", "own");
}

// Two entries that contradict each other: in either order, and with the surfaces in either order.
static void a_pair_is_not_named_and_excluded(void) {
  static const char *const contacts[] = {"{x: {between: [a, floor], exclude: true}, y: {between: [a, floor]}}",
                                         "{y: {between: [floor, a]}, x: {between: [a, floor], exclude: true}}"};
  for (int i = 0; i < 2; i++) {
    char text[4096];
    carom_error error = {0};
    snprintf(text, sizeof text, "%s%s\n", scene, contacts[i]);
    carom_model *model = carom_model_parse(text, "test", &error);
    CHECK(!model);
    CHECK_CONTAINS(error.text, "'y': contact 'x' excludes these two surfaces");
    carom_model_destroy(model);
  }
  expect_pairs("{x: {between: [balls, floor], exclude: true}, y: {between: [a, floor]}}",
               "y");  // an exception from a group
}

// --- pairs whose contact does not exist ------------------------------------------------------------------------------

#define TWO_BODIES                                                                       \
  "space: planar\n"                                                                      \
  "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"                       \
  "joints: {fa: {free: [ground, a], at: [0, 2]}, fb: {free: [ground, b], at: [3, 2]}}\n" \
  "materials: {m: {restitution: 0.5}}\n"                                                 \
  "method: {moreau: {step: 1e-3}}\n"                                                     \
  "end: 0.1 s\n"
#define SPHERE(body) "{sphere: " body ", radius: 0.1, material: m}"
#define PLANE(body)  "{plane: " body ", material: m}"
#define POINT(body)  "{point: " body ", material: m}"

#define TWO_SPATIAL                                                                            \
  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"             \
  "joints: {fa: {free: [ground, a], at: [0, 0, 2]}, fb: {free: [ground, b], at: [3, 0, 2]}}\n" \
  "materials: {m: {restitution: 0.5}}\n"                                                       \
  "method: {moreau: {step: 1e-3}}\n"                                                           \
  "end: 0.1 s\n"

#define HILLS(body) "{height_field: " body ", columns: 2, spacing: 1, heights: [0, 0, 0, 0], material: m}"

// How many contacts there are, pairs are left out, and pairs are warned about; the warning names the first of these.
static void expect_left_out(const char *text, int contacts, int left_out, int warned, const char *first) {
  run r;
  if (!run_open_text(&r, text, "")) return;
  int count = 0;
  while (carom_model_part(r.model, "contacts", count).name) count++;
  CHECK_EQUAL(count, contacts);
  CHECK_EQUAL(carom_model_get_info(r.model).nonexistent_pairs, left_out);
  CHECK_EQUAL(carom_sim_summary(r.sim).no_contact, warned);
  carom_remark remark = carom_model_remark(r.model, 0);
  if (first && CHECK(remark.name && strcmp(remark.name, "no_contact") == 0)) {
    CHECK_TEXT(remark.contact, first);
    CHECK_CONTAINS(remark.text, "contact does not exist");
  }
  if (!first) CHECK(remark.name == NULL);
  run_close(&r);
}

#define BALL ", ball: {sphere: ground, at: [0, 0, 9], radius: 0.1, material: m}"
#define FIXED                                                                                           \
  "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}}\n"            \
  "joints: {fa: {fixed: [ground, a]}, fb: {fixed: [ground, b]}, fc: {free: [ground, c], at: [0, 3]}}\n" \
  "space: planar\nmaterials: {m: {restitution: 0.5}}\nmethod: {moreau: {step: 1e-3}}\nend: 0.1 s\n"

static void pairs_that_do_not_exist_are_left_out(void) {
  expect_left_out(TWO_BODIES "surfaces: {x: " PLANE("a") ", y: " PLANE(
                      "b") ", z: {sphere: ground, at: [0, 9], radius: 0.1, material: m}}\n",
                  2, 1, 1, "x-y");
  expect_left_out(TWO_SPATIAL "surfaces: {x: " PLANE("a") ", y: " HILLS("b") ", z: " HILLS("ground") BALL "}\n", 2, 3,
                  3, "x-y");
  expect_left_out(TWO_SPATIAL "surfaces: {x: " PLANE("a") ", y: " PLANE("b") BALL
                  "}\ncontacts: {e: {between: [x, y], exclude: true}}\n",
                  2, 0, 0, NULL);
  expect_left_out(FIXED "surfaces: {x: " PLANE("a") ", y: " PLANE("b") ", z: " SPHERE("c") "}\n", 2, 1, 0, NULL);
  expect_left_out(TWO_BODIES "surfaces: {x: " POINT("a") ", y: " POINT("b") ", floor: " PLANE("ground") "}\n", 2, 1, 0,
                  NULL);
  expect_left_out(
      TWO_BODIES
      "surfaces: {x: {plane: a, group: g, material: m}, y: {plane: b, group: g, material: m}, "
      "z: {sphere: ground, at: [0, 9], radius: 0.1, group: g, material: m}}\ncontacts: {all: {between: [g, g]}}\n",
      2, 1, 1, "x-y");
}

static void pairs_that_do_not_exist_are_not_named(void) {
  static const char *const surfaces[][2] = {
      {PLANE("a"), PLANE("b")}, {POINT("a"), POINT("b")}, {PLANE("a"), HILLS("b")}, {HILLS("a"), HILLS("b")}};
  for (int i = 0; i < 4; i++) {
    char text[1024];
    carom_error error = {0};
    snprintf(text, sizeof text, TWO_SPATIAL "surfaces: {x: %s, y: %s}\ncontacts: {e: {between: [x, y]}}\n",
             surfaces[i][0], surfaces[i][1]);
    carom_model *model = carom_model_parse(text, "test", &error);
    CHECK(!model);
    CHECK_CONTAINS(error.text, "contact does not exist");
    carom_model_destroy(model);
  }
}

// The number of contacts of a model, or -1.
static int count_contacts(const char *text) {
  run r;
  if (!run_open_text(&r, text, "")) return -1;
  int count = 0;
  while (carom_model_part(r.model, "contacts", count).name) count++;
  run_close(&r);
  return count;
}

static void pairs_that_do_not_exist_can_be_excluded(void) {
  static const char planes[] = TWO_BODIES
      "surfaces: {x: {plane: a, material: m, group: g}, y: {plane: b, material: m, group: g}, ball: {sphere: ground, "
      "at: [0, 9], radius: 0.1, material: m}}\n";
  char text[2048];
  snprintf(text, sizeof text, "%scontacts: {apart: {between: [y, x], exclude: true}}\n", planes);
  CHECK(count_contacts(text) == 2);
  snprintf(text, sizeof text, "%scontacts: {apart: {between: [g, g], exclude: true}}\n", planes);
  CHECK(count_contacts(text) == 2);
  snprintf(text, sizeof text, "%scontacts: {all: {between: [g, ball]}}\n", planes);
  CHECK(count_contacts(text) == 2);
  CHECK(count_contacts(TWO_BODIES "surfaces: {x: " POINT("a") ", y: " POINT("b") ", floor: " PLANE("ground") "}\n") ==
        2);
}

// The same through the C interface, where no text says where the surfaces stand.
static void pairs_that_do_not_exist_are_refused_in_c(void) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
  carom_joint_def joint = carom_joint_default();
  carom_surface_def surface = carom_surface_default();
  carom_contact_def apart = carom_contact_default(), named = carom_contact_default();
  carom_moreau_def moreau = carom_moreau_default();
  moreau.step = 1e-3;
  static const char *const names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    carom_def_body(def, names[i], &body);
    joint.between[0] = "ground", joint.between[1] = names[i], joint.at[0] = i;
    carom_def_joint(def, names[i], "free", &joint);
    surface.on = names[i];
    carom_def_surface(def, names[i], "plane", &surface);
  }
  carom_def_moreau(def, &moreau);
  apart.between[0] = "a", apart.between[1] = "b", apart.exclude = true;
  carom_def_contact(def, "apart", &apart);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  CHECK(model != NULL && carom_model_remark(model, 0).name &&
        strcmp(carom_model_remark(model, 0).name, "no_contact") == 0);
  carom_model_destroy(model);
  named.between[0] = "a", named.between[1] = "b";
  carom_def_contact(def, "named", &named);
  error = (carom_error){0};
  CHECK(carom_model_compile(def, &error) == NULL && error.status == CAROM_ERROR_MODEL);
  CHECK_CONTAINS(error.message, "'apart' excludes these two surfaces");
  carom_def_destroy(def);
}

// --- surfaces that cannot touch --------------------------------------------------------------------------------------

static void surfaces_without_partner_are_warned_about(void) {
  static const char hinged[] =
      "space: planar\n"
      "bodies: {arm: {mass: 1, inertia: 1}}\n"
      "joints: {hinge: {revolute: [ground, arm], at: [0, 1]}}\n"
      "surfaces: {tip: {sphere: arm, at: [1, 0], radius: 0.1, material: m}, end: {point: arm, at: [1, 0]}, "
      "floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.5}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "end: 0.01 s\n";
  run r;
  if (!run_open_text(&r, hinged, "")) return;
  carom_remark remark = carom_model_remark(r.model, 0);
  if (CHECK(remark.name && strcmp(remark.name, "no_contact") == 0)) {
    CHECK_TEXT(remark.contact, "tip-floor");
    CHECK(remark.count == 2);
    CHECK(strstr(remark.text, "joint 'hinge' connects bodies 'ground' and 'arm'") != NULL);
  }
  CHECK(carom_model_remark(r.model, 1).name == NULL);
  CHECK(carom_sim_summary(r.sim).no_contact == 2);
  run_close(&r);
  char text[1024];
  snprintf(text, sizeof text, "%scontacts: {hit: {between: [tip, floor]}}\n", hinged);
  if (!run_open_text(&r, text, "")) return;
  CHECK(carom_model_remark(r.model, 0).name == NULL && carom_sim_summary(r.sim).no_contact == 0);
  run_close(&r);
}

// Neighbours whose contact does not exist are left out because of the joint, too; it is of no use to name them. If that
// of one pair exists, the advice is about that one.
static void neighbours_without_contact_are_told_without_advice(void) {
  static const char hinged[] =
      "space: planar\n"
      "bodies: {arm: {mass: 1, inertia: 1}}\n"
      "joints: {hinge: {revolute: [ground, arm], at: [0, 1]}}\n"
      "surfaces: {tip: " PLANE("arm") ", block: " PLANE("ground") "%s}\n"
      "materials: {m: {restitution: 0.5}}\n"
      "method: {moreau: {step: 1e-3}}\n"
      "end: 0.01 s\n";
  for (int more = 0; more < 2; more++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text, hinged, more ? ", ball: " SPHERE("ground") : "");
    if (!run_open_text(&r, text, "")) return;
    carom_remark remark = carom_model_remark(r.model, 0);
    if (CHECK(remark.name && strcmp(remark.name, "no_contact") == 0)) {
      CHECK_TEXT(remark.contact, more ? "tip-ball" : "tip-block");
      CHECK(remark.count == 1 + more);
      CHECK(strstr(remark.text, "joint 'hinge' connects bodies 'ground' and 'arm'") != NULL);
      CHECK((strstr(remark.text, "between: [tip, ball]") != NULL) == more);
      CHECK((strstr(remark.text, "plane–plane contact does not exist") != NULL) == !more);
    }
    CHECK_EQUAL(carom_model_get_info(r.model).neighbour_pairs, more);  // those that may be named
    run_close(&r);
  }
}

// Every pair is found in either order, and no other.
static void pairs_of_numbers_are_found(void) {
  arena memory = {0};
  pairs p = pairs_create(&memory);
  CHECK_EQUAL(pairs_find(&p, 0, 1), -1);
  for (int i = 0; i < 60; i++)
    for (int j = i + 1; j < 60; j++)
      if ((i + j) % 3 == 0) pairs_add(&p, i % 2 ? i : j, i % 2 ? j : i, 60 * i + j);
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 60; j++)
      if (i != j) CHECK_EQUAL(pairs_find(&p, i, j), (i + j) % 3 ? -1 : i < j ? 60 * i + j : 60 * j + i);
  arena_free(&memory);
}

int main(void) {
  RUN(pairs_of_numbers_are_found);
  RUN(every_two_may_touch_but_neighbours);
  RUN(groups_stand_for_their_surfaces);
  RUN(pairs_can_be_left_out);
  RUN(two_names_go_before_groups);
  RUN(a_pair_is_not_named_and_excluded);
  RUN(pairs_that_do_not_exist_are_left_out);
  RUN(pairs_that_do_not_exist_are_not_named);
  RUN(pairs_that_do_not_exist_can_be_excluded);
  RUN(pairs_that_do_not_exist_are_refused_in_c);
  RUN(surfaces_without_partner_are_warned_about);
  RUN(neighbours_without_contact_are_told_without_advice);
  return check_summary();
}
