#include <math.h>

#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  (void)d;
  return surface_needs_space("cylinder", planar,
                             "a cylinder needs a spatial model; in the plane use sphere (a circle) or box", what);
}

static void set_size(const carom_surface_def *d, double size[3]) { size[0] = d->radius, size[1] = d->length; }

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)planar, (void)memory;
  return convex_cylinder(d->radius, d->length);
}

static double thickness(const carom_surface_def *d, bool planar) {
  (void)planar;
  return fmin(d->radius, d->length);
}

static const option options[] = {
    SURFACE_OPTIONS("cylinder"),
    {.key = "radius",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Radius."},
    {.key = "length",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(length),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Length."},
};
static const option_table table =
    SURFACE_TABLE("cylinder",
                  "A cylinder along z, in spatial models. With a plane it runs under moreau and event, with other "
                  "shapes that have faces under moreau; under compliant with `foundation`.",
                  "roller: {cylinder: roller, radius: 5 cm, length: 20 cm}");

const surface_type surface_cylinder = {.table = &table,
                                       .shape = SHAPE_CYLINDER,
                                       .fault = fault_of,
                                       .set_size = set_size,
                                       .form = form,
                                       .thickness = thickness,
                                       .drawn = &shape_cylinder,
                                       .set_drawn = surface_set_span,
                                       .reach = surface_span_reach,
                                       .is_body = true};
