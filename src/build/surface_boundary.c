#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  (void)d;
  if (planar) return NULL;
  *what = "boundaries are surfaces of planar models; add 'space: planar'";
  return "boundary";
}

static const option options[] = {
    {.key = "boundary",
     .type = OPTION_TEXT,
     .offset = SURFACE_OPTION(on),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The flexible body, with `solid_2d` or `beam`."},
    {.key = "side",
     .type = OPTION_TEXT,
     .offset = SURFACE_OPTION(side),
     .help = "A side of its shape, one of its `stretches` or a physical group of its mesh file; of a beam `top` (the "
             "side of positive y) or `bottom`; without it the whole boundary."},
    {.key = "thickness",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(thickness),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .help = "Distance of the sides of a beam; without it that of a rectangular section, sqrt(12 I/A)."},
    {.key = "material", .type = OPTION_TEXT, .offset = SURFACE_OPTION(material), .help = "Contact material."},
    {.key = "group",
     .type = OPTION_TEXT,
     .offset = SURFACE_OPTION(group),
     .help = "Name of a group of surfaces, for `contacts`."},
};
static const option_table table =
    SURFACE_TABLE("boundary",
                  "The boundary of a flexible planar solid or beam, which deforms with it: straight lines through the "
                  "nodes of its mesh, or through the ends of its elements. At most 64 places of a pair touch at once.",
                  "skin: {boundary: disc, side: rim}");

const surface_type surface_boundary = {
    .table = &table, .shape = SHAPE_BOUNDARY, .fault = fault_of, .by_boundary = true, .is_body = true};
