#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no hull in a planar model; use 'polygon'";
  return d->points.count >= 4 ? NULL : "a hull needs at least 4 points";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false); }

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_points(s, "hull", at, d->points, 3, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) { return shape_same_points(a, b, within); }

static const option options[] = {
    {.key = "hull", .type = OPTION_POINTS, .offset = SHAPE_OPTION(points), .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT, .help = "Points; the shape is their convex hull."},
    SHAPE_AT, SHAPE_ROTATE,
};
static const option_table table =
    SHAPE_TABLE("hull", "The convex hull of points.", "shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}");

const shape_type shape_hull = {.table = &table, .fault = fault_of, .is_complete = is_complete, .rotation = shape_rotation,
                               .half = shape_points_half, .is_same_size = is_same_size, .draw = draw};
