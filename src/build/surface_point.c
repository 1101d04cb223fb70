#include "build/surface.h"

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  (void)d, (void)at;
  outline_circle(0, memory, to);
  return OUTLINE_OK;
}

static const option options[] = {SURFACE_OPTIONS("point")};
static const option_table table = SURFACE_TABLE("point", "A point.", "tip: {point: rod, at: [0.5, 0]}");

static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  (void)d, (void)planar, (void)memory;
  return convex_sphere(0);
}

const surface_type surface_point = {
    .table = &table, .shape = SHAPE_POINT, .outline = make_outline, .form = form, .is_point = true};
