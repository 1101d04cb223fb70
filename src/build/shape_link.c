// A bar with round ends from `at` to `to`, or as long as one number along x.
#include <string.h>

#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (!d->to.items || d->to.count == 1 || d->to.count == (planar ? 2 : 3)) return NULL;
  return planar ? "a link is a length or a point of 2 numbers" : "a link is a length or a point of 3 numbers";
}

static bool is_complete(const carom_shape_def *d) { return d->to.count >= 1 && d->to.count <= 3; }

static vec3 far_end(const carom_shape_def *d) {
  double to[3] = {0, 0, 0};
  memcpy(to, d->to.items, (size_t)d->to.count * sizeof *to);
  return d->to.count == 1 ? vec3_axpy(vec3_of(d->at), to[0], (vec3){1, 0, 0}) : vec3_of(to);
}

static vec3 half(const carom_shape_def *d, mat3 R) {
  (void)d, (void)R;
  return VEC3_ZERO;
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)data, (void)scratch;
  vec3 middle = vec3_scale(0.5, vec3_add(vec3_of(d->at), far_end(d))), way = vec3_sub(far_end(d), vec3_of(d->at));
  double length = vec3_norm(way);
  vec3 along = length > 0 ? vec3_scale(1 / length, way) : (vec3){planar, 0, !planar};
  mat3 R = planar ? (mat3){{along.x, -along.y, 0, along.y, along.x, 0, 0, 0, 1}} : quat_matrix(quat_from_z(along));
  *to = planar ? moments_stadium(0.5 * d->width, length, thickness) : moments_capsule(0.5 * d->width, length);
  *to = moments_moved(*to, (pose){R, vec3_sub(middle, vec3_of(d->at))});
  return d->width > 0 ? NULL : "a link has a mass only with a 'width'";
}

static void draw(const sketch *s, const carom_shape_def *d, pose at, bool from_model) {
  sketch_link(s, at.p, far_end(d), d->width, from_model);
}

static const option options[] = {
    {.key = "link",
     .type = OPTION_NUMBERS,
     .offset = SHAPE_OPTION(to),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "Second end, or one number: the length along x."},
    {.key = "from", .type = OPTION_POINT, .offset = SHAPE_OPTION(at), .dim = DIM_LENGTH, .help = "First end."},
    {.key = "width",
     .type = OPTION_NUMBER,
     .offset = SHAPE_OPTION(width),
     .dim = DIM_LENGTH,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Width; 0 chooses one from the length."},
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("link", "A bar with round ends.", "shape: {link: l1}");

const shape_type shape_link = {.table = &table,
                               .fault = fault_of,
                               .is_complete = is_complete,
                               .half = half,
                               .far_end = far_end,
                               .moments = moments_of,
                               .draw = draw};
