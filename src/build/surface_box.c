#include <math.h>
#include <string.h>

#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  if (d->size[0] > 0 && d->size[1] > 0 && (planar || d->size[2] > 0)) return NULL;
  *what = "the edges of a box must be positive";
  return "size";
}

static void set_size(const carom_surface_def *d, double size[3]) { memcpy(size, d->size, sizeof d->size); }

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  double x = d->size[0] / 2, y = d->size[1] / 2;
  return outline_polygon((vec2[]){{-x, -y}, {x, -y}, {x, y}, {-x, y}}, 4, memory, to, at);
}

static double thickness(const carom_surface_def *d, bool planar) {
  double edge = fmin(d->size[0], d->size[1]);
  return planar ? edge : fmin(edge, d->size[2]);
}

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)memory;
  return convex_box(d->size[0], d->size[1], planar ? 0 : d->size[2]);
}

static const vec3 *corners(const carom_surface_def *d, arena *memory, int *count) {
  vec3 *all = ARENA_ARRAY(memory, vec3, *count = 8);
  for (int k = 0; k < 8; k++)
    all[k] =
        (vec3){(k & 1 ? 0.5 : -0.5) * d->size[0], (k & 2 ? 0.5 : -0.5) * d->size[1], (k & 4 ? 0.5 : -0.5) * d->size[2]};
  return all;
}

static double reach(const carom_shape_def *d) { return 0.5 * hypot(d->size[0], d->size[1]); }

static const option options[] = {
    SURFACE_OPTIONS("box"),
    {.key = "size",
     .type = OPTION_POINT,
     .offset = SURFACE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Edges along its axes."},
};
static const option_table table =
    SURFACE_TABLE("box", "A box. It touches planes with its corners.", "block: {box: block, size: [0.2, 0.1]}");

const surface_type surface_box = {.table = &table,
                                  .shape = SHAPE_BOX,
                                  .fault = fault_of,
                                  .set_size = set_size,
                                  .outline = make_outline,
                                  .form = form,
                                  .corners = corners,
                                  .thickness = thickness,
                                  .drawn = &shape_box,
                                  .reach = reach,
                                  .is_body = true};
