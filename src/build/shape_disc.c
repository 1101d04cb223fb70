#include "build/shape.h"

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar, (void)scratch;
  *to = moments_cylinder(d->radius, thickness);
  return thickness > 0 ? NULL : "a disc has a mass only with a 'thickness'";
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_disc(s, at, d->radius, from_model);
}

static const option options[] = {
    {.key = "disc",
     .type = OPTION_NUMBER,
     .offset = SHAPE_OPTION(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT | OPTION_POSITIVE,
     .help = "Radius."},
    SHAPE_AT,
    SHAPE_AXIS,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("disc", "A thin disc: a wheel.", "shape: {disc: 10 cm}");

const shape_type shape_disc = {.table = &table,
                               .surface_planar = "sphere",
                               .rotation = shape_axis_rotation,
                               .half = shape_ball_half,
                               .is_same_size = shape_same_radius,
                               .moments = moments_of,
                               .is_flat = true,
                               .draw = draw};
