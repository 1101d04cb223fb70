// How speeds respond to forces and impulses: M⁻¹ at a position, applied to forces and to rows, and W = G M⁻¹ Gᵀ. Schemes,
// projection and assembly use M⁻¹ through this interface alone.
//
// The rows G are those of the constraints, then those that come and go (rows.h). Driven speeds do not respond. There are two
// implementations:
//   by recursion   articulated inertias (tree.h), O(n) for each row
//   written out    a mechanism of few speeds: M = Lᵀ D L, and rows as vectors g over all speeds; a rate is g·u, and
//                  W = (L⁻ᵀg)ᵀ D⁻¹ (L⁻ᵀg)
#ifndef MECHANICS_RESPONSE_H
#define MECHANICS_RESPONSE_H

#include "mechanics/mechanism.h"

// --- M factorised at the present position -------------------------------------------------------------------------

// By recursion, so that tree_forward can follow. Returns false if M is singular; motion.singular_node says where.
bool response_factor(const mechanism *m, motion *x);
// The same, by whichever implementation is quicker, and the accelerations x->udot under the applied forces.
bool response_accelerate(const mechanism *m, motion *x);

// --- impulses and speeds ------------------------------------------------------------------------------------------

// The rate G u of every row under speeds u, without Φ_t. By recursion it needs positions only and overwrites links[].A.
void response_rates(const mechanism *m, motion *x, const double *u, double *rates);
// M⁻¹ Gᵀ P over the first `row_count` rows. Valid until the next call of a function of this header.
const double *response_to(const mechanism *m, motion *x, const double *P, int row_count);
// u := u0 + M⁻¹ Gᵀ P over all rows. u and u0 may be the same array.
void response_add(const mechanism *m, motion *x, const double *P, const double *u0, double *u);

// --- W --------------------------------------------------------------------------------------------------------------

// W over all rows, dense and row-major. Rows that nothing can move are decoupled: a constraint keeps a diagonal, so that its
// equation has a solution; another row is zero.
void response_matrix(const mechanism *m, motion *x, double *W);

// The constraint rows alone: forms their W and factorises it, redundant rows or not. Returns false if it is not finite.
bool response_factor_constraints(const mechanism *m, motion *x);
// lambda := W⁻¹ rhs, of least norm where it is not unique. The two may be the same array.
void response_solve_constraints(const mechanism *m, motion *x, const double *rhs, double *lambda);
// After a factorisation: how independent the constraint rows are of each other, zero in a singular position and in proportion to the
// distance from it nearby [-]. Infinite for sparse constraints, where it is not known.
double response_independence(const mechanism *m, const motion *x);
// 1/√W_ii of each constraint row in that factorisation; 0: nothing can move the row.
const double *response_scales(const motion *x);
// How many constraint rows are independent at the present position. -1: out of memory.
int response_rank(const mechanism *m, motion *x);

// --- redundant constraint rows in contact problems W r + q ----------------------------------------------------------

// In a W of n rows, the constraints' first: decouples the constraint rows that depend on others, so that none is left that does.
// Call it once for each W.
void response_decouple(const mechanism *m, motion *x, int n, double *W);
// q := 0 in the rows decoupled last, so that their multipliers are zero. The other rows then hold them too. Call it for every q.
void response_clear(const mechanism *m, const motion *x, double *q);
// Of all multipliers of the constraints with the same effect, those of least norm. For the W decoupled last.
void response_share(const mechanism *m, motion *x, double *lambda);

#endif
