#include "build/surface.h"

static void set_size(const carom_surface_def *d, double size[3]) { size[0] = d->radius; }

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  (void)at;
  outline_circle(d->radius, memory, to);
  return OUTLINE_OK;
}

static double thickness(const carom_surface_def *d, bool planar) {
  (void)planar;
  return d->radius;
}

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)planar, (void)memory;
  return convex_sphere(d->radius);
}

static double reach(const carom_shape_def *d) { return d->radius; }

static const option options[] = {
    SURFACE_OPTIONS("sphere"),
    {.key = "radius",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(radius),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Radius."},
};
static const option_table table =
    SURFACE_TABLE("sphere", "A sphere, in a planar model a circle.", "ball: {sphere: ball, radius: 5 cm}");

const surface_type surface_sphere = {.table = &table,
                                     .shape = SHAPE_SPHERE,
                                     .set_size = set_size,
                                     .outline = make_outline,
                                     .form = form,
                                     .thickness = thickness,
                                     .drawn = &shape_sphere,
                                     .reach = reach,
                                     .is_body = true};
