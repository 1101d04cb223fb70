#include "build/shape.h"
#include "geometry/polytope.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no hull in a planar model; use 'polygon'";
  return d->points.count >= 4 ? NULL : "a hull needs at least 4 points";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false); }

static const char *moments_of(const carom_shape_def *d, bool planar, double thickness, arena *scratch, moments *to) {
  (void)planar, (void)thickness;
  polytope p;
  vec3 *points = ARENA_ARRAY(scratch, vec3, d->points.count);
  for (int i = 0; i < d->points.count; i++) points[i] = vec3_of(d->points.items[i]);
  if (polytope_build(points, d->points.count, scratch, &p) != POLYTOPE_OK) return "the points of a hull must not lie in one plane";
  *to = polytope_moments(&p);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_points(s, "hull", at, d->points, 3, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) { return shape_same_points(a, b, within); }

static const option options[] = {
    {.key = "hull", .type = OPTION_POINTS, .offset = SHAPE_OPTION(points), .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT, .help = "Points; the shape is their convex hull."},
    SHAPE_AT, SHAPE_ROTATE, SHAPE_MASS,
};
static const option_table table =
    SHAPE_TABLE("hull", "The convex hull of points.", "shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}");

const shape_type shape_hull = {.table = &table, .fault = fault_of, .is_complete = is_complete, .rotation = shape_rotation,
                               .half = shape_points_half, .middle = shape_points_middle, .is_same_size = is_same_size, .moments = moments_of, .draw = draw};
