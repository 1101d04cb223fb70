// Shapes of bodies with a material: they touch as the same surfaces do.
#include "runs.h"

static double drop(const char *shape, const char *surface, const char *space) {
  char text[2048];
  run r;
  snprintf(text, sizeof text,
           "%sbodies: {b: {density: 1000, shape: {%s}}}\n%s"
           "surfaces: {%s%sfloor: {plane: ground, material: m}}\nmaterials: {m: {friction: 0.3, restitution: "
           "0.6}}\nmethod: {moreau: {step: 1e-3}}\n",
           space, shape,
           *space ? "joints: {f: {free: [ground, b], at: [0, 0.3]}}\ninitial: {b: {velocity: [0.5, 0], omega: 3}}\n"
                  : "gravity: [0, 0, -9.81]\njoints: {f: {free: [ground, b], at: [0, 0, 0.3]}}\ninitial: {b: "
                    "{velocity: [0.5, 0, 0], omega: [1, 3, 0.5]}}\n",
           surface, *surface ? ", " : "");
  if (!run_open_text(&r, text, "")) return NAN;
  run_to(&r, 0.6);
  double sum =
      run_read(&r, "b.x") + run_read(&r, "b.y") + run_read(&r, "b-floor.gap") + (*space ? 0 : run_read(&r, "b.wy"));
  run_close(&r);
  return sum;
}

static void a_shape_with_a_material_touches_as_a_surface_does(void) {
  static const struct {
    const char *shape, *surface;
  } pairs[] = {
      {"sphere: 0.1", "b: {sphere: b, radius: 0.1, material: m}"},
      {"box: [0.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.4}",
       "b: {box: b, size: [0.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.4}, material: m}"},
      {"cylinder: [0.1, 0.2], axis: x",
       "b: {cylinder: b, radius: 0.1, length: 0.2, rotate: {axis: y, angle: 90 deg}, material: m}"},
      {"capsule: [0.05, 0.2], axis: x, at: [0, 0, 0.05]",
       "b: {capsule: b, radius: 0.05, length: 0.2, at: [0, 0, 0.05], rotate: {axis: y, angle: 90 deg}, material: m}"},
      {"ellipsoid: [0.1, 0.05, 0.15]", "b: {ellipsoid: b, semi_axes: [0.1, 0.05, 0.15], material: m}"},
      {"hull: [[0.1, 0, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1], [0, 0, 0.2]]",
       "b: {hull: b, points: [[0.1, 0, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1], [0, 0, 0.2]], material: m}"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    char shape[512];
    snprintf(shape, sizeof shape, "%s, material: m", pairs[k].shape);
    if (!CHECK_NEAR(drop(shape, "", ""), drop(pairs[k].shape, pairs[k].surface, ""), 1e-9))
      printf("      %s\n", pairs[k].shape);
  }
  const char *planar = "space: planar\ngravity: [0, -9.81]\n";
  CHECK_NEAR(drop("box: [0.1, 0.2], thickness: 0.1, material: m", "", planar),
             drop("box: [0.1, 0.2], thickness: 0.1", "b: {box: b, size: [0.1, 0.2], material: m}", planar), 1e-9);
  CHECK_NEAR(drop("disc: 0.1, thickness: 0.1, material: m", "", planar),
             drop("disc: 0.1, thickness: 0.1", "b: {sphere: b, radius: 0.1, material: m}", planar), 1e-9);
}

// Two shapes of a body are two surfaces, named after it; a name that is taken gets a number.
static void surfaces_of_shapes_have_the_name_of_their_body(void) {
  run r;
  if (!run_open_text(
          &r,
          "bodies: {b: {density: 1000, shape: [{sphere: 0.1, material: m}, {sphere: 0.1, at: [0.3, 0, 0], material: "
          "m}, {sphere: 0.2, at: [0.6, 0, 0]}]}}\n"
          "joints: {f: {free: [ground, b], at: [0, 0, 0.3]}}\nsurfaces: {floor: {plane: ground, material: m}}\n"
          "materials: {m: {}}\nmethod: {moreau: {step: 1e-3}}\n",
          ""))
    return;
  CHECK_NEAR(run_read(&r, "b-floor.gap"), 0.2, 1e-12);
  CHECK_NEAR(run_read(&r, "b_2-floor.gap"), 0.2, 1e-12);
  run_close(&r);
}

static void shapes_without_a_surface_are_refused(void) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(
      "space: planar\nbodies: {b: {mass: 1, inertia: 1, shape: {link: 0.5, material: m}}}\n"
      "joints: {f: {free: [ground, b]}}\nmaterials: {m: {}}\nmethod: {moreau: {step: 1e-3}}\n",
      "test", &error);
  CHECK(model == NULL && error.status == CAROM_ERROR_MODEL);
  CHECK_CONTAINS(error.text, "'b': a shape of kind link is no contact surface");
  carom_model_destroy(model);
}

int main(void) {
  RUN(a_shape_with_a_material_touches_as_a_surface_does);
  RUN(surfaces_of_shapes_have_the_name_of_their_body);
  RUN(shapes_without_a_surface_are_refused);
  return check_summary();
}
