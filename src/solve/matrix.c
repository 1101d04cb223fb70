#include "solve/matrix.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

static int common_size(int block_count, const int *start) {
  int size = block_count ? start[1] - start[0] : 0;
  for (int b = 1; b < block_count; b++)
    if (start[b + 1] - start[b] != size) return 0;
  return size;
}

// y[rows] += A[rows x columns] x
static inline void add_product(int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < columns; j++) sum += A[i * columns + j] * x[j];
    y[i] += sum;
  }
}

static inline void add_absolute_product(int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) y[i] += fabs(A[i * columns + j]) * fabs(x[j]);
}

// y[columns] += Aᵀ x
static inline void add_transposed(int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) y[j] += A[i * columns + j] * x[i];
}

// Whoever has no velocities to keep.
static void start_nothing(const solve_matrix *m, const double *x, double *v) { (void)m, (void)x, (void)v; }
static void moved_nothing(const solve_matrix *m, int b, const double *dx, double *v) {
  (void)m, (void)b, (void)dx, (void)v;
}

// From the blocks on the diagonal, unless it is known.
static void block_diagonals(const solve_matrix *m, double *d) {
  if (m->diagonal) {
    memcpy(d, m->diagonal, (size_t)m->rows * sizeof *d);
    return;
  }
  for (int b = 0; b < m->block_count; b++) {
    double A[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
    int size = matrix_block_size(m, b);
    m->ops->block(m, b, b, A);
    for (int i = 0; i < size; i++) d[matrix_block_row(m, b) + i] = A[i * size + i];
  }
}

// --- dense -----------------------------------------------------------------------------------------------------------

// A fixed number of running sums: an order that the compiler may keep in vector registers, and additions that do not
// wait for each other.
enum { SUMS = 16 };

// What is left from j on goes to four of them.
static inline double sum_rest(double s[4], int j, int n, const double *a, const double *x, bool absolute) {
  for (; j + 4 <= n; j += 4)
    for (int k = 0; k < 4; k++) s[k] += absolute ? fabs(a[j + k] * x[j + k]) : a[j + k] * x[j + k];
  for (; j < n; j++) s[0] += absolute ? fabs(a[j] * x[j]) : a[j] * x[j];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

static inline double sum_few(int n, const double *a, const double *x, bool absolute) {
  return sum_rest((double[4]){0}, 0, n, a, x, absolute);
}

static inline double sum_products(int n, const double *a, const double *x, bool absolute) {
  if (n < SUMS) return sum_few(n, a, x, absolute);
  double s[SUMS] = {0};
  int j = 0;
  for (; j + SUMS <= n; j += SUMS)
    for (int k = 0; k < SUMS; k++) s[k] += absolute ? fabs(a[j + k] * x[j + k]) : a[j + k] * x[j + k];
  for (int k = 0; k < 4; k++) s[k] += (s[k + 4] + s[k + 8]) + s[k + 12];
  return sum_rest(s, j, n, a, x, absolute);
}

static double dot(int n, const double *a, const double *x) { return sum_products(n, a, x, false); }

// With the number of rows as a constant nothing is left of the loops.
static inline void apply_few(const int n, const double *A, const double *x, double *y) {
#pragma GCC unroll 4
  for (int i = 0; i < n; i++) y[i] = sum_few(n, A + i * n, x, false);
}

static void dense_apply(const solve_matrix *m, const double *x, double *y, double *v) {
  (void)v;
  if (m->rows == 2) apply_few(2, m->values, x, y);
  else if (m->rows == 4) apply_few(4, m->values, x, y);
  else
    for (int i = 0; i < m->rows; i++) y[i] = dot(m->rows, m->values + (long)i * m->rows, x);
}

static void dense_apply_absolute(const solve_matrix *m, const double *x, double *y, double *v) {
  (void)v;
  for (int i = 0; i < m->rows; i++) y[i] = sum_products(m->rows, m->values + (long)i * m->rows, x, true);
}

static bool dense_block(const solve_matrix *m, int a, int b, double *A) {
  int size = matrix_block_size(m, a), width = matrix_block_size(m, b);
  const double *from = m->values + (long)matrix_block_row(m, a) * m->rows + matrix_block_row(m, b);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < width; j++) A[i * width + j] = from[(long)i * m->rows + j];
  return true;
}

static void dense_row(const solve_matrix *m, int b, const double *x, const double *v, double *y) {
  (void)v;
  int size = matrix_block_size(m, b), row = matrix_block_row(m, b);
  for (int i = 0; i < size; i++) y[i] = dot(m->rows, m->values + (long)(row + i) * m->rows, x);
}

static void dense_dense(const solve_matrix *m, double *A) {
  memcpy(A, m->values, (size_t)m->rows * (size_t)m->rows * sizeof *A);
}

static bool dense_finite(const solve_matrix *m) {
  return number_all_finite(m->values, (size_t)m->rows * (size_t)m->rows);
}

static void dense_diagonal(const solve_matrix *m, double *d) {
  for (int i = 0; i < m->rows; i++) d[i] = m->values[(long)i * m->rows + i];
}

static const matrix_ops dense_ops = {"dense",   dense_apply,   dense_apply_absolute, dense_block, dense_diagonal,
                                     dense_row, start_nothing, moved_nothing,        dense_dense, dense_finite};

solve_matrix matrix_dense(int rows, int block_count, const int *start, const double *values) {
  return (solve_matrix){.ops = &dense_ops,
                        .rows = rows,
                        .block_count = block_count,
                        .start = start,
                        .uniform = common_size(block_count, start),
                        .values = values};
}

void matrix_set_blocks(solve_matrix *m, int rows, int block_count) {
  m->rows = rows, m->block_count = block_count;
  m->uniform = common_size(block_count, m->start);
}

const double *matrix_values(const solve_matrix *m, double *to) {
  if (m->ops == &dense_ops) return m->values;
  m->ops->dense(m, to);
  return to;
}

// --- sparse ----------------------------------------------------------------------------------------------------------

static inline void row_of_threes(const solve_matrix *m, int b, const double *x, double *y) {
  double y0 = 0, y1 = 0, y2 = 0;
  for (int k = m->first[b]; k < m->first[b + 1]; k++) {
    const double *A = m->values + m->offset[k], *xk = x + 3 * m->column[k];
    y0 += A[0] * xk[0] + A[1] * xk[1] + A[2] * xk[2];
    y1 += A[3] * xk[0] + A[4] * xk[1] + A[5] * xk[2];
    y2 += A[6] * xk[0] + A[7] * xk[1] + A[8] * xk[2];
  }
  y[0] = y0, y[1] = y1, y[2] = y2;
}

static inline void sparse_row_of(const solve_matrix *m, int b, const double *x, double *y) {
  if (m->uniform == 3) {
    row_of_threes(m, b, x, y);
    return;
  }
  int size = matrix_block_size(m, b);
  for (int i = 0; i < size; i++) y[i] = 0;
  for (int k = m->first[b]; k < m->first[b + 1]; k++)
    add_product(size, matrix_block_size(m, m->column[k]), m->values + m->offset[k],
                x + matrix_block_row(m, m->column[k]), y);
}

static void sparse_row(const solve_matrix *m, int b, const double *x, const double *v, double *y) {
  (void)v;
  sparse_row_of(m, b, x, y);
}

static void sparse_apply(const solve_matrix *m, const double *x, double *y, double *v) {
  (void)v;
  for (int b = 0; b < m->block_count; b++) sparse_row_of(m, b, x, y + matrix_block_row(m, b));
}

static void sparse_apply_absolute(const solve_matrix *m, const double *x, double *y, double *v) {
  (void)v;
  memset(y, 0, (size_t)m->rows * sizeof *y);
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->first[b]; k < m->first[b + 1]; k++)
      add_absolute_product(matrix_block_size(m, b), matrix_block_size(m, m->column[k]), m->values + m->offset[k],
                           x + matrix_block_row(m, m->column[k]), y + matrix_block_row(m, b));
}

static bool sparse_block(const solve_matrix *m, int a, int b, double *A) {
  size_t bytes = (size_t)matrix_block_size(m, a) * (size_t)matrix_block_size(m, b) * sizeof *A;
  memset(A, 0, bytes);
  for (int k = m->first[a]; k < m->first[a + 1]; k++)
    if (m->column[k] == b) return memcpy(A, m->values + m->offset[k], bytes), true;
  return false;
}

static void sparse_dense(const solve_matrix *m, double *A) {
  memset(A, 0, (size_t)m->rows * (size_t)m->rows * sizeof *A);
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->first[b]; k < m->first[b + 1]; k++) {
      const double *value = m->values + m->offset[k];
      int size = matrix_block_size(m, b), width = matrix_block_size(m, m->column[k]);
      double *target = A + (long)matrix_block_row(m, b) * m->rows + matrix_block_row(m, m->column[k]);
      for (int i = 0; i < size; i++)
        for (int j = 0; j < width; j++) target[(long)i * m->rows + j] = value[i * width + j];
    }
}

static bool sparse_finite(const solve_matrix *m) {
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->first[b]; k < m->first[b + 1]; k++)
      if (!number_all_finite(m->values + m->offset[k],
                             (size_t)matrix_block_size(m, b) * (size_t)matrix_block_size(m, m->column[k])))
        return false;
  return true;
}

static const matrix_ops sparse_ops = {"sparse",   sparse_apply,  sparse_apply_absolute, sparse_block, block_diagonals,
                                      sparse_row, start_nothing, moved_nothing,         sparse_dense, sparse_finite};

solve_matrix matrix_sparse(int rows, int block_count, const int *start, const int *first, const int *column,
                           const size_t *offset, const double *values) {
  return (solve_matrix){.ops = &sparse_ops,
                        .rows = rows,
                        .block_count = block_count,
                        .start = start,
                        .uniform = common_size(block_count, start),
                        .values = values,
                        .first = first,
                        .column = column,
                        .offset = offset};
}

// --- factored --------------------------------------------------------------------------------------------------------

// A contact in space on free bodies: the compiler unrolls these.
static inline void add_product_3x6(const double *A, const double *x, double *y) {
  for (int i = 0; i < 3; i++, A += 6)
    y[i] += (A[0] * x[0] + A[1] * x[1] + A[2] * x[2]) + (A[3] * x[3] + A[4] * x[4] + A[5] * x[5]);
}
static inline void add_transposed_3x6(const double *A, const double *x, double *y) { add_transposed(3, 6, A, x, y); }

static void factored_row(const solve_matrix *m, int b, const double *x, const double *v, double *y) {
  int size = matrix_block_size(m, b), row = matrix_block_row(m, b);
  for (int i = 0; i < size; i++) y[i] = m->own ? m->own[row + i] * x[row + i] : 0;
  for (int k = m->J.first[b]; k < m->J.first[b + 1]; k++) {
    const double *A = m->J.values + m->J.offset[k], *at = v + m->J.at[k];
    if (size == 3 && m->J.width[k] == 6) add_product_3x6(A, at, y);
    else add_product(size, m->J.width[k], A, at, y);
  }
}

static void factored_moved(const solve_matrix *m, int b, const double *dx, double *v) {
  int size = matrix_block_size(m, b);
  for (int k = m->B.first[b]; k < m->B.first[b + 1]; k++) {
    const double *A = m->B.values + m->B.offset[k];
    double *at = v + m->B.at[k];
    if (size == 3 && m->B.width[k] == 6) add_transposed_3x6(A, dx, at);
    else add_transposed(size, m->B.width[k], A, dx, at);
  }
}

// Of a piece what lies on the velocities from … to - 1.
static void add_within(const matrix_pieces *B, int k, int size, const double *x, int from, int to, double *v) {
  int first = B->at[k] > from ? 0 : from - B->at[k], last = to - B->at[k] < B->width[k] ? to - B->at[k] : B->width[k];
  const double *A = B->values + B->offset[k];
  for (int i = 0; i < size; i++, A += B->width[k])
    for (int j = first; j < last; j++) v[B->at[k] + j] += A[j] * x[i];
}

typedef struct start_job {
  const solve_matrix *m;
  const double *x;
  double *v;
  int parts;
} start_job;

enum { SIX = 6 };  // speeds of a free body

// Parts end where bodies do, if all are free.
static int start_of_part(const solve_matrix *m, int part, int parts) {
  return part == parts ? m->velocities : SIX * (int)((long)(m->velocities / SIX) * part / parts);
}

// Each part of the velocities goes through all blocks in their order: sums do not depend on how many parts there are.
static void start_part(const start_job *j, int part) {
  const solve_matrix *m = j->m;
  const matrix_pieces *B = &m->B;
  int from = start_of_part(m, part, j->parts), to = start_of_part(m, part + 1, j->parts);
  memset(j->v + from, 0, (size_t)(to - from) * sizeof *j->v);
  for (int b = 0; b < m->block_count; b++) {
    const double *x = j->x + matrix_block_row(m, b);
    int size = matrix_block_size(m, b);
    for (int k = B->first[b]; k < B->first[b + 1]; k++) {
      int at = B->at[k], end = at + B->width[k];
      if (end <= from || at >= to) continue;
      if (size == 3 && end == at + SIX && at % SIX == 0) add_transposed_3x6(B->values + B->offset[k], x, j->v + at);
      else add_within(B, k, size, x, from, to, j->v);
    }
  }
}

static void start_parts(void *context, int from, int to) {
  for (int part = from; part < to; part++) start_part(context, part);
}

enum { BLOCKS_SHARE = 128 };  // the fewest blocks that a thread takes

static void factored_start(const solve_matrix *m, const double *x, double *v) {
  int most = m->block_count / BLOCKS_SHARE, parts = crew_count(m->crew) < most ? crew_count(m->crew) : most;
  start_job j = {m, x, v, parts > 1 ? parts : 1};
  crew_run(m->crew, j.parts, 1, start_parts, &j);
}

typedef struct product {
  const solve_matrix *m;
  const double *x, *v;
  double *y;
} product;

static void find_rows(void *context, int from, int to) {
  const product *p = context;
  for (int b = from; b < to; b++) factored_row(p->m, b, p->x, p->v, p->y + matrix_block_row(p->m, b));
}

static void factored_apply(const solve_matrix *m, const double *x, double *y, double *v) {
  factored_start(m, x, v);
  crew_run(m->crew, m->block_count, BLOCKS_SHARE, find_rows, &(product){m, x, v, y});
}

// |J| (|Bᵀ| |x|), which is not below |W| |x|
static void factored_apply_absolute(const solve_matrix *m, const double *x, double *y, double *v) {
  memset(v, 0, (size_t)m->velocities * sizeof *v);
  for (int i = 0; i < m->rows; i++) y[i] = m->own ? fabs(m->own[i]) * fabs(x[i]) : 0;
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->B.first[b]; k < m->B.first[b + 1]; k++)
      for (int i = 0; i < matrix_block_size(m, b); i++)
        for (int j = 0; j < m->B.width[k]; j++)
          v[m->B.at[k] + j] +=
              fabs(m->B.values[m->B.offset[k] + (size_t)(i * m->B.width[k] + j)]) * fabs(x[matrix_block_row(m, b) + i]);
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->J.first[b]; k < m->J.first[b + 1]; k++)
      add_absolute_product(matrix_block_size(m, b), m->J.width[k], m->J.values + m->J.offset[k], v + m->J.at[k],
                           y + matrix_block_row(m, b));
}

static inline void add_products_3x6(const double *J, const double *B, double *A, int stride) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double *a = J + 6 * i, *b = B + 6 * j;
      A[(long)i * stride + j] += (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
    }
}

// A[size_a x size_b] += W_ab with a row stride. False when the two have no velocity in common.
static bool add_pair(const solve_matrix *m, int a, int b, double *A, int stride) {
  bool meet = a == b, threes = matrix_block_size(m, a) == 3 && matrix_block_size(m, b) == 3;
  for (int i = 0; m->own && meet && i < matrix_block_size(m, a); i++)
    A[(long)i * stride + i] += m->own[matrix_block_row(m, a) + i];
  for (int k = m->J.first[a]; k < m->J.first[a + 1]; k++)
    for (int l = m->B.first[b]; l < m->B.first[b + 1]; l++) {
      int from = m->J.at[k] > m->B.at[l] ? m->J.at[k] : m->B.at[l];
      int end_k = m->J.at[k] + m->J.width[k], end_l = m->B.at[l] + m->B.width[l], to = end_k < end_l ? end_k : end_l;
      meet |= from < to;
      if (from < to && threes && m->J.width[k] == 6 && m->B.width[l] == 6 && m->J.at[k] == m->B.at[l]) {
        add_products_3x6(m->J.values + m->J.offset[k], m->B.values + m->B.offset[l], A, stride);
        continue;
      }
      for (int i = 0; from < to && i < matrix_block_size(m, a); i++)
        for (int j = 0; j < matrix_block_size(m, b); j++) {
          const double *Ji = m->J.values + m->J.offset[k] + (long)i * m->J.width[k];
          const double *Bj = m->B.values + m->B.offset[l] + (long)j * m->B.width[l];
          double sum = 0;
          for (int c = from; c < to; c++) sum += Ji[c - m->J.at[k]] * Bj[c - m->B.at[l]];
          A[(long)i * stride + j] += sum;
        }
    }
  return meet;
}

static bool factored_block(const solve_matrix *m, int a, int b, double *A) {
  int size = matrix_block_size(m, a), width = matrix_block_size(m, b);
  memset(A, 0, (size_t)(size * width) * sizeof *A);
  return add_pair(m, a, b, A, width);
}

static void factored_dense(const solve_matrix *m, double *A) {
  memset(A, 0, (size_t)m->rows * (size_t)m->rows * sizeof *A);
  for (int a = 0; a < m->block_count; a++)
    for (int b = 0; b < m->block_count; b++)
      add_pair(m, a, b, A + (long)matrix_block_row(m, a) * m->rows + matrix_block_row(m, b), m->rows);
}

typedef struct finite_job {
  const solve_matrix *m;
  const matrix_pieces *p;
  bool any_infinite;
} finite_job;

static bool blocks_finite(const solve_matrix *m, const matrix_pieces *p, int from, int to) {
  for (int b = from; b < to; b++)
    for (int k = p->first[b]; k < p->first[b + 1]; k++)
      if (!number_all_finite(p->values + p->offset[k], (size_t)(matrix_block_size(m, b) * p->width[k]))) return false;
  return true;
}

static void look_at_blocks(void *context, int from, int to) {
  finite_job *j = context;
  if (!blocks_finite(j->m, j->p, from, to)) __atomic_store_n(&j->any_infinite, true, __ATOMIC_RELAXED);
}

static bool pieces_finite(const solve_matrix *m, const matrix_pieces *p) {
  finite_job j = {m, p, false};
  crew_run(m->crew, m->block_count, BLOCKS_SHARE, look_at_blocks, &j);
  return !j.any_infinite;
}

static bool factored_finite(const solve_matrix *m) {
  return pieces_finite(m, &m->J) && (matrix_is_symmetric(m) || pieces_finite(m, &m->B)) &&
         (!m->own || number_all_finite(m->own, (size_t)m->rows));
}

static const matrix_ops factored_ops = {"factored",      factored_apply, factored_apply_absolute, factored_block,
                                        block_diagonals, factored_row,   factored_start,          factored_moved,
                                        factored_dense,  factored_finite};

solve_matrix matrix_factored(int rows, int block_count, const int *start, int velocities, matrix_pieces J,
                             matrix_pieces B) {
  return (solve_matrix){.ops = &factored_ops,
                        .rows = rows,
                        .block_count = block_count,
                        .start = start,
                        .uniform = common_size(block_count, start),
                        .velocities = velocities,
                        .J = J,
                        .B = B};
}

static double piece_entries(const solve_matrix *m, const matrix_pieces *p) {
  double count = 0;
  for (int b = 0; b < m->block_count; b++)
    for (int k = p->first[b]; k < p->first[b + 1]; k++) count += (double)matrix_block_size(m, b) * p->width[k];
  return count;
}

static double nonzero(size_t count, const double *x) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] != 0;
  return (double)sum;
}

bool matrix_is_dense(const solve_matrix *m) { return m->ops == &dense_ops; }

double matrix_entries(const solve_matrix *m) {
  double count = 0;
  if (m->ops == &dense_ops) return nonzero((size_t)m->rows * (size_t)m->rows, m->values);
  if (m->ops == &factored_ops) return piece_entries(m, &m->J) + piece_entries(m, &m->B);
  for (int b = 0; b < m->block_count; b++)
    for (int k = m->first[b]; k < m->first[b + 1]; k++)
      count += (double)matrix_block_size(m, b) * matrix_block_size(m, m->column[k]);
  return count;
}
