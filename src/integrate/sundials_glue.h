// What every SUNDIALS integrator needs around it: a context of its own, vectors over our arrays, and an ear for the
// messages it would otherwise print. SUNDIALS is known to this file and the integrator_*.c that include it.
#ifndef INTEGRATE_SUNDIALS_GLUE_H
#define INTEGRATE_SUNDIALS_GLUE_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "integrate/integrator_family.h"

typedef struct sundials_glue {
  SUNContext context;
  N_Vector y;          // over it->y
  N_Vector tolerance;  // over it->tolerance
  SUNMatrix matrix;    // of the dense linear solver; null for methods without one
  SUNLinearSolver linear;
  char message[256];  // the last error SUNDIALS spoke of
} sundials_glue;

// False when memory ran out; close in any case.
bool glue_open(sundials_glue *glue, integrator *it);
bool glue_add_dense_solver(sundials_glue *glue, const integrator *it);  // likewise
void glue_close(sundials_glue *glue);

// Of the integrator's length over memory of ours.
N_Vector glue_vector(sundials_glue *glue, const integrator *it, double *array);
// Of a serial vector and all that will be cloned from it.
void glue_use_own_operations(N_Vector v);

// Error handler of CVODE, ARKODE and IDA alike; `glue` is its data. Warnings are not kept.
void glue_hear(int code, const char *module, const char *function, char *message, void *glue);

// Error weights of CVODE and ARKODE, 1/(rtol |y| + tolerance), in one loop; `it` is the user data. Fails where one is
// not finite.
int glue_weigh(N_Vector y, N_Vector weight, void *it);

// Right-hand side of CVODE and ARKODE alike; `it` is its user data.
int glue_rhs(realtype t, N_Vector y, N_Vector ydot, void *it);

#endif
