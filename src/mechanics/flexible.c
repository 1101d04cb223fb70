#include "mechanics/flexible.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "mechanics/anchor.h"
#include "mechanics/flexible_boundary.h"
#include "mechanics/tree.h"

// Whether its joint is at a marker that moves with the modes of the parent.
static bool hangs_on_modes(const mechanism *m, const node *n) {
  if (n->joint < 0) return false;
  const joint *j = &m->joints[n->joint];
  return m->markers[n->reversed ? j->second : j->first].shape != NULL;
}

static void list_markers(const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    x->flexible[i].markers = ARENA_ARRAY(&x->memory, int, x->flexible[i].marker_count);
    x->flexible[i].marker_count = 0;
  }
  for (int i = 0; i < m->marker_count; i++) {
    if (!m->markers[i].shape) continue;
    flexible_link *f = &x->flexible[m->bodies[m->markers[i].body].node];
    f->markers[f->marker_count++] = i;
  }
}

void flexible_allocate(const mechanism *m, motion *x) {
  arena *a = &x->memory;
  bool any = false;
  for (int i = 1; i < m->node_count; i++) any |= m->nodes[i].flex != NULL;
  if (!any) return;
  x->flexible = ARENA_ARRAY(a, flexible_link, m->node_count);
  x->flexible_markers = ARENA_ARRAY(a, flexible_marker, m->marker_count);
  x->carried = ARENA_ARRAY(a, double *, m->node_count);
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    flexible_link *f = &x->flexible[i];
    const int modes = n->modes, all = 6 + modes;
    if (hangs_on_modes(m, n)) x->carried[i] = ARENA_ARRAY(a, double, 6 * m->nodes[n->parent].modes);
    if (!n->flex) continue;
    floating_state_create(a, &n->flex->inertia, &f->state);
    f->local = ARENA_ARRAY(a, double, all *all), f->local_bias = ARENA_ARRAY(a, double, all);
    f->M = ARENA_ARRAY(a, double, all *all), f->bias = ARENA_ARRAY(a, double, all);
    f->rf = ARENA_ARRAY(a, double, 6 * modes), f->X = ARENA_ARRAY(a, double, 6 * modes);
    f->ff = ARENA_ARRAY(a, double, modes *modes);
    f->p = ARENA_ARRAY(a, double, modes), f->e = ARENA_ARRAY(a, double, modes);
    f->rate = ARENA_ARRAY(a, double, modes), f->damping = ARENA_ARRAY(a, double, modes);
    if (n->flex->boundary) f->boundary = ARENA_ARRAY(a, vec2, n->flex->boundary->count);
  }
  for (int i = 0; i < m->marker_count; i++) {
    const marker *k = &m->markers[i];
    const int on = m->bodies[k->body].node, modes = m->nodes[on].modes;
    if (!modes) continue;
    x->flexible_markers[i].shape = k->shape, x->flexible_markers[i].node = on;
    x->flexible_markers[i].columns = ARENA_ARRAY(a, double, 6 * modes);
    if (k->shape) x->flexible[on].marker_count++;
  }
  list_markers(m, x);
}

// --- kinematics ------------------------------------------------------------------------------------------------------

// The turn by a rotation vector θ has the angular velocity  ω = θ̇ + a θ × θ̇ + b θ × (θ × θ̇)  in the axes that it starts
// from, with a = (1 - cos θ)/θ², b = (θ - sin θ)/θ³. Their derivatives over θ are also needed. All are series in θ²;
// the turns of a deformed body are far below one.
typedef struct turn_series {
  double a, b, a_rate, b_rate;
} turn_series;

static turn_series series_at(double square) {
  static const double even[] = {1. / 2,
                                -1. / 24,
                                1. / 720,
                                -1. / 40320,
                                1. / 3628800,
                                -1. / 479001600,
                                1. / 87178291200.,
                                -1. / 20922789888000.,
                                1. / 6402373705728000.};  // ±1 / (2k + 2)!
  static const double odd[] = {1. / 6,
                               -1. / 120,
                               1. / 5040,
                               -1. / 362880,
                               1. / 39916800,
                               -1. / 6227020800.,
                               1. / 1307674368000.,
                               -1. / 355687428096000.,
                               1. / 121645100408832000.};  // ±1 / (2k + 3)!
  turn_series s = {0};
  for (int k = 8; k >= 0; k--) {
    s.a_rate = s.a_rate * square + s.a, s.b_rate = s.b_rate * square + s.b;
    s.a = s.a * square + even[k], s.b = s.b * square + odd[k];
  }
  s.a_rate *= 2, s.b_rate *= 2;
  return s;
}

static vec3 turn_rate(turn_series s, vec3 theta, vec3 rate) {
  const vec3 across = vec3_cross(theta, rate);
  return vec3_axpy(vec3_axpy(rate, s.a, across), s.b, vec3_cross(theta, across));
}

// What of ω̇ does not depend on θ̈.
static vec3 turn_bias(turn_series s, vec3 theta, vec3 rate) {
  const vec3 across = vec3_cross(theta, rate);
  const double along = vec3_dot(theta, rate);
  const vec3 sum =
      vec3_add(vec3_scale(s.a_rate * along, across), vec3_scale(s.b_rate * along, vec3_cross(theta, across)));
  return vec3_axpy(sum, s.b, vec3_cross(rate, across));
}

// Place of a marker in the body's axes, its rate, and what of its second derivative does not depend on q̈; `shift` gets
// ∂place/∂q.
typedef struct local_place {
  vec3 at, rate, curved, theta, theta_rate;
} local_place;

static local_place place_at(const marker *k, int modes, const double *q, const double *qdot, vec3 *shift) {
  const marker_shape *s = k->shape;
  local_place l = {.at = k->local.p};
  for (int i = 0; i < modes; i++) {
    vec3 half = s->shift[i];
    shift[i] = s->shift[i];
    for (int j = 0; s->second && j < modes; j++) {
      const vec3 g = s->second[i * modes + j];
      shift[i] = vec3_axpy(shift[i], q[j], g);
      half = vec3_axpy(half, q[j] / 2, g);
      l.curved = vec3_axpy(l.curved, qdot[i] * qdot[j], g);
    }
    l.at = vec3_axpy(l.at, q[i], half);
    l.rate = vec3_axpy(l.rate, qdot[i], shift[i]);
    l.theta = vec3_axpy(l.theta, q[i], s->turn[i]);
    l.theta_rate = vec3_axpy(l.theta_rate, qdot[i], s->turn[i]);
  }
  return l;
}

static void evaluate_marker(const mechanism *m, const motion *x, const node *n, const tree_link *l, const marker *k,
                            flexible_marker *f) {
  vec3 shift[FLEXIBLE_MODES_MAX];
  const local_place at = place_at(k, n->modes, x->q + n->modal_q, x->u + n->modal_v, shift);
  const turn_series series = series_at(vec3_dot(at.theta, at.theta));
  const vec3 w = block_angular(m, l->V), arm = mat3_mul(l->R, at.at), rate = mat3_mul(l->R, at.rate);
  const vec3 turning = mat3_mul(l->R, turn_rate(series, at.theta, at.theta_rate));
  f->R = mat3_product(mat3_product(l->R, quat_matrix(quat_exp(at.theta))), k->local.R);
  f->p = vec3_add(l->p, arm);
  f->w = vec3_add(w, turning);
  f->v = vec3_add(vec3_add(block_linear(m, l->V), vec3_cross(w, arm)), rate);
  f->angular_c = vec3_add(vec3_cross(w, turning), mat3_mul(l->R, turn_bias(series, at.theta, at.theta_rate)));
  f->linear_c = vec3_axpy(vec3_centripetal(w, arm), 2, vec3_cross(w, rate));
  f->linear_c = vec3_add(f->linear_c, mat3_mul(l->R, at.curved));
  for (int i = 0; i < n->modes; i++)
    block_store(m, f->columns + 6 * i, mat3_mul(l->R, turn_rate(series, at.theta, k->shape->turn[i])),
                mat3_mul(l->R, shift[i]));
}

// Row i of the local matrix as (angular, linear) blocks, turned into world axes from the left; the columns likewise.
static void turn_pair(mat3 R, const double *from, int stride, double *to) {
  const vec3 angular = mat3_mul(R, (vec3){from[0], from[stride], from[2 * stride]});
  const vec3 linear = mat3_mul(R, (vec3){from[3 * stride], from[4 * stride], from[5 * stride]});
  vec3_store(to, angular), vec3_store(to + 3, linear);
}

// World axes and the width of the model: in the plane rows 2, 3, 4 of the six.
static void turn_inertia(const mechanism *m, const node *n, const tree_link *l, flexible_link *f) {
  const int all = 6 + n->modes, w = m->n, first = m->planar ? 2 : 0, size = w + n->modes;
  double half[6 + FLEXIBLE_MODES_MAX][6], column[6];
  for (int i = 0; i < all; i++) turn_pair(l->R, f->local + i * all, 1, half[i]);  // M's columns 0…5, by rows
  for (int j = 0; j < w; j++) {
    turn_pair(l->R, &half[0][first + j], 6, column);
    for (int i = 0; i < w; i++) f->M[i * size + j] = column[first + i];
    for (int k = 0; k < n->modes; k++) f->M[j * size + w + k] = f->M[(w + k) * size + j] = half[6 + k][first + j];
  }
  for (int k = 0; k < n->modes; k++)
    for (int j = 0; j < n->modes; j++) f->M[(w + k) * size + w + j] = f->local[(6 + k) * all + 6 + j];
  turn_pair(l->R, f->local_bias, 1, column);
  for (int i = 0; i < w; i++) f->bias[i] = column[first + i];
  memcpy(f->bias + w, f->local_bias + 6, (size_t)n->modes * sizeof *f->bias);
}

void flexible_evaluate(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  tree_link *l = &x->links[index];
  flexible_link *f = &x->flexible[index];
  const vec3 omega = mat3_tmul(l->R, block_angular(m, l->V));
  floating_evaluate(&n->flex->inertia, omega, x->q + n->modal_q, x->u + n->modal_v, &f->state, f->local, f->local_bias);
  turn_inertia(m, n, l, f);
  memcpy(l->bias, f->bias, (size_t)m->n * sizeof *l->bias);
  vec3_store(l->mk, mat3_mul(l->R, f->state.inertia.first));
  for (int i = 0; i < f->marker_count; i++)
    evaluate_marker(m, x, n, l, &m->markers[f->markers[i]], &x->flexible_markers[f->markers[i]]);
  flexible_boundary_place(m, x, index);
}

node flexible_parent(const mechanism *m, const motion *x, const node *n, tree_link *frame) {
  const joint *j = &m->joints[n->joint];
  const flexible_marker *f = &x->flexible_markers[n->reversed ? j->second : j->first];
  node seen = *n;
  seen.inner = POSE_IDENTITY, seen.inner_turned = false;
  seen.plain = !n->reversed && !n->outer_turned && !n->outer_moved;
  frame->R = f->R, frame->p = f->p;
  block_store(m, frame->V, f->w, f->v);
  return seen;
}

void flexible_carry(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  const joint *j = &m->joints[n->joint];
  const flexible_marker *f = &x->flexible_markers[n->reversed ? j->second : j->first];
  tree_link *l = &x->links[index];
  double shifted[6], c[6];
  block_store(m, c, f->angular_c, f->linear_c);
  for (int k = -1; k < m->nodes[n->parent].modes; k++) {
    const double *from = k < 0 ? c : f->columns + 6 * k;
    if (m->planar) block_shift_motion(3, l->r, from, shifted);
    else block_shift_motion(6, l->r, from, shifted);
    if (k >= 0) memcpy(x->carried[index] + 6 * k, shifted, sizeof shifted);
    else
      for (int i = 0; i < m->n; i++) l->c[i] += shifted[i];
  }
  vec3_store(l->r, vec3_sub(l->p, x->links[n->parent].p));
}

// --- forces and energies ---------------------------------------------------------------------------------------------

// K q, or D q̇, along mode k.
static double effort_of(const flexible_body *b, const double *matrix, int k, const double *of) {
  const int modes = b->modes;
  return b->uncoupled ? matrix[k * (modes + 1)] * of[k] : block_dot(modes, matrix + k * modes, of);
}

void flexible_apply(const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (!n->flex) continue;
    flexible_link *f = &x->flexible[i];
    const int modes = n->modes, all = 6 + modes;
    const double *q = x->q + n->modal_q, *u = x->u + n->modal_v;
    const vec3 g = mat3_tmul(x->links[i].R, m->gravity);
    for (int k = 0; k < modes; k++) {
      const double elastic = effort_of(n->flex, n->flex->stiffness, k, q);
      const double ahead = f->relaxed.lead == 0 ? 0 : f->relaxed.lead * effort_of(n->flex, n->flex->stiffness, k, u);
      const double *column = f->local + (6 + k) * all + 3;  // ∂c/∂q_k
      f->damping[k] = effort_of(n->flex, n->flex->damping, k, u);
      x->tau[n->modal_v + k] += vec3_dot(g, vec3_of(column)) - elastic - ahead - f->damping[k];
      x->potentials[POTENTIAL_STRAIN] += elastic * q[k] / 2;
    }
  }
  x->powers[POWER_DAMPER] += flexible_damping_power(m, x, x->u);
}

double flexible_strain_energy(const mechanism *m, const motion *x) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->modes; k++)
      sum += effort_of(n->flex, n->flex->stiffness, k, x->q + n->modal_q) * x->q[n->modal_q + k] / 2;
  }
  return sum;
}

void flexible_relax(const mechanism *m, motion *x, flexible_relaxation r) {
  for (int i = 1; i < m->node_count; i++) x->flexible[i].relaxed = r;
}

void flexible_add_damping(const mechanism *m, motion *x, double part, const double *from, const double *to) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    for (int k = 0; k < n->modes; k++)
      x->flexible[i].damping[k] += part * (effort_of(n->flex, n->flex->damping, k, to + n->modal_v) -
                                           effort_of(n->flex, n->flex->damping, k, from + n->modal_v));
  }
}

bool flexible_is_damped(const mechanism *m) {
  for (int i = 1; i < m->node_count; i++)
    for (int k = 0; k < m->nodes[i].modes * m->nodes[i].modes; k++)
      if (m->nodes[i].flex->damping[k] != 0) return true;
  return false;
}

double flexible_damping_power(const mechanism *m, const motion *x, const double *u) {
  double sum = 0;
  for (int i = 1; i < m->node_count; i++)
    for (int k = 0; k < m->nodes[i].modes; k++) sum += x->flexible[i].damping[k] * u[m->nodes[i].modal_v + k];
  return sum;
}

vec3 flexible_turn_rate(const mechanism *m, const motion *x, const flexible_marker *f) {
  vec3 w = VEC3_ZERO;
  for (int k = 0; k < m->nodes[f->node].modes; k++)
    w = vec3_axpy(w, x->flexible[f->node].rate[k], block_angular(m, f->columns + 6 * k));
  return w;
}

vec3 flexible_point_rate(const mechanism *m, const motion *x, const flexible_marker *f, vec3 off) {
  vec3 v = vec3_cross(flexible_turn_rate(m, x, f), off);
  for (int k = 0; k < m->nodes[f->node].modes; k++)
    v = vec3_axpy(v, x->flexible[f->node].rate[k], block_linear(m, f->columns + 6 * k));
  return v;
}

double flexible_effort(const mechanism *m, const flexible_marker *f, int mode, vec3 off, vec3 force, vec3 torque) {
  const double *column = f->columns + 6 * mode;
  const vec3 moment = vec3_add(torque, vec3_cross(off, force));
  return vec3_dot(block_angular(m, column), moment) + vec3_dot(block_linear(m, column), force);
}

void flexible_push(const mechanism *m, motion *x, const flexible_marker *f, vec3 off, vec3 force, vec3 torque) {
  const node *n = &m->nodes[f->node];
  for (int k = 0; k < n->modes; k++) x->tau[n->modal_v + k] += flexible_effort(m, f, k, off, force, torque);
}

void flexible_momentum(const mechanism *m, const motion *x, int index, double *momentum) {
  const node *n = &m->nodes[index];
  const flexible_link *f = &x->flexible[index];
  const int size = m->n + n->modes;
  for (int i = 0; i < size; i++) {
    momentum[i] = 0;
    for (int j = 0; j < m->n; j++) momentum[i] += f->M[i * size + j] * x->links[index].V[j];
    for (int k = 0; k < n->modes; k++) momentum[i] += f->M[i * size + m->n + k] * x->u[n->modal_v + k];
  }
}

double flexible_kinetic_energy(const mechanism *m, const motion *x, int index) {
  const node *n = &m->nodes[index];
  double momentum[6 + FLEXIBLE_MODES_MAX], sum = 0;
  flexible_momentum(m, x, index, momentum);
  for (int i = 0; i < m->n; i++) sum += momentum[i] * x->links[index].V[i] / 2;
  for (int k = 0; k < n->modes; k++) sum += momentum[m->n + k] * x->u[n->modal_v + k] / 2;
  return sum;
}

// --- the recursion ---------------------------------------------------------------------------------------------------

static bool is_diagonal(int n, const double *A) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      if (A[i * n + j] != 0) return false;
  return true;
}

static bool factor_modes(int modes, flexible_link *f) {
  f->diagonal = is_diagonal(modes, f->ff);
  if (!f->diagonal) return dense_cholesky(modes, f->ff, modes, TREE_SINGULAR, NULL);
  for (int k = 0; k < modes; k++) {
    double *own = &f->ff[k * (modes + 1)];
    if (!(*own > 0)) return false;
    *own = sqrt(*own);
  }
  return true;
}

static void solve_modes(int modes, const flexible_link *f, double *x) {
  if (!f->diagonal) dense_cholesky_solve(modes, f->ff, modes, x);
  for (int k = 0; f->diagonal && k < modes; k++) x[k] = x[k] / f->ff[k * (modes + 1)] / f->ff[k * (modes + 1)];
}

// With I_ff = L Lᵀ and Y = L⁻¹ I_fr:  I = I_rr - Yᵀ Y,  X = L⁻ᵀ Y.
BLOCK void eliminate_modes(const int w, int modes, flexible_link *f, double *IA) {
  const double *L = f->ff;
  double *X = f->X;
  for (int k = 0; k < modes; k++) {
    double row[6];
    for (int i = 0; i < w; i++) row[i] = f->rf[k * w + i];
    for (int j = f->diagonal ? k : 0; j < k; j++) block_axpy(w, -L[k * modes + j], X + j * w, row);
    const double inverse = 1 / L[k * modes + k];
    for (int i = 0; i < w; i++) X[k * w + i] = row[i] *= inverse;
    block_take_product(w, 1, row, IA);
  }
  for (int k = modes - 1; k >= 0; k--) {
    const double inverse = 1 / L[k * modes + k];
    for (int i = 0; i < w; i++) X[k * w + i] *= inverse;
    for (int j = f->diagonal ? k : 0; j < k; j++) block_axpy(w, -L[k * modes + j], X + k * w, X + j * w);
  }
}

bool flexible_condense(int w, const node *n, flexible_link *f, double *IA) {
  const int modes = n->modes;
  if (n->modes_held) {
    memset(f->X, 0, (size_t)(modes * w) * sizeof *f->X);
    return true;
  }
  for (int k = 0; f->relaxed.stiffness > 0 && k < modes * modes; k++)
    f->ff[k] += f->relaxed.damping * n->flex->damping[k] + f->relaxed.stiffness * n->flex->stiffness[k];
  if (!factor_modes(modes, f)) return false;
  if (w == 6) eliminate_modes(6, modes, f, IA);
  else eliminate_modes(3, modes, f, IA);
  return true;
}

void flexible_reduce(int w, const node *n, flexible_link *f, const double *tau, double *pA) {
  if (n->modes_held) {
    memset(f->e, 0, (size_t)n->modes * sizeof *f->e), memset(f->p, 0, (size_t)n->modes * sizeof *f->p);
    return;
  }
  for (int k = 0; k < n->modes; k++) {
    f->e[k] = (tau ? tau[n->modal_v + k] : 0) - f->p[k];
    f->p[k] = 0;
  }
  solve_modes(n->modes, f, f->e);
  for (int k = 0; k < n->modes; k++) block_axpy(w, f->e[k], f->rf + k * w, pA);
}

void flexible_reduce_by_half(int w, const node *n, flexible_link *f, const double *tau, double *pA, double *half) {
  const double *L = f->ff;
  for (int a = 0; a < n->modes; a++) {
    half[n->modal_v + a] = 0;
    if (n->modes_held) continue;
    double y = tau[n->modal_v + a] - f->p[a];
    for (int b = 0; b < a; b++) y -= L[a * n->modes + b] * half[n->modal_v + b];
    half[n->modal_v + a] = y / L[a * n->modes + a];
  }
  flexible_reduce(w, n, f, tau, pA);
}

void flexible_inverse(int w, const node *n, flexible_link *f, const double *udot, const double *A, double *wrench) {
  const int size = w + n->modes;
  const double *qddot = udot + n->modal_v;
  for (int i = 0; i < w; i++)
    wrench[i] = block_dot(w, f->M + i * size, A) + block_dot(n->modes, f->M + i * size + w, qddot);
  for (int k = 0; k < n->modes; k++) {
    const double *row = f->M + (w + k) * size;
    f->rate[k] = qddot[k];
    f->p[k] = block_dot(w, row, A) + block_dot(n->modes, row + w, qddot) + f->bias[w + k];
  }
}

void flexible_expand(int w, const node *n, flexible_link *f, const double *A, double *out) {
  for (int k = 0; k < n->modes; k++) {
    f->rate[k] = f->e[k] - block_dot(w, f->X + k * w, A);
    if (out) out[n->modal_v + k] = f->rate[k];
  }
}

// --- the mass matrix -------------------------------------------------------------------------------------------------

// The force f at a node's origin, which belongs to speed v, meets the columns of all speeds between it and ground:
// those of joints, and where a node hangs on a flexible one, those of its modes.
BLOCK void meet_inward(const int w, const mechanism *m, const motion *x, int i, double *f, int v, double *M) {
  for (; i != GROUND; i = m->nodes[i].parent) {
    const node *n = &m->nodes[i], *parent = &m->nodes[n->parent];
    for (int b = n->v; b < n->v + n->nv; b++) M[b * m->nv + v] = M[v * m->nv + b] = block_dot(w, x->S + 6 * b, f);
    for (int k = 0; x->carried[i] && k < parent->modes; k++) {
      const int b = parent->modal_v + k;
      M[b * m->nv + v] = M[v * m->nv + b] = block_dot(w, x->carried[i] + 6 * k, f);
    }
    block_carry_force(w, x->links[i].r, f);
  }
}

// Composite inertias inward, with those that modes have: the recursion of the factor without its eliminations.
BLOCK void mass_matrix(const int w, const mechanism *m, motion *x, double *M) {
  memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
  for (int i = 1; i < m->node_count; i++) {
    tree_link *l = &x->links[i];
    if (m->nodes[i].flex) flexible_fill(w, &m->nodes[i], &x->flexible[i], l->IA);
    else block_inertia(w, l->J, l->mk, m->nodes[i].mass, l->IA);
  }
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    const tree_link *l = &x->links[i];
    const flexible_link *of = &x->flexible[i];
    double f[6];
    for (int v = n->v; v < n->v + n->nv; v++) {
      block_mul(w, l->IA, x->S + 6 * v, f);
      meet_inward(w, m, x, i, f, v, M);
    }
    for (int k = 0; k < n->modes; k++) {
      for (int j = 0; j <= k; j++)
        M[(n->modal_v + k) * m->nv + n->modal_v + j] = M[(n->modal_v + j) * m->nv + n->modal_v + k] =
            of->ff[k * n->modes + j];
      memcpy(f, of->rf + k * w, (size_t)w * sizeof *f);
      meet_inward(w, m, x, i, f, n->modal_v + k, M);
    }
    if (n->parent == GROUND) continue;
    block_shift_inertia(w, l->r, l->IA, x->links[n->parent].IA);
    if (x->carried[i])
      flexible_take_inertia(w, &m->nodes[n->parent], &x->flexible[n->parent], l->r, x->carried[i], l->IA);
  }
}

void flexible_mass_matrix(const mechanism *m, motion *x, double *M) {
  if (m->planar) mass_matrix(3, m, x, M);
  else mass_matrix(6, m, x, M);
}
