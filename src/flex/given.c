#include "flex/given.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "flex/gauss.h"

// In the plane a shape moves along x or y.
static vec3 direction(given_direction d) {
  return d == GIVEN_AXIAL ? (vec3){1, 0, 0} : d == GIVEN_Y ? (vec3){0, 1, 0} : (vec3){0, 0, 1};
}

flex_place given_place(int count, const given_shape *shapes, double x) {
  flex_place p = {.at = {x, 0, 0}, .count = count};
  for (int k = 0; k < count; k++) {
    double jet[3];
    shapes[k].at(shapes[k].context, x, jet);
    p.freedom[k] = k;
    if (shapes[k].along == GIVEN_TWIST) p.turn[k] = (vec3){jet[0], 0, 0};
    else p.shape[k] = vec3_scale(jet[0], direction(shapes[k].along));
    if (shapes[k].along == GIVEN_Y) p.turn[k] = (vec3){0, 0, jet[1]};
    if (shapes[k].along == GIVEN_Z) p.turn[k] = (vec3){0, -jet[1], 0};
  }
  return p;
}

// Stretch u', curvature v'' or w'', twist rate; each with its stiffness at this section.
static void add_strains(arena *memory, const beam *b, int count, const given_shape *shapes, double x, double length,
                        flex_elements *e) {
  const beam_section a = b->section(b->context, x);
  const double stiffness[] = {b->young * a.area, b->young * a.second_z, b->young * a.second_y, b->shear * a.torsion};
  for (int d = GIVEN_AXIAL; d <= GIVEN_TWIST; d++) {
    int freedom[PLACE_FREEDOMS], n = 0;
    double row[PLACE_FREEDOMS];
    for (int k = 0; k < count; k++) {
      double jet[3];
      if ((int)shapes[k].along != d) continue;
      shapes[k].at(shapes[k].context, x, jet);
      freedom[n] = k, row[n++] = d == GIVEN_Y || d == GIVEN_Z ? jet[2] : jet[1];
    }
    if (n) elements_add_strain(memory, e, n, freedom, row, stiffness[d] * length);
  }
}

void given_elements(arena *memory, const beam *b, int count, const given_shape *shapes, flex_elements *e) {
  const int points = beam_section_points(b);
  assert(count <= PLACE_FREEDOMS && !b->timoshenko);
  *e = (flex_elements){.planar = b->planar, .freedom_count = count, .point_count = b->elements * GAUSS * points};
  e->points = ARENA_ARRAY(memory, mass_point, e->point_count);
  for (int k = 0; k < b->elements; k++)
    for (int g = 0; g < GAUSS; g++) {
      const double from = beam_node(b, k), h = beam_node(b, k + 1) - from;
      const double x = from + h * gauss_at[g], length = h * gauss_weight[g];
      const flex_place axis = given_place(count, shapes, x);
      beam_fill_section(b, &axis, length, e->points + (k * GAUSS + g) * points);
      add_strains(memory, b, count, shapes, x, length, e);
    }
  elements_assemble(memory, e);
}

void given_foreshortening(const beam *b, int count, const given_shape *shapes, double from, double x, double *g) {
  const double low = fmin(from, x), high = fmax(from, x), sign = x < from ? -1 : 1;
  memset(g, 0, (size_t)(count * count) * sizeof *g);
  for (int part = 0; part < b->elements * GAUSS; part++) {
    const double start = fmax(beam_node(b, part / GAUSS), low), h = fmin(beam_node(b, part / GAUSS + 1), high) - start;
    if (!(h > 0)) continue;
    const double at = start + h * gauss_at[part % GAUSS], length = sign * h * gauss_weight[part % GAUSS];
    const flex_place place = given_place(count, shapes, at);  // slopes are the turns across the axis
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        g[i * count + j] -= length * (place.turn[i].z * place.turn[j].z + place.turn[i].y * place.turn[j].y);
  }
}
