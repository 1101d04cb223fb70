// The outline of a surface in a planar model, from its points or from x(s) and y(s).
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "build/surface.h"

enum { SAMPLES = 256 };  // of a curve given by functions: its spline is off by about 1e-8 of its size

typedef struct place_scope {
  builder *b;
  const parameters *names;  // may be null
} place_scope;

// The variable s, and parameters.
static bool resolve_place(void *context, const char *name, symbol *found, const char **hint) {
  const parameters *names = ((place_scope *)context)->names;
  if (strcmp(name, "s") == 0) {
    *found = (symbol){.slot = 0, .dim = DIM_NONE};
    return true;
  }
  if (names && parameters_resolve(names, name, found, hint)) return true;
  if (!*hint) *hint = "the coordinates of a curve are functions of s, which goes from 0 to 1 around it";
  return false;
}

static const named_curve *find_table(void *context, const char *name) {
  return builder_table(((place_scope *)context)->b, name);
}

// The function at all places and, at last, at s = 1, as component `axis` of the points.
static bool sample_function(builder *b, place key, const carom_function *f, int axis, double (*points)[3]) {
  const function_origin *origin = f->origin;
  const expr *e = NULL;
  if (f->text) {
    dimension dim;
    place at = origin ? origin->at : (place){0};
    place_scope names = {b, origin ? origin->names : NULL};
    e = expr_compile(b->memory, f->text, at, (scope){resolve_place, &names, find_table}, &dim, b->error);
    if (!e) return false;
    char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
    if (origin && !dimension_equal(dim, origin->dim))
      return source_error(b->error, CAROM_ERROR_MODEL, key, dimension_advice(origin->dim, dim, f->text, false, advice),
                          "'%s' must be %s", axis ? "y" : "x", dimension_complaint(origin->dim, dim, complaint));
  }
  for (int i = 0; i <= SAMPLES; i++) {
    double s = (double)i / SAMPLES, value[3] = {f->constant};
    if (f->call) f->call(f->context, s, value);
    else if (e) value[0] = expr_value(e, &s);
    if (!isfinite(value[0]))
      return source_error(b->error, CAROM_ERROR_MODEL, key, NULL, "'%s' is not finite at s = %g", axis ? "y" : "x", s);
    points[i][axis] = value[0];
  }
  return true;
}

static bool is_given(const carom_function *f) { return f->text || f->call; }

// Fills in the points of a curve that is given by functions.
static bool sample_curve(builder *b, const part *p, const surface_type *type, carom_surface_def *d) {
  if (!is_given(&d->x) && !is_given(&d->y)) return true;
  double(*points)[3] = arena_alloc(b->memory, SAMPLES + 1, sizeof *points), size = 0;
  if (!sample_function(b, builder_place(p, type->table, "x"), &d->x, 0, points) ||
      !sample_function(b, builder_place(p, type->table, "y"), &d->y, 1, points))
    return false;
  for (int i = 0; i < SAMPLES; i++) size = fmax(size, hypot(points[i][0] - points[0][0], points[i][1] - points[0][1]));
  double open = hypot(points[SAMPLES][0] - points[0][0], points[SAMPLES][1] - points[0][1]);
  if (open > 1e-6 * size)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, "x"), NULL,
                        "'%s': the curve is not closed: its ends at s = 0 and s = 1 are %.4g m apart", p->name, open);
  d->points = (carom_points){(const double(*)[3])points, SAMPLES};
  return true;
}

bool builder_outline(builder *b, const part *p, const surface_type *type, const outline **to) {
  *to = NULL;
  if (!type->outline) return true;
  carom_surface_def d = *(const carom_surface_def *)p->content;
  if (!sample_curve(b, p, type, &d)) return false;
  outline *o = ARENA_NEW(b->memory, outline);
  int at = 0;
  outline_status status = type->outline(&d, b->memory, o, &at);
  *to = o;
  if (status == OUTLINE_OK) return true;
  static const char *const what[] = {
      [OUTLINE_FEW] = "its points enclose no area; give at least three that are not on one line",
      [OUTLINE_REPEATED] = "two points that follow each other are the same; leave one out",
      [OUTLINE_TANGLED] = "it crosses itself",
      [OUTLINE_MANY] = "it has more than 2000 points; a curve needs far fewer",
      [OUTLINE_ARC] = "the radius of an arc must be at least half the distance of its ends"};
  bool numbered = status == OUTLINE_REPEATED || status == OUTLINE_ARC;
  const char *which =
      numbered ? arena_print(b->memory, "points %d and %d: ", at + 1, (at + 1) % d.points.count + 1) : "";
  return source_error(b->error, CAROM_ERROR_MODEL,
                      builder_place(p, type->table, status == OUTLINE_ARC ? "radii" : "points"), NULL, "'%s': %s%s",
                      p->name, which, what[status]);
}
