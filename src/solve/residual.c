#include "solve/residual.h"

#include <float.h>
#include <math.h>

#include "solve/cone.h"

static double square(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

// 0 / 0 is a problem without data, which nothing solves best. Beside a scale that has overflowed every error would be
// none.
static double relative(double error, double scale) {
  if (error == 0) return 0;
  return scale < INFINITY && error / scale >= 0 ? error / scale : INFINITY;
}

// --- in units of the problem -----------------------------------------------------------------------------------------

// A diagonal this small beside the largest is rounding of zero.
static const double NO_RESPONSE = 1e-14;
// Rounding of W r relative to √Σ d r², and the most of it that is accepted, relative to the velocities.
static const double ROUNDING = 8 * DBL_EPSILON, ROUNDING_MOST = 1e-6;

// The same by groups: the rows of the contact, and those of each way to turn, which have another unit.
static void take_rolling(const solve_block *b, double *d) {
  block_turn turn[BLOCK_TURNS_MAX + 1] = {{0, block_sliding_rows(b), 0}};
  for (int k = 0, count = 1 + block_turns(b, turn + 1); k < count; k++) {
    double sum = 0, *of = d + turn[k].row;
    for (int i = 0; i < turn[k].size; i++) sum += fabs(of[i]);
    for (int i = 0; i < turn[k].size; i++) of[i] = sum / turn[k].size;
  }
}

// |W_ii|, or its mean over the rows of a contact with friction.
static void take_responses(const solve_block *b, double *d) {
  if (b->kind == BLOCK_PLANE) {
    d[0] = d[1] = 0.5 * (fabs(d[0]) + fabs(d[1]));
  } else if (b->kind == BLOCK_SPACE || b->kind == BLOCK_POLYGON) {
    d[0] = d[1] = d[2] = (fabs(d[0]) + fabs(d[1]) + fabs(d[2])) / 3;
  } else if (block_rolls(b)) {
    take_rolling(b, d);
  } else {
    for (int i = 0; i < b->size; i++) d[i] = fabs(d[i]);
  }
}

static bool replace_zeros(int n, double *d, double least) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; i++)
    if (d[i] > least) sum += d[i], count++;
  for (int i = 0; i < n; i++)
    if (!(d[i] > least)) d[i] = count ? sum / count : 1;
  return count > 0;
}

bool solve_weights(const solve_problem *p, double *d) {
  double most = 0, least = INFINITY;
  p->W.ops->diagonal(&p->W, d);
  for (int b = 0; b < p->block_count; b++) {
    const solve_block *block = &p->blocks[b];
    take_responses(block, d + block->row);
    for (int i = block->row; i < block->row + (block->kind == BLOCK_BILATERAL || block_rolls(block) ? block->size : 1);
         i++)
      most = larger(most, d[i]), least = d[i] < least ? d[i] : least;
  }
  return least > NO_RESPONSE * most || replace_zeros(p->W.rows, d, NO_RESPONSE * most);
}

// A matrix without a diagonal: one response for all rows, from what r causes. With r = 0 any will do.
static void weigh_by_response(const solve_problem *p, const double *r, double *d) {
  p->W.ops->apply_absolute(&p->W, r, d, d + p->W.rows);
  double response = largest(p->W.rows, d) / largest(p->W.rows, r);
  for (int i = 0; i < p->W.rows; i++) d[i] = response > 0 && isfinite(response) ? response : 1;
}

static inline void add_rows(residual_sums *e, const double *r, const double *u, const double *q, int count, double d,
                            double inverse) {
  double of_q = 0, of_r = 0, of_u = 0;
  for (int i = 0; i < count; i++) of_q += q[i] * q[i], of_r += r[i] * r[i], of_u += u[i] * u[i];
  e->of_q += inverse * of_q, e->of_r += d * of_r, e->of_u += inverse * of_u;
}

// Each row with the response of its group.
static void add_rolling(residual_sums *e, const solve_block *b, const double *r, const double *u, const double *q,
                        const double *d) {
  double F[BLOCK_ROWS_MAX], rho[BLOCK_ROWS_MAX] = {0};
  for (int i = 0; i < b->size; i++) rho[i] = 1 / d[i];
  natural_rolling(b, r, u, rho, F);
  for (int i = 0; i < b->size; i++) e->error += d[i] * F[i] * F[i], add_rows(e, r + i, u + i, q + i, 1, d[i], rho[i]);
}

static inline void add_block(residual_sums *e, const solve_block *b, const double *r, const double *u, const double *q,
                             const double *d) {
  if (b->kind == BLOCK_BILATERAL) {  // √d F = u/√d, each row with its own d
    for (int i = 0; i < b->size; i++)
      e->error += u[i] * u[i] / d[i], add_rows(e, r + i, u + i, q + i, 1, d[i], 1 / d[i]);
    return;
  }
  if (block_rolls(b)) {
    add_rolling(e, b, r, u, q, d);
    return;
  }
  double F[BLOCK_ROWS_MAX], inverse = 1 / d[0];
  if (b->kind == BLOCK_PLANE) {  // with its size as a constant: most blocks of mechanisms
    natural_friction(2, b->mu, r, u, inverse, F);
    e->error += d[0] * square(2, F);
    add_rows(e, r, u, q, 2, d[0], inverse);
    return;
  }
  natural_map(b, r, u, inverse, F);
  e->error += d[0] * square(b->size, F);
  add_rows(e, r, u, q, b->size, d[0], inverse);
}

double solve_residual(const solve_problem *p, const double *r, const double *u, double *work) {
  if (!solve_weights(p, work)) weigh_by_response(p, r, work);
  return solve_residual_weighted(p, r, u, work);
}

static residual_sums sum_blocks(const solve_problem *p, const double *r, const double *u, const double *d, int from,
                                int to) {
  residual_sums e = {0};
  for (int b = from; b < to; b++) {
    const solve_block *block = &p->blocks[b];
    int at = block->row;
    add_block(&e, block, r + at, u + at, p->q + at, d + at);
  }
  return e;
}

// Sums over many blocks are made of parts that threads can share: as many as fit, whatever the number of threads.
enum { PARTS = 64, PART_LEAST = 128 };
typedef struct residual_parts {
  const solve_problem *p;
  const double *r, *u, *d;
  int count;
  residual_sums part[PARTS];
} residual_parts;

static void sum_parts(void *context, int first, int last) {
  residual_parts *x = context;
  for (int k = first; k < last; k++)
    x->part[k] = sum_blocks(x->p, x->r, x->u, x->d, (int)((long)x->p->block_count * k / x->count),
                            (int)((long)x->p->block_count * (k + 1) / x->count));
}

static residual_sums sum_all(const solve_problem *p, const double *r, const double *u, const double *d) {
  int count = p->block_count / PART_LEAST;
  if (count < 2) return sum_blocks(p, r, u, d, 0, p->block_count);
  residual_parts x = {.p = p, .r = r, .u = u, .d = d, .count = count < PARTS ? count : PARTS};
  residual_sums all = {0};
  crew_run(p->W.crew, x.count, 1, sum_parts, &x);
  for (int k = 0; k < x.count; k++)
    all.error += x.part[k].error, all.of_q += x.part[k].of_q, all.of_r += x.part[k].of_r, all.of_u += x.part[k].of_u;
  return all;
}

double solve_residual_from(const residual_sums *e) {
  if (!(larger(e->of_q, e->of_u) < INFINITY && e->of_r < INFINITY)) return INFINITY;  // sweeps have diverged
  double size = sqrt(larger(e->of_q, e->of_u)), rounding = ROUNDING * sqrt(e->of_r), most = ROUNDING_MOST * size;
  double error = sqrt(e->error) - (rounding < most ? rounding : most);
  return error <= 0 ? 0 : relative(error, size);
}

double solve_residual_weighted(const solve_problem *p, const double *r, const double *u, const double *d) {
  residual_sums e = sum_all(p, r, u, d);
  return solve_residual_from(&e);
}

static void find_velocities(const solve_problem *p, const double *r, double *u, double *work) {
  p->W.ops->apply(&p->W, r, u, work);
  for (int i = 0; i < p->W.rows; i++) u[i] += p->q[i];
}

double solve_residual_of(const solve_problem *p, const double *r, double *u, double *work) {
  find_velocities(p, r, u, work);
  return solve_residual(p, r, u, work);
}

double solve_residual_known(const solve_problem *p, const double *weights, const double *r, double *u, double *work) {
  find_velocities(p, r, u, work);
  return weights ? solve_residual_weighted(p, r, u, weights) : solve_residual(p, r, u, work);
}

// --- with mixed units ------------------------------------------------------------------------------------------------

static double friction_residual(const solve_problem *p, const double *r, const double *u) {
  double error = 0, of_q = 0, of_r = 0, of_u = 0;
  for (int b = 0; b < p->block_count; b++) {
    double F[BLOCK_ROWS_MAX];
    const solve_block *block = &p->blocks[b];
    natural_map(block, r + block->row, u + block->row, 1, F);
    error += square(block->size, F);
  }
  if (error == 0) return 0;
  for (int i = 0; i < p->W.rows; i++) of_q += p->q[i] * p->q[i], of_r += r[i] * r[i], of_u += u[i] * u[i];
  return relative(sqrt(error), sqrt(larger(of_q, larger(of_r, of_u))));
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
  return relative(worst, larger(largest(p->W.rows, work), largest(p->W.rows, p->q)));
}

double solve_residual_mixed(const solve_problem *p, const double *r, const double *u, double *work) {
  return solve_has_friction(p) ? friction_residual(p, r, u) : plain_residual(p, r, u, work);
}
