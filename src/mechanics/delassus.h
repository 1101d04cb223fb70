// W = G M⁻¹ Gᵀ, the resistance of the constraint rows to motion, at the present position; the tree must be factorised.
#ifndef MECHANICS_DELASSUS_H
#define MECHANICS_DELASSUS_H

#include "mechanics/mechanism.h"

void delassus_form(const mechanism *m, motion *x);
// Scales W and factorises it, redundant rows or not. False: not finite.
bool delassus_factor(const mechanism *m, motion *x);
// lambda := W⁻¹ rhs, of least norm where it is not unique. The two may be the same array.
void delassus_solve(const mechanism *m, motion *x, const double *rhs, double *lambda);
// M⁻¹ Gᵀ lambda over the first `row_count` rows. Valid until the next call.
const double *delassus_response(const mechanism *m, motion *x, const double *lambda, int row_count);

#endif
