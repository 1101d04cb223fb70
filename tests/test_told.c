// What the columns of a contact say where it is easily told wrong: from whose side, and whether a contact without
// friction slides.
#include "check.h"
#include "runs.h"

static const char *const METHODS[] = {"moreau: {step: 1 ms}", "event: {}", "compliant: {}"};
enum { METHOD_COUNT = 3 };

// A ball slides over a floor without friction. It weighs 20 N.
static const char *const model_in_space =
    "gravity: [0, 0, -10]\n"
    "bodies: {ball: {mass: 2, inertia: [0.01, 0.01, 0.01]}}\n"
    "joints: {fly: {free: [ground, ball], at: [0, 0, 0.05]}}\n"
    "surfaces: {floor: {plane: ground, material: ice}, ball: {sphere: ball, radius: 0.05, material: ice}}\n"
    "materials: {ice: {friction: 0, restitution: 0.5, stiffness: 1e9}}\n"
    "initial: {ball: {velocity: [1, 0, 0]}}\n";

static const char *const model_in_plane =
    "space: planar\n"
    "gravity: [0, -10]\n"
    "bodies: {ball: {mass: 2, inertia: 0.01}}\n"
    "joints: {fly: {free: [ground, ball], at: [0, 0.05]}}\n"
    "surfaces: {floor: {plane: ground, material: ice}, ball: {sphere: ball, radius: 0.05, material: ice}}\n"
    "materials: {ice: {friction: 0, restitution: 0.5, stiffness: 1e9}}\n"
    "initial: {ball: {velocity: [1, 0]}}\n";

// The force on the surface that is named first, and the place of the other one seen from it.
static void columns_follow_the_order_of_names(void) {
  static const struct {
    const char *between, *name;
    double side;
  } orders[] = {{"", "floor-ball", -1},
                {"contacts: {it: {between: [floor, ball]}}\n", "it", -1},
                {"contacts: {it: {between: [ball, floor]}}\n", "it", 1}};
  for (int planar = 0; planar < 2; planar++)
    for (int o = 0; o < 3; o++)
      for (int k = 0; k < METHOD_COUNT; k++) {
        char text[2000];
        run r;
        snprintf(text, sizeof text, "%s%smethod: {%s}\n", planar ? model_in_plane : model_in_space, orders[o].between,
                 METHODS[k]);
        if (!run_open_text(&r, text, NULL)) return;
        run_to(&r, 0.1);
        const char *name = orders[o].name;
        const char up = planar ? 'y' : 'z';
        CHECK_NEAR(run_read(&r, "%s.fn", name), 20, 1e-4);
        CHECK_NEAR(run_read(&r, "%s.force_%c", name, up), orders[o].side * 20, 1e-4);
        CHECK_NEAR(run_read(&r, "%s.x", name), -orders[o].side * 0.1, 1e-9);
        CHECK_NEAR(run_read(&r, "%s.%c", name, up), -orders[o].side * 0.05, 1e-5);
        run_close(&r);
      }
}

static void contact_without_friction_slides(void) {
  for (int planar = 0; planar < 2; planar++)
    for (int k = 0; k < METHOD_COUNT; k++)
      for (int moves = 0; moves < 2; moves++) {
        run r;
        char text[2000];
        snprintf(text, sizeof text, "%smethod: {%s}\n", planar ? model_in_plane : model_in_space, METHODS[k]);
        if (!moves) *strstr(strstr(text, "velocity"), "1") = '0';
        if (!run_open_text(&r, text, NULL)) return;
        run_to(&r, 0.1);
        CHECK_NEAR(run_read(&r, "floor-ball.slip"), moves ? 2 : 1, 0);
        run_close(&r);
      }
}

int main(void) {
  RUN(columns_follow_the_order_of_names);
  RUN(contact_without_friction_slides);
  return check_summary();
}
