#include "build/shape.h"

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)scratch;
  *to = planar ? moments_cylinder(d->radius, thickness) : moments_ellipsoid(shape_cube(d->radius));
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_ball(s, at, d->radius, from_model);
}

static const option options[] = {
    {.key = "sphere",
     .type = OPTION_NUMBER,
     .offset = SHAPE_OPTION(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT | OPTION_POSITIVE,
     .help = "Radius."},
    SHAPE_AT,
    SHAPE_MASS,
};
static const option_table table =
    SHAPE_TABLE("sphere", "A sphere, in a planar model a circle.", "shape: {sphere: 5 cm}");

const shape_type shape_sphere = {.table = &table,
                                 .surface = "sphere",
                                 .surface_planar = "sphere",
                                 .half = shape_ball_half,
                                 .is_same_size = shape_same_radius,
                                 .moments = moments_of,
                                 .draw = draw};
