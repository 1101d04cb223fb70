#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  int rows = d->columns > 0 ? d->heights.count / d->columns : 0;
  if (planar) return *what = "a height field is a surface of spatial models", "heights";
  if (d->columns < 2 || rows < 2 || rows * d->columns != d->heights.count)
    return *what = "it needs as many heights as 'columns' times the number of rows, at least two of each", "heights";
  if (d->spacing.count < 1 || d->spacing.count > 2 ||
      !(d->spacing.items[0] > 0 && d->spacing.items[d->spacing.count - 1] > 0))
    return *what = "'spacing' must be one or two positive numbers", "spacing";
  return NULL;
}

static void make_terrain(const carom_surface_def *d, arena *memory, terrain *to) {
  double *heights = ARENA_ARRAY(memory, double, d->heights.count);
  for (int i = 0; i < d->heights.count; i++) heights[i] = d->heights.items[i];
  *to = terrain_of_heights(heights, d->columns, d->heights.count / d->columns, 0, 0, d->spacing.items[0],
                           d->spacing.items[d->spacing.count - 1]);
}

static const option options[] = {
    SURFACE_OPTIONS("height_field"),
    {.key = "heights",
     .type = OPTION_NUMBERS,
     .offset = SURFACE_OPTION(heights),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Heights along z over a grid in x and y, row after row along x. The first is at its origin."},
    {.key = "columns",
     .type = OPTION_INTEGER,
     .offset = SURFACE_OPTION(columns),
     .flags = OPTION_REQUIRED | OPTION_POSITIVE,
     .help = "Number of heights in a row."},
    {.key = "spacing",
     .type = OPTION_NUMBERS,
     .offset = SURFACE_OPTION(spacing),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "Distance of the heights along x and y: one number or two."},
};
static const option_table table =
    SURFACE_TABLE("height_field",
                  "Heights over a grid, with the material below: each cell is two triangles. It touches convex shapes "
                  "under moreau, and under compliant with `foundation`; points and spheres need no `foundation`.",
                  "hills: {height_field: ground, columns: 3, spacing: 1 m, heights: [0, 0, 0, 0, 0.2, 0, 0, 0, 0]}");

const surface_type surface_height_field = {.table = &table,
                                           .shape = SHAPE_TERRAIN,
                                           .fault = fault_of,
                                           .terrain = make_terrain,
                                           .drawn = &shape_mesh,
                                           .is_body = true};
