// Rows that come and go, such as contacts: appended behind the constraints' own, forgotten before the next step.
#ifndef MECHANICS_ROWS_H
#define MECHANICS_ROWS_H

#include <float.h>

#include "mechanics/anchor.h"
#include "mechanics/mechanism.h"

// Rounding error of a bias, relative to the size of its terms.
#define ROWS_ROUNDING (64 * DBL_EPSILON)

// Back to the constraints alone.
void rows_clear(const mechanism *m, motion *x);
// Rate J_a·V_a + J_b·V_b, or c u. The blocks of a pair, J_a and J_b in this order, are for the caller to fill. The
// row's bias `quad` is zero; a caller who needs accelerations sets it.
row_body *rows_add_pair(const mechanism *m, motion *x, int node_a, int node_b);
// The terms of the row added last on the modes of flexible bodies, where it is force·(v_a - v_b) + torque·(ω_a - ω_b)
// at the two anchors.
void rows_add_modes(const mechanism *m, motion *x, const anchor *a, const anchor *b, vec3 force, vec3 torque);
// Both: a coordinate of a joint that closes a loop, times a factor, with its bias.
void rows_add_coordinate(const mechanism *m, motion *x, coordinate of, double factor);
// Sets the bias of the row added last, rounded like a few operations on numbers of its size.
void rows_set_bias(motion *x, double quad);
void rows_add_speed(const mechanism *m, motion *x, int speed, double c);

// The rate of every row at the present velocities, without Φ_t. For other speeds: response_rates.
void rows_rates(const mechanism *m, const motion *x, double *rates);

#endif
