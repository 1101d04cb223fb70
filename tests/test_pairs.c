// Which surfaces may touch: all, those that are named, those of groups; never neighbours unless both are named.
#include "runs.h"

static const char scene[] =
    "space: planar\n"
    "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}, arm: {mass: 1, inertia: 1}}\n"
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
  expect_pairs("{}", "floor-a floor-b floor-c floor-arm floor-tip wall-a wall-b wall-c wall-arm wall-tip "
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
  expect_pairs("{apart: {between: [balls, balls], exclude: true}, ghost: {between: [arms, floor], exclude: true}, "
               "far: {between: [wall, balls], exclude: true}, far2: {between: [wall, arms], exclude: true}}",
               "floor-a floor-b floor-c a-arm a-tip b-arm b-tip");
  expect_pairs("{crowd: {between: [balls, balls]}, but: {between: [a, c], exclude: true}}", "a-b b-c");
}

// A pair that is named goes before groups, and may be of neighbours.
static void two_names_go_before_groups(void) {
  expect_pairs("{crowd: {between: [balls, balls]}, special: {between: [b, a], material: hard}}", "special a-c b-c");
  expect_pairs("{own: {between: [c, tip]}}", "own");
}

int main(void) {
  RUN(every_two_may_touch_but_neighbours);
  RUN(groups_stand_for_their_surfaces);
  RUN(pairs_can_be_left_out);
  RUN(two_names_go_before_groups);
  return check_summary();
}
