#include <math.h>
#include <string.h>

#include "build/surface.h"
#include "geometry/polytope.h"

// How wide the points are across the normal n, between two parallel planes.
static double width_along(const carom_surface_def *d, vec3 n) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < d->points.count; i++) {
    double along = vec3_dot(n, vec3_of(d->points.items[i]));
    low = fmin(low, along), high = fmax(high, along);
  }
  return high - low;
}

// The least width over the planes through three points, or over the lines through two in the plane.
static double thickness(const carom_surface_def *d, bool planar) {
  int count = d->points.count;
  double least = INFINITY;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      vec3 p = vec3_of(d->points.items[i]), e = vec3_sub(vec3_of(d->points.items[j]), p);
      for (int k = 0; k < (planar ? 1 : j); k++) {
        vec3 n = vec3_cross(e, planar ? (vec3){0, 0, 1} : vec3_sub(vec3_of(d->points.items[k]), p));
        double length = vec3_norm(n);
        if (length > 0) least = fmin(least, width_along(d, vec3_scale(1 / length, n)));
      }
    }
  return least;
}

static const char *fault_of(const carom_surface_def *d, bool planar, const char **what) {
  int count = d->points.count;
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, vec3_norm(vec3_of(d->points.items[i])));
  if (d->file && count) return *what = "a hull has either a file or points: remove one of them", "hull";
  if (d->file)
    return *what = planar ? "in a planar model a hull has points, and no file"
                          : "'file' must be the name of an STL or OBJ file",
           "file";
  if (d->scale != 1)
    return *what = "'scale' is the unit of a file; points have units of their own, such as [1 mm, 0, 0]", "scale";
  if (count < (planar ? 3 : 4))
    *what = planar ? "a hull in the plane needs at least three points" : "a hull needs at least four points, or a file";
  else if (count > CONTACT_POINTS_MAX) *what = "a hull has at most 64 points";
  else if (!(thickness(d, planar) > 1e-9 * most))
    *what = planar ? "its points lie on a line" : "its points lie in a plane";
  else return NULL;
  return "points";
}

// Only the corners count.
static convex form(const carom_surface_def *d, bool planar, arena *memory) {
  int count = d->points.count;
  vec3 *points = ARENA_ARRAY(memory, vec3, count);
  for (int i = 0; i < count; i++) points[i] = vec3_of(d->points.items[i]);
  polytope p;
  if (!planar && polytope_build(points, count, memory, &p) == POLYTOPE_OK)
    return convex_hull(p.vertices, p.vertex_count);
  return convex_hull(points, count);
}

static const vec2 *flat_points(const carom_surface_def *d, arena *memory) {
  vec2 *p = ARENA_ARRAY(memory, vec2, d->points.count);
  for (int i = 0; i < d->points.count; i++) p[i] = (vec2){d->points.items[i][0], d->points.items[i][1]};
  return p;
}

static outline_status make_outline(const carom_surface_def *d, arena *memory, outline *to, int *at) {
  (void)at;
  return outline_hull(flat_points(d, memory), d->points.count, memory, to);
}

static const vec3 *corners(const carom_surface_def *d, arena *memory, int *count) {
  convex s = form(d, false, memory);
  *count = s.point_count;
  return s.points;
}

static double reach(const carom_shape_def *d) {
  double most = 0;
  for (int i = 0; i < d->points.count; i++) most = fmax(most, vec3_norm(vec3_of(d->points.items[i])));
  return most;
}

// In the plane the corners in turn.
static void set_drawn(const carom_surface_def *d, bool planar, arena *memory, carom_shape_def *to) {
  int count = d->points.count;
  double(*points)[3] = arena_alloc(memory, (size_t)count, sizeof *points);
  memcpy(points, d->points.items, (size_t)count * sizeof *points);
  if (planar) {
    vec2 *corners;
    count = outline_hull_corners(flat_points(d, memory), count, memory, &corners);
    for (int i = 0; i < count; i++) points[i][0] = corners[i].x, points[i][1] = corners[i].y, points[i][2] = 0;
  }
  to->points = (carom_points){(const double(*)[3])points, count};
}

static const option options[] = {
    SURFACE_OPTIONS("hull"),
    {.key = "points",
     .type = OPTION_POINTS,
     .offset = SURFACE_OPTION(points),
     .dim = DIM_LENGTH,
     .help = "At least four points, in a planar model three; those inside count for nothing."},
    {.key = "file",
     .type = OPTION_TEXT,
     .offset = SURFACE_OPTION(file),
     .help = "Instead of points: an STL or OBJ file, relative to the file that names it. Of a hull with more than 64 "
             "corners the 64 that leave out least count."},
    {.key = "scale",
     .type = OPTION_NUMBER,
     .offset = SURFACE_OPTION(scale),
     .dim = DIM_LENGTH,
     .flags = OPTION_POSITIVE,
     .preset = "1 m",
     .help = "Length of one unit of the file."},
};
static const option_table table = SURFACE_TABLE(
    "hull",
    "The convex hull of points, given or from a file. It touches planes with its corners, under moreau and event.",
    "wedge: {hull: wedge, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}");

const surface_type surface_hull = {.table = &table,
                                   .shape = SHAPE_HULL,
                                   .fault = fault_of,
                                   .outline = make_outline,
                                   .form = form,
                                   .corners = corners,
                                   .thickness = thickness,
                                   .drawn = &shape_hull,
                                   .set_drawn = set_drawn,
                                   .reach = reach,
                                   .takes_file = true,
                                   .is_body = true};
