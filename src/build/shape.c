// The list of drawn shapes, and what several of them share.
#include "build/shape.h"

#include <math.h>
#include <string.h>

static const shape_type *const all[] = {
    &shape_link, &shape_box,       &shape_sphere,         &shape_cylinder, &shape_disc,    &shape_capsule,
    &shape_cone, &shape_ellipsoid, &shape_superellipsoid, &shape_hull,     &shape_polygon, &shape_mesh,
};
enum { COUNT = sizeof all / sizeof *all };
_Static_assert((int)COUNT <= (int)OPTION_MEMBERS_MAX, "more members than a reader has room for");

const shape_type *const *shape_types(int *count) {
  *count = COUNT;
  return all;
}

int shape_tables(const option_table *tables[OPTION_MEMBERS_MAX]) {
  for (int i = 0; i < COUNT; i++) tables[i] = all[i]->table;
  return COUNT;
}

const shape_type *shape_find(const char *kind) {
  for (int i = 0; i < COUNT; i++)
    if (kind && strcmp(all[i]->table->name, kind) == 0) return all[i];
  return NULL;
}

mat3 shape_rotation(const carom_shape_def *d, bool planar) {
  (void)planar;
  quat q = {d->rotate[0], d->rotate[1], d->rotate[2], d->rotate[3]};
  return quat_norm(q) > 0 ? quat_matrix(quat_normalize(q)) : MAT3_IDENTITY;
}

mat3 shape_axis_rotation(const carom_shape_def *d, bool planar) {
  vec3 axis = vec3_of(d->axis);
  double size = vec3_norm(axis);
  return size > 0 && !planar ? quat_matrix(quat_from_z(vec3_scale(1 / size, axis))) : MAT3_IDENTITY;
}

vec3 shape_ball_half(const carom_shape_def *d, mat3 R) {
  (void)R;
  return shape_cube(d->radius);
}

bool shape_same_radius(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return fabs(a->radius - b->radius) <= within;
}

bool shape_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return vec3_norm(vec3_sub(vec3_of(b->size), vec3_of(a->size))) <= within;
}

// |R diag(size)|, row by row.
vec3 shape_ellipsoid_half(const carom_shape_def *d, mat3 R) {
  double half[3];
  for (int i = 0; i < 3; i++)
    half[i] = vec3_norm((vec3){R.m[3 * i] * d->size[0], R.m[3 * i + 1] * d->size[1], R.m[3 * i + 2] * d->size[2]});
  return vec3_of(half);
}

static void points_box(const carom_shape_def *d, mat3 R, vec3 *low, vec3 *high) {
  *low = *high = d->points.count ? mat3_mul(R, vec3_of(d->points.items[0])) : VEC3_ZERO;
  for (int i = 1; i < d->points.count; i++) {
    vec3 p = mat3_mul(R, vec3_of(d->points.items[i]));
    *low = (vec3){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
    *high = (vec3){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
  }
}

vec3 shape_points_half(const carom_shape_def *d, mat3 R) {
  vec3 low, high;
  points_box(d, R, &low, &high);
  return vec3_scale(0.5, vec3_sub(high, low));
}

vec3 shape_points_middle(const carom_shape_def *d, mat3 R) {
  vec3 low, high;
  points_box(d, R, &low, &high);
  return vec3_scale(0.5, vec3_add(high, low));
}

bool shape_same_points(const carom_shape_def *a, const carom_shape_def *b, double within) {
  if (a->points.count != b->points.count) return false;
  for (int i = 0; i < a->points.count; i++)
    if (vec3_norm(vec3_sub(vec3_of(a->points.items[i]), vec3_of(b->points.items[i]))) > within) return false;
  return true;
}

// --- a radius and a length -------------------------------------------------------------------------------------------

bool shape_has_span(const carom_shape_def *d) { return d->span.count == 2; }

const char *shape_span_fault(const carom_shape_def *d, const char *count, const char *sign) {
  if (d->span.items && d->span.count != 2) return count;
  for (int i = 0; i < d->span.count; i++)
    if (!(d->span.items[i] > 0)) return sign;
  return NULL;
}

// Whatever its direction.
vec3 shape_span_half(const carom_shape_def *d, mat3 R) {
  (void)R;
  return shape_cube(fmax(d->span.items[SHAPE_RADIUS], 0.5 * d->span.items[SHAPE_LENGTH]));
}

bool shape_same_span(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_has_span(a) && shape_has_span(b) &&
         fabs(a->span.items[SHAPE_RADIUS] - b->span.items[SHAPE_RADIUS]) <= within &&
         fabs(a->span.items[SHAPE_LENGTH] - b->span.items[SHAPE_LENGTH]) <= within;
}

const char *shape_half_axes_fault(const carom_shape_def *d, const char *sign) {
  return d->size[0] > 0 && d->size[1] > 0 && d->size[2] > 0 ? NULL : sign;
}
