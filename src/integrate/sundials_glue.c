#include "integrate/sundials_glue.h"

#include <math.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

N_Vector glue_vector(sundials_glue *glue, const integrator *it, double *array) {
  N_Vector v = N_VMake_Serial(it->n, array, glue->context);
  if (v) glue_use_own_operations(v);
  return v;
}

bool glue_open(sundials_glue *glue, integrator *it) {
  if (SUNContext_Create(NULL, &glue->context) != 0) return false;
  glue->y = glue_vector(glue, it, it->y);
  glue->tolerance = glue_vector(glue, it, it->tolerance);
  return glue->y && glue->tolerance;
}

bool glue_add_dense_solver(sundials_glue *glue, const integrator *it) {
  glue->matrix = SUNDenseMatrix(it->n, it->n, glue->context);
  if (glue->matrix) glue->linear = SUNLinSol_Dense(glue->y, glue->matrix, glue->context);
  return glue->linear != NULL;
}

void glue_close(sundials_glue *glue) {
  if (glue->linear) SUNLinSolFree(glue->linear);
  if (glue->matrix) SUNMatDestroy(glue->matrix);
  if (glue->tolerance) N_VDestroy(glue->tolerance);
  if (glue->y) N_VDestroy(glue->y);
  if (glue->context) SUNContext_Free(&glue->context);
}

void glue_hear(int code, const char *module, const char *function, char *message, void *glue) {
  (void)function;
  sundials_glue *g = glue;
  if (code < 0) snprintf(g->message, sizeof g->message, "%s: %s", module, message);
}

int glue_weigh(N_Vector y, N_Vector weight, void *data) {
  const integrator *it = data;
  const double *value = NV_DATA_S(y);
  double *w = NV_DATA_S(weight);
  bool positive = true;
  for (int i = 0; i < it->n; i++) {
    double error = it->settings.rtol * fabs(value[i]) + it->tolerance[i];
    positive &= error > 0;
    w[i] = 1 / error;
  }
  return positive ? 0 : -1;
}

int glue_rhs(realtype t, N_Vector y, N_Vector ydot, void *it) {
  return integrator_rhs(it, t, NV_DATA_S(y), NV_DATA_S(ydot));
}
