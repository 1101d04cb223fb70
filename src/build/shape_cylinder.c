#include <math.h>

#include "build/shape.h"

enum { RADIUS, LENGTH };  // of the span

static const char *fault_of(const carom_shape_def *d, bool planar) {
  (void)planar;
  if (d->span.items && d->span.count != 2) return "a cylinder is a radius and a length";
  for (int i = 0; i < d->span.count; i++)
    if (!(d->span.items[i] > 0)) return "the radius and length of a cylinder must be positive";
  return NULL;
}

static bool is_complete(const carom_shape_def *d) { return d->span.count == 2; }

// Whatever its direction.
static vec3 half(const carom_shape_def *d, mat3 R) {
  (void)R;
  return shape_cube(fmax(d->span.items[RADIUS], 0.5 * d->span.items[LENGTH]));
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_cylinder(s, at, d->span.items[RADIUS], d->span.items[LENGTH], from_model);
}

static const option options[] = {
    {.key = "cylinder", .type = OPTION_NUMBERS, .offset = SHAPE_OPTION(span), .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT, .help = "Radius and length."},
    SHAPE_AT, SHAPE_AXIS,
};
static const option_table table = SHAPE_TABLE("cylinder", "A cylinder.", "shape: {cylinder: [2 cm, 30 cm], axis: x}");

const shape_type shape_cylinder = {.table = &table, .fault = fault_of, .is_complete = is_complete, .rotation = shape_axis_rotation,
                                   .half = half, .draw = draw};
