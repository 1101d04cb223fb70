#include "build/builder.h"
#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no hull in a planar model; use 'polygon'";
  if (d->file) return d->points.count ? "a hull has points or a file, not both" : NULL;
  return d->points.count >= 4 ? NULL : "a hull needs at least 4 points, or a file";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false) && (!d->file || d->scale > 0); }

static bool prepare(struct builder *b, place at, carom_shape_def *d, shape_data *data) {
  return builder_hull(b, at, d->file, d->scale, &d->points, data);
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)d, (void)planar, (void)thickness, (void)scratch;
  *to = data->solid;
  return NULL;
}

static void draw_data(const sketch *s, const shape_data *data, pose at, bool from_model) {
  sketch_mesh(s, "hull", at, data->mesh, from_model);
}

// A surface in the plane has its corners in turn.
static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_polygon(s, at, d->points, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_points(a, b, within);
}

static const option options[] = {
    {.key = "hull",
     .type = OPTION_POINTS,
     .offset = SHAPE_OPTION(points),
     .dim = DIM_LENGTH,
     .flags = OPTION_SUBJECT,
     .help = "Points; the shape is their convex hull."},
    {.key = "file",
     .type = OPTION_TEXT,
     .offset = SHAPE_OPTION(file),
     .help = "Instead of points: an STL or OBJ file, relative to the file that names it; the shape is the hull of its "
             "points."},
    SHAPE_SCALE,
    SHAPE_AT,
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("hull", "The convex hull of points, given or from a file.",
                                              "shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}");

const shape_type shape_hull = {.table = &table,
                               .surface = "hull",
                               .fault = fault_of,
                               .is_complete = is_complete,
                               .prepare = prepare,
                               .rotation = shape_rotation,
                               .half = shape_points_half,
                               .middle = shape_points_middle,
                               .is_same_size = is_same_size,
                               .moments = moments_of,
                               .draw = draw,
                               .draw_data = draw_data};
