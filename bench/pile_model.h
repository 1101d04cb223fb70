// Piles whose contact problems the solvers are raced on: bodies of one kind or of all fall into a box and settle.
#ifndef BENCH_PILE_MODEL_H
#define BENCH_PILE_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "contact_problems.h"

typedef enum pile_kind { PILE_SPHERES, PILE_BOXES, PILE_CAPSULES, PILE_STONES, PILE_MIXED, PILE_KINDS } pile_kind;
static const char *const pile_names[PILE_KINDS] = {"spheres", "boxes", "capsules", "stones", "mixed"};

typedef struct pile {
  pile_kind kind;
  int bodies, seed;
} pile;

enum { PILE_BODY_TEXT = 700, PILE_ACROSS_MIN = 3 };
static const double PILE_SIZE = 0.1, PILE_STEP = 2e-3, PILE_SETTLED = 1.2;  // of a body [m]; of the run [s]
static const double PILE_TOLERANCE = 1e-3;  // of the run: enough to settle, and soon done

static inline double pile_between(dice *d, double low, double high) { return low + (high - low) * dice_uniform(d); }

// A cube whose corners are moved: a stone.
static inline char *pile_print_stone(char *to, dice *d) {
  to += sprintf(to, "hull: [");
  for (int k = 0; k < 8; k++) {
    to += sprintf(to, "%s[", k ? ", " : "");
    for (int i = 0; i < 3; i++)
      to += sprintf(to, "%s%.6g", i ? ", " : "", (k >> i & 1 ? 0.5 : -0.5) * PILE_SIZE * pile_between(d, 0.5, 1));
    to += sprintf(to, "]");
  }
  return to + sprintf(to, "]");
}

static inline char *pile_print_shape(char *to, pile_kind kind, dice *d) {
  if (kind == PILE_MIXED) kind = (pile_kind)(dice_uniform(d) * PILE_MIXED);
  double a = PILE_SIZE * pile_between(d, 0.5, 1), b = PILE_SIZE * pile_between(d, 0.5, 1);
  double c = PILE_SIZE * pile_between(d, 0.5, 1);
  switch (kind) {
    case PILE_SPHERES: return to + sprintf(to, "sphere: %.6g", 0.5 * a);
    case PILE_BOXES: return to + sprintf(to, "box: [%.6g, %.6g, %.6g]", a, b, c);
    case PILE_CAPSULES: return to + sprintf(to, "capsule: [%.6g, %.6g]", 0.25 * a, b);
    default: return pile_print_stone(to, d);
  }
}

// Places in layers, a body apart, each body turned at random.
static inline char *pile_print_places(char *to, const pile *p, int across, dice *d) {
  double side = 1.6 * PILE_SIZE;
  to += sprintf(to, "initial:\n");
  for (int i = 0; i < p->bodies; i++) {
    double turn[4], length = 0, at[3];
    for (int k = 0; k < 4; k++) turn[k] = dice_normal(d), length += turn[k] * turn[k];
    for (int k = 0; k < 3; k++) at[k] = pile_between(d, -0.1, 0.1) * PILE_SIZE;
    at[0] += side * (i % across + 0.5 - 0.5 * across), at[1] += side * (i / across % across + 0.5 - 0.5 * across);
    at[2] += side * (i / (across * across) + 0.7);
    to += sprintf(to, "  j%d: {q: [%.8g, %.8g, %.8g, %.8g, %.8g, %.8g, %.8g]}\n", i, turn[0] / sqrt(length),
                  turn[1] / sqrt(length), turn[2] / sqrt(length), turn[3] / sqrt(length), at[0], at[1], at[2]);
  }
  return to;
}

// Every `every`-th contact problem goes to files `dump`-STEP.dat. Null where the model cannot be built; the message is
// printed.
static inline carom_model *pile_parse(const pile *p, const char *dump, int every) {
  dice d = {(uint64_t)(1000003 * p->seed + 101 * p->bodies + p->kind)};
  for (int k = 0; k < 8; k++) dice_uniform(&d);
  char *text = malloc(4000 + (size_t)p->bodies * PILE_BODY_TEXT), *to = text;
  if (!text) return NULL;
  int across = (int)fmax(PILE_ACROSS_MIN, floor(cbrt(p->bodies * pile_between(&d, 0.5, 2))));
  double wall = 0.8 * PILE_SIZE * across + 0.3 * PILE_SIZE;
  to += sprintf(to, "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: %.3g}}\n", pile_between(&d, 0.2, 0.9));
  to += sprintf(to, "method: {moreau: {step: %g, tolerance: %g, dump: \"%s\", dump_every: %d}}\nbodies:\n", PILE_STEP,
                PILE_TOLERANCE, dump, every);
  double spread = dice_uniform(&d) < 0.5 ? 1 : 5;  // of densities
  for (int i = 0; i < p->bodies; i++) {
    to += sprintf(to, "  b%d: {density: %.5g, shape: {material: m, ", i, 1000 * pow(spread, pile_between(&d, -1, 1)));
    to = pile_print_shape(to, p->kind, &d);
    to += sprintf(to, "}}\n");
  }
  to += sprintf(to, "joints:\n");
  for (int i = 0; i < p->bodies; i++) to += sprintf(to, "  j%d: {free: [ground, b%d]}\n", i, i);
  to += sprintf(to, "surfaces:\n  floor: {plane: ground, material: m}\n");
  to += sprintf(to, "  west: {plane: ground, at: [%g, 0, 0], rotate: {axis: y, angle: 90 deg}, material: m}\n", -wall);
  to += sprintf(to, "  east: {plane: ground, at: [%g, 0, 0], rotate: {axis: y, angle: -90 deg}, material: m}\n", wall);
  to +=
      sprintf(to, "  south: {plane: ground, at: [0, %g, 0], rotate: {axis: x, angle: -90 deg}, material: m}\n", -wall);
  to += sprintf(to, "  north: {plane: ground, at: [0, %g, 0], rotate: {axis: x, angle: 90 deg}, material: m}\n", wall);
  pile_print_places(to, p, across, &d);
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "pile", &error);
  if (!model) printf("%s\n", error.text);
  free(text);
  return model;
}

#endif
