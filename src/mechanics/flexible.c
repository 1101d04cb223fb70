#include "mechanics/flexible.h"

#include <math.h>
#include <string.h>

#include "mechanics/anchor.h"
#include "mechanics/flexible_boundary.h"
#include "mechanics/tree.h"

// Whether its joint is at a marker that moves with the modes of the parent.
static bool hangs_on_modes(const mechanism *m, const node *n) {
  if (n->joint < 0) return false;
  const joint *j = &m->joints[n->joint];
  return m->markers[n->reversed ? j->second : j->first].shape != NULL;
}

// Whether the origin of its body is where its joint is: it moves with the marker that carries it.
static bool stays_at_joint(const node *n) { return n->type->turns_only && vec3_norm(n->outer.p) == 0; }

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

static double *row_of_modes(arena *memory, int modes) { return (double *)ARENA_ARRAY(memory, pack, pack_count(modes)); }

void flexible_allocate_factor(arena *memory, int modes, flexible_link *f) {
  const int groups = pack_count(modes);
  f->X = f->rf = ARENA_ARRAY(memory, pack, 8 * groups);
  f->ff = ARENA_ARRAY(memory, pack, (long)groups * PACK * groups);
  f->pivot = row_of_modes(memory, modes), f->inverse = row_of_modes(memory, modes);
  f->p = row_of_modes(memory, modes), f->e = row_of_modes(memory, modes);
}

// Along one axis: a row over the modes for each mode. Null if all are zero.
static pack *second_along(arena *memory, const vec3 *second, int axis, int modes, int groups) {
  pack *rows = ARENA_ARRAY(memory, pack, (long)modes * groups);
  bool any = false;
  for (int i = 0; i < modes * modes; i++) {
    double g[3];
    vec3_store(g, second[i]);
    pack_put(rows + i / modes * groups, i % modes, g[axis]);
    any |= g[axis] != 0;
  }
  return any ? rows : NULL;
}

static marker_rows table_of(arena *memory, const marker_shape *s, int modes) {
  const int groups = pack_count(modes);
  marker_rows t = {.rows = ARENA_ARRAY(memory, pack, 6 * groups)};
  for (int i = 0; i < modes; i++) {
    double shape[6];
    vec3_store(shape, s->shift[i]), vec3_store(shape + 3, s->turn[i]);
    for (int k = 0; k < 6; k++) pack_put(t.rows + k * groups, i, shape[k]);
  }
  for (int a = 0; s->second && a < 3; a++) t.second[a] = second_along(memory, s->second, a, modes, groups);
  return t;
}

// Bodies are evaluated one after the other: those of one size use the same workspace, which stays in the cache.
static const floating_state *state_of_size(const mechanism *m, const motion *x, int before) {
  const floating_body *of = &m->nodes[before].flex->inertia;
  for (int i = before - 1; i > 0; i--) {
    const flexible_body *b = m->nodes[i].flex;
    if (b && b->inertia.modes == of->modes && b->inertia.fields == of->fields) return &x->flexible[i].state;
  }
  return NULL;
}

// Markers of one shape have the same table.
static marker_rows table_for(const mechanism *m, motion *x, int index) {
  const marker *k = &m->markers[index];
  for (int i = 0; i < index; i++)
    if (m->markers[i].shape == k->shape) return x->flexible_markers[i].table;
  return table_of(&x->memory, k->shape, m->nodes[m->bodies[k->body].node].modes);
}

static void allocate_link(arena *a, const node *n, const floating_state *with, flexible_link *f) {
  floating_state_create(a, &n->flex->inertia, with, &f->state);
  f->rows = ARENA_ARRAY(a, pack, 6 * flexible_groups(n));
  flexible_allocate_factor(a, n->modes, f);
  f->rate = row_of_modes(a, n->modes), f->damping = row_of_modes(a, n->modes);
  f->own_stiffness = row_of_modes(a, n->modes), f->own_damping = row_of_modes(a, n->modes);
  for (int k = 0; k < n->modes; k++) {
    f->own_stiffness[k] = n->flex->stiffness[k * (n->modes + 1)];
    f->own_damping[k] = n->flex->damping[k * (n->modes + 1)];
  }
  if (n->flex->boundary) flexible_boundary_allocate(a, n, f);
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
    if (hangs_on_modes(m, n)) x->carried[i] = ARENA_ARRAY(a, double, 6 * flexible_across(&m->nodes[n->parent]));
    if (n->flex) allocate_link(a, n, state_of_size(m, x, i), &x->flexible[i]);
  }
  for (int i = 0; i < m->marker_count; i++) {
    const marker *k = &m->markers[i];
    const int on = m->bodies[k->body].node;
    flexible_marker *f = &x->flexible_markers[i];
    if (!m->nodes[on].modes) continue;
    f->shape = k->shape, f->node = on, f->columns = ARENA_ARRAY(a, double, 6 * flexible_across(&m->nodes[on]));
    if (!k->shape) continue;
    f->table = table_for(m, x, i);
    x->flexible[on].marker_count++;
  }
  list_markers(m, x);
  for (int i = 1; i < m->node_count; i++)
    if (x->carried[i] && stays_at_joint(&m->nodes[i])) x->carried[i] = flexible_carrier(m, x, &m->nodes[i])->columns;
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

// k₀ 1 + k₁ θ× + k₂ θ×θ×
static mat3 turn_matrix(vec3 t, double k0, double k1, double k2) {
  const double d = k0 - k2 * vec3_dot(t, t), x = k2 * t.x, y = k2 * t.y;
  const double xy = x * t.y, xz = x * t.z, yz = y * t.z;
  return (mat3){{d + x * t.x, xy - k1 * t.z, xz + k1 * t.y, xy + k1 * t.z, d + y * t.y, yz - k1 * t.x, xz - k1 * t.y,
                 yz + k1 * t.x, d + k2 * t.z * t.z}};
}

// The turn itself, with sin θ/θ = 1 - b θ². The series are exact to rounding below one.
static mat3 turn_of(turn_series s, vec3 theta) {
  const double square = vec3_dot(theta, theta);
  return square < 1 ? turn_matrix(theta, 1, 1 - s.b * square, s.a) : quat_matrix(quat_exp(theta));
}

// What of ω̇ does not depend on θ̈.
static vec3 turn_bias(turn_series s, vec3 theta, vec3 rate) {
  const vec3 across = vec3_cross(theta, rate);
  const double along = vec3_dot(theta, rate);
  const vec3 sum =
      vec3_add(vec3_scale(s.a_rate * along, across), vec3_scale(s.b_rate * along, vec3_cross(theta, across)));
  return vec3_axpy(sum, s.b, vec3_cross(rate, across));
}

// Place of a marker in the body's axes, its rate, and what of its second derivative does not depend on q̈.
typedef struct local_place {
  vec3 at, rate, curved, theta, theta_rate;
} local_place;

// Rows G q and G q̇ with the second derivatives G along one axis, zero if there are none.
BLOCK void find_second(const int groups, const pack *G, int modes, const flex_coordinates *at, pack *bent, pack *rate) {
  const double *q = (const double *)at->q, *qdot = (const double *)at->qdot;
  for (int g = 0; g < groups; g++) bent[g] = rate[g] = (pack){0};
  for (int i = 0; G && i < modes; i++)
    for (int g = 0; g < groups; g++) bent[g] += q[i] * G[i * groups + g], rate[g] += qdot[i] * G[i * groups + g];
}

// Sums over the modes: how one component of the place has moved, its rate, and what of its second derivative does not
// depend on q̈; the same component of the turn, and its rate.
enum { AT = 0, RATE = 1, CURVED = 2, THETA = 3, SUMS = 4 };

BLOCK void place_along(const int groups, int a, const marker_rows *t, int modes, const flex_coordinates *at,
                       pack *shift, fours *sums, pack *theta_rate) {
  pack bent[FLEXIBLE_MODES_MAX / PACK], rate[FLEXIBLE_MODES_MAX / PACK], s[SUMS] = {0}, last = {0};
  find_second(groups, t->second[a], modes, at, bent, rate);
  for (int g = 0; g < groups; g++) {
    const pack first = t->rows[a * groups + g], turn = t->rows[(3 + a) * groups + g], q = at->q[g], qdot = at->qdot[g];
    shift[a * groups + g] = first + bent[g];
    s[AT] += q * (first + 0.5 * bent[g]), s[RATE] += qdot * (first + bent[g]), s[CURVED] += qdot * rate[g];
    s[THETA] += q * turn, last += qdot * turn;
  }
  pack_sum(s, sums), *theta_rate = last;
}

// `shift` receives ∂place/∂q, three rows over the modes.
BLOCK local_place place_at(const int groups, const marker *k, const marker_rows *t, int modes,
                           const flex_coordinates *at, pack *shift) {
  fours s[3], theta_rate;
  pack last[4] = {0};
  for (int a = 0; a < 3; a++) place_along(groups, a, t, modes, at, shift, &s[a], &last[a]);
  pack_sum(last, &theta_rate);
  const vec3 moved = {s[0][AT], s[1][AT], s[2][AT]};
  return (local_place){vec3_add(k->local.p, moved),
                       {s[0][RATE], s[1][RATE], s[2][RATE]},
                       {s[0][CURVED], s[1][CURVED], s[2][CURVED]},
                       {s[0][THETA], s[1][THETA], s[2][THETA]},
                       {theta_rate[0], theta_rate[1], theta_rate[2]}};
}

// Row i of R times three rows over the modes.
BLOCK void turn_row(const mat3 *R, int i, const int groups, const pack *from, pack *to) {
  const double *r = R->m + 3 * i;
  for (int g = 0; g < groups; g++) to[g] = r[0] * from[g] + r[1] * from[groups + g] + r[2] * from[2 * groups + g];
}

// Three angular and three linear rows, in the world's axes.
BLOCK void turn_rows(const int groups, const mechanism *m, const mat3 *to_angular, const pack *angular, const mat3 *R,
                     const pack *linear, pack *to) {
  if (m->planar) {
    turn_row(to_angular, 2, groups, angular, to);
    turn_row(R, 0, groups, linear, to + groups), turn_row(R, 1, groups, linear, to + 2 * groups);
    return;
  }
  for (int i = 0; i < 3; i++) {
    turn_row(to_angular, i, groups, angular, to + i * groups);
    turn_row(R, i, groups, linear, to + (3 + i) * groups);
  }
}

BLOCK void evaluate_marker(const int groups, const mechanism *m, const node *n, const tree_link *l,
                           const flex_coordinates *now, const marker *k, flexible_marker *f) {
  pack shift[3 * (FLEXIBLE_MODES_MAX / PACK)];
  const local_place at = place_at(groups, k, &f->table, n->modes, now, shift);
  const turn_series series = series_at(vec3_dot(at.theta, at.theta));
  const mat3 to_angular = mat3_product(l->R, turn_matrix(at.theta, 1, series.a, series.b));
  const vec3 w = block_angular(m, l->V), arm = mat3_mul(l->R, at.at), rate = mat3_mul(l->R, at.rate);
  const vec3 turning = mat3_mul(to_angular, at.theta_rate);
  f->turned = mat3_product(l->R, turn_of(series, at.theta));
  f->p = vec3_add(l->p, arm);
  f->w = vec3_add(w, turning);
  f->v = vec3_add(vec3_add(block_linear(m, l->V), vec3_cross(w, arm)), rate);
  f->angular_c = vec3_add(vec3_cross(w, turning), mat3_mul(l->R, turn_bias(series, at.theta, at.theta_rate)));
  f->linear_c = vec3_axpy(vec3_centripetal(w, arm), 2, vec3_cross(w, rate));
  f->linear_c = vec3_add(f->linear_c, mat3_mul(l->R, at.curved));
  turn_rows(groups, m, &to_angular, f->table.rows + 3 * groups, &l->R, shift, (pack *)f->columns);
}

// The body's inertia, momentum of its modes and bias in the world's axes.
BLOCK void turn_inertia(const int groups, const mechanism *m, tree_link *l, flexible_link *f) {
  const flex_state *s = &f->state.inertia;
  const mat3 half = mat3_product(l->R, s->rotary);
  vec3 to[3], R[3];  // rows of both
  for (int i = 0; i < 3; i++) to[i] = vec3_of(half.m + 3 * i), R[i] = vec3_of(l->R.m + 3 * i);
  l->J[0] = m->planar ? vec3_dot(to[2], R[2]) : vec3_dot(to[0], R[0]);
  if (!m->planar) {
    l->J[1] = vec3_dot(to[1], R[1]), l->J[2] = vec3_dot(to[2], R[2]);
    l->J[3] = vec3_dot(to[0], R[1]), l->J[4] = vec3_dot(to[0], R[2]), l->J[5] = vec3_dot(to[1], R[2]);
  }
  vec3_store(l->mk, mat3_mul(l->R, s->first));
  block_store(m, l->bias, mat3_mul(l->R, s->torque), mat3_mul(l->R, s->force));
  turn_rows(groups, m, &l->R, f->state.rows, &l->R, f->state.rows + 3 * groups, f->rows);
}

BLOCK void evaluate_groups(const int groups, const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  tree_link *l = &x->links[index];
  flexible_link *f = &x->flexible[index];
  turn_inertia(groups, m, l, f);
  for (int i = 0; i < f->marker_count; i++)
    evaluate_marker(groups, m, n, l, &f->state.all, &m->markers[f->markers[i]], &x->flexible_markers[f->markers[i]]);
}

void flexible_evaluate(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  const vec3 omega = mat3_tmul(x->links[index].R, block_angular(m, x->links[index].V));
  floating_evaluate(&n->flex->inertia, omega, x->q + n->modal_q, x->u + n->modal_v, &x->flexible[index].state);
  FLEXIBLE_GROUPS(flexible_groups(n), evaluate_groups, m, x, index);
  flexible_boundary_place(m, x, index);
}

const flexible_marker *flexible_carrier(const mechanism *m, const motion *x, const node *n) {
  const joint *j = &m->joints[n->joint];
  return &x->flexible_markers[n->reversed ? j->second : j->first];
}

// Columns of motion of all modes, from the point r before: T φ.
BLOCK void shift_rows(const int groups, const int w, const double *r, const pack *from, pack *to) {
  for (int g = 0; g < groups; g++) {
    pack v[6];
    for (int i = 0; i < w; i++) v[i] = from[i * groups + g];
    if (w == 3) {
      v[1] -= r[1] * v[0], v[2] += r[0] * v[0];
    } else {
      v[3] += r[2] * v[1] - r[1] * v[2];
      v[4] += r[0] * v[2] - r[2] * v[0];
      v[5] += r[1] * v[0] - r[0] * v[1];
    }
    for (int i = 0; i < w; i++) to[i * groups + g] = v[i];
  }
}

void flexible_carry(const mechanism *m, motion *x, int index) {
  const node *n = &m->nodes[index];
  const flexible_marker *f = flexible_carrier(m, x, n);
  const int groups = flexible_groups(&m->nodes[n->parent]);
  const pack *columns = (const pack *)f->columns;
  pack *to = (pack *)x->carried[index];
  tree_link *l = &x->links[index];
  double shifted[6], c[6];
  block_store(m, c, f->angular_c, f->linear_c);
  if (m->planar) {
    block_shift_motion(3, l->r, c, shifted);
    if (to != columns) FLEXIBLE_GROUPS(groups, shift_rows, 3, l->r, columns, to);
  } else {
    block_shift_motion(6, l->r, c, shifted);
    if (to != columns) FLEXIBLE_GROUPS(groups, shift_rows, 6, l->r, columns, to);
  }
  for (int i = 0; i < m->n; i++) l->c[i] += shifted[i];
  vec3_store(l->r, vec3_sub(l->p, x->links[n->parent].p));
}

// --- forces and energies ---------------------------------------------------------------------------------------------

// K q, or D q̇, along mode k.
static double effort_of(const flexible_body *b, const double *matrix, int k, const double *of) {
  const int modes = b->modes;
  return b->uncoupled ? matrix[k * (modes + 1)] * of[k] : block_dot(modes, matrix + k * modes, of);
}

// What is stored in the modes, and what they lose.
typedef struct modal_power {
  double energy, loss;
} modal_power;

// Of one body; gravity acts along the linear part of a mode's column, ∂(m c)/∂q.
BLOCK modal_power apply_to_modes(const bool planar, vec3 g, const node *n, flexible_link *f, const double *q,
                                 const double *u, double *tau) {
  const flexible_body *b = n->flex;
  const int across = flexible_across(n);
  const double *x = (const double *)f->rows + (planar ? 1 : 3) * across, *y = x + across, *z = y + across;
  const double lead = f->relaxed.lead;
  modal_power sum = {0, 0};
  for (int k = 0; k < n->modes; k++) {
    const double elastic = effort_of(b, b->stiffness, k, q), damping = effort_of(b, b->damping, k, u);
    const double ahead = lead == 0 ? 0 : lead * effort_of(b, b->stiffness, k, u);
    tau[k] += g.x * x[k] + g.y * y[k] + (planar ? 0 : g.z * z[k]) - elastic - ahead - damping;
    f->damping[k] = damping;
    sum.energy += elastic * q[k] / 2, sum.loss += damping * u[k];
  }
  return sum;
}

// The same where modes do not act on each other.
BLOCK modal_power apply_to_uncoupled(const bool planar, vec3 g, const node *n, flexible_link *f, const double *q,
                                     const double *u, double *tau) {
  const int groups = flexible_groups(n);
  const pack *x = f->rows + (planar ? 1 : 3) * groups, *y = x + groups, *z = y + groups;
  pack sums[4] = {0};  // twice the energy, the loss
  fours all;
  for (int k = 0; k < groups; k++) {
    const int at = PACK * k, count = n->modes - at;
    pack place, rate, sum;
    pack_load(q + at, count, &place), pack_load(u + at, count, &rate), pack_load(tau + at, count, &sum);
    const pack elastic = ((const pack *)f->own_stiffness)[k] * place;
    const pack damping = ((const pack *)f->own_damping)[k] * rate;
    sum -= elastic + f->relaxed.lead * ((const pack *)f->own_stiffness)[k] * rate + damping;
    sum += g.x * x[k] + g.y * y[k];
    if (!planar) sum += g.z * z[k];
    pack_store(&sum, count, tau + at);
    ((pack *)f->damping)[k] = damping;
    sums[0] += elastic * place, sums[1] += damping * rate;
  }
  pack_sum(sums, &all);
  return (modal_power){all[0] / 2, all[1]};
}

void flexible_apply(const mechanism *m, motion *x) {
  for (int i = 1; i < m->node_count; i++) {
    const node *n = &m->nodes[i];
    if (!n->flex) continue;
    flexible_link *f = &x->flexible[i];
    const double *q = x->q + n->modal_q, *u = x->u + n->modal_v;
    double *tau = x->tau + n->modal_v;
    const modal_power sum = !n->flex->uncoupled ? apply_to_modes(m->planar, m->gravity, n, f, q, u, tau)
                            : m->planar         ? apply_to_uncoupled(true, m->gravity, n, f, q, u, tau)
                                                : apply_to_uncoupled(false, m->gravity, n, f, q, u, tau);
    x->potentials[POTENTIAL_STRAIN] += sum.energy, x->powers[POWER_DAMPER] += sum.loss;
  }
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
  double column[6];
  for (int k = 0; k < m->nodes[f->node].modes; k++) {
    flexible_column(m, &m->nodes[f->node], f->columns, k, column);
    w = vec3_axpy(w, x->flexible[f->node].rate[k], block_angular(m, column));
  }
  return w;
}

vec3 flexible_point_rate(const mechanism *m, const motion *x, const flexible_marker *f, vec3 off) {
  vec3 v = vec3_cross(flexible_turn_rate(m, x, f), off);
  double column[6];
  for (int k = 0; k < m->nodes[f->node].modes; k++) {
    flexible_column(m, &m->nodes[f->node], f->columns, k, column);
    v = vec3_axpy(v, x->flexible[f->node].rate[k], block_linear(m, column));
  }
  return v;
}

double flexible_effort(const mechanism *m, const flexible_marker *f, int mode, vec3 off, vec3 force, vec3 torque) {
  double column[6];
  flexible_column(m, &m->nodes[f->node], f->columns, mode, column);
  const vec3 moment = vec3_add(torque, vec3_cross(off, force));
  return vec3_dot(block_angular(m, column), moment) + vec3_dot(block_linear(m, column), force);
}

void flexible_push(const mechanism *m, motion *x, const flexible_marker *f, vec3 off, vec3 force, vec3 torque) {
  const node *n = &m->nodes[f->node];
  for (int k = 0; k < n->modes; k++) x->tau[n->modal_v + k] += flexible_effort(m, f, k, off, force, torque);
}

// Number (i, j) of the body's own I_ff.
static double mass_of(const node *n, const flexible_link *f, int i, int j) {
  return ((const double *)f->state.ff)[(i < j ? i : j) * flexible_across(n) + (i < j ? j : i)];
}

// The body's own mass matrix times (A, rates): a wrench, and efforts of the modes.
static void multiply_own(int w, const node *n, const tree_link *l, const flexible_link *f, const double *A,
                         const double *rates, double *wrench, double *efforts) {
  const int across = flexible_across(n);
  const double *rows = (const double *)f->rows;
  if (w == 3) block_inertia_mul(3, l->J, l->mk, n->mass, A, wrench);
  else block_inertia_mul(6, l->J, l->mk, n->mass, A, wrench);
  for (int k = 0; k < n->modes; k++) {
    efforts[k] = 0;
    for (int i = 0; i < w; i++) {
      wrench[i] += rows[i * across + k] * rates[k];
      efforts[k] += rows[i * across + k] * A[i];
    }
    for (int j = 0; j < n->modes; j++) efforts[k] += mass_of(n, f, k, j) * rates[j];
  }
}

void flexible_momentum(const mechanism *m, const motion *x, int index, double *momentum) {
  const node *n = &m->nodes[index];
  const tree_link *l = &x->links[index];
  multiply_own(m->n, n, l, &x->flexible[index], l->V, x->u + n->modal_v, momentum, momentum + m->n);
}

double flexible_kinetic_energy(const mechanism *m, const motion *x, int index) {
  const node *n = &m->nodes[index];
  double momentum[6 + FLEXIBLE_MODES_MAX], sum = 0;
  flexible_momentum(m, x, index, momentum);
  for (int i = 0; i < m->n; i++) sum += momentum[i] * x->links[index].V[i] / 2;
  for (int k = 0; k < n->modes; k++) sum += momentum[m->n + k] * x->u[n->modal_v + k] / 2;
  return sum;
}

// --- inverse dynamics and the mass matrix ----------------------------------------------------------------------------

void flexible_inverse(int w, const node *n, const tree_link *l, flexible_link *f, const double *udot, double *wrench) {
  const double *qddot = udot + n->modal_v;
  multiply_own(w, n, l, f, l->A, qddot, wrench, f->p);
  for (int k = 0; k < n->modes; k++) f->rate[k] = qddot[k], f->p[k] += ((const double *)f->state.bias)[k];
}

// The force f at a node's origin, which belongs to speed v, meets the columns of all speeds between it and ground:
// those of joints, and where a node hangs on a flexible one, those of its modes.
BLOCK void meet_inward(const int w, const mechanism *m, const motion *x, int i, double *f, int v, double *M) {
  for (; i != GROUND; i = m->nodes[i].parent) {
    const node *n = &m->nodes[i], *parent = &m->nodes[n->parent];
    for (int b = n->v; b < n->v + n->nv; b++) M[b * m->nv + v] = M[v * m->nv + b] = block_dot(w, x->S + 6 * b, f);
    for (int k = 0; x->carried[i] && k < parent->modes; k++) {
      const int b = parent->modal_v + k;
      M[b * m->nv + v] = M[v * m->nv + b] = flexible_carried_effort(m, x, i, k, f);
    }
    block_carry_force(w, x->links[i].r, f);
  }
}

// Composite inertias inward, with those that modes have: the recursion of the factor without its eliminations.
BLOCK void mass_matrix(const int w, const mechanism *m, motion *x, double *M) {
  memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
  for (int i = 1; i < m->node_count; i++) {
    tree_link *l = &x->links[i];
    block_inertia(w, l->J, l->mk, m->nodes[i].mass, l->IA);
    if (m->nodes[i].flex) flexible_fill(&x->flexible[i]);
  }
  for (int i = m->node_count - 1; i > 0; i--) {
    const node *n = &m->nodes[i];
    const tree_link *l = &x->links[i];
    flexible_link *of = &x->flexible[i];
    double f[6] = {0};
    if (n->flex) flexible_complete(w, n, of);
    for (int v = n->v; v < n->v + n->nv; v++) {
      block_mul(w, l->IA, x->S + 6 * v, f);
      meet_inward(w, m, x, i, f, v, M);
    }
    for (int k = 0; k < n->modes; k++) {
      for (int j = 0; j <= k; j++)
        M[(n->modal_v + k) * m->nv + n->modal_v + j] = M[(n->modal_v + j) * m->nv + n->modal_v + k] =
            ((const double *)of->ff)[j * flexible_across(n) + k];
      flexible_column(m, n, (const double *)of->rf, k, f);
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
