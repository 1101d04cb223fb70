// Scenes of many bodies, the same for carom and its peers. Spheres of 5 cm radius fall from a loose grid of ten by ten
// into a box of 1.2 m, 10 000 of them from ten layers into a box of ten times its area; ten boxes of 20 cm stand on
// each other. Density 1000 kg/m³, friction 0.5, no restitution, steps of 1 ms.
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define CROWD_RADIUS   0.05    // [m]
#define CROWD_WALL     0.6     // from the middle of the box [m]
#define CROWD_SIDE     0.2     // of a box of the stack [m]
#define CROWD_DENSITY  1000.0  // [kg/m³]
#define CROWD_FRICTION 0.5
#define CROWD_STEP     1e-3  // [s]
enum { CROWD_SPHERES = 1000, CROWD_BOXES = 10 };

// A number in -1 … 1 that depends on i and k alone.
static inline double crowd_scatter(int i, int k) {
  uint32_t x = (uint32_t)i * 3u + (uint32_t)k + 1u;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  x *= 2246822519u;
  x ^= x >> 15;
  return (double)x / 2147483648.0 - 1;
}

#define CROWD_PITCH 0.11  // [m]

// Spheres in a row of a layer: ten, and in larger crowds as many as make ten layers.
static inline int crowd_across(int count) {
  int across = 10;
  while (across * across * 10 < count) across++;
  return across;
}

// Half the side of the box [m].
static inline double crowd_wall(int count) { return CROWD_WALL + 0.5 * (crowd_across(count) - 10) * CROWD_PITCH; }

// Where the middle of sphere i of a crowd is at the start: in layers, each sphere up to 2 mm out of line.
static inline void crowd_place(int count, int i, double at[3]) {
  const int across = crowd_across(count);
  const double middle = 0.5 * (across - 1);
  at[0] = (i % across - middle) * CROWD_PITCH + 2e-3 * crowd_scatter(i, 0);
  at[1] = (i / across % across - middle) * CROWD_PITCH + 2e-3 * crowd_scatter(i, 1);
  at[2] = 0.062 + i / (across * across) * CROWD_PITCH + 2e-3 * crowd_scatter(i, 2);
}
static inline void crowd_start(int i, double at[3]) { crowd_place(CROWD_SPHERES, i, at); }

// Deepest overlap of two spheres, or of one with the floor or a wall [m].
static inline double crowd_overlap(const double (*at)[3], int count) {
  double deepest = 0;
  for (int i = 0; i < count; i++) {
    const double wall = crowd_wall(count) - CROWD_RADIUS;
    deepest = fmax(deepest, fmax(CROWD_RADIUS - at[i][2], fmax(fabs(at[i][0]), fabs(at[i][1])) - wall));
    for (int j = 0; j < i; j++) {
      const double x = at[i][0] - at[j][0], y = at[i][1] - at[j][1], z = at[i][2] - at[j][2];
      deepest = fmax(deepest, 2 * CROWD_RADIUS - sqrt(x * x + y * y + z * z));
    }
  }
  return deepest;
}

static inline double crowd_height(const double (*at)[3], int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += at[i][2];
  return sum / count;
}

static inline void crowd_print_spheres(const char *who, const double (*at)[3], int count, int steps, double seconds) {
  printf("%-26s %5d spheres: %8.1f steps/s over %d steps, deepest overlap at the end %.1e m, mean height %.4f m\n", who,
         count, steps / seconds, steps, crowd_overlap(at, count), crowd_height(at, count));
}

static inline void crowd_print_stack(const char *who, const double top[3], int steps, double seconds) {
  const double place = (CROWD_BOXES - 0.5) * CROWD_SIDE;
  printf("%-26s %5d boxes:   %8.1f steps/s over %d steps, top %.1e m too high, %.1e m aside\n", who, CROWD_BOXES,
         steps / seconds, steps, top[2] - place, hypot(top[0], top[1]));
}

#endif
