#include "geometry/moments.h"

#include <math.h>

static moments centred(double volume, double xx, double yy, double zz) {
  return (moments){.volume = volume, .spread = {{xx, 0, 0, 0, yy, 0, 0, 0, zz}}};
}

// --- solids ----------------------------------------------------------------------------------------------------------

moments moments_box(vec3 e) {
  double v = e.x * e.y * e.z;
  return centred(v, v * e.x * e.x / 12, v * e.y * e.y / 12, v * e.z * e.z / 12);
}

moments moments_cylinder(double r, double l) {
  double v = M_PI * r * r * l;
  return centred(v, v * r * r / 4, v * r * r / 4, v * l * l / 12);
}

// A cylinder and two half balls: their volume 2π/3 r³ has its centre 3r/8 from the flat side, and ∫ζ² = 2π/15 r⁵ from
// there.
moments moments_capsule(double r, double l) {
  double half = 2 * M_PI / 3 * r * r * r, square = 2 * M_PI / 15 * pow(r, 5);
  moments m = moments_cylinder(r, l);
  double xx = m.spread.m[0] + 2 * square, zz = m.spread.m[8] + 2 * (half * l * l / 4 + half * 3 * r / 8 * l + square);
  return centred(m.volume + 2 * half, xx, xx, zz);
}

moments moments_cone(double r, double h) {
  double v = M_PI * r * r * h / 3;
  moments m = centred(v, 3 * v * r * r / 20, 3 * v * r * r / 20, 3 * v * h * h / 80);
  m.centre.z = -h / 4;
  return m;
}

moments moments_ellipsoid(vec3 a) {
  double v = 4 * M_PI / 3 * a.x * a.y * a.z;
  return centred(v, v * a.x * a.x / 5, v * a.y * a.y / 5, v * a.z * a.z / 5);
}

static double beta(double p, double q) { return tgamma(p) * tgamma(q) / tgamma(p + q); }

// Jaklič, Solina, Moments of superellipsoids and their application to range image registration, 2003.
moments moments_superellipsoid(vec3 a, double e1, double e2) {
  double box = a.x * a.y * a.z * e1 * e2;
  double across = box / 2 * beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2 * e1 + 1);
  double along = 2 * box * beta(0.5 * e2, 0.5 * e2 + 1) * beta(1.5 * e1, e1 + 1);
  return centred(2 * box * beta(0.5 * e1 + 1, e1) * beta(0.5 * e2, 0.5 * e2), across * a.x * a.x, across * a.y * a.y,
                 along * a.z * a.z);
}

// --- plates ----------------------------------------------------------------------------------------------------------

// A rectangle and two half discs: their area πr²/2 has its centre 4r/(3π) from the straight side, and ∫ξ² = πr⁴/8 from
// there.
moments moments_stadium(double r, double l, double t) {
  double half = M_PI * r * r / 2, square = M_PI * pow(r, 4) / 8, area = 2 * r * l + 2 * half;
  double xx = r * pow(l, 3) / 6 + 2 * (half * l * l / 4 + half * 4 * r / (3 * M_PI) * l + square),
         yy = 2 * l * pow(r, 3) / 3 + 2 * square;
  return centred(t * area, t * xx, t * yy, area * pow(t, 3) / 12);
}

// Of the triangles between the first corner and the edges.
moments moments_polygon(const double (*corners)[3], int count, double t) {
  double area = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (int i = 2; i < count; i++) {
    double a[2] = {corners[i - 1][0] - corners[0][0], corners[i - 1][1] - corners[0][1]};
    double b[2] = {corners[i][0] - corners[0][0], corners[i][1] - corners[0][1]};
    double part = (a[0] * b[1] - a[1] * b[0]) / 2;
    area += part;
    x += part / 3 * (a[0] + b[0]), y += part / 3 * (a[1] + b[1]);
    xx += part / 6 * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]),
        yy += part / 6 * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]);
    xy += part / 12 * (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]);
  }
  if (area == 0) return (moments){0};
  x /= area, y /= area;
  double side = area < 0 ? -t : t;
  xx = side * (xx - area * x * x), yy = side * (yy - area * y * y), xy = side * (xy - area * x * y);
  return (moments){.volume = side * area,
                   .centre = {corners[0][0] + x, corners[0][1] + y, 0},
                   .spread = {{xx, xy, 0, xy, yy, 0, 0, 0, side * area * t * t / 12}}};
}

// --- triangles -------------------------------------------------------------------------------------------------------

// ∫xxᵀ dV of a tetrahedron from the origin to corners v is V/20 (Σ vvᵀ + (Σv)(Σv)ᵀ).
void moments_sum_add(moments_sum *s, vec3 a, vec3 b, vec3 c) {
  vec3 v[3] = {vec3_sub(a, s->base), vec3_sub(b, s->base), vec3_sub(c, s->base)},
       all = vec3_add(vec3_add(v[0], v[1]), v[2]);
  double volume = vec3_dot(v[0], vec3_cross(v[1], v[2])) / 6, sum[3] = {all.x, all.y, all.z};
  s->volume += volume;
  s->first = vec3_axpy(s->first, volume / 4, all);
  for (int k = 0; k < 9; k++) {
    double squares = sum[k / 3] * sum[k % 3];
    for (int j = 0; j < 3; j++) {
      double x[3] = {v[j].x, v[j].y, v[j].z};
      squares += x[k / 3] * x[k % 3];
    }
    s->second.m[k] += volume / 20 * squares;
  }
}

moments moments_sum_of(const moments_sum *s) {
  moments m = {.volume = s->volume};
  if (s->volume == 0) return m;
  vec3 off = vec3_scale(1 / s->volume, s->first);
  double c[3] = {off.x, off.y, off.z};
  for (int k = 0; k < 9; k++) m.spread.m[k] = s->second.m[k] - s->volume * c[k / 3] * c[k % 3];
  m.centre = vec3_add(s->base, off);
  return m;
}

moments moments_mesh(const mesh *m) {
  moments_sum s = {.base = vec3_scale(0.5, vec3_add(m->low, m->high))};
  for (int i = 0; i < m->triangle_count; i++)
    moments_sum_add(&s, m->vertices[m->triangles[i][0]], m->vertices[m->triangles[i][1]],
                    m->vertices[m->triangles[i][2]]);
  return moments_sum_of(&s);
}

// --- several ---------------------------------------------------------------------------------------------------------

moments moments_moved(moments m, pose at) {
  m.centre = pose_point(at, m.centre);
  m.spread = mat3_product(mat3_product(at.R, m.spread), mat3_transpose(at.R));
  return m;
}

moments moments_scaled(moments m, double factor) {
  m.volume *= factor;
  for (int k = 0; k < 9; k++) m.spread.m[k] *= factor;
  return m;
}

// With the parallel axis theorem for the two centres.
moments moments_joined(moments a, moments b) {
  if (a.volume == 0) return b;
  if (b.volume == 0) return a;
  double volume = a.volume + b.volume;
  vec3 apart = vec3_sub(b.centre, a.centre);
  double d[3] = {apart.x, apart.y, apart.z};
  moments m = {.volume = volume, .centre = vec3_axpy(a.centre, b.volume / volume, apart)};
  for (int k = 0; k < 9; k++)
    m.spread.m[k] = a.spread.m[k] + b.spread.m[k] + a.volume * b.volume / volume * d[k / 3] * d[k % 3];
  return m;
}

void moments_inertia(moments m, double inertia[6]) {
  const double *s = m.spread.m;
  inertia[0] = s[4] + s[8], inertia[1] = s[0] + s[8], inertia[2] = s[0] + s[4];
  inertia[3] = 0 - s[1], inertia[4] = 0 - s[2], inertia[5] = 0 - s[5];  // no -0
}

// Van Oosterom and Strackee.
double moments_share_of_view(const vec3 c[3]) {
  double r[3];
  for (int i = 0; i < 3; i++) r[i] = vec3_norm(c[i]);
  double below =
      r[0] * r[1] * r[2] + vec3_dot(c[0], c[1]) * r[2] + vec3_dot(c[1], c[2]) * r[0] + vec3_dot(c[2], c[0]) * r[1];
  return atan2(vec3_dot(c[0], vec3_cross(c[1], c[2])), below) / (2 * M_PI);
}
