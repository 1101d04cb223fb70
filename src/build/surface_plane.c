#include "build/surface.h"

static const option options[] = {SURFACE_OPTIONS("plane")};
static const option_table table =
    SURFACE_TABLE("plane", "A half space below the xy plane, in a planar model below the x axis.", "floor: {plane: ground}");

const surface_type surface_plane = {.table = &table, .shape = SHAPE_PLANE, .is_body = true};
