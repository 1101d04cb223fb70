#include "build/surface.h"

static void set_size(const carom_surface_def *d, double size[3]) { size[0] = d->radius, size[1] = d->length; }

// In the plane its axis is x.
static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  if (!planar) return convex_capsule(d->radius, d->length);
  vec3 *ends = ARENA_ARRAY(memory, vec3, 2);
  ends[0].x = -0.5 * d->length, ends[1].x = 0.5 * d->length;
  convex segment = convex_hull(ends, 2);
  segment.layer = d->radius;
  return segment;
}

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  (void)at;
  outline_capsule(d->radius, d->length, memory, to);
  return OUTLINE_OK;
}

static double thickness(const carom_surface_def *d, bool planar) {
  (void)planar;
  return d->radius;
}

static const option options[] = {
    SURFACE_OPTIONS("capsule"),
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
     .help = "Distance between the centres of its ends."},
};
static const option_table table =
    SURFACE_TABLE("capsule", "A cylinder with round ends along z, in a planar model along x.",
                  "rod: {capsule: rod, radius: 2 cm, length: 30 cm}");

const surface_type surface_capsule = {.table = &table,
                                      .shape = SHAPE_CAPSULE,
                                      .set_size = set_size,
                                      .outline = make_outline,
                                      .form = form,
                                      .thickness = thickness,
                                      .drawn = &shape_capsule,
                                      .set_drawn = surface_set_span,
                                      .reach = surface_span_reach,
                                      .is_body = true};
