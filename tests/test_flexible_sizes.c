// Flexible bodies of any number of modes: their numbers stand in groups of four, and loops are written out for some
// numbers of groups. A chain of three beams hangs on ground, each on the deformed one before it, with 1 to 14 modes.
#include "mechanisms.h"

#include <float.h>

#include "build/model_internal.h"
#include "math/packs.h"
#include "mechanics/tree.h"

enum { MOST_MODES = 14, MOST_SPEEDS = 3 * (MOST_MODES + 1) };

static carom_model *beams(bool planar, int modes) {
  char text[1024];
  carom_error error = {0};
  snprintf(
      text, sizeof text,
      "space: %s\ngravity: %s\nbodies:\n  link{i}: {repeat: {i: [1, 3]}, beam: {length: 0.5, section: {area: 1e-4, "
      "second_moment: 1e-9%s}, young: 2e7, poisson: 0.3, density: 7800}, modes: {count: %d, static_modes: no}}\n"
      "joints:\n  hinge1: {revolute: [ground, link1]%s}\n  hinge{i}: {repeat: {i: [2, 3]}, revolute: "
      "[\"link{i-1}\", \"link{i}\"], at: [0.5, 0%s]%s}\n",
      planar ? "planar" : "spatial", planar ? "[0, 0]" : "[0, 0, 0]", planar ? "" : ", second_moment_z: 1.2e-9", modes,
      planar ? "" : ", axis: y", planar ? "" : ", 0", planar ? "" : ", axis: ['0', 'mod(i, 2)', '1 - mod(i, 2)']");
  carom_model *model = carom_model_parse(text, "beams", &error);
  if (!model) printf("%s\n", error.text);
  CHECK(model);
  return model;
}

typedef struct chain_state {
  double q[MOST_SPEEDS], u[MOST_SPEEDS];
} chain_state;

// Slopes of the modes stay below a tenth.
static chain_state random_start(const mechanism *m, uint64_t seed) {
  chain_state s;
  for (int v = 0; v < m->nv; v++) {
    const double size = flexible_is_modal(m, v) ? 1e-3 : 1;
    s.q[v] = random_between(&seed, -size, size), s.u[v] = random_between(&seed, -size, size);
  }
  return s;
}

// The accelerations need the efforts that are applied: the recursion against the product with the mass matrix, to 1e-9
// of the largest effort or inertia force. Modal masses are 0.1 kg.
static void check_recursion(const mechanism *m, motion *x) {
  double tau[MOST_SPEEDS], most = 0;
  tree_inverse(m, x, x->udot, tau);
  for (int v = 0; v < m->nv; v++) most = fmax(most, fmax(fabs(x->tau[v]), 0.1 * fabs(x->udot[v])));
  for (int v = 0; v < m->nv; v++) CHECK_NEAR(tau[v], x->tau[v], 1e-9 * most);
}

static double kinetic_after(const mechanism *m, motion *x, const chain_state *s, const double *udot, double h) {
  chain_state at;
  for (int v = 0; v < m->nv; v++) {
    at.q[v] = s->q[v] + h * s->u[v] + h * h / 2 * udot[v];
    at.u[v] = s->u[v] + h * udot[v];
  }
  dynamics_set(m, x, 0, at.q, at.u);
  dynamics_positions_velocities(m, x);
  return tree_kinetic_energy(m, x);
}

// Without gravity the power of the efforts is the rate of the kinetic energy: mass matrix against bias. The difference
// is off by (ω h)²/6 of the rate: frequencies below 5e4 rad/s make 4e-6. Ten times as much is allowed for terms that
// cancel in the power, and for the energies twenty roundings.
static void check_power(const mechanism *m, motion *x, const chain_state *s) {
  const double h = 1e-7;
  double udot[MOST_SPEEDS], power = 0, size = 0;
  memcpy(udot, x->udot, (size_t)m->nv * sizeof *udot);
  for (int v = 0; v < m->nv; v++) power += x->tau[v] * s->u[v], size += fabs(x->tau[v] * s->u[v]);
  const double after = kinetic_after(m, x, s, udot, h), before = kinetic_after(m, x, s, udot, -h);
  CHECK_NEAR((after - before) / (2 * h), power, 4e-5 * size + 20 * DBL_EPSILON * after / h);
}

static void check_modes(bool planar, int modes) {
  carom_error error = {0};
  carom_model *model = beams(planar, modes);
  motion *x = model ? motion_create(&model->m, 0, &error) : NULL;
  CHECK(x);
  for (uint64_t seed = 1; x && seed <= 3; seed++) {
    const mechanism *m = &model->m;
    const chain_state s = random_start(m, 100 * (uint64_t)modes + seed);
    CHECK(m->nv == 3 * (modes + 1) && m->nq == m->nv);
    dynamics_set(m, x, 0, s.q, s.u);
    CHECK(dynamics_accelerations(m, x));
    check_recursion(m, x);
    check_power(m, x, &s);
  }
  motion_destroy(x);
  carom_model_destroy(model);
}

static void any_number_of_modes_is_condensed(void) {
  for (int modes = 1; modes <= MOST_MODES; modes++) check_modes(false, modes), check_modes(true, modes);
}

// Matrices of 1 to 28 rows against plain sums. Numbers are small integers, so that all sums are exact.
static void products_are_added_to_the_upper_triangle(void) {
  enum { MOST = 7, PAIRS = 5, ROW = PACK * MOST };
  uint64_t seed = 5;
  for (int size = 1; size <= ROW; size++) {
    const int groups = pack_count(size), across = PACK * groups;
    pack left[PAIRS * MOST], right[PAIRS * MOST], from[ROW * MOST], to[ROW * MOST];
    for (int k = 0; k < PAIRS * across; k++) {
      ((double *)left)[k] = floor(random_between(&seed, -9, 9)),
               ((double *)right)[k] = floor(random_between(&seed, -9, 9));
    }
    for (int k = 0; k < across * across; k++) ((double *)from)[k] = floor(random_between(&seed, -9, 9));
    pack_add_products(groups, size, PAIRS, left, right, from, to);
    for (int i = 0; i < size; i++)
      for (int j = PACK * (i / PACK); j < across; j++) {
        double sum = ((const double *)from)[i * across + j];
        for (int k = 0; k < PAIRS; k++)
          sum += ((const double *)left)[k * across + i] * ((const double *)right)[k * across + j];
        CHECK(((const double *)to)[i * across + j] == sum);
      }
  }
}

int main(void) {
  RUN(products_are_added_to_the_upper_triangle);
  RUN(any_number_of_modes_is_condensed);
  return check_summary();
}
