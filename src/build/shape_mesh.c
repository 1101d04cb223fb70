// Triangles from a file.
#include "build/builder.h"
#include "build/shape.h"

static const char *fault_of(const carom_shape_def *d, bool planar) {
  if (planar) return "there is no mesh in a planar model; use 'polygon'";
  return d->file && d->file[0] ? NULL : "a mesh needs the name of a file";
}

static bool is_complete(const carom_shape_def *d) { return !fault_of(d, false) && d->scale > 0; }

static bool prepare(struct builder *b, place at, carom_shape_def *d, shape_data *data) {
  return builder_mesh(b, at, d->file, d->scale, d->flip, &d->points, data);
}

static const char *moments_of(const carom_shape_def *d, const shape_data *data, bool planar, double thickness,
                              arena *scratch, moments *to) {
  (void)d, (void)planar, (void)thickness, (void)scratch;
  *to = data->solid;
  return data->not_solid;
}

static void draw_data(const sketch *s, const shape_data *data, pose at, bool from_model) {
  sketch_mesh(s, "mesh", at, data->mesh, from_model);
}

static bool is_same_size(const carom_shape_def *a, const carom_shape_def *b, double within) {
  return shape_same_points(a, b, within);
}

static const option options[] = {
    {.key = "mesh",
     .type = OPTION_TEXT,
     .offset = SHAPE_OPTION(file),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "STL file (binary or ASCII) or OBJ file, relative to the file that names it; `file` is the same key."},
    {.key = "file",
     .type = OPTION_TEXT,
     .offset = SHAPE_OPTION(file),
     .flags = OPTION_ALIAS,
     .help = "Another word for `mesh`."},
    SHAPE_SCALE,
    {.key = "flip",
     .type = OPTION_FLAG,
     .offset = SHAPE_OPTION(flip),
     .preset = "false",
     .help = "Turn every triangle round, if they face inwards in the file."},
    {.key = "at",
     .type = OPTION_POINT,
     .offset = SHAPE_OPTION(at),
     .dim = DIM_LENGTH,
     .help = "Where the origin of the file is, in body axes."},
    SHAPE_ROTATE,
    SHAPE_MASS,
};
static const option_table table = SHAPE_TABLE("mesh", "Triangles of a file. For a mass they must enclose a volume.",
                                              "shape: {mesh: {file: part.stl, scale: 1 mm}}");

const shape_type shape_mesh = {.table = &table,
                               .surface = "mesh",
                               .fault = fault_of,
                               .is_complete = is_complete,
                               .prepare = prepare,
                               .rotation = shape_rotation,
                               .half = shape_points_half,
                               .middle = shape_points_middle,
                               .is_same_size = is_same_size,
                               .moments = moments_of,
                               .draw_data = draw_data};
