// The equations of motion  M u̇ + h = τ + Gᵀ λ,  G u̇ = γ.  M⁻¹ is the tree's recursion; multipliers come from
// W λ = γ - G u̇₀ with W = G M⁻¹ Gᵀ.
//
// W is singular where constraints are redundant. It is solved by the proximal iteration
//   (W + μ) δ = r - W λ,  λ += δ
// from λ = 0 on rows scaled to a unit diagonal: λ stays in the range of W, so it converges to the multipliers of least
// norm, and an eigenvalue σ of W contracts its error by μ/(σ + μ) a turn. Consistent redundant rows cost nothing.
#include "mechanics/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "mechanics/block.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"
#include "mechanics/tree.h"

// Far above rounding (1e-16) and far below the eigenvalues of a regular mechanism: ten turns then resolve eigenvalues
// down to 1e-9 of the diagonal.
static const double PROX = 1e-10;
enum { PROX_TURNS = 12 };
// A row's diagonal this far below that of moving the whole mechanism is no mobility: rounding leaves 1e-16 times the
// ratio of the heaviest body to the lightest, a real row at least the square of a lever of 1e-5.
static const double IMMOBILE = 1e-10;
// A pivot below this, on a unit diagonal, is a redundant row: the square of the rounding of a Jacobian (1e-8)² would
// be 1e-16; real mechanisms near a singular position stay above 1e-10.
static const double RANK_TOLERANCE = 1e-11;

// --- creation -----------------------------------------------------------------------------------------------------

static void allocate(const mechanism *m, motion *x) {
  arena *a = &x->memory;
  int nv = m->nv ? m->nv : 1, nc = m->row_count ? m->row_count : 1;
  x->q = ARENA_ARRAY(a, double, m->nq + 1);
  x->u = ARENA_ARRAY(a, double, nv);
  x->udot = ARENA_ARRAY(a, double, nv);
  x->tau = ARENA_ARRAY(a, double, nv);
  x->drive_udot = ARENA_ARRAY(a, double, nv);
  x->reduced = ARENA_ARRAY(a, double, nv);
  for (int i = 0; i < 2; i++) x->speed_work[i] = ARENA_ARRAY(a, double, nv);
  x->joint_q = ARENA_ARRAY(a, double, m->joint_nq + 1);
  x->joint_u = ARENA_ARRAY(a, double, m->joint_nv + 1);
  x->joint_udot = ARENA_ARRAY(a, double, m->joint_nv + 1);
  x->links = ARENA_ARRAY(a, tree_link, m->node_count);
  x->S = ARENA_ARRAY(a, double, 6 * nv);
  x->U = ARENA_ARRAY(a, double, 6 * nv);
  x->factor = ARENA_ARRAY(a, double, m->factor_size + 1);
  x->lambda = ARENA_ARRAY(a, double, nc);
  x->scale = ARENA_ARRAY(a, double, nc);
  for (int i = 0; i < 4; i++) x->row_work[i] = ARENA_ARRAY(a, double, nc);
  long entries = m->sparse ? m->pattern_start[m->row_count] : (long)m->row_count * m->row_count;
  x->delassus = ARENA_ARRAY(a, double, entries + 1);
  x->delassus_factor = ARENA_ARRAY(a, double, entries + 1);
  x->slots = ARENA_ARRAY(a, double, m->signal_count + 64);
  x->force_outputs = ARENA_ARRAY(a, double, m->force_output_count + 1);
  x->drive_effort = ARENA_ARRAY(a, double, m->drive_count + 1);
}

static void add_base(const mechanism *m, motion *x, row *r, int index) {
  if (index == GROUND) return;
  int base = m->nodes[index].base, *bases = x->row_bases + r->base0;
  for (int i = 0; i < r->base_count; i++)
    if (bases[i] == base) return;
  bases[r->base_count++] = base;
}

// The trees on ground that a row touches, each once.
static void bind_bases(const mechanism *m, motion *x, row *r, int first) {
  r->base0 = first;
  r->base_count = 0;
  for (int k = 0; k < r->body_count; k++) add_base(m, x, r, x->row_bodies[r->body0 + k].node);
  for (int k = 0; k < r->speed_count; k++) add_base(m, x, r, m->speed_node[x->row_speeds[r->speed0 + k].speed]);
}

void motion_lay_rows(const mechanism *m, motion *x, arena *memory) {
  x->rows = ARENA_ARRAY(memory, row, m->row_count + 1);
  x->row_bodies = ARENA_ARRAY(memory, row_body, m->row_body_count + 1);
  x->row_speeds = ARENA_ARRAY(memory, row_speed, m->row_speed_count + 1);
  x->row_bases = ARENA_ARRAY(memory, int, m->row_body_count + m->row_speed_count + 1);
  int body = 0, speed = 0;
  for (int i = 0; i < m->constraint_count; i++) {
    const constraint *c = &m->constraints[i];
    for (int k = 0; k < c->row_count; k++) {
      row *r = &x->rows[c->row0 + k];
      r->body0 = body, r->body_count = constraint_body_terms(m, c);
      r->speed0 = speed, r->speed_count = constraint_speed_terms(m, c);
      body += r->body_count, speed += r->speed_count;
    }
    constraint_bind(m, x, c);
  }
  for (int i = 0, used = 0; i < m->row_count; used += x->rows[i++].base_count) bind_bases(m, x, &x->rows[i], used);
}

motion *motion_create(const mechanism *m, carom_error *error) {
  jmp_buf out_of_memory;
  motion *volatile x = calloc(1, sizeof *x);
  if (!x || setjmp(out_of_memory)) {
    motion_destroy(x);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the state of %d bodies", m->body_count - 1);
    return NULL;
  }
  x->memory = arena_create(&out_of_memory);
  allocate(m, x);
  motion_lay_rows(m, x, &x->memory);
  x->memory.out_of_memory = NULL;  // nothing allocates from here on
  x->links[GROUND].R = MAT3_IDENTITY;
  for (int i = 0; i < m->joint_count; i++) joint_reset(m->joints[i].type, m->planar, x->joint_q + m->joints[i].q);
  if (m->sparse) {
    x->sparse = sparse_factor_create(m->row_count, m->pattern_start, m->pattern_row);
    if (!x->sparse) {
      motion_destroy(x);
      error_set(error, CAROM_ERROR_MEMORY, "out of memory for the constraint equations");
      return NULL;
    }
  }
  return x;
}

void motion_destroy(motion *x) {
  if (!x) return;
  sparse_factor_destroy(x->sparse);
  arena_free(&x->memory);
  free(x);
}

// --- state --------------------------------------------------------------------------------------------------------

static void apply_drives(const mechanism *m, motion *x) {
  for (int i = 0; i < m->drive_count; i++) {
    const drive *d = &m->drives[i];
    if (d->speed < 0) continue;
    const node *n = &m->nodes[m->joints[d->of.joint].node];
    jet f = function_jet(&d->f, x->t);
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
  }
}

void dynamics_move(const mechanism *m, double *q, const double *delta) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    joint_move(n->type, m->planar, q + n->q, delta + n->v);
  }
}

void dynamics_normalize(const mechanism *m, double *q) {
  for (int i = 1; i < m->node_count; i++) joint_normalize(m->nodes[i].type, m->planar, q + m->nodes[i].q);
}

// --- W = G M⁻¹ Gᵀ -------------------------------------------------------------------------------------------------

// M⁻¹ times one row: accelerations of the bodies (links[].A) and speeds (out) in the bases the row touches.
static void respond_to_row(const mechanism *m, motion *x, const row *r, double *tau, double *out) {
  const int *bases = x->row_bases + r->base0;
  for (int b = 0; b < r->base_count; b++)
    for (int k = m->base_start[bases[b]]; k < m->base_start[bases[b] + 1]; k++)
      memset(x->links[m->base_nodes[k]].pA, 0, sizeof x->links[0].pA);
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node != GROUND) block_axpy(m->n, -1, t->J, x->links[t->node].pA);
  }
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] += x->row_speeds[r->speed0 + k].c;
  for (int b = 0; b < r->base_count; b++) tree_solve_base(m, x, bases[b], tau, out);
  for (int k = 0; k < r->speed_count; k++) tau[x->row_speeds[r->speed0 + k].speed] = 0;
}

// Another row's rate under that response; bodies and speeds outside the bases of `mover` do not move.
static double rate_under_response(const mechanism *m, const motion *x, const row *mover, const row *r,
                                  const double *out) {
  const int *bases = x->row_bases + mover->base0;
  double sum = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    if (t->node == GROUND) continue;
    for (int b = 0; b < mover->base_count; b++)
      if (bases[b] == m->nodes[t->node].base) sum += block_dot(m->n, t->J, x->links[t->node].A);
  }
  for (int k = 0; k < r->speed_count; k++) {
    const row_speed *t = &x->row_speeds[r->speed0 + k];
    sum += t->c * out[t->speed];
  }
  return sum;
}

// Rows with speed terms read `out` anywhere, so what one row moved must not be there for the next.
static void forget_response(const mechanism *m, const motion *x, const row *mover, double *out) {
  for (int b = 0; b < mover->base_count; b++) {
    int base = x->row_bases[mover->base0 + b];
    for (int k = m->base_start[base]; k < m->base_start[base + 1]; k++) {
      const node *n = &m->nodes[m->base_nodes[k]];
      memset(out + n->v, 0, (size_t)n->nv * sizeof *out);
    }
  }
}

static void form_delassus(const mechanism *m, motion *x) {
  int nc = m->row_count;
  double *tau = x->speed_work[0], *out = x->speed_work[1];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int j = 0; j < nc; j++) {
    const row *mover = &x->rows[j];
    respond_to_row(m, x, mover, tau, out);
    if (m->sparse) {
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
        x->delassus[k] = rate_under_response(m, x, mover, &x->rows[m->pattern_row[k]], out);
    } else {
      for (int i = j; i < nc; i++)
        x->delassus[i * nc + j] = x->delassus[j * nc + i] = rate_under_response(m, x, mover, &x->rows[i], out);
    }
    if (m->row_speed_count) forget_response(m, x, mover, out);
  }
}

static double diagonal(const mechanism *m, const motion *x, int j) {
  if (!m->sparse) return x->delassus[j * m->row_count + j];
  for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
    if (m->pattern_row[k] == j) return x->delassus[k];
  return 0;
}

// All there is to move, as a mass: bodies and, for those with inertia alone, their inertia at a typical distance.
static double total_mass(const mechanism *m, double length) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const double *J = m->nodes[i].inertia;
    sum += m->nodes[i].mass + (m->planar ? J[2] : J[0] + J[1] + J[2]) / (length * length);
  }
  return sum;
}

// The diagonal of W for a row that had to move the whole mechanism. One far below this is rounding of a zero.
static double least_mobility(const mechanism *m, const motion *x, const row *r, double mass, double length) {
  double sum = 0;
  for (int k = 0; k < r->body_count; k++) {
    const row_body *t = &x->row_bodies[r->body0 + k];
    vec3 w = block_angular(m, t->J), v = block_linear(m, t->J);
    if (t->node != GROUND) sum += vec3_dot(v, v) + vec3_dot(w, w) / (length * length);
  }
  for (int k = 0; k < r->speed_count; k++) {
    double c = x->row_speeds[r->speed0 + k].c;
    sum += c * c / fmax(1, length * length);
  }
  return sum / mass;
}

// Scales W to a unit diagonal in place and factorises W + μ.
static bool factor_delassus(const mechanism *m, motion *x) {
  int nc = m->row_count;
  double length = m->length > 0 ? m->length : 1, mass = total_mass(m, length);
  for (int j = 0; j < nc; j++) {
    double d = diagonal(m, x, j);
    // a row nothing can move (its freedoms driven, or none in the tree along it) is left alone
    bool moves = d > IMMOBILE * least_mobility(m, x, &x->rows[j], mass, length);
    x->scale[j] = moves ? 1 / sqrt(d) : 0;
  }
  if (m->sparse) {
    for (int j = 0; j < nc; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) {
        int i = m->pattern_row[k];
        x->delassus[k] *= x->scale[i] * x->scale[j];
        x->delassus_factor[k] = x->delassus[k] + (i == j ? PROX : 0);
      }
    return sparse_factorize(x->sparse, x->delassus_factor);
  }
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) {
      x->delassus[i * nc + j] *= x->scale[i] * x->scale[j];
      x->delassus_factor[i * nc + j] = x->delassus[i * nc + j] + (i == j ? PROX : 0);
    }
  return dense_cholesky(nc, x->delassus_factor, nc, 0);
}

static void delassus_residual(const mechanism *m, const motion *x, const double *rhs, const double *z, double *r) {
  int nc = m->row_count;
  for (int i = 0; i < nc; i++) r[i] = rhs[i];
  if (m->sparse) {
    for (int j = 0; j < nc; j++)
      for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++) r[m->pattern_row[k]] -= x->delassus[k] * z[j];
    return;
  }
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) r[i] -= x->delassus[i * nc + j] * z[j];
}

static double largest(const double *v, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// lambda := W⁻¹ rhs (of least norm in scaled rows). Stops at rounding of the residual's own terms, or when a turn no
// longer halves it: the rest lies in directions the constraints do not have.
static void solve_delassus(const mechanism *m, motion *x, const double *rhs, double *lambda) {
  int nc = m->row_count;
  double *b = x->row_work[1], *r = x->row_work[2], *z = x->row_work[3];
  for (int i = 0; i < nc; i++) b[i] = x->scale[i] * rhs[i], z[i] = 0;
  double target = 1e-15 * largest(b, nc), before = INFINITY;
  memcpy(r, b, (size_t)nc * sizeof *r);
  for (int turn = 0; turn < PROX_TURNS; turn++) {
    double size = largest(r, nc);
    if (!(size > target) || !(size < 0.5 * before)) break;
    before = size;
    if (m->sparse)
      sparse_solve(x->sparse, r);
    else
      dense_cholesky_solve(nc, x->delassus_factor, nc, r);
    for (int i = 0; i < nc; i++) z[i] += r[i];
    delassus_residual(m, x, b, z, r);
  }
  for (int i = 0; i < nc; i++) lambda[i] = x->scale[i] * z[i];
}

// --- levels -------------------------------------------------------------------------------------------------------

bool dynamics_positions_velocities(const mechanism *m, motion *x) {
  if (x->level >= LEVEL_VELOCITY) return true;
  tree_kinematics(m, x);
  coordinate_update(m, x);
  if (m->row_count) constraints_evaluate(m, x);
  x->level = LEVEL_VELOCITY;
  return true;
}

void dynamics_apply_forces(const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    tree_link *l = &x->links[i];
    vec3 weight = vec3_scale(n->mass, m->gravity);
    block_store(m, l->F, vec3_cross(mat3_mul(l->R, n->com), weight), weight);
  }
  memset(x->tau, 0, (size_t)m->nv * sizeof *x->tau);
  memset(x->powers, 0, sizeof x->powers);
  memset(x->potentials, 0, sizeof x->potentials);
  for (int i = 0; i < m->force_count; i++) m->forces[i].type->apply(m, x, &m->forces[i]);
}

static bool constrain(const mechanism *m, motion *x) {
  if (!m->row_count) return true;
  double *rhs = x->row_work[0], alpha = x->baumgarte_alpha, beta = x->baumgarte_beta;
  for (int i = 0; i < m->row_count; i++) rhs[i] = -constraint_row_acceleration(m, x, &x->rows[i]);
  if (alpha > 0 || beta > 0)
    for (int i = 0; i < m->row_count; i++)
      rhs[i] -= 2 * alpha * constraint_row_rate(m, x, &x->rows[i]) + beta * beta * x->rows[i].phi;
  form_delassus(m, x);
  if (!factor_delassus(m, x)) return false;
  solve_delassus(m, x, rhs, x->lambda);
  constraint_push(m, x, x->lambda);
  tree_forward(m, x);
  return true;
}

// A rheonomic constraint works on the system with power λᵀ G u = -λᵀ Φ_t; a driven speed with its effort times its rate.
static void book_drives(const mechanism *m, motion *x) {
  bool any_in_tree = false;
  for (int i = 0; i < m->row_count; i++) x->powers[POWER_DRIVE] -= x->lambda[i] * x->rows[i].phi_t;
  for (int i = 0; i < m->drive_count; i++) {
    if (m->drives[i].speed >= 0)
      any_in_tree = true;
    else
      x->drive_effort[i] = x->lambda[m->constraints[m->drives[i].constraint].row0];
  }
  if (!any_in_tree) return;
  double *effort = x->speed_work[0];
  tree_inverse(m, x, x->udot, effort);
  for (int i = 0; i < m->drive_count; i++) {
    int v = m->drives[i].speed;
    if (v < 0) continue;
    x->drive_effort[i] = effort[v] - x->tau[v];
    x->powers[POWER_DRIVE] += x->drive_effort[i] * x->u[v];
  }
}

bool dynamics_accelerations(const mechanism *m, motion *x) {
  if (x->level >= LEVEL_ACCELERATION) return true;
  dynamics_positions_velocities(m, x);
  dynamics_apply_forces(m, x);
  if (!tree_factor(m, x)) return false;
  tree_forward(m, x);
  if (!constrain(m, x)) return false;
  if (m->drive_count || m->row_count) book_drives(m, x);
  for (int i = 0; i < m->nv; i++)
    if (!isfinite(x->udot[i])) return false;
  x->level = LEVEL_ACCELERATION;
  return true;
}

void dynamics_reactions(const mechanism *m, motion *x) {
  tree_inverse(m, x, x->udot, x->speed_work[0]);
  coordinate_accelerations(m, x);
  x->potentials[POTENTIAL_GRAVITY] = tree_gravity_energy(m, x);
}

// --- projection ---------------------------------------------------------------------------------------------------

// x->speed_work[1] := M⁻¹ Gᵀ λ
static const double *response_to(const mechanism *m, motion *x, const double *lambda) {
  double *tau = x->speed_work[0], *out = x->speed_work[1];
  memset(tau, 0, (size_t)m->nv * sizeof *tau);
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  for (int i = 0; i < m->row_count; i++) {
    const row *r = &x->rows[i];
    for (int k = 0; k < r->body_count; k++) {
      const row_body *t = &x->row_bodies[r->body0 + k];
      if (t->node != GROUND) block_axpy(m->n, -lambda[i], t->J, x->links[t->node].pA);
    }
    for (int k = 0; k < r->speed_count; k++)
      tau[x->row_speeds[r->speed0 + k].speed] += lambda[i] * x->row_speeds[r->speed0 + k].c;
  }
  tree_solve(m, x, tau, out);
  return out;
}

static bool factor_at_position(const mechanism *m, motion *x) {
  x->level = LEVEL_NONE;
  dynamics_positions_velocities(m, x);
  if (!tree_factor(m, x)) return false;
  form_delassus(m, x);
  return factor_delassus(m, x);
}

const double *dynamics_position_step(const mechanism *m, motion *x) {
  if (!factor_at_position(m, x)) return NULL;
  double *rhs = x->row_work[0];
  for (int i = 0; i < m->row_count; i++) rhs[i] = -x->rows[i].phi;
  solve_delassus(m, x, rhs, rhs);
  return response_to(m, x, rhs);
}

// One Newton step always, also from within the tolerance: to move some states and not others would be a jump as large as
// the tolerance, which an integrator's error test sees and no shorter step makes smaller.
bool dynamics_project_positions(const mechanism *m, motion *x, double tolerance, int max_iterations) {
  if (!m->row_count) return true;
  for (int turn = 0;; turn++) {
    x->level = LEVEL_NONE;
    dynamics_positions_velocities(m, x);
    double violation = constraints_excess(m, x);
    if (turn > 0 && violation <= tolerance) return true;
    if (turn == max_iterations || !isfinite(violation)) return false;
    const double *step = dynamics_position_step(m, x);
    if (!step) return false;
    dynamics_move(m, x->q, step);
  }
}

bool dynamics_project_velocities(const mechanism *m, motion *x) {
  if (!m->row_count) return true;
  if (!factor_at_position(m, x)) return false;
  double *rhs = x->row_work[0];
  for (int i = 0; i < m->row_count; i++) rhs[i] = -constraint_row_rate(m, x, &x->rows[i]);
  solve_delassus(m, x, rhs, rhs);
  const double *step = response_to(m, x, rhs);
  for (int i = 0; i < m->nv; i++) x->u[i] += step[i];
  x->level = LEVEL_NONE;
  return dynamics_positions_velocities(m, x);
}

// Inward along the tree: a wrench on a body works on every speed between it and ground.
void dynamics_transposed_rows(const mechanism *m, motion *x, const double *mu, double *out) {
  memset(out, 0, (size_t)m->nv * sizeof *out);
  for (int i = 1; i < m->node_count; i++) memset(x->links[i].pA, 0, sizeof x->links[i].pA);
  for (int i = 0; i < m->row_count; i++) {
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
    if (m->planar)
      block_shift_force(3, x->links[i].r, x->links[i].pA, x->links[n->parent].pA);
    else
      block_shift_force(6, x->links[i].r, x->links[i].pA, x->links[n->parent].pA);
  }
}

int dynamics_constraint_rank(const mechanism *m, motion *x) {
  int nc = m->row_count;
  if (!nc || !factor_at_position(m, x)) return 0;
  double *dense = calloc((size_t)nc * (size_t)nc, sizeof *dense);
  int *order = calloc((size_t)nc, sizeof *order), rank = -1;
  if (dense && order) {
    for (int j = 0; j < nc; j++)
      if (m->sparse)
        for (int k = m->pattern_start[j]; k < m->pattern_start[j + 1]; k++)
          dense[(long)m->pattern_row[k] * nc + j] = x->delassus[k];
      else
        memcpy(dense + (long)j * nc, x->delassus + (long)j * nc, (size_t)nc * sizeof *dense);
    rank = dense_rank(nc, dense, RANK_TOLERANCE, order);
  }
  free(dense);
  free(order);
  return rank;
}

void dynamics_explain(const mechanism *m, const motion *x, char *text, int size) {
  if (x->singular_node) {
    const node *n = &m->nodes[x->singular_node];
    if (m->absolute)
      snprintf(text, (size_t)size, "body '%s' has no mass or no inertia, and absolute coordinates need both",
               m->bodies[n->body].name);
    else
      snprintf(text, (size_t)size, "body '%s' and what hangs on it have no inertia along joint '%s'",
               m->bodies[n->body].name, m->joints[n->joint].name);
    return;
  }
  snprintf(text, (size_t)size, "the accelerations are not finite at t = %g s", x->t);
}
