// The matrix of a contact problem, stored in one of three ways behind one interface.
//
//   dense     W, row by row
//   sparse    the blocks of W that are not zero, by block rows
//   factored  W = J Bᵀ with B = J M⁻ᵀ: rows of J and of B in pieces on parts of the velocities. Gauss–Seidel then keeps
//             v = Bᵀ r up to date and never forms W; its cost grows with the rows, not with the pairs of contacts. Rows
//             that are decoupled from all others have pieces of zeros and an entry of their own on the diagonal.
//
// The partition into blocks is that of the problem: block b has the rows start[b] … start[b+1] − 1.
#ifndef SOLVE_MATRIX_H
#define SOLVE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/crew.h"

enum { BLOCK_ROWS_MAX = 6 };  // rows of a block

typedef struct solve_matrix solve_matrix;

// Block b of a factored matrix has the pieces first[b] … first[b+1] − 1. A piece lies on the velocities at[k] …
// at[k] + width[k] − 1 and holds size x width values, row by row, from values[offset[k]].
typedef struct matrix_pieces {
  const int *first, *at, *width;
  const size_t *offset;
  const double *values;
} matrix_pieces;

typedef struct matrix_ops {
  const char *name;
  // y := W x
  void (*apply)(const solve_matrix *m, const double *x, double *y, double *v);
  // y := |W| |x|, or a bound of it
  void (*apply_absolute)(const solve_matrix *m, const double *x, double *y, double *v);
  // A := W_ab, row by row; false when that block is not stored and so zero
  bool (*block)(const solve_matrix *m, int a, int b, double *A);
  void (*diagonal)(const solve_matrix *m, double *d);  // d_i := W_ii
  // y := (W x)_b. A factored matrix takes it from v = Bᵀ x; the others leave v alone.
  void (*row)(const solve_matrix *m, int b, const double *x, const double *v, double *y);
  void (*start)(const solve_matrix *m, const double *x, double *v);          // v := Bᵀ x
  void (*moved)(const solve_matrix *m, int b, const double *dx, double *v);  // v := v + B_bᵀ dx
  // A := W, row by row
  void (*dense)(const solve_matrix *m, double *A);
  bool (*finite)(const solve_matrix *m);
} matrix_ops;

struct solve_matrix {
  const matrix_ops *ops;
  int rows, block_count;
  const int *start;      // block_count + 1
  int uniform;           // rows of every block, 0 when they differ
  const double *values;  // dense: rows x rows; sparse: the blocks
  // sparse: block row b has the blocks first[b] … first[b+1] − 1, each in block column column[k] (ascending), its
  // values row by row from values[offset[k]]
  const int *first, *column;
  const size_t *offset;
  // factored
  int velocities;
  matrix_pieces J, B;
  const double *own;       // added to the diagonal, one per row; may be null
  const double *diagonal;  // W_ii, one per row, where they are known; else null
  const crew *crew;        // shares loops over many blocks; may be null
};

solve_matrix matrix_dense(int rows, int block_count, const int *start, const double *values);
solve_matrix matrix_sparse(int rows, int block_count, const int *start, const int *first, const int *column,
                           const size_t *offset, const double *values);
solve_matrix matrix_factored(int rows, int block_count, const int *start, int velocities, matrix_pieces J,
                             matrix_pieces B);

// A dense matrix of so many rows and blocks, whose starts have changed.
void matrix_set_blocks(solve_matrix *m, int rows, int block_count);

bool matrix_is_dense(const solve_matrix *m);
// A factored matrix whose J and B are the same arrays.
static inline bool matrix_is_symmetric(const solve_matrix *m) {
  return m->J.values == m->B.values && m->J.offset == m->B.offset && m->J.first == m->B.first && m->J.at == m->B.at &&
         m->J.width == m->B.width;
}
// Numbers that one sweep over all rows reads; of a dense matrix those that are not zero.
double matrix_entries(const solve_matrix *m);
// W row by row: as it is stored if dense, else written to `to`.
const double *matrix_values(const solve_matrix *m, double *to);

static inline int matrix_block_size(const solve_matrix *m, int b) {
  return m->uniform ? m->uniform : m->start[b + 1] - m->start[b];
}
static inline int matrix_block_row(const solve_matrix *m, int b) { return m->uniform ? b * m->uniform : m->start[b]; }

#endif
