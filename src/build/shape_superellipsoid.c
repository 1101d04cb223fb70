// (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1: 1, 1 is an ellipsoid, smaller exponents make it squarer,
// larger ones more pointed.
#include <math.h>

#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no superellipsoid in a planar model; draw its outline by 'polygon'";
  if (d->exponents.count != 2)
    return "'exponents' of a superellipsoid are two numbers: between pole and equator, and around the z axis";
  for (int i = 0; i < 2; i++)
    if (!(d->exponents.items[i] >= 0.1 && d->exponents.items[i] <= 1.9))
      return "the exponents of a superellipsoid must be between 0.1 and 1.9";
  return shape_half_axes_fault(d, "the half axes of a superellipsoid must be positive");
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false); }

// That of the box that holds it.
static vec3 half(const carom_shape_def *d, mat3 R) {
  double half[3];
  for (int i = 0; i < 3; i++)
    half[i] = fabs(R.m[3 * i]) * d->size[0] + fabs(R.m[3 * i + 1]) * d->size[1] + fabs(R.m[3 * i + 2]) * d->size[2];
  return vec3_of(half);
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)planar, (void)thickness, (void)scratch;
  *to = moments_superellipsoid(vec3_of(d->size), d->exponents.items[0], d->exponents.items[1]);
  return NULL;
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_ellipsoid(s, at, vec3_of(d->size), d->exponents.items, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_size(a, b, within) && a->exponents.count == 2 && b->exponents.count == 2 &&
         a->exponents.items[0] == b->exponents.items[0] && a->exponents.items[1] == b->exponents.items[1];
}

static const option options[] = {
    {.key = "superellipsoid",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Half axes a, b, c: from the centre to the surface along x, y, z."},
    {.key = "exponents",
     .type = OPTION_NUMBERS,
     .offset = SHAPE_OPTION(exponents),
     .dim = DIM_NONE,
     .flags = OPTION_REQUIRED,
     .help = "e1, e2 of (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1, each between 0.1 and 1.9. 1, 1 is an "
             "ellipsoid; smaller "
             "ones make it squarer, larger ones more pointed."},
    SHAPE_AT,
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("superellipsoid", "Between a box, an ellipsoid and a double pyramid.",
                                              "shape: {superellipsoid: [3 cm, 2 cm, 1 cm], exponents: [0.5, 0.5]}");

const shape_type shape_superellipsoid = {.table = &table,
                                         .surface = "superellipsoid",
                                         .fault = fault_of,
                                         .is_complete = is_complete,
                                         .rotation = shape_rotation,
                                         .half = half,
                                         .is_same_size = is_same_size,
                                         .moments = moments_of,
                                         .draw = draw};
