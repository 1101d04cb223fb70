// The typical length of a model: the size of its moving bodies. It does not change when a body has its origin
// elsewhere, or when the model stands elsewhere.
#include "runs.h"

static void length_is(const char *text, const char *settings, double expected) {
  run r;
  if (!run_open_text(&r, text, settings)) return;
  if (!CHECK_NEAR(carom_model_get_info(r.model).length, expected, 1e-12 * expected))
    printf("      %s\n", settings ? settings : "");
  run_close(&r);
}

// Balls of 1 mm: their origins are at the distance s from their middles, the floor is at the distance d from the origin
// of ground.
static const char balls[] =
    "parameters: {s: 0, d: 0}\n"
    "bodies: {\"b{i}\": {repeat: {i: [0, 26]}, mass: 4e-6, com: [s, 0, 0], inertia: [4e-13, 4e-13, 4e-13]}}\n"
    "joints: {\"b{i}\": {repeat: {i: [0, 26]}, free: [ground, \"b{i}\"], at: [d, 0, 0]}}\n"
    "surfaces:\n"
    "  b{i}: {repeat: {i: [0, 26]}, sphere: \"b{i}\", radius: 0.5 mm, at: [s, 0, 0], material: m}\n"
    "  floor: {plane: ground, at: [d, 0, 0], material: m}\n"
    "  step: {box: ground, size: [1, 1, 1], at: [d, 0, -5], material: m}\n"
    "materials: {m: {friction: 0.3}}\n"
    "initial: {\"b{i}\": {repeat: {i: [0, 26]}, q: [1, 0, 0, 0, 2e-3*i - s, 0, 1e-3]}}\n"
    "method: {moreau: {step: 1 ms}}\n";

static void free_bodies_have_the_size_of_their_surfaces(void) {
  length_is(balls, NULL, 5e-4);
  length_is(balls, "parameters.s=0.5", 5e-4);
  length_is(balls, "parameters.d=100", 5e-4);
}

// A slider-crank whose rod has its origin in one end, in the middle, or beside it.
static const char crank[] =
    "parameters: {s: 0}\n"
    "space: planar\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 1, com: [0.05, 0]}\n"
    "  rod: {mass: 1, inertia: 1, com: [s + 0.15, 0]}\n"
    "  slider: {mass: 1, inertia: 1}\n"
    "joints:\n"
    "  crank: {revolute: [ground, crank]}\n"
    "  rod: {revolute: [crank, rod], at: [0.1, 0], to: [s, 0]}\n"
    "  pin: {revolute: [rod, slider], at: [s + 0.3, 0]}\n"
    "  guide: {prismatic: [ground, slider], axis: x}\n"
    "initial: {crank: {q: 0.3}}\n"
    "method: smooth\n";

static void bodies_with_joints_have_their_distances(void) {
  length_is(crank, NULL, 0.3);
  length_is(crank, "parameters.s=-0.15", 0.3);
  length_is(crank, "parameters.s=7", 0.3);
}

// A hull whose corners are given far from its marker, and points on a body that nothing holds.
static void shapes_are_measured_from_their_middle(void) {
  static const char stone[] =
      "parameters: {s: 0}\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1], com: [s, 0, 0]}}\n"
      "joints: {b: {free: [ground, b]}}\n"
      "surfaces:\n"
      "  b: {hull: b, material: m, points: [[s - 0.1, 0.02, 0.03], [s + 0.1, 0.02, 0.03], [s - 0.1, -0.02, 0.03], [s + "
      "0.1, -0.02, 0.03],\n"
      "    [s - 0.1, 0.02, -0.03], [s + 0.1, 0.02, -0.03], [s - 0.1, -0.02, -0.03], [s + 0.1, -0.02, -0.03]]}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {friction: 0.3}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0, 0, 1]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  length_is(stone, NULL, 0.1);
  length_is(stone, "parameters.s=3", 0.1);
  static const char feet[] =
      "parameters: {s: 0}\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1], com: [s, 0, 0]}}\n"
      "joints: {b: {free: [ground, b]}}\n"
      "surfaces: {left: {point: b, at: [s - 0.2, 0, 0], material: m}, right: {point: b, at: [s + 0.2, 0, 0], material: "
      "m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {friction: 0.3}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0, 0, 1]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  length_is(feet, NULL, 0.2);
  length_is(feet, "parameters.s=3", 0.2);
}

// Where no moving body has a size: that of what stands, the distances on ground, or 1 m.
static void ground_counts_last(void) {
  static const char slide[] =
      "parameters: {d: 0}\n"
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {a: {prismatic: [ground, a], at: [d, 0, 0]}, b: {prismatic: [ground, b], at: [d + 0.7, 0, 0]}}\n"
      "method: smooth\n";
  length_is(slide, NULL, 0.7);
  length_is(slide, "parameters.d=9", 0.7);
  length_is(
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {a: {prismatic: [ground, a], at: [9, 0, 0]}}\nmethod: "
      "smooth\n",
      NULL, 1);
}

int main(void) {
  RUN(free_bodies_have_the_size_of_their_surfaces);
  RUN(bodies_with_joints_have_their_distances);
  RUN(shapes_are_measured_from_their_middle);
  RUN(ground_counts_last);
  return check_summary();
}
