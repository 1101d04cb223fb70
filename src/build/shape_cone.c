#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no cone in a planar model; draw its outline by 'polygon'";
  return shape_span_fault(d, "a cone is a radius and a height", "the radius and height of a cone must be positive");
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar, (void)thickness, (void)scratch;
  *to = moments_cone(d->span.items[SHAPE_RADIUS], d->span.items[SHAPE_LENGTH]);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_cone(s, at, d->span.items[SHAPE_RADIUS], d->span.items[SHAPE_LENGTH], from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_span(a, b, within);
}

static const option options[] = {
    {.key = "cone",
     .type = OPTION_NUMBERS,
     .offset = SHAPE_OPTION(span),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Radius of its base and height."},
    {.key = "at",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(at),
     .dim = DIM_LENGTH,
     .help = "The middle between tip and base, in body axes."},
    {.key = "axis",
     .type = OPTION_AXIS,
     .offset = SHAPE_OPTION(axis),
     .preset = "z",
     .help = "Direction from the base to the tip."},
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("cone", "A cone.", "shape: {cone: [3 cm, 10 cm], axis: z}");

const shape_type shape_cone = {.table = &table,
                               .surface = "cone",
                               .fault = fault_of,
                               .is_complete = shape_has_span,
                               .rotation = shape_axis_rotation,
                               .half = shape_span_half,
                               .is_same_size = is_same_size,
                               .moments = moments_of,
                               .draw = draw};
