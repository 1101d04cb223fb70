// Newton's matrix 1 - γ J of BDF, J = ∂rhs/∂y by differences, without the components that need no equation of their own
// (ode_structure). With positions q' = N v, states v, accounts w and c = -γ, equation (1 + c J) x = b becomes
//
//   (1 + c A_v - c² A_q N) x_v = b_v - c A_q b_q,   x_q = b_q - c N x_v,   x_w = b_w - c (W_q x_q + W_v x_v)
//
// with A and W the rows of J for states and accounts. Given components change by b alone. That N depends on q is left
// out: it is not stiff.
#ifndef INTEGRATE_NEWTON_MATRIX_H
#define INTEGRATE_NEWTON_MATRIX_H

#include "integrate/sundials_glue.h"

// Sets glue->matrix and glue->linear. Returns false when memory runs out.
bool newton_matrix_create(sundials_glue *glue, integrator *it);
// J where the right-hand side is `ydot`, by differences, for steps of about this length. y is the same again on return.
// Returns as the right-hand side does. `work` has two vectors.
int newton_matrix_differentiate(integrator *it, double step, double t, N_Vector y, N_Vector ydot, SUNMatrix J,
                                const N_Vector work[2]);

#endif
