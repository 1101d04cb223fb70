// Polygons, smooth curves and chains of arcs, in planar models.
#include "build/surface.h"

// The points of a definition in the plane.
static vec2 *points_of(const carom_surface_def *d, arena *memory) {
  vec2 *p = ARENA_ARRAY(memory, vec2, d->points.count + 1);
  for (int i = 0; i < d->points.count; i++) p[i] = (vec2){d->points.items[i][0], d->points.items[i][1]};
  return p;
}

static outline_status make_polygon(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  return outline_polygon(points_of(d, memory), d->points.count, memory, to, at);
}

static outline_status make_curve(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  return outline_spline(points_of(d, memory), d->points.count, memory, to, at);
}

static outline_status make_arcs(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  return outline_arcs(points_of(d, memory), d->radii.items, d->points.count, memory, to, at);
}

static bool is_function(const carom_function *f) { return f->text || f->call; }

static const char *fault_of_curve(const carom_surface_def *d, bool planar, const char **what) {
  bool functions = is_function(&d->x) && is_function(&d->y), none = !is_function(&d->x) && !is_function(&d->y);
  if (d->points.count ? none : functions) return surface_outline_fault(d, planar, what);
  *what = "it needs either 'points', or both 'x' and 'y' as functions of s";
  return d->points.count ? "points" : "curve";
}

static const char *fault_of_arcs(const carom_surface_def *d, bool planar, const char **what) {
  if (d->radii.count == d->points.count) return surface_outline_fault(d, planar, what);
  *what = "it needs one radius per point, that of the arc from the point to the next: 0 for a straight line";
  return "radii";
}

#define POINTS(text)                                                                             \
  {                                                                                              \
    .key = "points", .type = OPTION_POINTS, .offset = SURFACE_OPTION(points), .dim = DIM_LENGTH, \
    .flags = OPTION_REQUIRED, .help = text                                                       \
  }
#define MEMBER(of, function, wrong)                                                                     \
  {                                                                                                     \
    .table = &of, .shape = SHAPE_OUTLINE, .fault = wrong, .outline = function, .drawn = &shape_polygon, \
    .reach = surface_outline_reach, .by_outline = true, .is_body = true                                 \
  }

static const option polygon_options[] = {SURFACE_OPTIONS("polygon"),
                                         POINTS("Corners in turn, in either sense; it may be concave.")};
static const option curve_options[] = {
    SURFACE_OPTIONS("curve"),
    {.key = "points",
     .type = OPTION_POINTS,
     .offset = SURFACE_OPTION(points),
     .dim = DIM_LENGTH,
     .help = "Points on it in turn, at least three; a spline goes through them."},
    {.key = "x",
     .type = OPTION_FUNCTION,
     .offset = SURFACE_OPTION(x),
     .dim = DIM_LENGTH,
     .help = "Instead of points: its coordinates over `s`, which goes from 0 to 1 around it."},
    {.key = "y", .type = OPTION_FUNCTION, .offset = SURFACE_OPTION(y), .dim = DIM_LENGTH, .help = "As `x`."},
};
static const option arcs_options[] = {
    SURFACE_OPTIONS("arcs"),
    POINTS("Where one arc ends and the next begins, in turn, in either sense."),
    {.key = "radii",
     .type = OPTION_NUMBERS,
     .offset = SURFACE_OPTION(radii),
     .dim = DIM_LENGTH,
     .flags = OPTION_REQUIRED,
     .help = "One per point: the radius of the arc from it to the next, of at most half a turn. Positive: it bulges "
             "out of the "
             "material, negative: it is hollow, 0: a straight line."},
};
#define TABLE(word, text, sample, list)                                                                   \
  {                                                                                                       \
    .name = word, .summary = text, .example = sample, .size = sizeof(carom_surface_def), .options = list, \
    .count = sizeof list / sizeof *list                                                                   \
  }
static const option_table polygon_table =
    TABLE("polygon", "A polygon, in a planar model. It may be concave.",
          "stone: {polygon: stone, points: [[0, 0], [20 cm, 0], [0, 10 cm]]}", polygon_options);
static const option_table curve_table =
    TABLE("curve",
          "A closed smooth curve through points, or along x(s) and y(s), in a planar model: a cubic spline with "
          "continuous curvature. It may be "
          "concave.",
          "cam: {curve: cam, points: [[4 cm, 0], [0, 3 cm], [-2 cm, 0], [0, -3 cm]]}", curve_options);
static const option_table arcs_table =
    TABLE("arcs", "A closed chain of circular arcs and straight lines, in a planar model: cams, slots, teeth.",
          "pawl: {arcs: pawl, points: [[0, -1 cm], [8 cm, -1 cm], [8 cm, 1 cm], [0, 1 cm]], radii: [0, 1 cm, 0, 1 cm]}",
          arcs_options);

const surface_type surface_polygon = MEMBER(polygon_table, make_polygon, surface_outline_fault);
const surface_type surface_curve = MEMBER(curve_table, make_curve, fault_of_curve);
const surface_type surface_arcs = MEMBER(arcs_table, make_arcs, fault_of_arcs);
