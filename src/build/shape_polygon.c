#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (!planar) return "there is no polygon in a spatial model; use 'hull' or 'box'";
  return d->points.count >= 3 ? NULL : "a polygon needs at least 3 corners";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, true); }

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_points(s, "polygon", at, d->points, 2, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) { return shape_same_points(a, b, within); }

static const option options[] = {
    {.key = "polygon", .type = OPTION_POINTS, .offset = SHAPE_OPTION(points), .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT, .help = "Corners in turn, in either sense; it may be concave."},
    {.key = "at", .type = OPTION_POINT, .offset = SHAPE_OPTION(at), .dim = DIM_LENGTH, .help = "Where its origin is, in body axes."},
    SHAPE_ROTATE,
};
static const option_table table = SHAPE_TABLE("polygon", "A polygon, in planar models.", "shape: {polygon: [[0, 0], [20 cm, 0], [0, 10 cm]]}");

const shape_type shape_polygon = {.table = &table, .fault = fault_of, .is_complete = is_complete, .rotation = shape_rotation,
                                  .half = shape_points_half, .is_same_size = is_same_size, .draw = draw};
