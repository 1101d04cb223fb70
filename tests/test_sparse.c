// Sparse factors: solve, refactor with new values on the same pattern, notice singularity.
#include "mechanisms.h"

#include <float.h>

#include "math/block_lu.h"
#include "math/sparse.h"

enum { N = 120, BAND = 3 };

static int start[N + 1], rows[N * (2 * BAND + 1)];
static double values[N * (2 * BAND + 1)];

// A band matrix, diagonally dominant, so that its condition is small.
static void fill(uint64_t *seed) {
  int used = 0;
  for (int j = 0; j < N; j++) {
    for (int i = j - BAND < 0 ? 0 : j - BAND; i <= j + BAND && i < N; i++) {
      rows[used] = i;
      values[used++] = i == j ? 8 + random_between(seed, 0, 1) : random_between(seed, -1, 1);
    }
    start[j + 1] = used;
  }
}

static double worst_residual(const double *x, const double *b) {
  double r[N];
  for (int i = 0; i < N; i++) r[i] = -b[i];
  for (int j = 0; j < N; j++)
    for (int k = start[j]; k < start[j + 1]; k++) r[rows[k]] += values[k] * x[j];
  return largest_of(r, N);
}

static void factor_solves_and_refactors(void) {
  uint64_t seed = 31;
  fill(&seed);
  sparse_factor *f = sparse_factor_create(N, start, rows);
  if (!CHECK(f)) return;
  for (int turn = 0; turn < 5; turn++) {
    fill(&seed);
    double b[N], x[N];
    for (int i = 0; i < N; i++) b[i] = x[i] = random_between(&seed, -1, 1);
    CHECK(sparse_factorize(f, values));
    sparse_solve(f, x);
    CHECK_LE(worst_residual(x, b), 100 * DBL_EPSILON);  // |A||x| is below 15 · 1, with a handful of operations a row
  }
  sparse_factor_destroy(f);
}

// A singular matrix is told, also when the one before was regular, and a regular one after it works again.
static void singular_is_told(void) {
  uint64_t seed = 32;
  fill(&seed);
  sparse_factor *f = sparse_factor_create(N, start, rows);
  if (!CHECK(f)) return;
  CHECK(sparse_factorize(f, values));
  double kept[N * (2 * BAND + 1)];
  memcpy(kept, values, sizeof kept);
  for (int k = start[50]; k < start[51]; k++) values[k] = 0;
  CHECK(!sparse_factorize(f, values));
  memcpy(values, kept, sizeof kept);
  CHECK(sparse_factorize(f, values));
  double b[N], x[N];
  for (int i = 0; i < N; i++) b[i] = x[i] = 1;
  sparse_solve(f, x);
  CHECK_LE(worst_residual(x, b), 100 * DBL_EPSILON);
  sparse_factor_destroy(f);
  sparse_factor_destroy(NULL);
}

// --- blocks ----------------------------------------------------------------------------------------------------------

enum { NODES = 40, ROWS_MAX = 6 * NODES };

typedef struct blocks {
  int count, size[NODES], from[NODES], rows;
  bool near[NODES][NODES];
  double A[ROWS_MAX][ROWS_MAX];
} blocks;

// Nodes of six rows, or of one to six, each near about four others; values are not symmetric, and the diagonal is
// dominant.
static void make_blocks(blocks *b, uint64_t *seed, int count, bool spatial) {
  memset(b, 0, sizeof *b);
  b->count = count;
  for (int i = 0; i < count; i++)
    b->size[i] = spatial ? 6 : 1 + (int)random_between(seed, 0, 5.99), b->from[i] = b->rows, b->rows += b->size[i];
  for (int k = 0; k < 2 * count; k++) {
    int i = (int)random_between(seed, 0, count - 0.01), j = (int)random_between(seed, 0, count - 0.01);
    b->near[i][j] = b->near[j][i] = true;
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      for (int k = 0; k < b->size[i] && (i == j || b->near[i][j]); k++)
        for (int l = 0; l < b->size[j]; l++) {
          double *to = &b->A[b->from[i] + k][b->from[j] + l];
          *to = i == j && k == l ? 60 : random_between(seed, -1, 1);
        }
}

static bool analyse(block_lu *f, const blocks *b) {
  if (!block_lu_begin(f, b->count, b->size)) return false;
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j < b->count; j++)
      if (b->near[i][j]) block_lu_join(f, i, j);
  return block_lu_end(f);
}

static void give_values(block_lu *f, const blocks *b) {
  block_lu_clear(f);
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j < b->count; j++) {
      if (i != j && !b->near[i][j]) continue;
      double *to = block_lu_at(f, i, j);
      for (int k = 0; k < b->size[i]; k++)
        for (int l = 0; l < b->size[j]; l++) to[k * b->size[j] + l] = b->A[b->from[i] + k][b->from[j] + l];
    }
}

static void blocks_are_solved(void) {
  static blocks b;
  uint64_t seed = 33;
  block_lu *f = block_lu_create();
  if (!CHECK(f)) return;
  for (int turn = 0; turn < 20; turn++) {
    make_blocks(&b, &seed, turn % 4 == 3 ? 7 : NODES, turn % 2);
    double x[ROWS_MAX], right[ROWS_MAX], worst = 0;
    for (int i = 0; i < b.rows; i++) right[i] = x[i] = random_between(&seed, -1, 1);
    CHECK(analyse(f, &b));
    give_values(f, &b);
    CHECK(block_lu_factor(f));
    CHECK_LE(block_lu_work(f), 2.0 / 3 * b.rows * b.rows * b.rows + 4.0 * b.rows * b.rows);  // no more than a dense one
    block_lu_solve(f, x);
    for (int i = 0; i < b.rows; i++) {
      double sum = -right[i];
      for (int j = 0; j < b.rows; j++) sum += b.A[i][j] * x[j];
      worst = fmax(worst, fabs(sum));
    }
    CHECK_LE(worst, 100 * DBL_EPSILON);  // |A||x| is below 120/60 · 2
    memset(b.A[b.from[2]], 0, sizeof b.A[0]);
    give_values(f, &b);
    CHECK(!block_lu_factor(f));  // singular
  }
  block_lu_destroy(f);
}

// A chain that is given in a bad order has no fill: the work grows with its length.
static void a_chain_has_no_fill(void) {
  enum { LINKS = 2000 };
  static int size[LINKS];
  block_lu *f = block_lu_create();
  for (int i = 0; i < LINKS; i++) size[i] = 6;
  if (!CHECK(f && block_lu_begin(f, LINKS, size))) return;
  for (int i = 0; i + 1 < LINKS; i++) block_lu_join(f, i * 7 % LINKS * 3 % LINKS, (i + 1) * 7 % LINKS * 3 % LINKS);
  CHECK(block_lu_end(f));
  CHECK_LE(block_lu_work(f), LINKS * (4.0 + 2.0 / 3) * 6 * 6 * 6);
  CHECK(!block_lu_begin(f, BLOCK_LU_NODES_MAX + 1, size));
  block_lu_destroy(f);
}

int main(void) {
  RUN(factor_solves_and_refactors);
  RUN(singular_is_told);
  RUN(blocks_are_solved);
  RUN(a_chain_has_no_fill);
  return check_summary();
}
