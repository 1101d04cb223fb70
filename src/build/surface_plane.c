#include "build/surface.h"

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  (void)d, (void)at;
  outline_half_plane(memory, to);
  return OUTLINE_OK;
}

static const option options[] = {SURFACE_OPTIONS("plane")};
static const option_table table = SURFACE_TABLE(
    "plane", "A half space below the xy plane, in a planar model below the x axis.", "floor: {plane: ground}");

const surface_type surface_plane = {.table = &table, .shape = SHAPE_PLANE, .outline = make_outline, .is_body = true};
