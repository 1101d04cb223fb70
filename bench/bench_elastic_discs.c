// The impact of models/elastic-discs: reduced discs under stewart-trinkle, under the methods that predict gaps and
// under iterative, beside the finite elements of the whole mesh. By symmetry one full disc meets a wall at half the
// speed. It moves in small explicit steps with its consistent mass; the forces of a step close the gaps of the nodes
// that touch at its end.
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "carom/carom.h"
#include "clock.h"
#include "flex/planar_solid.h"

#define RADIUS 0.1
#define SPEED  0.5   // of the left disc [m/s]
#define APART  2e-5  // at the start [m]
#define END    3e-4  // [s]
enum { NODES_MOST = 128, SAMPLES_MOST = 200000 };

// --- what is compared ------------------------------------------------------------------------------------------------

typedef struct course {
  double step, *force;  // one per step
  int count;
} course;

// First to last step with a force, impulse, and the largest mean over a tenth of this time.
static void tell(const char *name, const course *c) {
  int first = -1, last = -1;
  double impulse = 0, peak = 0;
  for (int i = 0; i < c->count; i++) {
    impulse += c->step * c->force[i];
    if (c->force[i] > 0) last = i, first = first < 0 ? i : first;
  }
  const int window = (last - first) / 10 > 0 ? (last - first) / 10 : 1;
  for (int i = 0; i + window <= c->count; i++) {
    double sum = 0;
    for (int k = 0; k < window; k++) sum += c->force[i + k];
    peak = fmax(peak, sum / window);
  }
  printf("  %-46s duration %.4e s, force %.1f N, impulse %.5f N s\n", name, c->step * (last - first), peak, impulse);
}

// --- the whole mesh --------------------------------------------------------------------------------------------------

typedef struct full_disc {
  flex_elements e;
  symmetric_factor mass;
  int touching[NODES_MOST], count;   // freedoms along x of the nodes that can touch
  double place[NODES_MOST];          // undeformed
  double W[NODES_MOST][NODES_MOST];  // B M⁻¹ Bᵀ
  double *column[NODES_MOST];        // M⁻¹ Bᵀ
  double *x, *v, *f, *work;          // displacements, velocities
} full_disc;

static void create(arena *memory, double size, full_disc *d) {
  const vec2 at = {RADIUS, 0};
  planar_solid b = {.thickness = 1, .young = 2e8, .poisson = 0.3, .density = 10};
  b.mesh = triangles_disc(memory, RADIUS, 8);
  triangles_refine(memory, &(mesh_refinement){&at, 1, size, 1}, RADIUS, &b.mesh);
  planar_solid_elements(memory, &b, &d->e);
  symmetric_factorize(memory, &d->e.mass, &d->mass);
  const int n = d->e.freedom_count;
  d->x = ARENA_ARRAY(memory, double, n), d->v = ARENA_ARRAY(memory, double, n), d->f = ARENA_ARRAY(memory, double, n);
  d->work = ARENA_ARRAY(memory, double, n);
  for (int k = 0; k < d->e.node_count; k++) {
    const vec3 p = d->e.nodes[k];
    d->v[d->e.freedoms[k][0]] = SPEED / 2;
    if (fabs(vec3_norm(p) - RADIUS) > 1e-6 || fabs(atan2(p.y, p.x)) > 2.0001 * M_PI / 180) continue;
    if (d->count < NODES_MOST) d->place[d->count] = p.x, d->touching[d->count++] = d->e.freedoms[k][0];
  }
  for (int j = 0; j < d->count; j++) {
    d->column[j] = ARENA_ARRAY(memory, double, n);
    d->column[j][d->touching[j]] = 1;
    symmetric_solve(&d->mass, d->column[j], d->work);
    for (int i = 0; i < d->count; i++) d->W[i][j] = d->column[j][d->touching[i]];
  }
}

// The fastest oscillation, by powers of M⁻¹ K.
static double fastest(full_disc *d, arena *memory) {
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
static double push(full_disc *d, double dt, double *p) {
  double sum = 0, gap[NODES_MOST];
  for (int i = 0; i < d->count; i++)
    gap[i] = RADIUS + APART / 2 - d->place[i] - d->x[d->touching[i]] - dt * d->v[d->touching[i]];
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

static void run_full(double size, double part) {
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  static full_disc d;
  char name[80];
  if (setjmp(out_of_memory)) return;
  d = (full_disc){0};
  create(&memory, size, &d);
  const double dt = part / fastest(&d, &memory), began = clock_processor();
  const int n = d.e.freedom_count, steps = (int)(END / dt);
  double p[NODES_MOST] = {0};
  course c = {dt, ARENA_ARRAY(&memory, double, steps), steps};
  for (int k = 0; k < steps; k++) {
    symmetric_multiply(&d.e.stiffness, d.x, d.f);
    for (int i = 0; i < n; i++) d.f[i] = -d.f[i];
    symmetric_solve(&d.mass, d.f, d.work);
    for (int i = 0; i < n; i++) d.v[i] += dt * d.f[i];
    c.force[k] = push(&d, dt, p) / dt;
    for (int i = 0; i < n; i++) d.x[i] += dt * d.v[i];
  }
  snprintf(name, sizeof name, "whole mesh, %.3g mm, %d freedoms, step %.1e s", 1e3 * size, n, dt);
  tell(name, &c);
  printf("    %.1f s of processor time\n", clock_processor() - began);
  arena_free(&memory);
}

// --- reduced ---------------------------------------------------------------------------------------------------------

static double read(const carom_model *model, carom_sim *sim, const char *signal) {
  return carom_sim_read(sim, carom_model_signal(model, signal));
}

// Adds the force of a step to that of the equal steps which it is in: some methods take shorter ones now and then.
static void add_force(course *c, double from, double to, double force) {
  const int at = (int)(0.5 * (from + to) / c->step);
  for (; c->count <= at && c->count < SAMPLES_MOST; c->count++) c->force[c->count] = 0;
  if (at < SAMPLES_MOST) c->force[at] += (to - from) / c->step * force;
}

// Forces of each step, and by how much the energy of the discs exceeds that of the start.
static void run_reduced(const char *name, const carom_setting *settings, int count) {
  static double force[SAMPLES_MOST];
  carom_error error = {0};
  carom_model *model = carom_model_load(BENCH_MODELS "/elastic-discs.yaml", settings, count, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  course c = {1, force, 0};
  double last = 0, start = 0, most = -INFINITY;
  const double began = clock_processor();
  if (sim) start = read(model, sim, "energy.kinetic");
  while (sim && carom_sim_time(sim) < END * (1 - 1e-9) && c.count < SAMPLES_MOST &&
         carom_sim_step(sim, END, &error) == CAROM_OK) {
    if (c.count == 0) c.step = carom_sim_time(sim);
    add_force(&c, last, carom_sim_time(sim), read(model, sim, "left-right.fn"));
    most = fmax(most, read(model, sim, "energy.kinetic") + read(model, sim, "energy.strain") - start);
    last = carom_sim_time(sim);
  }
  if (c.count) {
    tell(name, &c);
    printf("    speeds %.5f, %.5f m/s, energy above the start %.1e, impact loss %.2e of it, %.1f s of processor time\n",
           read(model, sim, "left.vx"), read(model, sim, "right.vx"), most / start,
           read(model, sim, "energy.impact") / start, clock_processor() - began);
  } else printf("  %s: %s\n", name, error.text);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

// The fastest mode has 5.22e7 rad/s: steps of 0.1 of that.
static void run_predicted(void) {
  const carom_setting position[] = {{"method", "{\"lcp-position\":{\"step\":1.9e-9}}"}};
  const carom_setting velocity[] = {{"method", "{\"lcp-velocity\":{\"step\":1.9e-9}}"}};
  run_reduced("lcp-position, the same modes, step 1.9e-9 s", position, 1);
  run_reduced("lcp-velocity, the same modes, step 1.9e-9 s", velocity, 1);
}

// Touches are located; steps in which the fastest mode turns by 1.3 radians.
static void run_located(void) {
  const carom_setting located[] = {{"method", "{\"iterative\":{\"step\":2.5e-8}}"}};
  run_reduced("iterative, the same modes, step 2.5e-8 s", located, 1);
}

static bool asks(int count, char **words, const char *word) {
  for (int i = 1; i < count; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

// Words: `fine` for the mesh of half the size as well, `lcp` for the methods that predict gaps, `iterative` for the one
// that locates touches; these take minutes.
int main(int count, char **words) {
  const carom_setting fine[] = {{"parameters.dt", "1e-7"}};
  const carom_setting eigen[] = {{"parameters.dt", "1e-7"},
                                 {"bodies.left.modes.static_modes", "no"},
                                 {"bodies.right.modes.static_modes", "no"},
                                 {"bodies.left.modes.count", "30"},
                                 {"bodies.right.modes.count", "30"}};
  const carom_setting more[] = {
      {"parameters.dt", "1e-7"}, {"bodies.left.modes.count", "40"}, {"bodies.right.modes.count", "40"}};
  const carom_setting uniform[] = {{"parameters.dt", "1e-7"},
                                   {"bodies.left.solid_2d.refine.size", "0.02"},
                                   {"bodies.right.solid_2d.refine.size", "0.02"},
                                   {"bodies.left.stretches.face.angles", "[-20 deg, 20 deg]"},
                                   {"bodies.right.stretches.face.angles", "[160 deg, 200 deg]"}};
  printf("two elastic discs at 0.5 m/s\n");
  if (asks(count, words, "lcp")) return run_predicted(), 0;
  if (asks(count, words, "iterative")) return run_located(), 0;
  run_full(5e-4, 1);
  if (asks(count, words, "fine")) run_full(2.5e-4, 1);
  run_reduced("20 eigenmodes and static modes, step 5e-7 s", NULL, 0);
  run_reduced("20 eigenmodes and static modes, step 1e-7 s", fine, 1);
  run_reduced("40 eigenmodes and static modes, step 1e-7 s", more, 3);
  run_reduced("30 eigenmodes alone, step 1e-7 s", eigen, 5);
  run_reduced("uniform mesh, one node touches, step 1e-7 s", uniform, 5);
  return 0;
}
