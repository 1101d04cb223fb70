// A sphere or a point on a surface of triangles. It touches in any number of places, each with a normal of its own: in
// a valley two. A place lasts while it moves from a triangle to one that shares a corner with it, so that a ball that
// rolls keeps its point.
#include <stddef.h>

#include "contact/pairs.h"
#include "contact/touches.h"
#include "geometry/terrain.h"

// The corners of a triangle, edge or vertex, ascending; -1 for those that it has not.
static contact_feature feature_of(const int corners[3]) {
  contact_feature f = {{corners[0], corners[1], corners[2]}};
  for (int i = 1; i < 3; i++)
    for (int k = i; k > 0 && f.part[k] >= 0 && f.part[k] < f.part[k - 1]; k--) {
      int swapped = f.part[k];
      f.part[k] = f.part[k - 1], f.part[k - 1] = swapped;
    }
  return f;
}

static bool continues(const contact_feature *vanished, const contact_feature *place) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (vanished->part[i] >= 0 && vanished->part[i] == place->part[k]) return true;
  return false;
}

// Minima that are farther than a radius are left out, except for the nearest one. The percussion acts on the sphere, as
// on a plane.
static int find_touches(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  marker_place ball = marker_find(m, x, e->first), ground = marker_find(m, x, e->second);
  double radius = e->size_first[0];
  terrain_touch t[TERRAIN_TOUCHES];
  int count = terrain_touches(e->terrain, contact_apart(&ball, &ground), radius, radius, t);
  for (int i = 0; i < count; i++)
    to[i] = (contact_touch){.feature = feature_of(t[i].corners),
                            .gap = t[i].gap,
                            .n = mat3_mul(ground.R, t[i].normal),
                            .at = vec3_add(ground.p, mat3_mul(ground.R, vec3_axpy(t[i].at, t[i].gap, t[i].normal)))};
  return count;
}

static void curvatures(const contact_element *e, double radius[2]) {
  radius[0] = e->size_first[0], radius[1] = CONTACT_FLAT;
}

const contact_type contact_sphere_terrain = {
    .name = "sphere on terrain",
    .point_count = TERRAIN_TOUCHES,
    .touches = find_touches,
    .continues = continues,
    .nearest = contact_nearest_on_triangles,
    .point_names = contact_point_numbers,
    .curvatures = curvatures,
    .tell_overlap = contact_tell_surfaces,
};
