#include "geometry/convex.h"

#include <math.h>
#include <stddef.h>

#include "geometry/facet.h"
#include "geometry/tessellate.h"

static vec3 support_point(const convex *s, vec3 n) {
  (void)s, (void)n;
  return VEC3_ZERO;
}

static vec3 support_segment(const convex *s, vec3 n) { return (vec3){0, 0, copysign(s->size[0], n.z)}; }

static vec3 support_box(const convex *s, vec3 n) {
  return (vec3){copysign(s->size[0], n.x), copysign(s->size[1], n.y), copysign(s->size[2], n.z)};
}

// The point of a circle of that radius in the direction of (x, y).
static vec3 on_rim(double radius, double z, vec3 n) {
  double across = hypot(n.x, n.y);
  if (across == 0) return (vec3){radius, 0, z};
  return (vec3){radius * (n.x / across), radius * (n.y / across), z};
}

static vec3 support_cylinder(const convex *s, vec3 n) { return on_rim(s->size[0], copysign(s->size[1], n.z), n); }

static vec3 support_cone(const convex *s, vec3 n) {
  double radius = s->size[0], half = s->size[1];
  return 2 * half * n.z > radius * hypot(n.x, n.y) ? (vec3){0, 0, half} : on_rim(radius, -half, n);
}

static vec3 support_ellipsoid(const convex *s, vec3 n) {
  vec3 scaled = {s->size[0] * n.x, s->size[1] * n.y, s->size[2] * n.z};
  double length = vec3_norm(scaled);
  if (length == 0) return (vec3){s->size[0], 0, 0};
  return (vec3){s->size[0] * (scaled.x / length), s->size[1] * (scaled.y / length), s->size[2] * (scaled.z / length)};
}

// The norm of two numbers with exponent p, without overflow.
static double norm2(double x, double y, double p) {
  double most = fmax(fabs(x), fabs(y)), least = fmin(fabs(x), fabs(y));
  return most == 0 ? 0 : most * pow(1 + pow(least / most, p), 1 / p);
}

static double signed_power(double x, double p) { return x == 0 ? 0 : copysign(pow(fabs(x), p), x); }

// A superellipsoid is the unit ball of a norm of norms; its support function is the dual norm, and the support point is
// the gradient of that.
static vec3 support_superellipsoid(const convex *s, vec3 n) {
  double e1 = s->size[3], e2 = s->size[4], p1 = 2 / (2 - e1), p2 = 2 / (2 - e2);
  vec3 w = {s->size[0] * n.x, s->size[1] * n.y, s->size[2] * n.z};
  double across = norm2(w.x, w.y, p2), all = norm2(across, w.z, p1);
  if (all == 0) return (vec3){s->size[0], 0, 0};
  double ring = across > 0 ? pow(across / all, p1 - 1) : 0;
  return (vec3){across > 0 ? s->size[0] * ring * signed_power(w.x / across, p2 - 1) : 0,
                across > 0 ? s->size[1] * ring * signed_power(w.y / across, p2 - 1) : 0,
                s->size[2] * signed_power(w.z / all, p1 - 1)};
}

static vec3 support_hull(const convex *s, vec3 n) {
  int best = 0;
  double most = vec3_dot(s->points[0], n);
  for (int i = 1; i < s->point_count; i++) {
    double here = vec3_dot(s->points[i], n);
    if (here > most) most = here, best = i;
  }
  return s->points[best];
}

// --- radii of curvature ----------------------------------------------------------------------------------------------

// Of a circle about z.
static mat3 radii_of_rim(double radius, vec3 n) {
  double across = hypot(n.x, n.y);
  if (across == 0) return (mat3){{0}};
  double x = n.x / across, y = n.y / across, r = radius / across;
  return (mat3){{r * y * y, -r * x * y, 0, -r * x * y, r * x * x, 0, 0, 0, 0}};
}

static mat3 radii_of_cylinder(const convex *s, vec3 n, vec3 at) {
  (void)at;
  return radii_of_rim(s->size[0], n);
}

static mat3 radii_of_cone(const convex *s, vec3 n, vec3 at) {
  return at.z > 0 ? (mat3){{0}} : radii_of_rim(s->size[0], n);
}

static mat3 radii_of_ellipsoid(const convex *s, vec3 n, vec3 at) {
  double h = vec3_dot(at, n), x[3] = {at.x, at.y, at.z};
  mat3 r;
  for (int i = 0; i < 9; i++) r.m[i] = ((i % 4 == 0 ? s->size[i / 3] * s->size[i / 3] : 0) - x[i / 3] * x[i % 3]) / h;
  return r;
}

// The second derivatives of the norm of (u, v) with exponent p are k/u², k/v² and -k/(uv).
static double bend_of_norm(double u, double v, double p, double norm) {
  return (p - 1) * norm * pow(u / norm, p) * pow(v / norm, p);
}

// The support function is the norm of (ρ, |w.z|), and ρ that of (|w.x|, |w.y|), all with their own exponents.
static mat3 radii_of_superellipsoid(const convex *s, vec3 n, vec3 at) {
  (void)at;
  double p1 = 2 / (2 - s->size[3]), p2 = 2 / (2 - s->size[4]), least = 1e-9;
  double w[3] = {s->size[0] * n.x, s->size[1] * n.y, s->size[2] * n.z}, size = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
  for (int i = 0; i < 3; i++)
    w[i] = copysign(fmax(fabs(w[i]), least * size), w[i]);  // flat or sharp there: a large or small radius
  double across = norm2(w[0], w[1], p2), all = norm2(across, w[2], p1);
  double slope = pow(across / all, p1 - 1);
  double outer = bend_of_norm(across, fabs(w[2]), p1, all), inner = bend_of_norm(fabs(w[0]), fabs(w[1]), p2, across);
  double d[2] = {signed_power(w[0] / across, p2 - 1), signed_power(w[1] / across, p2 - 1)};  // of ρ by w
  double H[9];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      H[3 * i + j] = outer / (across * across) * d[i] * d[j] + slope * (i == j ? 1 : -1) * inner / (w[i] * w[j]);
  for (int i = 0; i < 2; i++) H[3 * i + 2] = H[6 + i] = -outer / (across * w[2]) * d[i];
  H[8] = outer / (w[2] * w[2]);
  mat3 r;
  for (int i = 0; i < 9; i++) r.m[i] = s->size[i / 3] * H[i] * s->size[i % 3];
  return r;
}

// --- sides -----------------------------------------------------------------------------------------------------------

// Of a surface of revolution about z whose normal leans by `up` out of the plane across z.
static vec3 round_normal(vec3 x, double up) {
  double across = hypot(x.x, x.y), flat = sqrt(1 - up * up);
  return across > 0 ? (vec3){flat * x.x / across, flat * x.y / across, up} : (vec3){flat, 0, up};
}

static int sides_of_capsule(const convex *s, vec3 x, convex_side *to) {
  double along = fmin(fmax(x.z, -s->size[0]), s->size[0]);
  vec3 off = {x.x, x.y, x.z - along};
  double distance = vec3_norm(off);
  *to = (convex_side){distance > 0 ? vec3_scale(1 / distance, off) : (vec3){1, 0, 0}, s->layer - distance, true};
  return 1;
}

static int sides_of_cylinder(const convex *s, vec3 x, convex_side *to) {
  to[0] = (convex_side){round_normal(x, 0), s->size[0] - hypot(x.x, x.y), true};
  for (int k = 0; k < 2; k++) to[1 + k] = (convex_side){{0, 0, k ? 1 : -1}, s->size[1] + (k ? -x.z : x.z), false};
  return 3;
}

static int sides_of_cone(const convex *s, vec3 x, convex_side *to) {
  double radius = s->size[0], half = s->size[1], slant = hypot(radius, 2 * half);
  double below = (radius * (half - x.z) / (2 * half) - hypot(x.x, x.y)) * 2 * half / slant;
  to[0] = (convex_side){round_normal(x, radius / slant), below, true};
  to[1] = (convex_side){{0, 0, -1}, s->size[1] + x.z, false};
  return 2;
}

static const convex_type sphere = {.support = support_point};
static const convex_type capsule = {.has_edges = true,
                                    .support = support_segment,
                                    .facet = facet_of_segment,
                                    .tessellate = tessellate_capsule,
                                    .sides = sides_of_capsule};
static const convex_type box = {.has_edges = true, .support = support_box};
static const convex_type cylinder = {.has_edges = true,
                                     .support = support_cylinder,
                                     .radii = radii_of_cylinder,
                                     .facet = facet_of_cylinder,
                                     .tessellate = tessellate_cylinder,
                                     .sides = sides_of_cylinder};
static const convex_type cone = {.has_edges = true,
                                 .support = support_cone,
                                 .radii = radii_of_cone,
                                 .facet = facet_of_cone,
                                 .tessellate = tessellate_cone,
                                 .sides = sides_of_cone};
static const convex_type ellipsoid = {
    .support = support_ellipsoid, .radii = radii_of_ellipsoid, .tessellate = tessellate_ellipsoid};
static const convex_type superellipsoid = {
    .support = support_superellipsoid, .radii = radii_of_superellipsoid, .tessellate = tessellate_superellipsoid};
static const convex_type hull = {.of_points = true, .has_edges = true, .support = support_hull};

convex convex_sphere(double radius) { return (convex){.type = &sphere, .layer = radius}; }

convex convex_capsule(double radius, double length) {
  return (convex){.type = &capsule, .size = {length / 2}, .layer = radius};
}

convex convex_box(double x, double y, double z) { return (convex){.type = &box, .size = {x / 2, y / 2, z / 2}}; }

convex convex_cylinder(double radius, double length) {
  return (convex){.type = &cylinder, .size = {radius, length / 2}};
}

convex convex_cone(double radius, double height) { return (convex){.type = &cone, .size = {radius, height / 2}}; }

// A ball rolls inside a convex surface if its radius is no larger than any radius of curvature there (Blaschke).
convex convex_ellipsoid(double a, double b, double c) {
  double least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c));
  return (convex){.type = &ellipsoid, .size = {a, b, c}, .rolls = least * least / most};
}

// The other eigenvalues of a symmetric matrix that has one zero.
static double smaller_radius(const mat3 *r) {
  const double *m = r->m;
  double sum = m[0] + m[4] + m[8],
         product = m[0] * m[4] - m[1] * m[3] + m[0] * m[8] - m[2] * m[6] + m[4] * m[8] - m[5] * m[7];
  return 2 * product / (sum + sqrt(fmax(0, sum * sum - 4 * product)));
}

// With an exponent above 1 it has edges. Else its radii change slowly with the normal but for the flat places, where
// they are large: the least of a grid of normals is a little more than the least of all.
static double rolls_in_superellipsoid(const convex *s) {
  enum { GRID = 12 };
  double least = INFINITY;
  if (s->size[3] > 1 || s->size[4] > 1) return 0;
  for (int i = 0; i < GRID; i++)
    for (int j = 0; j < GRID; j++) {
      double up = (i + 0.5) / GRID, around = 1.5707963267948966 * (j + 0.5) / GRID, across = sqrt(1 - up * up);
      vec3 n = {across * cos(around), across * sin(around), up};
      mat3 radii = convex_radii(s, n, convex_support(s, n));
      least = fmin(least, smaller_radius(&radii));
    }
  return 0.7 * least;
}

convex convex_superellipsoid(double a, double b, double c, double e1, double e2) {
  convex s = {.type = &superellipsoid, .size = {a, b, c, e1, e2}};
  s.rolls = rolls_in_superellipsoid(&s);
  return s;
}

convex convex_hull(const vec3 *points, int count) {
  return (convex){.type = &hull, .points = points, .point_count = count};
}

double convex_reach(const convex *s, int axes) {
  double sum = 0;
  for (int k = 0; k < axes; k++) {
    vec3 n = mat3_column(MAT3_IDENTITY, k);
    double half = fmax(vec3_dot(n, convex_support(s, n)), -vec3_dot(n, convex_support(s, vec3_neg(n))));
    sum += half * half;
  }
  return sqrt(sum) + s->layer;
}
