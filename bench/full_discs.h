// The impact of models/elastic-discs by the finite elements of the whole mesh, shared by a benchmark and a test. By
// symmetry one disc meets a wall at half the speed. It moves in small explicit steps with its consistent mass; the
// forces of a step close the gaps of the nodes that touch at its end.
#ifndef BENCH_FULL_DISCS_H
#define BENCH_FULL_DISCS_H

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "flex/planar_solid.h"

#define DISCS_RADIUS 0.1
#define DISCS_SPEED  0.5   // of the left disc [m/s]
#define DISCS_APART  2e-5  // at the start [m]
#define DISCS_END    3e-4  // [s]
enum { DISCS_NODES_MOST = 128, DISCS_SAMPLES_MOST = 200000 };

// --- what is compared ------------------------------------------------------------------------------------------------

// Contact forces, one for each of equal steps.
typedef struct discs_course {
  double step, *force;
  int count;
} discs_course;

typedef struct discs_press {
  double duration;  // from the first to the last step with a force [s]
  double force;     // the largest mean over a tenth of that [N]
  double impulse;   // [N·s]
} discs_press;

static inline discs_press discs_press_of(const discs_course *c) {
  int first = -1, last = -1;
  discs_press p = {0};
  for (int i = 0; i < c->count; i++) {
    p.impulse += c->step * c->force[i];
    if (c->force[i] > 0) last = i, first = first < 0 ? i : first;
  }
  const int window = (last - first) / 10 > 0 ? (last - first) / 10 : 1;
  double sum = 0;
  for (int i = 0; i < c->count; i++) {
    sum += c->force[i] - (i < window ? 0 : c->force[i - window]);
    if (i + 1 >= window) p.force = fmax(p.force, sum / window);
  }
  p.duration = c->step * (last - first);
  return p;
}

// Adds the force of a step to that of the equal steps which it is in: some methods take shorter ones now and then.
static inline void discs_add_force(discs_course *c, double from, double to, double force) {
  const int at = (int)(0.5 * (from + to) / c->step);
  for (; c->count <= at && c->count < DISCS_SAMPLES_MOST; c->count++) c->force[c->count] = 0;
  if (at < DISCS_SAMPLES_MOST) c->force[at] += (to - from) / c->step * force;
}

// --- the whole mesh --------------------------------------------------------------------------------------------------

typedef struct full_disc {
  flex_elements e;
  symmetric_factor mass;
  int touching[DISCS_NODES_MOST], count;         // freedoms along x of the nodes that can touch
  double place[DISCS_NODES_MOST];                // undeformed
  double W[DISCS_NODES_MOST][DISCS_NODES_MOST];  // B M⁻¹ Bᵀ
  double *column[DISCS_NODES_MOST];              // M⁻¹ Bᵀ
  double *x, *v, *f, *work;                      // displacements, velocities
} full_disc;

// Nodes of the given size at the contact.
static inline void full_disc_create(arena *memory, double size, full_disc *d) {
  const vec2 at = {DISCS_RADIUS, 0};
  planar_solid b = {.thickness = 1, .young = 2e8, .poisson = 0.3, .density = 10};
  b.mesh = triangles_disc(memory, DISCS_RADIUS, 8);
  triangles_refine(memory, &(mesh_refinement){&at, 1, size, 1}, DISCS_RADIUS, &b.mesh);
  planar_solid_elements(memory, &b, &d->e);
  symmetric_factorize(memory, &d->e.mass, &d->mass);
  const int n = d->e.freedom_count;
  d->x = ARENA_ARRAY(memory, double, n), d->v = ARENA_ARRAY(memory, double, n), d->f = ARENA_ARRAY(memory, double, n);
  d->work = ARENA_ARRAY(memory, double, n);
  for (int k = 0; k < d->e.node_count; k++) {
    const vec3 p = d->e.nodes[k];
    d->v[d->e.freedoms[k][0]] = DISCS_SPEED / 2;
    if (fabs(vec3_norm(p) - DISCS_RADIUS) > 1e-6 || fabs(atan2(p.y, p.x)) > 2.0001 * M_PI / 180) continue;
    if (d->count == DISCS_NODES_MOST) {
      fprintf(stderr, "more than %d nodes of the disc can touch: take a coarser mesh\n", DISCS_NODES_MOST);
      exit(1);
    }
    d->place[d->count] = p.x, d->touching[d->count++] = d->e.freedoms[k][0];
  }
  for (int j = 0; j < d->count; j++) {
    d->column[j] = ARENA_ARRAY(memory, double, n);
    d->column[j][d->touching[j]] = 1;
    symmetric_solve(&d->mass, d->column[j], d->work);
    for (int i = 0; i < d->count; i++) d->W[i][j] = d->column[j][d->touching[i]];
  }
}

// Along x, of all nodes.
static inline double full_disc_momentum(full_disc *d) {
  double sum = 0;
  symmetric_multiply(&d->e.mass, d->v, d->work);
  for (int k = 0; k < d->e.node_count; k++) sum += d->work[d->e.freedoms[k][0]];
  return sum;
}

// The fastest oscillation, by powers of M⁻¹ K.
static inline double full_disc_fastest(full_disc *d, arena *memory) {
  const int n = d->e.freedom_count;
  double *y = ARENA_ARRAY(memory, double, n), *z = ARENA_ARRAY(memory, double, n), rate = 0;
  for (int i = 0; i < n; i++) y[i] = sin(1.0 + i * 7.3);
  for (int round = 0; round < 200; round++) {
    double size = 0;
    symmetric_multiply(&d->e.stiffness, y, z);
    symmetric_solve(&d->mass, z, d->work);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(z[i]));
    for (int i = 0; i < n; i++) y[i] = z[i] / size;
    rate = size;
  }
  return sqrt(rate);
}

// Percussions p ≥ 0 that leave no node behind the wall at the end of the step: 0 ≤ p ⟂ g - Δt W p ≥ 0, by sweeps.
static inline double full_disc_push(full_disc *d, double dt, double *p) {
  double sum = 0, gap[DISCS_NODES_MOST];
  for (int i = 0; i < d->count; i++)
    gap[i] = DISCS_RADIUS + DISCS_APART / 2 - d->place[i] - d->x[d->touching[i]] - dt * d->v[d->touching[i]];
  for (int sweep = 0; sweep < 2000; sweep++) {
    double change = 0, most = 0;
    for (int i = 0; i < d->count; i++) {
      double after = gap[i];
      for (int j = 0; j < d->count; j++) after += dt * d->W[i][j] * p[j];
      const double next = fmax(0, p[i] - after / (dt * d->W[i][i]));
      change = fmax(change, fabs(next - p[i])), most = fmax(most, next), p[i] = next;
    }
    if (change <= 1e-12 * most) break;
  }
  for (int j = 0; j < d->count; j++) {
    sum += p[j];
    for (int i = 0; p[j] > 0 && i < d->e.freedom_count; i++) d->v[i] -= p[j] * d->column[j][i];
  }
  return sum;
}

typedef struct full_discs {
  discs_press press;
  double step, speed;  // of the disc that was struck, at the end [m/s]
  int freedoms;
} full_discs;

// In steps of `part` over the fastest oscillation. Returns false if there is no memory.
static inline bool full_discs_run(double size, double part, full_discs *to) {
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  static full_disc d;
  if (setjmp(out_of_memory)) return false;
  d = (full_disc){0};
  full_disc_create(&memory, size, &d);
  const double dt = part / full_disc_fastest(&d, &memory), before = full_disc_momentum(&d);
  const int n = d.e.freedom_count, steps = (int)(DISCS_END / dt);
  double p[DISCS_NODES_MOST] = {0};
  discs_course c = {dt, ARENA_ARRAY(&memory, double, steps), steps};
  for (int k = 0; k < steps; k++) {
    symmetric_multiply(&d.e.stiffness, d.x, d.f);
    for (int i = 0; i < n; i++) d.f[i] = -d.f[i];
    symmetric_solve(&d.mass, d.f, d.work);
    for (int i = 0; i < n; i++) d.v[i] += dt * d.f[i];
    c.force[k] = full_disc_push(&d, dt, p) / dt;
    for (int i = 0; i < n; i++) d.x[i] += dt * d.v[i];
  }
  *to = (full_discs){.press = discs_press_of(&c), .step = dt, .freedoms = n};
  to->speed = DISCS_SPEED / 2 * (1 - full_disc_momentum(&d) / before);
  arena_free(&memory);
  return true;
}

#endif
