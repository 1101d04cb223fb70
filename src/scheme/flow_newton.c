#include "scheme/flow_newton.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/force.h"
#include "mechanics/tree.h"

// --- structure -------------------------------------------------------------------------------------------------------

// q' = N u node by node. Driven coordinates and speeds are functions of time, and nothing depends on accounts. Returns
// how many entries N has.
static int find_parts(flow_newton *f) {
  const mechanism *m = f->m;
  int count = 0, positions = 0;
  for (int i = 0; i < f->n; i++) f->part[i] = i < m->nq ? ODE_POSITION : ODE_STATE;
  for (int k = 0; k < f->powers; k++) f->part[m->nq + m->nv + k] = ODE_ACCOUNT;
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    f->part[m->nodes[m->joints[d->of.joint].node].q + d->of.index] = f->part[m->nq + d->speed] = ODE_GIVEN;
  }
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nq; k++) {
      if (f->part[n->q + k] != ODE_POSITION) continue;
      f->rate_start[positions++] = count;
      for (int v = 0; v < n->nv; v++, count++)
        if (f->rate_of) f->rate_of[count] = m->nq + n->v + v;
    }
    for (int k = 0; k < n->modes; k++, count++) {
      f->rate_start[positions++] = count;
      if (f->rate_of) f->rate_of[count] = m->nq + n->modal_v + k;
    }
  }
  f->rate_start[positions] = count;
  return count;
}

static void find_rates(void *context, const double *y, double *N) {
  const flow_newton *f = context;
  const mechanism *m = f->m;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    double unit[JOINT_MAX_FREEDOM] = {0}, rate[JOINT_MAX_COORDINATES];
    int rows = 0;
    for (int v = 0; v < n->nv; v++) {
      unit[v] = 1;
      joint_rates(n->type, m->planar, y + n->q, unit, rate);
      unit[v] = 0;
      rows = 0;
      for (int k = 0; k < n->nq; k++)
        if (f->part[n->q + k] == ODE_POSITION) N[rows++ * n->nv + v] = rate[k];
    }
    N += rows * n->nv;
    for (int k = 0; k < n->modes; k++) *N++ = 1;
  }
}

bool flow_newton_create(flow_newton *f, const mechanism *m, int n, int powers) {
  *f = (flow_newton){.m = m, .n = n, .powers = powers};
  f->part = calloc((size_t)n, sizeof *f->part);
  f->rate_start = calloc((size_t)m->nq + 1, sizeof *f->rate_start);
  if (!f->part || !f->rate_start) return false;
  f->rate_of = calloc((size_t)find_parts(f) + 1, sizeof *f->rate_of);
  if (!f->rate_of) return false;
  find_parts(f);
  f->structure = (ode_structure){
      .context = f, .part = f->part, .rate_start = f->rate_start, .rate_of = f->rate_of, .rates = find_rates};
  return true;
}

void flow_newton_destroy(flow_newton *f) {
  motion_destroy(f->beside);
  free(f->stiffness);
  free(f->part);
  free(f->rate_start);
  free(f->rate_of);
}

// --- preconditioner --------------------------------------------------------------------------------------------------

// With springs k and dampers c along the joints and the modes, u' changes by -M⁻¹ (c δu + k δq). So Newton's equations
// (1 - γ J) x = b are, but for what is not stiff,
//   x_q = b_q + γ N x_u,   x_u = b_u - (M + γ c + γ² k)⁻¹ (γ k b_q + (γ c + γ² k) b_u)
// and M + γ c + γ² k is factorised by the recursion of M, with these numbers added to its pivots and to I_ff of
// flexible bodies.

static int prepare(void *context, double t, const double *y, double gamma) {
  flow_newton *f = context;
  const mechanism *m = f->m;
  double *added = f->work;
  f->gamma = gamma;
  for (int v = 0; v < m->nv; v++) added[v] = gamma * (f->damping[v] + gamma * f->stiffness[v]);
  if (f->beside->flexible) flexible_relax(m, f->beside, (flexible_relaxation){gamma, gamma * gamma, 0});
  dynamics_set(m, f->beside, t, y, y + m->nq);
  dynamics_positions_velocities(m, f->beside);
  return tree_factor_held(m, f->beside, added) ? 0 : 1;
}

// -γ K b_q - (γ D + γ² K) b_u along mode k of a flexible body.
static double relax_mode(const node *n, int k, double gamma, const double *q, const double *u) {
  const double *K = n->flex->stiffness + k * n->modes, *D = n->flex->damping + k * n->modes;
  double sum = 0;
  for (int j = 0; j < n->modes; j++) sum -= gamma * (K[j] * (q[j] + gamma * u[j]) + D[j] * u[j]);
  return sum;
}

static int solve(void *context, double *x) {
  flow_newton *f = context;
  const mechanism *m = f->m;
  const double *added = f->work, gamma = f->gamma;
  double *u = x + m->nq, *tau = f->work + m->nv, *change = tau + m->nv, *rates = change + m->nv;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    memset(f->beside->links[i].pA, 0, sizeof f->beside->links[i].pA);
    for (int k = 0; k < n->nv; k++) {
      int v = n->v + k;
      tau[v] = f->stiffness[v] > 0 ? -gamma * f->stiffness[v] * x[n->q + k] : 0;  // of a joint without quaternions
      tau[v] -= added[v] * u[v];
    }
    for (int k = 0; k < n->modes; k++) tau[n->modal_v + k] = relax_mode(n, k, gamma, x + n->modal_q, u + n->modal_v);
  }
  tree_solve(m, f->beside, tau, change);
  for (int v = 0; v < m->nv; v++) u[v] += change[v];
  dynamics_rates(m, f->beside->q, u, rates);
  for (int i = 0; i < m->nq; i++)
    if (f->part[i] == ODE_POSITION) x[i] += gamma * rates[i];
  return 0;
}

// Where a Krylov iteration takes less time than a matrix by differences: chains of stiff hinges, 50 steps.
enum { LARGE = 64 };

bool flow_newton_precondition(flow_newton *f, const motion *x, carom_error *error) {
  const mechanism *m = f->m;
  if (m->nv < LARGE || m->row_count || m->friction_count || m->state_count) return true;
  f->stiffness = calloc(5 * (size_t)m->nv + (size_t)m->nq, sizeof *f->stiffness);
  if (!f->stiffness) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the integrator");
    return false;
  }
  f->damping = f->stiffness + m->nv, f->work = f->damping + m->nv;
  if (!forces_along_tree(m, f->stiffness, f->damping)) return true;
  f->beside = motion_create(m, x->inner_count - m->state_count, error);
  f->preconditioner = (ode_preconditioner){.context = f, .prepare = prepare, .solve = solve};
  return f->beside != NULL;
}
