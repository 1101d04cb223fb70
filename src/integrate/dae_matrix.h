// Newton's matrix ∂F/∂y + c ∂F/∂y' of a large DAE whose pattern is known. Columns that meet in no row have one colour
// and share a difference; KLU factorises.
#ifndef INTEGRATE_DAE_MATRIX_H
#define INTEGRATE_DAE_MATRIX_H

#include "integrate/sundials_glue.h"

// Sets glue->matrix and glue->linear for it->dae->pattern. Returns false when memory runs out.
bool dae_matrix_create(sundials_glue *glue, integrator *it);

// Where the matrix is wanted. `residual` is F there, `weight` one over the tolerance of each component.
typedef struct dae_point {
  double t, c, step;
  N_Vector y, ydot, residual, weight;
} dae_point;

// y and ydot are the same again on return. Returns as the residual does.
int dae_matrix_differentiate(integrator *it, const dae_point *at, SUNMatrix J, N_Vector work);

#endif
