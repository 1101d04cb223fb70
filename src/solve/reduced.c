#include "solve/reduced.h"

#include <math.h>

#include "math/lu.h"

// From so many bilateral rows on the elimination costs less than the sweeps that it saves; above the most, a
// factorisation takes long.
enum { LEAST_BILATERAL = 12, MOST_ROWS = 600 };

int reduced_room(const solve_limits *limits) {
  if (limits->velocities) return 0;  // of a crowd: its matrix is not formed
  return limits->dense < MOST_ROWS ? limits->dense : MOST_ROWS;
}

static int bilateral_rows(const solve_problem *p) {
  int count = 0;
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind == BLOCK_BILATERAL) count += p->blocks[b].size;
  return count;
}

bool reduced_suits(const solve_problem *p, const solve_limits *limits) {
  if (!matrix_is_dense(&p->W) || p->W.rows > reduced_room(limits)) return false;
  int count = bilateral_rows(p);
  return count >= LEAST_BILATERAL && count < p->W.rows;
}

reduced reduced_lay_out(solve_workspace *w, const solve_limits *limits) {
  size_t n = (size_t)reduced_room(limits), blocks = n ? (size_t)limits->blocks : 0;
  double *all = TAKE(w, double, n *n + 4 * n);  // as large as W, of which LU, X and W of the contacts have parts
  int *list = TAKE(w, int, 3 * n + blocks + 1);
  solve_block *block = TAKE(w, solve_block, blocks);
  if (!all) return (reduced){0};
  return (reduced){.factor = all,
                   .r = all + n * n,
                   .u = all + n * n + n,
                   .q = all + n * n + 2 * n,
                   .scale = all + n * n + 3 * n,
                   .bilateral = list,
                   .other = list + n,
                   .pivot = list + 2 * n,
                   .start = list + 3 * n,
                   .blocks = block};
}

// A row that is decoupled from all others: one that repeats others, and needs no force.
static bool is_alone(const double *W, int n, int i) {
  for (int j = 0; j < n; j++)
    if (j != i && (W[(long)i * n + j] != 0 || W[(long)j * n + i] != 0)) return false;
  return true;
}

// Returns the number of rows of the contacts, or -1 if a row has no solution.
static int list_rows(reduced *f, const solve_problem *p) {
  int n = p->W.rows, others = 0, block_count = 0;
  const double *W = p->W.values;
  f->count = 0;
  for (int b = 0; b < p->block_count; b++) {
    const solve_block *block = &p->blocks[b];
    for (int i = block->row; i < block->row + block->size; i++) {
      if (block->kind != BLOCK_BILATERAL) f->other[others++] = i;
      else if (!is_alone(W, n, i)) f->bilateral[f->count++] = i;
      else if (!(W[(long)i * n + i] > 0)) return -1;
    }
    if (block->kind == BLOCK_BILATERAL) continue;
    f->blocks[block_count] = *block;
    f->blocks[block_count].row = f->start[block_count] = others - block->size;
    block_count++;
  }
  f->start[block_count] = others;
  f->problem.block_count = block_count;
  return others;
}

// Rows that depend on each other have no single solution: pivots of less than this are left to other solvers.
static const double INDEPENDENT = 1e-10;

static bool factor(reduced *f, const solve_problem *p, interrupt *stop) {
  int n = p->W.rows, count = f->count;
  for (int i = 0; i < count; i++) {
    double own = p->W.values[(long)f->bilateral[i] * (n + 1)];
    if (!(own > 0)) return false;
    f->scale[i] = 1 / sqrt(own);
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      f->factor[(long)i * count + j] =
          p->W.values[(long)f->bilateral[i] * n + f->bilateral[j]] * f->scale[i] * f->scale[j];
  return count == 0 || lu_factor(count, f->factor, count, f->pivot, stop) > INDEPENDENT;
}

static void solve_columns(const reduced *f, const solve_problem *p, int others) {
  int n = p->W.rows;
  for (int k = 0; k <= others; k++) {
    double *column = f->X + (long)k * f->count;
    for (int i = 0; i < f->count; i++)
      column[i] =
          f->scale[i] * (k < others ? p->W.values[(long)f->bilateral[i] * n + f->other[k]] : p->q[f->bilateral[i]]);
    lu_solve(f->count, f->factor, f->count, f->pivot, column);
    for (int i = 0; i < f->count; i++) column[i] *= f->scale[i];
  }
}

// The part of W_cb times a column of X.
static double held(const reduced *f, const double *row, int column) {
  const double *x = f->X + (long)column * f->count;
  double sum = 0;
  for (int i = 0; i < f->count; i++) sum += row[f->bilateral[i]] * x[i];
  return sum;
}

bool reduced_make(reduced *f, const solve_problem *p, const double *r, interrupt *stop) {
  int n = p->W.rows, others = list_rows(f, p);
  if (others < 0 || !factor(f, p, stop)) return false;
  f->X = f->factor + (long)f->count * f->count;
  f->W = f->X + (long)f->count * (others + 1);
  solve_columns(f, p, others);
  for (int i = 0; i < others; i++) {
    const double *row = p->W.values + (long)f->other[i] * n;
    for (int j = 0; j < others; j++) f->W[(long)i * others + j] = row[f->other[j]] - held(f, row, j);
    f->q[i] = p->q[f->other[i]] - held(f, row, others);
    f->r[i] = r[f->other[i]];
  }
  f->problem.blocks = f->blocks, f->problem.q = f->q;
  f->problem.W = matrix_dense(others, f->problem.block_count, f->start, f->W);
  return true;
}

void reduced_restore(const reduced *f, const solve_problem *p, double *r) {
  int n = p->W.rows, others = f->problem.W.rows;
  for (int b = 0; b < p->block_count; b++)  // those that are alone, and the others of the list below
    for (int i = p->blocks[b].row; p->blocks[b].kind == BLOCK_BILATERAL && i < p->blocks[b].row + p->blocks[b].size;
         i++)
      r[i] = p->q[i] != 0 ? -p->q[i] / p->W.values[(long)i * (n + 1)] : 0;
  for (int i = 0; i < others; i++) r[f->other[i]] = f->r[i];
  for (int i = 0; i < f->count; i++) {
    double sum = f->X[(long)others * f->count + i];
    for (int k = 0; k < others; k++) sum += f->X[(long)k * f->count + i] * f->r[k];
    r[f->bilateral[i]] = -sum;
  }
}
