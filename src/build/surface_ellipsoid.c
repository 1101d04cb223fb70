#include <math.h>
#include <string.h>

#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  if (planar)
    return surface_needs_space("ellipsoid", planar,
                               "an ellipsoid needs a spatial model; in the plane use sphere (a circle)", what);
  if (d->size[0] > 0 && d->size[1] > 0 && d->size[2] > 0) return NULL;
  *what = "the semi-axes must be positive";
  return "semi_axes";
}

static void set_size(const carom_surface_def *d, double size[3]) { memcpy(size, d->size, sizeof d->size); }

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)planar, (void)memory;
  return convex_ellipsoid(d->size[0], d->size[1], d->size[2]);
}

static double thickness(const carom_surface_def *d, bool planar) {
  (void)planar;
  return fmin(d->size[0], fmin(d->size[1], d->size[2]));
}

static double reach(const carom_shape_def *d) { return fmax(d->size[0], fmax(d->size[1], d->size[2])); }

static const option options[] = {
    SURFACE_OPTIONS("ellipsoid"),
    {.key = "semi_axes",
     .type = OPTION_POINT,
     .offset = SURFACE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Semi-axes along x, y and z."},
};
static const option_table table = SURFACE_TABLE("ellipsoid", "An ellipsoid, in spatial models.",
                                                "egg: {ellipsoid: egg, semi_axes: [2 cm, 2 cm, 3 cm]}");

const surface_type surface_ellipsoid = {.table = &table,
                                        .shape = SHAPE_ELLIPSOID,
                                        .fault = fault_of,
                                        .set_size = set_size,
                                        .form = form,
                                        .thickness = thickness,
                                        .drawn = &shape_ellipsoid,
                                        .reach = reach,
                                        .is_body = true};
