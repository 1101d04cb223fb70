#include "math/sparse.h"

#include <stdlib.h>
#include <suitesparse/klu.h>

struct sparse_factor {
  int n;
  int *column_start, *row;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

sparse_factor *sparse_factor_create(int n, const int *column_start, const int *row) {
  sparse_factor *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->n = n;
  f->column_start = (int *)column_start;  // KLU reads them only
  f->row = (int *)row;
  klu_defaults(&f->common);
  f->symbolic = klu_analyze(n, f->column_start, f->row, &f->common);
  if (!f->symbolic) {
    free(f);
    return NULL;
  }
  return f;
}

void sparse_factor_destroy(sparse_factor *f) {
  if (!f) return;
  klu_free_numeric(&f->numeric, &f->common);
  klu_free_symbolic(&f->symbolic, &f->common);
  free(f);
}

bool sparse_factorize_anew(sparse_factor *f, const double *values) {
  klu_free_numeric(&f->numeric, &f->common);
  f->numeric = klu_factor(f->column_start, f->row, (double *)values, f->symbolic, &f->common);
  return f->numeric && f->common.status == KLU_OK;
}

bool sparse_factorize(sparse_factor *f, const double *values) {
  double *a = (double *)values;
  if (f->numeric && klu_refactor(f->column_start, f->row, a, f->symbolic, f->numeric, &f->common)) return true;
  return sparse_factorize_anew(f, values);
}

void sparse_solve(sparse_factor *f, double *x) { klu_solve(f->symbolic, f->numeric, f->n, 1, x, &f->common); }
