// A box that flies against another body in space, without friction: an edge on a face, a corner on a face, edges that
// cross, a face on a face.
#ifndef TESTS_COLLIDING_H
#define TESTS_COLLIDING_H

#include "runs.h"

enum { COLLIDING_TURNS = 5, COLLIDING_SHAPES = 3 };

// The first has 2 kg and 1 m/s, the second 1 kg; they have met after 0.8 s.
static inline bool open_colliding(run *r, int turn, int shape, const char *restitution, const char *method) {
  static const char *const turns[COLLIDING_TURNS] = {"{axis: y, angle: 45 deg}", "{xyz: [40 deg, 50 deg, 0]}",
                                                     "{xyz: [20 deg, 35 deg, 70 deg]}", "{axis: x, angle: 0}",
                                                     "{xyz: [45 deg, 0, 30 deg]}"};
  static const char *const shapes[COLLIDING_SHAPES] = {
      "box: b, size: [0.2, 0.3, 0.4]", "box: b, size: [0.2, 0.3, 0.4], rotate: {xyz: [0, 45 deg, 0]}",
      "hull: b, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, 0.2]]"};
  char text[2048];
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "bodies: {a: {mass: 2, inertia: [0.05, 0.05, 0.05]}, b: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
           "joints: {fa: {free: [ground, a], at: [-0.6, 0, 0]}, fb: {free: [ground, b], at: [0.1, 0.05, 0.03]}}\n"
           "initial: {a: {velocity: [1, 0, 0]}}\n"
           "surfaces: {a: {box: a, size: [0.3, 0.2, 0.25], rotate: %s, material: m}, b: {%s, material: m}}\n"
           "materials: {m: {restitution: %s}}\nmethod: %s\n",
           turns[turn], shapes[shape], restitution, method);
  return run_open_text(r, text, "");
}

// After an elastic collision of 2 kg at 1 m/s along x with 1 kg at rest: momentum and energy are as before.
static inline void close_collided(run *r) {
  CHECK(run_read(r, "a.vx") < 0.9);
  CHECK_NEAR(2 * run_read(r, "a.vx") + run_read(r, "b.vx"), 2, 1e-12);
  CHECK_NEAR(2 * run_read(r, "a.vy") + run_read(r, "b.vy"), 0, 1e-12);
  CHECK_NEAR(run_read(r, "energy.kinetic"), 1, 1e-11);
  CHECK_EQUAL(carom_sim_summary(r->sim).step_too_large, 0);
  run_close(r);
}

#endif
