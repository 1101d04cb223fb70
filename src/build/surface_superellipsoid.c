#include <math.h>
#include <string.h>

#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  if (planar) return surface_needs_space("superellipsoid", planar, "a superellipsoid needs a spatial model", what);
  if (d->exponents.count != 2) {
    *what = "a superellipsoid has two exponents, e1 and e2";
    return "exponents";
  }
  for (int i = 0; i < 2; i++)
    if (!(d->exponents.items[i] >= 0.1 && d->exponents.items[i] <= 1.9)) {
      *what =
          "the exponents must be from 0.1 to 1.9: beyond, edges and faces are too sharp and too flat to be found as "
          "curved surfaces";
      return "exponents";
    }
  if (d->size[0] > 0 && d->size[1] > 0 && d->size[2] > 0) return NULL;
  *what = "the semi-axes must be positive";
  return "semi_axes";
}

static void set_size(const carom_surface_def *d, double size[3]) { memcpy(size, d->size, sizeof d->size); }

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)planar, (void)memory;
  return convex_superellipsoid(d->size[0], d->size[1], d->size[2], d->exponents.items[0], d->exponents.items[1]);
}

static double thickness(const carom_surface_def *d, bool planar) {
  (void)planar;
  return fmin(d->size[0], fmin(d->size[1], d->size[2]));
}

static double reach(const carom_shape_def *d) { return vec3_norm(vec3_of(d->size)); }

static void set_drawn(const carom_surface_def *d, bool planar, arena *memory, carom_shape_def *to) {
  (void)planar;
  double *e = ARENA_ARRAY(memory, double, 2);
  e[0] = d->exponents.items[0], e[1] = d->exponents.items[1];
  to->exponents = (carom_numbers){e, 2};
}

static const option options[] = {
    SURFACE_OPTIONS("superellipsoid"),
    {.key = "semi_axes",
     .type = OPTION_POINT,
     .offset = SURFACE_OPTION(size),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Semi-axes along x, y and z."},
    {.key = "exponents",
     .type = OPTION_NUMBERS,
     .offset = SURFACE_OPTION(exponents),
     .dim = DIM_NONE,
     .flags = OPTION_REQUIRED,
     .help = "e1 (towards z) and e2 (across it), each from 0.1 to 1.9."},
};
static const option_table table =
    SURFACE_TABLE("superellipsoid",
                  "A superellipsoid (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1, in spatial models: round "
                  "boxes with exponents below 1, an ellipsoid at 1, shapes with edges above.",
                  "stone: {superellipsoid: stone, semi_axes: [2 cm, 2 cm, 3 cm], exponents: [0.5, 0.8]}");

const surface_type surface_superellipsoid = {.table = &table,
                                             .shape = SHAPE_SUPERELLIPSOID,
                                             .fault = fault_of,
                                             .set_size = set_size,
                                             .form = form,
                                             .thickness = thickness,
                                             .drawn = &shape_superellipsoid,
                                             .set_drawn = set_drawn,
                                             .reach = reach,
                                             .is_body = true};
