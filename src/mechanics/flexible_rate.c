#include "mechanics/flexible_rate.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/lanczos.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/tree.h"

// The fastest oscillation is the largest eigenvalue of Lᵀ W L, with K = L Lᵀ of each body and W the modal block of M⁻¹.
// A product with it is one recursion over the tree, so that Lanczos's iteration finds it without forming the matrix.

// The modes of one body.
typedef struct modal_block {
  const node *of;
  int start;  // of its modes among those of all bodies
  double *L;
} modal_block;

typedef struct modal_list {
  const mechanism *m;
  motion *x;
  modal_block *blocks;
  int count, modes;         // of blocks, and of modes in all
  double *effort, *answer;  // of all speeds
} modal_list;

static bool list_modes(const mechanism *m, motion *x, arena *scratch, modal_list *l) {
  *l = (modal_list){.m = m, .x = x, .blocks = ARENA_ARRAY(scratch, modal_block, m->node_count)};
  l->effort = ARENA_ARRAY(scratch, double, m->nv), l->answer = ARENA_ARRAY(scratch, double, m->nv);
  for (int i = 1; i < m->node_count; i++) {
    const node *of = &m->nodes[i];
    if (!of->modes) continue;
    const size_t size = (size_t)of->modes * (size_t)of->modes;
    modal_block *b = &l->blocks[l->count++];
    *b = (modal_block){of, l->modes, ARENA_ARRAY(scratch, double, size)};
    memcpy(b->L, of->flex->stiffness, size * sizeof *b->L);
    if (!dense_cholesky(of->modes, b->L, of->modes, 0, NULL)) return false;
    l->modes += of->modes;
  }
  return true;
}

// y = Lᵀ W L v.
static void multiply(const modal_list *l, const double *v, double *y) {
  memset(l->effort, 0, (size_t)l->m->nv * sizeof *l->effort);
  for (int b = 0; b < l->count; b++) {
    const int n = l->blocks[b].of->modes;
    for (int i = 0; i < n; i++)
      for (int k = 0; k <= i; k++)
        l->effort[l->blocks[b].of->modal_v + i] += l->blocks[b].L[i * n + k] * v[l->blocks[b].start + k];
  }
  for (int i = 1; i < l->m->node_count; i++) memset(l->x->links[i].pA, 0, sizeof l->x->links[i].pA);
  tree_solve(l->m, l->x, l->effort, l->answer);
  for (int b = 0; b < l->count; b++) {
    const int n = l->blocks[b].of->modes;
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int i = k; i < n; i++) sum += l->blocks[b].L[i * n + k] * l->answer[l->blocks[b].of->modal_v + i];
      y[l->blocks[b].start + k] = sum;
    }
  }
}

static void multiply_list(void *context, const double *v, double *y) { multiply(context, v, y); }

// The largest eigenvalue and its unit vector y. Returns false if it is not positive.
static bool find_largest(modal_list *l, arena *scratch, double *value, double *y) {
  const int n = l->modes;
  symmetric unit = {.n = n};
  unit.start = ARENA_ARRAY(scratch, int, n + 1), unit.column = ARENA_ARRAY(scratch, int, n);
  unit.value = ARENA_ARRAY(scratch, double, n);
  for (int i = 0; i < n; i++) unit.start[i + 1] = i + 1, unit.column[i] = i, unit.value[i] = 1;
  lanczos of;
  lanczos_start(scratch, &unit, multiply_list, l, n, &of);
  if (lanczos_find(&of, 1, n) < 1 || !(of.values[0] > 0)) return false;
  *value = of.values[0];
  lanczos_vector(&of, 0, y);
  return true;
}

// The motion p with pᵀ K p = 1 has the mass 1/ω², and so the damping ratio ω pᵀ D p / 2.
static double damping_ratio(const modal_list *l, const double *y, double omega, double *p) {
  double sum = 0;
  for (int b = 0; b < l->count; b++) {
    const modal_block *block = &l->blocks[b];
    const int n = block->of->modes;
    for (int i = n - 1; i >= 0; i--) {  // p = L⁻ᵀ y
      p[i] = y[block->start + i];
      for (int k = i + 1; k < n; k++) p[i] -= block->L[k * n + i] * p[k];
      p[i] /= block->L[i * n + i];
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) sum += p[i] * block->of->flex->damping[i * n + j] * p[j];
  }
  return omega * sum / 2;
}

bool flexible_find_fastest(const mechanism *m, motion *x, arena *scratch, flexible_fastest *to) {
  modal_list l;
  *to = (flexible_fastest){0};
  if (!list_modes(m, x, scratch, &l)) return false;
  if (!l.modes) return true;
  double *y = ARENA_ARRAY(scratch, double, l.modes), *p = ARENA_ARRAY(scratch, double, l.modes), square;
  dynamics_positions_velocities(m, x);
  if (!tree_factor(m, x) || !find_largest(&l, scratch, &square, y)) return false;
  int most = 0, block = 0;
  for (int k = 1; k < l.modes; k++)
    if (fabs(y[k]) > fabs(y[most])) most = k;
  while (block + 1 < l.count && l.blocks[block + 1].start <= most) block++;
  const double omega = sqrt(square), ratio = damping_ratio(&l, y, omega, p);
  *to = (flexible_fastest){.omega = omega,
                           .rate = ratio > 1 ? omega * (ratio + sqrt(ratio * ratio - 1)) : omega,
                           .body = l.blocks[block].of->body,
                           .mode = most - l.blocks[block].start};
  x->level = LEVEL_NONE;
  return true;
}

static vec3 sum_of(const vec3 *per_mode, int modes, const double *q) {
  vec3 sum = VEC3_ZERO;
  for (int k = 0; k < modes; k++) sum = vec3_axpy(sum, q[k], per_mode[k]);
  return sum;
}

flexible_deformation flexible_largest_deformation(const node *n, const double *q) {
  flexible_deformation most = {0};
  for (int p = 0; p < n->flex->place_count; p++)
    most.turn = fmax(most.turn, vec3_norm(sum_of(n->flex->turns + p * n->modes, n->modes, q)));
  for (int p = 0; p < n->flex->strain_count; p++) {
    const vec3 s = sum_of(n->flex->strains + p * n->modes, n->modes, q);
    most.strain = fmax(most.strain, fabs(s.x) + hypot(s.y, s.z));
  }
  return most;
}
