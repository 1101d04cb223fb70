#include "build/shape.h"
#include "geometry/outline.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (!planar) return "there is no polygon in a spatial model; use 'hull' or 'box'";
  return d->points.count >= 3 ? NULL : "a polygon needs at least 3 corners";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, true); }

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar;
  outline checked;
  vec2 *corners = ARENA_ARRAY(scratch, vec2, d->points.count);
  for (int i = 0; i < d->points.count; i++) corners[i] = (vec2){d->points.items[i][0], d->points.items[i][1]};
  outline_status status = outline_polygon(corners, d->points.count, scratch, &checked, NULL);
  if (status == OUTLINE_TANGLED) return "the polygon crosses itself";
  if (status == OUTLINE_REPEATED) return "the polygon has the same corner twice in turn";
  if (status != OUTLINE_OK) return "the polygon has no area";
  *to = moments_polygon(d->points.items, d->points.count, thickness);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_polygon(s, at, d->points, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_points(a, b, within);
}

static const option options[] = {
    {.key = "polygon",
     .type = OPTION_POINTS,
     .offset = SHAPE_OPTION(points),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Corners in turn, in either sense; it may be concave."},
    {.key = "at",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(at),
     .dim = DIM_LENGTH,
     .help = "Where its origin is, in body axes."},
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table =
    SHAPE_TABLE("polygon", "A polygon, in planar models.", "shape: {polygon: [[0, 0], [20 cm, 0], [0, 10 cm]]}");

const shape_type shape_polygon = {.table = &table,
                                  .surface_planar = "polygon",
                                  .fault = fault_of,
                                  .is_complete = is_complete,
                                  .rotation = shape_rotation,
                                  .half = shape_points_half,
                                  .middle = shape_points_middle,
                                  .is_same_size = is_same_size,
                                  .moments = moments_of,
                                  .draw = draw};
