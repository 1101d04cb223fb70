// A cylinder with half spheres at its ends. In the plane it lies along x of its frame, or along `axis`.
#include <math.h>

#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  (void)planar;
  return shape_span_fault(d, "a capsule is a radius and a length",
                          "the radius and length of a capsule must be positive");
}

static mat3 rotation(const carom_shape_def *d, bool planar) {
  double size = hypot(d->axis[0], d->axis[1]);
  if (!planar) return shape_axis_rotation(d, false);
  if (!(size > 0)) return MAT3_IDENTITY;
  double c = d->axis[0] / size, s = d->axis[1] / size;
  return (mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

// Whatever its direction.
static vec3 half(const carom_shape_def *d, mat3 R) {
  (void)R;
  return shape_cube(d->span.items[SHAPE_RADIUS] + 0.5 * d->span.items[SHAPE_LENGTH]);
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)scratch;
  double r = d->span.items[SHAPE_RADIUS], l = d->span.items[SHAPE_LENGTH];
  *to = planar ? moments_stadium(r, l, thickness) : moments_capsule(r, l);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_capsule(s, at, d->span.items[SHAPE_RADIUS], d->span.items[SHAPE_LENGTH], from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_span(a, b, within);
}

static const option options[] = {
    {.key = "capsule",
     .type = OPTION_NUMBERS,
     .offset = SHAPE_OPTION(span),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Radius, and length between the centres of its caps."},
    SHAPE_AT,
    {.key = "axis",
     .type = OPTION_AXIS,
     .offset = SHAPE_OPTION(axis),
     .preset = "z",
     .help = "Its axis; in a planar model default x."},
    SHAPE_MASS,
};
static const option_table table =
    SHAPE_TABLE("capsule", "A cylinder with half spheres at its ends.", "shape: {capsule: [2 cm, 30 cm], axis: x}");

const shape_type shape_capsule = {.table = &table,
                                  .surface = "capsule",
                                  .surface_planar = "capsule",
                                  .fault = fault_of,
                                  .is_complete = shape_has_span,
                                  .rotation = rotation,
                                  .half = half,
                                  .is_same_size = is_same_size,
                                  .moments = moments_of,
                                  .draw = draw};
