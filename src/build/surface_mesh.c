// Triangles of a file, or given one by one.
#include <math.h>

#include "build/surface.h"

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  bool has_file = d->file && d->file[0], has_points = d->points.count > 0 || d->triangles.count > 0;
  if (planar) return *what = "a mesh is a surface of spatial models; in the plane use polygon", "mesh";
  if (has_file && has_points)
    return *what = "a mesh has either a file, or points and triangles: remove one of them", "mesh";
  if (!has_file && !has_points) return *what = "a mesh needs a file, or points and triangles", "mesh";
  if (has_file) return NULL;
  if (d->scale != 1)
    return *what = "'scale' is the unit of a file; points have units of their own, such as [1 mm, 0, 0]", "scale";
  if (d->points.count < 3 || d->triangles.count < 3 || d->triangles.count % 3 != 0)
    return *what = "it needs at least three points, and three of their numbers for each triangle", "triangles";
  for (int i = 0; i < d->triangles.count; i++) {
    double k = d->triangles.items[i];
    if (k != floor(k) || k < 1 || k > d->points.count)
      return *what = "'triangles' must have numbers of points, from 1 on", "triangles";
  }
  return NULL;
}

static const option options[] = {
    SURFACE_OPTIONS("mesh"),
    {.key = "file",
     .type = OPTION_TEXT,
     .offset = SURFACE_OPTION(file),
     .help = "STL file (binary or ASCII) or OBJ file, relative to the file that names it."},
    {.key = "scale",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(scale),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .preset = "1 m",
     .help = "Length of one unit of the file."},
    {.key = "flip",
     .type = OPTION_FLAG,
     .offset = SURFACE_OPTION(flip),
     .preset = "false",
     .help = "Turn every triangle round, if they face inwards."},
    {.key = "points",
     .type = OPTION_POINTS,
     .offset = SURFACE_OPTION(points),
     .dim = DIM_LENGTH,
     .help = "Instead of a file: the corners of triangles."},
    {.key = "triangles",
     .type = OPTION_NUMBERS,
     .offset = SURFACE_OPTION(triangles),
     .dim = DIM_NONE,
     .flags = OPTION_TRIPLES,
     .help = "With `points`: three numbers of points for each triangle, from 1 on, counter-clockwise as seen from "
             "outside. Each three may be a list of their own."},
};
static const option_table table =
    SURFACE_TABLE("mesh",
                  "Triangles of a file, or given one by one, with the material behind them; closed or open. It touches "
                  "planes, convex shapes and other meshes, under moreau, and under compliant with `foundation`; points "
                  "and spheres need no `foundation`; planes with the corners of its hull.",
                  "rock: {mesh: ground, file: rock.stl, scale: 1 mm}");

const surface_type surface_mesh = {.table = &table,
                                   .shape = SHAPE_MESH,
                                   .fault = fault_of,
                                   .drawn = &shape_mesh,
                                   .by_triangles = true,
                                   .takes_file = true,
                                   .is_body = true};
