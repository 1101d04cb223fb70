#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "solve/problem_text.h"

static bool all_of(const solve_problem *p, block_kind kind) {
  for (int b = 0; b < p->block_count; b++)
    if (p->blocks[b].kind != kind) return false;
  return true;
}

static bool is_friction(const solve_problem *p) { return all_of(p, BLOCK_PLANE) || all_of(p, BLOCK_SPACE); }

typedef void each_block(void *context, int a, int b, int rows, int columns, const double *A);

static void for_blocks(const solve_matrix *W, each_block *call, void *context) {
  double A[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
  for (int a = 0; a < W->block_count; a++)
    for (int b = 0; b < W->block_count; b++)
      if (W->ops->block(W, a, b, A)) call(context, a, b, matrix_block_size(W, a), matrix_block_size(W, b), A);
}

static void print_dense(FILE *to, const solve_matrix *W) {
  fprintf(to, "%d\t%d\n", W->rows, W->rows);
  double A[BLOCK_ROWS_MAX * BLOCK_ROWS_MAX];
  for (int b = 0; b < W->block_count; b++)
    for (int j = 0; j < matrix_block_size(W, b); j++) {
      for (int a = 0; a < W->block_count; a++) {
        int width = matrix_block_size(W, b);
        W->ops->block(W, a, b, A);
        for (int i = 0; i < matrix_block_size(W, a); i++) fprintf(to, "%.17g ", A[i * width + j]);
      }
      fprintf(to, "\n");
    }
}

// --- blocks ----------------------------------------------------------------------------------------------------------

typedef struct block_printer {
  FILE *to;
  int count;      // blocks so far
  int row;        // block row of the last
  bool pointers;  // row pointers rather than columns
} block_printer;

static void count_block(void *context, int a, int b, int rows, int columns, const double *A) {
  block_printer *x = context;
  (void)b, (void)rows, (void)columns, (void)A;
  for (; x->pointers && x->row < a; x->row++) fprintf(x->to, "%d\t", x->count);
  x->count++;
}

static void print_column(void *context, int a, int b, int rows, int columns, const double *A) {
  (void)a, (void)rows, (void)columns, (void)A;
  fprintf(((block_printer *)context)->to, "%d\t", b);
}

static void print_block(void *context, int a, int b, int rows, int columns, const double *A) {
  block_printer *x = context;
  (void)a, (void)b;
  fprintf(x->to, "%d\n", x->count++);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) fprintf(x->to, "%.17g\n", A[i * columns + j]);
}

static void print_ends(FILE *to, const solve_matrix *W) {
  for (int b = 0; b < W->block_count; b++) fprintf(to, "%d\t", matrix_block_row(W, b) + matrix_block_size(W, b));
  fprintf(to, "\n");
}

static void print_blocks(FILE *to, const solve_matrix *W) {
  block_printer count = {.to = to}, pointers = {.to = to, .pointers = true, .row = -1}, blocks = {.to = to};
  for_blocks(W, count_block, &count);
  fprintf(to, "%d\n%d\n%d\n", count.count, W->block_count, W->block_count);
  print_ends(to, W);
  print_ends(to, W);
  fprintf(to, "%d\n%d\n", W->block_count + 1, count.count);
  for_blocks(W, count_block, &pointers);
  count_block(&pointers, W->block_count, 0, 0, 0, NULL);
  fprintf(to, "\n");
  for_blocks(W, print_column, &blocks);
  fprintf(to, "\n");
  for_blocks(W, print_block, &blocks);
}

// --- sparse dump -----------------------------------------------------------------------------------------------------

typedef struct dumper {
  FILE *to;
  const solve_matrix *W;
  long count;
} dumper;

static void dump_block(void *context, int a, int b, int rows, int columns, const double *A) {
  dumper *x = context;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++, x->count++)
      if (x->to)
        fprintf(x->to, "    %d %d : %.17g\n", matrix_block_row(x->W, a) + i, matrix_block_row(x->W, b) + j,
                A[i * columns + j]);
}

static void print_dump(FILE *to, const solve_matrix *W) {
  dumper count = {.W = W}, x = {.W = W, .to = to};
  for_blocks(W, dump_block, &count);
  fprintf(to, "1\ncarom\ntriplet: %d-by-%d, nzmax: %ld nnz: %ld\n", W->rows, W->rows, count.count, count.count);
  for_blocks(W, dump_block, &x);
}

// --- pieces ----------------------------------------------------------------------------------------------------------

static void print_piece_list(FILE *to, const solve_matrix *W, const matrix_pieces *p) {
  for (int b = 0; b < W->block_count; b++) {
    fprintf(to, "%d\n", p->first[b + 1] - p->first[b]);
    for (int k = p->first[b]; k < p->first[b + 1]; k++) {
      fprintf(to, "%d %d", p->at[k], p->width[k]);
      for (int i = 0; i < matrix_block_size(W, b) * p->width[k]; i++)
        fprintf(to, " %.17g", p->values[p->offset[k] + (size_t)i]);
      fprintf(to, "\n");
    }
  }
}

static void print_pieces(FILE *to, const solve_matrix *W) {
  bool symmetric = matrix_is_symmetric(W);
  fprintf(to, "%d %d %d\n", W->velocities, symmetric, W->own != NULL);
  print_piece_list(to, W, &W->J);
  if (!symmetric) print_piece_list(to, W, &W->B);
  for (int i = 0; W->own && i < W->rows; i++) fprintf(to, "%.17g ", W->own[i]);
  if (W->own) fprintf(to, "\n");
}

// --- whole problems --------------------------------------------------------------------------------------------------

// The formats of others have no pieces.
static void print_heading(FILE *to, const solve_problem *p, bool in_pieces) {
  static const char *const kinds[] = {"bilateral", "unilateral", "plane",         "space",
                                      "box",       "polygon",    "rolling-plane", "rolling-space"};
  if (all_of(p, BLOCK_UNILATERAL) && !in_pieces) {
    fprintf(to, "%d\n", p->block_count);
  } else if (is_friction(p) && !in_pieces) {
    fprintf(to, "%d\n%d\n", p->blocks[0].size, p->block_count);
  } else {
    fprintf(to, "carom-problem 1\n%d\n", p->block_count);
    for (int b = 0; b < p->block_count; b++) {
      const solve_block *k = &p->blocks[b];
      fprintf(to, "%s %d %.17g %.17g %.17g\n", kinds[k->kind], k->size, k->mu, k->lo, k->hi);
    }
  }
}

void problem_print(FILE *to, const solve_problem *p, problem_storage storage) {
  static void (*const print[])(FILE *, const solve_matrix *) = {print_dense, print_blocks, print_dump, print_pieces};
  bool in_pieces = storage == PROBLEM_PIECES;
  print_heading(to, p, in_pieces);
  fprintf(to, "%d\n%d\n%d\n", storage, p->W.rows, p->W.rows);
  print[storage](to, &p->W);
  for (int i = 0; i < p->W.rows; i++) fprintf(to, "%.17g ", p->q[i]);
  fprintf(to, "\n");
  if (is_friction(p) && !in_pieces) {
    for (int b = 0; b < p->block_count; b++) fprintf(to, "%.17g ", p->blocks[b].mu);
    fprintf(to, "\n");
  }
}

// A file that reads as a contact problem: the formats of others leave no place to name who wrote it.
static bool is_problem(int fd, const void *unused) {
  (void)unused;
  size_t size;
  char *volatile text = output_read(fd, SIZE_MAX - 1, &size);
  volatile bool found = false;
  jmp_buf out_of_memory;
  arena memory = arena_create(&out_of_memory);
  if (text && !setjmp(out_of_memory)) {
    carom_error ignored = {0};
    found = problem_parse(&memory, "", text, size, &ignored) != NULL;
  }
  arena_free(&memory);
  free(text);
  return found;
}

static problem_storage storage_of(const solve_matrix *W) {
  return matrix_is_dense(W) ? PROBLEM_DENSE : W->velocities ? PROBLEM_PIECES : PROBLEM_BLOCKS;
}

static bool print_file(const solve_problem *p, const char *path) {
  FILE *to = fopen(path, "w");
  if (!to) return false;
  problem_print(to, p, storage_of(&p->W));
  bool failed = ferror(to);
  return fclose(to) == 0 && !failed;
}

carom_status problem_save(const solve_problem *p, const char *path, carom_error *error) {
  carom_error own = {0};
  if (!error) error = &own;
  output_file f;
  output_rule rule = {.path = path, .kind = "a contact problem", .is_own = is_problem};
  if (output_guard(&rule, error) != CAROM_OK || !output_begin(&f, path, error)) return error->status;
  bool written = print_file(p, f.place);
  if (!written) error_set(error, CAROM_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
  carom_status ended = output_end(&f, written, error);
  return written ? ended : CAROM_ERROR_FILE;
}
