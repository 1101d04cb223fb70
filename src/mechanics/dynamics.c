// The equations of motion  M u̇ + h = τ + Gᵀ λ,  G u̇ = γ.  M⁻¹ is the tree's recursion; multipliers come from
// W λ = γ - G u̇₀ with W = G M⁻¹ Gᵀ (response.h).
#include "mechanics/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanics/block.h"
#include "mechanics/centre.h"
#include "mechanics/constraint.h"
#include "mechanics/control.h"
#include "mechanics/coordinate.h"
#include "mechanics/crossing.h"
#include "mechanics/dca.h"
#include "mechanics/flexible.h"
#include "mechanics/force.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"
#include "mechanics/response.h"
#include "mechanics/signal.h"
#include "mechanics/tree.h"

// --- state -----------------------------------------------------------------------------------------------------------

static void apply_drives(const mechanism *m, motion *x) {
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    const node *n = &m->nodes[m->joints[d->of.joint].node];
    jet f = function_jet(&d->f, function_time(x));
    x->q[n->q + d->of.index] = f.v;
    x->u[d->speed] = f.d;
    x->drive_udot[d->speed] = f.dd;
  }
}

void dynamics_set(const mechanism *m, motion *x, double t, const double *q, const double *u) {
  x->t = t;
  memmove(x->q, q, (size_t)m->nq * sizeof *q);  // q and u may be the motion's own
  memmove(x->u, u, (size_t)m->nv * sizeof *u);
  apply_drives(m, x);
  x->level = LEVEL_NONE;
}

void dynamics_rates(const mechanism *m, const double *q, const double *u, double *qdot) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    joint_rates(n->type, m->planar, q + n->q, u + n->v, qdot + n->q);
    for (int k = 0; k < n->modes; k++) qdot[n->modal_q + k] = u[n->modal_v + k];
  }
}

typedef struct move_job {
  const mechanism *m;
  double *q;
  const double *delta;
} move_job;

static void move_nodes(void *context, int from, int to) {
  const move_job *job = context;
  for (int i = from + 1; i <= to; i++) {
    const node *n = &job->m->nodes[i];
    if (n->off_centre) centre_move(job->m, n, job->q + n->q, job->delta + n->v);
    else joint_move(n->type, job->m->planar, job->q + n->q, job->delta + n->v);
    for (int k = 0; k < n->modes; k++) job->q[n->modal_q + k] += job->delta[n->modal_v + k];
  }
}

static void move_by(const crew *crew, const mechanism *m, double *q, const double *delta) {
  if (m->nq == m->nv && !m->off_centre) {  // no quaternions
    for (int i = 0; i < m->nv; i++) q[i] += delta[i];
    return;
  }
  crew_run(crew, m->node_count - 1, TREE_SHARE, move_nodes, &(move_job){m, q, delta});
}

void dynamics_move(const mechanism *m, double *q, const double *delta) { move_by(NULL, m, q, delta); }
void dynamics_move_shared(const mechanism *m, const motion *x, double *q, const double *delta) {
  move_by(x->crew, m, q, delta);
}

void dynamics_normalize(const mechanism *m, double *q) {
  for (int i = 1; i < m->node_count; i++) joint_normalize(m->nodes[i].type, m->planar, q + m->nodes[i].q);
}

// --- levels ----------------------------------------------------------------------------------------------------------

bool dynamics_positions_velocities(const mechanism *m, motion *x) {
  if (x->level >= LEVEL_VELOCITY) return true;
  tree_kinematics(m, x);
  coordinate_update(m, x);
  if (m->row_count) constraints_evaluate(m, x);
  x->level = LEVEL_VELOCITY;
  return true;
}

BLOCK void apply_weights(const int w, const mechanism *m, motion *x) {
  vec3 g = m->gravity;
  for (int i = 1; i < m->node_count; i++) {
    double mass = m->nodes[i].mass, *F = x->links[i].F;
    const double *mk = x->links[i].mk;
    if (w == 3) {
      F[0] = mk[0] * g.y - mk[1] * g.x, F[1] = mass * g.x, F[2] = mass * g.y;
    } else {
      vec3_store(F, vec3_cross(vec3_of(mk), g));
      vec3_store(F + 3, vec3_scale(mass, g));
    }
  }
}

void dynamics_apply_forces(const mechanism *m, motion *x) {
  if (m->planar) apply_weights(3, m, x);
  else apply_weights(6, m, x);
  for (int i = 0; i < m->nv; i++) x->tau[i] = 0;
  memset(x->powers, 0, sizeof x->powers);
  memset(x->potentials, 0, sizeof x->potentials);
  if (x->flexible) flexible_apply(m, x);
  if (m->control_count || m->state_count) control_update(m, x);
  for (int i = 0; i < m->force_count; i++) m->forces[i].type->apply(m, x, &m->forces[i]);
  for (int i = 0; i < m->friction_count; i++)
    if (x->friction_effort[i] != 0) coordinate_push(m, x, m->frictions[i].of, x->friction_effort[i]);
  if (x->push) x->push(x->push_context, m, x);
}

void dynamics_force_powers(const mechanism *m, motion *x, const double *u, double powers[POWER_COUNT]) {
  memset(powers, 0, POWER_COUNT * sizeof *powers);
  tree_spread(m, x, u);
  if (x->flexible) powers[POWER_DAMPER] = flexible_damping_power(m, x, u);
  for (int i = 0; i < m->force_count; i++) m->forces[i].type->power(m, x, &m->forces[i], u, powers);
}

// `again`: W is factorised already.
static bool constrain(const mechanism *m, motion *x, bool again) {
  if (!m->row_count) return true;
  double *rhs = x->row_work[0], alpha = x->baumgarte_alpha, beta = x->baumgarte_beta;
  for (int i = 0; i < m->row_count; i++) rhs[i] = -constraint_row_acceleration(m, x, &x->rows[i]);
  if (alpha > 0 || beta > 0)
    for (int i = 0; i < m->row_count; i++)
      rhs[i] -= 2 * alpha * constraint_row_rate(m, x, &x->rows[i]) + beta * beta * x->rows[i].phi;
  if (!again && !response_factor_constraints(m, x)) return false;
  response_solve_constraints(m, x, rhs, x->lambda);
  if (crossing_is_near(m, x) && !crossing_correct_forces(m, x)) return false;
  constraint_push(m, x, x->lambda, m->row_count);
  response_forward(m, x);
  return true;
}

// The effort of a drive in the tree closes the balance  M u̇ + h - τ - Gᵀ λ  along its speed; that of a drive which a
// constraint stands for is the multiplier.
void dynamics_drive_efforts(const mechanism *m, motion *x, const double *effort) {
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) {
      x->drive_effort[i] = x->lambda[m->constraints[d->constraint].row0];
      continue;
    }
    if (!effort) effort = x->speed_work[0], tree_inverse(m, x, x->udot, x->speed_work[0]);
    x->drive_effort[i] = effort[d->speed] - x->tau[d->speed];
  }
}

double dynamics_drive_power_at(const mechanism *m, const motion *x, const double *u) {
  double power = 0;
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].speed >= 0) power += dynamics_drive_power(x, i, u[m->drives[i].speed]);
  return power;
}

// A moving constraint works on the system with power λᵀ G u = -λᵀ Φ_t.
void dynamics_book_drives(const mechanism *m, motion *x, const double *effort) {
  if (!m->drive_count && !m->row_count) return;
  dynamics_drive_efforts(m, x, effort);
  x->powers[POWER_DRIVE] += dynamics_drive_power_at(m, x, x->u);
  for (int i = 0; i < m->row_count; i++) x->powers[POWER_DRIVE] -= x->lambda[i] * x->rows[i].phi_t;
}

// Zero times a number that is not finite is none; four of them at a time.
static bool are_finite(int n, const double *x) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  for (; i < n; i++) sum[0] += 0 * x[i];
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

static bool accelerate(const mechanism *m, motion *x, bool again) {
  dynamics_positions_velocities(m, x);
  dynamics_apply_forces(m, x);
  if (again) response_forward(m, x);
  else if (!response_factor_forward(m, x)) return false;
  if (!constrain(m, x, again)) return false;
  dynamics_book_drives(m, x, NULL);
  if (!are_finite(m->nv, x->udot)) return false;
  x->level = LEVEL_ACCELERATION;
  return true;
}

bool dynamics_accelerations(const mechanism *m, motion *x) {
  return x->level >= LEVEL_ACCELERATION || accelerate(m, x, false);
}

bool dynamics_accelerations_again(const mechanism *m, motion *x) { return accelerate(m, x, !crossing_is_near(m, x)); }

static void closure_reaction(const mechanism *m, const motion *x, const constraint *c, vec3 *force, vec3 *torque) {
  vec3 f = VEC3_ZERO, n = VEC3_ZERO;  // about the second body's origin
  for (int k = 0; k < c->row_count; k++) {
    const row *r = &x->rows[c->row0 + k];
    const double *J = x->row_bodies[r->body0 + 1].J, lambda = x->lambda[c->row0 + k];
    f = vec3_axpy(f, lambda, block_linear(m, J));
    n = vec3_axpy(n, lambda, block_angular(m, J));
  }
  marker_state b = marker_read(m, x, c->second);
  *force = f;
  *torque = anchor_torque(&b.anchor, f, n);
}

void dynamics_reaction(const mechanism *m, const motion *x, int index, vec3 *force, vec3 *torque) {
  const joint *j = &m->joints[index];
  *force = VEC3_ZERO, *torque = VEC3_ZERO;  // no copy of the other, which would wait until that is written
  if (j->node < 0) {
    if (j->constraint >= 0) closure_reaction(m, x, &m->constraints[j->constraint], force, torque);
    return;
  }
  // links[].pA is what the parent exerts on the node, about the node's origin
  const node *n = &m->nodes[j->node];
  const tree_link *l = &x->links[j->node];
  vec3 f = block_linear(m, l->pA);
  anchor at = anchor_at(x, j->node, marker_find(m, x, j->second).p);
  vec3 at_marker = anchor_torque(&at, f, block_angular(m, l->pA));
  double sign = n->reversed ? -1 : 1;
  *force = vec3_scale(sign, f);
  *torque = vec3_scale(sign, at_marker);
  coordinate_take_efforts(m, x, index, force, torque);
}

static void collect_reactions(const mechanism *m, motion *x) {
  for (int i = 0; i < m->joint_count; i++) {
    vec3 force, torque;
    dynamics_reaction(m, x, i, &force, &torque);
    vec3_store(x->result.reaction + 6 * i, force);
    vec3_store(x->result.reaction + 6 * i + 3, torque);
  }
}

static void collect_accelerations(const mechanism *m, motion *x) {
  for (int i = 1; i < m->body_count; i++) {
    const double *A = x->links[m->bodies[i].node].A;
    vec3_store(x->result.acceleration + 6 * i, block_linear(m, A));
    vec3_store(x->result.acceleration + 6 * i + 3, block_angular(m, A));
  }
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].name) {
      marker_state s = marker_read(m, x, i);
      vec3_store(x->result.marker_acceleration + 3 * i, anchor_acceleration(m, x, &s.anchor));
    }
}

void dynamics_results(const mechanism *m, motion *x) {
  motion_result *r = &x->result;
  tree_inverse(m, x, x->udot, x->speed_work[0]);
  if (m->dca) dca_transmit(m, x);
  coordinate_measure(m, x);
  coordinate_accelerations(m, x);
  memcpy(r->udot, x->udot, (size_t)m->nv * sizeof *r->udot);
  memcpy(r->joint_udot, x->joint_udot, (size_t)m->joint_nv * sizeof *r->joint_udot);
  memcpy(r->lambda, x->lambda, (size_t)m->row_count * sizeof *r->lambda);
  memcpy(r->force_outputs, x->force_outputs, (size_t)m->force_output_count * sizeof *r->force_outputs);
  memcpy(r->friction_effort, x->friction_effort, (size_t)m->friction_count * sizeof *r->friction_effort);
  memcpy(r->friction_slip, x->friction_slip, (size_t)m->friction_count * sizeof *r->friction_slip);
  for (int i = 0; i < m->drive_count; i++) {
    r->drive_effort[i] = x->drive_effort[i];
    r->drive_power[i] = dynamics_drive_power(x, i, coordinate_rate(m, x, m->drives[i].of));
  }
  collect_reactions(m, x);
  collect_accelerations(m, x);
}

void dynamics_energies(const mechanism *m, motion *x) {
  x->potentials[POTENTIAL_GRAVITY] = tree_gravity_energy(m, x);
  x->kinetic = tree_kinetic_energy(m, x);
  x->level = LEVEL_REACTION;
}

void dynamics_show_state(const mechanism *m, motion *x) {
  dynamics_positions_velocities(m, x);
  coordinate_measure(m, x);
  dynamics_apply_forces(m, x);
  dynamics_energies(m, x);
}

bool dynamics_instant(const mechanism *m, motion *x) {
  if (!dynamics_accelerations(m, x)) return false;
  dynamics_results(m, x);
  dynamics_energies(m, x);
  return true;
}

// --- projection ------------------------------------------------------------------------------------------------------

static bool respond_at_position(const mechanism *m, motion *x) {
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  return response_factor(m, x);
}

// Where positions, velocities and constraints are evaluated.
static const double *step_from_here(const mechanism *m, motion *x) {
  if (!response_factor(m, x) || !response_factor_constraints(m, x)) return NULL;
  double *rhs = x->row_work[0];
  for (int i = 0; i < m->row_count; i++) rhs[i] = -x->rows[i].phi;
  response_solve_constraints(m, x, rhs, rhs);
  return response_to(m, x, rhs, m->row_count);
}

const double *dynamics_position_step(const mechanism *m, motion *x) {
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  return step_from_here(m, x);
}

// One Newton step always, also from within the tolerance: to move some states and not others would be a jump as large
// as the tolerance, which an integrator's error test sees and no shorter step makes smaller. `crossed` (may be null)
// allows to go onto the branch of a crossing, velocities too, and tells that it was done.
static bool project_positions(const mechanism *m, motion *x, double tolerance, int max_iterations, bool *crossed) {
  for (int turn = 0;; turn++) {
    x->level = LEVEL_NONE;
    dynamics_positions_velocities(m, x);
    double violation = constraints_excess(m, x);
    if (turn > 0 && violation <= tolerance) return true;
    if (turn == max_iterations || !isfinite(violation)) return false;
    const double *step = step_from_here(m, x);
    if (step && turn == 0 && crossed && crossing_is_near(m, x)) {
      if (crossing_project(m, x)) return *crossed = true;
      step = dynamics_position_step(m, x);
    }
    if (!step) return false;
    dynamics_move(m, x->q, step);
  }
}

bool dynamics_project_positions(const mechanism *m, motion *x, double tolerance, int max_iterations) {
  return !m->row_count || project_positions(m, x, tolerance, max_iterations, NULL);
}

// Where positions, velocities and constraints are evaluated. The motion is not evaluated at its new velocities.
static bool project_velocities(const mechanism *m, motion *x) {
  if (!response_factor(m, x) || !response_factor_constraints(m, x)) return false;
  double *rhs = x->row_work[0];
  for (int i = 0; i < m->row_count; i++) rhs[i] = -constraint_row_rate(m, x, &x->rows[i]);
  response_solve_constraints(m, x, rhs, rhs);
  const double *step = response_to(m, x, rhs, m->row_count);
  for (int i = 0; i < m->nv; i++) x->u[i] += step[i];
  x->level = LEVEL_NONE;
  return true;
}

bool dynamics_project_velocities(const mechanism *m, motion *x) {
  if (!m->row_count) return true;
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  return project_velocities(m, x) && dynamics_positions_velocities(m, x);
}

bool dynamics_project(const mechanism *m, motion *x, double tolerance, int max_iterations) {
  bool crossed = false;
  if (!m->row_count) return true;
  return project_positions(m, x, tolerance, max_iterations, &crossed) && (crossed || project_velocities(m, x));
}

// Inward along the tree: a wrench on a body works on every speed between it and ground.
void dynamics_transposed_rows(const mechanism *m, motion *x, const double *mu, int row_count, double *out) {
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  for (int i = 0; i < row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (t->node != GROUND) block_axpy(m->n, mu[i], t->J, x->links[t->node].pA);
    }
    for (int k = 0; k < r->speed_count; k++)
      out[x->row_speeds[r->speed0 + k].speed] += mu[i] * x->row_speeds[r->speed0 + k].c;
  }
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->nv; k++) out[n->v + k] += block_dot(m->n, x->S + 6 * (n->v + k), x->links[i].pA);
    if (n->parent == GROUND) continue;
    for (int k = 0; k < flexible_carriers(m, x, i); k++)
      out[m->nodes[n->parent].modal_v + k] += flexible_carried_effort(m, x, i, k, x->links[i].pA);
    if (m->planar) block_shift_force(3, x->links[i].r, x->links[i].pA, x->links[n->parent].pA);
    else block_shift_force(6, x->links[i].r, x->links[i].pA, x->links[n->parent].pA);
  }
}

int dynamics_constraint_rank(const mechanism *m, motion *x) {
  return m->row_count && respond_at_position(m, x) ? response_rank(m, x) : 0;
}

void dynamics_explain(const mechanism *m, const motion *x, char *text, int size) {
  if (x->singular_node) {
    const node *n = &m->nodes[x->singular_node];
    if (n->joint < 0)
      snprintf(text, (size_t)size, "body '%s' has no mass or no inertia, and %s need both", m->bodies[n->body].name,
               m->absolute ? "absolute coordinates" : "bodies held only by clearance joints");
    else
      snprintf(text, (size_t)size, "body '%s' and the bodies attached to it have no inertia along joint '%s'",
               m->bodies[n->body].name, m->joints[n->joint].name);
    return;
  }
  snprintf(text, (size_t)size, "the accelerations are not finite at t = %g s", x->t);
}

const char *dynamics_strongest_constraint(const mechanism *m, motion *x) {
  const char *name = NULL;
  const double *scale = response_scales(x);
  double most = 0;
  if (!m->row_count) return NULL;
  x->level = LEVEL_NONE;  // those of contacts would take part
  memset(x->lambda, 0, (size_t)m->row_count * sizeof *x->lambda);
  (void)dynamics_accelerations(m, x);  // in a singular position there may be none, but there are reactions beside it
  for (int i = 0; i < m->constraint_count; i++)
    for (int k = m->constraints[i].row0; k < m->constraints[i].row0 + m->constraints[i].row_count; k++) {
      double speed = scale[k] > 0 ? fabs(x->lambda[k]) / scale[k] : 0;  // λ √W
      if (speed > most) most = speed, name = m->constraints[i].name;
    }
  return name;
}
