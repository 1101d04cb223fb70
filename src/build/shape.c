// The list of drawn shapes, and what several of them share.
#include "build/shape.h"

#include <math.h>
#include <string.h>

static const shape_type *const all[] = {
    &shape_link,
    &shape_box,
    &shape_sphere,
    &shape_cylinder,
    &shape_disc,
};
enum { COUNT = sizeof all / sizeof *all };
_Static_assert((int)COUNT <= (int) OPTION_MEMBERS_MAX, "more members than a reader has room for");

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
