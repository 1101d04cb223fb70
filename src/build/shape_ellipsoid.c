#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no ellipsoid in a planar model; draw its outline by 'polygon'";
  return shape_half_axes_fault(d, "the half axes of an ellipsoid must be positive");
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false); }

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar, (void)thickness, (void)scratch;
  *to = moments_ellipsoid(vec3_of(d->size));
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_ellipsoid(s, at, vec3_of(d->size), NULL, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_size(a, b, within);
}

static const option options[] = {
    {.key = "ellipsoid",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Half axes: from the centre to the surface along x, y, z."},
    SHAPE_AT,
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("ellipsoid", "An ellipsoid.", "shape: {ellipsoid: [3 cm, 2 cm, 1 cm]}");

const shape_type shape_ellipsoid = {.table = &table,
                                    .surface = "ellipsoid",
                                    .fault = fault_of,
                                    .is_complete = is_complete,
                                    .rotation = shape_rotation,
                                    .half = shape_ellipsoid_half,
                                    .is_same_size = is_same_size,
                                    .moments = moments_of,
                                    .draw = draw};
