// Beams for tests: of a square, a deep, a round and an oblong section, supported in several ways.
#ifndef CAROM_TESTS_FLEXIBLE_H
#define CAROM_TESTS_FLEXIBLE_H

#include "check.h"

#include "flex/beam.h"
#include "flex/floating.h"
#include "flex/reduction.h"

// Of beams 1 m long: 1 mm square, 0.2 m deep, round, and one with nothing symmetric.
CHECK_UNUSED_OK static const beam_section square_section = {
    .area = 1e-6, .second_z = 1e-12 / 12, .shear_y = 1e-6 * 5 / 6};
CHECK_UNUSED_OK static const beam_section deep_section = {
    .area = 0.02, .second_z = 0.02 * 0.04 / 12, .shear_y = 0.02 / 1.2};
CHECK_UNUSED_OK static const beam_section round_section = {
    .area = 4e-4, .second_z = 1e-8, .second_y = 1e-8, .torsion = 2e-8, .shear_y = 3e-4, .shear_z = 3e-4};
CHECK_UNUSED_OK static const beam_section oblong_section = {
    .area = 6e-4, .second_z = 5e-8, .second_y = 2e-8, .torsion = 4e-8, .shear_y = 5e-4, .shear_z = 4.5e-4};

CHECK_UNUSED_OK static beam_section constant_section(const void *context, double x) {
  (void)x;
  return *(const beam_section *)context;
}

CHECK_UNUSED_OK static beam planar_beam(int elements, bool timoshenko) {
  return (beam){.length = 1,
                .young = 2.1e11,
                .shear = 8e10,
                .density = 7800,
                .planar = true,
                .timoshenko = timoshenko,
                .elements = elements,
                .section = constant_section,
                .context = &square_section};
}

CHECK_UNUSED_OK static beam space_beam(int elements, bool timoshenko) {
  beam b = planar_beam(elements, timoshenko);
  b.planar = false, b.context = &oblong_section;
  return b;
}

typedef enum support { FREE, CLAMPED, CLAMPED_AXIAL, CLAMPED_TWIST, PINNED } support;

typedef struct flexible {
  arena memory;
  beam b;
  flex_elements e;
  const bool *held;  // null if none is
  flexibility a;
} flexible;

CHECK_UNUSED_OK static double *numbers(flexible *f, int count) { return ARENA_ARRAY(&f->memory, double, count); }

// Whether a support holds direction k of a node.
CHECK_UNUSED_OK static bool holds(support s, int node, int last, int k) {
  switch (s) {
    case CLAMPED: return node == 0;
    case CLAMPED_AXIAL: return k != 0 || node == 0;
    case CLAMPED_TWIST: return k != 3 || node == 0;
    case PINNED: return (k == 1 && (node == 0 || node == last)) || k == 0;  // stretch is left out
    default: return false;
  }
}

// Returns whether the flexibility could be computed.
CHECK_UNUSED_OK static bool start(flexible *f, beam b, support s) {
  *f = (flexible){.memory = arena_create(NULL), .b = b};
  beam_elements(&f->memory, &f->b, &f->e);
  bool *held = ARENA_ARRAY(&f->memory, bool, f->e.freedom_count);
  for (int i = 0; i < f->e.node_count; i++)
    for (int k = 0; k < 6; k++)
      if (f->e.freedoms[i][k] >= 0) held[f->e.freedoms[i][k]] = holds(s, i, f->e.node_count - 1, k);
  f->held = s == FREE ? NULL : held;
  return flexibility_create(&f->memory, &f->e, f->held, &f->a);
}

// Of a beam whose axes are at its root.
CHECK_UNUSED_OK static reduction reduce(flexible *f, bool is_carried) {
  reduction r;
  const flex_place root = beam_place(&f->b, &f->e, 0);
  CHECK(reduction_create(&f->memory, &f->e, f->held, &root, is_carried, &r));
  return r;
}

// Eigenmodes and the static mode of each load.
CHECK_UNUSED_OK static flex_modes with_static(flexible *f, const reduction *r, int eigen_count, int count,
                                              const double *loads) {
  flex_modes m = {0};
  const int n = f->e.freedom_count;
  double *shapes = numbers(f, count * n);
  for (int i = 0; i < count; i++) reduction_deform(&f->memory, r, loads + i * n, shapes + i * n);
  CHECK(reduction_basis(&f->memory, r, eigen_count, count, shapes, &m));
  return m;
}

CHECK_UNUSED_OK static void finish(flexible *f) { arena_free(&f->memory); }

#endif
