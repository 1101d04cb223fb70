// The list of surfaces.
#include "build/surface.h"

#include <math.h>
#include <string.h>

extern const surface_type surface_point, surface_sphere, surface_capsule, surface_box, surface_cylinder, surface_cone,
    surface_ellipsoid, surface_superellipsoid, surface_hull, surface_polygon, surface_curve, surface_arcs,
    surface_height_field, surface_mesh, surface_plane, surface_boundary;

static const surface_type *const all[] = {
    &surface_point,        &surface_sphere,  &surface_capsule,   &surface_box,
    &surface_cylinder,     &surface_cone,    &surface_ellipsoid, &surface_superellipsoid,
    &surface_hull,         &surface_polygon, &surface_curve,     &surface_arcs,
    &surface_height_field, &surface_mesh,    &surface_plane,     &surface_boundary,
};
enum { COUNT = sizeof all / sizeof *all };
_Static_assert((int)COUNT <= (int)OPTION_MEMBERS_MAX, "more members than a reader has room for");

const surface_type *const *surface_types(int *count) {
  *count = COUNT;
  return all;
}

int surface_tables(const option_table *tables[OPTION_MEMBERS_MAX]) {
  for (int i = 0; i < COUNT; i++) tables[i] = all[i]->table;
  return COUNT;
}

const surface_type *surface_find(const char *kind) {
  for (int i = 0; i < COUNT; i++)
    if (kind && strcmp(all[i]->table->name, kind) == 0) return all[i];
  return NULL;
}

void surface_set_span(const carom_surface_def *d, bool planar, arena *memory, carom_shape_def *to) {
  (void)planar;
  double *span = ARENA_ARRAY(memory, double, 2);
  span[SHAPE_RADIUS] = d->radius, span[SHAPE_LENGTH] = d->length;
  to->span = (carom_numbers){span, 2};
}

double surface_span_reach(const carom_shape_def *d) {
  return d->span.items[SHAPE_RADIUS] + 0.5 * d->span.items[SHAPE_LENGTH];
}

const char *surface_needs_space(const char *kind, bool planar, const char *sentence, const char **what) {
  if (!planar) return NULL;
  *what = sentence;
  return kind;
}

const char *surface_outline_fault(const carom_surface_def *d, bool planar, const char **what) {
  (void)d;
  if (planar) return NULL;
  *what = "outlines are surfaces of planar models; add 'space: planar'";
  return "points";
}

double surface_outline_reach(const carom_shape_def *d) {
  double most = 0;
  for (int i = 0; i < d->points.count; i++) most = fmax(most, hypot(d->points.items[i][0], d->points.items[i][1]));
  return most;
}
