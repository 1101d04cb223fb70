// Flexible bodies in the tree. The modal speeds belong to the body's node and are condensed inside it, before its joint
// is eliminated, so that the recursion over rigid nodes stays as it is. With A the acceleration of the node's frame,
//   [I_rr I_rf; I_fr I_ff] (A, q̈) + (p_r, p_f) = (f, τ_f)
//   I = I_rr - I_rf I_ff⁻¹ I_fr,   p = p_r - I_rf I_ff⁻¹ (p_f - τ_f),   q̈ = I_ff⁻¹ (τ_f - p_f) - I_ff⁻¹ I_fr A.
// A child that hangs on the deformed body accelerates with it by  T A + Φ q̈ + c,  so that its articulated inertia Ia
// and bias pa add  Tᵀ Ia Φ to I_rf,  Φᵀ Ia Φ to I_ff  and  Φᵀ pa to p_f.
//
// The frame is at the marker by which the joint carries the body: shapes are zero there, and do not turn it. A row on a
// flexible body has a term on the velocity of its frame, and one on each modal speed.
#ifndef MECHANICS_FLEXIBLE_H
#define MECHANICS_FLEXIBLE_H

#include "flex/floating.h"
#include "math/packs.h"
#include "mechanics/block.h"
#include "mechanics/mechanism.h"

enum { FLEXIBLE_MODES_MAX = 512 };
enum { FLEXIBLE_USUAL = (10 + PACK - 1) / PACK };  // groups, of ten modes, for which loops are written out

typedef struct flexible_boundary flexible_boundary;

// Const, in the body's axes.
typedef struct flexible_body {
  int modes;
  double extent;  // largest edge of the box around it [m]
  floating_body inertia;
  const double *stiffness, *damping;  // modes²
  bool uncoupled;                     // both are diagonal, as for eigenmodes
  const char *kinds;                  // what each coordinate measures: 't' a displacement [m], 'a' a turn [rad]
  const double *size;                 // the largest displacement or turn of each shape, per unit of its coordinate [-]
  const double *rate;                 // √(stiffness / mass) of each coordinate alone [rad/s]
  const double *omega;                // frequencies as the basis was computed, increasing [rad/s]
  const vec3 *turns;                  // turn per modal coordinate at some places of the body, modes for each place
  int place_count;
  const vec3 *strains;  // strain per modal coordinate, likewise: mean, and two parts a, b of the deviation √(a² + b²)
  int strain_count;     // places; 0 if strains are not known
  const flexible_boundary *boundary;  // nodes that surfaces touch; may be null
} flexible_body;

// Of a marker on a flexible body, const, in the body's axes: how its place moves and turns per modal coordinate.
typedef struct marker_shape {
  const vec3 *shift, *turn;  // one per mode
  const vec3 *second;        // modes²: ∂² of its displacement, as floating.h has it; null if there is none
} marker_shape;

// The same, as an evaluation reads it.
typedef struct marker_rows {
  pack *rows;       // 6 over the modes: shift, turn
  pack *second[3];  // along each axis a row over the modes for each mode; null if all are zero
} marker_rows;

// Columns of all modes, one for each, stand as rows over the modes: one row for each of the n numbers of a column, with
// zeros up to the end of the last group (math/packs.h). So all modes of a group are computed at once.

// The frame of such a marker in the world. Its acceleration is  T A + Σ column q̈ + c.
typedef struct flexible_marker {
  const marker_shape *shape;  // null for a marker on a rigid body
  int node;
  mat3 turned;               // the axes of the body as they are turned there
  vec3 p, w, v;              // angular velocity and velocity
  vec3 angular_c, linear_c;  // what of its accelerations depends neither on A nor on q̈
  double *columns;           // n rows
  marker_rows table;
} flexible_marker;

// Implicit methods solve with  I_ff + damping D + stiffness K  in place of I_ff, and evaluate elastic forces at
// q + lead q̇. All zero elsewhere.
typedef struct flexible_relaxation {
  double damping, stiffness, lead;  // [s], [s²], [s]
} flexible_relaxation;

// What changes of a flexible node.
typedef struct flexible_link {
  int marker_count;
  int *markers;  // of its body, those that move with modes
  floating_state state;
  pack *rows;               // I_rf of the body alone in world axes, n rows over the modes; I_ff and p_f are in `state`
  pack *rf;                 // I_rf with what children have added: eight rows, of which those behind it are workspace
  pack *ff;                 // likewise I_ff, as pack_add_products has it; then its factor, see flexible_condense.c
  bool filled;              // rf and ff have what the body itself has, which is not copied before it is needed
  double *pivot, *inverse;  // of the factor
  bool diagonal;            // I_ff is
  pack *X;                  // I_ff⁻¹ I_fr, in the place of rf, which nothing reads behind it
  double *p, *e;            // p_f while it is gathered; I_ff⁻¹ (τ_f - p_f)
  double *rate;             // q̈, or the modal speeds that tree_spread was given
  double *damping;          // D q̇ as applied last
  double *own_stiffness, *own_damping;  // the diagonals of K and D
  struct vec2 *boundary;                // places of the nodes of its boundary, in the body's axes
  struct flexible_fields *fields;       // of a body with a boundary, see flexible_boundary.h
  flexible_relaxation relaxed;
} flexible_link;

// Workspace of a motion: all null where no body is flexible.
void flexible_allocate(const mechanism *m, motion *x);

// Kinematics. The frames of all markers on the node's body, and its mass matrix and bias; once its link is known.
void flexible_evaluate(const mechanism *m, motion *x, int index);
// Of a node that hangs on a flexible body: the frame it hangs on; and what follows for the child's link, whose
// kinematics were found from this frame.
const flexible_marker *flexible_carrier(const mechanism *m, const motion *x, const node *n);
void flexible_carry(const mechanism *m, motion *x, int index);

// The frame of a marker that moves with modes; null of others. Where some body is flexible.
static inline const flexible_marker *flexible_frame(const mechanism *m, const motion *x, int marker) {
  return m->markers[marker].shape ? &x->flexible_markers[marker] : NULL;
}

// Elastic, damping and gravity forces on the modes, into tau; books energy and loss.
void flexible_apply(const mechanism *m, motion *x);
double flexible_strain_energy(const mechanism *m, const motion *x);
// From now on, for all bodies.
void flexible_relax(const mechanism *m, motion *x, flexible_relaxation r);
// The damping that an implicit method has applied: its speeds are those of flexible_apply and `part` of a change.
void flexible_add_damping(const mechanism *m, motion *x, double part, const double *from, const double *to);

// A point that is fixed to the frame of a marker, `off` from it in world axes. Velocity and angular velocity that the
// modes add where their rates are those of the node's link, and the efforts of a force and a torque there.
vec3 flexible_point_rate(const mechanism *m, const motion *x, const flexible_marker *f, vec3 off);
vec3 flexible_turn_rate(const mechanism *m, const motion *x, const flexible_marker *f);
double flexible_effort(const mechanism *m, const flexible_marker *f, int mode, vec3 off, vec3 force, vec3 torque);
void flexible_push(const mechanism *m, motion *x, const flexible_marker *f, vec3 off, vec3 force, vec3 torque);
// Of its acceleration what depends neither on A nor on q̈.
static inline vec3 flexible_point_bias(const flexible_marker *f, vec3 off) {
  return vec3_add(vec3_add(f->linear_c, vec3_cross(f->angular_c, off)), vec3_centripetal(f->w, off));
}
// The same for the velocity of the frame at a place that travels over it, is there now and has the velocity `travel`.
static inline vec3 flexible_travel_bias(const flexible_marker *f, vec3 off, vec3 travel) {
  return vec3_add(vec3_add(f->linear_c, vec3_cross(f->angular_c, off)), vec3_cross(f->w, vec3_sub(travel, f->v)));
}

// How many groups of modes there are, and how many numbers a row over the modes has.
static inline int flexible_groups(const node *n) { return pack_count(n->modes); }
static inline int flexible_across(const node *n) { return PACK * flexible_groups(n); }

// The column of one mode.
static inline void flexible_column(const mechanism *m, const node *n, const double *columns, int mode, double *to) {
  for (int i = 0; i < m->n; i++) to[i] = columns[i * flexible_across(n) + mode];
}
// Of a node that hangs on a flexible one: what the force f at its origin does along a mode of its parent.
static inline double flexible_carried_effort(const mechanism *m, const motion *x, int index, int mode,
                                             const double *f) {
  double column[6];
  flexible_column(m, &m->nodes[m->nodes[index].parent], x->carried[index], mode, column);
  return block_dot(m->n, column, f);
}

// How many modes of its parent move a node.
static inline int flexible_carriers(const mechanism *m, const motion *x, int i) {
  return x->carried && x->carried[i] ? m->nodes[m->nodes[i].parent].modes : 0;
}
// How many modes move a marker, and the first of their speeds.
static inline int flexible_modes_at(const mechanism *m, int marker, int *speed) {
  const node *n = &m->nodes[m->bodies[m->markers[marker].body].node];
  *speed = n->modal_v;
  return m->markers[marker].shape ? n->modes : 0;
}
static inline bool flexible_is_modal(const mechanism *m, int speed) {
  const node *n = &m->nodes[m->speed_node[speed]];
  return n->modes && speed >= n->modal_v;
}

// Whether a mode of some body loses energy; and what the damping that was applied last takes at the speeds u.
bool flexible_is_damped(const mechanism *m);
double flexible_damping_power(const mechanism *m, const motion *x, const double *u);

double flexible_kinetic_energy(const mechanism *m, const motion *x, int index);
void flexible_momentum(const mechanism *m, const motion *x, int index, double *momentum);

// --- the algebra of the recursion, of block width w ------------------------------------------------------------------

// Workspace of the algebra below.
void flexible_allocate_factor(arena *memory, int modes, flexible_link *f);

// Loops over groups of modes, `of` of which a body has, are written out for the number that many have.
#define FLEXIBLE_GROUPS(of, function, ...)                             \
  do {                                                                 \
    if ((of) == FLEXIBLE_USUAL) function(FLEXIBLE_USUAL, __VA_ARGS__); \
    else function(of, __VA_ARGS__);                                    \
  } while (0)

// I_rf and I_ff are those of the body alone.
static inline void flexible_fill(flexible_link *f) { f->filled = false; }

BLOCK void flexible_fill_groups(const int groups, const int w, flexible_link *f) {
  for (int i = 0; i < w; i++)
    for (int g = 0; g < groups; g++) f->rf[i * groups + g] = f->rows[i * groups + g];
  for (int b = 0; b < groups; b++)
    for (int k = PACK * b; k < PACK * (b + 1); k++)
      for (int g = b; g < groups; g++) f->ff[k * groups + g] = f->state.ff[k * groups + g];
}
// They stand in rf and ff afterwards, also where no child hangs on the body.
BLOCK void flexible_complete(const int w, const node *n, flexible_link *f) {
  if (f->filled) return;
  FLEXIBLE_GROUPS(flexible_groups(n), flexible_fill_groups, w, f);
  f->filled = true;
}

// p_f of the body alone, with `tau` (may be null for zero) p_f - τ_f.
BLOCK void flexible_begin(const node *n, const double *tau, flexible_link *f) {
  pack own, *p = (pack *)f->p;
  int g = 0, left = n->modes;
  for (tau = tau ? tau + n->modal_v : NULL; tau && left >= PACK; g++, left -= PACK, tau += PACK)
    p[g] = f->state.bias[g] - *(const loose_pack *)tau;
  if (tau && left > 0) pack_load(tau, left, &own), p[g] = f->state.bias[g] - own, g++;
  for (; g < flexible_groups(n); g++) p[g] = f->state.bias[g];
}

// Columns of a child whose articulated inertia after its joint is Ia: with f = Ia φ, rf += Tᵀ f and ff += φᵀ f.
BLOCK void flexible_take_groups(const int groups, const int w, int modes, flexible_link *f, const double *r,
                                const pack *phi, const double *Ia) {
  const pack *rf = f->filled ? f->rf : f->rows, *ff = f->filled ? f->ff : f->state.ff;
  pack force[6 * (FLEXIBLE_MODES_MAX / PACK)];
  for (int g = 0; g < groups; g++) {
    pack sum[6];
    for (int i = 0; i < w; i++) {
      sum[i] = Ia[i] * phi[g];
      for (int j = 1; j < w; j++) sum[i] += (j < i ? Ia[j * w + i] : Ia[i * w + j]) * phi[j * groups + g];
      force[i * groups + g] = sum[i];
    }
    if (w == 6) {
      sum[0] += r[1] * sum[5] - r[2] * sum[4];
      sum[1] += r[2] * sum[3] - r[0] * sum[5];
      sum[2] += r[0] * sum[4] - r[1] * sum[3];
    } else {
      sum[0] += r[0] * sum[2] - r[1] * sum[1];
    }
    for (int i = 0; i < w; i++) f->rf[i * groups + g] = rf[i * groups + g] + sum[i];
  }
  pack_add_products(groups, modes, w, phi, force, ff, f->ff);
  f->filled = true;
}

BLOCK void flexible_take_inertia(const int w, const node *n, flexible_link *f, const double *r, const double *columns,
                                 const double *Ia) {
  FLEXIBLE_GROUPS(flexible_groups(n), flexible_take_groups, w, n->modes, f, r, (const pack *)columns, Ia);
}

BLOCK void flexible_take_force_of(const int groups, const int w, const pack *phi, const double *p, pack *to) {
  for (int g = 0; g < groups; g++) {
    pack sum = to[g];
    for (int i = 0; i < w; i++) sum += p[i] * phi[i * groups + g];
    to[g] = sum;
  }
}
BLOCK void flexible_take_force(const int w, const node *n, flexible_link *f, const double *columns, const double *p) {
  FLEXIBLE_GROUPS(flexible_groups(n), flexible_take_force_of, w, (const pack *)columns, p, (pack *)f->p);
}

// A += Σ column rate, with zeros behind the rates of the modes.
BLOCK void flexible_add_motion_of(const int groups, const int w, const pack *phi, const pack *rate, double *A) {
  pack products[8] = {0};
  fours sums[2];
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < w; i++) products[i] += rate[g] * phi[i * groups + g];
  pack_sum(products, &sums[0]);
  if (w == 6) pack_sum(products + FOURS, &sums[1]);
  for (int i = 0; i < w; i++) A[i] += ((const double *)sums)[i];
}
BLOCK void flexible_add_motion(const int w, const node *n, const double *columns, const double *rates, double *A) {
  FLEXIBLE_GROUPS(flexible_groups(n), flexible_add_motion_of, w, (const pack *)columns, (const pack *)rates, A);
}

// The factor of I_ff, X, and I; with pA (may be null) also what flexible_reduce does, at no further cost, where
// flexible_begin was given the efforts. Returns false if I_ff is singular.
bool flexible_condense(int w, const node *n, flexible_link *f, double *IA, double *pA);
// From the efforts tau (may be null for zero) and p_f, which is zero afterwards: e, and p.
void flexible_reduce(int w, const node *n, flexible_link *f, const double *tau, double *pA);
// The same, and half[modal] = L⁻¹ (τ_f - p_f) with I_ff = L Lᵀ.
void flexible_reduce_by_half(int w, const node *n, flexible_link *f, const double *tau, double *pA, double *half);
// y := L⁻ᵀ y with the same L.
void flexible_solve_transposed(const node *n, const flexible_link *f, double *y);
// Inverse dynamics of the body alone: the wrench on its frame without bias, and p_f with it.
void flexible_inverse(int w, const node *n, const tree_link *l, flexible_link *f, const double *udot, double *wrench);
// q̈ from the acceleration of the frame, also into `out` (may be null).
void flexible_expand(int w, const node *n, flexible_link *f, const double *A, double *out);
// The mass matrix of a mechanism with flexible bodies, as tree_mass_matrix.
void flexible_mass_matrix(const mechanism *m, motion *x, double *M);

#endif
