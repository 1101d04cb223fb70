#include "flex/beam.h"

#include <string.h>

#include "flex/gauss.h"

int beam_section_points(const beam *b) { return b->planar ? (b->timoshenko ? 2 : 1) : 4; }

// Bending of one element in one plane, over deflection and slope at its two ends: deflection w, slope w', turn θ of the
// section, curvature θ', and shear w' - θ. They solve the equations of statics without a load between the nodes for the
// ratio phi = 12 EI / (κGA h²); phi = 0 gives Hermite's cubics with θ = w'.
typedef struct bending {
  double w[4], slope[4], turn[4], curvature[4], shear[4];
} bending;

static bending bend(double h, double phi, double s) {
  const double a = 1 / (1 + phi), half = phi / 2, s2 = s * s, s3 = s2 * s;
  return (bending){.w = {a * (2 * s3 - 3 * s2 - phi * s + 1 + phi), a * h * (s3 - (2 + half) * s2 + (1 + half) * s),
                         a * (3 * s2 - 2 * s3 + phi * s), a * h * (s3 - (1 - half) * s2 - half * s)},
                   .slope = {a * (6 * s2 - 6 * s - phi) / h, a * (3 * s2 - (4 + phi) * s + 1 + half),
                             a * (6 * s - 6 * s2 + phi) / h, a * (3 * s2 - (2 - phi) * s - half)},
                   .turn = {a * 6 * (s2 - s) / h, a * (3 * s2 - (4 + phi) * s + 1 + phi), a * 6 * (s - s2) / h,
                            a * (3 * s2 - (2 - phi) * s)},
                   .curvature = {a * 6 * (2 * s - 1) / (h * h), a * (6 * s - 4 - phi) / h,
                                 a * 6 * (1 - 2 * s) / (h * h), a * (6 * s - 2 + phi) / h},
                   .shear = {-a * phi / h, -a * half, a * phi / h, -a * half}};
}

// Where the freedoms of the element's two nodes stand, and its ratios of bending to shear along y and z.
typedef struct element {
  const int *first, *second;  // freedoms of its nodes
  double start, h, phi_y, phi_z;
} element;

static element element_of(const beam *b, const flex_elements *e, int k) {
  element l = {.first = e->freedoms[k], .second = e->freedoms[k + 1], .start = e->nodes[k].x};
  l.h = e->nodes[k + 1].x - l.start;
  if (!b->timoshenko) return l;
  const beam_section middle = b->section(b->context, l.start + l.h / 2);
  l.phi_y = 12 * b->young * middle.second_z / (b->shear * middle.shear_y * l.h * l.h);
  if (!b->planar) l.phi_z = 12 * b->young * middle.second_y / (b->shear * middle.shear_z * l.h * l.h);
  return l;
}

// Deflection along z turns the section about -y.
static void add_freedoms(flex_place *p, const element *l, int shift, int turn, const double *shape, vec3 along,
                         const double *angle, vec3 about, double turn_sign) {
  const int freedom[4] = {l->first[shift], l->first[turn], l->second[shift], l->second[turn]};
  for (int k = 0; k < 4; k++) {
    const double sign = k % 2 ? turn_sign : 1;
    p->freedom[p->count] = freedom[k];
    p->shape[p->count] = vec3_scale(sign * shape[k], along);
    p->turn[p->count++] = vec3_scale(sign * turn_sign * angle[k], about);
  }
}

static void add_ends(flex_place *p, const element *l, int which, double s, vec3 shape, vec3 turn) {
  const double share[2] = {1 - s, s};
  const int freedom[2] = {l->first[which], l->second[which]};
  for (int k = 0; k < 2; k++) {
    p->freedom[p->count] = freedom[k];
    p->shape[p->count] = vec3_scale(share[k], shape);
    p->turn[p->count++] = vec3_scale(share[k], turn);
  }
}

static flex_place place_in(const beam *b, const element *l, double s) {
  flex_place p = {.at = {l->start + s * l->h, 0, 0}};
  add_ends(&p, l, 0, s, (vec3){1, 0, 0}, VEC3_ZERO);
  if (b->rod) return p;
  const bending y = bend(l->h, l->phi_y, s);
  add_freedoms(&p, l, 1, 5, y.w, (vec3){0, 1, 0}, y.turn, (vec3){0, 0, 1}, 1);
  if (b->planar) return p;
  const bending z = bend(l->h, l->phi_z, s);
  add_freedoms(&p, l, 2, 4, z.w, (vec3){0, 0, 1}, z.turn, (vec3){0, 1, 0}, -1);
  add_ends(&p, l, 3, s, VEC3_ZERO, (vec3){1, 0, 0});
  return p;
}

// A point beside the axis moves with its section. Without shear, sections have rotary inertia in twist alone.
static flex_place beside(const beam *b, flex_place p, vec3 off) {
  for (int k = 0; k < p.count; k++) {
    const vec3 turn = b->timoshenko ? p.turn[k] : (vec3){p.turn[k].x, 0, 0};
    p.shape[k] = vec3_add(p.shape[k], vec3_cross(turn, off));
  }
  p.at = vec3_add(p.at, off);
  return p;
}

// Each at the radii of gyration, so that all together have the second moments of the section.
void beam_fill_section(const beam *b, const flex_place *axis, double length, mass_point *points) {
  const beam_section section = b->section(b->context, axis->at.x);
  const int count = beam_section_points(b);
  const double mass = b->density * section.area * length;
  const double ry = sqrt(section.second_z / section.area), rz = sqrt(section.second_y / section.area);
  const vec3 two[] = {{0, ry, 0}, {0, -ry, 0}};
  const vec3 four[] = {{0, ry, rz}, {0, -ry, rz}, {0, ry, -rz}, {0, -ry, -rz}};
  for (int k = 0; k < count; k++) {
    const vec3 off = count == 1 ? VEC3_ZERO : count == 2 ? two[k] : four[k];
    points[k] = (mass_point){mass / count, beside(b, *axis, off)};
  }
}

static void fill_points(const beam *b, const element *l, mass_point *points) {
  for (int g = 0; g < GAUSS; g++) {
    const flex_place axis = place_in(b, l, gauss_at[g]);
    beam_fill_section(b, &axis, l->h * gauss_weight[g], points + g * beam_section_points(b));
  }
}

static void add_bending(arena *memory, flex_elements *e, const element *l, const int freedom[4], double phi, double s,
                        double sign, double bending_stiffness, double shear_stiffness) {
  bending at = bend(l->h, phi, s);
  for (int k = 1; k < 4; k += 2) at.curvature[k] *= sign, at.shear[k] *= sign;
  elements_add_strain(memory, e, 4, freedom, at.curvature, bending_stiffness);
  if (phi > 0) elements_add_strain(memory, e, 4, freedom, at.shear, shear_stiffness);
}

static void add_stiffness(arena *memory, const beam *b, flex_elements *e, const element *l) {
  const double stretch[2] = {-1 / l->h, 1 / l->h};
  const int *i = l->first, *j = l->second;
  for (int g = 0; g < GAUSS; g++) {
    const double s = gauss_at[g], weight = gauss_weight[g] * l->h;
    const beam_section a = b->section(b->context, l->start + s * l->h);
    elements_add_strain(memory, e, 2, (int[]){i[0], j[0]}, stretch, weight * b->young * a.area);
    if (b->rod) continue;
    add_bending(memory, e, l, (int[]){i[1], i[5], j[1], j[5]}, l->phi_y, s, 1, weight * b->young * a.second_z,
                weight * b->shear * a.shear_y);
    if (b->planar) continue;
    add_bending(memory, e, l, (int[]){i[2], i[4], j[2], j[4]}, l->phi_z, s, -1, weight * b->young * a.second_y,
                weight * b->shear * a.shear_z);
    elements_add_strain(memory, e, 2, (int[]){i[3], j[3]}, stretch, weight * b->shear * a.torsion);
  }
}

void beam_elements(arena *memory, const beam *b, flex_elements *e) {
  const bool in_plane[6] = {true, true, false, false, false, true}, in_space[6] = {true, true, true, true, true, true};
  const bool along[6] = {true};
  const int points = GAUSS * beam_section_points(b);
  elements_create(memory, e, b->elements + 1, b->rod ? along : b->planar ? in_plane : in_space, points * b->elements);
  for (int k = 0; k <= b->elements; k++) e->nodes[k].x = beam_node(b, k);
  for (int k = 0; k < b->elements; k++) {
    const element l = element_of(b, e, k);
    fill_points(b, &l, e->points + points * k);
    add_stiffness(memory, b, e, &l);
  }
  elements_assemble(memory, e);
}

static int element_at(const beam *b, const flex_elements *e, double x) {
  int first = 0, last = b->elements - 1;
  while (first < last) {
    const int middle = (first + last + 1) / 2;
    if (x < e->nodes[middle].x) last = middle - 1;
    else first = middle;
  }
  return first;
}

flex_place beam_place(const beam *b, const flex_elements *e, double x) {
  const element l = element_of(b, e, element_at(b, e, x));
  return place_in(b, &l, (x - l.start) / l.h);
}

// Slopes of all modes at one place, along y and z.
static void slopes(const beam *b, const flex_elements *e, const element *l, double s, int modes, const double *phi,
                   double *slope_y, double *slope_z) {
  const bending y = bend(l->h, l->phi_y, s), z = bend(l->h, l->phi_z, s);
  const int *i = l->first, *j = l->second;
  for (int m = 0; m < modes; m++) {
    const double *x = phi + (long)m * e->freedom_count;
    slope_y[m] = y.slope[0] * x[i[1]] + y.slope[1] * x[i[5]] + y.slope[2] * x[j[1]] + y.slope[3] * x[j[5]];
    slope_z[m] = 0;
    if (!b->planar)
      slope_z[m] = z.slope[0] * x[i[2]] - z.slope[1] * x[i[4]] + z.slope[2] * x[j[2]] - z.slope[3] * x[j[4]];
  }
}

// total += factor ∫ (v_i' v_j' + w_i' w_j') dx over the element, from its start to the share `end` of its length.
// Slopes are quadratic: three points are exact.
static void add_foreshortening(const beam *b, const flex_elements *e, const element *l, double end, int modes,
                               const double *phi, double factor, double *slope, double *total) {
  static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169}, weight[3] = {5. / 18, 8. / 18, 5. / 18};
  double *y = slope, *z = slope + modes;
  for (int g = 0; g < 3; g++) {
    slopes(b, e, l, end * at[g], modes, phi, y, z);
    for (int i = 0; i < modes; i++)
      for (int j = 0; j < modes; j++)
        total[i * modes + j] += factor * weight[g] * end * l->h * (y[i] * y[j] + z[i] * z[j]);
  }
}

static void add_up_to(const beam *b, const flex_elements *e, double x, int modes, const double *phi, double factor,
                      double *slope, double *total) {
  const int last = element_at(b, e, x);
  for (int k = 0; k <= last; k++) {
    const element l = element_of(b, e, k);
    add_foreshortening(b, e, &l, k < last ? 1 : (x - l.start) / l.h, modes, phi, factor, slope, total);
  }
}

void beam_foreshortening(arena *scratch, const beam *b, const flex_elements *e, int modes, const double *phi,
                         double from, double x, double *g) {
  const arena_mark mark = arena_get_mark(scratch);
  double *slope = ARENA_ARRAY(scratch, double, 2 * modes);
  memset(g, 0, (size_t)modes * (size_t)modes * sizeof *g);
  add_up_to(b, e, from, modes, phi, 1, slope, g);
  add_up_to(b, e, x, modes, phi, -1, slope, g);
  arena_release(scratch, mark);
}
