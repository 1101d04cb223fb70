// Recursions over the tree, O(n) each. Written once over the block width and instantiated for planar and spatial.
#ifndef MECHANICS_TREE_H
#define MECHANICS_TREE_H

#include "mechanics/mechanism.h"

// A pivot of the articulated inertia this small beside its own terms is rounding, not mass: the sum behind it has at
// most a few hundred terms, each good to 1e-16.
#define TREE_SINGULAR 1e-13

// Poses and joint columns from q, velocities and relative bias accelerations from u, inertias and bias forces.
void tree_kinematics(const mechanism *m, motion *x);
// The same at the position of the M written out, which stays.
void tree_kinematics_again(const mechanism *m, motion *x);

// Articulated inertias: the mass matrix factorised along the tree. Returns false if it is singular;
// motion.singular_node says where.
bool tree_factor(const mechanism *m, motion *x);
// The same of M with numbers added to its diagonal, one per speed; zero for those of free bodies.
bool tree_factor_held(const mechanism *m, motion *x, const double *added);
// Forms L⁻ᵀ of free bodies in the plane, of which tree_factor leaves all but the diagonal out: only responses to rows
// need it.
void tree_form_halves(const mechanism *m, motion *x);
// Whether a node moves freely from ground; w: 6 in space, 3 in the plane. After tree_factor and tree_form_halves, L⁻ᵀ
// of its block D = L Lᵀ, w x w.
static inline bool tree_is_free_body(int w, const node *n) { return n->parent == GROUND && n->free_count == w; }
static inline const double *tree_free_half(int w, const node *n, const motion *x) {
  return x->factor + n->factor + w * w;
}
// Whether every node hangs on ground: then loops over nodes may be shared.
static inline const crew *tree_crew(const mechanism *m, const motion *x) {
  return m->base_count == m->node_count - 1 ? x->crew : NULL;
}
enum { TREE_SHARE = 64 };  // the fewest nodes or rows that a thread takes
typedef struct tree_job {
  const mechanism *m;
  motion *x;
  const double *in;
  double *out;
} tree_job;

// The same of a steady node, whose block is known without that: h := L⁻¹ e, and e := L⁻ᵀ h.
static inline void tree_steady_half(const node *n, const double *e, double *h) {
  const double *Y = n->half;
  h[0] = Y[0] * e[0], h[1] = Y[1] * e[0] + Y[3] * e[1], h[2] = Y[2] * e[0] + Y[4] * e[1] + Y[5] * e[2];
  for (int k = 3; k < 6; k++) h[k] = Y[6] * e[k];
}
static inline void tree_steady_back(const node *n, const double *h, double *e) {
  const double *Y = n->half;
  e[0] = Y[0] * h[0] + Y[1] * h[1] + Y[2] * h[2], e[1] = Y[3] * h[1] + Y[4] * h[2], e[2] = Y[5] * h[2];
  for (int k = 3; k < 6; k++) e[k] = Y[6] * h[k];
}
// Its columns turn or move, none does both: e := Sᵀ f, and A := S e.
static inline void tree_steady_efforts(const double *S, const double *f, double *e) {
  for (int k = 0; k < 3; k++, S += 6) e[k] = S[0] * f[0] + S[1] * f[1] + S[2] * f[2];
  for (int k = 3; k < 6; k++, S += 6) e[k] = S[3] * f[3] + S[4] * f[4] + S[5] * f[5];
}
static inline void tree_steady_motion(const double *S, const double *e, double *A) {
  for (int i = 0; i < 3; i++) A[i] = S[i] * e[0] + S[6 + i] * e[1] + S[12 + i] * e[2];
  for (int i = 3; i < 6; i++) A[i] = S[18 + i] * e[3] + S[24 + i] * e[4] + S[30 + i] * e[5];
}

// Of the factor of one node: D, and of a free body L⁻ᵀ, and the joint columns (6 per speed) and the articulated inertia
// that it was found for.
static inline int tree_factor_size(const node *n) {
  return n->nv * n->nv + (n->parent == GROUND ? 2 * n->nv * n->nv + 6 * n->nv : 0);
}

// Accelerations under the applied wrenches (links[].F), tau and the velocity-dependent terms: fills links[].A and
// x->udot; driven speeds accelerate as x->drive_udot says.
void tree_forward(const mechanism *m, motion *x);

// tree_factor and tree_forward in one sweep. Returns false if M is singular.
bool tree_accelerate(const mechanism *m, motion *x);

// The factor, accelerations and tree_solve of a node that hangs on ground and carries none, alone.
bool tree_factor_alone(const mechanism *m, motion *x, int node);
void tree_forward_alone(const mechanism *m, motion *x, int node);
void tree_solve_alone(const mechanism *m, motion *x, int node, const double *tau, double *out);

// out = M⁻¹ (tau + Jᵀ F) without any velocity terms, driven speeds kept at rest: M⁻¹ applied to a vector. Uses
// links[].pA and links[].A; on entry links[].pA holds minus the wrenches.
void tree_solve(const mechanism *m, motion *x, const double *tau, double *out);
// The same over the nodes that matter to constraints of one base; out may be null.
void tree_solve_base(const mechanism *m, motion *x, int base, const double *tau, double *out);
// The inward half of that over these nodes, each before its parent: e with M⁻¹ = Eᵀ E for E the map from (tau,
// wrenches) to e, so that responses to two rows have the product e·e'. The nodes are all those between the bodies that
// are pushed and ground; on others e is zero. Entries of driven speeds, and of other nodes, are left as they are.
void tree_reduce_nodes(const mechanism *m, motion *x, const int *nodes, int count, const double *tau, double *e);

// The velocity that speeds u would give each body at the present position, in links[].A.
void tree_spread(const mechanism *m, motion *x, const double *u);

// Efforts along each speed that produce udot under the applied wrenches: tau = M udot + h - Jᵀ F. Leaves the wrench
// each joint transmits in links[].pA.
void tree_inverse(const mechanism *m, motion *x, const double *udot, double *tau);

// Dense nv x nv mass matrix, by composite inertias.
void tree_mass_matrix(const mechanism *m, motion *x, double *M);

double tree_kinetic_energy(const mechanism *m, const motion *x);
double tree_gravity_energy(const mechanism *m, const motion *x);
// The gravity energy that a displacement of the speeds adds where all nodes are steady, whose kinetic energy does not
// depend on positions. Returns false if one is not.
bool tree_steady_lift(const mechanism *m, const motion *x, const double *displacement, double *energy);
// Sum of m |g| (distance of the mass centre from the origin + length of the model), which the energy is rounded
// relative to.
double tree_gravity_size(const mechanism *m, const motion *x);
// Linear momentum and angular momentum about the world's origin.
void tree_momentum(const mechanism *m, const motion *x, vec3 *linear, vec3 *angular);

#endif
