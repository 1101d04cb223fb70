#include "flex/planar_solid.h"

// Radon's seven points: exact up to degree five, the mass of a straight triangle being of degree four.
enum { POINTS = 7 };
#define A 0.470142064105115090
#define B 0.101286507323456339
static const double at_r[POINTS] = {1. / 3, A, 1 - 2 * A, A, B, 1 - 2 * B, B};
static const double at_s[POINTS] = {1. / 3, A, A, 1 - 2 * A, B, B, 1 - 2 * B};
#undef A
#undef B
static const double weight[POINTS] = {0.225,
                                      0.132394152788506181,
                                      0.132394152788506181,
                                      0.132394152788506181,
                                      0.125939180544827152,
                                      0.125939180544827152,
                                      0.125939180544827152};

// One triangle at one pair of area coordinates.
typedef struct spot {
  vec2 at;
  double jacobian;  // area over that of the unit triangle
  double shape[6], along_x[6], along_y[6];
  vec2 along_r, along_s;
} spot;

static spot spot_of(const triangle_mesh *m, const int *triangle, double r, double s) {
  spot p = {0};
  double along_r[6], along_s[6];
  triangles_shape(r, s, p.shape, along_r, along_s);
  for (int k = 0; k < 6; k++) {
    const vec2 node = m->nodes[triangle[k]];
    p.at = vec2_axpy(p.at, p.shape[k], node);
    p.along_r = vec2_axpy(p.along_r, along_r[k], node);
    p.along_s = vec2_axpy(p.along_s, along_s[k], node);
  }
  p.jacobian = vec2_cross(p.along_r, p.along_s);
  for (int k = 0; k < 6; k++) {
    p.along_x[k] = (along_r[k] * p.along_s.y - along_s[k] * p.along_r.y) / p.jacobian;
    p.along_y[k] = (along_s[k] * p.along_r.x - along_r[k] * p.along_s.x) / p.jacobian;
  }
  return p;
}

static flex_place place_of(const flex_elements *e, const int *triangle, const spot *p) {
  flex_place place = {.at = vec2_in_space(p->at), .count = 12};
  for (int k = 0; k < 6; k++) {
    const int *freedom = e->freedoms[triangle[k]];
    place.freedom[2 * k] = freedom[0], place.freedom[2 * k + 1] = freedom[1];
    place.shape[2 * k] = (vec3){p->shape[k], 0, 0}, place.shape[2 * k + 1] = (vec3){0, p->shape[k], 0};
    place.turn[2 * k] = (vec3){0, 0, -p->along_y[k] / 2}, place.turn[2 * k + 1] = (vec3){0, 0, p->along_x[k] / 2};
  }
  return place;
}

// The energy density is ½ (b (εx + εy)² + G (εx - εy)² + G γ²): three strains with a stiffness each.
static void add_stiffness(arena *memory, const planar_solid *b, flex_elements *e, const flex_place *place,
                          const spot *p, double volume) {
  const double nu = b->poisson, shear = b->young / (2 * (1 + nu));
  const double bulk = b->plane_strain ? shear / (1 - 2 * nu) : b->young / (2 * (1 - nu));
  double sum[12], difference[12], gamma[12];
  for (int k = 0; k < 6; k++) {
    sum[2 * k] = difference[2 * k] = gamma[2 * k + 1] = p->along_x[k];
    sum[2 * k + 1] = gamma[2 * k] = p->along_y[k];
    difference[2 * k + 1] = -p->along_y[k];
  }
  elements_add_strain(memory, e, 12, place->freedom, sum, volume * bulk);
  elements_add_strain(memory, e, 12, place->freedom, difference, volume * shear);
  elements_add_strain(memory, e, 12, place->freedom, gamma, volume * shear);
}

void planar_solid_elements(arena *memory, const planar_solid *b, flex_elements *e) {
  const triangle_mesh *m = &b->mesh;
  elements_create(memory, e, m->node_count, (bool[6]){true, true}, POINTS * m->triangle_count);
  for (int i = 0; i < m->node_count; i++) e->nodes[i] = vec2_in_space(m->nodes[i]);
  for (int t = 0; t < m->triangle_count; t++)
    for (int k = 0; k < POINTS; k++) {
      const spot p = spot_of(m, m->triangles[t], at_r[k], at_s[k]);
      const flex_place place = place_of(e, m->triangles[t], &p);
      const double volume = b->thickness * p.jacobian * weight[k] / 2;
      e->points[POINTS * t + k] = (mass_point){b->density * volume, place};
      add_stiffness(memory, b, e, &place, &p, volume);
    }
  elements_assemble(e);
}

// Newton's iteration for the area coordinates of a point. Returns how far they are outside the triangle.
static double find_spot(const triangle_mesh *m, const int *triangle, vec2 at, spot *p) {
  double r = 1. / 3, s = 1. / 3;
  for (int i = 0; i < 20; i++) {
    *p = spot_of(m, triangle, r, s);
    const vec2 off = vec2_sub(at, p->at);
    const double dr = vec2_cross(off, p->along_s) / p->jacobian, ds = vec2_cross(p->along_r, off) / p->jacobian;
    r += dr, s += ds;
    if (!(fabs(r) + fabs(s) < 4)) return INFINITY;  // far outside, where a curved triangle folds
    if (fabs(dr) + fabs(ds) < 1e-14) break;
  }
  *p = spot_of(m, triangle, r, s);
  return fmax(fmax(-r, -s), r + s - 1);
}

bool planar_solid_place(const planar_solid *b, const flex_elements *e, vec2 at, flex_place *to) {
  double least = 1e-9;
  bool found = false;
  for (int t = 0; t < b->mesh.triangle_count; t++) {
    spot p;
    const double outside = find_spot(&b->mesh, b->mesh.triangles[t], at, &p);
    if (!(outside < least)) continue;
    least = outside, found = true;
    *to = place_of(e, b->mesh.triangles[t], &p);
  }
  return found;
}
