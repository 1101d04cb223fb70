// The scenes of crowd.h as carom models.
#ifndef BENCH_CROWD_MODEL_H
#define BENCH_CROWD_MODEL_H

#include <stdlib.h>

#include "carom/carom.h"
#include "crowd.h"

static inline carom_model *crowd_parse(const char *text) {
  carom_error error = {0};
  carom_model *model = carom_model_parse(text, "crowd", &error);
  if (!model) printf("%s\n", error.text);
  return model;
}

// Spheres that fall into a box, under moreau. Null where it cannot be built; the message is printed.
static inline carom_model *crowd_spheres(int count, double tolerance) {
  const double r = CROWD_RADIUS, mass = CROWD_DENSITY * 4 / 3 * acos(-1) * r * r * r, inertia = 0.4 * mass * r * r,
               w = crowd_wall(count);
  char *text = malloc(2000 + 400 * (size_t)count), *to = text;
  if (!text) return NULL;
  to += sprintf(
      to,
      "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: %g}}\nmethod: {moreau: {step: %g, tolerance: %g}}\nbodies:\n",
      CROWD_FRICTION, CROWD_STEP, tolerance);
  for (int i = 0; i < count; i++)
    to += sprintf(to, "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g]}\n", i, mass, inertia, inertia, inertia);
  to += sprintf(to, "joints:\n");
  for (int i = 0; i < count; i++) {
    double at[3];
    crowd_place(count, i, at);
    to += sprintf(to, "  j%d: {free: [ground, b%d], at: [%.17g, %.17g, %.17g]}\n", i, i, at[0], at[1], at[2]);
  }
  to += sprintf(to, "surfaces:\n  floor: {plane: ground, material: m}\n");
  to += sprintf(to, "  west: {plane: ground, at: [%g, 0, 0], rotate: {axis: y, angle: 90 deg}, material: m}\n", -w);
  to += sprintf(to, "  east: {plane: ground, at: [%g, 0, 0], rotate: {axis: y, angle: -90 deg}, material: m}\n", w);
  to += sprintf(to, "  south: {plane: ground, at: [0, %g, 0], rotate: {axis: x, angle: -90 deg}, material: m}\n", -w);
  to += sprintf(to, "  north: {plane: ground, at: [0, %g, 0], rotate: {axis: x, angle: 90 deg}, material: m}\n", w);
  for (int i = 0; i < count; i++) to += sprintf(to, "  s%d: {sphere: b%d, radius: %g, material: m}\n", i, i, r);
  carom_model *model = crowd_parse(text);
  free(text);
  return model;
}

#define CROWD_BIN_RADIUS 0.04  // [m]
#define CROWD_BIN_SIDE   0.4   // from wall to wall, which are at 0 and here [m]

// Spheres that fall into a bin three of them wide, event by event.
static inline carom_model *crowd_bin(int count, double friction, double restitution) {
  char text[2000], *to = text;
  to += sprintf(to, "gravity: [0, 0, -9.81]\nmaterials: {m: {friction: %g, restitution: %g}}\nmethod: event\n",
                friction, restitution);
  to += sprintf(to, "bodies:\n  b{i}: {repeat: {i: [0, %d]}, mass: 0.3, inertia: [2e-4, 2e-4, 2e-4]}\n", count - 1);
  to += sprintf(
      to,
      "joints:\n  j{i}: {repeat: {i: [0, %d]}, free: [ground, \"b{i}\"], at: ['0.1 + 0.1*mod(i, 3) + 0.003*sin(7*i)', "
      "'0.1 + 0.1*mod(floor(i/3), 3) + 0.003*cos(5*i)', '0.1 + 0.1*floor(i/9)']}\n",
      count - 1);
  to += sprintf(to, "surfaces:\n  s{i}: {repeat: {i: [0, %d]}, sphere: \"b{i}\", radius: %g, material: m}\n", count - 1,
                CROWD_BIN_RADIUS);
  to += sprintf(to,
                "  floor: {plane: ground, material: m}\n  west: {plane: ground, rotate: {axis: y, angle: 90 deg}, "
                "material: m}\n");
  to += sprintf(to, "  east: {plane: ground, at: [%g, 0, 0], rotate: {axis: y, angle: -90 deg}, material: m}\n",
                CROWD_BIN_SIDE);
  to += sprintf(to, "  south: {plane: ground, rotate: {axis: x, angle: -90 deg}, material: m}\n");
  sprintf(to, "  north: {plane: ground, at: [0, %g, 0], rotate: {axis: x, angle: 90 deg}, material: m}\n",
          CROWD_BIN_SIDE);
  return crowd_parse(text);
}

// Deepest overlap in the bin [m].
static inline double crowd_bin_overlap(const double (*at)[3], int count) {
  double deepest = 0;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++)
      deepest =
          fmax(deepest, fmax(CROWD_BIN_RADIUS - at[i][k], k < 2 ? at[i][k] - CROWD_BIN_SIDE + CROWD_BIN_RADIUS : 0));
    for (int j = 0; j < i; j++)
      deepest = fmax(deepest, 2 * CROWD_BIN_RADIUS - sqrt(pow(at[i][0] - at[j][0], 2) + pow(at[i][1] - at[j][1], 2) +
                                                          pow(at[i][2] - at[j][2], 2)));
  }
  return deepest;
}

// Bodies have as many signals each, in the order of their numbers: two are looked up, the others counted from there.
static inline void crowd_read(const carom_model *model, carom_sim *sim, double (*at)[3], int count) {
  for (int k = 0; k < 3; k++) {
    const char first[] = {'b', '0', '.', "xyz"[k], 0}, second[] = {'b', '1', '.', "xyz"[k], 0};
    const int from = carom_model_signal(model, first), stride = carom_model_signal(model, second) - from;
    for (int i = 0; i < count; i++) at[i][k] = carom_sim_read(sim, from + i * stride);
  }
}

#endif
