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

// Articulated inertias: the mass matrix factorised along the tree. Returns false if it is singular; motion.singular_node
// says where.
bool tree_factor(const mechanism *m, motion *x);
// Whether a node moves freely from ground; w: 6 in space, 3 in the plane. After tree_factor, L⁻ᵀ of its block D = L Lᵀ, w x w.
static inline bool tree_is_free_body(int w, const node *n) { return n->parent == GROUND && n->free_count == w; }
static inline const double *tree_free_half(int w, const node *n, const motion *x) { return x->factor + n->factor + w * w; }

// Accelerations under the applied wrenches (links[].F), tau and the velocity-dependent terms: fills links[].A and
// x->udot; driven speeds accelerate as x->drive_udot says.
void tree_forward(const mechanism *m, motion *x);

// out = M⁻¹ (tau + Jᵀ F) without any velocity terms, driven speeds kept at rest: M⁻¹ applied to a vector. Uses
// links[].pA and links[].A; on entry links[].pA holds minus the wrenches.
void tree_solve(const mechanism *m, motion *x, const double *tau, double *out);
// The same over the nodes that matter to constraints of one base; out may be null.
void tree_solve_base(const mechanism *m, motion *x, int base, const double *tau, double *out);
// The inward half of that over one base: e with M⁻¹ = Eᵀ E for E the map from (tau, wrenches) to e, so that responses to two rows
// have the product e·e'. Entries of driven speeds, and of nodes that do not matter to constraints, are left as they are.
void tree_reduce_base(const mechanism *m, motion *x, int base, const double *tau, double *e);

// The velocity that speeds u would give each body at the present position, in links[].A.
void tree_spread(const mechanism *m, motion *x, const double *u);

// Efforts along each speed that produce udot under the applied wrenches: tau = M udot + h - Jᵀ F. Leaves the wrench
// each joint transmits in links[].pA.
void tree_inverse(const mechanism *m, motion *x, const double *udot, double *tau);

// Dense nv x nv mass matrix, by composite inertias.
void tree_mass_matrix(const mechanism *m, motion *x, double *M);

double tree_kinetic_energy(const mechanism *m, const motion *x);
double tree_gravity_energy(const mechanism *m, const motion *x);
// Sum of m |g| (distance of the mass centre from the origin + length of the model), which the energy is rounded relative to.
double tree_gravity_size(const mechanism *m, const motion *x);
// Linear momentum and angular momentum about the world's origin.
void tree_momentum(const mechanism *m, const motion *x, vec3 *linear, vec3 *angular);

#endif
