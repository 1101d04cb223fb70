#include "solve/residual.h"

#include <math.h>

#include "solve/cone.h"

static double square(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

// 0 / 0 is a problem without data, which nothing solves best.
static double relative(double error, double scale) {
  if (error == 0) return 0;
  return error / scale >= 0 ? error / scale : INFINITY;
}

static double friction_residual(const solve_problem *p, const double *r, const double *u) {
  double sum = 0;
  for (int b = 0; b < p->block_count; b++) {
    double F[BLOCK_ROWS_MAX];
    const solve_block *block = &p->blocks[b];
    natural_map(block, r + block->row, u + block->row, 1, F);
    sum += square(block->size, F);
  }
  double squares[3] = {0};
  for (int i = 0; i < p->W.rows; i++) squares[0] += p->q[i] * p->q[i], squares[1] += r[i] * r[i], squares[2] += u[i] * u[i];
  double scale = fmax(squares[0], fmax(squares[1], squares[2]));
  return relative(sqrt(sum), sqrt(scale));
}

static double plain_residual(const solve_problem *p, const double *r, const double *u, double *work) {
  double worst = 0;
  for (int b = 0; b < p->block_count; b++) {
    double F[BLOCK_ROWS_MAX];
    const solve_block *block = &p->blocks[b];
    natural_map(block, r + block->row, u + block->row, 1, F);
    for (int k = 0; k < block->size; k++)
      if (!(fabs(F[k]) <= worst)) worst = fabs(F[k]);  // a NaN goes in and stays
  }
  p->W.ops->apply_absolute(&p->W, r, work, work + p->W.rows);
  return relative(worst, fmax(largest(p->W.rows, work), largest(p->W.rows, p->q)));
}

double solve_residual(const solve_problem *p, const double *r, const double *u, double *work) {
  return solve_has_friction(p) ? friction_residual(p, r, u) : plain_residual(p, r, u, work);
}

double solve_residual_of(const solve_problem *p, const double *r, double *u, double *work) {
  p->W.ops->apply(&p->W, r, u, work);
  for (int i = 0; i < p->W.rows; i++) u[i] += p->q[i];
  return solve_residual(p, r, u, work);
}
