#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  (void)planar;
  return shape_span_fault(d, "a cylinder is a radius and a length",
                          "the radius and length of a cylinder must be positive");
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar, (void)thickness, (void)scratch;
  *to = moments_cylinder(d->span.items[SHAPE_RADIUS], d->span.items[SHAPE_LENGTH]);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_cylinder(s, at, d->span.items[SHAPE_RADIUS], d->span.items[SHAPE_LENGTH], from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_span(a, b, within);
}

static const option options[] = {
    {.key = "cylinder",
     .type = OPTION_NUMBERS,
     .offset = SHAPE_OPTION(span),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Radius and length."},
    SHAPE_AT,
    SHAPE_AXIS,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("cylinder", "A cylinder.", "shape: {cylinder: [2 cm, 30 cm], axis: x}");

const shape_type shape_cylinder = {.table = &table,
                                   .surface = "cylinder",
                                   .surface_planar = "sphere",
                                   .fault = fault_of,
                                   .is_complete = shape_has_span,
                                   .rotation = shape_axis_rotation,
                                   .half = shape_span_half,
                                   .is_same_size = is_same_size,
                                   .moments = moments_of,
                                   .has_own_thickness = true,
                                   .draw = draw};
