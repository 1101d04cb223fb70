// W = G M⁻¹ Gᵀ, the resistance of the constraint rows to motion, at the present position; the tree must be factorised.
#ifndef MECHANICS_DELASSUS_H
#define MECHANICS_DELASSUS_H

#include "mechanics/mechanism.h"

void delassus_form(const mechanism *m, motion *x);
// Scales W as formed to a unit diagonal and writes it as a dense matrix. Rows that nothing can move are zero.
void delassus_write(const mechanism *m, motion *x, double *W);
// Scales W and factorises it, redundant rows or not. False: not finite.
bool delassus_factor(const mechanism *m, motion *x);
// lambda := W⁻¹ rhs, of least norm where it is not unique. The two may be the same array.
void delassus_solve(const mechanism *m, motion *x, const double *rhs, double *lambda);
// After a factorisation: how independent the constraint rows are of each other, zero in a singular position and in proportion to the
// distance from it nearby [-]. Infinite for sparse constraints, where it is not known.
double delassus_independence(const mechanism *m, const motion *x);
// Decouples the constraint rows that nothing can move in a dense W over all rows (x->row_total).
void delassus_decouple_fixed(const mechanism *m, const motion *x, double *W);
// For contact problems W r + q of n rows, the constraints' first: decouples the constraint rows that depend on others. Call it
// once for each W: afterwards no row depends on another.
void delassus_decouple_dependent(const mechanism *m, motion *x, int n, double *W);
// q := 0 in the rows that the last call above has decoupled, so that their multipliers are zero. The other rows then hold them
// too. Call it for every q.
void delassus_clear_dependent(const mechanism *m, const motion *x, double *q);
// Of all multipliers of the constraints with the same effect, those of least norm (as delassus_solve finds them). For the W
// that was given to delassus_decouple_dependent last.
void delassus_share(const mechanism *m, motion *x, double *lambda);
// M⁻¹ Gᵀ lambda over the first `row_count` rows. Valid until the next call.
const double *delassus_response(const mechanism *m, motion *x, const double *lambda, int row_count);

#endif
