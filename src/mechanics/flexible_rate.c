#include "mechanics/flexible_rate.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/eigen.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/tree.h"

// Modal speeds of all bodies, with K = L Lᵀ and D of each body.
typedef struct modal_list {
  int count;
  int *speed, *body, *mode;
  double *L, *D;  // count²
} modal_list;

static modal_list list_modes(const mechanism *m, arena *scratch) {
  modal_list l = {0};
  for (int i = 1; i < m->node_count; i++) l.count += m->nodes[i].modes;
  const int n = l.count;
  l.speed = ARENA_ARRAY(scratch, int, n), l.body = ARENA_ARRAY(scratch, int, n), l.mode = ARENA_ARRAY(scratch, int, n);
  l.L = ARENA_ARRAY(scratch, double, (long)n *n), l.D = ARENA_ARRAY(scratch, double, (long)n *n);
  for (int i = 1, at = 0; i < m->node_count; at += m->nodes[i++].modes)
    for (int k = 0; k < m->nodes[i].modes; k++) {
      const node *of = &m->nodes[i];
      l.speed[at + k] = of->modal_v + k, l.body[at + k] = of->body, l.mode[at + k] = k;
      memcpy(l.L + (long)(at + k) * n + at, of->flex->stiffness + k * of->modes, (size_t)of->modes * sizeof(double));
      memcpy(l.D + (long)(at + k) * n + at, of->flex->damping + k * of->modes, (size_t)of->modes * sizeof(double));
    }
  return l;
}

// Column k of M⁻¹ over the modal speeds.
static void respond(const mechanism *m, motion *x, const modal_list *l, int k, double *work, double *column) {
  double *effort = work, *answer = work + m->nv;
  memset(effort, 0, (size_t)m->nv * sizeof *effort);
  effort[l->speed[k]] = 1;
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  tree_solve(m, x, effort, answer);
  for (int i = 0; i < l->count; i++) column[i] = answer[l->speed[i]];
}

// A := Lᵀ W L, of which only the lower triangle of L is there.
static void weigh(int n, const double *L, const double *W, double *work, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      work[(long)i * n + j] = 0;
      for (int k = j; k < n; k++) work[(long)i * n + j] += W[(long)i * n + k] * L[(long)k * n + j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[(long)i * n + j] = 0;
      for (int k = i; k < n; k++) A[(long)i * n + j] += L[(long)k * n + i] * work[(long)k * n + j];
    }
}

// The motion p with pᵀ K p = 1 has the mass 1/ω², and so the damping ratio ω pᵀ D p / 2.
static double damping_ratio(int n, const double *L, const double *D, const double *y, double omega, double *p) {
  double sum = 0;
  for (int i = n - 1; i >= 0; i--) {  // p = L⁻ᵀ y
    p[i] = y[i];
    for (int k = i + 1; k < n; k++) p[i] -= L[(long)k * n + i] * p[k];
    p[i] /= L[(long)i * n + i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += p[i] * D[(long)i * n + j] * p[j];
  return omega * sum / 2;
}

bool flexible_find_fastest(const mechanism *m, motion *x, arena *scratch, flexible_fastest *to) {
  const modal_list l = list_modes(m, scratch);
  const int n = l.count;
  *to = (flexible_fastest){0};
  if (!n) return true;
  double *W = ARENA_ARRAY(scratch, double, (long)n *n), *A = ARENA_ARRAY(scratch, double, (long)n *n);
  double *work = ARENA_ARRAY(scratch, double, (long)n *n + 2L * m->nv), *values = ARENA_ARRAY(scratch, double, n);
  dynamics_positions_velocities(m, x);
  if (!tree_factor(m, x) || !dense_cholesky(n, l.L, n, 0, NULL)) return false;
  for (int k = 0; k < n; k++) respond(m, x, &l, k, work, W + (long)k * n);
  weigh(n, l.L, W, work, A);
  if (!eigen_symmetric(scratch, n, A, values) || !(values[n - 1] > 0)) return false;
  const double *y = A + (long)(n - 1) * n;
  int most = 0;
  for (int k = 1; k < n; k++)
    if (fabs(y[k]) > fabs(y[most])) most = k;
  const double omega = sqrt(values[n - 1]), ratio = damping_ratio(n, l.L, l.D, y, omega, work);
  *to = (flexible_fastest){.omega = omega,
                           .rate = ratio > 1 ? omega * (ratio + sqrt(ratio * ratio - 1)) : omega,
                           .body = l.body[most],
                           .mode = l.mode[most]};
  x->level = LEVEL_NONE;
  return true;
}

double flexible_largest_turn(const node *n, const double *q) {
  double most = 0;
  for (int p = 0; p < n->flex->place_count; p++) {
    vec3 turn = VEC3_ZERO;
    for (int k = 0; k < n->modes; k++) turn = vec3_axpy(turn, q[k], n->flex->turns[p * n->modes + k]);
    most = fmax(most, vec3_norm(turn));
  }
  return most;
}
