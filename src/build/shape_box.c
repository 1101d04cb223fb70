#include <math.h>

#include "build/shape.h"

static vec3 half(const carom_shape_def *d, mat3 R) {
  const double *r = R.m, *size = d->size;
  return vec3_scale(0.5, (vec3){fabs(r[0]) * size[0] + fabs(r[1]) * size[1] + fabs(r[2]) * size[2],
                                fabs(r[3]) * size[0] + fabs(r[4]) * size[1] + fabs(r[5]) * size[2],
                                fabs(r[6]) * size[0] + fabs(r[7]) * size[1] + fabs(r[8]) * size[2]});
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_size(a, b, within);
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)scratch;
  *to = moments_box((vec3){d->size[0], d->size[1], planar ? thickness : d->size[2]});
  return d->size[0] > 0 && d->size[1] > 0 && (planar || d->size[2] > 0)
             ? NULL
             : "a box has a mass only if its edges are positive";
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_box(s, at, vec3_of(d->size), from_model);
}

static const option options[] = {
    {.key = "box",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Edges along its axes."},
    SHAPE_AT,
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("box", "A box.", "shape: {box: [2*a, 2*b]}");

const shape_type shape_box = {.table = &table,
                              .surface = "box",
                              .surface_planar = "box",
                              .rotation = shape_rotation,
                              .half = half,
                              .is_same_size = is_same_size,
                              .moments = moments_of,
                              .draw = draw};
